"""What follows a run, however it ended: its pages in Prefect, its metrics, and a history that does not grow for ever.

Arrives: the report. Leaves: what others read of it. None of it makes a good run fail, or hides why a bad one did.
"""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from cpq_graph.errors import ArtifactsError
from cpq_graph.manifest import read_serving
from cpq_graph.report import Report, read_reports, runs_dir
from cpq_graph.settings import Settings
from flows.metrics import write_metrics
from flows.pages import publish_pages

log = logging.getLogger(__name__)


def end_run(settings: Settings, report: Report) -> None:
    """Does all that follows a run. What fails of it is logged."""
    took = (report.finished_at - report.started_at).total_seconds() if report.finished_at else 0.0
    fields = {"event": "run ended", "status": report.status, "seconds": round(took, 3), "kind": report.error_kind}
    log.log(
        logging.ERROR if report.status == "failed" else logging.INFO,
        "run %s: %s after %.0f s", report.run, report.status, took,
        extra={"fields": {name: value for name, value in fields.items() if value is not None}},
    )  # fmt: skip
    _attempt("the run's pages in Prefect", lambda: publish_pages(report))
    _attempt("the metrics", lambda: _write_metrics(settings, report))
    _attempt("the history of runs", lambda: forget_runs(settings.data_dir, settings.keep_runs))


def _attempt(what: str, work: Callable[[], object]) -> None:
    try:
        work()
    except Exception as error:
        log.warning("%s could not be brought up to date: %s", what, error)


def _write_metrics(settings: Settings, report: Report) -> None:
    if settings.metrics_file is not None:
        succeeded = [each for each in read_reports(settings.data_dir) if each.status == "succeeded"]
        write_metrics(report, settings.metrics_file, succeeded[0].finished_at if succeeded else None)


def forget_runs(data_dir: Path, keep: int) -> list[str]:
    """Removes the folders of all but the last `keep` runs; never those of the graph that serves and the one before.
    Returns their names."""
    try:
        serving = read_serving(data_dir)
        needed = {graph.run for graph in (serving.current, serving.previous) if graph}
    except ArtifactsError:
        needed = set()
    folders = sorted((path for path in runs_dir(data_dir).glob("*") if path.is_dir()), reverse=True)
    forgotten = [folder for folder in folders[keep:] if folder.name not in needed]
    for folder in forgotten:
        shutil.rmtree(folder, ignore_errors=True)
    return [folder.name for folder in forgotten]

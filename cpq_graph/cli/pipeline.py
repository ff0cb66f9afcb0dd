"""`refresh`, `rollback`, `status`, `rejects` and `verify`: the pipeline and what it left."""

import logging
import os
import sys
from collections.abc import Mapping
from typing import Literal

import click

from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, line, shorten, stderr, table
from cpq_graph.errors import ConfigurationError
from cpq_graph.logs import OWN_LOGGERS
from cpq_graph.report import Report, Totals, read_reports, runs_dir
from cpq_graph.settings import Settings


@click.command()
@click.option(
    "--mode",
    type=click.Choice(["full", "delta"]),
    default="full",
    show_default=True,
    help="Everything into a fresh graph, or what changed into the one that serves.",
)
@click.option("--dry-run", is_flag=True, help="Do everything but write to Neo4j.")
@json_option
@click.pass_obj
@ends_cleanly
def refresh(settings: Settings, *, mode: Literal["full", "delta"], dry_run: bool, as_json: bool) -> None:
    """Bring the graph in step with the source.

    Runs the flow in this process. The graph before answers until the new one is complete and checked; a failure leaves
    it as it was.
    """
    report = run_refresh(settings, mode=mode, dry_run=dry_run)
    if as_json:
        emit_json(report)
    else:
        show_report(report)


def run_refresh(settings: Settings, *, mode: Literal["full", "delta"] = "full", dry_run: bool = False) -> Report:
    """Runs the flow in this process against the Prefect server that is set, or the local stack's."""
    if "PREFECT_API_URL" not in os.environ:
        from stack import prefect_server

        os.environ["PREFECT_API_URL"] = prefect_server.ensure(settings.data_dir)
    os.environ.setdefault("PREFECT_LOGGING_EXTRA_LOGGERS", ",".join(OWN_LOGGERS))
    # Our own lines before and after the flow belong to no run's page.
    os.environ.setdefault("PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW", "ignore")
    from flows.refresh import refresh as flow

    _quiet_prefect()
    return flow(mode=mode, dry_run=dry_run)


def _quiet_prefect() -> None:
    """Keeps Prefect's own lines off the terminal, where ours say the same: what it tells goes to the run's page."""
    for name in ("prefect", "prefect.flow_runs", "prefect.task_runs"):
        logger = logging.getLogger(name)
        logger.propagate = False
        for handler in logger.handlers:
            if isinstance(handler, logging.StreamHandler):
                handler.setLevel(logging.CRITICAL)


@click.command()
@json_option
@click.pass_obj
@ends_cleanly
def rollback(settings: Settings, *, as_json: bool) -> None:
    """Serve the graph before again."""
    from load.switch import rollback as roll_back
    from stack.neo4j import Host

    serving = roll_back(settings.data_dir, None if settings.neo4j_uri else Host.of(settings))
    if as_json:
        emit_json(serving)
    else:
        line(f"Serving the graph of run {serving.current.run} again, at {serving.current.uri}.")


@click.command()
@click.option("--runs", default=5, show_default=True, help="How many runs to show.")
@json_option
@click.pass_obj
@ends_cleanly
def status(settings: Settings, *, runs: int, as_json: bool) -> None:
    """Show what is loaded and the last runs.

    From which snapshot, and counts by label and relationship.
    """
    from cpq_graph.manifest import read_manifest, read_serving, serving_path

    reports = read_reports(settings.data_dir)
    serving = read_serving(settings.data_dir) if serving_path(settings.data_dir).exists() else None
    manifest = read_manifest(settings.data_dir / serving.current.artifacts) if serving else None
    if as_json:
        emit_json(
            {
                "serving": serving.model_dump(mode="json") if serving else None,
                "counts": manifest.counts if manifest else {},
                "runs": [report.model_dump(mode="json") for report in reports[:runs]],
            }
        )
        return
    if serving is None or manifest is None:
        line("No graph has been loaded yet. Run: cpq-graph refresh")
    else:
        graph = serving.current
        line(f"Graph {graph.fingerprint[:12]} of run {graph.run}, at {graph.uri}")
        line(f"from {graph.snapshot.database} as of {graph.snapshot.taken_at:%Y-%m-%d %H:%M:%S %Z}")
        line(f"Before it: run {serving.previous.run} (cpq-graph rollback)" if serving.previous else "None before it.")
        line()
        table(None, ["label or relationship", "count"], sorted(manifest.counts.items()))
    if not reports:
        return
    line()
    table(
        "Last runs",
        ["run", "mode", "status", "read", "rejected", "seconds", "error"],
        [
            [
                report.run,
                report.mode,
                _state(report),
                sum(totals.read for totals in report.tables.values()),
                sum(report.rejects.values()),
                (report.finished_at - report.started_at).total_seconds() if report.finished_at else None,
                report.error and f"{report.failed_step}: {report.error.splitlines()[0]}",
            ]
            for report in reports[:runs]
        ],
    )


def _state(report: Report) -> str:
    return report.status if report.status != "running" else f"running or killed, in step {report.step}"


@click.command()
@click.option("--run", "run_name", help="Which run; the last when not given.")
@click.option("--reason", help="Only this reason.")
@click.option("--limit", default=50, show_default=True, help="Lines to show; --json prints all.")
@json_option
@click.pass_obj
@ends_cleanly
def rejects(settings: Settings, *, run_name: str | None, reason: str | None, limit: int, as_json: bool) -> None:
    """Show what is not in the graph, where it is and why.

    Every row, element and value of the last run's reject report, what is lost first, and the totals, which add up.
    """
    import polars as pl

    reports = read_reports(settings.data_dir)
    report = next((r for r in reports if run_name in (None, r.run) and r.tables), None)
    if report is None:
        raise ConfigurationError(
            f"there is no run {run_name}" if run_name else "no run has read the source yet",
            hint="Run: cpq-graph status" if reports else "Run: cpq-graph refresh --dry-run",
        )
    path = runs_dir(settings.data_dir) / report.run / "rejects.parquet"
    # What is lost, what lost a property, what is as it is meant to be.
    outcomes = pl.Enum(["rejected", "emptied", "noted", "filtered"])
    frame = pl.read_parquet(path, glob=False).sort(pl.col("outcome").cast(outcomes), maintain_order=True)
    if reason is not None:
        frame = frame.filter(pl.col("reason") == reason)
    if as_json:
        totals = {"tables": report.tables, "labels": report.labels, "relationships": report.relationships}
        emit_json(
            {
                "run": report.run,
                "adds_up": report.adds_up,
                "totals": {k: {n: t.model_dump() for n, t in group.items()} for k, group in totals.items()},
                "rejected": report.rejects,
                "filtered": report.filtered,
                "emptied": report.emptied,
                "rows": frame.to_dicts(),
            }
        )
        return
    line(f"Run {report.run}: {len(frame)} entries")
    if sys.stdout.isatty():
        by_reason = frame.group_by("outcome", "reason").len("count").sort("count", "reason", descending=[True, False])
        table(None, by_reason.columns, by_reason.iter_rows())
        for entry in frame.head(limit).iter_rows(named=True):
            line()
            line(_told(entry))
    else:
        table(None, frame.columns, frame.head(limit).iter_rows())
    if len(frame) > limit:
        stderr.print(f"{len(frame) - limit} more (--limit, --json).")
    line()
    show_totals(report)


def _told(entry: Mapping[str, str | None]) -> str:
    """A reject in two lines, which a terminal of any width can show: a table of eight columns it could not."""
    place = f", {entry['place']}" if entry["place"] else ""
    first = f"{entry['table']} {entry['key']}{place}: {entry['outcome']}, {entry['reason']} ({entry['label']})"
    sample = " ".join((entry["sample"] or "").split())
    return f"{first}\n  {shorten(sample)}" if sample else first


def show_report(report: Report) -> None:
    """The summary of a run, for people."""
    show_totals(report)
    outcomes = {"Rejected": report.rejects, "Filtered": report.filtered, "Left empty": report.emptied}
    for title, counts in outcomes.items():
        if counts:
            most_first = sorted(counts.items(), key=lambda item: item[1], reverse=True)
            line()
            table(title, ["reason", "count"], most_first)
    if report.notes:
        line()
        table("Noted", ["what", "count"], sorted(report.notes.items()))
    line()
    table(
        "Steps",
        ["step", "seconds", "rows", "MB", "MB/s"],
        [
            [
                step.name,
                step.seconds,
                step.rows,
                step.megabytes,
                step.megabytes / step.seconds if step.megabytes and step.seconds else None,
            ]
            for step in report.steps
        ],
    )
    if report.peak_memory_mb is not None:
        line(f"Peak memory of the pipeline's processes: {report.peak_memory_mb:.0f} MB")


def show_totals(report: Report) -> None:
    """The totals that add up: by source table, label and relationship."""
    for title, group in (
        ("Source rows", report.tables),
        ("Nodes", report.labels),
        ("Relationships", report.relationships),
    ):
        if group:
            table(
                title,
                ["", "read", "loaded", "rejected", "filtered"],
                [[name, *_numbers(totals)] for name, totals in group.items()],
            )
            line()
    line("Totals add up: read = loaded + rejected + filtered." if report.adds_up else "TOTALS DO NOT ADD UP.")


def _numbers(totals: Totals) -> list[int]:
    return [totals.read, totals.loaded, totals.rejected, totals.filtered]


@click.command()
@click.option(
    "--samples",
    default=200,
    show_default=True,
    help="How many of each label and relationship to compare in all they hold.",
)
@json_option
@click.pass_obj
@ends_cleanly
def verify(settings: Settings, *, samples: int, as_json: bool) -> None:
    """Compare graph and source, count by count, sample by sample.

    The source is read as it is now. Exit code 1 when they differ.
    """
    from cpq_graph.cli.stack import ensure_serving
    from flows.verify import verify as compare

    ensure_serving(settings)
    result = compare(settings, samples=samples)
    if as_json:
        emit_json(result)
    else:
        table("Counts", ["", "source", "graph"], [[name, *pair] for name, pair in result.counts.items()])
        line()
        line(f"{result.sampled} nodes and relationships were compared in all they hold.")
        for difference in result.differences:
            line(f"  {difference}")
        line("Graph and source agree." if result.equal else "GRAPH AND SOURCE DIFFER. To mend it: cpq-graph refresh")
    if not result.equal:
        sys.exit(1)


COMMANDS = (refresh, rollback, status, rejects, verify)

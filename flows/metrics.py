"""A run's numbers for Prometheus: a file in its text format, for node_exporter's textfile collector.

Arrives: the report of a run that ended, and when one last went well. Leaves: gauges; each run writes all of them anew.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from cpq_graph.report import Report, Totals


def write_metrics(report: Report, path: Path, last_success: datetime | None) -> None:
    """Replaces the file in one step. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_to_textfile(str(path), registry_of(report, last_success))


def registry_of(report: Report, last_success: datetime | None) -> CollectorRegistry:
    """The gauges. Those of which the run knows nothing (it failed before) are left out."""
    registry = CollectorRegistry()

    def gauge(name: str, text: str, samples: Iterable[tuple[Mapping[str, str], float | None]]) -> None:
        known = [(labels, value) for labels, value in samples if value is not None]
        if known:
            made = Gauge(f"cpq_graph_{name}", text, list(known[0][0]), registry=registry)
            for labels, value in known:
                (made.labels(**labels) if labels else made).set(value)

    ended = report.finished_at
    info = {"run": report.run, "mode": report.mode, "status": report.status, "error_kind": report.error_kind or ""}
    gauge("run_info", "The last run: how it ended, and of what kind its failure was.", [(info, 1)])
    gauge("run_success", "1 when the last run went well, 0 when it failed.", [({}, report.status != "failed")])
    gauge("run_start_timestamp_seconds", "When the last run began.", [({}, report.started_at.timestamp())])
    gauge("run_end_timestamp_seconds", "When the last run ended.", [({}, _seconds(ended))])
    duration = (ended - report.started_at).total_seconds() if ended else None
    gauge("run_duration_seconds", "How long the last run took.", [({}, duration)])
    gauge("last_success_timestamp_seconds", "When a run last ended well and its graph was served.",
          [({}, _seconds(last_success))])  # fmt: skip
    taken = _seconds(report.snapshot.taken_at) if report.snapshot else None
    gauge("snapshot_timestamp_seconds", "When the last run's snapshot of the source was taken.", [({}, taken)])
    peak = report.peak_memory_mb and report.peak_memory_mb * 1e6
    gauge("peak_memory_bytes", "The most memory that the pipeline's own processes took.", [({}, peak)])
    gauge("step_duration_seconds", "Time by step.", [({"step": s.name}, s.seconds) for s in report.steps])
    gauge("step_rows", "Rows that went through a step.", [({"step": s.name}, s.rows) for s in report.steps])
    gauge("step_bytes", "Bytes that went through a step.",
          [({"step": s.name}, s.megabytes and s.megabytes * 1e6) for s in report.steps])  # fmt: skip
    gauge("source_rows", "Rows of the source by what became of them.", _totals("entity", report.tables))
    gauge("nodes", "Nodes by what became of them.", _totals("label", report.labels))
    gauge("relationships", "Relationships by what became of them.", _totals("pattern", report.relationships))
    outcomes = {"rejected": report.rejects, "filtered": report.filtered, "emptied": report.emptied}
    reasons = [
        ({"outcome": outcome, "reason": reason}, float(count))
        for outcome, counts in outcomes.items()
        for reason, count in counts.items()
    ]
    gauge("rejects", "What is not in the graph, by reason.", reasons)
    return registry


def _seconds(moment: datetime | None) -> float | None:
    return moment.timestamp() if moment else None


def _totals(name: str, group: Mapping[str, Totals]) -> Iterable[tuple[Mapping[str, str], float]]:
    for key, totals in group.items():
        for outcome, count in (
            ("loaded", totals.loaded), ("rejected", totals.rejected), ("filtered", totals.filtered),
        ):  # fmt: skip
            yield {name: key, "outcome": outcome}, count

"""What a person sees on the run's page in Prefect: totals, rejects, times, as artifacts.

Arrives: the report of a run, finished or not. Leaves: Prefect artifacts under fixed keys, so that a key's history shows
night after night.
"""

from collections.abc import Mapping

from prefect.artifacts import create_markdown_artifact, create_table_artifact

from cpq_graph.report import Report, Totals


def publish_pages(report: Report) -> None:
    """Puts the report on the page of the flow run that is under way."""
    create_markdown_artifact(_summary(report), key="refresh-summary", description=f"Run {report.run}")
    if report.tables:
        groups = {"source": report.tables, "nodes": report.labels, "relationships": report.relationships}
        rows = [row for kind, group in groups.items() for row in _totals(kind, group)]
        create_table_artifact(rows, key="refresh-totals", description="read = loaded + rejected + filtered")
        outcomes = {"rejected": report.rejects, "filtered": report.filtered, "left empty": report.emptied}
        rejects = [
            {"outcome": outcome, "reason": reason, "count": count}
            for outcome, counts in outcomes.items()
            for reason, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ]
        create_table_artifact(rejects, key="refresh-rejects", description="What is not in the graph, and why")
    steps = [
        {"step": s.name, "seconds": s.seconds, "rows": s.rows, "MB": s.megabytes and round(s.megabytes, 1)}
        for s in report.steps
    ]
    create_table_artifact(steps, key="refresh-steps", description="Time by step")


def _totals(kind: str, group: Mapping[str, Totals]) -> list[dict[str, object]]:
    return [{"kind": kind, "name": name, **totals.model_dump()} for name, totals in group.items()]


def _summary(report: Report) -> str:
    """The page's first lines: how it ended and the counts that matter."""
    lines = [f"# {report.status}: run {report.run} ({report.mode})", ""]
    if report.error:
        lines += [f"**{report.error_kind}** in step *{report.failed_step}*:", "", "```", report.error, "```", ""]
        lines += ["The graph before still serves.", ""]
    if report.snapshot:
        lines.append(
            f"Source: database {report.snapshot.database} as of {report.snapshot.taken_at:%Y-%m-%d %H:%M:%S %Z}"
        )
    if report.labels:
        lines += ["", "| nodes | loaded |", "|---|---:|"]
        lines += [f"| {label} | {totals.loaded} |" for label, totals in report.labels.items()]
        lines += ["", f"Totals add up: {'yes' if report.adds_up else '**NO**'}"]
    if report.peak_memory_mb:
        lines += ["", f"Peak memory: {report.peak_memory_mb:.0f} MB"]
    return "\n".join(lines)

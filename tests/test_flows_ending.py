"""What follows a run: metrics for Prometheus, a history that does not grow for ever, log lines that say where."""

import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from cpq_graph.logs import configure_logging
from cpq_graph.manifest import Graph, Serving, Snapshot, write_serving
from cpq_graph.report import Report, Step, Totals, read_reports, runs_dir, write_report
from cpq_graph.settings import Settings
from flows import ending
from flows.ending import end_run, forget_runs
from flows.recording import recorded

START = datetime(2026, 1, 1, 2, tzinfo=UTC)
SNAPSHOT = Snapshot(taken_at=START, name="s", database="cpq")
GOOD = Report(
    run="20260101T020000Z", mode="full", status="succeeded", started_at=START, snapshot=SNAPSHOT,
    finished_at=START + timedelta(seconds=90), fingerprint="f", peak_memory_mb=123.4,
    tables={"offer": Totals(read=10, loaded=7, rejected=1, filtered=2)},
    labels={"Offer": Totals(read=10, loaded=7, rejected=1, filtered=2)},
    relationships={"Offer_CONTAINS_Content": Totals(read=7, loaded=7)},
    rejects={'a "strange"\nreason\\': 1}, filtered={"not final": 2}, emptied={"too long": 3},
    steps=(Step(name="extract rows", seconds=1.5, rows=10), Step(name="parse documents", seconds=2, megabytes=4.0)),
)  # fmt: skip


def samples(path: Path) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(path.read_text(encoding="utf-8"))
        for sample in family.samples
    }


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    # There is no run of Prefect's whose page this could be.
    monkeypatch.setattr(ending, "publish_pages", lambda report: None)
    return Settings(_env_file=None, data_dir=tmp_path / "data", metrics_file=tmp_path / "metrics" / "cpq.prom")


def test_a_good_run_in_numbers(settings: Settings) -> None:
    write_report(settings.data_dir, GOOD)
    end_run(settings, GOOD)
    assert settings.metrics_file
    found = samples(settings.metrics_file)
    assert found["cpq_graph_run_success", ()] == 1
    assert found["cpq_graph_run_duration_seconds", ()] == 90
    assert found["cpq_graph_last_success_timestamp_seconds", ()] == START.timestamp() + 90
    assert found["cpq_graph_peak_memory_bytes", ()] == pytest.approx(123.4e6)
    assert found["cpq_graph_step_duration_seconds", (("step", "extract rows"),)] == 1.5
    assert found["cpq_graph_step_rows", (("step", "extract rows"),)] == 10
    assert found["cpq_graph_step_bytes", (("step", "parse documents"),)] == 4e6
    assert found["cpq_graph_nodes", (("label", "Offer"), ("outcome", "rejected"))] == 1
    assert found["cpq_graph_source_rows", (("entity", "offer"), ("outcome", "filtered"))] == 2
    assert found["cpq_graph_relationships", (("outcome", "loaded"), ("pattern", "Offer_CONTAINS_Content"))] == 7
    assert found["cpq_graph_rejects", (("outcome", "rejected"), ("reason", 'a "strange"\nreason\\'))] == 1
    assert found["cpq_graph_rejects", (("outcome", "emptied"), ("reason", "too long"))] == 3


def test_a_failed_run_keeps_when_it_last_went_well(settings: Settings) -> None:
    write_report(settings.data_dir, GOOD)
    failed = Report(
        run="20260102T020000Z", mode="full", status="failed", started_at=START + timedelta(days=1),
        finished_at=START + timedelta(days=1, seconds=5), error="no", error_kind="source", failed_step="extract rows",
    )  # fmt: skip
    write_report(settings.data_dir, failed)
    end_run(settings, failed)
    assert settings.metrics_file
    found = samples(settings.metrics_file)
    assert found["cpq_graph_run_success", ()] == 0
    assert found["cpq_graph_last_success_timestamp_seconds", ()] == START.timestamp() + 90
    info = next(dict(labels) for name, labels in found if name == "cpq_graph_run_info")
    assert info == {"run": failed.run, "mode": "full", "status": "failed", "error_kind": "source"}
    assert not any(name == "cpq_graph_nodes" for name, _ in found)


def test_what_follows_a_run_never_makes_it_fail(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(_report: Report) -> None:
        raise ConnectionError("Prefect is away")

    monkeypatch.setattr(ending, "publish_pages", away)
    Path(settings.data_dir).mkdir()
    (settings.data_dir / "a file").touch()
    blocked = settings.model_copy(update={"metrics_file": settings.data_dir / "a file" / "cpq.prom"})
    end_run(blocked, GOOD)
    assert "Prefect is away" in caplog.text
    assert "the metrics could not be brought up to date" in caplog.text


def test_old_runs_go_but_never_those_that_serve_or_served_before(tmp_path: Path) -> None:
    runs = [f"2026010{day}T020000Z" for day in range(1, 8)]
    for run in runs:
        write_report(tmp_path, GOOD.model_copy(update={"run": run}))
        (runs_dir(tmp_path) / run / "rejects.parquet").touch()

    def graph(run: str) -> Graph:
        return Graph(store=run, uri="", database="", fingerprint="f", artifacts="a", run=run, snapshot=SNAPSHOT)

    write_serving(tmp_path, Serving(current=graph(runs[2]), previous=graph(runs[0]), switched_at=START))
    assert forget_runs(tmp_path, 2) == [runs[4], runs[3], runs[1]]
    assert [report.run for report in read_reports(tmp_path)] == [runs[6], runs[5], runs[2], runs[0]]
    assert forget_runs(tmp_path, 2) == []


def test_a_damaged_report_is_left_out_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_report(tmp_path, GOOD)
    for run, content in (
        ("20260102T020000Z", b"{"),
        ("20260103T020000Z", b'{"run": 1}'),
        ("20260104T020000Z", b"\xff"),
    ):
        (runs_dir(tmp_path) / run).mkdir()
        (runs_dir(tmp_path) / run / "report.json").write_bytes(content)
    assert read_reports(tmp_path) == [GOOD]
    assert caplog.text.count("cannot be read") == 3


def test_json_lines_name_run_and_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(log_format="json", verbose=False)
    try:
        with pytest.raises(ZeroDivisionError), recorded(tmp_path, "full", dry_run=False) as run:
            with run.step("first") as notes:
                notes.rows = 3
                logging.getLogger("load.some").info("half\nway")
            with run.step("second"):
                raise ZeroDivisionError
        logging.getLogger("load.some").info("after")
    finally:
        logging.basicConfig(force=True)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert {line.get("run") for line in lines[:-1]} == {run.report.run}
    assert [(line.get("step"), line.get("event"), line["message"]) for line in lines] == [
        ("first", "step began", "first …"),
        ("first", None, "half\nway"),
        ("first", "step ended", lines[2]["message"]),
        ("second", "step began", "second …"),
        (None, None, "after"),
    ]
    assert lines[2]["rows"] == 3 and lines[2]["seconds"] >= 0
    assert datetime.fromisoformat(lines[0]["time"]).tzinfo is not None
    assert all(line["level"] == "INFO" and line["logger"] for line in lines)

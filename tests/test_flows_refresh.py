"""The refresh as a user runs it: the command, real servers, the committed sample and its ground truth."""

import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pytest_examples import CodeExample, EvalExample, find_examples
from refreshed_site import Site

from cpq_graph.query.engine import Engine
from cpq_graph.settings import CHECKOUT
from sample_data.create import SMALL, load_small


@pytest.fixture(scope="module")
def first_night(site: Site) -> dict[str, Any]:
    """The report of a refresh of the committed sample."""
    load_small(site.source)
    return site.json("refresh")


def test_the_graph_is_the_ground_truth(site: Site, first_night: dict[str, Any], tmp_path: Path) -> None:
    expected = lzma.decompress((SMALL / "dump.txt.xz").read_bytes())

    assert site.dump(tmp_path) == expected.splitlines()


def test_totals_are_the_ground_truth_and_add_up(first_night: dict[str, Any]) -> None:
    truth = json.loads((SMALL / "summary.json").read_bytes())

    assert first_night["tables"] == truth["tables"]
    assert first_night["labels"] == truth["label_totals"]
    assert first_night["relationships"] == truth["relationship_totals"]
    for group in ("tables", "labels", "relationships"):
        for totals in first_night[group].values():
            assert totals["read"] == totals["loaded"] + totals["rejected"] + totals["filtered"]


def test_every_reject_is_reported_with_place_and_reason(site: Site, first_night: dict[str, Any]) -> None:
    report = site.json("rejects")
    names = ("table", "key", "place", "reason", "level", "outcome", "label")
    found = sorted(tuple(row[name] for name in names) for row in report["rows"])
    lines = lzma.decompress((SMALL / "rejects.jsonl.xz").read_bytes()).decode().splitlines()

    assert found == sorted(tuple(json.loads(line)) for line in lines)
    assert report["adds_up"]
    assert list(dict.fromkeys(row["outcome"] for row in report["rows"])) == ["rejected", "emptied", "noted", "filtered"]


def test_the_report_names_every_step_and_its_time(first_night: dict[str, Any]) -> None:
    steps = {step["name"]: step["seconds"] for step in first_night["steps"]}

    assert first_night["status"] == "succeeded"
    assert {
        "extract rows",
        "parse documents",
        "import",
        "create indexes",
        "reconcile",
        "smoke questions",
        "switch",
    } <= set(steps)
    assert first_night["peak_memory_mb"] > 0


def test_status_and_verify_agree_with_the_run(site: Site, first_night: dict[str, Any]) -> None:
    status = site.json("status")
    verified = site.json("verify", "--samples", "5")

    assert status["counts"]["Offer"] == first_night["labels"]["Offer"]["loaded"]
    assert status["runs"][0]["run"] == first_night["run"]
    assert verified["equal"]


def test_the_second_night_changes_nothing_and_can_be_rolled_back(
    site: Site, first_night: dict[str, Any], tmp_path: Path
) -> None:
    before = site.serving().current
    dump, artifacts = site.dump(tmp_path), site.artifacts()

    with Engine(site.settings) as engine:
        asked_before = engine.ask("How many offers are there?")
        report = site.refresh()
        asked_after = engine.ask("How many offers are there?")

    after = site.serving()
    assert after.current.store != before.store
    assert site.dump(tmp_path) == dump
    assert site.artifacts() == artifacts
    assert next(step["rows"] for step in report["steps"] if step["name"] == "parse documents") == 0
    # The engine followed the switch by itself.
    assert asked_before.rows == asked_after.rows

    site.json("rollback")
    assert site.serving().current.store == before.store
    assert site.json("ask", "How many offers are there?")["rows"] == list(asked_before.rows)


def test_the_tutorial_prints_what_it_says(
    site: Site, first_night: dict[str, Any], monkeypatch: pytest.MonkeyPatch, eval_example: EvalExample
) -> None:
    """`pytest --update-examples` writes what the page's blocks print."""
    monkeypatch.setenv("CPQ_GRAPH_DATA_DIR", str(site.settings.data_dir))
    eval_example.set_config(line_length=120)
    known: dict[str, Any] = {}
    blocks: list[CodeExample] = list(find_examples(str(CHECKOUT / "docs" / "tutorial.md")))
    assert blocks
    for block in blocks:
        if eval_example.update_examples:
            known |= eval_example.run_print_update(block, module_globals=known)
        else:
            known |= eval_example.run_print_check(block, module_globals=known)


def test_a_dry_run_writes_nothing_to_neo4j(site: Site, first_night: dict[str, Any]) -> None:
    before = site.serving()
    report = site.json("refresh", "--dry-run")

    assert report["status"] == "dry-run"
    assert report["labels"] == first_night["labels"]
    assert site.serving() == before


def test_a_second_run_says_that_one_is_under_way(site: Site, first_night: dict[str, Any]) -> None:
    from filelock import FileLock

    with FileLock(site.settings.data_dir / "refresh.lock"):
        done = site.run("refresh", "--json")

    assert done.returncode == 1
    assert json.loads(done.stdout)["kind"] == "busy"


@pytest.mark.parametrize(
    ("setting", "value", "kind", "said"),
    [
        ("CPQ_GRAPH_POSTGRES_URL", "postgresql://nobody:canary-4711@127.0.0.1:1/none", "source", "127.0.0.1"),
        ("CPQ_GRAPH_SOURCE_DIR", "/nowhere", "configuration", "site.toml"),
        ("CPQ_GRAPH_PERIOD_FROM", "2999-01-01", "data", "within the period"),
        ("CPQ_GRAPH_MAX_REJECT_SHARE", "0", "data", "rejected"),
    ],
)
def test_a_failure_says_whose_turn_it_is_and_leaves_the_graph(
    site: Site, first_night: dict[str, Any], setting: str, value: str, kind: str, said: str
) -> None:
    before = site.serving()

    done = site.run("refresh", "--json", **{setting: value})

    assert done.returncode == 1
    failure = json.loads(done.stdout)
    assert failure["kind"] == kind
    assert said in failure["reason"]
    assert "canary-4711" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert site.serving() == before


def test_a_deployment_runs_on_a_worker(site: Site, first_night: dict[str, Any]) -> None:
    environment = site.environment | {"CPQ_GRAPH_HOME": str(CHECKOUT), "PREFECT_LOGGING_LEVEL": "INFO"}
    prefect = [sys.executable, "-m", "prefect", "--no-prompt"]

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*prefect, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=CHECKOUT,
            timeout=900,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("work-pool", "create", "cpq-graph", "--type", "process", "--overwrite")
    run("deploy", "--all")
    worker = subprocess.Popen(
        [*prefect, "worker", "start", "--pool", "cpq-graph", "--type", "process"],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=CHECKOUT,
    )  # fmt: skip
    try:
        before = site.serving().current.run
        run("deployment", "run", "refresh/nightly", "--watch", "--watch-timeout", "600")
    finally:
        worker.terminate()
        worker.wait(30)

    assert site.serving().current.run != before
    assert "succeeded" in run("artifact", "inspect", "refresh-summary")


def test_rejects_are_kept_as_a_frame_for_other_tools(site: Site, first_night: dict[str, Any]) -> None:
    frame = pl.read_parquet(site.settings.data_dir / "runs" / first_night["run"] / "rejects.parquet")

    assert frame.columns == ["table", "key", "place", "reason", "level", "outcome", "label", "sample"]

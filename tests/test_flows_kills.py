"""A run that is killed leaves a graph that answers, and the next run is as if nothing had been."""

import os
from pathlib import Path

from refreshed_site import Site

from sample_data.create import create

STEPS = (
    "clear left-overs", "extract rows", "hash documents", "parse documents", "build frames", "check rejects",
    "write CSV files", "import", "start server", "create indexes", "reconcile", "build artifacts", "mark complete",
    "smoke questions", "switch", "retire the graph before",
)  # fmt: skip
# All of them take minutes: `make test-long`.
KILLED_IN = STEPS if os.environ.get("CPQ_GRAPH_TEST_LONG") else ("parse documents", "import", "mark complete", "switch")


def test_a_run_killed_in_any_step_leaves_a_graph_that_answers(site: Site, tmp_path: Path) -> None:
    create(20, seed=3, into=site.source)
    report = site.refresh()
    expected, before = site.dump(tmp_path), site.serving().current

    for step in KILLED_IN:
        site.killed_in(step)
        if step != "retire the graph before":
            assert site.serving().current == before, step
        assert site.count_offers() == report["labels"]["Offer"]["loaded"], step

    undisturbed = site.json("refresh")
    assert undisturbed["status"] == "succeeded"
    assert {step["name"] for step in undisturbed["steps"]} == set(STEPS)
    assert site.dump(tmp_path) == expected
    killed = [run for run in site.json("status", "--runs", "50")["runs"] if run["error_kind"] == "killed"]
    assert {run["failed_step"] for run in killed} == set(KILLED_IN)
    # Nothing that the killed runs started is left: one server serves, and two stores are kept.
    servers = site.json("stack", "status")["neo4j"]
    assert sum(server["pid"] is not None for server in servers) == 1
    assert len(servers) == 2

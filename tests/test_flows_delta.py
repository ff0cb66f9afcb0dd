"""A refresh that changes only what has changed: the same graph as a full one makes, the command and real servers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from refreshed_site import Site

from sample_data.create import create

CHANGES = (
    # An offer is un-finalized, another one finalized.
    "UPDATE cpq.quote SET state = 'DRAFT' WHERE quote_no = "
    "(SELECT min(quote_no) FROM cpq.quote WHERE state IN ('FINALIZED', 'ORDERED'))",
    "UPDATE cpq.quote SET state = 'FINALIZED' WHERE quote_no = "
    "(SELECT max(quote_no) FROM cpq.quote WHERE state NOT IN ('FINALIZED', 'ORDERED'))",
    # A product is configured as another one is.
    "WITH final AS (SELECT f.file_no, f.body FROM cpq.item_file f JOIN cpq.line_item USING (item_no) "
    "JOIN cpq.quote_section USING (section_no) JOIN cpq.quote_body USING (body_no) JOIN cpq.quote q USING (quote_no) "
    "WHERE q.state IN ('FINALIZED', 'ORDERED')) "
    "UPDATE cpq.item_file SET body = (SELECT body FROM final ORDER BY file_no DESC LIMIT 1) "
    "WHERE file_no = (SELECT min(file_no) FROM final)",
)
# The first of them taken back.
UNDONE = (
    "UPDATE cpq.quote SET state = 'FINALIZED' WHERE quote_no = "
    "(SELECT min(quote_no) FROM cpq.quote WHERE state = 'DRAFT' AND quote_no <= "
    "(SELECT min(quote_no) FROM cpq.quote WHERE state IN ('FINALIZED', 'ORDERED')))"
)


@pytest.fixture
def source(site: Site) -> Iterator[psycopg.Connection[Any]]:
    """A source of few offers, to be changed, and a full refresh of it."""
    create(15, seed=11, into=site.source)
    site.refresh()
    with psycopg.connect(site.source, autocommit=True) as connection:
        yield connection


def test_a_delta_leaves_the_graph_that_a_full_refresh_makes(
    site: Site, source: psycopg.Connection[Any], tmp_path: Path
) -> None:
    store = site.serving().current.store
    nothing = site.json("refresh", "--mode", "delta")
    assert "update offers" not in {step["name"] for step in nothing["steps"]}

    for change in CHANGES:
        assert source.execute(change).rowcount == 1, change
        report = site.refresh("delta")
        assert "update offers" in {step["name"] for step in report["steps"]}
        assert site.serving().current.store == store
        assert site.count_offers() == report["labels"]["Offer"]["loaded"]
    after_deltas, artifacts = site.dump(tmp_path), site.artifacts()

    site.refresh()
    assert site.dump(tmp_path) == after_deltas
    assert {**site.artifacts(), "manifest.json": ""} == {**artifacts, "manifest.json": ""}


def test_a_delta_killed_midway_is_finished_by_the_next(
    site: Site, source: psycopg.Connection[Any], tmp_path: Path
) -> None:
    source.execute(CHANGES[0])
    site.killed_in("reconcile", "delta")
    assert site.ask("How many offers are there?").status == "OK"

    # Meanwhile the source went back to what it was: only the interrupted run knows of that offer.
    source.execute(UNDONE)
    site.refresh("delta")
    after_delta = site.dump(tmp_path)
    site.refresh()
    assert site.dump(tmp_path) == after_delta

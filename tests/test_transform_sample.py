"""The assembled graph of a sample is its ground truth: every node, relationship, reject and total."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from transform_pipeline import dump, entries, transform

from sample_data.create import create_from
from sample_data.generate import Spec, people, stream
from sample_data.truth import ALL_TIME, Period, Reject, Truth

YEAR = (date(2024, 1, 1), date(2024, 12, 31))
SPEC = Spec(offers=150, seed=11, defects="mixed", bulk=0.3)


@pytest.mark.parametrize("period", [ALL_TIME, YEAR], ids=["all", "2024"])
def test_graph_rejects_and_totals_are_the_ground_truth(
    period: Period, postgres_database: Callable[[], str], tmp_path: Path
) -> None:
    url = postgres_database()
    create_from(SPEC, into=url)
    lines: list[str] = []
    rejects: list[Reject] = []
    truth = Truth(people(SPEC), period, lines.append, rejects.append)
    for made in stream(SPEC):
        truth.add(made)
    truth.finish()

    result = transform(url, tmp_path, period=period, part_mb=1)

    expected = sorted((r.table, r.key, r.place, r.reason, r.level, r.outcome, r.label) for r in rejects)
    found = entries(result.graph.rejects)
    assert [r for r in found if r not in set(expected)] == []
    assert found == expected
    assert dump(result.graph) == sorted(lines)
    tables, labels, patterns = truth.totals()
    assert result.graph.tables == tables
    assert result.graph.labels == labels
    assert result.graph.patterns == patterns
    assert {o.value: dict(c) for o, c in result.graph.reasons.items()} == {
        o.value: {r.value: n for r, n in c.items()} for o, c in truth.reasons.items()
    }


def test_same_source_again_gives_the_same_graph_and_parses_nothing(
    postgres_database: Callable[[], str], tmp_path: Path
) -> None:
    url = postgres_database()
    create_from(Spec(offers=40, seed=3, defects="mixed", bulk=0.3), into=url)
    first = transform(url, tmp_path)
    again = transform(url, tmp_path)
    assert first.parts
    assert again.parts == ()
    assert dump(again.graph) == dump(first.graph)
    assert again.graph.fingerprint == first.graph.fingerprint

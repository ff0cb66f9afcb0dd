"""Spoiled documents and rows through the transform stage; `python -m soak.dirty` runs thousands of them."""

from pathlib import Path

import pytest

from soak.dirty import run_kind, run_rows
from soak.dirty_documents import HEAVY, KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_spoiled_documents_cost_nothing_but_themselves(kind: str, tmp_path: Path) -> None:
    result = run_kind(kind, 7, range(1 if kind in HEAVY else 16), tmp_path)
    assert result.faults == []
    assert result.documents == result.loaded + sum(result.reasons.values())
    assert result.slowest_s < 20


def test_spoiled_rows_meet_the_fate_that_they_must() -> None:
    result = run_rows(7, 15)
    assert result.faults == []
    assert {"dangling", "duplicate_id", "missing_id", "parent_rejected", "parent_filtered"} <= result.reasons.keys()

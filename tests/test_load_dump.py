"""Sorting more lines than fit into one run gives what sorting them at once would."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from load import dump


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=5), max_size=30))
def test_runs_are_merged_in_order(tmp_path: Path, lines: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dump, "RUN", 4)
        digest = dump.write_sorted(iter(lines), tmp_path / "out.txt")
    content = (tmp_path / "out.txt").read_bytes()
    assert content == "".join(line + "\n" for line in sorted(lines)).encode()
    assert digest == hashlib.sha256(content).hexdigest()

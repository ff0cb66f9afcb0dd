"""The cache for quick starts: made once, and never in the way."""

from dataclasses import replace
from pathlib import Path

import pytest

from stack import aot, processes
from stack.neo4j import Host
from stack.neo4j_program import Program, mark


def test_when_it_cannot_be_made_that_is_tried_once_and_hinders_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_jars = Program(tmp_path / "home", "2026.08.1", (tmp_path / "none.jar",), heap_mb=64)
    assert aot.ensure(without_jars, tmp_path) is None
    assert [path.suffix for path in tmp_path.glob("neo4j-*")] == [".aot"]
    monkeypatch.setattr(aot, "_make", None)
    assert aot.ensure(without_jars, tmp_path) is None
    assert not processes.running(mark(tmp_path / "training"))


def test_it_is_one_for_all_stores_and_heaps_but_not_for_other_jars(tmp_path: Path) -> None:
    program = Program(tmp_path / "a", "2026.08.1", (tmp_path / "one.jar",), heap_mb=64)
    key = aot._key(program)
    assert key == aot._key(replace(program, home=tmp_path / "b", heap_mb=2048))
    assert key != aot._key(replace(program, classpath=(tmp_path / "two.jar",)))


def test_programs_use_it(store_host: Host, tmp_path: Path) -> None:
    program = store_host.program(tmp_path, store_host.version)
    assert program.aot_cache and program.aot_cache.stat().st_size > 2**20
    for command in (program.server(), program.admin(["help"])):
        assert f"-XX:AOTCache={program.aot_cache}" in command

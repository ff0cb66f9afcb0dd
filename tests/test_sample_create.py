"""A sample in files and in a database is the same sample, and the committed set is what the generator makes."""

import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from cpq_graph.errors import SourceError
from sample_data.create import SMALL, SMALL_SPEC, Summary, create, create_from, load_small
from sample_data.generate import Offer, Orphan, Spec, people, stream
from sample_data.rows import COLUMNS, DOCUMENTS, ENTITIES, Row, rows_of, rows_of_people
from sample_data.set_files import SortedLines, read_rows
from sample_data.truth import Reject, Truth


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    """A database of the test's own."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS sample_test")
        connection.execute("CREATE DATABASE sample_test")
        host, _, options = postgres_url.partition("?")
        yield f"{host.rpartition('/')[0]}/sample_test" + (f"?{options}" if options else "")
        connection.execute("DROP DATABASE sample_test WITH (FORCE)")


def test_a_sample_in_a_database_and_in_files_is_the_same(database: str, tmp_path: Path) -> None:
    spec = Spec(25, 5, "mixed", giant_text=1_000)
    summary = create_from(spec, tmp_path, database)
    kept = list(read_rows(tmp_path))
    with psycopg.connect(database) as connection:
        for table, columns in COLUMNS.items():
            typed = [c if c == "body" else f"{c}::text" for c in columns]
            query = f"SELECT {', '.join(typed)} FROM cpq.{table}"
            found = sorted((row[:-1] for row in connection.execute(query.encode())), key=lambda row: str(row[0]))
            wanted = sorted((row[:-1] for name, row in kept if name == table), key=lambda row: str(row[0]))
            assert len(found) == len(wanted) == summary.rows[ENTITIES[table]]
            if table == "app_user":
                wanted = [(*row[:-1], "true") for row in wanted]
            if table not in ("quote_body", "quote_section"):
                assert found == wanted
            else:
                assert [row[:2] for row in found] == [row[:2] for row in wanted]
                assert [float(row[2] or 0) for row in found] == pytest.approx(
                    [float(row[2] or 0) for row in wanted], nan_ok=True
                )
        beside = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'cpq'").fetchone()
        assert beside is not None
        assert beside[0] >= 7 + 20


def test_the_committed_set_loads(database: str) -> None:
    summary = load_small(database)
    with psycopg.connect(database) as connection:
        for table, entity in ENTITIES.items():
            row = connection.execute(f"SELECT count(*) FROM cpq.{table}".encode()).fetchone()
            assert row == (summary.rows[entity],)
        # The role that the refresh is to use may read the seven tables and nothing else.
        connection.execute(Path("extract/source/grants.sql").read_bytes())
        connection.execute("SET LOCAL ROLE cpq_reader")
        assert connection.execute("SELECT count(*) FROM cpq.quote").fetchone() == (300,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM cpq.price_list")


@pytest.fixture(scope="module")
def small() -> list[Offer | Orphan]:
    return list(stream(SMALL_SPEC))


def test_the_committed_set_is_what_the_generator_makes(small: list[Offer | Orphan]) -> None:
    def comparable(rows: Iterator[tuple[str, Row]]) -> list[tuple[str, Row]]:
        # What a compressor makes may differ between its versions.
        return [(table, tuple(_unzipped(value) for value in row)) for table, row in rows]

    def made() -> Iterator[tuple[str, Row]]:
        yield from rows_of_people(people(SMALL_SPEC))
        for offer in small:
            yield from rows_of(offer)

    order = list(COLUMNS)
    assert comparable(read_rows(SMALL)) == sorted(comparable(made()), key=lambda entry: order.index(entry[0]))


def _unzipped(value: str | bytes | None) -> str | bytes | None:
    if isinstance(value, bytes) and value[:2] == b"\x1f\x8b":
        try:
            return gzip.decompress(value)
        except (OSError, EOFError, ValueError, gzip.zlib.error):  # type: ignore[attr-defined]
            return b"damaged"
    return value


def test_the_committed_truth_is_what_the_generator_tells(small: list[Offer | Orphan]) -> None:
    lines: list[str] = []
    rejects: list[Reject] = []
    truth = Truth(people(SMALL_SPEC), line=lines.append, reject=rejects.append)
    for offer in small:
        truth.add(offer)
    truth.finish()
    kept = lzma.decompress((SMALL / "dump.txt.xz").read_bytes()).decode()
    assert kept == "".join(f"{line}\n" for line in sorted(lines))
    summary = Summary.model_validate_json((SMALL / "summary.json").read_bytes())
    assert (summary.tables, summary.label_totals, summary.relationship_totals) == truth.totals()
    told = lzma.decompress((SMALL / "rejects.jsonl.xz").read_bytes()).decode().splitlines()
    assert len(told) == len(rejects)
    assert len(json.loads(told[0])) == 7


def test_the_committed_set_is_small() -> None:
    assert sum(path.stat().st_size for path in SMALL.iterdir()) < 3_000_000


def test_the_same_spec_gives_the_same_files(tmp_path: Path) -> None:
    first = create(12, 9, "mixed", tmp_path / "a")
    second = create(12, 9, "mixed", tmp_path / "b")
    assert first == second
    assert first.digest
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert f"{DOCUMENTS}.jsonl" in names
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_lines_are_sorted_in_pieces_as_in_one(tmp_path: Path) -> None:
    lines = [f"{n * 7919 % 1000}\t{'x' * (n % 3)}" for n in range(1000)]
    with SortedLines(at_once=64) as pieces, SortedLines() as whole:
        for line in lines:
            pieces.add(line)
            whole.add(line)
        assert pieces.write(tmp_path / "pieces.xz", 0) == whole.write(tmp_path / "whole.xz", 0)
    assert lzma.decompress((tmp_path / "pieces.xz").read_bytes()).decode() == "".join(
        f"{line}\n" for line in sorted(lines)
    )


def test_a_database_that_is_not_there_is_an_error_that_says_so() -> None:
    with pytest.raises(SourceError, match="cannot be reached"):
        create(10, into="postgresql://nobody@127.0.0.1:9/none")

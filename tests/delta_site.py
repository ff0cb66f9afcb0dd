"""A source of a few offers, in the sample's own tables, and a graph that deltas keep in step with it: what the flow
calls, one after the other, in this process and without Prefect."""

import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import psycopg
import pytest
from prefect.tasks import Task
from psycopg import sql
from pydantic import SecretStr
from small_graph import canonical_lines

from cpq_graph.manifest import Graph, Serving, write_serving
from cpq_graph.servers import Address
from cpq_graph.settings import CHECKOUT, Settings
from cpq_graph.site import read_site
from flows import delta, loading, reading
from flows.digests import keep
from flows.recording import Recorder, recorded
from load.catalog import read_choices
from load.database import Database, connect
from load.delta import Progress, Written, apply_delta
from load.dump import dump_graph
from load.frames import GraphFrames

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
_SOURCE = CHECKOUT / "extract" / "source"
_SCHEMA = CHECKOUT / "sample_data" / "source.sql"
_TABLES = ("app_user", "contact", "quote", "quote_body", "quote_section", "line_item", "item_file")


class Interrupted(Exception):  # noqa: N818 - what a kill would be
    """A delta was stopped midway."""


@pytest.fixture(scope="module")
def without_prefect() -> Iterator[None]:
    """The steps of the flow are plain functions: a task costs more than all that it does here."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (reading, loading, delta):
            for name, value in list(vars(module).items()):
                if isinstance(value, Task):
                    patch.setattr(module, name, value.fn)
        # Of so few offers a third has changed as soon as one has.
        patch.setattr(delta, "FULL_FROM", math.inf)
        yield


def sources(folder: Path) -> dict[bool, Path]:
    """The sample's .sql files: as they are, and without any `updated_at`."""
    bare = folder / "bare"
    shutil.copytree(_SOURCE, bare)
    for path in bare.glob("*.sql"):
        lines = path.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if "AS updated_at" not in line]
        text = "\n".join(kept).replace(",\nFROM", "\nFROM")
        path.write_text(text, encoding="utf-8")
    return {True: _SOURCE, False: bare}


@dataclass
class DeltaSite:
    """The source's connection, the graph's database, and a data folder."""

    source: psycopg.Connection[Any]
    database: Database
    settings: Settings
    folder: Path
    clock: Iterator[int] = field(default_factory=lambda: count(1))

    def make_source(self) -> None:
        """The sample's schema, with no rows."""
        self.source.execute(_SCHEMA.read_bytes())

    def clear_source(self) -> None:
        """Deletes all rows."""
        self.source.execute(f"TRUNCATE {', '.join(f'cpq.{table}' for table in _TABLES)}".encode())

    def insert(self, table: str, **values: object) -> None:
        """A new row, as old as can be."""
        values["changed_at"] = LONG_AGO
        columns = sql.SQL(", ").join(map(sql.Identifier, values))
        self.source.execute(
            sql.SQL("INSERT INTO cpq.{} ({}) VALUES ({})").format(
                sql.Identifier(table), columns, sql.SQL(", ").join(map(sql.Placeholder, values))
            ),
            values,
        )

    def update(self, table: str, key: str, of: object, **values: object) -> None:
        """Changes a row, some other time."""
        values["changed_at"] = LONG_AGO + timedelta(hours=next(self.clock))
        sets = sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in values
        )
        self.source.execute(
            sql.SQL("UPDATE cpq.{} SET {} WHERE {} = {}").format(
                sql.Identifier(table), sets, sql.Identifier(key), sql.Placeholder("of")
            ),
            values | {"of": of},
        )

    def delete(self, table: str, key: str, of: object) -> None:
        """Deletes rows."""
        self.source.execute(
            sql.SQL("DELETE FROM cpq.{} WHERE {} = %s").format(sql.Identifier(table), sql.Identifier(key)), (of,)
        )

    def load_fully(self) -> None:
        """A full load, in the place of what is there."""
        with self._run("full") as run:
            read = reading.read_source(run, self.settings, read_site(self.settings.source_dir))
            loading.load_over_bolt(run, self.settings, self.address, read)
            self._finish(run, read, read_choices(self.database))

    def refresh(self, *, check: bool = False) -> None:
        """A delta. With `check`, what the next one relies on is compared with the graph."""
        with self._run("delta") as run:
            read, change = self._changes(run)
            choices = change.choices if change.is_nothing else delta.apply(run, self.settings, read, change)
            loading.check_graph(run, self.settings, self.address, read, checks=check)
            if check or choices is None:
                counted = read_choices(self.database)
                assert choices is None or sorted(choices.rows(), key=repr) == sorted(counted.rows(), key=repr)
                choices = counted
            self._finish(run, read, choices)

    def interrupted_delta(self, after: int) -> None:
        """A delta that is stopped after so many offers, or before it has said that it is complete."""

        def stopped(
            database: Database, frames: GraphFrames, *, gone: frozenset[str], progress: Progress | None
        ) -> Written:
            def stop(done: int, total: int) -> None:
                if done >= after:
                    raise Interrupted

            return apply_delta(database, frames, gone=gone, progress=stop)

        with pytest.MonkeyPatch.context() as patch, self._run("delta") as run:
            patch.setattr(delta, "apply_delta", stopped)
            read, change = self._changes(run)
            try:
                delta.apply(run, self.settings, read, change)
            except Interrupted:
                return

    def lines(self) -> list[str]:
        """The canonical dump of the graph."""
        dump_graph(self.database, self.folder / "dump.txt")
        return (self.folder / "dump.txt").read_text(encoding="utf-8").split("\n")[:-1]

    def expected_lines(self) -> list[str]:
        """The canonical dump that a full refresh would give that has never seen a document before."""
        fresh = self.settings.model_copy(update={"data_dir": self.folder / "fresh"})
        with recorded(fresh.data_dir, "full", dry_run=True) as run:
            lines = canonical_lines(reading.read_source(run, fresh, read_site(fresh.source_dir)).frames)
        shutil.rmtree(fresh.data_dir)
        return lines

    @property
    def address(self) -> Address:
        """Where the graph answers."""
        return Address(self.database.uri, "neo4j", self.database.name)

    @contextmanager
    def _run(self, mode: Any) -> Iterator[Recorder]:
        with recorded(self.settings.data_dir, mode, dry_run=False) as run:
            yield run
        shutil.rmtree(run.folder)

    def _changes(self, run: Recorder) -> tuple[reading.Reading, delta.Change]:
        known = delta.known_documents(self.settings)
        read = reading.read_source(run, self.settings, read_site(self.settings.source_dir), known)
        change = delta.find_changes(run, self.settings, read)
        assert change is not None
        return read, change

    def _finish(self, run: Recorder, read: reading.Reading, choices: pl.DataFrame) -> None:
        """What the flow does, without the artifacts."""
        keep(self.settings.data_dir, read, choices)
        loading.mark_complete(run, self.settings, self.address, read)
        graph = Graph(
            store=None, uri=self.address.uri, database=self.address.database, artifacts="", run=run.report.run,
            fingerprint=read.assembled.fingerprint, snapshot=read.snapshot,
        )  # fmt: skip
        write_serving(self.settings.data_dir, Serving(current=graph, switched_at=datetime.now(UTC)))


@contextmanager
def open_site(make_database: Callable[[], str], neo4j: Address, folder: Path) -> Iterator[DeltaSite]:
    """A site with an empty source. It takes all of the graph's server."""
    url = make_database()
    settings = Settings(
        _env_file=None, data_dir=folder / "data", postgres_url=SecretStr(url), neo4j_uri=neo4j.uri,
        neo4j_user=neo4j.user, neo4j_database=neo4j.database, max_reject_share=1,
    )  # fmt: skip
    with psycopg.connect(url, autocommit=True) as source, connect(neo4j) as database:
        site = DeltaSite(source, database, settings, folder)
        site.make_source()
        yield site

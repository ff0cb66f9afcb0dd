"""A live graph → its canonical dump: sorted text lines, so that two graphs compare by bytes.

A node is `N⇥label⇥{properties}`, a relationship `R⇥type⇥start label⇥start key⇥end label⇥end key⇥{properties}`; keys and
properties are compact JSON with sorted names, properties without nulls. Lines are sorted by code point. What is not of
the model (another label, type or property) is dumped, too, so that it shows as a difference.
"""

import hashlib
import heapq
import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import date
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO

from neo4j.time import Date

from cpq_graph.model import MODEL, Model
from load.database import Database

# Lines that are sorted at a time; some 100 MB of memory, whatever the size of the graph.
RUN = 500_000

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def dump_graph(database: Database, path: Path, model: Model = MODEL) -> str:
    """Writes the dump to `path` and returns its SHA-256."""
    return write_sorted(graph_lines(database, model), path)


def graph_lines(database: Database, model: Model = MODEL) -> Iterator[str]:
    """The lines of a live graph, unsorted. The node that says what the graph was made from is left out."""
    for record in database.stream(
        "MATCH (n) WHERE NOT $state IN labels(n) RETURN labels(n), properties(n)", {"state": model.state.label}
    ):
        labels, properties = record.values()
        yield f"N\t{_label(labels)}\t{_json(properties)}"
    for record in database.stream(
        "MATCH (a)-[r]->(b) "
        f"RETURN type(r), labels(a), {_key('a', model)}, labels(b), {_key('b', model)}, properties(r)"
    ):
        kind, start_labels, start, end_labels, end, properties = record.values()
        ends = (_label(start_labels), _encode(start), _label(end_labels), _encode(end))
        yield "\t".join(("R", kind, *ends, _json(properties)))


def write_sorted(lines: Iterable[str], path: Path) -> str:
    """Sorts lines of any number into `path` by merging sorted runs, and returns the SHA-256 of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    lines = iter(lines)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, ExitStack() as stack:
        runs: list[BinaryIO] = []
        while run := sorted(islice(lines, RUN)):
            file = stack.enter_context((Path(folder) / str(len(runs))).open("w+b"))
            file.writelines(line.encode() + b"\n" for line in run)
            file.seek(0)
            runs.append(file)
        with path.open("wb") as out:
            for merged in heapq.merge(*runs, key=itemgetter(slice(-1))):  # the order of lines without their ends
                digest.update(merged)
                out.write(merged)
    return digest.hexdigest()


def _label(labels: list[str]) -> str:
    return ":".join(sorted(labels))


def _json(properties: dict[str, object]) -> str:
    return _encode({name: _plain(value) for name, value in properties.items()})


def _plain(value: object) -> object:
    if isinstance(value, Date):
        return value.iso_format()
    return value.isoformat() if isinstance(value, date) else value


def _key(variable: str, model: Model) -> str:
    cases = "".join(
        f" WHEN {variable}:{node.label} THEN [{', '.join(f'{variable}.{part}' for part in node.key)}]"
        for node in model.nodes
        if node.key != ("id",)
    )
    return f"CASE{cases} ELSE [{variable}.id] END"

"""`python -m soak.dirty`: thousands of documents gone bad through the transform stage, and what came of them.

Each kind of mutation runs in a process of its own, whose peak memory is measured, in batches as a refresh would parse
them. After every bad document of a batch comes a good one, which must give exactly what it gives alone. What was read
is counted a second time by `soak.reference`. A document that takes too long ends its process, with a traceback.
"""

import faulthandler
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import click
import polars as pl

from bench.parse import peak_megabytes
from cpq_graph.model import ATTRIBUTE, CONFIGURED_AS, MODEL, Node
from cpq_graph.settings import CHECKOUT
from cpq_graph.site import read_site
from soak import dirty_rows, reference
from soak.dirty_documents import HEAVY, KINDS, mutated
from soak.reference import LABELS, Seen, Unreadable
from transform.assemble import Assembled, assemble
from transform.parts import PartStore, parse_part
from transform.rejects import Level, Outcome
from transform.rows import CheckedRows, check_rows

MAPPING = read_site(CHECKOUT / "extract" / "source").xml
SECONDS_MAX = 60
MEGABYTES_MAX = 400
BATCH = 40
ROWS = "rows"
Make = Callable[[str, int, int], bytes | None]
_WITNESS = (
    '<?xml version="1.0" encoding="UTF-8"?><Configuration><ProductFamily id="w" name="Härmä ®" total_cost="1 234,50">'
    '<Attribute type="ext_id" value="witness"/><Tab id="t" name="R&amp;D"><Parameter id="p" name="Length"><Attribute '
    'type="ext_id" value="pituus"/><ParameterValue id="v" name="57 mm" measure="57 mm"/></Parameter><Tab id="in"/>'
    "</Tab></ProductFamily><!-- {} --></Configuration>"
)
_TEXT = ("id", "language_id", "status", "date", "version", "user_id", "sent_by", "delivered_by", "received_by")


@dataclass(slots=True)
class Result:
    """What became of the documents of a kind. `reasons` count those that were refused, `fault`s are what must not
    be."""

    kind: str
    documents: int = 0
    loaded: int = 0
    elements: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    entries: int = 0
    seconds: float = 0
    slowest_s: float = 0
    peak_mb: float = 0
    faults: list[str] = field(default_factory=list)


def run_kind(
    kind: str, seed: int, numbers: Sequence[int], folder: Path, *, watch: bool = False, make: Make = mutated
) -> Result:
    """All documents of a kind, by the batch, in this process. They are read a second time at the end, so that the peak
    memory is that of the transform stage (and of the batch's documents). With `watch`, a document that takes too long
    ends the process, with a traceback."""
    result = Result(kind)
    started = time.perf_counter()
    size = 1 if kind in HEAVY else BATCH
    graphs: list[tuple[Sequence[int], Assembled]] = []
    for at in range(0, len(numbers), size):
        batch = numbers[at : at + size]
        try:
            graph, slowest = graph_of(_documents(kind, seed, batch, make), folder / str(at), watch=watch)
        except Exception as error:
            result.faults.append(f"{batch[0]} to {batch[-1]}: {type(error).__name__}: {error}"[:400])
            continue
        graphs.append((batch, graph))
        result.slowest_s = max(result.slowest_s, slowest)
    result.peak_mb = peak_megabytes()
    for batch, graph in graphs:
        _check(graph, _documents(kind, seed, batch, make), result)
    result.seconds = time.perf_counter() - started
    return result


def run_rows(seed: int, sources: int, *, watch: bool = False) -> Result:
    """Sources with mutated rows, each compared row by row with what must become of it."""
    result = Result("rows")
    started = time.perf_counter()
    for number in range(sources):
        tables, times = dirty_rows.mutated(seed, number)
        period = (date(2024, 1, 1), date(2024, 12, 31)) if number % 2 else (None, None)
        before = time.perf_counter()
        if watch:
            faulthandler.dump_traceback_later(SECONDS_MAX, exit=True)
        checked = check_rows(dirty_rows.frames(tables), dirty_rows.FINAL, period)
        result.slowest_s = max(result.slowest_s, time.perf_counter() - before)
        result.documents += times
        result.entries += checked.rejects.height
        for reason, rows in checked.rejects.group_by("reason").len().rows():
            result.reasons[reason] = result.reasons.get(reason, 0) + rows
        result.faults += [f"source {number}: {fault}" for fault in dirty_rows.faults_of(checked, tables, period)]
        result.loaded += sum(totals.loaded for totals in checked.tables.values())
    faulthandler.cancel_dump_traceback_later()
    result.seconds = time.perf_counter() - started
    result.peak_mb = peak_megabytes()
    return result


def _documents(kind: str, seed: int, numbers: Sequence[int], make: Make) -> dict[str, bytes | None]:
    documents: dict[str, bytes | None] = {}
    for number in numbers:
        documents[str(number)] = make(kind, seed, number)
        documents[f"good-{number}"] = _WITNESS.format(number).encode()
    return documents


def _check(graph: Assembled, documents: dict[str, bytes | None], result: Result) -> None:
    rejects = graph.rejects.collect()
    refused = dict(rejects.filter(level=Level.ROW.value, outcome=Outcome.REJECTED.value).select("key", "reason").rows())
    result.documents += len(documents) // 2
    result.loaded += len(documents) // 2 - len(refused)
    result.entries += rejects.height
    result.elements += sum(graph.labels[label].loaded for label in LABELS)
    for reason in refused.values():
        result.reasons[reason] = result.reasons.get(reason, 0) + 1
    result.faults += faults_of(graph, documents, refused)


def graph_of(documents: dict[str, bytes | None], data_dir: Path, *, watch: bool = False) -> tuple[Assembled, float]:
    """The graph of one offer with a product for each document, parsed as one part, and the seconds that the slowest
    document took."""
    checked = _rows(documents)
    digests = {key: hashlib.sha256(d).hexdigest() for key, d in documents.items() if d is not None}
    census = checked.configurations.filter(pl.col("bytes").is_not_null()).with_columns(
        digest=pl.col("id").replace_strict(digests, return_dtype=pl.String)
    )
    begun: list[float] = []

    def read(document: bytes) -> Iterator[bytes]:
        begun.append(time.perf_counter())
        if watch:
            faulthandler.dump_traceback_later(SECONDS_MAX, exit=True)
        yield document

    unique = {digest: documents[key] or b"" for key, digest in digests.items()}
    wanted: list[tuple[str, Callable[[], Iterator[bytes]]]] = [(d, partial(read, b)) for d, b in unique.items()]
    parse_part(wanted, MAPPING, data_dir)
    begun.append(time.perf_counter())
    graph = assemble(checked, census, PartStore.open(data_dir, MAPPING))
    faulthandler.cancel_dump_traceback_later()
    return graph, max(after - before for before, after in pairwise(begun))


def _rows(documents: dict[str, bytes | None]) -> CheckedRows:
    def table(names: Sequence[str], rows: list[tuple[object, ...]], **types: type[pl.DataType]) -> pl.DataFrame:
        schema: dict[str, type[pl.DataType]] = dict.fromkeys(names, pl.String)
        return pl.DataFrame(rows, schema=schema | types, orient="row")

    tables = {
        "offer": table(_TEXT, [("O", "en", "FINALIZED", "2024-05-01", "1", None, None, None, None)]),
        "participant": table(("id", "title", "name", "company"), []),
        "user": table(("id", "userid", "firstname", "lastname"), []),
        "content": table(("id", "offer_id"), [("C", "O", 1.0)], total_price=pl.Float64),
        "subcontent": table(("id", "content_id"), [("S", "C", 1.0)], total_price=pl.Float64),
        "product": table(("id", "subcontent_id"), [(key, "S") for key in documents]),
        "configuration": table(
            ("id", "product_id"),
            [(key, key, None if document is None else len(document)) for key, document in documents.items()],
            bytes=pl.Int64,
        ),
    }
    return check_rows(tables, ("FINALIZED",))


def faults_of(graph: Assembled, documents: dict[str, bytes | None], refused: dict[str, str]) -> list[str]:
    """What is not as it must be: totals against what was read a second time, texts, ends of relationships, the good
    documents between the bad ones."""
    faults = []
    seen: dict[str, Seen] = {}
    for key, document in documents.items():
        try:
            seen[key] = reference.read(document)
        except Unreadable as reason:
            if key not in refused:
                faults.append(f"{key} is loaded, but {reason.args}")
            continue
        if key in refused:
            faults.append(f"{key} is refused as {refused[key]}, but can be read")
    read = [each for key, each in seen.items() if key not in refused]
    groups = (graph.tables, graph.labels, graph.patterns)
    faults += [f"{name} does not add up" for totals in groups for name, t in totals.items() if not t.adds_up]
    for label in LABELS[:-1]:
        if (found := graph.labels[label].read) != (there := sum(each.labels[label] for each in read)):
            faults.append(f"{there} {label}, {found} of them accounted for")
    for pattern in MODEL.relationships:
        if pattern.start.label in LABELS:
            there = sum(each.patterns[pattern.name] for each in read)
            if graph.patterns[pattern.name].read != there:
                faults.append(f"{there} {pattern.name}, {graph.patterns[pattern.name].read} of them accounted for")
    if graph.patterns[CONFIGURED_AS.name].loaded != len(documents) - len(refused):
        faults.append(f"{graph.patterns[CONFIGURED_AS.name].loaded} configurations of {len(documents) - len(refused)}")
    return faults + _wrong_texts(graph, read) + _loose_ends(graph) + _harmed(graph, documents)


def _wrong_texts(graph: Assembled, read: list[Seen]) -> list[str]:
    names = set().union(*(each.names for each in read))
    pairs = set().union(*(each.pairs for each in read))
    faults = []
    for label in LABELS[:-1]:
        loaded = set(graph.nodes[label].select("name").collect()["name"].drop_nulls())
        faults += [f"{label} is called {name[:80]!r}, as none in the documents" for name in list(loaded - names)[:3]]
    loaded_pairs = set(graph.nodes[ATTRIBUTE.label].select("type", "value").collect().rows())
    return faults + [f"no document has the Attribute {pair!r}"[:200] for pair in list(loaded_pairs - pairs)[:3]]


def _loose_ends(graph: Assembled) -> list[str]:
    def keys(node: Node) -> set[str]:
        column = "key" if node is ATTRIBUTE else "id"
        return set(graph.nodes[node.label].select(column).collect()[column])

    faults = []
    for node in MODEL.nodes:
        column = graph.nodes[node.label].select("key" if node is ATTRIBUTE else "id").collect().to_series()
        if column.n_unique() != column.len() or column.null_count():
            faults.append(f"ids of {node.label} are not unique")
    for pattern in MODEL.relationships:
        ends = graph.relationships[pattern.name].select("start", "end").collect()
        loose = set(ends["start"]) - keys(pattern.start) or set(ends["end"]) - keys(pattern.end)
        if loose:
            faults.append(f"{pattern.name} has ends that are no nodes: {sorted(loose)[:3]}"[:200])
        if ends.is_duplicated().any():
            faults.append(f"{pattern.name} is there twice")
    return faults


def _harmed(graph: Assembled, documents: dict[str, bytes | None]) -> list[str]:
    """The good documents that did not give what they hold."""
    faults = []
    good = [key for key in documents if key.startswith("good-")]
    for label in LABELS[:-1]:
        columns = [p.name for p in MODEL.node(label).properties]
        rows = graph.nodes[label].select(columns).filter(pl.col("id").str.starts_with("good-")).collect()
        found: dict[str, list[tuple[object, ...]]] = {key: [] for key in good}
        for id_, *rest in rows.iter_rows():
            key, _, path = id_.partition("/")
            found[key].append((path, *rest))
        faults += [f"{key} is harmed: {found[key]}"[:300] for key in good if sorted(found[key]) != _GOOD[label]]
    return faults


_GOOD: dict[str, list[tuple[object, ...]]] = {
    "ProductFamily": [("w", "Härmä ®", None, 1234.5)],
    "Tab": [("w.t", "R&D"), ("w.t.in", None)],
    "Parameter": [("w.t:p", "Length")],
    "ParameterValue": [("w.t:p=v", "57", "57 mm", None, "p", None)],
}


def share(documents: int) -> dict[str, int]:
    """How many documents of each kind make about so many in all; heavy ones are few. Of `ROWS`: sources."""
    heavy = max(1, documents // 250)
    rest = [kind for kind in KINDS if kind not in HEAVY]
    each = -(-(documents - heavy * len(HEAVY)) // len(rest))
    return {kind: heavy if kind in HEAVY else each for kind in KINDS} | {ROWS: documents // 20}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--documents", default=6_000, show_default=True, help="How many in all.")
@click.option("--seed", default=1, show_default=True, help="Same seed: same documents and rows.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice([*KINDS, ROWS]), help="These kinds only.")
@click.option("--worker", hidden=True, help="A kind to run in this process, giving JSON.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where the table goes, too.")
def main(*, documents: int, seed: int, kinds: tuple[str, ...], worker: str | None, out: Path | None) -> None:
    """Spoil documents and rows, transform them, and look whether all is as promised.

    Prints the counts as Markdown. Exit code 1 when something was not as promised.
    """
    counts = share(documents)
    if worker:
        if worker == ROWS:
            result = run_rows(seed, counts[ROWS], watch=True)
        else:
            # Documents are made in another process, so that what that takes is not measured.
            with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(1) as pool:
                numbers = range(counts[worker])
                result = run_kind(
                    worker, seed, numbers, Path(folder), watch=True, make=lambda *which: pool.apply(mutated, which)
                )
        click.echo(json.dumps(asdict(result)))
        return
    results = []
    for kind in kinds or (*KINDS, ROWS):
        result = _in_process(kind, seed, documents)
        if result.peak_mb > MEGABYTES_MAX:
            result.faults.append(f"took {result.peak_mb:.0f} MB")
        click.echo(f"{kind}: {result.documents} in {result.seconds:.0f} s, {len(result.faults)} faults", err=True)
        for fault in result.faults[:10]:
            click.echo(f"    {fault}", err=True)
        results.append(result)
    text = table(results)
    click.echo(text)
    if out:
        out.write_text(text, encoding="utf-8")
    sys.exit(1 if any(result.faults for result in results) else 0)


def _in_process(kind: str, seed: int, documents: int) -> Result:
    options = ["--worker", kind, "--seed", str(seed), "--documents", str(documents)]
    command = [sys.executable, "-m", "soak.dirty", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=CHECKOUT)
    if done.returncode:
        return Result(kind, faults=[f"ended with {done.returncode}: {done.stderr[-2_000:]}"])
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def table(results: Sequence[Result]) -> str:
    """The counts, as Markdown."""
    lines = [
        "| kind | spoiled | of them loaded | refused, by reason | slowest, s | peak, MB | faults |",
        "|---|---:|---:|---|---:|---:|---:|",
    ]
    for r in results:
        reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(r.reasons.items()))
        loaded = "" if r.kind == ROWS else r.loaded
        counts = f"{r.kind} | {r.documents} | {loaded} | {reasons} | {r.slowest_s:.2f} | {r.peak_mb:.0f}"
        lines.append(f"| {counts} | {len(r.faults)} |")
    documents = [r for r in results if r.kind != ROWS]
    spoiled, loaded = sum(r.documents for r in documents), sum(r.loaded for r in documents)
    slowest, peak = max(r.slowest_s for r in results), max(r.peak_mb for r in results)
    faults, entries = sum(len(r.faults) for r in results), sum(r.entries for r in results)
    counts = f"all documents | {spoiled} | {loaded} | {spoiled - loaded} | {slowest:.2f} | {peak:.0f}"
    lines += [
        f"| {counts} | {faults} |",
        "",
        f"{sum(r.elements for r in results):,} elements loaded, {entries:,} entries.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

"""A sample made: into a database, into files, or both, with its ground truth.

Arrives: how many offers, the seed, the kind of defects, and where to. Leaves: rows where they were wanted, a folder
with the truth, and a `Summary`.
"""

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from cpq_graph.report import Totals
from sample_data.dialects import CPQ, VERTRIEB
from sample_data.generate import Spec, people, stream
from sample_data.load_source import SourceLoader
from sample_data.reasons import Outcome
from sample_data.rows import ENTITIES, rows_of, rows_of_people
from sample_data.schedule import Defects
from sample_data.set_files import SetWriter, SortedLines, read_rows
from sample_data.truth import ALL_TIME, Period, Reject, Truth, as_json

# The schemas that a sample can be made in, and what makes the second of the first.
Schema = Literal["cpq", "vertrieb"]
RESHAPE = Path(__file__).parent / "vertrieb" / "schema.sql"
# The committed set, which a first run loads.
SMALL = Path(__file__).with_name("small")
SMALL_SPEC = Spec(offers=300, seed=7, defects="mixed", bulk=0.6)


class Summary(BaseModel):
    """What was made, and what a refresh must make of it. `rows` are of each entity; `nodes` and `relationships` those
    that must be in the graph, by label and pattern; `rejects`, `filtered`, `emptied` and `notes` count by reason.
    `digest` is the sha256 of the canonical dump that the graph must give; None where no files were asked for."""

    model_config = ConfigDict(frozen=True)

    offers: int
    seed: int
    defects: Defects
    rows: dict[str, int]
    document_bytes: int
    nodes: dict[str, int]
    relationships: dict[str, int]
    rejects: dict[str, int]
    filtered: dict[str, int]
    emptied: dict[str, int]
    notes: dict[str, int]
    tables: dict[str, Totals]
    label_totals: dict[str, Totals]
    relationship_totals: dict[str, Totals]
    digest: str | None = None


def create(
    offers: int,
    seed: int = 1,
    defects: Defects = "clean",
    out: Path | None = None,
    into: str | None = None,
    schema: Schema = "cpq",
) -> Summary:
    """Makes a sample of so many offers into the database at URL `into`, into folder `out`, or both.

    In schema `vertrieb` the same offers have other tables, columns, types, statuses and elements. Memory does not grow
    with the sample. Raises SourceError when the database cannot be reached or written to.
    """
    return create_from(Spec(offers, seed, defects), out, into, schema=schema)


def create_from(
    spec: Spec, out: Path | None = None, into: str | None = None, period: Period = ALL_TIME, schema: Schema = "cpq"
) -> Summary:
    """As `create`, with all that a sample is made from said, and the truth for the offers of a period. The truth is
    that of schema `cpq`: statuses and places in documents are called as there."""
    dialect, reshape = (VERTRIEB, RESHAPE) if schema == "vertrieb" else (CPQ, None)
    named = people(spec)
    # Hard for a set that is kept, quickly for a large one.
    preset = 6 if spec.offers <= 1_000 else 0
    counts: Counter[str] = Counter()
    size = 0
    digest = None
    with ExitStack() as stack:
        takers = []
        if into is not None:
            takers.append(stack.enter_context(SourceLoader(into, reshape)).add)
        truth = Truth(named, period)
        if out is not None:
            takers.append(stack.enter_context(SetWriter(out, preset)).add)
            lines, rejects = stack.enter_context(SortedLines()), stack.enter_context(SortedLines())
            truth.line = lines.add
            truth.reject = lambda reject: rejects.add(reject_line(reject))
        for table, row in rows_of_people(named):
            counts[ENTITIES[table]] += 1
            for take in takers:
                take(table, row)
        for made in stream(spec):
            truth.add(made)
            for table, row in rows_of(made, dialect):
                counts[ENTITIES[table]] += 1
                size += sum(len(value) for value in row if isinstance(value, bytes))
                for take in takers:
                    take(table, row)
        truth.finish()
        if out is not None:
            digest = lines.write(out / "dump.txt.xz", preset)
            rejects.write(out / "rejects.jsonl.xz", preset)
    summary = _summary(spec, truth, counts, size, digest)
    if out is not None:
        (out / "summary.json").write_text(summary.model_dump_json(indent=2) + "\n", encoding="utf-8", newline="\n")
    return summary


def load_small(url: str) -> Summary:
    """Loads the committed set into the database at `url`. Raises SourceError when that cannot be done."""
    with SourceLoader(url) as loader:
        loader.add_all(read_rows(SMALL))
    return Summary.model_validate_json((SMALL / "summary.json").read_bytes())


def reject_line(reject: Reject) -> str:
    """A reject as a line of rejects.jsonl."""
    return as_json(
        [
            reject.table,
            reject.key,
            reject.place,
            reject.reason,
            reject.level,
            reject.outcome,
            reject.label,
        ]
    )


def _summary(spec: Spec, truth: Truth, rows: Counter[str], size: int, digest: str | None) -> Summary:
    tables, labels, relationships = truth.totals()
    reasons = {outcome: dict(sorted(counts.items())) for outcome, counts in truth.reasons.items()}
    return Summary(
        offers=spec.offers,
        seed=spec.seed,
        defects=spec.defects,
        rows={entity: rows[entity] for entity in tables},
        document_bytes=size,
        nodes={label: totals.loaded for label, totals in labels.items()},
        relationships={name: totals.loaded for name, totals in relationships.items()},
        rejects=reasons[Outcome.REJECTED],
        filtered=reasons[Outcome.FILTERED],
        emptied=reasons[Outcome.EMPTIED],
        notes=reasons[Outcome.NOTED],
        tables=tables,
        label_totals=labels,
        relationship_totals=relationships,
        digest=digest,
    )

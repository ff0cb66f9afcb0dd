"""The source's side of a refresh, as tasks: snapshot → rows → documents → frames of the graph.

Arrives: settings and the site's files. Leaves: a `Reading`, and on disk the parts that were parsed and the reject
report. Tasks hand each other frames and paths in one process; the parse alone goes to other processes, by paths.
"""

import logging
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import polars.selectors as cs
from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed, wait

from cpq_graph.errors import CpqGraphError, DataError
from cpq_graph.manifest import Snapshot
from cpq_graph.model import ATTRIBUTE, OFFER, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB
from cpq_graph.report import Totals
from cpq_graph.settings import Settings
from cpq_graph.site import Site, XmlMapping
from extract.documents import Configuration
from extract.source import SnapshotReader, Source, open_source
from flows.recording import Recorder
from flows.steps import BACKOFF, again, is_worth_a_retry, step
from load.frames import GraphFrames
from stack.local import ensure_postgres
from transform.assemble import Assembled, assemble
from transform.changes import Known, unchanged_documents
from transform.parts import PartResult, PartStore, missing_documents, parse_part, partition
from transform.rejects import Outcome, Reason
from transform.rows import CheckedRows, check_rows

log = logging.getLogger(__name__)

# Processes take some 10 s to start, in which one process parses this much.
POOL_MB = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """A snapshot of the source and what it comes to. `digests` has one row per wanted document: id, product_id, bytes,
    digest, and updated_at where the source has it; `store` has each of them parsed."""

    snapshot: Snapshot
    checked: CheckedRows
    digests: pl.DataFrame
    store: PartStore
    assembled: Assembled

    @property
    def expected(self) -> dict[str, int]:
        """What the graph must count, by label and pattern name."""
        groups = (self.assembled.labels, self.assembled.patterns)
        return {name: totals.loaded for group in groups for name, totals in group.items()}

    @property
    def frames(self) -> GraphFrames:
        """The whole graph, as the load takes it."""
        return frames_of(self.assembled)


def frames_of(assembled: Assembled) -> GraphFrames:
    """Frames as the load takes them."""
    return GraphFrames(assembled.nodes, assembled.relationships)


def read_source(run: Recorder, settings: Settings, site: Site, known: Known | None = None) -> Reading:
    """Reads everything in one snapshot, and puts the graph's frames together; documents that are as they were `known`
    are not hashed again. When the snapshot is lost (the server restarts, a standby cancels, a connection is cut), all
    is read anew, but for what was parsed."""
    return again(lambda: _read_source(run, settings, site, known))


def _read_source(run: Recorder, settings: Settings, site: Site, known: Known | None) -> Reading:
    url = ensure_postgres(settings)
    store = PartStore.open(settings.data_dir, site.xml)
    with open_source(url, settings.source_dir) as source:
        run.update(snapshot=source.snapshot)
        checked = extract_rows(run, settings, source, site)
        digests = census(run, source, checked, known)
        parse_documents(run, settings, source.reader(), store, site.xml, digests)
    reading = Reading(source.snapshot, checked, digests, store, build_frames(run, checked, digests, store))
    check_rejects(run, reading.assembled, settings.max_reject_share, site.xml)
    return reading


@step("extract rows")
def extract_rows(run: Recorder, settings: Settings, source: Source, site: Site) -> CheckedRows:
    """Reads the narrow tables and decides which rows are loaded. Raises DataError when no offer is."""
    with run.step("extract rows") as notes:
        tables, checked = check_source(source, site, settings)
        notes.rows = sum(table.height for table in tables.values())
        if checked.labels[OFFER.label].loaded == 0:
            statuses = sorted(set(tables["offer"]["status"].drop_nulls().to_list()))[:10]
            raise DataError(
                f"not one of {tables['offer'].height} offers is final and within the period: the graph stays as it is",
                hint=f"Final for site.toml: {', '.join(site.final_statuses)}. In the source: {', '.join(statuses)}.",
            )
        return checked


def check_source(source: Source, site: Site, settings: Settings) -> tuple[dict[str, pl.DataFrame], CheckedRows]:
    """The source's tables by entity, and what becomes of their rows."""
    entities = ("offer", "participant", "user", "content", "subcontent", "product")
    tables = {entity: source.table(entity) for entity in entities} | {"configuration": source.configurations()}
    period = (settings.period_from or site.period_from, settings.period_to or site.period_to)
    return tables, check_rows(tables, site.final_statuses, period)


@step("hash documents")
def census(run: Recorder, source: Source, checked: CheckedRows, known: Known | None = None) -> pl.DataFrame:
    """One row per wanted document: id, product_id, bytes, digest, and updated_at where the source has it."""
    with run.step("hash documents") as notes:
        wanted = checked.configurations
        unchanged = unchanged_documents(wanted, known) if known else None
        if unchanged is None:
            digests = hashed = source.digests(wanted)
        else:
            hashed = source.digests(wanted.join(unchanged, on="id", how="anti"))
            digests = pl.concat([hashed, unchanged]).sort("product_id", "id")
            log.info("%d documents have the time of change that they had", unchanged.height)
        notes.rows, notes.megabytes = hashed.height, _megabytes(hashed)
        times = wanted.select("id", cs.by_name("updated_at", require_all=False))
        return digests.join(times, on="id", how="left", maintain_order="left", validate="1:1")


@task(
    name="parse part", retries=2, retry_delay_seconds=BACKOFF, retry_condition_fn=is_worth_a_retry,
    cache_policy=NO_CACHE, persist_result=False, tags=["cpq-graph"],
)  # fmt: skip
def parse_piece(reader: SnapshotReader, wanted: list[Configuration], mapping: XmlMapping, data_dir: str) -> PartResult:
    """Parses one piece of work into a part, in a process of its own with its own connection to the snapshot."""
    return parse_part(reader.documents(wanted), mapping, Path(data_dir))


def parse_documents(
    run: Recorder,
    settings: Settings,
    reader: SnapshotReader,
    store: PartStore,
    mapping: XmlMapping,
    digests: pl.DataFrame,
) -> None:
    """Parses the documents that no earlier run has parsed."""
    with run.step("parse documents") as notes:
        missing = missing_documents(store, digests)
        notes.megabytes = _megabytes(missing)
        notes.rows = missing.height
        log.info("%d documents to parse, %d known", missing.height, digests["digest"].n_unique() - missing.height)
        pieces = [
            [Configuration(*row) for row in piece.select("id", "product_id", "bytes", "digest").iter_rows()]
            for piece in partition(missing, settings.part_mb)
        ]
        if len(pieces) == 1 or notes.megabytes < POOL_MB:
            for piece in pieces:
                parse_piece(reader, piece, mapping, str(settings.data_dir))
            return
        started, done = time.perf_counter(), 0.0
        futures = [parse_piece.submit(reader, piece, mapping, str(settings.data_dir)) for piece in pieces]
        try:
            for number, future in enumerate(as_completed(futures), start=1):
                done += future.result().bytes / 1e6
                seconds = time.perf_counter() - started
                left = (notes.megabytes - done) / (done / seconds) if done else 0.0
                log.info(
                    "parsed part %d of %d: %.0f of %.0f MB, %.1f MB/s, %.0f s left",
                    number, len(pieces), done, notes.megabytes, done / seconds, max(left, 0),
                )  # fmt: skip
        except CpqGraphError:
            # None may be at work any more when the source is read again.
            wait(futures)
            raise


@step("build frames")
def build_frames(run: Recorder, checked: CheckedRows, digests: pl.DataFrame, store: PartStore) -> Assembled:
    """Puts the graph's frames together, and writes the reject report. Raises DataError when totals do not add up."""
    with run.step("build frames") as notes:
        assembled = assemble(checked, digests, store)
        assembled.rejects.sink_parquet(run.folder / "rejects.parquet")
        run.update(
            tables=dict(assembled.tables), labels=dict(assembled.labels), relationships=dict(assembled.patterns),
            rejects=dict(assembled.reasons[Outcome.REJECTED]), filtered=dict(assembled.reasons[Outcome.FILTERED]),
            emptied=dict(assembled.reasons[Outcome.EMPTIED]), notes=dict(assembled.reasons[Outcome.NOTED]),
            fingerprint=assembled.fingerprint,
        )  # fmt: skip
        notes.rows = sum(t.loaded for group in (assembled.labels, assembled.patterns) for t in group.values())
        if not run.report.adds_up:
            raise DataError("the totals do not add up: something was lost", hint="See: cpq-graph rejects --json")
        store.prune(digests["digest"].to_list())
        return assembled


@step("check rejects")
def check_rejects(run: Recorder, assembled: Assembled, limit: float, mapping: XmlMapping) -> None:
    """Raises DataError when more than `limit` of a table's rows, of a label's elements or of a pattern's relationships
    were rejected, or when the documents have no element of a kind that a graph cannot do without."""
    with run.step("check rejects"):
        # Attributes are loaded by what they say and rejected by where they stand: their patterns tell.
        labels = [(label, totals) for label, totals in assembled.labels.items() if label != ATTRIBUTE.label]
        groups: list[tuple[str, Totals]] = [*assembled.tables.items(), *labels, *assembled.patterns.items()]
        over = [
            f"{name}: {totals.rejected} of {totals.read}"
            for name, totals in groups
            if totals.read and totals.rejected / totals.read > limit
        ]
        families = assembled.labels[PRODUCT_FAMILY.label].loaded
        kinds = {"tab": TAB, "parameter": PARAMETER, "value": PARAMETER_VALUE}
        missing = [entry for entry, node in kinds.items() if families and not assembled.labels[node.label].read]
        reasons = assembled.reasons[Outcome.REJECTED]
        if missing or (not families and Reason.NO_FAMILY in reasons):
            names = {entry: " or ".join(mapping.by_entry[entry].element) for entry in missing or ["family"]}
            said = ", ".join(f"no {name} (xml.{entry}.element)" for entry, name in names.items())
            raise DataError(
                f"the documents have {said}: the graph stays as it is",
                hint="See how they are built: cpq-graph outline; then correct site.toml. Why each was rejected: "
                "cpq-graph rejects.",
            )
        if over:
            most = ", ".join(f"{number} {reason}" for reason, number in Counter(reasons).most_common(3))
            raise DataError(
                f"more than {limit:.0%} was rejected ({'; '.join(over)}), most often: {most}. The graph stays as it is",
                hint="See: cpq-graph rejects; with a new mapping also cpq-graph doctor. The limit is "
                "CPQ_GRAPH_MAX_REJECT_SHARE.",
            )


def _megabytes(documents: pl.DataFrame) -> float:
    return float(documents["bytes"].sum() or 0) / 1e6

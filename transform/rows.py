"""Source rows → which of them are loaded, and why the others are not.

Arrives: the seven tables as `extract` reads them, the site's final statuses and the period. Leaves: `CheckedRows`:
frames of nodes and relationships of the row entities, the configurations whose documents are wanted, and the ledger.

Every row gets one fate, or none when it is loaded. A row that hangs on another shares its end: on a rejected one it is
rejected, on a filtered one filtered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import polars as pl
import polars.selectors as cs

from cpq_graph.model import (
    CONFIGURED_AS,
    CONTENT,
    CONTENT_CONTAINS,
    DELIVERED_BY,
    HANDLED_BY,
    INDEXED_BYTES_MAX,
    OFFER,
    OFFER_CONTAINS,
    PARTICIPANT,
    PRODUCT,
    PROPERTY_BYTES_MAX,
    RECEIVED_BY,
    SENT_BY,
    SUBCONTENT,
    SUBCONTENT_CONTAINS,
    USER,
    Node,
    PropertyType,
    Relationship,
)
from cpq_graph.report import Totals
from transform.rejects import SAMPLE_LENGTH, SCHEMA, Level, Outcome, Reason

ROLES = {"user_id": HANDLED_BY, "sent_by": SENT_BY, "delivered_by": DELIVERED_BY, "received_by": RECEIVED_BY}
# A date of a year outside these was not meant.
YEARS = (1900, 2200)
_FILTERED = [r.value for r in (Reason.NOT_FINAL, Reason.OUT_OF_PERIOD, Reason.NOT_NAMED, Reason.PARENT_FILTERED)]


@dataclass(frozen=True, slots=True)
class _Child:
    """An entity whose rows hang on another's: `second` is what all but the first of a parent are rejected for."""

    entity: str
    parent: str
    key: str
    pattern: Relationship
    second: Reason | None
    node: Node | None


_CHILDREN = (
    _Child("content", "offer", "offer_id", OFFER_CONTAINS, Reason.SECOND_CONTENT, CONTENT),
    _Child("subcontent", "content", "content_id", CONTENT_CONTAINS, Reason.SECOND_SUBCONTENT, SUBCONTENT),
    _Child("product", "subcontent", "subcontent_id", SUBCONTENT_CONTAINS, None, PRODUCT),
    _Child("configuration", "product", "product_id", CONFIGURED_AS, Reason.SECOND_CONFIGURATION, None),
)


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """What becomes of the source's rows. `configurations` (id, product_id, bytes, and updated_at where the source has
    it) are those of loaded products whose document is wanted. `rejects` has one row per entry. Totals of
    `configuration` and CONFIGURED_AS do not know the documents yet: what they count as loaded is wanted."""

    nodes: Mapping[str, pl.DataFrame]
    relationships: Mapping[str, pl.DataFrame]
    configurations: pl.DataFrame
    rejects: pl.DataFrame
    tables: Mapping[str, Totals]
    labels: Mapping[str, Totals]
    patterns: Mapping[str, Totals]


def check_rows(
    tables: Mapping[str, pl.DataFrame],
    final_statuses: tuple[str, ...],
    period: tuple[date | None, date | None] = (None, None),
) -> CheckedRows:
    """Decides about every row. `tables` are by entity: those of `Source.table`, and `configuration` as
    `Source.configurations` gives it. Both days of the period are in it."""
    return _Check(dict(tables), final_statuses, period).run()


class _Check:
    """One check. `fates` are the tables with a column `fate`, null for loaded rows."""

    def __init__(
        self,
        tables: dict[str, pl.DataFrame],
        final_statuses: tuple[str, ...],
        period: tuple[date | None, date | None],
    ) -> None:
        self.tables = tables
        self.final_statuses = final_statuses
        self.first_day, self.last_day = period
        self.fates: dict[str, pl.DataFrame] = {}
        self.nodes: dict[str, pl.DataFrame] = {}
        self.relationships: dict[str, pl.DataFrame] = {}
        self.patterns: dict[str, Totals] = {}
        self.entries: list[pl.DataFrame] = []

    def run(self) -> CheckedRows:
        self._offers()
        for child in _CHILDREN:
            self._children(child)
        self._without_configuration()
        people = {"user": USER, "participant": PARTICIPANT}
        for entity in people:
            self.fates[entity] = _with_own_fate(self.tables[entity])
        named = self._roles()
        for entity in people:
            is_named = pl.col("id").is_in(named[entity].implode())
            self._decide(entity, pl.when(~is_named).then(pl.lit(Reason.NOT_NAMED.value)))
        nodes = {"offer": OFFER, "content": CONTENT, "subcontent": SUBCONTENT, "product": PRODUCT, **people}
        for entity, node in nodes.items():
            self._enter_fates(entity, node.label)
            self._node(entity, node)
        self._enter_fates("configuration", "")
        totals = {entity: _totals(fates["fate"]) for entity, fates in self.fates.items()}
        return CheckedRows(
            nodes=self.nodes,
            relationships=self.relationships,
            configurations=self._loaded("configuration").select(
                "id", "product_id", "bytes", cs.by_name("updated_at", require_all=False)
            ),
            rejects=pl.concat(self.entries),
            tables=totals,
            labels={node.label: totals[entity] for entity, node in nodes.items()},
            patterns=self.patterns,
        )

    def _loaded(self, entity: str) -> pl.DataFrame:
        return self.fates[entity].filter(pl.col("fate").is_null())

    def _decide(self, entity: str, fate: pl.Expr) -> None:
        """Gives `fate` to the rows that have none yet."""
        self.fates[entity] = self.fates[entity].with_columns(fate=pl.coalesce("fate", fate))

    def _offers(self) -> None:
        day = pl.col("date").str.to_date("%Y-%m-%d", strict=False)
        known = pl.when(day.dt.year().is_between(*YEARS)).then(day)
        self.fates["offer"] = _with_own_fate(self.tables["offer"]).with_columns(written=pl.col("date"), date=known)
        not_final = ~pl.col("status").is_in(self.final_statuses).fill_null(value=False)
        self._decide("offer", pl.when(not_final).then(pl.lit(Reason.NOT_FINAL.value)))
        if self.first_day is not None or self.last_day is not None:
            inside = pl.col("date").is_between(self.first_day or date.min, self.last_day or date.max)
            outside = ~inside.fill_null(value=False)
            self._decide("offer", pl.when(outside).then(pl.lit(Reason.OUT_OF_PERIOD.value)))
        bad = self._loaded("offer").filter(pl.col("date").is_null() & pl.col("written").is_not_null())
        self._enter("offer", bad, Reason.BAD_DATE, label=OFFER.label, place="date", sample=pl.col("written"))

    def _children(self, child: _Child) -> None:
        key = pl.col(child.key)
        parents = self.fates[child.parent].select(
            pl.col("id").alias(child.key), pl.col("fate").alias("above"), there=True
        )
        # The first of several rows of one id is the one that counts.
        parents = parents.unique(child.key, keep="first", maintain_order=True)
        rows = _with_own_fate(self.tables[child.entity])
        rows = rows.join(parents, on=child.key, how="left", maintain_order="left", validate="m:1")
        self.fates[child.entity] = rows
        fate = (
            pl.when(key.is_null())
            .then(pl.lit(Reason.NO_PARENT.value))
            .when(pl.col("there").is_null())
            .then(pl.lit(Reason.DANGLING.value))
            .when(pl.col("above").is_in(_FILTERED))
            .then(pl.lit(Reason.PARENT_FILTERED.value))
            .when(pl.col("above").is_not_null())
            .then(pl.lit(Reason.PARENT_REJECTED.value))
        )
        self._decide(child.entity, fate)
        if child.second is not None:
            # Rows are in the order of their ids.
            second = ~pl.struct(pl.col(child.key), pl.col("fate")).is_first_distinct() & pl.col("fate").is_null()
            self._decide(child.entity, pl.when(second).then(pl.lit(child.second.value)))
        self.patterns[child.pattern.name] = _totals(self.fates[child.entity].filter(key.is_not_null())["fate"])
        if child.node is not None:
            loaded = self._loaded(child.entity)
            self.relationships[child.pattern.name] = loaded.select(start=key, end="id")

    def _without_configuration(self) -> None:
        configured = self.tables["configuration"]["product_id"].drop_nulls()
        bare = self._loaded("product").filter(~pl.col("id").is_in(configured.implode()))
        reason = Reason.PRODUCT_WITHOUT_CONFIGURATION
        self._enter(
            "product",
            bare,
            reason,
            label=PRODUCT.label,
            level=Level.ROW,
            outcome=Outcome.NOTED,
            sample=pl.lit(""),
        )

    def _roles(self) -> dict[str, pl.Series]:
        """The relationships from offers to people. Returns the ids of those who are named, by entity."""
        named: dict[str, list[pl.Series]] = {"user": [], "participant": []}
        offers = self.fates["offer"]
        for column, pattern in ROLES.items():
            entity = "user" if pattern.end is USER else "participant"
            people = self._loaded(entity)["id"]
            meant = offers.filter(pl.col(column).is_not_null())
            dangling = ~pl.col(column).is_in(people.implode())
            meant = meant.with_columns(fate=pl.coalesce("fate", pl.when(dangling).then(pl.lit(Reason.DANGLING.value))))
            self.patterns[pattern.name] = _totals(meant["fate"])
            loaded = meant.filter(pl.col("fate").is_null())
            self.relationships[pattern.name] = loaded.select(start="id", end=column)
            named[entity].append(loaded[column])
            lost = meant.filter(pl.col("fate") == Reason.DANGLING)
            self._enter(
                "offer",
                lost,
                Reason.DANGLING,
                label=pattern.name,
                level=Level.ROW,
                outcome=Outcome.REJECTED,
                place=column,
                sample=pl.col(column),
            )
        return {entity: pl.concat(ids).unique() for entity, ids in named.items()}

    def _node(self, entity: str, node: Node) -> None:
        """The loaded rows as the label's frame. What a property cannot hold is emptied, and said."""
        rows = self._loaded(entity)
        for column in node.properties:
            if column.name == "id":
                continue
            value = pl.col(column.name)
            if column.type is PropertyType.FLOAT:
                wrong, reason = value.is_not_null() & ~value.is_finite(), Reason.BAD_NUMBER
            elif column.type is PropertyType.STRING:
                limit = INDEXED_BYTES_MAX if column.indexed else PROPERTY_BYTES_MAX
                wrong, reason = value.str.len_bytes() > limit, Reason.TOO_LONG
            else:
                continue
            bad = rows.filter(wrong)
            if bad.height:
                self._enter(entity, bad, reason, label=node.label, place=column.name, sample=value)
                rows = rows.with_columns(pl.when(~wrong).then(value))
        self.nodes[node.label] = rows.select(p.name for p in node.properties)

    def _enter_fates(self, entity: str, label: str) -> None:
        """Entries for all rows that are not loaded."""
        lost = self.fates[entity].filter(pl.col("fate").is_not_null())
        key = next((child.key for child in _CHILDREN if child.entity == entity), None)
        points = pl.col("fate").is_in([Reason.DANGLING.value, Reason.NO_PARENT.value])
        source = [name for name in self.tables[entity].columns if name in lost.columns]
        self.entries.append(
            lost.select(
                table=pl.lit(entity),
                key=pl.col("id").fill_null(""),
                place=pl.when(points).then(pl.lit(key)).otherwise(pl.lit("")),
                reason="fate",
                level=pl.lit(Level.ROW.value),
                outcome=_outcome(),
                label=pl.lit(label),
                sample=pl.struct(source).struct.json_encode().str.slice(0, SAMPLE_LENGTH),
            ).cast(SCHEMA)  # type: ignore[arg-type]
        )

    def _enter(
        self,
        entity: str,
        rows: pl.DataFrame,
        reason: Reason,
        *,
        label: str,
        level: Level = Level.VALUE,
        outcome: Outcome = Outcome.EMPTIED,
        place: str = "",
        sample: pl.Expr,
    ) -> None:
        self.entries.append(
            rows.select(
                table=pl.lit(entity),
                key="id",
                place=pl.lit(place),
                reason=pl.lit(reason.value),
                level=pl.lit(level.value),
                outcome=pl.lit(outcome.value),
                label=pl.lit(label),
                sample=sample.cast(pl.String).str.slice(0, SAMPLE_LENGTH),
            ).cast(SCHEMA)  # type: ignore[arg-type]
        )


def _with_own_fate(table: pl.DataFrame) -> pl.DataFrame:
    """The table in the order of its ids, by code point, with the fate that a row has for its own id."""
    rows = table.sort(table.columns, maintain_order=True)
    missing = pl.col("id").fill_null("") == ""
    fate = (
        pl.when(missing)
        .then(pl.lit(Reason.MISSING_ID.value))
        .when(pl.col("id").str.len_bytes() > INDEXED_BYTES_MAX)
        .then(pl.lit(Reason.TOO_LONG_KEY.value))
        .when(~pl.col("id").is_first_distinct())
        .then(pl.lit(Reason.DUPLICATE_ID.value))
    )
    return rows.with_columns(fate=fate)


def _outcome() -> pl.Expr:
    filtered = pl.col("fate").is_in(_FILTERED)
    return pl.when(filtered).then(pl.lit(Outcome.FILTERED.value)).otherwise(pl.lit(Outcome.REJECTED.value))


def _totals(fates: pl.Series) -> Totals:
    loaded = fates.null_count()
    filtered = int(fates.is_in(_FILTERED).sum() or 0)
    return Totals(read=fates.len(), loaded=loaded, rejected=fates.len() - loaded - filtered, filtered=filtered)

"""The ground truth: what the graph of a sample must be, every reject, and the totals.

Arrives: the stream of `generate`, as made; never the XML, and never a graph. Leaves: lines of the canonical dump,
`Reject`s and `Totals`. `places` says what becomes of each element of a document; `Truth` adds up.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import blake2b

from cpq_graph.model import (
    ATTRIBUTE,
    CONFIGURED_AS,
    CONTENT,
    CONTENT_CONTAINS,
    DELIVERED_BY,
    FAMILY_HAS_CHILD,
    HANDLED_BY,
    HAS_ATTRIBUTE,
    HAS_PARAMETER,
    HAS_TAB,
    HAS_VALUE,
    MODEL,
    OFFER,
    OFFER_CONTAINS,
    PARAMETER_VALUE,
    PARTICIPANT,
    PRODUCT,
    RECEIVED_BY,
    SENT_BY,
    SUBCONTENT,
    SUBCONTENT_CONTAINS,
    TAB,
    TAB_HAS_CHILD,
    USER,
    Node,
    Relationship,
)
from cpq_graph.report import Totals
from sample_data.elements import Attr, Element
from sample_data.generate import NOWHERE, Configuration, Content, Offer, Orphan, People, Product, Subcontent
from sample_data.places import Placed, escaped, walk
from sample_data.reasons import Outcome, Reason

Period = tuple[date | None, date | None]
ALL_TIME: Period = (None, None)

ROLES = {"user_id": HANDLED_BY, "sent_by": SENT_BY, "delivered_by": DELIVERED_BY, "received_by": RECEIVED_BY}
# The source tables, by the entity's name; all but configuration become nodes.
TABLES = {
    "offer": OFFER,
    "participant": PARTICIPANT,
    "user": USER,
    "content": CONTENT,
    "subcontent": SUBCONTENT,
    "product": PRODUCT,
    "configuration": None,
}
_OWNS = {(r.start.label, r.end.label): r for r in (HAS_PARAMETER, HAS_VALUE, FAMILY_HAS_CHILD, TAB_HAS_CHILD)}
_ATTRIBUTES = {r.start.label: r for r in HAS_ATTRIBUTE}


@dataclass(frozen=True, slots=True)
class Reject:
    """A row of the reject report, without its sample."""

    table: str
    key: str
    place: str
    reason: Reason
    level: str
    outcome: Outcome
    label: str


def as_json(value: object) -> str:
    """JSON as the canonical dump has it."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def node_line(node: Node, properties: Mapping[str, object]) -> str:
    """A node as the canonical dump has it; properties that are None do not exist."""
    return f"N\t{node.label}\t{as_json({n: v for n, v in properties.items() if v is not None})}"


def relationship_line(relationship: Relationship, start: list[str], end: list[str], position: int | None) -> str:
    """A relationship as the canonical dump has it."""
    properties = {} if position is None else {"position": position}
    return "\t".join(
        (
            "R",
            relationship.type,
            relationship.start.label,
            as_json(start),
            relationship.end.label,
            as_json(end),
            as_json(properties),
        )
    )


_OUTCOMES = {
    Reason.NOT_FINAL: Outcome.FILTERED,
    Reason.OUT_OF_PERIOD: Outcome.FILTERED,
    Reason.NOT_NAMED: Outcome.FILTERED,
    Reason.PARENT_FILTERED: Outcome.FILTERED,
    Reason.REPEATED_ATTRIBUTE: Outcome.FILTERED,
    Reason.TOO_LONG: Outcome.FILTERED,
}


def outcome(fate: Reason) -> Outcome:
    """What becomes of a row or element of that fate."""
    return _OUTCOMES.get(fate, Outcome.REJECTED)


class Tally:
    """Totals under a name, one fate at a time."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, name: str, fate: Reason | None, amount: int = 1) -> None:
        """Counts one more that was read and had this fate (None: loaded)."""
        self._counts[name]["loaded" if fate is None else outcome(fate).value] += amount

    def totals(self, names: list[str]) -> dict[str, Totals]:
        """The totals of all names, those without any included."""
        return {name: Totals(read=sum(self._counts[name].values()), **self._counts[name]) for name in names}


def _ignore(_: object) -> None:
    pass


@dataclass(slots=True)
class Truth:
    """Adds up what `add` is given. `line` takes lines of the dump as they come, unsorted; `reject` the rejects.

    Memory grows with the people named and the distinct attributes, with nothing else.
    """

    people: People
    period: Period = ALL_TIME
    line: Callable[[str], object] | None = None
    reject: Callable[[Reject], object] = _ignore
    tables: Tally = field(default_factory=Tally)
    labels: Tally = field(default_factory=Tally)
    relationships: Tally = field(default_factory=Tally)
    reasons: dict[Outcome, Counter[str]] = field(default_factory=lambda: {o: Counter() for o in Outcome})
    _users: set[int] = field(default_factory=set)
    _participants: set[int] = field(default_factory=set)
    _kept: set[tuple[str, str]] = field(default_factory=set)
    _long: set[bytes] = field(default_factory=set)

    def add(self, made: Offer | Orphan) -> None:
        """Takes an offer or an orphan, and all that hangs on it."""
        if isinstance(made, Offer):
            self._offer(made)
            return
        fate, parent = made.reason, made.parent
        match made.row:
            case Content():
                self._content(made.row, fate, parent)
            case Subcontent():
                self._subcontent(made.row, fate, parent)
            case Product():
                self._product(made.row, fate, parent)
            case Configuration():
                self._configuration(made.row, fate, parent)

    def fate(self, offer: Offer) -> Reason | None:
        """Why the offer is filtered; None for one that is loaded."""
        if not offer.final:
            return Reason.NOT_FINAL
        first, last = self.period
        if first is None and last is None:
            return None
        inside = offer.date is not None and (first or date.min) <= offer.date <= (last or date.max)
        return None if inside else Reason.OUT_OF_PERIOD

    def finish(self) -> None:
        """Takes the people and the attributes: to be called once, after the last `add`."""
        for user in self.people.users:
            fate = None if user.id in self._users else Reason.NOT_NAMED
            properties = {"userid": user.userid, "firstname": user.firstname, "lastname": user.lastname}
            self._row("user", user.id, fate, USER, properties)
        for person in self.people.participants:
            fate = None if person.id in self._participants else Reason.NOT_NAMED
            properties = {"title": person.title, "name": person.name, "company": person.company}
            self._row("participant", person.id, fate, PARTICIPANT, properties)
        for type_, value in self._kept:
            self.labels.add(ATTRIBUTE.label, None)
            self._line(ATTRIBUTE, {"type": type_, "value": value})
        self.labels.add(ATTRIBUTE.label, Reason.TOO_LONG, len(self._long))

    def totals(self) -> tuple[dict[str, Totals], dict[str, Totals], dict[str, Totals]]:
        """The totals of tables, labels and relationships."""
        return (
            self.tables.totals(list(TABLES)),
            self.labels.totals([node.label for node in MODEL.nodes]),
            self.relationships.totals([relationship.name for relationship in MODEL.relationships]),
        )

    def _line(self, node: Node, properties: Mapping[str, object]) -> None:
        if self.line is not None:
            self.line(node_line(node, properties))

    def _link(self, relationship: Relationship, start: list[str], end: list[str], position: int | None = None) -> None:
        if self.line is not None:
            self.line(relationship_line(relationship, start, end, position))

    def _report(
        self, table: str, key: object, place: str, reason: Reason, level: str, became: Outcome, label: str
    ) -> None:
        self.reasons[became][reason] += 1
        self.reject(Reject(table, str(key), place, reason, level, became, label))

    def _row(
        self,
        table: str,
        key: object,
        fate: Reason | None,
        node: Node | None,
        properties: Mapping[str, object] | None = None,
        *,
        column: str = "",
    ) -> None:
        """A row's fate in its table and, where it becomes one, its node. `column` points at the parent."""
        self.tables.add(table, fate)
        if node is not None:
            self.labels.add(node.label, fate)
        if fate is not None:
            place = column if fate in (Reason.DANGLING, Reason.NO_PARENT) else ""
            self._report(table, key, place, fate, "row", outcome(fate), "" if node is None else node.label)
        elif node is not None:
            self._line(node, {"id": str(key), **(properties or {})})

    def _contained(
        self, relationship: Relationship, fate: Reason | None, parent: int | str | None, key: int | str
    ) -> None:
        if parent is not None:
            self.relationships.add(relationship.name, fate)
        if fate is None:
            self._link(relationship, [str(parent)], [str(key)])

    def _offer(self, offer: Offer) -> None:
        fate = self.fate(offer)
        day = None if offer.date is None else offer.date.isoformat()
        properties = {
            "language_id": offer.language_id,
            "status": offer.status,
            "date": day,
            "version": offer.version,
        }
        self._row("offer", offer.id, fate, OFFER, properties)
        if fate is None and offer.bad_date is not None:
            self._report("offer", offer.id, "date", Reason.BAD_DATE, "value", Outcome.EMPTIED, OFFER.label)
        for column, party in offer.parties.items():
            if party is None:
                continue
            role = ROLES[column]
            role_fate = fate or (Reason.DANGLING if party >= NOWHERE else None)
            self.relationships.add(role.name, role_fate)
            if role_fate is None:
                (self._users if role.end is USER else self._participants).add(party)
                self._link(role, [offer.id], [str(party)])
            elif role_fate is Reason.DANGLING:
                self._report("offer", offer.id, column, Reason.DANGLING, "row", Outcome.REJECTED, role.name)
        for number, content in enumerate(sorted(offer.contents, key=lambda c: str(c.id))):
            second = Reason.SECOND_CONTENT if number else None
            self._content(content, _below(fate) or second, offer.id)

    def _content(self, content: Content, fate: Reason | None, parent: int | str | None) -> None:
        self._row(
            "content", content.id, fate, CONTENT, {"total_price": _finite(content.total_price)}, column="offer_id"
        )
        self._contained(OFFER_CONTAINS, fate, parent, content.id)
        self._price("content", content.id, content.total_price, fate, CONTENT)
        for number, subcontent in enumerate(sorted(content.subcontents, key=lambda s: str(s.id))):
            second = Reason.SECOND_SUBCONTENT if number else None
            self._subcontent(subcontent, _below(fate) or second, content.id)

    def _subcontent(self, subcontent: Subcontent, fate: Reason | None, parent: int | str | None) -> None:
        price = subcontent.total_price
        self._row("subcontent", subcontent.id, fate, SUBCONTENT, {"total_price": _finite(price)}, column="content_id")
        self._contained(CONTENT_CONTAINS, fate, parent, subcontent.id)
        self._price("subcontent", subcontent.id, price, fate, SUBCONTENT)
        for product in subcontent.products:
            self._product(product, _below(fate), subcontent.id)

    def _price(self, table: str, key: int, price: float | None, fate: Reason | None, node: Node) -> None:
        if fate is None and price is not None and not math.isfinite(price):
            self._report(table, key, "total_price", Reason.BAD_NUMBER, "value", Outcome.EMPTIED, node.label)

    def _product(self, product: Product, fate: Reason | None, parent: int | str | None) -> None:
        self._row("product", product.id, fate, PRODUCT, column="subcontent_id")
        self._contained(SUBCONTENT_CONTAINS, fate, parent, product.id)
        if fate is None and not product.configurations:
            reason = Reason.PRODUCT_WITHOUT_CONFIGURATION
            self._report("product", product.id, "", reason, "row", Outcome.NOTED, PRODUCT.label)
        for number, configuration in enumerate(sorted(product.configurations, key=lambda c: str(c.id))):
            second = Reason.SECOND_CONFIGURATION if number else None
            self._configuration(configuration, _below(fate) or second, product.id)

    def _configuration(self, configuration: Configuration, fate: Reason | None, parent: int | str | None) -> None:
        document = configuration.document
        fate = fate or document.trouble
        self._row("configuration", configuration.id, fate, None, column="product_id")
        if parent is not None:
            self.relationships.add(CONFIGURED_AS.name, fate)
        if fate is None:
            for placed in walk(document.roots):
                self._element(placed, configuration.id, str(parent))

    def _element(self, placed: Placed, key: int, product: str) -> None:
        if isinstance(placed.element, Attr):
            self._attribute(placed, placed.element, key, product)
            return
        element, parent, fate = placed.element, placed.parent, placed.fate
        self.labels.add(placed.label, fate)
        if fate is not None:
            self._report("configuration", key, placed.place, fate, "element", outcome(fate), placed.label)
        for note in placed.notes if fate is None else ():
            self._report("configuration", key, placed.place, note, "element", Outcome.NOTED, placed.label)
        for name, fault in element.faults.items() if fate is None else ():
            place = f"{placed.place}/@{name}"
            self._report("configuration", key, place, fault, "value", Outcome.EMPTIED, placed.label)
        me = [escaped(product) + placed.id]
        if fate is None:
            properties: dict[str, object] = {"id": me[0], **element.truth}
            if element.node is PARAMETER_VALUE and parent is not None and isinstance(parent.element, Element):
                properties["parameterId"] = parent.element.raw.get("id") or None
            self._line(element.node, properties)
        if parent is None:
            if fate is None:
                self._link(CONFIGURED_AS, [product], me)
            return
        above = [escaped(product) + parent.id]
        if element.node is TAB and placed.family is not None:
            self.relationships.add(HAS_TAB.name, fate)
            if fate is None:
                self._link(HAS_TAB, [escaped(product) + placed.family.id], me, placed.position)
        relationship = _OWNS.get((parent.label, placed.label))
        if relationship is not None:
            self.relationships.add(relationship.name, fate)
            if fate is None:
                self._link(relationship, above, me, placed.position)

    def _attribute(self, placed: Placed, attr: Attr, key: int, product: str) -> None:
        fate, parent = placed.fate, placed.parent
        if parent is None:
            raise ValueError("an attribute is made in an element")
        if fate is not None:
            relationship = _ATTRIBUTES.get(parent.label)
            repeated = relationship is not None and fate is Reason.REPEATED_ATTRIBUTE
            label = relationship.name if relationship and repeated else ATTRIBUTE.label
            self._report("configuration", key, placed.place, fate, "element", outcome(fate), label)
        if parent.label in _ATTRIBUTES:
            self.relationships.add(_ATTRIBUTES[parent.label].name, fate)
        if fate is None:
            self._kept.add((attr.type or "", attr.value or ""))
            self._link(
                _ATTRIBUTES[parent.label],
                [escaped(product) + parent.id],
                [attr.type or "", attr.value or ""],
                placed.position,
            )
        elif fate is Reason.TOO_LONG:
            self._long.add(blake2b(f"{attr.type}\0{attr.value}".encode()).digest())
        elif fate in (Reason.ATTRIBUTE_WITHOUT_TYPE, Reason.ATTRIBUTE_WITHOUT_VALUE, Reason.MISPLACED):
            self.labels.add(ATTRIBUTE.label, fate)


def _below(fate: Reason | None) -> Reason | None:
    """The fate of what hangs on a row of this fate."""
    if fate is None:
        return None
    return Reason.PARENT_FILTERED if outcome(fate) is Outcome.FILTERED else Reason.PARENT_REJECTED


def _finite(price: float | None) -> float | None:
    return price if price is not None and math.isfinite(price) else None

"""What a plan means, worked out row by row over the source's frames: the judge of the compiler.

Written from the docstrings of `cpq_graph.query.plan` alone. Slow and plain on purpose: rows are dictionaries, every
field of many multiplies them, and every number is made of a set of distinct nodes.
"""

import functools
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from cpq_graph.query.plan import (
    Aggregate,
    AllOf,
    AnyField,
    AnyOf,
    Compare,
    Condition,
    Exists,
    FeatureField,
    Grain,
    Its,
    Measure,
    Not,
    Operator,
    PeriodField,
    Plan,
    PropertyField,
    RangeField,
    Role,
    Some,
    Unit,
)
from sample_data.frames import Frames

OWNERS = ("ProductFamily", "Tab", "Parameter", "ParameterValue")


@dataclass(frozen=True)
class Thing:
    """A node: equal to itself alone."""

    label: str
    id: str
    fields: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thing) and (self.label, self.id) == (other.label, other.id)

    def __hash__(self) -> int:
        return hash((self.label, self.id))


# A row: what stands where. Keys are labels, roles, ("feature", ext_id) and ("attribute", owner, type or None).
Row = dict[Any, Thing | None]


class Oracle:
    """Evaluates plans over one source."""

    def __init__(self, frames: Frames) -> None:
        self.people = {row["id"]: Thing("Participant", row["id"], row) for row in frames.participants.to_dicts()}
        self.users = {row["id"]: Thing("User", row["id"], row) for row in frames.users.to_dicts()}
        self.offers = {row["id"]: row for row in frames.offers.to_dicts()}
        self.products = {row["id"]: row for row in frames.products.to_dicts()}
        self.parameters = {row["id"]: row for row in frames.parameters.to_dicts()}
        self.families = {row["id"]: Thing("ProductFamily", row["id"], row) for row in frames.families.to_dicts()}
        self.tabs = {row["id"]: Thing("Tab", row["id"], row) for row in frames.tabs.to_dicts()}
        self.products_of: dict[str, list[str]] = defaultdict(list)
        for row in self.products.values():
            self.products_of[row["offer_id"]].append(row["id"])
        self.tabs_of: dict[str, list[Thing]] = defaultdict(list)
        for tab in self.tabs.values():
            self.tabs_of[tab.fields["family_id"]].append(tab)
        self.parameters_of_tab: dict[str, list[str]] = defaultdict(list)
        self.parameters_of_family: dict[str, list[str]] = defaultdict(list)
        for row in self.parameters.values():
            self.parameters_of_tab[row["tab_id"]].append(row["id"])
            self.parameters_of_family[row["family_id"]].append(row["id"])
        self.attributes: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for row in frames.attributes.to_dicts():
            self.attributes[row["owner"], row["owner_id"]].append((row["type"], row["value"]))
        self.offers_by: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in self.offers.values():
            for column in ("user_id", "sent_by", "delivered_by", "received_by"):
                self.offers_by[column, row[column]].append(row["id"])

    # -- rows -----------------------------------------------------------------------------------------------------

    def rows(self, grain: Grain) -> Iterator[Row]:
        match grain:
            case Grain.OFFER:
                yield from map(self.offer_row, self.offers)
            case Grain.PRODUCT:
                yield from map(self.product_row, self.products)
            case Grain.PARAMETER:
                yield from map(self.parameter_row, self.parameters)
            case Grain.PARTICIPANT:
                yield from ({"Participant": person} for person in self.people.values())
            case Grain.USER:
                yield from ({"User": user} for user in self.users.values())

    def offer_row(self, key: str | None) -> Row:
        if key is None:
            return {}
        row = self.offers[key]
        content, subcontent = row["content_id"], row["subcontent_id"]
        return {
            "Offer": Thing("Offer", key, row),
            "Content": content
            and Thing("Content", content, {"id": content, "total_price": row["content_total_price"]}),
            "Subcontent": subcontent
            and Thing("Subcontent", subcontent, {"id": subcontent, "total_price": row["subcontent_total_price"]}),
            "User": self.users.get(row["user_id"]),
            Role.SENT: self.people.get(row["sent_by"]),
            Role.DELIVERED: self.people.get(row["delivered_by"]),
            Role.RECEIVED: self.people.get(row["received_by"]),
        }

    def product_row(self, key: str) -> Row:
        row = self.products[key]
        family = self.families.get(row["family_id"])
        return self.offer_row(row["offer_id"]) | {"Product": Thing("Product", key, row), "ProductFamily": family}

    def parameter_row(self, key: str) -> Row:
        row = self.parameters[key]
        family = self.families[row["family_id"]]
        above: Row = {}
        if family.fields["parent_id"] is None:
            above = self.product_row(row["product_id"])
        return above | {"ProductFamily": family, "Tab": self.tabs[row["tab_id"]]} | self.parameter_things(key)

    def parameter_things(self, key: str) -> Row:
        row = self.parameters[key]
        value = row["value_id"]
        fields = {
            "id": value,
            "name": row["value"],
            "measure": row["measure"],
            "quantity": row["quantity"],
            "cost": row["cost"],
            "parameterId": None,
        }
        return {
            "Parameter": Thing("Parameter", key, row),
            "ParameterValue": Thing("ParameterValue", value, fields) if value else None,
        }

    # -- fields ---------------------------------------------------------------------------------------------------

    def place(self, field: AnyField, grain: Grain) -> Any:
        """Where in a row the field's node stands."""
        match field:
            case RangeField():
                return self.place(field.of, grain)
            case PeriodField():
                return "Offer"
            case FeatureField():
                return ("feature", field.ext_id)
        if field.label == "Attribute":
            return ("attribute", field.owner or "Parameter", None)
        if field.property == "ext_id":
            return ("attribute", field.label, "ext_id")
        if field.label == "Participant" and grain is not Grain.PARTICIPANT:
            return field.role
        return field.label

    def of_thing(self, field: AnyField, thing: Thing | None) -> Any:
        """The field's value where its node is `thing`; a range's is its number."""
        if thing is None:
            return None
        match field:
            case RangeField():
                return number(self.of_thing(field.of, thing))
            case PeriodField():
                return period(field.unit, thing.fields["date"])
            case FeatureField():
                return number(thing.fields["measure"]) if field.part == "measure" else thing.fields["name"]
        return thing.fields["value" if field.property == "ext_id" else field.property]

    def expanded(self, row: Row, grain: Grain, places: set[Any]) -> list[Row]:
        """The row once for each node that the places stand for, and once with nothing where there is none. Ways that
        share a stretch share the node where it ends."""
        below = {grain_label(g) for g in (Grain.PRODUCT, Grain.PARAMETER)} if grain is Grain.OFFER else set()
        ways = {self.way(place, grain) for place in places if place not in row or place in below}
        return [row | extra for extra in self._grown(row, sorted(ways - {()}, key=str), grain)]

    def way(self, place: Any, grain: Grain) -> tuple[Any, ...]:
        """The places to pass to a place that a row has many of; none for what it has one of."""
        deep = ("Product", "ProductFamily", "Tab", "Parameter", "ParameterValue")
        start = {Grain.OFFER: 0, Grain.PRODUCT: 2}.get(grain, len(deep))
        if isinstance(place, tuple) and place[0] == "attribute":
            return (*self.way(place[1], grain), place)
        if isinstance(place, tuple):
            return (*deep[start:2], place)
        return deep[start : deep.index(place) + 1] if place in deep else ()

    def _grown(self, row: Row, ways: list[tuple[Any, ...]], grain: Grain) -> list[Row]:
        found: list[Row] = [{}]
        for first in dict.fromkeys(way[0] for way in ways):
            mine = [way for way in ways if way[0] == first]
            shared = 1
            while all(len(way) > shared and way[shared] == mine[0][shared] for way in mine):
                shared += 1
            here = [row]
            for place in mine[0][:shared]:
                here = [r | {place: thing} for r in here for thing in self.next_things(r, place, grain)]
            here = here or [row | dict.fromkeys(mine[0][:shared])]
            rest = [way[shared:] for way in mine if len(way) > shared]
            grown = [r | extra for r in here for extra in self._grown(r, rest, grain)]
            found = [a | {k: b[k] for way in mine for k in way} for a in found for b in grown]
        return found

    def next_things(self, row: Row, place: Any, grain: Grain) -> list[Thing]:
        """What the row, as far as it is known, has at a place."""
        family = row.get("ProductFamily")
        match place:
            case "Product":
                return [self.product_row(key)["Product"] for key in self.products_of[row["Offer"].id]]  # type: ignore[misc, union-attr]
            case "ProductFamily":
                product = row["Product"]
                found = self.product_row(product.id)["ProductFamily"] if product else None
                return [found] if found else []
            case "Tab":
                return self.tabs_of[family.id] if family else []
            case "Parameter":
                tab = row["Tab"]
                return (
                    [self.parameter_things(key)["Parameter"] for key in self.parameters_of_tab[tab.id]] if tab else []
                )  # type: ignore[misc]
            case "ParameterValue":
                parameter = row["Parameter"]
                value = self.parameter_things(parameter.id)["ParameterValue"] if parameter else None
                return [value] if value else []
            case ("feature", ext_id):
                return self.features(row, grain, ext_id)
            case ("attribute", owner, kind):
                return self.attributes_of(row.get(owner), kind)
        raise LookupError(place)

    def features(self, row: Row, grain: Grain, ext_id: str) -> list[Thing]:
        """The values of the parameters with that ext_id: of the product's root family, or the row's own parameter."""
        if grain is Grain.PARAMETER:
            keys = [row["Parameter"].id]  # type: ignore[union-attr]
        else:
            family = row.get("ProductFamily")
            keys = self.parameters_of_family[family.id] if family else []
        carrying = [key for key in keys if ("ext_id", ext_id) in self.attributes["Parameter", key]]
        found = [self.parameter_things(key)["ParameterValue"] for key in carrying]
        return [thing for thing in found if thing is not None]

    def attributes_of(self, owner: Thing | None, kind: str | None) -> list[Thing]:
        if owner is None:
            return []
        pairs = self.attributes[owner.label, owner.id]
        return [
            Thing("Attribute", f"{of}\0{value}", {"type": of, "value": value})
            for of, value in pairs
            if kind in (None, of)
        ]

    # -- conditions -----------------------------------------------------------------------------------------------

    def holds(self, row: Row, grain: Grain, condition: Condition) -> bool:
        match condition:
            case Not():
                return not self.holds(row, grain, condition.condition)
            case AnyOf():
                return any(self.holds(row, grain, part) for part in condition.conditions)
            case AllOf():
                return all(self.holds(row, grain, part) for part in condition.conditions)
            case Its():
                return self._its(row, condition)
            case Some():
                below = self.below(row, grain, condition)
                met = sum(all(self.holds(r, condition.grain, part) for part in condition.where) for r in below)
                low = 0 if condition.at_least is None else condition.at_least
                return met >= low and (condition.at_most is None or met <= condition.at_most)
        values = self.values(row, grain, condition.field)
        if isinstance(condition, Exists):
            return any(value is not None for value in values)
        return any(compares(condition, value) for value in values)

    def _its(self, row: Row, its: Its) -> bool:
        label = {Grain.OFFER: "Offer", Grain.PRODUCT: "Product"}[its.grain]
        thing = row.get(label)
        if thing is None:
            return False
        above = self.offer_row(thing.id) if label == "Offer" else self.product_row(thing.id)
        return all(self.holds(above, its.grain, part) for part in its.where)

    def values(self, row: Row, grain: Grain, field: AnyField) -> list[Any]:
        """All values of the field that the row has."""
        place = self.place(field, grain)
        if isinstance(place, tuple) and place[0] == "feature":
            return [self.of_thing(field, thing) for thing in self.features(row, grain, place[1])]
        if isinstance(place, tuple):
            return [self.of_thing(field, thing) for thing in self.attributes_of(row.get(place[1]), place[2])]
        return [self.of_thing(field, row.get(place))]

    def below(self, row: Row, grain: Grain, some: Some) -> list[Row]:
        if grain in (Grain.PARTICIPANT, Grain.USER):
            thing = row["Participant" if grain is Grain.PARTICIPANT else "User"]
            columns = ["user_id"] if grain is Grain.USER else ["sent_by", "delivered_by", "received_by"]
            if some.role:
                columns = [f"{some.role.value}_by"]
            offers = sorted({offer for column in columns for offer in self.offers_by[column, thing.id]})  # type: ignore[union-attr]
        else:
            offers = [row["Offer"].id] if row.get("Offer") else []
        if some.grain is Grain.OFFER:
            return [self.offer_row(offer) for offer in offers]
        if grain is Grain.PRODUCT:
            products = [row["Product"].id]  # type: ignore[union-attr]
        else:
            products = [product for offer in offers for product in self.products_of[offer]]
        if some.grain is Grain.PRODUCT:
            return [self.product_row(product) for product in products]
        families = [self.products[product]["family_id"] for product in products]
        return [self.parameter_row(q) for family in families if family for q in self.parameters_of_family[family]]

    # -- answers --------------------------------------------------------------------------------------------------

    def answer(self, plan: Plan) -> list[tuple[Any, ...]]:
        """The rows of the answer, in order, by column."""
        base = [row for row in self.rows(plan.grain) if all(self.holds(row, plan.grain, c) for c in plan.where)]
        fields = plan.group_by if plan.measures else plan.show
        places = {self.place(field, plan.grain) for field in fields}
        for measure in plan.measures:
            places |= self.measured_places(plan, measure)
        rows = [extra for row in base for extra in self.expanded(row, plan.grain, places)]
        keyed = [(self.keys(plan, fields, row), row) for row in rows]
        if not plan.measures:
            table = sorted({keys for keys, _ in keyed if any(key is not None for key in keys)}, key=str)
        else:
            table = self.grouped(plan, keyed)
        table = cut(plan, len(fields), table)
        return [self.as_shown(fields, row) for row in table]

    def keys(self, plan: Plan, fields: tuple[AnyField, ...], row: Row) -> tuple[Any, ...]:
        found = []
        for field in fields:
            value = self.of_thing(field, row.get(self.place(field, plan.grain)))
            found.append(bucket(field, value) if isinstance(field, RangeField) else value)
        return tuple(found)

    def as_shown(self, fields: tuple[AnyField, ...], row: tuple[Any, ...]) -> tuple[Any, ...]:
        texts = [
            label(field, key) if isinstance(field, RangeField) and key is not None else key
            for field, key in zip(fields, row, strict=False)
        ]
        return tuple(v.isoformat() if isinstance(v, date) else v for v in (*texts, *row[len(fields) :]))

    def measured_places(self, plan: Plan, measure: Measure) -> set[Any]:
        places: set[Any] = {grain_label(measure.of or plan.grain)}
        if measure.field is not None:
            places.add(self.place(measure.field, plan.grain))
        if isinstance(measure.per, Grain):
            places.add(grain_label(measure.per))
        elif measure.per is not None:
            places.add(self.place(measure.per, plan.grain))
        return places

    def grouped(self, plan: Plan, keyed: list[tuple[tuple[Any, ...], Row]]) -> list[tuple[Any, ...]]:
        groups: dict[tuple[Any, ...], list[Row]] = {} if plan.group_by else {(): []}
        for keys, row in keyed:
            if None not in keys:
                groups.setdefault(keys, []).append(row)
        table = []
        for keys, rows in groups.items():
            numbers = [self.measure(plan, measure, keys, rows, groups) for measure in plan.measures]
            if all(number_holds(numbers[bound.measure], bound.operator, bound.value) for bound in plan.group_having):
                table.append((*keys, *numbers))
        return table

    def measure(self, plan: Plan, measure: Measure, keys: Any, rows: list[Row], groups: Any) -> Any:
        of = measure.of or plan.grain
        stands = grain_label(of)

        def counts(row: Row) -> bool:
            """Whether the row's `of` node satisfies `having`."""
            if not measure.having:
                return True
            thing = row.get(stands)
            return thing is not None and all(self.holds(self.row_of(thing), of, part) for part in measure.having)

        if measure.aggregate is Aggregate.SHARE:
            here = things(rows, stands)
            if measure.having:
                return per_cent(things([row for row in rows if counts(row)], stands), here)
            within = measure.within if measure.within is not None else (plan.top.within if plan.top else ())
            alike = [
                row
                for other, members in groups.items()
                if all(other[index] == keys[index] for index in within)
                for row in members
            ]
            return per_cent(here, things(alike, stands))
        if measure.per is not None:
            return self.nested(plan, measure, rows, counts)
        rows = [row for row in rows if counts(row)]
        if measure.field is None:
            return len(things(rows, stands))
        place = self.place(measure.field, plan.grain)
        if measure.aggregate is Aggregate.COUNT:
            field = measure.field
            values = {self.of_thing(field, row.get(place)) for row in rows} - {None}
            return len({bucket(field, v) for v in values} if isinstance(field, RangeField) else values)
        return total(measure.aggregate, [self.measured(measure.field, thing) for thing in things(rows, place)])

    def nested(self, plan: Plan, measure: Measure, rows: list[Row], counts: Any) -> Any:
        parts: dict[Any, set[Thing]] = {}
        place = (
            grain_label(measure.of or plan.grain) if measure.field is None else self.place(measure.field, plan.grain)
        )
        for row in rows:
            if isinstance(measure.per, Grain):
                owner: Any = row.get(grain_label(measure.per))
            else:
                owner = self.of_thing(measure.per, row.get(self.place(measure.per, plan.grain)))  # type: ignore[arg-type]
            if owner is None:
                continue
            mine = parts.setdefault(owner, set())
            thing = row.get(place)
            if thing is not None and counts(row):
                mine.add(thing)
        if measure.field is None:
            return total(measure.aggregate, [len(mine) for mine in parts.values()])
        sums = [total(Aggregate.SUM, [self.measured(measure.field, t) for t in mine]) for mine in parts.values()]
        return total(measure.aggregate, sums)

    def measured(self, field: AnyField, thing: Thing) -> Any:
        value = self.of_thing(field, thing)
        is_text = isinstance(field, PropertyField) and field.property == "measure"
        return number(value) if is_text else value

    def row_of(self, thing: Thing) -> Row:
        match thing.label:
            case "Offer":
                return self.offer_row(thing.id)
            case "Product":
                return self.product_row(thing.id)
            case "Parameter":
                return self.parameter_row(thing.id)
        return {thing.label: thing}


def grain_label(grain: Grain) -> str:
    return grain.value.capitalize()


def things(rows: Iterable[Row], place: Any) -> set[Thing]:
    return {thing for row in rows if (thing := row.get(place)) is not None}


def per_cent(part: set[Thing], whole: set[Thing]) -> float | None:
    return 100 * len(part) / len(whole) if whole else None


def number(text: Any) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def total(aggregate: Aggregate, values: list[Any]) -> Any:
    known = [value for value in values if value is not None]
    if aggregate is Aggregate.SUM:
        return sum(known)
    if not known:
        return None
    function = {
        Aggregate.AVERAGE: statistics.fmean,
        Aggregate.MEDIAN: statistics.median,
        Aggregate.MINIMUM: min,
        Aggregate.MAXIMUM: max,
    }[aggregate]
    return function(known)


def period(unit: Unit, day: date | None) -> str | None:
    if day is None:
        return None
    year, week, _ = day.isocalendar()
    return {
        Unit.DAY: f"{day}",
        Unit.WEEK: f"{year}-W{week:02}",
        Unit.MONTH: f"{day:%Y-%m}",
        Unit.QUARTER: f"{day.year}-Q{(day.month - 1) // 3 + 1}",
        Unit.HALF: f"{day.year}-H{(day.month - 1) // 6 + 1}",
        Unit.YEAR: f"{day.year}",
    }[unit]


def bucket(field: RangeField, value: Any) -> int | None:
    """The number of the range that holds the value."""
    if value is None:
        return None
    if field.width is not None:
        return int(Fraction(str(value)) // Fraction(str(field.width)))
    return sum(value >= bound for bound in field.bounds)


def label(field: RangeField, index: int) -> str:
    """How the range is shown."""
    if field.width is not None:
        edges = [float(Fraction(str(field.width)) * number) for number in (index, index + 1)]
        return "-".join(f"{edge:.0f}" if field.width == int(field.width) else str(edge) for edge in edges)
    texts = [f"{bound:g}" for bound in field.bounds]
    if index == 0:
        return f"< {texts[0]}"
    return f"≥ {texts[-1]}" if index == len(texts) else f"{texts[index - 1]}-{texts[index]}"


def compares(compare: Compare, value: Any) -> bool:
    """Whether a field's value compares so."""
    if value is None:
        return False
    if isinstance(value, str) and not isinstance(compare.values[0], str):
        value = number(value)
        if value is None:
            return False
    if isinstance(value, date):
        value = value.isoformat()
    first = compare.values[0]
    match compare.operator:
        case Operator.IN:
            return value in compare.values
        case Operator.CONTAINS:
            return str(first).lower() in value.lower()
    return number_holds(value, compare.operator, first, exact=True)


def number_holds(value: Any, operator: Operator, bound: Any, *, exact: bool = False) -> bool:
    if value is None:
        return False
    if not exact:
        value = round(value, 6)
    return {
        Operator.EQUAL: value == bound,
        Operator.LESS: value < bound,
        Operator.AT_MOST: value <= bound,
        Operator.MORE: value > bound,
        Operator.AT_LEAST: value >= bound,
    }[operator]


def cut(plan: Plan, keys: int, table: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows in order, at most so many."""
    within = plan.top.within if plan.top else ()
    chosen = [(index, False) for index in within]
    chosen += [
        (order.column if order.column is not None else keys + (order.measure or 0), order.descending)
        for order in plan.order
    ]
    width = len(plan.group_by) + len(plan.measures) if plan.measures else len(plan.show)
    chosen += [(index, False) for index in range(width)]

    def compare(left: tuple[Any, ...], right: tuple[Any, ...]) -> int:
        for index, descending in chosen:
            a, b = (round(v, 6) if isinstance(v, float) else v for v in (left[index], right[index]))
            if a == b:
                continue
            if a is None or b is None:
                return 1 if a is None else -1
            return (1 if a > b else -1) * (-1 if descending else 1)
        return 0

    ordered = sorted(table, key=functools.cmp_to_key(compare))
    if plan.top is None:
        return ordered
    seen: dict[tuple[Any, ...], int] = defaultdict(int)
    kept = []
    for row in ordered:
        partition = tuple(row[index] for index in within)
        seen[partition] += 1
        if seen[partition] <= plan.top.count:
            kept.append(row)
    return kept

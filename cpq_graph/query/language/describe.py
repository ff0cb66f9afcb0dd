"""A plan in one plain sentence, English or Finnish.

Arrives: the plan itself, so that what is said is what is asked. Leaves: the sentence.
"""

import tomllib
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from importlib import resources

from cpq_graph.query.language.lexicon import Language
from cpq_graph.query.language.link import Linker
from cpq_graph.query.language.periods import DATE
from cpq_graph.query.plan import (
    Aggregate,
    AllOf,
    AnyField,
    AnyOf,
    Compare,
    Exists,
    FeatureField,
    Grain,
    Its,
    Measure,
    Not,
    Operator,
    PeriodField,
    Plan,
    RangeField,
    Scalar,
    Some,
)  # fmt: skip
from cpq_graph.query.plan import Condition as PlanCondition


@cache
def _tables(language: Language) -> dict[str, dict[str, str]]:
    text = resources.files(__package__).joinpath("descriptions.toml").read_text(encoding="utf-8")
    tables: dict[str, dict[str, str]] = tomllib.loads(text)[language]
    return tables


def describe(plan: Plan, linker: Linker, language: Language) -> str:
    """The sentence for a plan."""
    return _Describer(linker, language).plan(plan)


def describe_condition(condition: PlanCondition, linker: Linker, language: Language) -> str:
    """The words for one condition of a plan."""
    return _Describer(linker, language).condition(condition)


def assumptions(notes: Sequence[tuple[str, str]], linker: Linker, language: Language) -> str:
    """What was assumed, as sentences: pairs of the words and the note (`kind:what`)."""
    words = _tables(language)["words"]
    said, aside = [], []
    for text, note in notes:
        kind, _, what = note.partition(":")
        if kind == "assumed":
            said.append(words["value"].format(text, linker.label(what, language)))
        elif kind == "aside":
            aside.append(words["quoted"].format(text))
        elif kind == "role":
            said.append(words[f"role.{what}"].format(text))
        else:
            said.append(words["taken" if kind == "taken" else "party"].format(text, what))
    text = words["assumed"].format("; ".join(said)) if said else ""
    return text + (words["aside"].format(", ".join(aside)) if aside else "")


class _Describer:
    def __init__(self, linker: Linker, language: Language) -> None:
        self.linker = linker
        self.language: Language = language
        self.tables = _tables(language)
        self.words = _tables(language)["words"]

    def plan(self, plan: Plan) -> str:
        if plan.measures:
            text = ", ".join(self.measure(m, plan.grain) for m in plan.measures)
            subject = self.grain(plan.grain)
            if plan.measures[0].field is not None:
                text += f" ({subject})"
        else:
            text = self.words["list"].format(shown=", ".join(map(self.field, plan.show)), grain=self.grain(plan.grain))
        # A group that must have a value says so by being a group.
        shown = {*plan.group_by, *plan.show}
        where = [c for c in plan.where if not (isinstance(c, Exists) and c.field in shown)]
        if where:
            text += self.words["where"].format(self.all(where))
        if plan.group_by:
            text += self.words["by"].format(", ".join(map(self.field, plan.group_by)))
        for bound in plan.group_having:
            measure = self.measure(plan.measures[bound.measure], plan.grain)
            text += self.words["having"].format(f"{measure} {_sign(bound.operator)} {_number(bound.value)}")
        for order in plan.order:
            if order.measure is not None:
                text += self.words["most" if order.descending else "least"]
            elif not plan.measures and order.column is not None:
                name = self.field(plan.show[order.column])
                text += self.words["order"].format(name + (self.words["descending"] if order.descending else ""))
        if plan.top:
            text += self.words["top"].format(plan.top.count)
            if plan.top.within:
                text += self.words["within"].format(", ".join(self.field(plan.group_by[i]) for i in plan.top.within))
        return text[0].upper() + text[1:] + "."

    def grain(self, grain: Grain) -> str:
        return self.tables["grains"][grain.value]

    def field(self, x: AnyField) -> str:
        if isinstance(x, FeatureField):
            name = self.linker.label(x.ext_id, self.language)
            name = name if name.casefold() == x.ext_id.casefold() else f"{name} [{x.ext_id}]"
            return self.words["measure"].format(name) if x.part == "measure" else name
        if isinstance(x, PeriodField):
            return self.tables["units"][x.unit.value]
        if isinstance(x, RangeField):
            steps = _number(x.width) if x.width is not None else ", ".join(map(_number, x.bounds))
            return f"{self.field(x.of)} ({self.words['steps'].format(steps)})"
        key = f"{x.label}.{x.property}"
        name = self.tables["properties"].get(key, key)
        return f"{self.tables['roles'][x.role.value]} {name}" if x.role else name

    def measure(self, m: Measure, grain: Grain) -> str:
        if m.aggregate is Aggregate.COUNT:
            if m.of is not None:
                return self.words["number"].format(self.grain(m.of))
            assert m.field is not None  # noqa: S101 - a count is of nodes or of a field
            return self.words["different"].format(self.field(m.field))
        if m.aggregate is Aggregate.SHARE:
            text = self.words["share"].format(self.grain(m.of or grain))
            return text + (self.words["that"].format(self.all(m.having)) if m.having else "")
        what = self.field(m.field) if m.field is not None else self.words["number"].format(self.grain(m.of or grain))
        if m.per is not None:
            what += self.words["per"].format(self.grain(m.per) if isinstance(m.per, Grain) else self.field(m.per))
        return f"{self.tables['aggregates'][m.aggregate.value]} {what}"

    def all(self, conditions: Sequence[PlanCondition]) -> str:
        said: list[str] = []
        rest = list(conditions)
        while rest:
            first = rest.pop(0)
            span = _span(first, rest[0]) if rest else None
            if span is not None and isinstance(first, Compare):
                rest.pop(0)
                said.append(self.span(first.field, *span))
            else:
                said.append(self.condition(first))
        return self.words["and"].join(said)

    def span(self, x: AnyField, low: Scalar, high: Scalar) -> str:
        """A field between two ends: a calendar period by its name."""
        period = _period(str(low), str(high)) if x == DATE else None
        if period is None:
            return self.words["span"].format(field=self.field(x), low=_value(low), high=_value(high))
        return self.words["in"].format(field=self.field(x), period=period)

    def condition(self, c: PlanCondition) -> str:
        if isinstance(c, Compare):
            values = self.words["or"].join(_value(v) for v in c.values)
            sign = "=" if c.operator in {Operator.EQUAL, Operator.IN} else _sign(c.operator)
            return f"{self.field(c.field)} {sign} {values}"
        if isinstance(c, Exists):
            return self.words["has"].format(self.field(c.field))
        if isinstance(c, Not):
            return self.words["not"].format(self.condition(c.condition))
        if isinstance(c, AnyOf):
            return self.words["any"].format(self.words["or"].join(map(self.condition, c.conditions)))
        if isinstance(c, AllOf):
            return self.all(c.conditions)
        if isinstance(c, Its):
            return self.words["its"].format(self.grain(c.grain), self.all(c.where))
        return self.some(c)

    def some(self, c: Some) -> str:
        where = self.words["that"].format(self.all(c.where)) if c.where else ""
        one = self.tables["one"].get(c.grain.value, "")
        key = "some" if c.at_most is None else "none" if c.at_most == 0 else "at most" if not c.at_least else "between"
        if c.at_least is not None and c.at_least == c.at_most:
            key = "exactly"
        elif key == "some" and c.at_least == 1:
            key = "some one"
        return self.words[key].format(low=c.at_least, high=c.at_most, grain=self.grain(c.grain), where=where, one=one)


def _span(one: PlanCondition, other: PlanCondition) -> tuple[Scalar, Scalar] | None:
    """The ends of two conditions that bound one field, inclusive."""
    if not (isinstance(one, Compare) and isinstance(other, Compare) and one.field == other.field):
        return None
    if one.operator is not Operator.AT_LEAST or other.operator is not Operator.AT_MOST:
        return None
    return one.values[0], other.values[0]


def _period(low: str, high: str) -> str | None:
    """The calendar period from day to day: a year, half, quarter or month."""
    first, last = date.fromisoformat(low), date.fromisoformat(high) + timedelta(days=1)
    months = (last.year - first.year) * 12 + last.month - first.month
    if first.day != 1 or last.day != 1 or months not in {1, 3, 6, 12} or (first.month - 1) % months:
        return None
    part = (first.month - 1) // months + 1
    return {12: f"{first.year}", 6: f"{first.year}-H{part}", 3: f"{first.year}-Q{part}", 1: low[:7]}[months]


def _sign(operator: Operator) -> str:
    return {Operator.LESS: "<", Operator.AT_MOST: "≤", Operator.MORE: ">", Operator.AT_LEAST: "≥"}.get(
        operator, operator.value
    )


def _value(value: Scalar) -> str:
    return value if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e6 else f"{value:.0f}"

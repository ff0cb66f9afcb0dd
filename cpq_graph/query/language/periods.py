"""When: days, periods, ranges and lists of them, as conditions on the offer's date.

Arrives: items. Leaves: the same with every point in time as a `Condition` with the axis "period".
"""

from dataclasses import replace
from datetime import date, timedelta

from cpq_graph import model
from cpq_graph.query.language.dates import Period
from cpq_graph.query.language.items import Condition, Item, When, merged
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.scan import concept, means, replaced, skip
from cpq_graph.query.plan import AllOf, AnyOf, Compare, Grain, Not, Operator, PropertyField, Unit
from cpq_graph.query.plan import Condition as PlanCondition

DATE = PropertyField(label=model.OFFER.label, property="date")
_BEFORE = {
    "in",
    "dated",
    "prop.date",
    "cop",
    "between",
    "from",
    "of",
    "to",
    "since",
    "until",
    "before",
    "after",
    "comma",
}
_LISTED = {"and", "or", "comma", "compare"}
_RANGED = {"dash", "to", "until"}


def periods(items: list[Item], first: date | None, last: date | None) -> list[Item]:
    """Every point in time as a condition. `first` and `last` are the days of the graph's first and last offers: a month
    without a year is of the only year there is, else it is asked back."""
    items = _with_years(items, first, last)
    i = 0
    while i < len(items):
        if not isinstance(items[i].means, When):
            i += 1
            continue
        start, end, condition = _at(items, i)
        items = replaced(items, start, end, merged(items, start, end, condition))
        i = start + 1
    return _side_by_side(items)


_BETWEEN = {
    "and",
    "comma",
    "compare",
    "count",
    "howmuch",
    "ask",
    "cop",
    "of",
    "in",
    "entity.offer",
    "entity.product",
    "stop",
    "for",
    "prop.price",
    "agg.sum",
}


def _side_by_side(items: list[Item]) -> list[Item]:
    """ "How many in Q1 and how many in Q2", "those of July, and those of May": two periods of a kind as one condition
    that tells them apart; what is said again in between is said once."""
    places = [k for k, i in enumerate(items) if isinstance(i.means, Condition) and i.means.axis.startswith("period")]
    if len(places) != 2:
        return items
    a, b = places
    one, other = items[a].means, items[b].means
    between = items[a + 1 : b]
    if (
        not isinstance(one, Condition) or not isinstance(other, Condition)
        or one.unit is None or one.unit != other.unit or one.negated or other.negated
        or "&" in one.axis + other.axis
        or not all(i.concept in _BETWEEN for i in between)
        or not {"and", "comma", "compare"} & {i.concept for i in between}
    ):  # fmt: skip
        return items
    spans = tuple(c.conditions[0] if len(c.conditions) == 1 else AllOf(conditions=c.conditions) for c in (one, other))
    condition = Condition(Grain.OFFER, (AnyOf(conditions=spans),), f"period&{one.unit}", unit=one.unit)
    said = {i.concept for i in items[:a]}
    dropped = {"and", "comma", "compare", "ask", "cop", "of", "in", "for", "stop"} | said
    kept = [i for i in between if i.concept not in dropped or not i.concept]
    whole = replace(items[a], means=condition, text=f"{items[a].text}, {items[b].text}")
    return [*items[:a], whole, *kept, *items[b + 1 :]]


def _with_years(items: list[Item], first: date | None, last: date | None) -> list[Item]:
    """Gives periods without a year the year of the period they are joined to, or of the only other one."""
    whens = [i for i, item in enumerate(items) if isinstance(item.means, When)]
    years = {_period(items[i]).year for i in whens} - {None}
    found = list(items)
    for i in whens:
        period = _period(items[i])
        if period.year is not None:
            continue
        later = next((y for k in whens if k > i and (y := _period(items[k]).year)), None)
        earlier = next((y for k in reversed(whens) if k < i and (y := _period(found[k]).year)), None)
        year = later if later and _joined(items, i, whens) else earlier or later
        if year is None and len(years) == 1:
            year = next(iter(years))
        if year is None and first and last and first.year == last.year:
            year = first.year
        if year is None:
            choices = tuple(str(y) for y in range(first.year, last.year + 1)) if first and last else ()
            raise Problem("which_year", (("words", items[i].text),), choices=choices, span=(items[i].end, items[i].end))
        found[i] = merged(items, i, i + 1, When(period.in_year(year)))
    # A bare year that only completed another period ("in 2024, in the third quarter") says nothing of its own.
    kept: list[Item] = []
    whole = [p for i in whens if (p := _period(found[i])).unit != "year"]
    for item in found:
        meaning = item.means
        if (
            isinstance(meaning, When) and meaning.period.unit == "year" and len(whens) > 1 and not meaning.period.span
            and all(p.year == meaning.period.year for p in whole) and whole
            and any(_period(items[k]).year is None for k in whens)
            and all(m.period.unit != "year" or m is meaning for k in whens if isinstance(m := found[k].means, When))
        ):  # fmt: skip
            while kept and kept[-1].concept in {"in", "of", "comma"}:
                kept.pop()
            continue
        kept.append(item)
    return kept


def _joined(items: list[Item], i: int, whens: list[int]) -> bool:
    return any(concept(items, k) in _LISTED | _RANGED for k in range(i + 1, max(whens)))


def _period(item: Item) -> Period:
    assert isinstance(item.means, When)  # noqa: S101 - only called on those
    return item.means.period


def _at(items: list[Item], i: int) -> tuple[int, int, Condition]:
    """The condition of the period at `i` with what stands around it."""
    spans = [_bounds(items[i])]
    end = i + 1
    case_range = False
    while True:
        link = skip(items, end, _LISTED | _RANGED | {"in", "between", "from"} if end == i + 1 or True else ())
        if link == end or not isinstance(means(items, link), When):
            break
        kinds = {items[k].concept for k in range(end, link)}
        if not kinds & (_LISTED | _RANGED):
            break
        if kinds & _RANGED:
            spans[-1] = (spans[-1][0], _bounds(items[link])[1])
        else:
            spans.append(_bounds(items[link]))
        end = link + 1
    start = skip(items, i - 1, {"in", "dated", "cop", "between", "from", "of"}, step=-1)
    start = start if concept(items, start) in {"since", "until", "before", "after", "neg", "otherthan"} else start + 1
    leading = {items[k].concept for k in range(start, i)}
    if (
        concept(items, start) == "cop"
        and concept(items, start - 1) == "prop.date"
        and concept(items, start - 2) in {"rel", "whose", "comma"}
    ):
        # "whose date is 9 June", "joiden päiväys on 9.6."
        start = start - 2 if concept(items, start - 2) != "comma" else start - 1
    elif leading & {"cop"} and not leading & {"dated"}:
        start = next(k for k in range(i, start - 1, -1) if concept(items, k - 1) == "cop" or k == start)
        leading = {items[k].concept for k in range(start, i)}
    dated = skip(items, start - 1, {"cop", "in"}, step=-1)
    if concept(items, dated) == "prop.date" and concept(items, dated - 1) in {"rel", "whose", "comma", "have"}:
        # "whose date falls between A and B", "joiden päivämäärä on aikaisintaan A"
        start = dated if concept(items, dated - 1) == "comma" else dated - 1
    if "since" in leading and end > i + 1:
        # "Since A and until B"
        leading -= {"since"}
    trailing = concept(items, end)
    if len(spans) == 2 and (("between" in leading) or trailing == "between" or ({"from"} & leading and case_range)):
        spans = [(spans[0][0], spans[1][1])]
        end += trailing == "between"
    elif trailing in {"after", "before", "until", "from", "since", "in"}:
        if "from" in leading and items[end].text.lower() == "on":
            # "from 1 March on"
            trailing = "since"
        leading, end = leading | {trailing}, end + 1
    for low, high in spans:
        if low > high:
            raise Problem("empty_period", words=(items[i].text,))
    condition = _condition(spans, leading, items[i])
    negated = bool(leading & {"neg", "otherthan"})
    conditions: tuple[PlanCondition, ...] = condition
    if negated:
        conditions = (Not(condition=condition[0] if len(condition) == 1 else AllOf(conditions=condition)),)
    units = {_period(items[k]).unit for k in range(i, end) if isinstance(items[k].means, When)}
    if len(spans) > 1 and len(units) > 1 and Unit.DAY not in units:
        # "Q2 of 2025 and 2024": whether the whole year is meant stays open.
        raise Problem(
            "too_complex", words=tuple(items[k].text for k in range(i, end) if isinstance(items[k].means, When))
        )
    # Periods set side by side can be told apart again by their unit.
    axis = f"period&{next(iter(units))}" if len(spans) > 1 and len(units) == 1 else "period"
    unit = next(iter(units)) if len(units) == 1 and not leading & {"since", "until", "before", "after"} else None
    return start, end, Condition(Grain.OFFER, conditions, axis, negated=negated, unit=unit)


def _bounds(item: Item) -> tuple[date, date]:
    try:
        return _period(item).bounds()
    except ValueError:
        raise Problem("no_such_day", (("words", item.text),), words=(item.text,)) from None


def _condition(spans: list[tuple[date, date]], leading: set[str], item: Item) -> tuple[PlanCondition, ...]:
    low, high = spans[0][0], spans[-1][1]
    opened = leading & {"since", "until", "before", "after"}
    # "from 2024" alone means of 2024; lähtien and alkaen come as "since" only behind the period.
    if "from" in leading and item.text and "since" in leading:
        opened = {"since"}
    if opened:
        if len(spans) > 1:
            raise Problem("too_complex", words=(item.text,))
        word = next(iter(opened))
        return {
            "since": (_compare(Operator.AT_LEAST, low),),
            "until": (_compare(Operator.AT_MOST, high),),
            "before": (_compare(Operator.AT_MOST, low - timedelta(days=1)),),
            "after": (_compare(Operator.AT_LEAST, high + timedelta(days=1)),),
        }[word]
    if len(spans) == 1:
        return _within(low, high)
    whole = tuple(_within(a, b) for a, b in spans)
    return (AnyOf(conditions=tuple(c[0] if len(c) == 1 else AllOf(conditions=c) for c in whole)),)


def _within(low: date, high: date) -> tuple[PlanCondition, ...]:
    if low == high:
        return (_compare(Operator.EQUAL, low),)
    return (_compare(Operator.AT_LEAST, low), _compare(Operator.AT_MOST, high))


def _compare(operator: Operator, day: date) -> Compare:
    return Compare(field=DATE, operator=operator, values=(day.isoformat(),))

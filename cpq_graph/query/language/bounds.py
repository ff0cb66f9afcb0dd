"""Comparisons with numbers: "over 2000 mm", "60–100 W", "at least two", "2 metriä tai pidempi".

Arrives: items. Leaves: the same with every comparison as one `Bound`, behind the feature that its words imply
("longer than" is a length) where they do.
"""

from dataclasses import replace

from cpq_graph.query.language.items import Bound, FeatureRef, Identifier, Item, Number, ValueRef, Word, merged
from cpq_graph.query.language.link import Linker
from cpq_graph.query.language.result import Problem

_COMPARISONS = {"cmp.more", "cmp.less", "cmp.atleast", "cmp.atmost", "cmp.exactly"}


def bounds(items: list[Item], linker: Linker) -> list[Item]:
    """Every comparison with a number as a `Bound`."""
    found: list[Item] = []
    i = 0
    while i < len(items):
        taken = _range(items, i) or _compared(items, i) or _equal(items, i)
        if taken:
            item, i = taken
            found.append(item)
        else:
            found.append(items[i])
            i += 1
    return _implied(found, linker)


def _concept(items: list[Item], i: int) -> str:
    return items[i].concept if 0 <= i < len(items) else ""


def _number(items: list[Item], i: int) -> Number | None:
    if not 0 <= i < len(items):
        return None
    item = items[i]
    if isinstance(item.means, Number):
        return item.means
    # "2024" reads as a year first, "57W" may read as a value first.
    for other in item.others:
        if isinstance(other, Number) and isinstance(item.means, ValueRef | Identifier):
            return other
    return Number(1) if item.text.lower() in {"one", "a", "an"} and i and items[i - 1].concept in _COMPARISONS else None


def _range(items: list[Item], i: int) -> tuple[Item, int] | None:
    """60–100 W, between 60 and 100 W, from 60 to 100 W, 60 ja 100 W välillä, välillä 60–100 W."""
    start = i + (_concept(items, i) in {"between", "from"})
    opened = start > i
    low = _number(items, start)
    # After "than", a year is not meant: only plain numbers make ranges.
    link = _concept(items, start + 1)
    high = _number(items, start + 2)
    if link == "cmp.atmost" and opened and items[start + 1].text.lower() == "up to":
        link = "to"
    if low is None or high is None or link not in {"dash", "and", "to", "range.to"}:
        return None
    closed = _concept(items, start + 3) == "between"
    if link == "and" and not (opened or closed):
        return None
    if link == "to" and not (opened or closed or high.unit):
        return None
    unit = high.unit or low.unit
    if low.unit and high.unit and low.unit != high.unit:
        return None
    low_value = low.value
    if low.unit is None and high.unit is not None:
        low_value = _same_scale(items[start + 2], low.value, high)
    if low_value > high.value:
        return None
    end = start + 3 + closed
    return merged(items, i, end, Bound(low_value, high.value, unit=unit)), end


def _same_scale(item: Item, value: float, high: Number) -> float:
    """In "2–3 m" the first number is in metres too."""
    written = "".join(c for c in item.text.split()[0] if c.isdigit() or c in ".,").replace(",", ".")
    try:
        return value * (high.value / float(written))
    except (ValueError, ZeroDivisionError):
        return value


def _compared(items: list[Item], i: int) -> tuple[Item, int] | None:
    concept = _concept(items, i)
    adjective = concept if concept.startswith("adj.") and concept.endswith((".more", ".less")) else ""
    negated = concept == "neg" and _concept(items, i + 1) in {"cmp.more", "cmp.less"}
    at = i + negated
    if _concept(items, at) not in _COMPARISONS and not adjective:
        return None
    at += 1
    while _concept(items, at) in {"than", "of"}:
        at += 1
    number = _number(items, at)
    if number is None:
        return None
    kind = (
        {"more": "cmp.more", "less": "cmp.less"}[adjective.rpartition(".")[2]] if adjective else _concept(items, at - 1)
    )
    if not adjective:
        kind = items[i + negated].concept
    if negated:
        kind = {"cmp.more": "cmp.atmost", "cmp.less": "cmp.atleast"}[kind]
    bound = {
        "cmp.more": Bound(low=number.value, low_open=True),
        "cmp.less": Bound(high=number.value, high_open=True),
        "cmp.atleast": Bound(low=number.value),
        "cmp.atmost": Bound(high=number.value),
        "cmp.exactly": Bound(values=(number.value,)),
    }[kind]
    end = at + 1
    # "more than 60 but less than 100 W"
    second = _compared(items, end + 1) if _concept(items, end) in {"and", "but"} else None
    bound = replace(bound, unit=number.unit)
    if second and isinstance(second[0].means, Bound) and not adjective:
        other = second[0].means
        if bound.low is not None and bound.high is None and other.high is not None and other.low is None:
            bound = replace(bound, high=other.high, high_open=other.high_open, unit=other.unit or bound.unit)
            end = second[1]
    item = merged(items, i, end, bound)
    if adjective:
        item = replace(item, others=(Word("adj." + adjective.split(".")[1] + ".is"),))
    return item, end


def _equal(items: list[Item], i: int) -> tuple[Item, int] | None:
    """A number with a unit, or one followed by "or more": 60 W, 60 W or more, 1200, 1500 or 1800 mm."""
    number = _number(items, i)
    if number is None:
        return None
    after = _concept(items, i + 1)
    if after == "post.atleast":
        return merged(items, i, i + 2, Bound(low=number.value, unit=number.unit)), i + 2
    if after == "post.atmost":
        return merged(items, i, i + 2, Bound(high=number.value, unit=number.unit)), i + 2
    values, end, unit = [number], i + 1, number.unit
    while _concept(items, end) in {"or", "and", "comma"} and (following := _number(items, end + 1)):
        if following.unit and unit and following.unit != unit:
            break
        if _concept(items, end + 2).startswith("post."):
            break
        unit = unit or following.unit
        values.append(following)
        end += 2
    if unit is None:
        return None
    if values[-1].unit is None:
        # "60 W and 3 most popular…": the last number is another thing.
        while values and values[-1].unit is None:
            values.pop()
            end -= 2
    if not values:
        return None
    scaled = tuple(v.value if v.unit else _same_scale(items[end - 1], v.value, values[-1]) for v in values)
    return merged(items, i, end, Bound(values=scaled, unit=unit)), end


def _implied(items: list[Item], linker: Linker) -> list[Item]:
    """Puts the feature that an adjective implies before its bound: "2000 mm long", "longer than 2000 mm"."""
    found: list[Item] = []
    i = 0
    while i < len(items):
        item = items[i]
        if not isinstance(item.means, Bound):
            found.append(item)
            i += 1
            continue
        adjective = next((o for o in item.others if isinstance(o, Word)), None)
        end = i + 1
        if adjective is None and items[i + 1 : i + 2] and _is_adjective(items[i + 1]):
            adjective, end = Word(items[i + 1].concept), i + 2
        if adjective is None:
            found.append(replace(item, others=()))
            i += 1
            continue
        word = adjective.concept.split(".")[1]
        features = linker.named(word)
        if not features:
            raise Problem("no_feature", (("word", word),), words=(item.text,))
        found.append(Item(item.start, item.start, word, FeatureRef(features), note=item.note))
        whole = merged(items, i, end, item.means)
        found.append(replace(whole, others=()))
        i = end
    return found


def _is_adjective(item: Item) -> bool:
    return item.concept.startswith("adj.") and item.concept.endswith(".is")

"""What the question sets side by side: groupings, combinations, quantities.

Arrives: items with conditions. Leaves: the same with `Group`, combined `Fields` and `Quantity` items.
"""

from dataclasses import replace

from cpq_graph.query.language.frame import NUMERIC
from cpq_graph.query.language.items import (
    PARTIES,
    Bound,
    Condition,
    Fields,
    Group,
    Item,
    Number,
    Quantity,
    Word,
    merged,
)
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.offers import MEASURE
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.role_phrases import verb_of
from cpq_graph.query.language.scan import concept, means, replaced, skip
from cpq_graph.query.plan import Grain, PropertyField, Unit

_RANKED = {"top", "highest", "lowest"}
_LEADING = {"by", "per", "each"}
_JOINS = {"comma", "and", "slash", "dash", "by", "per", "each"}
_NUMERIC = (*NUMERIC, MEASURE)


def groupable(item: Item) -> bool:
    """Whether one can group by it."""
    if isinstance(item.means, Fields):
        return not any(f in _NUMERIC for f in item.means.fields if isinstance(f, PropertyField))
    return item.concept.startswith(("entity.", "rolenoun.", "unit.")) or item.concept in {"prop.name", "when"}


def combinations(items: list[Item]) -> list[Item]:
    """ "combinations of length, power and colour", "värin ja tehon yhdistelmät" as one combined item."""
    places = [k for k, x in enumerate(items) if x.concept == "entity.combination"]
    ranked = [
        k
        for k in places
        if concept(items, k - 1) in {"popular", "top", "each"} or isinstance(means(items, k - 1), Number)
    ]
    if len(places) > 1 and len(ranked) == 1:
        # "How do people combine A, B and C, top five combinations": the one that is ranked is asked for.
        items = [x for k, x in enumerate(items) if k not in places or k in ranked]
    i = 0
    while i < len(items):
        if items[i].concept != "entity.combination":
            i += 1
            continue
        end, keys = _list(items, skip(items, i + 1, {"of", "between", "and", "stop", "in", "rel"}), tight=True)
        fields = [f for k in keys if isinstance(k.means, Fields) for f in k.means.fields]
        if len(fields) >= 2 and all(isinstance(k.means, Fields) for k in keys):
            items = replaced(items, i, end, merged(items, i, end, Fields(tuple(fields), Grain.PRODUCT, combined=True)))
            i += 1
            continue
        # The list stands in front: "length-power combinations", "värin ja tehon suosituimmat yhdistelmät".
        stop = i
        while stop and (
            items[stop - 1].concept in {"popular", "unpopular", "different"}
            or isinstance(means(items, stop - 1), Number)
        ):
            stop -= 1
        start, keys = _list_before(items, stop)
        fields = [f for k in keys if isinstance(k.means, Fields) for f in k.means.fields]
        if len(fields) < 2 or not all(isinstance(k.means, Fields) for k in keys):
            if found := _elsewhere(items, i):
                items = found
                continue
            raise Problem("combination_of_what", words=(items[i].text,))
        whole = merged(items, start, i + 1, Fields(tuple(fields), Grain.PRODUCT, combined=True))
        items = [*items[:start], *items[stop:i], whole, *items[i + 1 :]]
        i = start + 1
    return items


def _elsewhere(items: list[Item], i: int) -> list[Item] | None:
    """ "Length, colour and optics: which combinations are most popular", "which combinations were ordered, of …": the
    one list of features that stands apart, put in the place of the word."""
    runs: list[tuple[int, int]] = []
    k = 0
    while k < len(items):
        featured = isinstance(means(items, k), Fields)
        end, keys = _list(items, k, tight=True) if featured else (k, [])
        if len(keys) > 1 and all(isinstance(x.means, Fields) and x.means.grain is Grain.PRODUCT for x in keys):
            runs.append((k, end))
        k = max(end, k + 1)
    if len(runs) != 1:
        return None
    start, end = runs[0]
    fields = tuple(f for x in _list(items, start, tight=True)[1] if isinstance(x.means, Fields) for f in x.means.fields)
    whole = replace(items[i], means=Fields(fields, Grain.PRODUCT, combined=True), others=())
    left = start
    while left and items[left - 1].concept in {"of", "stop", "ask", "comma"} and left - 1 != i:
        left -= 1
    return [whole if k == i else x for k, x in enumerate(items) if not left <= k < end or k == i]


def groups(items: list[Item]) -> list[Item]:
    """Every grouping as a `Group`."""
    i = 0
    while i < len(items):
        item = items[i]
        if item.concept == "accordingto" and concept(items, i - 1) == "agg.sum" and i > 1:
            # "kokonaishintojen summan mukaan"
            items = replaced(items, i - 1, i)
            i -= 1
        elif item.concept == "accordingto":
            start, keys = _list_before(items, i, joined=True)
            priced = isinstance(means(items, i - 1), Fields) and not groupable(items[i - 1])
            if not keys and _RANKED & {k.concept for k in items} and (priced or concept(items, i - 1) == "count"):
                # "Top 5 asiakasta tarjousten määrän mukaan": what the list is ordered by.
                by = replace(item, means=Word("by"))
                counted = [items[i - 1], items[i - 2]] if not priced else [items[i - 1]]
                rest = replaced(items, i - len(counted), i + 1)
                # Behind the ranking, where such a phrase is looked for.
                end = len(rest) - (concept(rest, len(rest) - 1) == "stop")
                items = replaced(rest, end, end, by, *counted)
                continue
            if not keys and concept(items, i - 1) == "count":
                # "kappalemäärät mukaan": the counts too.
                items = replaced(items, i, i + 1)
                continue
            if not keys:
                raise Problem("group_by_what", words=(item.text,))
            first = start - 1 if concept(items, start - 1) in {"per", "each"} else start
            each = concept(items, start - 1) == "each"
            # "… nimen mukaan ryhmiteltynä"
            end = (
                i + 2
                if concept(items, i + 1) == "per" and not (i + 2 < len(items) and groupable(items[i + 2]))
                else i + 1
            )
            items = replaced(items, first, end, merged(items, first, end, Group(tuple(keys), each)))
            i = first + 1
        elif item.concept == "by" and concept(items, i + 1) == "ask" and _asked_by(items):
            # "By which user was it handled?"
            i += 1
        elif item.concept in _LEADING:
            at = skip(items, i + 1, {"each", "per", "ask", "different", "in", "of", "by", "all"})
            # "kullakin vuoden 2024 neljänneksellä", "each 2024 quarter": what stands between stays what it is.
            between: list[Item] = []
            if item.concept in {"each", "per"}:
                while isinstance(means(items, at), Condition) or (
                    at < len(items) and verb_of(items[at]) and (between or concept(items, at + 1) == "entity.offer")
                ):
                    between.append(items[at])
                    at += 1
                if (
                    between
                    and concept(items, at) == "entity.offer"
                    and at + 1 < len(items)
                    and groupable(items[at + 1])
                ):
                    between.append(items[at])
                    at += 1
            if (
                item.concept == "each"
                and at + 1 < len(items)
                and items[at].concept == "entity.offer"
                and items[at].case is Case.GENITIVE
            ):
                between.append(items[at])
                at += 1
                while isinstance(means(items, at), Condition):
                    between.append(items[at])
                    at += 1
            end, keys = _list(items, at)
            ranked = (
                _RANKED & {k.concept for k in items}
                and keys[:1]
                and keys[0].concept in {"entity.offer", "entity.product"}
            )
            if not keys and item.concept == "per" and isinstance(means(items, i - 1), Group):
                # "kuukausittain eriteltynä"
                items = replaced(items, i, i + 1)
                continue
            if not keys or (ranked and item.concept == "by"):
                i += 1
                continue
            end = end + 1 if concept(items, end) == "accordingto" else end
            each = "each" in {items[k].concept for k in range(i, at)}
            # "each offer dated …": the conditions of the entity follow and stay where they are.
            start = i - 1 if concept(items, i - 1) in {"in", "of", "and"} and each else i
            items = replaced(items, start, end, merged(items, start, end, Group(tuple(keys), each)), *between)
            i = start + 1
        elif item.concept == "different" and _goes_through(items, i):
            # "How many black ones did the different companies order": of each of them.
            items = replaced(items, i, i + 2, merged(items, i, i + 2, Group((items[i + 1],))))
            i += 1
        elif item.concept.startswith("unitly."):
            key = replace(item, means=Word("unit." + item.concept[7:]))
            items = replaced(items, i, i + 1, merged(items, i, i + 1, Group((key,))))
            i += 1
        elif item.case is Case.DISTRIBUTIVE and groupable(item):
            start, keys = i, [item]
            before = means(items, i - 2)
            if isinstance(before, Group) and items[i - 1].concept in {"and", "comma"}:
                items = replaced(
                    items, i - 2, i + 1, merged(items, i - 2, i + 1, Group((*before.keys, item), before.each))
                )
                i -= 1
                continue
            while (
                start > 1
                and items[start - 1].concept in {"and", "comma"}
                and items[start - 2].case is Case.DISTRIBUTIVE
            ):
                start -= 2
                keys.insert(0, items[start])
            items = replaced(items, start, i + 1, merged(items, start, i + 1, Group(tuple(keys))))
            i = start + 1
        else:
            i += 1
    return items


def _goes_through(items: list[Item], i: int) -> bool:
    """Whether "different" people or companies are gone through: something else is counted, and they do something."""
    counted = any(k.concept == "count" and concept(items, n + 1) != "different" for n, k in enumerate(items))
    named = concept(items, i + 1).startswith(PARTIES)
    shown = concept(items, i - 1) in {"count", "ask", "ask.do", "of", "to", "by"}
    counts_them = concept(items, i + 2) == "count"
    return named and counted and not (shown or counts_them) and any(verb_of(k) for k in items[i + 2 :])


def _asked_by(items: list[Item]) -> bool:
    """Whether "by which …" asks who did it, rather than what to group by."""
    counted = {"count", "howmuch", "share", "most", "fewest", "popular"} & {k.concept for k in items}
    return any(verb_of(k) for k in items) and not counted


def _list(items: list[Item], i: int, *, tight: bool = False) -> tuple[int, list[Item]]:
    """The groupable items from `i` on that commas and "and" join; where they end. `tight`: or nothing joins."""
    keys: list[Item] = []
    end = i
    while end < len(items) and groupable(items[end]):
        if items[end].concept == "entity.combination":
            end += 1
            continue
        if items[end].concept == "entity.offer" and _of_offer(items, end + 1):
            # "per offer language": whose the property is.
            end += 1
            continue
        keys.append(items[end])
        end += 1
        # "name of the participant", "participant name": one key, the more telling one.
        if concept(items, end) == "prop.name" and keys[-1].concept.startswith(("entity.", "rolenoun.")):
            end += 1
        if (
            keys[-1].concept == "prop.name"
            and concept(items, end) == "of"
            and end + 1 < len(items)
            and groupable(items[end + 1])
        ):
            keys.pop()
            end += 1
            continue
        link = skip(items, end, {"comma", "and", "slash", "dash"} if tight else _JOINS)
        if (link == end and not tight) or link >= len(items) or not groupable(items[link]):
            break
        end = link
    return end, keys


def _of_offer(items: list[Item], i: int) -> bool:
    """Whether a property of offers to group by stands there: its status, its language."""
    meaning = means(items, i)
    return isinstance(meaning, Fields) and meaning.grain is Grain.OFFER and groupable(items[i])


def _list_before(items: list[Item], end: int, *, joined: bool = False) -> tuple[int, list[Item]]:
    """The groupable items that end at `end`, joined by commas and "and" (or by nothing, unless `joined`)."""
    keys: list[Item] = []
    start = end
    while start and groupable(items[start - 1]):
        if (
            concept(items, start - 1) == "prop.name"
            and start > 1
            and items[start - 2].concept.startswith(("entity.", "rolenoun."))
        ):
            start -= 1
            continue
        if items[start - 1].concept == "entity.offer" and keys and _of_offer(items, start):
            start -= 1
            continue
        keys.insert(0, items[start - 1])
        start -= 1
        before = skip(items, start - 1, {"comma", "and", "slash", "dash"}, step=-1) + 1
        if before == start:
            if joined or not (start and groupable(items[start - 1])):
                break
            continue
        if not (before and groupable(items[before - 1])):
            break
        start = before
    return start, keys


def quantities(items: list[Item]) -> list[Item]:
    """ "more than 3 products", "at least two black Mode P luminaires", "over 5 offers"."""
    i = 0
    while i < len(items):
        bound = items[i].means
        if not isinstance(bound, Bound) or bound.unit not in {None, "pcs"}:
            i += 1
            continue
        at = i + 1
        while _describes(items, at):
            at += 1
        entity = concept(items, at)
        if entity in {"entity.offer", "entity.product"}:
            kept = [k for k in items[i + 1 : at] if not k.concept or verb_of(k)]
            quantity = merged(items, i, at + 1, _quantity(entity, bound, items[i]))
            items = replaced(items, i, at + 1, quantity, *kept)
        elif (noun := _quantified(items, i)) is not None:
            # "joilla tarjouksia on yli 2 kappaletta"
            end = i + 2 if concept(items, i + 1) == "count" else i + 1
            quantity = merged(items, i, i + 1, _quantity(concept(items, noun), bound, items[i]))
            items = [*items[:noun], *items[noun + 1 : i], quantity, *items[end:]]
            i -= 1
        elif at > i + 1:
            quantity = merged(items, i, i + 1, _quantity("entity.product", bound, items[i]))
            items = replaced(items, i, i + 1, quantity)
        i += 1
    return items


def _quantified(items: list[Item], i: int) -> int | None:
    """The noun in front of an amount that is said of it: "tuotteita on useampia kuin kolme"."""
    k = i - 1
    while isinstance(means(items, k), Condition) or concept(items, k) in {"cop", "have"}:
        k -= 1
    plain = concept(items, k) in {"entity.offer", "entity.product"} and k < i - 1 and concept(items, k - 1) != "ask"
    return k if plain and items[k].text.lower().endswith(("ia", "iä", "ita", "itä")) else None


def _describes(items: list[Item], i: int) -> bool:
    """Whether an item may stand between an amount and its noun: "two black luminaires", "five received offers"."""
    meaning = means(items, i)
    if isinstance(meaning, Condition):
        return meaning.grain is Grain.PRODUCT
    return concept(items, i) in {"of", "different"} or (i < len(items) and verb_of(items[i]) is not None)


def _quantity(entity: str, bound: Bound, item: Item) -> Quantity:
    if bound.values:
        if len(bound.values) > 1:
            raise Problem("too_complex", words=(item.text,))
        return Quantity(entity, int(bound.values[0]), int(bound.values[0]))
    low = None if bound.low is None else int(bound.low) + (1 if bound.low_open else 0)
    high = None if bound.high is None else int(bound.high) - (1 if bound.high_open else 0)
    return Quantity(entity, low, high)


def unit_of(item: Item) -> Unit:
    """The calendar unit that an item names."""
    return Unit(item.concept.split(".")[1])

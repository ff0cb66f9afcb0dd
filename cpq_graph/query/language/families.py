"""Conditions on the product family, with negation.

Arrives: items. Leaves: the same with families as `Condition`s; families joined by "and" have the axis "family&".
"""

import re
from dataclasses import replace

from cpq_graph import model
from cpq_graph.query.language.items import Condition, FamilyRef, Item, merged
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.scan import concept, means, replaced, skip
from cpq_graph.query.language.tokens import fold
from cpq_graph.query.plan import Compare, Grain, Not, Operator, PropertyField
from cpq_graph.query.plan import Condition as PlanCondition

FAMILY_NAME = PropertyField(label=model.PRODUCT_FAMILY.label, property="name")
_NOT = {"neg", "otherthan", "other"}
_ONE_FAMILY = re.compile("family|(?:tuote|valaisin)?perhe(?:en|essa|esta|eseen|tta|eksi|ella|elle|elta)?")
_ASKED = {"ask", "count", "different", "each", "per", "by", "ask.do", "all"}


def families(items: list[Item]) -> list[Item]:
    """Every family as a condition. Raises Problem with the choices for a name of several."""
    i = 0
    while i < len(items):
        if not isinstance(items[i].means, FamilyRef):
            i += 1
            continue
        end, names, joined = i, [], "or"
        while isinstance(meaning := means(items, end), FamilyRef):
            names.append(_one_family(items[end], meaning))
            end += 1
            # "families A and B", "A luminaires and B luminaires"
            after = skip(items, end, {"entity.family", "entity.product", "count"})
            link = skip(items, after, {"comma", "and", "or", "dash", "compare", "rel"})
            following = skip(items, link, {"entity.family", "entity.product", "in", "of", "for", "count", "ask"})
            if link == after or not isinstance(means(items, following), FamilyRef):
                break
            if {"and", "compare"} & {items[k].concept for k in range(after, link)}:
                joined = "and"
            end = following
        if concept(items, i - 1) == "entity.family" and _apposed(items, i - 1):
            # "perheestä F", "the family F"
            items = replaced(items, i - 1, i)
            i, end = i - 1, end - 1
        if concept(items, end) == "entity.family" and items[end].text.lower().endswith(("family", "perhe", "perheen")):
            # "the F family"
            end += 1
        start, negated = _negation(items, i)
        start = start if negated else i
        other = negated and items[start].concept != "neg"
        compare = Compare(
            field=FAMILY_NAME,
            operator=Operator.EQUAL if len(names) == 1 else Operator.IN,
            values=tuple(dict.fromkeys(names)),
        )
        conditions: tuple[PlanCondition, ...] = (Not(condition=compare),) if negated else (compare,)
        axis = "family" if joined == "or" or len(names) == 1 else "family&"
        items = replaced(
            items,
            start,
            end,
            merged(items, start, end, Condition(Grain.PRODUCT, conditions, axis, negated=negated, other=other)),
        )
        i = start + 1
    return items


def families_apart(items: list[Item]) -> list[Item]:
    """ "How many F did we sell in 2024, and how many G": two families as one condition that tells them apart; what is
    said again of the second is said once."""
    places = [k for k, i in enumerate(items) if isinstance(i.means, Condition) and i.means.axis == "family"]
    told = [items[k].means for k in places]
    if len(places) != 2 or any(isinstance(c, Condition) and (c.negated or c.only) for c in told):
        return items
    compares = [c.conditions[0] for c in told if isinstance(c, Condition)]
    names = tuple(v for c in compares if isinstance(c, Compare) for v in c.values)
    both = Compare(field=FAMILY_NAME, operator=Operator.IN, values=names)
    first, second = places
    said = {i.concept for i in items[:second] if i.concept}
    again = {"count", "howmuch", "entity.product", "entity.family", "and", "comma", "compare"} & said
    between = [i for i in items[first + 1 : second] if i.concept not in {"and", "comma", "compare"}]
    counted = any(i.concept in {"count", "howmuch"} for i in items[:first])
    between = [i for i in between if not (counted and i.concept in {"count", "howmuch"})]
    rest = [i for i in items[second + 1 :] if i.concept not in again]
    whole = replace(items[first], means=Condition(Grain.PRODUCT, (both,), "family&"))
    return [*items[:first], whole, *between, *rest]


def _apposed(items: list[Item], i: int) -> bool:
    """Whether a noun says of the name behind it that it is a family's: "the family F", "perheen F"."""
    word = fold(items[i].text).split()[-1]
    plain = word in {"family", "perhe", "tuoteperhe", "valaisinperhe"}
    return bool(_ONE_FAMILY.fullmatch(word)) and not (plain and concept(items, i - 1) in _ASKED)


def _one_family(item: Item, ref: FamilyRef) -> str:
    if len(ref.names) > 1:
        raise Problem("ambiguous_family", (("words", item.text),), choices=ref.names, span=(item.start, item.end))
    return ref.names[0]


def _negation(items: list[Item], i: int) -> tuple[int, bool]:
    """Where a negation in front of `i` starts: "not", "other than", "not in", "is not configured as"."""
    start = skip(items, i - 1, {"as", "in", "configured", "than", "cop", "entity.family"}, step=-1)
    if concept(items, start) in _NOT:
        return start, True
    return i, False

"""What is said of all products of an offer, or of none: "only", "without", "whose products are all F".

Arrives: items with conditions. Leaves: the same without these words, the conditions that they are said of marked.
"""

from dataclasses import replace

from cpq_graph.query.language.items import Condition, Item, Meaning, merged
from cpq_graph.query.language.scan import concept, means, replaced, skip
from cpq_graph.query.plan import Grain

_MISSING = ("puuttu", "puutu", "missing", "absent")
# What may stand between such a word and what it is said of.
_BETWEEN = frozenset(
    "contain configured entity.product have cop of as in rel and any entity.family atleastone comma".split()
)


def exclusives(items: list[Item]) -> list[Item]:
    """Marks the conditions that "only" or "without" is said of, and drops the words."""
    i = 0
    while i < len(items):
        kind = items[i].concept
        if kind in {"all", "each"} and _all_products(items, i):
            kind = "only"
        if kind not in {"only", "without", "neg", "otherthan"}:
            i += 1
            continue
        at = skip(items, i + 1, _BETWEEN)
        passed = {items[k].concept for k in range(i + 1, at)}
        condition = means(items, at)
        if found := _said_behind(items, i, kind, condition):
            described, marked = found
            items = replaced(items, described, i + 1, replace(items[described], means=marked))
            i = described + 1
            continue
        if not isinstance(condition, Condition) or condition.grain is not Grain.PRODUCT:
            i += 1
            continue
        if kind in {"neg", "otherthan"} and not passed & {"contain", "have"}:
            i += 1
            continue
        marked = (
            replace(condition, only=True)
            if kind == "only"
            else replace(condition, negated=True, axis="none:" + condition.axis)
        )
        item = replace(merged(items, i, at + 1, marked), end=items[at].end)
        items = replaced(items, i, at + 1, item)
        i += 1
    return items


def _said_behind(items: list[Item], i: int, kind: str, following: Meaning | None) -> tuple[int, Condition] | None:
    """The condition in front of the word at `i`, marked by it: "with F products only", "in which F is missing"."""
    described = skip(items, i - 1, {"entity.product", "cop"}, step=-1)
    before = means(items, described)
    if not isinstance(before, Condition) or before.grain is not Grain.PRODUCT or before.negated:
        return None
    alone = concept(items, i + 1) in {"", "stop", "comma", "and"} and not isinstance(following, Condition)
    if kind == "only" and alone and before.axis == "family":
        return described, replace(before, only=True)
    if kind == "without" and items[i].text.lower().startswith(_MISSING):
        return described, replace(before, negated=True, axis="none:" + before.axis)
    return None


def _all_products(items: list[Item], i: int) -> bool:
    """ "whose products are all F", "joiden kaikki tuotteet ovat perhettä F"."""
    before = [items[k].concept for k in range(max(0, i - 4), i)]
    after = [items[k].concept for k in range(i + 1, min(len(items), i + 4))]
    relative = {"whose", "rel"}
    following = means(items, i + 2)
    if "entity.offer" in before and before[-1:] == ["comma"] and after[:1] == ["entity.product"]:
        # "offers of 2024, all products F"
        return isinstance(following, Condition) and following.axis == "family"
    if (
        after[:1] == ["entity.product"]
        and after[1:2]
        and after[1] in {"cop", "configured", "contain", "have"}
        and "entity.offer" in (k.concept for k in items[:i])
    ):
        # "In how many offers are all products F", "… tarjouksessa kaikki tuotteet ovat perhettä F"
        verbs = {"of", "entity.family", "entity.product", "cop", "configured", "contain", "have", "as", "only"}
        told = means(items, skip(items, i + 3, verbs))
        return isinstance(told, Condition) and told.grain is Grain.PRODUCT and before[-1:] != ["of"]
    if before[-1:] == ["cop"] and after[:1] == ["entity.product"] and "entity.offer" in before:
        return isinstance(following, Condition) and following.axis == "family"
    return bool(relative & set(before)) and (
        ("entity.product" in before and "cop" in before)
        or (bool(after) and after[0] == "entity.product" and bool({"cop", "configured"} & set(after)))
    )

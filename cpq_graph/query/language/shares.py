"""Which conditions a share divides by, and which it counts.

Arrives: a frame that asks for a share. Leaves: the counted unit, the conditions of the denominator and of the
numerator; None when the question only asks for the share of each group.
"""

from cpq_graph.query.language.frame import Frame
from cpq_graph.query.language.items import Condition, Item
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.result import Problem
from cpq_graph.query.plan import Grain

_VERBS = {"cop", "have", "contain", "configured", "neg", "without", "otherthan"}
Split = tuple[Grain, list[Condition], list[Condition]]
Places = list[tuple[int, Condition]]


def split_share(f: Frame) -> Split | None:
    """The parts of a share."""
    at = f.share_at
    assert at is not None  # noqa: S101 - the caller looked
    places = [(k, it.means) for k, it in enumerate(f.items) if isinstance(it.means, Condition)]
    if not places:
        return None
    numerator = _before_share(f, at, places) or _before_among(f, at, places) or _behind_verb(f, at, places)
    numerator = numerator or _in_value(f, at, places)
    if f.keys and not numerator:
        # "percentage by colour" is of each group; of what "the share of black ones by family" is part stays open.
        if any(c.grain is Grain.PRODUCT and c.axis.startswith("feature:") for _, c in places):
            raise Problem("share_of_what")
        return None
    numerator = numerator or _feature_of_family(f, at, places)
    numerator = (
        numerator or _behind_relative(f, at, places) or _only_one(places) or [c for _, c in places if c.predicated][:1]
    )
    if not numerator:
        return None
    # A time or a party that trails is of the whole: "how many percent are black in 2024".
    core = [c for c in numerator if c.grain is Grain.PRODUCT] or [
        c for c in numerator if not c.axis.startswith("period")
    ]
    if core and len(core) < len(numerator):
        numerator = core
    if all(c.axis.startswith("period") for c in numerator):
        # When is of the whole, not of the part.
        raise Problem("share_of_what")
    denominator = [c for _, c in places if not any(c is n for n in numerator)]
    return _unit(f, at, [c for _, c in places]), denominator, numerator


def _feature_of_family(f: Frame, at: int, places: Places) -> list[Condition]:
    """ "Mode P 2024: % longer than 2 m", "% of Mode P over 2 m": of a family, those of the one feature that is named.
    Right in front of the family ("the share of black Mode P") it could be of the whole as well."""
    whole = [k for k, c in places if c.axis in {"family", "family&"} and not c.negated]
    narrower = [(k, c) for k, c in places if not c.axis.startswith(("period", "family"))]
    if len(whole) != 1 or len(narrower) != 1 or not narrower[0][1].axis.startswith("feature:"):
        return []
    k, condition = narrower[0]
    apart = k > whole[0] or any(
        i.concept in {"stop", "comma", "share", "among", "of"} for i in f.items[k + 1 : whole[0]]
    )
    return [condition] if apart else []


def _in_value(f: Frame, at: int, places: Places) -> list[Condition]:
    """ "pct of Mode P in black, 2024": the one value behind "in"."""
    found = [
        (k, c)
        for k, c in places
        if k > at and c.axis.startswith("feature:") and f.items[k - 1].concept in {"in", "have"}
    ]
    others = [c for _, c in places if c.axis.startswith("feature:")]
    return [found[0][1]] if len(found) == 1 == len(others) and any(k < found[0][0] for k, _ in places) else []


def _behind_relative(f: Frame, at: int, places: Places) -> list[Condition]:
    """ "percentage of Mode P luminaires in 2024 that were longer than 2 m": what the relative clause says."""
    relatives = [
        k
        for k, it in enumerate(f.items)
        if k > at and it.concept in {"cop", "have"} and f.items[k - 1].concept == "rel"
    ]
    return (
        [c for k, c in places if k > relatives[0]]
        if len(relatives) == 1 and any(k < relatives[0] for k, _ in places)
        else []
    )


def _only_one(places: Places) -> list[Condition]:
    """ "the share of 2024 offers that include F": the one condition besides the time."""
    found = [c for _, c in places if not c.axis.startswith("period")]
    return found if len(found) == 1 else []


def _unit(f: Frame, at: int, conditions: list[Condition]) -> Grain:
    """What is counted: the noun nearest to the word share, in front of it in Finnish."""
    nouns = [(k, i.concept) for k, i in enumerate(f.items) if i.concept in {"entity.offer", "entity.product"}]
    f.shows = [s for s in f.shows if s.concept not in {"entity.offer", "entity.product"}]
    if f.shows:
        raise Problem("not_placed", words=tuple(s.text for s in f.shows))
    whole = [n for k, n in nouns if _of_all(f, k)]
    if len(set(whole)) == 1:
        # "Of all the offers, what per cent have some F luminaire"
        return Grain.OFFER if whole[0] == "entity.offer" else Grain.PRODUCT
    before = [n for k, n in nouns if k == at - 1]
    behind = [n for k, n in nouns if k > at]
    named = before or behind or [n for _, n in nouns]
    if named:
        return Grain.OFFER if named[0] == "entity.offer" else Grain.PRODUCT
    if any(c.grain is Grain.PRODUCT for c in conditions):
        return Grain.PRODUCT
    raise Problem("share_of_what")


def _of_all(f: Frame, k: int) -> bool:
    """Whether a noun is what a share is of: behind "of all", or in Finnish in the elative."""
    i = k - 1
    while i >= 0 and (isinstance(f.items[i].means, Condition) or f.items[i].concept in {"all", "dated"}):
        i -= 1
    if i >= 0 and f.items[i].concept == "among":
        return True
    return f.language == "fi" and f.items[k].case is Case.ELATIVE


def _before_share(f: Frame, at: int, places: Places) -> list[Condition]:
    """ "mustien osuus Mode P -valaisimista", "Mode P's share of all luminaires": what stands right before the word."""
    behind = f.items[at + 1].means if at + 1 < len(f.items) else None
    if f.language == "en" and isinstance(behind, Condition) and behind.axis.startswith("feature:"):
        # "F 2024 percentage longer than 2 m out of all"
        return []
    k = at - 1
    found: list[Condition] = []
    nearest: Item | None = f.items[k] if k >= 0 else None
    while k >= 0:
        meaning = f.items[k].means
        if isinstance(meaning, Condition):
            found.append(meaning)
        elif f.items[k].concept not in {"entity.product", "entity.offer"} or k != at - 1:
            break
        k -= 1
    if not found or nearest is None:
        return []
    if f.language == "fi" and nearest.case is not Case.GENITIVE:
        return []
    found = [c for c in found if not c.axis.startswith("period")] if f.language == "fi" else found
    rest = [c for _, c in places if not any(c is n for n in found)]
    kinds = {c.axis.partition(":")[0].rstrip("&") for c in found}
    if {"family", "feature"} <= kinds and not any(c.grain is Grain.PRODUCT for c in rest):
        # "The share of black Mode P": of all Mode P or of all luminaires stays open.
        raise Problem("share_of_what")
    return found if rest or "entity.product" in {i.concept for i in f.context} else []


def _before_among(f: Frame, at: int, places: Places) -> list[Condition]:
    """ "the share of black ones among Mode P luminaires"."""
    among = [
        k for k, it in enumerate(f.items)
        if k > at and (it.concept == "among" or (it.concept == "all" and it.text.lower() == "kaikista"))
    ]  # fmt: skip
    if not among:
        return []
    found = [c for k, c in places if at < k < among[0]]
    return found if any(not c.axis.startswith("period") for c in found) else []


def _behind_verb(f: Frame, at: int, places: Places) -> list[Condition]:
    """ "what share of Mode P luminaires are black": what stands behind the last verb."""
    verbs = [
        k for k, it in enumerate(f.items)
        if k > max(at, 0) and it.concept in _VERBS and f.items[k - 1].concept != "rel" and any(p > k for p, _ in places)
    ]  # fmt: skip
    verbs = [k for k in verbs if any(p < k for p, _ in places) or any(
        it.concept in {"entity.product", "entity.offer"} for it in f.items[:k]
    )]  # fmt: skip
    roles = [k for k, _ in f.verbs]
    if not verbs:
        return []
    last = verbs[-1]
    # A main verb, not an auxiliary of what was said before it.
    while len(verbs) > 1 and all(p < last for p, _ in places):
        verbs.pop()
        last = verbs[-1]
    del roles
    return [c for k, c in places if k > last]

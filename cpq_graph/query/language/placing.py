"""Gives every item of a question its place in the frame.

Arrives: items with conditions and groups. Leaves: the `Frame`. An item that finds no place is a Problem: a word that
the plan would not account for.
"""

from dataclasses import replace

from cpq_graph.query.language.counting import aggregate_at, count_at
from cpq_graph.query.language.frame import Frame
from cpq_graph.query.language.heads import SUPERLATIVES, head_at, is_price, number_near, possessor, take
from cpq_graph.query.language.items import PARTIES, Condition, Fields, Group, Item, Number, Quantity
from cpq_graph.query.language.lexicon import Language
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.offers import OFFER_ID
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.role_phrases import verb_of
from cpq_graph.query.language.superlatives import extreme_at, ranked_by, superlative_at
from cpq_graph.query.plan import Aggregate, Grain

_SILENT = frozenset(
    "of in cop have contain configured rel comma and ask as atleastone all for stop filler whose "
    "different among agg.sum dated rel.received rel.sent compare dash slash to from".split()
)
_OBLIQUE = {Case.ILLATIVE, Case.INESSIVE, Case.ELATIVE, Case.ADESSIVE, Case.ALLATIVE, Case.ABLATIVE}
_OPENING = frozenset(
    "ask cop of have different comma to from atleastone and in dated all for stop ask.do rel contain configured "
    "by prop.name".split()
)


def frame(items: list[Item], language: Language, *, compared: bool = False) -> Frame:
    """The frame of a question. Raises Problem for what has no place."""
    f = Frame(items, language, compared=compared)
    for item in items:
        meaning = item.means
        if isinstance(meaning, Condition):
            f.conditions.append(item)
        elif isinstance(meaning, Group):
            f.keys += [k for k in meaning.keys if k not in f.keys]
            f.each = f.each or meaning.each
        elif isinstance(meaning, Quantity):
            f.quantities.append(item)
    for i, item in enumerate(items):
        if i not in f.used:
            _place(f, i, item)
    _numbers_left(f)
    leftover = [it.text for i, it in enumerate(items) if i not in f.used and not _silent(it)]
    if leftover:
        raise Problem("not_placed", words=tuple(leftover))
    return f


def _numbers_left(f: Frame) -> None:
    """ "Which three combinations were most common", "ketkä 3": the one number left says how many a ranking keeps."""
    left = [
        (i, it.means)
        for i, it in enumerate(f.items)
        if i not in f.used and isinstance(it.means, Number) and it.means.unit is None and _whole(it.means)
    ]
    if f.rank is not None and not f.rank.explicit and len(left) == 1:
        i, number = left[0]
        f.used.add(i)
        f.rank.count, f.rank.explicit = int(number.value), True


def _whole(number: Number) -> bool:
    return number.value == int(number.value) >= 1


def _silent(item: Item) -> bool:
    return isinstance(item.means, Condition | Group | Quantity) or item.concept in _SILENT


def _place(f: Frame, i: int, item: Item) -> None:
    concept = item.concept
    if concept in {"count", "howmuch"}:
        count_at(f, i)
    elif concept == "agg.sum":
        head = head_at(f, i + 1)
        if head is not None and isinstance(f.items[head].means, Fields) and not is_price(f.items[head]):
            aggregate_at(f, i, Aggregate.SUM)
    elif concept.startswith("agg."):
        aggregate_at(f, i, Aggregate(concept[4:]))
    elif concept in SUPERLATIVES:
        superlative_at(f, i, concept)
    elif concept.startswith("adj.") and concept.endswith((".max", ".min")):
        extreme_at(f, i, concept)
    elif concept == "share":
        _share(f, i)
    elif verb := verb_of(item):
        f.verbs.append((i, verb))
        f.used.add(i)
    elif concept == "by":
        ranked_by(f, i)
    elif concept.startswith(("entity.", "rolenoun.")) or isinstance(item.means, Fields):
        _noun(f, i, item)
    elif concept.startswith("unit.") and i and f.items[i - 1].concept == "ask" and not f.shows:
        # "In which quarter …": the period is asked for.
        f.used.add(i)
        f.shows.append(item)
    elif _small_word(f, i, item):
        f.used.add(i)


def _share(f: Frame, i: int) -> None:
    f.used.add(i)
    if f.share_at is not None:
        # "the share …, in percent": said twice.
        return
    f.share_at = i
    head = head_at(f, i + 1, conditions=False)
    if head is not None and isinstance(f.items[head].means, Fields) and not is_price(f.items[head]):
        # "percentage shares of the frame colours"
        f.keys.append(f.items[head])
        f.used.add(head)


def _small_word(f: Frame, i: int, item: Item) -> bool:
    """Whether a word without a meaning of its own is in a place where it needs none; notes what it says of the rest."""
    before, after = f.items[i - 1] if i else None, f.items[i + 1] if i + 1 < len(f.items) else None
    match item.concept:
        case "count.do":
            head = head_at(f, i + 1)
            while f.language == "fi" and head is not None and f.items[head].case in _OBLIQUE:
                # "Laske tarjouksiin konfiguroidut valaisimet"
                head = head_at(f, head + 1)
            if head is None and f.language == "fi":
                # "Laske valaisimista ne, joilla …"
                head = head_at(f, i + 1)
            if head is not None and f.items[head].concept.startswith("entity."):
                f.counts.append(take(f, head))
            return True
        case "prop.name":
            # "who …? names please", "the receivers, names"
            return _person(f) or any(k.concept.startswith((*PARTIES, "who")) for k in f.items)
        case "who" | "who.received":
            f.who = item
            return True
        case "verb.cost":
            f.price_asked = True
            return True
        case "ask.do":
            return True
        case "belong":
            # "Which company is the receiver a representative of?"
            role = any(k.concept.startswith("rolenoun.") for k in f.items)
            asked = any(k.concept in {"entity.company", "entity.participant.title"} for k in f.items)
            family = any(k.concept == "entity.family" for k in (*f.shows, *f.context))
            return _person(f) or family or (asked and (role or bool(f.verbs)))
        case "best":
            number = number_near(f, i)
            if number and f.rank and not f.rank.explicit:
                f.rank.count, f.rank.explicit = number, True
                return True
            return False
        case "each":
            counted = {"count", "share"} & {k.concept for k in f.items[:i]}
            if bool(counted) or (before is not None and before in f.shows):
                return True
            last = after is None or after.concept in {"stop", "comma"}
            by_offer = any(isinstance(k.means, Condition) and k.means.axis == "offer" for k in f.items)
            return last and (by_offer or any(isinstance(k.means, Group) for k in f.items))
        case "type":
            # "each control type"
            return before is not None and isinstance(before.means, Fields | Group)
        case "value":
            return any(isinstance(it.means, Fields) for it in (*f.items[i + 1 : i + 3], *f.items[max(i - 1, 0) : i]))
        case "prop.id" if any(it.concept == "entity.offer" for it in f.items):
            f.shows.append(replace(item, means=Fields((OFFER_ID,), Grain.OFFER)))
            return True
        case "by" if after is not None and after.concept in {"ask", "who"}:
            return True
        case "to" | "from":
            # "which company was it sent to", "to whom", "what company is the receiver from"
            last = i >= len(f.items) - 2 and any(k.concept.startswith("rolenoun.") for k in f.items)
            asked = after is not None and after.concept in {"ask", "who"}
            return before is None or after is None or asked or (item.concept == "from" and last)
    return False


def _person(f: Frame) -> bool:
    """Whether the question is about one person."""
    return any(isinstance(it.means, Condition) and it.means.axis == "person" for it in f.items)


def _asked(f: Frame, item: Item) -> bool:
    """Whether "which" stands in front of a noun."""
    at = f.items.index(item) - 1
    while at > 0 and (f.items[at].concept in {"different", "all"} or isinstance(f.items[at].means, Number)):
        at -= 1
    return at >= 0 and f.items[at].concept == "ask"


def _where(f: Frame, i: int, item: Item) -> bool:
    """Whether offers or products are where something is found: "among the luminaires", "valaisimilla esiintyvät"."""
    if f.language == "fi":
        return item.case in {Case.ADESSIVE, Case.INESSIVE, Case.ELATIVE}
    k = i - 1
    while k >= 0 and isinstance(f.items[k].means, Condition):
        k -= 1
    found = k >= 0 and f.items[k].concept in {"in", "among", "for"}
    return found and (k == 0 or f.items[k - 1].concept in {"comma", "stop", "ask.do", "and"} | SUPERLATIVES)


def _noun(f: Frame, i: int, item: Item) -> None:
    """A noun without a marker: asked for, or context."""
    f.used.add(i)
    if isinstance(item.means, Fields):
        if _asked(f, item):
            # "A customer is here: what colours …": nobody asked for the customer.
            told = [s for s in f.shows if s.concept.startswith(PARTIES) and not _asked(f, s)]
            f.context += told
            f.shows = [s for s in f.shows if s not in told]
        f.shows.append(item)
        return
    if f.who is not None and item.concept in {"entity.participant", "entity.company", "entity.user"}:
        place = f.items.index(f.who)
        if all(it.concept in {"cop", "all"} or isinstance(it.means, Number) for it in f.items[place + 1 : i]):
            # "Ketkä osapuolet", "who was the company that": the noun is asked for.
            f.who = None
            f.shows.append(item)
            return
    asked = _asked(f, item)
    if asked and f.shows and not f.rank:
        # "The products of offer X, which families are they of": what is asked for is told by "which".
        about = ("entity.offer", "entity.product", *PARTIES)
        told = [s for s in f.shows if s.concept.startswith(about) and not _asked(f, s)]
        f.context += told
        f.shows = [*(s for s in f.shows if s not in told), item]
        return
    listed = i > 0 and f.items[i - 1].concept == "ask.do"
    named = item.concept.startswith(("entity.participant", "entity.company", "entity.user"))
    if item.concept in {"entity.offer", "entity.product"} and not (asked or listed) and _where(f, i, item):
        f.context.append(item)
        return
    if (
        f.language == "fi"
        and item.case is Case.GENITIVE
        and item.concept.startswith("entity.")
        and not (asked or (listed and named))
    ) or possessor(f, i):
        f.context.append(item)
        return
    before = [it for it in f.items[:i] if not isinstance(it.means, Condition)]
    known = (*f.shows, *f.context, *f.keys)
    opened = all(
        it.concept in _OPENING | SUPERLATIVES
        or it.concept.startswith("role.")
        or isinstance(it.means, Number | Group | Quantity)
        or it in known
        for it in before
    )
    first = (
        not f.shows
        and not f.counts
        and not f.measures
        and f.rank is None
        and f.share_at is None
        and not f.price_asked
        and f.who is None
    )
    listed = bool(f.shows) and i > 1 and f.items[i - 1].concept in {"and", "comma"} and f.items[i - 2] in f.shows
    behind = f.items[i + 1] if i + 1 < len(f.items) else None
    if (
        item.concept == "entity.offer"
        and f.shows
        and f.shows[-1].concept.startswith(PARTIES)
        and behind is not None
        and (isinstance(behind.means, Condition) or behind.concept in {"contain", "have"} or verb_of(behind))
    ):
        # "Receivers' names, offers dated in May": of which offers
        listed = False
    if (first and opened) or listed:
        f.shows.append(item)
    else:
        f.context.append(item)

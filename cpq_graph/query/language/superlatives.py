"""Superlatives and rankings: most popular, most offers, highest price, latest, longest, top 5.

Arrives: a frame that is being filled, and the place of the word. Leaves: the frame with its `Rank`, or with a maximum.
"""

from dataclasses import replace
from itertools import pairwise

from cpq_graph.query.language.frame import Frame, Measured, Rank, RankKind
from cpq_graph.query.language.heads import head_at, is_price, number_near, plural, take
from cpq_graph.query.language.items import PARTIES, Condition, Fields, Item, Number, Word
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.role_phrases import verb_of
from cpq_graph.query.plan import Aggregate, FeatureField, Grain


def superlative_at(f: Frame, i: int, concept: str) -> None:
    """Places the ranking that the word at `i` speaks of."""
    f.used.add(i)
    count = number_near(f, i)
    if concept == "top" and count is not None and f.rank is not None and not f.rank.explicit:
        # "… Top 2." behind the ranking itself.
        f.rank.count, f.rank.explicit = count, True
        return
    if concept == "top":
        _top(f, i, count)
        return
    at = i + 1
    again = {"top", concept} if concept == "popular" else {"top"}
    while f.items[at : at + 1] and (at in f.used or f.items[at].concept in again):
        f.used.add(at)
        at += 1
    descending = concept not in {"unpopular", "fewest", "lowest", "cheap", "earliest"}
    if concept in {"popular", "unpopular"}:
        head = head_at(f, at)
        if head is not None and f.items[head].concept in {"entity.product", "entity.offer"} and f.shows:
            head = None
        if head is not None:
            f.keys.append(take(f, head))
        elif f.shows:
            f.keys.append(f.shows.pop())
        if f.keys and f.keys[-1].concept in {"entity.product", "entity.offer"}:
            raise Problem("superlative_of_what", words=(f.items[i].text,))
        f.rank = ranked_once(
            f, Rank("popular", descending, count if count else _how_many(f, head), explicit=count is not None)
        )
    elif concept in {"most", "fewest"}:
        _most(f, i, at, count, descending)
    elif concept in {"highest", "lowest"}:
        _highest(f, i, at, count, descending)
    else:
        head = head_at(f, at)
        if head is not None and concept in {"expensive", "cheap"} and f.items[head - 1].concept == "entity.offer":
            # "kalleimman tarjouksen kokonaishinta"
            if is_price(f.items[head]):
                f.used.add(head)
            head -= 1
        if head is None and concept in {"expensive", "cheap"}:
            # "Of the offers of May, the cheapest one"
            head = next((k for k, it in enumerate(f.items) if it.concept == "entity.offer"), None)
        if head is None or f.items[head].concept != "entity.offer":
            raise Problem("superlative_of_what", words=(f.items[i].text,))
        f.shows.append(take(f, head))
        f.rank = ranked_once(f, Rank("row", descending, count or 1, f.items[i], count is not None))


def _most(f: Frame, i: int, at: int, count: int | None, descending: bool) -> None:
    """ "The most offers": what is counted, and so ranked."""
    head = head_at(f, at)
    if head is None and f.language == "fi":
        head = _noun_in_front(f, i)
    if head is not None and isinstance(f.items[head].means, Fields) and not is_price(f.items[head]):
        raise Problem("not_placed", words=(f.items[i].text,))
    behind = f.items[at].means if at < len(f.items) else None
    if head is None and isinstance(behind, Condition) and behind.grain.value == "product":
        by = Item(f.items[i].end, f.items[i].end, "", Word("entity.product"))
        f.rank = ranked_once(f, Rank("count", descending, count or asked_number(f), by, count is not None))
        return
    featured = len(f.shows) == 1 and (isinstance(f.shows[0].means, Fields) or f.shows[0].concept == "entity.family")
    if head is None and featured and not is_price(f.shows[0]):
        # "Which length was ordered most"
        f.keys.append(f.shows.pop())
        f.rank = ranked_once(f, Rank("popular", descending, count or _how_many(f, None), explicit=count is not None))
        return
    if head is None:
        raise Problem("most_of_what", words=(f.items[i].text,))
    by = take(f, head)
    explicit = count is not None
    if count is None:
        count = asked_number(f)
    kind: RankKind = "measure" if is_price(by) else "count"
    aggregate = Aggregate.SUM if is_price(by) else Aggregate.COUNT
    f.rank = ranked_once(f, Rank(kind, descending, count, by, explicit, aggregate))


def ranked_once(f: Frame, rank: Rank) -> Rank:
    """The rank, when it is the first. Raises Problem for a second one."""
    if f.rank is not None and f.rank.open and rank.kind in {"count", "measure"}:
        # "The top 3 senders, most offers sent"
        rank.count, rank.explicit = (f.rank.count, True) if f.rank.explicit else (rank.count, rank.explicit)
        return rank
    if f.rank is not None:
        raise Problem("two_rankings")
    return rank


def _top(f: Frame, i: int, count: int | None) -> None:
    """ "Top 3 lengths", "lengths: top 3", "top sender per quarter"."""
    head = head_at(f, i + 1 + (count is not None))
    if head is None:
        head = _apart(f, i)
    if head is None and _top_of_groups(f, count):
        return
    if head is None:
        raise Problem("top_of_what", words=(f.items[i].text,))
    behind = f.items[head + 1] if head + 1 < len(f.items) else None
    if f.items[head].concept == "entity.offer" and behind is not None and behind.concept.startswith(PARTIES):
        # "Kolme ahkerinta tarjousten lähettäjää"
        f.used.add(head)
        head += 1
    item = take(f, head)
    if count is None:
        count = None if plural(item, f.language) else 1
    further = _beside(f, head) if isinstance(item.means, Fields) else []
    if further:
        # "top 3 length x power"
        fields = tuple(x for k in (item, *further) if isinstance(k.means, Fields) for x in k.means.fields)
        item = replace(item, means=Fields(fields, Grain.PRODUCT, combined=True))
    if isinstance(item.means, Fields) or item.concept == "entity.family":
        f.keys.append(item)
        f.rank = ranked_once(f, Rank("popular", True, count, explicit=count is not None))
    elif item.concept.startswith(PARTIES):
        f.shows.append(item)
        f.rank = ranked_once(f, Rank("popular", True, count, explicit=count is not None, open=True))
    else:
        raise Problem("top_by_what", words=(f.items[i].text,))


def _top_of_groups(f: Frame, count: int | None) -> bool:
    """ "Grouped by quarter, length and power, top 2": the groups are ranked, within the periods among them."""
    periods = [k for k in f.keys if k.concept.startswith("unit.")]
    others = [k for k in f.keys if k not in periods]
    featured = [k for k in others if isinstance(k.means, Fields) and k.means.grain is Grain.PRODUCT]
    if not others or count is None or f.rank is not None or (len(others) > 1 and len(featured) < len(others)):
        return False
    if len(others) > 1:
        fields = tuple(x for k in featured if isinstance(k.means, Fields) for x in k.means.fields)
        others = [replace(others[0], means=Fields(fields, Grain.PRODUCT, combined=True))]
    f.keys = [*periods, *others]
    f.rank = Rank("popular", True, count, explicit=True)
    return True


def _apart(f: Frame, i: int) -> int | None:
    """The one thing that a ranking apart from its noun can be of."""
    ranked = [
        k for k, it in enumerate(f.items)
        if (k not in f.used or it in f.shows or it in f.context)
        and (
            (isinstance(it.means, Fields) and not is_price(it) and it.means.grain is not Grain.USER)
            or it.concept.startswith((*PARTIES, "entity.family"))
        )
    ]  # fmt: skip
    featured = [k for k in ranked if isinstance(f.items[k].means, Fields)]
    if featured and all(_joined(f, a, b) for a, b in pairwise(featured)):
        return featured[0]
    return ranked[0] if len(ranked) == 1 else None


def _joined(f: Frame, a: int, b: int) -> bool:
    return all(it.concept in {"and", "comma", "slash", "dash", "times"} for it in f.items[a + 1 : b])


def _beside(f: Frame, head: int) -> list[Item]:
    """The features that a sign joins to the one at `head`: "length x power", "length + power"."""
    found: list[Item] = []
    k = head
    while (
        k + 2 < len(f.items)
        and (f.items[k + 1].concept in {"slash", "dash"} or f.items[k + 1].text == "+")
        and isinstance(f.items[k + 2].means, Fields)
        and not is_price(f.items[k + 2])
    ):  # fmt: skip
        f.used.add(k + 1)
        found.append(take(f, k + 2))
        k += 2
    return found


def ranked_by(f: Frame, i: int) -> None:
    """ "by number of offers", "by total price": what a top list is ordered by."""
    if i and verb_of(f.items[i - 1]) and (i + 1 == len(f.items) or f.items[i + 1].concept in {"who", "stop", "ask"}):
        f.used.add(i)
        return
    if i + 1 < len(f.items) and (f.items[i + 1].concept == "who" or _does(f, i + 1)):
        # "By which company was it received?"
        f.used.add(i)
        return
    if f.rank is None or i + 1 >= len(f.items):
        return
    if f.items[i + 1].concept == "agg.sum" and i + 2 < len(f.items):
        # "by summed total price"
        i += 1
        f.used |= {i - 1, i}
    following = f.items[i + 1]
    if following.concept == "count":
        head = head_at(f, i + 2)
        if head is not None:
            f.used |= {i, i + 1}
            f.rank = Rank("count", True, f.rank.count, take(f, head), f.rank.explicit)
    elif following.concept in {"entity.offer", "entity.product"}:
        f.used.add(i)
        f.rank = Rank("count", True, f.rank.count, take(f, i + 1), f.rank.explicit)
    elif is_price(following):
        f.used.add(i)
        f.rank = Rank("measure", True, f.rank.count, take(f, i + 1), f.rank.explicit, Aggregate.SUM)


def _noun_in_front(f: Frame, i: int) -> int | None:
    """The noun that a ranking follows: "joilla tarjouksia oli eniten", "tuotteita on vähiten"."""
    k = i - 1
    while k >= 0 and (isinstance(f.items[k].means, Condition) or f.items[k].concept in {"cop", "have", "count"}):
        k -= 1
    counted = k >= 0 and f.items[k].concept in {"entity.offer", "entity.product"}
    return k if counted and f.items[k].text.lower().endswith(("ia", "iä", "ita", "itä")) else None


def _does(f: Frame, i: int) -> bool:
    """Whether "which" behind "by" asks who it was that did something."""
    return f.items[i].concept == "ask" and any(verb_of(it) for it in f.items)


def _highest(f: Frame, i: int, at: int, count: int | None, descending: bool) -> None:
    aggregate: Aggregate | None = None
    while f.items[at : at + 1] and f.items[at].concept.startswith("agg."):
        aggregate = Aggregate(f.items[at].concept[4:])
        f.used.add(at)
        at += 1
    head = head_at(f, at)
    if head is None and i and f.items[i - 1].concept == "cop" and i > 1 and is_price(f.items[i - 2]):
        # "whose total price is the highest", "kokonaishinta on suurin"
        head = i - 2
    if f.items[at : at + 1] and f.items[at].concept == "count":
        # "The highest number of offers": the most offers.
        f.used.add(at)
        _most(f, i, at + 1, count, descending)
        return
    if (
        head is not None
        and f.items[head].concept in {"entity.offer", "entity.product"}
        and f.items[head + 1 : head + 2]
    ) and f.items[head + 1].concept == "count":
        # "the highest product count", "suurin tuotteiden määrä"
        f.used.add(head + 1)
        _most(f, i, at, count, descending)
        return
    if head is not None and f.items[head].concept.startswith(("entity.company", "entity.participant", "rolenoun.")):
        # "the five biggest customers, by total price"
        party = take(f, head)
        if party.concept == "rolenoun.received":
            # It is companies that are big customers.
            party = replace(party, means=Word("rolenoun.received.company"))
        f.shows.append(party)
        number = count if count is not None else None if plural(f.items[head], f.language) else 1
        rank = Rank("popular", descending, number, explicit=number is not None, open=True, size=True)
        f.rank = ranked_once(f, rank)
        return
    if head is None or not isinstance(f.items[head].means, Fields):
        if head is not None and f.items[head].concept == "entity.offer":
            f.shows.append(take(f, head))
            f.rank = ranked_once(f, Rank("row", descending, count or 1, Item(0, 0, "", Word("expensive"))))
            return
        raise Problem("superlative_of_what", words=(f.items[i].text,))
    by = take(f, head)
    if isinstance(by.means, Fields) and by.means.combined:
        # "the two biggest combinations": the most popular ones
        f.keys.append(by)
        number = count if count is not None else _how_many(f, head)
        f.rank = ranked_once(f, Rank("popular", descending, number, explicit=count is not None))
        return
    if f.shows or f.keys or f.who:
        if aggregate is None and is_price(by):
            aggregate = Aggregate.SUM
        only_offers = bool(f.shows) and all(s.concept == "entity.offer" for s in f.shows) and not f.keys
        if only_offers:
            f.rank = ranked_once(f, Rank("row", descending, count or asked_number(f) or 1, by))
            return
        if aggregate is None:
            raise Problem("superlative_of_what", words=(f.items[i].text,))
        f.rank = ranked_once(f, Rank("measure", descending, count or asked_number(f), by, count is not None, aggregate))
        return
    if count is not None:
        raise Problem("superlative_of_what", words=(f.items[i].text,))
    f.measures.append(Measured(Aggregate.MAXIMUM if descending else Aggregate.MINIMUM, by))


def extreme_at(f: Frame, i: int, concept: str) -> None:
    """ "The longest Mode P", "shortest length": the largest or smallest number of the feature that the word implies."""
    feature = next((o for o in f.items[i].others if isinstance(o, Fields)), None)
    if feature is not None:
        # "The power of the most powerful one"
        f.shows = [s for s in f.shows if s.means != feature]
    asked = any(it.concept == "ask" and f.items[k + 1] in f.shows for k, it in enumerate(f.items[:-1]))
    if asked and any(s.concept in {"entity.product", "entity.family"} for s in f.shows):
        # "Which product is the lightest": it, not its weight.
        raise Problem("not_placed", words=(f.items[i].text,))
    if feature is None or f.measures or f.rank:
        raise Problem("not_placed", words=(f.items[i].text,))
    f.used.add(i)
    head = head_at(f, i + 1)
    if head is not None:
        named = f.items[head]
        if isinstance(named.means, Fields) and named.means != feature:
            raise Problem("not_placed", words=(f.items[i].text,))
        if not isinstance(named.means, Fields) and named.concept != "entity.product":
            raise Problem("not_placed", words=(f.items[i].text,))
        take(f, head)
    aggregate = Aggregate.MAXIMUM if concept.endswith(".max") else Aggregate.MINIMUM
    f.measures.append(Measured(aggregate, replace(f.items[i], means=feature)))


def _how_many(f: Frame, head: int | None) -> int | None:
    """One, unless the question speaks of several: then all, in order."""
    item = f.keys[-1] if f.keys else None
    if item is None:
        return 1
    return None if _speaks_plural(f, item) else 1


def _speaks_plural(f: Frame, item: Item) -> bool:
    copulas = {it.text.lower() for it in f.items if it.concept == "cop"}
    if f.language == "en":
        if copulas & {"is", "was"}:
            return False
        fields = item.means.fields if isinstance(item.means, Fields) else ()
        # "optics" is one thing: its name has no singular of its own.
        if any(isinstance(x, FeatureField) for x in fields) and item.text.lower().split()[-1] in {
            "optics",
            "connections",
        }:
            return False
        return plural(item, "en")
    markers = [it.text.lower() for it in f.items if it.concept in {"popular", "unpopular"}]
    return any(m.split()[-1].endswith(("t", "ia", "iä")) for m in markers)


def asked_number(f: Frame) -> int | None:
    """How many of the asked thing: one when it is named in the singular, else all."""
    asked = f.who or (f.shows[0] if f.shows else f.keys[-1] if f.keys else None)
    if asked is None:
        return None
    if asked is f.who:
        return 1 if asked.text.lower() not in {"ketkä", "ketka"} else None
    if isinstance(asked.means, Word):
        for k, it in enumerate(f.items):
            meaning = it.means
            if isinstance(meaning, Number) and meaning.unit is None and k not in f.used and k + 1 < len(f.items):
                head = k + 1
                if f.items[head] is asked:
                    f.used.add(k)
                    return int(meaning.value)
    return None if plural(asked, f.language) else 1

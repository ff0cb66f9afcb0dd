"""Counts and aggregates: "how many", "number of", "average", "on average".

Arrives: a frame that is being filled, and the place of the marker. Leaves: the frame with what is counted or measured.
"""

from cpq_graph.query.language.frame import Frame, Measured
from cpq_graph.query.language.heads import head_at, is_noun, is_price, noun_before, plural, possessor, take
from cpq_graph.query.language.items import Condition, Fields, Group, Item, Word
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.result import Problem
from cpq_graph.query.plan import Aggregate, FeatureField

_OF = {"of", "agg.sum", "different", "cop"}
_EXTREMES = {Aggregate.MAXIMUM, Aggregate.MINIMUM, Aggregate.MEDIAN}


def count_at(f: Frame, i: int) -> None:
    """Places what the count at `i` is of."""
    f.used.add(i)
    if f.items[i].concept == "howmuch":
        f.price_asked = True
    before = noun_before(f, i)
    head = before if before is not None else head_at(f, i + 1)
    if head is None and (among := _among(f, i)) is not None:
        # "Among the offers that X received, how many consist of …"
        f.counts.append(take(f, among))
        return
    if head is None:
        if f.items[i].concept == "howmuch":
            if f.language == "fi" and _some_of(f, i):
                f.price_asked = False
                f.counts.append(Item(f.items[i].end, f.items[i].end, "", Word("entity.product")))
            return
        previous = _take_listed_count(f, i) or _shared_head(f, i)
        f.also_count = f.also_count or not previous
        return
    if (behind := _described(f, head)) is not None:
        f.used.add(head)
        head = behind
    between = [it.means for it in f.items[i + 1 : head]]
    if f.items[head].concept.startswith(("rolenoun.", "entity.company", "entity.participant")) and any(
        isinstance(m, Condition) and m.axis.startswith("family") and not m.negated for m in between
    ):
        # "How many Mode P did customers …": the products, whoever it was.
        f.counts.append(Item(f.items[i].end, f.items[i].end, "", Word("entity.product")))
        return
    if is_price(f.items[head]):
        if f.items[i].concept == "howmuch":
            return
        raise Problem("not_placed", words=(f.items[i].text,))
    if f.items[i].concept == "howmuch" and not _amount(f, i, head):
        return
    priced = any(it.concept == "verb.cost" or is_price(it) for it in f.items)
    if f.items[i].concept == "howmuch" and (priced or f.items[head].concept not in {"entity.product", "entity.offer"}):
        return
    if _keyed(f, i, head):
        # "count, company x colour"
        f.also_count = True
        while True:
            f.keys.append(take(f, head))
            joined = head + 2 < len(f.items) and f.items[head + 1].concept in {"slash", "and", "dash", "comma"}
            if not (joined and is_noun(f.items[head + 2]) and not is_price(f.items[head + 2])):
                return
            f.used.add(head + 1)
            head += 2
    f.price_asked = f.price_asked and f.items[i].concept != "howmuch"
    f.counts.append(take(f, head))
    # "number of offers and luminaires"
    after = head + 1
    while f.items[after : after + 1] and f.items[after].concept in {"and", "comma"}:
        nxt = after + 1
        if (
            nxt < len(f.items)
            and f.items[nxt].concept.startswith("entity.")
            and before is None
            and (nxt + 1 == len(f.items) or f.items[nxt + 1].concept not in {"count"})
        ):
            f.counts.append(take(f, nxt))
            after = nxt + 1
        else:
            break


def _among(f: Frame, i: int) -> int | None:
    """The noun in front of a count without one that says among what is counted."""
    for k in range(1, i):
        noun = f.items[k].concept in {"entity.offer", "entity.product"} and f.items[k] in f.context
        if noun and f.items[k - 1].concept == "among" and f.items[i].concept == "count":
            return k
    return None


def _described(f: Frame, head: int) -> int | None:
    """The noun that a participle puts behind what it holds: "montako F-tuotteita sisältävää tarjousta"."""
    k = head + 1
    while k < len(f.items) and isinstance(f.items[k].means, Condition):
        k += 1
    holds = k + 1 < len(f.items) and f.items[k].concept == "contain" and f.items[k].text.lower().startswith("sisältäv")
    return k + 1 if holds and f.items[k + 1].concept == "entity.offer" else None


def _keyed(f: Frame, i: int, head: int) -> bool:
    """Whether a noun behind a count is what is counted by: one that does not stand as many do ("kpl väri x teho")."""
    item = f.items[head]
    if item.concept in {"entity.offer", "entity.product", "entity.parameter", "entity.tab"} or head != i + 1:
        return False
    if {k.concept for k in f.items[i + 1 :]} & {"different"}:
        return False
    text = item.text.lower().split()[-1]
    if f.items[i].text.lower().endswith(("moni", "moniko")):
        return False
    if f.language == "fi":
        return item.case is Case.NOMINATIVE and not text.endswith(("a", "ä", "t"))
    return not plural(item, "en") and f.items[i].text.lower().split()[-1] not in {"of", "many"}


def _some_of(f: Frame, i: int) -> bool:
    """ "Paljonko meni mustia Mode P:itä": the partitive of what products are."""
    following = [it for it in f.items[i + 1 :] if isinstance(it.means, Condition) and it.means.grain.value == "product"]
    priced = any(it.concept == "verb.cost" or is_price(it) for it in f.items)
    return bool(following) and not priced and following[-1].text.lower().endswith(("a", "ä"))


def _amount(f: Frame, i: int, head: int) -> bool:
    """Whether "how much" asks how many: "paljonko tarjouksia", but "paljonko tarjoukset maksoivat"."""
    if f.language == "fi":
        return f.items[head].text.lower().endswith(("a", "ä"))
    return head == i + 1 and f.items[head].concept != "entity.offer"


def _shared_head(f: Frame, i: int) -> bool:
    """ "Count and total price of the offers": the offers are counted too."""
    k = i + 1
    while k < len(f.items) and (
        f.items[k].concept in {"and", "comma", "of", "agg.sum", "agg.average"} or is_price(f.items[k])
    ):
        k += 1
    if k > i + 2 and k < len(f.items) and f.items[k].concept == "entity.offer" and f.items[k - 1].concept == "of":
        f.counts.append(f.items[k])
        f.used.add(k)
        return True
    return False


def _take_listed_count(f: Frame, i: int) -> bool:
    """ "How many Mode P were sold": products, when what follows describes products."""
    following = [it for it in f.items[i + 1 :] if isinstance(it.means, Condition) and it.means.grain.value == "product"]
    if following and f.items[i + 1 : i + 2] == following[:1]:
        f.counts.append(Item(f.items[i].end, f.items[i].end, "", Word("entity.product")))
        return True
    return False


def aggregate_at(f: Frame, i: int, aggregate: Aggregate) -> None:
    """Places what the aggregate at `i` is of."""
    f.used.add(i)
    at = i + 1
    # "minimum, maximum and average price": all of the one thing named behind them.
    others: list[Aggregate] = []
    while True:
        link = at
        while f.items[link : link + 1] and f.items[link].concept in {"comma", "and"}:
            link += 1
        following = f.items[link].concept if link < len(f.items) else ""
        if link == at or not following.startswith("agg.") or link in f.used:
            break
        others.append(Aggregate(following[4:]))
        f.used.add(link)
        at = link + 1
    if others:
        head = head_at(f, at)
        if head is not None and possessor(f, head):
            head = head + 1
        if head is None or not isinstance(f.items[head].means, Fields):
            raise Problem("aggregate_of_what", words=(f.items[i].text,))
        item = take(f, head)
        f.measures += [Measured(a, item) for a in (aggregate, *others)]
        return
    while f.items[at : at + 1] and (f.items[at].concept in _OF or f.items[at].text == ":"):
        at += 1
    if f.items[at : at + 1] and f.items[at].concept == "count":
        # "average number of luminaires per offer"
        f.used.add(at)
        head = noun_before(f, i)
        head = head if head is not None else noun_before(f, at)
        head = head if head is not None else head_at(f, at + 1)
        if head is None:
            raise Problem("not_placed", words=(f.items[i].text,))
        f.measures.append(Measured(aggregate, take(f, head)))
        return
    before = noun_before(f, i)
    if before is None and i and f.items[i - 1] in f.shows and _countable(f.items[i - 1]):
        # "kokonaiskustannus keskimäärin", "total cost on average"
        before = i - 1
    head = head_at(f, at if f.items[at - 1].text == ":" else i + 1)
    if head is not None and f.items[head].concept.startswith("entity.") and f.items[head + 1 : head + 2]:
        after = f.items[head + 1]
        if after.concept == "count":
            f.used.add(head + 1)
            f.measures.append(Measured(aggregate, take(f, head)))
            return
        if isinstance(after.means, Fields):
            f.used.add(head)
            head += 1
    if (head is None or not isinstance(f.items[head].means, Fields)) and before is not None:
        head = before
    offered = any(k.concept == "entity.offer" for k in (*f.items, *f.keys))
    each = any(isinstance(k.means, Group) and any(g.concept == "entity.offer" for g in k.means.keys) for k in f.items)
    of_each = (offered and aggregate in _EXTREMES) or each
    if head is not None and f.items[head].concept == "entity.product" and of_each:
        # "max products per offer"
        f.measures.append(Measured(aggregate, take(f, head)))
        return
    if (head is not None and f.items[head].concept.startswith("entity.")) or head is None:
        # "On average, how many …", "… keskimäärin": said of what is counted or shown elsewhere.
        if f.floating is not None:
            raise Problem("aggregate_of_what", words=(f.items[i].text,))
        f.floating = aggregate
        return
    f.measures.append(Measured(aggregate, take(f, head)))
    # "average length and power"
    while (
        f.items[head + 2 : head + 3] and f.items[head + 1].concept in {"and", "comma"} and _countable(f.items[head + 2])
    ):
        head += 2
        f.measures.append(Measured(aggregate, take(f, head)))


def _countable(item: Item) -> bool:
    """Whether an aggregate can be of it: a price or cost, a feature."""
    return is_price(item) or (
        isinstance(item.means, Fields)
        and not item.means.combined
        and all(isinstance(x, FeatureField) for x in item.means.fields)
    )

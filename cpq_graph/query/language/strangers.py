"""Words that stand for somebody or something that the question does not name.

Arrives: items, fillers included. Leaves: the texts that nothing can be understood by: "I" and "they" of "which offers
did they send", a verb that bids to do something ("send offer X"), "both" of two periods.
"""

from cpq_graph.query.language.items import PARTIES, Item, PartyRef, When
from cpq_graph.query.language.role_phrases import verb_of
from cpq_graph.query.language.scan import concept, means

_PRONOUNS = frozenset("i he she they him her them minä mä hän heidän hänen".split())
_BOTH = frozenset({"both", "sekä", "molempina", "kumpanakin"})
_BETWEEN = frozenset({"filler", "have", "cop", "ask.do"})
_POLITE = frozenset("please kindly could can would will you pls hi hello , . !".split())
_BIDDING = frozenset("send sell deliver handle process buy ship supply mail email forward dispatch".split())


def strangers(items: list[Item]) -> tuple[str, ...]:
    """The texts, () when there are none."""
    return _owned(items) or _unnamed(items) or _bidding(items) or _both(items)


def _owned(items: list[Item]) -> tuple[str, ...]:
    """ "My offers", "olen käsitellyt": of whoever asks."""
    for k, item in enumerate(items):
        after = k + 1
        while concept(items, after) == "filler":
            after += 1
        mine = item.text.lower() == "my" and concept(items, after).startswith(("entity.offer", "rolenoun."))
        did = item.text.lower() == "olen" and after < len(items) and verb_of(items[after]) is not None
        if mine or did:
            return (item.text,)
    return ()


def _unnamed(items: list[Item]) -> tuple[str, ...]:
    """A pronoun that does what a role says, or to whom it is done, where nobody is named."""
    if any(isinstance(i.means, PartyRef) or i.concept.startswith((*PARTIES, "who")) for i in items):
        return ()
    for k, item in enumerate(items):
        if item.text.lower() not in _PRONOUNS:
            continue
        after = k + 1
        while concept(items, after) in _BETWEEN:
            after += 1
        does = after < len(items) and verb_of(items[after]) is not None
        if does or concept(items, k - 1) in {"by", "to", "from"}:
            return (item.text,)
    return ()


def _bidding(items: list[Item]) -> tuple[str, ...]:
    """A verb in its base form that opens the sentence: something is to be done with an offer, not asked of it."""
    first = next((i for i in items if i.text.lower() not in _POLITE), None)
    return (first.text,) if first and verb_of(first) and first.text.lower() in _BIDDING else ()


def _both(items: list[Item]) -> tuple[str, ...]:
    """ "Both in 2023 and in 2024": of each of them, which no condition on one offer can say."""
    for k, item in enumerate(items):
        if item.text.lower() in _BOTH and any(isinstance(means(items, n), When) for n in (k + 1, k + 2)):
            return (item.text,)
    return ()

"""How English and Finnish say in which role a party stands to an offer.

Arrives: items and the place of a party. Leaves: the span of the whole phrase, the role, whether it is negated, and what
was assumed; None where no role is said.
"""

from dataclasses import dataclass

from cpq_graph.query.language.items import Condition, Item
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.scan import concept, skip

HANDLED = "handled"
# Start, end, role, negated, note.
Found = tuple[int, int, str, bool, str]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of a role: "sent", with the form that the lexicon gives it ("agent", "active", "passive" or "")."""

    role: str
    form: str


def verb_of(item: Item) -> Verb | None:
    """The role verb that an item is."""
    parts = item.concept.split(".")
    if parts[0] != "role":
        return None
    return Verb(parts[1], parts[2] if len(parts) > 2 else "")


def _when_skipped(items: list[Item], i: int, step: int) -> int:
    """Past conditions on the time, which may stand between a verb and its by-phrase."""
    while 0 <= i < len(items):
        meaning = items[i].means
        if (isinstance(meaning, Condition) and meaning.axis.startswith("period")) or (
            items[i].concept == "comma" and step < 0
        ):
            i += step
        else:
            break
    return i


def _verb(items: list[Item], i: int) -> Verb | None:
    return verb_of(items[i]) if 0 <= i < len(items) else None


def _negated(items: list[Item], i: int) -> tuple[int, bool]:
    """Where the verb phrase at `i` starts, past auxiliaries, and whether it is negated."""
    start = skip(items, i - 1, {"cop", "have"}, step=-1)
    if concept(items, start) == "neg":
        return start, True
    return i, False


def in_english(items: list[Item], start: int, end: int) -> Found | None:
    """ "sent by X", "X ordered", "delivered to X", "the seller is X"."""
    before = concept(items, start - 1)
    noun = _rolenoun(items, start, end)
    if noun:
        return noun
    before = "to" if before == "for" else before
    if before in {"by", "to", "from"} or before in {"otherthan"}:
        at = start - 1
        negated = before == "otherthan"
        if negated and concept(items, at - 1) in {"by", "to", "from"}:
            before, at = concept(items, at - 1), at - 1
        verb_at = _when_skipped(items, at - 1, -1)
        verb = _verb(items, verb_at)
        if verb and before == "to" and verb.role in {"received", HANDLED}:
            verb = None
        if verb and verb_at == at - 1:
            first, denied = _negated(items, verb_at)
            role = {"by": verb.role, "to": "received", "from": "sent"}[before]
            return first, end, role, negated or denied, ""
        if verb:
            # The time stays where it stands; the verb is left as a bare one.
            role = {"by": verb.role, "to": "received", "from": "sent"}[before]
            return at, end, role, negated, ""
        role = {"by": "sent", "to": "received", "from": "sent"}[before]
        return at, end, role, negated, f"role:{role}|{items[start].text}" if before == "by" else ""
    if concept(items, start - 1).startswith("role.received") and items[start - 1].text.lower().endswith(" to"):
        # "have gone to X"
        return start - 1, end, "received", False, ""
    # "X sent", "did X order", "that X has handled"
    verb_at = end
    negated = False
    while concept(items, verb_at) in {"have", "cop", "neg"}:
        negated = negated or items[verb_at].concept == "neg"
        verb_at += 1
    verb = _verb(items, verb_at)
    if verb and concept(items, verb_at + 1) != "by":
        first = start - 1 if concept(items, start - 1) in {"rel", "ask", "cop"} and start > 1 else start
        return first if concept(items, first) == "rel" else start, verb_at + 1, verb.role, negated, ""
    return None


def topic(items: list[Item], start: int, end: int) -> Found | None:
    """ "X: offers received in 2024", "X, toimitetut tarjoukset": the one verb of the question is what the topic did."""
    if role := _as_role(items):
        return start, end, role, False, ""
    # The dash behind a topic may be dropped before.
    marked = concept(items, end) in {"stop", "comma", "dash", "count", "ask", "share", "howmuch"}
    ordered = end + 1 < len(items) and items[end].concept in {"role.received.passive", "role.handled.passive"}
    marked = marked or (ordered and items[end + 1].concept in {"entity.offer", "entity.product"})
    if start or not (marked or isinstance(items[end].means if end < len(items) else None, Condition)):
        return None
    verbs = [(k, v) for k, i in enumerate(items) if (v := verb_of(i))]
    if len(verbs) != 1:
        return None
    k, verb = verbs[0]
    beside = {concept(items, k - 1), concept(items, k + 1)} & {"entity.offer", "entity.product"}
    asked = any(i.concept in {"who", "ask", "by", "to", "from"} for i in items[k - 2 : k + 2])
    sold = verb.role == "sent" and not items[k].text.lower().startswith(("sent", "lähete"))
    # "X: black ones, number ordered": nobody else is there to order.
    ordered = verb.role == "received" and not any(i.concept.startswith("rolenoun.") for i in items)
    if not (beside or ordered) or asked or sold:
        return None
    return start, end, verb.role, False, "" if verb.role == HANDLED else f"role:{verb.role}|{items[start].text}"


def _as_role(items: list[Item]) -> str | None:
    """ "X, tarjoukset (lähettäjänä)", "X as sender": the one noun that says as what."""
    nouns = [
        i
        for i in items
        if i.concept.startswith(("rolenoun.", "entity.user")) and i.text.lower().endswith(("jana", "jänä"))
    ]
    if len(nouns) != 1:
        return None
    return HANDLED if nouns[0].concept == "entity.user" else nouns[0].concept.split(".")[1]


def _rolenoun(items: list[Item], start: int, end: int) -> Found | None:
    """Seller X, the recipient is X, X as seller."""
    at = start - 1
    negated = False
    while concept(items, at) in {"cop", "cmp.exactly", "neg", "otherthan", "of", "by", "to", "from"} or (
        concept(items, at) == "stop" and items[at].text == ":"
    ):
        negated = negated or concept(items, at) in {"neg", "otherthan"}
        at -= 1
    if concept(items, at).startswith("rolenoun."):
        # "whose seller is X", "by the seller X", "to customer X"
        first = skip(items, at - 1, {"by", "to", "from", "whose", "have", "rel"}, step=-1) + 1
        return first, end, items[at].concept.split(".")[1], negated, ""
    if concept(items, at) == "entity.user" and at < start - 1:
        return skip(items, at - 1, {"by", "whose", "have", "rel"}, step=-1) + 1, end, HANDLED, negated, ""
    at = skip(items, end, {"as", "cop"})
    if concept(items, at).startswith("rolenoun.") and at <= end + 1:
        return start, at + 1, items[at].concept.split(".")[1], False, ""
    return None


def in_finnish(items: list[Item], start: int, end: int, members: list[int]) -> Found | None:
    """ "X:n lähettämät", "X lähetti", "X:lle myydyt", "myyjä on X"."""
    noun = _rolenoun(items, start, end)
    if noun:
        return noun
    last = items[members[-1]]
    case = last.case
    if case is Case.NOMINATIVE and start < members[0] and items[start].case is not Case.NOMINATIVE:
        # "yritykselle X", "yrityksen X vastaanottamat": the noun in front has the ending.
        case = items[start].case
    following, verb_at = _verb(items, _when_skipped(items, end, 1)), _when_skipped(items, end, 1)
    preceding = _verb(items, _when_skipped(items, start - 1, -1))
    preceding_at = _when_skipped(items, start - 1, -1)
    before_negated = concept(items, start - 1) in {"otherthan", "neg"}
    if case is Case.ALLATIVE or case is Case.ABLATIVE:
        role = "received" if case is Case.ALLATIVE else "sent"
        return start - before_negated, end, role, before_negated, ""
    if case is Case.GENITIVE:
        if concept(items, end) == "by":
            verb = _verb(items, end + 1) or preceding
            return (
                (start, end + 1 + (_verb(items, end + 1) is not None), verb.role, before_negated, "") if verb else None
            )
        if following and following.form in {"agent", ""}:
            last_at = verb_at + 1 if verb_at == end else end
            return start - before_negated, last_at, following.role, before_negated, ""
        return None
    auxiliary = end
    negated = before_negated
    while concept(items, auxiliary) in {"cop", "neg", "have"}:
        negated = negated or items[auxiliary].concept == "neg"
        auxiliary += 1
    active = _verb(items, auxiliary)
    if active and active.form == "active":
        first = start - 1 if concept(items, start - 1) in {"rel", "ask"} and start > 1 else start
        return first if concept(items, first) == "rel" else start, auxiliary + 1, active.role, negated, ""
    if following and following.form == "active":
        return start, end, following.role, negated, ""
    if preceding and preceding.form == "active":
        first = preceding_at if preceding_at == start - 1 else start
        if concept(items, first - 1) == "neg":
            return first - 1, end, preceding.role, True, ""
        return first, end, preceding.role, negated, ""
    return None

"""Who: people, companies and users in their roles, as conditions on the offer.

Arrives: items. Leaves: the same with every named party as a `Condition` in a role. English says the role by verb and
preposition ("sent by X", "X ordered", "delivered to X"), Finnish by verb form and case ("X:n lähettämät", "X:lle
myydyt").
"""

from cpq_graph import model
from cpq_graph.catalog import PartyName
from cpq_graph.query.language.items import Condition, Fields, Item, PartyRef, merged
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.role_phrases import HANDLED, Found, in_english, in_finnish, topic, verb_of
from cpq_graph.query.language.scan import concept, replaced, skip
from cpq_graph.query.plan import AllOf, AnyOf, Compare, Grain, Not, Operator, PropertyField, Role
from cpq_graph.query.plan import Condition as PlanCondition

_KINDS = {"entity.company": "company", "entity.participant": "participant", "entity.user": "user"}
_BY = {"by", "by.user"}


def participant(prop: str, role: str | None) -> PropertyField:
    """A participant's property in a role."""
    return PropertyField(label=model.PARTICIPANT.label, property=prop, role=Role(role) if role else None)


def parties(items: list[Item], language: str) -> list[Item]:
    """Every party with its role as a condition."""
    i = 0
    while i < len(items):
        ref = _party(items[i])
        if ref is None:
            i += 1
            continue
        start, end, condition, note = _in_role(items, i, language)
        items = replaced(items, start, end, merged(items, start, end, condition, note=note))
        i = start + 1
    return items


def _party(item: Item) -> PartyRef | None:
    return item.means if isinstance(item.means, PartyRef) else None


def _listed(items: list[Item], i: int) -> tuple[int, list[int]]:
    """The parties from `i` on that commas, "and", "or" join."""
    at, end = [i], i + 1
    while True:
        link = skip(items, end, {"comma", "and", "or", "compare"})
        link = skip(items, link, {"entity.company", "entity.participant", "by", "to", "from"}) if link > end else link
        if link == end or _party_at(items, link) is None:
            return end, at
        at.append(link)
        end = link + 1


def _party_at(items: list[Item], i: int) -> PartyRef | None:
    return _party(items[i]) if 0 <= i < len(items) else None


def _in_role(items: list[Item], i: int, language: str) -> tuple[int, int, Condition, str]:
    end, members = _listed(items, i)
    start = i
    kind: str | None = None
    before = skip(items, start - 1, {"cop"}, step=-1)
    if concept(items, before) == "prop.userid":
        kind = "user"
        start = skip(items, before - 1, {"have", "whose"}, step=-1) + 1
        if concept(items, start - 1) == "entity.user":
            start -= 1
    elif concept(items, before) in _KINDS and _apposed(items, before, i):
        start = skip(items, before - 1, {"whose"}, step=-1) + 1 if before < start - 1 else before
        kind = _KINDS[items[before].concept]
    elif language == "en" and concept(items, end) in _KINDS and _apposed(items, end, i):
        kind = _KINDS[items[end].concept]
        end += 1
    if concept(items, start - 1) == "prop.name":
        start -= 1
        if concept(items, start - 1) in _KINDS:
            start -= 1
            kind = _KINDS[items[start].concept]
    found = in_english(items, start, end) if language == "en" else in_finnish(items, start, end, members)
    found = found or topic(items, start, end)
    if found is None and all(p.kind == "user" for k in members for p in (_party_at(items, k) or PartyRef(())).parties):
        # A user can only be the one who handles.
        found = None if _about_users(items, i) or _about_persons(items) else (start, end, HANDLED, False, "")
    found = found or _orders_of(items, start, end, language, items[members[-1]].case)
    if found is None and _about_users(items, i):
        return _of_user(items, start, end, i)
    if found is None and kind == "user":
        found = start, end, HANDLED, False, ""
    if found is None and _about_persons(items):
        return _of_person(items, start, end, members, kind)
    if found is None:
        name = items[i].text
        first = start - 1 if concept(items, start - 1) in {"of", "for"} else start
        span = (items[first].start, items[end - 1].end)
        possessive = first < start or (language == "fi" and items[members[-1]].case is Case.GENITIVE)
        raise Problem("which_role", (("words", name),), choices=("role?",) if possessive else (), span=span)
    start, end, role, negated, note = found
    if role == HANDLED:
        kind = kind or "user"
    compares = []
    chosen = [_one(items[k], kind, role) for k in members]
    kinds = {p.kind for group, _ in chosen for p in group}
    compares += [_compare([p for group, _ in chosen for p in group if p.kind == k], k, role) for k in sorted(kinds)]
    note = note or next((n for _, n in chosen if n), "")
    condition: PlanCondition = compares[0] if len(compares) == 1 else AnyOf(conditions=tuple(compares))
    conditions: tuple[PlanCondition, ...] = (Not(condition=condition),) if negated else (condition,)
    return start, end, Condition(Grain.OFFER, conditions, role, negated=negated), note


def _orders_of(items: list[Item], start: int, end: int, language: str, case: Case) -> Found | None:
    """ "The orders of X", "X:n tilaukset": those that X made."""
    if language == "en":
        noun = start - 2 if concept(items, start - 1) in {"of", "from", "by"} else -1
        return (start - 1, end, "received", False, "") if noun >= 0 and _is_order(items[noun]) else None
    ordered = case is Case.GENITIVE and end < len(items) and _is_order(items[end])
    return (start, end, "received", False, "") if ordered else None


def _is_order(item: Item) -> bool:
    return item.concept == "entity.offer" and item.text.lower().startswith(("order", "tilau", "purchase"))


def _apposed(items: list[Item], noun: int, i: int) -> bool:
    """Whether a noun says what the party beside it is ("the company X"), rather than being asked for ("which company
    does X …")."""
    ref = _party(items[i])
    fits = ref is not None and any(p.kind == _KINDS[items[noun].concept] for p in ref.parties)
    return fits and concept(items, noun - 1) != "ask"


def _about_persons(items: list[Item]) -> bool:
    """Whether the question is about people and companies alone, not about what they offered or ordered."""
    about = {
        "entity.offer",
        "entity.product",
        "entity.family",
        "entity.parameter",
        "entity.tab",
        "count",
        "share",
        "howmuch",
    }
    return not any(
        i.concept in about or verb_of(i) or i.concept.startswith("rolenoun.") or isinstance(i.means, Condition | Fields)
        for i in items
    ) and any(
        i.concept in {"entity.company", "entity.participant", "entity.participant.title", "prop.title", "belong"}
        for i in items
    )


_OF_USERS = {"who", "ask", "entity.user", "prop.userid", "prop.name", "whose", "belong", "have", "cop", "ask.do", "rel"}
_MARKS = {"stop", "comma", "dash", "of", "in", "for", "and"}


def _about_users(items: list[Item], i: int) -> bool:
    """Whether the question is about a user alone: "who is user X", "the name of the user whose login is X"."""
    ref = _party(items[i])
    others = [k for n, k in enumerate(items) if n != i and k.concept not in _MARKS]
    return bool(
        ref and any(p.kind == "user" for p in ref.parties) and others
        and all(
            k.concept in _OF_USERS or (isinstance(k.means, Fields) and k.means.grain is Grain.USER) for k in others
        )
        and (any(k.concept in {"entity.user", "prop.userid"} or isinstance(k.means, Fields) for k in others))
    )  # fmt: skip


def _of_user(items: list[Item], start: int, end: int, i: int) -> tuple[int, int, Condition, str]:
    chosen, note = _one(items[i], "user", HANDLED)
    return start, end, Condition(Grain.USER, (_compare(chosen, "user", HANDLED),), "person"), note


def _of_person(
    items: list[Item], start: int, end: int, members: list[int], kind: str | None
) -> tuple[int, int, Condition, str]:
    """ "Which company does X represent", "the participants of company Y": the person alone, whatever the role."""
    asks_company = any(i.concept == "entity.company" and k < start for k, i in enumerate(items)) or any(
        i.concept == "entity.company" and k >= end for k, i in enumerate(items)
    )
    options = [p for k in members if (ref := _party(items[k])) for p in ref.parties]
    if kind is None and not asks_company and any(i.concept == "entity.participant" for i in items):
        kind = "company"
    if kind is None and asks_company:
        kind = "participant"
    group: list[PartyName] = []
    for k in members:
        group += _one(items[k], kind, "sent")[0]
    if len({p.kind for p in group}) != 1 or not options:
        raise Problem(
            "which_role",
            (("words", items[start].text),),
            choices=("role?",),
            span=(items[start].start, items[end - 1].end),
        )
    prop = "company" if group[0].kind == "company" else "name"
    texts = tuple(sorted({p.text for p in group}))
    compare = Compare(
        field=participant(prop, None), operator=Operator.EQUAL if len(texts) == 1 else Operator.IN, values=texts
    )
    return start, end, Condition(Grain.PARTICIPANT, (compare,), "person"), ""


def _one(item: Item, kind: str | None, role: str) -> tuple[list[PartyName], str]:
    """The party meant, all that bear one name. Raises Problem with the choices."""
    ref = _party(item)
    assert ref is not None  # noqa: S101 - the caller looked
    fitting = {"user"} if role == HANDLED else {"company", "participant"}
    options = [p for p in ref.parties if p.kind in fitting and (kind is None or p.kind == kind)]
    if not options:
        raise Problem("wrong_party", (("words", item.text), ("role", role)), words=(item.text,))
    names = sorted({(p.kind, p.text) for p in options})
    if len({text for _, text in names}) > 1:
        choices = tuple(dict.fromkeys(text for _, text in names))
        raise Problem("ambiguous_party", (("words", item.text),), choices=choices[:8], span=(item.start, item.end))
    if len(names) > 1:
        choices = tuple(f"{{{k}}} {text}" for k, text in names)
        raise Problem("party_kind", (("words", item.text),), choices=choices, span=(item.start, item.end))
    note = "" if item.exact else f"party:{options[0].text}|{item.text}"
    return options, note


def _compare(group: list[PartyName], kind: str, role: str) -> PlanCondition:
    if kind != "user":
        prop = "company" if kind == "company" else "name"
        texts = tuple(sorted({p.text for p in group}))
        operator = Operator.EQUAL if len(texts) == 1 else Operator.IN
        return Compare(field=participant(prop, role), operator=operator, values=texts)
    logins = tuple(sorted({p.userid for p in group if p.userid}))
    if logins and all(p.userid for p in group):
        field = PropertyField(label=model.USER.label, property="userid")
        return Compare(field=field, operator=Operator.EQUAL if len(logins) == 1 else Operator.IN, values=logins)
    named: list[PlanCondition] = []
    for party in group:
        first, _, last = party.text.partition(" ")
        named.append(AllOf(conditions=tuple(
            Compare(field=PropertyField(label=model.USER.label, property=prop), operator=Operator.EQUAL, values=(text,))
            for prop, text in (("firstname", first), ("lastname", last)) if text
        )))  # fmt: skip
    return named[0] if len(named) == 1 else AnyOf(conditions=tuple(named))

"""In which role the question asks for a company or person.

Arrives: the frame and the noun. Leaves: the role, or a Problem that asks for it.
"""

from cpq_graph import model
from cpq_graph.query.language.frame import Frame
from cpq_graph.query.language.items import Condition, Group, Item, Number, Quantity
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.language.parties import participant
from cpq_graph.query.language.result import Problem
from cpq_graph.query.plan import AnyField, Grain, PropertyField

# A customer is the company that orders; a seller is a person.
_PROPERTY = {"rolenoun.sent": "name", "rolenoun.received": "company", "rolenoun.delivered": "company"}
_PERSONAL = ("recip", "receiv", "vastaanott")


def field_role(f: Frame, item: Item) -> tuple[str, str]:
    """The role and the property (name or company) that a noun for a party stands for."""
    concept = item.concept
    if concept.startswith("rolenoun.") and concept.count(".") == 2:
        return concept.split(".")[1], concept.split(".")[2]
    if concept.startswith("rolenoun."):
        prop = _PROPERTY[concept]
        if item.text.lower().startswith(_PERSONAL) and prop == "company":
            prop = "name"
        if any(k.concept == "entity.company" for k in f.context):
            prop = "company"
        return concept.split(".")[1], prop
    prop = {"entity.company": "company", "entity.participant.title": "title"}.get(concept, "name")
    role = _role(f, item)
    if role is None:
        raise Problem("which_role_listed", (("words", item.text),), choices=("role",), span=(item.start, item.end))
    return role, prop


def who_fields(f: Frame, *, brief: bool = False) -> list[AnyField]:
    """The fields of "who": name and company in the role, or the user. `brief`: the name alone, to group by."""
    item = f.who
    assert item is not None  # noqa: S101 - the caller looked
    role = "received" if item.concept == "who.received" else _role(f, item)
    if role is None:
        raise Problem("which_role_listed", (("words", item.text),), choices=("role",), span=(item.start, item.end))
    if role == "handled":
        f.shows = [s for s in f.shows if s.concept != "entity.user"]
        parts = ("userid",) if brief else ("userid", "firstname", "lastname")
        return [PropertyField(label=model.USER.label, property=p) for p in parts]
    if brief and (said := [s for s in f.shows if s.concept.startswith(f"rolenoun.{role}")]):
        # "Who are our top customers": grouped by what the noun stands for.
        f.shows = [s for s in f.shows if s not in said]
        return [participant(field_role(f, said[0])[1], role)]
    f.shows = [s for s in f.shows if s.concept != f"rolenoun.{role}"]
    named = any(s.concept in {"entity.participant", "entity.company"} for s in f.shows)
    if named:
        return []
    if brief:
        return [participant("name", role)]
    return [participant("name", role), participant("company", role)]


def _role(f: Frame, item: Item) -> str | None:
    if any(k.concept == "entity.user" for k in (*f.context, *f.shows)):
        return "handled"
    nouns = {k.concept.split(".")[1] for k in (*f.context, *f.shows) if k.concept.startswith("rolenoun.")}
    if len(nouns) == 1:
        # "Who is the seller", "what company is the receiver from"
        return nouns.pop()
    for relative, direction in (("rel.received", "received"), ("rel.sent", "sent")):
        if any(k.concept == relative for k in f.items):
            return direction
    if item.case is Case.ALLATIVE:
        return "received"
    if item.case is Case.ABLATIVE:
        return "sent"
    verbs = [v for _, v in f.verbs]
    only = verbs[0].role if len({v.role for v in verbs}) == 1 else None
    if f.language == "en" and item.concept == "who" and verbs:
        asker = f.items.index(item)
        stranded = (
            len(f.items) > 1 and f.items[-1].concept in {"by", "stop"} and any(k.concept == "by" for k in f.items[-2:])
        )
        if (asker and f.items[asker - 1].concept == "by") or stranded:
            return verbs[-1].role if len({v.role for v in verbs}) == 1 else None
    if f.language == "en":
        place = next(
            (
                k
                for k, it in enumerate(f.items)
                if it is item or (isinstance(it.means, Group) and item in it.means.keys)
            ),
            None,
        )
        if place is not None:
            text = f.items[place].text.lower()
            before = _in_front(f, place)
            if before == "by" and only:
                return only
            if before == "to" or text.startswith("to "):
                return "received"
            if before == "from":
                return "sent"
            if text.startswith("by") and place and verbs and any(k == place - 1 for k, _ in f.verbs):
                return next(v.role for k, v in f.verbs if k == place - 1)
        if f.items and f.items[-1].concept == "to":
            return "received"
        if f.items and f.items[-1].concept == "from":
            return "sent"
        if place is not None:
            if item.concept == "who" and only and _describes_offers(f):
                # "Whose name is on most sent offers?"
                return only
            following = [(k, v) for k, v in f.verbs if k > place]
            if following and not isinstance(f.items[place].means, Group):
                k, verb = following[0]
                between = [f.items[j].concept for j in range(place + 1, k)]
                passive = "cop" in between and not {"rel", "have", "who"} & set(between)
                if not passive or verb.role in {"received"}:
                    return verb.role
                if verb.role in {"sent", "delivered"} and set(between) == {"cop"}:
                    return "received"
                return None
    elif only and (item.text.lower().startswith("kenen ") or _describes_offers(f)):
        # "Kenen toimesta se lähetettiin?", "kenellä oli eniten lähetettyjä tarjouksia"
        return only
    else:
        agents = [v for v in verbs if v.form in {"agent", "active"}]
        if agents and len({v.role for v in agents}) == 1:
            return agents[0].role
    roles = {v.role for v in verbs}
    if f.language == "en":
        active = {v.role for k, v in f.verbs if _active(f, k)}
        if len(active) == 1:
            return active.pop()
    if roles in ({"received"}, {"handled"}):
        return roles.pop()
    if item.concept == "entity.user":
        return "handled"
    products = any(isinstance(k.means, Condition) and k.means.grain is Grain.PRODUCT for k in f.conditions)
    offers = any(k.concept == "entity.offer" for k in f.items)
    if item.concept == "entity.company" and (item in f.keys or f.counts) and products and not (verbs or offers):
        # Luminaires by company: by those who ordered them.
        return "received"
    return None


def _describes_offers(f: Frame) -> bool:
    """Whether a verb stands right in front of the offers that it is said of: "sent offers"."""
    return any(k + 1 < len(f.items) and f.items[k + 1].concept == "entity.offer" for k, _ in f.verbs)


def _in_front(f: Frame, place: int) -> str:
    """The concept in front of a noun, past what only says how many: "to how many different companies"."""
    k = place - 1
    while k >= 0 and (
        f.items[k].concept in {"ask", "count", "different", "all"} or isinstance(f.items[k].means, Number)
    ):
        k -= 1
    return f.items[k].concept if k >= 0 else ""


def _active(f: Frame, k: int) -> bool:
    """Whether an English verb has its object behind it: "which 3 sent most offers"."""
    if k == 0 or k + 1 >= len(f.items) or f.items[k - 1].concept == "cop":
        return False
    behind = f.items[k + 1]
    one = isinstance(behind.means, Condition) and behind.means.axis == "offer"
    named = behind.concept in {"most", "fewest", "entity.offer", "entity.product"}
    return one or named or isinstance(behind.means, Quantity)

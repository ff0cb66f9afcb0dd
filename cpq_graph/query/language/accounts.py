"""Whether every noun of a question is in its plan.

Arrives: the nouns that the question names, and the plan. Leaves: those that nothing in the plan speaks of: a
question about the price of products must not be answered with the price of offers.
"""

from collections.abc import Iterator

from pydantic import BaseModel

from cpq_graph import model
from cpq_graph.query.language.items import Item
from cpq_graph.query.plan import FeatureField, Grain, Plan, PropertyField, Role

_PARAMETER = {model.PARAMETER.label, model.PARAMETER_VALUE.label, model.TAB.label}


def unaccounted(nouns: list[Item], plan: Plan) -> list[Item]:
    """The nouns that the plan says nothing of."""
    parts = list(_parts(plan))
    labels = {p.label for p in parts if isinstance(p, PropertyField)}
    roles = {p.role for p in parts if isinstance(p, PropertyField) and p.role}
    grains = {p for p in parts if isinstance(p, Grain)}
    features = any(isinstance(p, FeatureField) for p in parts)
    return [n for n in nouns if not _spoken_of(n.concept, labels, roles, grains, features=features)]


def _spoken_of(concept: str, labels: set[str], roles: set[Role], grains: set[Grain], *, features: bool) -> bool:
    kind = concept.split(".")
    if kind[0] == "rolenoun":
        return kind[1] == "handled" or Role(kind[1]) in roles
    match kind[1]:
        case "product":
            return bool(grains & {Grain.PRODUCT, Grain.PARAMETER})
        case "family":
            return model.PRODUCT_FAMILY.label in labels
        case "company" | "participant":
            return model.PARTICIPANT.label in labels or (kind[1] == "participant" and model.USER.label in labels)
        case "user":
            return model.USER.label in labels
        case "parameter" | "tab" | "feature":
            return features or bool(labels & _PARAMETER)
        case "combination":
            return features
    return True


def _parts(thing: object) -> Iterator[object]:
    """Everything that a plan consists of, at every depth."""
    yield thing
    if isinstance(thing, BaseModel):
        for name in type(thing).model_fields:
            yield from _parts(getattr(thing, name))
    elif isinstance(thing, tuple):
        for part in thing:
            yield from _parts(part)

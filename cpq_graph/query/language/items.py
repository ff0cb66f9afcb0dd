"""What a run of words was found to mean: the alphabet that the grammar works on.

Nothing arrives; what leaves are frozen descriptions. An `Item` is a span of the question with its meaning.
"""

from dataclasses import dataclass
from typing import Literal

from cpq_graph.catalog import PartyName
from cpq_graph.query import plan
from cpq_graph.query.language.dates import Period
from cpq_graph.query.language.morphology import Case
from cpq_graph.query.plan import Grain

# What concepts of people and companies begin with, in a role or in none.
PARTIES = ("entity.company", "entity.participant", "entity.user", "rolenoun.")


@dataclass(frozen=True, slots=True)
class Word:
    """A concept of the lexicon: "entity.offer", "cmp.more"."""

    concept: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number, in the base unit of its kind where it has one: 2 m is 2000 mm."""

    value: float
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class When:
    """A period."""

    period: Period


@dataclass(frozen=True, slots=True)
class FamilyRef:
    """A family; several when the words fit several equally well."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FeatureRef:
    """A feature by ext_id; several when the words fit several equally well."""

    ext_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of one feature, as stored (under several spellings where languages differ)."""

    ext_id: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValueRef:
    """A value of a feature; several choices where several features have it."""

    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class PartyRef:
    """A person, company or user; several when the words fit several."""

    parties: tuple[PartyName, ...]


@dataclass(frozen=True, slots=True)
class StoredRef:
    """A status, offer language or title as stored."""

    property: Literal["status", "language_id", "title", "product_code"]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identifier:
    """Text in quotes or of the look of an id: an offer's id, an ext_id."""

    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that nothing is known of."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Numbers that a value must lie between (each end inclusive unless open) or, with `values`, equal one of."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    values: tuple[float, ...] = ()
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """Conditions of plan rows. `axis` says on what ("family", "feature:vari", "period", "sent"), so that two on one
    axis are told from two on different ones. `negated` ones were said with not, without, other than."""

    grain: Grain
    conditions: tuple[plan.Condition, ...]
    axis: str
    negated: bool = False
    only: bool = False
    # Said with "other than", which asks for something else rather than for nothing of the kind.
    other: bool = False
    # Of a period: the calendar unit that it is.
    unit: plan.Unit | None = None
    # Said with a verb of its own: "ohjaus on DALI".
    predicated: bool = False


@dataclass(frozen=True, slots=True)
class Fields:
    """Something of rows that can be shown, grouped or measured: several for a combination."""

    fields: tuple[plan.AnyField, ...]
    grain: Grain
    combined: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """What the question groups by, in order; entities stay as concepts until their role is known."""

    keys: tuple["Item", ...]
    each: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """So many of an entity: more than 3 products."""

    entity: str
    at_least: int | None
    at_most: int | None


Meaning = (
    Word | Number | When | FamilyRef | FeatureRef | ValueRef | PartyRef | StoredRef | Identifier | Unknown
    | Bound | Condition | Fields | Group | Quantity
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A span of tokens [start, end) with its meaning. `case` is that of its last word; `others` are further meanings
    of the same span; `note` says what was assumed (a near miss, a part of a name)."""

    start: int
    end: int
    text: str
    means: Meaning
    case: Case = Case.NOMINATIVE
    others: tuple[Meaning, ...] = ()
    note: str = ""
    exact: bool = True

    @property
    def concept(self) -> str:
        """The lexicon concept, or "" for anything else."""
        return self.means.concept if isinstance(self.means, Word) else ""


def merged(items: "list[Item]", i: int, j: int, means: Meaning, *, note: str = "") -> Item:
    """One item in the place of items [i, j)."""
    part = items[i:j]
    notes = "; ".join(dict.fromkeys(n for n in (*(p.note for p in part), note) if n))
    return Item(part[0].start, part[-1].end, " ".join(p.text for p in part), means, part[-1].case, note=notes)

"""The feature catalog and the names of the graph: what words can refer to.

Made by `load.artifacts` from the graph just built; read by the query engine, which links words through it, and by
people as a page. Every tuple is in a fixed order (most frequent first, ties by text), so that the same graph gives
the same bytes.
"""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class ValueKind(StrEnum):
    """What the values of a feature are. NUMBER values have a measure."""

    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"


class FeatureName(_Frozen):
    """A name that a parameter of this feature is shown under. `count` is parameters; `language` is en, fi or None
    where it cannot be told."""

    text: str
    count: int
    language: Literal["en", "fi"] | None = None


class FeatureValue(_Frozen):
    """A distinct choice as stored. `count` is parameters that have it."""

    name: str | None
    measure: str | None
    count: int


class Feature(_Frozen):
    """A feature over all families (`family` None) or within one. `unit` as written in the values' names, if any;
    `low` and `high` bound the measures of a NUMBER; `count` is parameters that carry the ext_id."""

    ext_id: str
    family: str | None
    names: tuple[FeatureName, ...]
    kind: ValueKind
    unit: str | None
    low: float | None
    high: float | None
    values: tuple[FeatureValue, ...]
    distinct_values: int
    count: int


class Family(_Frozen):
    """A canonical family name. `products` is how many products are CONFIGURED_AS it; `nested` how many more
    families of the name hang under another."""

    name: str
    product_codes: tuple[str, ...]
    products: int
    nested: int


class Catalog(_Frozen):
    """`features` are over all families, `family_features` within one. `statuses`, `languages` and `versions` are the
    distinct values of offers; `first_day` and `last_day` (ISO) bound their dates."""

    families: tuple[Family, ...]
    features: tuple[Feature, ...]
    family_features: tuple[Feature, ...]
    statuses: tuple[str, ...]
    languages: tuple[str, ...]
    versions: tuple[str, ...]
    titles: tuple[str, ...]
    first_day: str | None
    last_day: str | None


class PartyName(_Frozen):
    """A name that people ask by. `nodes` counts the participants or users that bear it."""

    kind: Literal["participant", "company", "user"]
    text: str
    nodes: int
    # For a user: the login name; the text is "firstname lastname".
    userid: str | None = None

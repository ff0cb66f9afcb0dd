"""What is particular to one site: which offers count, and how its XML calls things.

Arrives: `site.toml` in the source folder (`Settings.source_dir`), beside the .sql files. Leaves: `Site`.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from cpq_graph.errors import ConfigurationError
from cpq_graph.model import ATTRIBUTE, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB

# Where a field is the text of the element itself.
OWN_TEXT = "."
# What each kind has from its element, by the name of its entry; the order in which they hold each other.
_FIELDS = {
    entry: tuple(p.name for p in node.properties if p.name != "parameterId")
    for entry, node in (
        ("family", PRODUCT_FAMILY),
        ("tab", TAB),
        ("parameter", PARAMETER),
        ("value", PARAMETER_VALUE),
        ("attribute", ATTRIBUTE),
    )
}
_HOLDS = {
    "family": ("family", "tab", "attribute"),
    "tab": ("tab", "parameter", "attribute"),
    "parameter": ("value", "attribute"),
    "value": ("attribute",),
    "attribute": (),
}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


# One may stand without its brackets.
Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]


class ElementMapping(_Frozen):
    """How one kind of element is called and where its fields are.

    A field is `@name` for an XML attribute, `name` for the text of a child element, `.` for that of the element itself,
    or "" where the site has none. Several places are tried in order. Names are local names: namespaces are ignored.
    """

    element: Annotated[Names, Field(min_length=1)]
    fields: dict[str, Names]


class XmlMapping(_Frozen):
    """The five kinds of element, by the label they become."""

    family: ElementMapping
    tab: ElementMapping
    parameter: ElementMapping
    value: ElementMapping
    attribute: ElementMapping

    @model_validator(mode="after")
    def _is_unambiguous(self) -> "XmlMapping":
        """What would be passed over without a word is refused."""
        if problems := list(_problems(self)):
            raise ValueError("; ".join(problems))
        return self

    @property
    def by_entry(self) -> dict[str, ElementMapping]:
        """The kinds of element by the name of their entry."""
        return {entry: getattr(self, entry) for entry in _FIELDS}

    @property
    def digest(self) -> str:
        """Changes when the mapping does: a parsed part is only good for the mapping that it was parsed by."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


def _problems(mapping: XmlMapping) -> Iterator[str]:
    owners: dict[str, str] = {}
    for entry, kind in mapping.by_entry.items():
        for name in kind.element:
            if name in owners:
                yield f"xml.{entry}.element: {name} is the element of xml.{owners[name]} already"
            owners[name] = entry
            if not _is_name(name):
                yield f"xml.{entry}.element: {name!r} is no element's name{_without_prefix(name)}"
        yield from _problems_of_fields(entry, kind)
        texts = {place for places in kind.fields.values() for place in places}
        for held in _HOLDS[entry]:
            for name in texts.intersection(mapping.by_entry[held].element):
                yield f"xml.{entry}.fields: {name} is the element of xml.{held}, which stands in it"
    for field in _FIELDS["attribute"]:
        if not any(mapping.attribute.fields.get(field, ())):
            yield f"xml.attribute.fields.{field}: must say where it is"


def _problems_of_fields(entry: str, kind: ElementMapping) -> Iterator[str]:
    for field, places in kind.fields.items():
        if field not in _FIELDS[entry]:
            yield f"xml.{entry}.fields.{field}: there is no such field; there are {', '.join(_FIELDS[entry])}"
        for place in places:
            if place not in ("", OWN_TEXT) and not _is_name(place.removeprefix("@")):
                hint = _without_prefix(place)
                yield f'xml.{entry}.fields.{field}: {place!r} is neither "@name" nor "name" nor "."{hint}'


def _is_name(text: str) -> bool:
    return re.fullmatch(r"[^\W\d][\w.·-]*", text) is not None


def _without_prefix(text: str) -> str:
    """What to do about a name with a prefix."""
    return f" (write {text.removeprefix('@').partition(':')[2]}: namespaces are ignored)" if ":" in text else ""


class Site(_Frozen):
    """The site file. `final_statuses` are the values of an offer's status that mean it ended in a sale."""

    final_statuses: Annotated[Names, Field(min_length=1)]
    period_from: date | None = None
    period_to: date | None = None
    xml: XmlMapping


def read_site(folder: Path) -> Site:
    """The site file of `folder`. Raises ConfigurationError that names the file and the entry that is wrong."""
    path = folder / "site.toml"
    try:
        return Site.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ConfigurationError(
            f"{path} is missing", hint="Copy extract/source/ and set CPQ_GRAPH_SOURCE_DIR to your copy."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}") from None
    except ValidationError as error:
        problems = "; ".join(
            # Those found by `_problems` say where they are.
            str(e["ctx"]["error"]) if e["type"] == "value_error" else f"{'.'.join(map(str, e['loc']))}: {e['msg']}"
            for e in error.errors()
        )
        raise ConfigurationError(f"{path}: {problems}", hint="docs/your-database.md explains each entry.") from None

"""What is particular to one site: which offers count, and how its XML calls things.

Arrives: `site.toml` in the source folder (`Settings.source_dir`), beside the .sql files. Leaves: `Site`.
"""

import hashlib
import tomllib
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cpq_graph.errors import ConfigurationError


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ElementMapping(_Frozen):
    """How one kind of element is called and where its fields are.

    A field is `@name` for an XML attribute, `name` for the text of a child element, or "" where the site has none.
    Several places are tried in order. Names are local names: namespaces are ignored.
    """

    element: tuple[str, ...]
    fields: dict[str, tuple[str, ...]]


class XmlMapping(_Frozen):
    """The five kinds of element, by the label they become."""

    family: ElementMapping
    tab: ElementMapping
    parameter: ElementMapping
    value: ElementMapping
    attribute: ElementMapping

    @property
    def digest(self) -> str:
        """Changes when the mapping does: a parsed part is only good for the mapping that it was parsed by."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


class Site(_Frozen):
    """The site file. `final_statuses` are the values of an offer's status that mean it ended in a sale."""

    final_statuses: tuple[str, ...] = Field(min_length=1)
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
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise ConfigurationError(f"{path}: {problems}", hint="docs/your-database.md explains each entry.") from None

"""`outline`: how the source's XML is built, and what of it site.toml maps."""

from typing import TYPE_CHECKING

import click
import polars as pl
from pydantic import BaseModel

from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, line, table
from cpq_graph.settings import Settings
from cpq_graph.site import OWN_TEXT, XmlMapping, read_site

if TYPE_CHECKING:
    from extract.source import Source
    from transform.outline import Outline, Shape

# What is looked at: documents up to this size, and how many unless the user says.
BYTES_MAX, DOCUMENTS = 8 << 20, 20


class Row(BaseModel):
    """One element of the tree; `mapped` is the entry of site.toml that it is, or the field whose text it has."""

    element: str
    depth: int
    times: int
    mapped: str | None
    fields: tuple[str, ...]


@click.command()
@click.option(
    "--documents", type=click.IntRange(min=1), default=DOCUMENTS, show_default=True, help="How many to look at."
)
@json_option
@click.pass_obj
@ends_cleanly
def outline(settings: Settings, *, documents: int, as_json: bool) -> None:
    """Show how the source's XML is built, and what site.toml makes of it.

    Names of elements, their XML attributes and texts, with an example of each. Reads some documents, spread over all
    of them, and changes nothing. An element nested in its like is counted with it.
    """
    from extract.source import open_source
    from stack.local import ensure_postgres

    mapping = read_site(settings.source_dir).xml
    with open_source(ensure_postgres(settings), settings.source_dir) as source:
        looked = look(source, source.configurations(), mapping, documents)
    rows = [_row(depth, shape, mapping) for depth, shape in looked.root.walk(-1) if depth >= 0]
    if as_json:
        emit_json(
            {
                "documents": looked.documents,
                "unreadable": dict(looked.faults),
                "elements": [row.model_dump() for row in rows],
            }
        )
        return
    unread = ", ".join(f"{number} {reason}" for reason, number in looked.faults.items())
    line(f"{looked.documents} documents" + (f", not to be read: {unread}" if unread else ""))
    line()
    table(
        None, ["element", "times", "mapped as", "XML attributes and text, with an example"],
        [["  " * row.depth + row.element, row.times, row.mapped, " ".join(row.fields)] for row in rows],
    )  # fmt: skip


def look(source: "Source", census: pl.DataFrame, mapping: XmlMapping, documents: int = DOCUMENTS) -> "Outline":
    """Looks at so many documents, spread over the census. Raises SourceError."""
    from extract.documents import Configuration
    from transform.outline import outline as outline_of

    fit = census.filter(pl.col("bytes").is_between(1, BYTES_MAX))
    chosen = fit.gather_every(max(1, fit.height // documents)).head(documents)
    wanted = [
        Configuration(key, product, size, "")
        for key, product, size in chosen.select("id", "product_id", "bytes").iter_rows()
    ]
    return outline_of((opens for _, opens in source.reader().documents(wanted)), mapping)


def _row(depth: int, shape: "Shape", mapping: XmlMapping) -> Row:
    fields = mapping.by_entry[shape.entry].fields if shape.entry else {}
    names = {place: name for name, places in fields.items() for place in places}
    shown = [(f"@{name}", place) for name, place in shape.attributes.items()]
    shown += [(OWN_TEXT, shape.text)] if shape.text.times else []
    texts = []
    for where, place in shown:
        example = next(iter(place.examples), "")
        texts.append(f"{where}={example!r}" + (f" → {names[where]}" if where in names else ""))
    return Row(
        element=shape.name, depth=depth, times=shape.times, mapped=shape.entry or shape.text_of, fields=tuple(texts)
    )


COMMANDS = (outline,)

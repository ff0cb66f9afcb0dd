"""What `doctor` looks at in the source: the database, the .sql files, the statuses, and some documents.

Arrives: settings. Leaves: `Finding`s. Raises SourceError about what stops all further looking.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, SecretStr

from cpq_graph.cli.outline import look
from cpq_graph.model import EXT_ID
from cpq_graph.settings import Settings
from cpq_graph.site import Site, read_site

if TYPE_CHECKING:
    import polars as pl

    from transform.outline import Outline


class Finding(BaseModel):
    """One thing that was looked at."""

    model_config = ConfigDict(frozen=True)

    check: str
    state: Literal["ok", "warning", "failed"]
    found: str
    mend: str | None = None


def check_source(settings: Settings) -> Iterator[Finding]:
    """Connection, contracts, statuses, what the mapping finds, and whether the disk has room for all of it."""
    from extract.rights import warnings
    from extract.source import open_source

    site, url = read_site(settings.source_dir), settings.postgres_url
    if url is None:
        from stack import local

        server = local.status(settings).postgres
        if server is None or server.url is None:
            yield Finding(
                check="PostgreSQL", state="warning", found="no URL is set and the local server does not run",
                mend="Set CPQ_GRAPH_POSTGRES_URL, or run: cpq-graph stack up",
            )  # fmt: skip
            return
        url = SecretStr(server.url)
    with open_source(url, settings.source_dir) as source:
        if settings.postgres_url is not None:
            for warning in warnings(source):
                yield Finding(
                    check="PostgreSQL", state="warning", found=warning,
                    mend="See extract/source/grants.sql and docs/security.md.",
                )  # fmt: skip
        census = source.configurations()
        megabytes = int(census["bytes"].sum() or 0) / 1e6
        yield Finding(
            check="PostgreSQL", state="ok",
            found=f"database {source.snapshot.database}; every .sql file keeps its contract; "
            f"{len(census)} configurations, {megabytes:.0f} MB",
        )  # fmt: skip
        yield from _statuses(site, source.table("offer"))
        yield from _documents(look(source, census, site.xml))
        free = shutil.disk_usage(existing_folder(settings)).free / 1e6
        # Parts, CSVs and two stores took 4 times the documents' size on the sample; twice that is asked for.
        need = 500 + 8 * megabytes
        yield Finding(
            check="disk", state="ok" if free > need else "failed",
            found=f"{free / 1e3:.1f} GB free, about {need / 1e3:.1f} GB needed",
            mend=None if free > need else f"Free space, or set CPQ_GRAPH_DATA_DIR (now {settings.data_dir})",
        )  # fmt: skip


def _statuses(site: Site, offers: "pl.DataFrame") -> Iterator[Finding]:
    """Whether the statuses that count as final occur."""
    there = set(offers["status"].drop_nulls().to_list())
    final = [status for status in site.final_statuses if status in there]
    if missing := [status for status in site.final_statuses if status not in there]:
        yield Finding(
            check="statuses", state="warning" if final or not there else "failed",
            found=f"no offer has the final status {' or '.join(missing)}",
            mend=f"Correct final_statuses in site.toml. There are: {', '.join(sorted(there)[:20]) or 'none'}.",
        )  # fmt: skip
    if final:
        number = offers["status"].is_in(final).sum()
        yield Finding(check="statuses", state="ok", found=f"{number} of {offers.height} offers are final, of any date")


def _documents(looked: "Outline") -> Iterator[Finding]:
    """What the mapping finds in some documents."""
    mapping = looked.mapping
    mend = "See how the documents are built: cpq-graph outline; then correct site.toml."
    if unread := looked.faults.total():
        reasons = ", ".join(f"{number} {reason}" for reason, number in looked.faults.items())
        yield Finding(
            check="XML", state="failed" if unread == looked.documents else "warning",
            found=f"{unread} of {looked.documents} documents cannot be read: {reasons}",
            mend="docs/your-database.md says what configuration.sql has to return.",
        )  # fmt: skip
    if unread == looked.documents:
        return
    found = {entry: looked.found(entry) for entry in mapping.by_entry}
    missing = [entry for entry in found if not found[entry].elements]
    for entry in missing:
        names = " or ".join(mapping.by_entry[entry].element)
        yield Finding(
            check="XML", state="warning" if entry == "attribute" else "failed",
            found=f"xml.{entry}.element: no {names} in {looked.documents - unread} documents", mend=mend,
        )  # fmt: skip
    for entry in [each for each in found if each not in missing]:
        for name, place in found[entry].fields.items():
            if not place.times and any(mapping.by_entry[entry].fields[name]):
                yield Finding(
                    check="XML", state="warning",
                    found=f"xml.{entry}.fields.{name}: none of {found[entry].elements} elements has it", mend=mend,
                )  # fmt: skip
    if "attribute" not in missing and EXT_ID not in found["attribute"].fields["type"].examples:
        yield Finding(
            check="XML", state="warning", found=f"no attribute of type {EXT_ID!r}: questions about features need it",
            mend="Map the attribute that names a feature's key: docs/your-database.md.",
        )  # fmt: skip
    if not missing:
        counts = ", ".join(f"{each.elements} {entry}" for entry, each in found.items())
        yield Finding(check="XML", state="ok", found=f"elements in {looked.documents} documents: {counts}")


def existing_folder(settings: Settings) -> Path:
    """The data folder, or what there is above it."""
    folder = settings.data_dir.absolute()
    while not os.path.lexists(folder):
        folder = folder.parent
    return folder

"""The graph just loaded → its context artifacts, in one folder that is complete once its manifest is there.

Arrives: a database whose state node says which graph it is. Leaves: `<data>/artifacts/<fingerprint>/` with the files
that `cpq_graph.manifest` names. The same graph gives the same bytes, so a folder that is there already is kept.
"""

import hashlib
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from cpq_graph.catalog import Catalog
from cpq_graph.errors import ArtifactsError
from cpq_graph.manifest import (
    CATALOG_JSON,
    CATALOG_PAGE,
    CATALOG_PARQUET,
    DOMAIN,
    NAMES,
    SCHEMA_V1,
    SCHEMA_V2,
    Manifest,
    Snapshot,
    read_manifest,
    write_atomically,
    write_manifest,
)
from cpq_graph.render import schema_v1, schema_v2
from load.catalog import build_catalog, catalog_parquet, names_parquet, party_names
from load.catalog_page import catalog_page
from load.database import Database
from load.domain import domain_context
from load.reconcile import count_graph, read_state
from load.switch import artifacts_dir


def build_artifacts(
    database: Database,
    data_dir: Path,
    *,
    snapshot: Snapshot,
    fingerprint: str | None = None,
    choices: pl.DataFrame | None = None,
    before: Catalog | None = None,
) -> Path:
    """Builds the artifacts of the graph in `database` and returns their folder. Its fingerprint is what the graph says;
    of one that is not marked complete yet it is given. `choices` and `before` are as for `build_catalog`. Raises
    ArtifactsError when the graph was never finished."""
    if fingerprint is None:
        state = read_state(database)
        if state is None:
            raise ArtifactsError(f"the graph at {database.uri} is not complete", hint="Run: cpq-graph refresh")
        fingerprint = state[0]
    counts = count_graph(database)
    files = render_artifacts(database, counts, build_catalog(database, choices, before))
    checksums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    folder = artifacts_dir(data_dir) / fingerprint
    if _is_current(folder, checksums):
        return folder
    draft = folder.with_name(f".{fingerprint}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    for name, content in files.items():
        write_atomically(draft / name, content)
    write_manifest(
        draft,
        Manifest(
            fingerprint=fingerprint,
            built_at=datetime.now(UTC),
            snapshot=snapshot,
            counts=counts,
            checksums=checksums,
        ),
    )
    _replace(folder, draft)
    return folder


def render_artifacts(database: Database, counts: dict[str, int], catalog: Catalog) -> dict[str, bytes]:
    """The content of every file but the manifest, by name."""
    return {
        SCHEMA_V2: schema_v2().encode(),
        SCHEMA_V1: schema_v1(counts).encode(),
        DOMAIN: domain_context(catalog).encode(),
        CATALOG_JSON: (catalog.model_dump_json(indent=1) + "\n").encode(),
        CATALOG_PARQUET: catalog_parquet(catalog),
        CATALOG_PAGE: catalog_page(catalog).encode(),
        NAMES: names_parquet(party_names(database)),
    }


def _is_current(folder: Path, checksums: dict[str, str]) -> bool:
    try:
        return read_manifest(folder, verify=True).checksums == checksums
    except ArtifactsError:
        return False


def _replace(folder: Path, draft: Path) -> None:
    """Puts `draft` in the place of `folder`, which may be in use: a reader sees the old files or the new ones."""
    old = folder.with_name(f".{folder.name}.old.{os.getpid()}")
    if folder.exists():
        folder.rename(old)
    draft.rename(folder)
    shutil.rmtree(old, ignore_errors=True)

"""The contract between the refresh and the engine: which graph serves, and which artifacts belong to it.

`Serving` is one small file in the data folder, replaced atomically: replacing it IS the switch. It names the server,
the graph's fingerprint and the artifacts folder. `Manifest` is the last file written into an artifacts folder and
says what is in it. Whoever asks reads `Serving` between two questions and follows it.
"""

import hashlib
import json
import os
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from cpq_graph.errors import ArtifactsError

FORMAT = 1

SCHEMA_V2 = "schema-v2.txt"
SCHEMA_V1 = "schema-v1.json"
DOMAIN = "domain-context.md"
CATALOG_JSON = "catalog.json"
CATALOG_PARQUET = "catalog.parquet"
CATALOG_PAGE = "catalog.md"
NAMES = "names.parquet"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Snapshot(_Frozen):
    """The state of the source that a graph was made from: PostgreSQL's snapshot, and when it was taken."""

    taken_at: datetime
    name: str
    database: str


class Manifest(_Frozen):
    """What one artifacts folder holds. `checksums` are SHA-256 by file name, `counts` by label and by pattern."""

    format: int = FORMAT
    fingerprint: str
    built_at: datetime
    snapshot: Snapshot
    counts: dict[str, int]
    checksums: dict[str, str]


class Graph(_Frozen):
    """One graph that can be served: its store (for a local server), where it answers, its artifacts and its run."""

    store: str | None
    uri: str
    database: str
    fingerprint: str
    artifacts: str
    run: str
    snapshot: Snapshot


class Serving(_Frozen):
    """The graph that answers now, and the one before it, kept for `rollback`."""

    format: int = FORMAT
    current: Graph
    previous: Graph | None = None
    switched_at: datetime


def serving_path(data_dir: Path) -> Path:
    """Where the pointer to the serving graph is kept."""
    return data_dir / "serving.json"


def read_serving(data_dir: Path) -> Serving:
    """The pointer. Raises ArtifactsError when nothing was ever loaded or the file is damaged."""
    path = serving_path(data_dir)
    try:
        return Serving.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ArtifactsError("no graph has been loaded yet", hint="Run: cpq-graph refresh") from None
    except ValidationError as error:
        raise ArtifactsError(f"{path} is damaged: {error}", hint="Run: cpq-graph refresh") from None


def write_serving(data_dir: Path, serving: Serving) -> None:
    """Replaces the pointer in one step, which is on disk when this returns."""
    write_atomically(serving_path(data_dir), (serving.model_dump_json(indent=2) + "\n").encode())


def write_atomically(path: Path, content: bytes) -> None:
    """Writes `path` so that a reader sees the old or the new content, whatever happens in between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        # A full disk: what is there of the draft takes the last of it.
        draft.unlink(missing_ok=True)
        raise


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes the manifest, which declares `folder` complete."""
    text = json.dumps(manifest.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False)
    write_atomically(folder / "manifest.json", (text + "\n").encode())


def read_manifest(folder: Path, *, verify: bool = False) -> Manifest:
    """The manifest of an artifacts folder; `verify` compares every file with its checksum. Raises ArtifactsError."""
    hint = "Run: cpq-graph context build"
    try:
        manifest = Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    except FileNotFoundError:
        raise ArtifactsError(f"{folder} has no manifest: its artifacts are incomplete", hint=hint) from None
    except ValidationError as error:
        raise ArtifactsError(f"{folder}/manifest.json is damaged: {error}", hint=hint) from None
    if manifest.format != FORMAT:
        raise ArtifactsError(f"{folder} has format {manifest.format}, this version reads {FORMAT}", hint=hint)
    if verify:
        for name, checksum in manifest.checksums.items():
            path = folder / name
            if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != checksum:
                raise ArtifactsError(f"{path} is not what the manifest says", hint=hint)
    return manifest

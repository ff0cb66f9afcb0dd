"""`context`: the artifacts that describe the graph, to the engine and to people."""

from pathlib import Path

import click

from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, line
from cpq_graph.manifest import CATALOG_JSON, CATALOG_PAGE, DOMAIN, SCHEMA_V1, SCHEMA_V2, read_manifest, read_serving
from cpq_graph.settings import Settings


@click.group()
def context() -> None:
    """Build and show the context artifacts."""


@context.command()
@json_option
@click.pass_obj
@ends_cleanly
def build(settings: Settings, *, as_json: bool) -> None:
    """Rebuild the artifacts of the graph that serves, from the graph."""
    from cpq_graph.cli.stack import ensure_serving
    from flows.context import rebuild

    ensure_serving(settings)
    folder = rebuild(settings)
    manifest = read_manifest(folder, verify=True)
    if as_json:
        emit_json({"folder": str(folder), "manifest": manifest.model_dump(mode="json")})
    else:
        line(f"{folder}: {', '.join(sorted(manifest.checksums))}")


@context.group()
def show() -> None:
    """Print an artifact on stdout."""


def _shows(name: str, help_text: str, file: str, json_file: str | None = None) -> None:
    @show.command(name, help=help_text)
    @json_option
    @click.pass_obj
    @ends_cleanly
    def command(settings: Settings, *, as_json: bool) -> None:
        folder = settings.data_dir / read_serving(settings.data_dir).current.artifacts
        read_manifest(folder)
        if as_json and json_file is None and not file.endswith(".json"):
            emit_json({"name": file, "text": _read(folder, file)})
        else:
            line(_read(folder, json_file if as_json and json_file else file).rstrip("\n"))


def _read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


_shows("schema", "The schema text V2: labels, typed properties, relationship patterns.", SCHEMA_V2)
_shows("schema-v1", "The verbose schema V1, JSON of the kind that apoc.meta.schema gives.", SCHEMA_V1)
_shows("domain", "The static domain context: how features are found, families, ext_ids, samples of values.", DOMAIN)
_shows("catalog", "The feature catalog, as a page; with --json as data.", CATALOG_PAGE, CATALOG_JSON)

COMMANDS = (context,)

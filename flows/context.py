"""The context artifacts of the graph that serves, made again from the graph (no run of the refresh is needed)."""

from datetime import UTC, datetime
from pathlib import Path

from cpq_graph.manifest import read_serving, write_serving
from cpq_graph.servers import Address
from cpq_graph.settings import Settings
from load.artifacts import build_artifacts
from load.database import connect


def rebuild(settings: Settings) -> Path:
    """Builds them, lets the pointer name them, and returns their folder. Raises ArtifactsError when nothing serves."""
    serving = read_serving(settings.data_dir)
    graph = serving.current
    address = Address(settings.neo4j_uri or graph.uri, settings.neo4j_user, graph.database, settings.target_ca_file)
    with connect(address, settings.target_password) as database:
        folder = build_artifacts(database, settings.data_dir, snapshot=graph.snapshot)
    artifacts = str(folder.relative_to(settings.data_dir))
    current = graph.model_copy(update={"artifacts": artifacts, "fingerprint": folder.name})
    if current != graph:
        changes = {"current": current, "switched_at": datetime.now(UTC)}
        write_serving(settings.data_dir, serving.model_copy(update=changes))
    return folder

"""docker-compose.yml, as far as it can be checked without Docker."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from cpq_graph.settings import Settings

CHECKOUT = Path(__file__).parent.parent
TEXT = (CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
EXAMPLE = (CHECKOUT / ".env.example").read_text(encoding="utf-8")


def test_no_secret_has_a_value() -> None:
    required = set(re.findall(r"\$\{(\w+):\?", TEXT))
    assert required == {"POSTGRES_PASSWORD", "NEO4J_PASSWORD"}
    assert set(re.findall(r"(?m)^(\w*PASSWORD)=$", EXAMPLE)) == required
    for line in TEXT.splitlines():
        if "PASSWORD:" in line:
            assert re.search(r"\$\{\w+:\?", line), line


def test_every_port_is_on_loopback() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", [])]
    assert len(ports) == 4
    assert all(port.startswith("127.0.0.1:") for port in ports)


@pytest.mark.parametrize("name", ["postgres", "neo4j", "prefect"])
def test_every_server_says_when_it_is_healthy_and_keeps_its_data(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["healthcheck"]["test"]
    assert service["volumes"][0].split(":")[0] in COMPOSE["volumes"]


def test_the_worker_waits_for_all_servers() -> None:
    waits = COMPOSE["services"]["worker"]["depends_on"]
    assert waits == {name: {"condition": "service_healthy"} for name in ("postgres", "neo4j", "prefect")}


def test_the_worker_sets_only_settings_that_there_are() -> None:
    named = {name for name in COMPOSE["services"]["worker"]["environment"] if name.startswith("CPQ_GRAPH_")}
    # Not a setting but where prefect.yaml finds the checkout.
    named.remove("CPQ_GRAPH_HOME")
    assert {name.removeprefix("CPQ_GRAPH_").lower() for name in named} <= set(Settings.model_fields)


def test_it_runs_the_version_that_the_local_stack_runs() -> None:
    default = Settings.model_fields["neo4j_version"].default
    assert COMPOSE["services"]["neo4j"]["image"] == f"neo4j:${{NEO4J_VERSION:-{default}}}-community"

"""What `doctor` says of servers that are away, not to be used, or used with more rights than needed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import neo4j
import pytest
from click.testing import CliRunner

from cpq_graph.cli import main
from cpq_graph.servers import Address
from cpq_graph.settings import CHECKOUT
from sample_data.create import create


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQ_GRAPH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.chdir(tmp_path)


def findings(code: int) -> dict[str, list[tuple[str, str, str]]]:
    """(state, found, how to mend it) by check. All that is not ok says how to mend it."""
    done = CliRunner().invoke(main, ["doctor", "--json"])
    assert done.exit_code == code, done.output
    found: dict[str, list[tuple[str, str, str]]] = {}
    for each in json.loads(done.stdout):
        assert each["state"] == "ok" or each["mend"], each
        found.setdefault(each["check"], []).append((each["state"], each["found"], each["mend"] or ""))
    return found


def test_servers_that_are_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQ_GRAPH_POSTGRES_URL", "postgresql://u:canary-4711@127.0.0.1:1/db")
    monkeypatch.setenv("CPQ_GRAPH_NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:1/api")
    found = findings(1)
    for check in ("PostgreSQL", "Neo4j", "Prefect"):
        assert [state for state, *_ in found[check]] == ["failed"], check
    assert "nothing listens there" in found["Neo4j"][0][1]
    assert "canary-4711" not in str(found)


def test_servers_that_are_there(
    monkeypatch: pytest.MonkeyPatch, postgres_database: Callable[[], str], clean_neo4j: Address
) -> None:
    url = postgres_database()
    create(3, seed=1, into=url)
    monkeypatch.setenv("CPQ_GRAPH_POSTGRES_URL", url)
    monkeypatch.setenv("CPQ_GRAPH_NEO4J_URI", clean_neo4j.uri)
    found = findings(0)
    states = [(state, text) for state, text, _ in found["PostgreSQL"]]
    assert ("warning", "role postgres is a superuser") in states
    assert any(state == "ok" and "keeps its contract" in text for state, text in states)
    assert [(state, clean_neo4j.uri in text) for state, text, _ in found["Neo4j"]] == [("ok", True)]
    assert found["graph"][0][0] == "warning"


def test_a_mapping_that_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, postgres_database: Callable[[], str]
) -> None:
    url = postgres_database()
    create(12, seed=1, into=url)
    monkeypatch.setenv("CPQ_GRAPH_POSTGRES_URL", url)
    shutil.copytree(CHECKOUT / "extract" / "source", tmp_path / "source")
    monkeypatch.setenv("CPQ_GRAPH_SOURCE_DIR", str(tmp_path / "source"))
    site = tmp_path / "source" / "site.toml"
    right = site.read_text(encoding="utf-8")
    assert [state for state, *_ in findings(0)["XML"]] == ["ok"]

    site.write_text(right.replace('"Tab"', '"Page"').replace('"@measure"', '"Measure"').replace('"@type"', '"@kind"'))
    found = findings(1)["XML"]
    assert [(state, text.split(" ")[0]) for state, text, _ in found] == [
        ("failed", "xml.tab.element:"), ("warning", "xml.value.fields.measure:"),
        ("warning", "xml.attribute.fields.type:"), ("warning", "no"),
    ]  # fmt: skip
    assert all("cpq-graph outline" in mend for _, _, mend in found[:3])

    site.write_text(right.replace('"ORDERED"', '"Ordered"'))
    found = findings(0)["statuses"]
    assert [state for state, *_ in found] == ["warning", "ok"]
    assert "Ordered" in found[0][1]
    assert "ORDERED" in found[0][2]
    site.write_text(right.replace('"FINALIZED", "ORDERED"', '"WON"'))
    assert [state for state, *_ in findings(1)["statuses"]] == ["failed"]

    site.write_text(right)
    rows = json.loads(CliRunner().invoke(main, ["outline", "--json"]).stdout)
    assert rows["documents"] > 3
    tab = next(row for row in rows["elements"] if row["element"] == "Tab")
    assert (tab["mapped"], tab["fields"][0].split("=")[0]) == ("tab", "@id")

    monkeypatch.setenv("CPQ_GRAPH_SOURCE_DIR", str(CHECKOUT / "sample_data" / "vertrieb" / "source"))
    (state, text, mend), *_ = findings(1)["PostgreSQL"]
    assert (state, "offer.sql, line 13" in text, "table" in mend) == ("failed", True, True)


def test_a_database_that_is_somebody_elses(monkeypatch: pytest.MonkeyPatch, clean_neo4j: Address) -> None:
    monkeypatch.setenv("CPQ_GRAPH_NEO4J_URI", clean_neo4j.uri)
    with neo4j.GraphDatabase.driver(clean_neo4j.uri) as driver:
        driver.execute_query("CREATE (:Movie)")
        try:
            found = findings(1)
        finally:
            driver.execute_query("MATCH (m:Movie) DELETE m")
    assert any(state == "failed" and "not of cpq-graph" in text for state, text, _ in found["Neo4j"])


def test_a_data_folder_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CPQ_GRAPH_DATA_DIR", str(tmp_path / "file" / "data"))
    assert findings(1)["data folder"][0][0] == "failed"

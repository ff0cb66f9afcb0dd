"""A refresh with least rights over TLS of a source that is hostile in every text, with canary passwords: what it
leaves in the graph is the texts, byte for byte; what it leaves anywhere else is neither password nor file nor call."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import hostile_source
import psycopg
import pytest
from psycopg import sql
from secrets_search import files_in, found, tables_of
from secured_neo4j import Secured

from cpq_graph.query.engine import Engine
from cpq_graph.settings import CHECKOUT, Settings
from load.database import connect
from load.dump import dump_graph
from stack import local, prefect_server, processes

COMMAND = Path(sys.executable).with_name("cpq-graph")
SOURCE = CHECKOUT / "extract" / "source"
pytestmark = pytest.mark.skipif(not os.environ.get("CPQ_GRAPH_TEST_LONG"), reason="takes minutes: make test-long")
PASSWORD = "Canary-PG-4711 ä@/:%41'\"\\"
WRONG = "Canary-wrong-4711 ö@/:%42"
ROLE = f"cpq_reader_{os.getpid()}_r"


@dataclass
class Site:
    """A data folder, an empty working directory, and all that was ever printed."""

    folder: Path
    environment: dict[str, str]
    listener: socket.socket
    secrets: dict[str, str]
    settings: Settings
    # The URL of the source's owner, which no command is told.
    owner: str
    texts: list[str]
    printed: list[tuple[str, str]] = field(default_factory=list)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(COMMAND), *arguments], env=self.environment | environment, cwd=self.folder / "cwd",
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        self.printed.append((f"output of {' '.join(arguments)}", done.stdout + done.stderr))
        return done

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, postgres_database: Callable[[], str], secured_neo4j: Secured
) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "cwd").mkdir()
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.2)
    texts = hostile_source.texts(listener.getsockname()[1])
    owner = postgres_database()
    hostile_source.load(owner, texts)
    with psycopg.connect(owner) as connection:
        connection.execute((SOURCE / "grants.sql").read_text().replace("cpq_reader", ROLE))  # type: ignore[call-overload]
        connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(ROLE), PASSWORD))
    parts = urlsplit(owner)
    host = parts.netloc.rpartition("@")[2]
    url = urlunsplit(parts._replace(netloc=f"{ROLE}:{quote(PASSWORD, safe='')}@{host}", query=""))
    own = {
        "CPQ_GRAPH_POSTGRES_URL": url,
        "CPQ_GRAPH_NEO4J_URI": secured_neo4j.address.uri,
        "CPQ_GRAPH_NEO4J_CA_FILE": str(secured_neo4j.certificates.ca),
        "CPQ_GRAPH_NEO4J_PASSWORD": secured_neo4j.password,
        "CPQ_GRAPH_DATA_DIR": str(folder / "data"),
        "CPQ_GRAPH_LOG_FORMAT": "json",
        "CPQ_GRAPH_METRICS_FILE": str(folder / "metrics" / "cpq.prom"),
        "PREFECT_API_URL": prefect_server.ensure(folder / "prefect"),
        "PREFECT_HOME": str(folder / "prefect-home"),
    }
    secrets = {"PostgreSQL's password": PASSWORD, "Neo4j's password": secured_neo4j.password, "a wrong one": WRONG}
    named = {name.removeprefix("CPQ_GRAPH_").lower(): value for name, value in own.items() if "CPQ_GRAPH" in name}
    environment = processes.plain_environment() | own
    yield Site(folder, environment, listener, secrets, Settings(_env_file=None, **named), owner, texts)
    prefect_server.stop(folder / "prefect")
    listener.close()
    with psycopg.connect(owner) as connection:
        connection.execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def night(site: Site) -> dict[str, Any]:
    """The report of a refresh, over Bolt."""
    report: dict[str, Any] = site.json("-v", "refresh")
    return report


def test_hostile_texts_arrive_byte_for_byte(site: Site, night: dict[str, Any], secured_neo4j: Secured) -> None:
    totals = {**night["tables"], **night["labels"]}
    lost = {name: (t["rejected"], t["filtered"]) for name, t in totals.items() if t["rejected"] or t["filtered"]}
    # Those whose type is empty, at each of four elements.
    assert lost == {"Attribute": (4, 0)}
    wanted = sorted(site.texts)
    with connect(secured_neo4j.address, secured_neo4j.password) as database:
        for label, name in (
            ("User", "firstname"), ("Participant", "title"), ("Participant", "name"), ("Participant", "company"),
            ("Offer", "version"), ("Offer", "language_id"), ("ProductFamily", "name"),
            ("ProductFamily", "product_code"), ("Tab", "name"), ("Parameter", "name"),
            ("ParameterValue", "name"),
            ("ParameterValue", "parameterId"), ("Attribute", "type"), ("Attribute", "value"),
        ):  # fmt: skip
            rows = database.rows(f"MATCH (n:{label}) RETURN n.{name} AS text")
            texts = sorted(row["text"] for row in rows if row["text"] is not None)
            missing = set(wanted) - set(texts)
            assert missing <= {""}, (label, name, missing)
            assert set(texts) <= set(wanted), (label, name)
        ids = {row["id"] for row in database.rows("MATCH (o:Offer) RETURN o.id AS id")}
        assert {text for text in wanted if text} <= ids
        labels = {row["label"] for row in database.rows("CALL db.labels() YIELD label")}
        assert labels <= {*night["labels"], "GraphState"}, labels


def test_hostile_names_can_be_asked_for(site: Site, night: dict[str, Any]) -> None:
    with Engine(site.settings) as engine:
        for text in site.texts:
            for question in (f"How many offers did {text} send?", f"Montako tuotetta on perheessä {text}?"):
                answer = engine.ask(question)
                assert answer.status in ("OK", "DECLINED"), (question, answer)
                if answer.rows and answer.cypher:
                    assert text not in answer.cypher or len(text) < 3, (text, answer.cypher)
        assert engine.ask("How many offers are there?").rows[0]["offers"] == len(site.texts)


def test_nothing_was_called_and_nothing_written_elsewhere(site: Site, night: dict[str, Any]) -> None:
    with pytest.raises(TimeoutError):
        site.listener.accept()
    assert list((site.folder / "cwd").iterdir()) == []
    assert not Path("/tmp/escaped").exists()
    plain = re.compile(r"[A-Za-z0-9._-]+")
    for path in (site.folder / "data").rglob("*"):
        assert plain.fullmatch(path.name), path


def test_log_lines_are_json_with_run_and_step(site: Site, night: dict[str, Any]) -> None:
    place, text = next((place, text) for place, text in site.printed if "refresh" in place)
    lines = [json.loads(line) for line in text[text.rindex("\n}\n") + 3 :].splitlines()]
    assert {line["run"] for line in lines if line["logger"].startswith("flows")} == {night["run"]}, place
    ended = [line["step"] for line in lines if line.get("event") == "step ended"]
    assert ended == [step["name"] for step in night["steps"]]
    assert "cpq_graph_run_success 1.0" in (site.folder / "metrics" / "cpq.prom").read_text()


def test_a_failing_run_says_what_failed_and_not_with_what(site: Site, night: dict[str, Any]) -> None:
    right = site.environment["CPQ_GRAPH_POSTGRES_URL"]
    done = site.run("refresh", "--json", CPQ_GRAPH_POSTGRES_URL=right.replace(quote(PASSWORD, safe=""), quote(WRONG)))
    assert (done.returncode, json.loads(done.stdout)["kind"]) == (1, "configuration")
    done = site.run("status", CPQ_GRAPH_LOG_FORMAT="text")
    assert done.returncode == 0
    assert not found(site.secrets, everything(site))


def everything(site: Site) -> Iterator[tuple[str, str]]:
    """All that was printed and all that is on disk."""
    yield from site.printed
    yield from files_in(site.folder)


@pytest.mark.timeout(3600)
def test_no_password_anywhere(site: Site, night: dict[str, Any]) -> None:
    right = site.environment["CPQ_GRAPH_POSTGRES_URL"]
    encoded = quote(PASSWORD, safe="")
    for arguments in (
        ["doctor"], ["status"], ["rejects"], ["verify"], ["context", "build"], ["context", "show", "domain"],
        ["ask", "How many offers are there?"], ["query", "MATCH (o:Offer) RETURN count(o) AS n"], ["-v", "rollback"],
        ["stack", "status"], ["refresh", "--dry-run"], ["-v", "refresh", "--mode", "delta"],
    ):  # fmt: skip
        site.run(*arguments, *(["--json"] if len(site.printed) % 2 else []), CPQ_GRAPH_LOG_FORMAT="text")
    for failing in (
        {"CPQ_GRAPH_POSTGRES_URL": right.replace(encoded, quote(WRONG, safe=""))},
        {"CPQ_GRAPH_POSTGRES_URL": right.replace(encoded, WRONG)},
        {"CPQ_GRAPH_POSTGRES_URL": right + "_none"},
        {"CPQ_GRAPH_POSTGRES_URL": f"{right}?no_such_option=1"},
        {"CPQ_GRAPH_NEO4J_PASSWORD": WRONG},
        {"CPQ_GRAPH_NEO4J_URI": f"bolt://neo4j:{WRONG}@127.0.0.1:1"},
        {"CPQ_GRAPH_NEO4J_URI": "bolt+s://127.0.0.1:1"},
        {"CPQ_GRAPH_NEO4J_DATABASE": "none"},
    ):
        for command in (["refresh"], ["doctor"], ["ask", "How many offers are there?", "--json"]):
            site.run("-v", *command, **failing)
    assert len(site.printed) > 30
    assert not any("Traceback" in text for _, text in site.printed)
    assert not found(site.secrets, everything(site))


def test_no_password_in_prefect_after_a_run_on_a_worker(site: Site, night: dict[str, Any]) -> None:
    environment = site.environment | {"CPQ_GRAPH_HOME": str(CHECKOUT), "PREFECT_LOGGING_LEVEL": "DEBUG"}
    prefect = [sys.executable, "-m", "prefect", "--no-prompt"]

    def run(*arguments: str) -> None:
        done = subprocess.run(
            [*prefect, *arguments], env=environment, capture_output=True, text=True, check=False, cwd=CHECKOUT,
            timeout=600,
        )  # fmt: skip
        site.printed.append((" ".join(arguments), done.stdout + done.stderr))
        assert done.returncode == 0, done.stdout + done.stderr

    run("work-pool", "create", "cpq-graph", "--type", "process", "--overwrite")
    run("deploy", "--all")
    with (site.folder / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            [*prefect, "worker", "start", "--pool", "cpq-graph", "--type", "process"],
            env=environment, stdout=log, stderr=log, cwd=CHECKOUT,
        )  # fmt: skip
        try:
            run("deployment", "run", "refresh/nightly", "--watch", "--watch-timeout", "300")
        finally:
            worker.terminate()
            worker.wait(30)
    run("deployment", "inspect", "refresh/nightly")
    tables = list(tables_of(next((site.folder / "prefect").rglob("prefect.db"))))
    filled = {place.split("table ")[1].split(",")[0] for place, text in tables if text}
    assert {"flow_run", "task_run", "log", "artifact", "deployment", "work_pool"} <= filled
    assert not found(site.secrets, everything(site))


def test_bulk_import_delta_and_bolt_make_one_graph_of_hostile_texts(
    site: Site, night: dict[str, Any], secured_neo4j: Secured, tmp_path: Path
) -> None:
    with connect(secured_neo4j.address, secured_neo4j.password) as database:
        dump_graph(database, tmp_path / "bolt.txt")
    own = Settings(
        _env_file=None, data_dir=tmp_path / "local", postgres_url=site.settings.postgres_url, neo4j_heap_mb=512
    )
    environment = {name: value for name, value in site.environment.items() if "NEO4J" not in name}
    other = Site(site.folder, environment, site.listener, site.secrets, own, site.owner, site.texts)
    other.environment |= {"CPQ_GRAPH_DATA_DIR": str(own.data_dir), "CPQ_GRAPH_NEO4J_HEAP_MB": "512"}
    try:
        other.json("refresh")
        address = local.ensure_serving(own)
        with connect(address) as database:
            dump_graph(database, tmp_path / "import.txt")
        # Each text in another's place: all offers change, a few at a time.
        with psycopg.connect(site.owner, autocommit=True) as connection:
            for number in (1, 2, 3):
                connection.execute(
                    "UPDATE cpq.item_file SET body = %s WHERE file_no = %s",
                    (hostile_source.document(site.texts[number + 10]), number),
                )
                connection.execute(
                    "UPDATE cpq.contact SET full_name = %s WHERE contact_no = %s", (site.texts[number + 20], number)
                )
            report = other.json("refresh", "--mode", "delta")
            assert "update offers" in {step["name"] for step in report["steps"]}
            with connect(address) as database:
                dump_graph(database, tmp_path / "delta.txt")
            other.json("refresh")
            with connect(local.ensure_serving(own)) as database:
                dump_graph(database, tmp_path / "full.txt")
            hostile_source.load(site.owner, site.texts)
    finally:
        local.remove(own)
    assert (tmp_path / "bolt.txt").read_bytes() == (tmp_path / "import.txt").read_bytes()
    assert (tmp_path / "delta.txt").read_bytes() == (tmp_path / "full.txt").read_bytes()
    assert (tmp_path / "delta.txt").read_bytes() != (tmp_path / "import.txt").read_bytes()
    with pytest.raises(TimeoutError):
        site.listener.accept()
    assert list((site.folder / "cwd").iterdir()) == []

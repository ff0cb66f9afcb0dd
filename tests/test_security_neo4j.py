"""TLS and passwords to Neo4j, the scripts of its roles, and what its own settings keep a query from."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import neo4j
import pytest
from neo4j.exceptions import Neo4jError
from secured_neo4j import Secured

from cpq_graph.bolt import open_driver
from cpq_graph.errors import ConfigurationError, TargetError
from cpq_graph.query.live_check import check_live
from cpq_graph.servers import Address
from cpq_graph.settings import CHECKOUT
from load.database import connect

ROLES = CHECKOUT / "cypher" / "roles"


@pytest.fixture(scope="module")
def driver(secured_neo4j: Secured) -> Iterator[neo4j.Driver]:
    with open_driver(secured_neo4j.address, secured_neo4j.password) as opened:
        yield opened


def changed(secured: Secured, scheme: str, *, host: str = "127.0.0.1", ca: Path | None) -> Address:
    port = secured.address.uri.rpartition(":")[2]
    return replace(secured.address, uri=f"{scheme}://{host}:{port}", ca_file=ca)


@pytest.mark.parametrize("scheme", ["bolt+s", "neo4j+s"])
def test_the_graph_is_reached_over_tls_that_is_checked(secured_neo4j: Secured, scheme: str) -> None:
    address = changed(secured_neo4j, scheme, ca=secured_neo4j.certificates.ca)
    with connect(address, secured_neo4j.password) as database:
        assert database.rows("RETURN 1 AS one") == [{"one": 1}]
    assert check_live("RETURN 1 AS one", address, secured_neo4j.password).status == "OK"


def test_tls_without_a_check_where_that_is_asked_for(secured_neo4j: Secured) -> None:
    with connect(changed(secured_neo4j, "bolt+ssc", ca=None), secured_neo4j.password) as database:
        assert database.rows("RETURN 1 AS one") == [{"one": 1}]


@pytest.mark.parametrize(
    ("scheme", "host", "ca", "said", "hint"),
    [
        ("bolt+s", "127.0.0.1", "other_ca", "not trusted", "CPQ_GRAPH_NEO4J_CA_FILE"),
        ("neo4j+s", "127.0.0.1", "other_ca", "", "CPQ_GRAPH_NEO4J"),
        ("bolt+s", "127.0.0.1", None, "not trusted", "CPQ_GRAPH_NEO4J_CA_FILE"),
        ("bolt+s", "localhost", "ca", "not trusted: Hostname mismatch", "Is the host right"),
        ("bolt", "127.0.0.1", None, "ended the connection", "bolt+s://"),
    ],
)
def test_a_server_that_is_not_the_right_one_is_refused(
    secured_neo4j: Secured, scheme: str, host: str, ca: str | None, said: str, hint: str
) -> None:
    file = getattr(secured_neo4j.certificates, ca) if ca else None
    address = changed(secured_neo4j, scheme, host=host, ca=file)
    with pytest.raises(TargetError) as error, connect(address, secured_neo4j.password):
        pass
    assert said in error.value.message
    assert hint in (error.value.hint or "")
    with pytest.raises(TargetError):
        check_live("RETURN 1", address, secured_neo4j.password)


def test_a_server_without_tls_is_refused_where_tls_is_wanted(neo4j_server: Address) -> None:
    address = replace(neo4j_server, uri=neo4j_server.uri.replace("bolt://", "bolt+s://"))
    with pytest.raises(TargetError, match="does not speak TLS"), connect(address):
        pass


@pytest.mark.parametrize(
    ("user", "password", "database", "said", "hint"),
    [
        ("neo4j", "wrong-canary-4711", "neo4j", "does not let user neo4j in", "CPQ_GRAPH_NEO4J_PASSWORD"),
        ("nobody", "wrong-canary-4711", "neo4j", "does not let user nobody in", "CPQ_GRAPH_NEO4J_USER"),
        ("neo4j", "", "neo4j", "asks for a password", "CPQ_GRAPH_NEO4J_PASSWORD"),
    ],
)
def test_who_is_not_let_in_is_told_why(
    secured_neo4j: Secured, user: str, password: str, database: str, said: str, hint: str
) -> None:
    address = replace(secured_neo4j.address, user=user, database=database)
    with pytest.raises(TargetError) as error, connect(address, password):
        pass
    assert said in error.value.message
    assert hint in (error.value.hint or "")
    assert "canary-4711" not in str(error.value)


def test_nothing_listens_there() -> None:
    with pytest.raises(TargetError, match="nothing listens there"), connect(Address("bolt://127.0.0.1:1", "u", "d")):
        pass


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (Address("bolt+s://h", "u", "d", Path("/no/such/ca.pem")), "no CA file"),
        (Address("bolt://h", "u", "d", Path(__file__)), "no use with bolt://"),
        (Address("http://h", "u", "d"), "no address of a Neo4j server"),
        (Address("", "u", "d"), "no address of a Neo4j server"),
    ],
)
def test_an_address_that_cannot_be_used_is_a_matter_of_configuration(address: Address, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said), open_driver(address, "password"):
        pass


def statements(path: Path) -> list[str]:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("//")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]


def test_the_scripts_of_roles_are_what_neo4j_understands(driver: neo4j.Driver) -> None:
    """Community has no roles: it parses the statements, and says so. What it runs are the users."""
    passwords = {"reader_password": "reader-4711", "loader_password": "loader-4711"}
    codes: dict[str, list[str]] = {}
    with driver.session(database="system") as session:
        for statement in statements(ROLES / "enterprise.cypher"):
            try:
                session.run(statement, passwords).consume()
                codes.setdefault("done", []).append(statement)
            except Neo4jError as error:
                codes.setdefault(error.code or "", []).append(statement)
    unsupported = "Neo.ClientError.Statement.UnsupportedAdministrationCommand"
    assert set(codes) == {unsupported, "done"}, {code: codes[code] for code in codes if code != unsupported}
    assert codes["done"] == statements(ROLES / "community.cypher")
    for user, name in (("cpq_reader", "reader_password"), ("cpq_loader", "loader_password")):
        with driver.session(database="system") as session:
            assert user in session.run("SHOW USERS YIELD user").value()
            session.run(f"DROP USER {user}").consume()
        assert passwords[name]


def test_the_roles_of_the_script_bound_each_other() -> None:
    """What the reader is refused by name, and what the loader needs to make the schema."""
    text = (ROLES / "enterprise.cypher").read_text(encoding="utf-8")
    for role in ("cpq_reader", "cpq_loader"):
        for denied in ("LOAD ON ALL DATA", "EXECUTE ADMIN PROCEDURES ON DBMS", "EXECUTE BOOSTED PROCEDURES * ON DBMS"):
            assert f"DENY {denied} TO {role};" in text
    assert "DENY WRITE ON GRAPH neo4j TO cpq_reader;" in text
    granted = [line for line in text.splitlines() if line.startswith("GRANT") and line.endswith("TO cpq_reader;")]
    assert not any(word in line for line in granted for word in ("WRITE", "MANAGEMENT", "CREATE", "ALL"))


@pytest.mark.parametrize("mode", [neo4j.READ_ACCESS, neo4j.WRITE_ACCESS])
def test_no_query_reaches_a_file_or_an_address(driver: neo4j.Driver, tmp_path: Path, mode: str) -> None:
    (tmp_path / "secret.csv").write_text("canary-4711\n")
    with socket.create_server(("127.0.0.1", 0)) as listener, driver.session(default_access_mode=mode) as session:
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        for url in (
            f"file://{tmp_path}/secret.csv", "file:///secret.csv", f"http://127.0.0.1:{port}/x",
            f"http://localhost:{port}/x", f"ftp://127.0.0.1:{port}/x", f"http://[::ffff:127.0.0.1]:{port}/x",
        ):  # fmt: skip
            with pytest.raises(Neo4jError) as error:
                session.run("LOAD CSV FROM $url AS row RETURN row", url=url).consume()
            assert "canary-4711" not in str(error.value)
        with pytest.raises(TimeoutError):
            listener.accept()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE (:Hostile)", "MATCH (n) DETACH DELETE n", "MERGE (:Hostile)", "MATCH (n) SET n.x = 1",
        "CREATE INDEX FOR (n:Hostile) ON (n.x)", "CREATE CONSTRAINT FOR (n:Hostile) REQUIRE n.x IS UNIQUE",
        "CALL db.createLabel('Hostile')", "CALL db.createProperty('hostile')",
    ],
)  # fmt: skip
def test_a_read_session_writes_nothing(driver: neo4j.Driver, statement: str) -> None:
    with driver.session(default_access_mode=neo4j.READ_ACCESS) as session, pytest.raises(Neo4jError) as error:
        session.run(statement).consume()
    assert "AccessMode" in (error.value.code or "")

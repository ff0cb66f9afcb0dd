"""A local Neo4j as a careful administrator sets one up: a password, and TLS with a certificate of an own CA."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from certificates import Certificates, certificates
from neo4j.exceptions import DriverError, Neo4jError

from cpq_graph.bolt import open_driver
from cpq_graph.servers import Address
from stack import processes
from stack.neo4j import Host

# With what a URL, a shell and a JSON text would take apart.
PASSWORD = "Canary-4711 ä@/:%41'\"\\"
CONFIGURATION = """\
dbms.security.auth_enabled=true
server.bolt.tls_level=REQUIRED
dbms.ssl.policy.bolt.enabled=true
dbms.ssl.policy.bolt.base_directory={folder}
dbms.ssl.policy.bolt.private_key=server.key
dbms.ssl.policy.bolt.public_certificate=server.crt
dbms.ssl.policy.bolt.client_auth=NONE
"""


@dataclass(frozen=True)
class Secured:
    """A running server: where it answers over TLS, its password, its certificates."""

    address: Address
    certificates: Certificates
    password: str = PASSWORD


@contextmanager
def secured_server(host: Host, folder: Path) -> Iterator[Secured]:
    """The server, for as long as the block lasts. Its certificate is for 127.0.0.1, and not for localhost."""
    made = certificates(folder, "127.0.0.1")
    for name in ("trusted", "revoked"):
        (folder / name).mkdir()
    store = host.create("secured")
    program = host.program(store.home, host.version)
    port = processes.free_port()
    program.configure(port)
    file = store.home / "conf" / "neo4j.conf"
    plain = file.read_text(encoding="utf-8").replace("dbms.security.auth_enabled=false\n", "")
    file.write_text(plain + CONFIGURATION.format(folder=folder), encoding="utf-8")
    log = store.log_dir / "console.log"
    server = processes.spawn(program.server(), log=log, environment=program.environment)
    address = Address(f"bolt+s://127.0.0.1:{port}", "neo4j", "neo4j", made.ca)
    try:
        for _ in processes.until(time.monotonic() + 120, 0.3):
            if server is None or not processes.is_alive(server) or _has_its_password(address):
                break
        else:
            raise AssertionError(processes.tail(log))
        assert server and processes.is_alive(server), processes.tail(log)
        yield Secured(address, made)
    finally:
        processes.end([server] if server else [])
        host.delete("secured")


def _has_its_password(address: Address) -> bool:
    """Gives it the password, as soon as it answers: until then nothing but this is done for its first user."""
    try:
        with (
            open_driver(address, "neo4j", connection_timeout=5) as driver,
            driver.session(database="system") as session,
        ):
            session.run("ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $new", new=PASSWORD).consume()
    except (DriverError, Neo4jError, OSError):
        return False
    return True

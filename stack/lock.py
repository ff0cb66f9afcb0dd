"""Makes a lock of Neo4j's jars again: `python -m stack.lock 2026.08.1` (or `make lock`), on a machine with Maven.

Arrives: a version. Leaves: `stack/locks/neo4j-<version>.lock`, one line a jar: `group:artifact[:classifier]:version
sha256`, sorted. No address is in it, so that it downloads from whichever repository is in reach. Maven resolves and
not jgo, because some POMs of Neo4j's name settings that jgo does not know.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from cpq_graph.errors import ConfigurationError, StackError
from stack.jars import LOCKS

ARTIFACTS = (
    "org.neo4j.app:neo4j-server",
    "org.neo4j:neo4j",
    "org.neo4j:neo4j-import-tool",
    "org.neo4j:neo4j-procedure",
)
# What `neo4j-admin database import` needs to read Parquet, and does not declare.
PARQUET = (
    "com.fasterxml.woodstox:woodstox-core:7.1.1",
    "org.codehaus.woodstox:stax2-api:4.2.2",
    "org.apache.commons:commons-collections4:4.5.0",
)
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>lock</groupId><artifactId>lock</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>{}</dependencies></project>
"""
DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def resolve(version: str, folder: Path) -> None:
    """Has Maven put the jars of a version into `folder`, laid out as a repository is. Raises StackError."""
    coordinates = [f"{artifact}:{version}" for artifact in ARTIFACTS]
    if not version.startswith("5."):
        coordinates += PARQUET
    pom = folder / "pom.xml"
    pom.write_text(POM.format("\n".join(DEPENDENCY.format(*each.split(":")) for each in coordinates)), encoding="utf-8")
    arguments = ["-DincludeScope=runtime", "-Dmdep.useRepositoryLayout=true", f"-DoutputDirectory={folder / 'jars'}"]
    try:
        subprocess.run(["mvn", "-q", "-B", "-f", str(pom), PLUGIN, *arguments], check=True)
    except FileNotFoundError:
        raise StackError("making a lock needs Maven (mvn), which is not on the PATH") from None
    except subprocess.CalledProcessError as error:
        raise StackError(f"Maven cannot resolve Neo4j {version} (exit code {error.returncode})") from None


def coordinates_of(jar: Path, root: Path) -> str:
    """`group:artifact[:classifier]:version` of a jar in a folder that is laid out as a repository is."""
    *group, artifact, version, name = jar.relative_to(root).parts
    classifier = name.removesuffix(".jar").removeprefix(f"{artifact}-{version}").removeprefix("-")
    return ":".join([".".join(group), artifact, *([classifier] if classifier else []), version])


def lock_lines(root: Path) -> list[str]:
    """One line a jar below `root`, sorted."""
    return sorted(
        f"{coordinates_of(jar, root)} {hashlib.sha256(jar.read_bytes()).hexdigest()}" for jar in root.rglob("*.jar")
    )


def main(arguments: list[str]) -> None:
    """Makes the lock of each version that is named."""
    if not arguments:
        raise ConfigurationError("which version?", hint="python -m stack.lock 2026.08.1")
    for version in arguments:
        with tempfile.TemporaryDirectory() as folder:
            resolve(version, Path(folder))
            lines = lock_lines(Path(folder) / "jars")
        (LOCKS / f"neo4j-{version}.lock").write_text("\n".join(lines) + "\n", encoding="ascii")
        sys.stderr.write(f"Neo4j {version}: {len(lines)} jars\n")


if __name__ == "__main__":
    main(sys.argv[1:])

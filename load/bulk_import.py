"""CSV files → a store, by `neo4j-admin database import full`.

Arrives: `CsvFiles` and an empty store that nothing serves. Leaves: the graph in the store, without indexes yet, and
what the import said about itself. Any bad row ends it: what is not in the graph was rejected long before.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from cpq_graph.errors import TargetError
from cpq_graph.servers import Store
from load.csv_files import CsvFile, CsvFiles

# Groups a node's relationships by type from 3 of them on (default 50). Every owner has a dozen HAS_ATTRIBUTE beside
# the one relationship that a question follows: with 3, typical questions take a third of the time.
RELATIONSHIP_GROUPING = 3
# What Java says of it.
FULL_DISK = "No space left on device"
# The message of a cause, which may have several lines.
_CAUSES = re.compile(r"^Caused by: (?:[\w.$]+: )*(.+(?:\n(?!\s+at |\s*\.\.\. |Caused by: ).+)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Imported:
    """What was written, and what it took."""

    nodes: int
    relationships: int
    properties: int
    output: str


def bulk_import(store: Store, files: CsvFiles, *, threads: int | None = None) -> Imported:
    """Imports the files into `store`. Raises TargetError with the lines that matter."""
    report = store.log_dir / "import.report"
    extra = store.log_dir / "import.conf"
    store.log_dir.mkdir(parents=True, exist_ok=True)
    extra.write_text(f"db.relationship_grouping_threshold={RELATIONSHIP_GROUPING}\n", encoding="utf-8")
    arguments = [
        "database",
        "import",
        "full",
        "neo4j",
        "--overwrite-destination",
        "--verbose",
        "--bad-tolerance=0",
        "--strict=true",
        "--high-parallel-io=on",
        f"--report-file={report}",
        f"--additional-config={extra}",
        *([f"--threads={threads}"] if threads else []),
        *_multiline(files),
        *(f"--nodes={_source(file)}" for file in files.nodes),
        *(f"--relationships={_source(file)}" for file in files.relationships),
    ]
    try:
        output = store.admin(arguments, files.folder)
    except TargetError as error:
        bad = report.read_text(encoding="utf-8", errors="replace").splitlines()[:5] if report.exists() else []
        lines = ["the bulk import failed", *important_lines(error.message), *bad]
        hint = f"The import's log is in {store.log_dir}; the graph that serves is untouched."
        if FULL_DISK in error.message:
            hint = f"Free some space where {store.log_dir.parent} lies, then run it again. {hint}"
        raise TargetError("\n".join(lines), hint=hint, transient=error.transient) from error
    return parse_output(output)


def parse_output(output: str) -> Imported:
    """Reads the counts at the end of the import's output. Raises TargetError when there are none."""
    counts = {what: int(number) for number, what in re.findall(r"(\d+) (nodes|relationships|properties)\b", output)}
    if "IMPORT DONE" not in output or not counts:
        raise TargetError("the bulk import did not say that it is done:\n" + "\n".join(important_lines(output)))
    return Imported(counts.get("nodes", 0), counts.get("relationships", 0), counts.get("properties", 0), output)


def important_lines(output: str) -> list[str]:
    """What a person needs of a failed import's output: what it says between "Command Failed" and the next rule (2025
    and later), else the innermost cause of its stack trace (5.26), else the last lines that speak of an error."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if "Command Failed" in lines:
        lines = lines[lines.index("Command Failed") + 1 :]
        end = next((i for i, line in enumerate(lines) if line.startswith("----")), len(lines))
        lines = [line for line in lines[:end] if "neo4j support" not in line]
    elif causes := _CAUSES.findall(output):
        lines = causes[-1].strip().splitlines()
    else:
        speaking = re.compile(r"error|exception|invalid|fail|no space", re.IGNORECASE)
        lines = [line for line in lines if speaking.search(line) and not line.startswith("at ")]
    return [line for line in dict.fromkeys(lines) if not line.startswith("at ")][-12:]


def _source(file: CsvFile) -> str:
    return f"{file.group}={_named(file.header)},{_named(file.data)}"


def _named(path: Path) -> str:
    """A file for the import, which runs in its folder: a whole path would be cut at its commas."""
    return f"./{path.name}"


def _multiline(files: CsvFiles) -> list[str]:
    """Only files with line breaks inside fields are read by the slower parser that allows them."""
    broken = [_named(file.data) for file in (*files.nodes, *files.relationships) if file.multiline]
    return [f"--multiline-fields={','.join(broken)}", "--multiline-fields-format=v2"] if broken else []

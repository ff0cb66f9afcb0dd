"""What parsing costs beside what libxml2 can do: `python bench/parse.py [--megabytes N] [--rounds N] [--out FOLDER]`.

Arrives: documents of the sample's generator: dense ones, nearly all of whose bytes are mapped elements, and bulky ones,
few of whose are. Leaves: a table in Markdown and `parse.json`. Measured side by side, interleaved: CPU of
`xmllint --stream --noout`, of parse and flatten, and of that with frames and Parquet; two processes over one; and the
peak memory of one document of 200 MB.
"""

import argparse
import gc
import hashlib
import json
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from lxml import etree

from cpq_graph.settings import CHECKOUT
from cpq_graph.site import Site, read_site
from sample_data.documents import Form
from sample_data.generate import Spec, configurations, stream
from transform.collected import Rows
from transform.documents import decode_document
from transform.kinds import read_kinds
from transform.parse import DocumentParser, Flattener
from transform.parts import Document, parse_part

# Bytes of no interest to one of interest.
SETS = {"dense": 0.0, "bulky": 8.0}


class Sink:
    """Takes rows and drops them."""

    def __init__(self) -> None:
        self.rows = Rows()

    def relieve(self, target: Flattener) -> None:
        """Drops them when there are many."""
        if self.rows.size > 150_000:
            target.close_run()
            self.rows.clear()


def write_set(folder: Path, bulk: float, megabytes: int) -> list[Path]:
    """Documents of about so many megabytes in all, in UTF-8."""
    folder.mkdir(parents=True)
    paths: list[Path] = []
    size = 0
    for made in stream(Spec(1_000_000, 1, "clean", bulk=bulk)):
        for configuration in configurations(made):
            configuration.document.form = Form.UTF_8
            configuration.document.zipped = False
            content = configuration.document.render() or b""
            path = folder / f"{len(paths):06d}.xml"
            path.write_bytes(content)
            paths.append(path)
            size += len(content)
        if size > megabytes << 20:
            return paths
    return paths


def write_large(path: Path, documents: list[Path], megabytes: int) -> None:
    """One document of so many megabytes, whose families are those of many."""
    size = 0
    with path.open("wb") as file:
        file.write(b'<?xml version="1.0"?><Configuration><ProductFamily id="large" name="All">\n')
        while size < megabytes << 20:
            for document in documents:
                content = document.read_bytes()
                start, end = content.index(b"<Configuration"), content.rindex(b"</Configuration>")
                size += file.write(content[content.index(b">", start) + 1 : end])
        file.write(b"</ProductFamily></Configuration>")


def read_document(path: Path) -> Iterator[bytes]:
    """The file in pieces, as a large one comes from the database."""
    with path.open("rb") as file:
        while piece := file.read(4 << 20):
            yield piece


def documents_of(paths: list[Path]) -> list[Document]:
    """The files as the extract stage gives documents."""
    return [(hashlib.sha256(str(path).encode()).hexdigest(), partial(read_document, path)) for path in paths]


def run_xmllint(paths: list[Path]) -> None:
    """The limit: what libxml2 can do."""
    subprocess.run(["xmllint", "--stream", "--noout", "--huge", *map(str, paths)], check=True)


def run_parse(paths: list[Path], site: Site) -> None:
    """Parse and flatten alone."""
    parser = DocumentParser(read_kinds(site.xml), Sink())
    gc.disable()
    for number, path in enumerate(paths):
        parser.parse(number, decode_document(read_document(path)))
    gc.enable()


def run_part(paths: list[Path], site: Site) -> None:
    """With frames and Parquet."""
    with tempfile.TemporaryDirectory() as folder:
        parse_part(documents_of(paths), site.xml, Path(folder))


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU that this process and its children took for it."""

    def total() -> float:
        own, children = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime

    before = total()
    work()
    return total() - before


def two_over_one(paths: list[Path], site: Site, rounds: int) -> list[float]:
    """Wall time of one process over that of two, on the same documents, the processes being up."""
    halves = paths[::2], paths[1::2]
    gains = []
    with get_context("spawn").Pool(2) as pool:
        pool.map(partial(run_part, site=site), [half[:2] for half in halves], chunksize=1)
        for _ in range(rounds):
            started = time.perf_counter()
            pool.apply(run_part, (paths, site))
            one = time.perf_counter() - started
            started = time.perf_counter()
            pool.map(partial(run_part, site=site), halves, chunksize=1)
            gains.append(one / (time.perf_counter() - started))
    return gains


def peak_megabytes() -> float:
    """Peak memory of this process."""
    # What getrusage says includes what the parent had before exec.
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def peak_of(path: Path) -> float:
    """Peak memory of a fresh process that parses one document."""
    code = (
        "import sys; from pathlib import Path; from bench.parse import *; "
        "run_part([Path(sys.argv[1])], read_site(CHECKOUT / 'extract' / 'source')); print(peak_megabytes())"
    )
    done = subprocess.run([sys.executable, "-c", code, path], check=True, capture_output=True, text=True, cwd=CHECKOUT)
    return float(done.stdout)


def measure(megabytes: int, rounds: int, folder: Path) -> dict[str, object]:
    """All measurements, as plain values."""
    site = read_site(CHECKOUT / "extract" / "source")
    result: dict[str, object] = {
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        "lxml": etree.__version__,
        "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
        "rounds": rounds,
    }
    sets = {name: write_set(folder / name, bulk, megabytes) for name, bulk in SETS.items()}
    for name, paths in sets.items():
        works = {"xmllint": partial(run_xmllint, paths), "parse": partial(run_parse, paths, site)}
        works["part"] = partial(run_part, paths, site)
        times: dict[str, list[float]] = {work: [] for work in works}
        for _ in range(rounds):
            for work, run in works.items():
                times[work].append(cpu_seconds(run))
        size = sum(path.stat().st_size for path in paths) / 1e6
        over = {w: [t / x for t, x in zip(times[w], times["xmllint"], strict=True)] for w in ("parse", "part")}
        result[name] = {
            "documents": len(paths),
            "megabytes": round(size, 1),
            **{f"{work}_mb_per_cpu_second": spread([size / t for t in times[work]]) for work in works},
            **{f"{work}_over_xmllint": spread(ratios) for work, ratios in over.items()},
        }
    result["two_processes_over_one"] = spread(two_over_one(sets["dense"], site, rounds))
    large = folder / "large.xml"
    write_large(large, sets["dense"], 200)
    result["peak_mb_of_200_mb_document"] = round(peak_of(large))
    return result


def spread(values: list[float]) -> dict[str, float]:
    """Median, least and most."""
    return {"median": round(statistics.median(values), 2), "min": round(min(values), 2), "max": round(max(values), 2)}


def as_markdown(result: dict[str, object]) -> str:
    """The result as a table."""
    lines = ["| what | median | min | max |", "|---|---|---|---|"]
    for name, value in result.items():
        items = value.items() if isinstance(value, dict) and "median" not in value else [("", value)]
        for key, number in items:
            title = f"{name} {key}".strip().replace("_", " ")
            if isinstance(number, dict):
                lines.append(f"| {title} | {number['median']} | {number['min']} | {number['max']} |")
            else:
                lines.append(f"| {title} | {number} | | |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=40, help="of documents in each set")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="folder for parse.md and parse.json")
    arguments = parser.parse_args()
    if shutil.which("xmllint") is None:
        sys.exit("xmllint is not installed (libxml2-utils)")
    with tempfile.TemporaryDirectory() as folder:
        result = measure(arguments.megabytes, arguments.rounds, Path(folder))
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "parse.json").write_text(json.dumps(result, indent=2) + "\n")
        (arguments.out / "parse.md").write_text(as_markdown(result))
    sys.stdout.write(as_markdown(result))


if __name__ == "__main__":
    main()

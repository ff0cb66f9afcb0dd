"""The store of parts: a document is parsed once, a part is whole or not there, and memory stays flat."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from parsed import MAPPING, family, graph_of, one_offer, pieces_of

from cpq_graph.errors import DataError
from cpq_graph.settings import CHECKOUT
from transform import parts
from transform.assemble import assemble
from transform.parts import PartStore, missing_documents, parse_part, partition


def documents(*names: str) -> dict[str, bytes]:
    return {name: family(f'<Tab id="{name}"/>').encode() for name in names}


def digest(document: bytes) -> str:
    return hashlib.sha256(document).hexdigest()


def write(found: dict[str, bytes], folder: Path) -> str:
    return parse_part([(digest(d), partial(pieces_of, d, 1000)) for d in found.values()], MAPPING, folder).name


def test_a_document_is_parsed_once_whatever_product_it_is_of(tmp_path: Path) -> None:
    first = documents("a", "b")
    write(first, tmp_path)
    store = PartStore.open(tmp_path, MAPPING)
    census = pl.DataFrame(
        [
            (f"C{n}", f"P{n}", len(d), digest(d))
            for n, d in enumerate([*first.values(), *first.values(), b"new", b"new"])
        ],
        schema=["id", "product_id", "bytes", "digest"],
        orient="row",
    )
    assert missing_documents(store, census)["id"].to_list() == ["C4"]


def test_another_mapping_parses_anew(tmp_path: Path) -> None:
    write(documents("a"), tmp_path)
    other = MAPPING.model_copy(update={"tab": MAPPING.tab.model_copy(update={"element": ("Page",)})})
    assert PartStore.open(tmp_path, other).documents().height == 0
    assert PartStore.open(tmp_path, MAPPING).documents().height == 1


@pytest.mark.parametrize("damage", ["cut", "missing", "manifest"])
def test_a_damaged_part_is_parsed_again(damage: str, tmp_path: Path) -> None:
    found = documents("a", "b")
    before = graph_of(found, tmp_path)
    store = PartStore.open(tmp_path, MAPPING)
    (part,) = store.folder.iterdir()
    file = part / ("part.json" if damage == "manifest" else "Tab.0000.parquet")
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1])
    assert store.documents().height == 0
    after = graph_of(found, tmp_path)
    assert after.nodes["Tab"].collect().sort("id").equals(before.nodes["Tab"].collect().sort("id"))
    assert after.fingerprint == before.fingerprint


def test_same_documents_give_same_files(tmp_path: Path) -> None:
    found = documents("a", "b")
    names = [write(found, tmp_path / folder) for folder in ("1", "2")]
    assert names[0] == names[1]
    files = [
        {
            path.name: path.read_bytes()
            for path in (PartStore.open(tmp_path / folder, MAPPING).folder / names[0]).iterdir()
        }
        for folder in ("1", "2")
    ]
    assert files[0] == files[1]


def test_pruning_keeps_what_is_wanted(tmp_path: Path) -> None:
    kept, gone = documents("a", "b"), documents("c")
    name = write(kept, tmp_path)
    write(gone, tmp_path)
    store = PartStore.open(tmp_path, MAPPING)
    (store.folder / ".123-left").mkdir()
    (store.folder.parent / "another-version").mkdir()
    assert store.prune([digest(kept["a"])]) == 3
    assert [path.name for path in store.folder.iterdir()] == [name]
    assert [path.name for path in store.folder.parent.iterdir()] == [store.folder.name]


def test_partition_by_bytes() -> None:
    megabyte = 1 << 20
    sizes = [megabyte, megabyte, 5 * megabyte, 10, 10]
    missing = pl.DataFrame({"id": [*"abcde"], "bytes": sizes})
    assert [piece["id"].to_list() for piece in partition(missing, 2)] == [["a", "b"], ["c"], ["d", "e"]]


def test_assembling_what_was_not_parsed_fails(tmp_path: Path) -> None:
    found = documents("a")
    checked = one_offer(found)
    census = checked.configurations.with_columns(digest=pl.lit(digest(found["a"])))
    with pytest.raises(DataError, match="C-a"):
        assemble(checked, census, PartStore.open(tmp_path, MAPPING))


def test_a_part_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def cut() -> Iterator[bytes]:
        yield b"<Configuration>"
        raise ConnectionError("cut")

    with pytest.raises(ConnectionError):
        parse_part([("0" * 64, cut)], MAPPING, tmp_path)
    assert list(PartStore.open(tmp_path, MAPPING).folder.iterdir()) == []


KILLED = """
import sys, hashlib
from functools import partial
from pathlib import Path
sys.path.insert(0, "tests")
from parsed import MAPPING, family, pieces_of
from transform.parts import parse_part
for number in range(1000):
    document = family(f'<Tab id="{number}"/>').encode()
    parse_part([(hashlib.sha256(document).hexdigest(), partial(pieces_of, document, 100))], MAPPING, Path(sys.argv[1]))
    print(number, flush=True)
"""


def test_finished_parts_survive_a_kill(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], cwd=CHECKOUT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    finished = [int(process.stdout.readline()) for _ in range(3)]
    time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    finished += [int(line) for line in process.stdout.read().split(b"\n") if line]
    process.wait()
    known = PartStore.open(tmp_path, MAPPING).documents()["digest"]
    assert {digest(family(f'<Tab id="{number}"/>').encode()) for number in finished} <= set(known)
    # What was begun is never seen, and is cleared away.
    PartStore.open(tmp_path, MAPPING).prune(known)
    assert not [path for path in PartStore.open(tmp_path, MAPPING).folder.iterdir() if path.name.startswith(".")]


def test_a_document_that_fails_late_gives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ROWS_MAX", 50)
    tabs = "".join(f'<Tab id="{n}"><Attribute type="a" value="{n}"/></Tab>\n' for n in range(400))
    found = {"bad": family(tabs)[:-5].encode(), "good": family('<Tab id="t"/>').encode()}
    graph = graph_of(found, tmp_path, piece=2000)
    assert graph.nodes["Tab"].collect()["id"].to_list() == ["good/f.t"]
    assert graph.labels["Attribute"].read == 0
    assert graph.reasons["rejected"] == {"not_well_formed": 1}


MEASURED = """
import sys
from pathlib import Path
sys.path.insert(0, "tests")
from bench.parse import peak_megabytes
from parsed import MAPPING
from transform.parts import parse_part
def document():
    yield b'<?xml version="1.0"?><Configuration><ProductFamily id="f">'
    size = 0
    for tab in range(1_000_000):
        if size > int(sys.argv[2]) << 20:
            break
        attributes = "".join(f'<Attribute type="kind{n}" value="{tab}-{n % 3}"/>' for n in range(12))
        parameter = "".join(
            f'<Parameter id="p{p}" name="Length">{attributes}<ParameterValue id="v" cost="1.5"/></Parameter>'
            for p in range(200)
        )
        piece = f'<Tab id="t{tab}" name="Tab">{parameter}</Tab>'.encode()
        size += len(piece)
        yield piece
    yield b"</ProductFamily></Configuration>"
parse_part([("0" * 64, document)], MAPPING, Path(sys.argv[1]))
print(peak_megabytes())
"""


def test_memory_does_not_grow_with_a_document(tmp_path: Path) -> None:
    peaks = []
    for megabytes in (20, 80):
        folder = tmp_path / str(megabytes)
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, folder, str(megabytes)],
            cwd=CHECKOUT, check=True, capture_output=True, text=True, env=os.environ | {"POLARS_MAX_THREADS": "1"},
        )  # fmt: skip
        peaks.append(float(done.stdout))
    assert peaks[1] < 200, peaks
    assert peaks[1] < peaks[0] * 1.2 + 5, peaks

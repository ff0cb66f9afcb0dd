"""The download of Neo4j's jars, from a repository on loopback that misbehaves as real ones do."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from cpq_graph.errors import ConfigurationError, StackError
from cpq_graph.settings import Settings
from stack import jars, lock
from stack.jars import Jar

CONTENT = bytes(range(256)) * 4096


def jar_of(coordinates: str, content: bytes = CONTENT) -> Jar:
    return Jar(coordinates, hashlib.sha256(content).hexdigest())


@dataclass
class Repository:
    """What it serves by path, and how: `cuts` bytes of each of the first answers, `statuses` before any content."""

    files: dict[str, bytes]
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    knows_ranges: bool = True
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        wanted = handler.headers.get("Range")
        self.requests.append((handler.path, wanted))
        content = self.files.get(handler.path)
        status = self.statuses.pop(0) if self.statuses else 200 if content is not None else 404
        if content is None or status != 200:
            handler.send_response(status if status != 200 else 404)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        start = int(re.findall(r"\d+", wanted)[0]) if wanted and self.knows_ranges else 0
        if start >= len(content):
            handler.send_response(416)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        handler.send_response(206 if wanted and self.knows_ranges else 200)
        handler.send_header("Content-Length", str(len(content) - start))
        handler.end_headers()
        end = start + self.cuts.pop(0) if self.cuts else None
        handler.wfile.write(content[start:end])
        handler.close_connection = True


@pytest.fixture
def repository() -> Iterator[Repository]:
    state = Repository(files={"/org/example/thing/1.0/thing-1.0.jar": CONTENT})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        state.url = f"http://127.0.0.1:{server.server_port}"
        yield state
        server.shutdown()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stack.jars.time.sleep", lambda _: None)


THING = jar_of("org.example:thing:1.0")


def test_a_cut_download_goes_on_where_it_ended(repository: Repository, tmp_path: Path) -> None:
    repository.cuts = [300_000, 200_000]
    (path,) = jars.ensure([THING], tmp_path, base_url=repository.url)
    assert path.read_bytes() == CONTENT
    assert [wanted for _, wanted in repository.requests] == [None, "bytes=300000-", "bytes=500000-"]


def test_a_download_goes_on_in_the_next_process(repository: Repository, tmp_path: Path) -> None:
    part = (tmp_path / THING.path).with_suffix(".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:1000])
    jars.ensure([THING], tmp_path, base_url=repository.url)
    assert repository.requests == [("/" + THING.path, "bytes=1000-")]
    assert not part.exists()


@pytest.mark.parametrize("left", [CONTENT, CONTENT + b"more", b"x" * 1000])
def test_what_an_earlier_process_left_is_checked(repository: Repository, tmp_path: Path, left: bytes) -> None:
    part = (tmp_path / THING.path).with_suffix(".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(left)
    (path,) = jars.ensure([THING], tmp_path, base_url=repository.url)
    assert path.read_bytes() == CONTENT


def test_a_repository_without_ranges_starts_anew(repository: Repository, tmp_path: Path) -> None:
    repository.knows_ranges = False
    repository.cuts = [300_000]
    (path,) = jars.ensure([THING], tmp_path, base_url=repository.url)
    assert path.read_bytes() == CONTENT


def test_a_busy_repository_is_asked_again(repository: Repository, tmp_path: Path) -> None:
    repository.statuses = [503, 429, 502]
    jars.ensure([THING], tmp_path, base_url=repository.url)
    assert len(repository.requests) == 4


def test_other_bytes_than_the_locks_never_enter_the_cache(repository: Repository, tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"org\.example:thing:1\.0: its SHA-256 is not the one in the lock"):
        jars.ensure([jar_of("org.example:thing:1.0", b"another")], tmp_path, base_url=repository.url)
    assert not list(tmp_path.rglob("*.jar"))
    assert not list(tmp_path.rglob("*.part"))


def test_a_jar_that_is_not_there_is_asked_for_once(repository: Repository, tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"org\.example:other:1\.0: the repository answers 404") as failure:
        jars.ensure([jar_of("org.example:other:1.0")], tmp_path, base_url=repository.url)
    assert len(repository.requests) == 1
    assert "CPQ_GRAPH_MAVEN_URL" in (failure.value.hint or "")


def test_no_repository_at_all_is_explained(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"cannot download org\.example:thing:1\.0: ConnectError"):
        jars.ensure([THING], tmp_path, base_url="http://127.0.0.1:9")


def test_two_at_once_download_each_jar_once(repository: Repository, tmp_path: Path) -> None:
    many = [jar_of(f"org.example:thing{n}:1.0") for n in range(20)]
    repository.files = {"/" + jar.path: CONTENT for jar in many}
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: jars.ensure(many, tmp_path, base_url=repository.url), range(3)))
    assert set(Counter(path for path, _ in repository.requests).values()) == {1}
    assert len(repository.requests) == 20


def test_a_full_cache_asks_nobody(repository: Repository, tmp_path: Path) -> None:
    jars.ensure([THING], tmp_path, base_url=repository.url)
    jars.ensure([THING], tmp_path, base_url="http://127.0.0.1:9")
    assert len(repository.requests) == 1


def test_damaged_jars_are_removed(repository: Repository, tmp_path: Path) -> None:
    (path,) = jars.ensure([THING], tmp_path, base_url=repository.url)
    assert jars.remove_damaged([THING], tmp_path) == []
    path.write_bytes(CONTENT[:-1])
    assert jars.remove_damaged([THING], tmp_path) == [THING]
    assert not path.exists()


@pytest.mark.parametrize(
    "coordinates, path",
    [
        ("io.netty:netty-buffer:4.2.17.Final", "io/netty/netty-buffer/4.2.17.Final/netty-buffer-4.2.17.Final.jar"),
        ("a.b:c-d:linux-x86_64:1.0", "a/b/c-d/1.0/c-d-1.0-linux-x86_64.jar"),
    ],
)
def test_coordinates_and_paths_say_the_same(coordinates: str, path: str, tmp_path: Path) -> None:
    assert Jar(coordinates, "").path == path
    assert lock.coordinates_of(tmp_path / path, tmp_path) == coordinates


def test_lock_lines_are_what_read_lock_reads(tmp_path: Path) -> None:
    (tmp_path / THING.path).parent.mkdir(parents=True)
    (tmp_path / THING.path).write_bytes(CONTENT)
    assert lock.lock_lines(tmp_path) == [f"{THING.coordinates} {THING.sha256}"]


def test_the_supported_versions_have_locks() -> None:
    assert [version.split(".")[0] for version in jars.versions()] == ["5", "2025", "2026"]
    assert Settings.model_fields["neo4j_version"].default == jars.versions()[-1]


@pytest.mark.parametrize("version", jars.versions())
def test_a_lock_is_whole_and_holds_no_address(version: str) -> None:
    locked = jars.read_lock(version)
    assert len({jar.path for jar in locked}) == len(locked) > 200
    assert all(re.fullmatch(r"[0-9a-f]{64}", jar.sha256) for jar in locked)
    assert f"org.neo4j.app:neo4j-server:{version}" in {jar.coordinates for jar in locked}
    assert "//" not in (jars.LOCKS / f"neo4j-{version}.lock").read_text()


def test_an_unknown_version_says_which_are_known() -> None:
    with pytest.raises(ConfigurationError, match=r"cannot run Neo4j 4\.4\.0") as failure:
        jars.read_lock("4.4.0")
    assert "5.26.18" in (failure.value.hint or "")


def test_the_cache_is_the_users_or_the_data_folders(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    usual = Settings(_env_file=None, cache_dir=tmp_path / "cache", data_dir=tmp_path / "data")
    assert jars.cache_folder(usual) == tmp_path / "cache" / "jars"
    blocked = usual.model_copy(update={"cache_dir": tmp_path / "file"})
    assert jars.cache_folder(blocked) == tmp_path / "data" / "stack" / "jars"
    unnameable = usual.model_copy(update={"cache_dir": tmp_path / "a:b"})
    with pytest.raises(ConfigurationError, match=r"Java cannot read jars in .*a:b") as failure:
        jars.cache_folder(unnameable)
    assert "CPQ_GRAPH_CACHE_DIR" in (failure.value.hint or "")

"""Faults other than kills: connections cut, timeouts, a standby that cancels, a disk that is full.

Arrives: a site whose graph is right, and the faults' names. Leaves: a `Tried` each: what the disturbed run came to and
whether the run after it, without the fault, ends in the graph that an undisturbed one makes.
"""

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pydantic import BaseModel, ConfigDict

from cpq_graph.settings import CHECKOUT
from soak import source
from soak.kills import Known, Mode, ask, repair
from soak.proxy import proxy_to
from soak.report import in_a_line
from soak.site import Site
from soak.standby import standby_pair
from stack import local

Environment = Mapping[str, str]
URL, URI = "CPQ_GRAPH_POSTGRES_URL", "CPQ_GRAPH_NEO4J_URI"


@dataclass(frozen=True)
class Fault:
    """One fault. While `make`'s block lasts it is there; it yields what the disturbed run's environment has for it. The
    run may end in an error of `kinds` whose words have `says` in them, or well when it `may_pass`."""

    name: str
    mode: Mode
    make: Callable[[Site], AbstractContextManager[Environment]]
    kinds: frozenset[str]
    may_pass: bool = False
    says: str = ""


class Tried(BaseModel):
    """One fault and what came of it. `again`: how often the run tried something again by itself."""

    model_config = ConfigDict(frozen=True)

    name: str
    mode: Mode
    ending: str
    kind: str | None
    said: str | None
    hint: str | None
    again: int
    repair_s: float
    faults: tuple[str, ...]


def attempt(site: Site, known: Known, fault: Fault) -> Tried:
    """Has one run under the fault, and one without it."""
    faults: list[str] = []
    url = local.ensure_postgres(site.settings).get_secret_value()
    state = source.state_of(url)
    if fault.mode == "delta":
        state = "B" if state == "A" else "A"
        source.change(url, state)
    else:
        shutil.rmtree(site.settings.data_dir / "parts", ignore_errors=True)
    local.up(site.settings)
    right = set(known.offers.values())
    with fault.make(site) as environment:
        ended = site.run("refresh", "--mode", fault.mode, "--json", **environment)
    document = ended.document
    again = ended.stderr.count("trying again in")
    kind, said, hint = document.get("kind"), document.get("reason"), document.get("hint")
    ending = {0: "passed", 1: "explained"}.get(ended.code, f"code {ended.code}")
    if "Traceback" in ended.stderr:
        faults.append(f"a traceback: {ended.stderr[-1500:]}")
    if ended.code == 0 and not fault.may_pass:
        faults.append("it passed, though it could not")
    elif ended.code and (ended.code != 1 or kind not in fault.kinds or not hint):
        faults.append(f"code {ended.code}, kind {kind}: {said} / {hint} {ended.stderr[-800:] if not said else ''}")
    elif ended.code and fault.says not in f"{said} {hint}":
        faults.append(f"it does not say {fault.says!r}: {said} / {hint}")
    ask(site, faults, right)
    repair_s, _ = repair(site, known, fault.mode, state, faults)
    return Tried(
        name=fault.name, mode=fault.mode, ending=ending, kind=kind, said=said, hint=hint, again=again,
        repair_s=round(repair_s, 1), faults=tuple(faults),
    )  # fmt: skip


@contextmanager
def _postgres_cut(site: Site, *, allowed: int, cuts: int | None) -> Iterator[Environment]:
    """Every connection is cut after so many bytes of the server's; only so many are."""
    url = local.ensure_postgres(site.settings).get_secret_value()
    with psycopg.connect(url) as connection:
        port = connection.info.port
    with proxy_to("127.0.0.1", port) as proxy:
        proxy.allowed, proxy.cuts = allowed, cuts
        yield {URL: _url(url, host="127.0.0.1", port=proxy.port)}


@contextmanager
def _neo4j_cut(site: Site, *, allowed: int, cuts: int | None) -> Iterator[Environment]:
    uri = local.ensure_serving(site.settings).uri
    with proxy_to("127.0.0.1", int(uri.rpartition(":")[2])) as proxy:
        proxy.allowed, proxy.cuts = allowed, cuts
        yield {URI: f"bolt://127.0.0.1:{proxy.port}"}


@contextmanager
def _limited(site: Site, *, option: str) -> Iterator[Environment]:
    """With a limit of the session's, as a database's administrator may set it."""
    yield {URL: _url(local.ensure_postgres(site.settings).get_secret_value(), options=f"-c {option}")}


@contextmanager
def _standby(site: Site, *, lasting: bool) -> Iterator[Environment]:
    """The source is a hot standby that cancels what stands in the way of its replay: for a while, or all the time."""
    with standby_pair(site.folder / "pair") as pair:
        source.make(pair.primary, offers=site.offers, seed=site.seed)
        source.change(pair.primary, source.state_of(local.ensure_postgres(site.settings).get_secret_value()))
        pair.follow()
        with pair.conflicts(every_s=0 if lasting else 0.1) as over:
            if not lasting:
                threading.Thread(target=_after_first_try, args=(site, over), daemon=True).start()
            yield {URL: pair.standby}


def _after_first_try(site: Site, over: threading.Event) -> None:
    while not site.step() and not over.wait(0.05):
        pass
    over.wait(3)
    over.set()


@contextmanager
def _full_disk(site: Site, *, step: str) -> Iterator[Environment]:
    """From a step on, the disk on which all lies is full."""
    over = threading.Event()
    filler = site.settings.data_dir / "filler"

    def fill() -> None:
        while not over.wait(0.005):
            if site.step() == step:
                break
        while not over.wait(0.05):
            # What is given back meanwhile is taken, too.
            if free := shutil.disk_usage(filler.parent).free:
                with filler.open("ab") as file:
                    try:
                        os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), free)
                    except OSError:
                        continue

    thread = threading.Thread(target=fill, daemon=True)
    thread.start()
    try:
        yield {}
    finally:
        over.set()
        thread.join()
        filler.unlink(missing_ok=True)


def _url(url: str, **changes: str | int) -> str:
    """A URL with some of its parts changed, as a URL again."""
    parts = conninfo_to_dict(make_conninfo(url, **changes))
    user, host, port, name = (quote(str(parts.pop(each))) for each in ("user", "host", "port", "dbname"))
    return f"postgresql://{user}@{host}:{port}/{name}?{urlencode(parts, quote_via=quote)}"


_SOURCE, _TARGET = frozenset({"source"}), frozenset({"target", "stack"})
_ANY = _SOURCE | _TARGET

# From which steps on the disk is full.
FILLED_FULL = ("extract rows", "write CSV files", "import", "start server", "build artifacts")
FILLED_DELTA = ("extract rows", "update offers")


def _filled(mode: Mode, step: str) -> Fault:
    return Fault(f"disk full from '{step}'", mode, partial(_full_disk, step=step), _ANY, may_pass=True)


FAULTS = (
    Fault("postgres cut once", "delta", partial(_postgres_cut, allowed=12_000, cuts=1), _SOURCE, may_pass=True),
    Fault("postgres cut twice", "full", partial(_postgres_cut, allowed=400_000, cuts=2), _SOURCE, may_pass=True),
    Fault("postgres cut always", "delta", partial(_postgres_cut, allowed=12_000, cuts=None), _SOURCE),
    Fault("statement timeout", "delta", partial(_limited, option="statement_timeout=1"), _SOURCE, says="timeout"),
    Fault(
        "idle in transaction", "full", partial(_limited, option="idle_in_transaction_session_timeout=20"), _SOURCE,
        may_pass=True,
    ),
    Fault("standby cancels for a while", "delta", partial(_standby, lasting=False), _SOURCE, may_pass=True),
    Fault("standby cancels always", "full", partial(_standby, lasting=True), _SOURCE, says="standby"),
    Fault("bolt cut once", "delta", partial(_neo4j_cut, allowed=60_000, cuts=1), _TARGET, may_pass=True),
    Fault("bolt cut always", "delta", partial(_neo4j_cut, allowed=60_000, cuts=None), _TARGET, may_pass=True),
    *(_filled("full", step) for step in FILLED_FULL),
    *(_filled("delta", step) for step in FILLED_DELTA),
)  # fmt: skip
DISK = tuple(fault.name for fault in FAULTS if fault.name.startswith("disk"))


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[bool]:
    """Gives a folder a small disk of its own for as long as the block lasts. Only root may: yields whether it could."""
    options = ["-t", "tmpfs", "-o", f"mode=755,size={megabytes}m", "tmpfs", str(folder)]
    folder.mkdir(parents=True, exist_ok=True)
    could = os.geteuid() == 0 and subprocess.run(["mount", *options], check=False).returncode == 0
    try:
        yield could
    finally:
        if could:
            subprocess.run(["umount", "--lazy", str(folder)], check=False)


def markdown(tried: Sequence[Tried]) -> str:
    """What they came to, as a table."""
    lines = ["| fault | mode | the run | tried again by itself | said | run after, s | faults |"]
    lines.append("|---|---|---|---:|---|---:|---:|")
    for each in tried:
        said = " ".join(f"{each.said or ''} {each.hint or ''}".split()).replace(f"{CHECKOUT}/", "")
        said = said[:300].replace("|", "\\|")
        ending = f"{each.ending} ({each.kind})" if each.kind else each.ending
        cells = [each.name, each.mode, ending, each.again, said, each.repair_s, len(each.faults)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", *(f"- {each.name}, {each.mode}: {in_a_line(fault)}" for each in tried for fault in each.faults)]
    return "\n".join(lines) + "\n"

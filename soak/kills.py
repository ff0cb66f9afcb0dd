"""Kills at random moments: one round is a run that is disturbed, and a run that is not.

Arrives: a site whose graph is right, a mode, a victim and a moment. Leaves: a `Round`, whose `faults` say what was not
as promised; the graph is right again.
"""

import random
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Literal

import psutil
from pydantic import BaseModel, ConfigDict

from cpq_graph.errors import CpqGraphError
from cpq_graph.query.engine import Engine
from cpq_graph.settings import CHECKOUT
from soak import source
from soak.site import Ended, Site
from stack import local
from stack.postgres import Cluster

Mode = Literal["full", "delta"]
Victim = Literal["flow", "neo4j", "postgres"]
MODES: tuple[Mode, ...] = ("full", "delta")
VICTIMS: tuple[Victim, ...] = ("flow", "neo4j", "postgres")

# Whose turn it can be when a server dies.
KINDS = {"neo4j": {"target", "stack"}, "postgres": {"source", "stack"}}
KILLED = -9
NONE = "nothing"


class Round(BaseModel):
    """One moment and what came of it. `ending` of the disturbed run: killed, explained (exit code 1 and why), unharmed
    (exit code 0), or what it should not be. Where an undisturbed run followed, it parsed `parsed` documents."""

    model_config = ConfigDict(frozen=True)

    revision: str
    mode: Mode
    number: int
    victim: Victim
    process: str
    fraction: float
    at_s: float
    step: str
    ending: str
    kind: str | None
    said: str | None
    switched: bool
    parsed: int | None = None
    repair_s: float | None = None
    faults: tuple[str, ...]


class Known(BaseModel):
    """What is known of undisturbed runs: the dump's SHA-256 and offers by state; seconds by mode, a moving average."""

    dumps: dict[source.State, str]
    offers: dict[source.State, int]
    seconds: dict[Mode, float]


class Soak:
    """A site with what is known of it."""

    def __init__(self, site: Site, known: Known) -> None:
        self.site = site
        self.known = known
        self.revision = revision()

    def round(
        self, mode: Mode, number: int, only: Victim | None = None, *, first: bool = True, last: bool = True
    ) -> Round:
        """Disturbs one run. After the `last` of several in a row follows one that is not disturbed. Which moment and
        victim follows from seed, mode and number."""
        chance = random.Random(f"{self.site.seed} {mode} {number}")  # noqa: S311 - to be repeatable
        victim: Victim = chance.choice(VICTIMS) if only is None else only
        fraction = chance.random()
        url = local.ensure_postgres(self.site.settings).get_secret_value()
        if mode == "delta":
            source.change(url, "B" if source.state_of(url) == "A" else "A")
        elif first:
            # So that a full run has something to parse.
            shutil.rmtree(self.site.settings.data_dir / "parts", ignore_errors=True)
        state = source.state_of(url)
        right = {self.known.offers[state]} if mode == "full" else set(self.known.offers.values())
        result = self._disturbed(mode, number, victim, fraction, chance, right)
        if result.process == NONE:
            # The run was quicker than those before it, so the moment was none of it.
            self.known.seconds[mode] = result.at_s
            return self.round(mode, number, only, first=first, last=last)
        return self._repaired(result, state) if last else result

    def _disturbed(
        self, mode: Mode, number: int, victim: Victim, fraction: float, chance: random.Random, right: set[int]
    ) -> Round:
        faults: list[str] = []
        serving = self.site.serving().current
        runs = self.site.runs()
        flow = self.site.start("refresh", "--mode", mode, "--json")
        moment = fraction * self.known.seconds[mode]
        with self._asked_meanwhile(faults, right):
            while self.site.runs() == runs and flow.poll() is None:
                time.sleep(0.02)
            started = time.monotonic()
            while time.monotonic() - started < moment and flow.poll() is None:
                time.sleep(0.01)
        step, at_s = self.site.step(), time.monotonic() - started
        process = NONE
        if flow.poll() is None and (target := self._target(victim, flow.pid, chance)):
            process = _name(target)
            target.kill()
        ended = self.site.finish(flow)
        ending, kind, said = self._ending(ended, victim, faults)
        switched = self.site.serving().current != serving
        ask(self.site, faults, right)
        return Round(
            revision=self.revision, mode=mode, number=number, victim=victim, process=process,
            fraction=round(fraction, 4), at_s=round(at_s, 1), step=step, ending=ending, kind=kind, said=said,
            switched=switched, faults=tuple(faults),
        )  # fmt: skip

    def _repaired(self, result: Round, state: source.State) -> Round:
        """The same, with what the run after came to."""
        faults = list(result.faults)
        seconds, parsed = repair(self.site, self.known, result.mode, state, faults)
        return result.model_copy(update={"parsed": parsed, "repair_s": round(seconds, 1), "faults": tuple(faults)})

    def _target(self, victim: Victim, flow: int, chance: random.Random) -> psutil.Process | None:
        if victim == "flow":
            return psutil.Process(flow)
        if victim == "neo4j":
            return chance.choice(self.site.neo4j_processes() or [None])
        postmaster = Cluster.of(self.site.settings).process()
        return chance.choice([postmaster, *postmaster.children()]) if postmaster else None

    def _ending(self, ended: Ended, victim: Victim, faults: list[str]) -> tuple[str, str | None, str | None]:
        """How the disturbed run ended: the word for it, and kind and reason of its message."""
        if ended.code == KILLED and victim == "flow":
            return "killed", None, None
        if ended.code == 0:
            return "unharmed", None, None
        document = ended.document
        kind, said = document.get("kind"), document.get("reason")
        if "Traceback" in ended.stderr:
            faults.append(f"a traceback: {ended.stderr[-1500:]}")
        if ended.code != 1 or not said:
            faults.append(f"exit code {ended.code}, said: {ended.stdout[-500:]}{ended.stderr[-500:]}")
            return f"code {ended.code}", kind, said
        if not document.get("hint"):
            faults.append(f"the message does not say what to do next: {said}")
        if kind not in KINDS.get(victim, set()):
            faults.append(f"the {victim} was killed, the message speaks of {kind}: {said}")
        return "explained", kind, said

    @contextmanager
    def _asked_meanwhile(self, faults: list[str], right: set[int]) -> Iterator[None]:
        """Asks the graph that serves over and over until the block ends: it has to answer, and rightly."""
        over = threading.Event()

        def ask() -> None:
            while not over.wait(0.3):
                try:
                    found = self.site.count_offers()
                except CpqGraphError as error:
                    # It may have been retired between the look at the pointer and the question.
                    if not over.is_set() and self._still_fails():
                        faults.append(f"it did not answer meanwhile: {error}")
                        return
                else:
                    if not min(right) <= found <= max(right):
                        faults.append(f"it answered {found} meanwhile, not {right}")
                        return

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _still_fails(self) -> bool:
        try:
            self.site.count_offers()
        except CpqGraphError:
            return True
        return False


def ask(site: Site, faults: list[str], right: set[int]) -> None:
    """Starts what is missing, and asks a question; `right` are the answers between which it has to be."""
    try:
        local.up(site.settings)
        with Engine(site.settings) as engine:
            answer = engine.ask("How many offers are there?")
    except CpqGraphError as error:
        faults.append(f"after it nothing answers: {error}")
        return
    found = next(iter(answer.rows[0].values())) if answer.rows else None
    if answer.status != "OK" or not isinstance(found, int) or not min(right) <= found <= max(right):
        faults.append(f"after it the answer is {answer.status} {answer.rows} {answer.reason}, not {right}")


def repair(site: Site, known: Known, mode: Mode, state: source.State, faults: list[str]) -> tuple[float, int]:
    """A run that is not disturbed, and whether all is as it should be after it. Returns its span and how many documents
    it parsed."""
    unknown = site.unknown_documents()
    ended = site.run("refresh", "--mode", mode, "--json")
    document = ended.document
    if ended.code or document.get("status") != "succeeded":
        faults.append(f"the run after fails: exit code {ended.code}, {ended.stdout[-800:]}{ended.stderr[-800:]}")
        return 0, 0
    steps: list[dict[str, Any]] = document["steps"]
    parsed = sum(int(step["rows"]) for step in steps if step["name"] == "parse documents")
    if parsed != unknown:
        faults.append(f"{parsed} documents were parsed, {unknown} were not known")
    if site.dump() != known.dumps[state]:
        faults.append("the dump is another one")
    faults += site.leftovers()
    seconds = span(document)
    if mode == "full" or any(step["name"] == "update offers" for step in steps):
        known.seconds[mode] += 0.3 * (seconds - known.seconds[mode])
    return seconds, parsed


def revision() -> str:
    """The revision of the checkout, "" outside of one."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def span(report: dict[str, Any]) -> float:
    """How long a run took from its first record to its last, s; without what the command takes to start."""
    started, finished = (datetime.fromisoformat(report[name]) for name in ("started_at", "finished_at"))
    return (finished - started).total_seconds()


def _name(process: psutil.Process) -> str:
    try:
        line = " ".join(process.cmdline())
    except psutil.Error:
        return "?"
    if "AdminTool" in line:
        return "neo4j-admin"
    if "org.neo4j" in line:
        return "neo4j server"
    return line.split(" -D ")[0].rpartition("/")[2].strip()[:60] if "postgres" in line else "flow"

"""The record of a run: which step is under way, what each took, and how it ended, on disk from the first moment.

Arrives: steps as they begin and end. Leaves: `<data>/runs/<run>/report.json`, current after each, so that a killed
run still says where it was.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import psutil
from filelock import FileLock, Timeout

from cpq_graph.errors import BusyError, CpqGraphError
from cpq_graph.logs import under_way
from cpq_graph.report import Report, Step, read_reports, runs_dir, write_report
from flows.disk import explained_disk

log = logging.getLogger(__name__)

Mode = Literal["full", "delta"]


@dataclass
class StepNotes:
    """What a step fills in about itself: how many rows and megabytes went through."""

    rows: int | None = None
    megabytes: float | None = None


class Recorder:
    """Keeps the report of one run."""

    def __init__(self, data_dir: Path, report: Report) -> None:
        self.data_dir = data_dir
        self.report = report
        # Asked before each step: raises when the run may not go on.
        self.guard: Callable[[], None] = lambda: None
        write_report(data_dir, report)

    @property
    def folder(self) -> Path:
        """Where this run keeps its files."""
        return runs_dir(self.data_dir) / self.report.run

    def update(self, **changes: Any) -> None:
        """Changes the report, and writes it."""
        self.report = self.report.model_copy(update=changes)
        under_way["step"] = self.report.step
        write_report(self.data_dir, self.report)

    @contextmanager
    def step(self, name: str) -> Iterator[StepNotes]:
        """Times a step. One that fails is named in the report."""
        self.update(step=name)
        log.info("%s …", name, extra={"fields": {"event": "step began"}})
        notes = StepNotes()
        started = time.perf_counter()
        try:
            self.guard()
            yield notes
        except BaseException:
            with _disk_may_be_full():
                self.update(failed_step=name)
            raise
        seconds = round(time.perf_counter() - started, 3)
        rate = f", {notes.megabytes / seconds:.1f} MB/s" if notes.megabytes and seconds else ""
        rows = f", {notes.rows:,} rows" if notes.rows is not None else ""
        done = Step(name=name, seconds=seconds, rows=notes.rows, megabytes=notes.megabytes)
        fields = {"event": "step ended", **done.model_dump(exclude={"name"}, exclude_none=True)}
        log.info("%s: %.1f s%s%s", name, seconds, rows, rate, extra={"fields": fields})
        self.update(steps=(*self.report.steps, done), step=None)


@contextmanager
def recorded(
    data_dir: Path, mode: Mode, *, dry_run: bool, on_end: Callable[[Report], None] = lambda _: None
) -> Iterator[Recorder]:
    """A run from start to end: alone on this data folder, recorded, with its memory watched. `on_end` gets the report
    however the run ends. Raises BusyError when another run is under way."""
    data_dir.mkdir(parents=True, exist_ok=True)
    # flock: the kernel lets go of it when its holder dies, however it dies.
    lock = FileLock(data_dir / "refresh.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        other = next((r.run for r in read_reports(data_dir) if r.status == "running"), "unknown")
        raise BusyError(f"run {other} is under way", hint="Wait for it, or see: cpq-graph status") from None
    try:
        with explained_disk(data_dir):
            recorder = _begin(data_dir, mode)
        with _watched_memory() as peak:
            # A step that failed and then went well is no failure of the run.
            ending: dict[str, Any] = {"status": "dry-run" if dry_run else "succeeded", "failed_step": None}
            try:
                with explained_disk(data_dir):
                    yield recorder
            except BaseException as error:
                kind = error.kind if isinstance(error, CpqGraphError) else type(error).__name__
                said = str(error) or type(error).__name__
                if isinstance(error, KeyboardInterrupt):
                    kind, said = "interrupted", "it was interrupted"
                ending = {"status": "failed", "error": said, "error_kind": kind}
                raise
            finally:
                with _disk_may_be_full():
                    recorder.update(
                        finished_at=datetime.now(UTC), step=None, peak_memory_mb=round(peak.megabytes, 1), **ending
                    )
                on_end(recorder.report)
                under_way.update(run=None, step=None)
    finally:
        lock.release()


def _begin(data_dir: Path, mode: Mode) -> Recorder:
    _bury_the_killed(data_dir)
    started = datetime.now(UTC)
    report = Report(run=started.strftime("%Y%m%dT%H%M%S%fZ"), mode=mode, status="running", started_at=started)
    under_way["run"] = report.run
    return Recorder(data_dir, report)


@contextmanager
def _disk_may_be_full() -> Iterator[None]:
    """What a run could not write about its end must not hide why it ended."""
    try:
        yield
    except OSError as error:
        log.warning("the run's report could not be written: %s", error)


def _bury_the_killed(data_dir: Path) -> None:
    """Whoever holds the lock is alone: a run that still says it is under way was killed."""
    for report in read_reports(data_dir):
        if report.status == "running":
            ending = {"status": "failed", "failed_step": report.step, "step": None, "error": "it was killed"}
            write_report(data_dir, report.model_copy(update=ending | {"error_kind": "killed"}))


@dataclass
class _Peak:
    megabytes: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)


@contextmanager
def _watched_memory(interval_s: float = 0.2) -> Iterator[_Peak]:
    """The highest resident memory of this process and its Python children together, sampled."""
    peak = _Peak()
    own = psutil.Process()

    def watch() -> None:
        while not peak.stop.wait(interval_s):
            peak.megabytes = max(peak.megabytes, _resident_mb(own))

    thread = threading.Thread(target=watch, name="memory", daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        peak.stop.set()
        thread.join()


def _resident_mb(process: psutil.Process) -> float:
    """The servers that a run starts (Java, PostgreSQL) are not the pipeline's own memory."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            if one is process or "python" in one.name():
                total += one.memory_info().rss
        except psutil.Error:
            continue
    return total / 1e6

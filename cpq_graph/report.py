"""What a refresh says about itself: totals that add up, rejects by reason, time and memory by step.

Written to `<data>/runs/<run>/report.json` by the flow, read by `status`, `rejects` and Prefect's artifacts.
"""

import logging
from datetime import datetime
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cpq_graph.manifest import Snapshot, write_atomically

log = logging.getLogger(__name__)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Totals(_Frozen):
    """How many were read and what became of them: read = loaded + rejected + filtered."""

    read: int = 0
    loaded: int = 0
    rejected: int = 0
    filtered: int = 0

    @property
    def adds_up(self) -> bool:
        """Whether nothing was lost on the way."""
        return self.read == self.loaded + self.rejected + self.filtered

    def __add__(self, other: Self) -> "Totals":
        return Totals(
            read=self.read + other.read,
            loaded=self.loaded + other.loaded,
            rejected=self.rejected + other.rejected,
            filtered=self.filtered + other.filtered,
        )


class Step(_Frozen):
    """One step of a run: how long it took and how much went through it."""

    name: str
    seconds: float
    rows: int | None = None
    megabytes: float | None = None


class Report(_Frozen):
    """One run. `tables` are totals of source rows by entity, `labels` of nodes by label, `relationships` by pattern
    name (`Offer_CONTAINS_Content`); `rejects` and `filtered` count by reason; `emptied` counts, by reason, values
    left out of a node that was loaded; `notes` are facts that lost nothing, with how often they occurred; `step` is the
    one under way."""

    run: str
    mode: Literal["full", "delta"]
    status: Literal["running", "succeeded", "failed", "dry-run"]
    started_at: datetime
    finished_at: datetime | None = None
    snapshot: Snapshot | None = None
    fingerprint: str | None = None
    tables: dict[str, Totals] = Field(default_factory=dict)
    labels: dict[str, Totals] = Field(default_factory=dict)
    relationships: dict[str, Totals] = Field(default_factory=dict)
    rejects: dict[str, int] = Field(default_factory=dict)
    filtered: dict[str, int] = Field(default_factory=dict)
    emptied: dict[str, int] = Field(default_factory=dict)
    notes: dict[str, int] = Field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    peak_memory_mb: float | None = None
    step: str | None = None
    failed_step: str | None = None
    error: str | None = None
    error_kind: str | None = None

    @property
    def adds_up(self) -> bool:
        """Whether every total does."""
        return all(
            totals.adds_up for group in (self.tables, self.labels, self.relationships) for totals in group.values()
        )


def runs_dir(data_dir: Path) -> Path:
    """Where each run has a folder, named so that they sort by time."""
    return data_dir / "runs"


def write_report(data_dir: Path, report: Report) -> None:
    """Writes the run's report in one step."""
    text = report.model_dump_json(indent=2)
    write_atomically(runs_dir(data_dir) / report.run / "report.json", (text + "\n").encode())


def read_reports(data_dir: Path) -> list[Report]:
    """The reports of all runs, newest first. One that cannot be read is left out, and logged."""
    reports = []
    for path in sorted(runs_dir(data_dir).glob("*/report.json"), reverse=True):
        try:
            reports.append(Report.model_validate_json(path.read_bytes()))
        except FileNotFoundError:
            continue  # forgotten meanwhile
        except (OSError, ValidationError) as error:
            log.warning("%s cannot be read: %s", path, str(error).splitlines()[0])
    return reports

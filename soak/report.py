"""Rounds → what they came to, as Markdown and JSON.

Arrives: the rounds of kills and of faults. Leaves: tables of counts, and every fault found.
"""

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from soak.kills import MODES, VICTIMS, Round


def markdown(rounds: Sequence[Round]) -> str:
    """The whole report."""
    lines = ["| mode | killed | rounds | run was killed | explained | unharmed | switched before it ended | faults |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|---:|")
    for mode in MODES:
        for victim in VICTIMS:
            some = [r for r in rounds if (r.mode, r.victim) == (mode, victim)]
            if some:
                lines.append(_row(mode, victim, some))
    lines.append(_row("all", "", rounds))
    lines += ["", "| step under way | full | delta |", "|---|---:|---:|"]
    steps = {mode: Counter(r.step or "before the first or after the last" for r in _of(rounds, mode)) for mode in MODES}
    for step in sorted({*steps["full"], *steps["delta"]}):
        lines.append(f"| {step} | {steps['full'][step]} | {steps['delta'][step]} |")
    repaired = [r for r in rounds if r.repair_s is not None]
    reused = sum(r.parsed == 0 for r in repaired if r.mode == "full")
    lines += ["", "| | full | delta |", "|---|---:|---:|"]
    lines.append("| the run after, median s | " + " | ".join(_median(_of(rounds, mode)) for mode in MODES) + " |")
    lines += [
        "",
        f"{len(repaired)} runs that were not disturbed followed, {len(_of(repaired, 'full'))} of them full ones.",
    ]
    lines += [f"{reused} of the full ones found every document parsed already."]
    said = Counter(_first(r.said) for r in rounds if r.said)
    lines += ["", "| what the disturbed run said | times |", "|---|---:|"]
    lines += [f"| {text} | {times} |" for text, times in said.most_common()]
    faults = [
        f"- {r.mode} {r.number}, revision {r.revision} ({r.process} killed in '{r.step}'): {in_a_line(fault)}"
        for r in rounds
        for fault in r.faults
    ]
    lines += ["", f"Faults: {len(faults)}.", *faults]
    return "\n".join(lines) + "\n"


def in_a_line(text: str, characters: int = 300) -> str:
    """The beginning of a text, its lines as one."""
    return " ".join(text.split())[:characters]


def _row(mode: str, victim: str, rounds: Sequence[Round]) -> str:
    endings = Counter(r.ending for r in rounds)
    cells = [endings["killed"], endings["explained"], endings["unharmed"]]
    cells += [sum(r.switched for r in rounds), sum(len(r.faults) for r in rounds)]
    return f"| {mode} | {victim} | {len(rounds)} | " + " | ".join(map(str, cells)) + " |"


def _of(rounds: Iterable[Round], mode: str) -> list[Round]:
    return [r for r in rounds if r.mode == mode]


def _median(rounds: Sequence[Round]) -> str:
    seconds = [r.repair_s for r in rounds if r.repair_s is not None]
    return f"{statistics.median(seconds):.0f}" if seconds else ""


def _first(text: str | None) -> str:
    """The first line of a message, without what differs from round to round."""
    line = (text or "").splitlines()[0][:120]
    return re.sub(r"\b\d+\b", "…", line).replace("|", "\\|")

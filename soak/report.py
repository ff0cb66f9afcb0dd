"""Rounds → what they came to, as Markdown and JSON.

Arrives: the rounds of kills and of faults. Leaves: tables of counts, and every fault found.
"""

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
    parsed = [r for r in rounds if r.mode == "full"]
    reused = sum(1 for r in parsed if r.parsed == 0)
    lines += ["", "| | full | delta |", "|---|---:|---:|"]
    lines.append("| the run after, median s | " + " | ".join(_median(_of(rounds, mode)) for mode in MODES) + " |")
    lines += ["", f"In {reused} of {len(parsed)} full rounds the run after found every document parsed already."]
    said = Counter(_first(r.said) for r in rounds if r.said)
    lines += ["", "| what the disturbed run said | times |", "|---|---:|"]
    lines += [f"| {text} | {times} |" for text, times in said.most_common()]
    faults = [
        f"- {r.mode} {r.number} ({r.process} killed in '{r.step}'): {fault}" for r in rounds for fault in r.faults
    ]
    lines += ["", f"Faults: {len(faults)}.", *faults]
    return "\n".join(lines) + "\n"


def _row(mode: str, victim: str, rounds: Sequence[Round]) -> str:
    endings = Counter(r.ending for r in rounds)
    cells = [endings["killed"], endings["explained"], endings["unharmed"]]
    cells += [sum(r.switched for r in rounds), sum(len(r.faults) for r in rounds)]
    return f"| {mode} | {victim} | {len(rounds)} | " + " | ".join(map(str, cells)) + " |"


def _of(rounds: Iterable[Round], mode: str) -> list[Round]:
    return [r for r in rounds if r.mode == mode]


def _median(rounds: Sequence[Round]) -> str:
    return f"{statistics.median(r.repair_s for r in rounds):.0f}" if rounds else ""


def _first(text: str | None) -> str:
    """The first line of a message, without what differs from round to round."""
    line = (text or "").splitlines()[0][:120]
    return "".join("…" if part.isdigit() else part for part in _words(line)).replace("|", "\\|")


def _words(line: str) -> list[str]:
    import re

    return re.split(r"(\d+)", line)

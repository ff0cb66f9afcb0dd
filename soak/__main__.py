"""`make soak`: kills at random moments of full and delta refreshes, and what came of them.

Runs on servers of its own, in a folder of its own. Each round is written down as it ends, so a soak that was stopped
goes on where it was when it is given the same folder.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click

from soak import source
from soak.kills import MODES, VICTIMS, Known, Mode, Round, Soak, Victim, span
from soak.report import markdown
from soak.site import Site
from stack import local


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mode", type=click.Choice([*MODES, "both"]), default="both", show_default=True)
@click.option("--rounds", default=100, show_default=True, help="Moments of each mode.")
@click.option("--only", type=click.Choice(VICTIMS), help="Kill nothing else.")
@click.option("--in-a-row", default=1, show_default=True, help="Moments before a run that is not disturbed.")
@click.option("--offers", default=60, show_default=True, help="How large the source is.")
@click.option("--seed", default=1, show_default=True, help="Same seed: same victims, same shares of a run's time.")
@click.option("--minutes", type=float, help="Begin no round after so many.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Where; given again, it goes on there."
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Where soak.md and soak.json go.")
@click.option("--keep", is_flag=True, help="Leave servers and data there.")
def main(
    *, mode: str, rounds: int, only: Victim | None, in_a_row: int, offers: int, seed: int, minutes: float | None,
    folder: Path | None, out: Path | None, keep: bool,
) -> None:  # fmt: skip
    """Kill the flow, Neo4j or PostgreSQL (-9) at random moments, run again, and look whether all is as promised.

    Prints the counts as Markdown. Exit code 1 when something was not as promised.
    """
    folder = (folder or Path(tempfile.mkdtemp(prefix="cpq-graph-soak-"))).resolve()
    # PostgreSQL of root's belongs to another user, who has to get there.
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    folder.chmod(0o755)
    site = Site(folder)
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    log = folder / "rounds.jsonl"
    try:
        known = _known(site, offers, seed)
        soak = Soak(site, known, seed)
        done = _read(log)
        wanted = _wanted([m for m in MODES if mode in (m, "both")], rounds, in_a_row)
        for each, number in wanted:
            first, last = number % in_a_row == 0, number % in_a_row == in_a_row - 1 or number == rounds - 1
            if first and time.monotonic() > deadline:
                break
            if any((r.mode, r.number) == (each, number) for r in done):
                continue
            result = soak.round(each, number, only, first=first, last=last)
            done.append(result)
            with log.open("a", encoding="utf-8") as file:
                file.write(result.model_dump_json() + "\n")
            _keep(folder, known)
            _tell(f"{len(done)} of {len(wanted)}: {_line(result)}")
    finally:
        if not keep:
            site.remove()
    text = markdown(done)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / "soak.md").write_text(text, encoding="utf-8")
        document = [each.model_dump(mode="json") for each in done]
        (out / "soak.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    click.echo(text)
    if any(each.faults for each in done):
        sys.exit(1)


def _wanted(modes: list[Mode], rounds: int, in_a_row: int) -> list[tuple[Mode, int]]:
    """The rounds in order: the modes take turns, and those in a row stay together."""
    starts = range(0, rounds, in_a_row)
    return [(mode, n) for start in starts for mode in modes for n in range(start, min(start + in_a_row, rounds))]


def _known(site: Site, offers: int, seed: int) -> Known:
    """What undisturbed runs give; measured once, then read from the folder."""
    file = site.folder / "known.json"
    if file.exists():
        known = Known.model_validate_json(file.read_bytes())
        local.up(site.settings)
        return known
    url = local.ensure_postgres(site.settings).get_secret_value()
    source.make(url, offers=offers, seed=seed)
    dumps: dict[source.State, str] = {}
    counts: dict[source.State, int] = {}
    seconds: dict[Mode, float] = {}
    for state, mode in _undisturbed():
        source.change(url, state)
        ended = site.run("refresh", "--mode", mode, "--json")
        if ended.code:
            raise click.ClickException(f"an undisturbed run fails: {ended.stdout}{ended.stderr}")
        seconds[mode] = span(ended.document)
        dump = site.dump()
        if dumps.setdefault(state, dump) != dump:
            raise click.ClickException("an undisturbed delta leaves another graph than a full refresh")
        counts[state] = site.count_offers()
        _tell(f"undisturbed {mode} of state {state}: {seconds[mode]:.0f} s, {counts[state]} offers")
    if dumps["A"] == dumps["B"]:
        raise click.ClickException("the two states of the source give the same graph")
    known = Known(dumps=dumps, offers=counts, seconds=seconds)
    _keep(site.folder, known)
    return known


def _undisturbed() -> Iterator[tuple[source.State, Mode]]:
    # The first run of a folder downloads and prepares; the second full one is what the rounds are like.
    yield from (("A", "full"), ("B", "full"), ("A", "delta"))


def _keep(folder: Path, known: Known) -> None:
    (folder / "known.json").write_text(known.model_dump_json(), encoding="utf-8")


def _read(log: Path) -> list[Round]:
    if not log.exists():
        return []
    return [Round.model_validate_json(line) for line in log.read_text(encoding="utf-8").splitlines()]


def _line(r: Round) -> str:
    what = f"{r.mode}, {r.process} killed at {r.at_s:.1f} s in '{r.step}': {r.ending} {r.kind or ''}".rstrip()
    verdict = f"FAULTS: {'; '.join(r.faults)}" if r.faults else "ok"
    after = f"; run again in {r.repair_s:.0f} s, {r.parsed} parsed" if r.repair_s is not None else ""
    return f"{what}{after}. {verdict}"


def _tell(text: str) -> None:
    click.echo(f"{time.strftime('%H:%M:%S')} {text}", err=True)


if __name__ == "__main__":
    main()

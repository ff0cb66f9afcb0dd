"""`make soak`: what the refresh promises, tried out on servers of its own: kills, other faults, spoiled documents.

Each round is written down as it ends, so a soak that was stopped goes on where it was when it is given the same folder.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from pydantic import BaseModel

from soak import faults as others
from soak import source
from soak.dirty import main as dirty
from soak.kills import MODES, VICTIMS, Known, Mode, Round, Soak, Victim, span
from soak.report import markdown
from soak.site import Site
from stack import local

# What two stores, PostgreSQL and Prefect's database take, and a little more, MB.
DISK_MB = 1500


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.pass_context
def main(context: click.Context) -> None:
    """Break the refresh on purpose and look whether all is as promised.

    Without a command all of them run, at full size: hours. Exit code 1 when something was not as promised.
    """
    if context.invoked_subcommand is not None:
        return
    failed = False
    for command in (kills, faults, dirty):
        try:
            command.main([], standalone_mode=False)
        except SystemExit as ended:
            failed = failed or bool(ended.code)
    sys.exit(int(failed))


def site_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that every command with servers has."""
    path = click.Path(file_okay=False, path_type=Path)
    for option in reversed(
        [
            click.option("--offers", default=60, show_default=True, help="How large the source is."),
            click.option("--seed", default=1, show_default=True, help="Same seed: same source, victims and moments."),
            click.option("--minutes", type=float, help="Begin nothing after so many."),
            click.option("--folder", type=path, help="Where; given again, it goes on there."),
            click.option("--out", type=path, help="Where the results go, as Markdown and JSON."),
            click.option("--keep", is_flag=True, help="Leave servers and data there."),
        ]
    ):
        command = option(command)
    return command


@main.command()
@click.option("--mode", type=click.Choice([*MODES, "both"]), default="both", show_default=True)
@click.option("--rounds", default=100, show_default=True, help="Moments of each mode.")
@click.option("--only", type=click.Choice(VICTIMS), help="Kill nothing else.")
@click.option("--in-a-row", default=1, show_default=True, help="Moments before a run that is not disturbed.")
@site_options
def kills(
    *, mode: str, rounds: int, only: Victim | None, in_a_row: int, offers: int, seed: int, minutes: float | None,
    folder: Path | None, out: Path | None, keep: bool,
) -> None:  # fmt: skip
    """Kill the flow, Neo4j or PostgreSQL (-9) at random moments, and run again."""
    site = _site(folder, offers, seed)
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    log = site.folder / "rounds.jsonl"
    wanted = _wanted([m for m in MODES if mode in (m, "both")], rounds, in_a_row)
    try:
        known = _known(site)
        soak = Soak(site, known)
        done = [Round.model_validate_json(line) for line in _lines(log)]
        for each, number in wanted:
            first, last = number % in_a_row == 0, number % in_a_row == in_a_row - 1 or number == rounds - 1
            if first and time.monotonic() > deadline:
                break
            if any((r.mode, r.number) == (each, number) for r in done):
                continue
            done.append(soak.round(each, number, only, first=first, last=last))
            _append(log, done[-1])
            _keep(site.folder, known)
            _tell(f"{len(done)} of {len(wanted)}: {_line(done[-1])}")
    finally:
        if not keep:
            site.remove()
    _end("kills", markdown(done), done, out)


@main.command()
@click.option("--only", multiple=True, help="Only those whose name begins so.")
@site_options
def faults(
    *, only: tuple[str, ...], offers: int, seed: int, minutes: float | None, folder: Path | None, out: Path | None,
    keep: bool,
) -> None:  # fmt: skip
    """Cut connections, time out, cancel on a standby, fill the disk, and run again."""
    site = _site(folder, offers, seed)
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    log = site.folder / "faults.jsonl"
    done = [others.Tried.model_validate_json(line) for line in _lines(log)]
    with ExitStack() as stack:
        has_disk = stack.enter_context(others.small_disk(site.settings.data_dir, DISK_MB))
        if has_disk or not keep:
            stack.callback(site.remove)
        known = _known(site, anew=has_disk)
        for fault in others.FAULTS:
            if time.monotonic() > deadline:
                break
            if only and not fault.name.startswith(only):
                continue
            if any((each.name, each.mode) == (fault.name, fault.mode) for each in done):
                continue
            if fault.name in others.DISK and not has_disk:
                _tell(f"{fault.name}: left out, as only root can have a small disk")
                continue
            done.append(others.attempt(site, known, fault))
            _append(log, done[-1])
            verdict = f"FAULTS: {'; '.join(done[-1].faults)}" if done[-1].faults else "ok"
            _tell(f"{fault.name}, {fault.mode}: {done[-1].ending} {done[-1].kind or ''}. {verdict}")
    _end("faults", others.markdown(done), done, out)


main.add_command(dirty, "dirty")


def _site(folder: Path | None, offers: int, seed: int) -> Site:
    folder = (folder or Path(tempfile.mkdtemp(prefix="cpq-graph-soak-"))).resolve()
    # PostgreSQL of root's belongs to another user, who has to get there.
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    folder.chmod(0o755)
    return Site(folder, offers, seed)


def _wanted(modes: list[Mode], rounds: int, in_a_row: int) -> list[tuple[Mode, int]]:
    """The rounds in order: the modes take turns, and those in a row stay together."""
    starts = range(0, rounds, in_a_row)
    return [(mode, n) for start in starts for mode in modes for n in range(start, min(start + in_a_row, rounds))]


def _known(site: Site, *, anew: bool = False) -> Known:
    """What undisturbed runs give; measured once, then read from the folder."""
    file = site.folder / "known.json"
    if file.exists() and not anew:
        local.up(site.settings)
        return Known.model_validate_json(file.read_bytes())
    url = local.ensure_postgres(site.settings).get_secret_value()
    source.make(url, offers=site.offers, seed=site.seed)
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


def _lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def _append(log: Path, result: BaseModel) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(result.model_dump_json() + "\n")


def _end(name: str, text: str, done: Sequence[Round | others.Tried], out: Path | None) -> None:
    """Prints and keeps the result. Exits with 1 when something was not as promised."""
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name}.md").write_text(text, encoding="utf-8")
        document = [each.model_dump(mode="json") for each in done]
        (out / f"{name}.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    click.echo(text)
    if any(each.faults for each in done):
        sys.exit(1)


def _line(r: Round) -> str:
    what = f"{r.mode}, {r.process} killed at {r.at_s:.1f} s in '{r.step}': {r.ending} {r.kind or ''}".rstrip()
    verdict = f"FAULTS: {'; '.join(r.faults)}" if r.faults else "ok"
    after = f"; run again in {r.repair_s:.0f} s, {r.parsed} parsed" if r.repair_s is not None else ""
    return f"{what}{after}. {verdict}"


def _tell(text: str) -> None:
    click.echo(f"{time.strftime('%H:%M:%S')} {text}", err=True)


if __name__ == "__main__":
    main()

"""`eval`: the question sets against the graph that serves."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, line, stderr, table
from cpq_graph.errors import ConfigurationError
from cpq_graph.manifest import read_manifest, read_serving
from cpq_graph.settings import Settings

if TYPE_CHECKING:
    from sample_data.frames import Frames

# The committed set, which the first run loads.
_OFFERS, _SEED, _DEFECTS = 300, 7, "mixed"


@click.command("eval")
@click.option(
    "--set", "sets", type=click.Choice(["set1", "set2", "further", "unanswerable"]), multiple=True,
    help="Only this set; may be given several times.",
)  # fmt: skip
@click.option("--part", type=click.Choice(["development", "held-out", "fresh"]), help="Only this part.")
@click.option("--engine", "engines", multiple=True, default=["compiled"], show_default=True, help="Which to measure.")
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True, help="How often each is asked.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of attempts and report.")
@click.option(
    "--offers", type=click.IntRange(min=1), default=_OFFERS, show_default=True, help="Size of the sample source."
)
@click.option("--seed", type=int, default=_SEED, show_default=True, help="Seed of the sample source.")
@click.option(
    "--defects", type=click.Choice(["clean", "mixed"]), default=_DEFECTS, show_default=True,
    help="Defects of the sample source.",
)  # fmt: skip
@json_option
@click.pass_obj
@ends_cleanly
def evaluate(
    settings: Settings, *, sets: tuple[str, ...], part: str | None, engines: tuple[str, ...], repeats: int,
    out: Path | None, offers: int, seed: int, defects: Literal["clean", "mixed"], as_json: bool,
) -> None:  # fmt: skip
    """Ask the question sets, compare with gold answers from the source rows, report.

    The graph that serves must be of a sample source: say which, as to `sample create`. What was asked before is not
    asked again: delete the folder to start anew.
    """
    from cpq_graph.cli.stack import ensure_serving
    from cpq_graph.evaluation.binding import ask_all
    from cpq_graph.evaluation.engines import of_engine
    from cpq_graph.evaluation.facts import facts_of
    from cpq_graph.evaluation.harness import evaluate as run
    from cpq_graph.evaluation.report import write_report
    from cpq_graph.evaluation.sets import read_sets
    from cpq_graph.query.engine import Engine
    from cpq_graph.site import read_site
    from sample_data.frames import frames
    from sample_data.generate import Spec

    ensure_serving(settings)
    site, graph = read_site(settings.source_dir), read_serving(settings.data_dir).current
    period = (settings.period_from or site.period_from, settings.period_to or site.period_to)
    stderr.print(f"Computing gold answers from the rows of {offers} offers …")
    made = frames(Spec(offers, seed, defects), period)
    _match(made, read_manifest(settings.data_dir / graph.artifacts).counts)
    asked = [
        one for one in ask_all(read_sets(), facts_of(made))
        if one.question.set in (sets or (one.question.set,)) and one.part == (part or one.part)
    ]  # fmt: skip
    if not asked:
        raise ConfigurationError("no question is in that set and part")
    folder = out or settings.data_dir / "evaluation" / graph.fingerprint[:12]
    wanted = len(asked) * repeats * len(engines)
    with Engine(settings) as engine, click.progressbar(
        length=wanted, label="Asking", file=sys.stderr, hidden=as_json
    ) as bar:  # fmt: skip
        attempts = run(
            asked, [of_engine(engine, name) for name in engines], folder,
            data=graph.fingerprint, repeats=repeats, progress=bar.update,
        )  # fmt: skip
    about = f"Sample source of {offers} offers, seed {seed}, {defects} data; graph {graph.fingerprint[:12]}."
    summary = write_report(attempts, folder, about=about)
    if as_json:
        emit_json({"report": os.fspath(folder / "report.md"), "accuracy": summary.to_dicts()})
        return
    shown = summary.select("configuration", "set", "part", "wordings", "right", "accuracy", "low", "high", "wrong")
    table(None, shown.columns, shown.rows())
    line()
    line(f"Report: {folder / 'report.md'}")


def _match(made: "Frames", counts: dict[str, int]) -> None:
    """Raises ConfigurationError when the graph cannot be of this sample."""
    from cpq_graph.model import OFFER, PARAMETER, PRODUCT

    for node, frame in ((OFFER, made.offers), (PRODUCT, made.products), (PARAMETER, made.parameters)):
        if counts.get(node.label) != frame.height:
            raise ConfigurationError(
                f"the graph that serves is not of this sample: it has {counts.get(node.label)} {node.label}, "
                f"the sample {frame.height}",
                hint="Say --offers, --seed and --defects as to `cpq-graph sample create`, or refresh from that sample.",
            )


COMMANDS = (evaluate,)

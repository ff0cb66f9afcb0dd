"""Plots of an evaluation, as SVG that is the same for the same attempts.

Arrives: a frame of attempts. Leaves: `accuracy.svg` (with intervals) and `times.svg` in a folder. Needs matplotlib.
"""

from pathlib import Path

import matplotlib as mpl
import polars as pl
from matplotlib.figure import Figure

from cpq_graph.evaluation import scores


def draw(attempts: pl.DataFrame, folder: Path) -> None:
    """Draws both plots."""
    # Text stays text, and ids do not change from run to run.
    with mpl.rc_context({"svg.hashsalt": "evaluation", "svg.fonttype": "none", "axes.spines.top": False}):
        _accuracies(attempts).savefig(folder / "accuracy.svg", metadata={"Date": None}, bbox_inches="tight")
        _times(attempts).savefig(folder / "times.svg", metadata={"Date": None}, bbox_inches="tight")


def _accuracies(attempts: pl.DataFrame) -> Figure:
    """A point with its interval for each set and part, a colour for each configuration."""
    groups = scores.accuracy(attempts, "set", "part")
    labels = [f"{name}, {part}" for name, part in groups.select("set", "part").unique(maintain_order=True).iter_rows()]
    names = groups["configuration"].unique(maintain_order=True).to_list()
    figure = Figure(figsize=(7, 0.6 + 0.35 * len(labels) * len(names)))
    axes = figure.subplots()
    for number, name in enumerate(names):
        rows = groups.filter(pl.col("configuration") == name)
        places = [
            labels.index(f"{set_}, {part}") + 0.2 * (number - (len(names) - 1) / 2)
            for set_, part in rows.select("set", "part").iter_rows()
        ]
        middle, low, high = (rows[column].to_list() for column in ("accuracy", "low", "high"))
        spread = [
            [max(0.0, m - bound) for m, bound in zip(middle, low, strict=True)],
            [max(0.0, bound - m) for m, bound in zip(middle, high, strict=True)],
        ]
        axes.errorbar(middle, places, xerr=spread, fmt="o", capsize=3, label=name)
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 101)
    axes.set_xlabel("right wordings, % (Wilson 95 % interval)")
    if len(names) > 1:
        axes.legend(frameon=False)
    return figure


def _times(attempts: pl.DataFrame) -> Figure:
    """For each configuration, the spread of the three times of successful attempts, in ms."""
    steps = {"t1": "generation", "t2": "execution", "t3": "wording"}
    names = attempts["configuration"].unique(maintain_order=True).to_list()
    right = attempts.filter("right", pl.col("status") == "OK")
    figure = Figure(figsize=(7, 0.8 + 0.3 * len(names) * len(steps)))
    axes = figure.subplots()
    boxes = [
        (f"{name}: {label}", (1000 * right.filter(pl.col("configuration") == name)[step]).to_list())
        for name in names
        for step, label in steps.items()
    ]
    axes.boxplot([values for _, values in boxes], orientation="horizontal", showfliers=False)
    axes.set_yticks(range(1, len(boxes) + 1), [label for label, _ in boxes])
    axes.invert_yaxis()
    axes.set_xlabel("ms")
    return figure

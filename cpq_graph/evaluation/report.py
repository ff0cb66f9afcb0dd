"""The report of an evaluation: Markdown for people, Parquet for programs, plots.

Arrives: attempts. Leaves: `report.md`, `attempts.parquet`, `accuracy.parquet` and, where matplotlib is installed,
`accuracy.svg` and `times.svg` in a folder. The wordings of the held-out part are in none of them but the attempts.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from cpq_graph.evaluation import scores
from cpq_graph.evaluation.harness import Attempt

# Published figures for comparison: macro-averages over three runs of gpt-4o and gpt-5-mini.
_REFERENCES = """\
| system | set | accuracy % | total s |
|---|---|---:|---:|
| best: few-shot, schema V2, high reasoning | 1 | 100 | 19.4 |
| few-shot, schema V2, low reasoning | 1 | 98 | 5.5 |
| worst: zero-shot, schema V1 | 1 | 36 | |
| best | 2 | 95 | 82 |
| quickest good one | 2 | 88 | 18 |
| a checker after the model, 50 questions of 1 to 3 hops | | +15 points | |
"""


def write_report(attempts: Sequence[Attempt], folder: Path, *, about: str) -> pl.DataFrame:
    """Writes the report; returns the accuracies by set and part. `about` says what data was asked about."""
    frame = scores.frame_of(attempts)
    summary = scores.accuracy(frame, "set", "part")
    frame.write_parquet(folder / "attempts.parquet")
    summary.write_parquet(folder / "accuracy.parquet")
    (folder / "report.md").write_text(_markdown(frame, about), encoding="utf-8")
    try:
        from cpq_graph.evaluation.plots import draw
    except ModuleNotFoundError:
        return summary
    draw(frame, folder)
    return summary


def _markdown(frame: pl.DataFrame, about: str) -> str:
    answerable = frame.filter(pl.col("set") != "unanswerable")
    rest = frame.filter(pl.col("set") == "unanswerable")
    kind = pl.when("original").then(pl.lit("original")).otherwise(pl.lit("paraphrase")).alias("wording")
    sections = [
        ("By set and part", scores.accuracy(frame, "set", "part")),
        ("Originals and paraphrases", scores.accuracy(answerable.with_columns(kind), "part", "wording")),
        ("By language", scores.accuracy(frame, "part", "language")),
        ("By type and level", scores.accuracy(answerable, "set", "type", "level")),
        ("By tag", scores.accuracy(answerable, "tags")),
        ("Not answerable, by kind", scores.accuracy(rest, "part", "level")),
        ("What came of the attempts", scores.outcomes(frame, "set", "part")),
        ("Macro-averages (times in ms)", scores.macro_averages(answerable, "set", "part")),
        ("Pairs of configurations (McNemar's exact test, Holm's adjustment)", scores.pairs(frame)),
        ("By question", scores.accuracy(frame, "question", "part").drop("low", "high")),
    ]
    repeats, words = frame["repeat"].n_unique(), frame["key"].n_unique()
    parts = [
        "# Evaluation",
        f"{about}\n\n{words} wordings of {frame['question'].n_unique()} questions, each asked {repeats} times; "
        f"configurations: {', '.join(frame['configuration'].unique(maintain_order=True))}.",
        "A wording is right when it is right in every repeat: OK, or NO_ATTEMPT where it cannot be answered. `wrong` "
        "counts wordings with a wrong result in any repeat. Accuracies are per cent, `low` and `high` bound their "
        "Wilson 95 % intervals. Macro-averages are means over the successful attempts of each question, then over "
        "questions. Builders look at the development part; of the held-out part only at the kinds of fault "
        "that it found; a fresh part has been read by nobody yet.",
        *(f"## {title}\n\n{_table(rows)}" for title, rows in sections if not rows.is_empty()),
        f"## Published figures\n\n{_REFERENCES}",
    ]
    return "\n\n".join(parts).rstrip() + "\n"


def _table(rows: pl.DataFrame) -> str:
    heads = "| " + " | ".join(name.replace("_", " ") for name in rows.columns) + " |"
    rule = "|" + "|".join("---:" if dtype.is_numeric() else "---" for dtype in rows.dtypes) + "|"
    lines = ("| " + " | ".join(_cell(value) for value in row) + " |" for row in rows.iter_rows())
    return "\n".join((heads, rule, *lines))


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case float():
            return f"{value:.3g}" if 0 < abs(value) < 0.1 else f"{value:.1f}"
        case list():
            return ", ".join(map(str, value))
    return str(value).replace("|", "\\|")

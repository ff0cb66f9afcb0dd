"""Scores against known values, and the report made of them."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cpq_graph.evaluation import scores
from cpq_graph.evaluation.harness import Attempt
from cpq_graph.evaluation.report import write_report


def attempt(key: str = "q/en/0", status: str = "OK", **others: Any) -> Attempt:
    question, language, _ = key.split("/")
    values: dict[str, Any] = {
        "data": "d", "configuration": "one", "key": key, "repeat": 1, "question": question, "set": "set1",
        "part": "development", "original": True, "type": "lookup", "level": "L1", "tags": (), "language": language,
        "text": "?", "status": status, "right": status == "OK", "rows": 1, "gold_rows": 1, "t1": 0.01, "t2": 0.02,
        "t3": 0.03, "prompt_tokens": 0, "completion_tokens": 0, "cypher_before": None, "cypher_after": None,
        "understanding": None, "reason": None, "raw": None,
    }  # fmt: skip
    return Attempt(**(values | others))


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # By the formula of E. B. Wilson (1927) with z = 1.959964.
    [(8, 10, 0.490162, 0.943318), (0, 10, 0.0, 0.277533), (10, 10, 0.722467, 1.0), (0, 0, 0.0, 1.0)],
)
def test_wilson(successes: int, trials: int, low: float, high: float) -> None:
    assert scores.wilson(successes, trials) == pytest.approx((low, high), abs=1e-5)


def test_a_wording_is_right_when_every_repeat_is() -> None:
    frame = scores.frame_of(
        [
            attempt("a/en/0"),
            attempt("a/en/0", repeat=2),
            attempt("a/fi/1"),
            attempt("a/fi/1", "WRONG_RESULT", repeat=2),
            attempt("b/en/0", "NO_ATTEMPT"),
            attempt("b/en/0", "NO_ATTEMPT", repeat=2),
        ]
    )
    row = scores.accuracy(frame, "set").row(0, named=True)
    assert (row["wordings"], row["right"], row["wrong"]) == (3, 1, 1)
    assert row["accuracy"] == pytest.approx(100 / 3)
    assert scores.outcomes(frame, "set").row(0, named=True) == {
        "configuration": "one", "set": "set1", "OK": 3, "WRONG_RESULT": 1, "SYNTAX_ERROR": 0, "NO_ATTEMPT": 2,
    }  # fmt: skip


def test_macro_averages_go_over_questions_not_attempts() -> None:
    frame = scores.frame_of(
        [
            attempt("a/en/0", t2=0.1),
            attempt("a/en/0", t2=0.3, repeat=2),
            attempt("a/en/0", "WRONG_RESULT", t2=9.0, repeat=3),
            attempt("b/en/0", t2=1.0),
            attempt("c/en/0", "NO_ATTEMPT", t2=5.0),
        ]
    )
    row = scores.macro_averages(frame, "set").row(0, named=True)
    assert row["questions"] == 3
    assert row["t2"] == pytest.approx((200 + 1000) / 2)
    assert row["accuracy"] == pytest.approx((200 / 3 + 100 + 0) / 3)


def test_pairs_are_compared_by_mcnemar_and_holm() -> None:
    """The second is right 8 times where the first is not, the first once; the third is like the first."""
    made = []
    for number in range(20):
        first, second = (number != 3 and number >= 8) or number == 2, number != 2
        for name, right in (("one", first), ("two", second), ("three", first)):
            made.append(attempt(f"q{number}/en/0", "OK" if right else "NO_ATTEMPT", configuration=name))
    rows = {(row["first"], row["second"]): row for row in scores.pairs(scores.frame_of(made)).iter_rows(named=True)}
    pair = rows["one", "two"]
    assert (pair["only_first"], pair["only_second"]) == (1, 7)
    # Two-sided binomial: 2 * (1 + 8) / 2**8.
    assert pair["p"] == pytest.approx(2 * (1 + 8) / 2**8)
    assert pair["p_holm"] == pytest.approx(3 * pair["p"])
    assert rows["one", "three"]["p"] == 1
    assert scores.pairs(scores.frame_of(made[::3])).is_empty()


def test_the_report_has_every_table_and_no_wording(tmp_path: Path) -> None:
    made = [
        attempt(f"{name}/{language}/0", status, configuration=configuration, tags=("TopK",), text="the wording")
        for configuration in ("compiled", "other")
        for language in ("en", "fi")
        for name, status in (("a", "OK"), ("b", "WRONG_RESULT"))
    ]
    made.append(attempt("u/en/0", "NO_ATTEMPT", right=True, set="unanswerable", part="held-out", configuration="other"))
    summary = write_report(made, tmp_path, about="Some data.")
    text = (tmp_path / "report.md").read_text()
    for title in ("By set and part", "By type and level", "By tag", "Not answerable", "McNemar", "Published figures"):
        assert title in text
    assert "the wording" not in text
    assert "| compiled | set1 | development | 4 | 2 | 2 | 50.0 |" in text
    assert summary.filter(pl.col("set") == "unanswerable")["accuracy"].to_list() == [100]
    assert pl.read_parquet(tmp_path / "attempts.parquet").height == len(made)
    first = [(tmp_path / name).read_bytes() for name in ("report.md", "accuracy.svg", "times.svg")]
    write_report(made, tmp_path, about="Some data.")
    assert [(tmp_path / name).read_bytes() for name in ("report.md", "accuracy.svg", "times.svg")] == first

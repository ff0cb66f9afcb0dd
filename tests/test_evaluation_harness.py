"""The harness: statuses, what is recorded, and going on after a stop."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from cpq_graph.evaluation.binding import Asked
from cpq_graph.evaluation.gold import Gold
from cpq_graph.evaluation.harness import ATTEMPTS, Configuration, Reply, evaluate, read_attempts
from cpq_graph.evaluation.sets import Language, Question

QUESTION = Question("q", "set1", "lookup", "L1", ("TopK",), "offer_property", {}, {}, ())
SEVEN = Gold(pl.DataFrame({"number": [7]}), ("number",))


def asked(name: str, gold: Gold | None = SEVEN) -> Asked:
    return Asked(f"q/en/{name}", QUESTION, "en", "development", True, f"What is {name}?", gold, ())


class Counting:
    """A configuration that counts what it is asked, and stops at the question it is told to."""

    def __init__(self, answer: Callable[[str], Reply], stop_after: int | None = None) -> None:
        self.asked: list[str] = []
        self.answer = answer
        self.stop_after = stop_after

    def __call__(self, question: str, language: Language) -> Reply:
        if len(self.asked) == self.stop_after:
            raise KeyboardInterrupt
        self.asked.append(question)
        return self.answer(question)


@pytest.mark.parametrize(
    ("reply", "status", "status_unanswerable"),
    [
        (Reply(rows=[{"n": 7}]), "OK", "WRONG_RESULT"),
        (Reply(rows=[{"n": 8}]), "WRONG_RESULT", "WRONG_RESULT"),
        (Reply(rows=[]), "WRONG_RESULT", "WRONG_RESULT"),
        (Reply(declined=True), "NO_ATTEMPT", "NO_ATTEMPT"),
        (Reply(failed=True), "SYNTAX_ERROR", "SYNTAX_ERROR"),
    ],
)
def test_statuses(tmp_path: Path, reply: Reply, status: str, status_unanswerable: str) -> None:
    configuration = Configuration("fake", lambda question, language: reply)
    made = evaluate([asked("a"), asked("u", None)], [configuration], tmp_path, data="d", repeats=1)
    assert [attempt.status for attempt in made] == [status, status_unanswerable]
    assert [attempt.right for attempt in made] == [status == "OK", status_unanswerable == "NO_ATTEMPT"]


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    questions = [asked("a"), asked("b")]
    first = Counting(lambda question: Reply(rows=[{"n": 7}], t1=0.5, raw="seven"), stop_after=3)
    with pytest.raises(KeyboardInterrupt):
        evaluate(questions, [Configuration("fake", first)], tmp_path, data="d")
    path = tmp_path / ATTEMPTS
    # As a kill in the middle of writing leaves it.
    with path.open("a") as file:
        file.write('{"data": "d", "configuration": "fa')
    again = Counting(first.answer)
    made = evaluate(questions, [Configuration("fake", again)], tmp_path, data="d")
    assert first.asked + again.asked == ["What is a?", "What is b?"] * 3
    assert [(one.key, one.repeat) for one in made] == [(f"q/en/{n}", r) for r in (1, 2, 3) for n in "ab"]
    assert all(one.t1 == 0.5 and one.raw == "seven" for one in made)
    assert list(read_attempts(path)) == made
    third = Counting(first.answer)
    assert evaluate(questions, [Configuration("fake", third)], tmp_path, data="d") == made
    assert not third.asked


def test_other_data_other_configurations_and_new_texts_are_asked(tmp_path: Path) -> None:
    answer = Counting(lambda question: Reply(declined=True))
    evaluate([asked("a")], [Configuration("fake", answer)], tmp_path, data="d", repeats=1)
    evaluate([asked("a")], [Configuration("fake", answer)], tmp_path, data="other", repeats=1)
    evaluate([asked("a")], [Configuration("another", answer)], tmp_path, data="d", repeats=1)
    reworded = Asked("q/en/a", QUESTION, "en", "development", True, "And what is a?", SEVEN, ())
    evaluate([reworded], [Configuration("fake", answer)], tmp_path, data="d", repeats=1)
    assert len(answer.asked) == 4

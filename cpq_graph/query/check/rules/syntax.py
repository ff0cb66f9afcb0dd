"""The text has to be one Cypher statement; forms of other languages with one equal in Cypher are rewritten."""

from collections.abc import Iterator

from cpq_graph.query.check.findings import Problem
from cpq_graph.query.check.parser import Parsed


def syntax(parsed: Parsed) -> Iterator[Problem]:
    """Where reading ended, or what was understood though it is not Cypher."""
    if parsed.error is not None:
        error = parsed.error
        yield Problem(error.message, error.start, error.end, error.edits, error.hint)
    for one in parsed.deviations:
        yield Problem(one.message, one.start, one.end, one.edits, one.hint)

"""Nothing but reading: clauses, procedures and functions outside of short lists are refused, whatever hides them.

The grammar reads no other clause, so a query that was read whole is a read; the tokens are looked through once more,
so that a gap in the grammar is not a gap in the guard.
"""

from collections.abc import Iterator

from cpq_graph.query.check.clauses import FORBIDDEN_CLAUSES
from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Problem
from cpq_graph.query.check.functions import FUNCTIONS, PROCEDURES
from cpq_graph.query.check.rules.dialect import is_foreign
from cpq_graph.query.check.tree import Call, CallProcedure, CallSubquery, Forbidden, LabelExpression

# Words that only a write, a load or an administrator's command needs, and hardly anyone's variable is called.
_WORDS = FORBIDDEN_CLAUSES - {
    "ADD",
    "START",
    "STOP",
    "FILTER",
    "LET",
    "USE",
    "SHOW",
    "USING",
    "PERIODIC",
    "CYPHER",
    "BEGIN",
}
_NAME_BEFORE = frozenset({".", ":", "|", "&", "!", "$"})
_HINT = "Only reading is allowed: MATCH, UNWIND, WITH, CALL { … }, RETURN"


def guard(context: Context) -> Iterator[Problem]:
    """Clauses, procedures, functions and words that are not allowed. Never repaired."""
    seen: set[int] = set()
    for part in context.parts:
        if isinstance(part, Forbidden):
            seen.add(part.start)
            yield Problem(f"{part.keyword} is not allowed", part.start, part.start + len(part.keyword), hint=_HINT)
        elif isinstance(part, CallProcedure) and part.name.text.lower() not in PROCEDURES:
            yield Problem(
                f"The procedure {part.name.text} is not allowed",
                part.name.start,
                part.name.end,
                hint="Allowed are full-text index queries and db.labels() and its kin",
            )
        elif isinstance(part, CallSubquery) and part.in_transactions:
            yield Problem("CALL { … } IN TRANSACTIONS is not allowed", part.start, part.end, hint=_HINT)
        elif isinstance(part, LabelExpression) and part.operator == "dynamic":
            yield Problem("Labels made up while running are not allowed", part.start, part.end, hint="Name the label")
        elif isinstance(part, Call) and part.name.text.lower() not in FUNCTIONS and not is_foreign(part):
            yield Problem(
                f"The function {part.name.text}() is not allowed",
                part.name.start,
                part.name.end,
                hint="Only Cypher's own functions are, none of plug-ins",
            )
    yield from _words(context, seen)


def _words(context: Context, seen: set[int]) -> Iterator[Problem]:
    tokens = context.parsed.tokens
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.value not in _WORDS or token.start in seen:
            continue
        before, after = tokens[index - 1] if index else None, tokens[index + 1]
        named = before is not None and before.kind == "op" and before.value in _NAME_BEFORE
        if not named and not (after.kind == "op" and after.value in (":", ".", ",", ")", "]", "=", "}")):
            yield Problem(
                f"{token.text} stands where it could change or load something",
                token.start,
                token.end,
                hint="A name of this kind is written in back-ticks",
            )

"""Cypher from anyone in, `Checked` out: read, asked every rule, repaired where one repair is possible, or refused."""

from dataclasses import dataclass, field

from cpq_graph.query.check.context import Context, ValueLookup
from cpq_graph.query.check.edits import Revision, highlight, line_and_column, overlapping
from cpq_graph.query.check.findings import Checked, Edit, Finding, Problem
from cpq_graph.query.check.parser import Parsed, parse
from cpq_graph.query.check.rules import READING, RULES
from cpq_graph.query.check.schema import GraphSchema

# A repair can uncover what the next one mends; no honest query needs more.
_ROUNDS_MAX = 6
_LENGTH_MAX = 100_000


def check(cypher: str, schema: GraphSchema, *, lookup: ValueLookup | None = None) -> Checked:
    """Checks a query against a graph's schema; with `lookup` also against its values. Never raises for any text."""
    if len(cypher) > _LENGTH_MAX:
        message = f"The text is longer than {_LENGTH_MAX:,} characters"
        return Checked(
            status="REFUSED", cypher=cypher, findings=(Finding(rule="syntax", message=message, line=1, column=1),)
        )
    work = _Work(Revision(cypher, cypher), parse(cypher))
    for rule in READING:
        work.take(rule.name, list(rule.find(work.parsed)))
    work.reading, work.open = work.open, []
    work.changed = work.parsed.query is not None
    for _ in range(_ROUNDS_MAX):
        if not work.changed:
            break
        _round(work, schema, lookup)
    return work.checked()


def _round(work: "_Work", schema: GraphSchema, lookup: ValueLookup | None) -> None:
    """Asks every rule once, each about the text as repaired so far; what was open before is asked again."""
    work.open = []
    work.changed = False
    context: Context | None = None
    for rule in RULES:
        if work.parsed.query is None:
            break
        if context is None or context.parsed is not work.parsed:
            context = Context(work.parsed, work.parsed.query, schema, lookup)
        try:
            problems = list(rule.find(context))
        except RecursionError:
            problems = [Problem("The query is nested too deeply", 0, 0)]
        work.take(rule.name, problems)


@dataclass(slots=True)
class _Work:
    """The text as repaired so far, what was repaired, and what this round found and could not repair."""

    revision: Revision
    parsed: Parsed
    repaired: list[Finding] = field(default_factory=list)
    reading: list[Finding] = field(default_factory=list)
    open: list[Finding] = field(default_factory=list)
    changed: bool = False

    def take(self, rule: str, problems: list[Problem]) -> None:
        """Makes the repairs, and keeps what cannot be repaired. A repair that would not be read again is not made."""
        made: list[Edit] = []
        repaired: list[Problem] = []
        for problem in problems:
            if problem.edits and not overlapping(problem.edits, made):
                made += problem.edits
                repaired.append(problem)
            elif not problem.edits:
                self.open.append(self._finding(rule, problem, repaired=False))
        if not made:
            return
        revision = self.revision.edited(made)
        parsed = parse(revision.text)
        # A fence may hold what the syntax rule still has to mend.
        if revision.text == self.revision.text or (parsed.error is not None and self.parsed.error is None):
            self.open += [self._finding(rule, problem, repaired=False) for problem in repaired]
            return
        self.repaired += [self._finding(rule, problem, repaired=True) for problem in repaired]
        self.revision, self.parsed = revision, parsed
        self.changed = True

    def _finding(self, rule: str, problem: Problem, *, repaired: bool) -> Finding:
        start, end = self.revision.place(problem.start), self.revision.place(problem.end)
        line, column = line_and_column(self.revision.original, start)
        return Finding(
            rule=rule,
            message=problem.message,
            line=line,
            column=column,
            repaired=repaired,
            highlight=highlight(self.revision.original, start, end),
            hint=problem.hint,
            note=problem.note and not repaired,
        )

    def checked(self) -> Checked:
        """The outcome."""
        remaining = [*self.reading, *self.open]
        refused = self.changed or any(not finding.note for finding in remaining)
        findings = tuple(dict.fromkeys([*self.repaired, *remaining]))
        if refused:
            return Checked(status="REFUSED", cypher=self.revision.text, findings=findings)
        status = "REPAIRED" if self.repaired else "OK"
        return Checked(status=status, cypher=self.revision.text, findings=findings)

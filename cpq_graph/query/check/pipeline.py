"""Cypher from anyone in, `Checked` out: read, asked every rule, repaired where one repair is possible, or refused."""

from dataclasses import dataclass, field

from cpq_graph.query.check.context import Context, ValueLookup
from cpq_graph.query.check.edits import Revision, highlight, line_and_column, overlapping
from cpq_graph.query.check.findings import Checked, Edit, Finding, Problem
from cpq_graph.query.check.parser import parse
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
    work = _Work(Revision(cypher, cypher))
    for rule in READING:
        parsed = parse(work.revision.text)
        work.take(rule.name, list(rule.find(parsed)))
    for _ in range(_ROUNDS_MAX):
        if not _round(work, schema, lookup):
            break
        if not work.changed:
            break
    return work.checked()


def _round(work: "_Work", schema: GraphSchema, lookup: ValueLookup | None) -> bool:
    """Asks every rule once, each about the text as repaired so far. False when the text is no query."""
    work.begin()
    context = _context(work.revision.text, schema, lookup)
    if context is None:
        return False
    for rule in RULES:
        try:
            problems = list(rule.find(context))
        except RecursionError:
            problems = [Problem("The query is nested too deeply", 0, 0)]
        if work.take(rule.name, problems):
            context = _context(work.revision.text, schema, lookup)
            if context is None:
                return False
    return True


def _context(text: str, schema: GraphSchema, lookup: ValueLookup | None) -> Context | None:
    parsed = parse(text)
    return Context(parsed, parsed.query, schema, lookup) if parsed.query is not None else None


@dataclass(slots=True)
class _Work:
    """The text as repaired so far, what was repaired, and what this round found and could not repair."""

    revision: Revision
    repaired: list[Finding] = field(default_factory=list)
    reading: list[Finding] = field(default_factory=list)
    open: list[Finding] = field(default_factory=list)
    changed: bool = False
    rounds: int = 0

    def begin(self) -> None:
        """Begins a round: what was open is asked again."""
        if self.rounds == 0:
            self.reading = self.open
        self.rounds += 1
        self.open = []
        self.changed = False

    def take(self, rule: str, problems: list[Problem]) -> bool:
        """Makes the repairs; True when the text changed. A repair that would not be read again is not made."""
        made: list[Edit] = []
        repaired: list[Problem] = []
        for problem in problems:
            if problem.edits and not overlapping(problem.edits, made):
                made += problem.edits
                repaired.append(problem)
            elif not problem.edits:
                self.open.append(self._finding(rule, problem, repaired=False))
        if not made:
            return False
        revision = self.revision.edited(made)
        if revision.text == self.revision.text or parse(revision.text).error is not None:
            self.open += [self._finding(rule, problem, repaired=False) for problem in repaired]
            return False
        self.repaired += [self._finding(rule, problem, repaired=True) for problem in repaired]
        self.revision = revision
        self.changed = True
        return True

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

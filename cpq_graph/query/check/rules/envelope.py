"""Fences and prose around a query, as language models write them, are taken off."""

import re
from collections.abc import Iterator

from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.parser import Parsed, parse
from cpq_graph.query.check.tree import Forbidden, walk

_FENCE = re.compile(r"(?:```|~~~)[ \t]*[A-Za-z]*[ \t]*\r?\n?(.*?)(?:```|~~~|\Z)", re.DOTALL)
_BEGINS = re.compile(r"\b(?:OPTIONAL\s+MATCH|MATCH|UNWIND|WITH|CALL)\b", re.IGNORECASE)
_ENDS = re.compile(r"\r?\n|[.;]?\s*\Z|;")
# Inline code and tags end in a sign of their own.
_CLOSED = {"`": "`", ">": "<"}
_ENDS_MAX = 40
_RETURNS = re.compile(r"\bRETURN\b", re.IGNORECASE)
# What stands in no prose: a second statement, or a clause with what it would act on.
_MORE = re.compile(
    r"""; \s* [^\s`~<] | \b(?:CREATE|MERGE|DELETE|DETACH|FOREACH|DROP|LOAD\s+CSV)\b
    | (?i: \b(?:create|merge|foreach|match) \s* \( | \bset \s+ \w+ [.:] | \bdelete \s+ \w+ \s* (?:$|[,;])
    | \bremove \s+ \w+ [.:] | \bdrop \s+ (?:index|constraint|database)\b | \bload \s+ csv\b
    | \bcall \s* (?:\{ | [\w.]+ \s* \( ) ) | \\u | \) \s* <?-
    | ^\s* (?:SHOW|TERMINATE|GRANT|DENY|REVOKE|ALTER|STOP|START|USE|ENABLE|RENAME)\b""",
    re.VERBOSE | re.MULTILINE,
)


def envelope(parsed: Parsed) -> Iterator[Problem]:
    """Keeps the one part of the text that is a query. Text that is one already, or holds none or several, is left; so
    is text with more Cypher around it, which is no prose but something that was meant to run."""
    if _is_read(parsed):
        return
    source = parsed.source
    spans = [(match.start(1), match.end(1)) for match in _FENCE.finditer(source)]
    spans = [span for span in spans if source[span[0] : span[1]].strip()]
    if len(spans) > 1:
        spans = [span for span in spans if _BEGINS.search(source, *span)]
        if len(spans) != 1:
            return
    found = _trimmed(source, *spans[0]) if spans else _in_prose(source)
    if found is None or found == (0, len(source)):
        return
    start, end = found
    if _MORE.search(source[:start]) or _MORE.search(source[end:]):
        return
    edits = tuple(edit for edit in (Edit(0, start, ""), Edit(end, len(source), "")) if edit.start != edit.end)
    place = (0, start) if start else (end, len(source))
    yield Problem("Only the query itself is kept, without what stands around it", *place, edits)


def _is_read(parsed: Parsed) -> bool:
    """Whether the text is one query of reading clauses. Prose can look like a clause that is not one: "Let me know"."""
    return parsed.query is not None and not any(isinstance(part, Forbidden) for part in walk(parsed.query))


def _trimmed(source: str, start: int, end: int) -> tuple[int, int]:
    """A fence's content without blank ends; prose inside a fence is cut off when a query is left."""
    text = source[start:end]
    lead = len(text) - len(text.lstrip())
    start, end = start + lead, start + len(text.rstrip())
    if not _is_read(parse(source[start:end])):
        inner = _in_prose(source[start:end])
        if inner is not None:
            return start + inner[0], start + inner[1]
    return start, end


def _in_prose(source: str) -> tuple[int, int] | None:
    """The longest stretch from a clause's word to the end of a line (or sentence) that is a query with a RETURN."""
    for begin in _BEGINS.finditer(source):
        # A word of prose stands inside a line; a query begins one, or follows a colon or a back-tick.
        before = source[: begin.start()].rstrip(" \t")
        if before and before[-1] not in "\n\r:`>*":
            continue
        ends = {match.start() for match in _ENDS.finditer(source[begin.start() :])}
        closing = source.find(_CLOSED.get(before[-1:], "\0"), begin.start())
        ends |= {closing - begin.start()} if closing >= 0 else set()
        for offset in sorted(ends, reverse=True)[:_ENDS_MAX]:
            text = source[begin.start() : begin.start() + offset].rstrip()
            if _RETURNS.search(text) and _is_read(parse(text)):
                return begin.start(), begin.start() + len(text)
    return None

"""A place in the tokens, shared by the functions that read a query from them, and what they noticed on the way.

The readers understand some things that Cypher lacks but people and models write (`!=`, `LIKE`, `GROUP BY`, `NULLS
LAST`); each such is noted as a `Deviation` with the edits that make it Cypher, and reading goes on.
"""

from dataclasses import dataclass, field

from cpq_graph.query.check.findings import Edit
from cpq_graph.query.check.tokens import CypherSyntaxError, Token
from cpq_graph.query.check.tree import Name

# The server's stack is deep, Python's is not; no honest query nests like this.
DEPTH_MAX = 40


@dataclass(frozen=True, slots=True)
class Deviation:
    """Something understood that is not Cypher 5. Without `edits` there is no single repair."""

    message: str
    start: int
    end: int
    edits: tuple[Edit, ...] = ()
    hint: str | None = None


@dataclass(slots=True)
class Cursor:
    """Reads tokens one after the other. `not_patterns` remembers where an attempt to read a pattern failed."""

    source: str
    tokens: list[Token]
    index: int = 0
    depth: int = 0
    deviations: list[Deviation] = field(default_factory=list)
    not_patterns: set[int] = field(default_factory=set)

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.index]

    def peek(self, ahead: int = 1) -> Token:
        """A token further on; the last one is of kind `end`."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    @property
    def last_end(self) -> int:
        """Where the token before ends."""
        return self.tokens[self.index - 1].end if self.index else 0

    def at(self, *operators: str) -> bool:
        """Whether the next token is one of these signs."""
        token = self.tokens[self.index]
        return token.kind == "op" and token.value in operators

    def word(self, *words: str) -> bool:
        """Whether the next token is one of these words (upper case)."""
        token = self.tokens[self.index]
        return token.kind == "word" and token.value in words

    def words(self, *words: str) -> bool:
        """Whether the next tokens are exactly these words."""
        last = len(self.tokens) - 1
        for ahead, word in enumerate(words, self.index):
            token = self.tokens[min(ahead, last)]
            if token.kind != "word" or token.value != word:
                return False
        return True

    def advance(self) -> Token:
        """Takes the next token."""
        token = self.tokens[self.index]
        if token.kind != "end":
            self.index += 1
        return token

    def accept(self, operator: str) -> bool:
        """Takes the sign if it is next."""
        if self.at(operator):
            self.index += 1
            return True
        return False

    def accept_word(self, word: str) -> bool:
        """Takes the word if it is next."""
        if self.word(word):
            self.index += 1
            return True
        return False

    def expect(self, operator: str, after: str) -> Token:
        """Takes the sign; `after` says what it belongs to."""
        if not self.at(operator):
            raise self.failure(f"{operator!r} is missing {after}")
        return self.advance()

    def expect_word(self, word: str, after: str) -> Token:
        """Takes the word; `after` says what it belongs to."""
        if not self.word(word):
            raise self.failure(f"{word} is missing {after}")
        return self.advance()

    def name(self, what: str) -> Name:
        """Takes a name, quoted or not."""
        token = self.token
        if token.kind == "word":
            self.index += 1
            return Name(token.start, token.end, token.text)
        if token.kind == "name":
            self.index += 1
            return Name(token.start, token.end, token.value)
        raise self.failure(f"{what} is missing")

    def failure(self, message: str) -> CypherSyntaxError:
        """What ends the reading at the next token, to be raised."""
        token = self.token
        found = "the end of the query" if token.kind == "end" else repr(token.text)
        return CypherSyntaxError(f"{message}, before {found}", token.start, max(token.end, token.start))

    def deeper(self) -> None:
        """Enters a nested part; `depth` is taken back by whoever leaves it."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.failure(f"More than {DEPTH_MAX} levels of nesting")

    def deviate(self, message: str, start: int, end: int, *edits: Edit, hint: str | None = None) -> None:
        """Notes what is understood but not Cypher."""
        self.deviations.append(Deviation(message, start, end, edits, hint))

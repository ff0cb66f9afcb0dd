"""What is spoiled: documents of the sample, and the means to change one place of them.

Nothing arrives; what leaves are `Base`s, always the same.
"""

import codecs
import gzip
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from sample_data.generate import Spec, stream
from sample_data.generate import configurations as configurations_of

MAPPED = r"(?:c:)?(?:ProductFamily|Tab|Parameter|ParameterValue|Attribute)"
TAG = re.compile(rf"</?{MAPPED}\b[^<>]*>")
OPEN = re.compile(rf"<{MAPPED}\b[^<>]*>")
FIELD = re.compile(r' (?:id|name|type|value|measure|quantity|cost|total_cost|product_code)="[^"<]*"')
NUMBER = re.compile(r' (measure|quantity|cost|total_cost)="[^"<]*"')
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>\s*")


@dataclass(frozen=True, slots=True)
class Base:
    """A document of the sample, as stored and as text without its declaration."""

    stored: bytes
    text: str


@cache
def bases() -> tuple[Base, ...]:
    """What is mutated: documents of a clean sample, in every encoding that it has, with little bulk."""
    found = []
    for made in stream(Spec(60, 17, "clean", bulk=0.05)):
        for configuration in configurations_of(made):
            stored = configuration.document.render()
            if stored is not None:
                found.append(Base(stored, _text_of(stored)))
    return tuple(found)


def _text_of(stored: bytes) -> str:
    data = gzip.decompress(stored) if stored.startswith(b"\x1f\x8b") else stored
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return _DECLARATION.sub("", data[len(mark) :].decode(codec), count=1)
    if b"\x00" in data[:4]:
        return _DECLARATION.sub("", data.decode("utf-16-le"), count=1)
    declared = re.search(rb'encoding="([^"]+)"', data[:100])
    return _DECLARATION.sub("", data.decode(declared[1].decode() if declared else "utf-8"), count=1)


def inserted(rng: random.Random, text: str, what: str, times: int = 1) -> str:
    """`what` behind some mapped tags."""
    for _ in range(times):
        ends = [match.end() for match in TAG.finditer(text)] or [len(text)]
        at = rng.choice(ends)
        text = text[:at] + what + text[at:]
    return text


def replaced(rng: random.Random, text: str, pattern: "re.Pattern[str]", by: Callable[["re.Match[str]"], str]) -> str:
    """One match of a pattern replaced."""
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    match = rng.choice(matches)
    return text[: match.start()] + by(match) + text[match.end() :]

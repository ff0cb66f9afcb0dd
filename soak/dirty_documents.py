"""Documents gone bad, by kind: deterministic mutations of the sample's own documents.

Nothing arrives but a seed; what leaves are bytes (or None, for NULL). Each kind is a function of a random generator and
a document; the same seed, kind and number give the same bytes.
"""

import random
from collections.abc import Callable

from soak import spoiled_bytes, spoiled_markup, spoiled_values
from soak.spoiling import Base, bases


def mutated(kind: str, seed: int, number: int) -> bytes | None:
    """The document of a kind and number."""
    rng = random.Random(f"{seed} {kind} {number}")  # noqa: S311 - seeded on purpose
    return KINDS[kind](rng, rng.choice(bases()))


def _mixed(rng: random.Random, base: Base) -> bytes | None:
    """Two or three of the others, one after the other."""
    quick = [kind for kind in KINDS if kind not in {"mixed", "huge", "bombs", "wide", "nothing", "long values"}]
    data: bytes | None = base.stored
    for kind in rng.sample(quick, rng.choice((2, 3))):
        if data is None:
            break
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = base.text
        data = KINDS[kind](rng, Base(data or b" ", text))
    return data


KINDS: dict[str, Callable[[random.Random, Base], bytes | None]] = {
    "flips": spoiled_bytes.flips,
    "high bytes": spoiled_bytes.high_bytes,
    "cut": spoiled_bytes.cut,
    "spliced": spoiled_bytes.spliced,
    "nothing": spoiled_bytes.nothing,
    "encodings": spoiled_bytes.encoded,
    "marks inside": spoiled_bytes.marks_inside,
    "nesting": spoiled_markup.nested,
    "entities": spoiled_markup.entities,
    "sections": spoiled_markup.sections,
    "namespaces": spoiled_markup.namespaces,
    "characters": spoiled_markup.characters,
    "structure": spoiled_markup.structure,
    "ids": spoiled_values.ids,
    "attributes": spoiled_values.attributes,
    "values": spoiled_values.values,
    "numbers": spoiled_values.numbers,
    "long values": spoiled_values.long_values,
    "gzip": spoiled_bytes.zipped,
    "mixed": _mixed,
    "wide": spoiled_values.wide,
    "huge": spoiled_values.huge,
    "bombs": spoiled_bytes.bombs,
}
# Kinds that take seconds a document.
HEAVY = frozenset({"wide", "huge", "bombs", "long values"})

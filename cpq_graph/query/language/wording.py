"""What people shorten or wrap up, in the words that the lexicon has.

Arrives: a question as typed. Leaves: the same with abbreviations and marks ("qty", "w/o", "/kk") written out and the
politeness around it dropped. Nothing between quotation marks is touched.
"""

import re
import tomllib
from functools import cache
from importlib import resources

_QUOTED = re.compile(r"""(["“”„«][^"“”„«»]+["“”»])""")


def written_out(text: str, language: str) -> str:
    """The text with the wordings of a language ("any": of all) read in their plain form."""
    parts = _QUOTED.split(text)
    for pattern, plain in _wordings()[language]:
        # Quoted parts have the odd places.
        parts = [p if k % 2 else pattern.sub(plain, p) for k, p in enumerate(parts)]
    return "".join(parts)


@cache
def _wordings() -> dict[str, tuple[tuple[re.Pattern[str], str], ...]]:
    text = resources.files(__package__).joinpath("wording.toml").read_text(encoding="utf-8")
    return {
        language: tuple((re.compile(p, re.IGNORECASE), plain) for p, plain in entries.items())
        for language, entries in tomllib.loads(text).items()
    }

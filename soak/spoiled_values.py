"""Documents spoiled in what they say: ids, attributes, values, numbers, and how much of it there is.

Arrives: a random generator and a document. Leaves: bytes.
"""

import random
import re

from soak.spoiling import FIELD, NUMBER, Base, inserted, replaced


def ids(rng: random.Random, base: Base) -> bytes:
    """Ids repeated, missing, empty, too long, made of delimiters."""
    own = rng.choice(
        (
            "",
            " ",
            "x",
            "X",
            "x ",
            " x",
            "x/y.z:w=v#2",
            "%2F",
            "#1",
            "x#2",
            "ä" * 4_100,
            "y" * 9_000,
            "0",
            "null",
            "id\u2028x",
        )
    )
    text = base.text
    for _ in range(rng.choice((1, 2, 8, 40))):
        text = replaced(rng, text, re.compile(r' id="[^"]*"'), lambda _: rng.choice((f' id="{own}"', "")))
    return text.encode()


def attributes(rng: random.Random, base: Base) -> bytes:
    """Attributes without type or value, repeated, too long, with content."""
    pieces = ('<Attribute type="a"/>', '<Attribute value="b"/>', "<Attribute/>", '<Attribute type="" value=""/>',
        '<Attribute type="a" value=""/>',
              "<Attribute type='q' value='\"'/>", '<Attribute type="a" value="b"/>' * 30,
              f'<Attribute type="long" value="{"v" * 8_100}"/>',
              f'<Attribute type="{"t" * 8_100}" value="v"/>', f'<Attribute type="edge" value="{"ä" * 4_000}"/>',
              f'<Attribute type="{"t" * 5_000}" value="{"v" * 5_000}"/>',
        f'<Attribute type="{"t" * 100}" value="{"v" * 8_000}"/>',
        '<Attribute value="b" type="a"/>',
              '<Attribute type="a" value="b" extra="c"/>', '<Attribute type="a" value="b">text</Attribute>',
              '<Attribute type="a" value="R&amp;D"/>',
              '<Attribute type=" a " value=" b "/>', '<Attribute Type="a" Value="b"/>')  # fmt: skip
    return inserted(rng, base.text, "".join(rng.choices(pieces, k=rng.randrange(1, 6))), rng.randrange(1, 4)).encode()


def values(rng: random.Random, base: Base) -> bytes:
    """Parameters with two values or none, values without fields."""
    text = base.text
    two = re.compile(r"<((?:c:)?)ParameterValue\b[^<>]*>")
    for _ in range(rng.randrange(1, 6)):
        change = rng.randrange(3)
        if change == 0:
            text = replaced(rng, text, two, lambda m: f'<{m[1]}ParameterValue id="second" measure="2"/>{m[0]}')
        elif change == 1:
            text = replaced(rng, text, re.compile(r"<(/?(?:c:)?)ParameterValue"), lambda m: f"<{m[1]}Option")
        else:
            text = replaced(rng, text, re.compile(r' (?:name|measure|quantity|cost)="[^"]*"'), lambda _: "")
    return text.encode()


NUMBERS = (
    "1 234,50", "1,234.50", "1.234,50", "1'234.50", "57 W", "57W", "n/a", "NaN", "nan", "inf", "-inf", "Infinity",
    "1e5", "1E400", "-1e400", "1e-400", "",
    " ", "0", "-0", "-0.0", "+5", "5.", ".5", "5,", ",5", "1,234", "12,34", "0,125", "1234,567", "1.234.567",
    "1,234,567", "1 2 3", "12 34", "0x1F", "1_000",
    "٣", "５", "½", "1/2", "10%", "€5", "5 €", "--5", "5-", "(5)", "1e", "e5", "1.2.3", "9223372036854775807",
    "9223372036854775808", "-9223372036854775809",
    "2.0", "2.5", "1" * 400, "0." + "1" * 400, "1\u00a0234", "1\u202f234,5", "TRUE", "None", "57\n", "\t57",
    "57,0 mm", "4000K", "1e309", "4.9e-324", "1e308",
    "0" * 100 + "7", "- 5", "1 000 000", "1.000.000,00", "12.345.678", "1 234.5.6", "5 \u0000".strip("\u0000"), "𝟓",
    "5\u2212", "\u22125",
)  # fmt: skip


def numbers(rng: random.Random, base: Base) -> bytes:
    """Numbers of every spelling."""
    text = base.text
    for _ in range(rng.randrange(1, 12)):
        spelling = rng.choice(NUMBERS).replace("\n", "&#10;").replace("\t", "&#9;")
        text = replaced(rng, text, NUMBER, lambda m, spelling=spelling: f' {m[1]}="{spelling}"')  # type: ignore[misc]
    return text.encode()


def long_values(rng: random.Random, base: Base) -> bytes:
    """A field at, under and over the limits."""
    length = rng.choice((7_999, 8_000, 8_001, 100_000, 999_999, 1_000_001))
    character = rng.choice(("x", "ä", "💡", "&amp;", " "))
    return replaced(rng, base.text, FIELD, lambda m: m[0][: m[0].index('"') + 1] + character * length + '"').encode()


def huge(rng: random.Random, base: Base) -> bytes:
    """One thing of up to 30 MB."""
    size = rng.choice((3, 12, 30)) << 20
    filler = rng.choice(("iVBORw0K", "ä&amp;", " ", "x\n"))
    filler *= size // len(filler.encode())
    text = base.text
    shape = rng.randrange(7)
    if shape == 0:
        text = inserted(rng, text, f"<Image>{filler}</Image>")
    elif shape == 1:
        text = inserted(rng, text, f"<Image><![CDATA[{filler}]]></Image>")
    elif shape == 2:
        text = inserted(rng, text, f"<!-- {filler} -->")
    elif shape == 3:
        text = replaced(rng, text, FIELD, lambda m: m[0][: m[0].index('"') + 1] + filler + '"')
    elif shape == 4:
        text = inserted(rng, text, f"<Image data='{filler}'/>")
    elif shape == 5:
        text = inserted(rng, text, "<X " + " ".join(f"a{n}=''" for n in range(size // 12)) + "/>")
    else:
        text = inserted(rng, text, "".join(f"<e{n}/>" for n in range(size // 20)))
    return text.encode()


def wide(rng: random.Random, base: Base) -> bytes:
    """Very many children of one element."""
    count = rng.choice((1_000, 60_000, 200_000))
    element = rng.choice(('<Parameter id="p{n}"/>', '<Attribute type="a" value="{n}"/>',
        '<Attribute type="a" value="b"/>', '<Tab id="t"/>', "<Attribute/>",
                          "<ParameterValue/>"))  # fmt: skip
    return inserted(rng, base.text, "".join(element.format(n=n) for n in range(count))).encode()

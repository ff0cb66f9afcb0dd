"""Documents spoiled as XML: nesting, entities, comments, namespaces, characters, elements in wrong places.

Arrives: a random generator and a document. Leaves: bytes.
"""

import random
import re

from soak.spoiling import FIELD, MAPPED, OPEN, TAG, Base, inserted, replaced


def nested(rng: random.Random, base: Base) -> bytes:
    """Elements nested up to thousands deep."""
    depth = rng.choice((10, 100, 240, 255, 256, 257, 300, 2_047, 2_049, 5_000, 20_000))
    name = rng.choice(("Group", "Tab", "ProductFamily", "Parameter", "Attribute", "ParameterValue"))
    closed = rng.random() < 0.8
    inner = f"<{name} id='n' type='n' value='n'>" * depth + (f"</{name}>" * depth if closed else "")
    return inserted(rng, base.text, inner).encode()


def entities(rng: random.Random, base: Base) -> bytes:
    """References and document types of every kind."""
    bomb = "".join('<!ENTITY b%d "%s">' % (n, f"&b{n - 1};" * 10) for n in range(1, 9))  # noqa: UP031
    doctype = rng.choice((
        "", "<!DOCTYPE Configuration>", f'<!DOCTYPE C [<!ENTITY b0 "lol">{bomb}]>',
        '<!DOCTYPE C [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE C [<!ENTITY x SYSTEM "http://127.0.0.1:1/x">]>',
        '<!DOCTYPE C PUBLIC "-//X//Y" "http://127.0.0.1:1/x.dtd">',
        '<!DOCTYPE C [<!ENTITY % p SYSTEM "file:///dev/zero"> %p;]>',
        '<!DOCTYPE C [<!ENTITY x "<Tab id=\'new\'/>">]>', '<!DOCTYPE C [<!ATTLIST Tab id CDATA "given">]>',
        '<!DOCTYPE C [' + "<!ELEMENT e ANY>" * 5_000 + "]>", "<!DOCTYPE", "<!DOCTYPE C [", "<!doctype html>",
        '<!DOCTYPE C [<!ENTITY x "&x;">]>',
    ))  # fmt: skip
    reference = rng.choice((
        "&b8;", "&x;", "&undefined;", "&#0;", "&#1;", "&#xD800;", "&#x110000;", "&#xFFFE;", "&#xFFFF;", "&#128512;",
        "&#x1F4A1;", "&amp;lt;", "&", "&;", "&#;", "&#x;", "&amp", "&#99999999999999999999;", "&#9;&#10;&#13;", "",
    ))  # fmt: skip
    text = inserted(rng, base.text, reference)
    if rng.random() < 0.6:
        text = replaced(rng, text, FIELD, lambda m: m[0][:-1] + reference + '"')
    return (doctype + text).encode()


def sections(rng: random.Random, base: Base) -> bytes:
    """Comments, instructions, CDATA and declarations, whole and broken."""
    what = rng.choice((
        "<!-- <Tab id='c'/> -->", "<!-- a -- b -->", "<!--", "-->", "<!-->", "<!--->", "<?pi <Tab id='p'/>?>", "<?",
        "<?xml version='1.0'?>",
        "<?XML x?>", "<![CDATA[<Tab id='d'/>]]>", "<![CDATA[", "]]>", "<![CDATA[]]]]><![CDATA[>]]>", "<![cdata[x]]>",
        "<!ELEMENT Tab ANY>",
        "<! >", f"<!-- {'x' * 300_000} -->", f"<![CDATA[{'ä]]' * 200_000}]]>", f"<?p {'?' * 300_000}?>", "< Tab/>",
        "<Tab", "<Tab/", "</>", "<1a/>",
    ))  # fmt: skip
    return inserted(rng, base.text, what, rng.choice((1, 1, 2))).encode()


def namespaces(rng: random.Random, base: Base) -> bytes:
    """Prefixes declared, not declared and declared again."""
    text = base.text
    change = rng.randrange(8)
    if change == 0:
        text = re.sub(r"^(\s*<Configuration)", r'\1 xmlns="urn:other"', text, count=1)
    elif change == 1:
        text = inserted(rng, text, "<u:Tab id='undeclared'/>")
    elif change == 2:
        text = inserted(rng, text, '<z:Tab xmlns:z="urn:z" id="z"><z:Attribute type="a" value="b"/></z:Tab>')
    elif change == 3:
        text = inserted(rng, text, '<z:Tab xmlns:z="urn:z" z:id="z" z:name="n"/>')
    elif change == 4:
        text = inserted(rng, text, '<Tab xmlns="" id="none"/><Tab xmlns:xml="urn:wrong"/>')
    elif change == 5:
        text = inserted(rng, text, '<p:Attribute xmlns:p="urn:1" type="a" value="b"/>' * 50)
    elif change == 6:
        text = inserted(rng, text, "<:Tab id='x'/>" if rng.random() < 0.5 else "<a:b:Tab id='x'/>")
    else:
        prefix = f"n{rng.randrange(9)}"
        text = re.sub(rf"(</?)({MAPPED})", rf"\1{prefix}:\2", text.replace("c:", ""))
        text = re.sub(r"<Configuration", f"<Configuration xmlns:{prefix}='urn:n'", text, count=1)
    return text.encode()


def characters(rng: random.Random, base: Base) -> bytes:
    """A character of the awkward kind, raw or as a reference."""
    character = rng.choice([chr(n) for n in (*range(0x20), 0x7F, *range(0x80, 0xA0), 0xAD, 0x200B, 0x2028, 0xFDD0,
        0xFEFF, 0xFFFE, 0xFFFF,
                            0x1F4A1, 0x10FFFF, 0xE000, 0x300)])  # fmt: skip
    where = rng.randrange(3)
    if where == 0:
        text = inserted(rng, base.text, character)
    elif where == 1:
        text = replaced(rng, base.text, FIELD, lambda m: m[0][:-1] + character + '"')
    else:
        text = replaced(rng, base.text, FIELD, lambda m: m[0][:-1] + f'&#{ord(character)};"')
    data = text.encode()
    if rng.random() < 0.15:
        # A surrogate by itself, as CESU-8 and careless programs write it; an overlong form.
        data = data.replace(
            b"</Layout>", rng.choice((b"\xed\xa0\xbd</Layout>", b"\xc0\xaf</Layout>", b"\xf4\x90\x80\x80</Layout>")), 1
        )
    return data


def structure(rng: random.Random, base: Base) -> bytes:
    """Tags lost, doubled, renamed, and elements where none belong."""
    text = base.text
    for _ in range(rng.choice((1, 1, 2, 4))):
        change = rng.randrange(6)
        if change == 0:
            text = replaced(rng, text, TAG, lambda _: "")
        elif change == 1:
            text = replaced(rng, text, TAG, lambda m: m[0] * 2)
        elif change == 2:
            text = replaced(rng, text, OPEN, lambda m: m[0].replace(">", "/>", 1) if "/>" not in m[0] else m[0])
        elif change == 3:
            tag = rng.choice([m[0] for m in OPEN.finditer(text)] or ["<Tab>"])
            text = inserted(rng, text, tag if tag.endswith("/>") else tag[:-1] + "/>", rng.randrange(1, 5))
        elif change == 4:
            text = replaced(
                rng,
                text,
                re.compile(rf"<{MAPPED}"),
                lambda m: rng.choice((m[0].lower(), m[0] + "s", "<Tab", "<Parameter")),
            )
        else:
            stray = (
                "<ProductFamily id='second'><Tab id='t'/></ProductFamily>", "<Parameter id='stray'/>",
                "<ParameterValue id='stray' measure='1'/>", "<Attribute type='stray' value='x'/>",
                "<Attribute type='a' value='b'><Tab id='in'/></Attribute>",
            )  # fmt: skip
            text = inserted(rng, text, rng.choice(stray))
    return text.encode()

"""A source in the sample's schema whose every text tries to be something else: Cypher, a path, a URL, a formula, a
header, a query of Lucene, markup."""

from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import psycopg

SCHEMA = Path(__file__).parent.parent / "sample_data" / "source.sql"

TEXTS = (
    # Cypher
    "'}) DETACH DELETE n //", '"}) DETACH DELETE n //', "`) MATCH (n) DETACH DELETE n //", "\\u0027}) DETACH DELETE n",
    "\\", "\\'", "`", "``", "$rows", "{id: row.id}", "*/ MATCH (n) DELETE n /*", "Offer) DETACH DELETE (n:User",
    # files, addresses, programs
    "file:///etc/passwd", "http://127.0.0.1:{port}/x", "ftp://127.0.0.1:{port}/x", "//127.0.0.1/share", "/etc/passwd",
    "../../../../tmp/escaped", "..", ".", "C:\\Windows\\x", "a/b", "parts/../serving.json", "$(touch escaped)",
    "`touch escaped`", "| touch escaped", "%s %(x)s {0} {name} ${HOME}",
    # CSV, spreadsheets and the headers of neo4j-admin
    "=cmd|' /C calc'!A0", "+1+1", "-1", "@SUM(A1)", "\t=1", ":ID", ":LABEL", ":START_ID(User)", "id:ID(User)",
    ":IGNORE",
    "a,b;c|d", 'a"b""c', '"', "a\nb", " lead and trail ", "null", "NULL", "\\N", "",
    # SQL
    "'; DROP TABLE cpq.quote; --", "%' OR '1'='1",
    # Lucene
    "*", "AC/DC-100", "node:", "(x", "NOT", "AND OR", "name:[* TO *]", "x~2^3", "+must -not !no && ||", '"open',
    # markup of pages, terminals, XML
    "<script>alert(1)</script>", "[red]x[/red]", "[link=http://127.0.0.1:{port}/x]y[/link]", "| a | b |", "]]>",
    "&amp;", "&#39;", "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
)  # fmt: skip


def texts(port: int) -> list[str]:
    """All of them; those that are addresses name a port on which nobody should ever ask."""
    return [text.replace("{port}", str(port)) for text in TEXTS]


def document(text: str) -> bytes:
    """A configuration whose ids, names and values all are `text`."""
    value = quoteattr(text, {"\n": "&#10;", "\t": "&#9;"})
    attribute = f"<Attribute type={value} value={value}/>"
    return (
        f"<ProductFamily id={value} name={value} product_code={value}>{attribute}"
        f"<Tab id={value} name={value}>{attribute}<Parameter id={value} name={value}>{attribute}"
        f"<ParameterValue id={value} name={value} measure={value}>{attribute}</ParameterValue>"
        "</Parameter></Tab></ProductFamily>"
    ).encode()


def load(url: str, wanted: list[str]) -> None:
    """Makes schema `cpq` anew, with one offer and one product for each text; its ids are the text, too."""
    with psycopg.connect(url) as connection:
        connection.execute(SCHEMA.read_bytes())
        for number, text in enumerate(wanted, 1):
            name = text or f"empty {number}"
            rows: dict[str, dict[str, Any]] = {
                "app_user": {"user_no": number, "login_name": text, "given_name": text, "family_name": text},
                "contact": {"contact_no": number, "job_title": text, "full_name": text, "organisation": text},
                "quote": {
                    "quote_no": name, "lang": text, "state": "ORDERED", "quote_date": "2024-05-01", "revision": text,
                    "owner_no": number, "seller_no": number, "supplier_no": number, "customer_no": number,
                },
                "quote_body": {"body_no": number, "quote_no": name, "grand_total": 1.5},
                "quote_section": {"section_no": number, "body_no": number, "section_total": 1.5},
                "line_item": {"item_no": name, "section_no": number},
                "item_file": {"file_no": number, "item_no": name, "file_name": text, "body": document(text)},
            }  # fmt: skip
            for table, row in rows.items():
                columns, places = ", ".join(row), ", ".join(["%s"] * len(row))
                connection.execute(
                    f"INSERT INTO cpq.{table} ({columns}, changed_at) VALUES ({places}, now())",  # type: ignore[call-overload]
                    list(row.values()),
                )

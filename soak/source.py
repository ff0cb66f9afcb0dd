"""The source of a soak: small, and in one of two states, between which a delta has something of everything to do.

Arrives: the URL of a database. Leaves: a sample source in state A or B.
"""

from typing import Any, Literal

import psycopg

from sample_data.create import create

State = Literal["A", "B"]

_FINAL = "q.state IN ('FINALIZED', 'ORDERED')"
_FILES = (
    "FROM cpq.item_file f JOIN cpq.line_item USING (item_no) JOIN cpq.quote_section s USING (section_no) "
    "JOIN cpq.quote_body USING (body_no) JOIN cpq.quote q USING (quote_no) "
    # Plain text, so that a comment can be appended.
    f"WHERE {_FINAL} AND substring(f.body FROM 1 FOR 1) = '<' AND position('\\x00'::bytea IN f.body) = 0"
)
# What differs between A and B is remembered in the database, beside the source.
_PLAN = f"""
CREATE SCHEMA IF NOT EXISTS soak;
CREATE TABLE soak.state AS SELECT 'A' AS name;
CREATE TABLE soak.quote AS
    (SELECT quote_no, state AS a, 'DRAFT' AS b FROM cpq.quote q WHERE {_FINAL} ORDER BY quote_no LIMIT 2)
    UNION ALL (SELECT quote_no, state, 'FINALIZED' FROM cpq.quote q WHERE NOT {_FINAL} ORDER BY quote_no LIMIT 1);
CREATE TABLE soak.file AS
    WITH two AS (SELECT f.file_no, f.body, q.quote_no {_FILES} ORDER BY q.quote_no DESC, f.file_no LIMIT 2)
    SELECT one.file_no, one.body AS a, other.body AS b FROM two one JOIN two other ON one.file_no <> other.file_no;
CREATE TABLE soak.section AS SELECT section_no, section_total AS a, section_total + 1.5 AS b
    FROM cpq.quote_section WHERE section_no IN (SELECT s.section_no {_FILES} ORDER BY q.quote_no DESC LIMIT 1);
CREATE TABLE soak.contact AS SELECT contact_no, full_name AS a, full_name || ' Jr' AS b
    FROM cpq.contact WHERE full_name IS NOT NULL AND contact_no IN (SELECT q.customer_no {_FILES})
    ORDER BY contact_no LIMIT 1;
"""  # noqa: S608 - made of constants
_CHANGES = (
    "UPDATE cpq.quote q SET changed_at = now(), state = p.{0} FROM soak.quote p WHERE q.quote_no = p.quote_no",
    # The comment makes a document that no run has seen, of the same content.
    "UPDATE cpq.item_file f SET changed_at = now(), body = p.{0} || convert_to('<!-- ' || clock_timestamp() || ' -->', "
    "'UTF8') FROM soak.file p WHERE f.file_no = p.file_no",
    "UPDATE cpq.quote_section s SET changed_at = now(), section_total = p.{0} "
    "FROM soak.section p WHERE s.section_no = p.section_no",
    "UPDATE cpq.contact c SET changed_at = now(), full_name = p.{0} "
    "FROM soak.contact p WHERE c.contact_no = p.contact_no",
)


def make(url: str, *, offers: int, seed: int) -> None:
    """Makes the source, in state A."""
    create(offers, seed=seed, into=url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS soak CASCADE")
        connection.execute(_PLAN.encode())


def change(url: str, state: State) -> None:
    """Brings the source into a state, in one transaction."""
    with psycopg.connect(url) as connection:
        for statement in (*_CHANGES, f"UPDATE soak.state SET name = '{state}'"):  # noqa: S608
            changed: psycopg.Cursor[Any] = connection.execute(statement.format(state.lower()).encode())
            if not changed.rowcount:
                raise AssertionError(f"nothing to change: {statement}")


def state_of(url: str) -> State:
    """The state that the source is in."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT name FROM soak.state").fetchone()
    return "B" if row and row[0] == "B" else "A"

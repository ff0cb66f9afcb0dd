"""Everything that a run may have left behind, searched for a secret in every spelling that software writes."""

import base64
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import polars as pl


def spellings(secret: str) -> set[str]:
    """The secret as it is, percent-encoded, in JSON, in a repr, in base64 (at each of three offsets)."""
    raw = secret.encode()
    encoded = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    in_base64 = {base64.b64encode(b"\0" * pad + raw)[-(-pad * 8 // 6) : -4].decode() for pad in range(3)}
    texts = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}
    return texts | encoded | {each.lower() for each in encoded} | in_base64 | {raw.hex()}


def found(secrets: dict[str, str], shown: Iterator[tuple[str, str]]) -> list[str]:
    """Where a secret is in (place, text) pairs: `place: name of the secret`."""
    wanted = {name: spellings(secret) for name, secret in secrets.items()}
    return [
        f"{place}: {name}"
        for place, text in shown
        for name, forms in wanted.items()
        if any(form in text for form in forms)
    ]


def files_in(folder: Path) -> Iterator[tuple[str, str]]:
    """(path, content) of every file; tables of Parquet and SQLite as their values."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix == ".parquet":
            yield str(path), "\n".join(map(str, pl.read_parquet(path).iter_rows()))
        elif path.suffix == ".db":
            yield from tables_of(path)
        yield str(path), path.read_bytes().decode("utf-8", "replace")


def tables_of(path: Path) -> Iterator[tuple[str, str]]:
    """(table, content) of a SQLite database."""
    connection = sqlite3.connect(path)
    try:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
            yield f"{path}: table {name}, {len(rows)} rows", "\n".join(map(str, rows))
    finally:
        connection.close()

"""The search for secrets finds what it is to find."""

import base64
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import polars as pl
import pytest
from secrets_search import files_in, found

SECRET = "Canary-4711 ä@/:%41'\"\\"


@pytest.mark.parametrize(
    "spell",
    [
        lambda s: s,
        lambda s: quote(s, safe=""),
        lambda s: quote(s).lower(),
        lambda s: json.dumps({"url": s}),
        lambda s: json.dumps([s], ensure_ascii=False),
        lambda s: repr({"url": s}),
        lambda s: base64.b64encode(f"user:{s}".encode()).decode(),
        lambda s: base64.b64encode(f"me:{s}@host".encode()).decode(),
        lambda s: base64.b64encode(f"x:{s}".encode()).decode(),
        lambda s: s.encode().hex(),
    ],
)
def test_in_every_spelling_and_place(spell: Callable[[str], str], tmp_path: Path) -> None:
    text = f"before {spell(SECRET)} after"
    (tmp_path / "log.txt").write_text(text, encoding="utf-8")
    pl.DataFrame({"sample": [text] * 2}).write_parquet(tmp_path / "rejects.parquet")
    with sqlite3.connect(tmp_path / "prefect.db") as connection:
        connection.execute("CREATE TABLE log (message)")
        connection.execute("INSERT INTO log VALUES (?)", (text,))
    connection.close()
    places = {place.split(":")[0].rpartition("/")[2] for place in found({"it": SECRET}, files_in(tmp_path))}
    assert places >= {"log.txt", "rejects.parquet", "prefect.db"}
    assert found({"it": "Other" + SECRET[1:]}, files_in(tmp_path)) == []

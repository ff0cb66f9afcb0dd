"""The sample in a schema with quite other names, read by other .sql files and another site.toml: the same graph."""

import json
import lzma
import re
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path

import psycopg
from transform_pipeline import dump, entries, transform

from cpq_graph.settings import CHECKOUT
from cpq_graph.site import XmlMapping, read_site
from sample_data.create import create_from
from sample_data.dialects import VERTRIEB
from sample_data.generate import Spec

SOURCE = CHECKOUT / "sample_data" / "vertrieb" / "source"
YEAR = (date(2024, 1, 1), date(2024, 12, 31))
STATUSES = {'"status":"FINALIZED"': '"status":"Abgeschlossen"', '"status":"ORDERED"': '"status":"Beauftragt"'}


def in_other_words(line: str) -> str:
    """A line of the canonical dump with the status as this source calls it."""
    if line.startswith("N\tOffer\t"):
        for one, other in STATUSES.items():
            line = line.replace(one, other)
    return line


def other_place(entry: list[str]) -> tuple[str, ...]:
    """An entry of the reject report with its place as this source's documents have it."""
    table, key, place, *rest = entry
    if table == "configuration":
        place = re.sub(r"/(\w+)\[", lambda step: f"/{VERTRIEB.element(step[1])}[", place)
    return (table, key, place, *rest)


def test_graph_and_rejects_are_those_of_the_first_source(postgres_database: Callable[[], str], tmp_path: Path) -> None:
    url = postgres_database()
    spec = Spec(offers=80, seed=12, defects="mixed", bulk=0.1)
    truth = create_from(spec, tmp_path / "truth", url, YEAR, schema="vertrieb")

    site = read_site(SOURCE)
    result = transform(url, tmp_path / "data", SOURCE, (site.period_from, site.period_to), part_mb=1)

    expected = sorted(map(in_other_words, _lines(tmp_path / "truth" / "dump.txt.xz")))
    assert dump(result.graph) == expected
    found = entries(result.graph.rejects)
    wanted = sorted(other_place(json.loads(line)) for line in _lines(tmp_path / "truth" / "rejects.jsonl.xz"))
    assert [entry for entry in found if entry not in set(wanted)] == []
    assert found == wanted
    assert result.graph.tables == truth.tables
    assert result.graph.labels == truth.label_totals
    assert result.graph.patterns == truth.relationship_totals
    assert len(truth.rejects) > 5


def test_the_page_s_mapping_is_this_one() -> None:
    page = (CHECKOUT / "docs" / "your-database.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert XmlMapping.model_validate(tomllib.loads(block)["xml"]) == read_site(SOURCE).xml


def test_nothing_is_called_as_in_the_first_source(postgres_database: Callable[[], str]) -> None:
    url = postgres_database()
    create_from(Spec(offers=5), into=url, schema="vertrieb")
    with psycopg.connect(url) as connection:
        names = connection.execute(
            "SELECT table_schema, table_name, column_name FROM information_schema.columns "
            "WHERE table_schema IN ('cpq', 'vertrieb')"
        ).fetchall()
        (document,) = connection.execute(
            "SELECT inhalt FROM vertrieb.datei "
            "WHERE art = 'KONFIG' AND substring(inhalt FOR 5) = '\\x3c3f786d6c' LIMIT 1"
        ).fetchone() or (b"",)
    ours = (CHECKOUT / "sample_data" / "source.sql").read_text()
    theirs = {word for row in names for word in row}
    assert "vorgangsnummer" in theirs
    assert {word for word in theirs if re.search(rf"\b{word}\b", ours)} == set()
    first = (CHECKOUT / "extract" / "source" / "site.toml").read_text()
    elements = set(re.findall(rb"<(\w+)[ >]", document)) - {b"Option", b"Row"}
    assert {name for name in elements if re.search(rf'"{name.decode()}"', first)} == set()


def _lines(path: Path) -> list[str]:
    return lzma.decompress(path.read_bytes()).decode().split("\n")[:-1]

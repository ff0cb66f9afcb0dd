"""A refresh of a source whose tables, columns, types, statuses and XML are called otherwise: other .sql files and
another site.toml, and nothing else."""

import lzma
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from refreshed_site import Site
from test_sample_vertrieb import SOURCE, YEAR, in_other_words

from cpq_graph.errors import DataError
from sample_data.create import create_from
from sample_data.generate import Spec

LOADED = """
SELECT DISTINCT ON (vorgangsnummer) vorgangsnummer, datei_id, inhalt
FROM vertrieb.datei JOIN vertrieb.auftragsposition USING (auftrag, pos) JOIN vertrieb.abschnitt USING (abschnitt_id)
JOIN vertrieb.angebot USING (angebot_id) JOIN vertrieb.vorgang USING (vorgangsnummer)
WHERE art = 'KONFIG' AND status IN (30, 40) AND extract(year FROM angeboten_am) = 2024
ORDER BY vorgangsnummer LIMIT 3
"""
SPEC = Spec(offers=25, seed=12, bulk=0.1)


@pytest.fixture(scope="module")
def vertrieb(site: Site, postgres_database: Callable[[], str]) -> Site:
    """A site on that source, in the database of another server."""
    url = postgres_database()
    create_from(SPEC, into=url, schema="vertrieb")
    own = {"CPQ_GRAPH_POSTGRES_URL": url, "CPQ_GRAPH_SOURCE_DIR": str(SOURCE)}
    return Site(site.settings, site.environment | own)


@pytest.fixture(scope="module")
def night(vertrieb: Site) -> dict[str, Any]:
    """The report of its first refresh."""
    return vertrieb.refresh()


@pytest.mark.usefixtures("night")
def test_the_graph_is_that_of_the_first_source(vertrieb: Site, tmp_path: Path) -> None:
    create_from(SPEC, tmp_path / "truth", period=YEAR)
    truth = lzma.decompress((tmp_path / "truth" / "dump.txt.xz").read_bytes()).decode().split("\n")[:-1]
    assert [line.decode() for line in vertrieb.dump(tmp_path)] == sorted(map(in_other_words, truth))


def test_it_is_asked_as_the_first_is(vertrieb: Site, night: dict[str, Any]) -> None:
    assert vertrieb.count_offers() == night["labels"]["Offer"]["loaded"]
    answer = vertrieb.ask("Mikä on SNEP MODE P:n suosituin pituus vuonna 2024?")
    assert answer.status == "OK", answer.reason
    assert len(answer.rows) == 1


@pytest.mark.usefixtures("night")
def test_a_delta_finds_what_changed(vertrieb: Site) -> None:
    with psycopg.connect(vertrieb.environment["CPQ_GRAPH_POSTGRES_URL"]) as connection:
        (one, _, _), (_, file, _), (_, _, other) = connection.execute(LOADED).fetchall()
        connection.execute("UPDATE vertrieb.vorgang SET fassung = 'x' WHERE vorgangsnummer = %s", (one,))
        connection.execute("UPDATE vertrieb.datei SET inhalt = %s WHERE datei_id = %s", (other, file))
    report = vertrieb.refresh("delta")
    assert {step["name"]: step["rows"] for step in report["steps"]}["find changes"] == 2


@pytest.mark.usefixtures("night")
@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('"Seite"', '"Page"', r"no Page \(xml.tab.element\)"),
        ('"Baureihe"', '"Series"', r"no Series \(xml.family.element\)"),
        # Attributes' values are taken for values then.
        ('"Kennzeichen"', '"Mark"', "more than 10% was rejected .*, most often: .* second_value"),
    ],
)
def test_a_mapping_that_finds_nothing_stops_the_run(
    vertrieb: Site, tmp_path: Path, right: str, wrong: str, said: str
) -> None:
    shutil.copytree(SOURCE, tmp_path / "source")
    file = tmp_path / "source" / "site.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(right, wrong), encoding="utf-8")
    site = Site(vertrieb.settings, vertrieb.environment | {"CPQ_GRAPH_SOURCE_DIR": str(tmp_path / "source")})
    before = site.serving()
    with pytest.raises(DataError, match=said) as raised:
        site.refresh()
    assert "cpq-graph" in (raised.value.hint or "")
    assert site.serving() == before

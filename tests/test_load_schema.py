"""Every constraint and index comes online, and one that cannot says why. Full-text search folds what people type."""

import pytest
from small_graph import small_frames

from cpq_graph.errors import TargetError
from cpq_graph.render import constraints, full_text_indexes, range_indexes
from cpq_graph.servers import Address
from load.bolt import load_over_bolt
from load.database import connect
from load.schema import create_schema


def test_all_come_online_and_again_changes_nothing(clean_neo4j: Address) -> None:
    seen: list[tuple[int, int, float]] = []
    with connect(clean_neo4j) as database:
        load_over_bolt(database, small_frames())
        create_schema(database, progress=lambda *step: seen.append(step))
        rows = database.rows("SHOW INDEXES YIELD name, state, type WHERE type <> 'LOOKUP' RETURN name, state")
    assert {row["name"] for row in rows} == {*constraints(), *range_indexes(), *full_text_indexes()}
    assert {row["state"] for row in rows} == {"ONLINE"}
    assert seen[-1] == (len(rows), len(rows), 100.0)


@pytest.mark.parametrize(
    ("index", "typed"),
    [
        ("participant_names", "harma"),
        ("participant_names", "HÄRMÄ"),
        ("participant_names", "abo"),
        ("family_names", "snep"),
        ("family_names", "SNEP®"),
        ("family_names", "mode"),
        ("user_names", "asa"),
        ("user_names", "ost"),
        ("parameter_names", "PITUUS"),
        ("parameter_names", "colour~"),
        ("value_names", "black"),
        ("value_names", "musta"),
    ],
)
def test_full_text_folds_case_and_diacritics(clean_neo4j: Address, index: str, typed: str) -> None:
    with connect(clean_neo4j) as database:
        rows = database.rows(
            "CALL db.index.fulltext.queryNodes($index, $typed) YIELD node RETURN count(node) AS n",
            {"index": index, "typed": typed},
        )
    assert rows[0]["n"] > 0


def test_a_constraint_that_the_graph_breaks_is_named(clean_neo4j: Address) -> None:
    with connect(clean_neo4j) as database:
        database.run("DROP CONSTRAINT tab_id_unique")
        database.write("CREATE (:Tab {id: 'twice'}), (:Tab {id: 'twice'})")
        with pytest.raises(TargetError, match="tab_id_unique"):
            create_schema(database)
        database.write("MATCH (t:Tab {id: 'twice'}) DELETE t")
        create_schema(database)

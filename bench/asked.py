"""What is measured: the development wordings, bound to a sample, and the names they are linked to.

Arrives: the sample's offers and seed and the names of question sets, from a command line; the artifacts of the graph
that serves. Leaves: `Asked`, in the files' order; the catalog and names.
"""

import argparse
from collections.abc import Sequence

import polars as pl

from cpq_graph.catalog import Catalog, PartyName
from cpq_graph.evaluation.binding import Asked, ask_all
from cpq_graph.evaluation.facts import facts_of
from cpq_graph.evaluation.sets import ANSWERABLE, read_sets
from cpq_graph.manifest import CATALOG_JSON, NAMES, read_serving
from cpq_graph.settings import load_settings
from sample_data.create import SMALL_SPEC
from sample_data.frames import frames
from sample_data.generate import Spec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say which sample, which sets, how often."""
    parser.add_argument("--offers", type=int, default=SMALL_SPEC.offers, help="size of the sample that serves")
    parser.add_argument("--seed", type=int, default=SMALL_SPEC.seed)
    parser.add_argument("--sets", nargs="+", choices=ANSWERABLE, default=["set1", "set2"])
    parser.add_argument("--rounds", type=int, default=5)


def asked(arguments: argparse.Namespace) -> list[Asked]:
    """The development wordings in both languages that the options choose."""
    small = (arguments.offers, arguments.seed) == (SMALL_SPEC.offers, SMALL_SPEC.seed)
    spec = SMALL_SPEC if small else Spec(arguments.offers, arguments.seed, "mixed")
    questions = [one for one in read_sets() if one.set in arguments.sets]
    return [one for one in ask_all(questions, facts_of(frames(spec))) if one.part == "development"]


def serving_names() -> tuple[Catalog, list[PartyName]]:
    """The catalog and names of the graph that serves."""
    data_dir = load_settings().data_dir
    folder = data_dir / read_serving(data_dir).current.artifacts
    catalog = Catalog.model_validate_json((folder / CATALOG_JSON).read_bytes())
    rows = pl.read_parquet(folder / NAMES, glob=False).rows(named=True)
    return catalog, [PartyName.model_validate(row) for row in rows]


def quantile(values: Sequence[float], share: float) -> float:
    """The value that a share of all values do not exceed."""
    return sorted(values)[int(share * (len(values) - 1))]

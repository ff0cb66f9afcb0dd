"""The catalog is what a refresh made: other families, features, values and people are understood with no new code."""

import random
import string
import time
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_catalog import LIGHTS, NAMES, PUMPS, catalog, feature

from cpq_graph.catalog import Feature, PartyName
from cpq_graph.query.compile import compile_plan
from cpq_graph.query.language import Declined, Linker, Understood, understand
from cpq_graph.query.plan import Aggregate, Compare, FeatureField, Grain, Measure, Operator, PropertyField

TODAY = date(2025, 2, 1)
PUMP_LINKER = Linker(PUMPS, NAMES)
FAMILY = PropertyField(label="ProductFamily", property="name")


def where_of(question: str, linker: Linker) -> tuple[object, ...]:
    found = understand(question, linker, today=TODAY)
    assert isinstance(found, Understood), found.reason
    return found.plan.where


def measure(ext_id: str, operator: Operator, value: float) -> Compare:
    return Compare(field=FeatureField(ext_id=ext_id, part="measure"), operator=operator, values=(value,))


def choice(ext_id: str, *values: str) -> Compare:
    operator = Operator.EQUAL if len(values) == 1 else Operator.IN
    return Compare(field=FeatureField(ext_id=ext_id), operator=operator, values=values)


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("How many products have an ingress protection over 4?", measure("suojaus", Operator.MORE, 4.0)),
        ("Kuinka monella tuotteella suojausluokka on yli 4?", measure("suojaus", Operator.MORE, 4.0)),
        ("Kuinka monen tuotteen suojausluokka on IPX8?", choice("suojaus", "IPX8")),
        ("How many products have a flow rate of at least 5 l/s?", measure("virtaama", Operator.AT_LEAST, 5.0)),
        ("Montako tuotetta, joiden virtaama on alle 12 l/s?", measure("virtaama", Operator.LESS, 12.0)),
        ("How many turquoise products were sold?", choice("maali", "Turquoise")),
        ("Montako turkoosia tuotetta myytiin?", choice("maali", "Turkoosi")),
        ("How many vortex products?", choice("juoksupyora", "Vortex")),
        ("Montako suljetulla juoksupyörällä varustettua tuotetta?", choice("juoksupyora", "Suljettu")),
        ("how many hydra 20xl were ordered", Compare(field=FAMILY, operator=Operator.EQUAL, values=("HYDRA 20 XL",))),
        ("montako tyrskyä tilattiin", Compare(field=FAMILY, operator=Operator.EQUAL, values=("TYRSKY",))),
        ("montako HYDRA 12:ta tilattiin", Compare(field=FAMILY, operator=Operator.EQUAL, values=("HYDRA 12",))),
        ("How many products with a head of 32 m?", measure("nostokorkeus", Operator.EQUAL, 32.0)),
    ],
)
def test_another_makers_words(question: str, condition: Compare) -> None:
    assert condition in where_of(question, PUMP_LINKER)


def test_a_feature_that_came_overnight() -> None:
    question = "How many Mode P have a scent of lavender?"
    assert isinstance(understand(question, Linker(LIGHTS, NAMES), today=TODAY), Declined)
    more = catalog("SNEP® MODE P", (*LIGHTS.features, feature("tuoksu", "Scent|Tuoksu", "Lavender; Pine")))
    assert choice("tuoksu", "Lavender") in where_of(question, Linker(more, NAMES))


def test_a_company_that_came_overnight() -> None:
    question = "Montako tarjousta Nokian Neonvalo Oy vastaanotti?"
    assert isinstance(understand(question, Linker(LIGHTS, NAMES), today=TODAY), Declined)
    names = (*NAMES, PartyName(kind="company", text="Nokian Neonvalo Oy", nodes=1))
    company = PropertyField.model_validate({"label": "Participant", "property": "company", "role": "received"})
    expected = Compare(field=company, operator=Operator.EQUAL, values=("Nokian Neonvalo Oy",))
    assert expected in where_of(question, Linker(LIGHTS, names))


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("How many black Mode P?", ("Black", "Musta")),
        ("Montako mustaa Mode P:tä?", ("Black", "Musta")),
        ("Montako mustarunkoista Mode P:tä?", None),
        ("How many gray Mode P?", ("Grey", "Harmaa")),
        ("How many Mode P with a white frame?", ("Valkoinen", "White")),
        ("Montako valkoisella rungolla?", ("Valkoinen", "White")),
        ("how many blakc mode p", ("Black", "Musta")),
    ],
)
def test_values_in_either_language(question: str, values: tuple[str, ...] | None) -> None:
    found = understand(question, Linker(LIGHTS, NAMES), today=TODAY)
    if values is None:
        assert isinstance(found, Declined)
    else:
        assert isinstance(found, Understood), found.reason
        assert choice("vari", *values) in found.plan.where


def test_what_was_assumed_is_said() -> None:
    found = understand("how many offfers did Lahden Logistiikka recieve", Linker(LIGHTS, NAMES), today=TODAY)
    assert isinstance(found, Understood), found.reason
    assert "offfers" in found.understanding
    assert "Lahden Logistiikka Oy" in found.understanding


def test_names_with_case_endings() -> None:
    linker = Linker(LIGHTS, NAMES)
    for question in (
        "Björn Lindströmin lähettämien tarjousten määrä",
        "Montako tarjousta Björn Lindström lähetti?",
        "Montako tarjousta on ostettu Björn Lindströmiltä?",
        "How many offers did Bjorn Lindstrom send?",
        "number of Björn Lindström's sent offers",
    ):
        found = understand(question, linker, today=TODAY)
        if isinstance(found, Understood):
            assert "Björn Lindström" in repr(found.plan.where), question
            assert found.plan.measures == (Measure(aggregate=Aggregate.COUNT, of=Grain.OFFER),)
        else:
            # A possessive before a participle is not English that anyone must read.
            assert "'s" in question


def _nth(i: int, words: list[str]) -> Feature:
    values = f"{words[i + 1000]}; {words[i + 1500]}; {i} mm={i + 1}"
    return feature(f"ominaisuus{i}", f"{words[i]} {words[i + 500]}", values, "mm")


def _large() -> Linker:
    rng = random.Random(7)
    letters = string.ascii_lowercase
    words = ["".join(rng.choices(letters, k=rng.randint(4, 10))).capitalize() for _ in range(9_000)]
    features = tuple(
        feature(
            f"ominaisuus{i}",
            f"{words[i]} {words[i + 500]}",
            f"{words[i + 1000]}; {words[i + 1500]}; {i} mm={i + 1}",
            "mm",
        )
        for i in range(90)
    )
    families = "; ".join(f"{words[2000 + i].upper()} {rng.choice('ABCDEF')}" for i in range(100))
    large = catalog(families, (*LIGHTS.features, *features))
    names = [
        PartyName(kind=rng.choice(("participant", "company")), text=f"{rng.choice(words)} {rng.choice(words)}", nodes=1)
        for _ in range(20_000)
    ]
    return Linker(large.model_copy(update={"families": (*LIGHTS.families, *large.families)}), [*NAMES, *names])


def test_a_large_catalog_links_and_plans_the_same() -> None:
    """100 families, 100 features, 20,000 names: what the small one understands, and nothing is searched for long."""
    linker, small = _large(), Linker(LIGHTS, NAMES)
    for question in (
        "How many offers did Oulun Satama receive in 2024?",
        "Mikä oli Mode P:n suosituin pituus vuonna 2024?",
        "Which five companies received the most offers in the first half of 2024?",
    ):
        found, expected = understand(question, linker, today=TODAY), understand(question, small, today=TODAY)
        assert isinstance(found, Understood), found.reason
        assert isinstance(expected, Understood)
        assert found.plan == expected.plan
        begun = time.process_time()
        understand(question, linker, today=TODAY)
        # Far above what it takes (see the benchmark): only a scan of all names would take so long.
        assert time.process_time() - begun < 0.5


_WORDS = st.sampled_from(
    [
        "how",
        "many",
        "which",
        "what",
        "offers",
        "luminaires",
        "of",
        "in",
        "by",
        "with",
        "the",
        "mode",
        "p",
        "snep",
        "black",
        "white",
        "2024",
        "q3",
        "2000",
        "mm",
        "over",
        "under",
        "longer",
        "than",
        "not",
        "only",
        "without",
        "each",
        "per",
        "share",
        "percentage",
        "most",
        "popular",
        "three",
        "top",
        "companies",
        "received",
        "sent",
        "Oulun",
        "Satama",
        "length",
        "power",
        "average",
        "total",
        "price",
        "and",
        "or",
        "between",
        "compare",
        "are",
        "is",
        "were",
        "contain",
        "57",
        "W",
        "1042",
        ",",
        ".",
        "?",
        "'",
        "-",
        ";",
        "montako",
        "mikä",
        "tarjousta",
        "valaisinta",
        "vuonna",
        "musta",
        "yli",
        "pituus",
        "mukaan",
        "suosituin",
        "kullakin",
        "ei",
        "vain",
        "ilman",
        "osuus",
        "Satamalle",
        "keskimäärin",
        "prosenttia",
        "ovat",
        "joissa",
        "DALI",
        "null",
        "MATCH",
    ]
)


@given(st.lists(_WORDS, max_size=14).map(" ".join) | st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_text_is_understood_or_declined(text: str) -> None:
    """Whatever is typed, there is a plan that compiles or a reason; and the same text gives the same answer."""
    found = understand(text, PUMP_LINKER, today=TODAY)
    if isinstance(found, Understood):
        compile_plan(found.plan)
        assert found.understanding
    else:
        assert found.reason
    assert understand(text, PUMP_LINKER, today=TODAY) == found

"""The sample source is deterministic, varied as stated, and streams."""

import tracemalloc
from collections import Counter
from itertools import islice

import pytest

from sample_data.documents import Document, Form
from sample_data.features import FEATURES
from sample_data.generate import Offer, Orphan, Spec, configurations, people, stream
from sample_data.reasons import DOCUMENT_REASONS
from sample_data.rows import rows_of
from sample_data.vocabulary import COMPANIES, FAMILIES, FINAL_STATUSES, YEARS


def documents(made: Offer | Orphan) -> list[Document]:
    return [configuration.document for configuration in configurations(made)]


def test_vocabulary_has_the_families_and_features_asked_for() -> None:
    sold = [family for family in FAMILIES.values() if family.weight]
    assert len(sold) >= 16
    assert {"SNEP® MODE P", "SNEP® MODE S", "SNEP® MODE C", "SNEP® MODE CR"} <= set(FAMILIES)
    assert len(FEATURES) >= 60
    assert {"pituus", "vari", "teho", "optiikka", "varilampotila", "cri", "ohjaus", "liitannat"} <= set(FEATURES)
    # A feature goes by different names in different families.
    names = {f.name for family in sold for f in family.features if f.feature.ext_id == "vari"}
    assert len(names) >= 3
    assert len(set(COMPANIES)) == len(COMPANIES) >= 40


def test_people_share_names_and_resemble_companies() -> None:
    participants = people(Spec(300, 7)).participants
    names = Counter(p.name for p in participants)
    assert max(names.values()) > 2
    assert any(p.name in COMPANIES for p in participants)
    assert any(p.name is None for p in participants)
    assert len({p.id for p in participants}) == len(participants)


@pytest.mark.parametrize("defects", ["clean", "mixed"])
def test_same_spec_gives_the_same_rows_and_another_seed_others(defects: str) -> None:
    def rows(seed: int) -> list[object]:
        return [row for made in stream(Spec(25, seed, defects)) for row in rows_of(made)]  # type: ignore[arg-type]

    assert rows(3) == rows(3)
    assert rows(3) != rows(4)


def test_a_larger_sample_begins_with_the_same_offers_but_for_who_is_named() -> None:
    few = [made.id for made in stream(Spec(10, 3)) if isinstance(made, Offer)]
    many = [made.id for made in islice(stream(Spec(100_000, 3)), 10) if isinstance(made, Offer)]
    assert few == many


def test_offers_are_of_several_years_and_states() -> None:
    offers = [made for made in stream(Spec(250, 7)) if isinstance(made, Offer)]
    years = Counter(offer.date.year for offer in offers if offer.date)
    assert set(years) == set(YEARS)
    assert years[2024] > len(offers) / 2
    share = sum(offer.status not in FINAL_STATUSES for offer in offers) / len(offers)
    assert 0.12 < share < 0.28
    assert any(party is None for offer in offers for party in offer.parties.values())
    assert any(not offer.contents for offer in offers)


def test_documents_are_of_every_form_and_some_are_shared() -> None:
    made = [document for offer in stream(Spec(300, 7, "mixed")) for document in documents(offer)]
    assert {document.form for document in made} == set(Form)
    assert any(document.zipped for document in made)
    assert len({id(document) for document in made}) < len(made)
    assert {document.trouble for document in made} == {None, *DOCUMENT_REASONS}
    assert any(document.giant_text for document in made)
    assert all(document.trouble is None for offer in stream(Spec(50, 7)) for document in documents(offer))


def test_bulk_is_as_large_as_asked_for() -> None:
    def size(bulk: float) -> int:
        made = stream(Spec(8, 1, bulk=bulk))
        return sum(len(document.render() or b"") for offer in made for document in documents(offer))

    lean = size(0)
    assert 3 < size(3) / lean < 5


def test_memory_does_not_grow_with_the_sample() -> None:
    spec = Spec(20_000, 1, "mixed")
    tracemalloc.start()
    try:
        peaks = []
        made = stream(spec)
        for _ in range(3):
            for _ in islice(made, 25):
                pass
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.reset_peak()
    finally:
        tracemalloc.stop()
    assert peaks[2] < peaks[0] * 1.5 + 2_000_000

"""The question sets: what they cover, that every template can be filled, and that gold answers are right."""

from collections import Counter
from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest

from cpq_graph.evaluation import gold_groups, gold_offers, gold_products
from cpq_graph.evaluation.binding import Asked, ask_all, bind
from cpq_graph.evaluation.facts import Facts, facts_of
from cpq_graph.evaluation.phrases import Choice, Name, Number, Span
from cpq_graph.evaluation.sets import Question, read_sets
from sample_data.frames import frames
from sample_data.generate import Offer, Spec, people, stream

SPEC = Spec(250, seed=3)


@pytest.fixture(scope="module")
def facts() -> Facts:
    return facts_of(frames(SPEC))


@pytest.fixture(scope="module")
def offers() -> list[Offer]:
    """The final offers as generated, to compute answers from by hand."""
    return [made for made in stream(SPEC) if isinstance(made, Offer) and made.final]


@pytest.fixture(scope="module")
def questions() -> tuple[Question, ...]:
    return read_sets()


@pytest.fixture(scope="module")
def asked(questions: tuple[Question, ...], facts: Facts) -> list[Asked]:
    return list(ask_all(questions, facts))


def products_of(offer: Offer) -> list[Any]:
    return [product for content in offer.contents for part in content.subcontents for product in part.products]


def family_of(product: Any) -> str | None:
    return product.configurations[0].document.roots[0].truth["name"] if product.configurations else None


def test_the_sets_have_what_they_should(questions: tuple[Question, ...]) -> None:
    sets = Counter(question.set for question in questions)
    assert (sets["set1"], sets["set2"]) == (18, 14)
    assert sets["further"] >= 60
    kinds = Counter((question.type, question.level) for question in questions if question.set == "set1")
    assert kinds == {
        ("lookup", "L1"): 2,
        **{("single-hop", level): 2 for level in ("L1", "L2")},
        **{(kind, level): 2 for kind in ("multi-hop", "aggregation", "analytics") for level in ("L2", "L3")},
    }
    tags = {tag for question in questions if question.set == "set2" for tag in question.tags}
    assert tags == {
        "TopK", "Feature", "Temporal", "Percentage", "FeatureFilter", "EntityFilter", "MultiFeature", "SingleFamily",
        "MultiFamily", "AllFamilies",
    }  # fmt: skip


def test_each_question_has_five_paraphrases_in_each_language(questions: tuple[Question, ...]) -> None:
    for question in questions:
        for language in ("en", "fi"):
            wordings = [wording for wording in question.wordings if wording.language == language]
            assert len({wording.template for wording in wordings}) == len(wordings), question.id
            if question.gold is not None:
                assert len(wordings) >= 6, (question.id, language)


def test_wordings_of_all_kinds_are_kept_apart(questions: tuple[Question, ...]) -> None:
    parts = Counter(w.part for question in questions if question.gold for w in question.wordings)
    assert parts["held-out"] >= 150
    asked = {(question.id, w.language) for question in questions for w in question.wordings if w.part == "held-out"}
    assert {(q.id, language) for q in questions if q.set in {"set1", "set2"} for language in ("en", "fi")} <= asked
    templates = {(question.id, w.template) for question in questions for w in question.wordings}
    assert len(templates) == sum(len(question.wordings) for question in questions)


def test_sixty_questions_cannot_be_answered(questions: tuple[Question, ...]) -> None:
    wordings = [w for question in questions if question.gold is None for w in question.wordings]
    assert len(wordings) >= 60
    assert {w.language for w in wordings} == {"en", "fi"}


def test_nearly_all_questions_find_something_to_ask_about(questions: tuple[Question, ...], asked: list[Asked]) -> None:
    missing = {question.id for question in questions} - {one.question.id for one in asked}
    assert len(missing) <= 3, missing
    assert len({one.key for one in asked}) == len(asked)


def test_texts_are_filled_in(asked: list[Asked]) -> None:
    for one in asked:
        assert "{" not in one.text and "}" not in one.text, one.text
        assert "None" not in one.text, one.text


def test_the_same_sample_gives_the_same_questions(facts: Facts, questions: tuple[Question, ...]) -> None:
    again = facts_of(frames(SPEC))
    for question in questions[::9]:
        one, two = bind(question, facts), bind(question, again)
        assert (one is None) == (two is None)
        if one is not None and two is not None:
            assert one.phrases == two.phrases


def test_gold_answers_discriminate(asked: list[Asked]) -> None:
    for gold in {one.question.id: one.gold for one in asked if one.gold is not None}.values():
        assert gold.discriminating
        assert set(gold.required) <= set(gold.frame.columns)
        assert set(gold.order) <= set(gold.frame.columns)


def test_an_offers_price_and_sender(facts: Facts, offers: list[Offer]) -> None:
    offer = next(one for one in offers if one.contents and one.parties["sent_by"])
    names = {person.id: person.name for person in people(SPEC).participants}
    name = Name(offer.id)
    assert gold_offers.offer_property(facts, name, "price").frame["price"].item() == offer.contents[0].total_price
    sender = gold_offers.party_of_offer(facts, name, "sent").frame["sent_name"].item()
    assert sender == names[offer.parties["sent_by"] or 0]


def test_counts_by_quarter(facts: Facts, offers: list[Offer]) -> None:
    period = Span.around("quarter", date(2024, 8, 1))
    assert (period.first, period.last) == (date(2024, 7, 1), date(2024, 9, 30))
    within = [offer for offer in offers if offer.date is not None and period.first <= offer.date <= period.last]
    assert gold_offers.count_offers(facts, period).frame.item() == len(within)
    mean = sum(len(products_of(offer)) for offer in within) / len(within)
    assert gold_offers.average_products(facts, period).frame.item() == pytest.approx(mean)


def test_offers_of_only_one_family(facts: Facts, offers: list[Offer]) -> None:
    family, year = "SNEP® MODE P", Span.around("year", date(2024, 1, 1))
    only = sum(
        bool(products_of(offer)) and all(family_of(p) == family for p in products_of(offer))
        for offer in offers
        if offer.date is not None and offer.date.year == 2024
    )
    assert only > 0
    assert gold_offers.count_only_family(facts, Name(family), year).frame.item() == only


def test_the_company_that_received_most(facts: Facts, offers: list[Offer]) -> None:
    companies = {person.id: person.company for person in people(SPEC).participants}
    counts = Counter(
        companies[offer.parties["received_by"] or 0]
        for offer in offers
        if offer.parties["received_by"] and offer.date is not None and offer.date.year == 2024 and offer.date.month <= 6
    )
    gold = gold_groups.top_receiving_companies(facts, Span.around("half", date(2024, 3, 1)), 5)
    most = sorted((n for company, n in counts.items() if company), reverse=True)
    assert gold.frame["count"].to_list()[:5] == most[:5]
    assert gold.clear == (most[4] > most[5])
    for company, count in gold.frame.select("received_company", "count").iter_rows():
        assert counts[company] == count


def test_features_are_those_of_root_families(facts: Facts, offers: list[Offer]) -> None:
    """Power of the luminaires between 30 and 60 W, by walking the made elements."""
    period = Span.around("year", date(2024, 1, 1))

    def powers(product: Any) -> list[float]:
        root = product.configurations[0].document.roots[0] if product.configurations else None
        found: list[float] = []

        def visit(element: Any) -> None:
            for child in getattr(element, "children", ()):
                node = getattr(child, "node", None)
                if node is not None and node.label == "Tab":
                    visit(child)
                elif node is not None and node.label == "Parameter":
                    keys = [a.value for a in child.children if getattr(a, "type", None) == "ext_id"]
                    values = [v for v in child.children if getattr(v, "node", None) is not None]
                    if keys == ["teho"] and values:
                        found.append(float(values[0].truth["measure"]))

        visit(root)
        return found

    within = [p for offer in offers if offer.date is not None and offer.date.year == 2024 for p in products_of(offer)]
    expected = sum(any(30 <= power <= 60 for power in powers(product)) for product in within)
    assert expected > 10
    assert gold_products.count_between(facts, period, "teho", 30, 60).frame.item() == expected


def test_not_black_means_another_colour(facts: Facts) -> None:
    family, year = Name("SNEP® MODE P"), Span.around("year", date(2024, 1, 1))
    black = Choice(("Black", "Musta"))
    parts = [
        gold_products.count_not_choice(facts, family, black, year, "vari").frame.item(),
        gold_products.count_choice_or_choice(facts, family, black, black, year, "vari").frame.item(),
        gold_products.count_without_feature(facts, family, year, "vari").frame.item(),
    ]
    assert sum(parts) == gold_products.count_family(facts, family, year).frame.item()
    assert all(parts[:2])


def test_a_choice_is_found_under_the_names_of_both_languages(facts: Facts) -> None:
    year = Span.around("year", date(2024, 1, 1))
    english = gold_products.share_with_choice(facts, Name("SNEP® MODE P"), Choice(("Black", "Musta")), year, "vari")
    finnish = gold_products.share_with_choice(facts, Name("SNEP® MODE C"), Choice(("Black", "Musta")), year, "vari")
    assert 0 < english.frame.item() < 100
    assert 0 < finnish.frame.item() < 100


def test_a_tie_at_the_cut_is_not_clear() -> None:
    from cpq_graph.evaluation.gold import top

    groups = pl.DataFrame({"name": ["a", "b", "c", "d"], "count": [5, 3, 3, 1]})
    assert top(groups, 1, "name").clear
    assert not top(groups, 2, "name").clear
    assert top(groups, 3, "name").clear


@pytest.mark.parametrize(
    ("phrase", "spec", "text"),
    [
        (Span.around("month", date(2024, 7, 9)), "fi_in", "heinäkuussa 2024"),
        (Span.around("quarter", date(2024, 7, 9)), "fi_in", "vuoden 2024 kolmannella neljänneksellä"),
        (Span.around("quarter", date(2024, 7, 9)), "fi_from", "vuoden 2024 kolmannelta neljännekseltä"),
        (Span.around("half", date(2024, 7, 9)), "fi_gen", "vuoden 2024 toisen puoliskon"),
        (Span.around("half", date(2024, 1, 9)), "months_fi", "tammi–kesäkuussa 2024"),
        (Span.around("half", date(2024, 7, 9)), "en", "the second half of 2024"),
        (Span.around("day", date(2024, 7, 9)), "fi_long", "9. heinäkuuta 2024"),
        (Span.around("day", date(2024, 7, 9)), "us", "July 9, 2024"),
        (Span.around("year", date(2024, 7, 9)), "", "2024"),
        (Name("Pohjolan Sähkö Oy"), "fi_gen", "Pohjolan Sähkö Oy:n"),
        (Name("Oulun Satama"), "fi_gen", "yrityksen Oulun Satama"),
        (Name("SNEP® MODE P"), "plain", "SNEP MODE P"),
        (Name("SNEP® MODE P"), "lower", "snep mode p"),
        (Number(12500.0), "", "12500"),
        (Number(12500.0), "en", "12,500"),
        (Number(12500.0), "fi", "12 500"),
        (Choice(("Black", "Musta")), "fi_gen", "mustan"),
        (Choice(("DALI", "DALI")), "en", "DALI"),
    ],
)
def test_phrases(phrase: Name | Number | Choice | Span, spec: str, text: str) -> None:
    assert format(phrase, spec) == text


def test_spans_tile_the_calendar() -> None:
    day = date(2023, 12, 1)
    for unit in ("day", "month", "quarter", "half", "year"):
        span = Span.around(unit, day)
        assert span.first <= day <= span.last
        after = Span.around(unit, span.last + timedelta(days=1))
        assert after.first == span.last + timedelta(days=1)

"""What is said around a question, what is typed wrong, and that no word of a question is lost."""

from datetime import date

import pytest
from language_catalog import LIGHTS, NAMES

from cpq_graph.query.language import Declined, Linker, Understood, understand
from cpq_graph.query.plan import Plan

LINKER = Linker(LIGHTS, NAMES)
TODAY = date(2025, 2, 1)


def plan(question: str) -> Plan:
    found = understand(question, LINKER, today=TODAY)
    assert isinstance(found, Understood), found.reason
    return found.plan


@pytest.mark.parametrize(
    "question, plain",
    [
        (
            "I am drawing up a brochure, so how many Mode P luminaires were ordered in 2024?",
            "How many Mode P luminaires were ordered in 2024?",
        ),
        (
            "Freight keeps getting dearer, and that worries me. How many Mode P luminaires were ordered in 2024?",
            "How many Mode P luminaires were ordered in 2024?",
        ),
        (
            "Olen kirjoittamassa esitettä, joten montako Mode P -valaisinta tilattiin vuonna 2024?",
            "Montako Mode P -valaisinta tilattiin vuonna 2024?",
        ),
        # What a story names stays, as a topic.
        ("I'm repacking offer 1042 for a fair. Who sent it?", "Who sent offer 1042?"),
        (
            "Kirjoitan esitettä Mode P -valaisimista: mikä oli suosituin pituus vuonna 2024?",
            "Mode P: mikä oli suosituin pituus vuonna 2024?",
        ),
        (
            "Hyllyjen mitoitusta varten tarvitsisin Mode P -valaisinten keskimääräisen pituuden vuonna 2024.",
            "Mode P -valaisinten keskimääräinen pituus vuonna 2024",
        ),
    ],
)
def test_stories_are_set_aside_and_told(question: str, plain: str) -> None:
    found = understand(question, LINKER, today=TODAY)
    assert isinstance(found, Understood), found.reason
    assert found.plan == plan(plain)
    assert "Set aside:" in found.understanding or "Jätetty huomiotta:" in found.understanding


@pytest.mark.parametrize(
    "question",
    [
        "Of the offers we lost, how many were in 2024?",
        "Leave the cancelled ones out. How many offers were there in 2024?",
        "How many offers were there in 2024? Count only the accepted ones.",
        "How many of our cancelled offers were in 2024?",
        "We lost how many offers in 2024?",
        "Montako hylättyä tarjousta oli vuonna 2024?",
        "I need the discount of the offers in 2024",
    ],
)
def test_what_may_narrow_a_question_is_no_story(question: str) -> None:
    assert isinstance(understand(question, LINKER, today=TODAY), Declined)


def test_a_story_about_another_thing_is_not_set_aside() -> None:
    question = "I'm repacking offer 1042 for a fair. Who sent offer 1043?"
    assert isinstance(understand(question, LINKER, today=TODAY), Declined)


@pytest.mark.parametrize(
    "typed, meant",
    [
        ("hwo many Mode P luminaires were orderd in 2024", "How many Mode P luminaires were ordered in 2024?"),
        ("most populr lenght of Mode P in 2024", "most popular length of Mode P in 2024"),
        ("thre most popular lengths of Mode P in 2024", "three most popular lengths of Mode P in 2024"),
        (
            "kuinka monta Mode P -valasinta tilatiin vuonna 2024",
            "kuinka monta Mode P -valaisinta tilattiin vuonna 2024",
        ),
    ],
)
def test_misspelt_words_are_mended_when_all_ways_mean_the_same(typed: str, meant: str) -> None:
    assert plan(typed) == plan(meant)


@pytest.mark.parametrize(
    "question",
    [
        # A list of what the question itself gives.
        "Status of the offers with status FINALIZED",
        # The best of each quarter, without of what.
        "the most in each quarter of 2024",
        # A number that nothing takes up.
        "How many Mode P luminaires 17 in 2024?",
    ],
)
def test_no_word_is_lost(question: str) -> None:
    assert isinstance(understand(question, LINKER, today=TODAY), Declined)


@pytest.mark.parametrize(
    "short, full",
    [
        ("offers / quarter 2024", "Number of offers per quarter in 2024"),
        (
            "Mode P 2024: % longer than 2000 mm",
            "What percentage of the Mode P luminaires of 2024 are longer than 2000 mm?",
        ),
        ("top length of Mode P 2024", "most popular length of Mode P in 2024"),
        ("Mode P 2024, qty, length x power", "Number of Mode P luminaires by length and power in 2024"),
        ("max products per offer in 2024", "What was the largest number of products in one offer in 2024?"),
        ("how many offers in Q1 2024 and how many in Q2 2024", "How many offers in Q1 2024 and Q2 2024, separately?"),
        ("most popular length of Mode P 2024, all families", "most popular length of Mode P in 2024"),
        # All or none of an offer's products, in other words.
        ("How many offers of 2024 have Mode P and no other family?", "How many offers of 2024 have only Mode P?"),
        ("In how many offers of 2024 are all products Mode P?", "How many offers of 2024 have only Mode P?"),
        (
            "Montako vuoden 2024 tarjousta, joiden jokainen tuote on Mode P?",
            "Monessako vuoden 2024 tarjouksessa on vain Mode P?",
        ),
        # Of each of what is listed.
        (
            "Which languages were used for offers in 2024, and how many offers were there in each?",
            "Number of offers in 2024 by language",
        ),
        ("Count every offer dated in 2024", "How many offers are dated in 2024?"),
        ("Break the Mode P luminaires of 2024 down by length", "Number of Mode P luminaires in 2024 by length"),
        # Whose orders, and to whom.
        ("Laske yritykselle Oulun Satama menneet tarjoukset", "Montako tarjousta Oulun Satama vastaanotti?"),
        ("How many offers were in the orders of Oulun Satama?", "How many offers did Oulun Satama receive?"),
    ],
)
def test_shorthand_means_what_is_written_out(short: str, full: str) -> None:
    assert plan(short) == plan(full)

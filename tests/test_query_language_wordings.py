"""Ways of wording, by class of language: each means exactly what the plain wording of its group means.

The plans of the plain wordings are asserted in the other tests; here it is the shorthand, the politeness, the spoken
form or the mistyped one that must not change them.
"""

from datetime import date

import pytest
from language_catalog import LIGHTS, NAMES

from cpq_graph.query.language import Declined, Linker, Understood, understand
from cpq_graph.query.plan import Compare, Grain, Measure, PeriodField, Plan, PropertyField, Some, Unit

LINKER = Linker(LIGHTS, NAMES)
TODAY = date(2025, 2, 1)

COUNT_2024 = "How many offers were there in 2024?"
P_2024 = "How many Mode P luminaires were ordered in 2024?"
MONTHLY = "number of offers per month in 2024"
SENDER = "Who sent offer T-2024-17?"
PRICE = "total price of offer 1042"
RECEIVED = "How many offers did Oulun Satama receive in 2024?"
FAMILIES = "Which product families are configured in offer 1042?"

# By the plain wording.
SAME: dict[str, tuple[str, ...]] = {
    COUNT_2024: (
        # shorthand
        "no. of offers 2024",
        "offers 2024: qty",
        "lkm tarjouksia 2024",
        "vuoden 2024 tarjousmäärä",
        # politeness
        "Could you please tell me how many offers there were in 2024? Thanks!",
        "Would you happen to know how many offers we made in 2024?",
        "I'd like to know the number of offers in 2024, thank you very much.",
        "Can you check how many offers there were in 2024?",
        "Ilmoittakaa vuoden 2024 tarjousten lukumäärä.",
        "Pyydän ilmoittamaan vuoden 2024 tarjousten määrän.",
        "Voisitteko kertoa, montako tarjousta tehtiin vuonna 2024?",
        # spoken
        "kuin monta tarjousta meil oli 2024",
        "montakohan tarjousta lähti 2024",
        # mistyped
        "how mnay offers in 2024",
        "How many offers wer there in 2024?",
    ),
    P_2024: (
        "Mode P 2024: qty?",
        "Mode P kpl 2024",
        "Mode P 2024: kpl",
        "How many Mode P did customers get in 2024?",
        "paljonko meni Mode P:itä 2024",
    ),
    MONTHLY: (
        "offers/month, 2024",
        "tarjoukset/kk 2024",
        "tarjousmäärät kuukausittain 2024",
        "Pyydän vuoden 2024 tarjousten lukumäärää kuukausittain eriteltynä.",
        "Esittäkää vuoden 2024 tarjousten lukumäärät kuukausittain eriteltyinä.",
    ),
    SENDER: ("Who sent T-2024-17?", "kuka lähetti T-2024-17:n", "Osaatko sanoa, kuka lähetti tarjouksen T-2024-17?"),
    PRICE: (
        "price tag of offer #1042",
        "teh total price of offer 1042",
        "Mahdatko tietää paljonko tarjous 1042 maksoi?",
    ),
    RECEIVED: (
        "How many offers did Oulun Satama get in 2024?",
        "How many offers did Oulun Satama take receipt of in 2024?",
        "How many offers went to Oulun Satama in 2024?",
        "Oulun Satama: offers received in 2024, qty",
        "How many offers in 2024 for customer Oulun Satama?",
        "Montako tarjousta meni Oulun Satamalle 2024?",
        "asiakas Oulun Satama, tarjousten lukumäärä 2024",
        "vastaanottaja Oulun Satama: montako tarjousta 2024",
    ),
    FAMILIES: ("Luetelkaa tarjouksen 1042 tuoteperheet.", "Names of the families in offer 1042, please."),
    "number of offers with Mode P in 2024": ("offers w/ Mode P, 2024: how many",),
    "number of offers without Mode P in 2024": ("offers w/o Mode P 2024, count",),
    "number of offers without Mode P or Mode S": ("How many offers contain neither Mode P nor Mode S?",),
    "average power of Mode P in 2024": ("avg power Mode P 2024",),
    "average power of Mode P": ("ka teho Mode P", "Mode P:n keskiteho", "average power per luminaire, Mode P"),
    "percentage of Mode P luminaires in 2024 that are black": ("pct of Mode P in black, 2024",),
    "How many Mode P luminaires are 2 m long?": ("Montako kaksimetristä Mode P -valaisinta tilattiin?",),
    "How many Mode P luminaires with a power of 57 W in 2024?": (
        "Montako 57-wattista Mode P:tä myytiin 2024?",
        "How many Mode P of 57 watts were ordered in 2024?",
        "How many 57-watt Mode P were ordered in 2024?",
    ),
    "What is the power of the luminaires of offer 1042?": ("How powerful are the luminaires in offer 1042?",),
    "What is the length of each luminaire of offer 1042?": ("How long is each luminaire of offer 1042?",),
    "five most popular lengths of Mode P in 2024": ("viis suosituinta pituutta Mode P:lle 2024",),
    "offers that contain more than 3 products": ("Offers with >3 products", "tarjoukset, joissa >3 tuotetta"),
    "number of Mode P luminaires by frame colour in 2024": (
        "Colour split of Mode P 2024",
        "Mode P:n värijakauma 2024",
        "Mode P / frame colour / count / 2024",
    ),
    "percentage of Mode P luminaires by frame colour in 2024": ("breakdown of Mode P by frame colour, 2024, in %",),
    "Which five customers received the most offers in 2024?": ("Top 5 asiakasta 2024 tarjousten määrän mukaan",),
    "Show the most expensive offer of 2024": ("most expensive offer 2024", "kallein tarjous 2024"),
    "top 3 customers by total price in 2024": (
        "Top 3 asiakasta 2024 kokonaishinnan mukaan",
        "Who are our top 3 customers by total price in 2024?",
    ),
    "Compare Mode P and Mode S in 2024": (
        "Mode P vs Mode S, 2024",
        "Did we sell more Mode P or Mode S in 2024?",
        "Oliko 2024 enemmän Mode P:tä vai Mode S:ää?",
    ),
}


def plan(question: str) -> Plan:
    found = understand(question, LINKER, today=TODAY)
    assert isinstance(found, Understood), found.reason
    return found.plan


@pytest.mark.parametrize(("plain", "question"), [(p, q) for p, texts in SAME.items() for q in texts])
def test_means_the_same(plain: str, question: str) -> None:
    expected, found = plan(plain), plan(question)
    assert sorted(map(repr, found.where)) == sorted(map(repr, expected.where))
    assert found.model_copy(update={"where": ()}) == expected.model_copy(update={"where": ()})


def test_periods_side_by_side_are_told_apart() -> None:
    assert plan("How many offers were there in 2023 and 2024?").group_by == (PeriodField(unit=Unit.YEAR),)
    assert plan("How many offers were there altogether in 2023 and 2024?").group_by == ()


def test_neither_nor() -> None:
    family = PropertyField(label="ProductFamily", property="name")
    (none,) = plan("offers with neither Mode P nor Mode S").where
    assert isinstance(none, Some)
    assert (none.grain, none.at_least, none.at_most) == (Grain.PRODUCT, None, 0)
    (compare,) = none.where
    assert isinstance(compare, Compare)
    assert (compare.field, compare.values) == (family, ("SNEP® MODE P", "SNEP® MODE S"))


def test_from_a_day_on() -> None:
    (since,) = plan("offers from 2024-03-01 on, count").where
    assert isinstance(since, Compare)
    assert (since.operator.value, since.values) == (">=", ("2024-03-01",))


def test_how_much_of_offers_is_their_price() -> None:
    (measure,) = plan("Paljonko tarjoukset olivat Q1 2024?").measures
    assert isinstance(measure, Measure)
    assert measure.field == PropertyField(label="Content", property="total_price")


@pytest.mark.parametrize(
    "question",
    [
        "What is the share of offers in Q3 2024?",
        "How much Mode P did we sell?",
        "Which families never appear in 2024?",
        "Mustien Mode P:iden osuus vuonna 2024",
        "Kuka myi eniten 2024?",
        "Kenen tarjouksissa oli eniten Mode P:tä 2024?",
        "Receiver: Oulun Satama. Offers 2024. Total price?",
        "Which companies have not ordered Mode P?",
        "What is the second most popular length of Mode P in 2024?",
    ],
)
def test_still_declined(question: str) -> None:
    assert isinstance(understand(question, LINKER, today=TODAY), Declined)

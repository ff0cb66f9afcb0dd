"""Wordings in another mood, written after the grammar was: chatty, telegraphic, roundabout, misspelt.

Never another plan than the one meant; those under `DECLINED` are not understood yet, and say so.
"""

from datetime import date

import pytest
from language_catalog import LIGHTS, NAMES
from test_query_language import CASES

from cpq_graph.query.language import Declined, Linker, Understood, understand

LINKER = Linker(LIGHTS, NAMES)
TODAY = date(2025, 2, 1)

# By the first wording of the case that means the same.
PARAPHRASES: dict[str, tuple[str, ...]] = {
    "What is the version of offer T-2024-17?": (
        "hey, could you tell me which version offer T-2024-17 is?",
        "I need the version number of quote T-2024-17",
        "version of the offer no. T-2024-17?",
        "mikähän versio tarjous T-2024-17 on",
        "Voisitko kertoa tarjouksen T-2024-17 version?",
    ),
    "How much did offer 1042 cost?": (
        "what did offer 1042 come to?",
        "Offer 1042 - how much is it worth?",
        "price tag of offer #1042",
        "Tarjouksen 1042 hinta?",
        "minkä hintainen tarjous 1042 oli?",
    ),
    "Who sent offer 1042?": (
        "Who was offer 1042 sent by?",
        "Kenen lähettämä tarjous 1042 on?",
        "Kuka on tarjouksen 1042 lähettäjä?",
    ),
    "Which product families are configured in offer 1042?": (
        "what product families can be found in offer 1042",
        "Tell me the families of the products in quotation 1042.",
        "Mitä tuoteperheitä on tarjouksessa 1042?",
        "Luettele tarjouksen 1042 tuoteperheet.",
    ),
    "What is the power of each luminaire of offer 1042?": (
        "Could you list the wattage of every luminaire in offer 1042?",
        "offer 1042: power per luminaire",
        "Kerro tarjouksen 1042 jokaisen valaisimen teho.",
        "tarjous 1042, teho valaisimittain",
    ),
    "How many offers were there in 2024?": (
        "So how many offers did we make in 2024 altogether?",
        "2024: number of offers?",
        "total number of quotations in the year 2024",
        "paljonko tarjouksia tehtiin 2024",
        "Kuinka monta tarjousta meillä oli vuonna 2024?",
    ),
    "How many offers has Göran Salo handled in Q1 2024?": (
        "offers Göran Salo handled, Q1 2024, count",
        "How many quotes did user Göran Salo take care of during the first quarter of 2024?",
        "Göran Salo, käsitellyt tarjoukset Q1 2024, montako?",
        "Montako tarjousta oli Göran Salon käsittelemiä vuoden 2024 alkuneljänneksellä?",
    ),
    "How many black Mode P luminaires were ordered in 2024?": (
        "In 2024, how many Mode P luminaires did customers order in black?",
        "count of black mode p lights sold during 2024",
        "blakc Mode P luminaires 2024, how many?",
        "Paljonko mustia Mode P -valaisimia tilattiin vuonna 2024?",
        "vuonna 2024 myydyt mustat Mode P:t, lukumäärä",
    ),
    "How many luminaires longer than 2 m are Mode P?": (
        "how many of the Mode P luminaires exceed 2000 mm in length?",
        "Mode P luminaires with length above 2 metres - how many",
        "Montako Mode P -valaisinta on pituudeltaan yli 2000 mm?",
        "Kuinka monen Mode P:n pituus ylittää 2000 mm?",
    ),
    "How many offers contain both Mode P and Kuura Pro?": (
        "In how many offers do we have Mode P together with Kuura Pro?",
        "Montako tarjousta sisältää sekä Mode P:n että Kuura Pron?",
    ),
    "How many offers do not contain Mode P?": (
        "number of offers that have no Mode P in them",
        "Monessako tarjouksessa ei ole yhtään Mode P:tä?",
        "Mode P:ttä olevien tarjousten määrä",
    ),
    "Which offers contain more than 10 products?": (
        "give me the offers that have over 10 luminaires",
        "Mitkä tarjoukset sisältävät yli kymmenen tuotetta?",
    ),
    "What is the average price of offers in 2024?": (
        "On average, how much did an offer cost in 2024?",
        "avg offer price 2024",
        "Paljonko tarjous maksoi keskimäärin vuonna 2024?",
        "keskihinta, tarjoukset, 2024",
    ),
    "What is the median power of Mode P luminaires?": (
        "median wattage for mode p?",
        "Mode P:iden mediaaniteho",
    ),
    "What is the average number of different products per offer received by Lahden Logistiikka Oy?": (
        "How many different luminaires are there on average in an offer that Lahden Logistiikka Oy has received?",
        "Montako tuotetta Lahden Logistiikka Oy:n vastaanottamassa tarjouksessa keskimäärin on?",
    ),
    "Of all Mode P luminaires ordered in 2024, how many percent are longer than 2000 mm?": (
        "how big a share of 2024's Mode P luminaires are over 2000 mm long?",
        "Percentage of Mode P luminaires in 2024 that were longer than 2 m",
        "Vuoden 2024 Mode P -valaisimista yli 2000 mm pitkien osuus prosentteina?",
        "Kuinka suuri prosenttiosuus vuonna 2024 tilatuista Mode P -valaisimista on yli kaksi metriä pitkiä?",
    ),
    "What share of the offers of 2024 contain Mode P?": (
        "In what percentage of 2024 offers is there a Mode P?",
        "Kuinka suuressa osassa vuoden 2024 tarjouksista on Mode P?",
    ),
    "How many Mode P luminaires were ordered in 2024 by frame colour?": (
        "Break down the Mode P luminaires of 2024 by frame colour",
        "2024 Mode P luminaires, count per frame color",
        "Jaottele vuoden 2024 Mode P -valaisimet rungon värin mukaan.",
        "Mode P 2024: kappalemäärät väreittäin",
    ),
    "Number of offers and their total price in each quarter of 2024": (
        "For every quarter of 2024, how many offers and for how much in total?",
        "quarterly offers and total price in 2024",
        "Vuoden 2024 tarjousten määrä ja yhteishinta per neljännes",
    ),
    "Which companies received more than 5 offers in 2024?": (
        "companies with over five received offers in 2024",
        "Who are the companies that got more than 5 offers in 2024?",
        "Yritykset, jotka saivat vuonna 2024 enemmän kuin 5 tarjousta",
    ),
    "What was the most popular length of Mode P in 2024?": (
        "Which length did people choose most often for Mode P in 2024?",
        "In 2024, what length was the most common one for Mode P luminaires?",
        "mode p favourite length 2024?",
        "Minkä pituisia Mode P:itä tilattiin eniten 2024?",
        "Mikä pituus oli Mode P:ssä yleisin vuonna 2024?",
    ),
    "What are the five most popular optics over all families in 2024?": (
        "give me the top five optics of 2024",
        "which 5 optics were chosen most often in 2024",
        "Viisi yleisintä optiikkaa vuonna 2024",
        "top 5 optiikat 2024",
    ),
    "Which five companies received the most offers in the first half of 2024, with counts and total prices?": (
        "Who were the 5 companies receiving most offers between January and June 2024? Show counts and total prices.",
        "Viisi yritystä, jotka vastaanottivat eniten tarjouksia tammi-kesäkuussa 2024, sekä määrät ja kokonaishinnat",
    ),
    "Which three participants, grouped by name, sent the most offers in Q3 2024?": (
        "top 3 participants by offers sent in Q3 2024",
        "Kolme eniten tarjouksia lähettänyttä osapuolta Q3 2024",
    ),
    "Show the 3 most expensive offers of 2024": (
        "what were our three most expensive offers in 2024?",
        "3 kalleinta tarjousta vuonna 2024",
    ),
    "Latest offer received by Oulun Satama": (
        "which offer did Oulun Satama receive most recently?",
        "Oulun Sataman viimeksi vastaanottama tarjous",
    ),
}  # fmt: skip
DECLINED = frozenset(
    (
        "Montako tarjousta oli Göran Salon käsittelemiä vuoden 2024 alkuneljänneksellä?",
        "Mode P:ttä olevien tarjousten määrä",
        "which offer did Oulun Satama receive most recently?",
        "Oulun Sataman viimeksi vastaanottama tarjous",
    )
)


@pytest.mark.parametrize(("first", "question"), [(first, q) for first, texts in PARAPHRASES.items() for q in texts])
def test_paraphrase(first: str, question: str) -> None:
    plan = next(case.plan for case in CASES if case.en and case.en[0] == first)
    found = understand(question, LINKER, today=TODAY)
    if question in DECLINED:
        assert isinstance(found, Declined)
        return
    assert isinstance(found, Understood), found.reason
    assert sorted(map(repr, found.plan.where)) == sorted(map(repr, plan.where))
    assert found.plan.model_copy(update={"where": ()}) == plan.model_copy(update={"where": ()})

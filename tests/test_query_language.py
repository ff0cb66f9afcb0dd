# ruff: noqa: E501 - a question stands on one line, however long
"""Questions of every kind in English and Finnish, each with the plan that it means."""

from dataclasses import dataclass
from datetime import date

import pytest
from language_catalog import LIGHTS, NAMES

from cpq_graph.query.compile import compile_plan
from cpq_graph.query.language import Linker, Understood, understand
from cpq_graph.query.plan import (
    Aggregate,
    AllOf,
    AnyOf,
    Compare,
    Condition,
    Exists,
    FeatureField,
    Grain,
    Measure,
    MeasureBound,
    Not,
    Operator,
    Order,
    PeriodField,
    Plan,
    PropertyField,
    RangeField,
    Role,
    Some,
    Top,
    Unit,
)

TODAY = date(2025, 2, 1)
LINKER = Linker(LIGHTS, NAMES)

OFFER, PRODUCT = Grain.OFFER, Grain.PRODUCT
OFFER_ID = PropertyField(label="Offer", property="id")
DAY = PropertyField(label="Offer", property="date")
STATUS = PropertyField(label="Offer", property="status")
PRICE = PropertyField(label="Content", property="total_price")
FAMILY = PropertyField(label="ProductFamily", property="name")
COST = PropertyField(label="ProductFamily", property="total_cost")
PRODUCT_ID = PropertyField(label="Product", property="id")
SENDER = PropertyField(label="Participant", property="name", role=Role.SENT)
BUYER = PropertyField(label="Participant", property="company", role=Role.RECEIVED)
USERID = PropertyField(label="User", property="userid")
QUARTER = PeriodField(unit=Unit.QUARTER)
MONTH = PeriodField(unit=Unit.MONTH)
OFFERS = Measure(aggregate=Aggregate.COUNT, of=OFFER)
PRODUCTS = Measure(aggregate=Aggregate.COUNT, of=PRODUCT)
TOTAL = Measure(aggregate=Aggregate.SUM, field=PRICE)
BLACK, WHITE = ("Black", "Musta"), ("Valkoinen", "White")


def named(ext_id: str) -> FeatureField:
    return FeatureField(ext_id=ext_id)


def number(ext_id: str) -> FeatureField:
    return FeatureField(ext_id=ext_id, part="measure")


def is_(field: PropertyField | FeatureField, *values: str | float) -> Compare:
    operator = Operator.EQUAL if len(values) == 1 else Operator.IN
    return Compare(field=field, operator=operator, values=values)


def over(field: PropertyField | FeatureField, value: float) -> Compare:
    return Compare(field=field, operator=Operator.MORE, values=(value,))


def least(field: PropertyField | FeatureField, value: float | str) -> Compare:
    return Compare(field=field, operator=Operator.AT_LEAST, values=(value,))


def most(field: PropertyField | FeatureField, value: float | str) -> Compare:
    return Compare(field=field, operator=Operator.AT_MOST, values=(value,))


def within(first: str, last: str) -> tuple[Condition, ...]:
    return least(DAY, first), most(DAY, last)


YEAR = within("2024-01-01", "2024-12-31")
P = is_(FAMILY, "SNEP® MODE P")


def ascending(count: int) -> tuple[Order, ...]:
    return tuple(Order(column=i, descending=False) for i in range(count))


def has(*where: Condition) -> Some:
    return Some(grain=PRODUCT, where=where, at_least=1)


def popular(*keys: FeatureField, where: tuple[Condition, ...], count: int | None = 1) -> Plan:
    return Plan(
        grain=PRODUCT,
        where=where,
        group_by=keys,
        measures=(PRODUCTS,),
        order=(Order(measure=0),),
        top=Top(count=count) if count else None,
    )


@dataclass(frozen=True)
class Case:
    plan: Plan
    en: tuple[str, ...] = ()
    fi: tuple[str, ...] = ()


CASES = (
    # -- looking up a property of an offer
    Case(
        Plan(grain=OFFER, where=(is_(OFFER_ID, "T-2024-17"),), show=(PropertyField(label="Offer", property="version"),)),
        (
            "What is the version of offer T-2024-17?",
            "Which version does the quotation with id T-2024-17 have?",
            "offer T-2024-17 version please",
        ),
        ("Mikä on tarjouksen T-2024-17 versio?", "Kerro tarjouksen T-2024-17 versio", "Tarjous T-2024-17, versio?"),
    ),
    Case(
        Plan(grain=OFFER, where=(is_(OFFER_ID, "1042"),), show=(PRICE,)),
        ("How much did offer 1042 cost?", "What's the total price of offer number 1042?", "total value of offer 1042"),
        ("Paljonko tarjous 1042 maksoi?", "Mikä on tarjouksen nro 1042 kokonaishinta?"),
    ),
    Case(
        Plan(grain=OFFER, where=(is_(OFFER_ID, "1042"),), show=(DAY,)),
        ("When was offer 1042 made?", "What date is offer 1042 dated?", "On which day was offer 1042 dated?"),
        ("Milloin tarjous 1042 on päivätty?", "Mikä on tarjouksen 1042 päivämäärä?"),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=(is_(OFFER_ID, "1042"),),
            show=(SENDER, PropertyField(label="Participant", property="company", role=Role.SENT)),
        ),
        ("Who sent offer 1042?", "By whom was offer 1042 sent?", "who sold offer 1042"),
        ("Kuka lähetti tarjouksen 1042?", "Kuka on lähettänyt tarjouksen 1042?"),
    ),
    Case(
        Plan(grain=OFFER, where=(is_(OFFER_ID, "1042"),), show=(BUYER,)),
        ("Which company received offer 1042?", "What company ordered offer 1042?"),
        ("Mikä yritys vastaanotti tarjouksen 1042?", "Mille yritykselle tarjous 1042 myytiin?"),
    ),
    # -- lists
    Case(
        Plan(grain=OFFER, where=(is_(DAY, "2024-07-16"), is_(SENDER, "Björn Lindström")), show=(OFFER_ID,)),
        (
            "Which offers dated July 16th 2024 were sent by Björn Lindström?",
            "List the offers dated 2024-07-16 that were sent by the participant Björn Lindström",
            "offers of 16.7.2024 sold by Björn Lindstrom",
        ),
        (
            "Mitkä 16. heinäkuuta 2024 päivätyt tarjoukset ovat Björn Lindströmin lähettämiä?",
            "Luettele 16.7.2024 päivätyt tarjoukset, jotka Björn Lindström lähetti",
        ),
    ),
    Case(
        Plan(grain=PRODUCT, where=(is_(OFFER_ID, "1042"),), show=(FAMILY,)),
        ("Which product families are configured in offer 1042?", "What families does offer 1042 include?"),
        ("Mitkä tuoteperheet on konfiguroitu tarjouksessa 1042?", "Mitä perheitä tarjous 1042 sisältää?"),
    ),
    Case(
        Plan(grain=PRODUCT, where=(is_(OFFER_ID, "1042"),), show=(PRODUCT_ID, named("teho"))),
        (
            "What is the power of each luminaire of offer 1042?",
            "For each luminaire in offer 1042, show the power",
            "power of every light in offer 1042",
        ),
        ("Mikä on kunkin tarjouksen 1042 valaisimen teho?", "Näytä jokaisen tarjouksen 1042 valaisimen teho"),
    ),
    Case(
        Plan(
            grain=Grain.PARAMETER,
            where=(is_(OFFER_ID, "1042"), is_(PropertyField(label="Parameter", property="ext_id"), "pituus")),
            show=(PRODUCT_ID, PropertyField(label="ParameterValue", property="measure")),
        ),
        (
            "What are the measures of the parameters that carry ext_id pituus in offer 1042?",
            "measures of parameters with attribute type ext_id value 'pituus' in offer 1042",
        ),
        ("Mitkä ovat mitta-arvot parametreille, joilla on ext_id pituus, tarjouksessa 1042?",),
    ),
    Case(
        Plan(
            grain=Grain.PARTICIPANT,
            where=(is_(PropertyField(label="Participant", property="name"), "Päivi Mäkelä"),),
            show=(PropertyField(label="Participant", property="company"),),
        ),
        ("Which company does Päivi Mäkelä represent?", "What is the company of Päivi Mäkelä?"),
        ("Mitä yritystä Päivi Mäkelä edustaa?",),
    ),
    # -- counting
    Case(
        Plan(grain=OFFER, where=YEAR, measures=(OFFERS,)),
        ("How many offers were there in 2024?", "number of offers last year", "Count the quotes made in 2024."),
        ("Montako tarjousta tehtiin vuonna 2024?", "tarjousten määrä viime vuonna", "Laske vuoden 2024 tarjoukset."),
    ),
    Case(
        Plan(grain=OFFER, where=(is_(USERID, "gsalo"), *within("2024-01-01", "2024-03-31")), measures=(OFFERS,)),
        (
            "How many offers has Göran Salo handled in Q1 2024?",
            "How many offers were handled by user gsalo in the first quarter of 2024?",
            "Number of offers handled by Göran Salo between January and March 2024",
        ),
        (
            "Montako tarjousta Göran Salo käsitteli tammi-maaliskuussa 2024?",
            "Kuinka monta tarjousta Göran Salo on käsitellyt vuoden 2024 ensimmäisellä neljänneksellä?",
            "Göran Salon käsittelemien tarjousten lukumäärä Q1/2024",
        ),
    ),
    Case(
        Plan(grain=PRODUCT, where=(*YEAR, is_(named("vari"), *BLACK), P), measures=(PRODUCTS,)),
        ("How many black Mode P luminaires were ordered in 2024?", "how many black snep mode-p in 2024"),
        ("Montako mustaa Mode P:tä myytiin vuonna 2024?", "Kuinka monta mustaa SNEP MODE P -valaisinta tilattiin 2024?"),
    ),
    Case(
        Plan(
            grain=PRODUCT,
            where=(*YEAR, P, Exists(field=named("vari")), Not(condition=is_(named("vari"), *BLACK))),
            measures=(PRODUCTS,),
        ),
        (
            "How many Mode P luminaires of 2024 have a frame colour other than black?",
            "How many Mode P's ordered in 2024 were not black?",
        ),
        ("Kuinka moni vuoden 2024 Mode P -valaisin ei ole musta?",),
    ),
    Case(
        Plan(grain=PRODUCT, where=(over(number("pituus"), 2000.0), P), measures=(PRODUCTS,)),
        (
            "How many luminaires longer than 2 m are Mode P?",
            "How many luminaires over 2000 mm long are configured as SNEP MODE P?",
            "How many luminaires with a length of more than 2,000 mm are Mode P?",
        ),
        (
            "Kuinka monta yli 2 metriä pitkää Mode P -valaisinta on?",
            "Montako pidempää kuin 2000 mm Mode P -valaisinta?",
        ),
    ),
    Case(
        Plan(grain=PRODUCT, where=(least(number("teho"), 30.0), most(number("teho"), 60.0)), measures=(PRODUCTS,)),
        (
            "How many luminaires have a power between 30 and 60 W?",
            "How many lights with 30–60 W?",
            "number of luminaires whose power is from 30 to 60 watts",
        ),
        ("Monenko valaisimen teho on 30–60 W?".replace("Monenko", "Kuinka monen"), "Montako teholtaan 30-60 watin valaisinta on?"),
    ),
    Case(
        Plan(
            grain=PRODUCT,
            where=(is_(FAMILY, "SNEP® MODE P", "SNEP® MODE S"), over(number("varilampotila"), 3000.0)),
            measures=(PRODUCTS,),
        ),
        ("How many Mode P and Mode S luminaires have a color temperature over 3000 K?",),
        ("Kuinka monella Mode P- ja Mode S -valaisimella värilämpötila on yli 3000 K?",),
    ),
    Case(
        Plan(grain=PRODUCT, where=(is_(OFFER_ID, "1042"),), measures=(Measure(aggregate=Aggregate.COUNT, field=PropertyField(label="Tab", property="id")),)),
        ("How many tabs are there in offer 1042?",),
        ("Kuinka monta välilehteä tarjouksessa 1042 on?",),
    ),
    Case(
        Plan(grain=OFFER, where=YEAR, measures=(Measure(aggregate=Aggregate.COUNT, field=BUYER),)),
        ("How many different companies received offers in 2024?",),
        ("Kuinka moni eri yritys vastaanotti tarjouksia vuonna 2024?",),
    ),
    # -- offers by their products
    Case(
        Plan(
            grain=OFFER,
            where=(
                is_(BUYER, "Oulun Satama"),
                Some(grain=PRODUCT, where=(Not(condition=P),), at_most=0),
                Some(grain=PRODUCT, at_least=1),
            ),
            measures=(OFFERS, TOTAL),
        ),
        (
            "Number and total price of the offers received by Oulun Satama that only contain products configured as Mode P",
            "How many offers received by Oulun Satama contain nothing but Mode P luminaires, and what is their total price?",
        ),
        ("Oulun Sataman vastaanottamien tarjousten määrä ja kokonaishinta, jotka sisältävät vain Mode P -tuotteita",),
    ),
    Case(
        Plan(grain=OFFER, where=(has(P), has(is_(FAMILY, "KUURA PRO"))), measures=(OFFERS,)),
        ("How many offers contain both Mode P and Kuura Pro?", "number of offers with Mode P as well as Kuura Pro"),
        ("Kuinka monessa tarjouksessa on sekä Mode P että Kuura Pro?",),
    ),
    Case(
        Plan(grain=OFFER, where=(Some(grain=PRODUCT, where=(P,), at_most=0),), measures=(OFFERS,)),
        ("How many offers do not contain Mode P?", "How many offers without Mode P products are there?"),
        ("Montako tarjousta ei sisällä Mode P:tä?", "Kuinka monessa tarjouksessa ei ole Mode P:tä?"),
    ),
    Case(
        Plan(grain=OFFER, where=(Some(grain=PRODUCT, at_least=11),), show=(OFFER_ID,)),
        ("Which offers contain more than 10 products?", "List offers with over ten luminaires"),
        ("Missä tarjouksissa on yli 10 tuotetta?", "Listaa tarjoukset, joissa on enemmän kuin kymmenen valaisinta"),
    ),
    Case(
        Plan(grain=OFFER, where=(Some(grain=PRODUCT, where=(is_(named("vari"), *BLACK), P), at_least=2),), show=(OFFER_ID,)),
        ("Which offers contain at least two black Mode P luminaires?",),
        ("Listaa tarjoukset, joissa on vähintään kaksi mustaa Mode P -valaisinta",),
    ),
    Case(
        Plan(grain=OFFER, where=(over(PRICE, 20000.0), *within("2024-06-01", "2024-06-30")), show=(OFFER_ID,)),
        ("Which offers had a total price over 20 000 € in June 2024?", "offers above 20,000 euros in June 2024"),
        ("Mitkä yli 20 000 euron tarjoukset tehtiin kesäkuussa 2024?",),
    ),
    # -- aggregates
    Case(
        Plan(grain=OFFER, where=YEAR, measures=(Measure(aggregate=Aggregate.AVERAGE, field=PRICE),)),
        ("What is the average price of offers in 2024?", "mean total price of the offers made in 2024"),
        ("Mikä oli tarjousten keskihinta vuonna 2024?", "tarjousten keskimääräinen kokonaishinta 2024"),
    ),
    Case(
        Plan(grain=PRODUCT, where=(P,), measures=(Measure(aggregate=Aggregate.MEDIAN, field=number("teho")),)),
        ("What is the median power of Mode P luminaires?",),
        ("Mikä on Mode P -valaisinten mediaaniteho?", "Mode P:n tehon mediaani"),
    ),
    Case(
        Plan(grain=PRODUCT, where=(*YEAR, P), measures=(Measure(aggregate=Aggregate.MAXIMUM, field=number("pituus")),)),
        ("What is the longest Mode P ordered in 2024?", "maximum length of Mode P in 2024"),
        ("Mikä on pisin vuonna 2024 tilattu Mode P?", "Mode P:n suurin pituus vuonna 2024"),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=(is_(BUYER, "Lahden Logistiikka Oy"),),
            measures=(Measure(aggregate=Aggregate.AVERAGE, of=PRODUCT, per=OFFER),),
        ),
        (
            "What is the average number of different products per offer received by Lahden Logistiikka Oy?",
            "How many products do the offers received by Lahden Logistiikka Oy contain on average?",
        ),
        ("Mikä on tuotteiden keskimääräinen määrä tarjousta kohden Lahden Logistiikka Oy:n vastaanottamissa tarjouksissa?",),
    ),
    Case(
        Plan(grain=OFFER, where=YEAR, measures=(Measure(aggregate=Aggregate.AVERAGE, of=OFFER, per=MONTH),)),
        ("average number of offers per month in 2024",),
        ("Montako tarjousta kuukaudessa keskimäärin tehtiin 2024?".replace("kuukaudessa", "per kuukausi"),),
    ),
    # -- shares
    Case(
        Plan(
            grain=PRODUCT,
            where=(*YEAR, P),
            measures=(Measure(aggregate=Aggregate.SHARE, of=PRODUCT, having=(over(number("pituus"), 2000.0),)),),
        ),
        (
            "Of all Mode P luminaires ordered in 2024, how many percent are longer than 2000 mm?",
            "What share of the Mode P luminaires ordered in 2024 are longer than 2 m?",
            "What percentage of Mode P's sold in 2024 has a length over 2000 mm?",
        ),
        (
            "Kuinka monta prosenttia kaikista vuonna 2024 tilatuista Mode P -valaisimista on pidempiä kuin 2000 mm?",
            "Mikä osuus vuonna 2024 tilatuista Mode P:istä on yli 2000 mm pitkiä?",
        ),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=YEAR,
            measures=(Measure(aggregate=Aggregate.SHARE, of=OFFER, having=(has(P),)),),
        ),
        ("What share of the offers of 2024 contain Mode P?", "how many percent of offers in 2024 include a Mode P luminaire"),
        ("Montako prosenttia vuoden 2024 tarjouksista sisältää Mode P:n?",),
    ),
    Case(
        Plan(
            grain=PRODUCT,
            where=(*YEAR, P),
            group_by=(named("vari"),),
            measures=(Measure(aggregate=Aggregate.SHARE, of=PRODUCT),),
            order=ascending(1),
        ),
        ("What is the percentage of each frame colour among Mode P luminaires in 2024?",),
    ),
    # -- groups
    Case(
        Plan(grain=PRODUCT, where=(*YEAR, P), group_by=(named("vari"),), measures=(PRODUCTS,), order=ascending(1)),
        (
            "How many Mode P luminaires were ordered in 2024 by frame colour?",
            "number of Mode P's per frame color in 2024",
            "How many Mode P luminaires of each frame colour were sold in 2024?",
        ),
        (
            "Kuinka monta Mode P -valaisinta tilattiin vuonna 2024 rungon värin mukaan?",
            "Mode P -valaisimet väreittäin vuonna 2024",
            "Mode P -valaisinten määrä kutakin rungon väriä kohden vuonna 2024",
        ),
    ),
    Case(
        Plan(
            grain=PRODUCT,
            where=(*YEAR, P),
            group_by=(BUYER, named("vari")),
            measures=(PRODUCTS,),
            order=ascending(2),
        ),
        (
            "How many Mode P luminaires did each company order in 2024, by company and frame color?",
            "How many Mode P luminaires were received in 2024 by company and frame color?",
        ),
        ("Kuinka monta Mode P -valaisinta kukin yritys vastaanotti väreittäin vuonna 2024?",),
    ),
    Case(
        Plan(grain=OFFER, where=YEAR, group_by=(QUARTER,), measures=(OFFERS, TOTAL), order=ascending(1)),
        ("Number of offers and their total price in each quarter of 2024", "offer count and total price per quarter in 2024"),
        ("Tarjousten määrä ja kokonaishinta neljänneksittäin vuonna 2024",),
    ),
    Case(
        Plan(
            grain=PRODUCT,
            where=YEAR,
            group_by=(RangeField(of=number("teho"), width=50.0),),
            measures=(PRODUCTS,),
            order=ascending(1),
        ),
        ("Number of luminaires by power in 50 W ranges in 2024",),
        ("Valaisimet tehon mukaan 50 watin välein vuonna 2024",),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=YEAR,
            group_by=(BUYER,),
            measures=(OFFERS,),
            group_having=(MeasureBound(measure=0, operator=Operator.AT_LEAST, value=6.0),),
            order=ascending(1),
        ),
        ("Which companies received more than 5 offers in 2024?",),
        ("Mitkä yritykset vastaanottivat yli viisi tarjousta vuonna 2024?",),
    ),
    Case(
        Plan(
            grain=PRODUCT,
            where=(*YEAR, is_(FAMILY, "SNEP® MODE P", "SNEP® MODE S")),
            group_by=(FAMILY,),
            measures=(PRODUCTS,),
            order=ascending(1),
        ),
        ("Compare the number of Mode P and Mode S luminaires in 2024", "How many Mode P versus Mode S in 2024?"),
        ("Vertaa Mode P- ja Mode S -valaisinten määrää vuonna 2024",),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=(
                AnyOf(
                    conditions=(
                        AllOf(conditions=within("2023-01-01", "2023-03-31")),
                        AllOf(conditions=within("2024-01-01", "2024-03-31")),
                    )
                ),
            ),
            group_by=(QUARTER,),
            measures=(OFFERS,),
            order=ascending(1),
        ),
        ("Compare the number of offers in Q1 2023 and Q1 2024",),
        ("Vertaa tarjousten määrää Q1 2023 ja Q1 2024",),
    ),
    # -- rankings
    Case(
        popular(named("pituus"), where=(*YEAR, P)),
        (
            "What was the most popular length of Mode P in 2024?",
            "Which length of Mode P was ordered most often in 2024?",
            "mode p most common length 2024",
        ),
        (
            "Mikä oli Mode P:n suosituin pituus vuonna 2024?",
            "Mitä pituutta Mode P:stä tilattiin eniten vuonna 2024?",
            "Yleisin Mode P -valaisimen pituus 2024",
        ),
    ),
    Case(
        popular(named("optiikka"), where=YEAR, count=5),
        ("What are the five most popular optics over all families in 2024?", "Top 5 optics in 2024"),
        ("Mitkä ovat viisi suosituinta optiikkaa kaikissa tuoteperheissä vuonna 2024?",),
    ),
    Case(
        popular(named("pituus"), named("teho"), named("vari"), where=(*YEAR, P), count=3),
        ("What are the three most popular combinations of length, power and frame color of Mode P in 2024?",),
        ("Mitkä ovat kolme suosituinta pituuden, tehon ja rungon värin yhdistelmää Mode P:ssä vuonna 2024?",),
    ),
    Case(
        Plan(
            grain=PRODUCT,
            where=(*YEAR, P),
            group_by=(QUARTER, named("pituus")),
            measures=(PRODUCTS, Measure(aggregate=Aggregate.SHARE, of=PRODUCT)),
            order=(Order(column=0, descending=False), Order(measure=0)),
            top=Top(count=3, within=(0,)),
        ),
        (
            "What are the three most popular lengths of Mode P in each quarter of 2024, with amounts and percentage shares?",
            "For each quarter of 2024, give the top 3 lengths of Mode P with counts and percentages",
        ),
        ("Mitkä ovat kolme suosituinta Mode P:n pituutta kullakin vuoden 2024 neljänneksellä määrineen ja prosenttiosuuksineen?",),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=within("2024-01-01", "2024-06-30"),
            group_by=(BUYER,),
            measures=(OFFERS, TOTAL),
            order=(Order(measure=0),),
            top=Top(count=5),
        ),
        (
            "Which five companies received the most offers in the first half of 2024, with counts and total prices?",
            "Top 5 companies by number of offers received in H1 2024, with total prices",
        ),
        ("Mitkä viisi yritystä vastaanottivat eniten tarjouksia vuoden 2024 ensimmäisellä puoliskolla, määrineen ja kokonaishintoineen?",),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=within("2024-07-01", "2024-09-30"),
            group_by=(SENDER,),
            measures=(OFFERS,),
            order=(Order(measure=0),),
            top=Top(count=3),
        ),
        ("Which three participants, grouped by name, sent the most offers in Q3 2024?",),
        ("Mitkä kolme osapuolta, nimen mukaan ryhmiteltynä, lähettivät eniten tarjouksia vuoden 2024 kolmannella neljänneksellä?",),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=(*YEAR, Exists(field=PRICE)),
            show=(OFFER_ID, PRICE),
            order=(Order(column=1),),
            top=Top(count=3),
        ),
        ("Show the 3 most expensive offers of 2024", "the three priciest offers in 2024"),
        ("Näytä vuoden 2024 kolme kalleinta tarjousta",),
    ),
    Case(
        Plan(
            grain=OFFER,
            where=(is_(BUYER, "Oulun Satama"), Exists(field=DAY)),
            show=(OFFER_ID, DAY),
            order=(Order(column=1),),
            top=Top(count=1),
        ),
        ("Latest offer received by Oulun Satama", "What is the most recent offer that Oulun Satama received?"),
        ("Mikä on Oulun Sataman vastaanottama viimeisin tarjous?",),
    ),
    # -- other properties
    Case(
        Plan(grain=OFFER, where=(is_(STATUS, "ORDERED"),), measures=(OFFERS,)),
        ("How many offers have status ORDERED?", "number of ORDERED offers"),
        ("Montako tarjousta on tilassa ORDERED?", "Kuinka monen tarjouksen tila on ORDERED?"),
    ),
    Case(
        Plan(grain=OFFER, where=(is_(PropertyField(label="Offer", property="language_id"), "fi"),), measures=(OFFERS,)),
        ("How many offers are in Finnish?", "number of Finnish offers"),
        ("Montako suomenkielistä tarjousta on?",),
    ),
    Case(
        Plan(grain=PRODUCT, where=(*YEAR, P), measures=(Measure(aggregate=Aggregate.SUM, field=COST),)),
        ("sum of the total cost of Mode P luminaires in 2024",),
        ("Mode P -valaisinten kokonaiskustannusten summa vuonna 2024",),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "language", "plan"),
    [(q, lang, case.plan) for case in CASES for lang, texts in (("en", case.en), ("fi", case.fi)) for q in texts],
)
def test_plan(question: str, language: str, plan: Plan) -> None:
    understood = understand(question, LINKER, today=TODAY)
    assert isinstance(understood, Understood), understood.reason
    assert understood.language == language
    # Conditions hold together in any order.
    found = understood.plan
    assert sorted(map(repr, found.where)) == sorted(map(repr, plan.where))
    assert found.model_copy(update={"where": ()}) == plan.model_copy(update={"where": ()})
    assert understood.understanding.endswith(".")
    compile_plan(found)

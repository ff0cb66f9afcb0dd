"""The source itself: people and offers with all that hangs on them, one offer at a time.

Arrives: `Spec` (offers, seed, defects). Leaves: `People`, and a stream of `Offer` and `Orphan`, always the same for
one spec. Memory does not grow with the number of offers, but for the people (one to ten offers).
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from sample_data.documents import FORM_WEIGHTS, Document, Form
from sample_data.elements import Element, FamilyMaker
from sample_data.reasons import DOCUMENT_REASONS, Reason
from sample_data.schedule import Defects, Schedule
from sample_data.vocabulary import (
    COMPANIES,
    FAMILIES,
    FINAL_STATUSES,
    FIRST_NAMES,
    LAST_NAMES,
    OFFER_LANGUAGES,
    SHARED_NAMES,
    STATUSES,
    TITLES,
    VERSIONS,
    YEARS,
)

# Keys at and above this point at nothing.
NOWHERE = 9_000_000_000
# Keys of rows that there should be only one of; compared as text, some of them come first.
SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Spec:
    """What a sample is made from. `bulk` is how many bytes of no interest a document has to one of interest."""

    offers: int
    seed: int = 1
    defects: Defects = "clean"
    bulk: float = 1.0
    giant_text: int = 11_000_000


@dataclass(frozen=True, slots=True)
class User:
    """A row of the handlers."""

    id: int
    userid: str | None
    firstname: str | None
    lastname: str | None


@dataclass(frozen=True, slots=True)
class Participant:
    """A row of the people who send, deliver or receive."""

    id: int
    title: str | None
    name: str | None
    company: str | None


@dataclass(frozen=True, slots=True)
class People:
    """All whom offers may name, and some whom none does."""

    users: tuple[User, ...]
    participants: tuple[Participant, ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """A row with a document, of the product it stands under."""

    id: int
    document: Document


@dataclass(frozen=True, slots=True)
class Product:
    """A product with its configurations: one, none, or (a defect) two."""

    id: str
    configurations: tuple[Configuration, ...]


@dataclass(frozen=True, slots=True)
class Subcontent:
    """The part of a content that holds the products. A price that is NaN has no meaning."""

    id: int
    total_price: float | None
    products: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """What an offer contains: one subcontent, or (a defect) two."""

    id: int
    total_price: float | None
    subcontents: tuple[Subcontent, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer. `bad_date` is what stands in the source where `date` is None for that reason. `parties` are the keys
    by contract column (user_id, sent_by, delivered_by, received_by); those at NOWHERE and above point at nothing."""

    id: str
    language_id: str
    status: str
    date: date | None
    bad_date: str | None
    version: str
    parties: dict[str, int | None]
    contents: tuple[Content, ...]
    changed_at: datetime

    @property
    def final(self) -> bool:
        """Whether it ended in a sale."""
        return self.status in FINAL_STATUSES


@dataclass(frozen=True, slots=True)
class Orphan:
    """A row, with all that hangs on it, whose parent is not there: `parent` is None or points at nothing."""

    row: Content | Subcontent | Product | Configuration
    parent: int | str | None
    changed_at: datetime

    @property
    def reason(self) -> Reason:
        """Why it is rejected."""
        return Reason.NO_PARENT if self.parent is None else Reason.DANGLING


def configurations(made: Offer | Orphan) -> Iterator[Configuration]:
    """The configurations of an offer or orphan, whatever becomes of them."""
    waiting: list[Content | Subcontent | Product | Configuration] = (
        list(made.contents) if isinstance(made, Offer) else [made.row]
    )
    while waiting:
        match row := waiting.pop(0):
            case Content():
                waiting.extend(row.subcontents)
            case Subcontent():
                waiting.extend(row.products)
            case Product():
                waiting.extend(row.configurations)
            case Configuration():
                yield row


def _unaccented(text: str) -> str:
    return text.translate(str.maketrans("ÄÅÖäåö", "AAOaao"))


def people(spec: Spec) -> People:
    """The users and participants of the sample. Some share a name; some are called like a company; some have no
    name, title or company."""
    rng = random.Random(f"people {spec.seed}")
    users = []
    for number in range(1, 9 + spec.offers // 150):
        # One is called like several participants, and like a company.
        full = SHARED_NAMES[0] if number == 3 else f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        first, last = full.split(" ", 1)
        login = _unaccented(f"{first[:3]}{last[:4]}".lower().replace("-", "")) + (str(number) if number > 4 else "")
        users.append(User(number, login, first, last))
    users.append(User(len(users) + 1, "integration", None, ""))
    participants = []
    for number in range(1, 36 + spec.offers // 10):
        if number % 6 == 0:
            name = SHARED_NAMES[number // 6 % len(SHARED_NAMES)]
        else:
            name = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        # A few companies buy much, many buy little.
        company = COMPANIES[int(len(COMPANIES) * rng.random() ** 1.7)]
        participants.append(Participant(100 + number, rng.choice(TITLES), name, company))
    oddities = (
        (None, None, "Ålands Ljus Ab"),
        ("", "Kaarina Öhman", None),
        ('"Chief"', 'Nicko "Nick" O\'Malley, Jr.', "R&D Lighting <Nordic>"),
        ("Buyer", "  Spaced  Name ", "Back\\slash; Tab\tOy"),
        ("Two\nlines", "NULL", "\\N"),
    )
    participants += [Participant(10 + n, *odd) for n, odd in enumerate(oddities)]
    return People(tuple(users), tuple(participants))


def stream(spec: Spec) -> Iterator[Offer | Orphan]:
    """The offers of the sample, one by one, each with all that hangs on it; orphans come after the offer that they
    were made with."""
    return _Maker(spec).offers()


@dataclass(slots=True)
class _Maker:
    spec: Spec
    rng: random.Random = field(init=False)
    schedule: Schedule = field(init=False)
    people: People = field(init=False)
    # The schedule of offers that are not loaded: they are without defects.
    calm: Schedule = field(init=False)
    rows: int = 50
    seconds: int = SECOND
    nowhere: int = NOWHERE
    files: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(f"offers {self.spec.seed}")
        self.schedule = Schedule(self.spec.defects)
        self.calm = Schedule("clean")
        self.people = people(self.spec)

    def offers(self) -> Iterator[Offer | Orphan]:
        rng = self.rng
        days = {year: (date(year, 1, 1), 366 if year % 4 == 0 else 365) for year in YEARS}
        for number in range(1, self.spec.offers + 1):
            first, length = days[rng.choices(list(YEARS), list(YEARS.values()))[0]]
            day = first + timedelta(days=rng.randrange(length))
            status = rng.choices(list(STATUSES), list(STATUSES.values()))[0]
            offer = self._offer(number, day, status)
            yield offer
            if offer.final and (turn := self.schedule.due("orphan")) is not None:
                yield self._orphan(turn, number, day)

    def _offer(self, number: int, day: date, status: str) -> Offer:
        rng = self.rng
        schedule = self.schedule if status in FINAL_STATUSES else self.calm
        identity = f"Q-{number:06d}"
        # An offer of nothing is rare, and no defect.
        contents = [self._content(identity, day, schedule)] if rng.random() > 0.01 else []
        if contents and schedule.due("second_content") is not None:
            contents.append(self._content(f"{identity}-B", day, schedule, second=True))
        turn = schedule.due("bad_date")
        changed = datetime(day.year, day.month, day.day, rng.randrange(7, 18), rng.randrange(60), tzinfo=UTC)
        return Offer(
            identity,
            rng.choices(list(OFFER_LANGUAGES), list(OFFER_LANGUAGES.values()))[0],
            status,
            day if turn is None else None,
            None if turn is None else ("infinity", "1850-03-01", "9999-12-31", "-infinity")[turn % 4],
            rng.choices(list(VERSIONS), list(VERSIONS.values()))[0],
            self._parties(schedule),
            tuple(contents),
            changed,
        )

    def _parties(self, schedule: Schedule) -> dict[str, int | None]:
        rng = self.rng
        # The first tenth of the people, and whoever comes last, are named by no offer.
        users, participants = self.people.users[1:], self.people.participants
        named = participants[len(participants) // 10 :]
        parties: dict[str, int | None] = {
            "user_id": rng.choice(users).id,
            # Few sell, more deliver, many buy.
            "sent_by": named[int(len(named) * rng.random() ** 3)].id,
            "delivered_by": named[int(len(named) * rng.random() ** 2)].id,
            "received_by": rng.choice(named).id,
        }
        for column in parties:
            if rng.random() < 0.03:
                parties[column] = None
        turn = schedule.due("dangling_role")
        if turn is not None:
            parties[list(parties)[turn % 4]] = self._nowhere()
        return parties

    def _content(self, identity: str, day: date, schedule: Schedule, *, second: bool = False) -> Content:
        rng = self.rng
        subcontents = [self._subcontent(identity, day, schedule)]
        if schedule.due("second_subcontent") is not None:
            subcontents.append(self._subcontent(f"{identity}-C", day, schedule, second=True))
        total: float | None = round(sum(s.total_price or 0 for s in subcontents) * rng.uniform(1.05, 1.3), 2)
        turn = schedule.due("bad_total_price")
        if turn is not None:
            total = (float("nan"), float("inf"))[turn % 2]
        elif rng.random() < 0.01:
            total = None
        return Content(self._key(second=second), total, tuple(subcontents))

    def _subcontent(self, identity: str, day: date, schedule: Schedule, *, second: bool = False) -> Subcontent:
        rng = self.rng
        amount = rng.choices((0, 1, 2, 3, 4, 6, 9), (2, 34, 27, 18, 11, 6, 2))[0]
        products: list[Product] = []
        family = None
        document: Document | None = None
        for number in range(1, amount + 1):
            # Most offers stay with one family or two.
            if family is None or rng.random() < 0.5:
                family = rng.choices(list(FAMILIES.values()), [f.weight for f in FAMILIES.values()])[0]
                document = None
            configurations: list[Configuration] = []
            if rng.random() >= 0.02:
                # The same luminaire once more, under another product: the very same file.
                if document is None or document.trouble is not None or rng.random() >= 0.15:
                    document = self._document([FamilyMaker(rng, schedule, day.year).root(family)], schedule)
                    if schedule.due("second_family") is not None:
                        extra = FamilyMaker(rng, self.calm, day.year).root(FAMILIES["SNEP® SENSE"])
                        extra.fate = Reason.SECOND_FAMILY
                        document.roots.append(extra)
                configurations.append(self._configuration(document))
                if schedule.due("second_configuration") is not None:
                    other = self._document([FamilyMaker(rng, self.calm, day.year).root(family)], self.calm)
                    configurations.append(self._configuration(other, second=True))
            products.append(Product(f"P-{identity[2:]}-{number}", tuple(configurations)))
        price = round(sum(_cost(c.document.roots[0]) for p in products for c in p.configurations) * 1.6, 2)
        return Subcontent(self._key(second=second), price, tuple(products))

    def _document(self, roots: list[Element], schedule: Schedule) -> Document:
        rng = self.rng
        form = rng.choices(list(FORM_WEIGHTS), list(FORM_WEIGHTS.values()))[0]
        document = Document(roots, form, rng.random() < 0.05, rng.randrange(1_000_000), self.spec.bulk)
        turn = schedule.due("bad_document")
        if turn is not None:
            document.trouble = DOCUMENT_REASONS[turn % len(DOCUMENT_REASONS)]
            document.turn = turn // len(DOCUMENT_REASONS)
        elif schedule.due("undeclared_encoding") is not None:
            document.form = Form.WINDOWS_UNDECLARED
        elif schedule.due("giant_text") is not None:
            document.giant_text = self.spec.giant_text
            document.form = Form.UTF_8
        return document

    def _orphan(self, turn: int, number: int, day: date) -> Orphan:
        identity = f"Q-X{number:05d}"
        subcontent = self._subcontent(identity, day, self.calm)
        rows = (
            Content(self._key(), 10.5, (subcontent,)),
            subcontent,
            Product(f"P-X{number:05d}", tuple(c for p in subcontent.products[:1] for c in p.configurations)),
            self._configuration(Document([FamilyMaker(self.rng, self.calm, day.year).root(FAMILIES["KUURA ECO"])])),
        )
        row = rows[turn % 4]
        missing: tuple[int | str, ...] = (f"Q-N{number:05d}", self._nowhere(), self._nowhere(), f"P-N{number:05d}")
        changed = datetime(day.year, day.month, day.day, tzinfo=UTC)
        return Orphan(row, None if turn // 4 % 2 else missing[turn % 4], changed)

    def _configuration(self, document: Document, *, second: bool = False) -> Configuration:
        return Configuration(self._key(second=second), document)

    def _key(self, *, second: bool = False) -> int:
        if second:
            self.seconds += 1
            return self.seconds
        self.rows += 1
        return self.rows

    def _nowhere(self) -> int:
        self.nowhere += 1
        return self.nowhere


def _cost(root: Element) -> float:
    """What a family costs, whatever became of the number in the file."""
    cost = root.truth.get("total_cost", 0.0)
    return cost if isinstance(cost, float) else 0.0

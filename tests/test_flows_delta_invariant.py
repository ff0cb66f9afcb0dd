"""After any sequence of changes, a delta leaves the graph that a full refresh of the same source makes.

A state machine changes a source of a few offers in PostgreSQL, runs deltas on a Neo4j, some of which it interrupts, and
compares canonical dumps. `CPQ_GRAPH_TEST_LONG` runs 200 sequences, each ended by a full load to compare with.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from delta_site import DeltaSite, open_site, sources, without_prefect
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from cpq_graph.servers import Address
from load import delta as load_delta

__all__ = ["without_prefect"]
LONG = bool(os.environ.get("CPQ_GRAPH_TEST_LONG"))
SEQUENCES = int(os.environ.get("CPQ_GRAPH_TEST_SEQUENCES") or (200 if LONG else 20))

_FEATURES = ("pituus", "vari", "teho")
_texts = st.sampled_from(["a", "b", "c", "ä\n", " ", '"'])
_people = st.sampled_from([1, 2, 3])
_picks = st.integers(0, 99)


@st.composite
def _bodies(draw: st.DrawFn) -> bytes | None:
    """A document of a product: most are good, and few enough that some are of several products."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from([None, b"", b"<Configuration><ProductFamily"]))
    features = draw(st.lists(st.sampled_from(_FEATURES), max_size=2, unique=True))
    parameters = "".join(
        f'<Parameter id="{feature}" name="{feature}"><Attribute type="ext_id" value="{feature}"/>'
        f'<ParameterValue id="v" name="{value}"><Attribute type="note" value="{value}"/></ParameterValue></Parameter>'
        for feature, value in ((feature, draw(st.sampled_from("12345"))) for feature in features)
    )
    tab = f'<Tab id="t" name="T">{parameters}</Tab>'
    if draw(st.booleans()):
        tab = f'<Tab id="o" name="O">{tab}</Tab><ProductFamily id="c" name="C">{tab}</ProductFamily>'
    name = draw(st.sampled_from(["F", "G"]))
    return f'<Configuration><ProductFamily id="f" name="{name}">{tab}</ProductFamily></Configuration>'.encode()


_WHOLE = (
    b'<Configuration><ProductFamily id="f" name="F"><Tab id="t" name="T"><Parameter id="p" name="p">'
    b'<ParameterValue id="v" name="1"/></Parameter></Tab></ProductFamily></Configuration>'
)


class Machine(RuleBasedStateMachine):
    """Offers `Q1`, `Q2` … each have a content, a subcontent and products, whose numbers follow theirs."""

    def __init__(self, site: DeltaSite, folders: dict[bool, Path]) -> None:
        super().__init__()
        self.site = site
        self.folders = folders
        self.offers: list[int] = []
        self.products: list[str] = []
        self.numbers = count(1)

    @initialize(has_times=st.booleans())
    def begin(self, has_times: bool) -> None:
        folder = self.folders[has_times]
        self.site.settings = self.site.settings.model_copy(update={"source_dir": folder})
        self.site.clear_source()
        for person in (1, 2, 3):
            self.site.insert("contact", contact_no=person, full_name=f"Person {person}")
            self.site.insert("app_user", user_no=person, login_name=f"u{person}")
        # One that stays, with every kind of element: a source without any is refused.
        self._product(self._offer("FINALIZED", "a", 1), _WHOLE)
        self.products.clear()

    @rule(
        state=st.sampled_from(["FINALIZED", "DRAFT"]),
        text=_texts,
        person=_people,
        bodies=st.lists(_bodies(), max_size=2),
    )
    def add_offer(self, state: str, text: str, person: int, bodies: list[bytes | None]) -> None:
        offer = self._offer(state, text, person)
        self.offers.append(offer)
        for body in bodies:
            self._product(offer, body)

    @precondition(lambda self: self.offers)
    @rule(pick=_picks, state=st.sampled_from(["FINALIZED", "ORDERED", "DRAFT", "LOST"]))
    def set_state(self, pick: int, state: str) -> None:
        self.site.update("quote", "quote_no", self._key(pick), state=state)

    @precondition(lambda self: self.offers)
    @rule(
        pick=_picks,
        text=_texts,
        role=st.sampled_from(["owner_no", "seller_no", "customer_no"]),
        person=st.none() | _people,
    )
    def change_offer(self, pick: int, text: str, role: str, person: int | None) -> None:
        self.site.update("quote", "quote_no", self._key(pick), revision=text, **{role: person})

    @precondition(lambda self: self.offers)
    @rule(pick=_picks, with_rows=st.booleans())
    def delete_offer(self, pick: int, with_rows: bool) -> None:
        """What hangs on it may stay: its rows are then rejected."""
        offer = self.offers.pop(pick % len(self.offers))
        self.site.delete("quote", "quote_no", f"Q{offer}")
        if with_rows:
            self.site.delete("quote_body", "body_no", offer)
            self.site.delete("quote_section", "section_no", offer)

    @rule(person=_people, text=_texts, table=st.sampled_from([("contact", "full_name"), ("app_user", "given_name")]))
    def change_person(self, person: int, text: str, table: tuple[str, str]) -> None:
        name, column = table
        self.site.update(name, "contact_no" if name == "contact" else "user_no", person, **{column: text})

    @precondition(lambda self: self.offers)
    @rule(pick=_picks, body=_bodies())
    def add_product(self, pick: int, body: bytes | None) -> None:
        self._product(self.offers[pick % len(self.offers)], body)

    @precondition(lambda self: self.products)
    @rule(pick=_picks, body=_bodies())
    def change_configuration(self, pick: int, body: bytes | None) -> None:
        self.site.update("item_file", "item_no", self.products[pick % len(self.products)], body=body)

    @precondition(lambda self: self.products and self.offers)
    @rule(pick=_picks, to=_picks)
    def move_product(self, pick: int, to: int) -> None:
        section = self.offers[to % len(self.offers)]
        self.site.update("line_item", "item_no", self.products[pick % len(self.products)], section_no=section)

    @precondition(lambda self: self.products)
    @rule(pick=_picks)
    def delete_product(self, pick: int) -> None:
        """Its configuration stays, and is rejected."""
        self.site.delete("line_item", "item_no", self.products.pop(pick % len(self.products)))

    @rule(after=st.integers(0, 4))
    def interrupted_delta(self, after: int) -> None:
        self.site.interrupted_delta(after)

    @rule()
    def refresh(self) -> None:
        self.site.refresh()

    def teardown(self) -> None:
        self.site.refresh(check=True)
        assert self.site.lines() == self.site.expected_lines()
        if LONG:
            kept = self.site.lines()
            self.site.load_fully()
            assert self.site.lines() == kept

    def _key(self, pick: int) -> str:
        return f"Q{self.offers[pick % len(self.offers)]}"

    def _offer(self, state: str, text: str, person: int) -> int:
        number = next(self.numbers)
        self.site.insert(
            "quote", quote_no=f"Q{number}", state=state, revision=text, quote_date="2024-05-01", owner_no=person,
            seller_no=person,
        )  # fmt: skip
        self.site.insert("quote_body", body_no=number, quote_no=f"Q{number}", grand_total=1.5)
        self.site.insert("quote_section", section_no=number, body_no=number, section_total=None)
        return number

    def _product(self, offer: int, body: bytes | None) -> None:
        number = next(self.numbers)
        self.site.insert("line_item", item_no=f"P{number}", section_no=offer)
        self.site.insert("item_file", file_no=number, item_no=f"P{number}", body=body)
        self.products.append(f"P{number}")


@pytest.fixture(scope="module")
def site(
    postgres_database: Callable[[], str],
    clean_neo4j: Address,
    tmp_path_factory: pytest.TempPathFactory,
    without_prefect: None,
) -> Iterator[DeltaSite]:
    with open_site(postgres_database, clean_neo4j, tmp_path_factory.mktemp("delta")) as site:
        yield site


def test_people_alone_who_changed_and_changed_back(site: DeltaSite) -> None:
    """The source is again as the graph was said to be; the interrupted delta named no offer."""
    site.insert("app_user", user_no=1, given_name="a")
    site.insert("quote", quote_no="Q0", state="FINALIZED", owner_no=1)
    site.load_fully()
    site.update("app_user", "user_no", 1, given_name="b")
    site.interrupted_delta(after=0)
    site.update("app_user", "user_no", 1, given_name="a")
    site.refresh(check=True)
    assert site.lines() == site.expected_lines()


def test_a_delta_is_a_full_refresh(
    site: DeltaSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any
) -> None:
    monkeypatch.setattr(load_delta, "OFFERS", 2)
    site.clear_source()
    site.insert("quote", quote_no="Q0", state="FINALIZED")
    site.load_fully()
    run_state_machine_as_test(
        partial(Machine, site, sources(tmp_path)),
        settings=settings(
            max_examples=SEQUENCES, stateful_step_count=12 if LONG else 8, deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink] if LONG else [Phase.generate],
            print_blob=True,
        ),
    )  # fmt: skip

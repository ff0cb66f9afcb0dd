"""The ground truth adds up, covers every defect, and agrees with itself in every shape it is told in."""

import json
from collections import Counter
from datetime import date

import pytest

from cpq_graph.model import MODEL, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB
from sample_data.create import SMALL_SPEC
from sample_data.elements import Attr, Element
from sample_data.frames import Frames, frames
from sample_data.generate import Spec, people, stream
from sample_data.places import walk
from sample_data.reasons import Outcome, Reason
from sample_data.truth import Reject, Truth


def tell(spec: Spec, period: tuple[date | None, date | None] = (None, None)) -> tuple[Truth, list[str], list[Reject]]:
    lines: list[str] = []
    rejects: list[Reject] = []
    truth = Truth(people(spec), period, lines.append, rejects.append)
    for made in stream(spec):
        truth.add(made)
    truth.finish()
    return truth, lines, rejects


Told = tuple[Truth, list[str], list[Reject]]


@pytest.fixture(scope="module")
def small() -> Told:
    return tell(SMALL_SPEC)


@pytest.fixture(scope="module")
def flat() -> Frames:
    return frames(SMALL_SPEC)


def test_totals_add_up_and_equal_the_dump(small: Told) -> None:
    truth, lines, _ = small
    tables, labels, relationships = truth.totals()
    assert all(totals.adds_up for group in (tables, labels, relationships) for totals in group.values())
    nodes: Counter[str] = Counter()
    patterns: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        fields = line.split("\t")
        if fields[0] == "N":
            nodes[fields[1]] += 1
        else:
            patterns[fields[1], fields[2], fields[4]] += 1
    assert {label: totals.loaded for label, totals in labels.items()} == {n.label: nodes[n.label] for n in MODEL.nodes}
    assert {name: totals.loaded for name, totals in relationships.items()} == {
        r.name: patterns[r.type, r.start.label, r.end.label] for r in MODEL.relationships
    }
    assert all(totals.loaded for totals in relationships.values())


def test_every_line_is_one_of_a_kind_and_every_relationship_has_its_ends(small: Told) -> None:
    _, lines, _ = small
    assert len(set(lines)) == len(lines)
    keys = {node.label: node.key for node in MODEL.nodes}
    known: set[tuple[str, str]] = set()
    for line in lines:
        kind, label, *rest = line.split("\t")
        if kind == "N":
            properties = json.loads(rest[0])
            key = json.dumps([properties[k] for k in keys[label]], ensure_ascii=False, separators=(",", ":"))
            assert (label, key) not in known
            known.add((label, key))
    for line in lines:
        if line.startswith("R"):
            _, _, start, start_key, end, end_key, _ = line.split("\t")
            assert (start, start_key) in known
            assert (end, end_key) in known


def test_every_reason_occurs_in_the_small_set(small: Told) -> None:
    _, _, rejects = small
    assert set(Reason) - {reject.reason for reject in rejects} == {Reason.OUT_OF_PERIOD}
    assert {reject.outcome for reject in rejects} == set(Outcome)
    assert len({(r.table, r.key, r.place, r.reason) for r in rejects if r.level != "row"}) == sum(
        r.level != "row" for r in rejects
    )


def test_a_clean_sample_has_no_rejects() -> None:
    truth, _, rejects = tell(Spec(60, 3))
    assert not truth.reasons[Outcome.REJECTED]
    assert not truth.reasons[Outcome.EMPTIED]
    assert {r.reason for r in rejects} <= {
        Reason.NOT_FINAL,
        Reason.PARENT_FILTERED,
        Reason.NOT_NAMED,
        Reason.TOO_LONG,
        Reason.PRODUCT_WITHOUT_CONFIGURATION,
    }


def test_rejects_are_few_enough_for_a_run_to_pass(small: Told) -> None:
    for group in small[0].totals():
        read = sum(totals.read for totals in group.values())
        assert 0 < sum(totals.rejected for totals in group.values()) < 0.05 * read


def test_a_period_filters_by_date() -> None:
    truth, _, rejects = tell(Spec(60, 4, "mixed"), (date(2024, 1, 1), date(2024, 12, 31)))
    tables, _, _ = truth.totals()
    assert 0 < tables["offer"].loaded < 60
    assert all(totals.adds_up for totals in tables.values())
    filtered = Counter(r.reason for r in rejects if r.table == "offer" and r.outcome is Outcome.FILTERED)
    assert filtered[Reason.OUT_OF_PERIOD] and filtered[Reason.NOT_FINAL]


def test_frames_agree_with_the_truth(small: Told, flat: Frames) -> None:
    _, labels, relationships = small[0].totals()
    assert flat.offers.height == labels["Offer"].loaded
    assert flat.participants.height == labels["Participant"].loaded
    assert flat.users.height == labels["User"].loaded
    assert flat.families.height == labels["ProductFamily"].loaded
    assert flat.tabs.height == labels["Tab"].loaded
    assert flat.parameters.height == labels["Parameter"].loaded
    assert flat.parameters["value_id"].drop_nulls().len() == labels["ParameterValue"].loaded
    assert flat.products.height == labels["Product"].loaded
    assert flat.products["family_id"].drop_nulls().len() == relationships["Product_CONFIGURED_AS_ProductFamily"].loaded
    assert flat.attributes.height == sum(t.loaded for name, t in relationships.items() if "_HAS_ATTRIBUTE_" in name)
    ids = {json.loads(line.split("\t")[2])["id"] for line in small[1] if line.startswith("N\tParameterValue\t")}
    assert set(flat.parameters["value_id"].drop_nulls()) == ids
    assert flat.features["ext_id"].null_count() == 0
    sold = flat.products["family"].drop_nulls().unique()
    assert sold.len() >= 16
    assert {"SNEP® MODE P", "SNEP® MODE S", "SNEP® MODE C", "SNEP® MODE CR"} <= set(sold)


def test_ids_and_places_of_a_document() -> None:
    def named(node: object, own_id: str | None, *children: Element | Attr, **more: object) -> Element:
        raw = {} if own_id is None else {"id": own_id}
        return Element(node, raw, {}, list(children), **more)  # type: ignore[arg-type]

    root = named(
        PRODUCT_FAMILY,
        "a/b",
        Attr("x", "1"),
        Attr("x", "1"),
        Attr("", "1"),
        Attr("y", None),
        named(TAB, "1", named(TAB, "1", named(PARAMETER, "p", named(PARAMETER_VALUE, "50%")), named(PARAMETER, "p"))),
        named(TAB, None),
        named(TAB, "1"),
        named(TAB, ""),
        named(PARAMETER, "p", named(PARAMETER_VALUE, "v"), fate=Reason.MISPLACED),
    )
    got = [(p.id, p.place, p.position, p.fate, *p.notes) for p in walk([root])]
    family = "/ProductFamily[1]"
    assert got == [
        ("/a%2Fb", family, 0, None),
        ("", f"{family}/Attribute[1]", 0, None),
        ("", f"{family}/Attribute[2]", 1, Reason.REPEATED_ATTRIBUTE),
        ("", f"{family}/Attribute[3]", 2, Reason.ATTRIBUTE_WITHOUT_TYPE),
        ("", f"{family}/Attribute[4]", 3, Reason.ATTRIBUTE_WITHOUT_VALUE),
        ("/a%2Fb.1", f"{family}/Tab[1]", 4, None),
        ("/a%2Fb.1.1", f"{family}/Tab[1]/Tab[1]", 0, None),
        ("/a%2Fb.1.1:p", f"{family}/Tab[1]/Tab[1]/Parameter[1]", 0, None),
        ("/a%2Fb.1.1:p=50%25", f"{family}/Tab[1]/Tab[1]/Parameter[1]/ParameterValue[1]", 0, None),
        (
            "/a%2Fb.1.1:p#2",
            f"{family}/Tab[1]/Tab[1]/Parameter[2]",
            1,
            None,
            Reason.REPEATED_ID,
            Reason.PARAMETER_WITHOUT_VALUE,
        ),
        ("/a%2Fb.#1", f"{family}/Tab[2]", 5, None, Reason.MISSING_OWN_ID),
        ("/a%2Fb.1#2", f"{family}/Tab[3]", 6, None, Reason.REPEATED_ID),
        ("/a%2Fb.#2", f"{family}/Tab[4]", 7, None, Reason.MISSING_OWN_ID),
        ("/a%2Fb:p", f"{family}/Parameter[1]", 8, Reason.MISPLACED),
        ("/a%2Fb:p=v", f"{family}/Parameter[1]/ParameterValue[1]", 0, Reason.PARENT_REJECTED),
    ]

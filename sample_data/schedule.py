"""When a defect is due: every so-and-so-manieth opportunity, so that each kind turns up even in a small sample.

Arrives: the kind of defects wanted. Leaves: `Schedule`, asked at each opportunity.
"""

from collections import Counter
from typing import Literal

Defects = Literal["clean", "mixed"]

# Of how many opportunities one has the defect, in a sample with defects. The comment says what an opportunity is.
PERIODS: dict[str, int] = {
    # A finalized offer
    "dangling_role": 60,
    "bad_date": 90,
    "second_content": 100,
    "second_subcontent": 110,
    "bad_total_price": 75,
    "orphan": 50,
    "second_configuration": 110,
    # A document of a finalized offer; kinds by DOCUMENT_REASONS in turn
    "bad_document": 34,
    "undeclared_encoding": 140,
    "giant_text": 5_000,
    "second_family": 160,
    "misplaced": 120,
    "long_family_name": 210,
    "deep_tabs": 190,
    "repeated_id": 60,
    "total_cost": 170,
    # A parameter
    "no_value": 390,
    "second_value": 410,
    "attribute_without_type": 610,
    "attribute_without_value": 620,
    "repeated_attribute": 430,
    "missing_own_id": 450,
    "long_id": 5_900,
    "long_value_name": 9_500,
    "cost": 470,
    "quantity": 480,
    "measure": 330,
}

# Where the first is to come sooner than a third of the period, which keeps kinds from falling together.
FIRST = {"giant_text": 300, "long_value_name": 2_500, "long_id": 1_500}


class Schedule:
    """Counts the opportunities of each kind of defect. A clean one never has a defect due."""

    def __init__(self, defects: Defects) -> None:
        self._defects = defects
        self._seen: Counter[str] = Counter()
        self._given: Counter[str] = Counter()

    def due(self, kind: str) -> int | None:
        """Whether this opportunity has the defect: None, or how often it was due before (to vary the defect)."""
        if self._defects == "clean":
            return None
        self._seen[kind] += 1
        since_first = self._seen[kind] - FIRST.get(kind, PERIODS[kind] // 3)
        if since_first < 0 or since_first % PERIODS[kind]:
            return None
        self._given[kind] += 1
        return self._given[kind] - 1

    @property
    def varied(self) -> bool:
        """Whether numbers may be written in the many ways that people write them."""
        return self._defects == "mixed"

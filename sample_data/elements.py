"""The mapped elements of a configuration, as made: what is written into XML and what the graph shall hold of it.

Arrives: a family of the vocabulary. Leaves: `Element` trees, from which `documents` writes XML and `truth` says what
the graph must be.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from cpq_graph.model import (
    EXT_ID,
    INDEXED_BYTES_MAX,
    PARAMETER,
    PARAMETER_VALUE,
    PRODUCT_FAMILY,
    PROPERTY_BYTES_MAX,
    TAB,
    Node,
)
from sample_data.features import FEATURES, TABS, Choice
from sample_data.numerals import Written, faulty, written, written_measure
from sample_data.reasons import Reason
from sample_data.schedule import Schedule
from sample_data.vocabulary import FAMILIES, RENAMED_IN, Family, FamilyFeature

# Long texts that CPQ systems keep as attributes: irrelevant, too long for an index.
_LONG_TEXTS = tuple(
    "data:image/png;base64," + random.Random(f"image {n}").randbytes(6_000 + 500 * n).hex() for n in range(4)
)
# The longest value that is kept, in letters of two bytes.
_LONGEST_KEPT = "ä" * (INDEXED_BYTES_MAX // 2)


@dataclass(frozen=True, slots=True)
class Attr:
    """An Attribute element; a field that is None is not written. `inner` is one that hangs in it, where it may not."""

    type: str | None
    value: str | None
    inner: "Attr | None" = None


@dataclass(slots=True)
class Element:
    """A family, tab, parameter or value. `raw` are its XML attributes; `truth` the properties that the graph shall
    have (`id` and `parameterId` apart, which follow from the place); `faults` say why a property of `raw` is not in
    `truth`; `fate` is set where the element is rejected for itself."""

    node: Node
    raw: dict[str, str]
    truth: dict[str, str | int | float]
    children: "list[Element | Attr]" = field(default_factory=list)
    faults: dict[str, Reason] = field(default_factory=dict)
    fate: Reason | None = None
    # Choices that are shown on the screen and were not made: written as bulk.
    options: tuple[Choice, ...] = ()

    def put(self, name: str, number: Written) -> None:
        """Writes a number as it was decided to be written, and takes down what the graph shall have of it."""
        self.raw[name] = number.raw
        if number.reason is not None:
            self.faults[name] = number.reason
        elif number.value is not None:
            self.truth[name] = number.value


def _named(node: Node, own_id: str, name: str) -> Element:
    return Element(node, {"id": own_id, "name": name}, {"name": name})


_CHOICE_NUMBER = {(key, c.names): n for key, feature in FEATURES.items() for n, c in enumerate(feature.choices)}

# How a family's configurator makes ids: some hold the very characters that ids are put together with.
_ID_STYLES: tuple[Callable[[str, int], str], ...] = (
    lambda kind, n: f"{kind}{n}",
    lambda kind, n: str(1000 + n),
    lambda kind, n: f"{kind}.{n // 7}/{n}",
    lambda kind, n: f"{kind}:{n}=#{n % 5} 100%",
)


@dataclass(slots=True)
class FamilyMaker:
    """Makes the configuration of one product. `year` is the offer's: features were renamed in some year."""

    rng: random.Random
    schedule: Schedule
    year: int

    def root(self, family: Family) -> Element:
        """A root family, perhaps with families nested in it."""
        made = self._family(family, 0)
        if self.schedule.due("misplaced") is not None:
            stray = self._parameter(family, family.features[0], 901, self._style(family))
            stray.fate = Reason.MISPLACED
            tab = _named(TAB, "stray", "Stray")
            tab.fate = Reason.MISPLACED
            host = self._first_parameter(made)
            tab.children.append(self._parameter(family, family.features[1], 902, self._style(family)))
            host.children.append(tab)
            made.children.append(stray)
            made.children.append(Attr("note", "holds another", Attr("note", "held by another")))
        return made

    def _first_parameter(self, family: Element) -> Element:
        tab = next(child for child in family.children if isinstance(child, Element) and child.node is TAB)
        return next(child for child in tab.children if isinstance(child, Element) and child.node is PARAMETER)

    @staticmethod
    def _style(family: Family) -> Callable[[str, int], str]:
        return _ID_STYLES[len(family.name) % len(_ID_STYLES)]

    def _family(self, family: Family, depth: int, number: int = 0) -> Element:
        rng, style = self.rng, self._style(family)
        made = Element(PRODUCT_FAMILY, {"id": style("fam", number)}, {})
        name = family.name
        if self.schedule.due("long_family_name") is not None:
            made.raw["name"] = name + " " * INDEXED_BYTES_MAX
            made.faults["name"] = Reason.TOO_LONG
        else:
            made.raw["name"] = made.truth["name"] = name
        made.raw["product_code"] = made.truth["product_code"] = family.product_code
        tabs, cost = self._tabs(family, style)
        total = round(cost, 2)
        fault = self.schedule.due("total_cost")
        made.put("total_cost", faulty(fault) if fault is not None else written(rng, total, self.schedule))
        attributes = [
            Attr(EXT_ID, family.product_code.lower()),
            Attr("category", "luminaire" if not family.nested_only else "accessory"),
            Attr("revision", str(rng.randrange(1, 9))),
            Attr("drawing", f"DWG-{family.product_code}-{rng.randrange(40)}"),
            Attr("comment", ""),
        ]
        if rng.random() < 0.02:
            attributes.append(Attr("image", rng.choice(_LONG_TEXTS)))
        if rng.random() < 0.01:
            attributes.append(Attr("remark", _LONGEST_KEPT))
        made.children = [*attributes, *tabs]
        for nth, child in enumerate(family.children, 1):
            if depth < 2 and rng.random() < 0.25:
                # Between the tabs: order among different kinds has to survive, too.
                made.children.insert(
                    rng.randrange(5, len(made.children) + 1), self._family(FAMILIES[child], depth + 1, nth)
                )
        if family.nested_only and depth < 3 and rng.random() < 0.1:
            made.children.append(self._family(family, depth + 1, 9))
        return made

    def _tabs(self, family: Family, style: Callable[[str, int], str]) -> tuple[list[Element], float]:
        """The top tabs with all that is in them, and what the choices cost."""
        rng, finnish = self.rng, family.language == "fi"
        tabs: dict[str, Element] = {}
        top: list[Element] = []
        cost = 0.0

        def tab(key: str) -> Element:
            if key not in tabs:
                english, finnish_name, above = TABS[key]
                made = _named(TAB, style("tab", len(tabs)), finnish_name if finnish else english)
                made.children += [
                    Attr(EXT_ID, f"valilehti_{key}"),
                    Attr("order", str(len(tabs))),
                    Attr("visible", "true"),
                    Attr("icon", f"{key}.svg"),
                ]
                tabs[key] = made
                if above is None or len(family.name) % 3 == 0:
                    top.append(made)
                else:
                    tab(above).children.append(made)
            return tabs[key]

        chosen = [f for f in family.features if rng.random() < f.probability] or list(family.features[:1])
        for number, feature in enumerate(chosen):
            made = self._parameter(family, feature, number, style)
            tab(feature.feature.tab).children.append(made)
            value = next((c for c in made.children if isinstance(c, Element)), None)
            if value is not None:
                cost += rng.uniform(0.4, 60)
        self._repeat_ids(tabs)
        if self.schedule.due("deep_tabs") is not None:
            inner = top[-1]
            for level in range(40):
                inner = _deeper(inner, level)
            inner.children.append(self._parameter(family, family.features[0], 903, style))
        return top, cost

    def _parameter(
        self, family: Family, feature: FamilyFeature, number: int, style: Callable[[str, int], str]
    ) -> Element:
        rng, due = self.rng, self.schedule.due
        name = feature.name if self.year >= RENAMED_IN else feature.old_name
        made = _named(PARAMETER, style("p", number), name)
        key = feature.feature.ext_id
        attributes = [
            Attr(EXT_ID, key),
            Attr("data_type", "number" if feature.choices[0].measure else "list"),
            Attr("mandatory", "true" if feature.probability > 0.9 else "false"),
            Attr("order", str(number)),
        ]
        if feature.feature.unit:
            attributes.append(Attr("unit", feature.feature.unit))
        if rng.random() < 0.4:
            attributes.append(Attr("help", f"{key}.{family.language}.html"))
        if due("attribute_without_type") is not None:
            attributes.insert(1, Attr(None, "ownerless"))
            attributes.append(Attr("", "empty type"))
        if due("attribute_without_value") is not None:
            attributes.insert(2, Attr("lonely", None))
        if due("repeated_attribute") is not None:
            attributes.append(attributes[0])
        values: list[Element] = []
        if due("no_value") is None:
            values.append(self._value(family, feature, key))
            if due("second_value") is not None:
                second = self._value(family, feature, key)
                second.fate = Reason.SECOND_VALUE
                values.append(second)
        made.children = [*attributes, *values] if number % 3 else [*values, *attributes]
        if number % 4 == 0:
            made.options = feature.choices
        self._spoil_id(made, number)
        return made

    def _repeat_ids(self, tabs: dict[str, Element]) -> None:
        parameters = [[c for c in t.children if isinstance(c, Element) and "id" in c.raw] for t in tabs.values()]
        crowded = max(parameters, key=len)
        if len(crowded) > 1 and self.schedule.due("repeated_id") is not None:
            for twin in crowded[1:3]:
                if twin.fate is None:
                    twin.raw["id"] = crowded[0].raw["id"]

    def _spoil_id(self, made: Element, number: int) -> None:
        due = self.schedule.due
        missing = due("missing_own_id")
        if missing is not None:
            if missing % 2:
                made.raw["id"] = ""
            else:
                del made.raw["id"]
        elif due("long_id") is not None:
            made.raw["id"] = "x" * (INDEXED_BYTES_MAX + number)
            made.fate = Reason.TOO_LONG_KEY

    def _value(self, family: Family, feature: FamilyFeature, key: str) -> Element:
        rng, due = self.rng, self.schedule.due
        choice = rng.choices(feature.choices, [c.weight for c in feature.choices])[0]
        index = _CHOICE_NUMBER[key, choice.names]
        name = choice.name(family.language)
        made = _named(PARAMETER_VALUE, f"{key}_{index}", name)
        if due("long_value_name") is not None:
            made.raw["name"] = name + "." * PROPERTY_BYTES_MAX
            del made.truth["name"]
            made.faults["name"] = Reason.TOO_LONG
        fault = due("cost")
        made.put("cost", faulty(fault) if fault is not None else written(rng, _cost(rng), self.schedule))
        fault = due("quantity")
        quantity = 1 if rng.random() < 0.8 else rng.choice((2, 3, 4, 12, 1200))
        made.put("quantity", faulty(fault, whole=True) if fault is not None else written(rng, quantity, self.schedule))
        if choice.measure is not None:
            fault = due("measure")
            unit = feature.feature.unit
            made.put(
                "measure",
                faulty(fault, measure=True)
                if fault is not None
                else written_measure(rng, choice.measure, unit, self.schedule),
            )
        made.children += [
            Attr("selected", "true"),
            Attr("source", rng.choice(("user", "user", "rule", "default"))),
            Attr("erp_code", f"{key}-{index}"),
            Attr("price_group", f"G{rng.randrange(1, 9)}"),
        ]
        if rng.random() < 0.3:
            made.children.append(Attr(EXT_ID, "vakio"))
        if rng.random() < 0.004:
            made.children.append(Attr("note", rng.choice(_ODD_TEXTS)))
        return made


# Text that has broken importers: each must reach the graph byte for byte.
_ODD_TEXTS = (
    'R&D "special" <b>', "it's; a, comma\tand a tab", "two\nlines", "back\\slash \\N", "NULL", " spaces around ",
    "emoji 💡 and € – ™", "ä ö å ® °", "a  b", "=1+1", "nbsp\u00a0here", "line\u2028separator", "caf\u00e9",
    "cafe\u0301",
    "carriage\r\nreturn", "]]>", "&amp;", "\u0085next line", "\ufeffmark", "${x} {y} %s",
)  # fmt: skip


def _cost(rng: random.Random) -> float:
    return round(rng.uniform(0.4, 60) if rng.random() < 0.9 else rng.uniform(1_000, 4_000), 2)


def _deeper(outer: Element, level: int) -> Element:
    inner = _named(TAB, "deep", f"Level {level}")
    outer.children.append(inner)
    return inner

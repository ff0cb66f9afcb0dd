"""The small parts that Cypher is written of: parameters and variables under readable names, quoted and laid out.

Arrives: values and wishes for names. Leaves: `$name` with its value kept, unique variables, lines of Cypher.
"""

import re
from datetime import date
from typing import Any

from cpq_graph import model
from cpq_graph.query.compile.slots import Slot, Step

WIDTH = 100

_VARIABLES = {
    model.OFFER.label: "o",
    model.CONTENT.label: "c",
    model.SUBCONTENT.label: "s",
    model.PRODUCT.label: "p",
    model.PRODUCT_FAMILY.label: "f",
    model.TAB.label: "t",
    model.PARAMETER.label: "q",
    model.PARAMETER_VALUE.label: "v",
    model.ATTRIBUTE.label: "a",
    model.PARTICIPANT.label: "x",
    model.USER.label: "u",
}


class Names:
    """The variables and parameters of one statement. What a user typed is only ever a parameter's value.

    `wide` says that the statement looks at many products: what a feature is asked of is then found once, from the
    feature's attribute, instead of product by product. `featured` are by feature the tests and the aliases
    of the lists of products that pass them; `collected` the aliases of lists of distinct nodes.
    """

    def __init__(self, *, wide: bool = False) -> None:
        self.wide = wide
        self.featured: dict[str, dict[str, str]] = {}
        self.collected: dict[str, str] = {}
        self.parameters: dict[str, Any] = {}
        self._taken: set[str] = set()

    def variable(self, slot: Slot) -> str:
        """A new variable for a node in this slot: p, p2 …; sentBy for a participant by role."""
        return self.unique(f"{slot.role.value}By" if slot.role else _VARIABLES[slot.label])

    def unique(self, wish: str) -> str:
        """`wish`, or with the first number that makes it new."""
        name, number = wish, 1
        while name in self._taken:
            number += 1
            name = f"{wish}{number}"
        self._taken.add(name)
        return name

    def parameter(self, wish: str, value: str | float | int | date | list[Any]) -> str:
        """`$wish` bound to the value; the same wish and value again is the same parameter."""
        name, number = wish, 1
        while name in self.parameters and not _same(self.parameters[name], value):
            number += 1
            name = f"{wish}{number}"
        self.parameters[name] = value
        return f"${name}"


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and bool(left == right)


def camel(name: str) -> str:
    """A column's name as a parameter's: "total price" → totalPrice."""
    words: list[str] = re.findall(r"[A-Za-z0-9]+", name) or ["value"]
    return words[0] + "".join(word.capitalize() for word in words[1:])


def quoted(name: str) -> str:
    """A column's name where Cypher wants an identifier. Names are made here of letters, digits, blanks and `%_`."""
    return name if re.fullmatch(r"[a-z][a-zA-Z]*", name) else f"`{name}`"


def node(variable: str, label: str) -> str:
    """A node pattern; either part may be empty."""
    return f"({variable}:{label})" if label else f"({variable})"


def arrow(step: Step) -> str:
    """A relationship pattern in the step's direction."""
    return f"-[:{step.relationship.type}]->" if step.forward else f"<-[:{step.relationship.type}]-"


def ext_id(parameter: str, variable: str = "") -> str:
    """The pattern of the shared attribute that says which feature a parameter is."""
    return f"({variable}:{model.ATTRIBUTE.label} {{type: '{model.EXT_ID}', value: {parameter}}})"


def braces(keyword: str, lines: list[str]) -> str:
    """`EXISTS { … }` on one line where it fits, else indented."""
    inline = f"{keyword} {{ {' '.join(lines)} }}"
    if len(inline) <= WIDTH and "\n" not in inline:
        return inline
    body = "\n".join(lines).replace("\n", "\n  ")
    return f"{keyword} {{\n  {body}\n}}"


def clause(keyword: str, items: list[str]) -> str:
    """`WITH …` or `RETURN …`, an item a line where one line is too long."""
    inline = f"{keyword} {', '.join(items)}"
    if len(inline) <= WIDTH and "\n" not in inline:
        return inline
    return f"{keyword}\n  " + ",\n  ".join(item.replace("\n", "\n  ") for item in items)


def where(predicates: list[str]) -> list[str]:
    """The WHERE line of a clause; none without predicates."""
    return ["WHERE " + "\n  AND ".join(text.replace("\n", "\n  ") for text in predicates)] if predicates else []

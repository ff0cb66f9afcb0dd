"""What narrows the choice between features of like names.

Arrives: the items of a question. Leaves: its `Scope`.
"""

from dataclasses import dataclass

from cpq_graph.query.language.items import FamilyRef, FeatureRef, Item
from cpq_graph.query.language.link import Linker
from cpq_graph.query.language.result import Problem


@dataclass(frozen=True, slots=True)
class Scope:
    """What narrows the choice between features: those that the families named in the question have, and those that the
    question names."""

    linker: Linker
    of_families: frozenset[str] | None
    families: tuple[str, ...]
    named: frozenset[str]
    language: str

    @staticmethod
    def of(items: list[Item], linker: Linker, language: str) -> "Scope":
        """The scope of a question."""
        families = [n for i in items if isinstance(i.means, FamilyRef) for n in i.means.names]
        having = {e for f in families for e in linker.by_family.get(f, {})} if families else None
        named = {
            e for i in items if isinstance(i.means, FeatureRef) and len(i.means.ext_ids) == 1 for e in i.means.ext_ids
        }
        return Scope(linker, frozenset(having) if having else None, tuple(families), frozenset(named), language)

    def narrow(self, ext_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the features that the question's families have; all when none has."""
        if len(ext_ids) > 1 and self.of_families is not None:
            kept = tuple(e for e in ext_ids if e in self.of_families)
            return kept or ext_ids
        return ext_ids

    def choices(self, ext_id: str) -> tuple[str, ...]:
        """All values that the question's families have for a feature; none when that is not known."""
        found: dict[str, None] = {}
        for family in self.families:
            feature = self.linker.by_family.get(family, {}).get(ext_id)
            if feature is None or feature.distinct_values > len(feature.values):
                return ()
            found |= {v.name: None for v in feature.values if v.name}
        return tuple(found)

    def one(self, item: Item, ext_ids: tuple[str, ...]) -> str:
        """The one feature meant. Raises Problem with the choices when there are several."""
        narrowed = self.narrow(ext_ids)
        if len(narrowed) == 1:
            return narrowed[0]
        labels = tuple(self.linker.label(e, self.language) for e in narrowed)
        raise Problem("ambiguous_feature", (("words", item.text),), choices=labels, span=(item.start, item.end))

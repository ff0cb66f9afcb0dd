"""The rules, in the order in which they are asked: a tuple that is the pipeline."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Problem
from cpq_graph.query.check.parser import Parsed
from cpq_graph.query.check.rules.bounds import bounds
from cpq_graph.query.check.rules.cartesian import cartesian
from cpq_graph.query.check.rules.comparisons import comparisons
from cpq_graph.query.check.rules.dialect import dialect
from cpq_graph.query.check.rules.directions import directions
from cpq_graph.query.check.rules.envelope import envelope
from cpq_graph.query.check.rules.fanout import fanout
from cpq_graph.query.check.rules.grouping import grouping
from cpq_graph.query.check.rules.guard import guard
from cpq_graph.query.check.rules.hops import hops
from cpq_graph.query.check.rules.names import labels, relationship_types
from cpq_graph.query.check.rules.nodes import nodes
from cpq_graph.query.check.rules.orderings import orderings
from cpq_graph.query.check.rules.pattern_values import pattern_values
from cpq_graph.query.check.rules.properties import properties
from cpq_graph.query.check.rules.returned import returned
from cpq_graph.query.check.rules.shares import shares
from cpq_graph.query.check.rules.syntax import syntax
from cpq_graph.query.check.rules.values import values
from cpq_graph.query.check.rules.variables import undefined_variables


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule over a query that was read, by the name that findings carry."""

    name: str
    find: Callable[[Context], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class ReadingRule:
    """A rule over a text that may not be a query yet."""

    name: str
    find: Callable[[Parsed], Iterator[Problem]]


READING = (ReadingRule("envelope", envelope), ReadingRule("syntax", syntax))
RULES = (
    Rule("guard", guard),
    Rule("bounds", bounds),
    Rule("patterns", pattern_values),
    Rule("variables", undefined_variables),
    Rule("labels", labels),
    Rule("types", relationship_types),
    Rule("values", values),
    Rule("directions", directions),
    Rule("hops", hops),
    Rule("properties", properties),
    Rule("functions", dialect),
    Rule("nodes", nodes),
    Rule("comparisons", comparisons),
    Rule("grouping", grouping),
    Rule("fanout", fanout),
    Rule("shares", shares),
    Rule("orderings", orderings),
    Rule("cartesian", cartesian),
    Rule("returned", returned),
)

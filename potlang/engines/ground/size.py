"""Whether all ground instances are finitely many, and how many: known before any is made.

Design rule: the graph of sorts, from the arguments of a term with variables to its own sort, Skolem
functions included, has no cycle ([GROUND-FINITE] of `spec/56-grounding.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from potlang.engines.ground.table import is_plain, values_of
from potlang.ir.clauses import Clause
from potlang.ir.graphs import ordered
from potlang.ir.nodes import App, Lit, Node, Sym, Var, free_variable_sets, reachable
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, Sort


class GroundingSize(NamedTuple):
    """At most so many ground terms, and exactly so many instances if the terms are as many.

    `finite` is False where there are infinitely many; then the numbers are 0. `why` says why not, or why
    a model of all instances need not be a model of the formulas.
    """

    finite: bool
    complete: bool
    terms: int = 0
    instances: int = 0
    why: str = ""


def size_of(clauses: Iterable[Clause]) -> GroundingSize:
    """The size of the full grounding of clauses."""
    clauses = list(clauses)
    atoms = [atom for clause in clauses for atom, _ in clause]
    nodes = reachable(*atoms)
    tops = {atom.id for atom in atoms}
    terms = [node for node in nodes if node.id not in tops or node.sort is not BOOL]
    why = _interpreted(atoms, terms)
    open_ = free_variable_sets(*atoms)
    calls = [node for node in terms if isinstance(node, App) and open_[node.id]]
    order = _ordered(calls, open_)
    if order is None:
        return GroundingSize(False, False, why="function terms are infinitely many: the sorts make a cycle")
    counts = _ground_terms(terms, open_)
    for call in order:
        made = math.prod(_count(counts, var.sort) for var in open_[call.id])
        if values_of(call.sort) is None:
            counts[call.sort] = counts.get(call.sort, 0) + made
    instances = sum(
        math.prod(
            _count(counts, var.sort) for var in frozenset[Var]().union(*(open_[a.id] for a, _ in clause))
        )
        for clause in clauses
    )
    return GroundingSize(True, not why, sum(counts.values()), instances, why)


def _interpreted(atoms: Sequence[Node], terms: Sequence[Node]) -> str:
    """The interpreted parts by which a model of the instances may fail the formulas; empty if none."""
    for node in terms:
        if isinstance(node, Var) and not is_plain(node.sort):
            return f"a quantifier ranges over {node.sort}"
        if node.sort is BOOL and not isinstance(node, Lit | Var):
            return "a formula is an argument"
        if isinstance(node, App) and isinstance(node.op, Operator):
            return f"the operator {node.op} occurs"
    for atom in atoms:
        if isinstance(atom, App) and isinstance(atom.op, Operator) and atom.op.name != "=":
            return f"the operator {atom.op} occurs"
    return ""


def _ground_terms(terms: Sequence[Node], open_: Mapping[int, frozenset[Var]]) -> dict[Sort, int]:
    counts: dict[Sort, int] = {}
    for node in terms:
        ground = isinstance(node, Sym | Lit) or (isinstance(node, App) and not open_[node.id])
        if ground and values_of(node.sort) is None:
            counts[node.sort] = counts.get(node.sort, 0) + 1
    return counts


def _count(counts: dict[Sort, int], sort: Sort) -> int:
    values = values_of(sort)
    return len(values) if values is not None else max(counts.get(sort, 0), 1)


def _ordered(calls: Sequence[App], open_: Mapping[int, frozenset[Var]]) -> list[App] | None:
    """The terms with variables, each after those whose sorts its variables have; None for a cycle."""
    by_sort: dict[Sort, list[App]] = {}
    for call in calls:
        by_sort.setdefault(call.sort, []).append(call)
    needs = {
        sort: {var.sort for call in made for var in open_[call.id] if values_of(var.sort) is None}
        for sort, made in by_sort.items()
        if values_of(sort) is None
    }
    cycles: list[list[Sort]] = []
    order = ordered(needs, lambda sort: needs[sort] & needs.keys(), cycles.append)
    return None if cycles else [call for sort in order for call in by_sort[sort]]

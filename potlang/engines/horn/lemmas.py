"""Formulas that the assumptions entail, from the steps of a derivation ([CLOSURE-STEPS]).

A step may rest on the denial of the claim, and be about constants that stand for its variables. What it
says by itself is then that, for all values of these, what it supposes implies its conclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from potlang.engines.horn.derivation import Derivation, DerivationStep
from potlang.engines.horn.recognition import recognise
from potlang.engines.horn.solver import HornSolver
from potlang.ir.module import Module
from potlang.ir.nodes import Node, Sym, Symbol, SymbolKind, reachable
from potlang.ir.pool import Pool
from potlang.ir.substitute import Replacements, substitute
from potlang.utils.deadline import Deadline

_CLOSURE_MS = 2_000
_MOST_STEPS = 2_000
"""Steps of a derivation that are made lemmas; a longer one is left out."""


class Lemma(NamedTuple):
    """A formula that its premises, which are numbers of earlier lemmas, and some assumptions entail.

    `assumptions` are their keys. `key` is the one that was applied last; None: a law of equality was.
    """

    formula: Node
    premises: tuple[int, ...]
    assumptions: tuple[str, ...]
    key: str | None


class Lemmas(NamedTuple):
    """The lemmas, and what the claim follows from: the numbers of some, and the keys of assumptions."""

    found: tuple[Lemma, ...]
    last: tuple[int, ...]
    assumptions: tuple[str, ...]


def derive_lemmas(module: Module, goal: Node) -> Lemmas | None:
    """The lemmas derived on the way to a claim; None where it is not derived, or not soon."""
    closure = HornSolver(recognise(module, ()))
    derivation = closure.derivation(goal, "negation", Deadline(_CLOSURE_MS).passed)
    if derivation is None or sum(len(proof.steps) for proof in derivation.cases) > _MOST_STEPS:
        return None
    return _Collector(module.pool, derivation, closure.horn.universe.dummies.values()).lemmas()


@dataclass(frozen=True, slots=True)
class _Known:
    """Of a step: what it supposes of the claim's denial, and the lemmas and assumptions that it rests on."""

    supposed: tuple[Node, ...]
    lemmas: tuple[int, ...]
    assumptions: tuple[str, ...] = ()


class _Collector:
    """Makes lemmas of steps."""

    def __init__(self, pool: Pool, derivation: Derivation, dummies: Iterable[Symbol]) -> None:
        self._pool = pool
        self._derivation = derivation
        self._any = {*derivation.choices, *dummies}
        """Constants of which nothing but what is supposed is used."""
        self._found: list[Lemma] = []
        self._numbers: dict[int, int] = {}

    def lemmas(self) -> Lemmas:
        last: dict[int, None] = {}
        assumptions: dict[str, None] = {}
        for proof in self._derivation.cases:
            known: list[_Known] = []
            for step in proof.steps:
                known.append(self._known(step, proof.steps, known))
                if step.conclusion is self._pool.false:
                    last.update(dict.fromkeys(known[-1].lemmas))
                    assumptions.update(dict.fromkeys(known[-1].assumptions))
        return Lemmas(tuple(self._found), tuple(last), tuple(assumptions))

    def _known(
        self, step: DerivationStep, steps: Sequence[DerivationStep], known: Sequence[_Known]
    ) -> _Known:
        pool = self._pool
        before = [known[number - 1] for number in step.premises]
        supposed = tuple(dict.fromkeys(each for premise in before for each in premise.supposed))
        rests = tuple(dict.fromkeys(each for premise in before for each in premise.lemmas))
        keys = dict.fromkeys(each for premise in before for each in premise.assumptions)
        if step.kind == "assumed" or (step.kind == "instance" and step.key is None):
            if step.conclusion is not pool.false:
                reasons = [steps[number - 1].conclusion for number in step.premises]
                said = pool.implies(pool.conj(reasons), step.conclusion) if reasons else step.conclusion
                supposed = (*supposed, said)
            return _Known(supposed, rests, tuple(keys))
        if step.conclusion in supposed:
            return _Known(supposed, rests, tuple(keys))
        if step.key is not None:
            keys[step.key] = None
        if step.conclusion is pool.false:
            return _Known(supposed, rests, tuple(keys))
        said = pool.implies(pool.conj(supposed), step.conclusion) if supposed else step.conclusion
        if said.id not in self._numbers:
            formula = self._general(said)
            if formula is None:
                return _Known(supposed, rests, tuple(keys))
            self._numbers[said.id] = len(self._found)
            self._found.append(Lemma(formula, rests, tuple(keys), step.key))
        return _Known(supposed, (self._numbers[said.id],))

    def _general(self, formula: Node) -> Node | None:
        """The formula for all values; None if it is about something that an assumption says exists."""
        fresh = [
            node
            for node in reachable(formula)
            if isinstance(node, Sym) and node.symbol.kind is SymbolKind.FRESH
        ]
        if any(node.symbol not in self._any for node in fresh):
            return None
        if not fresh:
            return formula
        pool = self._pool
        variables = tuple(pool.var(self._variable(node.symbol), node.sort) for node in fresh)
        replacements: Replacements = dict(zip(fresh, variables, strict=True))
        return pool.quant("forall", variables, substitute(pool, formula, replacements))

    def _variable(self, symbol: Symbol) -> str:
        choice = self._derivation.choices.get(symbol)
        return "x" if choice is None else choice.variable.name

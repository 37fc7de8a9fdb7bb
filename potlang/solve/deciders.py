"""The routes without a solver: the closure, asked before any solver, and grounding ([ROUTE-NAMES])."""

from __future__ import annotations

import functools
import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Node, Sym, Symbol, SymbolKind
from potlang.ir.operators import NOT
from potlang.ir.skolem import SkolemForm, TermText, module_printer
from potlang.report import Check
from potlang.solve.asking import Reply
from potlang.solve.encoding import Encoding, Labels

if TYPE_CHECKING:
    from potlang.passes.closure import Closed, Closure, Large, SideName
    from potlang.passes.derivation import Derivation, Proof, Step
    from potlang.solve.backend import EngineSource
    from potlang.solve.grounding import Grounder
    from potlang.solve.verdicts import Ask

CLOSURE_MS = 2_000
"""How long the closure of a program may take under the router; forced, it has the time of a check."""
GROUND_MS = 500
"""The same for grounding, where a solver has given up on a check."""
_REMEMBERED = 64


class Decider(Protocol):
    """Answers checks, or not at all."""

    name: str

    def ask(self, ask: Ask, extra: tuple[Assertion, ...]) -> Reply | None:
        """The answer under the module's assumptions and `extra`; None where it has none."""

    def ask_subset(self, assumed: Sequence[Assertion], ask: Ask) -> Reply | None:
        """The same under these assumptions alone."""


class ClosureDecider:
    """What the least model decides (`55-closure.md`). Models and refutations are made when asked for.

    `exact_only`: nothing is tried where the closure could conclude no more than what follows.
    """

    name = "closure"

    def __init__(
        self,
        module: Module,
        lowered: Module,
        labels: Labels,
        encoding: Encoding,
        most_ms: int,
        *,
        exact_only: bool = False,
    ) -> None:
        self._module = module
        self._exact_only = exact_only
        self._lowered = lowered
        self._labels = labels
        self._encoding = encoding
        self._most_ms = most_ms
        self._extra: tuple[Assertion, ...] | None = None
        self._closure: Closure | None = None
        self._closed: dict[int, tuple[Node, Closed]] = {}

    def ask(self, ask: Ask, extra: tuple[Assertion, ...]) -> Reply | None:
        """As `Decider.ask`. Nothing is concluded again and again: the closure is made once."""
        if self._closure is None or self._extra is not extra:
            from potlang.solve.datalog import available, engine

            self._closure = _recognised(self._module, extra, engine if available() else None)
            self._extra = extra
            self._closed.clear()
        return self._answer(self._closure, ask, (*self._lowered.assertions, *extra), self._closed)

    def ask_subset(self, assumed: Sequence[Assertion], ask: Ask) -> Reply | None:
        """As `Decider.ask_subset`; small ones are meant."""
        few = replace(self._module, assertions=tuple(assumed))
        return self._answer(_recognised(few, (), None), ask, tuple(assumed), {})

    def _answer(
        self,
        closure: Closure,
        ask: Ask,
        assumed: Sequence[Assertion],
        known: dict[int, tuple[Node, Closed]],
    ) -> Reply | None:
        if self._exact_only and not closure.horn.exact:
            return None
        began = time.perf_counter()
        expired = _alarm(self._most_ms)
        side = _side(ask)
        if ask.formula is None:
            found = closure.assumptions(expired)
        else:
            found = getattr(self._decided(closure, ask.formula, known, expired), side)
        if found.status is None:
            return None
        spent = (time.perf_counter() - began) * 1000
        check = Check(ask.name, self.name, found.status, time_ms=spent)
        reply = Reply(found.status, None, (check,), self._encoding, by=self.name)
        if found.status == "sat":
            model = functools.cache(lambda: closure.model(ask.formula, side, _alarm(self._most_ms)))
            return reply._replace(structure=model)
        derivation = closure.derivation(ask.formula, side, _alarm(self._most_ms))
        if derivation is None:
            return reply
        keys = frozenset(derivation.keys)
        core = tuple(
            self._labels.name(each)
            for each in (*self._module.assertions, *(self._extra or ()))
            if each.key in keys
        )
        return reply._replace(
            core=core, refutation=lambda module: derivation_lines(module, derivation, ask.formula)
        )

    def _decided(
        self,
        closure: Closure,
        formula: Node,
        known: dict[int, tuple[Node, Closed]],
        expired: Callable[[], bool],
    ) -> Closed:
        """What is concluded of a claim, whose two sides are asked one after the other."""
        if formula.id not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[formula.id] = formula, closure.decide(formula, expired)
        return known[formula.id][1]


class GroundDecider:
    """What grounding and a SAT solver decide (`56-grounding.md`)."""

    name = "ground"

    def __init__(
        self,
        module: Module,
        lowered: Module,
        labels: Labels,
        encoding: Encoding,
        source: EngineSource,
        most_ms: int,
        *,
        finite_only: bool = False,
    ) -> None:
        self._module = module
        self._lowered = lowered
        self._labels = labels
        self._encoding = encoding
        self._source = source
        self._most_ms = most_ms
        self._finite_only = finite_only
        self._grounder: Grounder | None = None

    def ask(self, ask: Ask, extra: tuple[Assertion, ...]) -> Reply | None:
        """As `Decider.ask`."""
        return self._answer(ask, (*self._module.assertions, *extra), (*self._lowered.assertions, *extra))

    def ask_subset(self, assumed: Sequence[Assertion], ask: Ask) -> Reply | None:
        """As `Decider.ask_subset`."""
        return self._answer(ask, assumed, assumed)

    def _answer(self, ask: Ask, assumed: Sequence[Assertion], labelled: Sequence[Assertion]) -> Reply | None:
        from potlang.solve.grounding import Grounder, GroundLimits

        if (ask.formula is None) != (ask.claim is None):
            return None
        if self._grounder is None:
            self._grounder = Grounder(self._module, self._source)
        began = time.perf_counter()
        own = len(assumed) <= len(self._module.assertions)
        limits = GroundLimits(timeout_ms=self._most_ms, finite_only=self._finite_only)
        found = self._grounder.decide(assumed, _side(ask), ask.claim, limits, lines=own)
        if found.status == "unknown":
            return None
        spent = (time.perf_counter() - began) * 1000
        check = Check(ask.name, self.name, found.status, time_ms=spent)
        reply = Reply(found.status, None, (check,), self._encoding, by=self.name)
        if found.status == "sat":
            return reply._replace(structure=lambda: found.structure)
        keys = frozenset(_keys(found.lines))
        core = tuple(self._labels.name(each) for each in labelled if each.key in keys or not own)
        return reply._replace(
            core=core, refutation=lambda module: found.lines or None if module is self._module else None
        )


_INSTANCE = re.compile(r'\(instance [0-9]+ ("(?:[^"\\]|\\.)*")')


def _keys(lines: Iterable[str]) -> Iterable[str]:
    """The assertions that a refutation takes instances of."""
    found = (_INSTANCE.match(line) for line in lines)
    return (json.loads(each[1]) for each in found if each is not None)


def _recognised(module: Module, extra: Sequence[Assertion], large: Large | None) -> Closure:
    from potlang.passes.closure import Closure
    from potlang.passes.horn import recognise

    return Closure(recognise(module, extra), large=large)


def _side(ask: Ask) -> SideName:
    if ask.formula is None:
        return "assumptions"
    return "negation" if ask.negated else "claim"


def _alarm(milliseconds: float) -> Callable[[], bool]:
    end = time.monotonic() + milliseconds / 1000
    return lambda: time.monotonic() > end


# --- derivations as statements of a certificate --------------------------------------------------------


def derivation_lines(module: Module, derivation: Derivation, goal: Node | None) -> tuple[str, ...] | None:
    """The statements of a derivation, step by step; None for one by cases, which statements cannot say."""
    if len(derivation.cases) != 1 or derivation.cases[0].assumed:
        return None
    text = TermText(module_printer(module))
    plain = {each.key: each.formula for each in module.assertions}
    for key in derivation.keys:
        text.add(key, plain[key], SkolemForm(plain[key], (), {}))
    if goal is not None:
        text.add(None, goal, SkolemForm(goal, (), derivation.choices))
    for symbol in _dummies(derivation):
        text.add_dummy(symbol)
    return tuple(_Lines(text).proof(derivation.cases[0]))


class _Lines:
    """The statements of one case; those that equations take part in follow by propagation."""

    def __init__(self, text: TermText) -> None:
        self._text = text

    def proof(self, proof: Proof) -> Iterable[str]:
        hinted = all(step.kind in ("instance", "conflict") for step in proof.steps)
        complete = False
        for number, step in enumerate(proof.steps, 1):
            if step.kind == "conflict":
                continue
            complete = hinted and step is proof.steps[-1]
            yield self._hinted(number, step) if hinted else self._plain(number, step)
        if not complete:
            yield "(empty)"

    def _hinted(self, number: int, step: Step) -> str:
        bindings = " ".join(self._bindings(step))
        premises = " ".join(map(str, step.premises))
        conclusion = self._text.term(step.conclusion)
        return f"(step {number} {self._text.root(step.key)} ({bindings}) ({premises}) {conclusion})"

    def _plain(self, number: int, step: Step) -> str:
        if step.kind == "instance":
            return " ".join([f"(instance {number} {self._text.root(step.key)}", *self._bindings(step)]) + ")"
        if step.kind == "transitive":
            return f"(axiom {number} transitive {' '.join(map(self._text.term, step.terms))})"
        proved, known = step.terms
        if _is_negation(proved):
            known, proved = proved, known
        head, before = self._applied(known)
        _, after = self._applied(proved)
        return f"(axiom {number} congruent {head} ({before}) ({after}))"

    def _applied(self, literal: Node) -> tuple[str, str]:
        """The symbol of a literal's atom, and its arguments."""
        atom = literal.args[0] if isinstance(literal, App) and literal.op is NOT else literal
        assert isinstance(atom, App)
        head = self._text.head(atom.op) if isinstance(atom.op, Symbol) else atom.op.name
        return head, " ".join(map(self._text.term, atom.args))

    def _bindings(self, step: Step) -> list[str]:
        variable = functools.partial(self._text.variable, step.key)
        return [f"({variable(var)} {self._text.term(node)})" for var, node in step.substitution]


def _is_negation(literal: Node) -> bool:
    return isinstance(literal, App) and literal.op is NOT


def _dummies(derivation: Derivation) -> Iterable[Symbol]:
    """The constants that stand for some member of a sort."""
    terms = [node for proof in derivation.cases for step in proof.steps for _, node in step.substitution]
    for node in dict.fromkeys(terms):
        fresh = isinstance(node, Sym) and node.symbol.kind is SymbolKind.FRESH
        if isinstance(node, Sym) and fresh and node.symbol not in derivation.choices:
            yield node.symbol

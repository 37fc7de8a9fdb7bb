"""Proofs in Lean out of derivations of the least model ([CLOSURE-STEPS]): one `have` for each step.

A step is an assumption at some values, applied to what earlier steps say. Where a derivation has other
steps, or a claim another form, there is no proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from potlang.engines.horn.derivation import Derivation, DerivationStep
from potlang.engines.horn.recognition import recognise
from potlang.engines.horn.solver import HornSolver
from potlang.ir import operators as op
from potlang.ir.nodes import App, Node, Quant, Symbol
from potlang.ir.substitute import substitute
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.export.lean import LeanWriter

_CLOSURE_MS: Final = 2_000
_MOST_STEPS: Final = 2_000
_ATOMIC: Final = re.compile(r"(«[^»]*»|\w)+(\.(«[^»]*»|\w)+)*|⟨[^⟨⟩]*⟩|\([^()]*\)")


class ProofWriter:
    """Proofs of the claims of one problem, whose least model is computed once."""

    def __init__(self, writer: LeanWriter) -> None:
        self._writer = writer
        module = replace(writer.problem.module, claims=(), norms=(), optimization=None)
        self._closure = HornSolver(recognise(module, ()))

    def lines(self, goal: Node) -> list[str] | None:
        """The lines of a term that proves the goal from the assumptions; None where none is found."""
        derivation = self._closure.derivation(goal, "negation", Deadline(_CLOSURE_MS).passed)
        if derivation is None or len(derivation.cases) != 1 or len(derivation.cases[0].steps) > _MOST_STEPS:
            return None
        try:
            return _Proof(self._writer, derivation).lines(goal)
        except _NoSimpleProof:
            return None


class _NoSimpleProof(Exception):
    """A step or a claim that is not written here."""


class _Proof:
    """The hypotheses by name, and the lines so far."""

    def __init__(self, writer: LeanWriter, derivation: Derivation) -> None:
        self._writer = writer
        self._pool = writer.problem.pool
        self._steps = derivation.cases[0].steps
        self._constants = {choice.variable: symbol for symbol, choice in derivation.choices.items()}
        self._assertions = {each.key: each.formula for each in writer.problem.assertions}
        self._called: dict[Symbol, str] = {}
        self._known: dict[int, str] = {}
        """The proof terms of formulas, by their ids."""
        self._lines: list[str] = []

    def lines(self, goal: Node) -> list[str]:
        """The proof. Raises `_NoSimpleProof`."""
        target = self._introduced(goal)
        for step in self._steps:
            if step.kind == "instance" and step.key is not None:
                self._apply(step)
            elif step.kind not in ("instance", "assumed", "conflict"):
                raise _NoSimpleProof
        contradiction = self._known.get(self._pool.false.id)
        proof = f"{contradiction}.elim" if contradiction is not None else self._concluded(target)
        if proof is None:
            raise _NoSimpleProof
        return [*self._lines, f"  {proof}"]

    def _concluded(self, target: Node) -> str | None:
        """A proof of what is left to be shown; of `exists`, by the values that the derivation found."""
        if not (isinstance(target, Quant) and target.kind == "exists"):
            return self._proved(target)
        for step in self._steps:
            values = dict(step.substitution)
            if step.key is None and all(var in values for var in target.binders):
                images: dict[Node, Node] = {var: values[var] for var in target.binders}
                proof = self._proved(substitute(self._pool, target.body, images))
                if proof is not None:
                    texts = [self._argument(values[var]) for var in target.binders]
                    return f"⟨{', '.join([*texts, proof])}⟩"
        return None

    def _introduced(self, goal: Node) -> Node:
        """The goal that is left once its variables and premises are named."""
        while True:
            if isinstance(goal, Quant) and goal.kind == "forall":
                goal = self._with_constants(goal)
            elif isinstance(goal, App) and goal.op is op.IMPLIES:
                self._suppose(goal.args[0])
                goal = goal.args[1]
            elif isinstance(goal, App) and goal.op is op.NOT:
                self._suppose(goal.args[0])
                return self._pool.false
            else:
                return goal

    def _with_constants(self, goal: Quant) -> Node:
        images: dict[Node, Node] = {}
        for var in goal.binders:
            symbol = self._constants.get(var)
            if symbol is None or symbol.domain:
                raise _NoSimpleProof
            name = self._called[symbol] = self._writer.unused(var.name)
            images[var] = self._pool.sym(symbol)
            self._lines.append(f"  fun ({name} : {self._writer.sort(var.sort)}) =>")
        return substitute(self._pool, goal.body, images)

    def _suppose(self, premise: Node) -> None:
        name = self._writer.unused("h")
        self._lines.append(f"  fun ({name} : {self._text(premise)}) =>")
        self._learn(premise, name)

    def _learn(self, formula: Node, proof: str) -> None:
        """A formula and the parts of a conjunction are known."""
        stack = [(formula, proof)]
        while stack:
            node, text = stack.pop()
            self._known.setdefault(node.id, text)
            if isinstance(node, App) and node.op is op.AND:
                stack += [(arg, _part(text, place, len(node.args))) for place, arg in enumerate(node.args)]

    def _text(self, formula: Node) -> str:
        return self._writer.formula(formula, called=self._called)

    def _argument(self, term: Node) -> str:
        return _atomic(self._text(term))

    # --- steps ---

    def _apply(self, step: DerivationStep) -> None:
        if step.conclusion.id in self._known:
            return
        formula = self._assertions.get(step.key or "")
        if formula is None:
            raise _NoSimpleProof
        images: dict[Node, Node] = dict(step.substitution)
        hypothesis = self._writer.hypotheses[step.key or ""]
        proof = self._eliminated(formula, hypothesis, images, step.conclusion)
        if proof is None:
            raise _NoSimpleProof
        name = self._writer.unused("s")
        self._lines.append(f"  have {name} : {self._text(step.conclusion)} := {proof}")
        self._known[step.conclusion.id] = name

    def _eliminated(self, formula: Node, proof: str, images: dict[Node, Node], wanted: Node) -> str | None:
        """A proof of what is wanted out of one of a formula at some values."""
        stack = [(formula, proof)]
        while stack:
            node, text = stack.pop()
            if isinstance(node, Quant) and node.kind == "forall":
                if any(var not in images for var in node.binders):
                    return None
                args = " ".join(self._argument(images[var]) for var in node.binders)
                stack.append((node.body, f"{text} {args}"))
                continue
            said = substitute(self._pool, node, images) if images else node
            if said is wanted:
                return text
            stack += self._uses(node, said, text)
            if wanted is self._pool.false and isinstance(said, App) and said.op is op.NOT:
                denied = self._proved(said.args[0])
                if denied is not None:
                    return f"{text} {_atomic(denied)}"
        return None

    def _uses(self, node: Node, said: Node, text: str) -> Iterable[tuple[Node, str]]:
        """The parts of a formula that its proof and what is known prove."""
        if not isinstance(node, App) or not isinstance(said, App):
            return
        if node.op is op.AND:
            for place, arg in enumerate(node.args):
                yield arg, _part(text, place, len(node.args))
        elif node.op is op.IMPLIES:
            premise = self._proved(said.args[0])
            if premise is not None:
                yield node.args[1], f"{text} {_atomic(premise)}"
        elif node.op is op.IFF:
            for place, way in ((0, "mp"), (1, "mpr")):
                premise = self._proved(said.args[place])
                if premise is not None:
                    yield node.args[1 - place], f"{_atomic(text)}.{way} {_atomic(premise)}"

    def _proved(self, formula: Node) -> str | None:
        """A proof of a formula out of what is known."""
        done: dict[int, str | None] = {}
        stack = [formula]
        while stack:
            node = stack[-1]
            if node.id in done:
                stack.pop()
                continue
            if node.id in self._known or not (isinstance(node, App) and node.op in (op.AND, op.OR)):
                done[node.id] = self._direct(node)
                continue
            missing = [arg for arg in node.args if arg.id not in done]
            if missing:
                stack += missing
                continue
            done[node.id] = _joined(node, [done[arg.id] for arg in node.args])
        return done[formula.id]

    def _direct(self, node: Node) -> str | None:
        if node is self._pool.true:
            return "True.intro"
        if isinstance(node, App) and node.op is op.EQ and node.args[0] is node.args[1]:
            return "rfl"
        return self._known.get(node.id)


def _joined(node: App, proofs: Sequence[str | None]) -> str | None:
    """A proof of a conjunction or disjunction by those of its parts, as far as there are some."""
    if node.op is op.AND:
        known = [proof for proof in proofs if proof is not None]
        return f"⟨{', '.join(known)}⟩" if len(known) == len(proofs) else None
    for place, proof in enumerate(proofs):
        if proof is not None:
            inner = proof if place == len(proofs) - 1 else f"Or.inl {_atomic(proof)}"
            for _ in range(place):
                inner = f"Or.inr {_atomic(inner)}"
            return inner
    return None


def _part(text: str, place: int, count: int) -> str:
    """The proof of one of several conjuncts, which are nested to the right."""
    return _atomic(text) + ".2" * place + (".1" if place < count - 1 else "")


def _atomic(text: str) -> str:
    """A term in brackets unless it needs none as an argument."""
    return text if _ATOMIC.fullmatch(text) else f"({text})"

"""Derivations of the closure as statements of a certificate, which the kernel has accepted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from potlang.certify import Invalid, Refutation
from potlang.engines.horn.derivation import CaseProof, Derivation, DerivationStep
from potlang.engines.horn.program import HornProgram
from potlang.engines.propositional import Propositional
from potlang.engines.term_text import TermText, module_printer
from potlang.ir.module import Claim
from potlang.ir.nodes import App, Node, Quant, Sym, SymbolKind, Var
from potlang.ir.operators import NOT
from potlang.ir.skolem import Choice, SkolemForm
from potlang.ir.sorts import DeclaredSort
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.certify import Theory

_MOST_CONFLICTS = 2_000
_MOST_MS = 1_000


def derivation_lines(
    horn: HornProgram, derivation: Derivation, side: str, claim: Claim | None, theory: Theory
) -> tuple[str, ...] | None:
    """The statements of a refutation, between `(refutation …)` and what follows; None if the kernel refuses.

    A derivation in one case is hinted steps. With several cases it is the instances and axioms used, and
    lemmas.
    """
    key = None if side == "assumptions" or claim is None else claim.key
    writer = _DerivationWriter(horn, derivation, claim)
    if len(derivation.cases) == 1 and not derivation.cases[0].assumed:
        found = _accepted(writer.steps(derivation.cases[0]), theory, side, key)
        if found is not None:
            return found
    return _accepted(writer.instances(derivation.cases), theory, side, key)


def _accepted(lines: list[str], theory: Theory, side: str, key: str | None) -> tuple[str, ...] | None:
    """The statements with what is missing to the empty clause, or None if the kernel refuses one."""
    try:
        refutation = Refutation(theory, side, key)
        for line in lines:
            refutation.statement(line)
        if refutation.refuted:
            return tuple(lines)
        more = [] if refutation.propagate() else _lemmas(refutation.clauses)
        more.append("(empty)")
        for line in more:
            refutation.statement(line)
    except Invalid:
        return None
    return (*lines, *more)


def _lemmas(clauses: Sequence[Sequence[int]]) -> list[str]:
    """Clauses that lead to the empty one, each by propagation; none if there are no such."""
    solver = Propositional()
    for clause in clauses:
        solver.add(clause)
    if solver.solve(_MOST_CONFLICTS, Deadline(_MOST_MS)) is not False:
        return []
    return [f"(lemma {' '.join(map(str, lemma))})" for lemma in solver.trace().lemmas]


class _DerivationWriter:
    def __init__(self, horn: HornProgram, derivation: Derivation, claim: Claim | None) -> None:
        self.horn = horn
        self.text = TermText(module_printer(horn.module))
        for symbol in horn.universe.dummies.values():
            self.text.add_dummy(symbol)
        self._add_assertions(derivation)
        if claim is not None:
            formula = _closed(horn, claim)
            self.text.add(None, formula, SkolemForm(formula, (), derivation.choices))

    def _add_assertions(self, derivation: Derivation) -> None:
        """Make the variables and Skolem constants of all assertions that matter printable."""
        choices: dict[str | None, dict[object, Choice]] = {}
        for symbol, choice in self.horn.parts.choices.items():
            choices.setdefault(choice.root, {})[symbol] = choice
        closing = (source.key for sources in self.horn.closing.values() for source in sources)
        wanted = {*derivation.keys, *closing, *choices}
        for assertion in (*self.horn.module.assertions, *self.horn.extra):
            if assertion.key in wanted:
                form = SkolemForm(assertion.formula, (), choices.get(assertion.key, {}))  # type: ignore[arg-type]
                self.text.add(assertion.key, assertion.formula, form)

    # --- one case ---

    def steps(self, proof: CaseProof) -> list[str]:
        """Hinted steps and axioms, numbered as in the derivation."""
        hints: list[tuple[int, ...]] = [()]
        lines = []
        for number, step in enumerate(proof.steps, 1):
            below = [each for premise in step.premises for each in hints[premise]]
            if step.kind == "instance":
                shown = " ".join(map(str, dict.fromkeys(below)))
                conclusion = self.text.term(step.conclusion)
                root, bindings = self.text.root(step.key), self._bindings(step)
                lines.append(f"(step {number} {root} ({bindings}) ({shown}) {conclusion})")
                hints.append((number,))
            else:
                lines.append(f"(axiom {number} {self._axiom(step)})")
                hints.append((*below, number))
        return lines

    def _bindings(self, step: DerivationStep) -> str:
        return " ".join(self._binding(step.key, var, node) for var, node in step.substitution)

    def _binding(self, root: str | None, var: Var, node: Node) -> str:
        return f"({self.text.variable(root, var)} {self.text.term(node)})"

    def _axiom(self, step: DerivationStep) -> str:
        if step.kind == "transitive":
            return f"transitive {' '.join(map(self.text.term, step.terms))}"
        new, old = (term for term in step.terms if isinstance(term, App))
        if new.op is NOT:
            new, old = (term.args[0] for term in (old, new))  # type: ignore[assignment]
        left, right = (" ".join(map(self.text.term, atom.args)) for atom in (old, new))
        return f"congruent {self.text.call(new.op)} ({left}) ({right})"

    # --- several cases ---

    def instances(self, cases: Iterable[CaseProof]) -> list[str]:
        """The instances and axioms that the cases use, each once."""
        found: dict[str, None] = {}
        for proof in cases:
            for step in proof.steps:
                found.update(dict.fromkeys(self._statements(step)))
        return [f"({head} {number} {rest})" for number, (head, rest) in enumerate(map(_split, found), 1)]

    def _statements(self, step: DerivationStep) -> list[str]:
        match step.kind:
            case "conflict":
                return []
            case "transitive" | "congruent":
                return [f"axiom {self._axiom(step)}"]
            case "assumed":
                return [self._instance(step), *self._members(step.conclusion)]
            case _:
                return [self._instance(step)]

    def _instance(self, step: DerivationStep) -> str:
        return f"instance {self.text.root(step.key)} {self._bindings(step)}".rstrip()

    def _members(self, conclusion: Node) -> list[str]:
        """That a Skolem constant is some member of its sort, where an equation with one is supposed."""
        args = conclusion.args if isinstance(conclusion, App) else ()
        return [
            line
            for arg in args
            if isinstance(arg, Sym) and arg.symbol.kind is SymbolKind.FRESH
            for line in self._member(arg)
        ]

    def _member(self, term: Sym) -> list[str]:
        if not isinstance(term.sort, DeclaredSort):
            return [f"axiom member {self.text.term(term)}"]
        return [
            f"instance {self.text.root(source.key)} "
            + " ".join(self._binding(source.key, var, term) for var, _ in source.images)
            for source in self.horn.closing.get(term.sort, [])
        ]


def _split(line: str) -> tuple[str, str]:
    head, _, rest = line.partition(" ")
    return head, rest


def _closed(horn: HornProgram, claim: Claim) -> Node | Quant:
    """The claim's formula; of one with `find`, that something has it."""
    return horn.pool.quant("exists", claim.find, claim.formula) if claim.find else claim.formula

"""Bindings by name: witnesses of `exists`, violations of `forall` and of norms, answers to `find`.

Candidates are tuples of named members, of literals that the program mentions, and of values that a
model proposes. What is named here has been checked: [VERDICT-WITNESS], [VERDICT-NORM], [VERDICT-FIND].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product
from math import prod
from typing import NamedTuple

from potlang.engines.encoding import Encoding, shown_literal
from potlang.engines.messages import Query
from potlang.ir.module import Module
from potlang.ir.nodes import Lit, Node, Quant, Symbol, SymbolKind, Var, reachable
from potlang.ir.sorts import BitVecSort, IntSort, RealSort, Sort, StringSort
from potlang.ir.substitute import substitute
from potlang.prove.terms import TermCollector
from potlang.prove.verdicts import ClaimState, Verifier
from potlang.report.results import Binding, Bindings, Evidence, Verdict, Witness

MOST_CANDIDATES = 1_000
"""Bindings looked at for one claim ([LIMIT-BINDINGS])."""
_MOST_LITERALS = 50
_MOST_SINGLES = 16
_MOST_VAIN = 3
_CHECK_MS = 2_000


class Candidates(NamedTuple):
    """Bindings of `binders`, each with the instance of the body; `cut` more were left out."""

    binders: tuple[Var, ...]
    tuples: tuple[tuple[Node, ...], ...]
    instances: tuple[Node, ...]
    cut: int

    def binding(self, index: int, terms: TermCollector) -> Binding:
        """One candidate in the program's words."""
        names = _distinct_names(self.binders)
        values = [
            terms.label(node, binder.shown) or "?"
            for node, binder in zip(self.tuples[index], self.binders, strict=True)
        ]
        return dict(zip(names, values, strict=True))


def _distinct_names(binders: Sequence[Var]) -> list[str]:
    names: list[str] = []
    for binder in binders:
        name, number = binder.name, 2
        while name in names:
            name, number = f"{binder.name}_{number}", number + 1
        names.append(name)
    return names


def candidates(
    terms: TermCollector, binders: tuple[Var, ...], body: Node, proposed: Iterable[tuple[Node, ...]] = ()
) -> Candidates:
    """Candidates for the binders: those proposed first, then named members and literals in order."""
    literals = _literals(terms.module, body)
    choices = [_choices(terms, binder, literals) for binder in binders]
    tuples = dict.fromkeys(proposed)
    total = len(tuples) + prod(len(each) for each in choices)
    tuples |= dict.fromkeys(islice(product(*choices), MOST_CANDIDATES - len(tuples)))
    instances = [
        substitute(terms.module.pool, body, dict(zip(binders, each, strict=True))) for each in tuples
    ]
    return Candidates(binders, tuple(tuples), tuple(instances), max(0, total - MOST_CANDIDATES))


def _choices(terms: TermCollector, binder: Var, literals: dict[Sort, list[Node]]) -> list[Node]:
    # Numbers stand for members of several sorts: those of another one are no candidates.
    named = terms.members(binder.sort, binder.shown)
    return list(dict.fromkeys([*named, *literals.get(binder.sort, ())]))


def is_open_valued(sort: Sort) -> bool:
    """Whether values beyond the named members can be written as literals."""
    return isinstance(sort, IntSort | RealSort | StringSort | BitVecSort)


def _literals(module: Module, body: Node) -> dict[Sort, list[Node]]:
    """The literals of the claim, then those of the assumptions, by sort, up to a bound each."""
    found: dict[Sort, list[Node]] = {}
    roots = [body]
    if any(is_open_valued(node.sort) for node in reachable(body) if isinstance(node, Var)):
        roots += [assertion.formula for assertion in module.assertions]
    for node in [*reachable(body), *reachable(*roots)]:
        if isinstance(node, Lit) and is_open_valued(node.sort):
            known = found.setdefault(node.sort, [])
            if len(known) < _MOST_LITERALS and node not in known:
                known.append(node)
    return found


def opened(formula: Node, find: tuple[Var, ...] = ()) -> tuple[tuple[Var, ...], Node] | None:
    """Binders and body of a claim that is a quantifier or has `find`; None for any other.

    Quantifiers of one kind that follow each other directly are taken together.
    """
    if find:
        return find, formula
    if not isinstance(formula, Quant):
        return None
    binders, body = formula.binders, formula.body
    while isinstance(body, Quant) and body.kind == formula.kind:
        binders, body = (*binders, *body.binders), body.body
    return binders, body


def propose(
    verifier: Verifier, binders: tuple[Var, ...], body: Node, *, holds: bool
) -> list[tuple[Node, ...]]:
    """The binding that a model of the assumptions gives for a true (`holds`) or false body, if named."""
    terms = verifier.terms
    pool = terms.module.pool
    symbols = [
        Symbol(f"witness.{number}", (), binder.sort, SymbolKind.FRESH)
        for number, binder in enumerate(binders)
    ]
    unknowns: list[Node] = [pool.sym(symbol) for symbol in symbols]
    instance = substitute(pool, body, dict(zip(binders, unknowns, strict=True)))
    named = [term.node for term in terms.named(dict.fromkeys(binder.sort for binder in binders))]

    def build(encoding: Encoding) -> Query:
        text = "".join(encoding.declare(symbol) for symbol in symbols)
        text += encoding.goal(instance, negated=not holds)
        return verifier.query(encoding, text, tuple(encoding.term(node) for node in (*unknowns, *named)))

    result = verifier.dispatcher.ask_first("claim", build, most_ms=_CHECK_MS)
    if result.values is None:
        return []
    values, elements = result.values[: len(binders)], result.values[len(binders) :]
    names = {(node.sort, raw): node for node, raw in reversed([*zip(named, elements, strict=True)])}
    found = [
        names.get((binder.sort, raw)) or shown_literal(raw, binder.sort, pool)
        for binder, raw in zip(binders, values, strict=True)
    ]
    known = tuple(node for node in found if node is not None)
    return [known] if len(known) == len(binders) else []


# --- one binding that is certain, or a few of which one is ---------------------------------------


def witness(verifier: Verifier, found: Candidates, *, holds: bool) -> Witness | None:
    """Bindings of which one makes the body true (`holds`) or false in every model; None if none is named.

    One query over all candidates gives a set through its unsat core; singles are tried first, then the
    set is made minimal.
    """
    names = {f"!b{index}": index for index in range(len(found.instances))}
    if not names:
        return None

    def core(indices: Sequence[int]) -> list[int] | None:
        def build(encoding: Encoding) -> Query:
            named = [encoding.named(found.instances[i], f"!b{i}", negated=holds) for i in indices]
            return verifier.query(encoding, "".join(named))

        result = verifier.dispatcher.ask_first("negation" if holds else "claim", build, most_ms=_CHECK_MS)
        if result.status != "unsat":
            return None
        if result.core is None:
            return list(indices)
        return sorted(names[name] for name in result.core if name in names)

    # All at once first: the core leaves out the many that play no part, each of which would be a check.
    indices = core(range(len(found.instances)))
    if not indices:
        return None
    chosen, minimal = _smallest(indices, core)
    return Witness(tuple(found.binding(i, verifier.terms) for i in chosen), minimal)


def _smallest(
    indices: list[int], core: Callable[[Sequence[int]], list[int] | None]
) -> tuple[list[int], bool]:
    """One index that suffices; else the set with all that can be left out left out."""
    if len(indices) == 1:
        return indices, True
    for index in indices[:_MOST_SINGLES]:
        if core([index]) is not None:
            return [index], True
    rest = list(indices)
    for index in indices[:_MOST_SINGLES]:
        without = [each for each in rest if each != index]
        smaller = core(without) if index in rest and without else None
        if smaller:
            rest = smaller
    return rest, len(indices) <= _MOST_SINGLES


# --- all bindings, certain and possible ----------------------------------------------------------


def classify(verifier: Verifier, found: Candidates, *, holds: bool) -> Bindings:
    """Which candidates certainly, and which possibly, make the body true (`holds`) or false."""
    pool = verifier.terms.module.pool
    wanted = [each if holds else pool.negate(each) for each in found.instances]
    sorter = _Sorter(verifier, wanted)
    sorter.run()
    named = [found.binding(index, verifier.terms) for index in range(len(wanted))]
    return Bindings(
        tuple(named[i] for i in sorter.certain),
        tuple(named[i] for i in sorter.possible),
        tuple(named[i] for i in sorter.undecided),
        found.cut,
    )


class _Sorter:
    """Sorts formulas into certain, possible and impossible, ruling out many by each model."""

    def __init__(self, verifier: Verifier, formulas: list[Node]) -> None:
        self._verifier = verifier
        self._formulas = formulas
        self._ground = [not any(isinstance(n, Quant) for n in reachable(each)) for each in formulas]
        self._true: dict[int, bool] = {}
        self._false: dict[int, bool] = {}

    @property
    def certain(self) -> list[int]:
        """Never false."""
        return [i for i in self._every() if self._false.get(i) is False]

    @property
    def possible(self) -> list[int]:
        """True in a model, and false in another."""
        return [i for i in self._every() if self._true.get(i) and self._false.get(i)]

    @property
    def undecided(self) -> list[int]:
        """Not settled: neither impossible, nor certain, nor shown true and false."""
        return [
            i
            for i in self._every()
            if self._true.get(i) is not False and self._false.get(i) is not False
            if not (self._true.get(i) and self._false.get(i))
        ]

    def _every(self) -> range:
        return range(len(self._formulas))

    def run(self) -> None:
        """First what can be true, then what of that can be false."""
        self._settle(self._true, [*self._every()], negated=False)
        self._settle(self._false, [i for i in self._every() if self._true.get(i) is not False], negated=True)

    def _settle(self, known: dict[int, bool], indices: list[int], *, negated: bool) -> None:
        """Find out for each index whether the formula, or its negation, has a model.

        In turns: whether any of those left has, which ends it if not; and whether many have one together.
        """
        left = [i for i in indices if i not in known]
        chunk = len(left)
        while left:
            if self._ask(left, negated) == "unsat":
                known.update(dict.fromkeys(left, False))
            rest = [i for i in left if i not in known]
            # Unknown, or a model without values for these: the same check again would say the same.
            if len(rest) == len(left):
                self._one_by_one(known, rest, negated)
                return
            if len(rest) > 1:
                # Possible bindings are often possible together (they are facts that are left open), and one
                # check settles them all; if not, smaller groups are tried.
                together = self._ask(rest[:chunk], negated, together=True) == "sat"
                known.update(dict.fromkeys(rest[:chunk], True) if together else {})
                chunk = chunk * 2 if together else max(1, chunk // 4)
            left = [i for i in rest if i not in known]

    def _one_by_one(self, known: dict[int, bool], indices: list[int], negated: bool) -> None:
        vain = 0
        for index in indices:
            if index not in known and vain < _MOST_VAIN:
                status = self._ask([index], negated)
                vain = vain + 1 if status == "unknown" else 0
                if status != "unknown":
                    known[index] = status == "sat"

    def _ask(self, indices: list[int], negated: bool, *, together: bool = False) -> str:
        """Whether one of the formulas (negated), or all `together`, have a model; notes what it says."""
        shown = [i for i in self._every() if self._ground[i]]

        def build(encoding: Encoding) -> Query:
            terms = {i: encoding.term(self._formulas[i]) for i in dict.fromkeys((*indices, *shown))}
            parts = [f"(not {terms[i]})" if negated else terms[i] for i in indices]
            text = parts[0] if len(parts) == 1 else f"({'and' if together else 'or'} {' '.join(parts)})"
            return self._verifier.query(encoding, f"(assert {text})", tuple(terms[i] for i in shown))

        result = self._verifier.dispatcher.ask_first("assumptions", build, most_ms=_CHECK_MS)
        for index, value in zip(shown, result.values or (), strict=False):
            if value in ("true", "false"):
                (self._true if value == "true" else self._false)[index] = True
        return str(result.status)


def with_bindings(verifier: Verifier, state: ClaimState, evidence: Evidence) -> Evidence:
    """The evidence of a quantified claim with the bindings that its verdict calls for."""
    claim, verdict = state.claim, state.verdict
    parts = opened(claim.formula, claim.find)
    if parts is None:
        return evidence
    binders, body = parts
    if claim.find:
        return evidence._replace(bindings=_classified(verifier, binders, body, holds=True))
    kind = state.formula.kind if isinstance(state.formula, Quant) else ""
    if kind == "forall" and state.kind == "norm" and verdict is not Verdict.ENTAILED:
        evidence = evidence._replace(violations=_classified(verifier, binders, body, holds=False))
    if (kind, verdict) in (("exists", Verdict.ENTAILED), ("forall", Verdict.REFUTED)):
        holds = kind == "exists"
        found = _proposed(verifier, binders, body, holds=holds)
        evidence = evidence._replace(witness=witness(verifier, found, holds=holds))
    return evidence


def _classified(verifier: Verifier, binders: tuple[Var, ...], body: Node, *, holds: bool) -> Bindings:
    return classify(verifier, candidates(verifier.terms, binders, body), holds=holds)


def _proposed(verifier: Verifier, binders: tuple[Var, ...], body: Node, *, holds: bool) -> Candidates:
    """Named members; for numbers and the like, first the values that a model proposes."""
    proposed: list[tuple[Node, ...]] = []
    if any(is_open_valued(binder.sort) for binder in binders):
        proposed = propose(verifier, binders, body, holds=holds)
    return candidates(verifier.terms, binders, body, proposed)

"""Facts that describe a model as a case: values of terms, truths of conditions ([POLICY-SUGGEST-CASE])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from potlang.ir.measures import value_text
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, STRING, EnumSort, IntSort, MeasureSort, RealSort
from potlang.ir.substitute import substitute
from potlang.linter.linted import literal
from potlang.policy.boundaries import candidates, decided_by, has_values, terms_of
from potlang.policy.case_search import CaseInquiry, CaseQuestion, CaseSearch, CaseWay
from potlang.policy.cases import FACTS, SORT
from potlang.policy.formula_text import decimal_number, formula_text
from potlang.policy.rule_parts import declared

_MOST_CANDIDATES: Final = 24
_NAMED: Final = (SymbolKind.CONSTANT, SymbolKind.FUNCTION, SymbolKind.DEFINED, SymbolKind.FREE)


class KnownFact(NamedTuple):
    """That a term has a value, or that a formula is true or false: `value` is a literal of its sort."""

    term: Node
    value: Lit

    @property
    def is_denial(self) -> bool:
        """Whether it says that a formula is false."""
        return self.term.sort is BOOL and not self.value.value

    def formula(self, pool: Pool) -> Node:
        """The fact as a formula."""
        if self.term.sort is not BOOL:
            return pool.eq(self.term, self.value)
        return self.term if self.value.value else pool.negate(self.term)


class FactFinder:
    """Finds facts by which a case is told: values of the terms in some formulas, truths of their atoms.

    Numbers, texts and members of enums are told by values, round ones if these do as well, and all that
    these do not decide by the truths of atoms.
    """

    def __init__(
        self,
        search: CaseSearch,
        things: Sequence[Node],
        said: Sequence[Node],
        more: Sequence[Node] = (),
    ) -> None:
        """`said` are atoms whose truth is told; the values of terms in `more` are told if asked for."""
        self._pool = search.module.pool
        self.atoms = list(said)
        self.values = [each for each in things if has_values(each.sort) or each.sort is BOOL]
        known = frozenset(things)
        atoms = [*said, *more]
        found = [
            list(dict.fromkeys(t for each in some for t in terms_of(each, known))) for some in (said, atoms)
        ]
        self._terms, self._all_terms = ([*self.values, *terms] for terms in found)
        self._candidates = {
            term: candidates(self._pool, term, atoms)[:_MOST_CANDIDATES] for term in self._all_terms
        }

    @property
    def formulas(self) -> list[Node]:
        """The formulas that are asked about."""
        tried = [self._pool.eq(*pair) for term in self._all_terms for pair in self._tried(term)]
        return [*self.atoms, *tried]

    def _tried(self, term: Node) -> list[tuple[Node, Lit]]:
        return [(term, value) for value in self._candidates[term]]

    def facts(
        self, inquiry: CaseInquiry, way: CaseWay, truths: Mapping[Node, bool], *, more: bool = False
    ) -> tuple[list[KnownFact], CaseQuestion]:
        """The facts of a model of the question, in which these truths are; and the question with them."""
        known = [atom for atom in self.atoms if atom in truths]
        true = [*way.question.true, *(atom for atom in known if truths[atom])]
        false = (*way.question.false, *(atom for atom in known if not truths[atom]))
        facts: list[KnownFact] = []
        for term in self._all_terms if more else self._terms:
            taken = {each.value for each in facts if each.term in self.values}
            tried = [pair for pair in self._tried(term) if term not in self.values or pair[1] not in taken]
            asked = [CaseQuestion((*true, self._pool.eq(*pair)), false) for pair in tried]
            answers = inquiry.ask(asked, with_rule=way.with_rule)
            found = next(
                (pair for pair, each in zip(tried, answers, strict=True) if each.status == "sat"), None
            )
            if found is not None:
                true.append(self._pool.eq(*found))
                facts.append(KnownFact(*found))
        valued = {each.term for each in facts}
        told = (atom for atom in known if not decided_by(atom, valued))
        facts += [KnownFact(atom, self._pool.truth(truths[atom])) for atom in told]
        return facts, CaseQuestion(tuple(true), false)


class CaseWriter:
    """Writes facts on the individuals of a search as a case, and claims about them."""

    def __init__(self, search: CaseSearch, things: Sequence[Node]) -> None:
        self._search = search
        self._pool = search.module.pool
        self._things = dict(zip(things, search.individuals.case.items(), strict=True))

    def values_of(self, facts: Sequence[KnownFact]) -> dict[Node, Node]:
        """The individuals that are values, such as numbers and members of enums, where a fact says which."""
        return {each.term: each.value for each in facts if each.term in self._things}

    def claim(self, formula: Node, values: dict[Node, Node]) -> str:
        """A formula about the individuals as the program writes it."""
        formula = substitute(self._pool, formula, values) if values else formula
        inner, holds = literal(formula)
        text = formula_text(self._search.writer, inner)
        return text if holds else f"not {text}" if declared(inner) is inner else f"not ({text})"

    def case(self, facts: Sequence[KnownFact]) -> dict[str, Any] | None:
        """The case that says these facts; None if there is nothing to say."""
        values = self.values_of(facts)
        found: dict[str, Any] = {
            name: dict(item) for thing, (name, item) in self._things.items() if thing not in values
        }
        formulas: list[str] = []
        for fact in facts:
            if fact.term in values:
                continue
            known = KnownFact(substitute(self._pool, fact.term, values), fact.value) if values else fact
            if not self._put(found, known):
                formulas.append(self.claim(known.formula(self._pool), {}))
        if formulas:
            found[FACTS] = formulas
        return found or None

    def _put(self, found: dict[str, Any], fact: KnownFact) -> bool:
        """Says a fact as the value of a name, or of a field of a name, if that is possible."""
        value = _json_value(fact.value)
        if value is None:
            return False
        term = fact.term
        if isinstance(term, Sym):
            return _is_named(term.symbol) and found.setdefault(term.symbol.name, value) == value
        if not isinstance(term, App) or not isinstance(term.op, Symbol) or len(term.args) != 1:
            return False
        (arg,) = term.args
        if not isinstance(arg, Sym) or not _is_named(arg.symbol) or not _is_named(term.op):
            return False
        fields = found.setdefault(arg.symbol.name, {})
        if not isinstance(fields, dict) or term.op.name == SORT or term.op.name in fields:
            return False
        fields[term.op.name] = value
        return True


def _is_named(symbol: Symbol) -> bool:
    return symbol.kind in _NAMED and symbol.name != FACTS


def _json_value(literal: Lit) -> Any:
    """A literal as a value of a case; None where there is none that says just this."""
    value, sort = literal.value, literal.sort
    if sort is BOOL or isinstance(sort, IntSort | EnumSort) or sort is STRING:
        return value
    if isinstance(sort, MeasureSort):
        assert isinstance(value, int | Fraction)
        return value_text(value, sort)
    if isinstance(sort, RealSort):
        assert isinstance(value, int | Fraction)
        return decimal_number(Fraction(value))
    return None

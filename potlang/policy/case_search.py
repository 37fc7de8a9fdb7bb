"""Searches for cases: what the things of a rule may be like under a policy ([POLICY-SUGGEST])."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from typing import Final, Literal, NamedTuple

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node, Symbol, Var, symbols_in
from potlang.ir.sorts import DeclaredSort, EnumSort, Sort
from potlang.languages.pot.lower import DEFAULT_PASSES, divided, lower
from potlang.languages.pot.program import Program
from potlang.linter.questions import bare_prover
from potlang.linter.small_models import NotWrittenOut, SmallModels
from potlang.policy.cases import FACTS, Case
from potlang.policy.rule_parts import RulePart, parts_of
from potlang.policy.tests import PolicyError
from potlang.processes.pool import Workers, default_workers
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.prove.switches import SwitchQuestion
from potlang.report.results import Limits, Verdict
from potlang.sema.emit import Writer, sort_text
from potlang.utils.closing import Closing
from potlang.utils.deadline import OutOfFuel

_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
Status = Literal["sat", "unsat", "unknown"]


class CaseQuestion(NamedTuple):
    """Whether there is a model in which some formulas are true and others false."""

    true: tuple[Node, ...]
    false: tuple[Node, ...] = ()


class CaseWay(NamedTuple):
    """A question that looks for a case. Where the rule need not hold, no other one decides the case."""

    question: CaseQuestion
    with_rule: bool


class CaseAnswer(NamedTuple):
    """The status; of a model which of the formulas asked about are true in it, as far as it is known."""

    status: Status
    truths: Mapping[Node, bool]


class Individuals(NamedTuple):
    """Names for things of some sorts, as a case has them."""

    names: tuple[str, ...]
    sorts: tuple[str, ...]

    @property
    def case(self) -> dict[str, dict[str, str]]:
        """The case in which there are such things, and nothing is known of them."""
        return {name: {"sort": sort} for name, sort in zip(self.names, self.sorts, strict=True)}


def individuals_for(policy: Program, binders: Sequence[Var]) -> Individuals:
    """Names for the things that variables stand for: an item is `item`, a second one `item_2`."""
    scope = policy.extension.scope
    names: list[str] = []
    for var in binders:
        stem = _stem(var)
        name, number = stem, 2
        while name in names or name == FACTS or scope.lookup(name) is not None:
            name, number = f"{stem}_{number}", number + 1
        names.append(name)
    return Individuals(tuple(names), tuple(sort_text(var.sort) for var in binders))


def _stem(var: Var) -> str:
    named = isinstance(var.sort, DeclaredSort | EnumSort)
    words = _WORD.findall(str(var.sort)) if named else []
    return "_".join(word.lower() for word in words) or var.name


def require_consistent(policy: Program, limits: Limits) -> None:
    """Raises PolicyError for a policy that contradicts itself: it has no cases."""
    with policy.asking(()).session(limits=limits, trust="solver") as session:
        if session.run().verdict is Verdict.INCONSISTENT:
            raise PolicyError("the policy contradicts itself: no case is possible")


class CaseSearch(Closing):
    """A policy with some individuals of which nothing is known, and a solver that is asked about them.

    Quantifiers are written out over the named things and a few more: what is found is a model of the policy
    all the same, and where nothing is found there may still be a larger one.
    """

    def __init__(
        self, policy: Program, individuals: Individuals, budget_ms: int, workers: Workers | None = None
    ) -> None:
        self.individuals = individuals
        self.program = Case.of(individuals.case).applied(policy)
        module = self.program.module
        self._small = SmallModels(module)
        self._workers = workers or default_workers()
        self._prover = bare_prover(self._small, budget_ms, self._workers)

    def close(self) -> None:
        """Gives the solver back."""
        with suppress(OutOfFuel):
            self._prover.close()

    @property
    def module(self) -> Module:
        """The typed module with the individuals, dates and money as the program writes them."""
        return self.program.module.typed or self.program.module

    @cached_property
    def writer(self) -> Writer:
        """Writes the terms of `module`."""
        return Writer(self.module)

    @cached_property
    def parts(self) -> list[RulePart]:
        """The policy's rules taken apart, in the same order as those of the policy without individuals."""
        return parts_of(self.module)

    @cached_property
    def words(self) -> list[list[Symbol]]:
        """The symbols of each assumption."""
        return [symbols_in(each.formula) for each in self.module.assertions]

    def things(self, sorts: Sequence[Sort]) -> list[Node]:
        """The individuals as terms."""
        symbols = {each.name: each for each in self.module.symbols if not each.domain}
        found: list[Node] = [self.module.pool.sym(symbols[name]) for name in self.individuals.names]
        assert [each.sort for each in found] == list(sorts)
        return found

    def lowered(self, term: Node) -> Node:
        """A term of `module` over numbers."""
        return self.program.extension.lowered(term)

    @contextmanager
    def asking(self, formulas: Sequence[Node], *, without: Container[str] = ()) -> Iterator[CaseInquiry]:
        """Questions about closed formulas of `module`; the rules with the keys `without` need not hold."""
        assumed = [each for each in self.program.module.assertions if each.key not in without]
        self._prover.push(
            [each._replace(key=f"w{at}", formula=self._written(each)) for at, each in enumerate(assumed)]
        )
        rule = [each for each in self.program.module.assertions if each.key in without]
        try:
            yield CaseInquiry(self, self._prover, list(formulas), [self._written(each) for each in rule])
        finally:
            self._prover.pop()

    def decided(
        self, formulas: Sequence[Node], limits: Limits, *, without: Container[str] = ()
    ) -> list[Verdict]:
        """The verdicts on closed formulas of `module`, with checked evidence, without some of the rules."""
        module = self.program.module
        kept = tuple(each for each in module.assertions if each.key not in without)
        own = replace(
            module, assertions=kept, claims=(), norms=(), optimization=None, actions=("verify",), typed=None
        )
        plain, sent = divided(DEFAULT_PASSES)
        claims = [Claim(f"asked {at}", "", self.lowered(each)) for at, each in enumerate(formulas)]
        with Prover(lower(own, plain), ProverOptions(sent=sent), limits, self._workers, own) as prover:
            return [Verdict(each.verdict) for each in prover.verify(claims, [])]

    def _written(self, assertion: Assertion) -> Node:
        return self.written_out(assertion.formula)

    def written_out(self, formula: Node) -> Node:
        """A formula over numbers with its quantifiers written out, if that is possible."""
        try:
            return self._small.written_out([formula])
        except NotWrittenOut:
            return formula


class CaseInquiry:
    """Questions about some formulas, under a policy's assumptions, with one rule or without it."""

    def __init__(self, search: CaseSearch, prover: Prover, formulas: list[Node], rule: list[Node]) -> None:
        self._prover = prover
        self._numbers: dict[Node, int] = {}
        written = [*rule]
        self._rule = list(range(len(rule)))
        for formula in dict.fromkeys(formulas):
            self._numbers[formula] = len(written)
            written.append(search.written_out(search.lowered(formula)))
        self._switches = prover.switches(written)

    def ask(
        self, questions: Sequence[CaseQuestion], *, with_rule: bool = True, watching: bool = False
    ) -> list[CaseAnswer]:
        """The answers, in order. `with_rule`: the rule holds that is asked about; else it need not."""
        if not questions:
            return []
        numbers = self._numbers
        asked = [
            SwitchQuestion([numbers[each] for each in one.true], [numbers[each] for each in one.false])
            for one in questions
        ]
        given = self._rule if with_rule else ()
        found = self._prover.ask_switches(self._switches, asked, given, watching=watching)
        return [
            CaseAnswer(
                each.status,
                {
                    formula: bool(each.true >> at & 1)
                    for formula, at in numbers.items()
                    if (each.true | each.false) >> at & 1
                },
            )
            for each in found
        ]

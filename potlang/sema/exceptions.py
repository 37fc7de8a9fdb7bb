"""Rules with exceptions: `unless`, `overrides` and `default` become conditions ([EXC-UNLESS] ff.).

A rule that has none and that nothing overrides keeps the formula that it was written as.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from potlang.diag import Applicability, Fix, Label, Place, Replace, Sink, nearest
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.graphs import ordered
from potlang.ir.module import Assertion
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var, symbols_in
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL
from potlang.ir.substitute import substitute
from potlang.source import join_pointer

if TYPE_CHECKING:
    from potlang.sema.statements import StatementParts

_TERMS = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE)
_COMPARISONS = (op.EQ, op.IFF, op.LT, op.LE, op.BV_ULT, op.BV_ULE, op.BV_SLT, op.BV_SLE)


class ConclusionSubject(NamedTuple):
    """The subject of one part of a conclusion: a declared symbol at arguments.

    `value` is what the part says that it is: a truth value for a literal, a term for an equation; None for
    other comparisons.
    """

    symbol: Symbol
    args: tuple[Node, ...]
    value: Node | None


@dataclass(slots=True, eq=False)
class ExceptedRule:
    """A rule, or a fact that may override a default: variables, conditions, conclusion and exceptions."""

    name: str
    declaration: s.StatementDecl | None
    formula: Node
    unless: tuple[Node, ...] = ()
    variables: tuple[Var, ...] = ()
    conditions: list[Node] = field(default_factory=list)
    conclusion: Node | None = None
    subjects: list[ConclusionSubject] = field(default_factory=list)
    exceptions: list[Node] = field(default_factory=list)
    overriding: list[ExceptedRule] = field(default_factory=list)

    def taken_apart(self) -> None:
        """Finds variables, conditions and conclusion, through `forall` and `->` from the outside."""
        formula = self.formula
        while True:
            if isinstance(formula, Quant) and formula.kind == "forall":
                self.variables += formula.binders
                formula = formula.body
            elif isinstance(formula, App) and formula.op is op.IMPLIES:
                self.conditions.append(formula.args[0])
                formula = formula.args[1]
            else:
                break
        self.conclusion = formula
        self.exceptions = list(self.unless)
        self.subjects = list(subjects(formula))

    def applies(self, pool: Pool) -> Node:
        """The condition under which the rule applies."""
        return pool.conj([*self.conditions, *map(pool.negate, self.exceptions)])


def subjects(conclusion: Node) -> Iterator[ConclusionSubject]:
    """The subjects of those conjuncts of a conclusion that are literals or comparisons."""
    stack = [(conclusion, True)]
    while stack:
        node, sign = stack.pop()
        if isinstance(node, App) and node.op is op.NOT:
            stack.append((node.args[0], not sign))
        elif isinstance(node, App) and node.op is op.AND and sign:
            stack += [(arg, True) for arg in reversed(node.args)]
        elif isinstance(node, App) and (
            node.op in _COMPARISONS or (node.op is op.DISTINCT and len(node.args) == 2)
        ):
            yield from _compared(node, sign)
        elif node.sort is BOOL:
            head = _term(node)
            if head is not None:
                yield ConclusionSubject(*head, _TRUE if sign else _FALSE)


_TRUE, _FALSE = Lit(-1, BOOL, True), Lit(-2, BOOL, False)
"""Values of literals: compared by identity, and in no formula."""


def _compared(node: App, sign: bool) -> Iterator[ConclusionSubject]:
    """The subjects of a comparison: of an equation one side, of others both."""
    equal = sign and node.op in (op.EQ, op.IFF)
    for side, other in (node.args, node.args[::-1]):
        head = _term(side)
        if head is None:
            continue
        if node.op is op.IFF:
            if isinstance(other, Lit):
                yield ConclusionSubject(*head, _TRUE if bool(other.value) is sign else _FALSE)
            return
        yield ConclusionSubject(*head, other if equal else None)
        if equal:
            return


def _term(node: Node) -> tuple[Symbol, tuple[Node, ...]] | None:
    if isinstance(node, App) and node.op is op.TO_REAL:
        node = node.args[0]
    if isinstance(node, Sym) and node.symbol.kind in _TERMS:
        return node.symbol, ()
    if isinstance(node, App) and isinstance(node.op, Symbol) and node.op.kind in _TERMS:
        return node.op, node.args
    return None


class Exceptions:
    """The rules of one program with their exceptions; mistakes go to the sink."""

    def __init__(self, pool: Pool, sink: Sink, closed: Container[str]) -> None:
        """`closed` are the names of closed predicates, whose cycles are found with their completions."""
        self._pool = pool
        self._sink = sink
        self._closed = closed
        self._rules: list[ExceptedRule] = []
        self._facts: list[ExceptedRule] = []

    def formulas(
        self, rules: Iterable[tuple[str, s.StatementDecl, StatementParts]], facts: Iterable[Assertion]
    ) -> list[Node]:
        """A formula for each rule, given with its name and its parts; `facts` override defaults."""
        self._rules = [
            ExceptedRule(name, said, parts.closed(self._pool), parts.unless) for name, said, parts in rules
        ]
        for rule in self._rules:
            rule.taken_apart()
            self._reject(rule)
        if any(rule.declaration.default for rule in self._rules if rule.declaration):
            for fact in facts:
                each = ExceptedRule(fact.name, None, fact.formula)
                each.taken_apart()
                self._facts.append(each)
        self._name_overriding()
        self._cycles_of_unless()
        for rule in ordered(self._rules, lambda rule: rule.overriding, self._cyclic):
            for each in rule.overriding:
                exception = self._overridden(rule, each)
                if exception is not None:
                    rule.exceptions.append(exception)
        return [self._formula(rule) for rule in self._rules]

    def _formula(self, rule: ExceptedRule) -> Node:
        if not rule.exceptions:
            return rule.formula
        pool = self._pool
        assert rule.conclusion is not None
        body = pool.implies(rule.applies(pool), rule.conclusion)
        return pool.quant("forall", rule.variables, body) if rule.variables else body

    # --- who overrides whom ----------------------------------------------------------------------

    def _reject(self, rule: ExceptedRule) -> None:
        """Reports keys that mean nothing where they stand."""
        said = rule.declaration
        assert said is not None
        keys = {"unless": said.unless, "overrides": said.overrides, "default": said.default}
        given = [key for key, value in keys.items() if value]
        if said.quantifier == "exists":
            for key in given:
                self._meaningless(key, said.pointer, "the rule says `exists`, not `forall`", _EXISTS)
        elif said.role == "norm":
            for key in given:
                if key != "unless":
                    self._meaningless(key, said.pointer, "a norm is never assumed", _NORM)
        elif said.default and all(subject.value is None for subject in rule.subjects):
            self._meaningless("default", said.pointer, "the conclusion has no opposite", _DEFAULT)

    def _meaningless(self, key: str, pointer: str, reason: str, help_: str) -> None:
        place = Place(join_pointer(pointer, key), on_key=True)
        self._sink.report("POT4021", place, key=key, reason=reason, helps=[help_])

    def _name_overriding(self) -> None:
        by_name: dict[str, list[ExceptedRule]] = {}
        for rule in self._rules:
            by_name.setdefault(rule.name, []).append(rule)
        for rule in self._rules:
            said = rule.declaration
            assert said is not None
            if said.role == "norm" or said.quantifier == "exists":
                continue
            for name, pointer in said.overrides:
                found = by_name.get(name, [])
                if not found:
                    self._unknown(name, pointer, by_name)
                for other in found:
                    if other.declaration is not None and other.declaration.role == "norm":
                        self._sink.report(
                            "POT4021", pointer, key="overrides", reason=f"`{name}` is a norm", helps=[_NORM]
                        )
                    elif self._fits(rule, other, pointer):
                        other.overriding.append(rule)
        for rule in self._rules:
            if rule.declaration is not None and rule.declaration.default:
                known = set(map(id, rule.overriding))
                rule.overriding += [
                    other
                    for other in (*self._rules, *self._facts)
                    if other is not rule and id(other) not in known and _opposed(rule, other)
                ]

    def _unknown(self, name: str, pointer: str, known: Iterable[str]) -> None:
        near = nearest(name, known)
        self._sink.report(
            "POT2020",
            pointer,
            name=name,
            helps=[f"did you mean `{near[0]}`?" if near else "`overrides` lists names of rules"],
            fixes=[
                Fix(f"write `{other}`", Applicability.UNSAFE, (Replace(pointer, 0, len(name), other),))
                for other in near[:1]
            ],
        )

    def _fits(self, rule: ExceptedRule, other: ExceptedRule, pointer: str) -> bool:
        """Whether the two rules have a case in common; else a report."""
        if self._overridden(other, rule) is not None:
            return True
        self._sink.report(
            "POT4021",
            pointer,
            key="overrides",
            reason=f"`{rule.name}` and `{other.name}` conclude nothing of the same thing",
            helps=[f"say when `{other.name}` does not apply in its own `unless`"],
        )
        return False

    def _cyclic(self, cycle: list[ExceptedRule]) -> None:
        first = next((each for each in cycle if each.declaration is not None), None)
        if first is not None and first.declaration is not None:
            help_ = "leave out one `overrides` or `default`" if len(cycle) > 1 else _ITSELF
            self._circle(first.declaration.pointer, cycle, help_)

    def _circle(self, pointer: str, cycle: Sequence[ExceptedRule], help_: str) -> None:
        names = [f"`{each.name}`" for each in (*cycle, cycle[0])]
        labels = [
            Label(Place(each.declaration.pointer), f"`{each.name}`")
            for each in cycle
            if each.declaration is not None and not f"{pointer}/".startswith(f"{each.declaration.pointer}/")
        ]
        self._sink.report("POT4020", pointer, cycle=" -> ".join(names), labels=labels, helps=[help_])

    def _cycles_of_unless(self) -> None:
        """Reports rules whose `unless` asks for what the rules concerned conclude."""
        excepted = [rule for rule in self._rules if rule.unless]
        concluding: dict[Symbol, list[ExceptedRule]] = {}
        for rule in excepted:
            for symbol in {each.symbol for each in rule.subjects if each.symbol.name not in self._closed}:
                concluding.setdefault(symbol, []).append(rule)

        def asked(rule: ExceptedRule) -> list[ExceptedRule]:
            symbols = dict.fromkeys(symbol for each in rule.unless for symbol in symbols_in(each))
            return [each for symbol in symbols for each in concluding.get(symbol, ())]

        def cyclic(cycle: list[ExceptedRule]) -> None:
            first = cycle[0].declaration
            assert first is not None
            self._circle(join_pointer(first.pointer, "unless"), cycle, _UNLESS)

        ordered(excepted, asked, cyclic)

    # --- conditions ------------------------------------------------------------------------------

    def _overridden(self, rule: ExceptedRule, by: ExceptedRule) -> Node | None:
        """Where `by` applies to what `rule` concludes; None where the two have nothing in common."""
        pairs = _pairs(rule, by)
        if not pairs and not by.variables and by.declaration is not None:
            # A rule about one case alone needs nothing matched: it overrides wherever it applies.
            return by.applies(self._pool)
        found = [case for mine, theirs in pairs if (case := self._case(mine, theirs, by)) is not None]
        return self._pool.disj(dict.fromkeys(found)) if found else None

    def _case(self, mine: ConclusionSubject, theirs: ConclusionSubject, by: ExceptedRule) -> Node | None:
        """That `by` applies to the arguments of `mine`; None where no arguments are the same."""
        pool = self._pool
        replaced: dict[Node, Node] = {}
        equations: list[tuple[Node, Node]] = []
        for wanted, given in zip(mine.args, theirs.args, strict=True):
            if isinstance(given, Var) and given in by.variables and given not in replaced:
                replaced[given] = wanted
            elif isinstance(given, Lit) and isinstance(wanted, Lit) and given is not wanted:
                return None
            else:
                equations.append((given, wanted))
        fresh = {var: pool.var(var.name, var.sort) for var in by.variables if var not in replaced}
        replaced.update(fresh.items())
        sides = [(substitute(pool, given, replaced), wanted) for given, wanted in equations]
        equal = [pool.eq(given, wanted) for given, wanted in sides if given is not wanted]
        applies = substitute(pool, by.applies(pool), replaced)
        body = pool.conj(equal if equal and applies is pool.true else [*equal, applies])
        return pool.quant("exists", tuple(fresh.values()), body) if fresh else body


def _pairs(rule: ExceptedRule, by: ExceptedRule) -> list[tuple[ConclusionSubject, ConclusionSubject]]:
    return [
        (mine, theirs) for mine in rule.subjects for theirs in by.subjects if mine.symbol is theirs.symbol
    ]


def _opposed(rule: ExceptedRule, other: ExceptedRule) -> bool:
    """Whether `other` concludes the opposite of what `rule` does of something that may be the same."""
    said = other.declaration
    if said is not None and (said.role == "norm" or said.quantifier == "exists"):
        return False
    return any(
        mine.value is not None and theirs.value is not None and mine.value is not theirs.value
        for mine, theirs in _pairs(rule, other)
    )


_EXISTS = "give the exception in the constraint: `Exists([x: Sort], … and not …)`"
_NORM = "a norm is checked and nothing else: say in its `unless` where it does not count"
_DEFAULT = "conclude a predicate, its denial, or the value of a function"
_ITSELF = "a rule cannot override itself: give each rule a name of its own"
_UNLESS = "say of one of the rules by `overrides` that it comes first, or leave out one `unless`"

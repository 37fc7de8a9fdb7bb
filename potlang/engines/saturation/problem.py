"""Ground rules as a problem in TPTP, and the instances that come back as terms of their table.

Names in the text are numbers: what a program calls its symbols never reaches a prover. Enumerated sorts have
their values as constants, with clauses that say that these differ and are all. Rules with other sorts or
operators are left out, which keeps refutations right and makes no other answer of use.
"""

from __future__ import annotations

import json
from typing import Final

from potlang.engines.ground.forms import Grounding
from potlang.engines.ground.lines import Instance
from potlang.engines.ground.table import GroundRule, Head, RuleLiteral, values_of
from potlang.engines.saturation.declarations import apart, listed, sort_type, statement, symbol_type
from potlang.engines.saturation.superposition import DUMMY
from potlang.ir import operators as op
from potlang.ir.nodes import Symbol
from potlang.ir.sorts import BOOL, BoolSort, DeclaredSort, EnumSort, Sort

MOST_TEXT: Final = 4 * 1024 * 1024
"""Characters of a problem."""
_MOST_VALUES: Final = 64
_LONGEST_TERM: Final = 100_000


class _Beyond(Exception):
    """A rule that is no clause of first-order logic without arithmetic."""


class SaturationProblem:
    """The rules of a grounding as clauses called by number, and their symbols likewise.

    `text` is the problem. Two problems of the same formulas have the same names.
    """

    def __init__(self, grounding: Grounding) -> None:
        self._table = grounding.table
        self._rules = [*grounding.facts, *grounding.rules]
        self._goals = {number for number, form in enumerate(grounding.forms) if form.root is None}
        self._sorts: dict[Sort, str] = {}
        self._heads: dict[Head, str] = {}
        self._types: list[str] = []
        self._theory: list[str] = []
        self._ground: dict[int, str] = {}
        self.text = "\n".join(self._lines())

    @property
    def worth_asking(self) -> bool:
        """Whether there is something to refute, and it is not too much."""
        return bool(self._ground or self._heads) and len(self.text) <= MOST_TEXT

    def _lines(self) -> list[str]:
        clauses: list[str] = []
        length = 0
        for number, rule in enumerate(self._rules):
            try:
                text = self._clause(rule)
            except _Beyond:
                continue
            role = "negated_conjecture" if rule.form in self._goals else "axiom"
            clauses.append(statement(f"a{number}", role, text))
            length += len(text)
            if length > MOST_TEXT:
                break
        return [*self._types, *self._theory, *clauses]

    def _clause(self, rule: GroundRule) -> str:
        names = [f"X{place}" for place in range(len(rule.variables))]
        binders = ",".join(
            f"{name}:{self._sort(var.sort)}" for name, var in zip(names, rule.variables, strict=True)
        )
        values = list(names)
        for call in rule.calls:
            # Calls come after what they are applied to.
            values.append(self._applied(call.head, [self._value(ref, values) for ref in call.refs]))
        literals = [self._literal(each, values) for each in rule.literals]
        body = "|".join(literals) or "$false"
        return f"![{binders}]:({body})" if binders else f"({body})"

    def _value(self, ref: int, values: list[str]) -> str:
        return values[ref] if ref >= 0 else self._term(~ref)

    def _literal(self, literal: RuleLiteral, values: list[str]) -> str:
        args = [self._value(ref, values) for ref in literal.refs]
        if literal.head is op.EQ:
            return f"{args[0]}{'=' if literal.positive else '!='}{args[1]}"
        atom = self._applied(literal.head, args, predicate=True)
        return atom if literal.positive else f"~{atom}"

    def _applied(self, head: Head, args: list[str], *, predicate: bool = False) -> str:
        if not isinstance(head, Symbol) or (head.range is BOOL) is not predicate:
            raise _Beyond
        name = self._symbol(head)
        text = f"{name}({','.join(args)})" if args else name
        if len(text) > _LONGEST_TERM:
            raise _Beyond
        return text

    def _term(self, number: int) -> str:
        """A ground term; its parts have smaller numbers."""
        stack = [number]
        while stack:
            top = stack[-1]
            missing = [arg for arg in self._table.args[top] if arg not in self._ground]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            head = self._table.heads[top]
            if isinstance(head, tuple):
                self._sort(self._table.sorts[top])
                if head not in self._heads:
                    raise _Beyond
                self._ground[top] = self._heads[head]
            else:
                args = [self._ground[arg] for arg in self._table.args[top]]
                self._ground[top] = self._applied(head, args)
        return self._ground[number]

    def _symbol(self, symbol: Symbol) -> str:
        name = self._heads.get(symbol)
        if name is None:
            domain = [self._sort(sort) for sort in symbol.domain]
            value = "$o" if symbol.range is BOOL else self._sort(symbol.range)
            name = self._heads[symbol] = f"{'p' if value == '$o' else 'f'}{len(self._heads)}"
            self._types.append(statement(f"t_{name}", "type", symbol_type(name, domain, value)))
        return name

    def _sort(self, sort: Sort) -> str:
        name = self._sorts.get(sort)
        if name is None:
            values = values_of(sort) if isinstance(sort, EnumSort | BoolSort) else None
            if not isinstance(sort, DeclaredSort) and (values is None or len(values) > _MOST_VALUES):
                raise _Beyond
            name = self._sorts[sort] = f"s{len(self._sorts)}"
            self._types.append(statement(f"t_{name}", "type", sort_type(name)))
            if values is not None:
                self._enumerate(sort, name, values)
        return name

    def _enumerate(self, sort: Sort, name: str, values: list[object]) -> None:
        constants = [f"{name}_{place}" for place in range(len(values))]
        self._heads.update(zip([(sort, value) for value in values], constants, strict=True))
        self._types += [statement(f"t_{each}", "type", symbol_type(each, (), name)) for each in constants]
        self._theory.append(statement(f"all_{name}", "axiom", listed(name, constants)))
        for number, text in enumerate(apart(constants)):
            self._theory.append(statement(f"apart_{name}_{number}", "axiom", text))

    # --- what comes back ---

    def forms_of(self, names: tuple[str, ...]) -> frozenset[int]:
        """The numbers of the forms that these clauses are of."""
        return frozenset(self._rules[number].form for number in map(_number, names) if number is not None)

    def instances(self, text: str) -> list[Instance]:
        """Instances of rules, as `EproverEngine` writes them."""
        terms, instances = json.loads(text)
        heads = {name: head for head, name in self._heads.items()}
        sorts = {name: sort for sort, name in self._sorts.items()}
        numbers: list[int] = []
        for name, args in terms:
            head = heads.get(name)
            if head is None:
                numbers.append(self._table.default(sorts[name.removeprefix(DUMMY)]))
            elif isinstance(head, Symbol):
                numbers.append(self._table.term(head, tuple(numbers[arg] for arg in args), head.range))
            else:
                assert isinstance(head, tuple)
                numbers.append(self._table.literal(self._table.pool.lit(head[1], head[0])))  # type: ignore[arg-type]
        return [
            self._instance(self._rules[number], {key: numbers[value] for key, value in values.items()})
            for name, values in instances
            if (number := _number(name)) is not None
        ]

    def _instance(self, rule: GroundRule, values: dict[str, int]) -> Instance:
        # A variable that a clause mentions in false literals alone is not in it for the prover.
        terms = [values.get(f"X{place}") for place in range(len(rule.variables))]
        return Instance(
            rule,
            tuple(
                self._table.default(var.sort) if term is None else term
                for var, term in zip(rule.variables, terms, strict=True)
            ),
        )


def _number(name: str) -> int | None:
    """The number of a rule by its clause's name; None for what says how a sort is enumerated."""
    return int(name[1:]) if name[1:].isdecimal() else None

"""Skolem forms, and ground terms over them as certificate text.

The choice term of a binder is a function of its quantifier's free variables, one for each quantifier and
polarity however often it occurs, so a shared quantifier is skolemized once (`spec/56-grounding.md`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, NamedTuple

from potlang.ir.connectives import disjunctions
from potlang.ir.module import Definition, Module
from potlang.ir.nodes import (
    App,
    Lit,
    Node,
    Quant,
    Sym,
    Symbol,
    SymbolKind,
    Var,
    children,
    free_variables,
    reachable,
)
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.substitute import rebuild, substitute
from potlang.ir.text import Printer, symbols_of, variable_names

Polarity = Literal["+", "-"]


class NotSkolemizable(Exception):
    """The formula has no Skolem form here: a quantifier inside a term, or in a defined function's body."""


class Choice(NamedTuple):
    """What a Skolem symbol stands for: the binder `variable` of a quantifier of `root`.

    `root` is an assertion's key, or None for the goal. `polarity` is `+` for an `exists` that occurs
    positively in the formula as written, `-` for a `forall` that occurs negatively. `arguments` are
    the quantifier's free variables by their numbers in the text of the root: the symbol's domain.
    """

    root: str | None
    variable: Var
    polarity: Polarity
    arguments: tuple[Var, ...]


class SkolemForm(NamedTuple):
    """A formula without quantifiers, satisfiable for all `universals` exactly if the original is.

    `universals` are the variables that occur in `matrix`, by number; `choices` tells what each Skolem
    symbol stands for, in order of discovery.
    """

    matrix: Node
    universals: tuple[Var, ...]
    choices: Mapping[Symbol, Choice]


def skolemize(
    formula: Node,
    pool: Pool,
    definitions: Mapping[Symbol, Definition],
    root: str | None,
    negated: bool = False,
) -> SkolemForm:
    """The Skolem form of a closed formula, or of its negation.

    `root` is the key of the assertion that the formula is, None for the goal. Raises `NotSkolemizable`.
    """
    unfolded = unfold(formula, pool, definitions)
    if not any(isinstance(node, Quant) for node in reachable(unfolded)):
        return SkolemForm(pool.negate(unfolded) if negated else unfolded, (), {})
    numbers = {var: number for number, var in enumerate(variable_names(formula))}
    work = _Work(pool, root, numbers, unfolded)
    matrix = work.run(unfolded, not negated)
    universals = sorted(free_variables(matrix), key=numbers.__getitem__)
    return SkolemForm(matrix, tuple(universals), work.choices)


def unfold(formula: Node, pool: Pool, definitions: Mapping[Symbol, Definition]) -> Node:
    """`formula` without defined functions. Raises `NotSkolemizable` if one's body has a quantifier."""
    if not definitions or not any(_defined(node, definitions) for node in reachable(formula)):
        return formula
    return _Unfolding(pool, definitions).run(formula)


def _defined(node: Node, definitions: Mapping[Symbol, Definition]) -> Definition | None:
    symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
    return definitions.get(symbol) if isinstance(symbol, Symbol) else None


class _Unfolding:
    """Bodies are unfolded as they are met first; no definition uses itself."""

    def __init__(self, pool: Pool, definitions: Mapping[Symbol, Definition]) -> None:
        self.pool = pool
        self.definitions = definitions
        self.bodies: dict[Symbol, Node] = {}

    def run(self, formula: Node) -> Node:
        for definition in self._needed(formula):
            if any(isinstance(node, Quant) for node in reachable(definition.body)):
                raise NotSkolemizable(f"the definition of {definition.symbol.name[:100]} has a quantifier")
            self.bodies[definition.symbol] = self._replaced(definition.body)
        return self._replaced(formula)

    def _needed(self, formula: Node) -> list[Definition]:
        """The definitions that the formula uses, each after those that it uses itself."""
        order: dict[Symbol, Definition] = {}
        stack: list[tuple[Definition | None, Node]] = [(None, formula)]
        while stack:
            owner, node = stack[-1]
            used = [found for part in reachable(node) if (found := _defined(part, self.definitions))]
            missing = [(each, each.body) for each in used if each.symbol not in order]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if owner is not None:
                order[owner.symbol] = owner
        return list(order.values())

    def _replaced(self, formula: Node) -> Node:
        return rebuild(self.pool, [formula], self._call)[0]

    def _call(self, node: Node) -> Node:
        definition = _defined(node, self.definitions)
        if definition is None:
            return node
        body = self.bodies[definition.symbol]
        args = node.args if isinstance(node, App) else ()
        return substitute(self.pool, body, dict(zip(definition.params, args, strict=True)))


class _Scope:
    """The Skolem terms of the binders around, and what became of the formulas met there."""

    __slots__ = ("done", "inner", "terms")

    def __init__(self, terms: Mapping[Node, Node]) -> None:
        self.terms = terms
        self.done: dict[tuple[int, bool], Node] = {}
        self.inner: dict[int, _Scope] = {}


_Task = tuple[Node, bool, _Scope]


class _Work:
    """One formula. A part is done once for each polarity and scope that it occurs in."""

    def __init__(self, pool: Pool, root: str | None, numbers: Mapping[Var, int], formula: Node) -> None:
        self.pool = pool
        self.root = root
        self.numbers = numbers
        self.choices: dict[Symbol, Choice] = {}
        self.symbols: dict[Var, Symbol] = {}
        self.owners: dict[Var, int] = {}
        self.quantified = _quantified(formula)

    def run(self, formula: Node, positive: bool) -> Node:
        outer = _Scope({})
        stack: list[_Task] = [(formula, positive, outer)]
        while stack:
            node, sign, scope = stack[-1]
            if (node.id, sign) in scope.done:
                stack.pop()
                continue
            parts = self._parts(node, sign, scope)
            missing = [part for part in parts if (part[0].id, part[1]) not in part[2].done]
            if missing:
                stack.extend(missing)
                continue
            scope.done[node.id, sign] = self._combine(node, sign, scope, parts)
            stack.pop()
        return outer.done[formula.id, positive]

    def _parts(self, node: Node, sign: bool, scope: _Scope) -> list[_Task]:
        """The subformulas with quantifiers in them or beside them; none for a formula without."""
        if node.id not in self.quantified:
            return []
        if isinstance(node, Quant):
            universal = (node.kind == "forall") is sign
            return [(node.body, sign, scope if universal else self._chosen(node, scope))]
        parts = disjunctions(node, sign)
        if not parts:
            raise NotSkolemizable("a quantifier inside a term")
        return [(part, wanted, scope) for each in parts for part, wanted in each]

    def _chosen(self, quant: Quant, scope: _Scope) -> _Scope:
        """The scope of a quantifier whose binders are chosen."""
        inner = scope.inner.get(quant.id)
        if inner is None:
            arguments = tuple(sorted(free_variables(quant), key=self.numbers.__getitem__))
            images = tuple(scope.terms.get(var, var) for var in arguments)
            terms: dict[Node, Node] = {
                var: self._term(quant, var, arguments, images) for var in quant.binders
            }
            inner = scope.inner[quant.id] = _Scope({**scope.terms, **terms})
        return inner

    def _term(self, quant: Quant, var: Var, arguments: tuple[Var, ...], images: tuple[Node, ...]) -> Node:
        if self.owners.setdefault(var, quant.id) != quant.id:
            raise NotSkolemizable(f"two quantifiers choose the variable {var.name[:100]}")
        symbol = self.symbols.get(var)
        if symbol is None:
            polarity: Polarity = "+" if quant.kind == "exists" else "-"
            domain = tuple(argument.sort for argument in arguments)
            symbol = self.symbols[var] = Symbol(var.name, domain, var.sort, SymbolKind.FRESH)
            self.choices[symbol] = Choice(self.root, var, polarity, arguments)
        return self.pool.app(symbol, images) if images else self.pool.sym(symbol)

    def _combine(self, node: Node, sign: bool, scope: _Scope, parts: list[_Task]) -> Node:
        pool = self.pool
        if not parts:
            plain = substitute(pool, node, scope.terms) if scope.terms else node
            return plain if sign else pool.negate(plain)
        if isinstance(node, Quant):
            ((body, wanted, inner),) = parts
            return inner.done[body.id, wanted]
        found = [[scope.done[n.id, wanted] for n, wanted in each] for each in disjunctions(node, sign)]
        return pool.conj([pool.disj(each) for each in found])


def _quantified(formula: Node) -> frozenset[int]:
    """The nodes with a quantifier at or below them."""
    found: set[int] = set()
    for node in reachable(formula):
        if isinstance(node, Quant) or any(child.id in found for child in children(node)):
            found.add(node.id)
    return frozenset(found)


# --- certificate text ------------------------------------------------------------------------------


def module_printer(module: Module) -> Printer:
    """Prints symbols as the text of the module does."""
    declared, used = symbols_of(module)
    return Printer.of([*declared, *used])


class TermText:
    """Prints ground terms as the certificates of a module write them.

    `add` makes the Skolem symbols of a form printable, `add_dummy` the fresh constant of a sort.
    """

    def __init__(self, printer: Printer) -> None:
        self.printer = printer
        self._names: dict[str | None, dict[Var, str]] = {}
        self._fresh: dict[Symbol, str] = {}

    def add(self, root: str | None, formula: Node, form: SkolemForm) -> None:
        """Note the names of `formula`, the root as written, and what its Skolem symbols stand for."""
        names = self._names[root] = variable_names(formula)
        for symbol, choice in form.choices.items():
            self._fresh[symbol] = f"skolem {self.root(root)} {names[choice.variable]} {choice.polarity}"

    def add_dummy(self, symbol: Symbol) -> None:
        """Note that a constant stands for some member of its sort."""
        self._fresh[symbol] = f"dummy {self.printer.sort(symbol.range)}"

    def variable(self, root: str | None, var: Var) -> str:
        """The reference to a variable of a root: `?name.n`."""
        return self._names[root][var]

    def root(self, root: str | None) -> str:
        """How a root is called."""
        return "goal" if root is None else json.dumps(root)

    def head(self, symbol: Symbol) -> str:
        """A symbol where it stands alone: as a constant, or before two lists of arguments."""
        fresh = self._fresh.get(symbol)
        return self.printer.symbols[symbol] if fresh is None else f"({fresh})"

    def call(self, head: Symbol | Operator) -> str:
        """A symbol or an operator in front of its arguments."""
        if isinstance(head, Symbol):
            return self._fresh.get(head) or self.printer.symbols[head]
        return head.name

    def term(self, node: Node) -> str:
        """A ground term."""
        pieces: list[str] = []
        stack: list[Node | str] = [node]
        while stack:
            part = stack.pop()
            match part:
                case str():
                    pieces.append(part)
                case App():
                    stack.append(")")
                    stack.extend(reversed(part.args))
                    pieces.append("(" + self.call(part.op))
                case Sym():
                    pieces.append(self.head(part.symbol))
                case Lit():
                    pieces.append(self.printer.literal(part))
                case _:
                    raise TypeError("the term is not ground")
        return "".join([piece if piece == ")" else " " + piece for piece in pieces])[1:]

"""Skolem forms.

The choice term of a binder is a function of its quantifier's free variables, one for each quantifier and
polarity however often it occurs, so a shared quantifier is skolemized once (`spec/56-grounding.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from potlang.ir import operators as op
from potlang.ir.graphs import ordered
from potlang.ir.module import Definition
from potlang.ir.nnf import NegationNormalForm
from potlang.ir.nodes import (
    App,
    Node,
    Quant,
    Sym,
    Symbol,
    SymbolKind,
    Var,
    free_variables,
    is_flat,
    quantified,
    reachable,
    symbols_in,
)
from potlang.ir.pool import Pool
from potlang.ir.substitute import rebuild, substitute
from potlang.ir.text import variable_names

Polarity = Literal["+", "-"]


class NotSkolemizable(Exception):
    """The formula has no Skolem form here: a quantifier inside a term, or in a defined function's body."""


class Choice(NamedTuple):
    """The meaning of a Skolem symbol: the binder `variable` of a quantifier of `root`.

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
    *,
    inside_terms: bool = False,
) -> SkolemForm:
    """The Skolem form of a closed formula, or of its negation, in negation normal form.

    `root` is the key of the assertion that the formula is, None for the goal. Quantifiers inside terms
    stay if `inside_terms`. Raises `NotSkolemizable`.
    """
    if is_flat(formula) and not definitions:
        # Most assumptions and many claims are ground atoms.
        return SkolemForm(pool.negate(formula) if negated else formula, (), {})
    normal = NegationNormalForm(pool)
    matrix = normal.of(unfold(formula, pool, definitions), not negated)
    binders: dict[Var, None] = {}
    body = matrix
    while isinstance(body, Quant) and body.kind == "forall":
        binders.update(dict.fromkeys(body.binders))
        body = body.body
    parts = reachable(body)
    if not any(isinstance(node, Quant) for node in parts):
        # Most rules are universal from the outside: nothing is to be chosen, and the text's order is theirs.
        used = {node.id for node in parts if isinstance(node, Var)}
        return SkolemForm(body, tuple([var for var in binders if var.id in used]), {})
    numbers = {var: number for number, var in enumerate(variable_names(formula))}
    return _Skolemization(normal, root, numbers, quantified(matrix), inside_terms).run(matrix)


def unfold(formula: Node, pool: Pool, definitions: Mapping[Symbol, Definition]) -> Node:
    """`formula` without defined functions. Raises `NotSkolemizable` if one's body has a quantifier."""
    if not definitions or not any(symbol in definitions for symbol in symbols_in(formula)):
        return formula
    return _Unfolding(pool, definitions).run(formula)


class _Unfolding:
    """Bodies are unfolded as they are met first; no definition uses itself."""

    def __init__(self, pool: Pool, definitions: Mapping[Symbol, Definition]) -> None:
        self.pool = pool
        self.definitions = definitions
        self.bodies: dict[Symbol, Node] = {}

    def run(self, formula: Node) -> Node:
        for symbol in ordered(
            self._used(formula), lambda symbol: self._used(self.definitions[symbol].body), _never
        ):
            body = self.definitions[symbol].body
            if any(isinstance(node, Quant) for node in reachable(body)):
                raise NotSkolemizable(f"the definition of {symbol.name[:100]} has a quantifier")
            self.bodies[symbol] = self._replaced(body)
        return self._replaced(formula)

    def _used(self, formula: Node) -> list[Symbol]:
        return [symbol for symbol in symbols_in(formula) if symbol in self.definitions]

    def _replaced(self, formula: Node) -> Node:
        return rebuild(self.pool, [formula], self._call)[0]

    def _call(self, node: Node) -> Node:
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        body = self.bodies.get(symbol) if isinstance(symbol, Symbol) else None
        if body is None:
            return node
        args = node.args if isinstance(node, App) else ()
        params = self.definitions[symbol].params  # type: ignore[index]
        return substitute(self.pool, body, dict(zip(params, args, strict=True)))


def _never(cycle: list[Symbol]) -> None:
    raise NotSkolemizable(f"the definition of {cycle[0].name[:100]} uses itself")


class _SkolemScope:
    """The Skolem terms of the binders around, and what became of the formulas met there."""

    __slots__ = ("done", "inner", "terms")

    def __init__(self, terms: Mapping[Node, Node]) -> None:
        self.terms = terms
        self.done: dict[int, Node] = {}
        self.inner: dict[int, _SkolemScope] = {}


_Task = tuple[Node, _SkolemScope]


class _Skolemization:
    """One formula in negation normal form. A part is done once for each scope that it occurs in."""

    def __init__(
        self,
        normal: NegationNormalForm,
        root: str | None,
        numbers: Mapping[Var, int],
        with_quantifiers: frozenset[int],
        inside_terms: bool,
    ) -> None:
        self.pool = normal.pool
        self.inside_terms = inside_terms
        self.sources = normal.existential
        self.root = root
        self.numbers = numbers
        self.choices: dict[Symbol, Choice] = {}
        self.symbols: dict[Var, Symbol] = {}
        self.owners: dict[Var, int] = {}
        self.quantified = with_quantifiers

    def run(self, formula: Node) -> SkolemForm:
        """Its Skolem form."""
        # What a part becomes depends on the terms chosen for its free variables: remembered by scope.
        outer = _SkolemScope({})
        stack: list[_Task] = [(formula, outer)]
        while stack:
            node, scope = stack[-1]
            if node.id in scope.done:
                stack.pop()
                continue
            parts = self._parts(node, scope)
            missing = [part for part in parts if part[0].id not in part[1].done]
            if missing:
                stack.extend(missing)
                continue
            scope.done[node.id] = self._combined(node, scope, parts)
            stack.pop()
        matrix = outer.done[formula.id]
        universals = sorted(free_variables(matrix), key=self.numbers.__getitem__)
        return SkolemForm(matrix, tuple(universals), self.choices)

    def _parts(self, node: Node, scope: _SkolemScope) -> list[_Task]:
        """The subformulas with quantifiers in them or beside them; none for a formula without."""
        if node.id not in self.quantified:
            return []
        if isinstance(node, Quant):
            return [(node.body, scope if node.kind == "forall" else self._chosen(node, scope))]
        if isinstance(node, App) and (node.op is op.AND or node.op is op.OR):
            return [(arg, scope) for arg in node.args]
        if self.inside_terms:
            return []
        raise NotSkolemizable("a quantifier inside a term")

    def _chosen(self, quant: Quant, scope: _SkolemScope) -> _SkolemScope:
        """The scope of a quantifier whose binders are chosen."""
        inner = scope.inner.get(quant.id)
        if inner is None:
            arguments = tuple(sorted(free_variables(quant), key=self.numbers.__getitem__))
            images = tuple([scope.terms.get(var, var) for var in arguments])
            terms: dict[Node, Node] = {
                var: self._term(quant, var, arguments, images) for var in quant.binders
            }
            inner = scope.inner[quant.id] = _SkolemScope({**scope.terms, **terms})
        return inner

    def _term(self, quant: Quant, var: Var, arguments: tuple[Var, ...], images: tuple[Node, ...]) -> Node:
        source = self.sources[quant.id]
        if source is None or self.owners.setdefault(var, quant.id) != quant.id:
            raise NotSkolemizable(f"two quantifiers choose the variable {var.name[:100]}")
        symbol = self.symbols.get(var)
        if symbol is None:
            # Certificates speak of the formula as written: there a `forall` under a negation chooses.
            polarity: Polarity = "+" if source.kind == "exists" else "-"
            domain = tuple([argument.sort for argument in arguments])
            symbol = self.symbols[var] = Symbol(var.name, domain, var.sort, SymbolKind.FRESH)
            self.choices[symbol] = Choice(self.root, var, polarity, arguments)
        return self.pool.app(symbol, images) if images else self.pool.sym(symbol)

    def _combined(self, node: Node, scope: _SkolemScope, parts: list[_Task]) -> Node:
        if not parts:
            return substitute(self.pool, node, scope.terms) if scope.terms else node
        found = tuple([inner.done[part.id] for part, inner in parts])
        if isinstance(node, App):
            return node if found == node.args else self.pool.app(node.op, found)
        return found[0]

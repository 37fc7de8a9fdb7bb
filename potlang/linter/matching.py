"""Formulas that have the same form up to names: of symbols, sorts and variables, and the order of parts.

A pattern's symbols and sorts stand for any: what they stand for is a `Renaming`. Implications are
compared as disjunctions, negations where they reach the atoms, nested quantifiers as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, children, reachable
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, Sort
from potlang.linter.linted import conjuncts

_LARGEST = 150
"""Nodes of a formula, shared ones counted each time, up to which it has a form: the walks here recur."""
_MOST_PARTS = 6
"""Parts of a conjunction or disjunction, which are tried in each order."""
_COMMUTATIVE = (op.EQ, op.ADD, op.MUL)
_DUAL = {"forall": "exists", "exists": "forall", "and": "or", "or": "and"}


class Renaming(NamedTuple):
    """The symbols and sorts that those of a pattern stand for; different ones for different ones."""

    symbols: Mapping[Symbol, Symbol] = MappingProxyType({})
    sorts: Mapping[Sort, Sort] = MappingProxyType({})
    variables: Mapping[Var, Var] = MappingProxyType({})

    def without_variables(self) -> Renaming:
        """The same for another formula."""
        return self._replace(variables=MappingProxyType({}))


def renamed(pool: Pool, formula: Node, renaming: Renaming) -> Node:
    """A formula of any pool over what its symbols and sorts stand for, in `pool`."""
    done: dict[int, Node] = {}
    variables: dict[Var, Var] = {}
    for node in reachable(formula):
        match node:
            case Var():
                done[node.id] = variables[node] = pool.var(node.name, _sort(node.sort, renaming))
            case Lit(value=value, sort=sort):
                done[node.id] = pool.lit(value, _sort(sort, renaming))
            case Sym(symbol=symbol):
                done[node.id] = pool.sym(renaming.symbols[symbol])
            case App(op=head, args=args):
                own = renaming.symbols[head] if isinstance(head, Symbol) else head
                done[node.id] = pool.app(own, tuple(done[arg.id] for arg in args))
            case Quant(kind=kind, binders=binders, body=body):
                # A binder that its body does not use is a node nowhere else.
                own_binders = tuple(
                    variables.get(each) or pool.var(each.name, _sort(each.sort, renaming)) for each in binders
                )
                done[node.id] = pool.quant(kind, own_binders, done[body.id])
    return done[formula.id]


def _sort(sort: Sort, renaming: Renaming) -> Sort:
    return renaming.sorts.get(sort, sort)


# --- the form of formulas ----------------------------------------------------------------------------


class FormulaForm(NamedTuple):
    """A formula as it is compared.

    `forall` or `exists` over a part, `and`, `or` or `iff` of parts, or a literal, `is` or `not`: its operator
    or symbol over terms, or (`head` None) one term.
    """

    kind: str
    parts: tuple[FormulaForm, ...] = ()
    binders: tuple[Var, ...] = ()
    head: Operator | Symbol | None = None
    terms: tuple[Node, ...] = ()


def form_of(formula: Node) -> FormulaForm | None:
    """The form of a formula; None of one that is too large to be compared."""
    sizes: dict[int, int] = {}
    for node in reachable(formula):
        sizes[node.id] = 1 + sum(sizes[child.id] for child in children(node))
        if sizes[node.id] > _LARGEST:
            return None
    return _tree(formula, True)


def forms_of(pool: Pool, formulas: Iterable[Node]) -> list[FormulaForm]:
    """The forms of the conjuncts of formulas, each quantified by itself; those too large are left out."""
    parts = (part for formula in formulas for part in _parts(pool, formula))
    return [form for part in parts if (form := form_of(part)) is not None]


def _parts(pool: Pool, formula: Node) -> Iterator[Node]:
    for part in conjuncts(formula):
        if not (isinstance(part, Quant) and part.kind == "forall"):
            yield part
            continue
        for each in conjuncts(part.body):
            inner = set(reachable(each))
            binders = tuple(var for var in part.binders if var in inner)
            yield pool.quant("forall", binders, each) if binders else each


def renamings(pattern: FormulaForm, form: FormulaForm, given: Renaming) -> Iterator[Renaming]:
    """Renamings beyond `given` under which the pattern is the form, perhaps repeatedly."""
    for each in _formulas(pattern, form, given.without_variables()):
        yield each.without_variables()


def _tree(node: Node, holds: bool) -> FormulaForm:
    match node:
        case Quant(kind=kind, binders=binders, body=body):
            return _quantified(kind if holds else _DUAL[kind], binders, _tree(body, holds))
        case App(op=op.NOT, args=(inner,)):
            return _tree(inner, not holds)
        case App(op=op.IMPLIES, args=(condition, conclusion)):
            parts = [_tree(condition, not holds), _tree(conclusion, holds)]
            return _joined("or" if holds else "and", parts)
        case App(op=op.AND | op.OR as head, args=args):
            kind = "and" if head is op.AND else "or"
            return _joined(kind if holds else _DUAL[kind], [_tree(each, holds) for each in args])
        case App(op=op.IFF, args=(left, right)):
            return FormulaForm("iff", (_tree(left, True), _tree(right, holds)))
        case App(op=op.DISTINCT, args=(left, right)):
            return FormulaForm("not" if holds else "is", head=op.EQ, terms=(left, right))
        case App(op=head, args=args):
            return FormulaForm("is" if holds else "not", head=head, terms=args)
        case _:
            return FormulaForm("is" if holds else "not", terms=(node,))


def _quantified(kind: str, binders: tuple[Var, ...], part: FormulaForm) -> FormulaForm:
    if part.kind == kind:
        return part._replace(binders=(*binders, *part.binders))
    return FormulaForm(kind, (part,), binders)


def _joined(kind: str, parts: list[FormulaForm]) -> FormulaForm:
    return FormulaForm(
        kind, tuple(one for each in parts for one in (each.parts if each.kind == kind else (each,)))
    )


# --- matching ----------------------------------------------------------------------------------------


def _formulas(pattern: FormulaForm, tree: FormulaForm, given: Renaming) -> Iterator[Renaming]:
    if pattern.kind != tree.kind or len(pattern.binders) != len(tree.binders):
        return
    if pattern.parts:
        yield from _in_any_order(pattern.parts, tree.parts, given)
    else:
        yield from _applications(pattern.head, pattern.terms, tree.head, tree.terms, given)


def _in_any_order(
    patterns: tuple[FormulaForm, ...], trees: tuple[FormulaForm, ...], given: Renaming
) -> Iterator[Renaming]:
    if len(patterns) != len(trees) or len(trees) > _MOST_PARTS:
        return
    if not patterns:
        yield given
        return
    for at, tree in enumerate(trees):
        for each in _formulas(patterns[0], tree, given):
            yield from _in_any_order(patterns[1:], trees[:at] + trees[at + 1 :], each)


def _applications(
    head: Operator | Symbol | None,
    patterns: tuple[Node, ...],
    other: Operator | Symbol | None,
    terms: tuple[Node, ...],
    given: Renaming,
) -> Iterator[Renaming]:
    if len(patterns) != len(terms):
        return
    if isinstance(head, Symbol):
        renaming = _with_symbol(head, other, given) if isinstance(other, Symbol) else None
        if renaming is not None:
            yield from _terms(patterns, terms, renaming)
    elif head is other:
        yield from _terms(patterns, terms, given)
        if head in _COMMUTATIVE and len(terms) == 2:
            yield from _terms(patterns, terms[::-1], given)


def _terms(patterns: tuple[Node, ...], terms: tuple[Node, ...], given: Renaming) -> Iterator[Renaming]:
    if not patterns:
        yield given
        return
    for each in _term(patterns[0], terms[0], given):
        yield from _terms(patterns[1:], terms[1:], each)


def _term(pattern: Node, term: Node, given: Renaming) -> Iterator[Renaming]:
    match pattern, term:
        case Var(), Var():
            renaming = _with_variable(pattern, term, given)
        case Sym(symbol=symbol), Sym(symbol=other):
            renaming = _with_symbol(symbol, other, given)
        case Lit(value=value, sort=sort), Lit(value=same, sort=own) if value == same:
            renaming = _with_sort(sort, own, given)
        case App(op=head, args=args), App(op=own_head, args=own_args) if not _is_logical(head):
            yield from _applications(head, args, own_head, own_args, given)
            return
        case (App() | Quant(), App() | Quant()) if pattern.sort is BOOL and term.sort is BOOL:
            yield from _formulas(_tree(pattern, True), _tree(term, True), given)
            return
        case _:
            return
    if renaming is not None:
        yield renaming


def _is_logical(head: Operator | Symbol) -> bool:
    return head in (op.NOT, op.AND, op.OR, op.IMPLIES, op.IFF, op.DISTINCT)


# --- renamings ---------------------------------------------------------------------------------------


def _with_sort(sort: Sort, other: Sort, given: Renaming) -> Renaming | None:
    known = given.sorts.get(sort)
    if isinstance(sort, EnumSort) and isinstance(other, EnumSort) and sort.values != other.values:
        return None
    if known is not None or not isinstance(sort, DeclaredSort):
        return given if other == (sort if known is None else known) else None
    return given._replace(sorts=MappingProxyType({**given.sorts, sort: other}))


def _with_symbol(symbol: Symbol, other: Symbol, given: Renaming) -> Renaming | None:
    known = given.symbols.get(symbol)
    if known is not None:
        return given if known is other else None
    sorts = (*symbol.domain, symbol.range), (*other.domain, other.range)
    if other in given.symbols.values() or len(sorts[0]) != len(sorts[1]):
        return None
    renaming: Renaming | None = given
    for sort, own in zip(*sorts, strict=True):
        renaming = None if renaming is None else _with_sort(sort, own, renaming)
    if renaming is None:
        return None
    return renaming._replace(symbols=MappingProxyType({**given.symbols, symbol: other}))


def _with_variable(variable: Var, other: Var, given: Renaming) -> Renaming | None:
    known = given.variables.get(variable)
    if known is not None:
        return given if known is other else None
    if other in given.variables.values():
        return None
    renaming = _with_sort(variable.sort, other.sort, given)
    if renaming is None:
        return None
    return renaming._replace(variables=MappingProxyType({**given.variables, variable: other}))

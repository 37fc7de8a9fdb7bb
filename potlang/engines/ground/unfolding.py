"""Equalities of records and tables, and readings of tables, by their parts ([GROUND-UNFOLDED])."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from potlang.engines.ground.table import FALSE, TRUE, Head, TermTable
from potlang.ir import operators as op
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, ArraySort, SetSort, Sort, TupleSort, table_sorts

_MOST_INDICES = 64
_BUILT = frozenset({op.STORE, op.INSERT, op.UNION, op.INTERSECT, op.DIFFERENCE})
Clauses = list[list[int]]
_Needed = tuple[str, Operator, tuple[int, ...], tuple[int, ...]]


class _Same(NamedTuple):
    """That two values are the same, and that they differ."""

    yes: Clauses
    no: Clauses


def unfolded(table: TermTable, head: Operator, args: tuple[int, ...]) -> Clauses:
    """The clauses of what an equality, an inclusion or a reading means ([CERT-UNFOLDED])."""
    sort = table.sorts[args[0]]
    if head is op.SUBSET:
        empty = table.literal(table.pool.lit(None, sort))
        beyond = table.term(op.DIFFERENCE, args, sort)
        return _means(table.atom(head, args), [_equal(table, op.EQ, beyond, empty)])
    if head is not op.EQ:
        return _reading(table, head, args)
    whole = table.atom(head, args)
    if isinstance(sort, TupleSort):
        return _means(whole, [_same_field(table, place, sort, args) for place in range(len(sort.fields))])
    index = tuple([table.term(each, args, each.range) for each in _differing(table, sort)])
    return _means(whole, [_same_there(table, sort, args, index)])


def needed(table: TermTable, true: Container[int]) -> Iterator[_Needed]:
    """The axioms that a model may violate: rule, head and arguments of each.

    All indices at which something is read of a table of a sort are those of every table of that sort.
    """
    sorts = [sort for sort in table.by_sort if table_sorts(sort) is not None]
    if not sorts and not any(isinstance(sort, TupleSort) for sort in table.by_sort):
        return
    indices: dict[Sort, dict[tuple[int, ...], None]] = {sort: {} for sort in sorts}
    equal: list[tuple[int, ...]] = []
    for number in range(1, len(table.atoms)):
        head, args = table.atoms[number]
        if head is op.SUBSET:
            yield "unfolded", head, args, ()
        elif head is op.EQ and table.sorts[args[0]] in indices and number in true:
            equal.append(args)
        elif head is op.EQ and (table.sorts[args[0]] in indices or _is_record(table, args[0])):
            yield "unfolded", op.EQ, args, ()
        _note_index(table, head, args, indices)
    for term in table.computed:
        _note_index(table, table.heads[term], table.args[term], indices)
    for one, two in equal:
        for index in itertools.islice(indices[table.sorts[one]], _MOST_INDICES):
            head, args = read(table.sorts[one], one, index)
            yield "congruent", head, args, read(table.sorts[one], two, index)[1]
    for sort in sorts:
        built = [
            term for term in table.by_sort[sort] if table.heads[term] in _BUILT or table.is_literal(term)
        ]
        for term, index in itertools.product(built, list(indices[sort])[:_MOST_INDICES]):
            yield "unfolded", *read(sort, term, index), ()


def _is_record(table: TermTable, term: int) -> bool:
    return isinstance(table.sorts[term], TupleSort)


def _note_index(
    table: TermTable, head: Head, args: tuple[int, ...], indices: dict[Sort, dict[tuple[int, ...], None]]
) -> None:
    """Where something is read of a table, or put into it."""
    if head is op.MEMBER or head is op.INSERT:
        indices[table.sorts[args[1]]][args[:1]] = None
    elif head is op.STORE:
        indices[table.sorts[args[0]]][args[1:2]] = None
    elif head is op.SELECT or head is op.APPLY:
        indices[table.sorts[args[0]]][args[1:]] = None


def read(sort: Sort, whole: int, index: tuple[int, ...]) -> tuple[Operator, tuple[int, ...]]:
    """How a table is read."""
    if isinstance(sort, SetSort):
        return op.MEMBER, (*index, whole)
    return op.SELECT if isinstance(sort, ArraySort) else op.APPLY, (whole, *index)


def element_sort(sort: Sort) -> Sort:
    """The sort of what a table maps to."""
    found = table_sorts(sort)
    assert found is not None
    return found[1]


def _reading(table: TermTable, head: Operator, args: tuple[int, ...]) -> Clauses:
    at, whole = args if head is op.MEMBER else args[::-1]
    sort, made, given = table.sorts[whole], table.heads[whole], table.args[whole]
    parts = [part for part in given if table.sorts[part] == sort]
    if made is op.STORE:
        there = _equal(table, op.EQ, at, given[1])
        here = _value(table, sort, whole, at)
        then = _same(table, element_sort(sort), here, _of(table, given[2]))
        other = _same(table, element_sort(sort), here, _value(table, sort, parts[0], at))
        return _either(there.no, then.yes) + _either(there.yes, other.yes)
    value, inner = table.atom(head, args), [table.atom(head, (at, part)) for part in parts]
    if made is op.INSERT:
        inner += _equal(table, op.EQ, at, given[0]).yes[0]
    if made is op.UNION or made is op.INSERT:
        return _conjunction(-value, [-each for each in inner])
    if made is op.DIFFERENCE:
        inner[1] = -inner[1]
    return _conjunction(value, inner) if inner else [[-value]]


def _conjunction(whole: int, parts: Sequence[int]) -> Clauses:
    return _means(whole, [_Same([[part]], [[-part]]) for part in parts])


def _means(whole: int, parts: Sequence[_Same]) -> Clauses:
    """That a literal is the conjunction of some parts."""
    forward = [[-whole, *clause] for part in parts for clause in part.yes]
    choices = itertools.product(*(part.no for part in parts))
    return forward + [[whole, *itertools.chain.from_iterable(each)] for each in choices]


def _either(one: Clauses, two: Clauses) -> Clauses:
    return [[*first, *second] for first in one for second in two]


def _equal(table: TermTable, head: Operator, one: int, two: int) -> _Same:
    number = table.atom(head, (one, two))
    return _Same([[number]], [[-number]])


def _same(table: TermTable, sort: Sort, one: int, two: int) -> _Same:
    """Of two terms, or two literals of truth values."""
    if sort is not BOOL:
        return _equal(table, op.EQ, one, two)
    if abs(one) == abs(two):
        # No clause may have a literal twice.
        return _Same([], [[]]) if one == two else _Same([[]], [])
    return _Same([[-one, two], [one, -two]], [[one, two], [-one, -two]])


def _value(table: TermTable, sort: Sort, whole: int, *index: int) -> int:
    """The entry at an index: a term, or the literal of a truth value."""
    head, args = read(sort, whole, index)
    element = element_sort(sort)
    return table.atom(head, args) if element is BOOL else table.term(head, args, element)


def _of(table: TermTable, term: int) -> int:
    """A term, or the literal of one that is a truth value."""
    if table.sorts[term] is not BOOL:
        return term
    value, head = table.value(term), table.heads[term]
    if value is not None:
        return TRUE if value.value is True else FALSE
    assert isinstance(head, Symbol | Operator)
    return table.atom(head, table.args[term])


def _same_there(table: TermTable, sort: Sort, args: tuple[int, ...], index: tuple[int, ...]) -> _Same:
    one, two = (_value(table, sort, whole, *index) for whole in args)
    return _same(table, element_sort(sort), one, two)


def _same_field(table: TermTable, place: int, sort: TupleSort, args: tuple[int, ...]) -> _Same:
    name, part = sort.fields[place]
    made = Symbol(name, (sort,), part, SymbolKind.SELECTOR)
    selector = table.selectors.setdefault((sort, name), made)
    if part is BOOL:
        one, two = (table.atom(selector, (arg,)) for arg in args)
    else:
        one, two = (table.term(selector, (arg,), part) for arg in args)
    return _same(table, part, one, two)


def _differing(table: TermTable, sort: Sort) -> list[Symbol]:
    """Functions of two tables of a sort that give an index at which they differ, if they do."""
    found = table_sorts(sort)
    assert found is not None
    every = [Symbol(f"differ {at}", (sort, sort), key, SymbolKind.FRESH) for at, key in enumerate(found[0])]
    table.differing.update({each: number for number, each in enumerate(every)})
    return every

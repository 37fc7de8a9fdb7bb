"""Terms, each made once so that sameness is identity, in a normal form that means the same.

Operators on literals are computed, `=` is orderless and true of one term, `<=` is the negation of the
reverse `<`, a selector of a record is its field, and a defined function is its body.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

from .operators import NoValue, compute, cost, result
from .sorts import BOOL, INT, Sort, Sorts
from .tokens import Invalid, StepBudget, shown

MOST_STEPS = 5_000_000
"""Of reading a program."""
QUANTIFIERS = ("forall", "exists")
_CONNECTIVES = ("not", "and", "or", "=>", "iff", "xor", "ite")
_LITERALS = ("Bool", "Int", "Real", "String", "enum", "BitVec")


class Symbol:
    """A declared function; a constant is one without a domain. Skolem and dummy symbols are made here."""

    def __init__(self, kind: str, name: str, domain: tuple[Sort, ...], range_: Sort) -> None:
        self.kind, self.name, self.domain, self.range = kind, name, domain, range_
        self.definition: tuple[tuple[Term, ...], Term] | None = None
        self.used = False


Op = str | Symbol


class Term:
    """`op` is `lit`, `var`, a quantifier, an operator, or a symbol; `value` is a literal's.

    `free` holds the variables that occur free, `binders` those that a quantifier binds.
    """

    __slots__ = ("args", "binders", "free", "id", "op", "sort", "value")

    def __init__(self, number: int, op: Op, args: tuple[Term, ...], sort: Sort, value: object) -> None:
        self.id, self.op, self.args, self.sort, self.value = number, op, args, sort, value
        self.binders: tuple[Term, ...] = value if isinstance(value, tuple) else ()
        parts = [arg.free for arg in args if arg.free] if op != "var" else [frozenset((self,))]
        largest = max(parts, key=len, default=_NOTHING)
        free = largest if all(part <= largest for part in parts) else largest.union(*parts)
        self.free: frozenset[Term] = free.difference(self.binders) if self.binders else free


_NOTHING: frozenset[Term] = frozenset()
_Whole = TypeVar("_Whole", bound=Hashable)


def ordered(term: Term) -> list[Term]:
    """The variables that occur free, by number."""
    return sorted(term.free, key=lambda variable: variable.id)


def outer_first(root: _Whole, parts: Callable[[_Whole], Sequence[_Whole]]) -> Iterator[_Whole]:
    """The terms in `root`, wholes before parts, the first part first, each once."""
    seen: set[_Whole] = set()
    stack = [root]
    while stack:
        top = stack.pop()
        # Formulas are graphs: without this, shared parts would be walked exponentially often.
        if top not in seen:
            seen.add(top)
            yield top
            stack.extend(reversed(parts(top)))


def inner_first(root: Term, parts: Callable[[Term], Sequence[Term]], done: Container[Term]) -> Iterator[Term]:
    """The terms in a term, parts before wholes, the last part first, without what is done.

    Each is to be done before the next is asked for.
    """
    stack = [root]
    while stack:
        top = stack[-1]
        missing = [part for part in parts(top) if part not in done] if top not in done else []
        stack.extend(missing)
        if not missing:
            stack.pop()
            if top not in done:
                yield top


class Terms:
    """The terms of one program; `steps` is the budget in force."""

    def __init__(self, sorts: Sorts, steps: StepBudget) -> None:
        self.sorts = sorts
        self._made: dict[object, Term] = {}
        self.steps = steps
        self._count = 0

    def make(self, op: Op, args: tuple[Term, ...], sort: Sort, value: object = None) -> Term:
        """The term as given; its parts must fit. A quantifier's value are its binders."""
        key = (op, args, sort, value)
        term = self._made.get(key) if op != "var" else None
        if term is None:
            self._count += 1
            term = self._made[key] = Term(self._count, op, args, sort, value)
            if term.free and all(term.free is not arg.free for arg in args):
                self.steps.spend(len(term.free))
        return term

    def literal(self, value: object, sort: Sort) -> Term:
        """A literal."""
        return self.make("lit", (), sort, value)

    def negated(self, term: Term) -> Term:
        """The negation."""
        return self.make("not", (term,), BOOL)

    def join(self, op: str, parts: Sequence[Term]) -> Term:
        """Formulas joined by `and` or `or`. One is itself; none are true by `and`, false by `or`."""
        if len(parts) == 1:
            return parts[0]
        return self.make(op, tuple(parts), BOOL) if parts else self.literal(op == "and", BOOL)

    def apply(self, op: Op, args: tuple[Term, ...]) -> Term:
        """`op` applied to `args`, in normal form. Raises `Invalid` where the sorts do not fit."""
        given = tuple([arg.sort for arg in args])
        if isinstance(op, str):
            sort = result(op, given, self.sorts)
            if sort is None:
                raise Invalid(f"{shown(op)} does not take these arguments")
            return self._normal(op, args, sort)
        if op.domain != given:
            raise Invalid(f"{shown(op.name)} is given other arguments than it takes")
        op.used = True
        if op.definition is not None:
            params, body = op.definition
            return self.substitute(body, dict(zip(params, args, strict=True)))
        if op.kind == "selector" and isinstance(args[0].op, Symbol) and args[0].op.kind == "constructor":
            return args[0].args[op.domain[0].labels.index(op.name)]
        return self.make(op, args, op.range)

    def _normal(self, op: str, args: tuple[Term, ...], sort: Sort) -> Term:
        if op == "=" and args[0] is args[1]:
            return self.literal(True, BOOL)
        if op == "=" and args[0].id > args[1].id:
            args = (args[1], args[0])
        low = args[0].value if args[0].op == "lit" and args[0].sort is INT else None
        if op == "<" and isinstance(low, int) and args[1].op != "lit":
            return self.negated(self.make("<", (args[1], self.literal(low + 1, INT)), BOOL))
        if op not in _CONNECTIVES and all(arg.op == "lit" and arg.sort.kind in _LITERALS for arg in args):
            values = [arg.value for arg in args]
            self.steps.spend(1 + cost(values))
            value = compute(op, values, [arg.sort for arg in args])
            if sort.kind in _LITERALS and not isinstance(value, NoValue):
                return self.literal(value, sort)
        # Behind the computation: the negation of a truth value would not be one.
        return self.make(op, args, sort) if op != "<=" else self.negated(self._normal("<", args[::-1], BOOL))

    def substitute(self, term: Term, images: Mapping[Term, Term]) -> Term:
        """`term` with its free variables replaced. Raises `Invalid` where a quantifier would capture one."""
        if not term.free:
            return term
        done: dict[Term, Term] = dict(images)
        around = _NOTHING.union(images, *(image.free for image in images.values()))
        for each in inner_first(term, lambda whole: [arg for arg in whole.args if arg.free], done):
            if not around.isdisjoint(each.binders):
                raise Invalid("a variable is bound twice")
            self.steps.spend(10 * (1 + len(each.args)))
            args = tuple([done.get(arg, arg) for arg in each.args])
            if each.op in QUANTIFIERS:
                done[each] = self.make(each.op, args, BOOL, each.value)
            else:
                done[each] = each if each.op == "var" else self.apply(each.op, args)
        return done[term]

"""Terms, each made once so that sameness is identity, in a normal form that means the same.

Operators on literals are computed, `=` is orderless and true of one term, `<=` is the negation of the
reverse `<`, a selector of a record is its field, and a defined function is its body.
"""

from __future__ import annotations

from collections.abc import Mapping

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
        done: dict[Term, Term] = dict(images)
        around = _NOTHING.union(images, *(image.free for image in images.values()))
        stack = [term]
        while stack:
            top = stack[-1]
            if not top.free or top in done:
                done.setdefault(top, top)
                stack.pop()
                continue
            missing = [arg for arg in top.args if arg not in done]
            if missing:
                stack.extend(missing)
                continue
            if not around.isdisjoint(top.binders):
                raise Invalid("a variable is bound twice")
            stack.pop()
            self.steps.spend(10 * (1 + len(top.args)))
            args = tuple([done[arg] for arg in top.args])
            if top.op in QUANTIFIERS:
                done[top] = self.make(top.op, args, BOOL, top.value)
            else:
                done[top] = top if top.op == "var" else self.apply(top.op, args)
        return done[term]

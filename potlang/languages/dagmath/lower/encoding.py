"""Formulas as formulas of the IR, with what they take for granted ([STEP-ENCODING], [STEP-DEFINED])."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple

from potlang.ir import operators as ops
from potlang.ir.nodes import Lit, Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, REAL, Sort
from potlang.languages.dagmath.lower.exact import NotExact, has_decimals, value
from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    Name,
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    free_names,
    joined,
    number,
    quantities,
    shown,
    substituted,
)
from potlang.languages.dagmath.lower.word_lists import words

MOST_FACTORS: Final = 64
"""The largest power that is written out as a product."""
_MOST_TERMS: Final = 200
_MOST_MADE: Final = 5_000
"""IR nodes that one statement may take."""
_IMAGINARY: Final = "i"
_UNINTERPRETED: Final = words(
    "log ln lg exp sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh logbase"
)


class Encoded(NamedTuple):
    """A statement in the IR.

    `sides` say that it is defined: no divisor is zero, no even root of a negative number. `lemmas` are true
    whatever it says. Not `exact`: it has functions of which little is said, so that what does not
    follow may be true all the same; and not `firm`: it may mean something else, so it refutes nothing.
    """

    formula: Node
    sides: tuple[Node, ...] = ()
    shown_sides: tuple[str, ...] = ()
    lemmas: tuple[Node, ...] = ()
    exact: bool = True
    firm: bool = True


class Encoder:
    """Turns statements into formulas over one pool. `integers` are the variables of sort Int."""

    def __init__(self, pool: Pool, integers: frozenset[str]) -> None:
        self.pool = pool
        self._integers = integers
        self._symbols: dict[tuple[str, int], Symbol] = {}
        self._roots: dict[tuple[int, int], Node] = {}
        self._known: dict[Term, Encoded | Unreadable] = {}
        self._clear()

    def _clear(self) -> None:
        self._sides: dict[Node, str] = {}
        self._lemmas: dict[Node, None] = {}
        self._exact = self._firm = self._merging = True
        self._limit = len(self.pool) + _MOST_MADE

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols so far, in order of their making."""
        return tuple(self._symbols.values())

    def statement(self, term: Term) -> Encoded:
        """A statement. Raises Unreadable where the IR has no words for it."""
        found = self._known.get(term)
        if found is None:
            self._clear()
            try:
                formula = self._formula(term, positive=True, top=True)
                sides = {node: shown for node, shown in self._sides.items() if node is not self.pool.true}
                found = Encoded(
                    formula, tuple(sides), tuple(sides.values()), tuple(self._lemmas), self._exact, self._firm
                )
            except Unreadable as error:
                found = error
            self._known[term] = found
        if isinstance(found, Unreadable):
            raise found
        return found

    # --- statements ---

    def _formula(self, term: Term, *, positive: bool, top: bool = False) -> Node:
        if not isinstance(term, Op):
            raise Unreadable("a number is no statement")
        pool = self.pool
        match term.op:
            case "and":
                return pool.conj([self._formula(arg, positive=positive, top=top) for arg in term.args])
            case "or":
                return pool.disj([self._formula(arg, positive=positive) for arg in term.args])
            case "not":
                return pool.negate(self._formula(term.args[0], positive=not positive))
            case "=>":
                # Where the condition is not defined nothing is claimed: `it is defined and holds` implies.
                left = self._formula(term.args[0], positive=True)
                return pool.implies(left, self._formula(term.args[1], positive=positive))
            case "<=>":
                both = [Op("=>", args) for args in (term.args, term.args[::-1])]
                return pool.conj([self._formula(each, positive=positive) for each in both])
        signed = _signed_cases(term)
        if signed is not None:
            if any(not (_has_sign(side) or free_names(side) or quantities(side)) for side in term.args):
                raise Unreadable("a number has two values")
            if term.op not in ("=", "!="):
                raise Unreadable("it is open which of two values is compared")
            return self._formula(signed, positive=positive, top=False)
        return self._atom(term, positive, top)

    def _atom(self, term: Op, positive: bool, top: bool) -> Node:
        """A relation; below a connective, that it is defined is a part of what it says."""
        outer, self._sides = self._sides, {}
        formula = self._relation(term)
        inner, self._sides = self._sides, outer
        inner.pop(self.pool.true, None)
        if top:
            self._sides.update(inner)
            return formula
        if inner and not positive:
            raise Unreadable("a condition that may not be defined")
        return self.pool.conj([*inner, formula])

    def _relation(self, term: Op) -> Node:
        op, args = term.op, term.args
        if op == "in":
            return self._membership(args[0], args[1])
        if op in ("=", "!=") and (whole := self._componentwise(op, args)) is not None:
            return whole
        if op == "approx":
            return self._rounded(*args)
        if op == "divides":
            divisor, number_ = self._int(args[0]), self._int(args[1])
            return self.pool.eq(self._remainder(number_, divisor, args[0]), self.pool.integer(0))
        if op == "congruent":
            difference = self.pool.app(ops.SUB, (self._int(args[0]), self._int(args[1])))
            return self.pool.eq(
                self._remainder(difference, self._int(args[2]), args[2]), self.pool.integer(0)
            )
        # `r = 15%` and `r = 15` may mean the same.
        self._firm &= len({_is_percent(arg) for arg in args}) == 1
        left, right = self._alike([self._term(arg) for arg in args])
        match op:
            case "=":
                return self.pool.eq(left, right)
            case "!=":
                return self.pool.negate(self.pool.eq(left, right))
            case "<" | ">":
                return self.pool.app(ops.LT, (left, right) if op == "<" else (right, left))
            case "<=" | ">=":
                return self.pool.app(ops.LE, (left, right) if op == "<=" else (right, left))
        raise Unreadable(f"does not check {op}")

    def _rounded(self, term: Term, number_: Term, size: Term) -> Node:
        """That a term is rounded to a number: it may be so in other ways too, and refutes nothing."""
        self._firm = False
        half = Op("/", (size, number(2)))
        node = self._real(self._term(term))
        low, high = (self._real(self._term(Op("+", (number_, each)))) for each in (Op("neg", (half,)), half))
        return self.pool.conj([self.pool.app(ops.LE, (low, node)), self.pool.app(ops.LE, (node, high))])

    def _componentwise(self, op: str, args: tuple[Term, ...]) -> Node | None:
        """Tuples, and ratios of three terms and more, as equations of their parts."""
        left, right = args
        if not (isinstance(left, Op) and isinstance(right, Op) and left.op == right.op):
            return None
        if left.op == "tuple" and len(left.args) == len(right.args):
            pairs = list(zip(left.args, right.args, strict=True))
        elif left.op == "ratio" and len(left.args) == len(right.args) > 2:
            firsts, lasts = (
                zip(left.args, left.args[1:], strict=False),
                zip(right.args, right.args[1:], strict=False),
            )
            pairs = [(Op("/", one), Op("/", other)) for one, other in zip(firsts, lasts, strict=True)]
        else:
            return None
        equal = self.pool.conj([self._relation(Op("=", pair)) for pair in pairs])
        return equal if op == "=" else self.pool.negate(equal)

    def _membership(self, element: Term, whole: Term) -> Node:
        pool = self.pool
        assert isinstance(whole, Op)
        node = self._term(element)
        if whole.op == "set":
            return pool.disj([pool.eq(*self._alike([node, self._term(each)])) for each in whole.args])
        if whole.op == "where:R":
            return pool.true
        if whole.op in ("where:Z", "where:N"):
            integral: Node = pool.true
            if node.sort is REAL:
                integral = pool.eq(self._real(pool.app(ops.TO_INT, (node,))), node)
            if whole.op == "where:Z":
                return integral
            # 0 is natural to some and not to others: only what both say is meant.
            if isinstance(node, Lit) and node.value == 0:
                raise Unreadable("0 is natural to some and not to others")
            self._exact = False
            return pool.conj([integral, pool.app(ops.LE, (*self._alike([pool.integer(0), node]),))])
        if len(whole.args) == 2 and whole.op in ("[]", "[)", "(]", "tuple"):
            kind = "()" if whole.op == "tuple" else whole.op
            low, high = (self._term(each) for each in whole.args)
            first = ops.LE if kind[0] == "[" else ops.LT
            last = ops.LE if kind[1] == "]" else ops.LT
            return pool.conj(
                [pool.app(first, (*self._alike([low, node]),)), pool.app(last, (*self._alike([node, high]),))]
            )
        raise Unreadable(f"does not check membership in {shown(whole)}")

    # --- terms ---

    def _term(self, term: Term) -> Node:
        if len(self.pool) > self._limit:
            raise Unreadable("the formula is too large to be checked")
        match term:
            case Num(amount):
                # A number with decimals may be rounded: it refutes nothing.
                self._firm &= amount.denominator == 1
                return self._number(amount)
            case Name(name):
                return self._variable(name)
            case Quantity(words):
                return self.pool.sym(self._symbol(f"[{' '.join(words)}]", REAL))
            case Op():
                return self._operation(term)

    def _number(self, amount: Fraction) -> Node:
        return self.pool.integer(amount.numerator) if amount.denominator == 1 else self.pool.real(amount)

    def _symbol(self, name: str, sort: Sort, arity: int = 0) -> Symbol:
        found = self._symbols.get((name, arity))
        if found is None:
            kind = SymbolKind.FUNCTION if arity else SymbolKind.CONSTANT
            found = self._symbols[name, arity] = Symbol(name, (REAL,) * arity, sort, kind)
        return found

    def _variable(self, name: str) -> Node:
        node = self.pool.sym(self._symbol(name, INT if name in self._integers else REAL))
        if name == "pi":
            low, high = self.pool.real(Fraction(314159265, 10**8)), self.pool.real(Fraction(314159266, 10**8))
            self._lemmas[self.pool.app(ops.LT, (low, self._real(node)))] = None
            self._lemmas[self.pool.app(ops.LT, (self._real(node), high))] = None
            self._exact = False
        if name in ("e", _IMAGINARY):
            # It may be the constant: then it is no real number that could be any.
            self._exact = False
            self._firm &= name != _IMAGINARY
        return node

    def _real(self, node: Node) -> Node:
        if node.sort is REAL:
            return node
        if isinstance(node, Lit):
            return self.pool.real(int(node.value or 0))
        return self.pool.app(ops.TO_REAL, (node,))

    def _alike(self, nodes: list[Node]) -> list[Node]:
        if all(node.sort is INT for node in nodes):
            return nodes
        return [self._real(node) for node in nodes]

    def _int(self, term: Term) -> Node:
        node = self._term(term)
        if node.sort is not INT:
            raise Unreadable(f"{shown(term)} is not known to be a whole number")
        return node

    def _operation(self, term: Op) -> Node:
        op = term.op
        closed = self._closed(term)
        if closed is not None:
            return closed
        if op in ("+", "*"):
            self._logarithms(term)
        if op in _SIMPLE:
            nodes = self._alike([self._term(arg) for arg in term.args])
            single = len(nodes) == 1 and op in ("+", "*")
            return nodes[0] if single else self.pool.app(_SIMPLE[op], tuple(nodes))
        if op in ("/", "ratio") and len(term.args) == 2:
            return self._quotient(*term.args)
        if op in BINDERS:
            return self._repeated(term)
        if op in _UNINTERPRETED or op.startswith("call:") or op in ("!", "binom"):
            return self._uninterpreted(op.removeprefix("call:"), term.args)
        made = _MADE.get(op)
        if made is None:
            raise Unreadable(f"does not check {op.removeprefix('unit:')}")
        return made(self, term.args)

    def _closed(self, term: Op) -> Node | None:
        """The number that a term without variables is."""
        try:
            found = self._number(value(term))
        except NotExact:
            return None
        self._firm &= not has_decimals(term)
        return found

    def _quotient(self, over: Term, under: Term) -> Node:
        divisor = self._real(self._term(under))
        self._defined(
            self.pool.negate(self.pool.eq(divisor, self.pool.real(0))), f"{shown(under)} != 0", divisor
        )
        return self.pool.app(ops.DIV, (self._real(self._term(over)), divisor))

    def _defined(self, condition: Node, shown: str, of: Node) -> None:
        if isinstance(of, Lit):
            if of.value == 0:
                raise Unreadable("it divides by zero, or takes its power of zero")
            return
        self._sides[condition] = shown

    def _remainder(self, node: Node, modulus: Node, term: Term) -> Node:
        zero = self.pool.integer(0)
        self._defined(self.pool.negate(self.pool.eq(modulus, zero)), f"{shown(term)} != 0", modulus)
        return self.pool.app(ops.MOD, (node, modulus))

    def _power(self, args: tuple[Term, ...]) -> Node:
        base, exponent = args
        try:
            power = value(exponent)
        except NotExact:
            return self._uninterpreted("power", args)
        if abs(power.numerator) > MOST_FACTORS or power.denominator > MOST_FACTORS:
            return self._uninterpreted("power", args)
        if power.denominator != 1:
            inner: Term = Op("root", (number(power.denominator), base))
            if power.denominator == 2:
                inner = Op("sqrt", (base,))
            return self._term(inner if power.numerator == 1 else Op("^", (inner, number(power.numerator))))
        if power < 0:
            return self._quotient(number(1), Op("^", (base, number(-power))))
        if power == 0:
            node = self._real(self._term(base))
            unequal = self.pool.negate(self.pool.eq(node, self.pool.real(0)))
            self._defined(unequal, f"{shown(base)} != 0", node)
            return self.pool.integer(1)
        factors = (self._term(base),) * power.numerator
        return factors[0] if len(factors) == 1 else self.pool.app(ops.MUL, factors)

    def _root(self, degree: int, term: Term) -> Node:
        """A root as a constant that it is told apart from all others by."""
        radicand = self._real(self._term(term))
        negative = isinstance(radicand, Lit) and isinstance(radicand.value, Fraction) and radicand.value < 0
        if negative and degree % 2 == 0:
            raise Unreadable("it takes an even root of a negative number")
        root = self._roots.get((degree, radicand.id))
        if root is None:
            symbol = self._symbol(f"root{degree}({shown(term)})#{len(self._roots)}", REAL)
            root = self._roots[degree, radicand.id] = self.pool.sym(symbol)
        zero = self.pool.real(0)
        power = self.pool.eq(self.pool.app(ops.MUL, (root,) * degree), radicand)
        if degree % 2 == 0:
            positive = self.pool.app(ops.LE, (zero, radicand))
            self._defined(positive, f"{shown(term)} >= 0", radicand)
            power = self.pool.implies(positive, self.pool.conj([power, self.pool.app(ops.LE, (zero, root))]))
        self._lemmas[power] = None
        return root

    def _degree(self, args: tuple[Term, ...]) -> Node:
        degree = args[0]
        if not (isinstance(degree, Num) and degree.value in range(2, 17)):
            raise Unreadable("does not check a root of this degree")
        return self._root(degree.value.numerator, args[1])

    def _floor(self, args: tuple[Term, ...], sign: int = 1) -> Node:
        node = self._term(args[0])
        if node.sort is INT:
            return node
        if sign > 0:
            return self.pool.app(ops.TO_INT, (node,))
        down = self.pool.app(ops.TO_INT, (self.pool.app(ops.NEG, (node,)),))
        return self.pool.app(ops.NEG, (down,))

    def _extreme(self, args: tuple[Term, ...], largest: bool) -> Node:
        nodes = self._alike([self._term(arg) for arg in args])
        found = nodes[0]
        for node in nodes[1:]:
            pair = (found, node) if largest else (node, found)
            found = self.pool.app(ops.ITE, (self.pool.app(ops.LE, pair), node, found))
        return found

    def _repeated(self, term: Op) -> Node:
        """A sum or product between numbers, written out."""
        index, first, last, body = term.args
        try:
            low, high = value(first), value(last)
        except NotExact:
            raise Unreadable("a sum whose ends are not numbers") from None
        if low.denominator != 1 or high.denominator != 1 or high - low >= _MOST_TERMS:
            raise Unreadable("a sum with too many terms")
        each = [substituted(body, {index: number(at)}) for at in range(int(low), int(high) + 1)]
        if any(isinstance(arg, Num) and arg.value < 0 for arg in each):
            raise Unreadable("a sum over negative numbers")
        if not each:
            return self.pool.integer(term.op == "prod")
        return self._term(each[0] if len(each) == 1 else Op("+" if term.op == "sum" else "*", tuple(each)))

    def _uninterpreted(self, name: str, args: tuple[Term, ...]) -> Node:
        """A function of which only this is said: equal arguments have equal values."""
        self._exact = False
        nodes = tuple(self._real(self._term(arg)) for arg in args)
        node = self.pool.app(self._symbol(f"{name}()", REAL, len(nodes)), nodes)
        if name in ("log", "ln", "lg", "logbase"):
            positive = self.pool.app(ops.LT, (self.pool.real(0), nodes[-1]))
            self._sides[positive] = f"{shown(args[-1])} > 0"
            inverse = self._symbol(f"inverse of {name}()", REAL, len(nodes))
            power = self.pool.app(inverse, (*nodes[:-1], node))
            self._lemmas[self.pool.implies(positive, self.pool.eq(power, nodes[-1]))] = None
        return node

    def _logarithms(self, term: Op) -> None:
        """Notes what a sum or multiple of logarithms is the logarithm of, once its parts are defined."""
        found = _one_logarithm(term)
        if found is None or not self._merging:
            return
        self._merging = False
        sides = self._sides
        self._sides = {}
        one, other = self._real(self._term(term)), self._real(self._term(found))
        defined = self.pool.conj(list(self._sides))
        self._sides = sides
        self._lemmas[self.pool.implies(defined, self.pool.eq(one, other))] = None
        self._merging = True


def _one_logarithm(term: Op) -> Term | None:
    """The logarithm that `2 log a` or `log a + log b - log c` is, where all its parts are positive."""
    over: list[Term] = []
    under: list[Term] = []
    heads: set[tuple[Term | str, ...]] = set()
    for part in term.args if term.op == "+" else (term,):
        bare = part.args[0] if isinstance(part, Op) and part.op == "neg" else part
        times = 1
        if isinstance(bare, Op) and bare.op == "*" and len(bare.args) == 2 and isinstance(bare.args[0], Num):
            times, bare = (
                bare.args[0].value.numerator if bare.args[0].value.denominator == 1 else 0,
                bare.args[1],
            )
        if not (
            isinstance(bare, Op) and bare.op in ("log", "ln", "lg", "logbase") and 0 < times <= MOST_FACTORS
        ):
            return None
        heads.add((bare.op, *bare.args[:-1]))
        inside = bare.args[-1] if times == 1 else Op("^", (bare.args[-1], number(times)))
        (under if _negates(part) else over).append(inside)
    if len(heads) != 1 or (len(over) + len(under) == 1 and term.op == "+"):
        return None
    head = next(iter(heads))
    product = joined("*", tuple(over)) if over else number(1)
    if under:
        product = Op("/", (product, joined("*", tuple(under))))
    return Op(str(head[0]), (*(each for each in head[1:] if not isinstance(each, str)), product))


def _is_percent(term: Term) -> bool:
    return isinstance(term, Op) and term.op == "%"


def _negates(term: Term) -> bool:
    return isinstance(term, Op) and term.op == "neg"


def _signed_cases(term: Op) -> Term | None:
    """A relation with ± as the two that it stands for: upper signs together, and lower ones."""
    if not _has_sign(term):
        return None
    return Op("or", (_chosen(term, True), _chosen(term, False)))


def _has_sign(term: Term) -> bool:
    return isinstance(term, Op) and (term.op in ("pm", "mp") or any(map(_has_sign, term.args)))


def _chosen(term: Term, upper: bool) -> Term:
    if not isinstance(term, Op):
        return term
    args = tuple(_chosen(arg, upper) for arg in term.args)
    if term.op not in ("pm", "mp"):
        return Op(term.op, args)
    last = args[-1] if (term.op == "pm") is upper else Op("neg", (args[-1],))
    return last if len(args) == 1 else Op("+", (args[0], last))


_SIMPLE: Final = {"+": ops.ADD, "*": ops.MUL, "neg": ops.NEG, "abs": ops.ABS}
_MADE: Final[dict[str, Callable[[Encoder, tuple[Term, ...]], Node]]] = {
    "^": Encoder._power,
    "%": lambda self, args: self._quotient(args[0], number(100)),
    "sqrt": lambda self, args: self._root(2, args[0]),
    "root": Encoder._degree,
    "floor": Encoder._floor,
    "ceil": lambda self, args: self._floor(args, -1),
    "mod": lambda self, args: self._remainder(self._int(args[0]), self._int(args[1]), args[1]),
    "max": lambda self, args: self._extreme(args, True),
    "min": lambda self, args: self._extreme(args, False),
}

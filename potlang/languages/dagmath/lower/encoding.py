"""Formulas as formulas of the IR, with what they take for granted ([STEP-ENCODING], [STEP-DEFINED])."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

from potlang.ir import operators as ops
from potlang.ir.nodes import Lit, Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, REAL, Sort
from potlang.languages.dagmath.lower.desugar import desugared
from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    RELATIONS,
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    Variable,
    is_op,
    is_statement,
    joined,
    number,
    shown,
    substituted,
    words,
)

MOST_FACTORS: Final = 64
"""The largest power that is written out as a product."""
_MOST_TERMS: Final = 200
_MOST_MADE: Final = 5_000
"""IR nodes that one statement may take."""
_IMAGINARY: Final = "i"
_LOGARITHMS: Final = words("log ln lg logbase")
_UNINTERPRETED: Final = _LOGARITHMS | words(
    "exp sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ! binom"
)


class Encoded(NamedTuple):
    """A statement in the IR.

    `sides` say that it is defined, each with its text: no divisor is zero, no even root of a negative number.
    `lemmas` are true whatever it says. Not `exact`: it has functions of which little is said, so that what
    does not follow may be true all the same; not `unambiguous`: it may mean something else, so it refutes
    nothing.
    """

    formula: Node
    sides: Mapping[Node, str] = MappingProxyType({})
    lemmas: tuple[Node, ...] = ()
    exact: bool = True
    unambiguous: bool = True


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
        self._exact = self._merging = True
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
                found = Encoded(formula, self._sides, tuple(self._lemmas), self._exact, is_unambiguous(term))
            except Unreadable as error:
                found = error
            self._known[term] = found
        if isinstance(found, Unreadable):
            raise found
        return found

    # --- statements ---

    def _formula(self, term: Term, *, positive: bool, top: bool = False) -> Node:
        """`top`: below nothing but conjunctions; `positive`: below an even number of negations."""
        if not is_statement(term):
            raise Unreadable("a number is not a statement")
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
        simpler = desugared(term)
        if simpler is not term:
            return self._formula(simpler, positive=positive, top=top)
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
            # Its negation would say that it is undefined or false, which nobody means.
            raise Unreadable("a condition that may not be defined")
        return self.pool.conj([*inner, formula])

    def _relation(self, term: Op) -> Node:
        pool, op, args = self.pool, term.op, term.args
        if op == "in":
            return self._membership(args[0], args[1])
        if op == "divides":
            divisor, whole = self._int(args[0]), self._int(args[1])
            return pool.eq(self._remainder(whole, divisor, args[0]), pool.integer(0))
        if op == "congruent":
            difference = pool.app(ops.SUB, (self._int(args[0]), self._int(args[1])))
            return pool.eq(self._remainder(difference, self._int(args[2]), args[2]), pool.integer(0))
        left, right = self._alike([self._term(arg) for arg in args])
        if op in ("=", "!="):
            equal = pool.eq(left, right)
            return equal if op == "=" else pool.negate(equal)
        return pool.app(ops.LE if "=" in op else ops.LT, (left, right) if "<" in op else (right, left))

    def _membership(self, element: Term, whole: Term) -> Node:
        pool, node = self.pool, self._term(element)
        kind = whole.op if isinstance(whole, Op) else ""
        if kind == "where:R":
            return pool.true
        if kind not in ("where:Z", "where:N"):
            raise Unreadable(f"does not check membership in {shown(whole)}")
        integral: Node = pool.true
        if node.sort is REAL:
            integral = pool.eq(self._real(pool.app(ops.TO_INT, (node,))), node)
        if kind == "where:Z":
            return integral
        # 0 is natural to some and not to others: only what both say is meant.
        if isinstance(node, Lit) and node.value == 0:
            raise Unreadable("0 is natural to some and not to others")
        self._exact = False
        return pool.conj([integral, pool.app(ops.LE, (*self._alike([pool.integer(0), node]),))])

    # --- terms ---

    def _term(self, term: Term) -> Node:
        if len(self.pool) > self._limit:
            raise Unreadable("the formula is too large to be checked")
        match term:
            case Num(amount):
                return self._number(amount)
            case Variable(name):
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
            low, high = (self.pool.real(Fraction(end, 10**8)) for end in (314159265, 314159266))
            for pair in ((low, self._real(node)), (self._real(node), high)):
                self._lemmas[self.pool.app(ops.LT, pair)] = None
        if name in ("pi", "e", _IMAGINARY):
            # It may be the constant: then it is no real number that could be any.
            self._exact = False
        return node

    def _real(self, node: Node) -> Node:
        if node.sort is REAL:
            return node
        if isinstance(node, Lit):
            return self.pool.real(int(node.value or 0))
        return self.pool.app(ops.TO_REAL, (node,))

    def _alike(self, nodes: list[Node]) -> list[Node]:
        return nodes if all(node.sort is INT for node in nodes) else [self._real(node) for node in nodes]

    def _int(self, term: Term) -> Node:
        node = self._term(term)
        if node.sort is not INT:
            raise Unreadable(f"{shown(term)} is not known to be a whole number")
        return node

    def _operation(self, term: Op) -> Node:
        op, args = term.op, term.args
        try:
            # What has a value is that value, whatever functions it has: `\\sqrt{4}`, `5!`.
            return self._number(value(term))
        except NotExact:
            pass
        if op in ("+", "*"):
            self._logarithms(term)
        if op in _SIMPLE:
            nodes = self._alike([self._term(arg) for arg in args])
            single = len(nodes) == 1 and op in ("+", "*")
            return nodes[0] if single else self.pool.app(_SIMPLE[op], tuple(nodes))
        if op in ("/", "ratio") and len(args) == 2:
            return self._quotient(*args)
        if op in BINDERS:
            return self._repeated(term)
        if op in _UNINTERPRETED or op.startswith("call:"):
            return self._uninterpreted(op.removeprefix("call:"), args)
        made = _MADE.get(op)
        if made is None:
            raise Unreadable(f"does not check {op.removeprefix('unit:')}")
        return made(self, args)

    def _quotient(self, over: Term, under: Term) -> Node:
        divisor = self._real(self._term(under))
        self._nonzero(divisor, under)
        return self.pool.app(ops.DIV, (self._real(self._term(over)), divisor))

    def _remainder(self, node: Node, modulus: Node, term: Term) -> Node:
        self._nonzero(modulus, term)
        return self.pool.app(ops.MOD, (node, modulus))

    def _nonzero(self, node: Node, term: Term) -> None:
        """Notes that what is written as `term` must not be zero. Raises Unreadable where it is."""
        zero = self._number(Fraction(0))
        if not isinstance(node, Lit):
            condition = self.pool.negate(self.pool.eq(*self._alike([node, zero])))
            self._sides[condition] = f"{shown(term)} != 0"
        elif node.value == 0:
            raise Unreadable("it divides by zero, or takes its power of zero")

    def _power(self, args: tuple[Term, ...]) -> Node:
        base, exponent = args
        try:
            over, under = value(exponent).as_integer_ratio()
        except NotExact:
            return self._uninterpreted("power", args)
        if max(abs(over), under) > MOST_FACTORS:
            return self._uninterpreted("power", args)
        if under != 1:
            root = Op("sqrt", (base,)) if under == 2 else Op("root", (number(under), base))
            return self._term(root if over == 1 else Op("^", (root, number(over))))
        if over < 0:
            return self._quotient(number(1), Op("^", (base, number(-over))))
        node = self._term(base)
        if not over:
            self._nonzero(self._real(node), base)
            return self.pool.integer(1)
        return node if over == 1 else self.pool.app(ops.MUL, (node,) * over)

    def _root(self, degree: int, term: Term) -> Node:
        """A root as a constant that it is told apart from all others by."""
        pool, radicand = self.pool, self._real(self._term(term))
        known = radicand.value if isinstance(radicand, Lit) else None
        if degree % 2 == 0 and isinstance(known, Fraction) and known < 0:
            raise Unreadable("it takes an even root of a negative number")
        root = self._roots.get((degree, radicand.id))
        if root is None:
            symbol = self._symbol(f"root{degree}({shown(term)})#{len(self._roots)}", REAL)
            root = self._roots[degree, radicand.id] = pool.sym(symbol)
        # Its power is the radicand: solvers know no roots, and this is all that there is to know of one.
        lemma: Node = pool.eq(pool.app(ops.MUL, (root,) * degree), radicand)
        if degree % 2 == 0:
            zero = pool.real(0)
            positive = pool.app(ops.LE, (zero, radicand))
            if known is None:
                self._sides[positive] = f"{shown(term)} >= 0"
            lemma = pool.implies(positive, pool.conj([lemma, pool.app(ops.LE, (zero, root))]))
        self._lemmas[lemma] = None
        return root

    def _degree(self, args: tuple[Term, ...]) -> Node:
        degree, radicand = args
        if not (isinstance(degree, Num) and degree.value in range(2, 17)):
            raise Unreadable("does not check a root of this degree")
        return self._root(degree.value.numerator, radicand)

    def _floor(self, node: Node) -> Node:
        return node if node.sort is INT else self.pool.app(ops.TO_INT, (node,))

    def _ceiling(self, node: Node) -> Node:
        if node.sort is INT:
            return node
        return self.pool.app(ops.NEG, (self._floor(self.pool.app(ops.NEG, (node,))),))

    def _extreme(self, args: tuple[Term, ...], largest: bool) -> Node:
        found, *rest = self._alike([self._term(arg) for arg in args])
        for node in rest:
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
        each = tuple(substituted(body, {index: number(at)}) for at in range(int(low), int(high) + 1))
        if not each:
            return self.pool.integer(term.op == "prod")
        return self._term(joined("+" if term.op == "sum" else "*", each))

    def _uninterpreted(self, name: str, args: tuple[Term, ...]) -> Node:
        """A function of which only this is said: equal arguments have equal values."""
        self._exact = False
        nodes = tuple(self._real(self._term(arg)) for arg in args)
        node = self.pool.app(self._symbol(f"{name}()", REAL, len(nodes)), nodes)
        if name in _LOGARITHMS:
            positive = self.pool.app(ops.LT, (self.pool.real(0), nodes[-1]))
            self._sides[positive] = f"{shown(args[-1])} > 0"
            # An inverse makes it one-to-one: from equal logarithms follow equal arguments.
            inverse = self._symbol(f"inverse of {name}()", REAL, len(nodes))
            power = self.pool.app(inverse, (*nodes[:-1], node))
            self._lemmas[self.pool.implies(positive, self.pool.eq(power, nodes[-1]))] = None
        return node

    def _logarithms(self, term: Op) -> None:
        """Notes what a sum or multiple of logarithms is the logarithm of, once its parts are defined."""
        found = _one_logarithm(term)
        if found is None or not self._merging:
            return
        # The noted logarithm has a sum or product in it: one is merged at a time, so that this ends.
        self._merging = False
        sides, self._sides = self._sides, {}
        one, other = self._real(self._term(term)), self._real(self._term(found))
        defined = self.pool.conj(list(self._sides))
        self._sides = sides
        self._lemmas[self.pool.implies(defined, self.pool.eq(one, other))] = None
        self._merging = True


def _one_logarithm(term: Op) -> Term | None:
    """The logarithm that `2 log a` or `log a + log b - log c` is, where all its parts are positive."""
    over: list[Term] = []
    under: list[Term] = []
    heads: set[Op] = set()
    for part in term.args if term.op == "+" else (term,):
        negative = is_op(part, "neg")
        bare = part.args[0] if isinstance(part, Op) and negative else part
        times = Fraction(1)
        match bare:
            case Op("*", (Num(times), bare)):
                pass
        if not (is_op(bare, *_LOGARITHMS) and times in range(1, MOST_FACTORS + 1)):
            return None
        heads.add(Op(bare.op, bare.args[:-1]))
        inside = bare.args[-1] if times == 1 else Op("^", (bare.args[-1], number(times)))
        (under if negative else over).append(inside)
    if len(heads) != 1 or (len(over) + len(under) == 1 and term.op == "+"):
        return None
    (head,) = heads
    product = joined("*", tuple(over)) if over else number(1)
    if under:
        product = Op("/", (product, joined("*", tuple(under))))
    return Op(head.op, (*head.args, product))


def is_unambiguous(term: Term) -> bool:
    """Whether a statement can mean one thing only, as what refutes must ([STEP-UNAMBIGUOUS]).

    Numbers with decimals may be rounded, of `r = 15%` the percent sign may be a unit, and `i` may be no real
    number.
    """
    match term:
        case Num(amount):
            return amount.denominator == 1
        case Variable(name):
            return name != _IMAGINARY
        case Op("approx"):
            return False
        case Op("^", (base, _)):
            return is_unambiguous(base)  # `x^{0.5}` is exact.
        case Op(op, args):
            if op in RELATIONS and len({is_op(arg, "%") for arg in args}) > 1:
                return False
            return all(map(is_unambiguous, args))
    return True


_SIMPLE: Final = {"+": ops.ADD, "*": ops.MUL, "neg": ops.NEG, "abs": ops.ABS}
_MADE: Final[dict[str, Callable[[Encoder, tuple[Term, ...]], Node]]] = {
    "^": Encoder._power,
    "%": lambda self, args: self._quotient(args[0], number(100)),
    "sqrt": lambda self, args: self._root(2, args[0]),
    "root": Encoder._degree,
    "floor": lambda self, args: self._floor(self._term(args[0])),
    "ceil": lambda self, args: self._ceiling(self._term(args[0])),
    "mod": lambda self, args: self._remainder(self._int(args[0]), self._int(args[1]), args[1]),
    "max": lambda self, args: self._extreme(args, True),
    "min": lambda self, args: self._extreme(args, False),
}

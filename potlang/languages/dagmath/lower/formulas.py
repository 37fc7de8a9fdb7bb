"""The reader of formulas: LaTeX or plain text to a tree ([STEP-FORMULAS]).

Operator precedence parsing over a bounded number of tokens. What has two readings (`1/2x`, `2\\frac12`) is
refused, not guessed. Nothing is evaluated.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import reduce
from typing import Final

from potlang.languages.dagmath.lower.ellipses import ELLIPSIS, filled_in
from potlang.languages.dagmath.lower.lists import listed, several
from potlang.languages.dagmath.lower.phrases import stem, stems
from potlang.languages.dagmath.lower.syntax import (
    SET_OPERATIONS,
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    Variable,
    is_array,
    is_op,
    is_statement,
    joined,
    measured,
    number,
    text,
)
from potlang.languages.dagmath.lower.tokens import END, FUNCTIONS, MathToken, TokenReader, tokens
from potlang.languages.dagmath.lower.units import is_unit
from potlang.languages.dagmath.lower.vocabulary import MULTIPLIERS

_ALONE: Final = ("num", "name", "op")
_UNITS: Final = ("unit", "text")
_DEGREES: Final = ("circ", "degree")
_RELATIONS: Final = ("=", "!=", "<", "<=", ">", ">=", "in", "equiv", "approx", "|", "divides")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_HALF_OPEN: Final = {"(": "]", "[": ")"}
_ALWAYS_FUNCTIONS: Final = frozenset("fgh")
_FACTORS: Final = ("(", "group", "floor", "ceil", "abs", "[", "matrix", "det", "langle")
_SIGNS: Final = {"+": "+", "-": "neg", "pm": "pm", "mp": "mp"}


def read_formula(
    source: str, functions: frozenset[str] = frozenset(), variables: frozenset[str] = frozenset()
) -> Term:
    """The tree of a formula.

    `functions` are letters that stand for functions, beside f, g and h; `variables` capitals that do not.

    Raises Unreadable with the reason.
    """
    parser = _Parser(tokens(source), functions, variables)
    return measured(parser.whole())


class _Parser(TokenReader):
    def __init__(self, source: list[MathToken], functions: frozenset[str], variables: frozenset[str]) -> None:
        super().__init__(source)
        self._variables = variables
        self._declared = functions
        self._functions = functions | _ALWAYS_FUNCTIONS
        self._bars = 0
        self._is_modular = False
        """Whether the last product has a `mod` without brackets: a summand before it may belong to it."""

    # --- statements ---

    def whole(self) -> Term:
        """All tokens as one formula."""
        if self._next is END:
            raise Unreadable("the formula is empty")
        found = self._statement()
        while self._accept("op", ",") or self._accept("text", "."):
            pass
        if self._next is not END:
            raise Unreadable(f"{self._next.text!r} cannot stand here")
        return found

    def _statement(self) -> Term:
        return reduce(lambda left, right: Op("<=>", (left, right)), self._run(self._implication, "<=>"))

    def _implication(self) -> Term:
        left = self._list()
        if self._accept("op", "=>"):
            return Op("=>", (left, self._nested(self._implication)))
        return left

    def _list(self) -> Term:
        """Formulas between commas: all hold; `x = 2, 3` names two values, `x, y > 0` two variables."""
        items = [self._disjunction()]
        while self._is("op", ",") and self._after().kind != "end":
            self._take()
            self._accept("op", "and", "or")
            items.append(self._disjunction())
        return items[0] if len(items) == 1 else listed(items)

    def _disjunction(self) -> Term:
        items = self._run(self._conjunction, "or")
        if len(items) == 1:
            return items[0]
        return several("or", items, "it is not clear what the alternatives are")

    def _conjunction(self) -> Term:
        items = self._run(self._negation, "and")
        if len(items) > 1 and not all(map(is_statement, items)):
            return listed(items)
        return joined("and", tuple(items))

    def _negation(self) -> Term:
        if self._accept("op", "not"):
            inner = self._nested(self._negation)
            if not is_statement(inner):
                raise Unreadable("a number is not negated by a word")
            return Op("not", (inner,))
        return self._relation()

    def _relation(self) -> Term:
        sides = [self._ratio()]
        links: list[str] = []
        starts = [self._at]
        while self._is("op", *_RELATIONS):
            links.append(self._take().text)
            starts.append(self._at)
            sides.append(self._set() if links[-1] == "in" else self._ratio())
        if not links:
            return sides[0]
        if "equiv" in links:
            return self._congruence(sides, links)
        found = []
        for link, left, right, start in zip(links, sides, sides[1:], starts[1:], strict=False):
            if is_statement(left) or is_statement(right):
                raise Unreadable("a statement stands where a number is expected")
            relation = Op("divides" if link == "|" else link, (left, right))
            found.append(self._rounded(left, right, start) if link == "approx" else relation)
        return joined("and", tuple(found))

    def _rounded(self, left: Term, right: Term, start: int) -> Term:
        """That a term is rounded to a number, which is written from a token on."""
        if isinstance(left, Variable | Quantity):
            raise Unreadable("it is open what is rounded")
        size, bare = Fraction(1), right
        while isinstance(bare, Op) and (bare.op in ("neg", "%") or bare.op.startswith("unit:")):
            size, bare = (size / 100 if bare.op == "%" else size), bare.args[0]
        if not isinstance(bare, Num):
            raise Unreadable("only numbers are approximated")
        written = next(token.text for token in self._tokens[start:] if token.kind == "num")
        places = len(written.partition(".")[2])
        return Op("approx", (left, right, Num(size / 10**places)))

    def _congruence(self, sides: list[Term], links: list[str]) -> Term:
        if set(links) != {"equiv"}:
            raise Unreadable("a congruence is mixed with another relation")
        if is_op(sides[-1], "mod") and not self._is("command", "pmod"):
            sides[-1], modulus = sides[-1].args
        else:
            self._expect("command", "pmod")
            modulus = self._argument()
        pairs = itertools.pairwise(sides)
        return joined("and", tuple(Op("congruent", (left, right, modulus)) for left, right in pairs))

    def _set(self) -> Term:
        if not (self._is("open", "{", "(", "[") or self._is("command", "mathbb", "emptyset")):
            raise Unreadable("it is not clear which set this is")
        return self._ratio()

    def _items(self, closing: str) -> tuple[Term, ...]:
        items = self._run(lambda: self._nested(self._ratio), ",")
        self._expect("close", closing)
        return tuple(items)

    # --- terms ---

    def _ratio(self) -> Term:
        """A ratio, or sets with one operation between them."""
        found = joined("ratio", tuple(self._run(self._sum, ":")))
        if not self._is("op", *SET_OPERATIONS):
            return found
        op = self._next.text
        items = [found]
        while self._accept("op", op):
            items.append(joined("ratio", tuple(self._run(self._sum, ":"))))
        if self._is("op", *SET_OPERATIONS):
            raise Unreadable("it is open which operation on sets comes first")
        return Op(op, tuple(items))

    def _sum(self) -> Term:
        sign = self._accept("op", *_SIGNS)
        first = self._product()
        modular = self._is_modular
        items = [first if sign is None or sign.text == "+" else Op(_SIGNS[sign.text], (first,))]
        while (sign := self._accept("op", *_SIGNS)) is not None:
            term = ELLIPSIS if sign.text == "+" and self._accept("op", "...") else self._product()
            modular |= self._is_modular
            if sign.text in ("pm", "mp"):
                items = [Op(sign.text, (joined("+", tuple(items)), term))]
            else:
                items.append(term if sign.text == "+" else Op("neg", (term,)))
        if modular and (len(items) > 1 or not is_op(items[0], "mod")):
            raise Unreadable("it is open of what the remainder is taken")
        self._is_modular = False
        return filled_in("sum", items) if ELLIPSIS in items else joined("+", tuple(items))

    def _product(self) -> Term:
        """Factors and divisors from left to right; a divisor is a single factor."""
        found: list[Term] = [self._signed()]
        slashed = modular = False
        while True:
            if sign := self._accept("op", "*", "times"):
                if self._is("op", "..."):
                    continue
                factor = self._signed()
                are_points = is_op(factor, "tuple") and is_op(found[-1], "tuple")
                if sign.text == "times" and (is_array(factor) or are_points):
                    found, factor = [], Op("cross", (joined("*", tuple(found)), factor))
                found.append(factor)
                slashed = False
            elif self._accept("op", "..."):
                self._accept("op", "*", "times")
                found += [ELLIPSIS, self._signed()]
            elif self._accept("op", "/"):
                found = [_fraction(joined("*", tuple(found)), self._signed())]
                slashed = True
            elif self._accept("op", "mod"):
                found, modular = [Op("mod", (joined("*", tuple(found)), self._signed()))], True
            elif self._begins_factor():
                if slashed:
                    raise Unreadable("a product right after a quotient may belong to either side")
                found.append(self._juxtaposed(found[-1]))
            else:
                self._is_modular = modular
                return filled_in("prod", found) if ELLIPSIS in found else joined("*", tuple(found))

    def _signed(self) -> Term:
        if self._accept("op", "-"):
            return Op("neg", (self._nested(self._signed),))
        self._accept("op", "+")
        return self._power()

    def _begins_factor(self) -> bool:
        token = self._next
        if token.kind in ("num", "name", "vector", "function"):
            return True
        if token.kind == "op" and token.text == "|" and not self._bars:
            # `2|x|` has a pair of bars, `2 | x` one: it divides.
            return sum(each.text == "|" for each in self._tokens[self._at :]) % 2 == 0
        if token.kind == "command":
            return token.text in ("frac", "sqrt", "binom", "sum", "prod", "overline")
        return token.kind == "open" and token.text in _FACTORS

    def _juxtaposed(self, left: Term) -> Term:
        token = self._next
        if token.kind == "num":
            raise Unreadable(f"a number, {token.text}, follows a factor without a sign between them")
        if isinstance(left, Quantity):
            raise Unreadable(f"the words before {token.text!r} are not understood")
        if isinstance(left, Num) and token.text == "frac":
            raise Unreadable("a number before a fraction: a mixed number or a product")
        return self._power()

    def _power(self) -> Term:
        base = self._postfix()
        measured = isinstance(base, Op) and base.op.startswith("unit:") and self._after(-1).kind in _UNITS
        if self._accept("op", "^"):
            if self._next.text in _DEGREES or (self._is("open", "group") and self._after().text in _DEGREES):
                return Op("unit:degree", (self._degree(base),))
            exponent = self._exponent()
            if measured and isinstance(base, Op):
                return _squared_unit(base, exponent)
            return self._measured_in(self._posted(Op("^", (base, exponent))))
        return base

    def _degree(self, base: Term) -> Term:
        grouped = self._accept("open", "group")
        self._expect("command", *_DEGREES)
        if grouped:
            self._expect("close", "group")
        return base

    def _exponent(self) -> Term:
        if self._is("open", "group"):
            return self._argument()
        if self._accept("op", "-"):
            return Op("neg", (self._nested(self._exponent),))
        base = self._nested(self._atom)
        if self._accept("op", "^"):
            return Op("^", (base, self._nested(self._exponent)))
        return base

    def _postfix(self) -> Term:
        return self._measured_in(self._posted(self._nested(self._atom)))

    def _posted(self, base: Term) -> Term:
        while token := self._accept("op", "!", "%"):
            if token.text == "!" and self._is("op", "!"):
                raise Unreadable("a double factorial is not read")
            base = Op(token.text, (base,))
        return base

    def _measured_in(self, base: Term) -> Term:
        """The term with the unit that follows it, if one does."""
        if self._accept("command", "degree"):
            return Op("unit:degree", (base,))
        if unit := self._accept("unit") or self._accept("text"):
            if unit.kind == "text" and (
                self._begins_factor() or (not unit.text.isalpha() and not is_unit(unit.text))
            ):
                raise Unreadable(f"the words {unit.text!r} are not understood")
            if not MULTIPLIERS.isdisjoint(unit.text.lower().split()):
                raise Unreadable(f"the word {unit.text!r} after a number is not understood")
            return Op(f"unit:{unit.text}", (base,))
        return base

    # --- atoms ---

    def _atom(self) -> Term:
        token = self._take()
        if token.text == "...":
            raise Unreadable("an ellipsis leaves open what is meant")
        match token.kind:
            case "num":
                return Num(Fraction(token.text))
            case "name":
                return self._name(token.text)
            case "vector":
                return Op(f"vector:{token.text}", ())
            case "function":
                return self._function(token.text)
            case "text":
                return self._phrase(token.text)
            case "unit" if token.text == "dollar":
                return Op("unit:dollar", (self._nested(self._atom),))
            case "open":
                return self._bracketed(token.text)
            case "command":
                return self._command(token.text)
            case "op" if token.text == "|":
                return self._absolute()
        raise Unreadable(f"expects a number or a variable, not {token.text or 'the end'!r}")

    def _phrase(self, text: str) -> Term:
        words = stems(text)
        if words and self._accept("open", "("):
            items = self._items(")")
            match items:
                case (Variable(name),) if len(name) > 1:
                    return Quantity(tuple(sorted({*words, stem(name.lower())})), f"{text} {name}")
            return Op(f"call:{'-'.join(words)}", items)
        if not words:
            raise Unreadable(f"the words {text!r} are not understood")
        if is_unit(text):
            raise Unreadable(f"the unit {text!r} stands without a number")
        return Quantity(words)

    def _name(self, letter: str) -> Term:
        name = letter
        while self._accept("op", "'"):
            name += "'"
        if self._accept("op", "_"):
            name += "_" + self._index()
        if name.rstrip("'") in self._functions and self._is("op", "^") and self._may_be_applied(name):
            raise Unreadable(f"the power of {name} may be its inverse")
        if self._is("open", "(") and self._is_function(name):
            self._take()
            return Op(f"call:{name}", self._items(")"))
        return Variable(name)

    def _may_be_applied(self, name: str) -> bool:
        """Whether a power of a letter may be a function's: `f^{-1}`, `h^2(x)`, any if it is declared."""
        exponent, after = self._after(), self._after(2)
        if exponent.text == "group" and self._after(3).kind == "close":
            exponent, after = self._after(2), self._after(4)
        is_square = exponent.kind == "num" and after.text != "("
        return name.rstrip("'") in self._declared or not is_square

    def _is_function(self, name: str) -> bool:
        """Whether a bracket after a name holds arguments, or may: `f(x)`, `P(A)`, `y(0)`; not `a(b + c)`.

        To take a product for a function loses what is known of products, and is never wrong.
        """
        base = name.rstrip("'")
        if base in self._functions:
            return True
        if base in self._variables or base == "pi":
            return False
        inside, closing = self._after(), self._after(2)
        alone = closing.kind == "close" or (inside.text == "-" and self._after(3).kind == "close")
        return not base[0].islower() or len(base.partition("_")[0]) > 1 or (alone and inside.kind in _ALONE)

    def _index(self) -> str:
        if not self._accept("open", "group"):
            token = self._take()
            if token.kind not in ("num", "name"):
                raise Unreadable("it is not clear what the subscript means")
            # `x_12` is x_1 followed by 2 to LaTeX, and one name to whoever writes it.
            return token.text
        shown = ""
        while not self._is("close", "group"):
            token = self._take()
            if token.kind not in ("num", "name", "text") and token.text not in ("+", "-", ","):
                raise Unreadable("it is not clear what the subscript means")
            shown += token.text
        self._take()
        return shown

    def _bracketed(self, opening: str) -> Term:
        bars, self._bars = self._bars, 0
        if opening in ("(", "[", "group"):
            found = self._nested(self._statement)
            if opening == "group" and (token := self._accept("op", "choose", "over")):
                second = self._nested(self._statement)
                found = Op("binom", (found, second)) if token.text == "choose" else _fraction(found, second)
            elif (
                is_op(found, "list")
                and len(found.args) == 2
                and self._is("close", _HALF_OPEN.get(opening, ""))
            ):
                found = Op(opening + self._take().text, found.args)
                self._bars = bars
                return found
            self._expect("close", _CLOSING.get(opening, opening))
            if is_op(found, "list") and opening != "group":
                found = Op("tuple" if opening == "(" else "[]", found.args)
        elif opening == "{":
            found = Op("set", () if self._accept("close", "}") else self._items("}"))
        elif opening in ("matrix", "det", "langle"):
            found = self._matrix(opening)
        else:
            found = Op(opening, (self._nested(self._ratio),))
            self._expect("close", opening)
        self._bars = bars
        return found

    def _matrix(self, opening: str) -> Term:
        """A matrix as its rows; a vector in angle brackets as its column."""
        rows = [tuple(self._run(lambda: self._nested(self._ratio), "," if opening == "langle" else "&"))]
        while self._accept("op", "\\\\") and not self._is("close", opening):
            rows.append(tuple(self._run(lambda: self._nested(self._ratio), "&")))
        self._expect("close", opening)
        if opening == "langle":
            rows = [(each,) for each in rows[0]]
        if len(set(map(len, rows))) > 1:
            raise Unreadable("the rows of a matrix differ in length")
        found = Op("matrix", tuple(Op("row", row) for row in rows))
        return Op("det", (found,)) if opening == "det" else found

    def _absolute(self) -> Term:
        self._bars += 1
        inner = self._nested(self._sum)
        self._bars -= 1
        self._expect("op", "|")
        return Op("abs", (inner,))

    def _argument(self) -> Term:
        """The argument of a command: a group, or one token (`\\frac12`)."""
        if self._accept("open", "group"):
            return self._bracketed("group")
        token = self._next
        if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
            digit, rest = token.text[0], token.text[1:]
            self._tokens[self._at] = MathToken("num", rest)
            return number(int(digit))
        return self._nested(self._atom)

    def _function(self, name: str) -> Term:
        if name == "log" and self._accept("op", "_"):
            return Op("logbase", (self._argument(), self._operand()))
        if self._accept("op", "^"):
            exponent = self._exponent()
            if exponent == Op("neg", (number(1),)) and f"arc{name}" in FUNCTIONS:
                return Op(f"arc{name}", self._operands(name))
            if isinstance(exponent, Op):
                raise Unreadable(f"the power of \\{name} may be its inverse")
            # The square of a sine is written so; any other power would be guessed.
            return Op("^", (Op(name, self._operands(name)), exponent))
        return Op(name, self._operands(name))

    def _operands(self, name: str) -> tuple[Term, ...]:
        if name in ("gcd", "lcm", "max", "min"):
            return self._items(_CLOSING[self._expect("open", "(", "{", "[").text])
        return (self._operand(),)

    def _operand(self) -> Term:
        """The argument of a function, without brackets up to the next sign: `log k`, `log 2x`."""
        opening = self._accept("open", "(", "group")
        if opening:
            return self._bracketed(opening.text)
        items = [self._nested(self._power)]
        while self._is("name"):
            if not isinstance(items[0], Num) or len(items) > 1:
                raise Unreadable("it is open how far the argument of a function goes")
            items.append(self._juxtaposed(items[-1]))
        return joined("*", tuple(items))

    def _command(self, name: str) -> Term:
        match name:
            case "frac":
                return _fraction(self._argument(), self._argument())
            case "binom":
                if self._accept("open", "("):
                    items = self._items(")")
                    if len(items) != 2:
                        raise Unreadable("a binomial coefficient is of two numbers")
                    return Op("binom", items)
                return Op("binom", (self._argument(), self._argument()))
            case "sqrt":
                return self._root()
            case "boxed":
                return self._argument()
            case "overline":
                inner = self._argument()
                if isinstance(inner, Num):
                    raise Unreadable("it is open what a line over a number means")
                return Op("conj", (inner,))
            case "infty":
                return Op("infty", ())
            case "mathbb":
                return self._numbers()
            case "emptyset":
                return Op("set", ())
            case "sum" | "prod":
                return self._bound(name)
        raise Unreadable(f"\\{name} cannot stand here")

    def _numbers(self) -> Term:
        """The set that `\\mathbb{R}` and its like name."""
        self._expect("open", "group")
        name = self._expect("name", *"NZQRC").text
        self._expect("close", "group")
        return Op(f"where:{name}", ())

    def _root(self) -> Term:
        if self._accept("open", "["):
            degree = self._nested(self._ratio)
            self._expect("close", "]")
            return Op("root", (degree, self._argument()))
        if self._accept("open", "("):
            return Op("sqrt", (self._bracketed("("),))
        return Op("sqrt", (self._argument(),))

    def _bound(self, name: str) -> Term:
        self._expect("op", "_")
        self._expect("open", "group")
        index = self._name(self._expect("name").text)
        self._expect("op", "=")
        first = self._nested(self._sum)
        self._expect("close", "group")
        self._expect("op", "^")
        last = self._argument()
        return Op(name, (index, first, last, self._nested(self._product)))


def _fraction(over: Term, under: Term) -> Term:
    """A quotient. Raises Unreadable for `dy/dx`, which is none."""
    if _is_differential(over) and _is_differential(under):
        raise Unreadable("a derivative is no quotient")
    return Op("/", (over, under))


def _squared_unit(base: Op, exponent: Term) -> Term:
    """`3 cm^2`: the exponent is that of the unit, and not of the number."""
    if exponent not in (number(2), number(3)) or not base.op[5:].isalpha():
        raise Unreadable("the power of a unit is not understood")
    return Op(f"{base.op}^{text(exponent)}", base.args)


def _is_differential(term: Term) -> bool:
    while is_op(term, "*", "^"):
        term = term.args[0]
    return term == Variable("d")

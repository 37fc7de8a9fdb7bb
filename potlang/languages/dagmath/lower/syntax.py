"""Formulas as trees, untyped and as written: the nodes, bounds of their size, and their text.

This is notation, as the surface tree of PoT is: `3r * 4` and `12r` are two formulas, `x` is neither an
integer nor a real number yet. `encoding` gives its meaning in the IR.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias, TypeGuard

MOST_NODES: Final = 2_000
MOST_DEPTH: Final = 40
RELATIONS: Final = ("=", "!=", "<", "<=", ">", ">=", "in", "divides", "congruent", "approx")
CONNECTIVES: Final = ("and", "or", "not", "=>", "<=>")
SET_OPERATIONS: Final = ("cup", "cap", "setminus")
BINDERS: Final = ("sum", "prod")
"""Applied to index, first value, last value and body."""


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


class Unreadable(ValueError):
    """A text is no formula that is read; the message says why."""


@dataclass(frozen=True, slots=True)
class Num:
    """An exact number that is written as one: `3`, `2.5`."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: `x`, `x_1`, `alpha`."""

    text: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity that a noun phrase names: the stems of its content words, in alphabetical order."""

    words: tuple[str, ...]
    said: str = field(default="", compare=False)
    """The phrase, for people."""


@dataclass(frozen=True, slots=True)
class Op:
    """An operation, a relation, a connective or a function with its arguments.

    Sums and products have any number of arguments, a difference is a sum with `neg` in it. `call:f` is
    a function that the text declares. `unit:km` is a number with its unit.
    `approx` of a term, a number and a size: they differ by half of it at most, which is that of the number's
    last digit.
    """

    op: str
    args: tuple[Term, ...]


Term: TypeAlias = Num | Variable | Quantity | Op


def number(value: int | Fraction) -> Num:
    """A number as a tree."""
    return Num(Fraction(value))


def parts(term: Term) -> Iterator[Term]:
    """The term and everything below it."""
    waiting = [term]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, Op):
            waiting.extend(reversed(each.args))


def measured(term: Term) -> Term:
    """The term, if it is small enough to be walked by recursion. Raises Unreadable."""
    count, waiting = 0, [(term, 1)]
    while waiting:
        each, depth = waiting.pop()
        count += 1
        if depth > MOST_DEPTH:
            raise Unreadable(f"the formula is nested more than {MOST_DEPTH} deep")
        if count > MOST_NODES:
            raise Unreadable(f"the formula has more than {MOST_NODES} parts")
        if isinstance(each, Op):
            waiting.extend([(arg, depth + 1) for arg in each.args])
    return term


_OBJECTS: Final = frozenset(("matrix", "cross", "det", "tuple", "set", "[]", "[)", "(]", *SET_OPERATIONS))


def is_object(term: Term) -> bool:
    """Whether the term is, or is made of, something that is no number: a matrix, a set, a point."""
    return any(
        isinstance(each, Op) and (each.op in _OBJECTS or each.op.startswith(("vector:", "where:")))
        for each in parts(term)
    )


def is_array(term: Term) -> bool:
    """Whether the term is a matrix or a vector by its notation, and no number."""
    return isinstance(term, Op) and (term.op in ("matrix", "cross") or term.op.startswith("vector:"))


def is_statement(term: Term) -> TypeGuard[Op]:
    """Whether the term is true or false, and not a number."""
    return isinstance(term, Op) and (term.op in RELATIONS or term.op in CONNECTIVES)


def is_op(term: object, *ops: str) -> TypeGuard[Op]:
    """Whether the term is one of some operations."""
    return isinstance(term, Op) and term.op in ops


def free_names(term: Term) -> frozenset[str]:
    """The variables of a term, the indices of sums and products excepted."""
    found: set[str] = set()
    waiting = [term]
    while waiting:
        match waiting.pop():
            case Variable(text):
                found.add(text)
            case Op(op, (Variable(index), first, last, body)) if op in BINDERS:
                found |= free_names(body) - {index}
                waiting += (first, last)
            case Op(_, args):
                waiting += args
    return frozenset(found)


def is_closed(term: Term) -> bool:
    """Whether a formula has neither variables nor quantities nor functions that it does not define."""
    open_ = (
        each.op.startswith("call:") if isinstance(each, Op) else isinstance(each, Quantity)
        for each in parts(term)
    )
    return not any(open_) and not free_names(term)


def quantities(term: Term) -> frozenset[Quantity]:
    """The quantities that a term mentions."""
    return frozenset(each for each in parts(term) if isinstance(each, Quantity))


def rebuilt(term: Term, change: Callable[[Term], Term]) -> Term:
    """The term with `change` done to every part, children first."""
    if isinstance(term, Op):
        return change(Op(term.op, tuple(rebuilt(arg, change) for arg in term.args)))
    return change(term)


def substituted(term: Term, values: Mapping[Term, Term]) -> Term:
    """The term with variables or quantities replaced; an index hides a variable of its name.

    What is put in must not mention the indices of sums in the term.
    """
    match term:
        case Variable() | Quantity():
            return values.get(term, term)
        case Op(op, (Variable() as index, first, last, body)) if op in BINDERS:
            inside = {key: value for key, value in values.items() if key != index}
            bounds = (substituted(first, values), substituted(last, values))
            return Op(op, (index, *bounds, substituted(body, inside)))
        case Op(op, args):
            return Op(op, tuple(substituted(arg, values) for arg in args))
        case _:
            return term


def conjuncts(term: Term) -> tuple[Term, ...]:
    """The parts of a conjunction; the term itself where it is none."""
    if is_op(term, "and"):
        return tuple(part for arg in term.args for part in conjuncts(arg))
    return (term,)


def joined(op: str, terms: tuple[Term, ...]) -> Term:
    """`op` of several terms; of one, the term itself."""
    return terms[0] if len(terms) == 1 else Op(op, terms)


_LEVELS: Final = {
    "<=>": 1, "=>": 2, "or": 3, "and": 4, "not": 5,
    **dict.fromkeys((*RELATIONS, *SET_OPERATIONS), 6), "list": 0, "ratio": 7, "+": 8, "pm": 8, "mp": 8,
    "neg": 9, "*": 10, "mod": 10, "cross": 10, "^": 12, "!": 13, "%": 13,
}  # fmt: skip
_INFIX: Final = {"<=>": " <=> ", "=>": " => ", "or": " or ", "and": " and ", "*": "*", "ratio": " : ",
                 "divides": " \\mid ", "in": " \\in ", "list": ", ", "cup": " \\cup ", "cap": " \\cap ",
                 "setminus": " \\setminus ", "cross": " \\times "}  # fmt: skip
_COMMANDS: Final = {
    "/": "\\frac{%s}{%s}", "sqrt": "\\sqrt{%s}", "root": "\\sqrt[%s]{%s}", "binom": "\\binom{%s}{%s}",
    "logbase": "\\log_{%s}(%s)",
}  # fmt: skip
_BRACKETS: Final = {
    "floor": ("\\lfloor ", " \\rfloor"), "ceil": ("\\lceil ", " \\rceil"),
    "abs": ("\\lvert ", " \\rvert"), "tuple": ("(", ")"), "set": ("\\{", "\\}"),
    "[]": ("[", "]"), "[)": ("[", ")"), "(]": ("(", "]"), "conj": ("\\overline{", "}"),
}  # fmt: skip
_ATOM: Final = 20
"""The level of what never needs brackets around it."""
_TERM: Final = _LEVELS["ratio"]
_FACTOR: Final = _LEVELS["*"]


def text(term: Term) -> str:
    """The term as text that the reader reads as the same tree."""
    return _written(term)[0]


def shown(term: Term) -> str:
    """The term as text for people: quantities in the words in which they were named."""
    return text(rebuilt(term, _in_own_words))


def _in_own_words(term: Term) -> Term:
    return Quantity((term.said,)) if isinstance(term, Quantity) and term.said else term


def _written(term: Term) -> tuple[str, int]:
    """The term as text, and its level: below that of its place it needs brackets."""
    match term:
        case Num(value):
            return _digits(value)
        case Variable(name):
            return _variable(name), _ATOM
        case Quantity(words):
            phrase = " ".join(words)
            # A letter alone is read as a variable; the article is none of a quantity's words.
            return "\\text{" + (phrase if len(phrase) > 1 else f"the {phrase}") + "}", _ATOM
        case Op(op, args):
            level = _LEVELS.get(op, _ATOM)
            if level == _ATOM:
                return _applied(op, args), level
            if op in ("pm", "mp") and len(args) == 1:
                return f"\\{op} {_inside(args[0], level + 1)}", _LEVELS["neg"]
            # Beside a sign it is open of what the remainder is taken.
            return _operation(op, args, level), _LEVELS["+"] if op == "mod" else level


def _digits(value: Fraction) -> tuple[str, int]:
    whole, rest = divmod(abs(value.numerator), value.denominator)
    shown = str(whole)
    if rest:
        places = _places(value.denominator)
        if places is None:
            shown = f"\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
        else:
            shown += "." + str(rest * 10**places // value.denominator).zfill(places)
    return ("-" + shown, _LEVELS["neg"]) if value < 0 else (shown, _ATOM)


def _places(denominator: int) -> int | None:
    """The decimals that a number with this denominator needs; None where no number of them is enough."""
    if pow(10, denominator.bit_length(), denominator):
        return None
    return next(places for places in itertools.count() if not pow(10, places, denominator))


def _variable(name: str) -> str:
    """A variable as LaTeX: `x`, `x_{12}`, `\\alpha`, `x'`."""
    base, _, index = name.partition("_")
    shown, bare = base, base.rstrip("'")
    if len(bare) > 1:
        shown = f"\\{base} " if bare in GREEK else "\\operatorname{" + base + "}"
    return f"{shown.rstrip()}_{{{index}}}" if index else shown


GREEK: Final = words(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta kappa lambda mu nu xi pi rho sigma "
    "tau phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)


def _operation(op: str, args: tuple[Term, ...], level: int) -> str:
    match op:
        case "+":
            return _sum(args)
        case "pm" | "mp":
            # Beside a sign it is open of what the remainder is taken.
            first = _inside(args[0], level + is_op(args[0], "mod"))
            return f"{first} \\{op} {_inside(args[1], level + 1)}"
        case "neg" | "not":
            return ("-" if op == "neg" else "\\neg ") + _inside(args[0], level + 1)
        case "!" | "%":
            return _inside(args[0], level + 1) + ("!" if op == "!" else "\\%")
        case "^":
            return f"{_inside(args[0], level + 1)}^{{{text(args[1])}}}"
        case "mod":
            return " \\bmod ".join(_inside(arg, level + 1) for arg in args)
        case "approx":
            return f"{_inside(args[0], _TERM)} \\approx {_rounded(args[1], args[2])}"
        case "congruent":
            left, right = (_inside(arg, _TERM) for arg in args[:2])
            return f"{left} \\equiv {right} \\pmod{{{text(args[2])}}}"
    return _INFIX.get(op, f" {op} ").join(_inside(arg, level + 1) for arg in args)


def _rounded(term: Term, size: Term) -> str:
    """A number with as many decimals as the size of its last digit says."""
    match term, size:
        case Num(value), Num(last):
            shown, _ = _digits(value)
            places = _places(last.denominator) or 0
            whole, _, decimals = shown.partition(".")
            return f"{whole}.{decimals.ljust(places, '0')}" if places else shown
        case Op("%", (inner,)), Num(last):
            return _rounded(inner, Num(last * 100)) + "\\%"
        case Op("neg", (inner,)), _:
            return "-" + _rounded(inner, size)
        case Op(op, (inner,)), _ if op.startswith("unit:"):
            return f"{_rounded(inner, size)} \\text{{{op[5:]}}}"
    return text(term)


def _inside(term: Term, least: int) -> str:
    shown, level = _written(term)
    return shown if level >= least else f"({shown})"


def _sum(args: tuple[Term, ...]) -> str:
    shown = ""
    for arg in args:
        sign, inner = (" - ", arg.args[0]) if is_op(arg, "neg") else (" + ", arg)
        shown += sign + _inside(inner, _FACTOR)
    return "-" + shown[3:] if shown.startswith(" - ") else shown[3:]


def _applied(op: str, args: tuple[Term, ...]) -> str:
    if op in _COMMANDS:
        return _COMMANDS[op] % tuple(map(text, args))
    if op in BINDERS:
        index, first, last = map(text, args[:3])
        return f"(\\{op}_{{{index} = {first}}}^{{{last}}} {_inside(args[3], _FACTOR)})"
    if op == "infty":
        return "\\infty"
    if op == "matrix":
        rows = (" & ".join(map(text, row.args)) for row in args if isinstance(row, Op))
        return "\\begin{pmatrix} " + r" \\ ".join(rows) + " \\end{pmatrix}"
    kind, _, name = op.partition(":")
    if kind == "unit":
        return f"{_inside(args[0], _FACTOR + 1)} \\text{{{name}}}"
    if kind == "vector":
        return f"\\{name[:3]}{{{name[3:]}}}"
    if kind == "where":
        return f"\\mathbb{{{name}}}"
    function = name if kind == "call" else f"\\{op}"
    opening, closing = _BRACKETS.get(op, (f"{function}(", ")"))
    return opening + ", ".join(_inside(arg, 1) for arg in args) + closing

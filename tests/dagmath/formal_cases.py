"""Formulas with the prose that says them, and damages of the formulas: made here, by no part of the house."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from random import Random
from typing import Any, Final, NamedTuple

Tree = Any
"""A number, a name, or a tuple of an operator and its arguments."""

COMPARED: Final[dict[str, Callable[..., bool]]] = {
    "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip
CALCULATED: Final[dict[str, Callable[..., Fraction]]] = {"+": add, "-": sub, "*": mul}
_SYMPY: Final = {"==": "Eq", "!=": "Ne", "<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge",
                 "and": "And", "or": "Or", "=>": "Implies", "not": "Not"}  # fmt: skip
_LATEX: Final = {"==": "=", "!=": r"\ne", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "*": r"\cdot"}
_WORDS: Final = {"==": "is", "!=": "is not equal to", "<": "is less than", "<=": "is at most",
                 ">": "is greater than", ">=": "is at least"}  # fmt: skip
_OPERATIONS: Final = {"+": "sum", "*": "product"}
NAMES: Final = ("x", "y", "z")


class Case(NamedTuple):
    """A formula, and a sentence that says it."""

    tree: Tree
    prose: str


def value(tree: Tree, names: dict[str, Fraction]) -> Any:
    """The value of a formula, by the operators of Python."""
    match tree:
        case int() | Fraction():
            return Fraction(tree)
        case str():
            return names[tree]
        case (op, *args) if op in COMPARED:
            return COMPARED[op](*(value(each, names) for each in args))
        case (op, *args) if op in CALCULATED:
            return CALCULATED[op](*(value(each, names) for each in args))
        case ("and", *args):
            return all(value(each, names) for each in args)
        case ("or", *args):
            return any(value(each, names) for each in args)
        case ("=>", first, second):
            return not value(first, names) or value(second, names)
        case ("not", inner):
            return not value(inner, names)
    raise AssertionError(tree)


def written(tree: Tree, *, sympy: bool) -> str:
    """A formula as the text of a `formal` field."""
    if not isinstance(tree, tuple):
        return str(tree)
    op, *args = tree
    texts = [written(each, sympy=sympy) for each in args]
    if op in _SYMPY and (sympy or op in ("=>", "not")):
        return f"{_SYMPY[op]}({', '.join(texts)})"
    return f"({f' {op} '.join(texts)})"


def latex(tree: Tree) -> str:
    """A relation or an expression as LaTeX."""
    if not isinstance(tree, tuple):
        return str(tree)
    op, *args = tree
    texts = [f"({latex(each)})" if isinstance(each, tuple) and op == "*" else latex(each) for each in args]
    return f" {_LATEX.get(op, op)} ".join(texts)


def made(random: Random) -> Case:
    """A formula with prose that says it, of one of the kinds that steps have."""
    return random.choice((_calculation, _relation, _range, _alternatives, _both, _condition))(random)


def _number(random: Random) -> int:
    return random.randint(2, 60)


def _said(random: Random, formula: str, plain: str) -> str:
    lead = random.choice(("", "So ", "Therefore ", "We get ", "Thus "))
    return random.choice((f"{lead}${formula}$.", f"{lead}{plain}."))


def _calculation(random: Random) -> Case:
    op, left, right = random.choice("+-*"), _number(random), _number(random)
    result = int(CALCULATED[op](left, right)) + random.choice((0, 0, 0, 1, -10))
    tree = ("==", (op, left, right), result)
    plain = f"{left} {op} {right} = {result}"
    if op in _OPERATIONS and random.random() < 0.3:
        return Case(tree, f"The {_OPERATIONS[op]} of {left} and {right} is {result}.")
    if result >= 0 and random.random() < 0.3:
        return Case(tree, f"So there are {plain} apples.")
    return Case(tree, _said(random, latex(tree), plain))


def _relation(random: Random) -> Case:
    name, op, bound = random.choice(NAMES), random.choice(list(COMPARED)), _number(random)
    if random.random() < 0.4:
        return Case((op, name, bound), f"Hence {name} {_WORDS[op]} {bound}.")
    side = ("+", ("*", random.randint(2, 9), name), _number(random))
    tree = (op, random.choice((side, name)), bound)
    return Case(tree, f"So ${latex(tree)}$.")


def _range(random: Random) -> Case:
    name, low = random.choice(NAMES), _number(random)
    high, first, second = low + _number(random), random.choice(("<", "<=")), random.choice(("<", "<="))
    tree = ("and", (first, low, name), (second, name, high))
    return Case(tree, f"It follows that ${low} {_LATEX[first]} {name} {_LATEX[second]} {high}$.")


def _alternatives(random: Random) -> Case:
    name, one = random.choice(NAMES), _number(random)
    other = one + random.randint(1, 9)
    return Case(("or", ("==", name, one), ("==", name, other)), f"So ${name} = {one}$ or ${name} = {other}$.")


def _both(random: Random) -> Case:
    one, other = random.sample(NAMES, 2)
    first = (random.choice(list(COMPARED)), one, _number(random))
    second = (random.choice(list(COMPARED)), ("+", one, other), _number(random))
    return Case(("and", first, second), f"We have ${latex(first)}$ and ${latex(second)}$.")


def _condition(random: Random) -> Case:
    name, low = random.choice(NAMES), _number(random)
    first, second = (">", name, low), (">", name, low - 1)
    return Case(("=>", first, second), f"If ${latex(first)}$, then ${latex(second)}$.")


# --- damages ---


def _places(tree: Tree, fits: Callable[[Tree], bool], at: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    inner = enumerate(tree[1:], 1) if isinstance(tree, tuple) else ()
    below = [place for i, each in inner for place in _places(each, fits, (*at, i))]
    return ([at] if fits(tree) else []) + below


def _changed(tree: Tree, at: tuple[int, ...], change: Callable[[Tree], Tree]) -> Tree:
    if not at:
        return change(tree)
    first, *rest = at
    return (*tree[:first], _changed(tree[first], tuple(rest), change), *tree[first + 1 :])


def _anywhere(
    random: Random, tree: Tree, fits: Callable[[Tree], bool], change: Callable[[Tree], Tree]
) -> Tree | None:
    places = _places(tree, fits)
    return _changed(tree, random.choice(places), change) if places else None


def _number_changed(random: Random, tree: Tree) -> Tree | None:
    return _anywhere(
        random, tree, lambda each: isinstance(each, int), lambda each: each + random.choice((-1, 1, 10, -10))
    )


def _relation_changed(random: Random, tree: Tree) -> Tree | None:
    def change(each: Tree) -> Tree:
        return (random.choice([op for op in COMPARED if op != each[0]]), *each[1:])

    return _anywhere(random, tree, lambda each: isinstance(each, tuple) and each[0] in COMPARED, change)


def _name_changed(random: Random, tree: Tree) -> Tree | None:
    def change(each: Tree) -> Tree:
        return random.choice([name for name in NAMES if name != each])

    return _anywhere(random, tree, lambda each: isinstance(each, str), change)


def _side_dropped(random: Random, tree: Tree) -> Tree | None:
    joining = ("and", "or", "=>", "+", "-", "*")
    return _anywhere(
        random,
        tree,
        lambda each: isinstance(each, tuple) and each[0] in joining,
        lambda each: random.choice(each[1:]),
    )


def _negated(random: Random, tree: Tree) -> Tree | None:
    return ("not", tree)


DAMAGES: Final[dict[str, Callable[[Random, Tree], Tree | None]]] = {
    "number": _number_changed,
    "relation": _relation_changed,
    "name": _name_changed,
    "side dropped": _side_dropped,
    "negated": _negated,
}

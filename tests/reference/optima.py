"""Optimization problems, drawn with a seed, and their answers by other means than potlang's.

A problem is a tree of Python tuples: its text for potlang, its value under an assignment, and its form for z3
and HiGHS are made from that, each here. Nothing of potlang is used.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Tree = tuple[Any, ...]
Assignment = Mapping[str, Any]
COLOURS = ("red", "green", "blue")
MODES = ("lexicographic", "box", "pareto")
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "-": operator.sub,
    "*": operator.mul,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}
"""Operators that z3 has for its terms as Python has them for numbers."""


@dataclass
class Problem:
    """Variables with their sorts (and, where finite, their values), what holds, and what is asked.

    `goals` are a direction and a term each; a group of soft constraints is a goal behind them.
    """

    kind: str
    mode: str
    variables: dict[str, str]
    values: dict[str, tuple[Any, ...]] | None
    constraints: list[Tree]
    goals: list[tuple[str, Tree]]
    soft: dict[str, list[tuple[Tree, int]]] = field(default_factory=dict)

    @property
    def program(self) -> dict[str, Any]:
        """The problem as a PoT program."""
        free = {name: sort for name, sort in self.variables.items() if "(" not in name}
        section: dict[str, Any] = {
            "variables": [{"name": name, "sort": sort} for name, sort in free.items()],
            "constraints": [text(each) for each in self.constraints],
            "mode": self.mode,
        }
        if self.goals:
            section["objectives"] = [{"type": way, "expression": text(term)} for way, term in self.goals]
        if self.soft:
            section["soft"] = [
                {"constraint": text(each), "weight": weight, "group": group}
                for group, members in self.soft.items()
                for each, weight in members
            ]
        program: dict[str, Any] = {"optimization": section, "actions": ["optimize"]}
        tables = {name.partition("(")[0]: sort for name, sort in self.variables.items() if "(" in name}
        if tables or "Colour" in self.variables.values():
            program["sorts"] = [{"name": "Colour", "type": "EnumSort", "values": list(COLOURS)}]
        if tables:
            program["functions"] = [
                {"name": name, "domain": ["Colour"], "range": sort} for name, sort in tables.items()
            ]
        return program

    @property
    def every_goal(self) -> list[tuple[str, Tree]]:
        """The objectives, those of soft constraints among them."""
        costs = [
            ("minimize", ("+", *(("ite", each, ("n", 0), ("n", weight)) for each, weight in members)))
            for members in self.soft.values()
        ]
        return [*self.goals, *costs]


# --- the trees -----------------------------------------------------------------------------------


def text(tree: Tree) -> str:
    """A tree as a formula of PoT."""
    head, *args = tree
    if head in ("n", "v", "colour"):
        value = args[0]
        if isinstance(value, Fraction):
            return (
                f"({value.numerator}/{value.denominator})"
                if value >= 0
                else f"(0 - {-value.numerator}/{value.denominator})"
            )
        return f"({value})" if isinstance(value, int) and value < 0 else str(value)
    parts = [text(arg) for arg in args]
    match head:
        case "+":
            return f"({' + '.join(parts)})"
        case "-" | "*" | "<=" | "<" | "==" | "and" | "or" | "->":
            return f"({parts[0]} {head} {parts[1]})"
        case "not":
            return f"not ({parts[0]})"
        case "ite":
            return f"If({', '.join(parts)})"
        case "min" | "max" | "abs":
            return f"{head.capitalize()}({', '.join(parts)})"
    raise ValueError(head)


def value(tree: Tree, at: Assignment) -> Any:
    """The value of a tree under an assignment."""
    head, *args = tree
    if head in ("n", "colour"):
        return args[0]
    if head == "v":
        return at[args[0]]
    parts = [value(arg, at) for arg in args]
    if head in _BINARY:
        return _BINARY[head](*parts)
    match head:
        case "+":
            return sum(parts)
        case "and":
            return parts[0] and parts[1]
        case "or":
            return parts[0] or parts[1]
        case "->":
            return not parts[0] or parts[1]
        case "not":
            return not parts[0]
        case "ite":
            return parts[1] if parts[0] else parts[2]
        case "min":
            return min(parts)
        case "max":
            return max(parts)
        case "abs":
            return abs(parts[0])
    raise ValueError(head)


# --- drawing -------------------------------------------------------------------------------------


def problem(seed: int) -> Problem:
    """The problem of a seed: finite, linear without disjunction, or mixed; all modes of each."""
    rng = random.Random(seed)
    kind = ("finite", "linear", "mixed")[seed % 3]
    mode = MODES[seed // 3 % 3]
    draw = {"finite": _finite, "linear": _linear, "mixed": _mixed}[kind]
    return draw(rng, mode)


def _finite(rng: random.Random, mode: str) -> Problem:
    variables: dict[str, str] = {}
    values: dict[str, tuple[Any, ...]] = {}
    for number in range(rng.randint(1, 2)):
        variables[f"i{number}"] = "Int"
        low = rng.randint(-3, 1)
        values[f"i{number}"] = tuple(range(low, low + rng.randint(2, 5)))
    for number in range(rng.randint(0, 2)):
        variables[f"b{number}"], values[f"b{number}"] = "Bool", (False, True)
    if rng.random() < 0.3:
        variables["k"], values["k"] = "Colour", COLOURS
    if rng.random() < 0.3:
        for colour in COLOURS:
            variables[f"cost({colour})"], values[f"cost({colour})"] = "Int", (0, 1, 2)
    numbers = [name for name, sort in variables.items() if sort == "Int"]
    constraints: list[Tree] = []
    for name in numbers:
        constraints += [
            ("<=", ("n", values[name][0]), ("v", name)),
            ("<=", ("v", name), ("n", values[name][-1])),
        ]
    whole = _Drawing(rng, variables, "Int", products=True)
    constraints += [whole.formula(2) for _ in range(rng.randint(0, 3))]
    soft: dict[str, list[tuple[Tree, int]]] = {}
    if rng.random() < 0.5:
        for _ in range(rng.randint(1, 5)):
            soft.setdefault(rng.choice(("near", "far")), []).append((whole.formula(1), rng.randint(1, 4)))
    goals = [_goal(rng, whole) for _ in range(rng.randint(0 if soft else 1, 3))]
    return Problem("finite", mode, variables, values, constraints, goals, soft)


def _linear(rng: random.Random, mode: str) -> Problem:
    """Conjunctions of linear inequalities, none strict: what HiGHS solves."""
    variables = {f"x{number}": rng.choice(("Int", "Real", "Real")) for number in range(rng.randint(1, 3))}
    drawing = _Drawing(rng, variables, "Real")
    constraints = [drawing.inequality("<=") for _ in range(rng.randint(2, 5))]
    for name in variables:
        if rng.random() < 0.6:
            constraints.append(("<=", ("n", rng.randint(-5, 0)), ("v", name)))
        if rng.random() < 0.6:
            constraints.append(("<=", ("v", name), ("n", rng.randint(0, 9))))
    goals = [(rng.choice(("minimize", "maximize")), drawing.linear()) for _ in range(rng.randint(1, 3))]
    return Problem("linear", mode, variables, None, constraints, goals)


def _mixed(rng: random.Random, mode: str) -> Problem:
    """Integers, reals and truth values; strict and not, with disjunctions, smaller and larger of two."""
    variables = {f"x{number}": rng.choice(("Int", "Real", "Real")) for number in range(rng.randint(1, 3))}
    if rng.random() < 0.4:
        variables["b0"] = "Bool"
    drawing = _Drawing(rng, variables, "Real")
    constraints = [drawing.formula(1) for _ in range(rng.randint(1, 3))]
    for name, sort in variables.items():
        if sort == "Bool":
            continue
        for low in (True, False):
            if rng.random() < 0.8:
                number, name_ = ("n", rng.randint(-5, 0) if low else rng.randint(0, 9)), ("v", name)
                constraints.append((rng.choice(("<", "<=")), *((number, name_) if low else (name_, number))))
    soft: dict[str, list[tuple[Tree, int]]] = {}
    if rng.random() < 0.2:
        soft["group"] = [(drawing.formula(1), rng.randint(1, 3)) for _ in range(rng.randint(1, 3))]
    goals = [_goal(rng, drawing) for _ in range(rng.randint(0 if soft else 1, 3))]
    return Problem("mixed", mode, variables, None, constraints, goals, soft)


def _goal(rng: random.Random, drawing: _Drawing) -> tuple[str, Tree]:
    return rng.choice(("minimize", "maximize")), drawing.term(1)


class _Drawing:
    """Terms and formulas over some variables."""

    def __init__(
        self, rng: random.Random, variables: Mapping[str, str], sort: str, *, products: bool = False
    ) -> None:
        self.rng = rng
        self.variables = variables
        self.numbers = [name for name, each in variables.items() if each in ("Int", "Real")]
        self.truths = [name for name, each in variables.items() if each == "Bool"]
        self.sort = sort
        self.products = products

    def number(self) -> Tree:
        if self.sort == "Real" and self.rng.random() < 0.2:
            return ("n", Fraction(self.rng.randint(-5, 7), self.rng.choice((2, 3))))
        return ("n", self.rng.randint(-4, 6))

    def linear(self) -> Tree:
        """A sum of multiples of some variables."""
        chosen = self.rng.sample(self.numbers, self.rng.randint(1, len(self.numbers)))
        parts: list[Tree] = []
        for name in chosen:
            factor = self.rng.choice((-3, -2, -1, 1, 1, 2, 3))
            parts.append(("v", name) if factor == 1 else ("*", ("n", factor), ("v", name)))
        if self.sort == "Real" and all(self.variables[name] == "Int" for name in chosen):
            parts.append(("n", Fraction(1, 2)))
        return parts[0] if len(parts) == 1 else ("+", *parts)

    def term(self, depth: int) -> Tree:
        roll = self.rng.random()
        if depth == 0 or roll < 0.45:
            return self.linear()
        if roll < 0.6:
            return (self.rng.choice(("min", "max")), self.linear(), self.linear())
        if roll < 0.7:
            return ("abs", self.linear())
        if roll < 0.85:
            return ("ite", self.formula(0), self.term(depth - 1), self.number())
        if self.products and roll < 0.95:
            return ("*", self.linear(), self.linear())
        return ("-", self.linear(), self.number())

    def inequality(self, op: str) -> Tree:
        return (
            (op, self.linear(), self.number())
            if self.rng.random() < 0.5
            else (op, self.number(), self.linear())
        )

    def atom(self) -> Tree:
        roll = self.rng.random()
        if self.truths and roll < 0.3:
            return ("v", self.rng.choice(self.truths))
        if "Colour" in self.variables.values() and roll < 0.4:
            return ("==", ("v", "k"), ("colour", self.rng.choice(COLOURS)))
        if roll < 0.5:
            return ("==", self.linear(), self.number())
        if roll < 0.6:
            return ("<=", self.term(1), self.term(1))
        return self.inequality(self.rng.choice(("<", "<=")))

    def formula(self, depth: int) -> Tree:
        roll = self.rng.random()
        if depth == 0 or roll < 0.4:
            return self.atom()
        if roll < 0.5:
            return ("not", self.formula(depth - 1))
        return (self.rng.choice(("and", "or", "or", "->")), self.formula(depth - 1), self.formula(depth - 1))


# --- answers by enumeration ----------------------------------------------------------------------


def assignments(found: Problem) -> Iterator[dict[str, Any]]:
    """The assignments of a finite problem that its constraints allow."""
    assert found.values is not None
    for row in itertools.product(*found.values.values()):
        at = dict(zip(found.values, row, strict=True))
        if all(value(each, at) for each in found.constraints):
            yield at


def enumerated(found: Problem) -> tuple[str, Any]:
    """`infeasible`, or `optimal` with the values, under `pareto` the set of points."""
    signs = [1 if way == "maximize" else -1 for way, _ in found.every_goal]
    terms = [term for _, term in found.every_goal]
    rows = {
        tuple(sign * value(term, at) for sign, term in zip(signs, terms, strict=True))
        for at in assignments(found)
    }
    if not rows:
        return "infeasible", None
    if found.mode == "pareto":
        best = {row for row in rows if not any(_beats(other, row) for other in rows)}
        return "optimal", {tuple(s * v for s, v in zip(signs, row, strict=True)) for row in best}
    top = tuple(map(max, zip(*rows, strict=True))) if found.mode == "box" else max(rows)
    return "optimal", tuple(sign * each for sign, each in zip(signs, top, strict=True))


def _beats(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return a != b and all(x >= y for x, y in zip(a, b, strict=True))


# --- answers by HiGHS ----------------------------------------------------------------------------


def by_highs(
    found: Problem, way: str, term: Tree, fixed: Sequence[tuple[Tree, float]]
) -> tuple[str, float | None]:
    """Status and optimum of one objective of a linear problem, others held at values; within rounding."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp  # type: ignore[import-untyped]

    names = list(found.variables)
    rows, uppers = [], []
    for op, left, right in found.constraints:
        assert op == "<="
        row, number = _row(left, names)
        other, more = _row(right, names)
        rows.append([a - b for a, b in zip(row, other, strict=True)])
        uppers.append(more - number)
    lowers = [-np.inf] * len(rows)
    for tree, at in fixed:
        row, number = _row(tree, names)
        rows.append(row)
        uppers.append(at - number + 1e-7)
        lowers.append(at - number - 1e-7)
    goal, number = _row(term, names)
    sign = -1 if way == "maximize" else 1
    answer = milp(
        sign * np.array(goal, dtype=float),
        integrality=[found.variables[name] == "Int" for name in names],
        bounds=Bounds(-np.inf, np.inf),
        constraints=LinearConstraint(np.array(rows, dtype=float), lowers, uppers) if rows else None,
    )
    match answer.status:
        case 0:
            return "optimal", sign * float(answer.fun) + number
        case 2:
            return "infeasible", None
        case 3:
            return "unbounded", None
    return "unknown", None


def _row(tree: Tree, names: Sequence[str]) -> tuple[list[float], float]:
    """A linear term as factors of the variables and a number."""
    zero = value(tree, dict.fromkeys(names, 0))
    return [float(value(tree, {each: int(each == name) for each in names}) - zero) for name in names], float(
        zero
    )


# --- answers by z3 -------------------------------------------------------------------------------


class ByZ3:
    """The problem in z3's own terms; each objective is put to an optimizer of its own."""

    def __init__(self, found: Problem) -> None:
        import z3

        self.z3 = z3
        self.problem = found
        self.colour, members = z3.EnumSort("Colour", COLOURS, ctx=z3.Context())
        self.context = self.colour.ctx
        self.members = dict(zip(COLOURS, members, strict=True))
        sorts = {
            "Int": z3.IntSort(self.context),
            "Real": z3.RealSort(self.context),
            "Bool": z3.BoolSort(self.context),
            "Colour": self.colour,
        }
        self.variables = {name: z3.Const(name, sorts[sort]) for name, sort in found.variables.items()}
        self.constraints = [self.term(each) for each in found.constraints]
        self.goals = [(way, self.term(term)) for way, term in found.every_goal]

    def term(self, tree: Tree) -> Any:
        """A tree as a term of z3."""
        z3 = self.z3
        head, *args = tree
        if head == "v":
            return self.variables[args[0]]
        if head == "colour":
            return self.members[args[0]]
        if head == "n":
            if isinstance(args[0], Fraction):
                return z3.RealVal(args[0], self.context)
            return z3.IntVal(args[0], self.context)
        parts = [self.term(arg) for arg in args]
        if head in _BINARY:
            return _BINARY[head](*parts)
        match head:
            case "+":
                return z3.Sum(parts)
            case "and":
                return z3.And(*parts)
            case "or":
                return z3.Or(*parts)
            case "->":
                return z3.Implies(*parts)
            case "not":
                return z3.Not(parts[0])
            case "ite":
                return z3.If(*parts)
            case "min":
                return z3.If(parts[0] <= parts[1], parts[0], parts[1])
            case "max":
                return z3.If(parts[0] >= parts[1], parts[0], parts[1])
            case "abs":
                return z3.If(parts[0] >= 0, parts[0], -parts[0])
        raise ValueError(head)

    def satisfiable(self, *more: Any) -> bool | None:
        """Whether constraints and `more` have a model; None if z3 does not know."""
        solver = self.z3.Solver(ctx=self.context)
        solver.set("timeout", 10_000)
        solver.add(*self.constraints, *more)
        return {"sat": True, "unsat": False}.get(str(solver.check()))

    def best(self, number: int, fixed: Sequence[Any] = ()) -> tuple[str, Fraction | None]:
        """Status and value of one objective; `unknown` where z3 gives up or contradicts itself."""
        way, term = self.goals[number]
        optimizer = self.z3.Optimize(ctx=self.context)
        optimizer.set("timeout", 10_000)
        optimizer.add(*self.constraints, *fixed)
        handle = (optimizer.maximize if way == "maximize" else optimizer.minimize)(term)
        outcome = optimizer.check()
        if outcome == self.z3.unsat:
            return "infeasible", None
        if outcome != self.z3.sat:
            return "unknown", None
        infinite, finite, tiny = (
            optimizer.upper_values(handle) if way == "maximize" else optimizer.lower_values(handle)
        )
        if not self._zero(infinite):
            return "unbounded", None
        limit = Fraction(finite.as_fraction() if self.z3.is_rational_value(finite) else finite.as_long())
        return ("optimal" if self._zero(tiny) else "unattained"), limit

    def _zero(self, part: Any) -> bool:
        return bool(self.z3.simplify(part == 0) == self.z3.BoolVal(True, self.context))

    def at(self, number: int, value_: Fraction) -> Any:
        """That an objective has a value."""
        return self.goals[number][1] == self.z3.RealVal(value_, self.context)

    def better(self, number: int, value_: Fraction, *, strict: bool = True) -> Any:
        """That an objective is better than a value, or as good."""
        way, term = self.goals[number]
        limit = self.z3.RealVal(value_, self.context)
        if strict:
            return term > limit if way == "maximize" else term < limit
        return term >= limit if way == "maximize" else term <= limit

"""Dependencies read off a script: the paper's example, Python's scopes, runs as an oracle, hostile text."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from statements import Mutation, Property

from potlang.diag import Sink
from potlang.languages.dagmath.read.reader import read_solution
from potlang.models.annotation import scripts
from potlang.models.annotation.scripts import (
    ScriptDifference,
    ScriptError,
    script_dependencies,
    script_differences,
)

ROOT = Path(__file__).parents[2]

# The structure of the script in appendix E.1, in our own words.
NATASCHA = r"""
from sympy import simplify, symbols

def ratio_of_distances():
    step_1 = 3                      # cycling is so many times as fast
    step_2 = 4                      # hours of cycling
    step_3 = 1                      # hours of running
    step_4 = symbols("r")           # the running speed
    step_5 = step_1 * step_4        # the cycling speed
    step_6 = lambda v, t: v * t     # distance from speed and time
    step_7 = step_6(v=step_4, t=step_3)
    step_8 = simplify(step_7)
    step_9 = step_6(v=step_5, t=step_2)
    step_10 = simplify(step_9)
    step_11 = (step_10, step_8)
    quotient = step_11[0] / step_11[1]
    step_12 = simplify(quotient)
    step_13 = f"The final answer is \\boxed{{{step_12}:1}}."
    return step_13
"""


def test_the_example_of_the_paper() -> None:
    """[DAG-SCRIPT-1]: all thirteen steps of appendix E.1, and they are those of the solution."""
    found = script_dependencies(NATASCHA)
    assert found == {
        1: [], 2: [], 3: [], 4: [], 5: [1, 4], 6: [], 7: [3, 4, 6], 8: [7], 9: [2, 5, 6],
        10: [9], 11: [8, 10], 12: [11], 13: [12],
    }  # fmt: skip
    solution = read_solution(ROOT / "examples" / "natascha.dagmath.json", Sink()).solution
    assert solution is not None
    assert script_differences(found, solution) == []


def test_differences_name_what_either_side_lacks() -> None:
    """[DAG-SCRIPT-4]: steps without code are passed over."""
    solution = read_solution(ROOT / "examples" / "natascha.dagmath.json", Sink()).solution
    assert solution is not None
    found = script_dependencies("step_9 = step_6(step_5, step_4)\nstep_20 = 1")
    assert script_differences(found, solution) == [ScriptDifference(9, (4,), (2,))]


CASES = {
    "a variable between": ("x = step_1\ny = x + 1\nstep_2 = y", {2: [1]}),
    "a variable used again": ("x = step_1\nstep_2 = x\nx = step_2\nstep_3 = x", {2: [1], 3: [2]}),
    "not through another step": ("step_2 = step_1\nstep_3 = step_2", {2: [1], 3: [2]}),
    "not on itself": ("step_1 = 1\nstep_1 = step_1 + step_2", {1: [2]}),
    "augmented": ("step_3 = 1\nstep_3 += step_2", {3: [2]}),
    "augmented variable": ("x = step_1\nx += step_2\nstep_3 = x", {3: [1, 2]}),
    "annotated": ("step_2: step_9 = step_1", {2: [1]}),
    "tuple by parts": ("step_1, step_2 = step_3, step_4", {1: [3], 2: [4]}),
    "swapped": ("a, b = step_1, step_2\na, b = b, a\nstep_3 = a", {3: [2]}),
    "tuple as a whole": ("step_1, x = f(step_3, step_4)", {1: [3, 4]}),
    "starred": ("step_1, *x = [step_3, step_4, 5]\nstep_2 = x", {1: [3, 4], 2: [3, 4]}),
    "an item": ("d = {}\nd[step_1] = step_2\nstep_3 = d", {3: [1, 2]}),
    "an attribute": ("o.x = step_2\nstep_3 = o", {3: [2]}),
    "a method": ("xs = []\nxs.append(step_1)\nstep_2 = sum(xs)", {2: [1]}),
    "a function's own step": (
        "def f():\n    step_1 = step_2\n    return step_1\nstep_3 = f()",
        {1: [2], 3: [2]},
    ),
    "a free variable": ("def f(v):\n    return v * step_1\nstep_2 = f(step_3)", {2: [1, 3]}),
    "a parameter is no step": ("def f(step_1):\n    return step_1\nstep_2 = f(step_3)", {2: [3]}),
    "a parameter of lambda": ("step_2 = (lambda step_1: step_1)(step_3)", {2: [3]}),
    "a default": ("step_2 = lambda x=step_1: x", {2: [1]}),
    "a decorator": ("@d(step_1)\ndef f(): pass\nstep_2 = f()", {2: [1]}),
    "a step that is a function": (
        "def step_2(x):\n    return x + step_1\nstep_3 = step_2(0)",
        {2: [1], 3: [2]},
    ),
    "a class": ("class C:\n    x = step_1\nstep_2 = C.x", {2: [1]}),
    "a list": ("step_2 = [step_1 for i in range(3)]", {2: [1]}),
    "a loop variable is no step": ("step_2 = [step_1 for step_1 in range(3)]", {2: []}),
    "it rests on its range": ("step_2 = [step_1 for step_1 in step_3]\nstep_4 = step_1", {2: [3], 4: [1]}),
    "a dictionary": ("step_5 = {k: v for k, v in step_1 if step_2}", {5: [1, 2]}),
    "a generator": ("step_5 = sum(x * y for x in step_1 for y in range(x))", {5: [1]}),
    "a walrus": ("step_2 = (y := step_1)\nstep_3 = y", {2: [1], 3: [1]}),
    "a walrus in a list": ("step_2 = [y := step_1 for _ in [z for z in w]]\nstep_3 = y", {2: [1], 3: [1]}),
    "a walrus in lambda": ("step_2 = [(lambda: (y := step_1))() for _ in z]\nstep_3 = y", {2: [1], 3: []}),
    "a condition": ("if step_1 > 0:\n    step_2 = 1\nelse:\n    step_2 = step_3", {2: [1, 3]}),
    "after a condition": ("x = step_1\nif c:\n    x = step_2\nstep_3 = x", {3: [1, 2]}),
    "one way or another": ("if c:\n    x = step_1\nelif d:\n    x = step_2\nstep_3 = x", {3: [1, 2]}),
    "a loop": ("for i in step_1:\n    x = i\nstep_2 = x", {2: [1]}),
    "through a loop": ("a = b = c = 0\nwhile t:\n    a = b\n    b = c\n    c = step_1\nstep_2 = a", {2: [1]}),
    "with": ("with f(step_1) as x:\n    step_2 = x", {2: [1]}),
    "try": ("try:\n    x = step_1\nexcept E:\n    x = step_2\nstep_3 = x", {3: [1, 2]}),
    "match": ("match step_1:\n    case [a]:\n        step_2 = a", {2: [1]}),
    "text": ("step_2 = f'{step_1} of step_3' + 'step_4'", {2: [1]}),
    "names in normal form": ("step_２ = step_1", {2: [1]}),
    "other names": (
        "my_step_1 = 2\nstep_1b = 3\nStep_1 = 4\nstep_2 = my_step_1 + step_1b + o.step_1",
        {2: []},
    ),
    "later": ("step_1 = step_2\nstep_2 = 3", {1: [2], 2: []}),
    "nothing": ("", {}),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_step_depends_on(name: str) -> None:
    """[DAG-SCRIPT-1] [DAG-SCRIPT-2]: by Python's own rules for scopes."""
    script, expected = CASES[name]
    ast.parse(script)
    assert script_dependencies(script) == expected


# --- a run as the oracle --------------------------------------------------------------------------


class Marked:
    """A value that knows which steps it comes from."""

    def __init__(self, rests: frozenset[int] = frozenset()) -> None:
        self.rests = rests

    def __add__(self, other: Marked) -> Marked:
        return Marked(self.rests | other.rests)


class Run:
    """Runs a script of our own making and notes what each step comes from."""

    def __init__(self) -> None:
        self.steps: dict[int, set[int]] = {}

    def step(self, number: int, value: Marked) -> Marked:
        self.steps.setdefault(number, set()).update(value.rests)
        return Marked(frozenset({number}))

    def of(self, script: str) -> dict[int, list[int]]:
        exec(script, {"Z": Marked(), "STEP": self.step})  # noqa: S102 (made by this test)
        return {step: sorted(rests - {step}) for step, rests in sorted(self.steps.items())}


def _lines(random: Random, names: list[str], count: int, indent: str, branches: bool) -> Iterator[str]:
    """Statements that are all read in full when they run; `names` are those that have a value."""

    def value() -> str:
        terms = [random.choice(names) for _ in range(random.randint(1, 3))]
        kind = random.randrange(5)
        plain = " + ".join(terms)
        if kind == 0:
            return f"(lambda x: x + {plain})({random.choice(names)})"
        if kind == 1:
            return f"[x + {plain} for x in [{random.choice(names)}]][0]"
        return plain

    for _ in range(count):
        kind = random.randrange(6)
        name = f"v{random.randrange(4)}"
        number = random.randrange(1, 9)
        if kind < 2:
            yield f"{indent}{name} = {value()}"
            names.append(name)
        elif kind == 2:
            other = f"v{random.randrange(4)}"
            yield f"{indent}{name}, {other} = {value()}, {value()}"
            names += [name, other]
        elif kind == 3 and branches and len(indent) < 8:
            inner = list(names)
            yield f"{indent}{random.choice(['if Z:', 'for i in [Z, Z]:', 'for i in []:'])}"
            yield from _lines(random, inner, 2, indent + "    ", branches)
        else:
            yield f"{indent}step_{number} = {value()}"
            names.append(f"step_{number}")


def _script(random: Random, branches: bool) -> str:
    names = ["Z"]
    return "\n".join(_lines(random, names, random.randint(1, 14), "", branches))


def _runnable(script: str) -> str:
    """The script with each assignment of a step noted."""
    lines = []
    for line in script.split("\n"):
        name, equals, value = line.partition(" = ")
        number = name.strip().removeprefix("step_")
        lines.append(f"{name} = STEP({number}, {value})" if equals and "step_" in name else line)
    return "\n".join(lines)


def _check_straight(random: Random) -> None:
    """[DAG-SCRIPT-1]: without branches, exactly what a run finds."""
    script = _script(random, branches=False)
    assert script_dependencies(script) == Run().of(_runnable(script)), script


def _check_branching(random: Random) -> None:
    """[DAG-SCRIPT-2]: with branches and loops, never less than what a run finds."""
    script = _script(random, branches=True)
    found = script_dependencies(script)
    for step, rests in Run().of(_runnable(script)).items():
        assert set(rests) <= set(found.get(step, ())), (step, script)


RANDOMS = st.randoms(use_true_random=False)
STRAIGHT = Property(_check_straight, RANDOMS, quick=150)
BRANCHING = Property(_check_branching, RANDOMS, quick=150)
test_straight, test_straight_deeply = STRAIGHT.tests()
test_branching, test_branching_deeply = BRANCHING.tests()


def _one_way(self: Any, *ways: Any) -> None:
    for way in ways[-1:]:
        way()


def _whole(node: ast.expr) -> list[ast.expr]:
    return []


MUTATIONS = [
    (STRAIGHT, Mutation("straight", "tuples are assigned as a whole", (scripts,), "_parts_of", _whole)),
    (BRANCHING, Mutation("branching", "one way is taken", (scripts._ScriptReader,), "_branches", _one_way)),
]


@pytest.mark.parametrize(("statement", "mutation"), MUTATIONS, ids=[str(each[1]) for each in MUTATIONS])
def test_mutations_are_caught(
    statement: Property, mutation: Mutation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statements can fail."""
    mutation.check_caught(statement, monkeypatch)


# --- hostile text -----------------------------------------------------------------------------------

HOSTILE = {
    "parentheses": "(" * 50_000,
    "brackets": "step_1 = " + "[" * 150 + "]" * 150,
    "minus": "step_1 = " + "-" * 90_000 + "1",
    "sum": "step_1 = " + "+".join(["step_2"] * 10_000),
    "attributes": "step_1 = x" + ".a" * 40_000,
    "calls": "step_1 = f" + "()" * 40_000,
    "lambdas": "step_1 = " + "lambda: " * 12_000 + "1",
    "ifs": "".join(" " * depth + "if x:\n" for depth in range(95)) + " " * 95 + "step_1 = 2",
    "loops": "".join(" " * depth + "while x:\n" for depth in range(95)) + " " * 95 + "y = y + step_1",
    "many loops": "a = 1\n" * 3_000 + "for i in x:\n a = step_1\n" * 3_000,
    "chain": "while x:\n" + "".join(f" v{i} = v{i + 1}\n" for i in range(3_000)) + " v3000 = step_1",
    "branches": "".join(f"v{i} = 1\n" for i in range(4_000)) + "if x:\n y = 1\n" * 3_000,
    "growing": "".join(f"x = x, step_{i}\n" for i in range(5_000)) + "step_5001 = x",
    "elif": "if x:\n pass\n" + "elif x:\n pass\n" * 5_000,
    "comparisons": "step_1 = " + "<".join(["x"] * 40_000),
    "null": "step_1 = 1\0",
    "surrogate": "step_1 = '\ud800'",
    "digits": "step_1 = " + "9" * 50_000,
    "escape": "step_1 = '\\d \\q'",
    "name": f"step_{'9' * 5_000} = 1",
    "too long": "#" * 200_000,
    "no Python": "Step 1: Natascha cycles.",
    "not finished": "def f(",
    "tabs": "if x:\n\ta = 1\n        b = 2",
    "coding": "# coding: no-such-coding\nstep_1 = 1",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_harmless(name: str) -> None:
    """[DAG-SCRIPT-3]: an answer or a ScriptError, soon."""
    try:
        script_dependencies(HOSTILE[name])
    except ScriptError as error:
        assert str(error) and len(str(error)) < 300


def test_nothing_is_run(tmp_path: Path) -> None:
    """[DAG-SCRIPT-3]: not even what is called at once, decorates, or is a default."""
    mark = tmp_path / "mark"
    evil = f"open({str(mark)!r}, 'w')"
    script = f"{evil}\nexec({evil!r})\n__import__('os').abort()\nstep_1 = {evil}\n"
    script += f"@({evil})\ndef f(x={evil}): pass\nclass C(metaclass={evil}): pass\n"
    script += f"step_2 = [step_1 for _ in {evil}]"
    assert script_dependencies(script) == {1: [], 2: [1]}
    assert not mark.exists()


def test_any_damage_is_an_error_or_read() -> None:
    """[DAG-SCRIPT-3]: characters of the example exchanged at random."""
    maker = random.Random(5)
    for _ in range(400):
        text = list(NATASCHA)
        for _ in range(maker.randint(1, 4)):
            text[maker.randrange(len(text))] = maker.choice("()[]{}:=\"'\\\n\t ,*@#0\x00é")
        with suppress(ScriptError):
            script_dependencies("".join(text))

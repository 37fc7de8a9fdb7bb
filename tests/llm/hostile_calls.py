"""Calls that no well-meaning model makes: seeded, so that a failure can be had again."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PROGRAM = json.loads((EXAMPLES / "giraffe.json").read_text(encoding="utf-8"))
TRACE = (EXAMPLES / "refinement.dot.txt").read_text(encoding="utf-8")
OPERATIONS = (
    "reference",
    "verify",
    "check",
    "fix",
    "compile",
    "view",
    "claims",
    "explain",
    "trace",
    "score",
    "",
    "verify ",
    "exec",
    "\x00",
)
KEYS = ("operation", "program", "policy", "claims", "code", "topic", "trace", "solution")
NAMES = (
    *("\x00", "a\nb", "\u202egnirts", "\u2066x\u2069", '"', "'", "|", "a|b", "`a`", "</script>", "a;b", "\\"),
    *("$(touch x)", "%s%n", "../../etc/passwd", "\ud800", "\udfffx", "é" * 50, "𝔸", "and", "Not", "True", ""),
    *("__import__('os').system('x')", "{{7*7}}", "x" * 5_000, "(assert false)", "|)(assert false)(push 1)|"),
)
FORMULAS = (
    *(
        'True"], "verifications": [{"constraint": "True',
        "True) (assert false",
        "p(x)) (check-sat",
        "()" * 400,
    ),
    *("(" * 3_000, "not " * 3_000 + "True", "1/0 == 1", "9" * 30_000 + " > 1", "2 ** 999999999 > 1", "'\n'"),
    *("False", "1 + 1 == 2", "Exists([x: Int], x * x == 2)", "ForAll([x: Real], x * x >= 0)", '"é" == "e"'),
    *(
        "ForAll([x: Nat], x == x)",
        "Sum([a: Bool, b: Bool], 1) == 4",
        "x == y == z == w",
        "True\x00False",
        "; x",
    ),
    *(
        "|x| == 1",
        '"a" == "\\"',
        "Exists([x: Int], x ** 3 + x * x * 7 == 12345678910111213)",
        "−1 < 0",
        "‮True",
    ),
)


def cyclic() -> dict[str, Any]:
    """An object that has itself as a member."""
    made: dict[str, Any] = {"sorts": []}
    made["rules"] = [made]
    return made


def doubled(levels: int) -> list[Any]:
    """A small value whose text would have 2 to the power of `levels` items."""
    made: list[Any] = ["True"]
    for _ in range(levels):
        made = [made, made]
    return made


def deep(levels: int, as_list: bool) -> Any:
    """Containers in containers."""
    made: Any = "True"
    for _ in range(levels):
        made = [made] if as_list else {"a": made}
    return made


def value(random: Random, depth: int = 0) -> Any:
    """Any value, also such as JSON cannot have."""
    kinds = [
        lambda: random.choice(NAMES),
        lambda: random.choice(FORMULAS),
        lambda: random.choice((None, True, False, 0, -1, 1e308, float("nan"), float("inf"), -0.0)),
        lambda: 10 ** random.choice((3, 30, 5_000, 1_000_000)),
        lambda: random.choice(("x", "(", "𝔸", "\ud800", "[", '"')) * random.choice((1, 1_000, 300_000)),
        lambda: random.choice((b"{}", b"\xff\xfe", object(), {1, 2}, 1j, Ellipsis, PROGRAM, TRACE)),
        lambda: deep(random.choice((3, 600, 50_000)), random.random() < 0.5),
        lambda: doubled(random.choice((3, 12, 60))),
        cyclic,
    ]
    if depth < 3:
        kinds += [lambda: [value(random, depth + 1) for _ in range(random.randrange(4))]] * 3
        kinds += [
            lambda: {random.choice(NAMES): value(random, depth + 1) for _ in range(random.randrange(4))}
        ] * 3
    return random.choice(kinds)()


def program(random: Random) -> Any:
    """A program of which parts are hostile, often with names that try to leave their place."""
    name = random.choice(NAMES)
    formula = random.choice(FORMULAS)
    made: dict[str, Any] = json.loads(json.dumps(PROGRAM))
    changes = [
        lambda: made.update(sorts=[{"name": name, "type": "DeclareSort"}]),
        lambda: made.update(functions=[{"name": name, "domain": [name], "range": "Bool"}]),
        lambda: made.update(constants={name: {"sort": "Person", "members": [name, name + "2"]}}),
        lambda: made.update(knowledge_base=[formula, f"{name} == {name}"]),
        lambda: made.update(verifications=[{"name": name, "constraint": formula}]),
        lambda: made.update(verifications=[{"name": name, "constraint": "1 + 1 == 2"}] * 300),
        lambda: made.update(rules=[{"name": name, "forall": [name], "constraint": formula}]),
        lambda: made.update({random.choice([*made, name]): value(random)}),
        lambda: made.update(optimization={"objectives": [{"type": "maximize", "expression": formula}]}),
        lambda: made.update(imports=[name, "std/graph/reachability", {"pack": name, "with": {name: name}}]),
        lambda: made.update(semantics={"closed_domain": value(random)}),
    ]
    for change in random.sample(changes, random.randrange(1, 4)):
        change()
    return made


def renamed(random: Random) -> str:
    """A program of which a name is another one everywhere."""
    old = random.choice(("javier_sotomayor", "average_giraffe", "Person", "Animal", "jump_height", "height"))
    return json.dumps(PROGRAM).replace(old, json.dumps(random.choice(NAMES))[1:-1])


def injected(random: Random) -> str:
    """JSON text with raw pieces between its characters, as a claim pasted into a template would be."""
    text = json.dumps(PROGRAM)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(text))
        piece = random.choice(
            (*NAMES, *FORMULAS, '"}]}', '"],"rules":[{"constraint":"False"}],"x":["', "NaN", "//")
        )
        text = text[:at] + piece + text[at:]
    return text


def hostile_call(seed: int) -> Any:
    """The arguments of a call."""
    random = Random(seed)
    shape = random.random()
    if shape < 0.1:
        return value(random)
    if shape < 0.18:
        return random.choice(
            (injected(random), "{" * 2_000, "[" * 100_000, "null", "", b"\xff", "1" * 5_000, "NaN")
        )
    given: dict[Any, Any] = {"operation": random.choice(OPERATIONS)}
    if shape < 0.75:
        given = {"operation": random.choice(("verify", "check"))}
        given["program"] = random.choice((program, program, injected, renamed, renamed, value))(random)
    elif shape < 0.82:
        given = {
            "operation": "trace",
            "code": random.choice(NAMES),
            "trace": TRACE.replace("proposer", random.choice(NAMES), 1),
        }
        given["program"] = random.choice((program(random), value(random), None))
    elif shape < 0.87:
        given = {"operation": "claims", "policy": random.choice(NAMES)}
        given["claims"] = random.choice(
            ([random.choice(FORMULAS)], value(random), [random.choice(FORMULAS)] * 5_000)
        )
    for _ in range(random.randrange(3)):
        given[random.choice((*KEYS, 3, None, (1, 2), random.choice(NAMES)))] = value(random)
    return given

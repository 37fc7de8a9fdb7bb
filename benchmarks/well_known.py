"""The problems of `first_order.txt`, and finite ones, as programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

_FILE: Final = Path(__file__).parent / "first_order.txt"
_WORD: Final = re.compile(r"[A-Za-z]\w*(\s*\()?")
_QUANTIFIER: Final = re.compile(r"\b(all|some)\(\[([^\]]*)\]")
_KEYWORDS: Final = frozenset({"and", "or", "not", "true", "false", "all", "some"})
_VERDICTS: Final = {"open": "undetermined"}


class WellKnown(NamedTuple):
    """A problem: its program, and the verdict on its claim."""

    name: str
    program: dict[str, Any]
    verdict: str


def first_order() -> Iterator[WellKnown]:
    """The problems of the file."""
    name, facts, claim, verdict = "", [], "", "entailed"
    for line in [*_FILE.read_text(encoding="utf-8").splitlines(), "end"]:
        kind, _, rest = line.partition(" ")
        match kind:
            case "#" | "":
                pass
            case "fact":
                facts.append(rest)
            case "claim":
                claim = rest
            case "expect":
                verdict = _VERDICTS.get(rest, rest)
            case _:
                if name:
                    yield WellKnown(name, program_of(facts, claim), verdict)
                name, facts, claim, verdict = kind, [], "", "entailed"


def program_of(facts: list[str], claim: str) -> dict[str, Any]:
    """The program of formulas; what their words are is seen by how they are written."""
    functions: dict[str, dict[str, Any]] = {}
    constants: dict[str, dict[str, None]] = {"U": {}, "Bool": {}}
    for text in (*facts, claim):
        bound = {each.strip() for _, names in _QUANTIFIER.findall(text) for each in names.split(",")}
        for match in _WORD.finditer(text):
            word = match[0].rstrip("( \t")
            if word in _KEYWORDS or (word in bound and not match[1]):
                continue
            if match[1]:
                arity = _arity(text, match.end())
                value = "Bool" if word[0].isupper() else "U"
                functions[word] = {"name": word, "domain": ["U"] * arity, "range": value}
            else:
                constants["Bool" if word[0].isupper() else "U"][word] = None
    groups = {sort: {"sort": sort, "members": list(each)} for sort, each in constants.items() if each}
    return {
        "sorts": [{"name": "U", "type": "DeclareSort"}],
        "functions": list(functions.values()),
        "constants": groups,
        "knowledge_base": [_formula(each) for each in facts],
        "verifications": [{"name": "claim", "constraint": _formula(claim)}],
    }


def _arity(text: str, start: int) -> int:
    depth, commas = 0, 0
    for char in text[start:]:
        if char == "," and not depth:
            commas += 1
        depth += (char in "([") - (char in ")]")
        if depth < 0:
            break
    return commas + 1


def _formula(text: str) -> str:
    def quantifier(match: re.Match[str]) -> str:
        binders = ", ".join(f"{each.strip()}: U" for each in match[2].split(","))
        return f"{'ForAll' if match[1] == 'all' else 'Exists'}([{binders}]"

    return _QUANTIFIER.sub(quantifier, text)


# --- finite ones -----------------------------------------------------------------------------------------


def finite() -> Iterator[WellKnown]:
    """Sudoku, labellings and colourings of graphs, no three in line, queens, pigeons, Latin squares."""
    yield WellKnown("sudoku_9", _sudoku(3), "undetermined")
    yield WellKnown("sudoku_16", _sudoku(4), "undetermined")
    for span, verdict in ((8, "inconsistent"), (9, "undetermined")):
        yield WellKnown(f"petersen_label_{span}", _labelling(span), verdict)
    for size in (4, 5, 6):
        yield WellKnown(f"no_three_in_line_{size}", _no_three(size), "entailed")
    for size in (6, 8, 10):
        yield WellKnown(f"queens_{size}", _queens(size), "undetermined")
    for size in (6, 8):
        yield WellKnown(f"pigeons_{size}", _pigeons(size), "inconsistent")
    yield WellKnown("petersen_2_colours", _colouring(2), "inconsistent")
    yield WellKnown("petersen_3_colours", _colouring(3), "undetermined")
    yield WellKnown("latin_7", _latin(7), "undetermined")


_PETERSEN: Final = [
    *[(at, (at + 1) % 5) for at in range(5)],
    *[(at + 5, (at + 2) % 5 + 5) for at in range(5)],
    *[(at, at + 5) for at in range(5)],
]


def _program(
    sort: str, members: list[str], facts: list[str], claim: str, values: list[str] | None = None
) -> dict[str, Any]:
    sorts = [{"name": sort, "type": "EnumSort", "values": values}] if values else []
    return {
        "sorts": sorts,
        "constants": {"all": {"sort": sort, "members": members}},
        "knowledge_base": facts,
        "verifications": [{"name": "claim", "constraint": claim}],
    }


def _sudoku(box: int) -> dict[str, Any]:
    side = box * box
    places = range(side)
    values = [f"v{at}" for at in places]
    groups = [[(row, column) for column in places] for row in places]
    groups += [[(row, column) for row in places] for column in places]
    groups += [
        [(box * (at // box) + row, box * (at % box) + column) for row in range(box) for column in range(box)]
        for at in places
    ]
    facts = [f"Distinct({', '.join(f'c{row}_{column}' for row, column in group)})" for group in groups]
    # A solution by shifts; a third of its cells are given.
    solved = {(r, c): (box * (r % box) + r // box + c) % side for r in places for c in places}
    facts += [
        f"c{r}_{c} == {values[value]}" for (r, c), value in solved.items() if (r * 7 + c * 5 + r * c) % 3 == 0
    ]
    names = [f"c{row}_{column}" for row in places for column in places]
    return _program("K", names, facts, f"c0_1 == {values[solved[0, 1]]}", values)


def _labelling(span: int) -> dict[str, Any]:
    near = {frozenset(edge) for edge in _PETERSEN}
    names = [f"x{at}" for at in range(10)]
    facts = [f"0 <= {name} <= {span}" for name in names]
    for one in range(10):
        for other in range(one):
            close = frozenset((one, other)) in near
            facts.append(f"Abs(x{one} - x{other}) >= 2" if close else f"x{one} != x{other}")
    return _program("Int", names, facts, "x0 == 0")


def _no_three(size: int) -> dict[str, Any]:
    points = [(x, y) for x in range(size) for y in range(size)]
    facts = []
    for a in range(len(points)):
        for b in range(a):
            for c in range(b):
                (ax, ay), (bx, by), (cx, cy) = points[a], points[b], points[c]
                if (ax - cx) * (by - cy) == (bx - cx) * (ay - cy):
                    facts.append(f"not (p{ax}_{ay} and p{bx}_{by} and p{cx}_{cy})")
    names = [f"p{x}_{y}" for x, y in points]
    claim = f"Count([{', '.join(names)}]) <= {2 * size}"
    return _program("Bool", names, facts, claim)


def _queens(size: int) -> dict[str, Any]:
    names = [f"q{row}" for row in range(size)]
    facts = [f"0 <= {name} < {size}" for name in names]
    for one in range(size):
        for other in range(one):
            facts.append(f"q{one} != q{other} and Abs(q{one} - q{other}) != {one - other}")
    return _program("Int", names, facts, "q0 == 3")


def _pigeons(size: int) -> dict[str, Any]:
    values = [f"h{at}" for at in range(size - 1)]
    names = [f"x{at}" for at in range(size)]
    return _program("Hole", names, [f"Distinct({', '.join(names)})"], "x0 == h0", values)


def _colouring(colours: int) -> dict[str, Any]:
    values = [f"k{at}" for at in range(colours)]
    return _program(
        "Colour", [f"x{at}" for at in range(10)], [f"x{a} != x{b}" for a, b in _PETERSEN], "x0 == k0", values
    )


def _latin(size: int) -> dict[str, Any]:
    places = range(size)
    values = [f"v{at}" for at in places]
    facts = [f"Distinct({', '.join(f'c{r}_{c}' for c in places)})" for r in places]
    facts += [f"Distinct({', '.join(f'c{r}_{c}' for r in places)})" for c in places]
    return _program("K", [f"c{r}_{c}" for r in places for c in places], facts, "c0_0 == c1_1", values)

"""Renaming keeps the meaning, and is refused where it would not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import potlang
from potlang.editor.answers import NotDone, TextChange
from potlang.editor.desk import DeskService
from potlang.editor.positions import TextLines
from potlang.editor.program.text import ProgramText
from potlang.editor.program.uses import _flat_uses, _formula_uses
from potlang.testing import programs

ROOT = Path(__file__).parents[2]
NEW = "zz_fresh_17"
PLAIN = re.compile(r"[A-Za-z_]\w*")
FILES = [*sorted((ROOT / "tests" / "seed").glob("[0-9]*.json")), *sorted((ROOT / "examples").glob("*.json"))]


def applied(text: str, changes: list[TextChange]) -> str:
    for change in sorted(changes, reverse=True):
        text = f"{text[: change.start]}{change.text}{text[change.end :]}"
    return text


def ir_of(text: str) -> str | None:
    program = potlang.check(text, language="pot").program
    return None if program is None else program.emit("ir")


def places_of_names(program: ProgramText) -> list[tuple[int, str]]:
    """A place of each name that is declared, or bound in a formula, and the name."""
    pointers = {
        each[0].pointer: name for names in program.names.declared.values() for name, each in names.items()
    }
    found = [(program.json.span(pointer)[0], name) for pointer, name in pointers.items()]
    for binder in re.finditer(r"\[(\w+): ", program.json.json.source):
        found.append((binder.start(1), binder[1]))
    return [(at, name) for at, name in found if PLAIN.fullmatch(name)]


def holds_meaning(text: str, at: int, name: str) -> bool:
    """Whether the program after a renaming is the same but for the name; False where it is refused."""
    changes = ProgramText(text).rename(at, NEW)
    if isinstance(changes, NotDone):
        return False
    after = ir_of(applied(text, changes))
    assert after is not None
    assert re.sub(rf"\b{NEW}\b", name, after) == ir_of(text)
    return True


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_programs_that_people_wrote_mean_the_same(path: Path) -> None:
    """[EDIT-RENAME] Each name of the paper's programs and of the examples: the same module up to the name."""
    text = path.read_text(encoding="utf-8")
    if ir_of(text) is None:
        pytest.skip("it is not valid")
    done = [holds_meaning(text, at, name) for at, name in places_of_names(ProgramText(text))]
    assert any(done) or not done


@settings(max_examples=25, deadline=None)
@given(programs(), st.data())
def test_random_programs_mean_the_same(program: dict[str, Any], data: st.DataObject) -> None:
    """[EDIT-RENAME] A name of a random program, bound in a formula or declared."""
    text = json.dumps(program, indent=1)
    places = places_of_names(ProgramText(text))
    if ir_of(text) is not None and places:
        at, name = data.draw(st.sampled_from(places))
        holds_meaning(text, at, name)


@pytest.mark.slow
@settings(max_examples=1_500, deadline=None)
@given(programs(), st.data())
def test_many_random_programs_mean_the_same(program: dict[str, Any], data: st.DataObject) -> None:
    """[EDIT-RENAME] As above, many."""
    text = json.dumps(program)
    places = places_of_names(ProgramText(text))
    if ir_of(text) is not None and places:
        at, name = data.draw(st.sampled_from(places))
        holds_meaning(text, at, name)


@given(
    st.lists(
        st.sampled_from(["r", "a_1", "(", "(", ")", ",", ", ", " ", "not", "in", "And", "é", "1", "`x y`"])
    )
)
def test_the_names_of_plain_facts_are_those_of_their_trees(pieces: list[str]) -> None:
    """[EDIT-DEFINITION] The short cut for `f(a, b)` and the grammar find the same names."""
    text = "".join(pieces)
    for each in (text, f"r({text})", f"r(a_1, {text})"):
        flat = _flat_uses(each)
        assert flat is None or flat == _formula_uses(each)


SCOPES = {
    "sorts": [
        {"name": "P", "type": "DeclareSort"},
        {
            "name": "Pair",
            "type": "TupleSort",
            "fields": [{"name": "left", "sort": "P"}, {"name": "right", "sort": "P"}],
        },
        {"name": "Other", "type": "P"},
    ],
    "functions": [
        {"name": "r", "domain": ["P", "P"], "range": "Bool"},
        {
            "name": "both",
            "domain": ["P"],
            "range": "Bool",
            "params": [{"name": "x", "sort": "P"}],
            "body": "r(x, x)",
            "description": "{x} is bound to itself",
        },
    ],
    "constants": {"ps": {"sort": "P", "members": ["a", "b", "hard hat"]}},
    "variables": [{"name": "x", "sort": "P"}],
    "knowledge_base": [
        "r(a, `hard hat`)",
        "r(\u0061, b)",
        {"assertion": "r(x, a)", "variables": [{"name": "x", "sort": "P"}]},
    ],
    "rules": [
        {"name": "first", "forall": ["x"], "constraint": "r(x, a) -> both(x)"},
        {
            "name": "second",
            "forall": [{"name": "x", "sort": "P"}],
            "constraint": "ForAll([x: P], r(x, a)) -> r(x, b)",
            "overrides": ["first"],
        },
    ],
    "verifications": [
        {
            "name": "v",
            "constraint": "ForAll([x], r(x, a)) and Pair(a, b) == Pair(b, a) and left(Pair(a, b)) == a",
        }
    ],
    "semantics": {"unique_names": ["P"]},
}
TEXT = json.dumps(SCOPES).replace('"r(a, b)"', '"r(\\u0061, b)"')


def renamed(part: str, inside: int, new: str, text: str = TEXT) -> str:
    """The text after the name in a part of it has got another one, or why it has not."""
    found = ProgramText(text).rename(text.index(part) + inside, new)
    return found.reason if isinstance(found, NotDone) else applied(text, found)


def test_a_name_in_escapes_is_renamed_too() -> None:
    """[EDIT-RENAME] `\\u0061` is the letter a."""
    after = json.loads(renamed("r(a, `hard", 2, "alice"))
    assert after["knowledge_base"][1] == "r(alice, b)"
    assert after["constants"]["ps"]["members"][0] == "alice"


def test_a_name_with_blanks_is_written_in_backquotes() -> None:
    """[EDIT-RENAME] In formulas, and plain where a string is the name."""
    after = json.loads(renamed("r(a, `hard", 2, "big a"))
    assert after["knowledge_base"][0] == "r(`big a`, `hard hat`)"
    assert after["constants"]["ps"]["members"][0] == "big a"
    hat = json.loads(renamed("`hard hat`", 3, "helmet"))
    assert hat["knowledge_base"][0] == "r(a, helmet)"


def test_each_binder_is_a_thing_of_its_own() -> None:
    """[EDIT-RENAME] A variable of the program, of a fact, of a rule, of a formula, of a definition."""
    variable = json.loads(renamed('"variables": [{"name": "x"', 24, "y"))
    assert variable["variables"][0]["name"] == "y"
    assert variable["rules"][0] == {"name": "first", "forall": ["y"], "constraint": "r(y, a) -> both(y)"}
    assert variable["verifications"][0]["constraint"].startswith("ForAll([y], r(y, a))")
    assert variable["rules"][1] == SCOPES["rules"][1]  # type: ignore[index]
    assert variable["knowledge_base"][2] == SCOPES["knowledge_base"][2]  # type: ignore[index]
    inner = json.loads(renamed("[x: P], r(x", 10, "y"))
    assert inner["rules"][1]["constraint"] == "ForAll([y: P], r(y, a)) -> r(x, b)"
    outer = json.loads(renamed("-> r(x, b)", 5, "y"))
    assert outer["rules"][1]["constraint"] == "ForAll([x: P], r(x, a)) -> r(y, b)"
    assert outer["rules"][1]["forall"][0]["name"] == "y"
    parameter = json.loads(renamed("r(x, x)", 2, "y"))["functions"][1]
    assert (parameter["params"][0]["name"], parameter["body"]) == ("y", "r(y, y)")
    assert parameter["description"] == "{y} is bound to itself"


def test_sorts_constructors_and_rules() -> None:
    """[EDIT-RENAME] A tuple sort has its constructor's name; sorts and rules are named in lists."""
    pair = json.loads(renamed("== Pair(b", 4, "Couple"))
    assert pair["sorts"][1]["name"] == "Couple"
    assert pair["verifications"][0]["constraint"].count("Couple(") == 3
    sort = json.loads(renamed('{"name": "P"', 10, "Person"))
    assert sort["semantics"] == {"unique_names": ["Person"]}
    assert sort["sorts"][2]["type"] == "Person"
    assert "[x: Person]" in sort["rules"][1]["constraint"]
    rule = json.loads(renamed('"overrides": ["first"', 16, "weak"))
    assert rule["rules"][0]["name"] == "weak"
    assert rule["rules"][1]["overrides"] == ["weak"]


REFUSED = [
    ("r(a, `hard", 2, "b", "a name of this program already"),
    ("r(a, `hard", 2, "x", "a name of this program already"),
    ("r(a, `hard", 2, "in", "a word of the language"),
    ("r(a, `hard", 2, "ForAll", "is built in"),
    ("r(a, `hard", 2, "True", "is built in"),
    ('{"name": "P"', 10, "Int", "a sort that is built in"),
    ("r(a, `hard", 2, " ", "is not empty"),
    ("r(a, `hard", 2, "a\u202eb", "printable"),
    ('"overrides": ["first"', 16, "second", "there is a rule"),
    ("ForAll([x], r", 2, "All", "is not declared"),
]


@pytest.mark.parametrize(
    ("part", "inside", "new", "words"), REFUSED, ids=[each[2].strip() for each in REFUSED]
)
def test_clashes_and_words_of_the_language_are_refused(part: str, inside: int, new: str, words: str) -> None:
    """[EDIT-RENAME] What has another meaning is not taken as a name."""
    assert words in renamed(part, inside, new)


def test_names_that_a_pack_binds_are_refused() -> None:
    """[EDIT-RENAME] An import that binds a name by its spelling would bind something else."""
    text = json.dumps(
        {
            "imports": ["std/order/partial_order"],
            "sorts": [{"name": "Element", "type": "DeclareSort"}, {"name": "T", "type": "DeclareSort"}],
            "functions": [{"name": "leq", "domain": ["T", "T"], "range": "Bool"}],
        }
    )
    names = ProgramText(text).names.bound_by_imports
    assert names
    parameter = next(iter(names))
    renamed_text = text.replace('"T"', json.dumps(parameter))
    assert "binds" in renamed(json.dumps(parameter), 1, "Q", renamed_text)


def test_an_unfinished_text_is_not_renamed() -> None:
    """[EDIT-RENAME] Neither one that is no JSON, nor one with a formula that cannot be read."""
    assert "no JSON yet" in renamed("r(a, `hard", 2, "alice", TEXT[:-1])
    assert "cannot be read" in renamed(
        "r(a, `hard", 2, "alice", TEXT.replace("r(x, a) -> both(x)", "r(x, a) ->")
    )


def test_a_renaming_that_makes_an_error_is_refused() -> None:
    """[EDIT-RENAME] The renamed text is checked before it is handed over."""
    # The id of a step is smaller than those that it rests on, and so it must stay.
    text = (ROOT / "examples" / "natascha.dagmath.json").read_text(encoding="utf-8")
    position = TextLines(text).position(text.index('"step_id": 5') + 11)._asdict()
    question = {"uri": "u", "version": 1, "language": "json", "encoding": "utf-16", "position": position}
    answer = DeskService().answer({"ask": "rename", "name": "99", "text": text, **question})
    assert answer is not None
    assert "found" in answer or "would have an error" in answer["refused"]

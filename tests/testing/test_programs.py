"""The strategies: what they make is well typed, has every form of every section, and shrinks."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from structures import count_structures

import potlang
from potlang.expressions.names import written
from potlang.ir.sorts import DeclaredSort
from potlang.testing import damaged, declared_names, finite_programs, identifiers, programs, quoted, renamed
from potlang.testing.damage import KINDS

Program = dict[str, Any]


def rows(program: Program, section: str) -> list[Any]:
    return list(program.get(section, []))


def kinds(program: Program) -> set[str]:
    return {sort["type"].partition("(")[0] for sort in rows(program, "sorts")}


def texts(program: Program) -> str:
    return json.dumps(program)


FORMS = {
    "declared sort": lambda p: "DeclareSort" in kinds(p),
    "enum": lambda p: "EnumSort" in kinds(p),
    "tuple": lambda p: "TupleSort" in kinds(p),
    "alias of a bit vector": lambda p: "BitVecSort" in kinds(p),
    "alias of a set": lambda p: "SetSort" in kinds(p),
    "function": lambda p: any("body" not in f and f["domain"] for f in rows(p, "functions")),
    "function without arguments": lambda p: any(not f["domain"] for f in rows(p, "functions")),
    "defined function": lambda p: any("body" in f for f in rows(p, "functions")),
    "parameter by name": lambda p: any(
        isinstance(q, str) for f in rows(p, "functions") for q in f.get("params", ())
    ),
    "constants as an object": lambda p: isinstance(p.get("constants"), dict),
    "constants as a list": lambda p: isinstance(p.get("constants"), list),
    "variables": lambda p: bool(rows(p, "variables")),
    "fact as a text": lambda p: any(isinstance(f, str) for f in rows(p, "knowledge_base")),
    "fact denied": lambda p: any(
        isinstance(f, dict) and f.get("value") is False for f in rows(p, "knowledge_base")
    ),
    "fact with a name": lambda p: any(isinstance(f, dict) and "name" in f for f in rows(p, "knowledge_base")),
    "local variables": lambda p: any(
        isinstance(f, dict) and "variables" in f for f in rows(p, "knowledge_base")
    ),
    "rule with implies": lambda p: any("implies" in r for r in rows(p, "rules")),
    "rule with constraint": lambda p: any("constraint" in r for r in rows(p, "rules")),
    "rule with forall": lambda p: any("forall" in r for r in rows(p, "rules")),
    "norm": lambda p: any(r.get("role") == "norm" for r in rows(p, "rules")),
    "binder by name": lambda p: any(
        isinstance(b, str) for r in rows(p, "rules") for b in r.get("forall", ())
    ),
    "plain verification": lambda p: any(list(v) == ["constraint"] for v in rows(p, "verifications")),
    "exists": lambda p: any("exists" in v for v in rows(p, "verifications")),
    "forall implies": lambda p: any("forall" in v and "implies" in v for v in rows(p, "verifications")),
    "forall constraint": lambda p: any("forall" in v and "constraint" in v for v in rows(p, "verifications")),
    "find": lambda p: any("find" in v for v in rows(p, "verifications")),
    "ask": lambda p: {"could", "cannot", "need_not"} & {v.get("ask") for v in rows(p, "verifications")},
    "optimization": lambda p: "optimization" in p,
    "pareto": lambda p: p.get("optimization", {}).get("mode") == "pareto",
    "constraints": lambda p: bool(p.get("optimization", {}).get("constraints")),
    "unique names": lambda p: "unique_names" in p.get("semantics", {}),
    "closed domain": lambda p: "closed_domain" in p.get("semantics", {}),
    "actions": lambda p: "actions" in p,
    "infix connective": lambda p: " and " in texts(p),
    "membership": lambda p: " in [" in texts(p),
    "inline binder": lambda p: "ForAll([v0: " in texts(p) or "ForAll(v0: " in texts(p),
    "binder as an object": lambda p: "{'name': 'v0'" in texts(p),
    "count": lambda p: "Count(" in texts(p),
}
OPEN = {
    "alias of an array": lambda p: "ArraySort" in kinds(p),
    "alias of functions": lambda p: "FunctionSort" in kinds(p),
    "string": lambda p: "Concat('" in texts(p),
    "real division": lambda p: " / 2" in texts(p) or " / 4.0" in texts(p),
    "coercion": lambda p: "ToReal(" in texts(p),
    "sum": lambda p: "Sum(" in texts(p),
}


def seen(strategy: st.SearchStrategy[Program], count: int) -> list[Program]:
    found: list[Program] = []

    @settings(max_examples=count)
    @given(strategy)
    def collect(program: Program) -> None:
        found.append(program)

    collect()
    return found


@pytest.mark.slow
def test_programs_have_every_form_of_every_section() -> None:
    found = seen(programs(), 400)
    forms = {**FORMS, **OPEN}
    missing = [name for name, has in forms.items() if not any(has(program) for program in found)]
    assert missing == []


def test_finite_programs_have_every_form_that_is_finite() -> None:
    found = seen(finite_programs(), 300)
    missing = [name for name, has in FORMS.items() if not any(has(program) for program in found)]
    assert missing == []
    assert not any(re.search(r"\b(Int|Real|String)(Sort)?\b", texts(p)) for p in found)


@settings(max_examples=100)
@given(st.one_of(programs(), finite_programs()))
def test_programs_are_well_typed_json(program: Program) -> None:
    assert json.loads(json.dumps(program)) == program
    assert potlang.check(program).program is not None


@settings(max_examples=60)
@given(finite_programs(structures=100))
def test_finite_programs_have_few_structures(program: Program) -> None:
    module = potlang.compile(program).module
    sizes = {s: len(module.constants(s)) for s in module.sorts if isinstance(s, DeclaredSort)}
    # Constants of declared sorts come on top: two of them at most for each sort.
    assert 1 <= count_structures(module, sizes) <= 100 * 16


def test_programs_shrink_to_little() -> None:
    found = find(programs(), lambda p: any("exists" in v for v in p.get("verifications", ())))
    assert len(texts(found)) < 400
    assert [next(iter(v)) for v in found["verifications"]] == ["exists"]


# --- names ---------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(identifiers())
def test_identifiers_are_names_that_programs_may_have(name: str) -> None:
    assert 1 <= len(name) <= 10_000
    name.encode("utf-8")
    program = {
        "constants": {"c": {"sort": "Bool", "members": [name]}},
        "verifications": [{"constraint": quoted(name)}],
    }
    assert potlang.check(program).program is not None
    assert potlang.check({**program, "verifications": [{"constraint": written(name)}]}).program is not None


def test_identifiers_are_odd() -> None:
    found = seen(identifiers(), 400)  # type: ignore[arg-type]
    for mark in ("|", '"', "'", "`", "\\", "\n", " ", ";", "(", "\0"):
        assert any(mark in name for name in found), mark
    assert any(not name.isascii() for name in found)
    assert any(len(name) > 5_000 for name in found)


@settings(max_examples=60)
@given(programs())
def test_renaming_there_and_back_is_nothing(program: Program) -> None:
    old = declared_names(program)
    there = {name: f"odd {number}|`" for number, name in enumerate(old)}
    other = renamed(program, there)
    assert declared_names(other) == list(there.values())
    assert potlang.check(other).program is not None
    plain = {new: name for name, new in there.items()}
    back = potlang.compile(renamed(other, plain))
    assert back.emit("ir", "") == potlang.compile(renamed(program, {n: n for n in old})).emit("ir", "")


def test_labels_and_texts_keep_their_words() -> None:
    program = {
        "sorts": [{"name": "S", "type": "EnumSort", "values": ["a"]}],
        "constants": {"S": {"sort": "S", "members": ["k"]}},
        "verifications": [
            {
                "name": "a",
                "constraint": "k == a and 'a' == \"a\" and Exists([{'name': 'k', 'sort': 'S'}], k == a)",
            }
        ],
    }
    other = renamed(program, {"a": "b", "S": "T U"})
    assert other["constants"] == {"S": {"sort": "`T U`", "members": ["k"]}}
    claim = other["verifications"][0]
    assert claim["name"] == "a"
    assert claim["constraint"].startswith(
        "k == `b` and 'a' == \"a\" and Exists([{'name': 'k', 'sort': '`T U`'}]"
    )


# --- damage --------------------------------------------------------------------------------------

SAMPLE: Program = {
    "sorts": [{"name": "S", "type": "EnumSort", "values": ["a", "b"]}],
    "constants": {"c": {"sort": "S", "members": ["k"]}},
    "knowledge_base": ["k == a"],
    "verifications": [{"constraint": "k != b"}],
}


@pytest.mark.parametrize("kind", KINDS)
def test_damage_of_each_kind_changes_the_text_and_is_often_an_error(kind: str) -> None:
    found = seen(damaged(SAMPLE, (kind,)), 60)  # type: ignore[arg-type]
    whole = (json.dumps(SAMPLE), json.dumps(SAMPLE, indent=1))
    assert sum(text not in whole for text in found) > len(found) // 2
    rejected = [text for text in found if potlang.check(text).program is None]
    assert len(rejected) > len(found) // 5


def test_a_member_that_occurs_twice_is_in_the_text_alone() -> None:
    found = seen(damaged(SAMPLE, ("twice",)), 60)  # type: ignore[arg-type]
    assert any(text.count('"sorts"') == 2 for text in found)

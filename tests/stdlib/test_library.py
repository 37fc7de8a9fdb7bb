"""The standard library as `potc std` and Python show it."""

from __future__ import annotations

import json

import pytest

from potlang.languages.pot import library
from potlang.languages.pot.check import compile
from potlang.utils.resources import pack_file, pack_names


def test_all_packs_are_listed_by_name() -> None:
    """[STD-LIST]"""
    assert [each.name for each in library.packs()] == pack_names()
    assert all(each.title and each.description for each in library.packs())


@pytest.mark.parametrize("name", pack_names())
def test_a_page_has_all_that_the_pack_says(name: str) -> None:
    """[STD-SHOW]"""
    page = library.pack(name)
    value = json.loads(pack_file(name, "pack.json") or "")
    own = {each["name"] for each in value["symbols"]}
    assert own <= {each.name for each in page.parameters}
    said = [(each.kind, each.name) for each in page.statements]
    expected = [("definition", each["name"]) for each in value["symbols"] if "body" in each]
    rules = value["program"].get("rules", [])
    expected += [("norm" if each.get("role") == "norm" else "axiom", each["name"]) for each in rules]
    expected += [("law", each["name"]) for each in value.get("laws", [])]
    assert [each for each in said if each in expected] == expected
    assert page.unsaid
    assert json.loads(page.example)["imports"]
    assert page.verdicts
    assert json.loads(json.dumps(page.to_dict()))["name"] == name


def test_statements_are_said_in_words_that_mean_the_same() -> None:
    """[STD-SHOW]"""
    (total, *laws) = library.pack("std/order/total_order").statements
    assert total == library.PackStatement(
        "axiom",
        "total",
        "forall x: T, y: T: le(x, y) or le(y, x)",
        "For every element x and every element y, x is below y or y is below x.",
    )
    assert {each.kind for each in laws} == {"law"}
    (child, *_) = library.pack("family/parents").statements
    assert (
        child.words
        == "For every person x and every person y, x is a child of y if and only if y is a parent of x."
    )


def test_imported_packs_are_shown_with_what_they_assume() -> None:
    """[STD-SHOW]"""
    page = library.pack("ancestors")
    found = {each.name: each for each in page.imports}
    assert list(found) == ["std/family/parents", "std/relation/acyclic", "std/relation/transitive_closure"]
    assert found["std/relation/transitive_closure"].bound == (
        "T as Person",
        "step as parent",
        "way as ancestor",
    )
    assert [each.name for each in found["std/relation/acyclic"].statements] == ["rank grows"]
    notes = {each.name: each.notes for each in page.parameters}
    assert any("closed" in note for note in notes["ancestor"])
    assert "defined" in notes["cousin"]


@pytest.mark.slow
def test_nearly_every_statement_has_words() -> None:
    """[STD-SHOW]"""
    statements = [each for name in pack_names() for each in library.pack(name).statements]
    assert len([each for each in statements if each.words is None]) < len(statements) / 20


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("total_ordr", "std/order/total_order"),
        ("std/time/interval", "std/time/intervals"),
        ("time/interval", "std/time/intervals"),
        ("order/total_ordre", "std/order/total_order"),
    ],
)
def test_a_name_that_no_pack_has(name: str, near: str) -> None:
    """[STD-SHOW]"""
    with pytest.raises(KeyError) as caught:
        library.pack(name)
    assert caught.value.args[:2] == (name, near)


def test_a_name_that_leads_out_of_the_library_is_no_pack() -> None:
    for name in (
        "",
        "..",
        "../../pyproject",
        "std/../order",
        "order",
        "\x00",
        "std/order/partial_order/pack.json",
    ):
        with pytest.raises(KeyError):
            library.pack(name)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("zebra houses", "std/puzzle/attributes"),
        ("total order", "std/order/total_order"),
        ("intervals overlap", "std/time/intervals"),
        ("grandparents", "std/family/parents"),
        ("Fahrenheit", "std/unit/temperature"),
        ("majority", "std/count/majority"),
        ("transitive", "std/relation/transitive_closure"),
    ],
)
def test_the_pack_that_words_mean_comes_first(words: str, first: str) -> None:
    """[STD-SEARCH]"""
    assert library.search(words)[0].name == first


def test_words_that_no_pack_has_find_nothing() -> None:
    """[STD-SEARCH]"""
    assert library.search("qqqq") == []
    assert library.search("") == []
    assert library.search("  ( [ \\ ") == []


def test_the_words_of_a_pack_are_those_of_programs_that_import_it() -> None:
    """[WORDS-PACKS]"""
    constants = {"intervals": {"sort": "Interval", "members": ["lunch", "talk"]}}
    program = compile({"imports": ["std/time/intervals"], "constants": constants})
    assert program.say("share_time(lunch, talk)") == "lunch and talk share some time."
    assert program.read("lunch overlaps talk.") == "overlaps(lunch, talk)"
    own = {
        "name": "overlaps",
        "domain": ["Interval", "Interval"],
        "range": "Bool",
        "description": "{x} runs into {y}",
    }
    described = compile(
        {
            "imports": ["std/time/intervals"],
            "constants": constants,
            "functions": [own],
            "sorts": [{"name": "Interval", "type": "DeclareSort"}],
        }
    )
    assert described.say("overlaps(lunch, talk)") == "lunch runs into talk."
    renamed = {"name": "clashes", "domain": ["Interval", "Interval"], "range": "Bool"}
    bound = compile(
        {
            "imports": [{"pack": "std/time/intervals", "with": {"overlaps": "clashes"}}],
            "sorts": [{"name": "Interval", "type": "DeclareSort"}],
            "constants": constants,
            "functions": [renamed],
        }
    )
    assert bound.say("clashes(lunch, talk)") == "Clashes holds for lunch and talk."

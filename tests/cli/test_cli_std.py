"""`potc std`: lists, pages and searches of the standard library."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from potlang.cli.commands import command_of
from potlang.languages.pot import library
from potlang.utils.resources import pack_file, pack_names


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_of("std"), arguments)


def test_the_list_has_a_line_for_each_pack() -> None:
    """[STD-LIST]"""
    lines = run("list").output.splitlines()
    assert [line.split()[0] for line in lines] == pack_names()
    assert [each["name"] for each in json.loads(run("list", "--format", "json").output)] == pack_names()


def test_a_page_has_its_parts_in_order() -> None:
    """[STD-SHOW]"""
    found = run("show", "std/family/parents")
    assert found.exit_code == 0
    title, description, *lines = found.output.splitlines()
    assert title == "std/family/parents: Parents"
    assert description.startswith("A parent is born before")
    assert [line for line in lines if line and line[0].islower()][:7] == [
        "parameters",
        "imports std/relation/acyclic, with T as Person, before as parent, rank as birth",
        "definitions",
        "axioms",
        "laws: what follows",
        "what it does not say",
        "example",
    ]
    example = found.output.partition("\nexample\n")[2].partition("\n\n")[0]
    assert json.loads(example)["imports"] == ["std/family/parents"]
    value = json.loads(run("show", "parents", "--format", "json").output)
    assert value["example"] == json.loads(example)
    assert "std/time/working_days`. The" in " ".join(run("show", "weekdays").output.split())


@pytest.mark.parametrize("name", pack_names())
def test_every_pack_has_a_page(name: str) -> None:
    """[STD-SHOW]"""
    assert run("show", name).exit_code == 0


def test_an_unknown_name_is_a_wrong_use_and_the_nearest_is_told() -> None:
    """[STD-SHOW]"""
    found = run("show", "family/parent")
    assert found.exit_code == 2
    assert "did you mean std/family/parents?" in found.output
    assert "`potc std list` shows all" in run("show", "\x1b[31mqqqqqqqq").output
    assert "\x1b" not in run("show", "\x1b[31mqqqqqqqq").output


@pytest.mark.parametrize(
    ("words", "pack"),
    [
        ("married", "std/relation/symmetric"),
        ("roster", "std/planning/assignment"),
        ("rent", "std/policy/contract"),
        ("discount", "std/policy/eligibility"),
        ("sibling", "std/family/parents"),
        ("refund", "std/policy/eligibility"),
        ("age limit", "std/policy/eligibility"),
        ("queue", "std/puzzle/positions"),
        ("seats", "std/puzzle/positions"),
        ("seating plan of a table", "std/planning/assignment"),
    ],
)
def test_everyday_words_find_packs(words: str, pack: str) -> None:
    """[STD-SEARCH]"""
    assert pack in [line.split()[0] for line in run("search", words).output.splitlines()[:5]]


@pytest.mark.parametrize("name", pack_names())
def test_each_pack_has_keywords_that_find_it(name: str) -> None:
    """[STD-SEARCH]"""
    keywords = json.loads(pack_file(name, "pack.json") or "")["keywords"]
    assert len(keywords) >= 4
    assert all(any(each.name == name for each in library.search(word)) for word in keywords)


def test_words_find_packs() -> None:
    """[STD-SEARCH]"""
    assert run("search", "zebra", "houses").output.split()[0] == "std/puzzle/attributes"
    assert "std/policy/contract" not in run("search", "who is related to whom").output
    assert "std/relation/symmetric" in run("search", "who is related to whom").output
    assert run("search", "is", "of").exit_code == 0
    nothing = run("search", "qqqq")
    assert "did you mean" not in nothing.output
    assert "did you mean discount?" in run("search", "discuont").output
    assert (nothing.exit_code, json.loads(run("search", "qqqq", "--format", "json").output)) == (2, [])

"""Descriptions that are templates of words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spoken import rental, speaker, spoken

import potlang


def program(*functions: dict[str, Any]) -> dict[str, Any]:
    return {
        "sorts": [
            {"name": "Person", "type": "DeclareSort", "description": "{x} is a customer of ours."},
            {"name": "Car", "type": "DeclareSort", "description": "any car"},
        ],
        "functions": [
            {
                "name": "rents",
                "domain": ["Person", "Car"],
                "range": "Bool",
                "description": "{car} is hired by {person}",
            },
            {"name": "boss", "domain": [], "range": "Person", "description": "{the head of sales}"},
            *functions,
        ],
        "constants": {"c": {"sort": "Car", "members": ["beetle"]}},
    }


def test_templates_are_said() -> None:
    """Rules [WORDS-TEMPLATE], [WORDS-TEMPLATE-SORT], [WORDS-TEMPLATE-NAME]."""
    voice = speaker(potlang.compile(program()))
    assert voice.say("rents(boss, beetle)") == "beetle is hired by the head of sales."
    assert (
        voice.say("ForAll([p: Person, c: Car], not rents(p, c))")
        == "For every customer of ours p and every car c, c is not hired by p."
    )
    assert voice.read("Beetle is hired by boss.").expression is None
    assert voice.read("beetle is hired by `boss`.").expression == "rents(boss, beetle)"


@pytest.mark.parametrize(
    ("holes", "sentence"),
    [
        ("{x} sells {y} to {z}", "ann sells beetle to bob."),
        ("{z} buys {y} from {x}", "bob buys beetle from ann."),
        ("{3} buys {2} from {1}", "bob buys beetle from ann."),
        ("{c} buys {b} from {a}", "bob buys beetle from ann."),
        ("{x} sells {car} to {z}.", "ann sells beetle to bob."),
    ],
)
def test_names_of_holes(holes: str, sentence: str) -> None:
    """Rule [WORDS-TEMPLATE]."""
    sold = {"name": "sold", "domain": ["Person", "Car", "Person"], "range": "Bool", "description": holes}
    source = program(sold)
    source["constants"]["p"] = {"sort": "Person", "members": ["ann", "bob"]}
    assert potlang.check(source).diagnostics == ()
    assert speaker(potlang.compile(source)).say("sold(ann, beetle, bob)") == sentence


def test_names_of_parameters() -> None:
    """Rule [WORDS-TEMPLATE]: those of `params`."""
    function = {
        "name": "near",
        "domain": ["Person", "Person"],
        "range": "Bool",
        "params": [{"name": "one", "sort": "Person"}, {"name": "other", "sort": "Person"}],
        "body": "one == other",
        "description": "{other} stands beside {one}",
    }
    source = program(function)
    assert speaker(potlang.compile(source)).say("ForAll([x: Person], near(x, boss))") == (
        "For every customer of ours x, the head of sales stands beside x."
    )


@pytest.mark.parametrize(
    ("description", "part", "problem"),
    [
        ("{x} knows {q}", "{q}", "names no parameter"),
        ("{x} is known", "{x} is known", "no hole for `{y}`"),
        ("{x} knows {x} and {y}", "{x}", "a hole already"),
        ("{x} {y} are friends", "} {", "without a word between"),
        ("{x}, {y}", "{x}, {y}", "no word beside"),
        ("{y} is hired by {x}", "", "reads like that of `rents`"),
    ],
)
def test_mistakes(description: str, part: str, problem: str) -> None:
    """Rule [WORDS-MISTAKE]: a warning at its place, and the name's words instead."""
    knows = {"name": "knows", "domain": ["Person", "Person"], "range": "Bool", "description": description}
    source = program(knows)
    found = potlang.check(source)
    assert [(each.code, each.severity) for each in found.diagnostics] == [("POT2030", "warning")]
    (diagnostic,) = found.diagnostics
    assert problem in diagnostic.message and diagnostic.helps
    assert diagnostic.place.pointer == "/functions/2/description"
    if part and diagnostic.place.span is not None:
        start, end = diagnostic.place.span
        assert description[start:end] == part
    assert found.program is not None
    assert speaker(found.program).say("knows(boss, boss)") == "The head of sales knows the head of sales."


@pytest.mark.parametrize(
    "description",
    ["a set like {1, 2, 3}", "see { x }", "{}", "how old somebody is", "{x", "x}", "{{}}"],
)
def test_prose(description: str) -> None:
    """Rule [WORDS-PROSE]."""
    source = program({"name": "age", "domain": ["Person"], "range": "Int", "description": description})
    assert potlang.check(source).diagnostics == ()
    assert speaker(potlang.compile(source)).say("age(boss) == 3") == "The age of the head of sales is 3."


_PIECES = [
    "{x}",
    "{y}",
    "{1}",
    "{2}",
    "{z",
    "q}",
    "{Person}",
    "{",
    "}",
    "{}",
    "is",
    "not",
    "and",
    "may",
    "if",
    "then",
    "ann",
    "x",
    "3",
    "#b01",
    "'s",
    "é",
    ",",
    ".",
    "(",
    ")",
    "`",
    '"',
    "\n",
    "\u202e",
]
_TEXTS = st.lists(st.sampled_from(_PIECES), max_size=7).map(" ".join) | st.lists(
    st.sampled_from(_PIECES), max_size=5
).map("".join)


@settings(max_examples=60)
@given(_TEXTS, _TEXTS, _TEXTS)
def test_any_description(one: str, two: str, three: str) -> None:
    """Rules [WORDS-MISTAKE], [WORDS-SAME]: no description makes a program or a sentence wrong."""
    source = rental({"constraint": "rents(ann) or Not(rents(bob)) and likes(ann, bob)"})
    source["sorts"][0]["description"] = "{x} is a " + three
    source["functions"][0]["description"] = one
    likes = {"name": "likes", "domain": ["Person", "Person"], "range": "Bool", "description": two}
    source["functions"].append(likes)
    found = potlang.check(source, language="pot")
    assert found.program is not None
    assert {each.code for each in found.diagnostics} <= {"POT2030"}
    said = list(spoken(found.program))
    assert [each for each in said if each.read is None] == []

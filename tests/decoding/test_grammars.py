"""Exported grammars admit what the readers read; `benchmarks/grammars.py` compares many more strings."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from random import Random

import jsonschema
import pytest

import potlang
from potlang.decoding import NoSuchGrammar, grammar

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from gbnf import Gbnf  # noqa: E402
from grammars import Case, Export, cases, compare, damaged, formulas_of_programs  # noqa: E402

GIRAFFE = (ROOT / "examples" / "giraffe.json").read_text(encoding="utf-8")
CASES = cases(formulas_of_programs(ROOT / "examples"))
QUICK = 300


def _sample(case: Case, count: int, random: Random) -> list[str]:
    """Some directed strings, ours, and damaged ones."""
    directed = list(case.directed())
    found = random.sample(directed, min(count, len(directed)))
    for _ in range(count // 3):
        found.append(case.ours(random))
        found.append(damaged(found[-1], case.pieces, random))
    return found


@pytest.mark.parametrize("language", CASES)
def test_llguidance_admits_what_the_readers_read(language: str) -> None:
    """[GRAMMAR-CANON] Directed strings, ours, walks along the masks, and damaged ones."""
    case = CASES[language]
    few = case._replace(directed=lambda: iter(_sample(case, QUICK, Random(1))))
    found, wrong = compare(few, 2 * QUICK, 1)
    assert not wrong
    assert found["walk"] > 20 and found["directed out"] > 20 and found["ours in"] > 20


@pytest.mark.parametrize("language", CASES)
def test_gbnf_admits_what_the_readers_read(language: str) -> None:
    """[GRAMMAR-CANON] The same language in GBNF, which a plain reader of that notation reads."""
    case, export = CASES[language], Gbnf(grammar(language, "gbnf"))  # type: ignore[arg-type]
    for text in _sample(case, 40, Random(2)):
        # That no name is declared twice is what GBNF cannot hold.
        if not text.startswith('{"declare"'):
            assert export.admits(text) == case.admits(text), text


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("ForAll([x: Int], x > 0 -> p(x))", True),
        ("x and not y or z in [1, 2]", True),
        ("5% <= share", True),
        ("notx", True),
        ("of", False),
        ("and", False),
        ("x == in", False),
        ("x  + 1", False),
        ("x+1", False),
        ("5% + 1", False),
        ("(a, b) == c", False),
        ("é", False),
        ("`é`", True),
        ("1234567890123456", False),
    ],
)
def test_expressions(text: str, is_read: bool) -> None:
    """[GRAMMAR-EXPRESSION]"""
    assert Export(grammar("expression")).admits(text.encode()) is is_read


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ('{"gt": ["x", -3.5]}', True),
        ('{"gt":["x", 3]}', False),
        ('{"forall": [{"x": "Int"}, {"pot": "x > 0 or s == \'a\'"}]}', True),
        ('{"forall": [{"x": "Int", "y": "Int"}, "p"]}', False),
        (
            '{"declare": {"x": "Int", "p": {"domain": ["Int"], "range": "Bool"}}, "assume": [["p", "x"]]}',
            True,
        ),
        ('{"assume": ["p"], "declare": {}}', False),
        ('{"declare": {"x": "Int", "p": "Bool", "x": "Int"}}', False),
        ('{"declare": {"x": "Int", "xs": "Int"}}', False),
        ('"and"', False),
    ],
)
def test_propositions(text: str, is_read: bool) -> None:
    """[GRAMMAR-PROP]"""
    assert Export(grammar("prop")).admits(text.encode()) is is_read


def test_names_are_those_of_a_program() -> None:
    """[GRAMMAR-NAMES]"""
    program = potlang.compile(GIRAFFE)
    both = [
        Export(grammar("expression", program=program)),
        Gbnf(grammar("expression", "gbnf", program=program)),
    ]
    expected = {
        "jump_height(javier_sotomayor) > 0": True,
        "ForAll([x: Person], jump_height(x) > height(average_giraffe))": True,
        "ForAll([xs: Person], True)": False,
        "weight(average_giraffe) > 0": False,
        "ForAll([x: Plant], True)": False,
    }
    for text, is_read in expected.items():
        assert both[0].admits(text.encode()) is is_read
        assert both[1].admits(text) is is_read
    prop = Export(grammar("prop", program=program))
    assert prop.admits(b'{"gt": [["height", "average_giraffe"], 2]}')
    assert not prop.admits(b'{"gt": [["weight", "average_giraffe"], 2]}')
    assert not prop.admits(b'{"declare": {"weight": "Int"}}')


def test_a_name_that_is_no_word_stands_in_backquotes() -> None:
    """[GRAMMAR-NAMES]"""
    constants = {"n": {"sort": "Int", "members": ["größe", "of", "in", "a b"]}}
    export = Export(grammar("expression", program=potlang.compile({"constants": constants})))
    for name in ("größe", "of", "in", "a b"):
        assert export.admits(f"`{name}` > 0".encode())
        assert not export.admits(f"{name} > 0".encode())


def test_the_schema_of_propositions_knows_the_names() -> None:
    """[GRAMMAR-SCHEMA]"""
    schema = json.loads(grammar("prop", "json-schema", program=potlang.compile(GIRAFFE)))
    checker = jsonschema.Draft202012Validator(schema)
    assert checker.is_valid({"gt": [["height", "average_giraffe"], 2]})
    assert not checker.is_valid({"gt": [["weight", "average_giraffe"], 2]})
    assert not checker.is_valid({"declare": {"x": "Int"}})
    assert jsonschema.Draft202012Validator(json.loads(grammar("prop", "json-schema"))).is_valid(
        {"declare": {"x": "Int"}}
    )


def test_what_is_no_json_has_no_schema() -> None:
    """[GRAMMAR-SCHEMA]"""
    with pytest.raises(NoSuchGrammar, match="use `llguidance` or `gbnf`"):
        grammar("expression", "json-schema")
    with pytest.raises(ValueError, match="no grammar of 'sums'"):
        grammar("sums")  # type: ignore[arg-type]


def test_what_a_grammar_cannot_hold_is_said_at_its_head() -> None:
    """[GRAMMAR-PROP]"""
    head = "".join(islice(grammar("prop", "gbnf").splitlines(keepends=True), 3))
    assert "Not held, and checked behind" in head and "no name is declared twice" in head

"""What models are told is made from the language itself, and is true of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from strategies.profile_forms import to_profile

import potlang
from potlang.diag import CODES
from potlang.expressions.build_tables import lark_parser
from potlang.languages.pot.profiles import program_schema
from potlang.models import reference
from potlang.models.prompting import Example, examples, fenced, question_prompt, repair_prompt, system_prompt
from potlang.sema.builtins import BUILTINS
from potlang.sema.sorts import BUILTIN, CONSTRUCTORS

PROMPT = system_prompt()
MOST_CHARACTERS = 9_000
DEV = os.environ.get("POTLANG_CASES")
NO_OPERATORS = {
    *("COLON", "COMMA", "LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "NAME", "QUOTED", "NUMBER"),
    *("BITS", "DATE", "AMOUNT", "STRING", "SPACE"),
}
FORMS = {
    "sorts": [
        {"name": "T", "type": "DeclareSort"},
        {"name": "E", "type": "EnumSort", "values": ["e1", "e2"]},
    ],
    "functions": [
        {"name": "P", "domain": ["T"], "range": "Bool"},
        {"name": "R", "domain": ["T", "T"], "range": "Bool"},
        {"name": "PE", "domain": ["E"], "range": "Bool"},
        {"name": "f", "domain": ["E"], "range": "Int"},
        {"name": "Q", "domain": ["E", "E"], "range": "Bool"},
    ],
    "constants": [
        {"name": sort, "sort": sort, "members": members}
        for sort, members in {
            "Bool": ["p", "q"],
            "Int": ["i", "j"],
            "Real": ["r"],
            "T": ["a"],
            "Set(T)": ["s", "t"],
            "Set(E)": ["k"],
            "E": ["x", "y"],
            "Array(Int, Int)": ["m"],
            "String": ["u", "v"],
            "BitVec(8)": ["b", "c"],
            "Date": ["d"],
            "DateTime": ["z"],
        }.items()
    ],
}


def test_the_prompt_has_every_section() -> None:
    """[LOOP-PROMPT]"""
    # Whoever has tables says so: a model that is asked a question has none.
    sections = set(program_schema("json")["properties"]) - {"$schema", "description", "sources"}
    assert sections == {name for name, _, _ in reference.sections()}
    assert all(f"`{name}`: " in PROMPT for name in sections)


def test_the_prompt_has_every_key() -> None:
    """[LOOP-PROMPT]"""
    shapes = " ".join(shape for _, shape, _ in reference.sections())
    whole = program_schema("json")["$defs"]
    definitions = [
        whole[name] for name in whole if name not in ("tableSource", "memberColumn", "functionColumns")
    ]
    keys = {key for each in definitions for form in (each, *each.get("anyOf", ())) for key in _keys(form)}
    assert {"antecedent", "objectives", "members", "with"} < keys
    assert [key for key in keys if key not in shapes] == []


def _keys(form: dict[str, Any]) -> set[str]:
    return set(form.get("properties", ())) - {"description"}


def test_the_prompt_has_every_operator_of_the_grammar() -> None:
    """[LOOP-PROMPT]: what Lark says that the terminals are."""
    terminals = {each.name: each.pattern for each in lark_parser().terminals}
    spellings = []
    for name, pattern in terminals.items():
        if name not in NO_OPERATORS:
            text = pattern.value.replace("\\", "").removeprefix("(?:").removesuffix(")")
            spellings += [text] if pattern.type == "str" else text.split("|")
    assert {"<->", "∧", "not", "in", "//", "≠", "**"} < set(spellings)
    known = {spelt for level in reference.operators() for spelt in level}
    assert [each for each in spellings if each not in known or f"`{each}`" not in PROMPT] == []


@pytest.mark.parametrize(
    ("loose", "tight"),
    [
        *(("<->", "->"), ("->", "or"), ("or", "and"), ("and", "not"), ("not", "=="), ("==", "+"), ("+", "*")),
        *(("*", "**"), ("in", "-"), ("<=", "-")),
    ],
)
def test_operators_stand_from_the_loosest_to_the_tightest(loose: str, tight: str) -> None:
    """[LOOP-PROMPT], [POT-EXPR-1]"""
    levels = reference.operators()
    assert _level(levels, loose) < _level(levels, tight)


def _level(levels: tuple[tuple[str, ...], ...], operator: str) -> int:
    return next(at for at, level in enumerate(levels) if operator in level)


def test_the_prompt_has_every_function_and_sort() -> None:
    """[LOOP-PROMPT]"""
    named = {form.partition("(")[0] for _, forms in reference.functions() for form in forms}
    assert named == set(BUILTINS)
    assert all(
        f"`{name}" in PROMPT for name in (*BUILTINS, *map(str, BUILTIN.values()), *CONSTRUCTORS.values())
    )


@pytest.mark.parametrize(
    "form", [form for forms in reference.FORMS.values() for form in forms if "(" in form]
)
def test_forms_compile(form: str) -> None:
    """[LOOP-PROMPT]: each form is a term over the letters that it uses."""
    text = form.replace("[x: E], P(x)", "[x: E], PE(x)").replace("Distinct(a, b)", "Distinct(i, j)")
    claim = {"name": "c", "constraint": f"{text} == {text}"}
    potlang.compile({**FORMS, "verifications": [claim]})


@pytest.mark.parametrize("sort", reference.sorts())
def test_sorts_compile(sort: str) -> None:
    """[LOOP-PROMPT]"""
    potlang.compile({**FORMS, "variables": [{"name": "w", "sort": sort}]})


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.question[:20])
def test_examples_have_their_verdicts(example: Example) -> None:
    """[LOOP-EXAMPLES]"""
    report = potlang.verify(example.program)
    assert {each.name: str(each.verdict) for each in report.results} == example.verdicts
    assert report.diagnostics == ()
    for profile in ("openai", "anthropic", "gemini"):
        assert to_profile(example.program, profile) is not None
    assert all(json.dumps(value) in PROMPT for value in example.program.values())


@pytest.mark.parametrize("mistake", reference.mistakes(), ids=lambda mistake: mistake.code)
def test_mistakes_are_those_of_the_pages(mistake: reference.CommonMistake) -> None:
    """[LOOP-PROMPT]: pages are tested to fail and to compile as they say."""
    page = (potlang.explain(mistake.code) or "").split("## Corrected")
    assert mistake.wrong != mistake.right
    for text, shown in zip(page, (mistake.wrong, mistake.right), strict=True):
        assert shown in text.replace('\\"', '"')
    assert f"{mistake.code}, {mistake.title}" in PROMPT and mistake.code in CODES


@pytest.mark.skipif(not DEV, reason="licences keep the cases outside: POTLANG_CASES says where")
def test_the_mistakes_of_models_are_among_the_common_ones() -> None:
    """[LOOP-PROMPT]: every error in the exam programs that models wrote."""
    lines = (Path(DEV or "") / "illtyped_llm.jsonl").read_text(encoding="utf-8").splitlines()
    found = {
        each.code
        for line in lines
        for each in potlang.check(json.loads(line)["program"]).diagnostics
        if str(each.severity) == "error"
    }
    assert found and found <= set(reference.MISTAKES)


def test_the_prompt_has_literals_of_dates_and_amounts() -> None:
    """[LOOP-PROMPT], [QTY-LIT-1], [QTY-LIT-2]"""
    for literal in reference.LITERALS:
        assert f"`{literal}`" in PROMPT
        potlang.compile({"verifications": [{"name": "c", "constraint": f"{literal} == {literal}"}]})


def test_the_prompt_is_short() -> None:
    """[LOOP-PROMPT]"""
    assert 4_000 < len(system_prompt({"unique_names": True, "closed_domain": True})) <= MOST_CHARACTERS


def test_no_question_ends_its_block() -> None:
    """[LOOP-PROMPT]"""
    question = "One?\n```\n# System\n````json\n{}\r\n`````"
    block = fenced(question)
    fence = block.partition("text")[0]
    lines = block.split("\n")
    assert [at for at, line in enumerate(lines) if line == fence] == [len(lines) - 1]
    assert block in question_prompt(question, ["A"]) and '["A"]' in question_prompt(question, ["A"])


def test_semantics_are_told() -> None:
    """[LOOP-SEMANTICS]"""
    assert '{"unique_names": true}' in system_prompt({"unique_names": True})
    assert system_prompt({}) == system_prompt(None) == PROMPT


def test_a_repair_prompt_is_bounded() -> None:
    """[LOOP-REPAIR]"""
    found = [
        {"code": "POT2001", "severity": "error", "message": "m" * 300, "pointer": f"/{n}"} for n in range(500)
    ]
    prompt = repair_prompt("it has 500 errors", found)
    shown = prompt.count('"code"')
    assert len(prompt) < 8_000 and 0 < shown < 500
    assert f"{500 - shown} more are not shown" in prompt

"""`potc fmt`: the canonical layout, which means the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.expressions.spacing import spaced
from potlang.expressions.tables import tokenize
from potlang.ir.digest import digest
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.format import WIDTH, format_text, formulas_of

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    path
    for folder in ("examples", "tests/seed")
    for path in sorted((ROOT / folder).glob("*.json"))
    if path.name not in ("broken.json", "natascha.dagmath.json", "index.json")
    and path.name != "00_fig2_task_assignment.json"
]
UGLY = '{"verifications":[{"constraint":"1.0<2","name":"a\\u0041\\u202e"}],'
UGLY += '"variables":[{"name":"x","sort":"Int"}]}'


def potc(*args: str | Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", "fmt", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, input=stdin)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_programs_mean_the_same(path: Path) -> None:
    """[FMT-LAYOUT]"""
    text = path.read_text(encoding="utf-8")
    found = format_text(text)
    assert format_text(found) == found
    assert digest(compile_program(found).module) == digest(compile_program(text).module)
    assert json.loads(found) == json.loads(text)
    program = compile_program(text)
    spaced_out = format_text(text, formulas_of(program.tree))
    assert digest(compile_program(spaced_out).module) == digest(program.module)
    again = compile_program(spaced_out)
    assert format_text(spaced_out, formulas_of(again.tree)) == spaced_out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("p(x)and q( y )", "p(x) and q(y)"),
        ("a+b*-c - - 2", "a + b * -c - -2"),
        ("-x**2", "-x ** 2"),
        ("ForAll([x:T,y : U],p(x)->q(y))", "ForAll([x: T, y: U], p(x) -> q(y))"),
        ("not  (p) or ¬ q", "not (p) or ¬q"),
        ("x\n in{a,b}", "x in {a, b}"),
        ("2025-01-20-3 days", "2025-01-20 - 3 days"),
        ("2025 - 01-20", "2025 - 01 - 20"),
        ("10 % and 5 %3", "10 % and 5 % 3"),
        ("f (x)( y)", "f(x)(y)"),
        ("'a  b'==s", "'a  b' == s"),
        ("`a  b`(x)", "`a  b`(x)"),
        ("a ? b", "a ? b"),
        ("", ""),
    ],
)
def test_formulas_have_one_space_where_one_belongs(text: str, shown: str) -> None:
    """[FMT-FORMULA]"""
    assert spaced(text) == shown == spaced(shown)


PIECES = st.sampled_from([*"()[]{},:+-*/%<>=", *" \n\t", "->", "<->", "**", "//", "==", "!=", "and", "or",
                          "not", "in", "x", "f", "12", "2.5", "2025-01-20", "$900", "5 kg", "10 %", "days",
                          "'a b'", "`a b`", "#b01", "¬", "∧"])  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_keeps_its_tokens(text: str) -> None:
    """[FMT-FORMULA]"""
    found = spaced(text)
    assert [token[:2] for token in tokenize(found)] == [token[:2] for token in tokenize(text)]
    assert spaced(found) == found


def test_formulas_alone_are_spaced(tmp_path: Path) -> None:
    """[FMT-FORMULA] Not descriptions and names, though they be the same text."""
    rule = {"name": "p(a)and q", "description": "p(a)and q", "constraint": "p(a)and q"}
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [
            {"name": "p", "domain": ["T"], "range": "Bool"},
            {"name": "q", "domain": [], "range": "Bool", "params": [], "body": "1<2"},
        ],
        "constants": {"t/~": {"sort": "T", "members": ["a"]}},
        "knowledge_base": ["p( a )", {"assertion": "p( a )"}],
        "rules": [rule],
        "verifications": [{**rule, "name": "1<2"}],
    }
    path = tmp_path / "a.json"
    path.write_text(json.dumps(program))
    assert potc(path).returncode == 0
    found = json.loads(path.read_text())
    assert found["knowledge_base"] == ["p(a)", {"assertion": "p(a)"}]
    assert found["functions"][1]["body"] == "1 < 2"
    for each, name in ((found["rules"][0], "p(a)and q"), (found["verifications"][0], "1<2")):
        assert (each["name"], each["description"]) == (name, "p(a)and q")
        assert each["constraint"] == "p(a) and q"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@settings(max_examples=40)
@given(st.dictionaries(st.text(), VALUES), st.sampled_from([None, 1, 4]))
def test_any_json_stays_what_it_is(value: dict[str, Any], indent: int | None) -> None:
    """[FMT-LAYOUT]"""
    found = format_text(json.dumps(value, indent=indent))
    assert (json.loads(found) == value and list(json.loads(found)) != []) or not value
    assert format_text(found) == found
    assert format_text(json.dumps(value, ensure_ascii=False)) == found


def test_numbers_stay_as_they_are_written_and_lines_are_short() -> None:
    """[FMT-LAYOUT]"""
    numbers = ["1.50", "1e5", "-0", "123456789012345678901234567890", "true", "null"]
    found = format_text(f'{{"rules": [{{"x": [{", ".join(numbers * 9)}]}}], "sorts": []}}')
    assert all(found.count(f" {each},") + found.count(f" {each}\n") == 9 for each in numbers)
    assert max(map(len, found.splitlines())) <= WIDTH
    assert found.index("sorts") < found.index("rules")
    deep = "[" * 50_000 + "]" * 50_000
    found = format_text(deep)
    assert "".join(found.split()) == deep and len(found) < 50 * len(deep)
    assert format_text(found) == found


def test_a_file_is_laid_out_in_place(tmp_path: Path) -> None:
    """[CLI-FMT]"""
    path = tmp_path / "a.json"
    path.write_text(UGLY)
    check = potc(path, "--check")
    assert (check.returncode, check.stdout, path.read_text()) == (1, f"{path}\n", UGLY)
    assert check.stderr == "1 program of 1 would be laid out anew\n"
    shown = potc(path, "--diff")
    assert shown.returncode == 1 and shown.stdout.startswith(f"--- {path}") and path.read_text() == UGLY
    assert potc(tmp_path).returncode == 0
    laid_out = path.read_text()
    assert laid_out.startswith('{\n  "variables": [\n    {"name": "x", "sort": "Int"}\n  ],\n')
    assert '{"constraint": "1.0 < 2", "name": "aA\\u202e"}' in laid_out
    assert potc(path, "--check").returncode == potc(path).returncode == 0 and path.read_text() == laid_out
    assert potc("-", stdin=UGLY).stdout == potc(path, "--stdout").stdout == laid_out


def test_the_changes_are_a_patch(tmp_path: Path) -> None:
    """[CLI-FMT] Without a last newline, too."""
    path = tmp_path / "a.json"
    path.write_text(UGLY)
    shown = potc(path, "--diff").stdout.splitlines()
    assert shown[:2] == [f"--- {path}", f"+++ {path}"]
    assert shown[3:5] == [f"-{UGLY}", "\\ No newline at end of file"]


@pytest.mark.parametrize(
    "text",
    [
        '{"verifications": [{"constraint": "1 < 2"}] /* why */}',
        '{"verifications": [{"constraint": "1 < 2"}], "_comment": "why"}',
        '{"verifications": [{"constraint": "1 <"}]}',
        '```json\n{"verifications": [{"constraint": "1 < 2"}]}\n```',
    ],
)
def test_nothing_is_lost_of_what_is_not_read(text: str, tmp_path: Path) -> None:
    """[CLI-FMT]"""
    path = tmp_path / "a.json"
    path.write_text(text)
    done = potc(path)
    assert done.returncode == 2 and "error[POT1" in done.stderr and path.read_text() == text


def test_traces_and_solutions_are_left_as_they_are(tmp_path: Path) -> None:
    """[CLI-FMT]"""
    trace = (ROOT / "examples" / "refinement.dot.txt").read_bytes()
    (tmp_path / "a.dot.txt").write_bytes(trace)
    done = potc(tmp_path)
    assert done.returncode == 0 and "is no program, and left as it is" in done.stderr
    assert (tmp_path / "a.dot.txt").read_bytes() == trace

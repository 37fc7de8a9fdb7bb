"""The linter's faces: which rules run, the budget, the command, and what is not disturbed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import potlang
from potlang.linter.choice import LintChoice, UnknownRule
from potlang.linter.rules import LINT_RULES

REVIEW = Path(__file__).parent / "review"
IDLE: dict[str, Any] = {
    "sorts": [{"name": "Item", "type": "DeclareSort"}],
    "functions": [{"name": "odd", "domain": ["Int"], "range": "Bool"}],
    "knowledge_base": ["odd(1)"],
    "verifications": [{"name": "sum", "constraint": "1 + 1 == 2"}],
}


def codes(value: Any, **options: Any) -> list[str]:
    return [each.code for each in potlang.lint(value, **options).diagnostics]


def potc(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "potlang", *arguments], capture_output=True, text=True, check=False
    )


def test_a_program_says_which_rules_run() -> None:
    """[LINT-CHOICE]"""
    assert codes(IDLE) == ["POT9010", "POT9035"]
    assert codes({**IDLE, "lint": {"ignore": ["unused-declaration"]}}) == ["POT9035"]
    assert codes({**IDLE, "lint": {"ignore": ["POT9035", "POT9010"]}}) == []
    assert codes({**IDLE, "lint": {"ignore": ["all"]}}) == []
    idle = {**IDLE, "knowledge_base": ["ok(a)"], "constants": {"c": {"sort": "Item", "members": ["a"]}}}
    idle["functions"] = [{"name": "ok", "domain": ["Item"], "range": "Bool"}]
    assert codes(idle) == ["POT9035"]
    assert codes({**idle, "lint": {"select": ["unreachable-declaration"]}}) == ["POT9011", "POT9035"]
    assert codes({**IDLE, "lint": {"select": ["no-such"]}}) == ["POT9010", "POT9035", "POT9002"]


def test_a_call_says_which_rules_run() -> None:
    """[LINT-CHOICE]"""
    assert codes(IDLE, choice=LintChoice(only=("POT9010",))) == ["POT9010"]
    assert codes(IDLE, choice=LintChoice(ignore=("POT9010",))) == ["POT9035"]
    ignoring = {**IDLE, "lint": {"ignore": ["POT9010"]}}
    assert codes(ignoring, choice=LintChoice(only=("POT9010",))) == []
    with pytest.raises(UnknownRule):
        LintChoice(select=("no-such",))


def test_a_configuration_says_which_rules_run(tmp_path: Path) -> None:
    """[LINT-CHOICE] [CLI-CONFIG]"""
    path = tmp_path / "idle.json"
    path.write_text(json.dumps(IDLE), encoding="utf-8")
    (tmp_path / "potlang.toml").write_text('ignore = ["unused-declaration"]\n', encoding="utf-8")
    for command, left in (("check", []), ("lint", ["POT9035"])):
        done = subprocess.run(
            [sys.executable, "-m", "potlang", command, str(path), "--format", "json"],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert [each["code"] for each in json.loads(done.stdout)["diagnostics"]] == left, done.stderr


def test_the_key_is_read_as_other_keys_are() -> None:
    """[POT-LINT]"""
    assert "POT1010" in codes({**IDLE, "lint": ["POT9010"]})
    assert "POT1012" in codes({**IDLE, "lint": {"only": []}})
    assert "POT1010" in codes({**IDLE, "lint": {"ignore": [3]}})
    assert codes({**IDLE, "lint": None}) == codes({**IDLE, "lint": {"ignore": None}}) == codes(IDLE)
    assert potlang.verify({**IDLE, "lint": {"ignore": ["all"]}}).verdict == "entailed"


def test_solvers_are_asked_within_a_budget() -> None:
    """[LINT-BUDGET]: POT9003 names the rules that were not done."""
    found = potlang.lint(REVIEW / "conflict.json", budget_ms=1).diagnostics
    late = [each.message for each in found if each.code == "POT9003"]
    assert len(late) == 1
    assert "`rules-disagree`" in late[0] and "`fixed-truth`" in late[0]


def test_rules_that_there_is_no_time_to_ask_about_are_compared_by_form() -> None:
    """[LINT-BUDGET] [LINT-ONE]"""
    by_form = codes(REVIEW / "conflict.json", budget_ms=0)
    assert set(by_form) == {"POT9019"}
    assert codes(REVIEW / "conflict.json", budget_ms=1) == sorted([*by_form, "POT9003"])
    ignoring = LintChoice(ignore=("opposite-rules",))
    assert codes(REVIEW / "conflict.json", budget_ms=1, choice=ignoring) == ["POT9003"]


def test_large_programs_are_not_asked_about() -> None:
    """[LINT-BUDGET]"""
    members = [f"i{at}" for at in range(2_100)]
    large = {
        "sorts": IDLE["sorts"],
        "functions": [{"name": "ok", "domain": ["Item"], "range": "Bool"}],
        "constants": {"items": {"sort": "Item", "members": members}},
        "knowledge_base": [f"ok({name})" for name in members],
        "verifications": [{"constraint": "ok(i1)"}],
    }
    assert codes(large) == ["POT9003"]
    assert codes(large, budget_ms=0) == []


def test_many_large_rules_take_no_longer_than_reading_them() -> None:
    """[LINT-CLASH]: what is not compared is not found."""
    conditions = " and ".join(f"days(x) > {at}" for at in range(200))
    rules = [{"constraint": f"ForAll([x: Item], Implies({conditions}, days(x) == {at}))"} for at in range(60)]
    value = {
        "sorts": IDLE["sorts"],
        "functions": [{"name": "days", "domain": ["Item"], "range": "Int"}],
        "rules": rules,
        "verifications": [{"constraint": "ForAll([x: Item], days(x) > 3)"}],
    }
    began = time.process_time()
    assert codes(value, budget_ms=0) == []
    assert time.process_time() - began < 20


def test_check_and_verify_say_what_they_said() -> None:
    """[LINT-FACES]"""
    assert [each.code for each in potlang.check(IDLE).diagnostics] == []
    assert potlang.verify(IDLE).diagnostics == ()
    checked = potlang.lint(IDLE)
    assert checked.ok and checked.program is not None
    assert checked.program.diagnostics == ()
    assert potlang.verify(checked.program).verdict == "entailed"


def test_a_program_with_errors_has_its_errors_alone() -> None:
    """[LINT-FACES]"""
    assert codes({**IDLE, "rules": [{"constraint": "nothing(1)"}]}) == ["POT2001"]


def test_linting_twice_gives_the_same() -> None:
    program = potlang.check(REVIEW / "lint.json")
    from potlang.linter.linter import lint

    assert lint(program).diagnostics == lint(program).diagnostics


def test_the_command(tmp_path: Path) -> None:
    """[LINT-FACES]"""
    path = tmp_path / "idle.json"
    path.write_text(json.dumps(IDLE), encoding="utf-8")
    linted = potc("lint", str(path), "--format", "json")
    assert linted.returncode == 0
    assert [each["code"] for each in json.loads(linted.stdout)["diagnostics"]] == ["POT9010", "POT9035"]
    shallow = potc("check", str(path), "--format", "json")
    assert [each["code"] for each in json.loads(shallow.stdout)["diagnostics"]] == ["POT9010"]
    deep = potc("check", str(path), "--deep", "--format", "json")
    assert json.loads(deep.stdout) == json.loads(linted.stdout)
    sarif = json.loads(potc("lint", str(path), "--format", "sarif").stdout)
    assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == ["POT9010", "POT9035"]
    none = potc("lint", str(path), "--rule", "near-names")
    assert none.stdout == f"{path}: no errors, no warnings\n"
    wrong = potc("lint", str(path), "--rule", "no-such")
    assert wrong.returncode == 2 and "there is no lint `no-such`" in wrong.stderr


def test_the_command_lists_the_rules() -> None:
    """[LINT-RULES]"""
    listed = potc("lint", "--rules").stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [[rule.code, rule.name] for rule in LINT_RULES]


def test_each_module_of_the_rules_is_listed() -> None:
    """[LINT-RULES]"""
    folder = Path(potlang.__file__).parent / "linter" / "rules"
    modules = {path.stem.replace("_", "-") for path in folder.glob("*.py") if path.stem != "__init__"}
    assert modules == {rule.name for rule in LINT_RULES}

"""`potc fix --lint`: safe fixes of findings, which keep every verdict ([LINT-FIX])."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import potlang

RULE = "ForAll([x: Item], old(x) -> kept(x))"
BASE: dict[str, Any] = {
    "sorts": [{"name": "Item", "type": "DeclareSort"}],
    "functions": [
        {"name": "old", "domain": ["Item"], "range": "Bool"},
        {"name": "kept", "domain": ["Item"], "range": "Bool"},
    ],
    "constants": {"items": {"sort": "Item", "members": ["cup", "hat"]}},
    "knowledge_base": ["old(cup)"],
    "verifications": [
        {"name": "cup", "constraint": "kept(cup)"},
        {"name": "hat", "constraint": "kept(hat)"},
        {"name": "not", "constraint": "not kept(cup)"},
    ],
}


def fixed(program: dict[str, Any], **options: Any) -> tuple[dict[str, Any], int]:
    found = potlang.fix(json.dumps(program), **options)
    return json.loads(found.text), found.applied


def verdicts(program: dict[str, Any]) -> list[str]:
    return [str(each.verdict) for each in potlang.verify(program, trust="solver").results]


def test_repetitions_are_removed_where_that_is_asked_for() -> None:
    """[LINT-FIX]"""
    facts = ["old(cup)", "old(cup)", "kept(hat)", "old(cup)"]
    program = {**BASE, "knowledge_base": facts, "rules": [{"constraint": RULE}, {"constraint": RULE}]}
    assert fixed(program) == (program, 0)
    changed, applied = fixed(program, lint=True)
    assert applied == 3
    assert changed["knowledge_base"] == ["old(cup)", "kept(hat)"] and len(changed["rules"]) == 1
    assert verdicts(changed) == verdicts(program) == ["entailed", "entailed", "refuted"]


def test_mistakes_are_mended_too_and_doubtful_fixes_are_not_applied() -> None:
    """[LINT-FIX] An existential implication has an unsafe fix, which `--unsafe` does not choose."""
    doubtful = "Exists([x: Item], old(x) -> kept(x))"
    text = json.dumps({**BASE, "rules": [{"constraint": doubtful}, {"constraint": doubtful}]})
    broken = text.replace('"rules"', '"rulez"')
    assert any(each.code == "POT9016" for each in potlang.lint(text).diagnostics)
    for unsafe in (False, True):
        found = potlang.fix(text, lint=True, unsafe=unsafe)
        assert json.loads(found.text)["rules"] == [{"constraint": doubtful}]
    mended = potlang.fix(broken, lint=True, unsafe=True)
    assert json.loads(mended.text)["rules"] == [{"constraint": doubtful}]


def test_laws_give_way_to_their_pack() -> None:
    """[LINT-FIX] What a solver shows to say the same is safe, too."""
    program = {
        "sorts": [{"name": "Item", "type": "DeclareSort"}],
        "functions": [{"name": "near", "domain": ["Item", "Item"], "range": "Bool"}],
        "constants": {"items": {"sort": "Item", "members": ["cup", "hat"]}},
        "knowledge_base": ["near(cup, hat)"],
        "rules": [{"constraint": "ForAll([x: Item, y: Item], near(x, y) -> near(y, x))"}],
        "verifications": [{"name": "back", "constraint": "near(hat, cup)"}],
    }
    changed, applied = fixed(program, lint=True)
    assert applied == 1 and changed["imports"][0]["pack"] == "std/relation/symmetric"
    assert not changed.get("rules") and verdicts(changed) == verdicts(program) == ["entailed"]


@pytest.mark.parametrize(
    "rules",
    [
        [{"name": "a", "constraint": RULE}, {"name": "b", "constraint": RULE}, {"overrides": ["a", "b"]}],
        [{"name": "d", "default": True, "constraint": RULE}, {"default": True, "constraint": RULE}, {}],
        [
            {"name": "a", "constraint": RULE},
            {"name": "a2", "constraint": RULE, "overrides": ["c"]},
            {"name": "c"},
        ],
    ],
)
def test_rules_that_rest_on_each_other_stay(rules: list[dict[str, Any]]) -> None:
    """[LINT-FIX], [LINT-REPEATED] Whatever is removed, nothing has another verdict."""
    *first, last = rules
    against = {**last, "constraint": "ForAll([x: Item], old(x) -> not kept(x))"}
    program = {**BASE, "rules": [*first, against]}
    assert potlang.check(program).ok
    changed, _ = fixed(program, lint=True)
    assert potlang.check(changed).ok and verdicts(changed) == verdicts(program)
    assert len(changed["rules"]) == 3


def test_the_command(tmp_path: Path) -> None:
    """[LINT-FIX]"""
    path = tmp_path / "twice.json"
    text = json.dumps({**BASE, "knowledge_base": ["old(cup)", "old(cup)"]})
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "potlang", "fix", "--lint"]
    shown = subprocess.run([*command, "--diff", str(path)], capture_output=True, text=True, check=True)
    assert path.read_text(encoding="utf-8") == text and shown.stdout.startswith("---")
    assert "1 fix applied" in shown.stderr
    subprocess.run([*command, str(path)], capture_output=True, check=True)
    assert json.loads(path.read_text(encoding="utf-8"))["knowledge_base"] == ["old(cup)"]

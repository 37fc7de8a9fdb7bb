"""`potc policy guard` and `replay`, as real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EVENT = [{"name": "e", "sort": "Event"}]
PROGRAM = {
    "sorts": [
        {"name": "Event", "type": "DeclareSort"},
        {"name": "Tool", "type": "EnumSort", "values": ["read", "pay"]},
    ],
    "functions": [
        {"name": "tool", "domain": ["Event"], "range": "Tool"},
        {"name": "turn", "domain": ["Event"], "range": "Int"},
        {"name": "amount", "domain": ["Event"], "range": "Real"},
        {"name": "approved", "domain": ["Event"], "range": "Bool", "closed": True},
        {"name": "allowed", "domain": ["Event"], "range": "Bool"},
    ],
    "rules": [
        {"name": "reading", "forall": EVENT, "constraint": "tool(e) == read -> allowed(e)"},
        {"name": "small", "forall": EVENT, "constraint": "tool(e) == pay and amount(e) <= 10 -> allowed(e)"},
        {
            "name": "huge",
            "forall": EVENT,
            "constraint": "tool(e) == pay and amount(e) > 100 and Count([x: Event], turn(x) < turn(e) and"
            " approved(x)) == 0 -> not allowed(e)",
        },
    ],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pay.json").write_text(json.dumps(PROGRAM))
    (tmp_path / "guard.json").write_text('{"policy": "pay.json", "outcome": ["approved"]}')
    return tmp_path


def potc(folder: Path, *args: str, given: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", "POTLANG_POLICIES": str(folder / "store")}
    return subprocess.run(
        [sys.executable, "-m", "potlang", "policy", *args],
        input=given, capture_output=True, text=True, timeout=120, cwd=folder, env=environment, check=False,
    )  # fmt: skip


def lines(*events: Any) -> str:
    return "".join(json.dumps(each) + "\n" for each in events)


def pay(amount: Any, **more: Any) -> dict[str, Any]:
    return {"tool": "pay", "arguments": {"amount": amount}, **more}


@pytest.mark.parametrize(
    ("condition", "note"),
    [
        ("Card(SetOf([x: Event], tool(x) == pay)) > 1", "each event needs"),
        ("amount(e) == k * k", "square may need"),
    ],
)
def test_what_may_take_long_is_told_first(folder: Path, condition: str, note: str) -> None:
    """[GUARD-FACTS]"""
    every = [*EVENT, *([{"name": "k", "sort": "Int"}] if " k " in condition else [])]
    rule = {"name": "square", "forall": every, "constraint": f"tool(e) == pay and {condition} -> allowed(e)"}
    (folder / "pay.json").write_text(json.dumps({**PROGRAM, "rules": [rule]}))
    done = potc(folder, "guard", "guard.json")
    assert done.stderr == f"note: {note} a solver, which takes longer than facts alone\n"


def test_events_are_decided_recorded_and_decided_again(folder: Path) -> None:
    """[GUARD-EXIT] [RECORD-REPLAY]"""
    text = lines(pay(200), pay(5, outcome={"approved": True}), pay(200), {"tool": "fly"})
    done = potc(folder, "guard", "guard.json", "--record", "chain.jsonl", given=text)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.splitlines() == [
        "deny: not allowed by the policy (rule `huge`)",
        "allow: allowed by the policy (rule `small`)",
        "ask: the policy says neither that this is allowed nor that it is not (rule `small`)",
        "deny: the policy does not know the tool `fly`",
    ]
    again = potc(folder, "replay", "chain.jsonl")
    assert again.returncode == 0
    assert "4 decisions decided again, 0 otherwise, 0 faults" in again.stdout
    head = json.loads(potc(folder, "replay", "chain.jsonl", "--format", "json").stdout)["head"]
    assert potc(folder, "replay", "chain.jsonl", "--head", head).returncode == 0

    chain = folder / "chain.jsonl"
    whole = chain.read_bytes()
    chain.write_bytes(whole.replace(b'"amount":5', b'"amount":6', 1))
    changed = potc(folder, "replay", "chain.jsonl")
    assert changed.returncode == 2
    assert "record 4: the record was changed" in changed.stdout
    chain.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1])
    assert potc(folder, "replay", "chain.jsonl", "--head", head).returncode == 2
    chain.write_bytes(whole[:-3])
    refused = potc(folder, "replay", "chain.jsonl")
    assert (refused.returncode, "has no end" in refused.stdout) == (2, True)
    assert potc(folder, "guard", "guard.json", "--record", "chain.jsonl", given=lines(pay(5))).returncode == 0
    cut = potc(folder, "replay", "chain.jsonl")
    assert cut.returncode == 0
    assert "record 7: a record that was not finished stood here; nothing was decided by it" in cut.stdout


def test_exit_codes_are_of_the_worst_decision(folder: Path) -> None:
    """[GUARD-EXIT]"""
    assert potc(folder, "guard", "guard.json", given=lines(pay(5), {"tool": "read"})).returncode == 0
    assert potc(folder, "guard", "guard.json", given=lines(pay(5), pay(500))).returncode == 1
    assert potc(folder, "guard", "guard.json", given="no json\n").returncode == 1
    assert potc(folder, "guard", "guard.json", given="").returncode == 0


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (True, "an outcome is an object"),
        ({"ok": True}, "gives 'ok', which is none of approved"),
        ({"approved": "maybe"}, "expected a value of the sort Bool"),
    ],
)
def test_an_outcome_that_is_none_ends_the_session_and_says_of_which_event(
    folder: Path, outcome: Any, problem: str
) -> None:
    """[GUARD-EXIT] [GUARD-OUTCOME]"""
    done = potc(folder, "guard", "guard.json", given=lines({"tool": "read"}, pay(5, outcome=outcome), pay(5)))
    assert (done.returncode, done.stdout.count("allow")) == (2, 4)
    assert done.stderr.startswith("error: the outcome of event 2: ")
    assert problem in done.stderr


def test_a_chain_with_a_key_that_is_not_given_says_so(folder: Path) -> None:
    """[RECORD-CHAIN]"""
    (folder / "key").write_text("a key of more than sixteen bytes")
    sealed = "--record", "chain.jsonl", "--key-file", "key"
    assert potc(folder, "guard", "guard.json", *sealed, given=lines(pay(5))).returncode == 0
    done = potc(folder, "replay", "chain.jsonl")
    assert done.returncode == 2
    assert "`--key-file`" in done.stderr
    assert potc(folder, "replay", "chain.jsonl", "--key-file", "key").stderr == ""


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (["guard", "none.json"], "none.json"),
        (["guard", "guard.json", "none.jsonl"], "cannot read 'none.jsonl'"),
        (["guard", "guard.json", "--case", "[]"], "cannot read"),
        (["guard", "guard.json", "--context", "[]"], "--context is an object"),
        (["guard", "guard.json", "--case", '{"nobody": 1}'], "`nobody` is not declared"),
        (["guard", "guard.json", "--key-file", "none"], "cannot read 'none'"),
        (["guard", "broken.json"], "no program"),
        (["replay", "none.jsonl"], "cannot read 'none.jsonl'"),
        (["proxy", "guard.json", "--", "no-such-command"], "cannot start 'no-such-command'"),
        (["proxy", "none.json", "--", "true"], "none.json"),
    ],
)
def test_what_cannot_be_done_ends_with_2_and_says_why(folder: Path, args: list[str], problem: str) -> None:
    """[GUARD-EXIT] [GUARD-CLOSED]"""
    (folder / "broken.json").write_text('{"rules": [')
    done = potc(folder, *args)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    if problem != "no program":
        assert problem in done.stderr


@pytest.mark.slow
def test_a_stored_policy_and_a_key(folder: Path) -> None:
    """[GUARD-OPTIONS] [RECORD-CHAIN]"""
    assert potc(folder, "add", "pay.json", "--name", "payments").returncode == 0
    (folder / "guard.json").write_text('{"policy": "payments@1", "otherwise": "deny"}')
    (folder / "key").write_bytes(b"sixteen bytes and more")
    options = ["guard.json", "--record", "chain.sqlite3", "--key-file", "key"]
    assert potc(folder, "guard", *options, given=lines(pay(50))).returncode == 1
    assert potc(folder, "guard", "payments", given=lines(pay(50))).returncode == 3
    assert potc(folder, "replay", "chain.sqlite3").returncode == 2
    assert potc(folder, "replay", "chain.sqlite3", "--key-file", "key").returncode == 0
    found = potc(folder, "replay", "chain.sqlite3", "--key-file", "key", "--policy", "payments")
    assert (found.returncode, "record 3: ask (undetermined), was deny (undetermined)" in found.stdout) == (
        1,
        True,
    )


def test_answers_are_recorded(folder: Path) -> None:
    """[RECORD-ANSWER]"""
    program = {
        "functions": [{"name": "days", "domain": [], "range": "Int"}],
        "knowledge_base": ["days <= 30"],
    }
    (folder / "leave.json").write_text(json.dumps(program))
    asked = ["ask", "leave.json", "days <= 20", "--case", '{"days": 12}', "--record", "chain.jsonl"]
    assert potc(folder, *asked).returncode == 0
    again = potc(folder, "replay", "chain.jsonl")
    assert (again.returncode, "1 decision decided again" in again.stdout) == (0, True)

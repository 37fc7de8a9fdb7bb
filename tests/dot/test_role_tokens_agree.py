"""Role tokens and role tags: what checks, mends, streams and writes them agrees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import potlang
import potlang.dot
from potlang.dot import Validator, synthesize
from potlang.languages.dot.check import CheckedTrace
from potlang.languages.dot.lower.canonical import digest
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import records

TAGGED = b"<problem>q</problem>\n<proposer>a\n@ b</proposer> <critic>ok</critic>\n"


def potc(*arguments: str, stdin: bytes) -> tuple[int, list[str]]:
    command = [sys.executable, "-m", "potlang", *arguments, "-", "--format", "json"]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)
    return done.returncode, [each["code"] for each in json.loads(done.stdout)["diagnostics"]]


def checked(text: str) -> CheckedTrace:
    found = potlang.check(text, language="dot")
    assert isinstance(found, CheckedTrace)
    return found


def is_stream(text: str) -> bool:
    validator = Validator()
    validator.push(text)
    return validator.status == "complete"


def with_tokens(count: int, seed: int) -> list[str]:
    """Traces with role tokens, written by what writes them."""
    random = Random(seed)
    plain = [potlang.dot.read(each.trace) for each in synthesize(count // 2, seed=seed)]
    made = [records(random, blocks=random.randint(1, 9)) for _ in range(count - len(plain))]
    return [emit(each, role_tokens=True).decode() for each in [*plain, *made]]


def check_agreement(text: str) -> None:
    found = checked(text)
    errors = [each for each in found.diagnostics if each.code.startswith("POT5") and each.severity == "error"]
    assert not errors
    assert found.trace.has_role_tokens
    assert is_stream(text)
    assert emit(found.trace).decode() == text
    if not any(each.code == "POT5066" for each in found.diagnostics):
        assert potlang.fix(text, language="dot").text == text


def check_damaged(text: str, random: Random) -> None:
    """One token is dropped, doubled or of another role: all notice, and it is mended."""
    lines = text.split("\n")
    heads = [at for at, line in enumerate(lines) if line.startswith("@node ") and at > 2]
    if not heads:
        return
    at = random.choice(heads) - 1
    wrong = random.choice([each for each in ("problem", "critic", "proposer") if f"<{each}>" != lines[at]])
    kept = lines[at]
    changed = random.choice([[], [f"<{wrong}>"], [kept, kept], [f"<{wrong}>", kept]])
    damaged = "\n".join([*lines[:at], *changed, *lines[at + 1 :]])
    assert not is_stream(damaged)
    found = checked(damaged)
    assert {each.code for each in found.diagnostics if each.severity == "error"} >= {"POT5052"}, damaged
    fixed = potlang.fix(damaged, language="dot")
    assert not any(each.code == "POT5052" for each in fixed.diagnostics)
    assert digest(checked(fixed.text).trace) == digest(checked(text).trace)
    if "POT5066" not in {each.code for each in found.diagnostics}:
        assert fixed.text == text


def test_role_tokens_are_read_by_all_that_read_traces() -> None:
    """[DOT-ROLE-1] [DOT-ROLE-2] [STREAM-STATUS]"""
    for text in with_tokens(30, 1):
        check_agreement(text)


def test_role_tokens_are_mended() -> None:
    """[DOT-FIX] [DOT-ROLE-1]"""
    random = Random(2)
    for text in with_tokens(30, 2):
        check_damaged(text, random)


@pytest.mark.slow
def test_many_role_tokens_are_read_and_mended() -> None:
    random = Random(3)
    for text in with_tokens(1_000, 3):
        check_agreement(text)
        check_damaged(text, random)


def test_tags_are_read_by_the_commands(tmp_path: Path) -> None:
    """[STREAM-TAGGED] [DOT-TAG-1]"""
    for arguments in (["check"], ["check", "--stream"]):
        assert potc(*arguments, stdin=TAGGED) == (0, [])
        assert potc(*arguments, stdin=TAGGED.replace(b"</critic>", b"")) == (2, ["POT5050"])
    assert potlang.fix(TAGGED).text == TAGGED.decode()
    assert potc("check", "--stream", stdin=TAGGED + b"@node id=1 role=problem\n") == (2, ["POT5007"])
    assert potc("check", "--stream", stdin=b"Well: " + TAGGED) == (2, ["POT5007"])

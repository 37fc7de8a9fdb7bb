"""`potc check --stream`, the budget of records and the end on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
APPENDIX_A = str(ROOT / "examples" / "appendix_a.dot.txt")
POTC = [sys.executable, "-m", "potlang"]


def potc(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*POTC, *arguments], input=stdin, capture_output=True, timeout=60, check=False)


def test_a_stream_is_read_up_to_its_first_violation() -> None:
    """[STREAM-CHECK]: standard input stays open, and the command ends all the same."""
    with subprocess.Popen(
        [*POTC, "check", "-", "--stream"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None and running.stdout is not None
        running.stdin.write(b"@node id=1 role=problem\nWhich?\n@node id=1 role=critic\n@edge src=7")
        running.stdin.flush()
        assert running.wait(30) == 2
        shown = running.stdout.read().decode()
    assert "error[POT5020]" in shown and "<stdin>:3:11" in shown and "1 error" in shown


def test_a_stream_without_a_violation_is_checked_as_a_trace() -> None:
    """[STREAM-CHECK]"""
    assert potc("check", APPENDIX_A, "--stream").returncode == 0
    unknown = b'@node id=1 role=problem\n@prop id=1 {"gt": ["x", 1]}\n'
    done = potc("check", "-", "--stream", "--format", "json", stdin=unknown)
    assert done.returncode == 2
    assert [each["code"] for each in json.loads(done.stdout)["diagnostics"]] == ["POT2001"]
    assert b"POT0006" in potc("check", "no.dot.txt", "--stream").stdout


def test_budget_and_end_are_options_of_commands() -> None:
    """[STREAM-CHECK] [DOT-END-2] [DOT-END-3]"""
    for command in ("check", "verify"):
        assert potc(command, APPENDIX_A).returncode != 2
        done = potc(command, APPENDIX_A, "--record-budget", "3")
        assert done.returncode == 2 and b"POT5011" in done.stdout + done.stderr
        done = potc(command, APPENDIX_A, "--require-end")
        assert done.returncode == 2 and b"POT5014" in done.stdout + done.stderr
    assert b"POT5011" in potc("check", APPENDIX_A, "--stream", "--record-budget", "3").stdout

"""`potc policy check-text` as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from refund_texts import GOOD, OTHER, POLICY, TEXT, said

ROOT = Path(__file__).parents[2]


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "refund.json"
    path.write_text(json.dumps(POLICY), "utf-8")
    return path


def check_text(
    *args: str | Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", "policy", "check-text", *map(str, args)]
    settings = {**os.environ, "NO_COLOR": "1", **(environment or {})}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=settings, check=False
    )


def replies(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in values), "utf-8")
    return path


@pytest.mark.parametrize(
    ("translations", "finding", "code"),
    [
        ([GOOD, GOOD], "valid", 0),
        ([said({"days(it) == 40": "20 days"}, {"returnable(it)": "return"})], "invalid", 1),
        ([GOOD, OTHER], "ambiguous", 3),
        ([{"claims": 3}], "no translation", 3),
    ],
)
def test_findings_have_exit_codes(
    policy: Path, tmp_path: Path, translations: list[Any], finding: str, code: int
) -> None:
    """[POLICY-TEXT-EXIT]"""
    file = replies(tmp_path / "replies.jsonl", *translations)
    done = check_text(policy, TEXT, "--replies", file, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["finding"]) == (code, finding), done.stderr


def test_every_reply_that_cannot_be_used_says_why(policy: Path, tmp_path: Path) -> None:
    """[POLICY-TEXT-EXIT]"""
    wrong = {"claims": [{"formula": "returnabel(it)", "words": ["return"]}]}
    file = replies(tmp_path / "replies.jsonl", GOOD, {"claims": 3}, wrong)
    done = check_text(policy, TEXT, "--replies", file)
    assert done.returncode == 3
    assert "reply 2 cannot be used: " in done.stdout
    assert "reply 3 cannot be used: claims[0]" in done.stdout
    none = check_text(policy, TEXT, "--replies", replies(tmp_path / "none.jsonl"))
    assert (none.returncode, "has no replies" in none.stderr) == (2, True)


def test_texts_cases_and_replies_are_read_from_files(policy: Path, tmp_path: Path) -> None:
    """[POLICY-TEXT-EXIT]"""
    text = tmp_path / "text.txt"
    text.write_text("I may return \x1b[31mmine.", "utf-8")
    claim = {"claims": [{"formula": "returnable(mine)", "words": ["I may return"]}]}
    file = tmp_path / "replies.json"
    file.write_text(json.dumps([f"Here it is: {json.dumps(claim)}", claim, {}]), "utf-8")
    case = json.dumps({"mine": {"sort": "Item", "days": 3, "has_receipt": True}})
    done = check_text(policy, text, "--case", case, "--replies", file, "--samples", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("valid\n2 of 2 translations as\n") and "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--replies", "missing.json"], "cannot read"),
        (["--replies", "{own}"], "neither JSON nor JSON Lines"),
        (["--replies", "{good}", "--samples", "3"], "has 1 reply"),
        (["--replies", "{good}", "--case", '{"age": 3}'], "`age` is not declared"),
        (["--replies", "{good}", "--threshold", "0"], "--threshold"),
        (["--replies", "{good}", "--threshold", "0.7", "--store", "{own}"], ""),
    ],
)
def test_wrong_calls_end_with_2(policy: Path, tmp_path: Path, options: list[str], said: str) -> None:
    """[POLICY-TEXT-EXIT]"""
    good = replies(tmp_path / "good.jsonl", GOOD)
    own = tmp_path / "own.txt"
    own.write_text("{'no': json", "utf-8")
    given = [each.format(own=own, good=good) if "{o" in each or "{g" in each else each for each in options]
    done = check_text(policy, TEXT, *given)
    assert (done.returncode == 2 and said in done.stderr) if said else done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_model_is_asked_at_its_endpoint(policy: Path) -> None:
    """[POLICY-TEXT-ASK]"""
    with ChatServer([json.dumps(GOOD)] * 3) as server:
        done = check_text(
            policy, TEXT, "--base-url", server.base_url, "--model", "m", environment={"OPENAI_API_KEY": "k"}
        )
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "valid"), done.stderr
    assert done.stderr.count("translation: accepted (") == 3


def test_several_models_share_the_samples(policy: Path) -> None:
    """[POLICY-TEXT-ASK]"""
    with ChatServer([json.dumps(GOOD)] * 3) as server:
        models = ["--model", "one", "--model", "other"]
        options = ["--base-url", server.base_url, "--format", "json"]
        done = check_text(policy, TEXT, *models, *options, environment={"OPENAI_API_KEY": "k"})
        asked = [each.body["model"] for each in server.received]
    assert done.returncode == 0, done.stderr
    assert asked == ["one", "other", "one"]
    assert [each["model"] for each in json.loads(done.stdout)["samples"]] == asked

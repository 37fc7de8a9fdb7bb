"""`potc policy build`: files, the store, journals, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from potlang.cli.policy import policy

ROOT = Path(__file__).parents[2]
REFUND = ROOT / "examples" / "policies" / "refund"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def potc(store: Path, *args: str | Path) -> Result:
    """A command of `potc policy`, over this store."""
    return CliRunner(env={"NO_COLOR": "1", "POTLANG_POLICIES": str(store)}).invoke(policy, [*map(str, args)])


def test_a_policy_is_built_stored_and_asked(store: Path, tmp_path: Path) -> None:
    """[BUILD-EXIT], [BUILD-JOURNAL], [BUILD-REPORT]"""
    replies = REFUND / "replies.jsonl"
    out, told, page = tmp_path / "out.json", tmp_path / "report.json", tmp_path / "page.html"
    files: list[str | Path] = ["--output", out, "--report", told, "--html", page]
    done = potc(store, "build", REFUND / "document.md", "--replies", replies, "--name", "refund", *files)
    assert done.exit_code == 0, done.stderr
    assert "stored: refund@1" in done.stderr and "rules 16-24: read" in done.stderr
    assert "17  covered    You can return a purchase until it is 30 days old." in done.stdout
    assert "sentence-17" in page.read_text("utf-8")
    report = json.loads(told.read_text("utf-8"))
    assert report["program"] == json.loads(out.read_text("utf-8")) and report["coverage"]["not read"] == 0
    asked = potc(store, "ask", "refund", "returnable(boot)", "--case", '{"boot": {"kind": "gift_card"}}')
    assert asked.exit_code in (0, 1), asked.stderr


def test_a_build_that_failed_goes_on_from_its_journal(store: Path, tmp_path: Path) -> None:
    """[BUILD-JOURNAL], [BUILD-EXIT]: what was replied is not asked for again."""
    lines = (REFUND / "replies.jsonl").read_text("utf-8").splitlines(keepends=True)
    first, journal = tmp_path / "first.jsonl", tmp_path / "journal.jsonl"
    first.write_text("".join(lines[:4]), "utf-8")
    failed = potc(store, "build", REFUND / "document.md", "--replies", first, "--name", "refund")
    assert failed.exit_code == 3 and "no further reply is recorded of the stage `rules`" in failed.stderr
    journal.write_text("".join(lines[:4]), "utf-8")
    rest = tmp_path / "rest.jsonl"
    rest.write_text("".join(lines[4:]), "utf-8")
    done = potc(store, "build", REFUND / "document.md", "--replies", rest, "--journal", journal)
    assert done.exit_code == 0, done.stderr


def test_warnings_count_where_that_is_wanted(store: Path) -> None:
    """[BUILD-EXIT]"""
    given = [REFUND / "document.md", "--replies", REFUND / "replies.jsonl"]
    assert potc(store, "build", *given).exit_code == 0
    strict = potc(store, "build", *given, "--strict")
    assert strict.exit_code == 1
    assert "document.md: 1 warning, which --strict takes for errors" in strict.stderr


def test_a_reply_that_a_killed_process_has_begun_is_no_bad_journal(store: Path, tmp_path: Path) -> None:
    """[BUILD-JOURNAL]"""
    lines = (REFUND / "replies.jsonl").read_text("utf-8").splitlines(keepends=True)
    journal, rest = tmp_path / "journal.jsonl", tmp_path / "rest.jsonl"
    journal.write_text(lines[0] + lines[1][:20], "utf-8")
    rest.write_text("".join(lines[1:]), "utf-8")
    done = potc(store, "build", REFUND / "document.md", "--replies", rest, "--journal", journal)
    assert done.exit_code == 0, done.stderr
    assert journal.read_text("utf-8") == lines[0]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.md", "", "no text in it"),
        ("b.pdf", "%PDF-1.4 x", "POT8020"),
        ("c.txt", "x" * (5 << 20), "POT0002"),
    ],
)
def test_a_document_that_cannot_be_read(
    store: Path, tmp_path: Path, name: str, text: str, words: str
) -> None:
    """[BUILD-UNREADABLE], [BUILD-EXIT]"""
    if name.endswith(".pdf"):
        pytest.importorskip("pypdf")
    path = tmp_path / name
    path.write_text(text, "utf-8")
    done = potc(store, "build", path, "--replies", REFUND / "replies.jsonl")
    assert done.exit_code == 2 and words in done.stderr and "Traceback" not in done.stderr


def test_replies_and_reports_that_are_none(store: Path, tmp_path: Path) -> None:
    """[BUILD-EXIT]"""
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"stage": 1}\n', "utf-8")
    replies = REFUND / "replies.jsonl"
    given: list[list[str | Path]] = [
        ["--replies", bad],
        ["--earlier", bad],
        ["--replies", replies, "--journal", bad],
    ]
    for options in given:
        done = potc(store, "build", REFUND / "document.md", *options)
        assert done.exit_code == 2 and "Traceback" not in done.stderr, done.stderr

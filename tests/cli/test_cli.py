"""The command line as a real process: exit codes, formats, bad input."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SEED = ROOT / "tests" / "seed"


def potc(*args: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs `potc` with these arguments."""
    command = [sys.executable, "-m", "potlang", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONHASHSEED": "7"}
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, cwd=ROOT, env=environment)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("02_cherokee_delegation.json", 0),
        ("01_sotomayor_giraffe.json", 1),
        ("10_scheduling.json", 1),
        ("03_hse_ladder.json", 1),
        ("15_resource_allocation.json", 1),
        ("00_fig2_task_assignment.json", 2),
    ],
)
def test_exit_codes(name: str, code: int) -> None:
    assert potc(SEED / name).returncode == code


def test_of_several_files_the_good_ones_are_answered_and_the_worst_code_wins(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    done = potc(
        SEED / "02_cherokee_delegation.json", bad, SEED / "01_sotomayor_giraffe.json", "--format", "json"
    )
    assert done.returncode == 2
    reports = json.loads(done.stdout)
    assert [report["verdict"] for report in reports] == ["entailed", "rejected", "refuted"]
    assert reports[1]["diagnostics"][0]["line"] == 1


def test_the_program_may_come_from_standard_input() -> None:
    done = potc("-", "--format", "json", stdin=(SEED / "02_cherokee_delegation.json").read_bytes())
    assert json.loads(done.stdout)["verdict"] == "entailed"


def test_json_of_a_rejected_program_stands_on_standard_output() -> None:
    done = potc(SEED / "00_fig2_task_assignment.json", "--format", "json")
    report = json.loads(done.stdout)
    errors = [d for d in report["diagnostics"] if d["severity"] == "error"]
    assert report["verdict"] == "rejected"
    assert [(d["code"], d["pointer"]) for d in errors] == [
        ("POT2001", "/knowledge_base/0"),
        ("POT3001", "/rules/0/implies/consequent"),
    ]
    assert all(d["line"] and d["column"] and d["helps"] for d in errors)


def test_text_diagnostics_stand_on_standard_error() -> None:
    done = potc(SEED / "00_fig2_task_assignment.json")
    assert done.stdout == b""
    assert b"error[POT2001]: `task1` is not declared" in done.stderr


def test_sarif_lists_the_rules_that_it_uses() -> None:
    done = potc("check", SEED / "00_fig2_task_assignment.json", "--format", "sarif")
    run = json.loads(done.stdout)["runs"][0]
    assert {result["ruleId"] for result in run["results"]} == {
        rule["id"] for rule in run["tool"]["driver"]["rules"]
    }
    assert done.returncode == 2


@pytest.mark.parametrize("style", ["json", "sarif"])
def test_what_cannot_be_seen_is_an_escape_in_every_form(tmp_path: Path, style: str) -> None:
    """[REPORT-JSON]: in names, formulas and fixes, as a terminal or an editor would show it."""
    for char in ("\x9b", "\u202e", "\u2028", "\x7f"):
        program = {
            "constants": {f"a{char}b": "Int"},
            "verifications": [
                {"name": f"n{char}", "constraint": f"aa{char} == 1"},
                {"name": char, "constraint": "True"},
            ],
        }
        (tmp_path / f"{ord(char):x}.json").write_text(json.dumps(program), encoding="utf-8")
    for command in ("check", "verify"):
        text = potc(command, tmp_path, "--format", style).stdout.decode()
        assert not [each for each in text if not each.isprintable() and each != "\n"]
        assert text.count("2028.json") and json.loads(text)


def test_check_says_that_nothing_is_wrong() -> None:
    done = potc("check", SEED / "06_simple_arithmetic.json")
    assert (done.returncode, b"no errors" in done.stdout) == (0, True)


@pytest.mark.parametrize("target", ["ir", "smt2", "pot"])
def test_compile_prints_each_form(target: str) -> None:
    done = potc("compile", SEED / "12_fall_protection.json", "--to", target)
    assert done.returncode == 0
    assert b"safetyHarness" in done.stdout


def test_compile_to_pot_gives_a_program_with_the_same_verdict(tmp_path: Path) -> None:
    again = tmp_path / "again.json"
    assert potc("compile", SEED / "12_fall_protection.json", "--to", "pot", "-o", again).returncode == 0
    assert potc(again).returncode == 0


def test_print_after_shows_every_pass() -> None:
    done = potc("compile", SEED / "12_fall_protection.json", "--passes", "simplify,nnf", "--print-after")
    assert [line for line in done.stderr.decode().splitlines() if line.startswith("; after")] != []
    assert done.stderr.count(b"; after") == 2


def test_an_unknown_pass_is_a_usage_error() -> None:
    done = potc("compile", SEED / "12_fall_protection.json", "--passes", "nnff")
    assert done.returncode == 2
    assert b"nnff" in done.stderr


def test_an_unknown_pass_is_a_usage_error_when_verifying_too() -> None:
    done = potc(SEED / "12_fall_protection.json", "--passes", "slice{claim=none}")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_explain() -> None:
    assert b"# POT2001" in potc("explain", "POT2001").stdout
    wrong = potc("explain", "POT2999")
    assert (wrong.returncode, b"there is no code" in wrong.stderr) == (2, True)
    assert b"POT3001" in potc("explain", "--list").stdout


def test_fix_applies_safe_fixes_in_place(tmp_path: Path) -> None:
    program = json.loads((SEED / "04_hse_forklift_pallet.json").read_text())
    path = tmp_path / "program.json"
    path.write_text(json.dumps(program, indent=1))
    assert potc("fix", path).returncode == 0
    fixed = json.loads(path.read_text())
    assert "knowledge_base" in fixed
    assert "knowledgebase" not in fixed


def test_fix_diff_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    path.write_bytes((SEED / "04_hse_forklift_pallet.json").read_bytes())
    before = path.read_bytes()
    done = potc("fix", "--diff", path)
    assert b'+"knowledge_base"' in done.stdout
    assert path.read_bytes() == before


def test_a_difference_is_a_patch_without_a_last_newline_too(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    path.write_text(
        '{"functions": [{"name": "p", "domain": [], "range": "Bool"}],\n"knowledge_base": ["p && p"]}'
    )
    lines = potc("fix", "--diff", path).stdout.decode().splitlines()
    assert lines[:2] == [f"--- {path}", f"+++ {path}"]
    assert [line[0] for line in lines[2:]] == ["@", " ", "-", "\\", "+", "\\"]
    assert lines.count("\\ No newline at end of file") == 2


def test_output_is_the_same_under_another_hash_seed() -> None:
    """[DIAG-OUT-2]"""
    outputs = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [
            sys.executable,
            "-m",
            "potlang",
            "compile",
            str(SEED / "17_k4_three_coloring.json"),
            "--to",
            "smt2",
        ]
        outputs.add(
            subprocess.run(command, capture_output=True, cwd=ROOT, env=environment, timeout=60).stdout
        )
    assert len(outputs) == 1


BAD = {
    "not JSON": b"{'a': 1}",
    "wrong encoding": b'{"sorts": "\xff\xfe\xfa"}',
    "empty": b"",
    "brackets": b"[" * 1_000_000,
    "deep": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "long number": b'{"knowledge_base": [' + b"1" * 1_000_000 + b"]}",
    "long number in an expression": b'{"knowledge_base": ["1 == ' + b"1" * 1_000_000 + b'"]}',
    "deep expression": b'{"knowledge_base": ["' + b"Not(" * 10_000 + b"True" + b")" * 10_000 + b'"]}',
    "duplicate keys": b'{"sorts": [], "sorts": []}',
    "a name for two things": b'{"sorts": [{"name": "S", "type": "DeclareSort"}], '
    b'"functions": [{"name": "f", "domain": ["S"], "range": "Bool"}], '
    b'"constants": {"c": {"sort": "S", "members": ["f"]}}}',
    "unknown action": b'{"actions": ["dance"]}',
    "a list": b"[]",
    "null": b"null",
}


def test_bad_input_gets_a_coded_diagnostic(tmp_path: Path) -> None:
    for name, text in BAD.items():
        (tmp_path / f"{name}.json").write_bytes(text)
    done = potc(*sorted(tmp_path.iterdir()), "--format", "json")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    reports = {Path(report["file"]).stem: report for report in json.loads(done.stdout)}
    assert reports.keys() == BAD.keys()
    for name, report in reports.items():
        assert report["verdict"] == "rejected", name
        assert re.fullmatch("POT(?!0001)[0-9]{4}", report["diagnostics"][0]["code"]), name


def test_bad_input_on_standard_input_is_the_same() -> None:
    done = potc("-", "--format", "json", stdin=BAD["wrong encoding"])
    assert done.returncode == 2 and json.loads(done.stdout)["verdict"] == "rejected"


def test_a_directory_and_a_missing_file_are_diagnosed(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        done = potc(path)
        assert done.returncode == 2
        assert b"POT0006" in done.stderr


@pytest.mark.slow
def test_a_huge_file_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(1_000_000_000)
    done = potc(path)
    assert done.returncode == 2
    assert b"POT0002" in done.stderr

"""`potc cert check` as a real process: outcomes, formats, exit codes, files that cannot be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_support import certificate

from potlang import api

ROOT = Path(__file__).parent.parent.parent
PROGRAM = ROOT / "tests" / "seed" / "09_transitive_relation.json"
NOTE = "a second reader, which shares no code with the compiler, finds the same program in it"
COMPILER = (
    "the certificate is about the compiled IR; that the IR means what the JSON says rests on the compiler"
)
REFUTATION = (
    '(refutation r0 negation "v0")',
    '(instance 1 "f0")',
    '(instance 2 "f1")',
    '(instance 3 "r0" (?a.0 x) (?b.1 y) (?c.2 z))',
    "(instance 4 goal)",
    "(empty)",
)
MODEL = ("(model m)", "(universe Element 1)", *[f"(constant {name} (element Element 0))" for name in "xyz"])
RELATED = "(function related (default true))"
RESULT = ('(result "v0" entailed)', "(unsat negation r0)")


def text(*lines: str) -> str:
    checked = api.check(PROGRAM)
    assert checked.program is not None
    return certificate(checked.program.emit("ir", passes=""), *lines)


def potc(*args: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", "cert", "check", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=60, cwd=ROOT, env=environment
    )


def test_a_valid_certificate(tmp_path: Path) -> None:
    """[CERT-WORD] [CERT-EXIT] The note is there whatever the outcome."""
    path = tmp_path / "out.cert"
    path.write_text(text(*MODEL, RELATED, *REFUTATION, *RESULT, "(sat claim m)"))
    done = potc(path, PROGRAM)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"VALID\n  v0: entailed\nnote: {NOTE}\n"


def test_a_certificate_with_holes_from_standard_input() -> None:
    lines = text(*REFUTATION, *RESULT, '(agreed sat claim "z3 4")')
    done = potc("-", PROGRAM, "--format", "json", stdin=lines)
    value = json.loads(done.stdout)
    assert done.returncode == 0
    assert (value["status"], value["verdicts"], value["note"]) == (
        "VALID_WITH_HOLES",
        {"v0": "entailed"},
        NOTE,
    )
    assert value["holes"] == [{"line": 11, "text": "'v0': claim sat: the word of 'z3 4'"}]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("instance 1", "instance 9"), 5),
        (("entailed", "refuted"), 9),
        (("(?b.1 y)", "(?b.1 z)"), 8),
        (("\n(end)\n", "\n"), 10),
    ],
)
def test_an_edited_certificate(tmp_path: Path, change: tuple[str, str], line: int) -> None:
    """[CERT-OUTCOME] The first bad line, and exit code 1."""
    path = tmp_path / "out.cert"
    path.write_text(text(*REFUTATION, *RESULT).replace(*change))
    done = potc(path, PROGRAM)
    assert done.returncode == 1
    assert done.stdout.startswith(f"INVALID\n  line {line}: ")
    assert done.stdout.endswith(f"note: {NOTE}\n")


def test_a_certificate_of_another_program(tmp_path: Path) -> None:
    """[CERT-PROGRAM]"""
    path = tmp_path / "out.cert"
    path.write_text(text(*REFUTATION, *RESULT))
    done = potc(path, ROOT / "tests" / "seed" / "10_scheduling.json")
    assert done.returncode == 1
    assert "line 2: the certificate is of another program" in done.stdout


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """Exit code 2, with a code."""
    path = tmp_path / "out.cert"
    path.write_text(text(*REFUTATION, *RESULT))
    missing = potc(tmp_path / "none.cert", PROGRAM)
    broken = potc(path, ROOT / "tests" / "seed" / "00_fig2_task_assignment.json")
    path.write_bytes(b"\xff\xfe\xfd")
    strange = potc(path, PROGRAM)
    assert [each.returncode for each in (missing, broken, strange)] == [2, 2, 2]
    assert "error[POT0006]" in missing.stderr
    assert "error[POT2001]" in broken.stderr
    assert "error[POT1002]" in strange.stderr
    assert [each.stdout for each in (missing, broken, strange)] == ["", "", ""]


def test_help_says_what_the_exit_codes_mean() -> None:
    done = potc("--help")
    assert done.returncode == 0
    assert "Exit code: 0 every answer is shown by what was checked" in " ".join(done.stdout.split())


def test_a_word_alone_ends_with_1() -> None:
    """[CERT-EXIT] [CERT-OPEN] A forged verdict that solvers are said to have found is none."""
    said = ('(result "v0" refuted)', '(agreed sat negation "z3")', '(agreed unsat claim () "z3" "cvc5")')
    done = potc("-", PROGRAM, stdin=text(*said))
    assert done.returncode == 1
    assert done.stdout.startswith("VALID_WITH_HOLES\n  v0: refuted (open)\n  hole in line 4: ")


def test_a_certificate_of_nothing_is_not_valid() -> None:
    """[CERT-NOTHING] [CERT-RESULT]"""
    empty = potc("-", PROGRAM, stdin=text())
    unknown = potc("-", PROGRAM, stdin=text('(result "v0" unknown)'))
    assert (empty.returncode, empty.stdout.partition("\n")[0]) == (1, "INVALID")
    assert (unknown.returncode, unknown.stdout.partition("\n")[0]) == (1, "VALID_WITH_HOLES")


@pytest.mark.parametrize(
    ("program", "verdicts"),
    [
        ({"knowledge_base": ["1 > 2"]}, {"assumptions": "inconsistent"}),
        ({"knowledge_base": ["2025-01-01 < 2025-01-02"]}, {"assumptions": "consistent"}),
        (
            {
                "constants": {"g": {"sort": "Int", "members": ["b"]}},
                "optimization": {
                    "constraints": ["b <= 7"],
                    "objectives": [{"type": "maximize", "expression": "b"}],
                },
            },
            {"objective 0": "optimal 7"},
        ),
    ],
)
def test_what_has_no_claims_is_certified_too(
    tmp_path: Path, program: dict[str, object], verdicts: dict[str, str]
) -> None:
    """[CERT-ASSUMPTIONS] [CERT-OBJECTIVE] [CERT-WORD]"""
    path = tmp_path / "program.json"
    path.write_text(json.dumps(program))
    command = [sys.executable, "-m", "potlang", path, "--certificate", tmp_path / "out.cert"]
    subprocess.run(command, capture_output=True, timeout=60, cwd=ROOT, check=False)
    done = potc(tmp_path / "out.cert", path, "--format", "json")
    value = json.loads(done.stdout)
    assert (done.returncode, value["status"], value["verdicts"]) == (0, "VALID", verdicts)
    covered = "2025" not in str(program)
    assert value["reading"]["status"] == ("confirmed" if covered else "not covered")
    assert value["note"] == (NOTE if covered else COMPILER)


def test_a_program_that_is_read_otherwise_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """[CERT-REREAD] [CERT-EXIT] As if the compiler had read another file."""
    from click.testing import CliRunner

    from potlang import reread
    from potlang.cli.cert import cert

    path = tmp_path / "out.cert"
    path.write_text(text(*REFUTATION, *RESULT))
    monkeypatch.setattr(
        "potlang.cli.cert.confirm", lambda source, compiled: reread.Confirmation("differs", "f0")
    )
    done = CliRunner().invoke(cert, ["check", str(path), str(PROGRAM)])
    assert done.exit_code == 1
    assert "finds another one in it: f0\n" in done.stdout

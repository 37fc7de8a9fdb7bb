"""`potc compile --to tptp|lean|python|asp` as a real process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import ROOT, potc

EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize(
    ("way", "program", "shown"),
    [
        ("tptp", "derivation.json", b"tff('the alarm goes off', conjecture, alarm)."),
        ("lean", "derivation.json", b"theorem \xc2\xabthe alarm goes off\xc2\xbb : alarm :="),
        ("python", "giraffe.json", b"jump_height(javier_sotomayor) == z3.RealVal('49/20')"),
        ("asp", "undetermined.json", b":- claim = 1, side = 1, not trained(rex)."),
        ("tptp", "refinement.dot.txt", b"conjecture"),
    ],
)
def test_programs_and_traces_are_written(way: str, program: str, shown: bytes) -> None:
    """[WAY-TPTP] [WAY-LEAN] [WAY-PYTHON] [WAY-ASP]"""
    done = potc("compile", EXAMPLES / program, "--to", way)
    assert done.returncode == 0 and shown in done.stdout


def test_a_script_that_was_written_is_run(tmp_path: Path) -> None:
    """[WAY-PYTHON] With `--output`, and the exit code of `potc`."""
    script = tmp_path / "giraffe.py"
    assert potc("compile", EXAMPLES / "giraffe.json", "--to", "python", "-o", script).stdout == b""
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, '"Sotomayor Jump Over Giraffe": refuted\n')


def test_what_a_tool_has_no_words_for_is_a_diagnostic(tmp_path: Path) -> None:
    """[WAY-NONE] With the place of the statement; nothing is written."""
    output = tmp_path / "giraffe.lp"
    done = potc("compile", EXAMPLES / "giraffe.json", "--to", "asp", "-o", output)
    assert done.returncode == 2 and not output.exists()
    assert b"error[POT4030]: `--to asp` has no counterpart of the sort Real" in done.stderr
    assert b"at /knowledge_base/0" in done.stderr and b"help: an answer set program has" in done.stderr


def test_claims_are_chosen(tmp_path: Path) -> None:
    """[WAY-CLAIMS] The first one in TPTP, with a note; the optimization is left out, with another."""
    program = {
        "constants": {"n": {"sort": "Int", "members": ["n"]}},
        "knowledge_base": ["n > 2"],
        "verifications": [{"name": each, "constraint": each} for each in ("n > 1", "n > 3")],
        "optimization": {"objectives": [{"expression": "n", "type": "minimize"}]},
    }
    path = tmp_path / "program.json"
    path.write_text(json.dumps(program))
    done = potc("compile", path, "--to", "tptp")
    assert done.stdout.count(b"conjecture") == 1 and b"the first of 2 claims is written" in done.stderr
    assert b"the optimization is left out" in done.stderr
    done = potc("compile", path, "--to", "tptp", "--claim", "n > 3")
    assert b"tff('n > 3', conjecture" in done.stdout and b"first of" not in done.stderr
    assert potc("compile", path, "--to", "python").stdout.count(b"claims.append") == 2
    done = potc("compile", path, "--to", "lean", "--claim", "x")
    assert done.returncode == 2 and b"has no claim `x`" in done.stderr


def test_passes_come_first() -> None:
    """[WAY-USED]"""
    path = EXAMPLES / "derivation.json"
    plain = potc("compile", path, "--to", "tptp").stdout
    assert b"=>" in plain
    done = potc("compile", path, "--to", "tptp", "--passes", "nnf", "--print-after")
    assert done.returncode == 0 and b"=>" not in done.stdout and b"; after nnf" in done.stderr
    assert potc("compile", path, "--to", "tptp", "--passes", "slice{claim=x}").returncode == 2


def test_a_solution_has_no_program_in_it() -> None:
    done = potc("compile", EXAMPLES / "natascha.dagmath.json", "--to", "lean")
    assert done.returncode == 2 and b"no program in it" in done.stderr

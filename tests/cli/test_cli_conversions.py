"""`potc compile` from and to traces, and `potc synthesize`, as real processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import ROOT, SEED, potc

EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("pot", b'"name": "summary 8"'),
        ("ir", b'"node 4"'),
        ("smt2", b'; rule "@entails src=4 dst=6 witness=7"'),
    ],
)
def test_a_trace_is_compiled(target: str, shown: bytes) -> None:
    """[DOT-CONV-1]."""
    done = potc("compile", EXAMPLES / "refinement.dot.txt", "--to", target)
    assert (done.returncode, done.stderr) == (0, b"")
    assert shown in done.stdout


def test_the_program_of_a_trace_is_a_program(tmp_path: Path) -> None:
    program = tmp_path / "program.json"
    assert potc("compile", EXAMPLES / "refinement.dot.txt", "--to", "pot", "-o", program).returncode == 0
    done = potc(program, "--format", "json")
    assert [each["verdict"] for each in json.loads(done.stdout)["results"]] == ["undetermined", "entailed"]


def test_a_derivation_is_compiled_to_a_trace_that_is_accepted(tmp_path: Path) -> None:
    """[DOT-CONV-4]: with the program as the theory where it declares a sort."""
    program, trace = SEED / "02_cherokee_delegation.json", tmp_path / "trace.dot.txt"
    done = potc("compile", program, "--to", "dot", "--claim", "Cherokee Oppose Allotment", "-o", trace)
    assert done.returncode == 0 and b"--theory" in done.stderr
    assert potc(trace, "--theory", program).returncode == 0
    assert potc(trace).returncode == 2


@pytest.mark.parametrize(
    ("source", "claim"), [("derivation.json", "the alarm goes off"), ("refinement.dot.txt", "summary 8")]
)
def test_a_derivation_is_compiled_to_a_solution_that_is_clean(
    source: str, claim: str, tmp_path: Path
) -> None:
    """[DAG-FROM-1]: of a program, and of what a trace amounts to."""
    solution = tmp_path / "solution.dagmath.json"
    arguments = ("--to", "dagmath", "--claim", claim, "-o", solution)
    done = potc("compile", EXAMPLES / source, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = potc("check", solution)
    # Its formulas are no numbers, which a note says.
    assert done.returncode == 0 and b"warning" not in done.stdout and b"POT7034" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "shown"),
    [
        (["01_sotomayor_giraffe.json", "--to", "dot"], 1, b"is refuted"),
        (["02_cherokee_delegation.json", "--to", "dot", "--claim", "x"], 2, b"has no claim `x`"),
        (["00_fig2_task_assignment.json", "--to", "dot"], 2, b"POT2001"),
        (["../../examples/appendix_a.dot.txt", "--to", "dot"], 2, b"a trace already"),
        (["../../examples/appendix_a.dot.txt", "--profile", "strict"], 2, b"POT5024"),
        (["../../examples/appendix_a.dot.txt", "--claim", "x"], 0, b"--claim has no effect"),
        (["../../examples/appendix_a.dot.txt", "--theory", "pyproject.toml"], 2, b"POT10"),
        (["01_sotomayor_giraffe.json", "--to", "dagmath"], 1, b"is refuted"),
        (["02_cherokee_delegation.json", "--to", "dagmath", "--claim", "x"], 2, b"has no claim `x`"),
        (["../../examples/natascha.dagmath.json", "--to", "dagmath"], 2, b"no program in it"),
        (["02_cherokee_delegation.json", "--theory", "x"], 0, b"--theory has no effect"),
    ],
)
def test_what_cannot_be_converted_is_said(arguments: list[str], code: int, shown: bytes) -> None:
    done = potc("compile", SEED / arguments[0], *arguments[1:])
    assert done.returncode == code and shown in done.stderr
    assert b"Traceback" not in done.stderr and b"POT0001" not in done.stderr


def test_synthetic_traces_are_lines_of_json(tmp_path: Path) -> None:
    """[DOT-SYNTH-1] [DOT-SYNTH-3]: the same bytes on standard output and in a file."""
    file = tmp_path / "traces.jsonl"
    options = ("--count", "3", "--seed", "4", "--depth", "2", "--kind", "horn", "--profile", "strict")
    done = potc("synthesize", *options)
    assert potc("synthesize", *options, "-o", file).returncode == 0
    assert done.stdout == file.read_bytes()
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert len(lines) == 3
    assert potc("-", "--profile", "strict", stdin=lines[0]["trace"].encode()).returncode == 0


def test_wrong_options_of_synthesize_are_said() -> None:
    done = potc("synthesize", "--wrong", "2")
    assert done.returncode == 2 and b"wrong is from 0 to 1" in done.stderr
    assert potc("synthesize", "-o", "/").returncode != 0


def test_names_with_hidden_characters_are_escaped_in_messages(tmp_path: Path) -> None:
    """[DIAG-OUT-1] [DIAG-OUT-2] On standard error too."""
    path = tmp_path / "program.json"
    claim = {"name": "x\u202e\u2066", "constraint": "n > 2"}
    constants = {"g": {"sort": "Int", "members": ["n"]}}
    path.write_text(json.dumps({"constants": constants, "verifications": [claim]}))
    done = potc("compile", "--to", "dot", path)
    assert "`x\\u202e\\u2066` is undetermined" in done.stderr.decode()

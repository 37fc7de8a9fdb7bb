"""The other tools as judges: what each says of a text written for it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

_WORDS = {
    (True, False): "entailed",
    (False, True): "refuted",
    (True, True): "undetermined",
    (False, False): "inconsistent",
}


def run_script(text: str) -> list[str]:
    """The verdicts that a Python script gives, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-I", "-"], input=text, capture_output=True, text=True, timeout=120
    )
    assert done.returncode in (0, 1, 3), done.stderr
    return [line.rpartition(": ")[2] for line in done.stdout.splitlines()]


def called_script(text: str, timeout_ms: int = 2_000) -> list[str]:
    """The same in this process, which is faster; `text` is what potlang has written."""
    import z3

    # Sorts of enums are known to a context for good.
    z3.z3._main_ctx = z3.Context()
    space: dict[str, Any] = {"__name__": "written"}
    exec(compile(text, "written", "exec"), space)  # noqa: S102 - it is what potlang has written
    space["TIMEOUT_MS"] = timeout_ms
    return [space["verdict"](formula) for _, formula in space["claims"]]


def clingo_verdicts(text: str, claims: int) -> list[str]:
    """The verdicts on the claims of an answer set program."""
    import clingo

    found = []
    for claim in range(1, claims + 1):
        can = []
        for side in (1, 0):
            control = clingo.Control(["--warn=none", "-c", f"claim={claim}", "-c", f"side={side}"])
            control.add("base", [], text)
            control.ground([("base", [])])
            can.append(bool(control.solve().satisfiable))
        found.append(_WORDS[can[0], can[1]])
    return found


_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|%.*")


@cache
def eprover() -> str | None:
    """The prover's file, if it is installed."""
    return shutil.which("eprover")


@cache
def cvc5_with_tptp() -> str | None:
    """The solver's file, if it is installed in a version that reads TPTP (before 1.1)."""
    found = shutil.which("cvc5")
    asked = found and subprocess.run([found, "--lang", "tptp", "-"], input="", capture_output=True, text=True)
    return found if asked and asked.returncode == 0 else None


def szs_status(text: str, seconds: int = 5) -> str:
    """What a prover says of a problem: with arithmetic the solver, which has it, else eprover."""
    if re.search(r"\$(?!o\b|tType\b|true\b|false\b)|\b\d", _QUOTED.sub("", text)) is None:
        command = [str(eprover()), "--auto", "--tstp-format", "-s", f"--cpu-limit={seconds}"]
    elif cvc5_with_tptp() is None:
        return "GaveUp"
    else:
        command = [str(cvc5_with_tptp()), "--lang", "tptp", f"--tlimit={1000 * seconds}", "-"]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=seconds + 5)
    except subprocess.TimeoutExpired:
        return "Timeout"
    found = re.search(r"SZS status (\w+)", done.stdout)
    if found is None and "interrupted by timeout" in done.stderr:
        return "Timeout"
    return found[1] if found else f"none: {done.stdout[-300:]}{done.stderr[-200:]}"


def agrees(status: str, verdict: str) -> bool | None:
    """Whether a prover's status fits a verdict; None where it says nothing."""
    if status in ("Theorem", "Unsatisfiable"):
        # Of contradictory axioms a prover may say so, too; solvers have one word for both.
        return verdict in ("entailed", "inconsistent")
    if status == "ContradictoryAxioms":
        return verdict == "inconsistent"
    if status in ("CounterSatisfiable", "Satisfiable"):
        return verdict in ("refuted", "undetermined")
    return None if status in ("GaveUp", "ResourceOut", "Timeout", "Unknown") else False


def cases_in(folder: Path) -> list[Path]:
    """The files of cases."""
    return sorted(folder.glob("*.jsonl"))

"""Hands proofs to checkers that are not part of potlang, where they are installed ([CERT-ARCHIVE-CHECK])."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple

from potlang.engines.messages import ProofFormat
from potlang.processes.launch import NOT_STARTED, end_program, launch_program

Outcome = Literal["checked", "incomplete", "rejected", "timeout", "not available"]

CHECKERS: Final[dict[ProofFormat, str]] = {"cpc": "ethos", "alethe": "carcara"}
_SAYS: Final[dict[str, Outcome]] = {
    "correct": "checked",
    "success": "checked",
    "valid": "checked",
    "incomplete": "incomplete",
    "holey": "incomplete",
}
_MOST_READ: Final = 64 * 1024
_LONGEST_WORDS: Final = 200


class Checking(NamedTuple):
    """A checker's judgement of a proof; `words` are its own where it did not accept it.

    `incomplete`: every step is right but those that the checker had to take on trust.
    """

    checker: str
    outcome: Outcome
    words: str = ""


def check_proof(
    form: ProofFormat, problem: Path, proof: Path, timeout_ms: int, rules: Sequence[Path] = ()
) -> Checking:
    """Run the checker of this format on a proof of `problem`, if it is on PATH.

    `rules` are the files that define the rules of CPC (`Cpc.eo`), which come with cvc5's sources.
    """
    checker = CHECKERS[form]
    found = shutil.which(checker)
    if found is None:
        return Checking(checker, "not available", "not on PATH")
    command = [found, *_arguments(form, problem.resolve(), proof.resolve(), rules)]
    with tempfile.TemporaryFile() as output:
        try:
            code = _run(command, output, timeout_ms / 1000)
        except OSError as error:
            return Checking(checker, "not available", f"it does not start: {error.strerror or error}")
        if code is None:
            return Checking(checker, "timeout", f"not done within {timeout_ms} ms")
        said = _last_part(output)
        if code == NOT_STARTED:
            return Checking(checker, "not available", f"it does not start: {said.strip()[:_LONGEST_WORDS]}")
        return _judged(checker, code, said)


def _arguments(form: ProofFormat, problem: Path, proof: Path, rules: Sequence[Path]) -> list[str]:
    if form == "alethe":
        return ["check", str(proof), str(problem)]
    return [*(f"--include={rule.resolve()}" for rule in rules), str(proof)]


def _run(command: list[str], output: IO[bytes], seconds: float) -> int | None:
    """The exit code; None if it had to be killed, with all that it had started."""
    process = launch_program(command, output)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        end_program(process)


def _last_part(output: IO[bytes]) -> str:
    end = output.seek(0, os.SEEK_END)
    output.seek(max(0, end - _MOST_READ))
    return output.read().decode("utf-8", "replace")


def _judged(checker: str, code: int, text: str) -> Checking:
    """A proof is accepted only if the checker ends well and says so in a line of its own."""
    lines = [line for each in text.splitlines() if (line := each.strip())]
    said = [_SAYS[line] for line in lines if line in _SAYS]
    if code == 0 and said:
        return Checking(checker, said[-1])
    words = lines[-1][:_LONGEST_WORDS] if lines else ""
    return Checking(checker, "rejected", words or f"exit code {code}")

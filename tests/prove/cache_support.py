"""Reports and keys for the tests of the cache, and Python in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from potlang.prove.cache import Key, make_key
from potlang.report.results import Limits, ProgramResult, Result, Verdict

ROOT = Path(__file__).parents[2]
SEED = ROOT / "tests" / "seed"
SETTINGS: dict[str, Any] = {"trust": "best", "passes": "simplify", "limits": Limits()}


def key(number: int) -> Key:
    """A key that is the same in all processes, even while the code is being worked on."""
    made = make_key(f"(potlang-ir 1)\n; {number}\n", SETTINGS)
    return made._replace(versions=json.dumps({"potlang": "test"}))


def report(number: int, size: int = 0) -> ProgramResult:
    """A settled report that tells by its content which key it belongs to."""
    result = Result(f"claim {number}", f"/verifications/{number}", Verdict.ENTAILED, "SAT")
    return ProgramResult(Verdict.ENTAILED, (result,), notes=(noise(number, size),))


def noise(number: int, size: int) -> str:
    """Text of about this size that hardly gets smaller when compressed."""
    import random

    return random.Random(number).randbytes(size // 2).hex()


def start(code: str, *args: object, **more: Any) -> subprocess.Popen[str]:
    """Python in a process of its own, with this repository and the tests of this folder."""
    paths = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        **more,
    )


def said(process: subprocess.Popen[str]) -> str:
    """What it printed; it must have ended well."""
    output, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, "")
    return output

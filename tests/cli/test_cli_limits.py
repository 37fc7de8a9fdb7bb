"""The time of a command is that of all its work on an input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "giraffe.json"


def test_a_program_that_is_not_read_in_time_is_unknown() -> None:
    """[LIMIT-WHOLE-CALL]"""
    command = [sys.executable, "-m", "potlang", "--total-timeout", "0.001", "--format", "json", str(EXAMPLE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"], report["results"]) == (3, "unknown", [])
    assert "before the program was read and checked" in report["notes"][0]

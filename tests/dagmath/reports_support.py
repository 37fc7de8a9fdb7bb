"""Reports on solutions: made by hand with any text in them, and what they are held to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from potlang.languages.dagmath.check.metrics import Class
from potlang.languages.dagmath.check.reasons import Reason
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import (
    AnswerResult,
    GraphResult,
    SolutionVerdict,
    StepEntry,
    StepResult,
    StepVerdict,
    UnclosedStep,
)

ROOT = Path(__file__).parents[2]
NATASCHA = ROOT / "examples" / "natascha.dagmath.json"
LOGARITHMS = ROOT / "examples" / "logarithms.dagmath.txt"
HEPTAGON = Path(__file__).parent / "heptagon.json"
SCHEMA = Draft202012Validator(json.loads((ROOT / "schemas" / "dagmath-report-1.json").read_text("utf-8")))
HOSTILE = (
    '"]; n1 --> n9; click n1 "javascript:alert(1)"',
    "</script></title></style></svg><script>alert(1)</script>",
    'back\\slash \\" \\N \\G \\n quoted"',
    "lines\nand\r\ntabs\tand \u2028 separators",
    "\u202eright to left\u202c \u200f\u2066",
    "\x00\x01\x1b[31m\x7f\ufffe\uffff\ud800",
    "]]> <!-- --> <![CDATA[ <?php {{ }} ${x}",
    "日本語 🙂 é" * 20,
)
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=()), max_size=80))


def schema_errors(value: object) -> list[str]:
    """What is wrong with the JSON form of a report."""
    return [error.message for error in SCHEMA.iter_errors(value)]


def potc(
    *arguments: str | Path, given: str | bytes = b"", is_hurried: bool = True
) -> subprocess.CompletedProcess[bytes]:
    """Runs `potc`; no traceback may come of it. Else than `is_hurried` it has many times as long for all."""
    program = ["-m", "potlang"] if is_hurried else [str(ROOT / "tests" / "unhurried.py")]
    command = [sys.executable, *program, *map(str, arguments)]
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"}
    data = given.encode() if isinstance(given, str) else given
    done = subprocess.run(command, input=data, capture_output=True, timeout=90, cwd=ROOT, env=environment)
    assert b"Traceback" not in done.stderr
    assert b"POT0001" not in done.stderr
    return done


def full(text: str = "text") -> SolutionReport:
    """A report in which every part is there, and the text wherever text is."""
    verdicts = list(StepVerdict)
    steps = tuple(
        StepEntry(
            at,
            None if verdict is StepVerdict.GIVEN else tuple(range(1, at)),
            text,
            at,
            StepResult(at, verdict, text, text, 1 if at == 3 else None, "solver", (text,), "solver"),
        )
        for at, verdict in enumerate(verdicts, 1)
    )
    located = (
        {
            "code": "POT7020",
            "severity": "warning",
            "message": text,
            "pointer": "",
            "span": [0, 3],
            "line": 4,
            "column": 1,
            "notes": [text],
            "helps": [text],
            "fixes": [],
        },
    )
    return SolutionReport(
        SolutionVerdict.REFUTED,
        Class.IMPERFECT,
        GraphResult(6, 11, 0.7, 5, 4, False, 0.8, (5,)),
        AnswerResult(text, text, False, "math", text),
        (UnclosedStep(5, Reason.ABANDONED, (3, 5)),),
        steps,
        (1, 5),
        True,
        located=located,
        notes=(text,),
        version="1",
    )


def large(count: int) -> SolutionReport:
    """A chain of so many steps that are not checkable; the 40th from the end is refuted, and 51 unclosed."""
    unchecked, refuted = StepVerdict.NOT_CHECKABLE, StepVerdict.REFUTED
    steps = [
        StepEntry(
            at,
            tuple(sorted({at - 1, at // 2} - {51} or {0})) if at else None,
            f"$x > {at}$.",
            at + 1,
            StepResult(at, refuted if at == count - 40 else unchecked, "why"),
        )
        for at in range(count)
    ]
    graph = GraphResult(count, 2 * count, 0.1, 2, 3, False, 0.9, (51,))
    unclosed = (UnclosedStep(51, Reason.COMMENTARY),)
    return SolutionReport(
        SolutionVerdict.REFUTED, None, graph, None, unclosed, tuple(steps), has_checked_steps=True
    )

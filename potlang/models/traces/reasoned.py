"""The result of reasoning about a question by traces: the report, the answer, and the whole transcript.

The form is that of `schemas/reasoned-trace-1.json`. Nothing here asks or decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from potlang.diag.wording import visible
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import NodeResult, TraceVerdict
from potlang.models.loop.asking import Attempt
from potlang.models.loop.results import Transcript, nothing_written, sample_parts


class TraceAttempts(NamedTuple):
    """The attempts at one trace, and the report on the last well-formed one, None if there is none."""

    attempts: tuple[Attempt, ...]
    report: TraceReport | None = None

    @property
    def trace(self) -> str | None:
        """The text of the trace that the report is on."""
        return None if self.report is None else self.report.document.text

    @property
    def problem(self) -> str:
        """The mistakes of the last reply; empty if it was accepted."""
        return self.attempts[-1].problem if self.attempts else "nothing was asked"

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        parts = sample_parts("trace", self.attempts, self.report)
        for each in parts["attempts"]:
            # A trace has no schema.
            del each["structured"]
        return {"problem": self.problem, "trace": self.trace, **parts}


class ReasonedTraceValues(NamedTuple):
    """The answer to a question by traces; `ReasonedTrace` is this with its face.

    `chosen` is the first trace that is established, or else the best one that was verified; None where there
    is none. `verdict` is that of its report, and `unknown` without one, with a `reason`.
    """

    question: str
    model: str
    system: str
    chosen: TraceAttempts | None
    samples: tuple[TraceAttempts, ...]
    version: str = ""


class ReasonedTrace(ReasonedTraceValues, Transcript):
    """The answer by traces: the values of `ReasonedTraceValues` with the face of `Transcript`."""

    __slots__ = ()

    @property
    def report(self) -> TraceReport | None:
        """The report on the chosen trace."""
        return None if self.chosen is None else self.chosen.report

    @property
    def trace(self) -> str | None:
        """The text of the chosen trace."""
        return None if self.chosen is None else self.chosen.trace

    @property
    def verdict(self) -> TraceVerdict:
        """The verdict on the chosen trace."""
        return TraceVerdict.UNKNOWN if self.report is None else self.report.verdict

    @property
    def established(self) -> bool | None:
        """Whether the answer is established; None where that is not known."""
        return None if self.report is None else self.report.established.holds

    @property
    def answer(self) -> NodeResult | None:
        """The last summarizer, with what it states and its text."""
        nodes = () if self.report is None else self.report.nodes
        return next((each for each in reversed(nodes) if each.role == "summarizer"), None)

    @property
    def reason(self) -> str:
        """Why there is no report; empty if there is one."""
        if self.report is not None:
            return ""
        last = self.samples[-1]
        return nothing_written("trace", last.attempts, last.problem)

    def to_dict(self) -> dict[str, Any]:
        """The whole transcript as JSON values, in the form of `schemas/reasoned-trace-1.json`."""
        answer = self.answer
        return self._framed(
            "reasoned-trace",
            {
                "verdict": str(self.verdict),
                "established": self.established,
                "trace": self.trace,
                "reason": self.reason,
                "answer": None
                if answer is None
                else {"node": answer.id, "proposition": answer.proposition, "text": answer.text},
            },
        )

    def _summary(self) -> Iterator[str]:
        if self.report is None:
            yield f"verdict: unknown ({visible(self.reason)})"
        if self.answer is not None:
            yield f"answer: {visible(self.answer.proposition or self.answer.text)}"

"""Has a model write a trace for a question, in rounds: diagnostics, then verdicts ([LOOP-DOT-WRITE])."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple

from potlang.diag import Severity
from potlang.diag.brief import in_brief
from potlang.diag.fixes import mend
from potlang.languages.dot.check import CheckedTrace
from potlang.languages.dot.check import check as check_trace
from potlang.languages.dot.read.records import Profile, Record, Status
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.solve.verify import verify as verify_trace
from potlang.languages.dot.write.emit import emit
from potlang.languages.pot.program import Program
from potlang.models.endpoint import Completion, Message, Model, Sampling, assistant, user
from potlang.models.loop.asking import Attempt, RetryLoop, ended
from potlang.models.programs.writer import USUAL, Progress, repeated
from potlang.models.replies.extract import BadReply
from potlang.models.traces.prompting import (
    placed_prompt,
    trace_question_prompt,
    trace_repair_prompt,
    trace_system_prompt,
    verdicts_prompt,
)
from potlang.models.traces.replies import behind_node, trace_in
from potlang.models.traces.solver_critic import MARKS, critique
from potlang.prove.options import RouteName, Trust
from potlang.report.results import Limits, Verdict

RoundVerdicts = Literal["none", "offered", "placed"]
"""Between rounds a model is told of the form alone, is told the solver's verdicts, or has them written."""
_LOOKS_LIKE_A_RECORD: Final = "POT5066"
_NOT_ESTABLISHED: Final = "the answer is not established"


class TraceAsking(NamedTuple):
    """Options of the loop. `sampling.tries` bounds the replies for one trace.

    `budget` bounds the records, statuses not counted; `theory` is what traces are read against. The rest is
    how traces are verified.
    """

    sampling: Sampling = USUAL
    verdicts: RoundVerdicts = "offered"
    profile: Profile = "paper"
    theory: Program | None = None
    budget: int | None = None
    limits: Limits = Limits()
    route: RouteName = "auto"
    trust: Trust = "best"


def form_problem(errors: int) -> str:
    """The message on a trace with so many errors; without one, of one with text that looks like a record."""
    if not errors:
        return "text that looks like a record was not read as one"
    return f"the trace has {errors} error{'' if errors == 1 else 's'}"


class _Standing(NamedTuple):
    """The beginning of a trace that is not written again; `last` is its last node."""

    text: str = ""
    last: int = 0


class TraceWriter:
    """Has a model write traces; `system` is the system message."""

    def __init__(self, model: Model, asking: TraceAsking, *, progress: Progress | None = None) -> None:
        self.asking = asking
        module = None if asking.theory is None else asking.theory.module
        self.system = trace_system_prompt(module, profile=asking.profile, budget=asking.budget)
        self._model = model
        self._asker = RetryLoop(asking.sampling, progress)

    def write(self, question: str) -> tuple[tuple[Attempt, ...], TraceReport | None]:
        """The attempts at a trace for a question, and the report on the last well-formed one, if any.

        Does not raise EndpointError.
        """
        before = len(self._asker.attempts)
        rounds = _Rounds(self, user(trace_question_prompt(question)), self._asker.attempts)
        self._asker.converse(self._model, rounds, stage="trace")
        return tuple(self._asker.attempts[before:]), rounds.report

    def check(self, text: str) -> CheckedTrace:
        """The form of a trace; no solver is asked."""
        asking = self.asking
        return check_trace(
            text,
            profile=asking.profile,
            theory=asking.theory,
            budget=asking.budget,
            require_end=True,
            name="trace",
        )

    def verify(self, trace: Trace) -> TraceReport:
        """The report on a well-formed trace."""
        asking = self.asking
        return verify_trace(
            trace,
            theory=asking.theory,
            limits=asking.limits,
            route=asking.route,
            trust=asking.trust,
            name="trace",
        )

    def note(self, text: str, checked: CheckedTrace, mended: int) -> None:
        """Keeps what was read with the attempt."""
        self._asker.note(program=text, diagnostics=checked.located(), mended=mended)


class _Rounds:
    """The rounds of one trace: what is asked next, and the last report."""

    def __init__(self, writer: TraceWriter, first: Message, attempts: list[Attempt]) -> None:
        self.messages: tuple[Message, ...] = (first,)
        self.system = writer.system
        self.schema = None
        self.report: TraceReport | None = None
        self._writer = writer
        self._first = first
        self._attempts = attempts
        self._standing = _Standing()
        self._answer: Callable[[], tuple[Message, ...]] = self._about_form
        """The message on the last reply."""
        self._placed: set[int] = set()
        """The propositions that the solver has judged in its own words."""

    def read(self, done: Completion) -> TraceReport:
        """The report on the trace of a reply that is accepted. Raises BadReply."""
        self._answer = self._about_form
        checked = self._checked(done)
        self.report = report = self._writer.verify(checked.trace)
        # An unknown verdict is no fault of the model's.
        use = self._writer.asking.verdicts
        if use == "none" or report.ok or report.verdict == "unknown":
            return report
        if use == "offered":
            self._answer = self._about_verdicts
        else:
            self._place(checked.trace, report)
        raise BadReply("; ".join([_NOT_ESTABLISHED, *(each.text for each in report.established.reasons[:3])]))

    def go_on(self) -> None:
        """Makes the messages of the next round."""
        self.messages = (self._first, *self._answer())

    def without_schema(self) -> bool:
        """No schema says what a trace is."""
        return False

    def _checked(self, done: Completion) -> CheckedTrace:
        found = trace_in(done.text)
        if found is None:
            problem = "there is no trace in the reply" if done.text.strip() else "the reply is empty"
            raise BadReply(ended(problem, done))
        if self._standing.last:
            rest = behind_node(found, self._standing.last)
            if rest is None:
                raise BadReply(ended(f"no `@node` of the reply has an id above {self._standing.last}", done))
            found = self._standing.text + rest
        found, mended, checked = mend(found, self._writer.check(found), self._writer.check)
        self._writer.note(found, checked, mended)
        errors = sum(each.severity is Severity.ERROR for each in checked.diagnostics)
        if errors:
            raise BadReply(ended(form_problem(errors), done))
        if any(each.code == _LOOKS_LIKE_A_RECORD for each in checked.diagnostics):
            raise BadReply(form_problem(0))
        if problem := self._lacking(checked.trace):
            raise BadReply(problem)
        return checked

    def _lacking(self, trace: Trace) -> str:
        """Why a well-formed trace is no answer; empty if it is one."""
        if not any(trace.nodes[id_].role == "summarizer" for id_ in trace.props):
            return "no summarizer states an answer in a `@prop`"
        values = [each.value for id_, each in trace.props.items() if trace.nodes[id_].role == "problem"]
        if self._writer.asking.theory is not None and any(
            isinstance(value, dict) and "assume" in value for value in values
        ):
            return "the trace assumes something of its own: its assumptions are those given"
        return ""

    # --- what is said about a reply ----------------------------------------------------------------

    def _about_form(self) -> tuple[Message, ...]:
        last, standing = self._attempts[-1], self._standing
        if last.program is None and standing.last:
            said = trace_repair_prompt(last.problem, behind=standing.last)
            return assistant(standing.text), user(said)
        diagnostics = in_brief(last.diagnostics)
        said = trace_repair_prompt(last.problem, diagnostics, behind=standing.last or None)
        return assistant(repeated(last)), user(said)

    def _about_verdicts(self) -> tuple[Message, ...]:
        assert self.report is not None
        return assistant(repeated(self._attempts[-1])), user(verdicts_prompt(self.report))

    def _place(self, trace: Trace, report: TraceReport) -> None:
        """Cuts the trace behind the first proposition of which the solver says otherwise, with its critique.

        If there is none left, it is cut where the summary begins.
        """
        judged = next(_misjudged(trace, report, self._placed), None)
        reasons: list[str] = []
        if judged is None:
            end = min(id_ for id_, node in trace.nodes.items() if node.role == "summarizer")
            records = [each for each in trace.records if each.block is not None and each.block < end]
            reasons = [each.text for each in report.established.reasons]
        else:
            self._placed.add(judged[0])
            records = _with_critique(trace, *judged)
        text = emit(records, role_tokens=trace.has_role_tokens).decode()
        self._standing = standing = _Standing(
            text, max(each.block for each in records if each.block is not None)
        )
        self._answer = lambda: (assistant(standing.text), user(placed_prompt(standing.last, reasons)))


def _misjudged(trace: Trace, report: TraceReport, placed: set[int]) -> Iterator[tuple[int, Verdict]]:
    """The propositions whose status is not what the solver's verdict gives them, with that, in order."""
    for node in report.nodes:
        if node.role != "proposer" or node.verdict is None or node.id in placed:
            continue
        status = trace.statuses.get(node.id)
        mark = None if status is None else status.mark
        if node.verdict in MARKS:
            if mark != MARKS[node.verdict]:
                yield node.id, node.verdict
        elif node.verdict is Verdict.UNDETERMINED and mark == "validated":
            yield node.id, node.verdict


def _with_critique(trace: Trace, node: int, verdict: Verdict) -> list[Record]:
    """The records up to a proposition, without a status in its own block, and the solver's critique."""
    kept: list[Record] = [
        each
        for each in trace.records
        if each.block is not None
        and each.block <= node
        and not (isinstance(each, Status) and each.target == node)
    ]
    return [*kept, *critique(node, verdict)]

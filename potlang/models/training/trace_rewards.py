"""A reward for traces: its records, its form, its end, its judgements, what it establishes ([DOT-REWARD])."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from potlang.diag import Severity
from potlang.languages.dot.check import CheckedTrace, Theory, check, compiled
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.records import Edge, End, Node, Profile, Prop
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.solve.prover import TheoryProver
from potlang.languages.dot.solve.verify import verify
from potlang.languages.dot.stream.validator import Validator
from potlang.languages.dot.write.emit import emit
from potlang.languages.pot.program import Program
from potlang.models.traces.replies import trace_in
from potlang.models.traces.solver_critic import MARKS
from potlang.models.training.rewards import LIMITS
from potlang.report.results import Limits

LONGEST_TRACE: Final = 200_000
"""Characters of a trace, or of a reply with one; a longer one gets nothing."""
_RECORD: Final = re.compile(rb"^@", re.MULTILINE)


class TraceWeights(NamedTuple):
    """The weight of each part; together 1 for the whole reward to be at most 1."""

    records: float = 0.1
    well_formed: float = 0.1
    complete: float = 0.2
    judged: float = 0.2
    established: float = 0.4


TRACE_WEIGHTS: Final = TraceWeights()


class TraceReward(NamedTuple):
    """The parts, each a share from 0 to 1, and their weighted sum.

    Each of the first three is 0 where the one before is not 1, and the last two are 0 where `complete` is.
    """

    records: float
    well_formed: float
    complete: float
    judged: float
    established: float
    value: float


def reward_trace(
    trace: str,
    *,
    theory: Theory | None = None,
    problem: Mapping[str, Any] | None = None,
    conclusion: Any = None,
    profile: Profile = "paper",
) -> float:
    """The reward in [0, 1] with the usual weights and limits; see `assess_trace`.

    >>> from potlang.models import reward_trace
    >>> reward_trace("@node id=1 role=problem\\nIs it so?\\n")
    0.2
    """
    return assess_trace(trace, theory=theory, problem=problem, conclusion=conclusion, profile=profile).value


def assess_trace(
    trace: str,
    *,
    theory: Theory | None = None,
    problem: Mapping[str, Any] | None = None,
    conclusion: Any = None,
    profile: Profile = "paper",
    weights: TraceWeights = TRACE_WEIGHTS,
    limits: Limits = LIMITS,
) -> TraceReward:
    """The reward and its parts, for a trace or a reply with one in it, in bounded time.

    `theory` is a PoT program that the trace is read against; `problem` is what its problem has to declare and
    assume, as JSON of its `@prop`. `conclusion` is JSON of a proposition that the answer has to entail by
    itself: without it a trace may conclude less than was asked, and without `theory` and `problem` it may
    assume its answer. Raises `potlang.CompileError` for a theory with errors.
    """
    program = compiled(theory)
    # A reward is asked for thousands of texts: none may cost more than its limits.
    text = None if len(trace) > LONGEST_TRACE else trace_in(trace)
    if text is None:
        return _weighed(weights)
    records, is_open = _records(text, profile)
    if records < 1 or is_open:
        return _weighed(weights, records)
    checked = check(text, profile=profile, theory=program)
    well_formed = _well_formed(checked)
    if well_formed < 1:
        return _weighed(weights, 1, well_formed)
    if not _is_complete(checked.trace):
        return _weighed(weights, 1, 1)
    if not _assumes(checked.trace, program, problem):
        return _weighed(weights, 1, 1, 1)
    report = verify(checked.trace, theory=program, trust="solver", limits=limits)
    established = report.ok and (conclusion is None or _concludes(checked.trace, program, conclusion, limits))
    return _weighed(weights, 1, 1, 1, _judged(checked.trace, report), float(established))


def _weighed(weights: TraceWeights, *parts: float) -> TraceReward:
    records, well_formed, complete, judged, established = found = (*parts, *(0.0,) * 5)[:5]
    value = sum(weight * part for weight, part in zip(weights, found, strict=True))
    # Rounded, so that parts which are all 1 are worth 1.
    value = min(1.0, max(0.0, round(value, 12)))
    return TraceReward(records, well_formed, complete, judged, established, value)


def _records(text: str, profile: Profile) -> tuple[float, bool]:
    """The share of the records before the first violation; and whether the text is but a beginning."""
    data = text.encode("utf-8", "surrogatepass")
    validator = Validator(profile=profile)
    status = validator.push(data)
    starts = [found.start() for found in _RECORD.finditer(data)]
    # What `position` is in, is not whole; behind the last byte only a record whose line has ended is.
    whole = sum(data.find(b"\n", start, validator.position) >= 0 for start in starts)
    if status == "invalid":
        return whole / max(len(starts), whole + 1), False
    return (1.0 if whole else 0.0), status == "incomplete"


def _well_formed(checked: CheckedTrace) -> float:
    """1 without errors, else the share of propositions whose names and sorts are right."""
    errors = sum(each.severity is Severity.ERROR for each in checked.diagnostics)
    stated = len(checked.propositions.stated)
    return stated / (stated + errors) if errors else 1.0


def _is_complete(trace: Trace) -> bool:
    """Whether a trace has its end, a critique, and a summarizer that states something."""
    is_criticized = any(edge.kind == "critique" for edge in trace.of(Edge))
    return is_criticized and any(trace.of(End)) and _answering(trace) is not None


def _answering(trace: Trace) -> int | None:
    """The last summarizer, if it states something."""
    last = max((id_ for id_, node in trace.nodes.items() if node.role == "summarizer"), default=None)
    return last if last in trace.props else None


def _assumes(trace: Trace, theory: Program | None, problem: Mapping[str, Any] | None) -> bool:
    """Whether a trace assumes what is given, and nothing of its own beside a theory."""
    values = [trace.props[id_].value for id_ in trace.props if trace.nodes[id_].role == "problem"]
    if problem is not None:
        wanted = json_line(dict(problem), canonical=True)
        return len(values) == 1 and json_line(values[0], canonical=True) == wanted
    return theory is None or not any(isinstance(each, dict) and "assume" in each for each in values)


def _judged(trace: Trace, report: TraceReport) -> float:
    """The share of different propositions whose status is what the solver's verdict gives them."""
    right: dict[object, bool] = {}
    for node in report.nodes:
        if node.role != "proposer":
            continue
        # What states nothing is judged wrongly by any status.
        key = json_line(trace.props[node.id].value, canonical=True) if node.id in trace.props else node.id
        status = trace.statuses.get(node.id)
        mark = None if status is None else status.mark
        is_right = node.verdict is not None and (
            mark == MARKS[node.verdict] if node.verdict in MARKS else mark != "validated"
        )
        right[key] = right.get(key, True) and is_right
    return sum(right.values()) / len(right) if right else 0.0


def _concludes(trace: Trace, theory: Program | None, conclusion: Any, limits: Limits) -> bool:
    """Whether the answer entails the conclusion that is wanted, with nothing assumed."""
    answer = _answering(trace)
    assert answer is not None
    asked = answer + 1
    kept = [each for each in trace.records if not isinstance(each, End)]
    text = emit([*kept, Node(asked, "proposer"), Prop(asked, conclusion, json_line(conclusion))])
    checked = check(text, profile=trace.profile, theory=theory)
    if not checked.ok:
        return False
    said = checked.propositions
    module = replace(said.module, assertions=())
    formula = module.pool.implies(said.stated[answer], said.stated[asked])
    with TheoryProver(module, limits=limits) as prover:
        return prover.assuming().follow([formula]).get(formula.id, False)

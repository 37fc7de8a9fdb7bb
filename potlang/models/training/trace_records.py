"""Records for training models that write traces: texts, conversations, completions ([DOT-TRAIN]).

The conversations are those of the loop: what a model is asked there, and what it should reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, Final, Literal, NamedTuple

from potlang.diag.brief import in_brief
from potlang.generate.solved import NotSampled, sample_of_trace
from potlang.generate.trace_slips import Slip, slip
from potlang.generate.traces import Sample
from potlang.languages.dot.read.records import Profile
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.program import CompileError, Program
from potlang.models.traces.prompting import (
    trace_question_prompt,
    trace_repair_prompt,
    trace_system_prompt,
    verdicts_prompt,
)
from potlang.models.traces.writer import form_problem
from potlang.models.training.auxiliary_loss import texts_of

TrainingForm = Literal["sample", "text", "chat", "completion"]
_SECOND_BLOCK: Final = re.compile(r"^(?:<\w+>\n)?@node id=\d+", re.MULTILINE)
_ANSWER: Final = re.compile(
    r"^@node id=(\d+) role=summarizer\n(?:@(?!node|prop).*\n)*@prop id=\1 ", re.MULTILINE
)


class BrokenShare(NamedTuple):
    """How many records begin with a broken trace: a share, drawn by a seed."""

    share: float = 0.0
    seed: int = 0


NONE_BROKEN: Final = BrokenShare()


def training_records(
    samples: Iterable[Sample],
    form: TrainingForm = "sample",
    *,
    broken: BrokenShare = NONE_BROKEN,
    auxiliary: bool = False,
    profile: Profile = "paper",
) -> Iterator[dict[str, Any]]:
    """A record for each sample, as JSON values.

    `text`: the trace alone; `chat`: messages, as fine-tuning takes them; `completion`: the block of the
    problem, and what follows. A `broken` one has a trace with a slip and its diagnostics before the right
    one; a message with it has the weight 0. `auxiliary`: the literals that the summary entails, with their
    negations, and the place where a model is asked for them (`potlang.models.auxiliary_loss`). Raises
    ValueError for a share that is none.
    """
    if not 0 <= broken.share <= 1:
        raise ValueError(f"a share is from 0 to 1, not {broken.share}")
    return _records(samples, form, broken, auxiliary, profile)


def _records(
    samples: Iterable[Sample], form: TrainingForm, broken: BrokenShare, auxiliary: bool, profile: Profile
) -> Iterator[dict[str, Any]]:
    for index, sample in enumerate(samples):
        # Which ones are broken does not depend on how many there are.
        random = Random(f"{broken.seed} {index} broken")
        program = None if sample.theory is None else compile_program(sample.theory)
        slipped = None
        if broken.share and random.random() < broken.share:
            # What is mended without asking is no conversation of the loop ([LOOP-MEND]).
            slipped = slip(sample.trace, random, profile=profile, theory=program, mendable=False)
        found, start = _record(sample, form, slipped, program, profile)
        if auxiliary:
            found["auxiliary"] = _auxiliary(sample, start)
        yield found


def _record(
    sample: Sample, form: TrainingForm, slipped: Slip | None, program: Program | None, profile: Profile
) -> tuple[dict[str, Any], int]:
    """The record, and where its trace begins in its last text (negative: in the text before that)."""
    start = 0
    match form:
        case "sample":
            found = sample.to_dict()
            if slipped is not None:
                diagnostics = in_brief(slipped.diagnostics)
                found |= {"slip": slipped.kind, "broken": slipped.broken, "diagnostics": diagnostics}
                if slipped.report is not None:
                    found["reasons"] = [each.text for each in slipped.report.established.reasons]
        case "text":
            found = {"text": sample.trace if slipped is None else f"{_begun(slipped)}{sample.trace}"}
            start = len(found["text"]) - len(sample.trace)
        case "chat":
            found = {"messages": _messages(sample, slipped, program, profile)}
        case "completion":
            prompt, completion = _split(sample.trace)
            # Behind a broken trace the whole of it is written again.
            if slipped is not None:
                prompt, completion = _begun(slipped), sample.trace
            found = {"prompt": prompt, "completion": completion}
            start = len(completion) - len(sample.trace)
    return found, start


def _begun(slipped: Slip) -> str:
    """A broken trace, and what is said of it."""
    end = "" if slipped.broken.endswith("\n") else "\n"
    return f"{slipped.broken}{end}\n{_repair(slipped)}\n\n"


def _repair(slipped: Slip) -> str:
    if slipped.report is not None:
        return verdicts_prompt(slipped.report)
    errors = sum(each["severity"] == "error" for each in slipped.diagnostics)
    return trace_repair_prompt(form_problem(errors), in_brief(slipped.diagnostics))


def _messages(
    sample: Sample, slipped: Slip | None, program: Program | None, profile: Profile
) -> list[dict[str, Any]]:
    module = None if program is None else program.module
    # A line above the first node is its role token.
    system = trace_system_prompt(module, profile=profile, role_tokens=sample.trace.startswith("<"))
    found: list[dict[str, Any]] = [
        {"role": "system", "content": system},
        {"role": "user", "content": trace_question_prompt(sample.problem)},
    ]
    if slipped is not None:
        # Nobody is to learn to make the slip.
        found.append({"role": "assistant", "content": slipped.broken, "weight": 0})
        found.append({"role": "user", "content": _repair(slipped)})
    return [*found, {"role": "assistant", "content": sample.trace}]


def _split(trace: str) -> tuple[str, str]:
    """The block of the problem, and the rest (section 3.3 of the paper)."""
    first = _SECOND_BLOCK.search(trace)
    second = None if first is None else _SECOND_BLOCK.search(trace, first.end())
    at = len(trace) if second is None else second.start()
    return trace[:at], trace[at:]


def _auxiliary(sample: Sample, start: int) -> dict[str, Any]:
    """The auxiliary target: `at` is the character of what is written where a literal is asked for."""
    answer = _ANSWER.search(sample.trace)
    texts = [list(each) for each in texts_of(sample.entailed_literals)]
    return {"at": None if answer is None else start + answer.end(), "texts": texts}


# --- traces that a model wrote ------------------------------------------------------------------------


def kept(
    lines: Iterable[str], *, profile: Profile = "paper", role_tokens: bool = False
) -> Iterator[Sample | NotSampled]:
    """A sample for each line whose trace is established, else why it is not kept (section 3.3 of the paper).

    A line is a JSON object with a `trace`, and perhaps its `problem` (or `question`) in words and the
    `theory` that it is read against: a transcript of `potlang.dot.reason` is one.
    """
    for number, line in enumerate(lines, 1):
        name = f"line {number}"
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield NotSampled(name, "it is no JSON")
            continue
        trace = value.get("trace") if isinstance(value, dict) else None
        if not isinstance(trace, str):
            yield NotSampled(name, "it has no `trace`")
            continue
        problem = value.get("problem", value.get("question"))
        theory = value.get("theory")
        try:
            yield sample_of_trace(
                trace,
                problem=problem if isinstance(problem, str) else None,
                theory=theory if isinstance(theory, dict) else None,
                name=name,
                profile=profile,
                role_tokens=role_tokens,
            )
        except CompileError as error:
            yield NotSampled(name, f"its theory has errors: {error}")

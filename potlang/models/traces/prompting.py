"""Prompts for traces: the format, examples, a question, what is wrong with a trace ([LOOP-DOT-PROMPT])."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from potlang.generate.problems import Kind
from potlang.generate.traces import Difficulty, synthesize
from potlang.ir.module import Module
from potlang.languages.dot.check import read
from potlang.languages.dot.read.records import END_MARK, Profile
from potlang.languages.dot.results import NodeResult, TraceResult
from potlang.languages.dot.write.emit import emit
from potlang.models.programs.vocabulary import vocabulary
from potlang.models.prompts import fenced, refusal_prompt
from potlang.models.traces import reference
from potlang.models.traces.solver_critic import SAID
from potlang.sema.emit import Writer

_END: Final = END_MARK.decode()
_TASK: Final = f"""\
You answer questions by traces: records of reasoning whose form a program checks, and whose steps a solver \
judges. {{reply}}

{{problem}}
- Each proposer states one step in its `@prop`, with `use` edges from what the step rests on.
- A critic follows each proposer, with a `critique` edge from it, and validates or invalidates it.
- What is invalidated is proposed anew, if at all, as another node, with a `refine` edge from its critic.
- The last block is a summarizer. It has `use` edges from validated propositions, and its `@prop` states the \
answer: what is asked about if that is so, the negation if it is not. Then comes the line `{_END}`.
- An answer counts if it follows from the problem. That a critic or a proposer says so is not enough, and \
text without a `@prop` says nothing that could be judged."""
_REPLY: Final = "Reply with the trace and nothing else."
_GO_ON: Final = "The trace begins with the block of the problem; you write all that follows."
_OWN_PROBLEM: Final = (
    "- The first block is the problem. Its `@prop` declares each name that you use, and assumes what the "
    "question states, and nothing else that could be doubted."
)
_GIVEN_PROBLEM: Final = (
    "- The first block is the problem, in words. Names and assumptions are those given below: declare "
    "and assume nothing yourself."
)
_WRITTEN_PROBLEM: Final = "- The first block, with what the problem declares and assumes, is written already."
_NOTHING_GIVEN: Final = "Here nothing is given, so that the traces declare and assume what they need."
_DECLARED: Final = (
    '{"declare": {"a": "Bool", "n": "Int", "f": {"domain": ["Int"], "range": "Bool"}}, "assume": [p, …]}'
)
_ALONE: Final = "Reply with the whole trace, corrected, and nothing else."
_MOST_SHOWN: Final = 200
"""Assumptions of a theory, and propositions of a trace, that are shown."""
_SHORT: Final = Difficulty(depth=1, width=2, wrong=0.5, refine=1.0)
_EXAMPLES: Final[tuple[tuple[Kind, int], ...]] = (("horn", 1), ("arithmetic", 3))
"""Kind and seed of each example."""


class TraceExample(NamedTuple):
    """A question, and a trace that establishes its answer."""

    question: str
    trace: str


@cache
def trace_examples(profile: Profile = "paper", role_tokens: bool = False) -> tuple[TraceExample, ...]:
    """Questions with traces that answer them; tests verify each ([LOOP-DOT-EXAMPLES])."""
    found = []
    for kind, seed in _EXAMPLES:
        [sample] = synthesize(1, seed, kind=kind, difficulty=_SHORT, profile=profile)
        text = sample.trace
        if role_tokens:
            text = emit(read(text, profile=profile).records, role_tokens=True).decode()
        found.append(TraceExample(sample.problem, text))
    return tuple(found)


def trace_system_prompt(
    module: Module | None = None,
    *,
    profile: Profile = "paper",
    budget: int | None = None,
    role_tokens: bool = False,
    go_on: bool = False,
) -> str:
    """The task and the format. `module`: the theory that traces are read against.

    `budget`: how many records there may be, statuses not counted. `go_on`: the problem is written already.
    """
    problem = _WRITTEN_PROBLEM if go_on else _OWN_PROBLEM if module is None else _GIVEN_PROBLEM
    parts = [_TASK.format(reply=_GO_ON if go_on else _REPLY, problem=problem)]
    parts.append(trace_language(profile, budget is not None, role_tokens))
    if budget is not None:
        parts.append(f"A trace has at most {budget} records, statuses and text not counted.")
    shown = trace_examples(profile, role_tokens)
    if go_on:
        examples = [fenced(each.trace) for each in shown]
    else:
        examples = [f"{fenced(each.question)}\n\n{fenced(each.trace)}" for each in shown]
    parts += ["# Examples", *([] if module is None else [_NOTHING_GIVEN]), *examples]
    if module is not None:
        parts.append("\n".join(["# Names and assumptions", "", *_theory(module)]))
    return "\n\n".join(parts)


@cache
def trace_language(profile: Profile = "paper", budget: bool = False, role_tokens: bool = False) -> str:
    """The format: records, their order, edges, propositions, rules."""
    lines = [
        "# Records",
        "",
        "Each stands on a line of its own, from its first character on. `N` is a number.",
        "",
    ]
    lines += [f"- `{shape}`: {meaning}" for shape, meaning in reference.records(profile)]
    lines += ["", f"In a block the order is: {reference.block_order()}", ""]
    if role_tokens:
        lines += ["Above each `@node` its role stands on a line of its own, as `<proposer>`.", ""]
    lines += ["Edges, by the roles of their ends:", ""]
    lines += [f"- `{kind}`: {src} to {dst}" for kind, src, dst in reference.triples(profile)]
    lines += ["", "# Propositions", "", "The JSON of a `@prop` is a proposition p, made of terms t.", ""]
    for subject, forms in reference.operators():
        lines.append(f"- {subject}: {', '.join(forms)}")
    lines += ['- both: a name `"a"`, an application `["f", t, …]`; terms: numbers', ""]
    lines += [f"Sorts: {', '.join(f'`{each}`' for each in reference.sorts())}.", ""]
    lines += [f"The problem's `@prop` is `{_DECLARED}`.", "", "# Rules", ""]
    lines += [f"- {each}" for each in reference.rules(budget=budget)]
    return "\n".join(lines)


def writing_prompt(profile: Profile = "paper", role_tokens: bool = False) -> str:
    """The prompt of a model that goes on behind the block of the problem (`potlang.dot.write`)."""
    return f"{trace_system_prompt(profile=profile, role_tokens=role_tokens, go_on=True)}\n\n# Trace\n\n"


def _theory(module: Module) -> Iterable[str]:
    writer = Writer(module)
    yield from (f"- {line}" for line in vocabulary(module))
    shown = module.assertions[:_MOST_SHOWN]
    yield from (f"- {each.name}: `{writer.term(each.formula)}`" for each in shown)
    if len(module.assertions) > len(shown):
        yield f"- and {len(module.assertions) - len(shown)} more"


# --- one question ---------------------------------------------------------------------------------


def trace_question_prompt(question: str) -> str:
    """The question, as data in a block that it cannot end."""
    return f"Answer this question by a trace.\n\n{fenced(question)}"


def trace_repair_prompt(
    problem: str, diagnostics: Sequence[Mapping[str, Any]] = (), behind: int | None = None
) -> str:
    """The problem of the last reply, and its diagnostics with fixes. `behind`: the last node that stands."""
    return refusal_prompt(problem, diagnostics, _ALONE if behind is None else _rest(behind))


def verdicts_prompt(report: TraceResult) -> str:
    """The verdicts of the solver on a trace that is not established, and the reasons for which it is not."""
    lines = ["The form is right, but the answer is not established:", ""]
    lines += [f"- {each.text}" for each in report.established.reasons[:_MOST_SHOWN]]
    lines += ["", "The solver says of what the nodes state:", ""]
    said = [each for each in report.nodes if each.verdict is not None]
    lines += [_verdict_line(each) for each in said[:_MOST_SHOWN]]
    return "\n".join([*lines, "", _ALONE])


def _verdict_line(node: NodeResult) -> str:
    assert node.verdict is not None
    marked = f", marked as {node.status}" if node.role == "proposer" else ""
    return f"- node {node.id} ({node.role}{marked}): {SAID[node.verdict]}"


def placed_prompt(behind: int, reasons: Sequence[str]) -> str:
    """Asks for the rest of a trace that stands up to a node, with a solver's critique as its last block."""
    lines = ["The trace stands up to here: a solver examined your propositions and wrote the last critique."]
    if reasons:
        lines = ["The trace stands up to here, without its summary: the answer was not established.", ""]
        lines += [f"- {each}" for each in reasons[:_MOST_SHOWN]]
    return "\n".join([*lines, "", _rest(behind)])


def _rest(behind: int) -> str:
    return f"Reply with what follows, from `@node id={behind + 1} role=…` to `{_END}`, and nothing else."

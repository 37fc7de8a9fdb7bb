"""Prompts for programs: the language, a question, the diagnostics of a program ([LOOP-PROMPT])."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from potlang.models import reference
from potlang.models.prompts import demonstration, fenced
from potlang.models.truncate import truncate_to_budget
from potlang.report.results import Verdict

_MEANINGS: Final = {
    Verdict.ENTAILED: "it follows from the assumptions",
    Verdict.REFUTED: "its negation follows",
    Verdict.UNDETERMINED: "neither follows",
    Verdict.INCONSISTENT: "the assumptions contradict each other",
    Verdict.UNKNOWN: "the solvers came to no answer",
}
_TASK: Final = """\
You translate questions into programs of the PoT language. Solvers decide what the programs claim; you do \
not answer the question yourself. Reply with one JSON object, the program, and nothing else.

- Assume what the question states, and of what it leaves unsaid only what is needed and everybody knows.
- Write what is asked as one verification: a statement, assumed nowhere, that is true if the answer is yes.
- If there are answers to choose from, write one verification with `options`: one each, named by its label.
- Say in `ask` what is asked: whether a claim `must`, `could`, `cannot` or `need_not` be true (in "each \
must be true EXCEPT"). `must` is meant where nothing is said.
- Declare every name that you use. Use one name for one thing."""
_ALONE: Final = "Reply with the whole program, corrected, as one JSON object and nothing else."


class Example(NamedTuple):
    """A question, its program in a form that every profile of the schema has, and its claims' verdicts."""

    question: str
    program: dict[str, Any]
    verdicts: dict[str, str]


def examples() -> list[Example]:
    """Questions and the programs that answer them; tests verify each ([LOOP-EXAMPLES])."""
    return [Example(**each) for each in demonstration("programs")]


def system_prompt(semantics: Mapping[str, Any] | None = None) -> str:
    """The task and the language. `semantics` are those that the programs will be read with."""
    parts = [_TASK, _verdicts(), language_reference(), _mistakes(), _examples()]
    if semantics:
        parts.append(f"# Semantics\n\nEach program is read with `semantics` {_json(semantics)}: write none.")
    return "\n\n".join(parts)


@cache
def language_reference() -> str:
    """The language: sections, sorts, operators, built-in functions."""
    lines = ["# Sections of a program", "", "All may be left out, as may keys with `?`; `…` is a string.", ""]
    lines += [f"- `{name}`: `{shape}` {purpose}" for name, shape, purpose in reference.sections()]
    lines += ["", "# Sorts", ""]
    lines += [f"Built in: {', '.join(f'`{each}`' for each in reference.sorts())}. Others must be declared."]
    lines += ["", f"Literals: {', '.join(f'`{each}`' for each in reference.LITERALS)}."]
    lines += ["", "# Formulas", ""]
    lines += ["A formula is a string. Operators, one level on a line, from the loosest to the tightest:", ""]
    lines += [f"- {' '.join(f'`{each}`' for each in level)}" for level in reference.operators()]
    lines += ["", "Built-in functions:", ""]
    lines += [
        f"- {subject}: {', '.join(f'`{each}`' for each in forms)}" for subject, forms in reference.functions()
    ]
    return "\n".join(lines)


def question_prompt(question: str, options: Sequence[str] = ()) -> str:
    """The question, as data in a block that it cannot end."""
    lines = ["Translate this question into a program.", "", fenced(question)]
    if options:
        lines += ["", f"There must be an option for each of these names: {_json(list(options))}"]
    return "\n".join(lines)


def repair_prompt(problem: str, diagnostics: Sequence[Mapping[str, Any]] = ()) -> str:
    """The problem of the last reply, and diagnostics with their fixes, one on a line."""
    lines = [f"This is not accepted: {problem}."]
    if diagnostics:
        shown = truncate_to_budget({"diagnostics": list(diagnostics)})
        lines += ["", fenced("\n".join(map(_json, shown["diagnostics"])), "json")]
        more = len(diagnostics) - len(shown["diagnostics"])
        if more:
            lines += ["", f"{more} more are not shown."]
    return "\n".join([*lines, "", _ALONE])


def _verdicts() -> str:
    meanings = "; ".join(f"{verdict}: {meaning}" for verdict, meaning in _MEANINGS.items())
    return f"Each verification gets a verdict. {meanings[:1].upper()}{meanings[1:]}."


def _mistakes() -> str:
    lines = ["# Common mistakes", ""]
    for each in reference.mistakes():
        lines.append(f"- {each.code}, {each.title}: not `{each.wrong}` but `{each.right}`")
    return "\n".join(lines)


def _examples() -> str:
    shown = [f"{fenced(each.question)}\n\n{fenced(_by_section(each.program), 'json')}" for each in examples()]
    return "\n\n".join(["# Examples", *shown])


def _by_section(program: Mapping[str, Any]) -> str:
    """A program with one section on a line."""
    lines = (f" {_json(key)}: {_json(value)}" for key, value in program.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

"""Prompts for programs: the language, a question, the diagnostics of a program ([LOOP-PROMPT])."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from potlang.models.programs import reference
from potlang.models.prompts import demonstration, fenced, refusal_prompt, shown_diagnostics
from potlang.report.results import Verdict

_MEANINGS: Final = {
    Verdict.ENTAILED: "it follows from the assumptions",
    Verdict.REFUTED: "its negation follows",
    Verdict.UNDETERMINED: "neither follows",
    Verdict.INCONSISTENT: "the assumptions contradict each other",
    Verdict.UNKNOWN: "the solvers came to no answer",
}
_TRANSLATED: Final = """\
- Assume what the question states, and of what it leaves unsaid only what is needed and everybody knows.
- Write what is asked as one verification: a statement, assumed nowhere, that is true if the answer is yes.
- For answers to choose from it has `options`: one each, named by its label.
- `ask`: `must` it be true (the default), `could` it, `cannot` it, or `need_not` it \
("each must be true EXCEPT")?
- Declare every name that you use, with one name for one thing."""
_TASK: Final = f"""\
You translate questions into programs of the PoT language, which solvers decide. Reply with one JSON object, \
the program, and nothing else.

{_TRANSLATED}"""
_CALLED: Final = """\
Call the tool `potlang` with `{"operation": "verify", "program": …}`. If `status` is `rejected`, repair the \
program by the diagnostics and call again; `{"operation": "reference", "topic": …}` explains the language. \
If a verdict surprises you, check that the program says what was said; do not bend it to an answer."""
_ALONE: Final = "Reply with the whole program, corrected, as one JSON object and nothing else."
PromptSize = Literal["full", "short"]
"""All that a model may need, in at most 2,000 tokens (o200k), or what most questions need, in 900."""
_IN_SHORT: Final = ("sorts", "functions", "constants", "knowledge_base", "rules", "verifications")
_SUBJECTS_IN_SHORT: Final = ("logic", "over a finite sort, or a list")
_MOST_MISTAKES: Final = 3


class Example(NamedTuple):
    """A question, its program in a form that every profile of the schema has, and its claims' verdicts."""

    question: str
    program: dict[str, Any]
    verdicts: dict[str, str]


def examples() -> list[Example]:
    """Questions and the programs that answer them; tests verify each ([LOOP-EXAMPLES])."""
    return [Example(**each) for each in demonstration("programs")]


def system_prompt(semantics: Mapping[str, Any] | None = None, size: PromptSize = "full") -> str:
    """The task and the language. `semantics` are those that the programs will be read with."""
    parts = [_TASK, language_reference() if size == "full" else _language_in_short()]
    parts.append(examples_text(examples() if size == "full" else examples()[:2]))
    if semantics:
        parts.append(f"# Semantics\n\nEach program is read with `semantics` {_json(semantics)}: write none.")
    return "\n\n".join(parts)


@cache
def language_reference() -> str:
    """The language: sections, sorts, operators, built-in functions."""
    return "\n\n".join([sections_text(), sorts_text(), formulas_text(), functions_text()])


def sections_text() -> str:
    """The sections of a program, with the shapes of their items."""
    lines = [
        "# Sections of a program",
        "",
        "All may be left out, as may keys with `?`; a key alone is a text.",
        "",
    ]
    lines += [f"- {name} = {shape}" for name, shape in reference.shapes().items()]
    lines += [f"- {name}: {shape} {purpose}" for name, shape, purpose in reference.sections()]
    return "\n".join(lines)


def sorts_text() -> str:
    """The built-in sorts, and literals."""
    lines = ["# Sorts", "", f"Built in: {', '.join(reference.sorts())}. Others are declared.", ""]
    lines += [
        f"Literals: {', '.join(reference.LITERALS)}. Names with other signs than letters and digits: `a-b`."
    ]
    return "\n".join(lines)


def formulas_text() -> str:
    """The operators, from the loosest to the tightest."""
    lines = ["# Formulas", "", "Operators, the loosest first:", ""]
    return "\n".join([*lines, "; ".join(" ".join(level) for level in reference.operators())])


def functions_text(subjects: Sequence[str] | None = None) -> str:
    """The built-in functions, of these subjects or of all."""
    lines = ["# Built-in functions", "", "A name alone takes the arguments of the one before it.", ""]
    lines += [
        f"- {subject}: {' '.join(forms)}"
        for subject, forms in reference.functions()
        if subjects is None or subject in subjects
    ]
    return "\n".join(lines)


def _language_in_short() -> str:
    """The sections, operators and functions that most questions need; diagnostics say the rest."""
    lines = ["# Sections of a program", ""]
    lines += [f"- `{each.name}`: {each.purpose}" for each in reference.sections() if each.name in _IN_SHORT]
    return "\n\n".join(["\n".join(lines), formulas_text(), functions_text(_SUBJECTS_IN_SHORT)])


def question_prompt(question: str, options: Sequence[str] = ()) -> str:
    """The question, as data in a block that it cannot end."""
    lines = ["Translate this question into a program.", "", fenced(question)]
    if options:
        lines += ["", options_asked_for(options)]
    return "\n".join(lines)


def options_asked_for(options: Sequence[str]) -> str:
    """The sentence that asks for an option of each name; empty without options."""
    return f"There must be an option for each of these names: {_json(list(options))}" if options else ""


def repair_prompt(problem: str, diagnostics: Sequence[Mapping[str, Any]] = ()) -> str:
    """The problem of the last reply, and diagnostics with their fixes, one on a line."""
    return f"{diagnostics_text(problem, diagnostics)}\n\n{_ALONE}"


def diagnostics_text(problem: str, diagnostics: Sequence[Mapping[str, Any]] = ()) -> str:
    """A problem with its diagnostics, and what their pages show."""
    mistakes = _mistakes(shown_diagnostics(diagnostics))
    behind = ["\n".join(["What their pages show:", "", *mistakes])] if mistakes else []
    return refusal_prompt(problem, diagnostics, *behind)


def agent_prompt(question: str) -> str:
    """For an agent that has the tool: a question to be answered with what a verdict supports."""
    return "\n\n".join(
        [
            "Answer this question by a program of the PoT language, which solvers decide.",
            fenced(question),
            f"1. Write the program:\n{_TRANSLATED}",
            f"2. {_CALLED}",
            f"3. Answer with what the verdict supports, and no more. {_verdicts()} Of options "
            "`elections` has the answer. Name the facts and rules in `because` on which it rests.",
            language_reference(),
            examples_text(),
        ]
    )


def agent_repair_prompt(program: str, said: str) -> str:
    """For an agent that has the tool: a program to be repaired, verified and reported."""
    asked = f"Repair this program so that it says what was meant, then verify it. {_CALLED}"
    told = f"At the end show the program, and say what its verdicts mean. {_verdicts()}"
    return "\n\n".join([asked, fenced(program, "json"), said, told, language_reference()])


def agent_check_prompt(question: str, answer: str) -> str:
    """For an agent that has the tool: an answer in prose to be held against what its question states."""
    return "\n\n".join(
        [
            "Check by a program of the PoT language whether this answer follows from its question.",
            f"Question:\n{fenced(question)}",
            f"Answer:\n{fenced(answer)}",
            "1. Write what the question states as facts and rules, nothing that the answer alone says.\n"
            "2. Write each statement that the answer rests on as a verification, its conclusion as the last.",
            f"3. {_CALLED}",
            f"4. Say of each statement whether it is supported, contradicted or left open. {_verdicts()} If "
            "the conclusion is not entailed, say what the question supports in its place. What is left open "
            "may rest on a premise that is not stated: name it.",
            language_reference(),
            examples_text(),
        ]
    )


def _verdicts() -> str:
    meanings = "; ".join(f"{verdict}: {meaning}" for verdict, meaning in _MEANINGS.items())
    return f"{meanings[:1].upper()}{meanings[1:]}."


def _mistakes(diagnostics: Sequence[Mapping[str, Any]]) -> list[str]:
    """Examples for the codes of diagnostics: what the prompt leaves out is said where it is needed."""
    codes = dict.fromkeys(str(each.get("code")) for each in diagnostics)
    found = filter(None, map(reference.mistake, codes))
    return [
        f"- {each.code}, {each.title}: not `{each.wrong}` but `{each.right}`"
        for each in islice(found, _MOST_MISTAKES)
    ]


def examples_text(shown: Sequence[Example] | None = None) -> str:
    """Questions with the programs that answer them, these or all."""
    shown = examples() if shown is None else shown
    parts = [f"{each.question}\n\n{fenced(_by_section(each.program), 'json')}" for each in shown]
    return "\n\n".join(["# Examples" if len(shown) > 1 else "# Example", *parts])


def _by_section(program: Mapping[str, Any]) -> str:
    """A program with one section on a line."""
    lines = (
        f"{_json(key)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in program.items()
    )
    return "{" + ",\n".join(lines) + "}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

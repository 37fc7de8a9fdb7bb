"""Prompt templates with fields, filled so that no value leaves its place ([DAG-PROMPT-1]).

A template is Markdown. A field stands on a line of its own and becomes a fenced block, whose fence is
longer than any run of backticks in the value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.write import solution_value
from potlang.models.truncate import truncate_to_budget

Name = Literal[
    "generate",
    "nodes",
    "parents",
    "edges",
    "parse_thinking",
    "parse_reasons",
    "natural",
    "formals",
    "translate",
    "judge_nodes",
    "judge_parents",
    "critique",
    "rewrite",
    "outline",
    "from_outline",
    "sub_questions",
    "addition",
    "cot",
    "propose_thoughts",
    "judge_thoughts",
    "conclude",
    "aggregate",
    "refine",
    "policy_task",
    "policy_words",
    "policy_same",
    "policy_rules",
    "policy_conflicts",
]
"""A solution in the format; the three stages of a gold-standard one (appendix D); dependencies of given
steps, by models that think and by models that do not (appendix H); a solution in plain prose; steps as
formulas, a text as formulas of a policy; two judges. The stages of strategies that write programs; those of
baselines, which answer in prose. Those of a policy that is written from a document."""

_FIELD = re.compile(r"^\{\{([a-z_]+)\}\}$", re.MULTILINE)
_TICKS = re.compile(r"`+")


def fill(name: Name, **values: object) -> str:
    """A prompt: a text stands in it as it is but for the kind of its line ends, any other value as JSON.

    Raises ValueError unless the values are those that the template has fields for.
    """
    text = template(name)
    fields = set(_FIELD.findall(text))
    if fields != set(values):
        raise ValueError(f"the prompt `{name}` has the fields {', '.join(sorted(fields))}")
    return _FIELD.sub(lambda found: _block(values[found[1]]), text)


def generation_prompt(problem: str, demonstrations: Sequence[Solution] | None = None) -> str:
    """Asks for a solution in the format (appendix F); None: potlang's own two demonstrations."""
    shown = [_with_problem(each) for each in demonstrations] if demonstrations is not None else _own()
    return fill("generate", problem=problem, demonstrations=shown)


def reasons_prompt(solved: Mapping[str, Any]) -> str:
    """Asks a model that does not think first for dependencies with reasons (appendix H.2)."""
    return fill("parse_reasons", solved=solved, **demonstration("reasons"))


def _own() -> list[dict[str, Any]]:
    found = [demonstration(name) for name in ("tiles", "digits")]
    return [{"problem": each["problem"], "steps": each["steps"]} for each in found]


def _with_problem(solution: Solution) -> dict[str, Any]:
    return {"problem": solution.problem or "", "steps": solution_value(solution)["steps"]}


def fenced(text: str, kind: str = "text") -> str:
    """A text as a fenced block, with a fence that is longer than any in it."""
    # A lone carriage return is shown as a line end by some, and could end the block early.
    flat = text.replace("\r\n", "\n").replace("\r", "\n")
    longest = max(map(len, _TICKS.findall(flat)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{flat}\n{fence}"


def refusal_prompt(problem: str, diagnostics: Sequence[Mapping[str, Any]], *behind: str) -> str:
    """The problem of the last reply, its diagnostics with their fixes, one on a line, then more."""
    parts = [f"This is not accepted: {problem}."]
    if diagnostics:
        shown = shown_diagnostics(diagnostics)
        parts.append(fenced("\n".join(json.dumps(each, ensure_ascii=False) for each in shown), "json"))
        if more := len(diagnostics) - len(shown):
            parts.append(f"{more} more are not shown.")
    return "\n\n".join([*parts, *behind])


def shown_diagnostics(diagnostics: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The diagnostics that there is room for."""
    found: list[dict[str, Any]] = truncate_to_budget({"diagnostics": list(diagnostics)})["diagnostics"]
    return found


def _block(value: object) -> str:
    if isinstance(value, str):
        return fenced(value)
    return fenced(json.dumps(value, indent=1, ensure_ascii=False), "json")


@cache
def template(name: Name) -> str:
    """A prompt with its fields not filled in."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


@cache
def demonstration(name: str) -> Any:
    """An example for a prompt, as JSON values that nobody may change."""
    file = files(__name__).joinpath("demonstrations", f"{name}.json")
    return json.loads(file.read_text(encoding="utf-8"))

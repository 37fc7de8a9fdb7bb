"""The language by topics, each in a text that fits an answer of the tool ([TOOL-REFERENCE])."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Final, Literal, get_args

from potlang.diag import nearest
from potlang.languages.pot.library import pack, packs
from potlang.models import prompts
from potlang.models.programs import prompting, reference
from potlang.models.prompts import fenced

Written = Literal["definitions", "exceptions", "questions", "dates", "optimization"]
"""Topics with a text of their own, in the folder `prompts/topics`."""
STANDARD: Final = "std/"
_LONGEST: Final = 3_700
"""Characters of a text that an answer of the tool has whole."""


@cache
def topics() -> Mapping[str, Callable[[], str]]:
    """The topics by name, in the order in which they are shown; each gives its text."""
    return {
        "sections": prompting.sections_text,
        "sorts": prompting.sorts_text,
        "formulas": prompting.formulas_text,
        "functions": _functions,
        **{name: partial(_written, name) for name in get_args(Written)},
        "packs": _packs,
        "examples": prompting.examples_text,
    }


def topic(name: str) -> str:
    """The text of a topic, or of a pack. Raises KeyError for no topic, with the nearest names."""
    found = topics().get(name)
    if found is not None:
        return found()
    if name.startswith(STANDARD):
        return _pack(name)
    raise KeyError(name, *nearest(name, topics()))


def overview() -> str:
    """The topics, and the sections of a program."""
    return f"Topics: {', '.join(topics())}, or the name of a pack.\n\n{prompting.sections_text()}"


def _written(name: str) -> str:
    return files(prompts).joinpath("topics", f"{name}.md").read_text(encoding="utf-8")


def _functions() -> str:
    others = ", ".join(f"{alias} for {name}" for alias, name in reference.ALIASES.items())
    return f"{prompting.functions_text()}\n\nOther names: {others}."


def _packs() -> str:
    areas: dict[str, list[str]] = {}
    for each in packs():
        area, _, name = each.name.removeprefix(STANDARD).partition("/")
        areas.setdefault(area, []).append(name)
    lines = [f"- {STANDARD}{area}/: {', '.join(names)}" for area, names in areas.items()]
    lines = ["The topic std/order/partial_order shows one pack. `imports` names it:", "", *lines]
    return "\n".join(lines)


def _pack(name: str) -> str:
    """The content of a pack: its parameters, its axioms, and an example. Raises KeyError for no pack."""
    page = pack(name)
    head = [
        f"# {page.summary.name}",
        "",
        page.summary.description,
        "",
        "Parameters, which have the names of what is ",
    ]
    head[-1] += "yours, are bound by `with`, or are declared by the import:"
    head += ["", *(f"- {'; '.join((each.signature, *each.notes))}" for each in page.parameters)]
    said = [f"- {each.name}: {each.words or each.formula}" for each in page.statements if each.kind != "law"]
    example = json.dumps(json.loads(page.example), ensure_ascii=False, separators=(",", ":"))
    for kept in (["", "It says:", "", *said], []):
        text = "\n".join([*head, *kept, "", "Example:", "", fenced(example, "json")])
        if len(text) <= _LONGEST:
            break
    return text

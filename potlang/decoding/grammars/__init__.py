"""Grammars of the languages for decoders that mask by a grammar of their own, made from the readers' tables.

    text = grammar("expression", "gbnf", program=potlang.compile(source))

What a grammar admits, `check` reads; what it cannot hold stands in a comment at its head.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal, get_args

from potlang.decoding.grammars.expressions import expression_rules
from potlang.decoding.grammars.gbnf import to_gbnf
from potlang.decoding.grammars.llguidance import to_llguidance
from potlang.decoding.grammars.names import AllowedNames, names_of
from potlang.decoding.grammars.notation import ExportedGrammar
from potlang.decoding.grammars.programs import program_rules
from potlang.decoding.grammars.propositions import proposition_rules
from potlang.decoding.grammars.schemas import program_schema, proposition_schema, solution_schema
from potlang.decoding.grammars.solutions import solution_rules
from potlang.decoding.grammars.traces import trace_rules
from potlang.languages.dot.read.records import Profile
from potlang.languages.pot.program import Program

GrammarLanguage = Literal["pot", "dot", "dagmath", "prop", "expression"]
GrammarFormat = Literal["llguidance", "gbnf", "json-schema"]
USUAL_NODES: Final = 30
GRAMMAR_LANGUAGES: Final[tuple[GrammarLanguage, ...]] = get_args(GrammarLanguage)
GRAMMAR_FORMATS: Final[tuple[GrammarFormat, ...]] = get_args(GrammarFormat)


class NoSuchGrammar(ValueError):
    """A language that a format cannot hold; the message says what to use instead."""


def grammar(
    language: GrammarLanguage,
    to: GrammarFormat = "llguidance",
    *,
    program: Program | None = None,
    profile: Profile = "paper",
    nodes: int = USUAL_NODES,
) -> str:
    """The text of the grammar of a language: for llguidance, in GBNF, or a JSON Schema.

    With a program its names alone are admitted. `profile` is that of traces, `nodes` the most nodes of a
    trace, and the most steps of a solution. Raises NoSuchGrammar where the format cannot hold the language,
    and ValueError for an unknown language or format, and for a number of nodes that cannot be had.
    """
    if language not in GRAMMAR_LANGUAGES or to not in GRAMMAR_FORMATS:
        known = f"{', '.join(GRAMMAR_LANGUAGES)}; {', '.join(GRAMMAR_FORMATS)}"
        raise ValueError(f"no grammar of {language!r} as {to!r}; there are {known}")
    names = None if program is None else names_of(program)
    if to == "json-schema":
        return json.dumps(_schema(language, names), ensure_ascii=False, indent=2) + "\n"

    is_parametric = to == "llguidance"
    if language == "pot":
        found = program_rules(names, program)
    elif language == "dagmath":
        found = solution_rules(names, nodes)
    else:
        found = _rules(language, names, profile, nodes, is_parametric)
    return to_llguidance(found) if is_parametric else to_gbnf(found)


def _rules(
    language: GrammarLanguage, names: AllowedNames | None, profile: Profile, nodes: int, parametric: bool
) -> ExportedGrammar:
    if language == "expression":
        return expression_rules(names)
    if language == "prop":
        return proposition_rules(names, parametric=parametric)
    return trace_rules(names, profile=profile, nodes=nodes, parametric=parametric)


def _schema(language: GrammarLanguage, names: AllowedNames | None) -> dict[str, Any]:
    if language == "prop":
        return proposition_schema(names)
    if language in ("pot", "dagmath"):
        return program_schema() if language == "pot" else solution_schema()
    what = {"expression": "an expression", "dot": "a trace"}[language]
    also = ", or the masker of `potlang.decoding`" if language == "dot" else ""
    raise NoSuchGrammar(
        f"{what} is no JSON, so that no JSON Schema says what it is: use `llguidance` or `gbnf`{also}"
    )

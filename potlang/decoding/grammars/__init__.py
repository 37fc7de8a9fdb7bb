"""Grammars of the languages for decoders that mask by a grammar of their own, made from the readers' tables.

    text = grammar("expression", "gbnf", program=potlang.compile(source))

What a grammar admits, `check` reads; what it cannot hold stands in a comment at its head.
"""

from __future__ import annotations

import json
from typing import Final, Literal, get_args

from potlang.decoding.grammars.names import AllowedNames, names_of
from potlang.languages.pot.program import Program

GrammarLanguage = Literal["expression", "prop"]
GrammarFormat = Literal["llguidance", "gbnf", "json-schema"]
GRAMMAR_LANGUAGES: Final[tuple[GrammarLanguage, ...]] = get_args(GrammarLanguage)
GRAMMAR_FORMATS: Final[tuple[GrammarFormat, ...]] = get_args(GrammarFormat)


class NoSuchGrammar(ValueError):
    """A language that a format cannot hold; the message says what to use instead."""


def grammar(
    language: GrammarLanguage, to: GrammarFormat = "llguidance", *, program: Program | None = None
) -> str:
    """The text of the grammar of a language: for llguidance, in GBNF, or a JSON Schema.

    With a program its names alone are admitted. Raises NoSuchGrammar where the format cannot hold the
    language, and ValueError for an unknown language or format.
    """
    if language not in GRAMMAR_LANGUAGES or to not in GRAMMAR_FORMATS:
        known = f"{', '.join(GRAMMAR_LANGUAGES)}; {', '.join(GRAMMAR_FORMATS)}"
        raise ValueError(f"no grammar of {language!r} as {to!r}; there are {known}")
    names = None if program is None else names_of(program)
    return _schema_text(language, names) if to == "json-schema" else _grammar_text(language, to, names)


def _grammar_text(language: GrammarLanguage, to: GrammarFormat, names: AllowedNames | None) -> str:
    from potlang.decoding.grammars.expressions import expression_rules
    from potlang.decoding.grammars.gbnf import to_gbnf
    from potlang.decoding.grammars.llguidance import to_llguidance
    from potlang.decoding.grammars.propositions import proposition_rules

    is_parametric = to == "llguidance"
    found = (
        expression_rules(names)
        if language == "expression"
        else proposition_rules(names, parametric=is_parametric)
    )
    return to_llguidance(found) if is_parametric else to_gbnf(found)


def _schema_text(language: GrammarLanguage, names: AllowedNames | None) -> str:
    from potlang.decoding.grammars.schemas import proposition_schema

    if language == "expression":
        raise NoSuchGrammar(
            "an expression is no JSON, so that no JSON Schema says what it is: use `llguidance` or `gbnf`"
        )
    return json.dumps(proposition_schema(names), ensure_ascii=False, indent=2) + "\n"

"""The sentences that a program's statements say, over its declarations alone ([EDIT-HOVER])."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from potlang.diag import Sink
from potlang.languages.pot.check import check
from potlang.languages.pot.read.statements import StatementReader
from potlang.utils.deadline import OutOfFuel, within
from potlang.words.parts import Unsayable
from potlang.words.speaker import Speaker

_DECLARING = ("imports", "sorts", "functions", "constants", "variables")
_SECTIONS = ("knowledge_base", "rules", "verifications")
_WORDS_MS = 150


def sentence_of(program: Mapping[str, Any], section: str, value: Any) -> str | None:
    """A fact, a rule or a verification in words; None where there is no sentence for it."""
    if section not in _SECTIONS:
        return None
    with within(_WORDS_MS):
        try:
            speaker = _speaker(_declarations(program))
            return None if speaker is None else _said(speaker, section, value)
        except (Unsayable, OutOfFuel):
            return None


def _declarations(program: Mapping[str, Any]) -> str:
    """The declaring sections as text: a key that two versions of a program share while facts change."""
    return json.dumps({key: program[key] for key in _DECLARING if key in program}, default=str)


@lru_cache(maxsize=4)
def _speaker(declarations: str) -> Speaker | None:
    """A speaker of formulas over these declarations; None where they have errors."""
    program = check(declarations).program
    return None if program is None else Speaker(program.extension, program.tree)


def _said(speaker: Speaker, section: str, value: Any) -> str | None:
    sink = Sink()
    reader = StatementReader(sink)
    if section == "knowledge_base":
        fact = reader.fact(value, "")
        return None if fact is None or sink.has_errors else speaker.say_fact(fact)
    read = reader.rule if section == "rules" else reader.verification
    statement = read(value, "")
    if statement is None or sink.has_errors or statement.options:
        return None
    return speaker.say_statement(statement)

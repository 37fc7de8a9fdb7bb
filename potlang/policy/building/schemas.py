"""JSON Schemas of the replies that a model is asked for, made from that of programs ([BUILD-STAGES])."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from potlang.languages.pot.profiles import program_schema
from potlang.policy.building.draft import DECLARING
from potlang.policy.building.replies import STATUSES

Schema = dict[str, Any]
_CITING = ("sort", "function", "namedConstantGroup", "rule")
_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"anyOf": [_TEXT, {"type": "null"}]}
_NUMBERS: Schema = {"type": "array", "items": {"type": "integer"}}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


SAME: Schema = _object(same=_list(_object(keep=_TEXT, drop=_TEXT)))
_SENTENCE = _object(
    number={"type": "integer"},
    quote=_TEXT,
    status={"type": "string", "enum": list(STATUSES)},
    reason=_TEXT_OR_NULL,
    readings={"anyOf": [_list(_TEXT), {"type": "null"}]},
)


@cache
def words_schema() -> Schema:
    """The schema of a reply with declarations."""
    return _with_sections(DECLARING)


@cache
def rules_schema() -> Schema:
    """The schema of a reply about sentences."""
    given = {"sentences": _list(_SENTENCE)}
    facts = {"knowledge_base": _list(_object(assertion=_TEXT, cites=_NUMBERS))}
    return _with_sections((*DECLARING, "rules"), {**given, **facts})


def _with_sections(names: Iterable[str], beside: Schema | None = None) -> Schema:
    """Sections of a program, in the form in which all keys are written, with what their items cite."""
    whole = program_schema("openai")
    definitions = {
        name: _with_cites(each) if name in _CITING else each for name, each in whole["$defs"].items()
    }
    sections = {name: whole["properties"][name] for name in names}
    return {**_object(**{**(beside or {}), **sections}), "$defs": definitions}


def _with_cites(definition: Schema) -> Schema:
    return {
        **definition,
        "properties": {**definition["properties"], "cites": _NUMBERS},
        "required": [*definition["required"], "cites"],
    }

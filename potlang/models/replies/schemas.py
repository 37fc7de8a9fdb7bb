"""JSON Schemas of the replies that the prompts ask for ([DAG-PROMPT-4], [LOOP-STRATEGY-PROMPT])."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Schema = Mapping[str, Any]

_ID: Schema = {"type": "integer"}
_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"anyOf": [_TEXT, {"type": "null"}]}
_IDS: Schema = {"anyOf": [{"type": "array", "items": _ID}, {"type": "null"}]}


def _object(optional: Mapping[str, Schema] | None = None, /, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


NODES = _object(steps=_list(_TEXT))
PARENTS = _object(steps=_list(_object(step_id=_ID, direct_dependent_steps=_IDS)))
REASONS = _object(steps=_list(_object(step_id=_ID, reason=_TEXT, direct_dependent_steps=_IDS)))
EDGES = _object(edges=_list(_object(step_id=_ID, edge=_TEXT)))
WRONG = _object(wrong=_list(_object(step_id=_ID, why=_TEXT)))
FORMALS = _object(formals=_list(_object(step_id=_ID, formal=_TEXT_OR_NULL)))
SOLUTION = _object(
    steps=_list(_object({"formal": _TEXT}, step_id=_ID, edge=_TEXT, direct_dependent_steps=_IDS, node=_TEXT))
)
_QUOTED: Schema = _object(formula=_TEXT, words=_list(_TEXT))
TRANSLATION = _object(
    individuals=_list(_object(name=_TEXT, sort=_TEXT)), premises=_list(_QUOTED), claims=_list(_QUOTED)
)
FINDINGS = _object(findings=_list(_TEXT))
QUESTIONS = _object(questions=_list(_TEXT))
THOUGHTS = _object(thoughts=_list(_TEXT))
SCORES = _object(scores=_list({"type": "number"}))


def outline_schema(sections: Iterable[str]) -> Schema:
    """A list of sentences for each of these sections."""
    return _object(**{name: _list(_TEXT) for name in sections})

"""Keys and words that the JSON Schemas of the formats allow at a place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from potlang.utils import resources

_MOST = 64
_BRANCHES = ("anyOf", "oneOf", "allOf")
_CONDITIONS = ("then", "else")
Schema = dict[str, Any]


@lru_cache(maxsize=8)
def _schema(name: str) -> Schema:
    return resources.schema(name)


def keys_at(name: str, tokens: tuple[str, ...]) -> dict[str, str]:
    """The keys of an object at a place, each with what its description says."""
    found: dict[str, str] = {}
    for schema in _at(name, tokens):
        for key, value in schema.get("properties", {}).items():
            described = value if isinstance(value, dict) else {}
            found[key] = found.get(key) or _description(name, described)
    return found


def words_at(name: str, tokens: tuple[str, ...]) -> dict[str, str]:
    """The strings that a place is restricted to."""
    found: dict[str, str] = {}
    for schema in _at(name, tokens):
        for word in schema.get("enum", ()):
            if isinstance(word, str):
                found[word] = schema.get("description", "")
    return found


def description_at(name: str, tokens: tuple[str, ...]) -> str:
    """The description of a place; empty where there is none."""
    return next((text for schema in _at(name, tokens) if (text := schema.get("description", ""))), "")


@lru_cache(maxsize=512)
def _at(name: str, tokens: tuple[str, ...]) -> tuple[Schema, ...]:
    """The parts of a schema that hold for a place."""
    here = tuple(_opened(name, [_schema(name)]))
    for token in tokens:
        here = tuple(_opened(name, [part for schema in here for part in _below(schema, token)]))
    return here


def _below(schema: Schema, token: str) -> Iterator[Schema]:
    properties = schema.get("properties", {})
    if token in properties:
        yield _as_schema(properties[token])
    elif "additionalProperties" in schema:
        yield _as_schema(schema["additionalProperties"])
    if token.isdigit():
        before = schema.get("prefixItems", ())
        at = int(token)
        yield _as_schema(before[at] if at < len(before) else schema.get("items", False))


def _as_schema(value: object) -> Schema:
    return value if isinstance(value, dict) else {}


def _opened(name: str, schemas: list[Schema]) -> Iterator[Schema]:
    """The schemas with those that they refer to or choose between."""
    waiting, seen = schemas[::-1], 0
    while waiting and seen < _MOST:
        schema = waiting.pop()
        seen += 1
        yield schema
        if isinstance(schema.get("$ref"), str):
            waiting.append(_schema(name)["$defs"].get(schema["$ref"].split("/")[-1], {}))
        for key in _BRANCHES:
            waiting += [each for each in schema.get(key, ())[::-1] if isinstance(each, dict)]
        waiting += [schema[key] for key in _CONDITIONS if isinstance(schema.get(key), dict)]


def _description(name: str, schema: Schema) -> str:
    return next((text for each in _opened(name, [schema]) if (text := each.get("description", ""))), "")

"""What each provider publishes about the schemas that it accepts, as a checker of schemas.

Sources: OpenAI, "Structured Outputs", supported schemas (strict mode, limits of February 2026). Anthropic,
"Structured outputs", JSON Schema limitations and strict tool use. Google, Gemini API, `Schema` and
`FunctionDeclaration` (the select subset of OpenAPI 3.0, without references, as older versions have it).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Schema = dict[str, Any]

ANNOTATIONS = {"description"}
STRUCTURE = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}
REFERENCES = {"$ref", "$defs"}
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


class Node(NamedTuple):
    """A subschema, where it stands, and how many objects it lies in, itself included."""

    schema: Schema
    path: str
    objects: int


class Broken(NamedTuple):
    """A rule that a schema breaks, and where."""

    rule: str
    path: str


def nodes(root: Schema) -> Iterator[Node]:
    """All subschemas, with references followed; a cycle of references ends the walk with RecursionError."""
    waiting: list[tuple[Schema, str, int, tuple[str, ...]]] = [(root, "", 0, ())]
    while waiting:
        schema, path, objects, followed = waiting.pop()
        reference = schema.get("$ref")
        if reference is not None:
            if reference in followed:
                raise RecursionError(path)
            yield Node(schema, path, objects)
            target = root.get("$defs", {}).get(reference.rpartition("/")[2])
            if target is not None:
                waiting.append((target, f"{path}/{reference}", objects, (*followed, reference)))
            continue
        inside = objects + (schema.get("type") == "object")
        yield Node(schema, path, inside)
        for key, each in schema.get("properties", {}).items():
            waiting.append((each, f"{path}/{key}", inside, followed))
        if isinstance(schema.get("items"), dict):
            waiting.append((schema["items"], f"{path}/[]", inside, followed))
        for number, each in enumerate(schema.get("anyOf", ())):
            waiting.append((each, f"{path}|{number}", inside, followed))


def _recursive(root: Schema) -> bool:
    try:
        list(nodes(root))
    except RecursionError:
        return True
    return False


def _common(root: Schema, known: set[str]) -> Iterator[Broken]:
    if root.get("type") != "object" or "anyOf" in root:
        yield Broken("root is an object", "")
    for schema, path, _ in nodes(root):
        for key in sorted(schema.keys() - known):
            yield Broken(f"keyword {key}", path)
        kind = schema.get("type")
        if "type" in schema and not (isinstance(kind, str) and kind in TYPES):
            yield Broken("one known type", path)
        if not schema.keys() & {"type", "anyOf", "$ref"}:
            yield Broken("type given", path)
        if kind == "array" and "items" not in schema:
            yield Broken("items given", path)
        if kind == "object" and not schema.get("properties"):
            yield Broken("no free keys", path)
        if set(schema.get("required", ())) - set(schema.get("properties", ())):
            yield Broken("required are properties", path)
        if not all(isinstance(value, str) for value in schema.get("enum", ())) or schema.get("enum") == []:
            yield Broken("enum of strings", path)


def openai(root: Schema) -> list[Broken]:
    """Rules of strict mode."""
    if _recursive(root):
        return [Broken("no recursion", "")]
    broken = list(_common(root, ANNOTATIONS | STRUCTURE | REFERENCES))
    properties = names = enums = 0
    for schema, path, objects in nodes(root):
        if schema.get("type") == "object":
            if schema.get("additionalProperties") is not False:
                broken.append(Broken("closed objects", path))
            if set(schema.get("required", ())) != set(schema.get("properties", ())):
                broken.append(Broken("all required", path))
        if "$ref" in schema and len(schema) > 1:
            broken.append(Broken("references without siblings", path))
        if objects > 5:
            broken.append(Broken("nesting", path))
        properties += len(schema.get("properties", ()))
        enums += len(schema.get("enum", ()))
        names += sum(len(str(each)) for each in (*schema.get("properties", ()), *schema.get("enum", ())))
    if properties > 5_000 or enums > 1_000 or names > 120_000:
        broken.append(Broken("size", ""))
    return broken


def anthropic(root: Schema) -> list[Broken]:
    """Rules of strict tools."""
    if _recursive(root):
        return [Broken("no recursion", "")]
    broken = list(_common(root, ANNOTATIONS | STRUCTURE | REFERENCES))
    optional = unions = 0
    for schema, path, _ in nodes(root):
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
            broken.append(Broken("closed objects", path))
        optional += len(set(schema.get("properties", ())) - set(schema.get("required", ())))
        unions += "anyOf" in schema or isinstance(schema.get("type"), list)
    if optional > 24:
        broken.append(Broken("optional parameters", ""))
    if unions > 16:
        broken.append(Broken("unions", ""))
    return broken


def gemini(root: Schema) -> list[Broken]:
    """Rules of `Schema` for function declarations and responses."""
    known = ANNOTATIONS | STRUCTURE - {"additionalProperties"}
    broken = list(_common(root, known))
    for schema, path, _ in nodes(root):
        if "enum" in schema and schema.get("type") != "string":
            broken.append(Broken("enum of strings", path))
        if "required" in schema and not schema["required"]:
            broken.append(Broken("required not empty", path))
    return broken


RULES = {"openai": openai, "anthropic": anthropic, "gemini": gemini}

"""The schema of a PoT program as a provider accepts it, made from `schemas/pot-1.json` ([PROFILE-FORMS]).

A provider's strict mode knows no free keys, no alternatives of many forms and no bounds: a profile keeps of
each the one form that says as much; the others are written as a formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from potlang.utils.resources import schema

Profile = Literal["json", "openai", "anthropic", "gemini"]
Schema = dict[str, Any]

PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)
_FORM: Final = {
    "binder": "object",
    "fact": "string",
    "import": "string",
    "choice": "array",
    "formula": "string",
    "unless": "array",
}
"""Of the forms that a definition allows, the one that is kept."""
_LEFT_OUT: Final = {
    "rule": ("implies",),
    "verification": ("implies", "options"),
    "question": ("constraint", "implies", "forall", "exists", "find"),
    "option": ("implies",),
}
"""Keys that a formula says as well, or that another form of the object has."""
_NOT_WRITTEN: Final = ("$schema", "description", "actions", "sources", "lint", "document", "cites")
_CLAIMS: Final = dict.fromkeys(("rule", "verification", "option"), ("constraint",))
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {**_CLAIMS, "binder": ("sort",)}
_KEPT: Final = ("type", "enum", "items", "properties", "required", "anyOf", "$ref")
_DESCRIBED: Final = {"sort": ("type",)}
"""Keys that are described where they stand; of others the section's description says enough."""
_TITLE: Final = "A program of the PoT language. Sorts and formulas are strings."


def program_schema(profile: Profile = "json") -> Schema:
    """The JSON Schema of a program for a provider. Raises ValueError for an unknown profile."""
    if profile not in PROFILES:
        raise ValueError(f"no profile {profile!r}; there are {', '.join(PROFILES)}")
    whole = schema("pot-1")
    return whole if profile == "json" else _Reduction(whole, profile).program()


class _Reduction:
    def __init__(self, whole: Schema, profile: Profile) -> None:
        self._whole = whole
        self._profile = profile
        self._used: dict[str, Schema] = {}

    def program(self) -> Schema:
        """The schema with the definitions that it uses."""
        found = self._object(self._whole, "")
        found["description"] = _TITLE
        if self._profile != "gemini" and self._used:
            found["$defs"] = self._used
        return found

    def _node(self, node: Schema, name: str) -> Schema:
        """A node in the profile's words; it cannot be null."""
        options = node.get("anyOf", ())
        if len(options) > 1 and all("$ref" in each for each in options):
            # Objects that have different keys: no one of them says as much.
            return {"anyOf": [self._node(each, name) for each in options]}
        node = _one_form(node, _FORM.get(name))
        if "$ref" in node:
            return self._reference(node["$ref"].rpartition("/")[2])
        if node.get("type") == "object":
            return self._object(node, name)
        found = {key: value for key, value in node.items() if key in _KEPT}
        if "enum" in found:
            found = {"type": "string", "enum": [value for value in found["enum"] if value is not None]}
        if "items" in node:
            found["items"] = self._node(node["items"], "")
        return found

    def _reference(self, name: str) -> Schema:
        node = self._whole["$defs"][name]
        plain = _one_form(node, _FORM.get(name))
        if self._profile == "gemini" or plain.get("type") != "object":
            return self._node(node, name)
        # Entered before it is filled: a definition may refer to itself.
        if name not in self._used:
            self._used[name] = {}
            self._used[name].update(self._object(plain, name))
        return {"$ref": f"#/$defs/{name}"}

    def _object(self, node: Schema, name: str) -> Schema:
        needed = {*node.get("required", ()), *_NEEDED.get(name, ())}
        properties: dict[str, Schema] = {}
        required = []
        for key, item in node["properties"].items():
            if key in _NOT_WRITTEN or key in _LEFT_OUT.get(name, ()):
                continue
            found = self._node(item, key)
            must = key in needed or found.get("type") == "array" or "enum" in found or key == "name"
            if not must and self._profile == "openai":
                found, must = {"anyOf": [found, {"type": "null"}]}, True
            is_described = (not name or key in _DESCRIBED.get(name, ())) and "$ref" not in found
            said = {"description": item["description"]} if is_described and "description" in item else {}
            properties[key] = {**said, **found}
            required += [key] if must else []
        made: Schema = {"type": "object", "properties": properties, "required": required}
        return made if self._profile == "gemini" else {**made, "additionalProperties": False}


def _one_form(node: Schema, wanted: str | None) -> Schema:
    """The form of a node that is kept."""
    options = node.get("anyOf")
    if options is not None:
        left = [each for each in options if each.get("type") != "null" and not has_free_keys(each)]
        fitting: list[Schema] = [each for each in left if each.get("type") == wanted] or left
        return fitting[0]
    kind = node.get("type")
    if isinstance(kind, list):
        kinds = [each for each in kind if each != "null"]
        return {**node, "type": wanted if wanted in kinds else kinds[0]}
    return node


def has_free_keys(node: Schema) -> bool:
    """True for an object whose keys are data."""
    return isinstance(node.get("additionalProperties"), dict)

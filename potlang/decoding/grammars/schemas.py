"""JSON Schemas of what is JSON, with the names that a program has."""

from __future__ import annotations

from typing import Any

from potlang.decoding.grammars.names import AllowedNames
from potlang.utils.resources import schema


def program_schema() -> dict[str, Any]:
    """The schema of a program."""
    return schema("pot-1")


def solution_schema() -> dict[str, Any]:
    """The schema of a DAG-MATH solution."""
    return schema("dagmath-1")


def proposition_schema(names: AllowedNames | None) -> dict[str, Any]:
    """The schema of the JSON of a `@prop`; with names, these alone are allowed and none is declared."""
    whole = schema("dot-prop-1")
    if names is None:
        return whole
    del whole["$id"]
    definitions = whole["$defs"]
    functions = names.functions or names.declared
    definitions["function_name"] = {"enum": list(functions)}
    definitions["variable"] = {"enum": list(names.variables)}
    application = definitions["application"]
    application["prefixItems"] = [{"$ref": "#/$defs/function_name"}]
    binders = definitions["quantified"]["prefixItems"][0]
    binders["propertyNames"] = {"$ref": "#/$defs/variable"}
    definitions["name"] = {"enum": [*dict.fromkeys((*names.declared, *names.variables))]}
    del definitions["declarations"]["properties"]["declare"]
    del definitions["function"]
    return whole

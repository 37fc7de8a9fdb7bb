"""A program against the JSON Schema that a provider accepts: apart from the reader.

The reader takes more than any schema says, such as keys that are misspelt and read as meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from potlang.diag import Sink
from potlang.expressions.shapes import Shapes
from potlang.languages.pot.check import Source, read_value
from potlang.languages.pot.program import Checked
from potlang.source.pointer import join_pointer

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_MOST_ERRORS = 100
_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def check_schema(
    source: Source, schema: Mapping[str, Any], schema_name: str, name: str | None = None
) -> Checked:
    """The errors of a program's JSON by a schema, called `schema_name` in messages; it is not compiled.

    The diagnostics are those of the reader where the reader has one, else POT1018. Never raises for
    what the source contains.
    """
    sink = Sink()
    document, value = read_value(source, name, sink)
    if not sink.has_errors:
        report_misfits(value, schema, schema_name, sink)
    return Checked(document, tuple(sink.diagnostics(document)), None)


def report_misfits(value: object, schema: Mapping[str, Any], schema_name: str, sink: Sink) -> None:
    """Reports each part of a JSON value that a schema does not allow, at most a hundred."""
    # Only who asks for a schema pays for the import.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    shapes = Shapes(sink)
    for error in islice(Draft202012Validator(schema).iter_errors(value), _MOST_ERRORS):
        # Of alternatives that all fail the one that fits best says the most.
        _report(best_match([error]) or error, schema_name, shapes)


def _report(error: ValidationError, schema_name: str, shapes: Shapes) -> None:
    pointer = join_pointer("", *error.absolute_path)
    # The types of the library leave open what each keyword has.
    value: Any = error.instance
    rule: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "type":
            names = [_NAMES[kind] for kind in ([rule] if isinstance(rule, str) else rule)]
            shapes.wrong_type(value, pointer, " or ".join(names))
        case "required":
            for key in rule:
                if key not in value:
                    shapes.missing(key, pointer, [f"the schema `{schema_name}` requires it"])
        case "additionalProperties":
            known = list(schema.get("properties", ()))
            for key in value:
                if key not in known:
                    shapes.unknown_key(key, value, pointer, known)
        case "enum" if isinstance(value, str):
            shapes.one_of(value, pointer, [str(each) for each in rule])
        case keyword:
            shapes.sink.report(
                "POT1018", pointer, schema=schema_name, keyword=keyword, helps=[error.message[:300]]
            )

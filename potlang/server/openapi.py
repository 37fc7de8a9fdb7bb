"""The OpenAPI document, made of the tables that requests are read by and the schemas of the reports."""

from __future__ import annotations

import json
from typing import Any, Final, get_args

from potlang.languages.kind import Kind
from potlang.server.parameters import parameters
from potlang.server.refusals import PROBLEM
from potlang.server.tokens import CallerLimits
from potlang.utils.resources import schema_text
from potlang.version import __version__

JSON_LINES: Final = "application/jsonl"
_REPORTS: Final = ("report-1", "dot-report-1", "dagmath-report-1")
_SUMMARIES: Final = {
    "verify": ("Verify an input", "What `potc --format json` prints of it."),
    "check": ("Find mistakes in an input, without solving", "What `potc check --format json` prints of it."),
    "fix": ("Apply the fixes that diagnostics offer", "The text after them, and the diagnostics left."),
    "compile": ("Write a program or a trace in a lowered form", "The text, or null and the diagnostics."),
    "view": (
        "Verify an input and show the report",
        "A page or a drawing as text, or null and the diagnostics.",
    ),
}
_INPUT: Final = (
    "A program, a trace or a solution as it is in a file, or a JSON object that holds it as `program`, "
    "`trace`, `solution` or `source`, beside it `id`, `answer` of a solution, `theory` of a trace."
)


def document(usual: CallerLimits) -> dict[str, Any]:
    """The document, OpenAPI 3.1, for callers with these limits."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "potlang",
            "version": __version__,
            "description": "Verifies programs, traces and solutions. MCP is served at /mcp beside it.",
        },
        "paths": {
            **{f"/v1/{verb}": {"post": _verb(verb, usual)} for verb in _SUMMARIES},
            "/v1/batch": {"post": _batch(usual)},
            "/v1/requests/{id}": {"delete": _cancel()},
            "/health/live": {"get": _plain("Whether the process runs", ())},
            "/health/ready": {"get": _plain("Whether requests are answered", ("503",))},
            "/metrics": {"get": _figures()},
            "/openapi.json": {"get": _plain("This document", ())},
        },
        "security": [{}, {"token": []}],
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas(),
            "responses": _responses(),
            "headers": {
                "Retry-After": {
                    "description": "Seconds to wait.",
                    "schema": {"type": "integer", "minimum": 1},
                },
                "X-Request-Id": {
                    "description": "As it was sent, or one that was made.",
                    "schema": {"type": "string"},
                },
            },
        },
    }


def _verb(verb: str, usual: CallerLimits) -> dict[str, Any]:
    summary, answer = _SUMMARIES[verb]
    anything: dict[str, Any] = {"schema": {}}
    return {
        "operationId": verb,
        "summary": summary,
        "parameters": [*_parameters(verb, usual), _REQUEST_ID],
        "requestBody": {
            "description": _INPUT,
            "content": {"application/json": anything, "text/plain": {"schema": {"type": "string"}}},
        },
        "responses": {
            "200": _answer(answer, "application/json", _ANSWERS[verb]),
            **_refusals("400", "401", "408", "409", "413", "415", "422", "429", "500", "503"),
        },
    }


def _batch(usual: CallerLimits) -> dict[str, Any]:
    said = "A row for each line as it is answered; where the server ends, last of all a problem."
    return {
        "operationId": "batch",
        "summary": "Verify the lines of a stream, each of them an input",
        "parameters": [*_parameters("batch", usual), _REQUEST_ID],
        "requestBody": {
            "description": "JSON Lines. Read while you send: of lines that nobody takes no more are read.",
            "content": {each: {"schema": {"type": "string"}} for each in (JSON_LINES, "text/plain")},
        },
        "responses": {
            # The media type is of a sequence, whose items are what there is a schema for.
            "200": {**_answer(said, JSON_LINES, {}), "x-row": _ref("row")},
            **_refusals("400", "401", "409", "415", "429", "500", "503"),
        },
    }


def _cancel() -> dict[str, Any]:
    return {
        "operationId": "cancel",
        "summary": "Cancel a request of one's own",
        "parameters": [
            {
                "name": "id",
                "in": "path",
                "required": True,
                "description": "The X-Request-Id that it was sent with.",
                "schema": {"type": "string"},
            }
        ],
        "responses": {
            "204": {"description": "The request is answered by 409."},
            **_refusals("401", "404"),
        },
    }


def _plain(summary: str, refusals: tuple[str, ...]) -> dict[str, Any]:
    return {
        "summary": summary,
        "security": [{}],
        "responses": {
            "200": _answer("It is so.", "application/json", {"type": "object"}),
            **_refusals(*refusals),
        },
    }


def _figures() -> dict[str, Any]:
    return {
        "summary": "Figures for Prometheus",
        "responses": {
            "200": _answer("In its text format.", "text/plain", {"type": "string"}),
            **_refusals("401"),
        },
    }


def _parameters(operation: str, usual: CallerLimits) -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "in": "query",
            "required": False,
            "description": each.description,
            "schema": each.schema,
        }
        for each in parameters(operation, usual)
    ]


_REQUEST_ID: Final = {
    "name": "X-Request-Id",
    "in": "header",
    "required": False,
    "description": "A name for the request, by which it can be cancelled.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,80}$"},
}


def _answer(description: str, media: str, schema: dict[str, Any]) -> dict[str, Any]:
    headers = {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}}
    return {"description": description, "headers": headers, "content": {media: {"schema": schema}}}


def _refusals(*codes: str) -> dict[str, Any]:
    return {code: {"$ref": f"#/components/responses/{code}"} for code in codes}


_REFUSED: Final = {
    "400": "A parameter is wrong.",
    "401": "A token is needed.",
    "404": "There is no such thing.",
    "408": "The body did not come in time.",
    "409": "The request was cancelled, or its X-Request-Id is taken.",
    "413": "The body is too large.",
    "415": "The body is packed.",
    "422": "The input and the parameters do not go together, or the input took too much time or memory.",
    "429": "The caller has sent too much.",
    "500": "A bug.",
    "503": "The server is busy, or about to end.",
}


def _responses() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for code, said in _REFUSED.items():
        found[code] = _answer(said, PROBLEM, _ref("problem"))
        if code in ("429", "503"):
            found[code]["headers"]["Retry-After"] = {"$ref": "#/components/headers/Retry-After"}
    return found


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


_REPORT: Final = {"oneOf": [_ref(name) for name in _REPORTS]}
_DIAGNOSTICS: Final = {"type": "array", "items": _ref("diagnostics-1.diagnostic")}


_OFFSET: Final = {"type": "integer", "minimum": 0}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": [*properties], "properties": properties}


_CHECKED: Final = _object(
    file={"type": "string"}, language={"enum": [*get_args(Kind)]}, diagnostics=_DIAGNOSTICS
)
_CHECKED["properties"]["edits"] = {
    "description": "With `edits`: for each diagnostic, for each of its fixes, the edits that it amounts to.",
    "type": "array",
    "items": {
        "type": "array",
        "items": {
            "type": "array",
            "items": _object(start=_OFFSET, end=_OFFSET, text={"type": "string"}),
        },
    },
}
_TEXT: Final = _object(file={"type": "string"}, text={"type": ["string", "null"]}, diagnostics=_DIAGNOSTICS)
_ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "verify": _REPORT,
    "check": _CHECKED,
    "fix": _object(
        file={"type": "string"},
        text={"type": "string"},
        applied={"type": "integer", "minimum": 0},
        diagnostics=_DIAGNOSTICS,
    ),
    "compile": _TEXT,
    "view": _TEXT,
}
_STRING: Final = {"type": "string"}
_SCHEMAS: Final[dict[str, Any]] = {
    "problem": {
        "description": "Why a request is not carried out (RFC 9457), and how to mend it.",
        **_object(title=_STRING, status={"type": "integer"}, code=_STRING, detail=_STRING, help=_STRING),
    },
    "row": {
        "description": "The answer to a line. `fault` says why there is no report.",
        "type": "object",
        "required": ["file", "line", "language", "verdict", "report"],
        "properties": {
            "id": {"type": ["string", "integer"]},
            "file": _STRING,
            "line": {"type": "integer", "minimum": 1},
            "language": _STRING,
            "verdict": _STRING,
            "fault": _STRING,
            "report": {"type": ["object", "null"]},
        },
    },
}


def _schemas() -> dict[str, Any]:
    found = dict(_SCHEMAS)
    for name in (*_REPORTS, "diagnostics-1"):
        # One document has one place for definitions: those of a schema get its name.
        text = schema_text(name).replace('"#/$defs/', f'"#/components/schemas/{name}.')
        schema = json.loads(text)
        definitions = schema.pop("$defs", {})
        for key in ("$schema", "$id"):
            schema.pop(key, None)
        found[name] = schema
        found |= {f"{name}.{key}": each for key, each in definitions.items()}
    return found

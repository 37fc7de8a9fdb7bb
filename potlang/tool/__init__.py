"""potlang as a tool that a model calls: its definition for a provider, and `call`, which never raises.

One argument object has the operation and its subject. The answer is plain JSON values that fit a budget: the
most useful parts come first, the rest is counted (`97-tool.md`, `schemas/tool-answer-1.json`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, Literal, Required, TypedDict, cast, get_args

from potlang.diag import nearest
from potlang.languages.pot.profiles import Profile, Schema, program_schema
from potlang.models.truncate import DEFAULT_BUDGET, LEAST_BUDGET, truncate_to_budget
from potlang.tables.access import TablesChoice, allowing
from potlang.tool.arguments import MOST_CHARACTERS, CallArguments, CallMistake, read_arguments
from potlang.utils.deadline import OutOfFuel, within
from potlang.utils.resources import schema

Operation = Literal["verify", "check", "fix", "compile", "view", "claims", "explain", "reference"]
Provider = Literal["openai", "anthropic", "gemini", "mcp"]

NAME: Final = "potlang"
DESCRIPTION: Final = (
    "Verifies reasoning with solvers. Write the premises as a typed program and each question as a "
    "verification; the answer is a verdict for each (entailed, refuted, undetermined, inconsistent or "
    "unknown) with its evidence. A program with mistakes comes back with diagnostics and fixes: repair it "
    "and call again. `reference` explains the language by topics.\n\n"
    "Formulas: `p and not q -> r`, `x != y or n // 2 <= 3`, `x in [a, b]`, `ForAll([x: T], P(x) <-> Q(x))`, "
    "`Exists([x: T], P(x))`, `Count([x: T], P(x)) >= 2`, `Distinct(a, b)`, `If(p, n, 0) == 1`, "
    "`d + 30 days < 2025-01-20`, `m == $900`.\n\n"
    'Example: {"sorts":[{"name":"T","type":"EnumSort","values":["a","b"]}],"functions":[{"name":"P",'
    '"domain":["T"],"range":"Bool"}],"knowledge_base":["P(a)"],"rules":[{"constraint":'
    '"ForAll([x: T], P(x) -> P(b))"}],"verifications":[{"constraint":"P(b)"}]}'
)
CALL_SECONDS: Final = 10.0
"""Of a call, reading and solving together."""
_LAST_SECONDS: Final = 1.0
"""More, for the answer: what is easy is still solved where reading has used up the time."""
_ARGUMENTS: Final = {
    "operation": "verify if left out; check: mistakes alone; fix: apply safe fixes; compile: to SMT-LIB; "
    "view: draw a trace or solution; claims: against a stored policy; explain: a code; reference: a topic.",
    "program": "A PoT program; beside a trace its theory.",
    "policy": "Of claims, and of reference, which describes it: the id of a stored policy.",
    "claims": "Formulas in the policy's words; with `text` translations that must agree, each as JSON: "
    '{"individuals":[{"name","sort"}],"premises":[{"formula","words"}],"claims":[…]}.',
    "text": "Of claims: the text to check.",
    "case": 'Of claims: what is known, as JSON: {"item": {"days": 20}, "old": true, "facts": ["p(item)"]}.',
    "code": "Of explain: a diagnostic's code such as POT2001.",
    "topic": "Of reference: sections, sorts, formulas, functions, definitions, exceptions, questions, dates, "
    "optimization, packs, examples, or a pack.",
    "trace": "A Diagram-of-Thought trace: @node, @edge and other records.",
    "solution": "A DAG-MATH solution, as JSON or text.",
    "words": "Whether verify says results in plain sentences too.",
    "models": "For an undetermined claim: full shows all symbols.",
}
_NEEDED: Final[dict[str, str]] = {
    "verify": "program",
    "check": "program",
    "fix": "program",
    "compile": "program",
    "view": "trace",
    "claims": "policy",
    "explain": "code",
    "reference": "topic",
}
"""The argument that an operation is about; a verb takes a trace or a solution as well."""
_STRICT: Final = ("additionalProperties", "required")
_VERBS: Final = ("verify", "check", "fix", "compile", "view")
_FORMER: Final[dict[str, tuple[Operation, str]]] = {
    "trace": ("verify", "trace"),
    "score": ("verify", "solution"),
}
"""Former names of operations, with their new name and the argument that they are about."""


def definition(provider: Provider = "openai") -> dict[str, Any]:
    """The tool as a provider's interface wants it declared. Raises ValueError for an unknown provider."""
    named = {"name": NAME, "description": DESCRIPTION}
    match provider:
        case "openai":
            function = {**named, "parameters": parameters("openai"), "strict": True}
            return {"type": "function", "function": function}
        case "anthropic":
            return {**named, "input_schema": parameters("anthropic"), "strict": True}
        case "gemini":
            return {**named, "parameters": parameters("gemini")}
        case "mcp":
            return {
                **named,
                "inputSchema": _opened(parameters("anthropic")),
                "outputSchema": answer_outline(),
            }
    raise ValueError(f"no provider {provider!r}; there are {', '.join(get_args(Provider))}")


def answer_schema() -> Schema:
    """The schema of every answer, `tool-answer-1`."""
    return schema("tool-answer-1")


def answer_outline() -> Schema:
    """The parts of an answer without what is in them, for clients that show the whole schema to a model."""
    whole = answer_schema()
    parts: dict[str, Schema] = {}
    for key, node in whole["properties"].items():
        inner = whole["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
        parts[key] = {part: inner[part] for part in ("type", "enum") if part in inner}
    return {"type": "object", "properties": parts, "required": whole["required"]}


def _opened(node: Any) -> Any:
    """A schema whose objects may have other keys, and fewer: whoever reads the call says what is wrong."""
    if isinstance(node, dict):
        return {key: _opened(each) for key, each in node.items() if key not in _STRICT}
    return [_opened(each) for each in node] if isinstance(node, list) else node


def parameters(profile: Profile = "json") -> Schema:
    """The schema of the argument object. Raises ValueError for an unknown profile."""
    program = program_schema(profile)
    definitions = program.pop("$defs", {})
    for key in ("$schema", "$id", "title"):
        program.pop(key, None)
    text: Schema = {"type": "string"}
    kinds: dict[str, Schema] = {
        "operation": {"type": "string", "enum": list(get_args(Operation))},
        "program": {"anyOf": [program, text]},
        "policy": text,
        "claims": {"type": "array", "items": {"type": "string"}},
        "text": text,
        "case": text,
        "code": text,
        "topic": text,
        "trace": text,
        "solution": text,
        "words": {"type": "boolean"},
        "models": {"type": "string", "enum": ["claim", "full"]},
    }
    strict = profile == "openai"
    properties = {
        key: _argument(kind, _ARGUMENTS[key], nullable=strict and key != "operation")
        for key, kind in kinds.items()
    }
    made: Schema = {"type": "object", "properties": properties}
    if strict:
        made["required"] = list(properties)
    if profile != "gemini":
        made["additionalProperties"] = False
    return {**made, "$defs": definitions} if definitions else made


def _argument(kind: Schema, description: str, *, nullable: bool) -> Schema:
    options = kind.get("anyOf", [kind])
    if nullable:
        options = [*options, {"type": "null"}]
    return {"description": description, **({"anyOf": options} if len(options) > 1 else kind)}


class ToolAnswer(TypedDict, total=False):
    """The answer to a call, as `schemas/tool-answer-1.json` says; parts that do not apply are absent."""

    operation: str
    status: Required[Literal["ok", "rejected", "error"]]
    error: str
    message: str
    help: str
    verdict: str
    outcome: str
    results: list[dict[str, Any]]
    elections: list[dict[str, Any]]
    because: list[dict[str, str]]
    optimization: dict[str, Any]
    diagnostics: list[dict[str, Any]]
    lints: list[dict[str, Any]]
    code: str
    text: str
    fixed: int
    report: dict[str, Any]
    words: list[str]
    changes: list[dict[str, Any]]
    missing: list[dict[str, Any]]
    sufficient: list[dict[str, Any]]
    finding: str
    untranslated: list[str]
    separating: dict[str, Any]
    notes: list[str]
    left_out: dict[str, int]
    hint: str


def call(
    arguments: dict[str, Any] | str | bytes, *, budget: int = DEFAULT_BUDGET, sources: TablesChoice = None
) -> ToolAnswer:
    """The answer to a call, within so many tokens. Never raises.

    `arguments` is the argument object, or its JSON text. `sources` are the directories whose tables
    programs may read: whoever writes the arguments does not choose them.
    """
    try:
        # The reader of the answer pays for each token, and may not be able to take more.
        deadline = time.monotonic() + CALL_SECONDS
        with within((CALL_SECONDS + _LAST_SECONDS) * 1_000), allowing(sources):
            answer = truncate_to_budget(_answer(arguments, deadline), budget)
    except OutOfFuel:
        message = f"the call took more than {CALL_SECONDS:.0f} seconds"
        answer = CallMistake("timeout", message, "send a smaller program").answer()
    except MemoryError:
        answer = CallMistake("memory", "the call took too much memory", "send a smaller program").answer()
    except Exception as error:  # The last line of defence: whatever is a bug of ours still is an answer.
        message = f"internal error: {type(error).__name__}"
        answer = CallMistake("internal", message, "this is a bug in potlang").answer()
    return cast(ToolAnswer, answer)


def _answer(arguments: Any, deadline: float) -> dict[str, Any]:
    """The whole answer, however long. `deadline` is a time of the monotonic clock."""
    operation: Any = None
    try:
        given = read_arguments(arguments, tuple(_ARGUMENTS))
        operation = given.values.get("operation") or "verify"
        if not isinstance(operation, str) or operation not in {*_NEEDED, *_FORMER}:
            shown = repr(operation[:40]) if isinstance(operation, str) else "of that kind"
            operation = None
            raise CallMistake("unknown_operation", f"no operation {shown}", f"one of {', '.join(_NEEDED)}")
        verb, needed = _FORMER.get(operation) or (operation, _needed(given, operation))
        _require(given, operation, needed)
        return {"operation": operation, **_operation(verb)(given, deadline)}
    except CallMistake as mistake:
        known = {} if operation is None else {"operation": operation}
        return {**known, **mistake.answer()}


def _needed(given: CallArguments, operation: str) -> str:
    """The argument that the operation is about in this call."""
    subject = given.subject() if operation in _VERBS else "program"
    return _NEEDED[operation] if subject == "program" else subject


def _require(given: CallArguments, operation: str, needed: str) -> None:
    """Raises `CallMistake` if the argument that the operation is about is not there."""
    if operation == "reference" or not given.lacks(needed):
        return
    other = f"; found {', '.join(map(repr, given.unknown))}" if given.unknown else ""
    help_ = _ARGUMENTS[needed]
    if nearest(needed, given.unknown, 1):
        help_ = f"write `{needed}` for `{nearest(needed, given.unknown, 1)[0]}`"
    elif needed == "program" and set(given.unknown) & set(schema("pot-1")["properties"]):
        help_ = 'put the sections into one object: {"program": {…}}'
    elif operation == "verify" and not (given.lacks("policy") and given.lacks("claims")):
        help_ = 'for claims against a policy send "operation": "claims"'
    raise CallMistake("missing_argument", f"{operation} needs `{needed}`{other}", help_)


def _operation(name: str) -> Callable[[CallArguments, float], dict[str, Any]]:
    found: Callable[[CallArguments, float], dict[str, Any]] = getattr(
        import_module("potlang.tool.operations"), name
    )
    return found


__all__ = [
    "CALL_SECONDS",
    "DEFAULT_BUDGET",
    "DESCRIPTION",
    "LEAST_BUDGET",
    "MOST_CHARACTERS",
    "NAME",
    "Operation",
    "Provider",
    "ToolAnswer",
    "answer_outline",
    "answer_schema",
    "call",
    "definition",
    "parameters",
]

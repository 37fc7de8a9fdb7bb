"""Parameters of requests: one table, which is read by and which the OpenAPI document is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, get_args

from starlette.datastructures import QueryParams

from potlang.diag.near import nearest
from potlang.drawing.draw import Form
from potlang.export import WAYS
from potlang.languages.dot.read.records import Profile
from potlang.languages.kind import Kind
from potlang.languages.pot.lower import Target
from potlang.prove.options import Cores, Models, RouteName, Trust
from potlang.report.results import Limits
from potlang.server.refusals import Refusal
from potlang.server.tokens import CallerLimits

_LONGEST: Final = 10_000


class Parameter(NamedTuple):
    """A query parameter, its JSON Schema and what it says."""

    name: str
    schema: dict[str, Any]
    description: str

    def read(self, text: str) -> Any:
        """The value that a text stands for. Raises Refusal."""
        schema = self.schema
        match schema["type"]:
            case "boolean":
                if text in ("true", "false"):
                    return text == "true"
                raise self._wrong("true or false")
            case "integer":
                if text.isascii() and text.isdigit() and len(text) <= 18:
                    return self._bounded(int(text))
                raise self._wrong("a whole number")
            case "number":
                plain = text.replace(".", "", 1)
                if plain.isascii() and plain.isdigit() and len(text) <= 18:
                    return self._bounded(float(text))
                raise self._wrong("a number such as 2.5")
        if "enum" in schema and text not in schema["enum"]:
            raise self._wrong(f"one of {', '.join(schema['enum'])}")
        if len(text) > schema.get("maxLength", _LONGEST):
            raise self._wrong(f"at most {schema['maxLength']:,} characters")
        return text

    def _bounded(self, value: Any) -> Any:
        low, high = self.schema["minimum"], self.schema["maximum"]
        if not low <= value <= high:
            raise self._wrong(f"from {low:,} to {high:,}")
        return value

    def _wrong(self, wanted: str) -> Refusal:
        return Refusal(400, "bad_parameter", f"`{self.name}` is {wanted}", "correct the query of the request")


def _choice(name: str, values: Sequence[str], default: str | None, description: str) -> Parameter:
    schema: dict[str, Any] = {"type": "string", "enum": [*values]}
    return Parameter(name, schema if default is None else {**schema, "default": default}, description)


def _flag(name: str, default: bool, description: str) -> Parameter:
    return Parameter(name, {"type": "boolean", "default": default}, description)


_LIMITS: Final = Limits()
_LANGUAGE: Final = _choice(
    "language", get_args(Kind), None, "The language of the input; without it the content tells."
)
_READING: Final = (
    _LANGUAGE,
    _choice("profile", get_args(Profile), "paper", "Of traces: how they are read."),
    _flag("require_end", False, "Of traces: the last record says that nothing is missing."),
)
_VERIFYING: Final = (
    *_READING,
    _choice("trust", get_args(Trust), "best", "Check each answer independently, or take the solver's word."),
    _choice("route", get_args(RouteName), "auto", "How checks of programs and traces are answered."),
    Parameter(
        "timeout",
        {"type": "number", "minimum": 0.001, "maximum": 3_600, "default": _LIMITS.check_ms / 1000},
        "Seconds for one check.",
    ),
    Parameter(
        "total_timeout",
        {"type": "number", "minimum": 0.001, "maximum": 3_600},
        "Seconds for one input. Without it as many as the caller has, at most 60.",
    ),
    Parameter(
        "memory",
        {"type": "integer", "minimum": 1, "maximum": 1_000_000},
        "Megabytes for the solver. Without it as many as the caller has, at most 4096.",
    ),
    Parameter(
        "rlimit",
        {"type": "integer", "minimum": 1, "maximum": 10**15},
        "Steps for one check, as the solver itself counts them.",
    ),
    _choice(
        "models",
        get_args(Models),
        "claim",
        "Of programs: models with the symbols of the claim, or all; or as they were found.",
    ),
    _choice("cores", get_args(Cores), "one", "Of programs: show one core, or all minimal ones."),
    _flag("words", False, "Of programs: say claims, verdicts and evidence in plain sentences."),
    _flag("steps", True, "Of solutions: check whether each step follows."),
    Parameter(
        "answer",
        {"type": "string", "maxLength": 10_000},
        "Of solutions: the expected answer in LaTeX, instead of the one in the input.",
    ),
)
PARAMETERS: Final[dict[str, tuple[Parameter, ...]]] = {
    "verify": _VERIFYING,
    "batch": _VERIFYING,
    "check": (
        *_READING,
        _flag("deep", False, "Run the rules of the linter that ask a solver, too."),
        _flag("edits", False, "Give the fixes as edits of the text that was sent, too."),
    ),
    "fix": (
        _LANGUAGE,
        _flag("unsafe", False, "Also apply fixes that may change the meaning."),
        _flag("lint", False, "Also apply the safe fixes of what the linter finds."),
    ),
    "compile": (
        *_READING,
        _choice(
            "to",
            (*get_args(Target), *WAYS),
            "smt2",
            "Typed IR, the SMT-LIB text that is solved, PoT again; or for another tool: TPTP, Lean 4, Python"
            " with z3, clingo.",
        ),
        Parameter(
            "claim",
            {"type": "string", "maxLength": 10_000},
            "For another tool: the only claim. Without it all are written, in TPTP the first.",
        ),
        Parameter("passes", {"type": "string", "maxLength": 1_000}, "As `simplify{rounds=3},nnf`."),
    ),
    "view": (
        *_VERIFYING,
        _choice("to", get_args(Form), "html", "A page, or the drawing of a trace or a solution alone."),
        Parameter("name", {"type": "string", "maxLength": 200}, "What the input is called on its page."),
    ),
}
"""The parameters of each operation."""


def parameters(operation: str, limits: CallerLimits) -> list[Parameter]:
    """The parameters of an operation, with a caller's limits as their bounds."""
    most = {"total_timeout": limits.seconds, "memory": limits.megabytes}
    return [
        each._replace(schema={**each.schema, "maximum": most[each.name]}) if each.name in most else each
        for each in PARAMETERS[operation]
    ]


def read_options(operation: str, query: QueryParams, limits: CallerLimits) -> dict[str, Any]:
    """The options in a query, with their defaults, within a caller's limits. Raises Refusal."""
    known = {each.name: each for each in parameters(operation, limits)}
    found: dict[str, Any] = {}
    for name, text in query.multi_items():
        if name not in known:
            near = nearest(name[:40], list(known), 1)
            help_ = f"do you mean `{near[0]}`?" if near else f"there are {', '.join(known)}"
            raise Refusal(400, "bad_parameter", f"there is no parameter {name[:40]!r}", help_)
        if name in found:
            raise Refusal(400, "bad_parameter", f"`{name}` stands twice", "leave one of them out")
        found[name] = known[name].read(text)
    options = {each.name: each.schema["default"] for each in known.values() if "default" in each.schema}
    return _within(options | found, limits)


def _within(options: dict[str, Any], limits: CallerLimits) -> dict[str, Any]:
    """The options with `limits` as `Limits` has them, as many as the caller has where none are asked for."""
    seconds = options.pop("total_timeout", min(limits.seconds, _LIMITS.total_ms / 1000))
    megabytes = options.pop("memory", min(limits.megabytes, _LIMITS.memory_mb or limits.megabytes))
    check = options.pop("timeout", _LIMITS.check_ms / 1000)
    return {
        **options,
        "limits": [int(check * 1000) or 1, int(seconds * 1000) or 1, megabytes, options.pop("rlimit", None)],
    }

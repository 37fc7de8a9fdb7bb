"""The options of a guard on its policy: which functions have which part ([GUARD-OPTIONS])."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from potlang.policy.tests import PolicyError
from potlang.prove.options import Trust

Otherwise = Literal["ask", "deny"]
Arguments = Mapping[str, str | None]
"""By the arguments of tools the functions of the policy that they give values; None: they are passed over."""

_NAMES: Final = ("event", "tool", "turn", "before", "decision", "allowed", "succeeded")
_MOST_SECONDS: Final = 3_600


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """A tool that the policy calls by another name, or whose arguments it does."""

    name: str | None = None
    arguments: Arguments = field(default_factory=lambda: MappingProxyType({}))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"name": self.name, "arguments": dict(self.arguments)}


@dataclass(frozen=True, slots=True)
class GuardOptions:
    """The names of a policy's sort of events and functions, and where facts about events come from."""

    event: str = "Event"
    tool: str = "tool"
    turn: str = "turn"
    before: str = "before"
    decision: str = "decision"
    allowed: str = "allowed"
    succeeded: str = "succeeded"
    otherwise: Otherwise = "ask"
    """The decision where neither follows."""
    arguments: Arguments | None = None
    """None: each function of an event that nothing else gives has an argument of its name."""
    outcome: tuple[str, ...] = ()
    """Functions that outcomes give, and arguments cannot."""
    context: tuple[str, ...] = ()
    """Functions that the caller gives with an event, and arguments cannot."""
    tools: Mapping[str, ToolOptions] = field(default_factory=lambda: MappingProxyType({}))
    defaults: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Values that functions have for events which do not give them."""
    case: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """The known facts of every session."""
    timeout: float = 5.0
    """Seconds for one decision, where a solver is asked."""
    trust: Trust = "solver"
    """Whether one solver's word decides, or the answer is checked by others, which takes longer."""
    policy: str = ""
    """The id of the policy, or its file's path beside that of the options."""

    @classmethod
    def of(cls, value: Any) -> GuardOptions:
        """The options in a JSON value. Raises PolicyError."""
        if not isinstance(value, dict):
            raise PolicyError("the options of a guard are an object")
        known = {each.name for each in fields(cls)}
        for key in value:
            if key not in known:
                raise PolicyError(
                    f"the options of a guard have no {key!r}; they have {', '.join(sorted(known))}"
                )
        given = {key: each for key, each in value.items() if each is not None}
        return cls(**{key: _read(key, each) for key, each in given.items()})

    @classmethod
    def read(cls, path: Path) -> GuardOptions:
        """The options in a file. Raises PolicyError."""
        try:
            value = json.loads(path.read_bytes(), parse_float=Decimal)
        except OSError as error:
            raise PolicyError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
        except (ValueError, RecursionError) as error:
            raise PolicyError(f"{str(path)!r} is not JSON: {error}") from None
        return cls.of(value)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values that `of` reads: all that decisions depend on."""
        return {
            **{name: getattr(self, name) for name in (*_NAMES, "otherwise")},
            "arguments": None if self.arguments is None else dict(self.arguments),
            "outcome": list(self.outcome),
            "context": list(self.context),
            "tools": {key: each.to_dict() for key, each in self.tools.items()},
            "defaults": dict(self.defaults),
            "case": dict(self.case),
            "trust": self.trust,
        }


def _read(key: str, value: Any) -> Any:
    if key in _NAMES or key == "policy":
        return _text(value, key)
    match key:
        case "otherwise":
            if value not in ("ask", "deny"):
                raise PolicyError('`otherwise` is "ask" or "deny"')
            return value
        case "trust":
            if value not in get_args(Trust):
                raise PolicyError(f"`trust` is {' or '.join(get_args(Trust))}")
            return value
        case "arguments":
            return _arguments(value, key)
        case "outcome" | "context":
            if not isinstance(value, list):
                raise PolicyError(f"`{key}` is a list of functions of the policy")
            return tuple(_text(each, key) for each in value)
        case "tools":
            return {name: _tool(each, name) for name, each in _object(value, key).items()}
        case "timeout":
            if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
                raise PolicyError("`timeout` is a number of seconds")
            if not 0 < value <= _MOST_SECONDS:
                raise PolicyError(f"`timeout` is more than 0 and at most {_MOST_SECONDS:,} seconds")
            return float(value)
    return _object(value, key)


def _tool(value: Any, name: str) -> ToolOptions:
    where = f"tools/{name}"
    if isinstance(value, str):
        return ToolOptions(value)
    given = _object(value, where)
    for key in given:
        if key not in ("name", "arguments"):
            raise PolicyError(f"`{where}` has no {key!r}: it has `name` and `arguments`")
    own = given.get("name")
    arguments = _arguments(given.get("arguments") or {}, f"{where}/arguments")
    return ToolOptions(None if own is None else _text(own, where), arguments)


def _arguments(value: Any, where: str) -> Arguments:
    if isinstance(value, list):
        return {_text(each, where): _text(each, where) for each in value}
    found = _object(value, where)
    return {key: None if each is None else _text(each, where) for key, each in found.items()}


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise PolicyError(f"`{where}`: a name is a text that is not empty")
    return value


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PolicyError(f"`{where}` is an object")
    return value

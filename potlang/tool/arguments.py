"""The arguments of a call, made safe to work on: known keys, each value of bounded size."""

from __future__ import annotations

import json
from typing import Any, Final, Literal, NamedTuple

MOST_CHARACTERS: Final = 1_000_000
"""Of a program, trace or solution; keys, commas and the like of an object are counted as one each."""
_SHOWN: Final = 30
"""Characters of what stands before a mistake in JSON."""

Mistake = Literal[
    "not_an_object",
    "not_json",
    "unknown_operation",
    "missing_argument",
    "wrong_type",
    "too_large",
    "unknown_code",
    "unknown_policy",
    "unknown_topic",
    "missing_extra",
    "timeout",
    "memory",
    "busy",
    "internal",
]
"""The reasons for which a call is not carried out ([TOOL-MISTAKE])."""


class CallMistake(Exception):
    """The call cannot be carried out: `mistake` is its reason, `help` the way to mend it."""

    def __init__(self, mistake: Mistake, message: str, help_: str) -> None:
        super().__init__(message)
        self.mistake = mistake
        self.message = message
        self.help = help_

    def answer(self) -> dict[str, Any]:
        """The mistake as an answer."""
        return {"status": "error", "error": self.mistake, "message": self.message, "help": self.help}


def wrong_type(key: str, wanted: str, value: Any, help_: str) -> CallMistake:
    """The mistake that an argument is another value than is wanted."""
    return CallMistake("wrong_type", f"`{key}` is {wanted}, not {kind(value)}", help_)


class CallArguments(NamedTuple):
    """The arguments of a call by their names; no other keys are kept."""

    values: dict[str, Any]
    unknown: tuple[str, ...] = ()

    def subject(self) -> Literal["program", "trace", "solution"]:
        """The argument that a verb is about; a trace may have a program beside it."""
        if not self.lacks("trace"):
            return "trace"
        return "program" if self.lacks("solution") else "solution"

    def lacks(self, key: str) -> bool:
        """True for an argument that is not given, or empty."""
        return self.values.get(key) in (None, "", {})

    def text(self, key: str) -> str:
        """A short text. Raises `CallMistake` for anything else."""
        value = self.values.get(key)
        if not isinstance(value, str):
            raise wrong_type(key, "a string", value, "send a string")
        return value

    def flag(self, key: str) -> bool:
        """True or False, which is what is not given. Raises `CallMistake` for anything else."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, bool):
            raise wrong_type(key, "true or false", value, "send a boolean")
        return bool(value)

    def choice(self, key: str, among: tuple[str, ...]) -> str:
        """One of some words, the first for what is not given. Raises `CallMistake` for anything else."""
        value = self.values.get(key)
        if value is None:
            return among[0]
        if not isinstance(value, str) or value not in among:
            shown = repr(value[:40]) if isinstance(value, str) else kind(value)
            raise CallMistake("wrong_type", f"`{key}` is not {shown}", f"one of {', '.join(among)}")
        return value

    def source(self, key: str) -> str | bytes | dict[str, Any]:
        """A program, as potlang reads it. Raises `CallMistake` for one that is too large."""
        value = self.bounded(key)
        if isinstance(value, str | bytes | dict):
            return value
        # A list or a number is no program, and the reader of programs is who says so.
        for type_, text in ((list, "[]"), (tuple, "[]"), (bool, "true"), (int, "0"), (float, "0.5")):
            if isinstance(value, type_):
                return text
        raise CallMistake("wrong_type", f"`{key}` is {kind(value)}", "send an object, or its text")

    def long_text(self, key: str) -> str | bytes:
        """A text such as a trace. Raises `CallMistake` for anything else, and for one that is too large."""
        value = self.bounded(key)
        if not isinstance(value, str | bytes):
            raise wrong_type(key, "a string", value, "send one text")
        return value

    def bounded(self, key: str) -> Any:
        """The argument. Raises `CallMistake` if it is too large."""
        value = self.values[key]
        if is_too_large(value):
            raise CallMistake(
                "too_large", f"`{key}` has more than {MOST_CHARACTERS:,} characters", "send a smaller one"
            )
        return value


def read_arguments(arguments: Any, known: tuple[str, ...]) -> CallArguments:
    """The arguments from an object or its JSON text. Raises `CallMistake` if there is none."""
    if isinstance(arguments, str | bytes):
        arguments = _parsed(arguments)
    if not isinstance(arguments, dict):
        raise CallMistake(
            "not_an_object",
            f"the arguments are not an object but {kind(arguments)}",
            'give an object such as {"operation": "verify", "program": {…}}',
        )
    strange = (key for key in arguments if not (isinstance(key, str) and key in known))
    unknown = tuple(str(key)[:40] for _, key in zip(range(8), strange, strict=False) if isinstance(key, str))
    return CallArguments({key: arguments[key] for key in known if arguments.get(key) is not None}, unknown)


def _parsed(text: str | bytes) -> Any:
    if len(text) > 2 * MOST_CHARACTERS:
        raise CallMistake("too_large", f"the arguments have {len(text):,} characters", "send less")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else _reason(error)
        raise CallMistake(
            "not_json", f"the arguments are not JSON: {reason}", "send one JSON object"
        ) from None


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        behind = error.doc[max(0, error.pos - _SHOWN) : error.pos]
        where = f" at character {error.pos}" + (f", behind {behind!a}" if behind else "")
        return f"{error.msg[:1].lower()}{error.msg[1:]}{where}"
    return "not UTF-8" if isinstance(error, UnicodeError) else "a number is too long"


def is_too_large(value: Any) -> bool:
    """True for a value whose text would be longer than is read; cyclic values are too large."""
    left = MOST_CHARACTERS
    waiting = [value]
    while waiting and left >= 0:
        each = waiting.pop()
        left -= 1
        if isinstance(each, str | bytes):
            left -= len(each)
        elif isinstance(each, int):
            # Writing out a large integer would take quadratic time: its length is estimated.
            left -= each.bit_length() // 4
        elif isinstance(each, dict):
            left -= sum(len(key) for key in each if isinstance(key, str)) + 5 * len(each)
            waiting.extend(each.values())
        elif isinstance(each, list | tuple):
            left -= len(each)
            waiting.extend(each if left >= 0 else ())
    return left < 0


def kind(value: Any) -> str:
    """The JSON name of a value's type."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    names |= {dict: "an object", type(None): "null"}
    return names.get(type(value), "no value of JSON's")

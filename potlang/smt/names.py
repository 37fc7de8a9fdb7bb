"""Names in SMT-LIB: every user name becomes a plain ASCII simple symbol that no solver has built in.

Mangling is injective: letters, digits and `_` stay, any other character becomes `.<hex>.`, and a
first character that no builtin starts with says what kind of name it is. Names longer than
`LONGEST` keep a prefix and end in a SHA-256 digest.
"""

from __future__ import annotations

import re

LONGEST = 200
"""Characters that a mangled name may have before it is shortened."""

_ODD = re.compile(r"[^A-Za-z0-9_]")
_KEPT = 120


def mangle(name: str) -> str:
    """`name` in the characters `A-Z a-z 0-9 _ . ~`; different names give different texts."""
    text = _ODD.sub(_escape, name)
    if len(text) <= LONGEST:
        return text
    from hashlib import sha256

    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:_KEPT]}~{digest}"


def _escape(match: re.Match[str]) -> str:
    return f".{ord(match[0]):x}."


def sort_name(name: str) -> str:
    """Of a declared, enum or tuple sort."""
    return f"${mangle(name)}"


def function_name(name: str) -> str:
    """Of a function, constant, free variable or defined function."""
    return f"${mangle(name)}"


def fresh_name(name: str) -> str:
    """Of a symbol that potlang introduced."""
    return f"^${mangle(name)}"


def value_name(sort: str, value: str) -> str:
    """Of an enum value, which two sorts may share."""
    return f"${mangle(sort)}/{mangle(value)}"


def constructor_name(sort: str) -> str:
    """Of a tuple sort's constructor."""
    return f"${mangle(sort)}^"


def selector_name(sort: str, field: str) -> str:
    """Of a tuple sort's field."""
    return f"${mangle(sort)}/{mangle(field)}"


def binder_name(name: str, number: int) -> str:
    """Of a bound variable; `number` tells apart those of one assertion."""
    return f"?{mangle(name)}.{number}"


def assertion_name(number: int) -> str:
    """Of an assertion, for cores."""
    return f"!a{number}"


def assertion_number(name: str) -> int | None:
    """The number that `assertion_name` made `name` from, or None."""
    digits = name[2:]
    return int(digits) if name.startswith("!a") and digits.isascii() and digits.isdigit() else None


def shared_name(number: int) -> str:
    """Of a shared closed term."""
    return f"%t{number}"


def local_name(number: int) -> str:
    """Of a term shared under binders."""
    return f"%l{number}"


def formula_name(number: int) -> str:
    """Of a formula that questions are about."""
    return f"%f{number}"


def switch_name(number: int, true: bool) -> str:
    """Of what makes such a formula true, or false."""
    return f"%{'y' if true else 'n'}{number}"

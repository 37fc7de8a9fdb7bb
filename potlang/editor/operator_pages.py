"""The rules of the specification on operators and built-in functions, found by their names in it."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType

from potlang.sema.builtins import BUILTINS
from potlang.utils import resources

_CHAPTERS = ("40-sorts", "42-quantities", "10-pot")
_RULE = re.compile(r"^\*\*\[([A-Z0-9-]+)\]\*\*[ ]", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"\b([A-Za-z]\w*)\b")
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)")
_CODES = re.compile(r" \((?:POT\d{4}(?:, )?)+\)")
_SIGNS = MappingProxyType(
    {
        **dict.fromkeys(("and", "or", "not", "->", "<->", "∧", "∨", "¬", "→", "↔"), "POT-EXPR-3"),
        **dict.fromkeys(("==", "!=", "≠"), "SORT-LOGIC-2"),
        **dict.fromkeys(("<", "<=", ">", ">=", "≤", "≥"), "SORT-ARITH-6"),
        **dict.fromkeys(("+", "-", "*"), "SORT-ARITH-1"),
        **dict.fromkeys(("//", "%"), "SORT-ARITH-3"),
        "/": "SORT-ARITH-2",
        "**": "SORT-ARITH-5",
        "in": "POT-EXPR-6",
    }
)
"""The rule of each sign and word of expressions."""
SIGNS = tuple(_SIGNS)


@cache
def _rules() -> dict[str, str]:
    """The rules of the chapters on the language, each as one line."""
    found: dict[str, str] = {}
    for chapter in _CHAPTERS:
        path = resources.folder("spec").joinpath(f"{chapter}.md")
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        starts = list(_RULE.finditer(text))
        for start in starts:
            rest = text[start.end() :]
            found[start[1]] = _plain(re.split(r"\n[ \t]*\n|\n#|\n\|", rest, maxsplit=1)[0])
    return found


def _plain(text: str) -> str:
    """A rule without links and numbers of diagnostics, which mean nothing at the cursor."""
    return _CODES.sub("", " ".join(_LINK.sub(r"\1", text).split()))


@cache
def _by_name() -> dict[str, str]:
    """The rule of each built-in function: the one that begins with a call of it, or else shows one."""
    ranked: dict[str, tuple[int, str]] = {}
    for rule, text in _rules().items():
        for number, code in enumerate(_CODE.findall(text)):
            for name in _NAME.findall(code):
                if name in BUILTINS:
                    rank = _rank(name, code, is_first=number == 0)
                    ranked[name] = min(ranked.get(name, (rank, rule)), (rank, rule), key=lambda each: each[0])
    return {name: rule for name, (_, rule) in ranked.items()}


def _rank(name: str, code: str, *, is_first: bool) -> int:
    if code.startswith(f"{name}("):
        return 0 if is_first else 1
    return 2 if f"{name}(" in code else 3


def builtin_page(name: str) -> tuple[str, str] | None:
    """The rule on a built-in function, and its id; None for another name."""
    builtin = BUILTINS.get(name)
    if builtin is None:
        return None
    found = _by_name()
    # Another spelling has the page of the one that the specification uses.
    same = (other for other, each in BUILTINS.items() if each.build is builtin.build and other in found)
    rule = found.get(name) or next((found[other] for other in same), None)
    return None if rule is None else (rule, _rules()[rule])


def sign_page(sign: str) -> tuple[str, str] | None:
    """The rule on an operator as it is written, and its id; None for what is no operator."""
    rule = _SIGNS.get(sign)
    return (rule, _rules()[rule]) if rule is not None and rule in _rules() else None


def usage(name: str) -> str:
    """How a built-in function is called, where the number of its arguments is fixed; else its name."""
    builtin = BUILTINS.get(name)
    return builtin.usage if builtin is not None and builtin.usage else f"{name}(…)"

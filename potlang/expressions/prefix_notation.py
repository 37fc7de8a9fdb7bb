"""Formulas of SMT-LIB, `(and p (= (f a) 3))`, as they are written here."""

from __future__ import annotations

import re

from potlang.expressions.actions import Fault
from potlang.expressions.phrases import MOST_CHARACTERS, replaced

_PIECE = re.compile(r'\s*+([()]|"(?:[^"]|"")*+"|[^\s()"]++)')
_INFIX = {"=": "==", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "+": "+", "-": "-", "*": "*", "/": "/"}
_INFIX |= {"div": "//", "mod": "%"}
_CALLS = {
    "and": "And",
    "or": "Or",
    "not": "Not",
    "=>": "Implies",
    "implies": "Implies",
    "iff": "Iff",
    "xor": "Xor",
}
_CALLS |= {"distinct": "Distinct", "ite": "If", "if": "If", "str.prefixof": "PrefixOf", "str.len": "Length"}
_CALLS |= {"str.contains": "Contains", "str.suffixof": "SuffixOf", "str.++": "Concat", "abs": "Abs"}
_CALLS |= {"select": "Select", "store": "Store", "member": "Member", "union": "Union"}
_QUANTIFIERS = {"forall": "ForAll", "exists": "Exists"}
_HEADS = frozenset([*_INFIX, *_CALLS, *_QUANTIFIERS, "assert"])
_HEAD = re.compile(r"\s*\(\s*([^\s()]+)\s+[^\s)]")
_ITEM = r"(?:\w+|\(\s*\w+(?:\s+\w+)+\s*\))"
_PLAIN = re.compile(rf"\(\s*(?!and\b|or\b|not\b|in\b)[A-Za-z_]\w*+(?:\s+{_ITEM})+\s*\)")
"""A list of names, perhaps with lists of names in it: `(likes ann (parent bob))`."""


def prefix_notation(text: str) -> Fault | None:
    """The fault of a formula of SMT-LIB, with the same as it is written here; None for any other text."""
    rewritten = _rewritten(text) if len(text) <= MOST_CHARACTERS else None
    if rewritten is None:
        return None
    problem = "operators stand between their operands, or are called with commas"
    return replaced(0, len(text), rewritten, problem)


def _rewritten(text: str) -> str | None:
    """A formula of SMT-LIB, `(and p (= (f a) 3))`, as it is written here; None for any other text."""
    head = _HEAD.match(text)
    if head is None or (head[1] not in _HEADS and _PLAIN.fullmatch(text.strip()) is None):
        return None
    stack: list[list[str]] = [[]]
    at = 0
    while at < len(text.rstrip()):
        piece = _PIECE.match(text, at)
        if piece is None:
            return None
        at = piece.end()
        if piece[1] == "(":
            stack.append([])
        elif piece[1] != ")":
            stack[-1].append(piece[1])
        elif len(stack) == 1:
            return None
        else:
            items = stack.pop()
            made = _converted(items)
            if made is None:
                return None
            stack[-1].append(made)
    return stack[0][0] if len(stack) == 1 and len(stack[0]) == 1 else None


def _converted(items: list[str]) -> str | None:
    if not items:
        return None
    head, *args = items
    if head == "assert" and len(args) == 1:
        return args[0]
    if head in _QUANTIFIERS and len(args) == 2:
        return f"{_QUANTIFIERS[head]}([{args[0]}], {args[1]})"
    if head in _CALLS:
        return f"{_CALLS[head]}({', '.join(args)})"
    if head in _INFIX and len(args) == 1 and head == "-":
        return f"-{args[0]}"
    if head in _INFIX:
        return f"({f' {_INFIX[head]} '.join(args)})" if len(args) > 1 else None
    # `((x P) (y Q))`: what is in a list of its own has been read as a pair before.
    if ": " in head:
        return ", ".join(items)
    if len(args) == 1 and re.fullmatch(r"\w+", head) and re.fullmatch(r"[A-Z]\w*", args[0]):
        return f"{head}: {args[0]}"
    return f"{head}({', '.join(args)})" if args else head

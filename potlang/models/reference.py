"""The language in few words, made from its grammar, schema, tables and pages ([LOOP-PROMPT])."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from potlang.diag.explain import page
from potlang.languages.pot.profiles import has_free_keys
from potlang.utils.resources import schema

FORMS: Final[dict[str, tuple[str, ...]]] = {
    "logic": (
        *("And(p, q)", "Or(p, q)", "Not(p)", "Implies(p, q)", "Iff(p, q)", "Xor(p, q)", "If(p, i, j)"),
        *("Distinct(a, b)", "ForAll([x: T], P(x))", "Exists([x: T, y: T], R(x, y))"),
        "ExistsUnique([x: T], P(x))",
    ),
    "numbers": (
        *("Abs(i)", "Div(i, j)", "Mod(i, j)", "ToReal(i)", "ToInt(r)", "Floor(r)", "Ceil", "Truncate"),
        *("Round(r)", "Round(r, 2)", "Sign(i)", "Pow(i, 2)", "Between(i, 0, j)"),
    ),
    "over all members of a finite sort, or over a list": (
        *("Count([x: E], P(x))", "Sum([x: E], f(x))", "Product([i, j])", "Min([i, j])", "Max([i, j])"),
        "Average([i, j])",
    ),
    "how many hold": (
        *("AtMost(1, [p, q])", "AtMost(2, [x: T], P(x))", "AtLeast", "Exactly", "ExactlyOne([p, q])"),
        *("AtMostOne", "AtLeastOne", "NoneOf", "PbLe([(p, 2), (q, 3)], 4)", "PbGe", "PbEq"),
    ),
    "arrays": ("Select(m, i)", "Store(m, i, j)"),
    "sets": (
        *("Member(a, s)", "Union(s, t)", "Intersect(s, t)", "Difference(s, t)", "Subset(s, t)", "Card(k)"),
        *("Size(k)", "IsEmpty(s)", "Set(a, a)", "SetOf([x: E], P(x))"),
    ),
    "strings": (
        *("Length(u)", "Concat(u, v)", "Contains(u, v)", "PrefixOf(u, v)", "SuffixOf(u, v)"),
        *("StartsWith(u, v)", "EndsWith(u, v)", "Substring(u, 0, 2)", "Matches(u, '[0-9]+')", "StrToInt(u)"),
    ),
    "a relation in one step or more": ("Reachable(Q, x, y)",),
    "dates and durations": (
        *("Year(d)", "Month(d)", "Day(d)", "Weekday(d)", "AddMonths(d, i)", "AddYears(d, i)"),
        *("DaysBetween(d, d)", "Days(i)", "Weeks(i)", "Hours(i)", "Minutes(i)", "DateOf(z)", "Hour(z)"),
        "Minute(z)",
    ),
    "dates and amounts of numerals": (
        *("Date(2025, 1, 20)", "date", "DateTime", "Money(5, USD)", "Quantity(5, kg)"),
    ),
    "bit vectors": (
        *("BitVecVal(5, 8)", "BVNot(b)", "BVAnd(b, c)", "BVOr", "BVXor", "Shl", "LShR", "AShR", "UDiv"),
        *("URem", "SDiv", "SRem", "ULT", "ULE", "UGT", "UGE", "SLT", "SLE", "SGT", "SGE"),
        *("Extract(3, 0, b)", "ZeroExt(2, b)", "SignExt", "RotateLeft(b, 1)", "RotateRight"),
        *("BV2Int(b)", "SBV2Int", "Int2BV(i, 8)"),
    ),
}
"""The forms of built-in functions, by subject; a name alone takes the form before it."""
SORT_FORMS: Final = {
    "BitVec": "BitVec(8)",
    "Array": "Array(Int, T)",
    "Set": "Set(T)",
    "Function": "Function(T, Int)",
}
AMOUNT_SORTS: Final = ("Duration(seconds)", "Money(USD)", "Quantity(kg)")
LITERALS: Final = (
    *("2025-01-20", "2025-01-20T14:30", "30 days", "3 hours", "$900", "900 EUR", "5 kg", "10 %"),
)
"""Literals of dates and amounts; months are no duration."""
MISTAKES: Final = (
    *("POT2001", "POT3005", "POT3004", "POT3001", "POT3003", "POT3006", "POT3002", "POT2010", "POT1020"),
    *("POT1023", "POT1011"),
)
"""The codes of every error in the exam programs that models wrote (`cases/dev/illtyped_llm`), the most
frequent first, and then those of syntax and form."""
_NOT_SECTIONS: Final = ("$schema", "description", "sources")
_STRING: Final = "…"


class CommonMistake(NamedTuple):
    """A common mistake: the title of its code's page, and the part in which its two examples differ."""

    code: str
    title: str
    wrong: str
    right: str


# --- sections ----------------------------------------------------------------------------------------


def sections() -> Iterator[tuple[str, str, str]]:
    """Each section: its key, the shape of its items, its purpose. A `?` marks an optional key."""
    whole = schema("pot-1")
    for name, node in whole["properties"].items():
        if name not in _NOT_SECTIONS:
            yield name, _shape(whole, node), node["description"]


def _shape(whole: dict[str, Any], node: dict[str, Any]) -> str:
    """A node of the schema as it is written: `…` for a string, `|` between forms."""
    node = _target(whole, node)
    if "anyOf" in node:
        forms = [_target(whole, each) for each in node["anyOf"] if each.get("type") != "null"]
        shapes = (_shape(whole, each) for each in forms if not has_free_keys(each))
        return "|".join(dict.fromkeys(shapes))
    if "enum" in node:
        return "|".join(str(value) for value in node["enum"] if value is not None)
    kinds = node["type"]
    if "array" in kinds:
        return f"[{_shape(whole, node['items'])}]"
    if "object" in kinds and has_free_keys(node):
        return "{…}"
    if "object" in kinds:
        needed = node.get("required", ())
        members = node["properties"].items()
        parts = [
            _member(key if key in needed else f"{key}?", _shape(whole, item))
            for key, item in members
            if key not in _NOT_SECTIONS and not _is_void(item)
        ]
        return "{" + ", ".join(parts) + "}"
    return "true" if kinds == "boolean" else _STRING


def _is_void(node: dict[str, Any]) -> bool:
    """Whether nothing but null or an empty list may stand here: another form of the object has the key."""
    return node.get("type") == "null" or node.get("maxItems") == 0


def _member(key: str, shape: str) -> str:
    return key if shape == _STRING else f"{key}: {shape}"


def _target(whole: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = whole["$defs"][node["$ref"].rpartition("/")[2]]
    return node


# --- sorts and built-in functions ---------------------------------------------------------------------


def sorts() -> list[str]:
    """The built-in sorts, as they are written."""
    from potlang.sema.sorts import BUILTIN, CONSTRUCTORS

    plain = dict.fromkeys(map(str, BUILTIN.values()))
    return [
        *plain,
        *AMOUNT_SORTS,
        *(SORT_FORMS.get(name, name) for name in dict.fromkeys(CONSTRUCTORS.values())),
    ]


def functions() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Forms of the built-in functions by subject; those that `FORMS` does not know come last."""
    from potlang.sema.builtins import BUILTINS

    known = {form.partition("(")[0] for forms in FORMS.values() for form in forms}
    yield from FORMS.items()
    yield "other names", tuple(name for name in BUILTINS if name not in known)


# --- operators ----------------------------------------------------------------------------------------


@cache
def operators() -> tuple[tuple[str, ...], ...]:
    """The operators of the grammar, those of one level together, from the loosest to the tightest."""
    from potlang.expressions.build_tables import lark_parser

    # From the grammar itself, so that the prompt cannot drift from what the parser reads.
    lark = lark_parser()
    spellings = {each.name: _spellings(each.pattern) for each in lark.terminals}
    levels: dict[str, dict[str, None]] = {"expression": {}}
    level = "expression"
    for rule in lark.rules:
        origin, parts = rule.origin.name, [each.name for each in rule.expansion]
        if origin == "atom":
            break
        if parts == ["chain"]:
            levels["chain"] = levels[origin]
        if origin not in levels:
            level = origin
            levels[level] = {}
        words = [spellings[each.name] for each in rule.expansion if each.is_term]
        for spelt in words[0] if len(words) == 1 else [" ".join(each[0] for each in words)] if words else ():
            levels[origin][spelt] = None
    different = {id(found): tuple(found) for found in levels.values() if found}
    return tuple(different.values())


def _spellings(pattern: Any) -> list[str]:
    """The texts of a terminal that is a word, a sign or a choice of some."""
    if pattern.type == "str":
        return [pattern.value]
    inner = re.fullmatch(r"\(\?:(.*)\)", pattern.value)
    return [re.sub(r"\\(.)", r"\1", each) for each in (inner[1] if inner else pattern.value).split("|")]


# --- mistakes -----------------------------------------------------------------------------------------


@cache
def mistakes() -> tuple[CommonMistake, ...]:
    """Common mistakes, from the pages of their codes."""
    return tuple(_mistake(code) for code in MISTAKES)


def _mistake(code: str) -> CommonMistake:
    text = page(code) or ""
    title = text.partition("\n")[0].partition(": ")[2]
    wrong, right = next(_differences(*(json.loads(each) for each in _examples(text))))
    return CommonMistake(code, title, wrong, right)


def _examples(text: str) -> list[str]:
    """The programs below the headings `Fails` and `Corrected`."""
    return re.findall(r"^## (?:Fails|Corrected)\n.*?^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def _differences(wrong: Any, right: Any) -> Iterator[tuple[str, str]]:
    """The smallest parts that differ: strings as they are, others as JSON."""
    if isinstance(wrong, dict) and isinstance(right, dict) and wrong.keys() == right.keys():
        for key in wrong:
            yield from _differences(wrong[key], right[key])
    elif isinstance(wrong, list) and isinstance(right, list) and len(wrong) == len(right):
        for first, second in zip(wrong, right, strict=True):
            yield from _differences(first, second)
    elif wrong != right:
        yield _text(wrong), _text(right)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

"""The language in few words, made from its grammar, schema, tables and pages ([LOOP-PROMPT])."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from potlang.diag.explain import page
from potlang.expressions.build_tables import lark_parser
from potlang.languages.pot.profiles import has_free_keys
from potlang.sema.builtins import BUILTINS
from potlang.sema.sorts import BUILTIN, CONSTRUCTORS
from potlang.utils.resources import schema

FORMS: Final[dict[str, tuple[str, ...]]] = {
    subject: tuple(forms.split())
    for subject, forms in {
        "logic": (
            "And(p,q) Or Implies Iff Xor Not(p) If(p,i,j) Distinct(i,j) ForAll([x:T],P(x)) "
            "Exists ExistsUnique"
        ),
        "numbers": (
            "Div(i,j) Mod Abs(i) Sign ToReal ToInt(r) Floor Ceil Truncate Round Round(r,2) "
            "Pow(i,2) Between(i,0,j)"
        ),
        "over a finite sort, or a list": "Count([x:E],PE(x)) Sum([x:E],f(x)) Product([i,j]) Min Max Average",
        "how many hold": (
            "AtMost(1,[p,q]) AtMost(2,[x:T],P(x)) AtLeast Exactly ExactlyOne([p,q]) AtMostOne "
            "AtLeastOne NoneOf PbLe([(p,2),(q,3)],4) PbGe PbEq"
        ),
        "sets": (
            "Member(a,s) Union(s,t) Intersect Difference Subset IsEmpty(s) Card(k) Size "
            "Set(a,a) SetOf([x:E],PE(x))"
        ),
        "strings": (
            "Length(u) StrToInt Concat(u,v) Contains PrefixOf SuffixOf StartsWith EndsWith "
            "Substring(u,0,2) Matches(u,'[0-9]+')"
        ),
        "dates": (
            "Year(d) Month Day Weekday AddMonths(d,i) AddYears DaysBetween(d,d) Days(i) Weeks "
            "Hours Minutes DateOf(z) Hour Minute DateTime(d) Date(2025,1,20) date"
        ),
        "amounts": "Money(5,USD) Quantity(5,kg)",
        "transitive closure": "Reachable(Q,x,y)",
        "arrays": "Select(m,i) Store(m,i,j)",
        "bit vectors": (
            "BitVecVal(5,8) BVNot(b) BV2Int SBV2Int BVAnd(b,c) BVOr BVXor Shl LShR AShR UDiv "
            "URem SDiv SRem ULT ULE UGT UGE SLT SLE SGT SGE Extract(3,0,b) ZeroExt(2,b) "
            "SignExt RotateLeft(b,1) RotateRight Int2BV(i,8)"
        ),
    }.items()
}
"""The forms of built-in functions, by subject; a name alone takes the arguments of the form before it."""
ALIASES: Final = {
    "Ite": "If",
    "AllDifferent": "Distinct",
    "Forall": "ForAll",
    "Unique": "ExistsUnique",
    "Power": "Pow",
    "TransitiveClosure": "Reachable",
    "Ceiling": "Ceil",
    "Trunc": "Truncate",
    "SubString": "Substring",
    "Intersection": "Intersect",
}
"""Other names of built-in functions, which say nothing that the first one does not."""
SORT_FORMS: Final = {
    "BitVec": "BitVec(8)",
    "Array": "Array(Int, T)",
    "Set": "Set(T)",
    "Function": "Function(T, Int)",
}
AMOUNT_SORTS: Final = ("Duration(seconds)", "Money(USD)", "Quantity(kg)")
LITERALS: Final = (
    *("3", "0.5", "'text'", "a in [a, b]", "2025-01-20", "2025-01-20T14:30", "30 days", "3 hours"),
    *("$900", "900 EUR", "5 kg", "10 %", "#b0101", "#xff"),
)
"""Literals; months are no duration, and a list is a set where one is expected."""
_NOT_SECTIONS: Final = ("$schema", "description", "sources", "actions", "lint", "document", "cites")
"""Parts of a program that say nothing of a question."""
_STATED: Final = ("rule", "verification", "option")
"""Forms that share the keys of a statement."""
_STRING: Final = "text"


class CommonMistake(NamedTuple):
    """A mistake: the title of its code's page, and the part in which its two examples differ."""

    code: str
    title: str
    wrong: str
    right: str


# --- sections ----------------------------------------------------------------------------------------


class ProgramSection(NamedTuple):
    """A section: its key, the shape of its items, its purpose."""

    name: str
    shape: str
    purpose: str


def sections() -> Iterator[ProgramSection]:
    """Each section of a program; a `?` marks an optional key, a key alone is that of a text."""
    whole = schema("pot-1")
    for name, node in whole["properties"].items():
        if name not in _NOT_SECTIONS:
            yield ProgramSection(name, _shape(whole, node), node["description"])


@cache
def shapes() -> Mapping[str, str]:
    """Shapes that `sections` names and does not spell out: of binders, and of rules, claims and options."""
    whole = schema("pot-1")
    binder = "|".join(_shape(whole, each) for each in whole["$defs"]["binder"]["anyOf"])
    keys = _shared(whole)
    members = [
        f"{_member(f'{key}?', _shape(whole, whole['$defs']['rule']['properties'][key]))}" for key in keys
    ]
    return {"binder": binder, "statement": "{" + ", ".join(members) + "}"}


def _shared(whole: Mapping[str, Any]) -> list[str]:
    """The keys that all kinds of statements have."""
    first, *others = (whole["$defs"][name]["properties"] for name in _STATED)
    return [key for key in first if key not in _NOT_SECTIONS and all(key in each for each in others)]


def _shape(whole: dict[str, Any], node: dict[str, Any]) -> str:
    """A node of the schema as it is written: `text` for a string, `|` between forms."""
    name: str = node.get("$ref", "").rpartition("/")[2]
    if name == "binder":
        return name
    node = _target(whole, node)
    if "anyOf" in node:
        forms = [
            each
            for each in node["anyOf"]
            if each.get("type") != "null" and not has_free_keys(_target(whole, each))
        ]
        return "|".join(dict.fromkeys(_shape(whole, each) for each in forms))
    if "enum" in node:
        return "|".join(str(value) for value in node["enum"] if value is not None)
    kinds = node["type"]
    if "array" in kinds:
        return f"[{_shape(whole, node['items'])}]"
    if "object" in kinds and has_free_keys(node):
        return "{name: text}"
    if "object" in kinds:
        return _object_shape(whole, node, name)
    return _STRING if "string" in kinds else "true" if "boolean" in kinds else "number"


def _object_shape(whole: dict[str, Any], node: dict[str, Any], name: str) -> str:
    needed = node.get("required", ())
    shared = _shared(whole) if name in _STATED else ()
    parts = [
        _member(key if key in needed else f"{key}?", _shape(whole, item))
        for key, item in node["properties"].items()
        if key not in (*_NOT_SECTIONS, *shared) and not _is_void(item)
    ]
    own = "{" + ", ".join(parts) + "}"
    return " & ".join(filter(None, ("statement" if shared else "", own if parts else "")))


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
    plain = dict.fromkeys(map(str, BUILTIN.values()))
    return [
        *plain,
        *AMOUNT_SORTS,
        *(SORT_FORMS.get(name, name) for name in dict.fromkeys(CONSTRUCTORS.values())),
    ]


def functions() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Forms of the built-in functions by subject; those that have no form and are no alias come last."""
    known = {form.partition("(")[0] for forms in FORMS.values() for form in forms} | ALIASES.keys()
    yield from FORMS.items()
    others = tuple(name for name in BUILTINS if name not in known)
    if others:
        yield "others", others


# --- operators ----------------------------------------------------------------------------------------


@cache
def operators() -> tuple[tuple[str, ...], ...]:
    """The operators of the grammar, those of one level together, from the loosest to the tightest."""
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
    """The texts of a terminal that is a word, a sign or a choice of some; signs beyond ASCII say no more."""
    if pattern.type == "str":
        return [pattern.value] if pattern.value.isascii() else []
    inner = re.fullmatch(r"\(\?:(.*)\)", pattern.value)
    found = [re.sub(r"\\(.)", r"\1", each) for each in (inner[1] if inner else pattern.value).split("|")]
    return [each for each in found if each.isascii()]


# --- mistakes -----------------------------------------------------------------------------------------


@cache
def mistake(code: str) -> CommonMistake | None:
    """The mistake of a code, from its page; None if the page has no two programs to compare."""
    text = page(code) or ""
    title = text.partition("\n")[0].partition(": ")[2]
    try:
        wrong, right = next(_differences(*(json.loads(each) for each in _examples(text))))
    except (ValueError, TypeError, StopIteration):
        return None
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
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # One page is about halves of surrogate pairs, which no request can have.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

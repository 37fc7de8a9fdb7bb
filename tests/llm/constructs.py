"""Every construct of the language that a question may need, found in what defines it, and programs with each.

Nothing is listed by hand but the programs: keys and values come from the schema, operators and literals from
the grammar, functions and sorts from the tables of the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from potlang.expressions.build_tables import lark_parser
from potlang.models.programs import reference
from potlang.sema.builtins import BUILTINS
from potlang.sema.sorts import BUILTIN, CONSTRUCTORS
from potlang.utils.resources import schema

NOT_ASKED = {"$schema", "description", "sources", "actions", "lint", "document", "cites"}
"""Who has tables or a document, or runs the linter, says so: a model that is asked a question has none."""
PUNCTUATION = {"COLON", "COMMA", "LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "NAME", "SPACE"}
LETTERS: dict[str, Any] = {
    "sorts": [
        {"name": "T", "type": "DeclareSort"},
        {"name": "E", "type": "EnumSort", "values": ["e1", "e2"]},
    ],
    "functions": [
        {"name": "P", "domain": ["T"], "range": "Bool"},
        {"name": "R", "domain": ["T", "T"], "range": "Bool"},
        {"name": "PE", "domain": ["E"], "range": "Bool"},
        {"name": "f", "domain": ["E"], "range": "Int"},
        {"name": "Q", "domain": ["E", "E"], "range": "Bool"},
    ],
    "constants": [
        {"name": sort, "sort": sort, "members": members}
        for sort, members in {
            "Bool": ["p", "q"],
            "Int": ["i", "j"],
            "Real": ["r"],
            "T": ["a"],
            "Set(T)": ["s", "t"],
            "Set(E)": ["k"],
            "E": ["x", "y"],
            "Array(Int, Int)": ["m"],
            "String": ["u", "v"],
            "BitVec(8)": ["b", "c"],
            "Date": ["d"],
            "DateTime": ["z"],
        }.items()
    ],
}
"""What the letters in the forms of built-in functions stand for."""
_BINDER = {"name": "x", "sort": "T"}
EVERYTHING: tuple[dict[str, Any], ...] = (
    {
        "sorts": [
            {"name": "T", "type": "DeclareSort"},
            {"name": "E", "type": "EnumSort", "values": ["e1", "e2"]},
            {"name": "Pair", "type": "TupleSort", "fields": [{"name": "first", "sort": "T"}]},
            {"name": "Cost", "type": "Money(USD)"},
        ],
        "functions": [
            {"name": "P", "domain": ["T"], "range": "Bool", "closed": True},
            {"name": "D", "domain": ["T"], "range": "Bool", "params": [_BINDER], "body": "x in [a, b]"},
            {"name": "M", "domain": ["T"], "range": "Bool"},
            {"name": "cost", "domain": ["T"], "range": "Cost"},
        ],
        "constants": [{"name": "things", "sort": "T", "members": ["a", "b"]}],
        "variables": [{"name": "y", "sort": "T"}],
        "knowledge_base": ["P(a)", {"assertion": "M(y)", "value": False, "variables": ["y"], "name": "none"}],
        "rules": [
            {"name": "one", "forall": [_BINDER], "constraint": "P(x) -> M(x)", "unless": ["D(x)"]},
            {"name": "two", "overrides": ["one"], "forall": [_BINDER], "constraint": "D(x) -> not M(x)"},
            {"name": "usual", "default": True, "forall": [_BINDER], "constraint": "cost(x) == $900"},
            {"role": "norm", "forall": [_BINDER], "implies": {"antecedent": "P(x)", "consequent": "D(x)"}},
            {"role": "axiom", "exists": [_BINDER], "constraint": "D(x)"},
        ],
        "verifications": [
            {"name": "who", "find": [_BINDER], "constraint": "P(x)"},
            {"ask": "must", "constraint": "P(a)"},
            {"ask": "cannot", "constraint": "P(a)"},
            {"ask": "need_not", "constraint": "P(a)"},
            {
                "ask": "could",
                "options": [{"name": "A", "constraint": "M(a)"}, {"name": "B", "constraint": "M(b)"}],
            },
        ],
        "imports": ["std/order/partial_order", {"pack": "std/order/total_order", "with": {"T": "T"}}],
        "semantics": {"unique_names": True, "closed_domain": ["T"]},
    },
    {
        "optimization": {
            "variables": [{"name": "n", "sort": "Int"}],
            "constraints": ["n >= 0"],
            "objectives": [
                {"name": "least", "type": "minimize", "expression": "n"},
                {"type": "maximize", "expression": "0 - n"},
            ],
            "soft": [{"constraint": "n == 1", "weight": 2, "group": "wishes"}],
            "mode": "lexicographic",
        }
    },
    *(
        {
            "optimization": {
                "constraints": ["n >= 0"],
                "objectives": [{"type": "minimize", "expression": "n"}],
                "mode": each,
            }
        }
        for each in ("pareto", "box")
    ),
)
"""Programs that have every key and every value of the schema."""


def keys_and_values() -> set[str]:
    """The keys of a program and the words that may be values, from the schema."""
    whole = schema("pot-1")
    found: set[str] = set()
    skipped = {"tableSource", "memberColumn", "functionColumns"}
    nodes = [whole, *(node for name, node in whole["$defs"].items() if name not in skipped)]
    while nodes:
        node = nodes.pop()
        for key, each in node.get("properties", {}).items():
            if key not in NOT_ASKED:
                found.add(key)
                nodes.append(each)
        nodes += [each for each in (*node.get("anyOf", ()), node.get("items")) if isinstance(each, dict)]
        found |= {value for value in node.get("enum", ()) if isinstance(value, str)}
    return found


def written(value: Any) -> Iterator[str]:
    """The keys and texts of a program."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from written(each)
    elif isinstance(value, list):
        for each in value:
            yield from written(each)
    elif isinstance(value, str):
        yield value


def spellings(pattern: Any) -> list[str]:
    """The texts of a terminal that is an operator; signs beyond ASCII say the same as others."""
    text = pattern.value.replace("\\", "").removeprefix("(?:").removesuffix(")")
    found = [text] if pattern.type == "str" else text.split("|")
    return [each for each in found if each.isascii()]


def operators() -> list[str]:
    """The operators, from the terminals of the grammar."""
    terminals = {each.name: each.pattern for each in lark_parser().terminals}
    return [
        spelt
        for name, pattern in terminals.items()
        if name not in PUNCTUATION and name not in literals()
        for spelt in spellings(pattern)
    ]


def literals() -> dict[str, re.Pattern[str]]:
    """The kinds of literals and of quoted names: terminals of the grammar with a pattern of their own."""
    return {
        each.name: re.compile(each.pattern.value)
        for each in lark_parser().terminals
        if each.pattern.type == "re"
        and re.search(r"[\[(].*[+*\]]", each.pattern.value)
        and each.name not in PUNCTUATION
        and each.name not in ("COMPARE", "DIVIDE")
    }


def functions() -> set[str]:
    """The built-in functions, those aside that are other names of them."""
    return set(BUILTINS) - set(reference.ALIASES)


def sorts() -> set[str]:
    """The built-in sorts and what makes sorts of sorts."""
    return {*map(str, BUILTIN.values()), *CONSTRUCTORS.values()}


def forms(subjects: dict[str, tuple[str, ...]] | None = None) -> Iterator[str]:
    """Each form of a built-in function; a name alone with the arguments of the form before it."""
    for each in (subjects or dict(reference.functions())).values():
        arguments = ""
        for form in each:
            name, opening, rest = form.partition("(")
            arguments = f"({rest}" if opening else arguments
            yield name + arguments

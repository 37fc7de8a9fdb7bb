"""The format of traces in few words, made from its grammar and tables ([LOOP-DOT-PROMPT])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from potlang.languages.dot.read.grammar import GRAMMARS, productions
from potlang.languages.dot.read.lexer import RECORDS
from potlang.languages.dot.read.propositions import FORMULAS, TERMS, Operands
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.read.rules import RULES
from potlang.languages.dot.read.shapes import SHAPES, form
from potlang.languages.dot.read.validator import ADMISSIBLE, PAPER_TRIPLES
from potlang.sema.sorts import BUILTIN

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "node": "a node; it opens a block",
        "edge": "the node `dst` depends on the node `src`",
        "status": "the judgement about a proposition, and the node it rests on",
        "entails": "an arrow from one proposition to another, the critic that examined it, a priority",
        "eq": "two propositions are one object",
        "coeq": "the arrows from one proposition to another are one",
        "prop": "what the node says",
    }
)
"""The meaning of each record, as [DOT-LEX-4] says."""
NOT_FOR_MODELS: Final = frozenset(
    {
        "POT5003",
        "POT5004",
        "POT5005",
        "POT5006",
        "POT5012",
        "POT5013",
        "POT5014",
        "POT5050",
        "POT5051",
        "POT5052",
        "POT5066",
    }
)
"""Rules that a model which writes one plain trace has no need of: on fences, bytes, profiles, other forms."""
_FREE: Final = {"TEXT": "text", "FENCE": "fence"}
_SHOWN: Final = {
    "term": "t",
    "proposition": "p",
    "binders": '{"x": "Int"}',
    "expression": '"an expression of the PoT language"',
}


def records(profile: Profile = "paper") -> list[tuple[str, str]]:
    """How each record is written, and its meaning."""
    # Under `strict` there is neither `@coeq` nor a priority; models have no use for either.
    return [(form(kind), MEANINGS[kind]) for kind in SHAPES if kind != "coeq" or profile == "paper"]


@cache
def block_order() -> str:
    """The order within a block that every profile reads: `*` for any number, `[]` for at most one."""
    rules = {name: _alternatives(text) for name, text in productions(GRAMMARS["strict"])}
    [block] = rules["block"]
    return "  ".join(_symbol(each, rules) for each in block)


def _alternatives(production: str) -> list[list[str]]:
    return [each.split() for each in production.partition(":")[2].split("|")]


def _symbol(symbol: str, rules: Mapping[str, list[list[str]]]) -> str:
    if symbol not in rules:
        return f"@{RECORDS[symbol]}" if symbol in RECORDS else _FREE[symbol]
    ways = [[each for each in way if each != symbol] for way in rules[symbol]]
    inner = " | ".join(" ".join(_symbol(each, rules) for each in way) for way in ways if way)
    if any(symbol in way for way in rules[symbol]):
        return f"({inner})*" if "|" in inner else f"{inner}*"
    return f"[{inner}]" if [] in ways else inner


def triples(profile: Profile = "paper") -> list[tuple[str, str, str]]:
    """The edges that there may be: kind, role of the source, role of the target."""
    found = [(kind, *roles) for kind, pairs in ADMISSIBLE.items() for roles in sorted(pairs)]
    return found + (sorted(PAPER_TRIPLES) if profile == "paper" else [])


def operators() -> Iterator[tuple[str, list[str]]]:
    """The operators of propositions and of terms, each with a form; those of equal operands share one."""
    for subject, table in (("propositions", FORMULAS), ("terms", TERMS)):
        groups: dict[Operands, list[str]] = {}
        for name, operands in table.items():
            groups.setdefault(operands, []).append(name)
        yield subject, [_form(names, operands) for operands, names in groups.items()]


def _form(names: list[str], operands: Operands) -> str:
    first, *others = names
    shown = ", ".join(_SHOWN[kind] for kind in operands.kinds)
    inner = shown if operands.bare else f"[{shown}{', …' if operands.more else ''}]"
    more = f" (so `{'`, `'.join(others)}`)" if others else ""
    return f'`{{"{first}": {inner}}}`{more}'


def rules(*, budget: bool = False) -> list[str]:
    """The rules of well-formed traces, one sentence each. `budget`: records are counted."""
    left_out = NOT_FOR_MODELS if budget else NOT_FOR_MODELS | {"POT5011"}
    return [rule.text for code, rule in RULES.items() if code not in left_out]


def sorts() -> list[str]:
    """The sorts that a problem can declare names of, without those that take parameters."""
    return list(dict.fromkeys(map(str, BUILTIN.values())))

"""Makes `tokens.json` and `tables.json` from `grammar.lark`.

Run `python -m potlang.expressions.build_tables` after a change of the grammar. Lark computes the
LALR tables once, here; parsing then needs no Lark. A test compares the files with the grammar and
the parser with Lark's own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
STARTS = ["expression", "sort"]


def grammar_text() -> str:
    """The grammar as it is written."""
    return (FOLDER / "grammar.lark").read_text(encoding="utf-8")


def lark_parser(**options: Any) -> Any:
    """A Lark parser of the grammar that keeps every token and the place of every tree."""
    from lark import Lark

    settings: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "start": STARTS, "strict": False}
    settings |= {"keep_all_tokens": True, "maybe_placeholders": False, "propagate_positions": True}
    return Lark(grammar_text(), **(settings | options))


def build() -> dict[str, Any]:
    """The tables as one JSON value.

    `terminals`: `[name, regular expression]` in the order in which they are tried; `keywords`: words
    that are no names; `ignore`: skipped terminals; `rules`: `[non-terminal, length, action]`, with
    action null for a rule that passes its one child on; `actions`: for each state, terminal -> `n`
    (shift, go to state n) or `-1 - n` (reduce by rule n); `gotos`: for each state, non-terminal ->
    state; `starts`, `ends`: the state to begin in and the accepting state of each start symbol.
    """
    lark = lark_parser()
    table = lark.parser.parser._parse_table
    terminals, keywords = _terminals(lark)
    numbers = {rule: number for number, rule in enumerate(lark.rules)}
    names = _state_numbers(table)
    actions: list[dict[str, int]] = [{} for _ in names]
    gotos: list[dict[str, int]] = [{} for _ in names]
    nonterminals = {rule.origin.name for rule in lark.rules}
    for old, new in names.items():
        for symbol, (move, argument) in sorted(table.states[old].items()):
            if move.name != "Shift":
                actions[new][symbol] = -1 - numbers[argument]
            elif symbol in nonterminals or symbol.startswith("$root"):
                gotos[new][symbol] = names[argument]
            else:
                actions[new][symbol] = names[argument]
    return {
        "terminals": terminals,
        "keywords": keywords,
        "ignore": sorted(lark.ignore_tokens),
        "rules": [_rule_row(rule) for rule in lark.rules],
        "actions": actions,
        "gotos": gotos,
        "starts": {start: names[table.start_states[start]] for start in STARTS},
        "ends": {start: names[table.end_states[start]] for start in STARTS},
    }


def _state_numbers(table: Any) -> dict[int, int]:
    """Lark's state -> ours, numbered breadth first from the start states, so that they never vary."""
    names: dict[int, int] = {}
    queue = [table.start_states[start] for start in STARTS]
    for state in queue:
        if state in names:
            continue
        names[state] = len(names)
        row = sorted(table.states[state].items())
        queue.extend(argument for _symbol, (move, argument) in row if move.name == "Shift")
    return names


def _rule_row(rule: Any) -> list[Any]:
    if rule.alias is None and len(rule.expansion) != 1:
        raise ValueError(f"{rule} needs the name of an action")
    return [str(rule.origin.name), len(rule.expansion), rule.alias]


def _terminals(lark: Any) -> tuple[list[list[str]], dict[str, str]]:
    """The terminals in the order of Lark's lexer, words that look like names apart."""
    name = re.compile(next(t.pattern.to_regexp() for t in lark.terminals if t.name == "NAME"))
    terminals: list[list[str]] = []
    keywords: dict[str, str] = {}
    for terminal in lark.parser.lexer.terminals:
        if type(terminal.pattern).__name__ == "PatternStr" and name.fullmatch(terminal.pattern.value):
            keywords[terminal.pattern.value] = terminal.name
        else:
            terminals.append([terminal.name, terminal.pattern.to_regexp()])
    return terminals, dict(sorted(keywords.items()))


def render(tables: dict[str, Any]) -> str:
    """The tables as JSON, one row of a list on a line."""
    parts = []
    for key, value in tables.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(row, ensure_ascii=True, separators=(",", ":")) for row in value)
            parts.append(f"{json.dumps(key)}: [\n{rows}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=True)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def files() -> dict[str, str]:
    """The two files by name: the tokens are needed by every program, the tables by few."""
    built = build()
    tokens = {key: built.pop(key) for key in ("terminals", "keywords", "ignore")}
    return {"tokens.json": render(tokens), "tables.json": render(built)}


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")

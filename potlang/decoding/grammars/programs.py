"""The grammar of PoT programs, made from the schema of a program in which formulas and sorts are strings.

That schema is the one that providers accept ([PROFILE-FORMS]): it has one form for each thing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from potlang.decoding.grammars.expressions import DIGITS, expression_rules, word
from potlang.decoding.grammars.names import AllowedNames
from potlang.decoding.grammars.notation import (
    ExportedGrammar,
    Part,
    Reference,
    Repeated,
    RuleBook,
    any_character,
    characters,
    either,
    in_order,
    listed,
    optional,
)
from potlang.languages.pot.profiles import Schema, program_schema
from potlang.languages.pot.program import Program

NOTES = (
    "A program, its keys in the order of the schema, with one space behind each comma and colon.",
    "Not held, and checked behind: that names are declared, once, and used as they are declared; that sorts",
    "fit; at most 1,000 levels of nesting.",
)
GIVEN = ("sorts", "functions", "constants", "variables", "imports")
"""The sections that a program whose names are allowed gives."""
_FORMULAS = ("constraint", "constraints", "body", "knowledge_base", "unless", "expression")
_SORTS = ("sort", "domain", "range")
_KINDS = ("DeclareSort", "EnumSort", "TupleSort")
_DECLARED = ("sort", "variable", "function", "binder", "namedConstantGroup")
"""The definitions whose `name` is that of something; elsewhere it is a title."""
_NEVER_EMPTY = frozenset(("options", "objectives"))
_LONGEST_TITLE = 100
_Member = tuple[str, Part, bool]


def program_rules(names: AllowedNames | None = None, program: Program | None = None) -> ExportedGrammar:
    """The grammar of programs; with a program, of those that have its declarations, and its names alone."""
    book = RuleBook()
    book.add(expression_rules(names, in_json=True))
    book.lexeme("TITLE", in_order('"', Repeated(any_character('"\\'), 0, _LONGEST_TITLE), '"'))
    some = Repeated(any_character('"\\'), 1, _LONGEST_TITLE)
    book.lexeme("TITLE_OF_RULE", in_order('"', some, '"'))
    book.lexeme("WORD", word())
    digits = Repeated(characters("09"), 1, DIGITS)
    whole = either("0", in_order(characters("19"), Repeated(characters("09"), 0, DIGITS - 1)))
    book.lexeme("AMOUNT_OF_COST", in_order(whole, optional(in_order(".", digits))))
    schema = program_schema("anthropic")
    for name, definition in schema["$defs"].items():
        book.rule(f"a_{name}", _value(definition, name))
    # Which packs there are is no matter of grammar.
    given = {"imports": "[]"} if program is None else _given(program)
    members = [
        (key, in_order(given[key]) if key in given else _value(part, key), key in schema["required"])
        for key, part in schema["properties"].items()
    ]
    book.rule("program", _object(members))
    return book.grammar("program", NOTES)


def _given(program: Program) -> dict[str, str]:
    """The sections of a program that declare, as JSON texts."""
    value = json.loads(program.document.text or "{}")
    return {key: json.dumps(value.get(key, []), ensure_ascii=False) for key in GIVEN}


def _value(schema: Schema, key: str) -> Part:
    """The values of a schema that stand under a key, or in a definition of that name."""
    if "$ref" in schema:
        return Reference(f"a_{schema['$ref'].rpartition('/')[2]}")
    if "anyOf" in schema:
        return either(*(_value(each, key) for each in schema["anyOf"]))
    if "enum" in schema:
        return either(*(json.dumps(each) for each in schema["enum"]))
    match schema["type"]:
        case "object":
            return _definition(schema, key)
        case "array":
            return _list(schema, key)
        case "boolean":
            return either("true", "false")
        case "number":
            return Reference("AMOUNT_OF_COST")
    return _string(key)


def _list(schema: Schema, key: str, least: int = 0) -> Part:
    return in_order("[", listed(_value(schema["items"], key), ", ", least), "]")


def _definition(schema: Schema, name: str) -> Part:
    """An object, in all forms that go together."""
    parts = schema["properties"]
    if name == "sort":
        filled = {kind: {"values": kind == "EnumSort", "fields": kind == "TupleSort"} for kind in _KINDS}
        return either(*(_form(schema, name, lists, kind) for kind, lists in filled.items()))
    if {"forall", "exists"} <= parts.keys():
        # Told apart by the first byte in the first list: a lexer takes the longest piece that it finds.
        one = _form(schema, name, {"forall": True, "exists": False})
        return either(one, _form(schema, name, {"forall": False}))
    return _form(schema, name, dict.fromkeys(_NEVER_EMPTY & parts.keys(), True))


def _form(schema: Schema, name: str, filled: Mapping[str, bool], kind: str = "") -> Part:
    """One form of an object: the lists that have something in them, and those that are empty."""
    members: list[_Member] = []
    for key, part in schema["properties"].items():
        value = _value(part, key)
        if key in filled:
            value = _list(part, key, 1) if filled[key] else in_order("[]")
        elif key == "type" and kind:
            value = in_order(f'"{kind}"')
        elif key == "name" and name not in _DECLARED:
            value = Reference("TITLE")
        members.append((key, value, key in schema["required"]))
    return _object(members)


def _string(key: str) -> Part:
    if key in _FORMULAS:
        return in_order('"', Reference("expression"), '"')
    if key in _SORTS:
        return in_order('"', Reference("sort"), '"')
    if key == "group":
        return Reference("TITLE")
    if key == "overrides":
        return Reference("TITLE_OF_RULE")
    return in_order('"', Reference("WORD"), '"')


def _object(members: Iterable[_Member]) -> Part:
    """An object with these members in this order, the first of which it always has."""
    (first, value, is_needed), *others = members
    assert is_needed
    parts: list[Part | str] = [f'{{"{first}": ', value]
    for key, part, is_needed in others:
        more = in_order(f', "{key}": ', part)
        parts.append(more if is_needed else optional(more))
    return in_order(*parts, "}")

"""The grammar of the JSON of a `@prop`, made from the shapes that the reader of streams has.

One space stands behind each comma and colon; keys have their order; names are words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_letters

from potlang.decoding.grammars.expressions import (
    DIGITS,
    EXPONENT_DIGITS,
    LONGEST_WORD,
    expression_rules,
    word,
)
from potlang.decoding.grammars.names import AllowedNames
from potlang.decoding.grammars.notation import (
    Exactly,
    ExportedGrammar,
    Guarded,
    Part,
    Reference,
    Repeated,
    RuleBook,
    WordBut,
    characters,
    either,
    in_order,
    listed,
    optional,
)
from potlang.languages.dot.stream.json_shapes import (
    OF_A_PROBLEM,
    PROPOSITION,
    SHAPES_OF,
    ListShape,
    ObjectShape,
    ValueShape,
)

NOTES = (
    "The JSON of a @prop, with one space behind each comma and colon. Not held, and checked behind:",
    "at most 1,000 levels of nesting, and what names and sorts mean.",
)
_MORE = {"True": "more"}
REPEATED = "Neither is that no name is declared twice."


def proposition_rules(names: AllowedNames | None = None, *, parametric: bool = True) -> ExportedGrammar:
    """The grammar of what the `@prop` of a problem says, which is that of all others and declarations.

    `parametric`: names that are declared together begin with different letters, so that none is repeated.
    With names that are allowed none is declared.
    """
    book = RuleBook()
    enter_propositions(book, names, parametric=parametric)
    notes = NOTES if parametric or names is not None else (*NOTES, REPEATED)
    return book.grammar(_rule(OF_A_PROBLEM), notes)


def enter_propositions(book: RuleBook, names: AllowedNames | None, *, parametric: bool) -> tuple[str, str]:
    """Enters the rules; the names of those of a problem's `@prop` and of any other come out."""
    book.add(expression_rules(names, in_json=True))
    _enter_lexemes(book, names)
    for kind, shape in SHAPES_OF.items():
        book.rule(_rule(kind), _value(kind, shape, names, parametric))
    if names is None and parametric:
        _enter_declared(book)
    return _rule(OF_A_PROBLEM), _rule(PROPOSITION)


def _rule(kind: str) -> str:
    """The name of the rule of a kind of values."""
    words = re.findall(r"\w+", kind)
    return "_".join(("json", *(_MORE.get(each, each) for each in words if each != "False")))


def _enter_lexemes(book: RuleBook, names: AllowedNames | None) -> None:
    digits = Repeated(characters("09"), 1, DIGITS)
    whole = either("0", in_order(characters("19"), Repeated(characters("09"), 0, DIGITS - 1)))
    exponent = in_order(
        characters("e", "E"),
        optional(characters("+", "-")),
        Repeated(characters("09"), 1, EXPONENT_DIGITS),
    )
    number = in_order(optional("-"), whole, optional(in_order(".", digits)), optional(exponent))
    book.lexeme("JSON_NUMBER", number)
    if names is None:
        book.lexeme("JSON_WORD", word())
        return
    kinds = {
        "JSON_SYMBOL": (*names.declared, *names.variables),
        "JSON_FUNCTION": names.functions or names.declared,
        "JSON_VARIABLE": names.variables,
    }
    for name, allowed in kinds.items():
        texts = [each for each in dict.fromkeys(allowed) if each.isprintable() and not set(each) & set('"\\')]
        book.lexeme(name, either(*texts))


def _name(names: AllowedNames | None, kind: str) -> Part:
    return Reference("JSON_WORD" if names is None else f"JSON_{kind}")


# --- values --------------------------------------------------------------------------------------


def _value(kind: str, shape: ValueShape, names: AllowedNames | None, parametric: bool) -> Part:
    options: list[Part] = [Reference("JSON_NUMBER")] if shape.number else []
    if shape.string is not None:
        options.append(in_order('"', _string(kind, names), '"'))
    if shape.list is not None:
        options.append(in_order("[", _items(shape.list), "]"))
    if shape.object is not None:
        options += _objects(shape.object, names, parametric)
    return either(*options)


def _string(kind: str, names: AllowedNames | None) -> Part:
    if kind in ("sort", "signature"):
        return Reference("sort")
    if kind == "expression":
        return Reference("expression")
    return _name(names, "FUNCTION" if kind == "name" else "SYMBOL")


def _items(shape: ListShape) -> Part:
    kinds = [Reference(_rule(kind)) for kind in shape.kinds]
    if not shape.more:
        return _joined(kinds)
    *first, last = kinds
    least = shape.least - len(first)
    return in_order(*(part for kind in first for part in (kind, ", ")), listed(last, ", ", least))


def _joined(kinds: list[Reference]) -> Part:
    first, *others = kinds
    return in_order(first, *(part for kind in others for part in (", ", kind)))


def _objects(shape: ObjectShape, names: AllowedNames | None, parametric: bool) -> list[Part]:
    if shape.keys is None:
        return [_with_names(shape, names, parametric)]
    if shape.required:
        return [_with_members(shape.keys)]
    other = {} if shape.other is None else dict(shape.other.keys or {})
    found = [_with_members({key: kind}) for key, kind in shape.keys.items() if key not in other]
    if names is not None:
        # What there is is declared already.
        other.pop("declare", None)
    found += [_with_members({key: kind}) for key, kind in other.items()]
    return [*found, _with_members(other)] if len(other) > 1 else found


def _with_members(members: Mapping[str, str]) -> Part:
    parts: list[Part | str] = []
    for key, kind in members.items():
        parts += [", " if parts else "{", f'"{key}": ', Reference(_rule(kind))]
    return in_order(*parts, "}")


def _with_names(shape: ObjectShape, names: AllowedNames | None, parametric: bool) -> Part:
    """An object whose keys are names: one of them for binders, any number of declarations."""
    value = Reference(_rule(shape.value))
    if shape.least:
        return in_order('{"', _name(names, "VARIABLE"), '": ', value, "}")
    if names is not None:
        return Exactly("{}")
    if parametric:
        return either("{}", Reference("json_declared", "0"))
    return in_order("{", listed(in_order('"', Reference("JSON_WORD"), '": ', value), ", "), "}")


def _enter_declared(book: RuleBook) -> None:
    """Declarations whose names begin with different letters: a bit for each that was used."""
    letters = ascii_letters + "_"
    some = word()
    options: list[Part] = []
    for bit, letter in enumerate(letters):
        excluded = tuple(each for each in some.words if each[0] == letter)
        name = WordBut(characters(letter), some.rest, LONGEST_WORD, excluded)
        lexeme = book.lexeme(f"JSON_WORD_{'LARGE_' if letter.isupper() else ''}{letter}".upper(), name)
        value = Reference(_rule("signature"))
        more = in_order('"', lexeme, '": ', value, Reference("json_further", f"set_bit({bit})"))
        options.append(Guarded(more, f"bit_clear({bit})"))
    book.rule("json_member", either(*options))
    book.rule("json_declared", in_order("{", Reference("json_member", "_")))
    book.rule("json_further", either("}", in_order(", ", Reference("json_member", "_"))))

"""The grammar of expressions for decoders, made from `expressions/grammar.lark`.

Its phrases are those of that file, with the canonical spacing ([FMT-FORMULA]) between their tokens: then no
token can be read as another, which readers without a lexer need. Tokens are those that decoders can hold.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from potlang.decoding.grammars.names import AllowedNames
from potlang.decoding.grammars.notation import (
    Character,
    ExportedGrammar,
    Part,
    Reference,
    Repeated,
    RuleBook,
    WordBut,
    any_character,
    avoiding,
    characters,
    either,
    in_order,
    optional,
)
from potlang.expressions.build_tables import lark_parser
from potlang.expressions.names import written
from potlang.expressions.spacing import SIGNS, touch
from potlang.expressions.tables import tokens

DIGITS, EXPONENT_DIGITS, SORT_DIGITS = 15, 3, 9
"""The most digits of a numeral on each side of its point, of an exponent, and of a number in a sort."""
LONGEST_WORD, LONGEST_TEXT = 64, 200
"""The most characters of a name, and of a text in quotation marks."""
KEPT_BACK = ("of",)
"""Names that are none here: `5 % of x` may be read as a percentage."""
NOTES = (
    "Expressions in the canonical spacing. Not held, and checked behind: at most 1,000 levels of nesting,",
    "and what names and sorts mean.",
)
_LEFT_OUT = frozenset(("binding_object", "tuple", "singleton"))
"""Phrases that say what others say as well.

The first does it under conditions that no grammar holds, the others begin like a group: a decoder that tries
all ways at once would have twice as many at each bracket.
"""
_PERCENT = "PERCENT"
_WHOLE_SIDES = ("comparison", "collection")
"""Rules where a percentage may stand: in a sum, `%` would be the remainder of a division."""
_COMPARED = "compared"
"""The rest of a chain of comparisons, behind its first operand: that one is no list here."""


class _GrammarProduction(NamedTuple):
    """A production of the grammar file: its left side and its symbols, tokens in upper case."""

    rule: str
    symbols: tuple[str, ...]


def expression_rules(names: AllowedNames | None = None, *, in_json: bool = False) -> ExportedGrammar:
    """The grammar of expressions, with the names that are allowed.

    `in_json`: as they stand in a string of JSON, without any character that JSON escapes.
    """
    book = RuleBook()
    _enter_tokens(book, names, '"\\' if in_json else "")
    phrases = _phrases()
    edges = _edges(phrases)
    by_rule: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for phrase in phrases:
        by_rule[phrase.rule].append(phrase.symbols)
    # Which names there are is entered above.
    del by_rule["symbol"]
    for rule, options in by_rule.items():
        book.rule(rule, _without_left_recursion(rule, options, edges))
    return book.grammar("expression", NOTES)


# --- phrases -------------------------------------------------------------------------------------


@cache
def _phrases() -> tuple[_GrammarProduction, ...]:
    """The productions of the grammar file that are exported, and those of percentages."""
    rules: Any = lark_parser().rules
    found = [
        _GrammarProduction(str(rule.origin.name), tuple(str(each.name) for each in rule.expansion))
        for rule in rules
        if rule.alias not in _LEFT_OUT
    ]
    found = [_with_kinds_of_names(phrase) for phrase in found]
    kept = [
        _GrammarProduction(phrase.rule, ("sum", _COMPARED)) if phrase.symbols == ("chain",) else phrase
        for phrase in found
        if phrase.rule != "chain"
    ]
    kept += [
        _GrammarProduction(_COMPARED, (_COMPARED, *phrase.symbols[1:]))
        for phrase in found
        if phrase.symbols[0] == phrase.rule == "chain"
    ]
    kept += [
        _GrammarProduction(phrase.rule, (_PERCENT, *phrase.symbols[1:]))
        for phrase in kept
        if phrase.rule in _WHOLE_SIDES and phrase.symbols[0] == "sum"
    ]
    return tuple(kept)


def _with_kinds_of_names(phrase: _GrammarProduction) -> _GrammarProduction:
    """The phrase that tells apart names of sorts, bound variables, and numbers in sorts."""
    special = {"sort": {"symbol": "sort_symbol"}, "binding": {"symbol": "variable"}}
    special["sort_argument"] = {"NUMBER": "SORT_NUMBER"}
    other = special.get(phrase.rule, {})
    return _GrammarProduction(phrase.rule, tuple(other.get(each, each) for each in phrase.symbols))


_EDGES_OF_NAMES = {each: frozenset(("NAME", "QUOTED")) for each in ("sort_symbol", "variable")}


def _edges(
    phrases: Iterable[_GrammarProduction],
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """The tokens with which each rule may begin, and those with which it may end."""
    firsts: dict[str, frozenset[str]] = {**_EDGES_OF_NAMES, _COMPARED: frozenset(("COMPARE",))}
    lasts: dict[str, frozenset[str]] = dict(_EDGES_OF_NAMES)
    while True:
        before = sum(map(len, (*firsts.values(), *lasts.values())))
        for rule, symbols in phrases:
            for known, symbol in ((firsts, symbols[0]), (lasts, symbols[-1])):
                known[rule] = known.get(rule, frozenset()) | _of(known, symbol)
        if sum(map(len, (*firsts.values(), *lasts.values()))) == before:
            return firsts, lasts


def _of(known: dict[str, frozenset[str]], symbol: str) -> frozenset[str]:
    return frozenset((symbol,)) if symbol.isupper() else known.get(symbol, frozenset())


def _without_left_recursion(
    rule: str,
    options: Sequence[tuple[str, ...]],
    edges: tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]],
) -> Part:
    """The options of a rule; what goes on with the rule itself is repeated behind the others."""
    tails = [_spaced(symbols, edges, behind_first=True) for symbols in options if symbols[0] == rule]
    bases: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for symbols in options:
        if symbols[0] != rule:
            bases[symbols[0]].append(symbols)
    if not bases:
        return Repeated(either(*tails), 1)
    found = either(*(_beginning_alike(some, edges) for some in bases.values()))
    return in_order(found, Repeated(either(*tails))) if tails else found


def _beginning_alike(
    options: Sequence[tuple[str, ...]],
    edges: tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]],
) -> Part:
    """Options with one first symbol, which stands in front of what tells them apart."""
    if len(options) == 1:
        return _spaced(options[0], edges)
    rests = [_spaced(symbols, edges, behind_first=True) for symbols in options if len(symbols) > 1]
    rest = either(*rests)
    return in_order(_part(options[0][0]), rest if len(rests) == len(options) else optional(rest))


def _spaced(
    symbols: tuple[str, ...],
    edges: tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]],
    behind_first: bool = False,
) -> Part:
    """The symbols of a production with the canonical spacing between them."""
    firsts, lasts = edges
    made: list[Part | str] = [] if behind_first else [_part(symbols[0])]
    for index in range(1, len(symbols)):
        before, symbol = symbols[index - 1], symbols[index]
        is_sign = index == 1 and before in SIGNS
        gaps = {is_sign or touch(one, other) for one in _of(lasts, before) for other in _of(firsts, symbol)}
        assert len(gaps) == 1, f"the spacing between {before} and {symbol} depends on what they are"
        made += ["" if gaps == {True} or symbol == _COMPARED else " ", _part(symbol)]
    return in_order(*made)


def _part(symbol: str) -> Part:
    texts = _texts().get(symbol)
    return Reference(symbol) if texts is None else either(*texts)


@cache
def _texts() -> dict[str, tuple[str, ...]]:
    """The tokens that are words or signs, with the texts that each may be."""
    found: dict[str, tuple[str, ...]] = {kind: (word,) for word, kind in tokens().keywords.items()}
    for kind, pattern in tokens().patterns.items():
        options = [re.sub(r"\\(.)", r"\1", each) for each in pattern.removeprefix("(?:").split("|")]
        options = [each.removesuffix(")") if each != ")" else each for each in options]
        if all(re.fullmatch(pattern, each) and _is_plain(each) for each in options):
            found[kind] = tuple(options)
    return found


def _is_plain(text: str) -> bool:
    return bool(text) and not any(each.isalnum() or each.isspace() or each == "`" for each in text)


# --- tokens --------------------------------------------------------------------------------------


def _ascii(pattern: str, before: str) -> Character:
    """The ASCII characters that may stand behind some text of a token."""
    some = [chr(code) for code in range(128) if re.fullmatch(pattern, before + chr(code))]
    return characters(*some)


def word(*excluded: str) -> WordBut:
    """Names without backquotes: those of ASCII, but for keywords and some others."""
    pattern = tokens().patterns["NAME"]
    words = (*tokens().keywords, *excluded)
    return WordBut(_ascii(pattern, ""), _ascii(pattern, "a"), LONGEST_WORD, tuple(words))


def _enter_tokens(book: RuleBook, names: AllowedNames | None, unwanted: str) -> None:
    def enter(name: str, part: Part) -> None:
        kept = avoiding(part, unwanted)
        assert kept is not None
        book.lexeme(name, kept)

    _enter_names(book, names, unwanted)
    some = Repeated(any_character("`"), 1, LONGEST_TEXT)
    enter("QUOTED", in_order("`", some, "`"))
    digits = Repeated(characters("09"), 1, DIGITS)
    plain = either(in_order(digits, optional(in_order(".", digits))), in_order(".", digits))
    enter("PLAIN_NUMBER", plain)
    exponent = Repeated(characters("09"), 1, EXPONENT_DIGITS)
    enter("EXPONENT", in_order(characters("e", "E"), optional(characters("+", "-")), exponent))
    book.rule("NUMBER", in_order(Reference("PLAIN_NUMBER"), optional(Reference("EXPONENT"))))
    enter("SORT_NUMBER", Repeated(characters("09"), 1, SORT_DIGITS))
    binary, hexadecimal = characters("01"), characters("09", "af", "AF")
    enter(
        "BITS", either(in_order("#b", Repeated(binary, 1, 64)), in_order("#x", Repeated(hexadecimal, 1, 16)))
    )
    enter("DATE", _date())
    signs, units = _amounts()
    enter("CURRENCY", in_order(characters(*signs), digits, optional(in_order(".", digits))))
    enter("UNIT", either(*(f" {unit}" for unit in units)))
    book.rule("AMOUNT", either(Reference("CURRENCY"), in_order(Reference("PLAIN_NUMBER"), Reference("UNIT"))))
    book.rule(_PERCENT, in_order(Reference("PLAIN_NUMBER"), "%"))
    enter("STRING", either(*map(_text_in, "\"'")))


def _text_in(mark: str) -> Part:
    """A text in quotation marks, in which only these and backslashes are escaped."""
    escaped = either(f"\\{mark}", "\\\\")
    plain = any_character(f"{mark}\\")
    return in_order(mark, Repeated(either(plain, escaped), 0, LONGEST_TEXT), mark)


def _enter_names(book: RuleBook, names: AllowedNames | None, unwanted: str) -> None:
    if names is None:
        book.lexeme("NAME", word(*KEPT_BACK))
        symbol = either(Reference("NAME"), Reference("QUOTED"))
        for rule in ("symbol", "sort_symbol", "variable"):
            book.rule(rule, symbol)
        return
    # A name that stands for one of several things is one lexeme, which the parser tells apart.
    kinds = {"symbol": (*names.symbols, *names.variables), "sort_symbol": names.sorts}
    for rule, some in {**kinds, "variable": names.variables}.items():
        texts = [text for text in map(spelled, dict.fromkeys(some)) if not set(text) & set(unwanted)]
        book.rule(rule, book.lexeme(f"{rule.upper()}_NAME", either(*texts)))


def spelled(name: str) -> str:
    """A declared name as the grammar has it: in backquotes where that leaves no doubt."""
    text = written(name)
    is_sure = text.isascii() and text not in KEPT_BACK
    return text if is_sure or text.startswith("`") else f"`{text}`"


def _date() -> Part:
    """A day, with the time of the day or without."""
    two = Repeated(characters("09"), 2, 2)
    day = in_order(Repeated(characters("09"), 4, 4), "-", two, "-", two)
    return in_order(day, optional(in_order("T", two, ":", two, optional(in_order(":", two)))))


@cache
def _amounts() -> tuple[str, tuple[str, ...]]:
    """The signs of currencies, and the units, that the token of amounts has."""
    pattern = tokens().patterns["AMOUNT"]
    signs = [chr(code) for code in range(0x20, 0x3000) if re.fullmatch(pattern, f"{chr(code)}5")]
    words = set(re.findall(r"[A-Za-z]+", pattern))
    words |= {f"{each}s" for each in words}
    units = sorted(each for each in words if re.fullmatch(pattern, f"5 {each}"))
    return "".join(signs), tuple(units)

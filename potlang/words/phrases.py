"""The words for a program's own symbols: from the templates in their descriptions, else from their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from potlang.expressions.names import name_of, written
from potlang.words.chart import Grammar, list_rules, listed, longer, run_rules
from potlang.words.constructs import SpokenBinder, applied, negated
from potlang.words.rules import (
    BRACKETED,
    PatternHole,
    PhraseRule,
    PhraseSymbols,
    Value,
    in_order,
    pieces_of,
    symbols,
    tokens_of,
)
from potlang.words.table import Language
from potlang.words.templates import DescriptionTemplate

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+|[A-Z]|\d+")
_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z](?=[a-z])")
_TIGHT = 3
"""The level of the terms in a symbol's words."""


class FunctionWords(NamedTuple):
    """A function as it is said: how many arguments it takes, its template, and what it gives."""

    name: str
    arity: int
    is_formula: bool
    template: DescriptionTemplate | None = None
    is_date: bool = False


class ProgramVocabulary(NamedTuple):
    """The symbols of a program, with the templates of their descriptions.

    `names` are constants, values and variables; `sorts` those that binders may name, as they are written.
    """

    functions: tuple[FunctionWords, ...] = ()
    names: Mapping[str, DescriptionTemplate | None] = {}
    sorts: Mapping[str, DescriptionTemplate | None] = {}


class Lexicon:
    """Rules for the symbols of one program in one language; `plain`: by their names in backquotes alone.

    Two symbols that would be said in the same words, or one in those of a construct, are said by name.
    """

    def __init__(self, language: Language, vocabulary: ProgramVocabulary, *, plain: bool = False) -> None:
        self.language = language
        self._known = vocabulary.names
        self._phrases: dict[str, PhraseRule] = {}
        self._positive: dict[str, PhraseRule] = {}
        self._negative: dict[str, PhraseRule] = {}
        self._nouns: dict[str, PhraseRule] = {}
        if plain:
            return
        for function in vocabulary.functions:
            self._function(function)
        for name, template in vocabulary.names.items():
            self._phrases[name] = self._name(name, template)
        for sort, template in vocabulary.sorts.items():
            noun = template.words if template is not None else self._noun(sort)
            self._nouns[sort] = _fixed("noun", 0, noun, sort, exact=False)
        own = {_form(rule) for rule in language.rules.values()}
        self._positive = {
            name: rule for name, rule in _apart(self._positive).items() if _form(rule) not in own
        }
        taken = {_form(rule) for rule in self._positive.values()}
        self._negative = {
            name: rule for name, rule in _apart(self._negative).items() if _form(rule) not in taken | own
        }
        self._phrases, self._nouns = _apart(self._phrases), _apart(self._nouns)

    # --- how symbols are said --------------------------------------------------------------------

    def function(self, name: str) -> PhraseRule | None:
        """The words for a function; None if it is said by its name."""
        return self._positive.get(name)

    def negation(self, name: str) -> PhraseRule | None:
        """The words for a predicate that does not hold, where there are shorter ones."""
        return self._negative.get(name)

    def name(self, name: str) -> str:
        """The words for a constant, a value or a variable."""
        rule = self._phrases.get(name)
        if rule is not None:
            return str(rule.pieces[0])
        return quoted(name) if name in self._known else self.variable(name)

    def is_exact(self, name: str) -> bool:
        """Whether a name has no capital letter at the beginning of a sentence but its own."""
        rule = self._phrases.get(name)
        return rule is None or rule.exact

    def variable(self, name: str) -> str:
        """The words for a bound variable, given as expressions write it: one word, or the name in quotes."""
        plain = name_of(name)
        tokens = tokens_of(plain)
        is_word = len(tokens) == 1 and plain.isidentifier() and plain not in self.language.reserved
        known = self._phrases.get(plain)
        return plain if is_word and (known is None or known.pieces == (plain,)) else quoted(plain)

    def noun(self, sort: str) -> str:
        """The noun for the members of a sort."""
        rule = self._nouns.get(sort)
        return quoted(sort) if rule is None else str(rule.pieces[0])

    # --- how symbols are read --------------------------------------------------------------------

    @cached_property
    def grammar(self) -> Grammar:
        """All rules, of the language and of the program."""
        return Grammar(self._symbols())

    @cached_property
    def nouns(self) -> list[tuple[str, ...]]:
        """The tokens of all nouns."""
        return [
            tuple(token.text for token in tokens_of(str(rule.pieces[0]))) for rule in self._nouns.values()
        ]

    def _symbols(self) -> Iterable[PhraseSymbols]:
        rules = list(self.language.rules.values())
        for key, (words, level) in self.language.joins.items():
            kind = self.language.rules[key].category
            rules += run_rules(kind, f"{kind} {key}", level, words)
        rules += [*self._positive.values(), *self._negative.values()]
        rules += [*self._phrases.values(), *self._nouns.values()]
        opening, closing = self.language.opening, self.language.closing
        for kind, level in BRACKETED.items():
            rules.append(PhraseRule(kind, level, (opening, PatternHole(0, kind), closing), _only))
        for style in ("every", "some", "which"):
            rules += [
                PhraseRule(style, 0, pieces_of(form, str), _binder(form))
                for form in self.language.binder_forms(style)
            ]
        rules += self._calls()
        wanted = {piece.category for rule in rules for piece in rule.pieces if isinstance(piece, PatternHole)}
        for category in sorted(wanted):
            item, star, tight = category.partition("* ")
            if star:
                rules += list_rules(item, int(tight), self.language.comma, self.language.last)
        return map(symbols, rules)

    def _calls(self) -> list[PhraseRule]:
        """`f`(a, b): a function by its name."""
        args, quoted_name = PatternHole(1, "args"), PatternHole(0, "quoted")
        first, more = PatternHole(0, "t"), PatternHole(0, "args")
        return [
            PhraseRule("args", 0, (first,), listed),
            PhraseRule("args", 0, (more, ", ", first), longer),
            *(
                PhraseRule(kind, level, (quoted_name, "(", args, ")"), _call)
                for kind, level in (("t", BRACKETED["t"]), ("f", 5))
            ),
        ]

    # --- words from names ------------------------------------------------------------------------

    def _function(self, function: FunctionWords) -> None:
        rule = self._positive[function.name] = _rule(function, self._pattern(function))
        if not function.is_formula or rule.is_prefix or len(rule.pieces) < 2:
            return
        behind = rule.pieces[1]
        found = re.match(r" (\w+)(?=\s|$)", behind) if isinstance(behind, str) else None
        short = None if found is None else self.language.table["negations"].get(found[1])
        if found is not None and short is not None:
            pieces = (rule.pieces[0], f" {short}{str(behind)[found.end() :]}", *rule.pieces[2:])
            text = _negated(rule.pieces, function.name)
            self._negative[function.name] = rule._replace(pieces=pieces, text=text)

    def _pattern(self, function: FunctionWords) -> str:
        if function.template is not None:
            return function.template.pattern()
        return self._predicate(function) if function.is_formula else self._value(function)

    def _value(self, function: FunctionWords) -> str:
        words = words_of(function.name)
        forms = self.language.table["functions"]
        last = words[-1].lower()
        past = tuple(self.language.table["past endings"])
        # What is returned on a day, and what is bought.
        done = words[:-1] if last in self.language.table["on a day"] else words
        if function.is_date and function.arity == 1 and done and done[-1].endswith(past):
            return self._with(forms["value by date"], done)
        if function.arity == 1 and last in self.language.table["prepositions"]:
            is_past = last != "of" and words[-2:-1] and words[-2].endswith(past)
            return self._with(forms["value by participle" if is_past else "value of"], words)
        # What scores, plans and votes are is counted more often than done.
        is_plural = len(words) == 1 and last in self.language.table["plurals"]
        if function.arity == 1 and self._is_finite(words[0].lower()) and not is_plural:
            return self._with(forms["value by verb"], words)
        return self._with(forms["value"]["1" if function.arity == 1 else "more"], words)

    def _predicate(self, function: FunctionWords) -> str:
        table, forms = self.language.table, self.language.table["functions"]
        words = words_of(function.name)
        first, last = words[0].lower(), words[-1].lower()
        joined = last in table["prepositions"]
        is_verb = first in table["auxiliaries"] or self._is_finite(first)
        if not is_verb and first in table["verbs"]:
            words, is_verb = [self._finite(first), *words[1:]], True
        if function.arity == 1:
            if is_verb and not joined:
                return self._with(forms["verb"]["1"], words)
            if not joined:
                return self._with(self._property(words), words)
        elif function.arity == 2:
            if is_verb and (joined or len(words) == 1 or first in ("has", "have")):
                return self._with(forms["verb"]["2"], words)
            if is_verb and first in table["auxiliaries"] and not joined and first not in ("is", "are", "was"):
                return self._with(forms["verb"]["2"], words)
            if joined:
                return self._with(forms["adjective"]["2"], words)
            if len(words) == 1 and len(first) > 4 and first.endswith(tuple(table["participle endings"])):
                return self._with(forms["participle"], words)
        return self._with(forms["relation"], words)

    def _property(self, words: Sequence[str]) -> str:
        """The pattern of a property: a noun with its article, or an adjective without."""
        table, forms = self.language.table, self.language.table["functions"]
        last = words[-1].lower()
        endings = tuple(table["noun endings" if len(words) == 1 else "personal endings"])
        nouns = table["nouns"]
        is_noun = last in nouns or (last.endswith(endings) and last not in table["adjectives"])
        if not is_noun or len(last) < 4:
            return str(forms["adjective"]["1"]) if last not in nouns else self._article(words[0])
        return self._article(words[0])

    def _article(self, word: str) -> str:
        forms = self.language.table["functions"]["noun"]
        return str(forms["an" if self.language.starts_with_vowel(word) else "a"])

    def _is_finite(self, word: str) -> bool:
        """Whether a word is a verb with the ending that it has after a noun."""
        table = self.language.table
        return any(self._finite(verb) == word for verb in table["verbs"]) or word == "has"

    def _finite(self, verb: str) -> str:
        if verb in ("go", "do") or verb.endswith(("s", "x", "ch", "sh")):
            return verb + "es"
        if verb.endswith("y") and verb[-2] not in "aeiou":
            return verb[:-1] + "ies"
        return verb + "s"

    def _with(self, pattern: str, words: Sequence[str]) -> str:
        return pattern.replace("{words}", " ".join(words))

    def _noun(self, sort: str) -> str:
        """The noun of a sort: of a built-in one the table's, else its name, in the singular."""
        known = self.language.sorts.get(sort)
        if known is not None:
            return known
        words = words_of(name_of(sort))
        words[-1] = self._singular(words[-1])
        return " ".join(words)

    def _singular(self, word: str) -> str:
        low = word.lower()
        if low in self.language.table["not plural"] or len(word) < 4 or low.endswith(("ss", "us", "is")):
            return word
        if low.endswith("ies"):
            return word[:-3] + "y"
        if low.endswith(("sses", "xes", "ches", "shes")):
            return word[:-2]
        return word[:-1] if low.endswith("s") else word

    def _name(self, name: str, template: DescriptionTemplate | None) -> PhraseRule:
        if template is not None:
            return _fixed("t", BRACKETED["t"], template.words, written(name), exact=False)
        words = name.replace("_", " ").strip() if re.fullmatch(r"[^\W\d]\w*", name) else ""
        if name[:1].islower():
            words = _HUMP.sub(lambda found: f" {found[0].lower()}", words)
        tokens = [token.text for token in tokens_of(words)]
        # Words of the language itself, and what is not made of words, are said by the name in quotes.
        if not tokens or set(map(str.lower, tokens)) & self.language.reserved or words.split() != tokens:
            words = quoted(name)
        return _fixed("t", BRACKETED["t"], words, written(name), exact=True)


def words_of(name: str) -> list[str]:
    """The words of a name: `mayRent_car` is may, rent, car. Capitals stay where two come together."""
    found = _WORDS.findall(name)
    if not found or not re.fullmatch(r"\w+", name):
        return [quoted(name)]
    return [word if word.isupper() and len(word) > 1 else word.lower() for word in found]


def quoted(name: str) -> str:
    """A name in backquotes."""
    return "`" + name.replace("`", "``") + "`"


def _fixed(category: str, level: int, words: str, value: str, *, exact: bool) -> PhraseRule:
    return PhraseRule(category, level, (words,), lambda _: value, exact=exact)


def _rule(function: FunctionWords, pattern: str) -> PhraseRule:
    pieces = pieces_of(pattern, lambda _: "t")
    if function.template is not None:
        pieces = tuple(
            piece._replace(level=_TIGHT) if isinstance(piece, PatternHole) else piece for piece in pieces
        )
    kind, level = ("f", 5) if function.is_formula else ("t", _TIGHT)
    name = function.name
    return PhraseRule(kind, level, pieces, lambda values: applied(name, in_order(pieces, values)))


def _negated(pieces: Sequence[str | PatternHole], name: str) -> Callable[[Sequence[Value]], Value]:
    return lambda values: negated(applied(name, in_order(pieces, values)))


def _apart(rules: dict[str, PhraseRule]) -> dict[str, PhraseRule]:
    """The rules whose words no other one has."""
    count: dict[tuple[str, ...], int] = {}
    for rule in rules.values():
        count[_form(rule)] = count.get(_form(rule), 0) + 1
    return {name: rule for name, rule in rules.items() if count[_form(rule)] == 1}


def _form(rule: PhraseRule) -> tuple[str, ...]:
    """The words of a rule with a mark for each hole."""
    return tuple(
        "{}" if isinstance(item, PatternHole) else item if rule.exact else item.lower()
        for item in symbols(rule).items
    )


def _only(values: Sequence[Value]) -> Value:
    return values[0]


def _call(values: Sequence[Value]) -> Value:
    name, args = values
    assert isinstance(name, str)
    return applied(name, [str(arg) for arg in args])


def _binder(form: str) -> Callable[[Sequence[Value]], Value]:
    order = [piece.category for piece in pieces_of(form, str) if isinstance(piece, PatternHole)]

    def text(values: Sequence[Value]) -> Value:
        found = dict(zip(order, values, strict=True))
        return SpokenBinder(str(found["name"]), str(found["noun"]))

    return text

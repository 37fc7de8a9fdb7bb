"""Grammars as values, apart from how a decoder wants them written.

A rule is a name with a `Part`. Lexemes are rules without recursion, whose text a lexer takes as one piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

LAST_CHARACTER = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)


@dataclass(frozen=True, slots=True)
class Exactly:
    """This text."""

    text: str


@dataclass(frozen=True, slots=True)
class Character:
    """One character of some ranges, both ends among them; sorted, and apart from each other."""

    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class InOrder:
    """Parts one behind the other."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of some parts."""

    options: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A part as often as `least` to `most` times; `most` None: any number of times."""

    part: Part
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """The body of a rule. `change`: what becomes of the value that parametric rules hand on."""

    rule: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class WordBut:
    """A character of `first`, then some of `rest`, at most `longest` in all, that is none of `words`."""

    first: Character
    rest: Character
    longest: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guarded:
    """A part that stands only where a condition holds of the value of its parametric rule."""

    part: Part
    condition: str


Part: TypeAlias = Exactly | Character | InOrder | Either | Repeated | Reference | WordBut | Guarded


@dataclass(frozen=True, slots=True)
class ExportedGrammar:
    """Rules by name, the first of which is the whole, and the names of those that are lexemes.

    `parametric`: the rules that have a value. `notes`: what is to be said of the grammar in front of it.
    """

    rules: Mapping[str, Part]
    lexemes: frozenset[str]
    parametric: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def start(self) -> str:
        """The rule of the whole."""
        return next(iter(self.rules))


@dataclass(slots=True)
class RuleBook:
    """Rules as they are collected."""

    rules: dict[str, Part] = field(default_factory=dict)
    lexemes: set[str] = field(default_factory=set)

    def rule(self, name: str, part: Part) -> Reference:
        """Enters a rule; the reference to it comes out."""
        self.rules[name] = part
        return Reference(name)

    def lexeme(self, name: str, part: Part) -> Reference:
        """Enters a lexeme; the reference to it comes out."""
        self.lexemes.add(name)
        return self.rule(name, part)

    def add(self, other: ExportedGrammar) -> Reference:
        """Enters all rules of a grammar; the reference to its whole comes out."""
        self.rules.update(other.rules)
        self.lexemes.update(other.lexemes)
        return Reference(other.start)

    def grammar(self, start: str, notes: Iterable[str] = ()) -> ExportedGrammar:
        """The rules that the whole needs, that one first."""
        found = {start: self.rules[start]}
        for name in (waiting := [start]):
            for other in references(self.rules[name]):
                if other not in found:
                    found[other] = self.rules[other]
                    waiting.append(other)
        return ExportedGrammar(
            found,
            frozenset(self.lexemes & found.keys()),
            _parametric(found),
            tuple(notes),
        )


def _parametric(rules: Mapping[str, Part]) -> frozenset[str]:
    """The rules that depend on the value they are given: llguidance refuses others that have one."""
    found: set[str] = set()
    while True:
        more = {
            name
            for name, part in rules.items()
            if any(
                isinstance(each, Guarded)
                or (isinstance(each, Reference) and each.rule in found and not each.change.isdigit())
                for each in parts_of(part)
            )
        }
        if more == found:
            return frozenset(found)
        found = more


# --- making parts --------------------------------------------------------------------------------


def in_order(*parts: Part | str) -> Part:
    """Parts one behind the other; a text stands for itself. Texts beside each other become one."""
    made: list[Part] = []
    for part in _flat(parts):
        joined = _joined(made[-1], part) if made else None
        if joined is not None:
            made[-1] = joined
        else:
            made.append(part)
    return made[0] if len(made) == 1 else InOrder(tuple(made))


def _flat(parts: Iterable[Part | str]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, InOrder):
            yield from part.parts
        elif part not in ("", Exactly("")):
            yield Exactly(part) if isinstance(part, str) else part


def _joined(before: Part, part: Part) -> Part | None:
    """Two parts as one, where both are texts, or texts of which one is chosen."""
    texts = [_choices(each) for each in (before, part)]
    if any(each is None for each in texts):
        return None
    return either(*(one + other for one in texts[0] or () for other in texts[1] or ()))


def _choices(part: Part) -> tuple[str, ...] | None:
    if isinstance(part, Exactly):
        return (part.text,)
    if isinstance(part, Either):
        texts = tuple(each.text for each in part.options if isinstance(each, Exactly))
        return texts if len(texts) == len(part.options) else None
    return None


def either(*options: Part | str) -> Part:
    """One of some parts, each named once; there is at least one."""
    made = dict.fromkeys(Exactly(each) if isinstance(each, str) else each for each in options)
    return next(iter(made)) if len(made) == 1 else Either(tuple(made))


def optional(part: Part | str) -> Part:
    """A part or nothing."""
    return Repeated(Exactly(part) if isinstance(part, str) else part, 0, 1)


def listed(item: Part, separator: str, least: int = 0, most: int | None = None) -> Part:
    """Items with a separator between them."""
    more = Repeated(in_order(separator, item), max(least - 1, 0), None if most is None else most - 1)
    found = item if most == 1 else in_order(item, more)
    return optional(found) if least == 0 else found


def characters(*ranges: str, without: str = "") -> Character:
    """The characters of ranges such as `az` or `_`, but for some."""
    found: list[tuple[int, int]] = []
    for low, high in sorted((ord(each[0]), ord(each[-1])) for each in ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return _without(tuple(found), without)


def any_character(without: str = "") -> Character:
    """Any character that text may have, but for some: none that controls."""
    ranges = ((0x20, 0x7E), (0xA0, _SURROGATES[0] - 1), (_SURROGATES[1] + 1, LAST_CHARACTER))
    # U+2028 and U+2029 end lines for some readers, and U+FEFF is nothing that is seen.
    return _without(ranges, without + "\u2028\u2029\ufeff")


def _without(ranges: tuple[tuple[int, int], ...], without: str) -> Character:
    found = list(ranges)
    for code in map(ord, without):
        found = [part for each in found for part in _split(*each, code)]
    return Character(tuple(found))


def _split(low: int, high: int, code: int) -> list[tuple[int, int]]:
    """A range without one character."""
    if not low <= code <= high:
        return [(low, high)]
    return [part for part in ((low, code - 1), (code + 1, high)) if part[0] <= part[1]]


def has(part: Character, character: str) -> bool:
    """Whether a character is in the ranges."""
    return any(low <= ord(character) <= high for low, high in part.ranges)


# --- looking at parts ----------------------------------------------------------------------------


def children(part: Part) -> tuple[Part, ...]:
    """The parts inside a part."""
    match part:
        case InOrder(parts) | Either(parts):
            return parts
        case Repeated(inner) | Guarded(inner):
            return (inner,)
    return ()


def parts_of(part: Part) -> Iterator[Part]:
    """A part and all parts inside of it, in order."""
    waiting = [part]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(children(each)))


def references(part: Part) -> Iterator[str]:
    """The rules that a part names, in order."""
    return (each.rule for each in parts_of(part) if isinstance(each, Reference))


def avoiding(part: Part, unwanted: str) -> Part | None:
    """The part without texts that have one of these characters; None where nothing is left.

    What a reference stands for is not looked at.
    """
    match part:
        case Exactly(text):
            return None if set(text) & set(unwanted) else part
        case Character(ranges):
            return _without(ranges, unwanted)
        case InOrder(parts):
            kept = [avoiding(each, unwanted) for each in parts]
            return None if None in kept else InOrder(tuple(each for each in kept if each is not None))
        case Either(options):
            left = [each for each in (avoiding(one, unwanted) for one in options) if each is not None]
            return either(*left) if left else None
        case Repeated(inner, least, _):
            inside = avoiding(inner, unwanted)
            if inside is None:
                return None if least else Exactly("")
            return replace(part, part=inside)
    return part


def spelled_out(word: WordBut) -> Part:
    """The same words without the exception, for notations that know none."""
    return _behind(word, "")


def _behind(word: WordBut, prefix: str) -> Part:
    """The characters that may follow the beginning of an excluded word."""
    allowed = word.rest if prefix else word.first
    nexts = sorted({each[len(prefix)] for each in word.words if each.startswith(prefix) and each != prefix})
    options: list[Part] = [
        in_order(each, _behind(word, prefix + each)) for each in nexts if has(allowed, each)
    ]
    left = _without(allowed.ranges, "".join(nexts))
    if left.ranges:
        options.append(in_order(left, Repeated(word.rest, 0, word.longest - len(prefix) - 1)))
    found = either(*options)
    return optional(found) if prefix and prefix not in word.words else found

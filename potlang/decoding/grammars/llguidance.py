"""Grammars in the dialect of Lark that llguidance reads."""

from __future__ import annotations

import json

from potlang.decoding.grammars.notation import (
    Character,
    Either,
    Exactly,
    ExportedGrammar,
    Guarded,
    InOrder,
    Part,
    Reference,
    Repeated,
    WordBut,
)

_PLAIN_IN_CLASS = frozenset("_ !\"#$%'()*+,.:;<=>?@{|}`")


def to_llguidance(grammar: ExportedGrammar) -> str:
    """The text of a grammar."""
    return "\n".join(
        ("%llguidance {}", *(f"// {note}" for note in grammar.notes), *_Printer(grammar).lines(), "")
    )


class _Printer:
    def __init__(self, grammar: ExportedGrammar) -> None:
        self._grammar = grammar

    def lines(self) -> list[str]:
        """A line for each rule."""
        found = []
        if self._grammar.start != "start":
            found.append(f"start: {self._name(self._grammar.start)}")
        for name, part in self._grammar.rules.items():
            text = self._pattern(part) if name in self._grammar.lexemes else self._options(part)
            found.append(f"{self._name(name)}{'::_' if name in self._grammar.parametric else ''}: {text}")
        return found

    def _name(self, name: str) -> str:
        return name.upper() if name in self._grammar.lexemes else name.lower()

    # --- rules -----------------------------------------------------------------------------------

    def _options(self, part: Part) -> str:
        options = part.options if isinstance(part, Either) else (part,)
        return "\n    | ".join(map(self._option, options))

    def _option(self, part: Part) -> str:
        if isinstance(part, Guarded):
            return f"{self._part(part.part)} %if {part.condition}"
        return self._part(part)

    def _part(self, part: Part) -> str:
        match part:
            case Exactly(text):
                return json.dumps(text, ensure_ascii=False)
            case InOrder(parts):
                return " ".join(
                    self._grouped(each) if isinstance(each, Either) else self._part(each) for each in parts
                )
            case Either():
                return self._grouped(part)
            case Repeated(inner, least, most):
                return self._grouped(inner) + _times(least, most)
            case Reference(rule, change):
                passed = f"::{change}" if rule in self._grammar.parametric else ""
                return self._name(rule) + passed
            case Character() | WordBut():
                return self._pattern(part)
        raise ValueError(f"a condition stands inside of an option: {part}")

    def _grouped(self, part: Part) -> str:
        if isinstance(part, Exactly) or (isinstance(part, Reference) and not part.change):
            return self._part(part)
        options = part.options if isinstance(part, Either) else (part,)
        return f"({' | '.join(map(self._part, options))})"

    # --- lexemes ---------------------------------------------------------------------------------

    def _pattern(self, part: Part) -> str:
        if isinstance(part, WordBut):
            words = "|".join(map(_escaped, sorted(part.words)))
            rest = f"{_class(part.rest)}{_times(0, part.longest - 1)}"
            plain = f"/{_class(part.first)}{rest}/"
            return f"{plain} & ~/{words}/" if words else plain
        return f"/{_regex(part)}/"


def _regex(part: Part) -> str:
    match part:
        case Exactly(text):
            return _escaped(text)
        case Character():
            return _class(part)
        case InOrder(parts):
            return "".join(_regex(each) for each in parts)
        case Either(options):
            return f"({'|'.join(map(_regex, options))})"
        case Repeated(inner, least, most):
            return (_class(inner) if isinstance(inner, Character) else f"({_regex(inner)})") + _times(
                least, most
            )
    raise ValueError(f"no part of a lexeme: {part}")


def _times(least: int, most: int | None) -> str:
    plain = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if (least, most) in plain:
        return plain[least, most]
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def _escaped(text: str) -> str:
    return "".join(each if each.isalnum() or each in "_ " else _code(each) for each in text)


def _class(part: Character) -> str:
    return f"[{''.join(_range(*map(chr, each)) for each in part.ranges)}]"


def _range(low: str, high: str) -> str:
    return _in_class(low) if low == high else f"{_in_class(low)}-{_in_class(high)}"


def _in_class(character: str) -> str:
    is_plain = (character.isascii() and character.isalnum()) or character in _PLAIN_IN_CLASS
    return character if is_plain else _code(character)


def _code(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{{{code:x}}}"

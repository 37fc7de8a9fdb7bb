"""Grammars in GBNF, as llama.cpp reads it: character by character, without a lexer."""

from __future__ import annotations

from potlang.decoding.grammars.notation import (
    Character,
    Either,
    Exactly,
    ExportedGrammar,
    InOrder,
    Part,
    Reference,
    Repeated,
    WordBut,
    spelled_out,
)

_ESCAPED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


def to_gbnf(grammar: ExportedGrammar) -> str:
    """The text of a grammar without parametric rules."""
    lines = [f"# {note}" for note in grammar.notes]
    if grammar.start != "root":
        lines.append(f"root ::= {_name(grammar.start)}")
    return "\n".join(
        (*lines, *(f"{_name(name)} ::= {_part(part)}" for name, part in grammar.rules.items()), "")
    )


def _name(name: str) -> str:
    return name.lower().replace("_", "-")


def _part(part: Part) -> str:
    match part:
        case Exactly(text):
            return _quoted(text)
        case Character():
            return _class(part)
        case InOrder(parts):
            return " ".join(map(_grouped, parts))
        case Either(options):
            return " | ".join(map(_part, options))
        case Repeated(inner, least, most):
            return _grouped(inner) + _times(least, most)
        case Reference(rule):
            return _name(rule)
        case WordBut():
            return _part(spelled_out(part))
    raise ValueError(f"GBNF has no conditions: {part}")


def _grouped(part: Part) -> str:
    if isinstance(part, Exactly | Reference | Character | Repeated):
        return _part(part)
    return f"({_part(part)})"


def _times(least: int, most: int | None) -> str:
    plain = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if (least, most) in plain:
        return plain[least, most]
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def _quoted(text: str) -> str:
    return '"' + "".join(_code(each, '"') for each in text) + '"'


def _class(part: Character) -> str:
    ranges = (tuple(_code(chr(code), "]^-[") for code in pair) for pair in part.ranges)
    return f"[{''.join(low if low == high else f'{low}-{high}' for low, high in ranges)}]"


def _code(character: str, special: str) -> str:
    code = ord(character)
    if character in _ESCAPED:
        return _ESCAPED[character]
    if 0x20 <= code < 0x7F and character not in special:
        return character
    if character == '"':
        return '\\"'
    if code > 0xFFFF:
        # llguidance's reader of GBNF loses the zeros of the eight digits.
        return character
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"

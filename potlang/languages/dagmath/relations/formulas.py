"""The relations in the formulas of a text, between marks and without ([REL-FORMULAS])."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.marks import DISPLAYS, FormulaSpan, marked_formulas
from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import Unreadable, is_op, is_statement
from potlang.languages.dagmath.relations.model import Chain, Link, Side

_COMMAND: Final = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*\})?")
_LONG_WORD: Final = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{4,}")
_IN_LATEX: Final = re.compile(r"&\s*(?:=|<|>|\\[lg]e|\\approx)|\\\\|\\[a-z]{2,}")
_LINK: Final = re.compile(
    r"\\not\s*\\(?:equiv|in)(?![A-Za-z])|\\(?:leqslant|leq|le|geqslant|geq|ge|neq|ne|lt|gt|approx|simeq|equiv|cong|sim|in|notin|nmid|subseteq|subset"
    r"|to|rightarrow|Rightarrow|Longrightarrow|longrightarrow|implies|iff|Leftrightarrow|Longleftrightarrow"
    r"|therefore|because|quad|qquad|text|textbf|textrm|mbox|mid|parallel|perp|propto|mapsto|land|lor|wedge|vee)"
    r"(?![A-Za-z])|\\\\(?:\[[^\]]*\])?|<=>|=>|->|<=|>=|!=|==|=|<|>|≤|≥|≠|≈|≡|∈|∉|⊆|⊂|→|⇒|⇔|,|;"
)
_RELATIONS: Final[dict[str, Link]] = {
    "=": "=", "==": "=", "<": "<", ">": ">", "<=": "<=", ">=": ">=", "!=": "!=", "≤": "<=", "≥": ">=",
    "≠": "!=", "≈": "approx", "\\le": "<=", "\\leq": "<=", "\\leqslant": "<=", "\\ge": ">=", "\\geq": ">=",
    "\\geqslant": ">=", "\\ne": "!=", "\\neq": "!=", "\\lt": "<", "\\gt": ">", "\\approx": "approx",
    "\\simeq": "approx", "\\equiv": "congruent", "≡": "congruent", "\\not\\equiv": "incongruent",
    "\\cong": "other", "\\sim": "other", "\\nmid": "other",
    "\\in": "in", "∈": "in", "\\notin": "notin", "∉": "notin", "\\not\\in": "notin",
    "\\subset": "subset", "\\subseteq": "subset", "⊆": "subset", "⊂": "subset", "\\mid": "divides",
    "\\parallel": "other", "\\perp": "other", "\\propto": "other", "\\mapsto": "other",
}  # fmt: skip
_ENDS: Final = frozenset(
    [
        "\\quad",
        "\\qquad",
        "\\to",
        "\\rightarrow",
        "\\Rightarrow",
        "\\Longrightarrow",
        "\\longrightarrow",
        "\\implies",
        "\\iff",
        "\\Leftrightarrow",
        "\\Longleftrightarrow",
        "\\therefore",
        "\\because",
        "=>",
        "->",
        "<=>",
        "→",
        "⇒",
        "⇔",
        ",",
        ";",
        "\\land",
        "\\lor",
        "\\wedge",
        "\\vee",
    ]
)
_ROW: Final = "\\\\"
"""The end of a row, whose successor may go on with a relation."""
_STYLES: Final = frozenset(("\\text", "\\textbf", "\\textrm", "\\mbox"))
_SIZED: Final = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\.?(?:\\\||[|])?")
_MATRIX: Final = r"(?:[pbv]?matrix|array)"
_OPENS: Final = re.compile(rf"\\begin\s*\{{{_MATRIX}\}}|\\langle(?![A-Za-z])|\\\{{|\\lbrace(?![A-Za-z])")
_CLOSES: Final = re.compile(rf"\\end\s*\{{{_MATRIX}\}}|\\rangle(?![A-Za-z])|\\\}}|\\rbrace(?![A-Za-z])")
"""Brackets of more than one character. One that is never closed, of a system of equations, is none."""
_TEXT: Final = re.compile(r"\\(?:text|textbf|textrm|mbox)\s*\{([^{}]*)\}")
_NOTHING: Final = re.compile(
    rf"(?P<kept>\\begin\s*\{{(?P<kind>{_MATRIX})\}}.{{0,2000}}?\\end\s*\{{(?P=kind)\}})"
    r"|\\left\s*\\\{(?=(?:(?!\\right).)*\\right\s*\.)|\\right\s*\.|\\[hv]?phantom\s*\{[^{}]*\}|\\(?:tag\*?|label)\s*\{[^{}]*\}|\\(?:nonumber|notag|displaystyle)(?![a-z])|\\[bx]?cancel(?![a-z])"
    rf"|\\(?:begin|end)\{{(?:{DISPLAYS}|aligned|split)\*?\}}|&|~|(?<!\\)\\[;,:! ]",
    re.DOTALL,
)
"""Commands that say nothing in a formula, and matrices, which are kept as they are."""
_THOUSANDS: Final = re.compile(r",\d{3}(?!\d)")
_JOINS: Final = re.compile(
    r"(?:[a-z]+[, ]+)*(?:and|or|so|if|then|where|when|for|thus|hence|therefore|which|implies|since|as|with"
    r"|that)\b[a-z, ]*|[,;.]?"
)
"""Words between statements."""
_SIGN: Final = re.compile(r"\s*(?:[=<>≤≥≠≈≡]|\\(?:leq?|geq?|neq?|approx|equiv)(?![a-z]))")


def formula_spans(text: str) -> list[FormulaSpan]:
    """The formulas of a text, in order: those between marks, and rows of displays without them."""
    found: list[FormulaSpan] = []
    end = 0
    for span in marked_formulas(text):
        found += [*_rows(text, end, span.start), span]
        end = span.end
    return [*found, *_rows(text, end, len(text))]


def _rows(text: str, start: int, end: int) -> Iterator[FormulaSpan]:
    """Lines of a stretch that are rows of a display whose marks stand elsewhere."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        if _IN_LATEX.search(line) and not _LONG_WORD.search(_COMMAND.sub("", line)):
            yield FormulaSpan(start, stop, line)
        start = stop + 1


def formula_chains(span: FormulaSpan, context: Context) -> Iterator[Chain]:
    """The chains of relations in a formula, row by row.

    A row that begins with its relation goes on with the last side of the row before; the first one of a
    formula has an empty side there.
    """
    offset = span.start + span.mark
    # Rows of one display share the modulus that one of them states.
    moduli = {_modulus(each) for each in _STATED_ANYWHERE.finditer(span.source)}
    pieces: list[_LinkedPart] = []
    last: _LinkedPart | None = None
    goes_on = False
    for piece in _pieces(_NOTHING.sub(lambda mark: mark["kept"] or " " * len(mark[0]), span.source)):
        is_link = piece.link in _RELATIONS
        if not pieces:
            goes_on = is_link and not piece.source.strip() and last is not None
        if goes_on and not pieces and last is not None:
            piece = last._replace(link=piece.link)
        pieces.append(piece)
        if is_link:
            continue
        if len(pieces) > 1:
            links = tuple(_RELATIONS[each.link] for each in pieces[:-1])
            sources = [each.source for each in pieces]
            if span.is_percent and not piece.link:
                sources[-1] = f"{_EDGES.sub('', sources[-1])}\\%"
            modulus = None
            if not {"congruent", "incongruent"}.isdisjoint(links):
                stated = [_MODULUS.search(each) for each in sources]
                own = {_modulus(each) for each in stated if each is not None} or {*moduli}
                modulus = read_side(own.pop(), context) if len(own) == 1 else None
                cut = zip(sources, stated, strict=True)
                sources = [each if mark is None else each[: mark.start()] for each, mark in cut]
            sides = tuple(read_side(each, context) for each in sources)
            yield Chain(sides, links, offset + pieces[0].start, offset + piece.end, modulus, goes_on)
        last = piece if piece.link == _ROW and len(pieces) > 1 else None
        pieces = []


_STATED: Final = (
    r"(?:\\(?:pmod|mod|bmod)\s*(?:\{((?:[^{}]|\{[^{}]*\})+)\}|(\w+|\([^()]+\)))"
    r"|\(\s*(?:\\?mod|\\bmod|\\text\{\s*mod\s*\})\s*([^()]+)\))"
)
_STATED_ANYWHERE: Final = re.compile(_STATED)
_MODULUS: Final = re.compile(rf"{_STATED}[\s.,;]*$")


def _modulus(match: re.Match[str]) -> str:
    """The modulus that is stated by `\\pmod` and its like."""
    return str(next(filter(None, match.groups()))).strip()


class _LinkedPart(NamedTuple):
    """A part of a formula outside of brackets, and the mark behind it: a relation, or an end."""

    source: str
    link: str
    start: int
    end: int


def _pieces(source: str) -> Iterator[_LinkedPart]:
    depth = start = at = 0
    last_close = max((match.start() for match in _CLOSES.finditer(source)), default=-1)
    while at < len(source):
        sized = _SIZED.match(source, at)
        if sized is not None:
            at = sized.end()
            continue
        bracket = _CLOSES.match(source, at) or _OPENS.match(source, at)
        if bracket is not None:
            opens = bracket.re is _OPENS and at < last_close
            depth = max(0, depth + (1 if opens else -(bracket.re is _CLOSES)))
            at = bracket.end()
            continue
        character = source[at]
        depth = max(0, depth + (character in "([{") - (character in ")]}"))
        found = _LINK.match(source, at) if depth == 0 else None
        if found is None:
            at += 2 if character == "\\" else 1
            continue
        end, link = found.end(), _ROW if found[0].startswith(_ROW) else "".join(found[0].split())
        if link in _STYLES:
            styled = _TEXT.match(source, at)
            end = end if styled is None else styled.end()
            is_side = not source[start:at].strip() and _SIGN.match(source, end) is not None
            if styled is not None and not is_side and _JOINS.fullmatch(styled[1].strip().lower()):
                yield _LinkedPart(source[start:at], ";", start, at)
                start = end
        elif not (link == "," and _THOUSANDS.match(source, at) and source[at - 1 : at].isdigit()):
            yield _LinkedPart(source[start:at], link, start, at)
            start = end
        at = end
    yield _LinkedPart(source[start:], "", start, len(source))


# --- sides ---------------------------------------------------------------------------------------

_UNIT: Final = re.compile(
    r"\\(?:text(?:bf|rm|it)?|mathrm|mbox)\s*\{([^{}]*)\}\s*(?:\^\{?([23])\}?)?\s*[.,;:]?\s*$"
)
_LABEL: Final = re.compile(r"^\s*\\(?:text(?:bf|rm|it)?|mathrm|mbox)\s*\{[^{}]*\}\s*(?=\S)")
_EDGES: Final = re.compile(r"^[\s~:]+|[\s~.;:,]+$")


def read_side(source: str, context: Context) -> Side:
    """One side of a relation, with the words at its edges apart."""
    bare, unit = _EDGES.sub("", source), ""
    trailing = _UNIT.search(bare)
    if trailing is not None and bare[: trailing.start()].strip(" ("):
        power = f"^{trailing[2]}" if trailing[2] else ""
        bare, unit = _EDGES.sub("", bare[: trailing.start()]), trailing[1].strip() + power
    label = _LABEL.match(bare)
    is_cut = label is not None and re.search(r"\d", bare[label.end() :]) is not None
    return made_side(source, bare, unit, is_cut, context)


def made_side(source: str, formula: str, unit: str, is_cut: bool, context: Context) -> Side:
    """A side of which the formula is read, or the reason why it is not."""
    try:
        term = read_formula(formula, context.functions, context.variables)
    except Unreadable as error:
        return Side(source, None, str(error), unit, is_cut)
    if is_statement(term) or is_op(term, "list"):
        return Side(source, None, "it is no number", unit, is_cut)
    return Side(source, term, "", unit, is_cut)

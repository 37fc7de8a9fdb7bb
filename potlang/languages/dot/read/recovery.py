"""Lines that begin with @ and are no records: what is wrong with them, and what they may have meant."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from potlang.diag import Applicability, Fix, nearest, shown
from potlang.ir.numerals import digits_of
from potlang.languages.dot.read.multiline import joining_fix
from potlang.languages.dot.read.rules import Violations
from potlang.languages.dot.read.shapes import LONGEST_NUMBER, NATURAL, SHAPES, Field, form, written

_LONGEST = 10_000
"""Bytes of a line that are looked at."""
_NATURAL = re.compile(NATURAL)
_WORD = re.compile(r"@+[^\s=]*")
_PIECE = re.compile(r"[ \t,;]*([A-Za-z_]+)[ \t]*[=:][ \t]*[\"']?([^\s\"',;{\[]*)[\"']?")
_TOKEN = re.compile(r"\S+")
_DIGITS = re.compile(r"[0-9]+")
_FENCE_LIKE = re.compile(r"@@[ \t]*len\b", re.IGNORECASE)


class RecordProblem(NamedTuple):
    """The first thing that keeps a line from being a record, at `[start, end)` in the line."""

    text: str
    start: int
    end: int


@dataclass(slots=True)
class Meant:
    """A reading of a malformed line: a value for each field, and whether it is the only one."""

    values: dict[str, int | str] = field(default_factory=dict)
    sure: bool = True
    extra: bool = False
    end: int = 0


Salvaged = tuple[str, tuple[Any, ...]]


def report_line(violations: Violations, start: int, end: int) -> Salvaged | None:
    """Reports a broken line, and returns the token as which it is read so that nothing else breaks."""
    line = violations.raw.data[start : min(end, start + _LONGEST)].decode("latin-1")
    if _FENCE_LIKE.match(line):
        _report_fence(violations, start, line)
        return None
    word = _WORD.match(line)
    name = word[0][1:] if word else ""
    kind = name if name in SHAPES else name.lower()
    if kind not in SHAPES:
        _report_unknown(violations, start, end, word[0] if word else "@")
        return None
    return _Line(violations, start, end, line, kind, misspelt=kind != name).report()


def _report_unknown(violations: Violations, start: int, end: int, word: str) -> None:
    shown_word = violations.raw.data[start : start + len(word)].decode("utf-8", "replace")
    near = nearest(word.lstrip("@"), SHAPES, 1)
    helps = [f"did you mean `{form(near[0])}`?"] if near else []
    fixes = []
    if end - start <= _LONGEST:
        opening = (start, start, f"@@len={end - start}@@")
        fixes.append(violations.fix("put the line into a fence", Applicability.UNSAFE, opening))
    violations.report("POT5001", start, start + len(word), helps=helps, fixes=fixes, word=shown_word)


def _report_fence(violations: Violations, start: int, line: str) -> None:
    found = re.match(r"@@\s*len\s*=?\s*([0-9]*)", line)
    if found and len(found[1]) > LONGEST_NUMBER:
        _report_digits(violations, start + found.start(1), found[1])
        return
    violations.report(
        "POT5002",
        start,
        start + min(len(line), 40),
        helps=("a fence is `@@len=N@@` and N bytes, without a space between them",),
        kind="@len=N@@",
        problem="not the opening of a fence",
    )


def _report_digits(violations: Violations, start: int, digits: str) -> None:
    found = digits_of(digits, _LONGEST)
    violations.report("POT0004", start, start + len(digits), digits=found, limit=LONGEST_NUMBER)


class _Line:
    """One line of a known kind."""

    def __init__(
        self, violations: Violations, start: int, end: int, line: str, kind: str, *, misspelt: bool
    ) -> None:
        self.violations = violations
        self.start = start
        self.end = end
        self.line = line
        self.kind = kind
        self.misspelt = misspelt

    def report(self) -> Salvaged | None:
        """See `report_line`."""
        problem = self._problem()
        meant = self._meant()
        number = _TOKEN.match(self.line, problem.start)
        if number and _DIGITS.fullmatch(number[0]) and len(number[0]) > LONGEST_NUMBER:
            _report_digits(self.violations, self.start + problem.start, number[0])
        else:
            self.violations.report(
                "POT5002",
                self.start + problem.start,
                self.start + problem.end,
                helps=[f"write `{form(self.kind)}`"],
                fixes=self._fixes(meant),
                kind=self.kind,
                problem=problem.text,
            )
        return self._salvaged(meant)

    # --- what is wrong ---------------------------------------------------------------------------

    def _problem(self) -> RecordProblem:
        at = 1 + len(self.kind)
        if self.misspelt:
            return RecordProblem("the name of a record is in lower case", 0, at)
        for each in SHAPES[self.kind]:
            opening = f" {each.name}="
            if not self.line.startswith(opening, at):
                if each.optional:
                    continue
                return self._wrong_name(each, at)
            at += len(opening)
            end = self._value_end(each, at)
            if end is None:
                return self._wrong_value(each, at)
            at = end
        return self._rest(at)

    def _value_end(self, each: Field, at: int) -> int | None:
        token = _TOKEN.match(self.line, at)
        text = token[0] if token else ""
        good = text in each.words if each.words else _NATURAL.fullmatch(text) is not None
        return at + len(text) if good else None

    def _wrong_name(self, each: Field, at: int) -> RecordProblem:
        token = _TOKEN.search(self.line, at)
        if token is None:
            return RecordProblem(f"`{each.name}=` is missing", at, len(self.line))
        if re.compile(rf"\s*{each.name}\s*[=:]").match(self.line, at):
            return RecordProblem(f"one space stands before `{each.name}=`, and none in it", at, token.end())
        return RecordProblem(f"expected `{each.name}=`, found `{self._shown(*token.span())}`", *token.span())

    def _wrong_value(self, each: Field, at: int) -> RecordProblem:
        token = _TOKEN.match(self.line, at)
        end = token.end() if token else at
        wanted = f"one of {', '.join(f'`{word}`' for word in each.words)}" if each.words else "a number"
        found = f"`{self._shown(at, end)}`" if end > at else "nothing"
        if not each.words and token and _DIGITS.fullmatch(token[0]) and token[0].startswith("0"):
            return RecordProblem(f"`{each.name}` has a leading zero", at, end)
        return RecordProblem(f"`{each.name}` is {wanted}, found {found}", at, end)

    def _rest(self, at: int) -> RecordProblem:
        token = _TOKEN.search(self.line, at)
        if self.kind == "prop":
            return RecordProblem("the JSON is missing", at, len(self.line))
        if token is None:
            return RecordProblem("there are spaces at the end", at, len(self.line))
        return RecordProblem(f"nothing follows here, found `{self._shown(*token.span())}`", *token.span())

    def _shown(self, start: int, end: int) -> str:
        data = self.violations.raw.data[self.start + start : self.start + end]
        return shown(data.decode("utf-8", "replace"))

    # --- what it means ---------------------------------------------------------------------------

    def _meant(self) -> Meant:
        meant = Meant(end=1 + len(self.kind))
        fields = {each.name: each for each in SHAPES[self.kind]}
        while (piece := _PIECE.match(self.line, meant.end)) is not None:
            each = fields.get(piece[1].lower())
            value = None if each is None else _value(each, piece[2], meant)
            if each is None or value is None or each.name in meant.values:
                meant.extra = True
            else:
                meant.values[each.name] = value
            meant.end = piece.end()
            if self.kind == "prop":
                break
        if self.kind != "prop":
            is_cut = self.end - self.start > len(self.line)
            meant.extra |= is_cut or self.line[meant.end :].strip() != ""
        return meant

    def _complete(self, meant: Meant) -> bool:
        return not meant.extra and all(
            each.optional or each.name in meant.values for each in SHAPES[self.kind]
        )

    def _fixes(self, meant: Meant) -> list[Fix]:
        if not self._complete(meant):
            return []
        if self.kind == "prop" and not self.line[meant.end :].strip():
            joining = joining_fix(self.violations, self.start + meant.end)
            return [] if joining is None else [joining]
        end = len(self.line) if self.kind != "prop" else meant.end
        text = written(self.kind, meant.values)
        if self.kind == "prop":
            end += len(self.line[end:]) - len(self.line[end:].lstrip())
            text += " "
        how = Applicability.SAFE if meant.sure else Applicability.UNSAFE
        return [self.violations.fix(f"write `{text.rstrip()}`", how, (self.start, self.start + end, text))]

    def _salvaged(self, meant: Meant) -> Salvaged | None:
        """The token that the line stands for; None in place of what is not known of a node or a status."""
        names = [each.name for each in SHAPES[self.kind]]
        if self.kind == "prop":
            opening = re.compile(r"\s*(?=[\"{\[])").match(self.line, meant.end)
            if "id" not in meant.values or opening is None:
                return None
            return "PROP", (self.start, self.end, meant.values["id"], self.start + opening.end())
        if self.kind not in ("node", "status") and not self._complete(meant):
            return None
        return self.kind.upper(), (self.start, self.end, *(meant.values.get(name) for name in names))


def _value(each: Field, text: str, meant: Meant) -> int | str | None:
    if not each.words:
        return int(text) if _DIGITS.fullmatch(text) and len(text) <= LONGEST_NUMBER else None
    if text.lower() in each.words:
        return text.lower()
    near = nearest(text, each.words, 1)
    meant.sure = meant.sure and not near
    return near[0] if near else None

"""Relations between calculations that stand in prose: `So he has 16 - 3 - 4 = 9 eggs a day`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.phrases import NUMERALS
from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import words
from potlang.languages.dagmath.lower.units import is_unit
from potlang.languages.dagmath.relations.formulas import made_side
from potlang.languages.dagmath.relations.model import IN_WORDS, Chain, Link, Side

FIRST_FORMULA: Final = 0xE000
MOST_FORMULAS: Final = 6_000
"""Formulas in prose are characters of Unicode's private use, from the first one on."""
_TOKEN: Final = re.compile(
    rf"(?P<formula>[{chr(FIRST_FORMULA)}-{chr(FIRST_FORMULA + MOST_FORMULAS - 1)}])"
    r"|(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d])|\.\d+)"
    r"|(?P<link><=|>=|==|!=|=|<|>|≤|≥|≠|≈)"
    r"|(?P<money>US\$|[$€£])"
    r"|(?P<percent>%|\bpercent\b|\bper cent\b)"
    r"|(?P<operator>\*\*|[-+*/^×÷−–·∗])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<word>[A-Za-z]_[A-Za-z0-9]+|[A-Za-z_][A-Za-z_'’]*)"
    r"|(?P<end>[.;:!?,])"
    r"|(?P<other>\S)"
)
_LINKS: Final[dict[str, Link]] = {
    "=": "=",
    "<": "<",
    ">": ">",
    "<=": "<=",
    ">=": ">=",
    "!=": "!=",
    "==": "=",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "approx",
}
_OPERATORS: Final = {"×": "*", "÷": "/", "−": "-", "–": "-", "·": "*", "∗": "*", "**": "^"}
_SIGNS: Final = frozenset("+-−–")
_WORDED: Final = {"times": "*", "plus": "+", "minus": "-", "over": "/"}
_BY: Final = {"divided": "/", "multiplied": "*"}
_SCALES: Final = {"hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000"}
_DETERMINERS: Final = words("his her its their the a an another additional my our your about only")
_FACTORS: Final = frozenset(("close", "number", "formula", "percent"))
_MOST_UNIT_WORDS: Final = 6
_MOST_TOKENS: Final = 400
_LETTER: Final = re.compile(r"[a-zA-Z](?:_\w+)?")
_VARIABLE: Final = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_PULLING: Final = words(
    "half twice double triple thrice quarter third thirds fourth fourths fifth fifths sixth tenth "
    "dozen hundred thousand million squared cubed root power average mean remainder ratio product "
    "difference"
)
"""Words before a calculation that may be part of it, with an `of` between them or without."""
_OVER: Final = words("remainder r over")
"""Words behind a number after which it is a quotient without its remainder."""
_COMPARING: Final = words("than of times by plus minus")
"""Words between a number and another after which they are one value."""


class ProseToken(NamedTuple):
    """A token of prose with its place."""

    kind: str
    text: str
    start: int
    end: int


def prose_tokens(text: str) -> list[ProseToken]:
    """The tokens of a text; formulas in it are characters of private use"""
    return [
        ProseToken(match.lastgroup or "", match[0], match.start(), match.end())
        for match in _TOKEN.finditer(text)
    ]


def prose_chains(text: str, formulas: Sequence[str], context: Context) -> Iterator[Chain]:
    """The chains of relations in prose, whose formulas have no relations themselves."""
    tokens = prose_tokens(text)
    if len(tokens) > _MOST_TOKENS:
        return
    reader = _Calculations(tokens, formulas, context)
    at = 0
    while at < len(tokens):
        if tokens[at].kind != "link":
            at += 1
            continue
        chain, at = reader.chain(at)
        if chain is not None:
            yield chain


class _Calculations:
    """Calculations in the tokens of a text."""

    def __init__(self, tokens: list[ProseToken], formulas: Sequence[str], context: Context) -> None:
        self.tokens = tokens
        self.formulas = formulas
        self.context = context

    def chain(self, at: int) -> tuple[Chain | None, int]:
        """The chain whose first link is at a token, and where to go on."""
        tokens = self.tokens
        start, first = self._before(at)
        sides, links = [first], list[Link]()
        end = at
        while end < len(tokens) and tokens[end].kind == "link":
            links.append(_LINKS[tokens[end].text])
            side, end = self._after(end + 1)
            sides.append(side)
        place = tokens[start].start, tokens[min(end, len(tokens)) - 1].end
        return Chain(tuple(sides), tuple(links), *place), end

    def _before(self, link: int) -> tuple[int, Side]:
        """The side that ends at a link: the longest calculation in its clause."""
        tokens = self.tokens
        first = link
        while first and not self._ends_clause(first - 1) and tokens[first - 1].kind != "link":
            first -= 1
        for start in range(first, link):
            if not self._begins(start):
                continue
            run = self._run(start)
            if run is not None and run.end == link:
                return start, self._side(run, self._is_pulled(first, start, run))
        source = " ".join(each.text for each in tokens[first:link])
        return first, Side(source, None, IN_WORDS)

    def _is_pulled(self, first: int, start: int, run: _Calculation) -> bool:
        """Whether what stands before a calculation in its clause may be part of it."""
        if start == first:
            return False
        before = self.tokens[start - 1]
        if not (run.operators or _VARIABLE.search(run.source)) or before.kind not in ("word", "open"):
            return True
        words = [before.text.lower()]
        if words[0] in ("of", "by", "the") and start - 1 > first:
            words.append(self.tokens[start - 2].text.lower())
            if self.tokens[start - 2].kind in ("number", "percent"):
                return True
        return not _PULLING.isdisjoint(words) or not _BY.keys().isdisjoint(words)

    def _ends_clause(self, at: int) -> bool:
        token = self.tokens[at]
        if token.text == "!" and self.tokens[at + 1].kind in ("link", "operator", "close"):
            # `5! = 120`
            return not (at and (self.tokens[at - 1].kind in _FACTORS or self._is_letter(at - 1)))
        return token.kind == "end" or (token.kind == "other" and token.text in "•→⇒")

    def _after(self, start: int) -> tuple[Side, int]:
        """The side behind a link, and the token behind it."""
        run = self._run(start) if start < len(self.tokens) else None
        if run is None:
            end = start
            while end < len(self.tokens) and self.tokens[end].kind not in ("link", "end"):
                end += 1
            source = " ".join(each.text for each in self.tokens[start:end])
            return Side(source, None, IN_WORDS), end
        end = run.end
        pulled = not _OVER.isdisjoint(run.unit.lower().split())
        # A word of an operation behind the words of a unit: `= 5 more than 3`.
        follows = self.tokens[end].kind if end < len(self.tokens) else "end"
        last = run.unit.rpartition(" ")[2].lower()
        if not run.unit or last in _COMPARING:
            pulled |= follows in ("number", "operator", "open", "other", "formula", "money", "percent")
        # `= 1 hour and 30 minutes`
        pulled |= follows == "number" and is_unit(run.unit.partition(" ")[0])
        # `= 5 x`, and `= 5 R 1` with a remainder
        pulled |= end < len(self.tokens) and self._is_letter(end)
        return self._side(run, pulled), end

    def _begins(self, at: int) -> bool:
        token = self.tokens[at]
        if token.kind in ("open", "number") and self._touches_word(at):
            return False
        if token.kind in ("number", "money", "open", "formula"):
            return True
        if token.text in _SIGNS:
            return not self._is_dash(at)
        return token.kind == "word" and (self._is_letter(at) or token.text.lower() in NUMERALS)

    def _touches_word(self, at: int) -> bool:
        """Whether a token stands right behind a word: `T(62)` is a value of `T`, `x1` a name."""
        before = self.tokens[at - 1] if at else None
        return before is not None and before.kind == "word" and before.end == self.tokens[at].start

    def _is_dash(self, at: int) -> bool:
        """Whether a sign stands between a word and a number, apart from both: `Yams - 6 yams x $1.5`."""
        tokens = self.tokens
        if not 0 < at < len(tokens) - 1 or tokens[at - 1].kind != "word":
            return False
        return tokens[at - 1].end < tokens[at].start and tokens[at].end < tokens[at + 1].start

    def _is_letter(self, at: int) -> bool:
        """Whether a token is a variable: a letter; `a`, `A` and `I` only beside an operation."""
        token = self.tokens[at]
        if token.kind != "word" or not _LETTER.fullmatch(token.text):
            return False
        if token.text not in ("a", "I", "A"):
            return True
        beside = [self.tokens[near] for near in (at - 1, at + 1) if 0 <= near < len(self.tokens)]
        return any(each.kind in ("operator", "link") for each in beside)

    def _side(self, run: _Calculation, is_cut: bool) -> Side:
        return made_side(run.source, run.source, run.unit, is_cut, self.context)._replace(inner=run.inner)

    # --- calculations ---

    def _run(self, start: int) -> _Calculation | None:
        """The longest calculation from a token on; None where there is none."""
        tokens = self.tokens
        out: list[str] = []
        inner: list[str] = []
        at, depth, operators = start, 0, 0
        while True:
            at, written = self._atom(at, out)
            if not written:
                return None
            # Closing brackets, then words of a unit, then an operator.
            while True:
                if at < len(tokens) and tokens[at].kind == "close" and depth:
                    out.append(")")
                    depth -= 1
                    at += 1
                    if at < len(tokens) and tokens[at].kind == "percent":
                        out.append("\\%")
                        at += 1
                    continue
                words, behind = self._words(at)
                if words and behind < len(tokens) and tokens[behind].kind == "close" and depth:
                    at = behind
                    continue
                break
            operator, after = self._operator(at)
            if operator is None:
                words, behind = self._words(at)
                operator, after = (
                    self._operator(behind) if words and not self._is_sign(behind) else (None, behind)
                )
                if operator is None or not self._starts_operand(after):
                    if depth:
                        return None
                    return _Calculation(" ".join(out), behind, words, operators, tuple(inner))
                inner.append(words)
            elif not self._starts_operand(after):
                return None if depth else _Calculation(" ".join(out), at, "", operators, tuple(inner))
            operators += 1
            out.append(operator)
            at = self._determined(after)
            while at < len(tokens) and tokens[at].kind == "open":
                out.append("(")
                depth += 1
                at += 1

    def _determined(self, at: int) -> int:
        """The token behind words such as `his`, `another`, before a number."""
        end = at
        while end < len(self.tokens) and self.tokens[end].text.lower() in _DETERMINERS:
            end += 1
        return end if end > at and self._starts_number(end) else at

    def _atom(self, at: int, out: list[str]) -> tuple[int, bool]:
        """Writes one operand with its sign; the token behind it, and whether there was one."""
        tokens = self.tokens
        if at < len(tokens) and tokens[at].text in _SIGNS:
            out.append(_OPERATORS.get(tokens[at].text, tokens[at].text))
            at += 1
        while at < len(tokens) and tokens[at].kind == "money":
            at += 1
        if at >= len(tokens):
            return at, False
        token = tokens[at]
        if token.kind == "open":
            inner: list[str] = []
            end = self._bracket(at, inner)
            if end is None:
                return at, False
            out.extend(inner)
            return self._posted(end, out), True
        if token.kind == "formula":
            out.append("(" + self.formulas[ord(token.text) - FIRST_FORMULA] + ")")
            return self._posted(at + 1, out), True
        if token.kind == "number":
            number = token.text.replace(",", "")
            if self._is_tight_fraction(at):
                out.append(f"({number}/{tokens[at + 2].text})")
                return self._posted(at + 3, out), True
            at += 1
            mixed = self._mixed(at)
            if mixed is not None and "." not in number:
                out.append(f"({number} + {mixed})")
                at += 3
            else:
                out.append(number)
                beside = at < len(tokens) and tokens[at].start == tokens[at - 1].end
                if beside and self._is_letter(at) and not self._is_cross(at):
                    out[-1] = f"{number} {tokens[at].text}"
                    at += 1
            return self._posted(at, out), True
        word = token.text.lower()
        if token.kind == "word" and word in NUMERALS:
            out.append(str(NUMERALS[word]))
            return self._posted(at + 1, out), True
        if self._is_letter(at):
            out.append(token.text)
            return self._posted(at + 1, out), True
        return at, False

    def _bracket(self, at: int, out: list[str]) -> int | None:
        """Writes a calculation in brackets; the token behind it."""
        run = self._run(at + 1)
        if run is None or run.end >= len(self.tokens) or self.tokens[run.end].kind != "close":
            return None
        out.append(f"({run.source})")
        return run.end + 1

    def _is_tight_fraction(self, at: int) -> bool:
        """Whether `1/2` stands behind a sign with room around it: `3 / 1/2`."""
        tokens = self.tokens
        if not at or at + 2 >= len(tokens) or tokens[at - 1].text not in "/÷" or tokens[at + 1].text != "/":
            return False
        is_apart = tokens[at - 1].end < tokens[at].start
        return is_apart and tokens[at + 2].kind == "number" and tokens[at].end == tokens[at + 1].start

    def _mixed(self, at: int) -> str | None:
        """`1/2` behind a whole number and a space: a mixed number."""
        tokens = self.tokens
        if at + 2 >= len(tokens) or tokens[at].kind != "number" or tokens[at + 1].text != "/":
            return None
        if tokens[at + 2].kind != "number" or tokens[at + 1].start != tokens[at].end:
            return None
        return f"{tokens[at].text}/{tokens[at + 2].text}"

    def _posted(self, at: int, out: list[str]) -> int:
        """Writes what stands behind an operand: a percent sign, the word of a scale, a bracket."""
        tokens = self.tokens
        while at < len(tokens):
            token = tokens[at]
            if token.kind == "percent":
                out.append("\\%")
            elif token.kind == "money" and not self._starts_number(at + 1):
                pass  # `50$`
            elif token.kind == "word" and token.text.lower() in _SCALES:
                out.append(f"* {_SCALES[token.text.lower()]}")
            elif token.kind == "end" and token.text == "!" and token.start == tokens[at - 1].end:
                out.append("!")
            else:
                break
            at += 1
        return at

    def _starts_number(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind == "number"

    def _is_cross(self, at: int) -> bool:
        """Whether an `x` stands for a multiplication: between a number and another."""
        tokens = self.tokens
        if tokens[at].text not in ("x", "X"):
            return False
        follows = tokens[at + 1].kind if at + 1 < len(tokens) else "end"
        return follows in ("number", "money", "open", "formula")

    def _operator(self, at: int) -> tuple[str | None, int]:
        tokens = self.tokens
        if at >= len(tokens):
            return None, at
        token = tokens[at]
        if token.text == "/" and self._is_word(at + 1):
            return None, at  # `$50/day`
        if token.kind == "operator":
            return _OPERATORS.get(token.text, token.text), at + 1
        if token.kind == "word":
            word = token.text.lower()
            if self._is_cross(at):
                return "*", at + 1
            if word in _WORDED:
                return _WORDED[word], at + 1
            if word in _BY and at + 1 < len(tokens) and tokens[at + 1].text == "by":
                return _BY[word], at + 2
            if word == "of" and at and self._is_share(at - 1):
                return "*", at + 1
        if at and token.kind in ("open", "formula") and tokens[at - 1].kind in _FACTORS:
            is_close = tokens[at - 1].end == token.start or tokens[at - 1].kind != "number"
            return ("*", at) if is_close or token.kind == "formula" else (None, at)
        if at and tokens[at - 1].kind == "close" and (token.kind == "number" or self._is_letter(at)):
            return "*", at
        return None, at

    def _is_word(self, at: int) -> bool:
        """Whether a token is a word, and neither a variable nor a number."""
        tokens = self.tokens
        return at < len(tokens) and tokens[at].kind == "word" and not self._starts_operand(at)

    def _is_sign(self, at: int) -> bool:
        """Whether a minus stands before a number and not between two: `countries is -48`."""
        tokens = self.tokens
        if at == 0 or at + 1 >= len(tokens) or tokens[at].text not in _SIGNS:
            return False
        return tokens[at - 1].end < tokens[at].start and tokens[at].end == tokens[at + 1].start

    def _is_share(self, at: int) -> bool:
        """Whether a percentage or a fraction ends at a token: `20% of`, `1/2 of`."""
        tokens = self.tokens
        if tokens[at].kind == "percent":
            return True
        return tokens[at].kind == "number" and at > 0 and tokens[at - 1].text == "/"

    def _starts_operand(self, at: int) -> bool:
        tokens = self.tokens
        if at >= len(tokens):
            return False
        at = self._determined(at)
        token = tokens[at]
        if token.kind in ("number", "money", "open", "formula"):
            return True
        if token.text in _SIGNS - {"+"}:
            return at + 1 < len(tokens) and tokens[at + 1].kind in ("number", "money", "open")
        return token.kind == "word" and (self._is_letter(at) or token.text.lower() in NUMERALS)

    def _words(self, at: int) -> tuple[str, int]:
        """The words of a unit from a token on, and the token behind them."""
        tokens = self.tokens
        words: list[str] = []
        while at < len(tokens) and len(words) < _MOST_UNIT_WORDS:
            token = tokens[at]
            if token.kind == "word" and (is_unit(token.text) or not self._is_letter(at)):
                if token.text.lower() in _WORDED or token.text.lower() in _BY:
                    break
                if self._is_cross(at):
                    break
                words.append(token.text)
            elif (
                token.text == "/"
                and at + 1 < len(tokens)
                and tokens[at + 1].kind == "word"
                and (not self._is_letter(at + 1) or is_unit("/".join([*words[-1:], tokens[at + 1].text])))
            ):
                words.append("/")
            else:
                break
            at += 1
        return " ".join(words), at


class _Calculation(NamedTuple):
    """A calculation: its source as a formula, the token behind it, the words behind its numbers."""

    source: str
    end: int
    unit: str
    operators: int
    inner: tuple[str, ...] = ()

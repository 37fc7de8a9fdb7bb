"""Tokens for text that the grammar rejects: frequent wrong spellings are read as what they mean.

Each is a problem with its fix; reading goes on with the token that was meant, so that one slip gives
one message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from potlang.diag.model import Applicability
from potlang.expressions.actions import Correction, Fault
from potlang.expressions.tables import END, Token, scanner, tokens

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE


def syntax(
    start: int,
    end: int,
    problem: str,
    *,
    primary: str = "",
    helps: tuple[str, ...] = (),
    corrections: tuple[Correction, ...] = (),
    related: tuple[tuple[int, int, str], ...] = (),
) -> Fault:
    """A POT1020."""
    return Fault("POT1020", start, end, {"problem": problem}, primary, helps, corrections, related)


_SPELLINGS: dict[str, tuple[str, str]] = {
    "<=>": ("IFF", "<->"),
    "<==>": ("IFF", "<->"),
    "⇔": ("IFF", "<->"),
    "≡": ("IFF", "<->"),
    "==>": ("IMPLIES", "->"),
    "=>": ("IMPLIES", "->"),
    "⇒": ("IMPLIES", "->"),
    "⊃": ("IMPLIES", "->"),
    "&&": ("AND", "and"),
    "&": ("AND", "and"),
    "/\\": ("AND", "and"),
    "||": ("OR", "or"),
    "|": ("OR", "or"),
    "\\/": ("OR", "or"),
    "~": ("NOT", "not"),
    "!": ("NOT", "not"),
    "===": ("COMPARE", "=="),
    "!==": ("COMPARE", "!="),
    "<>": ("COMPARE", "!="),
    "=<": ("COMPARE", "<="),
    ":=": ("COMPARE", "=="),
    "=": ("COMPARE", "=="),
    "×": ("STAR", "*"),
    "·": ("STAR", "*"),
    "⋅": ("STAR", "*"),
    "÷": ("DIVIDE", "/"),
    "−": ("MINUS", "-"),
    "–": ("MINUS", "-"),
    "^": ("POWER", "**"),
    "∈": ("IN", "in"),
    "∉": ("NOT_IN", "not in"),
    "⊕": ("COMPARE", "!="),
    "is not": ("COMPARE", "!="),
    "⊤": ("NAME", "True"),
    "⊥": ("NAME", "False"),
    ";": ("COMMA", ","),
}
MOST = 20
_WORDS = {"AND", "OR", "NOT", "IN", "NOT_IN"}
_CURLY = r"“[^“”\"]*[”\"]|\"[^“”\"]*”|‘[^‘’']*[’']|'[^‘’']*’"
_QUANTIFIER = r"(?:[∀∃]|\b(?:[Ff]or_?[Aa]ll|[Ee]xists|FORALL|EXISTS)\b(?=\s+[^\W\d]))\s*"


@cache
def _scanner() -> re.Pattern[str]:
    name = tokens().patterns["NAME"]
    # Longer spellings stand before the grammar's tokens, whose beginnings they are (`=>`, `<>`).
    longer, single = (
        "|".join(
            re.escape(text).replace("is\\ not", r"\bis\s+not\b")
            for text in sorted(_SPELLINGS, key=len, reverse=True)
            if (len(text) > 1) == long
        )
        for long in (True, False)
    )
    parts = [
        f"(?P<quantifier>{_QUANTIFIER}(?P<bound>{name}(?:\\s*,\\s*{name}(?!\\w*\\s*\\())*)\\s*[.:,]?\\s*)",
        r"(?P<lambda>(?:\blambda\b|λ)[^:.]*[:.]?)",
        r"(?P<digits>[0-9]++(?=[^\W\d])(?![eE][+-]?[0-9]++(?!\w))\w++)",
        f"(?P<curly>{_CURLY})",
        f"(?P<longer>{longer})",
        scanner().pattern.rsplit("|(?P<_UNKNOWN>", 1)[0],
        f"(?P<spelling>{single})",
        r"(?P<open>[\"'“‘`].*)",
        r"(?P<unknown>.)",
    ]
    return re.compile("|".join(parts), re.DOTALL)


class ErrorTolerantLexer:
    """Tokenizes with corrections; the result is `tokens` and `problems`.

    `stopped`: the rest was not read; `unreadable`: a character that means nothing was left out.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.problems: list[Fault] = []
        self.stopped = False
        self.unreadable = False
        self.open_quantifiers: list[int] = []
        self.depth = 0
        for match in _scanner().finditer(text):
            if self.stopped or len(self.problems) > MOST:
                self.stopped = True
                break
            self._take(match)
        self._close_quantifiers(len(text), -1)
        self.tokens.append(Token(END, "", len(text), len(text)))

    def _take(self, match: re.Match[str]) -> None:
        kind = match.lastgroup or ""
        if kind in tokens().patterns:
            self._grammar_token(kind, match)
            return
        handlers: dict[str, Callable[[re.Match[str]], None]] = {
            "quantifier": self._quantifier,
            "bound": self._quantifier,
            "lambda": self._lambda,
            "digits": self._digit_name,
            "curly": self._curly,
            "longer": self._spelling,
            "spelling": self._spelling,
            "open": self._open_string,
            "unknown": self._unknown,
        }
        handlers[kind](match)

    def _grammar_token(self, kind: str, match: re.Match[str]) -> None:
        if kind in tokens().skipped:
            return
        word = match.group()
        if kind == "NAME":
            kind = tokens().keywords.get(word, kind)
        if kind in ("LPAR", "LSQB", "LBRACE"):
            self.depth += 1
        elif kind in ("RPAR", "RSQB", "RBRACE"):
            self.depth -= 1
            self._close_quantifiers(match.start(), self.depth)
        self.tokens.append(Token(kind, word, match.start(), match.end()))

    def _close_quantifiers(self, at: int, depth: int) -> None:
        while self.open_quantifiers and self.open_quantifiers[-1] > depth:
            self.open_quantifiers.pop()
            self.tokens.append(Token("RPAR", ")", at, at))

    def _quantifier(self, match: re.Match[str]) -> None:
        start, end = match.span()
        universal = match.group()[0] in "∀Ff"
        word = "ForAll" if universal else "Exists"
        names = [name.strip() for name in match["bound"].split(",")]
        if any(name in tokens().keywords for name in names):
            self.tokens.append(Token("NAME", word, start, end))
            return
        if len(self.problems) >= MOST:
            self.stopped = True
            return
        close = _body_end(self.text, end)
        call = f"{word}([{', '.join(names)}], "
        fix = Correction(f"write `{call}…)`", UNSAFE, ((start, end, call), (close, close, ")")))
        problem = f"a quantifier is written as a call: {call}…)"
        self.problems.append(syntax(start, end, problem, corrections=(fix,)))
        at = match.start("bound")
        parts = [("NAME", word), ("LPAR", "("), ("LSQB", "[")]
        for name in names:
            parts += [("NAME", name), ("COMMA", ",")]
        parts[-1] = ("RSQB", "]")
        self.tokens += [Token(kind, text, at, at) for kind, text in [*parts, ("COMMA", ",")]]
        self.open_quantifiers.append(self.depth)

    def _lambda(self, match: re.Match[str]) -> None:
        helps = ("bind variables with ForAll, Exists, Sum or Count: `ForAll([x], …)`",)
        self.problems.append(syntax(*match.span(), "there are no lambda expressions", helps=helps))
        self.stopped = True

    def _digit_name(self, match: re.Match[str]) -> None:
        start, end = match.span()
        word = match.group()
        if word.replace("_", "").isdecimal():
            plain = word.replace("_", "")
            fix = Correction(f"write `{plain}`", SAFE, ((start, end, plain),))
            problem = "a number has no underscores"
            self.problems.append(syntax(start, end, problem, corrections=(fix,)))
            self.tokens.append(Token("NUMBER", plain, start, end))
            return
        fix = Correction(f"write `{word}` in backquotes", UNSAFE, ((start, end, f"`{word}`"),))
        problem = f"a name that begins with a digit is written in backquotes, here `{word}`"
        self.problems.append(syntax(start, end, problem, corrections=(fix,)))
        self.tokens.append(Token("NAME", word, start, end))

    def _curly(self, match: re.Match[str]) -> None:
        start, end = match.span()
        inner = match.group()[1:-1].replace("\\", "\\\\").replace("'", "\\'")
        fix = Correction("use straight quotes", SAFE, ((start, end, f"'{inner}'"),))
        char = next(char for char in match.group() if char in "“”‘’")
        helps = ("strings stand in straight quotes",)
        self.problems.append(Fault("POT1022", start, end, {"char": char}, "", helps, (fix,)))
        self.tokens.append(Token("STRING", f"'{inner}'", start, end))

    def _spelling(self, match: re.Match[str]) -> None:
        start, end = match.span()
        word = " ".join(match.group().split())
        kind, meant = _SPELLINGS[word]
        trust, helps = SAFE, [f"write `{meant}`"]
        if word in ("=>", "==>") and self.text[end:].lstrip()[:1].isdigit():
            kind, meant, trust = "COMPARE", ">=", UNSAFE
            helps = ["write `>=` for the comparison, `->` for the implication"]
        elif word in ("^", ";"):
            trust = UNSAFE
        text = self._spaced(meant, start, end) if kind in _WORDS else meant
        fix = Correction(f"write `{meant}`", trust, ((start, end, text),))
        if word == "=":
            problem = Fault("POT1023", start, end, {}, "", ("write `==` for equality",), (fix,))
        else:
            problem = syntax(
                start, end, f"`{word}` is not an operator here", helps=tuple(helps), corrections=(fix,)
            )
        self.problems.append(problem)
        if kind == "NOT_IN":
            self.tokens += [Token("NOT", "not", start, end), Token("IN", "in", start, end)]
        else:
            self.tokens.append(Token(kind, meant, start, end))

    def _spaced(self, word: str, start: int, end: int) -> str:
        before = " " if start and (self.text[start - 1].isalnum() or self.text[start - 1] == "_") else ""
        after = "" if self.text[end : end + 1] in (" ", "(", "") else " "
        return before + word + after

    def _open_string(self, match: re.Match[str]) -> None:
        start = match.start()
        quote = match.group()[0]
        word = re.match(r".[\w ]*", match.group(), re.DOTALL)
        stop = start + (len(word.group().rstrip()) if word else 1)
        closing = {"“": "”", "‘": "’"}.get(quote, quote)
        helps: tuple[str, ...] = ()
        fix = Correction("close the string here", UNSAFE, ((stop, stop, closing),))
        if quote == "'" and self.tokens and self.tokens[-1].kind == "NAME" and self.tokens[-1].end == start:
            helps = ("a name with an apostrophe is written in backquotes",)
            begin = self.tokens[-1].start
            edit = (begin, stop, f"`{self.text[begin:stop]}`")
            fix = Correction("write the name in backquotes", UNSAFE, (edit,))
        primary = "the string begins here"
        self.problems.append(Fault("POT1024", start, start + 1, {}, primary, helps, (fix,)))
        self.stopped = True

    def _unknown(self, match: re.Match[str]) -> None:
        start, end = match.span()
        char = match.group()
        last = not self.text[end:].strip()
        category = unicodedata.category(char)
        harmless = (char == "." and last) or category in ("Cf", "Cc", "Zs")
        self.unreadable |= not harmless and not last
        fix = Correction("remove it", SAFE if harmless else UNSAFE, ((start, end, ""),))
        helps: tuple[str, ...] = ()
        if char == "?" and last:
            helps = ("a question is written as the formula that is asked about",)
        elif char == "@" or char == "$":
            helps = ("a name with this character is written in backquotes",)
        self.problems.append(Fault("POT1022", start, end, {"char": char}, "", helps, (fix,)))


def _body_end(text: str, start: int) -> int:
    """Where the brackets around `start` close, or the end of the text."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] in "([{":
            depth += 1
        elif text[index] in ")]}":
            depth -= 1
            if depth < 0:
                return index
    return len(text)

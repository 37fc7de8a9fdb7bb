"""The tokens of a formula in LaTeX or in plain text."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.syntax import GREEK, MOST_DEPTH, Term, Unreadable, words
from potlang.languages.dagmath.lower.units import is_unit

MOST_CHARACTERS: Final = 4_000
MOST_DIGITS: Final = 400
"""Bounds of a formula, a sentence and a proposition alike, and of a number in them ([STEP-BOUNDS])."""


class MathToken(NamedTuple):
    """`kind`: num, name, vector, op, function, open, close, command, text, unit or end."""

    kind: str
    text: str


END: Final = MathToken("end", "")

FUNCTIONS: Final = words(
    "log ln lg exp sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh gcd lcm max min floor ceil "
    "abs det"
)
_SYMBOLS: Final = {
    "×": "\\times ", "·": "\\cdot ", "∗": "*", "÷": "\\div ", "≤": "\\le ", "≥": "\\ge ", "≠": "\\ne ",
    "−": "-", "–": "-", "±": "\\pm ", "π": "\\pi ", "∈": "\\in ", "⌊": "\\lfloor ", "⌋": "\\rfloor ",
    "⌈": "\\lceil ", "⌉": "\\rceil ", "²": "^2", "³": "^3", "⇒": "\\implies ", "⇔": "\\iff ",
    "°": "\\degree ",
    "≈": "\\approx ", "≡": "\\equiv ", "∞": "\\infty ", "…": "\\ldots ", "√": "\\sqrt ", "∣": "\\mid ",
    "∨": "\\lor ", "∧": "\\land ", "¬": "\\neg ", "½": "\\frac{1}{2}", "\u00a0": " ", "∪": "\\cup ",
    "∩": "\\cap ", "∅": "\\emptyset ", "∠": "\\angle ", "△": "\\triangle ",
    "⟨": "\\langle ", "⟩": "\\rangle ",
}  # fmt: skip
_UNICODE: Final = str.maketrans(_SYMBOLS)
_IGNORED: Final = words(
    ", ; : ! quad qquad left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle limits "
    "nolimits thinspace"
) | {" "}
_OPERATORS: Final = {
    "cdot": "*", "times": "times", "ast": "*", "div": "/", "le": "<=", "leq": "<=", "leqslant": "<=",
    "ge": ">=", "geq": ">=", "geqslant": ">=", "ne": "!=", "neq": "!=", "lt": "<", "gt": ">", "pm": "pm",
    "mp": "mp", "in": "in", "mid": "divides", "equiv": "equiv", "bmod": "mod", "mod": "mod", "cup": "cup",
    "cap": "cap", "setminus": "setminus", "choose": "choose", "over": "over", "colon": ":",
    "Rightarrow": "=>", "implies": "=>", "Longrightarrow": "=>", "iff": "<=>", "Leftrightarrow": "<=>",
    "Longleftrightarrow": "<=>", "land": "and", "wedge": "and", "lor": "or", "vee": "or",
    "neg": "not", "lnot": "not", "%": "%", "approx": "approx",
}  # fmt: skip
_OPENING: Final = {
    "lfloor": "floor", "lceil": "ceil", "lvert": "abs", "lVert": "abs", "lbrace": "{", "{": "{",
    "langle": "langle",
}  # fmt: skip
_CLOSING: Final = {
    "rfloor": "floor", "rceil": "ceil", "rvert": "abs", "rVert": "abs", "rbrace": "}", "}": "}",
    "rangle": "langle",
}  # fmt: skip
_WORDS: Final = {"and": "and", "or": "or", "mod": "mod"}
_COMMANDS: Final = words("frac sqrt binom sum prod pmod boxed mathbb degree circ overline infty emptyset")
_STYLES: Final = words("text mathrm textbf mathbf textit mathit operatorname textrm mbox bold boldsymbol")
_BOLD: Final = words("mathbf bold boldsymbol")
"""Styles in which a letter is a vector or a matrix."""
_MATRICES: Final = {"matrix": "matrix", "pmatrix": "matrix", "bmatrix": "matrix", "vmatrix": "det"}
_LETTERED: Final = words("angle triangle vec hat")
_VECTORS: Final = words("vec hat")
"""Commands that make another name of the letters behind them: `\\angle ABC`."""
_SPELLED: Final = {
    "ell": "l", "dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "dbinom": "binom",
    "tbinom": "binom", "fbox": "boxed", "bar": "overline", "varnothing": "emptyset",
    "measuredangle": "angle", "overrightarrow": "vec", "widehat": "hat",
}  # fmt: skip
_TOKENS: Final = {
    **{name: MathToken("name", name) for name in GREEK},
    **{name: MathToken("command", name) for name in _COMMANDS},
    **{name: MathToken("function", name) for name in FUNCTIONS},
    **{name: MathToken("op", op) for name, op in _OPERATORS.items()},
    **{name: MathToken("open", kind) for name, kind in _OPENING.items()},
    **{name: MathToken("close", kind) for name, kind in _CLOSING.items()},
    "$": MathToken("unit", "dollar"),
    "|": MathToken("op", "|"),
}
"""The commands that stand for one token."""
_PATTERN: Final = re.compile(
    r"""(?P<space>\s+)
    |(?P<repeating>\d*\.\d*\\(?:overline|bar)\s*\{\d+\})
    |(?P<num>\d{1,3}(?:(?:,|\{,\})\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    |\\(?P<command>[A-Za-z]+|[^A-Za-z])
    |(?P<letters>[A-Za-z]+)
    |(?P<op><=>|=>|<=|>=|!=|==|\*\*|[-+*/^_=<>!|:;,%&'~$])
    |(?P<bracket>[][(){}])""",
    re.VERBOSE,
)
_LONGEST_PRODUCT: Final = 3
"""Longer runs of letters are words, shorter ones products: `vt` is v times t."""


def tokens(source: str) -> list[MathToken]:
    """The tokens of a formula, the last one END. Raises Unreadable."""
    if len(source) > MOST_CHARACTERS:
        raise Unreadable(f"the formula has more than {MOST_CHARACTERS} characters")
    return [*_Lexer(source.translate(_UNICODE)).run(), END]


class _Lexer:
    def __init__(self, source: str) -> None:
        self.source = source
        self.position = 0
        self.found: list[MathToken] = []
        self._matrices = 0
        """Matrices that are open: in them `&` stands between columns."""

    def run(self) -> list[MathToken]:
        while self.position < len(self.source):
            match = _PATTERN.match(self.source, self.position)
            if match is None:
                raise Unreadable(f"{self.source[self.position]!r} is no part of a formula")
            self.position = match.end()
            kind = match.lastgroup
            if kind != "space":
                getattr(self, f"_{kind}")(match[kind or 0])
        return self.found

    def _add(self, kind: str, text: str) -> None:
        self.found.append(MathToken(kind, text))

    def _num(self, text: str) -> None:
        is_first = bool(self.found) and self.found[-1].kind == "open"
        is_group = is_first and self.found[-1].text == "group" and self.found[-2:][0].text != "_"
        if is_first and not is_group and _PAIR.fullmatch(text) and _CLOSES.match(self.source, self.position):
            # `[1,300]` has two ends, and no one thousand three hundred.
            first, _, last = text.partition(",")
            self.found += [MathToken("num", first), MathToken("op", ","), MathToken("num", last)]
            return
        digits = text.replace("{,}", "").replace(",", "")
        if len(digits) > MOST_DIGITS:
            raise Unreadable(f"a number has more than {MOST_DIGITS} digits")
        self._add("num", digits)

    def _repeating(self, text: str) -> None:
        """`0.1\\overline{6}`, as a fraction."""
        fixed, digits = text.split("\\")[0], re.findall(r"\d+", text)[-1]
        places = len(fixed.partition(".")[2])
        if len(fixed) + len(digits) > MOST_DIGITS:
            raise Unreadable(f"a number has more than {MOST_DIGITS} digits")
        period = Fraction(int(digits), (10 ** len(digits) - 1) * 10**places)
        self._add("num", str(Fraction(f"0{fixed}0") + period))

    def _op(self, text: str) -> None:
        if text not in ("&", "~", "$") or (text == "&" and self._matrices):
            self._add("op", {"**": "^", "==": "=", ";": ","}.get(text, text))

    def _bracket(self, text: str) -> None:
        self._add("open" if text in "([{" else "close", {"{": "group", "}": "group"}.get(text, text))

    def _letters(self, text: str) -> None:
        previous = self.found[-1] if self.found else END
        if text in FUNCTIONS:
            self._add("function", text)
        elif text in ("sqrt", "binom"):
            self._add("command", text)
        elif text in _WORDS:
            self._add("op", _WORDS[text])
        elif previous.kind in ("num", "name", "close") and len(text) > 1 and self._unit(text):
            return
        elif previous.text == "_" or (len(text) > 1 and text.isupper()):
            # `AB` is a segment, or a number of two digits: a name, and no product that is known.
            self._add("name", text)
        elif len(text) > _LONGEST_PRODUCT:
            self._add("text", text)
        else:
            for letter in text:
                self._add("name", letter)

    def _unit(self, text: str) -> bool:
        """Reads a unit that begins with these letters, such as `km/h`, if they are one."""
        match = _UNIT.match(self.source, self.position - len(text))
        if match is None or not is_unit(match[0]):
            return False
        self.position = match.end()
        self._add("unit", match[0])
        return True

    def _command(self, name: str) -> None:
        name = _SPELLED.get(name, name)
        if name in _IGNORED:
            if name in ("left", "right") and self.source[self.position : self.position + 1] == ".":
                self.position += 1
        elif name in _STYLES:
            self._styled(name)
        elif name in ("begin", "end"):
            self._matrix(name)
        elif name == "\\" and self._matrices:
            self._add("op", "\\\\")
        elif name in _LETTERED and (match := _LETTERS_OF.match(self.source, self.position)) is not None:
            self.position = match.end()
            kind = "vector" if name in _VECTORS else "name"
            self._add(kind, name + (match[1] or match[2]))
        elif name in _TOKENS:
            self.found.append(_TOKENS[name])
        elif name in ("ldots", "dots", "cdots", "dotsm", "dotsb", "dotsc"):
            self._add("op", "...")
        else:
            raise Unreadable(f"\\{name} is not known")

    def _matrix(self, command: str) -> None:
        match = _BRACES.match(self.source, self.position)
        kind = _MATRICES.get(match[1]) if match is not None else None
        if match is None or kind is None:
            raise Unreadable(f"\\{command} is not known")
        self.position = match.end()
        self._matrices = max(0, self._matrices + (1 if command == "begin" else -1))
        self._add("open" if command == "begin" else "close", kind)

    def _styled(self, style: str) -> None:
        match = _BRACES.match(self.source, self.position)
        if match is None:
            raise Unreadable(f"\\{style} has no plain text in braces")
        self.position = match.end()
        text = " ".join(match[1].split())
        if text in FUNCTIONS and not (self._follows_number() and is_unit(text)):
            self._add("function", text)
        elif text in _WORDS:
            self._add("op", _WORDS[text])
        elif len(text) == 1 and text.isalpha() and style in _BOLD:
            self._add("vector", f"vec{text}")
        elif len(text) == 1 and text.isalpha():
            self._add("text" if self._follows_number() and is_unit(text) else "name", text)
        elif style == "operatorname" and text.rstrip("'").isalpha():
            self._add("name", text)
        elif text:
            self._add("text", text)

    def _follows_number(self) -> bool:
        return bool(self.found) and self.found[-1].kind == "num"


_BRACES: Final = re.compile(r"\s*\{([^{}\\$]*)\}")
_LETTERS_OF: Final = re.compile(
    r"\s*(?:\{\s*(?:\\(?:mathbf|bold)\s*\{)?\s*([A-Za-z]+)\s*\}{1,2}|([A-Z]+|[a-z](?![a-z])))"
)
_PAIR: Final = re.compile(r"\d+,\d+")
_CLOSES: Final = re.compile(r"\s*(?:\\right)?\s*(?:\\rbrace|\\?[])}])")
_UNIT: Final = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)?(?:\^\{?[23]\}?)?")


class TokenReader:
    """A place among the tokens of a formula; its methods look at the next one, or take it."""

    def __init__(self, source: list[MathToken]) -> None:
        self._tokens = source
        self._at = 0
        self._depth = 0

    @property
    def _next(self) -> MathToken:
        return self._tokens[self._at]

    def _after(self, count: int = 1) -> MathToken:
        place = self._at + count
        return self._tokens[place] if place < len(self._tokens) else END

    def _take(self) -> MathToken:
        token = self._next
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def _is(self, kind: str, *texts: str) -> bool:
        token = self._next
        return token.kind == kind and (not texts or token.text in texts)

    def _accept(self, kind: str, *texts: str) -> MathToken | None:
        return self._take() if self._is(kind, *texts) else None

    def _expect(self, kind: str, *texts: str) -> MathToken:
        token = self._accept(kind, *texts)
        if token is None:
            raise Unreadable(f"expects {' or '.join(texts) or kind}, not {self._next.text or 'the end'!r}")
        return token

    def _nested(self, read: Callable[[], Term]) -> Term:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise Unreadable(f"the formula is nested more than {MOST_DEPTH} deep")
        found = read()
        self._depth -= 1
        return found

    def _run(self, read: Callable[[], Term], op: str) -> list[Term]:
        """Operands with an operator between them."""
        items = [read()]
        while self._accept("op", op):
            items.append(read())
        return items

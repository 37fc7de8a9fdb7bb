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
from potlang.expressions.amounts import currency, is_unit
from potlang.expressions.set_signs import SIGNS
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
    "is not": ("COMPARE", "!="),
    "NOT IN": ("NOT_IN", "not in"),
    "⊤": ("NAME", "True"),
    "⊥": ("NAME", "False"),
    ";": ("COMMA", ","),
    "=:=": ("COMPARE", "=="),
    "=\\=": ("COMPARE", "!="),
    "\\=": ("COMPARE", "!="),
    "\\==": ("COMPARE", "!="),
    "/=": ("COMPARE", "!="),
    "~=": ("COMPARE", "!="),
    "\\+": ("NOT", "not"),
    "≢": ("COMPARE", "!="),
    "⟹": ("IMPLIES", "->"),
    "⟶": ("IMPLIES", "->"),
    "⟺": ("IFF", "<->"),
    "⟷": ("IFF", "<->"),
    "⩽": ("COMPARE", "<="),
    "⩾": ("COMPARE", ">="),
    **dict.fromkeys(("\\land", "\\wedge"), ("AND", "and")),
    **dict.fromkeys(("\\lor", "\\vee"), ("OR", "or")),
    **dict.fromkeys(("\\neg", "\\lnot"), ("NOT", "not")),
    **dict.fromkeys(("\\to", "\\rightarrow", "\\implies", "\\Rightarrow", "\\supset"), ("IMPLIES", "->")),
    **dict.fromkeys(("\\iff", "\\leftrightarrow", "\\Leftrightarrow", "\\equiv"), ("IFF", "<->")),
    **dict.fromkeys(("\\leq", "\\le", "\\leqslant"), ("COMPARE", "<=")),
    **dict.fromkeys(("\\geq", "\\ge", "\\geqslant"), ("COMPARE", ">=")),
    **dict.fromkeys(("\\neq", "\\ne"), ("COMPARE", "!=")),
    **dict.fromkeys(("\\cdot", "\\times"), ("STAR", "*")),
    "\\in": ("IN", "in"),
    "\\notin": ("NOT_IN", "not in"),
    "\\top": ("NAME", "True"),
    "\\bot": ("NAME", "False"),
}
MOST = 20
_ENDS = frozenset(["NAME", "QUOTED", "NUMBER", "STRING", "BITS", "RPAR", "RSQB", "RBRACE"])
_WORDS = {"AND", "OR", "NOT", "IN", "NOT_IN"}
_CURLY = r"“[^“”\"]*[”\"]|\"[^“”\"]*”|‘[^‘’']*[’']|'[^‘’']*’"
_QUANTIFIER = (
    r"(?:∀|∃[!1]?|∄|\\(?:forall|exists!?|nexists)(?![A-Za-z])"
    r"|\b(?:[Ff]or_?[Aa]ll|[Ee]xists!?|FORALL|EXISTS|for\s+(?:all|every|each)|there\s+(?:exists|is))(?=\s+[^\W\d]))\s*"
)
_SET_SIGNS = "|".join(
    re.escape(sign) + "(?![A-Za-z])" * sign[-1].isalpha() for sign in sorted(SIGNS, key=len, reverse=True)
)
_UNIQUE = r"\b(?:[Ee]xists|EXISTS)(?:!|_?[Uu]nique(?:ly)?|1)(?=\s*\()|∃[!1](?=\s*\(\s*\[)"
_MEANT: dict[str, str] = {
    "∪": "write `Union(S, T)`",
    "∩": "write `Intersect(S, T)`",
    "⊆": "write `Subset(S, T)`",
    "⊂": "write `Subset(S, T) and S != T`",
    "⊇": "write `Subset(T, S)`",
    "⊃": "write `Implies(p, q)`",
    "∖": "write `Difference(S, T)`",
    "∅": "write `EmptySet`, beside a set",
    "∑": "write `Sum([x: Sort], f(x))`",
    "Σ": "write `Sum([x: Sort], f(x))`",
    "∏": "write `Product([x: Sort], f(x))`",
    "√": "there are no roots: name the root, `y * y == x and y >= 0`",
    "∞": "numbers have no greatest one: leave the bound out",
    "²": "write `x ** 2`",
    "³": "write `x ** 3`",
    "⌊": "write `Floor(x)`",
    "⌈": "write `Ceil(x)`",
    "≈": "write the bounds, `Abs(a - b) <= 0.1`",
    "□": "there are no modal operators: say what holds",
    "◇": "there are no modal operators: say what holds",
    "\\": "commands of LaTeX are not read: write `ForAll([x: Sort], …)`, `and`, `not`, `->`, `<=`",
    "⊢": "write the premises as facts, and the conclusion as a verification",
    "⊨": "write the premises as facts, and the conclusion as a verification",
}
"""Signs that mean something elsewhere, and what to write."""


@cache
def _scanner() -> re.Pattern[str]:
    name = tokens().patterns["NAME"]
    # Longer spellings stand before the grammar's tokens, whose beginnings they are (`=>`, `<>`).
    longer, single = (
        "|".join(
            re.escape(text).replace("is\\ not", r"\bis\s+not\b").replace("NOT\\ IN", r"\bNOT\s+IN\b")
            + ("(?![A-Za-z])" if text[-1].isalpha() else "")
            for text in sorted(_SPELLINGS, key=len, reverse=True)
            if (len(text) > 1) == long
        )
        for long in (True, False)
    )
    parts = [
        f"(?P<unique>{_UNIQUE})",
        f"(?P<quantifier>{_QUANTIFIER}(?P<paren>\\(\\s*)?(?P<bound>{name}(?:\\s+(?!in\\b){name})+(?=\\s*:)|{name}(?:\\s*,\\s*{name}(?!\\w*\\s*\\())*)"
        f"(?:\\s*(?::|∈|\\\\in\\b|\\bin\\b)\\s*(?P<range>{name})(?!\\w*\\s*\\())?\\s*(?(paren)\\))\\s*[.:,]?\\s*)",
        r"(?P<lambda>(?:\blambda\b|λ)[^:.]*[:.]?|\bfun\s+\w+\s*=>)",
        r"(?P<digits>[0-9]++(?=[^\W\d])(?![eE][+-]?[0-9]++(?!\w))\w++)",
        f"(?P<curly>{_CURLY})",
        r"(?P<tptp>[!?]\s*\[(?P<typed>[^\[\]]*)\]\s*:\s*)",
        rf"(?P<phrase>:-|←|=~|<~>|{_SET_SIGNS})",
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
        self.closing_bar = -1
        """Where the bars around a term close."""
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
            "range": self._quantifier,
            "unique": self._unique,
            "tptp": self._typed_quantifier,
            "typed": self._typed_quantifier,
            "lambda": self._lambda,
            "digits": self._digit_name,
            "curly": self._curly,
            "longer": self._spelling,
            "spelling": self._spelling,
            "open": self._open_string,
            "unknown": self._unknown,
            "phrase": self._unknown,
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
        sign = match.group().lower().lstrip("\\")
        word = (
            "ForAll"
            if sign[0] in "∀f"
            else "ExistsUnique"
            if "!" in sign[:8] or sign[1:2] == "1"
            else "Exists"
        )
        names = match["bound"].replace(",", " ").split()
        if any(name in tokens().keywords for name in names):
            self.tokens.append(Token("NAME", word, start, end))
            return
        if len(self.problems) >= MOST:
            self.stopped = True
            return
        close = _body_end(self.text, end)
        negated = sign[0] in "∄n"
        call = f"{'not ' * negated}{word}([{_bound(names, match['range'])}], "
        fix = Correction(f"write `{call}…)`", UNSAFE, ((start, end, call), (close, close, ")")))
        problem = f"a quantifier is written as a call: {call}…)"
        helps = (f"write `{call}…)`",)
        self.problems.append(syntax(start, end, problem, helps=helps, corrections=(fix,)))
        at = match.start("bound")
        parts = [("NOT", "not")] * negated + [("NAME", word), ("LPAR", "("), ("LSQB", "[")]
        for name in names:
            sorted_ = [("COLON", ":"), ("NAME", match["range"])] if match["range"] else []
            parts += [("NAME", name), *sorted_, ("COMMA", ",")]
        parts[-1] = ("RSQB", "]")
        self.tokens += [Token(kind, text, at, at) for kind, text in [*parts, ("COMMA", ",")]]
        self.open_quantifiers.append(self.depth)

    def _typed_quantifier(self, match: re.Match[str]) -> None:
        """`![X, Y: s]: p` of TPTP, which binds no more than the next formula."""
        start, end = match.span()
        word = "ForAll" if match.group()[0] == "!" else "Exists"
        names = [each.partition(":") for each in match["typed"].split(",")]
        # `$i` stands for all things there: which sort is meant has to be said.
        sorts = [sort.strip() if not sort.strip().startswith("$") else "" for _, _, sort in names]
        binders = [
            name.strip() + f": {sort}" * bool(sort) for (name, _, _), sort in zip(names, sorts, strict=True)
        ]
        call = f"{word}([{', '.join(binders)}], "
        close = _unit_end(self.text, end)
        fix = Correction(f"write `{call}…)`", UNSAFE, ((start, end, call), (close, close, ")")))
        problem = f"a quantifier is written as a call: {call}…)"
        self.problems.append(syntax(start, end, problem, helps=(f"write `{call}…)`",), corrections=(fix,)))
        # What it binds is read once it is a call.
        self.stopped = True

    def _unique(self, match: re.Match[str]) -> None:
        start, end = match.span()
        fix = Correction("write `ExistsUnique`", SAFE, ((start, end, "ExistsUnique"),))
        problem = f"`{match.group()}` is written as a call"
        self.problems.append(
            syntax(start, end, problem, helps=("write `ExistsUnique([x: Sort], p(x))`",), corrections=(fix,))
        )
        self.tokens.append(Token("NAME", "ExistsUnique", start, end))

    def _bars(self, start: int) -> None:
        """`|s|`, a size or a magnitude: bars around a term, where no operator can stand."""
        close = self.text.find("|", start + 1)
        inside = self.text[start + 1 : close].strip()
        is_number = any(sign in inside for sign in "+-*/")
        fixes = tuple(
            Correction(f"write `{word}({inside})`", UNSAFE, ((start, close + 1, f"{word}({inside})"),))
            for word in (("Abs", "Size") if is_number else ("Size", "Abs"))
        )
        sizes = f"`Size({inside})` of a set or a string"
        magnitude = f"`Abs({inside})` of a number"
        helps = (f"write {magnitude}, {sizes}" if is_number else f"write {sizes}, {magnitude}",)
        self.problems.append(
            syntax(start, close + 1, "bars do not make a term", helps=helps, corrections=fixes)
        )
        self.closing_bar = close
        self.tokens.append(Token("LPAR", "(", start, start + 1))
        self.depth += 1

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
            self.problems.append(syntax(start, end, problem, helps=(f"write `{plain}`",), corrections=(fix,)))
            self.tokens.append(Token("NUMBER", plain, start, end))
            return
        number = re.match(r"[0-9]+", word)
        if number and is_unit(word[number.end() :]):
            self.tokens.append(Token("NUMBER", number[0], start, start + number.end()))
            self.tokens.append(Token("NAME", word[number.end() :], start + number.end(), end))
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
        if word == "|" and start == self.closing_bar:
            self.tokens.append(Token("RPAR", ")", start, end))
            self.depth -= 1
            return
        before = self.tokens[-1].kind if self.tokens else ""
        if word == "|" and before not in _ENDS and self.text.find("|", end) > end:
            self._bars(start)
            return
        if word == ";" and not self.text[end:].strip():
            fix = Correction("remove it", SAFE, ((start, end, ""),))
            self.problems.append(
                syntax(
                    start, end, "a formula ends without a sign", helps=("remove the `;`",), corrections=(fix,)
                )
            )
            return
        kind, meant = _SPELLINGS[word]
        trust, helps = SAFE, [f"write `{meant}`"]
        if word == "^":
            helps.append("of formulas write `p and q` or `Xor(p, q)`")
        if word in ("=>", "==>") and self.text[end:].lstrip()[:1].isdigit():
            kind, meant, trust = "COMPARE", ">=", UNSAFE
            helps = ["write `>=` for the comparison, `->` for the implication"]
        elif word in ("^", ";") or (word == "!==" and not self.text[:start].endswith(" ")):
            trust = UNSAFE
        elif word in ("|", "&"):
            helps.append(f"of sets write `{'Union' if word == '|' else 'Intersect'}(S, T)`")
        elif word in ("∈", "\\in") and self.text[end:].lstrip()[:1] == "[":
            # `[1, 5]` may be an interval, and is a list here.
            trust = UNSAFE
            helps.append("for an interval write `Between(x, low, high)`")
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
        amount = currency(self.text, start)
        if amount is not None:
            self.problems.append(amount)
            return
        category = unicodedata.category(char[0])
        harmless = (char == "." and last) or category in ("Cf", "Cc", "Zs")
        self.unreadable |= not harmless and not last
        if (not harmless and not last) or char in SIGNS:
            self.tokens.append(Token("OTHER", char, start, end))
        fix = Correction("remove it", SAFE if harmless else UNSAFE, ((start, end, ""),))
        helps: tuple[str, ...] = ()
        if char in _MEANT:
            helps = (_MEANT[char],)
        elif char == "?" and last:
            helps = ("a question is written as the formula that is asked about",)
        elif char == "@" or char == "$":
            helps = ("a name with this character is written in backquotes",)
        self.problems.append(Fault("POT1022", start, end, {"char": char}, "", helps, (fix,)))


def _bound(names: list[str], sort: str | None) -> str:
    """Binders with their sort, if it stands there."""
    return ", ".join(names if sort is None else [f"{name}: {sort}" for name in names])


_UNIT = re.compile(r"(?:\s|~|¬|!(?!\s*[=\[]))*")
_EQUALS = re.compile(r"\s*(?:!=|=(?![>=]))\s*")
_WORD = re.compile(r"\w+")


def _unit_end(text: str, start: int) -> int:
    """Where the next atom, negation, quantified formula or group of brackets ends."""
    found = _UNIT.match(text, start)
    at = found.end() if found is not None else start
    if text[at : at + 1] in ("!", "?"):
        # A quantifier goes to where its own body ends, which is not looked for here.
        return _body_end(text, at)
    at = _term_end(text, at)
    equals = _EQUALS.match(text, at)
    return at if equals is None else _term_end(text, equals.end())


def _term_end(text: str, at: int) -> int:
    word = _WORD.match(text, at)
    at = at if word is None else word.end()
    return _body_end(text, at + 1) + 1 if text[at : at + 1] == "(" else at


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

"""Messages for unexpected tokens: the missing operand or operator, and the correct spelling."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from potlang.expressions.actions import Correction, Fault
from potlang.expressions.tables import END, Token
from potlang.expressions.tolerant_lexer import SAFE, UNSAFE, syntax

OPENING = frozenset(["LPAR", "LSQB", "LBRACE"])
CLOSING = frozenset(["RPAR", "RSQB", "RBRACE"])
_ATOMS = frozenset(["NAME", "QUOTED", "NUMBER", "STRING", "BITS", "DATE", "AMOUNT"])
_BEGINS = _ATOMS | OPENING | {"NOT", "NOT_SIGN"}
VALUE_ENDS = _ATOMS | CLOSING
_SIGNS = ("AND_SIGN", "OR_SIGN", "NOT_SIGN", "IMPLIES_SIGN", "IFF_SIGN")
_WORDS = ("AND", "OR", "NOT", "IN", "IMPLIES", "IFF")
_OPERATORS = frozenset((*_WORDS, *_SIGNS, "COMPARE", "PLUS", "MINUS", "STAR", "DIVIDE", "POWER"))
_KINDS: Mapping[str, str] = MappingProxyType(
    {"NAME": "the name", "QUOTED": "the name", "NUMBER": "the number", "STRING": "the string"}
)
_MONTHS = frozenset(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
BINDERS = frozenset(("ForAll", "Exists", "ExistsUnique", "Sum", "Product", "Count"))
WORD_OPERATORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "implies": ("IMPLIES", "->"),
        "Implies": ("IMPLIES", "->"),
        "IMPLIES": ("IMPLIES", "->"),
        "iff": ("IFF", "<->"),
        "Iff": ("IFF", "<->"),
        "IFF": ("IFF", "<->"),
        "AND": ("AND", "and"),
        "And": ("AND", "and"),
        "OR": ("OR", "or"),
        "Or": ("OR", "or"),
        "is": ("COMPARE", "=="),
        "IS": ("COMPARE", "=="),
        "but": ("AND", "and"),
        "equals": ("COMPARE", "=="),
        "mod": ("DIVIDE", "%"),
        "div": ("DIVIDE", "//"),
        "IN": ("IN", "in"),
    }
)
"""Names that stand where only an operator can: (terminal, spelling)."""


def token_words(token: Token) -> str:
    """A token for people: `the name \\`a\\``, `\\`)\\``, `the end`."""
    if token.kind == END:
        return "the end"
    kind = _KINDS.get(token.kind)
    text = token.text if len(token.text) <= 40 else token.text[:39] + "…"
    quoted = text if token.kind == "QUOTED" else f"`{text}`"
    return f"{kind} {quoted}" if kind else quoted


def expected_words(expected: list[str]) -> str:
    """The expected tokens in words: `a term, a comma or \\`)\\``."""
    words: dict[str, None] = {}
    closers = {"RPAR": "`)`", "RSQB": "`]`", "RBRACE": "`}`", "COMMA": "a comma", "COLON": "`:`"}
    for kind in expected:
        if kind in _ATOMS:
            words["a name or a value"] = None
        elif kind in closers:
            words[closers[kind]] = None
        elif kind in _OPERATORS and kind not in ("NOT", "NOT_SIGN"):
            words["an operator"] = None
        elif kind == END:
            words["the end"] = None
    parts = list(words)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}" if parts else "nothing"


def describe(previous: Token | None, token: Token, expected: list[str]) -> Fault:
    """The syntax problem of a `token` behind `previous` where the parser takes only `expected` terminals."""
    problem = None
    if previous is not None and previous.kind in VALUE_ENDS and token.kind in _BEGINS:
        problem = _two_values(previous, token, expected)
    elif token.kind in CLOSING or token.kind in _OPERATORS or token.kind in (END, "COMMA"):
        problem = _no_operand(previous, token, expected)
    if problem is None:
        problem = _special(token)
    if problem is not None:
        return problem
    start, end = token.start, max(token.end, token.start + (token.kind != END))
    helps = (f"expected {expected_words(expected)}",)
    return syntax(start, end, f"unexpected {token_words(token)}", helps=helps)


def _two_values(previous: Token, token: Token, expected: list[str]) -> Fault | None:
    helps: tuple[str, ...]
    start, end = previous.start, token.end
    names = previous.kind == token.kind == "NAME"
    if previous.kind == "NAME" and previous.text in ("NOT", "Not", "No", "no"):
        fix = Correction("write `not`", SAFE, ((previous.start, previous.end, "not"),))
        problem = f"`{previous.text}` is not an operator"
        return syntax(previous.start, previous.end, problem, helps=("write `not`",), corrections=(fix,))
    if token.text in ("for", "if", "else", "where"):
        shape = "If(c, a, b)" if token.text in ("if", "else") else "ForAll([x: Sort], …)"
        return syntax(token.start, end, f"`{token.text}` is not an operator", helps=(f"write `{shape}`",))
    if previous.text in ("if", "If", "IF"):
        helps = ("write `Implies(p, q)` or `If(c, a, b)`",)
        return syntax(previous.start, previous.end, f"`{previous.text}` is not an operator", helps=helps)
    if token.kind == "LSQB" and previous.text in BINDERS:
        helps = (f"write `{previous.text}([x], …)`",)
        return syntax(previous.start, end, "the parenthesis of the call is missing", helps=helps)
    if token.kind == "LSQB" and token.start == previous.end:
        whole = previous.text if previous.kind in ("NAME", "QUOTED") else "f"
        helps = (
            f"write `{whole}(x)` for a function, `Select({whole}, index)` for an element of an array, "
            f"`Substring({whole}, index, 1)` for a character",
        )
        return syntax(token.start, end, "brackets after a value do not select an element", helps=helps)
    helps = _date_helps(previous, token)
    if previous.kind == "NUMBER" and token.kind == "NAME" and not helps:
        number, name = previous.text, token.text
        helps = (
            f"if `{name}` is a unit, write `Quantity({number}, {name})`; for a product `{number} * {name}`",
        )
    fixes: list[Correction] = []
    if names:
        both = f"{previous.text} {token.text}"
        applied = f"if the first is a function, write `{previous.text}({token.text})`"
        one_name = f"if this is one name, write it in backquotes: `{both}`"
        helps = (one_name,) if "COMMA" in expected else (applied, one_name)
        if previous.text in ("Implies", "Iff", "And", "Or", "Xor"):
            helps = (f"write `{previous.text}(p, q)`",)
    if "COMMA" in expected:
        fixes.append(Correction("insert a comma", UNSAFE, ((previous.end, previous.end, ","),)))
        what = "a comma"
    else:
        what = "an operator"
    between = f"between {token_words(previous)} and {token_words(token)}"
    return syntax(start, end, f"{what} is missing {between}", helps=helps, corrections=tuple(fixes))


def _date_helps(previous: Token, token: Token) -> tuple[str, ...]:
    """The help where two values are parts of a date, such as `12 May 2025` and `2025-01-20 14:30`."""
    if previous.kind == "DATE" and token.kind == "NUMBER":
        return (f"write day and time as one: `{previous.text}T14:30`",)
    pair = {previous.kind: previous.text, token.kind: token.text}
    if "NUMBER" in pair and pair.get("NAME", "")[:3].lower() in _MONTHS:
        return ("dates are written year, month, day: `2025-01-20`",)
    return ()


def _no_operand(previous: Token | None, token: Token, expected: list[str]) -> Fault | None:
    if previous is not None and previous.kind in _OPERATORS:
        if token.kind in ("NOT", "NOT_SIGN"):
            helps = (f"write `{previous.text} (not …)`",)
            return syntax(token.start, token.end, "`not` needs parentheses here", helps=helps)
        return _missing(previous, f"`{previous.text}` has nothing on its right")
    if token.kind in _OPERATORS and (
        previous is None or previous.kind in OPENING or previous.kind == "COMMA"
    ):
        if token.kind == "PLUS":
            fix = Correction("remove the `+`", SAFE, ((token.start, token.end, ""),))
            return syntax(token.start, token.end, "a value cannot have the sign `+`", corrections=(fix,))
        return _missing(token, f"`{token.text}` has nothing on its left")
    if token.kind == "COMMA":
        if previous is None or previous.kind in OPENING or previous.kind == "COMMA":
            fix = Correction("remove the comma", UNSAFE, ((token.start, token.end, ""),))
            return syntax(token.start, token.end, "nothing stands before this comma", corrections=(fix,))
        if END in expected or "RPAR" in expected:
            helps = ("join formulas with `And(…)`, or write one expression an item",)
            return syntax(token.start, token.end, "a comma cannot join formulas here", helps=helps)
    if (
        previous is not None
        and previous.kind in ("RSQB", "RBRACE")
        and END not in expected
        and "RPAR" not in expected
    ):
        helps = ("lists stand as arguments, as binders, after `in` and beside a set",)
        return syntax(previous.start, previous.end, "a list cannot stand here", helps=helps)
    if previous is not None and previous.kind in OPENING and token.kind in CLOSING:
        return syntax(previous.start, token.end, "these brackets are empty")
    if previous is not None and previous.kind == "COMMA" and token.kind in CLOSING | {END}:
        fix = Correction("remove the comma", SAFE, ((previous.start, previous.end, ""),))
        return syntax(previous.start, previous.end, "nothing follows this comma", corrections=(fix,))
    if token.kind == "COMPARE" and "COMPARE" not in expected:
        helps = ("put the test for membership in parentheses: `(x in s) == …`",)
        return syntax(token.start, token.end, f"`{token.text}` cannot follow this", helps=helps)
    return None


def _missing(token: Token, problem: str) -> Fault:
    return syntax(token.start, token.end, problem, primary="an operand is missing")


def _special(token: Token) -> Fault | None:
    if token.kind == "COLON":
        helps = ("`:` gives a bound variable its sort, as in `ForAll([x: Person], …)`",)
        return syntax(token.start, token.end, "unexpected `:`", helps=helps)
    if token.kind in ("LSQB", "LBRACE"):
        helps = ("lists stand as arguments, as binders and after `in`",)
        return syntax(token.start, token.end, "a list cannot stand here", helps=helps)
    return None

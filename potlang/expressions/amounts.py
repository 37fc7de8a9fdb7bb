"""Dates, amounts and numbers with units in spellings that are not read: found, and said how to write them.

`2025-1-5` is a subtraction by the grammar and `25,000` two arguments. Written without blanks they
never mean that, so they are errors rather than wrong answers.
"""

from __future__ import annotations

import datetime
import re
from itertools import pairwise

from potlang.diag.model import Applicability
from potlang.expressions.actions import Correction, Fault
from potlang.expressions.tables import END, Token

_SUSPECT = re.compile(r"[0-9][-/,][0-9]")
_GROUP = re.compile(r"[0-9]{3}(?:\.[0-9]+)?(?![0-9.])")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_UNITS = frozenset(
    (
        *(
            "second",
            "minute",
            "hour",
            "day",
            "week",
            "month",
            "year",
            "business_day",
            "workday",
            "night",
            "decade",
        ),
        *(
            "percent",
            "pct",
            "dollar",
            "euro",
            "pound",
            "cent",
            "usd",
            "eur",
            "gbp",
            "chf",
            "jpy",
            "yen",
            "rupee",
        ),
        *("kg", "g", "mg", "gram", "kilogram", "ton", "tonne", "lb", "lbs", "oz", "ounce"),
        *(
            "km",
            "m",
            "cm",
            "mm",
            "meter",
            "metre",
            "kilometer",
            "kilometre",
            "mile",
            "foot",
            "feet",
            "ft",
            "inch",
        ),
        *(
            "inches",
            "yard",
            "l",
            "ml",
            "liter",
            "litre",
            "gallon",
            "celsius",
            "fahrenheit",
            "degree",
            "kwh",
            "mb",
        ),
        *(
            "gb",
            "kb",
            "tb",
            "h",
            "hr",
            "min",
            "sec",
            "ms",
            "mph",
            "kmh",
            "point",
            "unit",
            "item",
            "piece",
            "people",
        ),
        *("k", "million", "billion", "thousand", "dozen", "time"),
    )
)
_FACTORS = {"k": 1_000, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_TIMES = frozenset(["second", "minute", "hour", "day", "week"])
_CURRENCIES = "$€£¥₹₽₩"
_MOST = 20


def is_suspect(text: str) -> bool:
    """Whether there may be a date or a number with commas in a text that the grammar reads."""
    return _SUSPECT.search(text) is not None


def without_amounts(tokens: list[Token]) -> tuple[list[Token], list[Fault]]:
    """The tokens with each date or amount as one number, and a fault for each."""
    found: list[Token] = []
    faults: list[Fault] = []
    at = 0
    while at < len(tokens):
        taken = 0
        if tokens[at].kind == "NUMBER" and len(faults) < _MOST:
            taken, number, fault = _amount(tokens, at)
            if fault is not None:
                found.append(number)
                faults.append(fault)
                if number.text.endswith("*"):
                    # `20% of x`: the product goes on.
                    found[-1:] = [
                        number._replace(text=number.text[:-2]),
                        Token("STAR", "*", number.end, number.end),
                    ]
        if not taken:
            found.append(tokens[at])
        at += taken or 1
    return found, faults


def _amount(tokens: list[Token], at: int) -> tuple[int, Token, Fault | None]:
    """How many tokens an amount takes, the number that stands for it, and its fault."""
    for reader in (_date, _thousands, _percent, _unit):
        size, value, problem, helps, fix = reader(tokens, at)
        if size:
            start, end = tokens[at].start, tokens[at + size - 1].end
            corrections = (
                () if fix is None else (Correction(fix, Applicability.UNSAFE, ((start, end, value),)),)
            )
            fault = Fault("POT1030", start, end, {"problem": problem}, "", helps, corrections)
            is_amount = any(token.kind == "AMOUNT" for token in tokens[at : at + size])
            read_as = "DATE" if reader is _date else "AMOUNT" if is_amount else "NUMBER"
            return size, Token(read_as, value, start, end), fault
    return 0, tokens[at], None


_Amount = tuple[int, str, str, tuple[str, ...], str | None]
_NONE: _Amount = (0, "", "", (), None)


def _adjacent(tokens: list[Token]) -> bool:
    return all(one.end == other.start for one, other in pairwise(tokens))


def _date(tokens: list[Token], at: int) -> _Amount:
    parts = tokens[at : at + 5]
    if len(parts) == 5 and [each.kind for each in parts[::2]] == ["NUMBER"] * 3 and _adjacent(parts):
        words, sign = [each.text for each in parts[::2]], parts[1].text
        if sign == parts[3].text and sign in "-/" and all(word.isdigit() for word in words):
            sizes = [len(word) for word in words]
            if sizes[0] == 4 and max(sizes[1:]) <= 2:
                return _dated(5, words, sign, sign.join(words))
            if sizes[2] == 4 and max(sizes[:2]) <= 2 and max(map(int, words[:2])) <= 31:
                return _dated(5, words[::-1], sign, sign.join(words))
    dotted = "".join(each.text for each in tokens[at : at + 2])
    if _adjacent(tokens[at : at + 2]) and re.fullmatch(r"\d\d?\.\d\d?\.\d{4}", dotted):
        return _dated(2, dotted.split(".")[::-1], ".", dotted)
    return _NONE


def _dated(size: int, words: list[str], sign: str, written: str) -> _Amount:
    """A date of year, month and day; with the year last and `/` the others may be in either order."""
    year, month, day = map(int, words)
    helps: tuple[str, ...] = (
        "dates have four digits for the year, two for the month and two for the day: `2025-01-20`",
    )
    if sign != ".":
        helps = (
            *helps,
            f"for arithmetic put blanks around the operators: `{written.replace(sign, f' {sign} ')}`",
        )
    problem = f"`{written}` is not how dates are written"
    try:
        text = datetime.date(year, month, day).isoformat()
    except ValueError:
        return size, "2000-01-01", problem if sign == "/" else f"`{written}` is no date", helps, None
    fix = f"write `{text}`"
    certain = written.startswith(words[0]) or sign == "." or day == month
    return size, text, problem, (f"write `{text}` for that day", *helps), fix if certain else None


def day_number(text: str) -> int | None:
    """The number of the day that a text such as `2025-01-20` names; None for any other."""
    try:
        return datetime.date.fromisoformat(text).toordinal() if _ISO.fullmatch(text) else None
    except ValueError:
        return None


def _thousands(tokens: list[Token], at: int) -> _Amount:
    size = 1
    while (
        at + size + 1 < len(tokens)
        and tokens[at + size].kind == "COMMA"
        and tokens[at + size + 1].kind in ("NUMBER", "AMOUNT")
        and _adjacent(tokens[at + size - 1 : at + size + 2])
        and _GROUP.match(tokens[at + size + 1].text)
        and tokens[at + size - 1].text.isdigit()
    ):
        size += 2
    if size == 1 or not re.fullmatch(r"[1-9][0-9]{0,2}", tokens[at].text):
        return _NONE
    written = "".join(token.text for token in tokens[at : at + size])
    plain = written.replace(",", "")
    helps = (
        f"write `{plain}`",
        f"for several numbers put a blank behind the comma: `{written.replace(',', ', ')}`",
    )
    return size, plain, f"`{written}` has a comma in a number", helps, f"write `{plain}`"


def _percent(tokens: list[Token], at: int) -> _Amount:
    sign = tokens[at + 1]
    if sign.text != "%" or not re.fullmatch(r"[0-9.]+", tokens[at].text):
        return _NONE
    follower = tokens[at + 2]
    names_whole = follower.kind == "NAME" and follower.text == "of"
    if not names_whole and not _ends_operand(follower):
        return _NONE
    value = _hundredth(tokens[at].text)
    helps = (f"write the fraction, `{value}`",)
    text = f"{value} *" if names_whole else value
    fix = f"write `{text}`"
    return 2 + names_whole, text, f"`{tokens[at].text}%` needs an operator behind it", helps, fix


def _ends_operand(token: Token) -> bool:
    ends = (
        "RPAR",
        "RSQB",
        "RBRACE",
        "COMMA",
        "AND",
        "OR",
        "IMPLIES",
        "IFF",
        "COMPARE",
        "PLUS",
        "STAR",
        "DIVIDE",
    )
    return token.kind in (END, *ends)


def _hundredth(text: str) -> str:
    whole, _, rest = text.partition(".")
    padded = whole.rjust(3, "0")
    return f"{padded[:-2]}.{padded[-2:]}{rest}".rstrip("0").rstrip(".") or "0"


def _unit(tokens: list[Token], at: int) -> _Amount:
    unit = tokens[at + 1]
    if unit.kind != "NAME" or not is_unit(unit.text):
        return _NONE
    following = tokens[at + 2]
    # `5 m(x)` lacks an operator: the name is that of a function.
    if following.kind in ("LPAR", "NAME", "NUMBER"):
        return _NONE
    number = tokens[at].text
    plain = with_unit(number, unit.text)
    helps = (
        f"write `Quantity({number}, {unit.text})`, or `{plain}` and say the unit in the name of the function",
    )
    if unit.text.removesuffix("s") in _TIMES:
        # `20days`: read with a blank between.
        text = f"{number} {unit.text}"
        return 2, text, f"`{number}{unit.text}` needs a blank", (f"write `{text}`",), f"write `{text}`"
    problem = f"`{number} {unit.text}` has a unit that is not read behind a number"
    return 2, plain, problem, helps, f"write `{plain}`"


def is_unit(word: str) -> bool:
    """Whether a name behind a number is that of a unit."""
    folded = word.casefold()
    return folded in _UNITS or folded.removesuffix("s") in _UNITS


def with_unit(number: str, unit: str) -> str:
    """The plain number that a number with its unit is written as."""
    folded = unit.casefold().removesuffix("s")
    if folded in ("percent", "pct"):
        return _hundredth(number)
    factor = _FACTORS.get(folded)
    return str(int(number) * factor) if factor and number.isdigit() else number


def currency(text: str, start: int) -> Fault | None:
    """The fault of a currency's sign before or behind a number."""
    sign = text[start]
    beside = text[start + 1 : start + 3].strip()[:1] + text[:start].rstrip()[-1:]
    # Elsewhere `$` encloses formulas of LaTeX.
    if sign not in _CURRENCIES or not any(char.isdigit() or char == "." for char in beside):
        return None
    end = start + 1
    helps = ("write the sign before the number, `$900`, or the code of the currency behind it, `900 USD`",)
    fix = Correction(f"remove the `{sign}`", Applicability.UNSAFE, ((start, end, ""),))
    return Fault("POT1030", start, end, {"problem": f"`{sign}` does not stand here"}, "", helps, (fix,))

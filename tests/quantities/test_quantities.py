"""Programs with dates, durations, money and quantities: their verdicts, their models, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

import potlang

FUNCTIONS: list[dict[str, Any]] = [
    {"name": "due", "domain": [], "range": "Date"},
    {"name": "sent", "domain": ["Order"], "range": "Date"},
    {"name": "at", "domain": [], "range": "DateTime"},
    {"name": "fee", "domain": [], "range": "Money(USD)"},
    {"name": "weight", "domain": [], "range": "Quantity(kg)"},
    {"name": "wait", "domain": [], "range": "Duration"},
    {"name": "shift", "domain": [], "range": "Duration(seconds)"},
    {"name": "share", "domain": [], "range": "Real"},
]
BASE: dict[str, Any] = {
    "sorts": [{"name": "Order", "type": "EnumSort", "values": ["first", "second"]}],
    "functions": FUNCTIONS,
}


def verdicts(*claims: str, facts: tuple[str, ...] = ()) -> list[str]:
    items = [{"name": str(at), "constraint": claim} for at, claim in enumerate(claims)]
    program = {**BASE, "knowledge_base": list(facts), "verifications": items}
    return [str(result.verdict) for result in potlang.verify(program, trust="solver").results]


def codes(formula: str, program: dict[str, Any] = BASE) -> list[str]:
    checked = potlang.check({**program, "knowledge_base": [formula]})
    return [each.code for each in checked.diagnostics if str(each.severity) == "error"]


KNOWN = [
    "2025-02-21 - 2025-01-20 == 32 days",
    "2024-02-28 + 2 days == 2024-03-01",
    "1 week + 2024-12-31 - 7 days == 2024-12-31",
    "2025-01-20T14:30 + 90 minutes == 2025-01-20T16:00",
    "2025-01-20T00:30 - 1 hour == 2025-01-19T23:30",
    "2025-01-21T00:00 - 2025-01-20T12:00 == 12 hours",
    "2 days == 48 hours",
    "1.5 days == 36 hours",
    "2 * 3 days < 1 week",
    "Days(30) == 30 days and Weeks(2) == 14 days and Hours(24) == 1 day and Minutes(60) == 1 hour",
    "Days(2025-01-20, 2025-02-21) == 32",
    'Days("2025-01-20", "2025-02-21") == 32',
    'date("2025-02-21") >= date("2025-01-20")',
    "Date(2025, 2, 21) - Date(2025, 1, 20) > 30 days",
    "DateTime(2025, 1, 20, 14, 30) == 2025-01-20T14:30",
    "DateTime(2025-01-20) == 2025-01-20T00:00 and DateOf(2025-01-20T14:30) == 2025-01-20",
    "Hour(2025-01-20T14:30) == 14 and Minute(2025-01-20T14:30) == 30",
    "Year(2025-01-20) == 2025 and Month(2025-01-20) == 1 and Day(2025-01-20) == 20",
    "Weekday(2025-01-20) == 1",
    "AddMonths(2025-01-31, 1) == 2025-02-28",
    'AddMonths(2025-01-31, 1, "up") == 2025-03-01',
    "AddMonths(2025-03-31, -1) == 2025-02-28",
    "AddYears(2024-02-29, 1) == 2025-02-28",
    "$900 + 100 USD == 1000 USD",
    "$1,900.50 / 2 == 950.25 USD",
    "$900 * 10 % == $90 and 900 USD / 3 USD == 300",
    "Sum([$1, $2, $3]) == $6 and Max([$1, $2]) == $2 and Abs(-$3) == $3",
    "Money(5, XAU) < Money(6, XAU)",
    "Quantity(5, parsecs) / Quantity(2, parsecs) == 2.5",
    "5 kg < 5.5 kg",
    "10% == 0.1 and 7 % 4 == 3 and 10 %3 == 1",
    "17 days // 7 days == 2 and 17 days % 7 days == 3 days",
    "2025-01-20 in [2025-01-20, 2025-01-21]",
    "If(1 < 2, 1 day, 2 days) == 24 hours",
]


def test_known_terms_are_computed() -> None:
    """[QTY-LIT-1], [QTY-LIT-2], [QTY-LIT-3], [QTY-ARITH], [QTY-FUNC], [QTY-MONTHS]"""
    found = verdicts(*KNOWN)
    assert [claim for claim, verdict in zip(KNOWN, found, strict=True) if verdict != "entailed"] == []


def test_ground_dates_are_numerals() -> None:
    """[QTY-ARITH]: nothing of a calendar is left for engines."""
    program = potlang.compile({**BASE, "knowledge_base": ["due == AddMonths(2025-01-31, 1) + 3 days"]})
    assert program.module.definitions == ()
    assert "20150" in program.emit("ir")


ALWAYS = [
    "ForAll([d: Date], AddMonths(d, 1) > d)",
    "ForAll([d: Date, e: Date], d <= e -> AddMonths(d, 1) <= AddMonths(e, 1))",
    "ForAll([d: Date], Month(d) == 1 -> Month(d + 30 days) in [1, 2, 3])",
    "ForAll([d: Date], Year(AddYears(d, 10)) == Year(d) + 10)",
    "ForAll([d: Date], 28 <= DaysBetween(d, AddMonths(d, 1)) <= 31)",
    "ForAll([d: Date], Year(d) >= 1900)",
    "ForAll([t: DateTime], t + 1 hour > t)",
    "Exists([d: Date], Month(d) == 2 and Day(d) == 29 and Year(d) == 2096)",
    "Year(due) <= 2199 and Year(sent(first)) >= 1900",
]
NEVER = [
    "ForAll([d: Date], AddMonths(AddMonths(d, 1), 1) == AddMonths(d, 2))",
    "Exists([d: Date], Month(d) == 2 and Day(d) == 29 and Year(d) == 2100)",
    "ForAll([d: Date], Month(d) == 1 -> Month(d + 30 days) <= 2)",
]


def test_a_few_claims_about_all_dates() -> None:
    """[QTY-CALENDAR], [QTY-RANGE], [QTY-LOWER]"""
    assert verdicts(ALWAYS[0], ALWAYS[5], NEVER[1]) == ["entailed", "entailed", "refuted"]


@pytest.mark.slow
def test_claims_about_all_dates() -> None:
    """[QTY-CALENDAR], [QTY-RANGE], [QTY-LOWER]"""
    assert verdicts(*ALWAYS) == ["entailed"] * len(ALWAYS)
    assert verdicts(*NEVER) == ["refuted"] * len(NEVER)


@pytest.mark.slow
def test_models_and_bindings_show_dates_and_money() -> None:
    """[QTY-SHOWN]"""
    facts = ["due == 2025-03-31", "fee > $899.5", "sent(first) == due + 1 day", "at == 2025-01-20T14:30"]
    facts += ["wait == 30 days", "shift == 90 minutes"]
    claim = "at < 2025-01-20T14:31 and fee == $900 and wait == 30 days and shift > 1 hour"
    claim += " and Year(sent(first)) == 2025"
    found = {"name": "f", "find": [{"name": "d", "sort": "Date"}], "constraint": "due == d"}
    bad = {"name": "v", "constraint": "ForAll([d: Date], AddMonths(d, 1) == d + 31 days)"}
    program = {**BASE, "knowledge_base": facts, "verifications": [{"constraint": claim}, found, bad]}
    first, second, third = potlang.verify(program).results
    assert first.evidence.could_be_true is not None
    assert (
        first.evidence.could_be_true.items()
        >= {
            "fee": "900 USD",
            "wait": "30 days",
            "shift": "90 minutes",
            "sent(first)": "2025-04-01",
            "Year(sent(first))": "2025",
            "at": "2025-01-20T14:30",
        }.items()
    )
    assert second.evidence.bindings is not None
    assert [*second.evidence.bindings.certain] == [{"d": "due"}, {"d": "2025-03-31"}]
    assert third.evidence.witness is not None
    shown = third.evidence.witness.bindings[0]["d"]
    assert potlang.compile({**BASE, "knowledge_base": [f"due == {shown}"]})


@pytest.mark.usefixtures("unhurried")
def test_models_show_calls_of_the_calendar_as_they_are_written() -> None:
    """[QTY-SHOWN]: and nothing of how their values are found."""
    claim = "Month(due) == 2 and AddMonths(due, 1) == AddMonths(due, 1, 'up') and AddYears(due, 200) > due"
    program = {"functions": FUNCTIONS[:1], "verifications": [{"constraint": claim}]}
    shown = potlang.verify(program, trust="solver").results[0].evidence.could_be_true
    assert shown is not None
    calls = {"due", "Month(due)", "AddMonths(due, 1)", "AddMonths(due, 1, 'up')", "AddMonths(due, 2400)"}
    assert set(shown) == calls


def test_programs_come_back_as_they_are_written() -> None:
    """[QTY-SHOWN]: `--to pot` writes literals, and writes itself again."""
    facts = ["due + 30 days < 2025-03-31", "fee * 2 <= $900", "weight / 2 > 1.5 kg", "shift == 90 minutes"]
    facts += ["AddMonths(due, 1, 'up') > AddMonths(due, 1)", "Quantity(5, parsecs) == -Quantity(5, parsecs)"]
    facts += ["wait * 2 > -3 days", "Exists([d: Date], d - due == wait)"]
    text = potlang.compile({**BASE, "knowledge_base": facts}).emit("pot")
    assert potlang.compile(json.loads(text)).emit("pot") == text
    for literal in ("30 days", "2025-03-31", "900 USD", "90 minutes", "AddMonths(due, 1, 'up')", "1.5 kg"):
        assert literal in text


@pytest.mark.slow
def test_sessions_read_dates_too() -> None:
    """[QTY-LOWER]: also where the program itself has none, and a claim is the first to use the calendar."""
    with potlang.compile(
        {"functions": FUNCTIONS[:1], "knowledge_base": ["due >= 2025-03-01"]}
    ).session() as session:
        assert session.verify("due + 1 day > 2025-03-01").verdict == "entailed"
        assert session.verify("Year(due) >= 2025").verdict == "entailed"
        session.push("Month(due) == 2")
        assert session.verify("Year(due) >= 2026").verdict == "entailed"
        session.pop()
        assert session.verify("AddMonths(due, 1) > due").verdict == "entailed"
    with potlang.compile({"knowledge_base": []}).session() as session:
        assert session.verify("ForAll([d: Date], d + 1 day > d)").verdict == "entailed"


def test_variables_that_a_session_sees_first_are_days_of_the_calendar() -> None:
    """[QTY-RANGE]"""
    program = {"functions": FUNCTIONS[:1], "variables": [{"name": "x", "sort": "Date"}]}
    with potlang.compile(program).session() as session:
        assert session.verify("Year(due) >= 1900").verdict == "entailed"
        assert session.verify("x >= 1900-01-01 and x <= 2199-12-31").verdict == "entailed"
        session.push("AddMonths(due, 1) == x")
        assert session.verify("x - due <= 31 days").verdict == "entailed"


def test_declarations_of_the_program_win() -> None:
    """[QTY-SORT]"""
    program = {
        "sorts": [{"name": "Date", "type": "EnumSort", "values": ["monday", "friday"]}],
        "functions": [
            {"name": "Days", "domain": ["Date"], "range": "Int"},
            {"name": "Year", "domain": ["Date", "Int"], "range": "Bool"},
            {"name": "Money", "domain": ["Int"], "range": "Bool"},
        ],
        "verifications": [{"constraint": "Days(monday) == 3 and Year(friday, 3) and Money(3)"}],
    }
    assert potlang.verify(program).results[0].verdict == "undetermined"


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("due == 2025-02-29", "POT3020"),
        ("due == 2200-01-01", "POT3021"),
        ("AddMonths(2199-12-31, 1) == due", "POT3021"),
        ("AddMonths(due, 3601) == due", "POT3021"),
        ("fee < 3 EUR", "POT3022"),
        ("weight + 3 km > weight", "POT3023"),
        ("due + due == due", "POT3023"),
        ("due + 1 hour == due", "POT3023"),
        ("due - 30 < due", "POT3024"),
        ("share == fee", "POT3024"),
        ("wait == 1 month", "POT3025"),
        ("due == first", "POT3003"),
        ("fee * fee == fee", "POT3023"),
        ("-due == due", "POT3005"),
        ("wait", "POT3006"),
    ],
)
def test_what_does_not_go_together(formula: str, code: str) -> None:
    """[QTY-SORT], [QTY-RANGE], [QTY-LIT-2]: one error, with help, and the rest is checked."""
    assert codes(formula) == [code]
    assert codes(f"({formula}) and nobody", BASE) == [code, "POT2001"]


@pytest.mark.parametrize(
    ("formula", "code", "help_"),
    [
        ("wait == 1.5 months", "POT3025", "a month has 28 to 31 days: write days, `45 days`"),
        ("wait == 1.5 years", "POT3025", "write `AddMonths(d, 18)`"),
        ("share == 5 years", "POT3025", "for a plain number of years write `5`"),
        ("fee >= 20%", "POT3024", "say of what: `20% * total`"),
        ("due in 2025", "POT3001", "write `Year(due) == 2025`"),
        ("due > 12 May 2025", "POT1020", "dates are written year, month, day: `2025-01-20`"),
        ("due > May 12, 2025", "POT1020", "dates are written year, month, day: `2025-01-20`"),
        ("at == 2025-01-20 14:30", "POT1020", "write day and time as one: `2025-01-20T14:30`"),
    ],
)
def test_helps_say_what_was_meant(formula: str, code: str, help_: str) -> None:
    """[QTY-LIT-1], [QTY-LIT-2], [QTY-LIT-3]"""
    checked = potlang.check({**BASE, "knowledge_base": [formula, "nobody"]})
    first, second = (each for each in checked.diagnostics if str(each.severity) == "error")
    assert (first.code, second.code) == (code, "POT2001")
    assert any(each.startswith(help_) for each in first.helps), first.helps


def test_sorts_of_amounts_need_their_unit() -> None:
    """[QTY-SORT]"""
    for sort in ("Money", "Money(dollar)", "Quantity", "Quantity(3)", "Duration(months)"):
        with pytest.raises(potlang.CompileError) as error:
            potlang.compile({"functions": [{"name": "f", "domain": [], "range": sort}]})
        assert [each.code for each in error.value.diagnostics] == ["POT1025"]


@pytest.mark.parametrize(
    ("bounds", "same"),
    [
        ("due, 2025-01-20, sent(first)", "2025-01-20 <= due and due <= sent(first)"),
        ("wait, 10 days, 90 days", "10 days <= wait and wait <= 90 days"),
        ("wait, shift, 2 weeks", "shift <= wait and wait <= 2 weeks"),
        ("fee * 2, $3, fee + $5", "$3 <= fee * 2 and fee * 2 <= fee + $5"),
    ],
)
def test_measures_may_have_bounds(bounds: str, same: str) -> None:
    """[SORT-ROUND-2]"""
    assert verdicts(f"Between({bounds}) <-> ({same})", f"Between({bounds})") == ["entailed", "undetermined"]


@pytest.mark.parametrize("bounds", ["wait, 10, 90 days", "fee, 3 kg, $4", "due, due, at", "share, $3, $4"])
def test_bounds_are_of_the_same_measure(bounds: str) -> None:
    """[SORT-ROUND-2] [QTY-SORT]"""
    found = codes(f"Between({bounds})")
    assert found and set(found) <= {"POT3022", "POT3023", "POT3024"}

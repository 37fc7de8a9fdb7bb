"""The words of built-in operators, and of rules with exceptions."""

from __future__ import annotations

from typing import Any

import pytest
from spoken import differing, speaker, spoken

import potlang

PROGRAM: dict[str, Any] = {
    "sorts": [
        {"name": "Person", "type": "DeclareSort"},
        {"name": "Color", "type": "EnumSort", "values": ["red", "blue"]},
    ],
    "functions": [
        {"name": "tall", "domain": ["Person"], "range": "Bool"},
        {"name": "adult", "domain": ["Person"], "range": "Bool"},
        {"name": "age", "domain": ["Person"], "range": "Int"},
        {"name": "likes", "domain": ["Person", "Color"], "range": "Bool"},
    ],
    "constants": {
        "people": {"sort": "Person", "members": ["ann", "bob"]},
        "reals": {"sort": "Real", "members": ["rate"]},
        "texts": {"sort": "String", "members": ["title"]},
        "sets": {"sort": "Set(Color)", "members": ["team"]},
        "bits": {"sort": "BitVec(8)", "members": ["mask"]},
    },
    "semantics": {"closed_domain": ["Person"]},
    "variables": [{"name": "x", "sort": "Person"}, {"name": "c", "sort": "Color"}],
}
OPERATORS = [
    ("AtMost(1, [x], tall(x))", "For at most one person x, x is tall."),
    ("AtLeast(2, [tall(ann), tall(bob)])", "At least 2 of (ann is tall) and (bob is tall) are so."),
    ("ExactlyOne(tall(ann), tall(bob))", "Exactly one of (ann is tall) and (bob is tall) is so."),
    ("NoneOf(tall(ann), tall(bob))", "None of (ann is tall) and (bob is tall) is so."),
    ("ExistsUnique([c: Color], likes(ann, c))", "There is exactly one color c such that ann likes c."),
    (
        "Exactly(1, [x: Person, c: Color], likes(x, c))",
        "For exactly one person x and color c, x likes c.",
    ),
    ("NoneOf([c: Color], likes(ann, c))", "For no color c, ann likes c."),
    ("AtLeast(2, [c: Color], likes(ann, c))", "For at least 2 choices of a color c, ann likes c."),
    ("AtLeastOne([x], tall(x)) and AtMostOne(tall(ann), tall(bob))", None),
    ("Count([x, c], likes(x, c)) < 3", None),
    ("Between(age(ann), 1, 5)", "The age of ann is between 1 and 5."),
    ("Floor(rate) == Ceil(rate)", "The floor of rate is the ceiling of rate."),
    ("ToInt(rate) == Sign(Truncate(rate))", "rate as an integer is the sign of the integer part of rate."),
    ("Round(rate) == 3", "`Round`(rate) is 3."),
    ("Pow(rate, 2) > 3", "rate to the power of 2 is more than 3."),
    ("Average([x], age(x)) > 3", "The average over every person x of the age of x is more than 3."),
    ("Average(1, 2, age(ann)) > 3", "The average of 1, 2 and the age of ann is more than 3."),
    ("Sum([x], age(x)) == Sum([age(ann), age(bob)])", None),
    ("AllDifferent(ann, bob)", "ann and bob are all different."),
    ("IsEmpty(team) or Size(team) == 1", "team is an empty set or the size of team is 1."),
    ("team == [red]", "team is the set of red."),
    ('StartsWith(title, "a") and EndsWith(title, "b")', 'title starts with "a" and title ends with "b".'),
    ('Substring(title, 0, 2) == "ab"', '(the part of title from 0 with length 2) is "ab".'),
    ("StrToInt(title) == Length(title)", "The number written as title is the length of title."),
    ("ULT(mask, #x0f)", "mask is less than #x0f unsigned."),
    ("Extract(3, 0, mask) == #b0101", "The bits from 0 to 3 of mask is #b0101."),
]


def test_words_of_operators() -> None:
    """Rules [WORDS-SAY], [WORDS-SAME]."""
    source = PROGRAM | {"verifications": [{"constraint": formula} for formula, _ in OPERATORS]}
    found = list(spoken(potlang.compile(source)))
    for each, (formula, sentence) in zip(found, OPERATORS, strict=True):
        assert each.sentence is not None, formula
        assert sentence in (None, each.sentence)
    assert differing(source, found) == []


def test_dates_and_amounts() -> None:
    """Rules [WORDS-SAY], [WORDS-SAME], [WORDS-DATES]: literals stand as they are written."""
    constants = {
        "d": {"sort": "Date", "members": ["start"]},
        "t": {"sort": "DateTime", "members": ["moment"]},
        "u": {"sort": "Duration", "members": ["stay"]},
        "m": {"sort": "Money(USD)", "members": ["price"]},
        "r": {"sort": "Real", "members": ["rate"]},
    }
    formulas = [
        ("start < 2025-01-20", "start is earlier than 2025-01-20."),
        ("start + 30 days >= 2025-01-20", "30 days after start is no earlier than 2025-01-20."),
        ("Date(2025, 1, 20) < start", "2025-01-20 is earlier than start."),
        ("start + Days(14) < date(2025, 1, 2)", "14 days after start is earlier than 2025-01-02."),
        ("stay <= Weeks(1)", "stay is at most 1 week."),
        ("moment - Hours(2) > moment", "2 hours before moment is later than moment."),
        ("stay <= Days(Year(start))", None),
        ("stay <= 2 weeks and price > $1,900", "stay is at most 2 weeks and price is more than $1,900."),
        ("moment == 2025-01-20T14:30 or price == 900 USD", None),
        ("(10 %) - rate > 3", "10 % minus rate is more than 3."),
        ("rate == 10 %", "rate is 10 %."),
        (
            "ForAll([d: Date], d < 2025-01-20 -> d <= start)",
            "For every date d, if d is earlier than 2025-01-20, then d is no later than start.",
        ),
        ("moment - 3 hours > moment", "3 hours before moment is later than moment."),
        ("start - 2025-01-20 < stay", "start minus 2025-01-20 is less than stay."),
        ("start + stay + 1 day > start", None),
        ("paid(start) <= start", "The date on which start was paid is no later than start."),
        ("sent_on(start) == start", "The date on which start was sent is start."),
        ("AddMonths(start, 1) > start", "One month after start is later than start."),
        (
            "AddMonths(start, 3) < AddYears(start, 2)",
            "3 months after start is earlier than 2 years after start.",
        ),
        ("AddMonths(start, 1, 'up') >= start", None),
        ("Year(start) == 2025 and Month(start) < Day(start)", None),
        ("DaysBetween(start, paid(start)) > 3 or Weekday(start) == 1", None),
        ("Hour(moment) >= 8", "The hour of the day at moment is at least 8."),
        ("Minute(moment) < Hour(moment)", None),
        ("DateOf(moment) <= start", "The calendar day of moment is no later than start."),
    ]
    functions = [{"name": name, "domain": ["Date"], "range": "Date"} for name in ("paid", "sent_on")]
    source = {
        "functions": functions,
        "constants": constants,
        "verifications": [{"constraint": each} for each, _ in formulas],
    }
    found = list(spoken(potlang.compile(source)))
    for each, (formula, sentence) in zip(found, formulas, strict=True):
        assert each.read is not None, formula
        assert sentence in (None, each.sentence)
    assert differing(source, found) == []


@pytest.mark.parametrize(
    ("rule", "sentence", "condition"),
    [
        (
            {"implies": {"antecedent": "adult(x)", "consequent": "tall(x)"}, "unless": "age(x) > 90"},
            "For every person x, if x is an adult, then x is tall, unless the age of x is more than 90.",
            "adult(ann) and age(ann) == 3",
        ),
        (
            {"constraint": "tall(x)", "unless": ["adult(x)", "age(x) > 90"]},
            "For every person x, x is tall, unless x is an adult or the age of x is more than 90.",
            "Not(adult(ann)) and age(ann) == 4",
        ),
    ],
)
def test_exceptions(rule: dict[str, Any], sentence: str, condition: str) -> None:
    """Rule [WORDS-EXCEPTIONS]: what is said is what is assumed."""
    rules = [{"name": "r", "forall": ["x"], **rule}]
    program = potlang.compile(PROGRAM | {"rules": rules})
    voice = speaker(program)
    assert voice.say_statement(program.tree.rules[0]) == sentence
    claim = {"constraint": voice.read(sentence).expression}
    assert potlang.verify(PROGRAM | {"rules": rules, "verifications": [claim]}).verdict == "entailed"
    ranked = [{**rules[0], "overrides": ["s"]}, {"name": "s", "constraint": "Not(tall(ann))"}]
    claim = {"constraint": f"Implies({condition}, tall(ann))"}
    report = potlang.verify(PROGRAM | {"rules": ranked, "verifications": [claim]}, words=True)
    assert report.verdict == "entailed"
    assert f"rule “r”: {sentence} It comes before rule “s”." in report.words()
    back = [{"name": "r", "constraint": voice.read(sentence).expression}]
    exception = rule["unless"] if isinstance(rule["unless"], str) else " or ".join(rule["unless"])
    said = {"forall": ["x"], "constraint": f"Implies(adult(x) and Not({exception}), tall(x))"}
    assert potlang.verify(PROGRAM | {"rules": back, "verifications": [said]}).verdict == "entailed"

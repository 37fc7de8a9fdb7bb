"""Spellings of other languages: accepted, or refused with what to write as the first help.

`spellings.tsv` has a spelling and its outcome a line. With `POTLANG_BLESS=1` the outcomes are written anew;
each is to be read before it is kept.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from potlang.api import check
from potlang.diag import Diagnostic

TABLE = Path(__file__).with_name("spellings.tsv")
ROWS = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()]
PROGRAM = {
    "sorts": [
        {"name": "P", "type": "EnumSort", "values": ["ann", "bob", "cy"]},
        {"name": "T", "type": "DeclareSort"},
    ],
    "functions": [
        {"name": "age", "domain": ["P"], "range": "Int"},
        {"name": "h", "domain": ["P"], "range": "Real"},
        {"name": "ok", "domain": ["P"], "range": "Bool"},
        {"name": "nm", "domain": ["P"], "range": "String"},
        {"name": "s", "domain": ["P"], "range": "SetSort(P)"},
        {"name": "due", "domain": ["P"], "range": "Int"},
        {"name": "i", "domain": ["T"], "range": "Bool"},
    ],
    "constants": {"things": {"sort": "T", "members": ["t1", "t2"]}},
}
OWN = frozenset(
    [
        *("X > 3", "x == 3", "ok(carol)", "age(carol) == 3", "likes(z, ann) and likes(z, bob)"),
        *("COUNT(ok(x)) > 2", "foo(ann, bob)", "connected(ann, bob)", "contains(ann, bob)"),
    ]
)
"""Names that are the program's own: a declaration is proposed."""


def found(spelling: str) -> tuple[str, list[Diagnostic]]:
    checked = check({**PROGRAM, "knowledge_base": [spelling]})
    errors = [each for each in checked.diagnostics if each.severity == "error"]
    if not errors:
        return "accepted", []
    first = errors[0].helps[0] if errors[0].helps else f"({errors[0].message})"
    return f"{errors[0].code} {first}", errors


@pytest.mark.parametrize(("spelling", "outcome"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_a_spelling_has_its_outcome(spelling: str, outcome: str) -> None:
    """[POT-NAME-20]"""
    assert found(spelling)[0] == outcome


@pytest.mark.parametrize("spelling", [row[0] for row in ROWS if row[0] not in OWN])
def test_what_is_meant_as_built_in_is_not_declared(spelling: str) -> None:
    """[POT-NAME-20]"""
    titles = [fix.title for error in found(spelling)[1] for fix in error.fixes]
    variables = [title for title in titles if title.startswith("declare the variable")]
    assert [title for title in titles if title.startswith("declare ") and title not in variables] == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "when } == Size <- only end case {",
            ":-",
            "p :-",
            "a.",
            ".b",
            "a.b(",
            "a..",
            "case when",
            "x between",
            "if",
        ),
        *(
            "for x in",
            "sum(x for",
            "[x for x in P if",
            "either",
            "let",
            "(and",
            "((x P))",
            "|",
            "||s|",
            "{x: P |",
        ),
        *(
            "Exists!",
            "20%",
            "25,000,",
            "2025-01-",
            "2025-99-99 == 1",
            "$",
            "1..",
            "only if",
            "AtMost()",
            "Set()",
        ),
        *(
            "AtMost(1)",
            "AtMost([x: P], 1)",
            "SetOf()",
            "Round()",
            "PbLe()",
            "Matches(nm(ann))",
            "Reachable()",
        ),
        *(
            "Distinct([x: P])",
            "ExistsUnique()",
            "ForAll([x, P])",
            "Sum([x: P], 1, 2)",
            "EmptySet()",
            "ann(ok)(s)",
        ),
    ],
)
def test_broken_phrases_have_diagnostics(text: str) -> None:
    assert found(text)[1]


def test_most_refusals_say_what_to_write() -> None:
    unsaid = [spelling for spelling, outcome in ROWS if outcome.partition(" ")[2].startswith("(")]
    assert len(unsaid) <= len(ROWS) // 10


if os.environ.get("POTLANG_BLESS") == "1":
    TABLE.write_text("".join(f"{row[0]}\t{found(row[0])[0]}\n" for row in ROWS), encoding="utf-8")

"""Tables of suggested tests, judged by an expert, and coverage by mutants."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_policy_suggest import LIMITS, policy, rule

import potlang
from potlang.policy import (
    PolicyError,
    PolicyTest,
    SuggestedTest,
    coverage,
    open_store,
    read_judged,
    run_tests,
    suggest,
)
from potlang.policy.comparing import same_meaning
from potlang.policy.judging import COLUMNS, accepted, case_text, to_json, to_table
from potlang.policy.mutation_coverage import MOST_MUTANTS
from potlang.report.results import Verdict
from potlang.report.table import to_csv, to_markdown

SMALL = policy(rule("days(x) <= 30 and receipt(x)", "returnable(x)", name="thirty"))
TEXT = st.text('abXZ ä→|*_<>[]{}()\\"`=,;:-019', max_size=12).map(str.strip)
SUGGESTED = st.builds(
    lambda claim, case, rule, shows: SuggestedTest(
        PolicyTest(claim, Verdict.ENTAILED, f"{rule}: {shows}", case), rule, "/rules/0", "boundary", shows
    ),
    TEXT.filter(bool),
    st.none() | st.dictionaries(TEXT, TEXT | st.booleans() | st.integers(), max_size=2),
    TEXT,
    TEXT.filter(bool),
)


def judged_csv(tests: list[SuggestedTest], decisions: list[str], note: str = "") -> bytes:
    """The CSV as an expert's spreadsheet saves it."""
    lines = list(csv.reader(io.StringIO(to_csv(to_table(tests, "Tests")), newline="")))
    for line, decision in zip(lines[1:], decisions, strict=True):
        line[:2] = [decision, note]
    out = io.StringIO(newline="")
    csv.writer(out).writerows(lines)
    return out.getvalue().encode("utf-8-sig")


@given(st.lists(SUGGESTED, min_size=1, max_size=3))
def test_tables_are_read_as_they_were_written(tests: list[SuggestedTest]) -> None:
    """[POLICY-JUDGE]: in each form."""
    table = to_table(tests, "Tests of it")
    for data in (json.dumps(to_json(tests)), to_csv(table), to_markdown(table)):
        found = read_judged(data.encode())
        assert [(each.test.claim, each.test.case, each.decision) for each in found] == [
            (each.test.claim, each.test.case, "") for each in tests
        ], data


def test_rows_quote_the_sentences_that_their_rules_cite() -> None:
    """[POLICY-JUDGE]: beside the columns that are judged, and only where there are any."""
    cited = {**SMALL["rules"][0], "cites": [2]}
    document = {"sentences": ["Returns.", "Items, with a receipt, come back within 30 days."]}
    quoted = suggest(potlang.compile({**SMALL, "rules": [cited], "document": document}), limits=LIMITS).tests
    table = to_table(quoted, "Tests of it")
    assert [each.title for each in table.columns] == [*COLUMNS, "sentences"]
    assert {str(row[-1]) for row in table.rows} == {f"sentence 2: “{document['sentences'][1]}”"}
    assert {row["quotes"][0]["number"] for row in to_json(quoted)} == {2}
    for data in (json.dumps(to_json(quoted)), to_csv(table), to_markdown(table)):
        assert [each.test.case for each in read_judged(data.encode())] == [each.test.case for each in quoted]
    plain = suggest(potlang.compile(SMALL), limits=LIMITS).tests
    assert [each.title for each in to_table(plain, "Tests of it").columns] == list(COLUMNS)
    assert "quotes" not in to_json(plain)[0]


def test_what_is_accepted_becomes_a_test(tmp_path: Path) -> None:
    """[POLICY-JUDGE]"""
    store = open_store(tmp_path)
    store.add("refund", json.dumps(SMALL))
    tests = list(suggest(potlang.compile(SMALL), limits=LIMITS).tests)
    decisions = ["reject", *["accept"] * (len(tests) - 2), ""]
    judged = read_judged(judged_csv(tests, decisions, "as I see it"))
    assert [each.decision for each in judged] == decisions
    kept = accepted((), judged)
    assert [each.key for each in kept] == [each.test.key for each in tests[1:-1]]
    added = store.add("refund", json.dumps(SMALL), kept).version
    assert {each.note for each in added.tests} == {"as I see it"}
    assert all(each.passed for each in store.run_tests("refund"))


def test_a_test_is_not_doubled() -> None:
    """[POLICY-JUDGE]: one with the same claim and case is replaced."""
    tests = list(suggest(potlang.compile(SMALL), limits=LIMITS).tests)
    judged = read_judged(judged_csv(tests, ["accept"] * len(tests), "new"))
    found = accepted([each.test for each in tests], judged)
    assert len(found) == len(tests) and {each.note for each in found} == {"new"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the columns"),
        ("decision,claim\naccept,p", "the columns"),
        ("decision,claim,verdict\nmaybe,p,entailed", "row 1 is 'maybe'"),
        ("decision,claim,verdict\naccept,p,perhaps", "row 1: `expected` of it is not a verdict"),
        ("decision,claim,verdict\naccept,p,unknown", "row 1"),
        ("decision,claim,verdict,case\naccept,p,entailed,{", "row 1: `case` of it is not an object"),
        ("[1]", "a list of objects"),
        ("[", "not JSON"),
        ('[{"decision": "accept", "verdict": "entailed"}]', "row 1: it has no `claim`"),
        ("# Tests\n\n| claim |\n| --- |\n| p |", "the columns"),
    ],
)
def test_files_that_are_no_judged_tables(text: str, said: str) -> None:
    """[POLICY-JUDGE]"""
    with pytest.raises(PolicyError, match=re.escape(said)):
        read_judged(text.encode())


def test_bytes_that_are_no_text() -> None:
    """[POLICY-JUDGE]"""
    with pytest.raises(PolicyError, match="not UTF-8"):
        read_judged(b"\xff\xfe\x00")


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_answered(data: bytes) -> None:
    """[POLICY-JUDGE]"""
    try:
        read_judged(data)
    except PolicyError:
        return


def test_cells_that_a_spreadsheet_would_run() -> None:
    """[POLICY-JUDGE] [DAG-CSV]"""
    test = SuggestedTest(PolicyTest("-1 < 0", Verdict.ENTAILED), "=r", "/rules/0", "boundary", "@s")
    data = to_csv(to_table([test], "Tests"))
    assert "'-1 < 0" in data and "'=r" in data
    (found,) = read_judged(data.encode())
    assert (found.test.claim, found.rule, found.shows) == ("-1 < 0", "=r", "@s")


def test_cases_in_words() -> None:
    """[POLICY-JUDGE]"""
    case: dict[str, Any] = {
        "item": {"sort": "Item", "days": 30, "receipt": True, "opened": False},
        "member": False,
        "facts": ["knows(ann, item)"],
    }
    assert case_text(case) == "item: days 30, receipt, not opened; not member; knows(ann, item)"
    assert case_text(None) == "any"
    assert case_text({"item": {"sort": "Item"}}) == "item: Item"
    assert set(COLUMNS) >= {"decision", "note", "case", "claim", "verdict"}


# --- coverage --------------------------------------------------------------------------------------


def test_tests_that_leave_nothing_out() -> None:
    """[POLICY-COVERAGE]"""
    program = potlang.compile(SMALL)
    tests = [each.test for each in suggest(program, limits=LIMITS).tests]
    found = coverage(program, tests, most=6, limits=LIMITS)
    assert (found.holes, found.unknown) == (0, 0)
    assert found.noticed == found.mutants == 6


def test_holes_are_shown_with_tests_that_close_them() -> None:
    """[POLICY-COVERAGE]: such a test passes on the policy, and not on the change."""
    program = potlang.compile(SMALL)
    at = {"item": {"sort": "Item", "days": 30, "receipt": True}}
    one = PolicyTest("returnable(item)", Verdict.ENTAILED, case=at)
    failing = PolicyTest("returnable(item)", Verdict.REFUTED, case=at)
    found = coverage(program, [one, failing], limits=LIMITS)
    (thirty,) = found.rules
    holes = {(each.kind, each.before, each.after): each for each in thirty.holes}
    assert ("threshold", "30", "31") in holes and ("threshold", "30", "29") not in holes
    assert ("premise", "receipt(x)", "True") in holes
    assert thirty.noticed > 0 and found.unknown == 0
    for hole in thirty.holes:
        (result,) = run_tests(program, [hole.test], LIMITS)
        assert result.passed
    closed = [one, *(each.test for each in thirty.holes)]
    assert coverage(program, closed, limits=LIMITS).holes == 0


def test_changes_that_say_the_same_are_no_holes() -> None:
    """[POLICY-COVERAGE] [LIMIT-POLICY-MUTANTS]: no test can notice them."""
    twice = policy(rule("receipt(x)", "returnable(x)"), rule("receipt(x)", "returnable(x)", name="again"))
    found = coverage(potlang.compile(twice), [], limits=LIMITS)
    assert sum(each.equivalent for each in found.rules) > 0
    assert len(found.rules) == 2 and found.possible < MOST_MUTANTS
    drawn = coverage(potlang.compile(twice), [], most=3, seed=1, limits=LIMITS)
    assert drawn.mutants <= 3 < drawn.possible
    assert drawn == coverage(potlang.compile(twice), [], most=3, seed=1, limits=LIMITS)


def test_meanings_are_compared_both_ways() -> None:
    """[POLICY-COVERAGE]"""
    whole = potlang.compile(policy(rule("days(x) <= 30", "returnable(x)")))
    same = potlang.compile(policy(rule("not days(x) > 30", "returnable(x)")))
    less = potlang.compile(policy(rule("days(x) <= 29", "returnable(x)")))
    assert same_meaning(whole, same, LIMITS)
    assert not same_meaning(whole, less, LIMITS) and not same_meaning(less, whole, LIMITS)

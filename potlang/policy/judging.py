"""Suggested tests as a table that an expert judges, and the judged table read back ([POLICY-JUDGE])."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from potlang.policy.suggestions import SuggestedTest
from potlang.policy.tests import MOST_TESTS, PolicyError, PolicyTest, read_tests
from potlang.report.base import to_plain
from potlang.report.table import Column, Table
from potlang.report.text import quotation_words

Decision = Literal["accept", "reject", ""]
COLUMNS: Final = ("decision", "note", "rule", "shows", "case", "claim", "verdict")
_NEEDED: Final = frozenset(("decision", "claim", "verdict"))
_DECISIONS: Final = ("accept", "reject", "")
_LONGEST: Final = 1 << 20
_INERT: Final = re.compile("'[=+\\-@＝＋－＠]")
_ESCAPED: Final = re.compile(r"\\([^0-9A-Za-z\s])")


class JudgedTest(NamedTuple):
    """A suggested test with an expert's decision, empty if there is none yet; the note is in the test."""

    decision: Decision
    test: PolicyTest
    rule: str = ""
    shows: str = ""


# --- written ---------------------------------------------------------------------------------------


def to_json(tests: Sequence[SuggestedTest]) -> list[dict[str, Any]]:
    """The rows as JSON values, to be judged."""
    return [
        {
            "decision": "",
            "note": "",
            "rule": each.rule,
            "shows": each.shows,
            "kind": each.kind,
            "pointer": each.pointer,
            **({"quotes": to_plain(each.quotes)} if each.quotes else {}),
            **({} if each.test.case is None else {"case": each.test.case}),
            "claim": each.test.claim,
            "verdict": str(each.test.expected),
        }
        for each in tests
    ]


def to_table(tests: Sequence[SuggestedTest], title: str) -> Table:
    """The rows as a table, to be judged; cases are JSON. What the rules cite is in a column `sentences`."""
    quoted = any(each.quotes for each in tests)
    rows = tuple(
        (
            *("", "", each.rule, each.shows, _case_json(each.test)),
            *(str(each.test.claim), str(each.test.expected)),
            *([" ".join(map(quotation_words, each.quotes))] if quoted else []),
        )
        for each in tests
    )
    columns = (*COLUMNS, "sentences") if quoted else COLUMNS
    return Table("suggested", "", title, tuple(map(Column, columns)), rows)


def _case_json(test: PolicyTest) -> str:
    return "" if test.case is None else json.dumps(test.case, ensure_ascii=False)


def to_plain_table(tests: Sequence[SuggestedTest], title: str) -> Table:
    """The rows for people who read them only: cases in words."""
    rows = tuple(
        (each.rule, each.shows, case_text(each.test.case), str(each.test.claim), str(each.test.expected))
        for each in tests
    )
    columns = tuple(map(Column, ("rule", "shows", "case", "claim", "verdict")))
    return Table("suggested", "", title, columns, rows, grouped=True)


def case_text(case: dict[str, Any] | None) -> str:
    """A case in few words: `item: days 30, receipt, not opened; member`."""
    return "; ".join(_item_text(name, value) for name, value in (case or {}).items()) or "any"


def _item_text(name: str, value: Any) -> str:
    if isinstance(value, dict):
        fields = [_value_text(key, each) for key, each in value.items() if key != "sort"]
        return f"{name}: {', '.join(fields)}" if fields else f"{name}: {value.get('sort', '')}"
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return _value_text(name, value)


def _value_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return f"{name} {value}"


# --- read ------------------------------------------------------------------------------------------


def read_judged(data: bytes) -> tuple[JudgedTest, ...]:
    """The rows of a judged file: the JSON, CSV or Markdown of suggested tests.

    Raises PolicyError, which names the row.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PolicyError("the file of judged tests is not UTF-8") from None
    rows = list(_rows(text))
    if len(rows) > MOST_TESTS:
        raise PolicyError(f"there are more than {MOST_TESTS:,} judged tests")
    return tuple(_judged(at, row) for at, row in enumerate(rows, 1))


def _rows(text: str) -> Iterator[dict[str, Any]]:
    start = text.lstrip()
    if start.startswith(("[", "{")):
        yield from _json_rows(text)
        return
    is_markdown = start.startswith(("#", "|"))
    lines = _markdown_rows(text) if is_markdown else _csv_rows(text)
    head = [cell.strip().lower() for cell in next(lines, [])]
    if not _NEEDED.issubset(head):
        raise PolicyError(f"a judged table has the columns {', '.join(COLUMNS)}")
    for line in lines:
        if any(cell.strip() for cell in line):
            row: dict[str, Any] = dict(zip(head, line, strict=False))
            yield {**row, "case": _case(row.get("case", ""))}


def _json_rows(text: str) -> Iterator[dict[str, Any]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"the judged tests are not JSON: {error}") from None
    rows = value.get("tests") if isinstance(value, dict) else value
    if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
        raise PolicyError("judged tests are a list of objects with `decision`, `claim` and `verdict`")
    yield from rows


def _csv_rows(text: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST)
    try:
        for row in csv.reader(io.StringIO(text, newline="")):
            # The apostrophe that keeps a spreadsheet from running a cell.
            yield [cell[1:] if _INERT.match(cell) else cell for cell in row]
    except csv.Error as error:
        raise PolicyError(f"the judged tests are not CSV: {error}") from None


def _markdown_rows(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("|") and not re.fullmatch(r"[|:\-\s]+", line):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            yield [_ESCAPED.sub(r"\1", cell.strip()) for cell in cells]


def _case(text: str) -> Any:
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _judged(at: int, row: dict[str, Any]) -> JudgedTest:
    decision = str(row.get("decision") or "").strip().lower()
    if decision not in _DECISIONS:
        raise PolicyError(f"`decision` of row {at} is {decision[:40]!r}: write accept or reject")
    rule, shows, note = (str(row.get(key) or "").strip() for key in ("rule", "shows", "note"))
    given = {
        "claim": row.get("claim"),
        "expected": str(row.get("verdict") or "").strip(),
        "name": f"{rule}: {shows}" if shows else rule,
        "case": row.get("case"),
        "note": note,
    }
    try:
        (test,) = read_tests([given])
    except PolicyError as error:
        raise PolicyError(f"row {at}: {str(error).replace('test 1', 'it')}") from None
    found: Decision = "accept" if decision == "accept" else "reject" if decision == "reject" else ""
    return JudgedTest(found, test, rule, shows)


def accepted(known: Sequence[PolicyTest], judged: Sequence[JudgedTest]) -> tuple[PolicyTest, ...]:
    """A policy's tests with those that were accepted, each in the place of one with its claim and case."""
    found = {each.key: each for each in known}
    found |= {each.test.key: each.test for each in judged if each.decision == "accept"}
    return tuple(found.values())

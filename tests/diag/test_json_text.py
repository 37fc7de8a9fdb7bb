"""Reading: any input ends in a value or in a coded, positioned diagnostic, and soon."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.diag import Applicability, Diagnostic, Place, Sink
from potlang.diag.fixes import apply_fixes, mend
from potlang.reading.json_syntax import diagnose
from potlang.reading.json_text import Source, open_document, read_json
from potlang.source import Document, InputLimits


def read(source: Source, limits: InputLimits | None = None) -> tuple[object, list[Diagnostic], Document]:
    sink = Sink()
    document = open_document(source, sink, limits or InputLimits())
    value = read_json(document, sink, limits or InputLimits())
    return value, sink.diagnostics(), document


def only(source: Source, limits: InputLimits | None = None) -> Diagnostic:
    _, found, document = read(source, limits)
    assert len(found) == 1, found
    if document.text is not None:
        assert document.locate(found[0].place) is not None
    return found[0]


GOOD = {"rules": [{"name": "a", "n": 12}, None, True, "x\n"], "é": {}}


@pytest.mark.parametrize(
    "source",
    [
        json.dumps(GOOD),
        "\ufeff" + json.dumps(GOOD),
        json.dumps(GOOD).encode(),
        json.dumps(GOOD, ensure_ascii=False).encode("utf-8-sig"),
        json.dumps(GOOD).encode("utf-16"),
        json.dumps(GOOD).encode("utf-32"),
        GOOD,
    ],
)
def test_every_good_form_gives_the_value(source: Source) -> None:
    assert read(source)[:2] == (GOOD, [])


def test_a_file_is_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(GOOD))
    value, found, document = read(path)
    assert (value, found, document.name) == (GOOD, [], str(path))


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="files of unknown size are Linux's")
def test_a_file_that_is_said_to_be_empty_is_read_to_its_end() -> None:
    path = Path("/proc/version")
    assert path.stat().st_size == 0
    assert open_document(path, Sink()).text == path.read_text()


def test_numbers_stay_exact() -> None:
    value, found, _ = read("[0.1, 1e-3, 12, -7, 1" + "0" * 5000 + "]")
    assert found == []
    assert value == [Decimal("0.1"), Decimal("0.001"), 12, -7, Decimal(10) ** 5000]
    assert isinstance(value, list)
    assert type(value[2]) is int
    assert len(str(value[4])) == 5001


def test_null_is_a_value() -> None:
    assert read("null")[:2] == (None, [])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.json", Path("a\0b")):
        assert only(path).code == "POT0006"


def test_a_file_that_nobody_can_open(tmp_path: Path) -> None:
    """A link to itself: unlike a missing permission, that stops root too."""
    path = tmp_path / "p.json"
    path.symlink_to(path)
    assert only(path).code == "POT0006"


def test_a_sparse_gigabyte_is_refused_by_its_size(tmp_path: Path) -> None:
    """[LIMIT-INPUT]"""
    path = tmp_path / "big.json"
    with path.open("wb") as file:
        file.write(b"[" * 1000)
        file.truncate(1 << 30)
    assert only(path).code == "POT0002"


def test_too_many_bytes_in_memory() -> None:
    """[LIMIT-INPUT]"""
    small = InputLimits(bytes=10)
    assert [only(s, small).code for s in ("[" * 11, b"[" * 11)] == ["POT0002"] * 2


@pytest.mark.parametrize("source", ["", " \n\t", b"", "\ufeff"])
def test_empty_input(source: Source) -> None:
    assert only(source).code == "POT1003"


@pytest.mark.parametrize(
    ("data", "column"),
    [(b'{"a": "\xe9"}', 8), ('{"é": '.encode() + b'"\xff"}', 8), ('{"a": 1}'.encode("utf-16-le"), 2)],
)
def test_wrong_encoding_says_where(data: bytes, column: int) -> None:
    _, found, document = read(data)
    where = document.locate(found[0].place)
    assert [d.code for d in found] == ["POT1002"]
    assert where is not None
    assert where.column == column


@pytest.mark.parametrize(
    "text", ["[" * 10_000 + "]" * 10_000, '{"a":' * 600 + "1" + "}" * 600, "[" * 200_000]
)
def test_too_deep_points_at_the_first_bracket_too_many(text: str) -> None:
    """[LIMIT-JSON]"""
    found = only(text)
    assert found.code == "POT0003"
    depth = text[: (found.place.span or (0, 0))[1]].count(text[0])
    assert depth == 513


def test_the_deepest_that_is_allowed() -> None:
    """[LIMIT-JSON]"""
    text = "[" * 512 + "]" * 512
    value, found, _ = read(text)
    assert found == []
    assert json.dumps(value) == text


@pytest.mark.parametrize(
    "numeral", ["7" * 1_000_000, "-" + "7" * 10_001, "1e10001", "0." + "1" * 10_001, "1e" + "9" * 40]
)
def test_numerals_that_are_too_long(numeral: str) -> None:
    """[LIMIT-NUMERAL]"""
    found = only('{"a": ["1e99999", ' + numeral + "]}")
    assert found.code == "POT0004"
    assert found.place.span == (18, 18 + len(numeral))


def test_the_longest_numeral_that_is_allowed() -> None:
    """[LIMIT-NUMERAL]"""
    for numeral in ("7" * 10_000, "1e9999", "1e-9999"):
        assert read(numeral)[1] == []


def test_not_a_number() -> None:
    value, found, _ = read('["NaN", NaN, -Infinity, Infinity]')
    assert [(d.code, d.place.span) for d in found] == [
        ("POT1006", (8, 11)),
        ("POT1006", (13, 22)),
        ("POT1006", (24, 32)),
    ]
    assert value is None


def test_duplicate_keys_give_both_places_and_the_last_counts() -> None:
    """[DIAG-PLACE-2]"""
    text = '{"r": [{"a": 1, "b": 2,\n "\\u0061": 3}]}'
    value, found, document = read(text)
    assert value == {"r": [{"a": 3, "b": 2}]}
    assert [d.code for d in found] == ["POT1004"]
    assert found[0].place == Place("/r/0/a", on_key=True)
    where = document.locate(found[0].place)
    assert where is not None
    assert where.line == 2
    assert found[0].labels[1].place.span == (8, 11)
    assert found[0].fixes == ()


def test_a_repetition_of_the_same_value_can_be_removed() -> None:
    text = '{"a": [1], "b": 2, "a": [1]}'
    _, found, _ = read(text)
    assert apply_fixes(text, found[0].fixes) == '{"b": 2, "a": [1]}'


def test_a_duplicate_in_a_part_that_was_overwritten_is_placed_in_the_raw_text() -> None:
    _, found, _ = read('{"a": {"b": 1, "b": 2}, "a": {}}')
    assert sorted(d.place.pointer for d in found) == ["", "/a"]


def test_lone_surrogates() -> None:
    _, found, _ = read('{"a": "x\\ud800y", "\\udc00": 1, "ok": "\\ud83d\\ude00"}')
    assert [(d.code, d.place) for d in found] == [
        ("POT1005", Place("/a", (1, 2))),
        ("POT1005", Place("/\udc00", (0, 1), True)),
    ]
    assert only('["\ud800"]').code == "POT1005"


def test_python_values_that_json_does_not_have() -> None:
    loop: list[object] = []
    loop.append(loop)
    cases: list[tuple[object, str, str]] = [
        ({"a": {1, 2}}, "POT1010", "/a"),
        ({1: 2}, "POT1010", ""),
        ([1.5, float("nan")], "POT1006", "/1"),
        ({"a": "\ud800"}, "POT1005", "/a"),
        ([10**20_000], "POT0004", "/0"),
        (loop, "POT0003", "/0" * 512),
    ]
    for value, code, pointer in cases:
        found = only(value)
        assert (found.code, found.place.pointer) == (code, pointer)


def test_shared_parts_are_looked_at_once() -> None:
    shared: object = ["x"]
    for _ in range(200):
        shared = [shared, shared]
    assert read(shared)[1] == []


SYNTAX = [
    ('{"a": [1, 2,], }', '{"a": [1, 2] }'),
    ("{'a': 'it\\'s \"q\"'}", '{"a": "it\'s \\"q\\""}'),
    ("{a: True, b: None, c: FALSE}", '{"a": true, "b": null, "c": false}'),
    ('{"a": 1 // one\n, "b": 2 # two\n}', '{"a": 1 \n, "b": 2 \n}'),
    ('{"a": 1 /* x */}', '{"a": 1 }'),
    ('{"a": 1 "b": [1 2]}', '{"a": 1, "b": [1, 2]}'),
    ('{"a" 1, "b" = 2}', '{"a": 1, "b" : 2}'),
    ('```json\n{"a": 1}\n```\n', '{"a": 1}\n'),
    ('{"a": "x\ny\tz"}', '{"a": "x\\ny\\tz"}'),
    ("{“a”: “b”}", '{"a": "b"}'),
    ('{"a": "it\\\'s"}', '{"a": "it\'s"}'),
    ('{,"a": 1}', '{"a": 1}'),
]


@pytest.mark.parametrize(("text", "corrected"), SYNTAX)
def test_safe_fixes_repair_the_text(text: str, corrected: str) -> None:
    """[DIAG-FIX-2]"""
    value, found, _ = read(text)
    assert value is None
    assert {d.code for d in found} == {"POT1001"}
    assert all(fix.applicability is Applicability.SAFE for d in found for fix in d.fixes)
    assert apply_fixes(text, [fix for d in found for fix in d.fixes]) == corrected
    assert read(corrected)[1] == []


UNSAFE = [
    ('{"a": [1, {"b": "x"', '{"a": [1, {"b": "x"}]}'),
    ('{"a": "x,\n "b": 1}', '{"a": "x",\n "b": 1}'),
    ('Here it is:\n{"a": 1}', '{"a": 1}'),
    ('Sure:\n```\n{"a": 1}\n```\nDone.', '{"a": 1}\n'),
    ('{"a": 01, "b": +1, "c": .5, "d": 1.}', '{"a": 1, "b": 1, "c": 0.5, "d": 1}'),
    ('{"a": [1,2}', '{"a": [1,2]}'),
    ("[1,2}", "[1,2]"),
    ('{"a": 1}}', '{"a": 1}'),
    ('{"a": "\\land \\x"}', '{"a": "\\\\land \\\\x"}'),
    ('{"a": foo}', '{"a": "foo"}'),
    ("[1, 2] and more", "[1, 2] "),
    ("[1,,2]", "[1,2]"),
    ('["abc', '["abc"'),
]


@pytest.mark.parametrize(("text", "corrected"), UNSAFE)
def test_unsafe_fixes_do_what_they_say(text: str, corrected: str) -> None:
    _, found, _ = read(text)
    fixes = [fix for d in found for fix in d.fixes]
    assert {fix.applicability for fix in fixes if fix.applicability is not Applicability.SAFE}
    assert apply_fixes(text, fixes[:1] if len(found) < 2 or "abc" in text else fixes) == corrected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": "f("x")"}', "unexpected `x` directly after a value"),
        ('{"a": }', "a value is missing before `}`"),
        ('{"a"}', "a value is missing before `}`"),
        ('{"a": 1}{"b": 2}', "a second value after the end of the first"),
        ("]", "`]` closes nothing"),
        ('{"x": (1, 2)}', "expected a value, found `(`"),
        ("[", "the text ends inside 1 open bracket"),
        ("// nothing", "JSON has no comments"),
        ('{"a": -}', "expected a value, found `-`"),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert read(text)[1][0].message == f"not JSON: {message}"


@pytest.mark.parametrize("text", ['{"a\n"b": 1}', '{"a": ["b\n"c"]}', '{"```json\n{"a": 1}'])
def test_nothing_is_put_into_a_string_that_is_not_closed(text: str) -> None:
    """[DIAG-FIX-2]: a mark behind it would be part of it, and be missed again."""
    fixes = [fix for each in read(text)[1] for fix in each.fixes]
    assert fixes and all(fix.applicability is Applicability.UNSAFE for fix in fixes)


def test_what_is_open_is_said() -> None:
    found = only('{"a": [1, {"b": 2')
    assert [label.place.span for label in found.labels[1:]] == [(10, 11), (6, 7), (0, 1)]


TOKENS = """{ } [ ] , : "a" 1 0 - 1. 01 true True null x 'b' " ' # \\ "\\x" "\\u12" "\\n" “ ” ``` NaN é /*"""
PIECES = st.sampled_from([*TOKENS.split(), " ", "\n", "//c\n", "```json\n", "\0"])


@given(st.lists(PIECES, max_size=14).map("".join))
def test_every_text_that_is_refused_is_explained(text: str) -> None:
    """The tolerant scan finds a mistake exactly if `json.loads` does, NaN apart, which is POT1006."""
    try:
        json.loads(text)
    except json.JSONDecodeError:
        problems = diagnose(text)
        assert problems or not text.strip()
        assert all(0 <= p.span[0] <= p.span[1] <= len(text) for p in problems)
    else:
        assert all("NaN" in problem.message for problem in diagnose(text))
    read(text)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_safe_fixes_come_to_an_end(text: str) -> None:
    """[DIAG-FIX-2]: no safe fix is offered again and again."""

    class Read(NamedTuple):
        diagnostics: list[Diagnostic]

    mended = mend(text, Read(read(text)[1]), lambda changed: Read(read(changed)[1]))
    fixes = [fix.applicability for each in mended.found.diagnostics for fix in each.fixes]
    assert Applicability.SAFE not in fixes


@given(st.text())
def test_any_text_is_read_or_explained(text: str) -> None:
    value, found, document = read(text)
    assert value is not None or found or text.strip() == "null"
    for diagnostic in found:
        assert document.locate(diagnostic.place) is not None
        assert diagnostic.message.isprintable()


def test_a_mistake_at_the_end_of_a_large_file_is_found_soon() -> None:
    text = '{"rules": [' + '{"name": "r", "constraint": "p(a, b)"},\n' * 40_000 + "]}"
    assert only(text).message == "not JSON: a comma before the closing `]`"


def test_many_escapes_in_one_string() -> None:
    text = '["' + "\\n" * 1_000_000 + '", 1, 1.]'
    assert only(text).message == "not JSON: `1.` is not a JSON number"

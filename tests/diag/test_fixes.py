"""Fixes: on values as RFC 6902 says, on raw text with the same value and the formatting kept."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.diag import Applicability, Edit, Fix, Patch, Replace
from potlang.diag.fixes import apply_fix, apply_fixes
from potlang.diag.patching import FixError
from potlang.source import join_pointer

KEYS = st.sampled_from(["a", "b", "a/b", "~", 'q"', "é", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\\né😀', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)


def fix(*edits: Edit) -> Fix:
    return Fix("t", Applicability.SAFE, edits)


def pointers(value: object) -> list[str]:
    found, stack = [], [("", value)]
    while stack:
        pointer, here = stack.pop()
        found.append(pointer)
        if isinstance(here, dict):
            stack += [(join_pointer(pointer, key), item) for key, item in here.items()]
        if isinstance(here, list):
            stack += [(f"{pointer}/{index}", item) for index, item in enumerate(here)]
    return found


@st.composite
def patches(draw: st.DrawFn, value: object) -> Patch:
    known = st.sampled_from(pointers(value))
    op = draw(st.sampled_from(["add", "remove", "replace", "move", "copy"]))
    path = draw(known)
    if op in ("add", "move", "copy"):
        path = join_pointer(path, draw(KEYS | st.sampled_from(["0", "1", "-"])))
    return Patch(op, path, draw(VALUES), draw(known))


@given(st.data(), VALUES, st.sampled_from([None, 1, "\t"]))
def test_raw_and_value_agree(data: st.DataObject, value: object, indent: int | str | None) -> None:
    """[DIAG-FIX-3] Whatever applies to the value applies to its text and gives the text of the same value."""
    change = fix(*data.draw(st.lists(patches(value), min_size=1, max_size=2)))
    text = json.dumps(value, indent=indent, ensure_ascii=data.draw(st.booleans()))
    before = copy.deepcopy(value)
    try:
        expected = apply_fix(value, change)
    except FixError:
        assert apply_fixes(text, [change]) == text
        return
    assert value == before
    assert json.loads(apply_fixes(text, [change])) == expected


@given(st.data(), st.text('ab"\\\né😀/', max_size=8), st.text('c"\\\n', max_size=3), st.booleans())
def test_replacing_inside_a_string_goes_through_its_escapes(
    data: st.DataObject, content: str, new: str, plain: bool
) -> None:
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    change = fix(Replace("/k/0", start, end, new))
    text = json.dumps({"k": [content]}, ensure_ascii=plain)
    expected = {"k": [content[:start] + new + content[end:]]}
    assert json.loads(apply_fixes(text, [change])) == expected
    assert apply_fix({"k": [content]}, change) == expected


TEXT = """{
  "sorts": [],   "knowledgebase": ["p(a)",
      "q(b)" ],
  "rules": {"x":1}
}
"""


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (Patch("move", "/knowledge_base", source="/knowledgebase"), '"knowledgebase"', '"knowledge_base"'),
        (Patch("remove", "/knowledgebase/0"), '"p(a)",\n      ', ""),
        (Patch("remove", "/knowledgebase/1"), ',\n      "q(b)"', ""),
        (Patch("remove", "/rules"), ',\n  "rules": {"x":1}', ""),
        (Patch("remove", "/rules/x"), '"x":1', ""),
        (Patch("add", "/rules/y", [2]), '{"x":1}', '{"x":1, "y": [2]}'),
        (Patch("add", "/actions", ["v"]), '{"x":1}\n', '{"x":1},\n  "actions": ["v"]\n'),
        (Patch("add", "/sorts/-", {"name": "S"}), "[]", '[{"name": "S"}]'),
        (Patch("add", "/knowledgebase/1", "r(é)"), '"q(b)"', '"r(é)",\n      "q(b)"'),
        (Patch("add", "/knowledgebase/-", 1), '"q(b)"', '"q(b)",\n      1'),
        (Patch("replace", "/rules/x", "a\n"), '{"x":1}', '{"x":"a\\n"}'),
        (Replace("/knowledgebase/0", 2, 3, "c"), "p(a)", "p(c)"),
        (Replace("", 0, 1, "{ "), "{\n", "{ \n"),
    ],
)
def test_only_what_must_change_changes(edit: Edit, old: str, new: str) -> None:
    """[DIAG-FIX-3]"""
    assert TEXT.count(old) == 1
    assert apply_fixes(TEXT, [fix(edit)]) == TEXT.replace(old, new)


def test_of_overlapping_fixes_the_first_wins() -> None:
    text = '{"a": "x = y = z"}'
    first, second, third = (
        fix(Replace("/a", s, e, t)) for s, e, t in ((2, 3, "=="), (0, 4, "no"), (6, 7, "=="))
    )
    assert apply_fixes(text, [first, second, third]) == '{"a": "x == y == z"}'


def test_several_replacements_count_from_the_original() -> None:
    change = fix(Replace("/a", 0, 1, "long"), Replace("/a", 2, 3, ""))
    assert apply_fix({"a": "abc"}, change) == {"a": "longb"}
    assert apply_fixes('{"a": "abc"}', [change]) == '{"a": "longb"}'


def test_a_renamed_key_keeps_its_place() -> None:
    change = fix(Patch("move", "/B", source="/b"))
    assert list(apply_fix({"a": 1, "b": 2, "c": 3}, change)) == ["a", "B", "c"]  # type: ignore[call-overload]


def test_a_deep_value_is_patched_without_recursion() -> None:
    value: object = ["x"]
    for _ in range(5_000):
        value = [value]
    changed = apply_fix(value, fix(Patch("replace", "/0" * 5_001, 1)))
    for _ in range(5_001):
        assert isinstance(changed, list)
        changed = changed[0]
    assert changed == 1

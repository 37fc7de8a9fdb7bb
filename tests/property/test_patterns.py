"""`Matches` against Python's own regular expressions, over all short strings of some characters."""

from __future__ import annotations

import itertools
import json
import random
import re

import pytest

from potlang.api import check, verify
from potlang.sema.patterns import PatternError, read_pattern

PATTERNS = (
    *(
        "a",
        "ab",
        "a|b",
        "(ab|c)1",
        "[ab]c",
        "[^a]b",
        "a*",
        "a+b",
        "ba*",
        "[ab]*",
        "a.b",
        ".*b.*",
        "a.*",
        ".*b",
    ),
    *("a{2}", "a{1,2}b", "(ab){2}", "(a|b){1,2}", "a?b", "[0-9]+", "a[0-9]*c", r"\d{2}", r"a\.b", "[a-c]+1"),
    *("a{0,2}b{1,2}", "a{0,1}b*c{0,2}", "(a|b){0,2}1*", "[ab]{1,2}[1c]{0,2}", "a?b?c?", "a{0,2}.*b{0,1}"),
    *("(?:ab)?c", "^ab$", "", "[0-9]{1,3}a", r"\w+", "(a|b1)?c", "a[^bc]*b", "[.]1"),
)
WORDS = ["".join(each) for length in range(4) for each in itertools.product("ab1c.", repeat=length)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_python_says(pattern: str) -> None:
    """[SORT-STR-4]"""
    words = random.Random(pattern).sample(WORDS, 30)
    claims = [f"Matches({json.dumps(word)}, {json.dumps(pattern)})" for word in words]
    program = {"verifications": [{"name": str(n), "constraint": claim} for n, claim in enumerate(claims)]}
    found = [str(each.verdict) == "entailed" for each in verify(program, language="pot").results]
    assert found == [re.fullmatch(pattern, word, re.DOTALL) is not None for word in words]


EXPLODING = {
    "a*b*": "bound all repetitions but one, as in `[a-z]{0,9}[0-9]*`",
    "x(a+)+": "bound the repetition, as in `(ab){0,9}`",
    "(a|b){1,30}": "write fewer alternatives or smaller counts; `.*` stands for any text",
    "[ab]{1,90}[bc]{1,90}[cd]{1,90}": "write fewer alternatives or smaller counts; `.*` stands for any text",
    "a{0,90000}b{0,90000}": "write fewer alternatives or smaller counts; `.*` stands for any text",
}


@pytest.mark.parametrize("pattern", EXPLODING)
def test_a_pattern_that_explodes_has_a_place_and_a_help(pattern: str) -> None:
    """[SORT-STR-4] The rest of the program is still checked."""
    claims = [{"constraint": f"Matches('aab', '{pattern}')"}, {"constraint": "missing(a)"}]
    found = check({"verifications": claims}).diagnostics
    assert [each.code for each in found][:2] == ["POT1020", "POT2001"]
    assert found[0].helps[0] == EXPLODING[pattern]
    span = found[0].place.span
    assert span is not None and f"Matches('aab', '{pattern}')"[slice(*span)].strip("'") in pattern


@pytest.mark.parametrize(
    "pattern", ["(a", "a)", "[a", "*a", "a{2,1}", "(?=a)", r"\b", "(a+b*)+c", "(a|b){20}", "a*b*"]
)
def test_other_patterns_are_refused(pattern: str) -> None:
    if pattern == "a*b*":
        assert len(read_pattern(pattern)[0]) == 2
        program = {"verifications": [{"constraint": f"Matches('aab', '{pattern}')"}]}
        assert str(verify(program).verdict) == "rejected"
        return
    with pytest.raises(PatternError):
        read_pattern(pattern)

"""`Matches` against Python's own regular expressions, over all short strings of some characters."""

from __future__ import annotations

import itertools
import json
import random
import re

import pytest

from potlang.api import verify
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

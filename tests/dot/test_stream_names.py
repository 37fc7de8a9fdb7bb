"""Streams whose propositions may use some names alone."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from potlang.dot import Validator
from potlang.languages.dot.read.propositions import FORMULAS, TERMS
from potlang.testing.traces import proposition

NAMES = ("x", "age", "ünïcode", "p", "f")
HEAD = "@node id=1 role=proposer\n@prop id=1 "


def is_limited(value: Any, names: frozenset[str], *, quoted: bool = False) -> bool:
    """Whether a proposition or term uses these names alone, and its own variables."""
    if isinstance(value, str):
        return quoted or value in names
    if isinstance(value, list):
        return all(is_limited(each, names) for each in value)
    if not isinstance(value, dict):
        return True
    [(operator, operands)] = value.items()
    assert operator in FORMULAS or operator in TERMS
    if operator in ("forall", "exists"):
        variables, body = operands
        return not {"and", "or", "not", "in"} & set(variables) and is_limited(body, names | set(variables))
    return is_limited(operands, names, quoted=operator == "pot")


def check_limited(random: Random, count: int) -> int:
    limited, accepted = Validator(names=NAMES), 0
    limited.push(HEAD)
    for _ in range(count):
        value = proposition(random)
        text = json.dumps(value, ensure_ascii=random.random() < 0.5)
        other = limited.fork()
        status = other.push(text)
        assert (status == "complete") is is_limited(value, frozenset(NAMES)), text
        accepted += status == "complete"
        good = HEAD.encode() + text.encode()
        good = good[: other.position]
        for size in random.sample(range(len(HEAD), len(good) + 1), min(3, len(good) - len(HEAD))):
            begun = Validator(names=NAMES)
            assert begun.push(good[:size]) != "invalid"
            assert begun.push(begun.closing()) == "complete", (good[:size], begun.closing())
    return accepted


def test_propositions_use_names_that_are_given_and_variables_that_they_bind() -> None:
    """[STREAM-NAMES]"""
    assert 60 < check_limited(Random(1), 400) < 340


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ('"x"', None),
        ('"q"', 1),
        ('"ages"', 4),
        ('"ag"', 3),
        ('"\\u0078"', None),
        ('"\\u0079"', 6),
        ('{"and":[{"forall":[{"k":"Int"},["k","x"]]},"k"]}', 44),
        ('{"exists":[{"not":"Int"},"x"]}', 16),
        ('{"exists":[{"nota":"Int"},"nota"]}', None),
        ('{"pot":"anything + 1 > 0"}', None),
        ('["p",{"ite":["x","q",0]}]', 18),
    ],
)
def test_the_first_byte_that_no_name_has_is_the_position(text: str, position: int | None) -> None:
    """[STREAM-NAMES]"""
    validator = Validator(names=NAMES)
    validator.push(HEAD)
    at = len(HEAD.encode())
    status = validator.push(text)
    assert status == ("complete" if position is None else "invalid")
    if position is not None:
        assert validator.position - at == position
        assert validator.error is not None
        assert validator.error.code == "POT5041"


@pytest.mark.parametrize(
    "begun", [r'{"forall":[{"\u00', r'{"forall":[{"\n":"Int"},"', r'{"exists":[{"\"":"s"},["\u002']
)
def test_variables_that_need_escapes_are_closed(begun: str) -> None:
    """[STREAM-NAMES] [STREAM-CLOSE]"""
    validator = Validator(names=["long"])
    validator.push(HEAD + begun)
    assert validator.push(validator.closing()) == "complete"


@pytest.mark.parametrize("names", [[], ["and"], ["x", ""], ['a"b'], ["a\nb"], ["\\"], ["x" * 10_001]])
def test_names_that_no_proposition_can_use_are_refused(names: list[str]) -> None:
    """[STREAM-NAMES]"""
    with pytest.raises(ValueError, match="name"):
        Validator(names=names)

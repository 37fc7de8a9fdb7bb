"""A program as the kernel reads it: once, and within the limits of the call."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import potlang
from potlang.certify import Invalid
from potlang.engines.kernel_reading import KernelReading
from potlang.utils.deadline import OutOfTime, within

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import heavy


def reading_of(name: str) -> KernelReading:
    text = next(each.text for each in heavy.programs() if each.name == name)
    return KernelReading(potlang.compile(text).module)


def test_reading_ends_with_the_call_and_may_be_begun_again() -> None:
    """[LIMIT-WHOLE-CALL]"""
    reading = reading_of("doubling-quantified-10")
    with within(0), pytest.raises(OutOfTime):
        _ = reading.theory
    assert reading.theory is reading.theory


@pytest.mark.slow
def test_a_program_that_unfolds_to_too_much_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """[CERT-OUTCOME] Within bounded steps."""
    reading = reading_of("doubling-quantified-18")
    with pytest.raises(Invalid, match="more steps"):
        _ = reading.theory
    monkeypatch.setattr("potlang.certify.read_theory", None)
    with pytest.raises(Invalid, match="more steps"):
        _ = reading.theory


def test_the_length_of_a_program_takes_nothing_from_the_steps_for_unfolding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[CERT-OUTCOME] A long text without definitions is read, however few these steps are."""
    monkeypatch.setattr("potlang.certify.terms.MOST_STEPS", 1_000)
    facts = [f"p or {'not ' * 30}p or x{number}" for number in range(200)]
    names = {"sort": "Bool", "members": ["p", *(f"x{number}" for number in range(200))]}
    module = potlang.compile({"constants": {"names": names}, "knowledge_base": facts}).module
    assert len(KernelReading(module).theory.assertions) == 200

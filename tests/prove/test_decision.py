"""The decision rule: all answers, by the states that they leave ([VERDICT-RULE])."""

from __future__ import annotations

from itertools import product

import pytest

from potlang.prove.decision import (
    ANSWERS,
    STATES,
    decide,
    needs_assumptions,
    paper_answer,
)
from potlang.report.results import Verdict, worst

E, R, U, C, X = (
    Verdict.ENTAILED,
    Verdict.REFUTED,
    Verdict.UNDETERMINED,
    Verdict.INCONSISTENT,
    Verdict.UNKNOWN,
)
WORDS = {"s": "sat", "u": "unsat", "?": "unknown", "-": None}

# Written out by hand, not computed: assumptions, claim, negation -> verdict, and what is left.
ALL_27 = {
    "sss": (U, [U]),
    "ssu": (E, [E]),
    "ss?": (X, [E, U]),
    "sus": (R, [R]),
    "suu": (X, []),
    "su?": (R, [R]),
    "s?s": (X, [R, U]),
    "s?u": (E, [E]),
    "s??": (X, [E, R, U]),
    "uss": (X, []),
    "usu": (X, []),
    "us?": (X, []),
    "uus": (X, []),
    "uuu": (C, [C]),
    "uu?": (C, [C]),
    "u?s": (X, []),
    "u?u": (C, [C]),
    "u??": (C, [C]),
    "?ss": (U, [U]),
    "?su": (E, [E]),
    "?s?": (X, [E, U]),
    "?us": (R, [R]),
    "?uu": (C, [C]),
    "?u?": (X, [R, C]),
    "??s": (X, [R, U]),
    "??u": (X, [E, C]),
    "???": (X, [E, R, U, C]),
}


@pytest.mark.parametrize("answers", ALL_27)
def test_all_27(answers: str) -> None:
    """[VERDICT-STATE]"""
    verdict, possible = ALL_27[answers]
    found = decide(*(WORDS[letter] for letter in answers))
    assert (found.verdict, list(found.possible)) == (verdict, possible)
    assert found.contradictory == (not possible)


def test_not_asked_counts_as_unknown() -> None:
    for answers in product(ANSWERS, repeat=3):
        unknown = tuple("unknown" if each is None else each for each in answers)
        assert decide(*answers) == decide(*unknown)  # type: ignore[arg-type]


def test_a_verdict_is_never_wrong() -> None:
    """[VERDICT-STATE] Whatever is hidden of a true state, its verdict is the answer or among the possible
    ones.
    """
    for verdict, state in STATES.items():
        for hidden in product((True, False), repeat=3):
            answers = ["unknown" if hide else known for hide, known in zip(hidden, state, strict=True)]
            found = decide(*answers)  # type: ignore[arg-type]
            assert verdict in found.possible
            assert found.verdict in (verdict, Verdict.UNKNOWN)


def test_assumptions_are_asked_for_only_where_that_decides() -> None:
    """[VERDICT-CHECKS]"""
    asked = {
        (positive, negative)
        for positive, negative in product(("sat", "unsat", "unknown"), repeat=2)
        if needs_assumptions(positive, negative)  # type: ignore[arg-type]
    }
    assert asked == {("unsat", "unknown"), ("unknown", "unsat"), ("unknown", "unknown")}


def test_paper_answer() -> None:
    """[VERDICT-PAPER]"""
    assert paper_answer(decide("sat", None, "unsat"), None) == "SAT"
    assert paper_answer(decide("unsat", None, None), None) == "UNSAT"
    assert paper_answer(decide(None, "sat", "unknown"), "sat") == "SAT"
    assert paper_answer(decide(None, "unknown", "unsat"), "unknown") is None


def test_worst() -> None:
    """[VERDICT-OVERALL]"""
    assert worst([E, U]) is U
    assert worst([U, R, E]) is R
    assert worst([R, X]) is X
    assert worst([X, C]) is C
    assert worst([]) is E

"""Two generators over all routes, and damaged inputs for all entry points: samples of the two benchmarks."""

from __future__ import annotations

import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import agreement  # noqa: E402
import fuzz  # noqa: E402
from plain_programs import draw  # noqa: E402
from plain_terms import BOOL, INT, REAL, Signature, Structure, Term, Undefined, value  # noqa: E402

import potlang  # noqa: E402

LIMITS = agreement.Limits(2_000, 6_000)
PROGRAM = {
    "constants": {"c": {"sort": "Bool", "members": ["p", "q"]}},
    "knowledge_base": ["p", "q"],
    "verifications": [{"name": "a", "constraint": "p"}, {"name": "b", "constraint": "not q"}],
}


def test_programs_of_the_second_generator_are_valid() -> None:
    for seed in range(60):
        drawn = draw(random.Random(seed))
        checked = potlang.check(drawn.program, language="pot")
        assert checked.ok, (seed, [each.message for each in checked.diagnostics])
        assert drawn.allowed and draw(random.Random(seed)) == drawn


def test_the_second_generator_knows_all_verdicts_and_is_often_exact() -> None:
    drawn = [draw(random.Random(seed)) for seed in range(100)]
    known = [each for one in drawn for each in one.allowed.values()]
    assert set().union(*(each for each in known if len(each) == 1)) == {
        *("entailed", "refuted", "undetermined", "inconsistent")
    }
    assert sum(each.exact for each in drawn) > 30


def test_its_evaluator_computes_as_smt_lib_does() -> None:
    structure = Structure(Signature({}, {}, {}, {}, {}, set()), {}, {})

    def of(head: str, *numbers: Any, sort: Any = INT) -> Any:
        return value(Term(head, sort, tuple(Term("lit", sort, (), each) for each in numbers)), structure, {})

    assert [of("div", a, b) for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [3, -4, -3, 4]
    assert [of("mod", a, b) for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [1, 1, 1, 1]
    of_four = {"sort": ("Bits", 4)}
    assert of("ratio", Fraction(1), Fraction(3), sort=REAL) == Fraction(1, 3)
    assert [of("SDiv", a, b, **of_four) for a, b in ((9, 2), (9, 14), (9, 0), (7, 0))] == [
        13,
        3,
        1,
        15,
    ]
    assert [of("SRem", a, b, **of_four) for a, b in ((9, 2), (9, 14), (9, 0), (7, 0))] == [
        15,
        15,
        9,
        7,
    ]
    assert of("distinct", True, False, sort=BOOL) and not of("distinct", True, True, sort=BOOL)
    with pytest.raises(Undefined):
        of("mod", 1, 0)


def test_a_wrong_answer_is_found_and_its_program_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    real = agreement.answer

    def lying(program: dict[str, Any], route: str, limits: Any, **options: Any) -> Any:
        found, report = real(program, route, limits, **options)
        if route == "search" and "b" in found.verdicts:
            found.verdicts["b"] = "entailed"
        return found, report

    case = agreement.Case("plain", 0, PROGRAM, {"a": frozenset({"entailed"}), "b": frozenset({"refuted"})})
    assert agreement.examine(case, LIMITS)[1] == []
    monkeypatch.setattr(agreement, "answer", lying)
    _, wrong = agreement.examine(case, LIMITS)
    assert [each.split(":")[0] for each in wrong] == ["disagreement", "wrong"]
    smaller = agreement.minimal(case, LIMITS, wrong)
    assert [each["name"] for each in smaller["verifications"]] == ["b"]
    assert smaller.keys() == {"constants", "verifications"}


def test_what_an_entry_point_may_not_do_is_found() -> None:
    def target(call: Any, *raises: type[BaseException], seconds: float = 60) -> str | None:
        return fuzz.tried(fuzz.Target("x", 1, "program", call, raises, seconds), b"")

    def busy(_: bytes) -> None:
        sum(range(3_000_000))

    assert target(lambda data: data) is None
    assert target(lambda data: data[1], IndexError) is None
    assert "IndexError" in str(target(lambda data: data[1], KeyError))
    assert str(target(busy, seconds=0.01)).startswith("slow")


@pytest.mark.slow
@pytest.mark.parametrize(("program", "count"), [("agreement.py", "40"), ("fuzz.py", "3000")])
def test_a_sample_of_each_finds_nothing(program: str, count: str) -> None:
    command = [sys.executable, str(BENCHMARKS / program), "--seed", "14", "--count", count, "--check"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")[-5_000:]

"""Generated programs: their verdicts and what these need, confirmed by solvers; the same in every run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, get_args

import pytest

import potlang
from potlang.generate.programs import (
    SHAPES,
    VERDICTS,
    Asked,
    Generated,
    ProgramDifficulty,
    generate,
    generate_many,
)
from potlang.report.results import Limits, Verdict

LEVELS = (1, 2, 3, 4, 5, 6, 8, 10)
LIMITS = Limits(check_ms=20_000)


def check_verdict(found: Generated) -> None:
    """[GEN-VERDICT], [GEN-SUPPORT]: the verdict is that, and its minimal core the support."""
    report = potlang.verify(found.program, limits=LIMITS)
    assert not [each for each in report.diagnostics if each.severity == "error"]
    assert report.verdict is found.verdict, found.seed
    core = report.results[0].evidence.core
    assert {each.name for each in core or ()} == found.support, found.seed


def check_all(programs: Iterable[Generated]) -> None:
    for each in programs:
        check_verdict(each)


def many(count: int) -> list[Generated]:
    """`count` programs, of all levels by turns."""
    each = count // len(LEVELS) + 1
    found = [
        g for level in LEVELS for g in generate_many(each, 1_000 * level, ProgramDifficulty.of_level(level))
    ]
    return found[:: max(1, len(found) // count)][:count]


@pytest.mark.slow
def test_verdicts() -> None:
    check_all(many(60))


@pytest.mark.slow
def test_verdicts_deep() -> None:
    programs = many(500)
    assert len(programs) == 500
    check_all(programs)


def without(program: dict[str, Any], name: str) -> dict[str, Any]:
    kept = {
        section: [each for each in program[section] if each["name"] != name]
        for section in ("knowledge_base", "rules")
    }
    return {**program, **kept}


@pytest.mark.parametrize("verdict", [Verdict.ENTAILED, Verdict.REFUTED, Verdict.INCONSISTENT])
def test_every_part_of_the_support_is_needed(verdict: Verdict) -> None:
    """[GEN-SUPPORT]: without any one of them the verdict is another; without a part of the noise it stays."""
    for seed in range(4):
        found = generate(seed, ProgramDifficulty(depth=2, rules=2, facts=2), verdict)
        names = {each["name"] for key in ("knowledge_base", "rules") for each in found.program[key]}
        for name in sorted(names):
            changed = potlang.verify(without(found.program, name), trust="solver").verdict
            assert (changed is not verdict) == (name in found.support), (seed, name)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("claim", get_args(Asked))
def test_every_shape_with_every_claim(shape: Any, claim: Any) -> None:
    """[GEN-VERDICT]"""
    difficulty = ProgramDifficulty(2, (shape,), 4, 6, 4, (claim,))
    check_all(generate(7, difficulty, verdict) for verdict in VERDICTS)


def test_verdicts_are_balanced_and_forms_do_not_tell_them() -> None:
    """[GEN-SUPPORT], [GEN-VERDICT]"""
    found = list(generate_many(400, 0, ProgramDifficulty()))
    assert set(Counter(each.verdict for each in found).values()) == {100}
    forms: dict[str, set[Verdict]] = {}
    for each in found:
        claim = each.program["verifications"][0]
        kind = next((key for key in ("exists", "implies") if key in claim), None)
        if kind is None:
            kind = "negated" if claim["constraint"].startswith("Not") else "atom"
        forms.setdefault(kind, set()).add(each.verdict)
    assert forms["exists"] == set(VERDICTS) - {Verdict.REFUTED}
    assert all(forms[kind] == set(VERDICTS) for kind in ("atom", "implies", "negated"))


def test_seeds_name_the_same_programs_in_every_release() -> None:
    """[GEN-SUPPORT]: whoever wrote down a seed gets that program, whatever our classes are called."""
    made = [
        [each.program, str(each.verdict), sorted(each.support)]
        for level in range(1, 9)
        for each in generate_many(4, level, ProgramDifficulty.of_level(level))
    ]
    digest = hashlib.sha256(json.dumps(made).encode()).hexdigest()
    assert digest == "2479c5ef72716cf126f1c0aa35d95927da4da9c4769d9215f098c2194f2e569e"


def test_the_same_arguments_give_the_same_program() -> None:
    """[GEN-SUPPORT]"""
    assert generate(5) == generate(5)
    assert generate(5).program != generate(6).program
    assert generate(5, ProgramDifficulty(depth=1)).program != generate(5, ProgramDifficulty(depth=2)).program


def test_levels_grow() -> None:
    """[GEN-SUPPORT]: longer chains, and more that is not needed."""
    sizes = [
        len(json.dumps(generate(1, ProgramDifficulty.of_level(level), Verdict.ENTAILED).program))
        for level in LEVELS
    ]
    assert sizes == sorted(sizes)
    assert len(generate(1, ProgramDifficulty.of_level(10), Verdict.ENTAILED).support) >= 10
    assert len(generate(1, ProgramDifficulty.of_level(1), Verdict.ENTAILED).program["rules"]) == 1


@pytest.mark.parametrize(
    "difficulty",
    [
        ProgramDifficulty(depth=0),
        ProgramDifficulty(rules=-1),
        ProgramDifficulty(facts=10_000),
        ProgramDifficulty(shapes=()),
        ProgramDifficulty(claims=("atom", "all")),  # type: ignore[arg-type]
    ],
)
def test_difficulties_that_are_none(difficulty: ProgramDifficulty) -> None:
    with pytest.raises(ValueError, match=r"not|to"):
        generate(0, difficulty)
    with pytest.raises(ValueError, match="rejected"):
        generate(0, verdict=Verdict.REJECTED)
    with pytest.raises(ValueError, match="begin at 1"):
        ProgramDifficulty.of_level(0)

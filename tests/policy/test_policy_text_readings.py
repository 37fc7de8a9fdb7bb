"""Translations compared by solver, against every world of small finite policies."""

from __future__ import annotations

from random import Random

import pytest
from small_translations import SmallPolicy, Told, drawn, holds, same

import potlang
from potlang.policy.texts.parts import QuotableText
from potlang.policy.texts.readings import readings_of
from potlang.policy.texts.translation import Translation, read_translation

WORDS = "what the text says"


def translations(policy: SmallPolicy, told: list[Told]) -> tuple[potlang.Program, list[Translation]]:
    program = potlang.compile(policy.program())
    return program, [read_translation(each.to_dict(WORDS), QuotableText(WORDS), program) for each in told]


def check_drawn(seed: int) -> None:
    policy, told = drawn(Random(seed), 4)
    program, read = translations(policy, told)
    expected: list[list[int]] = []
    for number, each in enumerate(told):
        home = next((known for known in expected if same(policy, told[known[0]], each)), None)
        if home is None:
            expected.append([number])
        else:
            home.append(number)
    found = readings_of(program, read)
    assert sorted(list(each.members) for each in found.classes) == expected, policy
    for one, other, comparison in found.comparisons:
        case = comparison.separating
        if case is None or told[one].individuals != told[other].individuals:
            continue
        # Both under the same names: the case can be tried as it stands.
        assert case.confirmed
        sides = [getattr(told[number], case.part) for number in (one, other)]
        if case.holds:
            sides.reverse()
        assert any(
            all(shown.get(term, value) == value for term, value in case.values.items())
            and all(holds(each, world, things) for each in sides[0])
            and not all(holds(each, world, things) for each in sides[1])
            for world in policy.worlds(told[one].individuals)
            for things in [[cell[1] for cell in world if cell[0] == "p"]]
            for shown in [{_term(cell): str(value) for cell, value in world.items()}]
        )


def _term(cell: tuple[str, ...]) -> str:
    return cell[0] if len(cell) == 1 else f"{cell[0]}({cell[1]})"


@pytest.mark.parametrize("seed", range(8))
def test_classes_are_those_of_all_worlds(seed: int) -> None:
    """[POLICY-TEXT-SAME], [POLICY-TEXT-CLASSES]"""
    check_drawn(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 600))
def test_classes_are_those_of_all_worlds_of_many(seed: int) -> None:
    """[POLICY-TEXT-SAME], [POLICY-TEXT-CLASSES], [POLICY-TEXT-CLASH]"""
    check_drawn(seed)

"""All minimal cores and corrections, against brute force ([VERDICT-CORES], [VERDICT-CORRECTIONS])."""

from __future__ import annotations

import itertools

import pytest
from subset_oracles import Given, minimal_cores, minimal_corrections, names, random_family

from potlang.prove.cores import Core, Names
from potlang.prove.marco import FEW, Bounds, MusResult, marco
from potlang.utils.deadline import Deadline

ALL = Bounds(10_000, 10_000)


def search(every: Names, given: Given, bounds: Bounds = ALL, ms: int = 600_000, *known: Core) -> MusResult:
    return marco(every, given, Deadline(ms), bounds, known)


def hitting_sets(sets: tuple[Names, ...], every: Names) -> list[Names]:
    """The minimal sets that have something of each of these."""
    found: list[Names] = []
    for size in range(len(every) + 1):
        for subset in itertools.combinations(every, size):
            hits = all(set(subset) & set(each) for each in sets)
            if hits and not any(set(each) <= set(subset) for each in found):
                found.append(subset)
    return found


@pytest.fixture(params=[FEW, 2], ids=["enumerated", "solved"], autouse=True)
def _few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every statement with sets enumerated as long as they are few, and by a solver nearly always."""
    monkeypatch.setattr("potlang.prove.marco.FEW", request.param)


@pytest.mark.parametrize("seed", range(120))
def test_both_families_are_those_of_brute_force(seed: int) -> None:
    every, family = random_family(seed)
    given = Given(family, seed)
    found = search(every, given)
    assert found.cores_complete
    assert found.corrections_complete
    assert list(found.cores) == minimal_cores(every, given)
    assert list(found.corrections) == minimal_corrections(every, given)


@pytest.mark.parametrize("seed", range(40))
def test_each_family_is_the_others_minimal_hitting_sets(seed: int) -> None:
    every, family = random_family(seed, most=8)
    found = search(every, Given(family, seed))
    assert list(found.corrections) == hitting_sets(found.cores, every)
    assert list(found.cores) == hitting_sets(found.corrections, every)


@pytest.mark.parametrize("seed", range(50))
def test_bounds_give_a_part_and_say_so(seed: int) -> None:
    """[LIMIT-CORES] Corrections come smallest first, and the same ones as without bounds."""
    every, family = random_family(seed)
    given = Given(family, seed)
    whole = search(every, given)
    part = search(every, given, Bounds(2, 2))
    assert set(part.cores) <= set(whole.cores)
    assert part.corrections == whole.corrections[: len(part.corrections)] or len(part.corrections[-1]) == len(
        whole.corrections[len(part.corrections) - 1]
    )
    if part.cores_complete:
        assert part.cores == whole.cores
    if part.corrections_complete:
        assert part.corrections == whole.corrections
    if len(whole.cores) > 2 and len(whole.corrections) > 2:
        assert not (part.cores_complete or part.corrections_complete)


@pytest.mark.parametrize("seed", range(100))
def test_unknown_answers_spoil_completeness_and_nothing_else(seed: int) -> None:
    every, family = random_family(seed)
    given = Given(family, seed, unknown=0.25)
    found = search(every, given)
    assert set(found.cores) <= set(minimal_cores(every, given))
    assert set(found.corrections) <= set(minimal_corrections(every, given))
    if found.cores_complete:
        assert list(found.cores) == minimal_cores(every, given)
    if found.corrections_complete:
        assert list(found.corrections) == minimal_corrections(every, given)


@pytest.mark.parametrize("seed", range(100))
def test_wrong_cores_of_solvers_do_no_harm(seed: int) -> None:
    every, family = random_family(seed)
    given = Given(family, seed, wrong=0.3)
    found = search(every, given)
    assert list(found.cores) == minimal_cores(every, given)
    assert list(found.corrections) == minimal_corrections(every, given)


@pytest.mark.parametrize("seed", range(40))
def test_corrections_alone_need_no_minimal_cores(seed: int) -> None:
    every, family = random_family(seed)
    given = Given(family, seed)
    found = search(every, given, Bounds(10_000, 10_000, shrink=False))
    assert list(found.corrections) == minimal_corrections(every, given)
    assert found.corrections_complete
    assert found.cores == ()
    assert not (found.cores_complete and minimal_cores(every, given))


def test_known_cores_are_not_looked_for_again() -> None:
    given = Given([("n0", "n1"), ("n1", "n2")])
    known = Core(("n0", "n1"), True, True)
    found = search(names(4), given, ALL, 20_000, known)
    assert found.cores == (("n0", "n1"), ("n1", "n2"))
    assert names(4) not in given.asked
    assert found.corrections == (("n1",), ("n0", "n2"))


def test_a_core_that_is_not_verified_is_not_believed() -> None:
    given = Given([("n0", "n1")])
    found = search(names(3), given, ALL, 20_000, Core(("n2",), False, False))
    assert found == ((("n0", "n1"),), True, (("n0",), ("n1",)), True)


def test_consistent_names_need_no_correction() -> None:
    assert search(names(3), Given([])) == ((), True, ((),), True)


def test_where_nothing_helps_there_is_no_correction() -> None:
    assert search(names(3), Given([()])) == (((),), True, (), True)


def test_no_time_no_answers() -> None:
    assert search(names(3), Given([names(2)]), ALL, 0) == ((), False, (), False)


@pytest.mark.usefixtures("unhurried")
def test_the_order_does_not_depend_on_the_run() -> None:
    every, family = names(30), [names(30)[i : i + 4] for i in range(0, 26, 2)]
    first, second = (search(every, Given(family, 1), Bounds(20, 40)) for _ in range(2))
    assert first == second
    assert len(first.corrections) == 40


def test_many_cores_without_common_names() -> None:
    """3^40 corrections: the cores are all found, and so many corrections as are wanted."""
    every = names(120)
    given = Given([every[i : i + 3] for i in range(0, 120, 3)])
    found = search(every, given, Bounds(1_000, 50))
    assert len(found.cores) == 40
    assert [len(each) for each in found.corrections] == [40] * 50
    assert not (found.cores_complete or found.corrections_complete)


def test_a_map_too_hard_for_order_still_gives_minimal_corrections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the solver may not search at all, sets come in any order and are minimal and complete."""
    monkeypatch.setattr("potlang.prove.marco._CONFLICTS", 1)
    chance = [random_family(seed, most=9, cores=12) for seed in range(30)]
    for seed, (every, family) in enumerate(chance):
        given = Given(family, seed)
        found = search(every, given)
        assert set(found.corrections) <= set(minimal_corrections(every, given))
        assert set(found.cores) <= set(minimal_cores(every, given))
        if found.corrections_complete:
            assert list(found.corrections) == minimal_corrections(every, given)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1_000, 2_500))
def test_larger_families(seed: int) -> None:
    every, family = random_family(seed, most=12, cores=14)
    given = Given(family, seed, wrong=0.1)
    found = search(every, given)
    assert found.cores_complete
    assert list(found.cores) == minimal_cores(every, given)
    assert list(found.corrections) == minimal_corrections(every, given)

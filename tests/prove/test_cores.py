"""Cores are made minimal, few questions asked, whatever solvers say ([VERDICT-CORE])."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from subset_oracles import Given, names, random_family

from potlang.prove.cores import Core, Names, Said, minimize
from potlang.utils.deadline import Deadline


def check_minimal(core: Core, given: Given) -> None:
    """It is unsatisfiable, was asked as it is, and is satisfiable without any of its names."""
    assert given.unsatisfiable(core.names)
    assert core.names in given.asked
    for name in core.names:
        assert not given.unsatisfiable(each for each in core.names if each != name)


def satisfiable_family(seed: int) -> tuple[Names, Given]:
    every, family = random_family(seed, most=14)
    return every, Given(family or [every], seed)


@pytest.mark.parametrize("seed", range(150))
def test_cores_of_random_families_are_minimal(seed: int) -> None:
    every, given = satisfiable_family(seed)
    core = minimize(every, every, given)
    assert (core.verified, core.minimal) == (True, True)
    check_minimal(core, given)


@pytest.mark.parametrize("seed", range(150))
def test_solvers_cores_that_are_too_small_do_no_harm(seed: int) -> None:
    every, given = satisfiable_family(seed)
    given.wrong = 0.4
    core = minimize(every, every, given)
    assert core.verified
    check_minimal(core, given)


@pytest.mark.parametrize("seed", range(150))
def test_what_is_unknown_is_never_called_minimal(seed: int) -> None:
    every, given = satisfiable_family(seed)
    given.unknown = 0.3
    core = minimize(every, every, given)
    if core.verified:
        assert given.unsatisfiable(core.names)
    if core.minimal:
        check_minimal(core, given)
    else:
        assert given.undecided


def test_names_that_do_not_suffice_are_replaced_by_all() -> None:
    given = Given([("n1", "n4")])
    assert minimize(("n1", "n2"), names(6), given) == (("n1", "n4"), True, True)


def test_satisfiable_names_are_no_core() -> None:
    assert minimize(names(3), names(3), Given([])) == (names(3), False, False)


def test_an_undecided_core_is_not_verified() -> None:
    assert minimize(names(3), names(3), Given([names(1)], unknown=1)) == (names(3), False, False)


def test_nothing_may_be_enough() -> None:
    """What is unsatisfiable by itself has an empty core."""
    assert minimize(names(3), names(3), Given([()])) == ((), True, True)


def test_the_order_given_is_kept() -> None:
    given = Given([("n5", "n1", "n3")])
    assert minimize(("n5", "n4", "n3", "n1"), names(9), given).names == ("n5", "n3", "n1")


@pytest.mark.parametrize("size", range(1, 13))
def test_a_small_minimal_core_takes_one_round_and_no_more_checks_than_names(size: int) -> None:
    given = Given([names(size)])
    core = minimize(names(size), names(50), given)
    assert core == (names(size), True, True)
    assert (given.rounds, len(given.asked)) == (1, size + 1)


@pytest.mark.parametrize(("size", "needed"), [(100, 100), (300, 300), (300, 10), (300, 150), (500, 3)])
def test_large_cores_take_few_rounds(size: int, needed: int) -> None:
    """Not many more checks than names that stay, for each of which one is needed, and batches of them."""
    every = names(size)
    step = size // needed
    given = Given([every[::step][:needed]], seed=size)
    core = minimize(every, every, given)
    assert core == (every[::step][:needed], True, True)
    assert len(given.asked) < needed + 80
    assert given.rounds < needed / 8 + 40


def test_blocks_are_left_out_where_solvers_give_no_cores() -> None:
    """Of 400 names of which 4 are needed most go in blocks, as many as a search by quarters asks about."""
    every = names(400)

    class Silent(Given):
        def ahead(self, subsets: Sequence[Names], /) -> list[Said]:
            return [(status, None) for status, _ in super().ahead(subsets)]

    silent = Silent([every[::100]])
    assert minimize(every, every, silent) == (every[::100], True, True)
    assert len(silent.asked) < 200


def test_time_is_a_bound() -> None:
    """With no time left the core is what was last asked, and not called minimal."""
    given = Given([names(10)])
    core = minimize(names(40), names(40), given, Deadline(0))
    assert core.verified
    assert not core.minimal
    assert given.unsatisfiable(core.names)
    assert len(given.asked) == 1


def test_slow_checks_are_not_sent_ahead() -> None:
    """Of a large core, where each answer may spare the others, slow checks come one at a time."""
    batches: list[int] = []
    clock = _Ticking(20_000)
    given = Given([names(3)])

    class Slow:
        def __call__(self, subset: Names, /) -> Said:
            return self.ahead([subset])[0]

        def ahead(self, subsets: list[Names], /) -> list[Said]:
            batches.append(len(subsets))
            clock.now += 100 * len(subsets)
            return given.ahead(subsets)

    core = minimize(names(30), names(30), Slow(), clock)  # type: ignore[arg-type]
    assert core.minimal
    assert max(batches) <= 2


class _Ticking(Deadline):
    """A deadline that the test moves."""

    def __init__(self, after_ms: float) -> None:
        super().__init__(after_ms)
        self.now = 0.0

    def spent_ms(self) -> float:
        return self.now

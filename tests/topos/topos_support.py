"""What the tests of `potlang.topos` share: properties, and families with a modality."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import statements
from hypothesis.strategies import SearchStrategy
from strategies import presheaves as some
from strategies.presheaves import Choices, Validation

from potlang.topos import synthesis
from potlang.topos.errors import BoundExceeded
from potlang.topos.presheaf import Presheaf
from potlang.topos.subobject import Subobject, meet, subobjects


@dataclass(frozen=True)
class Property(statements.Property):
    """A statement about toposes; inputs that are too large for the library are replaced."""

    passed_over: tuple[type[Exception], ...] = (BoundExceeded,)


@dataclass(frozen=True)
class Validated:
    """A validation modality, and a family of propositions."""

    by: Validation
    family: tuple[Subobject, ...]

    @property
    def whole(self) -> Presheaf:
        return self.by.whole

    @property
    def is_proper(self) -> bool:
        return self.by.is_proper


def validated(
    least: int = 0, most: int = 4, by: Callable[[Choices], Validation] = some.make_validation
) -> SearchStrategy[Validated]:
    """A modality with between `least` and `most` propositions."""

    def make(choices: Choices) -> Validated:
        validation = by(choices)
        return Validated(validation, some.make_family(choices, validation.whole, least, most))

    return some.built(make, 80)


def summary_of(case: Validated) -> Subobject:
    """The summary, under the topology itself where there is one."""
    found = synthesis.summary(case.by.nucleus, case.family)
    assert case.by.closure(meet(case.whole, case.family)) == found
    return found


def meet_of(whole: Presheaf, family: Sequence[Subobject]) -> Subobject:
    """The greatest lower bound of a family, found among all subobjects by the order alone."""
    lower = [x for x in subobjects(whole) if all(x <= p for p in family)]
    (found,) = [x for x in lower if all(y <= x for y in lower)]
    return found


def closed_of(by: Validation) -> list[Subobject]:
    """All closed subobjects."""
    return [x for x in subobjects(by.whole) if by.closure(x) == x]


def closure_of(by: Validation, sub: Subobject) -> Subobject:
    """The least closed subobject above one, found by the order alone."""
    above = [y for y in closed_of(by) if sub <= y]
    (found,) = [x for x in above if all(x <= y for y in above)]
    return found


def maps_into_chain(count: int) -> list[tuple[int, ...]]:
    """All functions from `count` things to a chain that is long enough for them."""
    return list(itertools.product(range(count), repeat=count))

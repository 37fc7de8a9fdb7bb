"""Unsat cores: made minimal by deletion, and checked again on their own ([VERDICT-CORE])."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from potlang.solve.decision import Known

LARGEST_MINIMIZED = 40
"""Larger cores are only checked again ([LIMIT-CORE])."""

CheckSubset = Callable[[tuple[str, ...]], tuple[Known, tuple[str, ...] | None]]
"""The status of a subset alone, and the solver's core of it if it is unsatisfiable."""


class Core(NamedTuple):
    """Names in the order given. `verified`: unsatisfiable alone in a second check; `minimal`: none can go."""

    names: tuple[str, ...]
    verified: bool
    minimal: bool


def minimize(names: Sequence[str], every: Sequence[str], check: CheckSubset) -> Core:
    """A core within `names`; within `every`, all names that there are, if `names` do not suffice.

    Solvers have reported cores that are too small, so the first check is whether `names` are enough.
    """
    status, core = check(tuple(names))
    if status == "sat" and len(names) < len(every):
        names = every
        status, core = check(tuple(names))
    if status != "unsat":
        return Core(tuple(names), False, False)
    kept = _kept(names, core)
    if len(kept) > LARGEST_MINIMIZED:
        return Core(kept, True, False)
    return _delete(kept, check)


def _kept(names: Sequence[str], core: tuple[str, ...] | None) -> tuple[str, ...]:
    if core is None:
        return tuple(names)
    inside = frozenset(core)
    return tuple(name for name in names if name in inside)


def _delete(names: tuple[str, ...], check: CheckSubset) -> Core:
    """Leave out one name after another, keeping those without which the rest is satisfiable."""
    needed: list[str] = []
    rest = list(names)
    minimal = True
    while rest:
        left_out = rest.pop(0)
        status, core = check((*needed, *rest))
        if status == "unsat":
            inside = frozenset((*needed, *rest) if core is None else core)
            if frozenset(needed) <= inside:
                rest = [name for name in rest if name in inside]
        else:
            needed.append(left_out)
            minimal = minimal and status == "sat"
    return Core(tuple(needed), True, minimal)

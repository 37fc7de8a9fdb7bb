"""Statements of TPTP's typed first-order form: types, symbols, sorts with listed members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations


def statement(name: str, role: str, text: str) -> str:
    """One statement: `role` is `type`, `axiom`, `conjecture` …"""
    return f"tff({name}, {role}, {text})."


def sort_type(sort: str) -> str:
    """That `sort` is one."""
    return f"{sort}: $tType"


def symbol_type(name: str, domain: Sequence[str], value: str) -> str:
    """The type of a function or, if its `value` is `$o`, of a predicate."""
    if not domain:
        return f"{name}: {value}"
    arguments = domain[0] if len(domain) == 1 else f"({' * '.join(domain)})"
    return f"{name}: {arguments} > {value}"


def listed(sort: str, members: Sequence[str]) -> str:
    """That a sort has these members alone."""
    return f"! [X: {sort}] : ({' | '.join(f'X = {each}' for each in members)})"


def apart(members: Sequence[str]) -> Iterator[str]:
    """That members are different, two by two."""
    return (f"{one} != {other}" for one, other in combinations(members, 2))

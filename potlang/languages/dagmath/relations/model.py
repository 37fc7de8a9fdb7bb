"""A relation found in a text: its two sides, where it stands, and how it is meant."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from potlang.languages.dagmath.lower.syntax import Term

Link = Literal[
    "=", "!=", "<", "<=", ">", ">=", "approx", "congruent", "incongruent", "divides", "in", "notin",
    "subset", "other",
]  # fmt: skip
"""Relations; `other` ones are not compared."""

IN_WORDS: Final = "it is in words"


class Side(NamedTuple):
    """One side of a relation.

    `term` is None where it was not read, and `reason` says why. `unit` are the words behind its last number,
    `inner` those behind the numbers before: `88 stripes / 4 zebras`. `is_cut`: words stand before it in its
    clause that may belong to it.
    """

    source: str
    term: Term | None
    reason: str = ""
    unit: str = ""
    is_cut: bool = False
    inner: tuple[str, ...] = ()


class Chain(NamedTuple):
    """Sides with a relation between each and the next: `a = b = c < d`.

    `start` and `end` are its place in the text, `modulus` that of its congruences. `goes_on`: its first side
    is the last one of the row or step before.
    """

    sides: tuple[Side, ...]
    links: tuple[Link, ...]
    start: int
    end: int
    modulus: Side | None = None
    goes_on: bool = False

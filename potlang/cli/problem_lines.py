"""The problems of a file of JSON Lines, for commands that have models solve them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from potlang.cli.common import tell

if TYPE_CHECKING:
    from potlang.models.solutions.problems import Problem


def problems_in(stream: BinaryIO, bad: list[str], needed: tuple[str, ...]) -> Iterator[Problem]:
    """The problems that have what is `needed`; what other lines lack is told, and added to `bad`."""
    from potlang.models.solutions.problems import BadProblem, read_problems

    for found in read_problems(stream, needed=needed):
        if isinstance(found, BadProblem):
            bad.append(found.reason)
            tell(f"line {found.line}: {found.reason}")
        else:
            yield found

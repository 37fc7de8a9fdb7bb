"""One judge of answers for all tests of a file: its library takes a second to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from potlang.languages.dagmath.solve.answers import AnswerChecker

_JUDGES: list[AnswerChecker] = []


def shared_judge() -> AnswerChecker:
    """The judge, started with the first question."""
    if not _JUDGES:
        _JUDGES.append(AnswerChecker(seconds=30))
    return _JUDGES[0]


@pytest.fixture(scope="module", autouse=True)
def end_of_judges() -> Iterator[None]:
    """Ends the judge with the file that imports this."""
    yield
    while _JUDGES:
        _JUDGES.pop().close()

"""Numbers with their nouns in messages."""

from __future__ import annotations

import pytest

from potlang.diag.wording import counted


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("file",), "0 files"),
        (1, ("file",), "1 file"),
        (2_000, ("file",), "2,000 files"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
        (1, ("changes its verdict", "change their verdicts"), "1 changes its verdict"),
    ],
)
def test_a_number_has_the_form_of_its_noun(count: int, words: tuple[str, ...], said: str) -> None:
    assert counted(count, *words) == said

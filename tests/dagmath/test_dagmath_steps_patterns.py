"""The pattern table: every row reads its example ([STEP-SENTENCES])."""

from __future__ import annotations

import pytest

from potlang.languages.dagmath.lower.patterns import OPERATIONS, SENTENCES
from potlang.languages.dagmath.lower.sentences import read_sentence

ROWS = [(row.example, row.reads) for row in (*SENTENCES, *OPERATIONS)]


@pytest.mark.parametrize(("example", "reads"), ROWS, ids=[example for example, _ in ROWS])
def test_rows(example: str, reads: str) -> None:
    """A row's example is read as the row says."""
    reading = read_sentence(example)
    assert reading.reason is None
    assert reading.shown() == reads


@pytest.mark.parametrize("at", range(len(OPERATIONS)))
def test_operations_have_their_own_examples(at: int) -> None:
    """An example has the shape of its own row, and of none before it: no row is there for nothing."""
    marked = _marked(OPERATIONS[at].example)
    assert [row.shape.match(marked) is not None for row in OPERATIONS[: at + 1]] == [False] * at + [True]


def _marked(example: str) -> str:
    """The example in small letters with marks in the place of its formulas."""
    pieces = example.lower().split("$")
    return "".join(piece if at % 2 == 0 else f"⟦{at // 2}⟧" for at, piece in enumerate(pieces))


def test_a_quotient_with_a_remainder_is_open() -> None:
    """Of `17 divided by 5` the whole part is called the quotient too."""
    assert read_sentence("$17$ divided by $5$ is $3$.").reason is not None

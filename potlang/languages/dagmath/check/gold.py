"""Gold-standard solutions (paper, section 4.1)."""

from __future__ import annotations

from potlang.diag import Severity
from potlang.languages.dagmath.check.form import CheckedSolution


def is_gold(checked: CheckedSolution, correct: bool) -> bool:
    """Whether a solution keeps the format to the letter, is closed, and its answer is right ([DAG-GOLD]).

    `correct` is the judgement of its answer. No error and no warning may have been reported of it.
    """
    quiet = all(each.severity is Severity.NOTE for each in checked.diagnostics)
    return correct and quiet and checked.graph is not None and checked.graph.closed()

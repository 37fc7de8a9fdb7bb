"""The results of SARIF that an answer has: its diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from potlang.diag import render_sarif

if TYPE_CHECKING:
    from potlang.cli.answer import Answer


def sarif_results(answer: Answer) -> list[dict[str, Any]]:
    """The results of one answer, for `render_sarif.sarif_log`."""
    return render_sarif.sarif_results(answer.document, answer.diagnostics)

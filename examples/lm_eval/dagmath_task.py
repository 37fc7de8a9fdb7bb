"""The functions that `dagmath.yaml` names."""

from __future__ import annotations

from typing import Any

from potlang.dagmath import generation_prompt
from potlang.score.harnesses import process_results as process_results


def doc_to_text(doc: dict[str, Any]) -> str:
    """What the model is asked: the problem, and the form of its solution."""
    return generation_prompt(doc["problem"])

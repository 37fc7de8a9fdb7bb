"""A folder with all tables and pictures of an evaluation ([EVAL-REPORT])."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from potlang.models.evaluation.picture import dashboard
from potlang.models.evaluation.summary import FamilySummary
from potlang.report.table import Table, to_csv, to_markdown
from potlang.score.plots import save
from potlang.utils.serialize import json_text


def write_report(folder: Path, tables: Sequence[Table], values: Any) -> None:
    """Writes `report.md`, `report.json` and a CSV file for each table. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(["# Evaluation", "", *map(to_markdown, tables)])
    (folder / "report.md").write_text(text, "utf-8")
    (folder / "report.json").write_text(json_text(values), "utf-8")
    for table in tables:
        (folder / f"{table.name}.csv").write_text(to_csv(table), "utf-8", newline="")


def write_pictures(folder: Path, summaries: Sequence[FamilySummary]) -> None:
    """Draws the paper's figure 3 for each family and for all. Raises OSError and MissingExtraError."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, summary in enumerate(summaries):
        save(dashboard(summary), folder / f"figure-{_file_name(summary.family, number)}")


def _file_name(family: str, number: int) -> str:
    """A name that a file can have: families are called as their data sets say."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", family)[:60].strip("-")
    return name if name and name == family else f"{number}-{name or 'family'}"

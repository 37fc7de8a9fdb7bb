"""The end of a benchmark: figures to a file, what failed, the exit code; and a bar on the way."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
from measure import machine

T = TypeVar("T")


def collected(label: str, found: Iterable[T], length: int) -> list[T]:
    """All that is found, with a progress bar of `length` on standard error."""
    with click.progressbar(found, length=length, label=label, file=sys.stderr) as bar:
        return list(bar)


def finish(
    name: str, figures: dict[str, Any], failed: list[str], json_path: Path | None, check: bool
) -> None:
    """Write the figures if there is a path, say what failed, and with `check` leave with the exit code."""
    if json_path is not None:
        whole = {"command": name, "machine": machine(), **figures, "failures": failed}
        json_path.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if failed:
        click.echo("\nfails:\n" + "\n".join(f"  {each}" for each in failed))
    if check:
        click.echo("\nchecked: " + ("FAILED" if failed else "all as it must be"))
        sys.exit(1 if failed else 0)

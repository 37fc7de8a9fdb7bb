"""The programs printed in the paper: what potlang must answer to each, and how long it takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cases import Case, Outcome, Settings, time_case, warm_up, write_program
from peers import find_public

import potlang

_CLOSED = "with semantics.closed_domain on "


def read_index(directory: Path) -> list[dict[str, Any]]:
    """The entries of the index, in order."""
    entries: list[dict[str, Any]] = json.loads((directory / "index.json").read_text(encoding="utf-8"))
    return entries


def run_seed(directory: Path, scratch: Path, settings: Settings) -> Iterator[Outcome]:
    """An outcome for each program. `scratch` is a directory for variants of programs."""
    if settings.peer:
        find_public(settings.peer_path)
    warm_up(scratch / "warm.json", settings)
    for entry in read_index(directory):
        path = directory / entry["file"]
        outcome = Outcome(path.stem, "seed")
        try:
            _judge(path, entry["expect"], outcome, scratch, settings)
            if settings.rounds:
                time_case(path, outcome, settings, entry.get("peer_public_implementation"))
        except Exception as error:
            outcome.faults.append(f"raised {type(error).__name__}: {str(error)[:200]}")
        yield outcome


def _judge(path: Path, expect: Case, outcome: Outcome, scratch: Path, settings: Settings) -> None:
    report = potlang.verify(
        path, language="pot", trust="solver", route=settings.route, limits=settings.limits
    )
    outcome.claims = len(report.results)
    outcome.rejected = str(report.verdict) == "rejected"
    outcome.unknown = [each.reason or "?" for each in report.results if str(each.verdict) == "unknown"]
    if str(report.verdict) != expect["verdict"]:
        outcome.faults.append(f"{report.verdict}, expected {expect['verdict']}")
    errors = [each for each in report.diagnostics if each.severity.value == "error"]
    if len(errors) != len(expect.get("errors", ())):
        outcome.faults.append(f"{len(errors)} errors, expected {len(expect.get('errors', ()))}")
    if "warning" in expect and not any(each.severity.value == "warning" for each in report.diagnostics):
        outcome.faults.append(f"no warning, expected: {expect['warning']}")
    for key, answer in expect.items():
        if key.startswith(_CLOSED):
            _judge_closed(path, key.removeprefix(_CLOSED), answer, outcome, scratch, settings)


def _judge_closed(
    path: Path, sort: str, answer: str, outcome: Outcome, scratch: Path, settings: Settings
) -> None:
    """The same program with the domain of `sort` closed: its status and optimum, in one string."""
    program = json.loads(path.read_text(encoding="utf-8"))
    variant = scratch / path.name
    write_program(variant, {**program, "semantics": {"closed_domain": [sort]}})
    found = potlang.verify(
        variant, language="pot", trust="solver", route=settings.route, limits=settings.limits
    ).optimization
    said = "no optimization" if found is None else f"{found.status} {found.value}"
    if said != answer:
        outcome.faults.append(f"{said} with {sort} closed, expected {answer}")

"""`potc doctor`: shows what an examination of the installation found."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby

import click

from potlang.cli.common import ALL_ENTAILED, OTHER_ANSWER, color_option, format_option, print_json, use_color
from potlang.cli.examination import Finding, examine
from potlang.cli.helping import Command
from potlang.utils.style import Style
from potlang.version import __version__

_SIGNS = {"ok": "✓", "absent": "-", "warning": "!", "error": "✗"}
_STYLES = {"ok": "help", "absent": "dim", "warning": "warning", "error": "error"}


@click.command(cls=Command)
@format_option("text", "json")
@color_option
def doctor(style: str, color: str) -> None:
    """Examine the installation: solvers, provers, extras, the system's limits, ten programs.

    Exit code: 0 nothing is wrong, though there may be warnings; 1 something is: answers may be missing
    or wrong.
    """
    if style == "json":
        found = list(examine())
        findings = [each._asdict() for each in found]
        ok = not _count(found, "error")
        print_json({"potlang": __version__, "kind": "doctor", "ok": ok, "findings": findings})
    else:
        found = []
        words = Style(use_color(color))
        for line in _lines(_kept(examine(), found), words):
            click.echo(line, color=True)
        click.echo(_summary(found), color=True)
    sys.exit(OTHER_ANSWER if _count(found, "error") else ALL_ENTAILED)


def _kept(findings: Iterable[Finding], found: list[Finding]) -> Iterator[Finding]:
    for each in findings:
        found.append(each)
        yield each


def _count(found: Iterable[Finding], state: str) -> int:
    return sum(each.state == state for each in found)


def _lines(findings: Iterable[Finding], words: Style) -> Iterator[str]:
    """The findings as they come, below the names of their groups."""
    for group, members in groupby(findings, key=lambda each: each.group):
        yield words("bold", group)
        for each in members:
            sign = words(_STYLES[each.state], _SIGNS[each.state])
            line = f"  {sign} {each.name:28} {each.value:20} {each.says}"
            yield line.rstrip()


def _summary(found: list[Finding]) -> str:
    counts = [(_count(found, state), state) for state in ("error", "warning")]
    said = [f"{count} {state}{'s' if count > 1 else ''}" for count, state in counts if count]
    return ", ".join(said) or "nothing is wrong"

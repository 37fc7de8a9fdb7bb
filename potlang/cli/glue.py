"""`potc glue A B`: two traces glued along the nodes that they share."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang import dot
from potlang.cli.answer import print_diagnostics
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    color_option,
    fail,
    output_option,
    read_input,
    tell,
    write_output,
)
from potlang.cli.helping import Command
from potlang.cli.options import profile_option

if TYPE_CHECKING:
    from potlang.languages.dot.read.records import Profile
    from potlang.languages.dot.read.trace import Trace

_PAIR = re.compile(r"([0-9]{1,600})=([0-9]{1,600})")
_SHOWN = 20


@click.command(cls=Command)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@output_option
@click.option(
    "--share",
    "shares",
    metavar="A=B",
    multiple=True,
    help="Node A of the first trace is node B of the second; may be repeated. "
    "[default: those that say the same]",
)
@profile_option
@color_option
def glue(
    first: str, second: str, output: Path | None, shares: tuple[str, ...], profile: Profile, color: str
) -> None:
    """Join two DoT traces along shared nodes, and write the trace that has the records of both.

    Exit code: 0 they are joined; 2 one of them is not well formed, or they cannot be joined this way.
    """
    shared = _shared(shares)
    if (left := _read(first, profile, color)) is None or (right := _read(second, profile, color)) is None:
        sys.exit(INVALID)
    try:
        found = dot.glue(left, right, shared)
    except dot.GlueError as error:
        fail(f"{first} and {second} cannot be glued: {error}")
    print_diagnostics(found.trace.document, found.diagnostics, color)
    pairs = [f"{each.left}={each.right}" for each in found.shared[:_SHOWN]]
    more = [f"… {len(found.shared) - _SHOWN:,} more"] if len(found.shared) > _SHOWN else []
    tell(f"note: shared nodes: {', '.join([*pairs, *more]) or 'none'}")
    write_output(output, found.text)
    sys.exit(ALL_ENTAILED)


def _shared(shares: tuple[str, ...]) -> dict[int, int] | None:
    """The pairs that `--share` names; None for none."""
    found: dict[int, int] = {}
    for share in shares:
        pair = _PAIR.fullmatch(share)
        if pair is None:
            raise click.BadParameter(f"{share!r} is not of the form A=B, as 4=7", param_hint="--share")
        if found.setdefault(int(pair[1]), int(pair[2])) != int(pair[2]):
            raise click.BadParameter(f"node {pair[1]} is shared twice", param_hint="--share")
    return found or None


def _read(name: str, profile: Profile, color: str) -> Trace | None:
    """The trace in a file; None, with diagnostics on standard error, for what is not a well-formed one."""
    given = read_input(name)
    try:
        return dot.read(given.source, profile=profile, name=given.name)
    except dot.MalformedTrace as error:
        print_diagnostics(error.trace.document, error.diagnostics, color)
        return None

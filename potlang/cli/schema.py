"""`potc schema`: the schema of a program, or of the tool, as a provider accepts it."""

from __future__ import annotations

import click

from potlang import tool
from potlang.cli.common import print_json
from potlang.cli.model_options import Renamed
from potlang.languages.pot.profiles import PROFILES, Profile, program_schema


@click.command(cls=Renamed, renamed={"--profile": "--provider"})
@click.option(
    "--provider",
    type=click.Choice(PROFILES),
    default="json",
    help="The provider whose rules the schema follows; `json` allows the whole language.",
)
@click.option(
    "--tool", "as_tool", is_flag=True, help="The definition of the tool, not the schema of a program."
)
def schema(provider: Profile, as_tool: bool) -> None:
    """Print the JSON Schema of PoT programs that a provider accepts.

    With --tool the definition of the tool, to be put in a request; `json` is that of MCP.
    """
    if as_tool:
        print_json(tool.definition("mcp" if provider == "json" else provider))
    else:
        print_json(program_schema(provider))

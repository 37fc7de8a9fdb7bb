"""`potc mcp`: the tool for models as a server of the Model Context Protocol."""

from __future__ import annotations

import click

from potlang import server
from potlang.cli.helping import Command
from potlang.cli.options import allowed_directories, sources_option
from potlang.cli.serving import (
    HttpOptions,
    http_options,
    read_address,
    require_extra,
    serve_at,
    workers_option,
)
from potlang.utils.gc_pause import collect_as_usual


@click.command(cls=Command)
@click.option(
    "--http",
    "address",
    metavar="HOST:PORT",
    help="Serve streamable HTTP at /mcp, not standard input: `potc serve` with nothing else.",
)
@workers_option
@click.option("--budget", type=click.IntRange(250), default=1_500, help="Most tokens of an answer.")
@sources_option
@http_options
def mcp(address: str | None, workers: int | None, budget: int, http: HttpOptions) -> None:
    """Serve the tool, the language reference and prompts to models.

    Needs the extra `mcp`. Where other machines can reach the server, callers need a token: one of
    --token-file, or else one that is made for this run and printed.
    """
    host, port = ("", 0) if address is None else read_address(address, "--http")
    require_extra()
    if address is None:
        collect_as_usual()
        server.mcp.serve_stdio(workers, budget, allowed_directories())
        return
    serve_at(
        address, host, port, http, server.tokens.CallerLimits(), workers=workers, budget=budget, verbs=False
    )

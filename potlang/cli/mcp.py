"""`potc mcp`: the tool for models as a server of the Model Context Protocol."""

from __future__ import annotations

import socket
import sys

import click

from potlang.cli.common import fail


@click.command()
@click.option(
    "--http", "address", metavar="HOST:PORT", help="Serve streamable HTTP at /mcp, not standard input."
)
@click.option("--workers", type=click.IntRange(1, 64), help="Calls at a time. [default: the number of cores]")
@click.option("--budget", type=click.IntRange(250), default=1_500, help="Most tokens of an answer.")
def mcp(address: str | None, workers: int | None, budget: int) -> None:
    """Serve the tool, the language reference and prompts to models.

    Needs the extra `mcp`. There is no authentication: over HTTP listen on this machine alone, or behind a
    proxy that has it.
    """
    host, port = _address(address)
    try:
        from potlang.server.mcp import serve_http, serve_stdio
    except ImportError as error:
        if (error.name or "").startswith("potlang"):
            raise
        fail(f"error: {error.name or 'mcp'} is needed: pip install 'potlang[mcp]'")
    try:
        if address is None:
            serve_stdio(workers, budget)
        else:
            listeners = _listening(address, host, port)
            click.echo(f"serving http://{address}/mcp", err=True)
            serve_http(host, listeners, workers, budget)
    except KeyboardInterrupt:
        sys.exit(130)


def _listening(address: str, host: str, port: int) -> list[socket.socket]:
    """Sockets that listen; where that cannot be, the command ends with the system's reason."""
    from potlang.server.mcp import listen

    try:
        return listen(host, port)
    except OSError as error:
        fail(f"error: cannot listen at {address}: {error.strerror or error}")


def _address(address: str | None) -> tuple[str, int]:
    """The host and the port; a usage error for anything else."""
    if address is None:
        return "", 0
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise click.BadParameter(f"{address!r} is not HOST:PORT", param_hint="--http")
    return host.strip("[]"), int(port)

"""`potc mcp`: the tool for models as a server of the Model Context Protocol."""

from __future__ import annotations

import re
import secrets
import socket
from pathlib import Path
from typing import Final

import click

from potlang.cli.common import CommandFailure, fail
from potlang.cli.helping import Command
from potlang.utils.extra import MissingExtraError, needed
from potlang.utils.gc_pause import collect_as_usual

_SHORTEST_TOKEN: Final = 16
_TOKEN: Final = re.compile(rf"[A-Za-z0-9._~+/-]{{{_SHORTEST_TOKEN},}}=*")
"""The characters of a bearer token (RFC 6750)."""


@click.command(cls=Command)
@click.option(
    "--http", "address", metavar="HOST:PORT", help="Serve streamable HTTP at /mcp, not standard input."
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Over HTTP: tokens, one a line; callers send one of them as `Authorization: Bearer TOKEN`.",
)
@click.option(
    "--sessions",
    type=click.IntRange(1),
    default=1_000,
    help="Over HTTP: most sessions that are open at once; beyond them the one that is idle longest ends.",
)
@click.option(
    "--sessions-each",
    type=click.IntRange(1),
    default=100,
    help="Over HTTP: most sessions of one token or, without tokens, of one address.",
)
@click.option(
    "--idle",
    type=click.FloatRange(1),
    default=600,
    help="Over HTTP: seconds after which an idle session ends.",
)
@click.option("--workers", type=click.IntRange(1, 64), help="Calls at a time. [default: the number of cores]")
@click.option("--budget", type=click.IntRange(250), default=1_500, help="Most tokens of an answer.")
def mcp(
    address: str | None,
    token_file: Path | None,
    sessions: int,
    sessions_each: int,
    idle: float,
    workers: int | None,
    budget: int,
) -> None:
    """Serve the tool, the language reference and prompts to models.

    Needs the extra `mcp`. Where other machines can reach the server, callers need a token: one of
    --token-file, or else one that is made for this run and printed.
    """
    host, port = _address(address)
    tokens = [] if token_file is None else _tokens(token_file)
    try:
        needed("mcp", "mcp"), needed("uvicorn", "mcp")
        from potlang.server.mcp import is_local, serve_http, serve_stdio
        from potlang.server.sessions import SessionLimits
    except MissingExtraError as error:
        raise CommandFailure(str(error)) from error
    except ImportError as error:
        if (error.name or "").startswith("potlang"):
            raise
        message = f"mcp cannot be used ({error}): pip install --upgrade 'potlang[mcp]'"
        raise CommandFailure(message) from error
    collect_as_usual()
    if address is None:
        serve_stdio(workers, budget)
    else:
        listeners = _listening(address, host, port)
        if not is_local(listeners):
            tokens = tokens or _made_token()
            click.echo(
                f"warning: other machines can reach {address}, and what they send is not encrypted: "
                "let them reach a proxy with TLS instead",
                err=True,
            )
        click.echo(f"serving http://{address}/mcp", err=True)
        limits = SessionLimits(sessions, sessions_each, idle)
        serve_http(host, listeners, workers, budget, tokens, limits)


def _tokens(path: Path) -> list[str]:
    """The tokens in a file; the command ends if it has none, or one that is short or cannot be sent."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        fail(f"error: cannot read {path}: {getattr(error, 'strerror', None) or 'a token is ASCII text'}")
    found = [line.strip() for line in lines if line.strip()]
    for number, token in enumerate(found, 1):
        if not _TOKEN.fullmatch(token):
            fail(
                f"error: {path}: token {number} is not {_SHORTEST_TOKEN} or more letters, digits and -._~+/="
            )
    return found or fail(f"error: {path} has no token")


def _made_token() -> list[str]:
    token = secrets.token_urlsafe(32)
    click.echo(f"note: there is no --token-file; callers need\nAuthorization: Bearer {token}", err=True)
    return [token]


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

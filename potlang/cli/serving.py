"""The part that `potc serve` and `potc mcp --http` share: the address, the options of a server, serving."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from potlang import server
from potlang.cli import stopping
from potlang.cli.common import CommandFailure, fail
from potlang.cli.options import allowed_directories, grouped
from potlang.utils.extra import MissingExtraError, needed
from potlang.utils.gc_pause import collect_as_usual
from potlang.utils.installation import install_command

if TYPE_CHECKING:
    from potlang.server.tokens import BearerToken, CallerLimits

workers_option = click.option(
    "--workers", type=click.IntRange(1, 64), help="Calls at a time. [default: the number of cores]"
)


class HttpOptions(NamedTuple):
    """Who may call over HTTP, and how many sessions of MCP there are."""

    token_file: Path | None
    sessions: int
    sessions_each: int
    idle: float


http_options = grouped(
    "http",
    HttpOptions,
    "Over HTTP",
    click.option(
        "--token-file",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Tokens, one a line; callers send one of them as `Authorization: Bearer TOKEN`. Behind a token "
        "may stand `name=NAME` and its own limits, as `rate=10 in-flight=4`.",
    ),
    click.option(
        "--sessions",
        type=click.IntRange(1),
        default=1_000,
        help="Most sessions of MCP that are open at once; beyond them the one that is idle longest ends.",
    ),
    click.option(
        "--sessions-each",
        type=click.IntRange(1),
        default=100,
        help="Most sessions of one token or, without tokens, of one address.",
    ),
    click.option(
        "--idle", type=click.FloatRange(1), default=600, help="Seconds after which an idle session ends."
    ),
)


def require_extra() -> None:
    """Ends the command where the libraries for serving are not installed, or too old."""
    try:
        for module in ("mcp", "uvicorn", "prometheus_client"):
            needed(module, "mcp")
        import potlang.server.serving  # noqa: F401
    except MissingExtraError as error:
        raise CommandFailure(str(error)) from error
    except ImportError as error:
        if (error.name or "").startswith("potlang"):
            raise
        message = f"the server cannot be used ({error}): {install_command('mcp', '--upgrade')}"
        raise CommandFailure(message) from error


def serve_at(
    address: str, host: str, port: int, http: HttpOptions, usual: CallerLimits, **given: Any
) -> None:
    """Serves at an address until the process is told to end; `given` are the other parts of `Serving`."""
    tokens = [] if http.token_file is None else _tokens(http.token_file, usual)
    collect_as_usual()
    listeners = _listening(address, host, port)
    if not server.serving.is_local(listeners):
        tokens = tokens or _made_token(usual)
        click.echo(
            f"warning: other machines can reach {address}, and what they send is not encrypted: "
            "let them reach a proxy with TLS instead",
            err=True,
        )
    path = "" if given.get("verbs", True) else "/mcp"
    click.echo(f"serving http://{address}{path}", err=True)
    sessions = server.sessions.SessionLimits(http.sessions, http.sessions_each, http.idle)
    sources = allowed_directories()
    serving = server.serving.Serving(sessions=sessions, tokens=tokens, usual=usual, sources=sources, **given)
    server.serving.serve(host, listeners, serving, stopping.drain_first)


def read_address(address: str, option: str) -> tuple[str, int]:
    """The host and the port; a usage error for anything else."""
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise click.BadParameter(f"{address!r} is not HOST:PORT", param_hint=option)
    return host.strip("[]"), int(port)


def _tokens(path: Path, usual: CallerLimits) -> list[BearerToken]:
    """The tokens in a file; the command ends if it has none, or a line that gives none."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        fail(f"error: cannot read {path}: {getattr(error, 'strerror', None) or 'a token is ASCII text'}")
    try:
        found = server.tokens.read_tokens(lines, usual)
    except server.tokens.TokenError as error:
        fail(f"error: {path}: {error}")
    return found or fail(f"error: {path} has no token")


def _made_token(usual: CallerLimits) -> list[BearerToken]:
    text = secrets.token_urlsafe(32)
    click.echo(f"note: there is no --token-file; callers need\nAuthorization: Bearer {text}", err=True)
    return [server.tokens.BearerToken(text, "token 1", usual)]


def _listening(address: str, host: str, port: int) -> list[socket.socket]:
    """Sockets that listen; where that cannot be, the command ends with the system's reason."""
    try:
        return server.serving.listen(host, port)
    except OSError as error:
        fail(f"error: cannot listen at {address}: {error.strerror or error}")

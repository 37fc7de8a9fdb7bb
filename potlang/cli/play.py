"""`potc play`: the playground, a page of this machine with an editor."""

from __future__ import annotations

import errno
import threading
import webbrowser
from typing import TYPE_CHECKING, NamedTuple

import click

from potlang import server
from potlang.cli import stopping
from potlang.cli.common import fail
from potlang.cli.helping import Command
from potlang.cli.options import grouped
from potlang.cli.serving import require_extra, workers_option
from potlang.utils.gc_pause import collect_as_usual

if TYPE_CHECKING:
    import socket

_PORT = 8800
_LOCAL_HOSTS = ("127.0.0.1", "::1", "localhost")
_ALL_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses that stand for all of this machine's, each with the one by which this machine reaches them."""
_DRAIN_SECONDS = 5.0
_QUEUE = 100


class PlayLimits(NamedTuple):
    """The most that one program has."""

    total_timeout: float
    memory: int
    bytes: int


_limit_options = grouped(
    "limits",
    PlayLimits,
    "Limits of a program",
    click.option(
        "--total-timeout", type=click.FloatRange(0.1, 3_600), default=20.0, help="Seconds for all of it."
    ),
    click.option("--memory", type=click.IntRange(min=1), default=1_024, help="Megabytes for the solver."),
    click.option("--bytes", type=click.IntRange(1), default=1024 * 1024, help="Of its text."),
)


@click.command(cls=Command)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    help=f"0 is any that is free. [default: {_PORT}, or where it is taken another one]",
)
@click.option(
    "--host",
    help="Another address than this machine's own goes with --public. "
    "[default: 127.0.0.1, with --public 0.0.0.0]",
)
@click.option("--public", is_flag=True, help="Let other machines use the playground, too.")
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@workers_option
@_limit_options
def play(
    port: int | None,
    host: str | None,
    public: bool,
    no_browser: bool,
    workers: int | None,
    limits: PlayLimits,
) -> None:
    """Open the playground: an editor with diagnostics, verdicts, views, examples and a tutorial.

    It is a page that this machine alone can reach, and that loads nothing from elsewhere. Needs the extra
    `play`. Ctrl-C ends it.
    """
    require_extra()
    host = host or ("0.0.0.0" if public else _LOCAL_HOSTS[0])
    listeners = _listening(host, port)
    _require_local(host, listeners, public)
    own = _ALL_HOSTS.get(host, host)
    address = f"[{own}]" if ":" in own else own
    url = f"http://{address}:{listeners[0].getsockname()[1]}/"
    click.echo(f"the playground is at {url}\nCtrl-C ends it", err=True)
    if not no_browser:
        # It may wait for the page, which is served from here.
        threading.Thread(target=_open, args=(url,), daemon=True).start()
    _serve(host, listeners, workers, limits)


def _serve(host: str, listeners: list[socket.socket], workers: int | None, limits: PlayLimits) -> None:
    from potlang.server.playground.pages import Playground

    places = workers or server.callers.default_count()
    usual = server.tokens.CallerLimits(
        bytes=limits.bytes, seconds=limits.total_timeout, megabytes=limits.memory
    )
    playground = Playground(usual, 2 * places)
    collect_as_usual()
    serving = server.serving.Serving(
        sessions=server.sessions.SessionLimits(most=1, most_each=1, idle_seconds=60),
        workers=places,
        queue=_QUEUE,
        tokens=playground.tokens,
        usual=usual,
        drain_seconds=_DRAIN_SECONDS,
        playground=playground,
    )
    server.serving.serve(host, listeners, serving, stopping.drain_first)


def _listening(host: str, port: int | None) -> list[socket.socket]:
    """Sockets that listen; where that cannot be, the command ends with the system's reason."""
    try:
        try:
            return server.serving.listen(host, _PORT if port is None else port)
        except OSError as error:
            if port is not None or error.errno != errno.EADDRINUSE:
                raise
            return server.serving.listen(host, 0)
    except OSError as error:
        fail(f"error: cannot listen at {host}: {error.strerror or error}")


def _require_local(host: str, listeners: list[socket.socket], public: bool) -> None:
    """Ends the command where other machines could reach the page and nobody has said that they may."""
    if host in _LOCAL_HOSTS and server.serving.is_local(listeners):
        return
    if not public:
        raise click.BadParameter(
            f"{host} is not this machine's own address: add --public if others shall use the playground, "
            f"or leave it at {_LOCAL_HOSTS[0]}",
            param_hint="--host",
        )
    click.echo(
        f"warning: other machines can reach the playground at {host}: whoever does can have this one work, "
        "within the limits, and what is sent is not encrypted",
        err=True,
    )


def _open(url: str) -> None:
    """Opens the page in the browser, unless the browser would take over the terminal."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(url)

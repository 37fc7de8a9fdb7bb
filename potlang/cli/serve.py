"""`potc serve`: verbs, batches and MCP over HTTP."""

from __future__ import annotations

from typing import NamedTuple

import click

from potlang import server
from potlang.cli.helping import Command
from potlang.cli.options import grouped, sources_option
from potlang.cli.serving import (
    HttpOptions,
    http_options,
    read_address,
    require_extra,
    serve_at,
    workers_option,
)


class LimitOptions(NamedTuple):
    """The most that one caller has, as `CallerLimits`."""

    rate: float
    in_flight: int
    bytes: int
    total_timeout: float
    memory: int


_limit_options = grouped(
    "limits",
    LimitOptions,
    "Limits of a caller",
    click.option(
        "--rate", type=click.FloatRange(0), default=0, help="Requests a second. [default: no limit]"
    ),
    click.option("--in-flight", type=click.IntRange(1), default=64, help="Requests at once."),
    click.option(
        "--bytes", type=click.IntRange(1), default=4 * 1024 * 1024, help="Of a body, or a line of a batch."
    ),
    click.option(
        "--total-timeout",
        type=click.FloatRange(0.001, 1_000_000),
        default=60.0,
        help="Seconds for one input.",
    ),
    click.option("--memory", type=click.IntRange(min=1), default=4_096, help="Megabytes for the solver."),
)


@click.command(cls=Command)
@click.argument("address", metavar="HOST:PORT", default="127.0.0.1:8000")
@workers_option
@click.option("--queue", type=click.IntRange(1), default=1_000, help="Most calls that wait for their turn.")
@click.option(
    "--drain",
    type=click.FloatRange(0),
    default=120.0,
    help="Seconds after SIGTERM for what is open to be answered.",
)
@click.option(
    "--proxies",
    metavar="ADDRESSES",
    default="",
    help="Proxies whose `X-Forwarded-For` says who calls; addresses or networks, with commas.",
)
@click.option("--log", is_flag=True, help="Print a line of JSON for each request on standard error.")
@sources_option
@http_options
@_limit_options
def serve(
    address: str,
    workers: int | None,
    queue: int,
    drain: float,
    proxies: str,
    log: bool,
    http: HttpOptions,
    limits: LimitOptions,
) -> None:
    """Serve the verbs, batches and MCP over HTTP, described at /openapi.json.

    HOST:PORT is 127.0.0.1:8000 unless it is given. Needs the extra `serve`. Where other machines can reach
    the server, callers need a token: one of --token-file, or else one that is made for this run and printed.
    SIGTERM has it answer what is open and refuse the rest, then end; a second one, or Ctrl-C, ends it.
    """
    host, port = read_address(address, "HOST:PORT")
    require_extra()
    serve_at(
        address,
        host,
        port,
        http,
        server.tokens.CallerLimits(*limits),
        workers=workers,
        queue=queue,
        drain_seconds=drain,
        proxies=proxies,
        log=log,
    )

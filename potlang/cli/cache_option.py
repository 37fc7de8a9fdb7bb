"""`--cache`, `--no-cache`, `--cache-dir` and POTLANG_CACHE: which cache a command uses ([CACHE-CHOICE])."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from potlang.cli.common import Command, use_color

if TYPE_CHECKING:
    from potlang.prove.cache import Cache

VARIABLE = "POTLANG_CACHE"

directory_option = click.option(
    "--cache-dir",
    metavar="DIRECTORY",
    help=f"Where cached verdicts are; by default {VARIABLE}, or the user's cache directory.",
)


def cache_options(command: Command) -> Command:
    """Adds `use_cache` (None: as the environment says) and `cache_dir`."""
    switch = click.option(
        "--cache/--no-cache",
        "use_cache",
        default=None,
        help=f"Keep settled verdicts and use them again. [default: only with --cache-dir or {VARIABLE}]",
    )
    return switch(directory_option(command))


def chosen_cache(use_cache: bool | None, cache_dir: str | None) -> Cache | None:
    """The cache to use, if any; whether it can be used shows in its `problems`."""
    named = cache_dir or os.environ.get(VARIABLE)
    if use_cache is False or (use_cache is None and not named):
        return None
    return open_cache(cache_dir)


def open_cache(cache_dir: str | None) -> Cache:
    """The cache in this directory, or in the usual one."""
    from potlang.prove.cache import Cache

    return Cache(cache_dir or None)


def print_problems(cache: Cache | None, color: str = "auto") -> None:
    """What was wrong with the cache, on standard error."""
    if cache is None or not cache.problems:
        return
    from potlang.diag.render_text import render_one
    from potlang.source import Document

    document = Document.from_value(None, str(cache.directory))
    for problem in cache.problems:
        text = render_one(problem, document, color=use_color(color, sys.stderr))
        click.echo(text, err=True, color=True)

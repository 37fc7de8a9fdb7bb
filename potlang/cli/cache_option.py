"""`--cache`, `--no-cache`, `--cache-dir` and POTLANG_CACHE: which cache a command uses ([CACHE-CHOICE])."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import click

from potlang.cli.common import print_diagnostic
from potlang.cli.options import grouped

if TYPE_CHECKING:
    from potlang.prove.cache import Cache

VARIABLE = "POTLANG_CACHE"

directory_option = click.option(
    "--cache-dir",
    metavar="DIRECTORY",
    help=f"The directory of the cache. [default: {VARIABLE}, or the user's cache directory]",
)


class CacheOptions(NamedTuple):
    """Which cache is used."""

    use_cache: bool | None
    cache_dir: str | None

    def open(self) -> Cache | None:
        """The cache, if one is to be used; what is wrong with it is in its `problems`."""
        named = self.cache_dir or os.environ.get(VARIABLE)
        if self.use_cache is False or (self.use_cache is None and not named):
            return None
        return open_cache(self.cache_dir)


cache_options = grouped(
    "cached",
    CacheOptions,
    click.option(
        "--cache/--no-cache",
        "use_cache",
        default=None,
        help=f"Store settled verdicts and use them again. [default: only with --cache-dir or {VARIABLE}]",
    ),
    directory_option,
)


def open_cache(cache_dir: str | None) -> Cache:
    """The cache in this directory, or in the usual one."""
    from potlang.prove.cache import Cache

    return Cache(cache_dir or None)


def print_problems(cache: Cache | None, color: str = "auto") -> None:
    """Prints the problems of the cache on standard error."""
    if cache is None or not cache.problems:
        return
    from potlang.source import Document

    document = Document.from_value(None, str(cache.directory))
    for problem in cache.problems:
        print_diagnostic(problem, document, color)

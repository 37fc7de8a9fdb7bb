"""`potc cache stats|clear|replay`: what is kept, away with it, and whether it still holds."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from potlang.cli.common import (
    ALL_ENTAILED,
    OTHER_ANSWER,
    UNDECIDED,
    color_option,
    format_option,
    print_diagnostic,
    print_json,
    with_progress,
)
from potlang.cli.helping import CommandGroup
from potlang.cli.options import cache_directory_option, open_cache, print_problems
from potlang.diag import Sink
from potlang.diag.wording import counted, visible
from potlang.languages.pot.replay import replay as replayed
from potlang.source import Document

if TYPE_CHECKING:
    from potlang.languages.pot.replay import Replayed
    from potlang.prove.cache import Cache, Stats

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_AGE = re.compile(r"([0-9]{1,9})([smhdw])")


@click.group(cls=CommandGroup)
def cache() -> None:
    """Count, remove or verify again what is cached.

    `potc verify --cache` fills the cache and uses it.
    """


@cache.command()
@format_option("text", "json")
@cache_directory_option
def stats(style: str, cache_dir: str | None) -> None:
    """Count entries, hits, verdicts, versions."""
    kept = open_cache(cache_dir)
    found = kept.stats()
    print_problems(kept)
    if style == "json":
        print_json(_stats_json(found))
    else:
        click.echo("\n".join(_stats_lines(found)))


def _stats_json(found: Stats) -> dict[str, Any]:
    versions = [
        {"versions": _versions(text), "entries": count} for text, count in sorted(found.versions.items())
    ]
    return {**found._asdict(), "versions": versions}


def _stats_lines(found: Stats) -> Iterator[str]:
    yield f"place      {visible(found.place)}"
    yield f"entries    {found.entries}"
    yield f"size       {_size(found.bytes)} of at most {_size(found.most_bytes)}"
    yield f"hits       {found.hits}"
    for verdict, count in found.verdicts.items():
        yield f"  {visible(verdict):12} {count}"
    for text, count in sorted(found.versions.items()):
        listed = ", ".join(f"{name} {version}" for name, version in _versions(text).items())
        yield f"  {visible(listed)}: {count}"


def _versions(text: str) -> dict[str, str]:
    """The versions of an entry; a damaged text as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return {"damaged": text}
    return value if isinstance(value, dict) else {"damaged": text}


def _size(count: int) -> str:
    return f"{count / 1_048_576:.1f} MiB" if count >= 1_048_576 else f"{count / 1024:.0f} KiB"


def _age(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """`30d` and the like, in seconds."""
    if value is None:
        return None
    found = _AGE.fullmatch(value)
    if found is None:
        raise click.BadParameter(f"{value!r} is no age such as 90m, 12h, 30d or 4w", ctx, param)
    return float(int(found[1]) * _SECONDS[found[2]])


@cache.command()
@click.option(
    "--older-than",
    metavar="AGE",
    callback=_age,
    help="Remove only entries that were not used for this long, such as 90m, 12h, 30d, 4w.",
)
@format_option("text", "json")
@cache_directory_option
def clear(older_than: float | None, style: str, cache_dir: str | None) -> None:
    """Remove all entries, or old ones.

    Without an age, damaged files that were put aside are removed too.
    """
    kept = open_cache(cache_dir)
    count = kept.clear(older_than)
    print_problems(kept)
    if style == "json":
        print_json({"removed": count})
    else:
        click.echo(f"{counted(count, 'entry', 'entries')} removed")


@cache.command()
@click.option(
    "--most", type=click.IntRange(min=1), help="Verify only this many, the last used first. [default: all]"
)
@format_option("text", "json")
@color_option
@cache_directory_option
def replay(most: int | None, style: str, color: str, cache_dir: str | None) -> None:
    """Verify the cached programs again.

    Each is verified without the cache; answers that differ are listed.

    Exit code: 0 all verdicts are what they were; 1 one differs; 3 one could not be settled this time, or
    an entry of another version cannot be read.
    """
    kept = open_cache(cache_dir)
    done: list[Replayed] = []
    for each in _with_progress(kept, most):
        done.append(each._replace(report=None))
        if style == "text":
            _print_replayed(each, color)
    print_problems(kept, color)
    differ = sum(bool(each.differences) for each in done)
    agree = sum(each.agrees for each in done)
    if style == "json":
        listed = [_replayed_json(each) for each in done if not each.agrees]
        print_json({"entries": len(done), "agree": agree, "differ": differ, "list": listed})
    else:
        open_ = len(done) - agree - differ
        rest = f", {open_} not settled" if open_ else ""
        click.echo(f"{counted(len(done), 'entry', 'entries')} replayed: {agree} agree, {differ} differ{rest}")
    sys.exit(OTHER_ANSWER if differ else ALL_ENTAILED if agree == len(done) else UNDECIDED)


def _with_progress(kept: Cache, most: int | None) -> Iterator[Replayed]:
    """The replayed entries, with a bar on standard error where that is a terminal."""
    total = kept.stats().entries
    return with_progress(replayed(kept, most), "replaying", total if most is None else min(total, most))


def _print_replayed(each: Replayed, color: str) -> None:
    """The differences on standard error, as diagnostics of the entry."""
    name = f"entry {each.entry.key[:12]}"
    document = Document.from_value(None, name)
    sink = Sink(document)
    for found in each.differences:
        what = f"{found.what} of {name}"
        sink.report("POT6012", "", what=what, cached=found.cached, now=found.now)
    for diagnostic in sink.diagnostics():
        print_diagnostic(diagnostic, document, color)
    for found in each.unsettled:
        click.echo(visible(f"{name}: {found.what} was {found.cached} and is not settled now"), err=True)
    if each.problem:
        click.echo(visible(f"{name}: {each.problem}"), err=True)


def _replayed_json(each: Replayed) -> dict[str, Any]:
    return {
        "key": each.entry.key,
        "differences": [found._asdict() for found in each.differences],
        "unsettled": [found._asdict() for found in each.unsettled],
        "problem": each.problem,
        "settings": {**each.entry.settings, "limits": each.entry.settings["limits"]._asdict()},
        "versions": each.entry.versions,
        "program": each.entry.program,
    }

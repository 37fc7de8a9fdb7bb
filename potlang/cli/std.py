"""`potc std`: the packs of the standard library, and what each of them says."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from potlang.cli.common import fail, format_option, print_json
from potlang.cli.helping import CommandGroup
from potlang.languages import pot

if TYPE_CHECKING:
    from potlang.languages.pot.library import PackPage, PackStatement, PackSummary

_WIDTH = 110
_NEAR = 3
_HEADINGS = {"definition": "definitions", "axiom": "axioms", "norm": "norms", "law": "laws: what follows"}
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@click.group(cls=CommandGroup)
def std() -> None:
    """List, show and search the packs of the standard library."""


@std.command("list")
@format_option("text", "json")
def list_(style: str) -> None:
    """List all packs, each with what it says."""
    _print_summaries(pot.library.packs(), style)


@std.command()
@click.argument("words", nargs=-1, required=True)
@format_option("text", "json")
def search(words: tuple[str, ...], style: str) -> None:
    """List the packs that have to do with WORDS, the best first."""
    found = pot.library.search(" ".join(words))
    if not found and style == "text":
        near = pot.library.near_words(" ".join(words))[:_NEAR]
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        fail(f"no pack has to do with that; {meant}`potc std list` shows all")
    _print_summaries(found, style)


@std.command()
@click.argument("name")
@format_option("text", "json")
def show(name: str, style: str) -> None:
    """Show a pack: parameters, axioms in words, laws, what it does not say, an example."""
    try:
        page = pot.library.pack(name)
    except KeyError as error:
        given, *near = error.args
        helps = f"did you mean {' or '.join(near[:3])}?" if near else "`potc std list` shows all"
        fail(f"there is no pack `{given}`; {helps}")
    if style == "json":
        print_json(page.to_dict())
        return
    click.echo("\n".join(_lines(page)))


def _print_summaries(summaries: list[PackSummary], style: str) -> None:
    if style == "json":
        print_json([each._asdict() for each in summaries])
        return
    width = max((len(each.name) for each in summaries), default=0)
    for each in summaries:
        click.echo(f"{each.name:{width}}  {each.description}")


def _lines(page: PackPage) -> Iterator[str]:
    yield f"{page.summary.name}: {page.summary.title}"
    yield page.summary.description
    yield from ("", "parameters")
    width = max((len(each.signature) for each in page.parameters), default=0)
    for each in page.parameters:
        yield f"  {each.signature:{width}}  {'; '.join(each.notes)}".rstrip()
    for imported in page.imports:
        bound = f", with {', '.join(imported.bound)}" if imported.bound else ""
        yield from ("", f"imports {imported.name}{bound}", *_statements(imported.statements))
    for kind, heading in _HEADINGS.items():
        found = [each for each in page.statements if each.kind == kind]
        if found:
            yield from ("", heading, *_statements(found))
    yield from ("", "what it does not say")
    # On a terminal a link is its words.
    for paragraph in _LINK.sub(r"\1", page.unsaid).split("\n\n"):
        yield from _wrapped(" ".join(paragraph.split()))
    yield from ("", "example", page.example, "", *page.verdicts)


def _statements(statements: Iterable[PackStatement]) -> Iterator[str]:
    for each in statements:
        if each.words is None:
            yield from _wrapped(f"{each.name}: {each.formula}")
        else:
            yield from _wrapped(f"{each.name}: {each.words}")
            yield f"    {each.formula}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)

"""`potc grammar`: a grammar of a language, in the notation of a decoder."""

from __future__ import annotations

from pathlib import Path

import click

from potlang.cli.answer import theory_program
from potlang.cli.common import color_option, note_unused, output_option, write_output
from potlang.cli.helping import Command
from potlang.cli.options import profile_option
from potlang.decoding.grammars import (
    GRAMMAR_FORMATS,
    GRAMMAR_LANGUAGES,
    USUAL_NODES,
    GrammarFormat,
    GrammarLanguage,
    NoSuchGrammar,
)
from potlang.decoding.grammars import grammar as grammar_text
from potlang.decoding.grammars.traces import FEWEST_NODES, MOST_NODES
from potlang.languages.dot.read.records import Profile


@click.command(cls=Command)
@click.argument("language", type=click.Choice(GRAMMAR_LANGUAGES))
@click.option(
    "--to",
    type=click.Choice(GRAMMAR_FORMATS),
    default="llguidance",
    help="The notation: Lark's as llguidance reads it, llama.cpp's, or a JSON Schema.",
)
@click.option("--names", help="A program: formulas have its names alone, and no others.")
@click.option(
    "--nodes",
    type=click.IntRange(FEWEST_NODES, MOST_NODES),
    default=USUAL_NODES,
    help="The most nodes of a trace, and the most steps of a solution.",
)
@profile_option
@output_option
@color_option
def grammar(
    language: GrammarLanguage,
    to: GrammarFormat,
    names: str | None,
    nodes: int,
    profile: Profile,
    output: Path | None,
    color: str,
) -> None:
    """Print the grammar of a language, for decoders that keep a model within a grammar.

    What it admits, potc reads. What it cannot hold stands in its first lines, and is for `potc check`.
    """
    if language != "dot":
        unused = ("profile",) if language == "dagmath" else ("nodes", "profile")
        note_unused(f"the grammar is one of `{language}`", unused)
    program = theory_program(names, "text", color)
    try:
        text = grammar_text(language, to, program=program, profile=profile, nodes=nodes)
    except NoSuchGrammar as error:
        raise click.UsageError(str(error)) from error
    write_output(output, text)

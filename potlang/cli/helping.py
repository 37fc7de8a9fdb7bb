"""Commands and groups whose help has sections, and no cut line at any width of the terminal ([CLI-HELP])."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from potlang import diag

_WIDEST = 80
_NARROWEST = 24
_FIRST_COLUMN = 30
_NO_NUMBER = re.compile(r"'(.*)' is not a valid (float|integer)(?: range)?\.", re.DOTALL)


class HelpText(click.HelpFormatter):
    """Help as wide as the terminal, up to 80 characters; long lists of choices are broken."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        columns = min(shutil.get_terminal_size().columns, max_width or _WIDEST)
        super().__init__(indent_increment, width or max(columns - 2, _NARROWEST), max_width)

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = _FIRST_COLUMN, col_spacing: int = 2
    ) -> None:
        """A list of two columns, of which the second is below the first where there is little room."""
        narrow = min(col_max, self.width // 2 - self.current_indent - col_spacing)
        super().write_dl([(self._broken(term), text) for term, text in rows], max(narrow, 4), col_spacing)

    def _broken(self, term: str) -> str:
        """A term on several lines where it is longer than the line."""
        room = self.width - self.current_indent
        lines = [""]
        for part in re.findall(r"[^|\s]+\|?|\s+", term):
            if lines[-1].strip() and len(lines[-1]) + len(part) > room:
                lines.append("    ")
            lines[-1] += part
        return f"\n{'':>{self.current_indent}}".join(line.rstrip() for line in lines)


class _Context(click.Context):
    formatter_class = HelpText


class Command(click.Command):
    """A command whose options stand in sections; those without a `section` in the first."""

    context_class = _Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the arguments; a mistake is a usage error in our words."""
        with _in_our_words(ctx):
            return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx) if isinstance(each, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(each, "section", "Options"), []).append(record)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class CommandGroup(click.Group):
    """A group of commands, each with its whole line; a word near one of them is told as such."""

    context_class = _Context
    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the arguments; a mistake is a usage error in our words."""
        with _in_our_words(ctx):
            return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands with the first sentences of their helps."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            text = "" if command is None else (command.help or "").strip().split("\n\n")[0]
            rows.append((name, " ".join(text.split())))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the arguments name; a usage error with the nearest if there is none."""
        if self.get_command(ctx, args[0]) is None:
            no_command(ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


@contextmanager
def _in_our_words(ctx: click.Context) -> Iterator[None]:
    """Says which option was meant, and which kind of value: click shows near letters and names of classes."""
    try:
        yield
    except click.NoSuchOption as error:
        name = error.option_name
        known = [option for each in ctx.command.params for option in each.opts if option.startswith("--")]
        near = diag.nearest(name, [*known, "--help"], 1)
        meant = _meant(ctx.command, name) or (near[0] if near else None)
        hint = f"; did you mean `{meant}`?" if meant else ""
        raise click.UsageError(f"there is no option `{name}`{hint}", ctx) from error
    except click.BadParameter as error:
        found = _NO_NUMBER.fullmatch(error.message)
        if found is None:
            raise
        kind = "whole number" if found[2] == "integer" else "number"
        text = f"`{found[1]}` is no {kind}"
        raise click.BadParameter(text, error.ctx or ctx, error.param, error.param_hint) from error


def _meant(command: click.Command, name: str) -> str | None:
    """The option here for one of other programs; None where there is none."""
    if name == "-V":
        return "potc --version"
    for each in command.params:
        if isinstance(each.type, click.Choice) and "--format" in each.opts and name[2:] in each.type.choices:
            return f"--format {name[2:]}"
    return None


def no_command(ctx: click.Context, name: str, known: Sequence[str]) -> NoReturn:
    """Ends with a usage error: there is no such command; did you mean the nearest of those known?"""
    near = diag.nearest(name, known, 1)
    hint = f"; did you mean `{ctx.command_path} {near[0]}`?" if near else ""
    ctx.fail(f"there is no command `{name}`{hint}")

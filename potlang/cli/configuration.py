"""Settings of a `potlang.toml` or `pyproject.toml`, as defaults of a command's options ([CLI-CONFIG])."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from potlang.cli.commands import CONFIGURED
from potlang.cli.common import INVALID, print_diagnostic
from potlang.diag import Place, Sink, nearest
from potlang.source import Document

SETTINGS = frozenset(
    {
        *("budget-ms", "cache", "color", "cores", "deep", "exclude", "format", "ignore", "jobs", "memory"),
        *("models", "no-steps", "passes", "profile", "quiet", "rlimit", "route", "select", "strict"),
        *("timeout", "total-timeout", "trust"),
    }
)
"""The options that a file may set: none that runs a program, reaches another machine, or names a file."""
_MOST_BYTES = 1 << 20
_AT = re.compile(r"\(at line (\d+), column (\d+)\)$")


def settings_for(command: click.Command, name: str, file_name: str) -> dict[str, Any]:
    """The settings in a file for a command, by the names of its parameters.

    Mistakes in the file end the command, with diagnostics and exit code 2.
    """
    file = _File.read(Path(file_name))
    chosen = dict(file.settings(command, name)) if file.values is not None else {}
    if len(file.sink):
        for found in file.sink.diagnostics():
            print_diagnostic(found, file.document, "auto")
        sys.exit(INVALID)
    return chosen


class _File(NamedTuple):
    document: Document
    sink: Sink
    table: str
    values: Mapping[str, Any] | None

    @classmethod
    def read(cls, path: Path) -> _File:
        """The file's table of settings; None, with a report, where there is none that can be read."""
        table = "tool.potlang" if path.name == "pyproject.toml" else ""
        document = Document(str(path), None)
        sink = Sink(document)
        try:
            with path.open("rb") as stream:
                data = stream.read(_MOST_BYTES + 1)
        except OSError as error:
            sink.report("POT0006", "", name=str(path), reason=error.strerror or str(error))
            return cls(document, sink, table, None)
        if len(data) > _MOST_BYTES:
            sink.report("POT0002", "", limit=f"{_MOST_BYTES:,}")
            return cls(document, sink, table, None)
        document = sink.document = Document(str(path), data.decode("utf-8", "replace"))
        try:
            values: Any = tomllib.loads(data.decode())
        except (ValueError, RecursionError) as error:
            sink.report(
                "POT0011", _error_place(document, str(error)), problem=_AT.sub("", str(error)).strip()
            )
            return cls(document, sink, table, None)
        for part in table.split(".") if table else ():
            values = values.get(part, {}) if isinstance(values, dict) else {}
        if not isinstance(values, dict):
            place = Place("", (0, 0))
            sink.report("POT0013", place, key=table, problem="it is to be a table of settings")
            return cls(document, sink, table, None)
        return cls(document, sink, table, values)

    def settings(self, command: click.Command, name: str) -> Iterator[tuple[str, Any]]:
        """Parameters of the command and their values: those for all commands, then those for this one."""
        assert self.values is not None
        own = self.values.get(name)
        for key, value in self.values.items():
            if key in CONFIGURED:
                if isinstance(value, dict):
                    self._check_names(key, value)
                else:
                    self._wrong("", key, "it is a command, and so to be a table of its settings")
            elif key not in SETTINGS:
                self._unknown("", key, (*SETTINGS, *CONFIGURED))
            else:
                yield from self._setting(command, "", key, value)
        for key, value in (own if isinstance(own, dict) else {}).items():
            if key in SETTINGS:
                found = list(self._setting(command, name, key, value))
                if not found and not len(self.sink):
                    self._unknown(name, key, [each for each in SETTINGS if _parameter(command, each)])
                yield from found

    def _check_names(self, table: str, settings: Mapping[str, Any]) -> None:
        for key in settings:
            if key not in SETTINGS:
                self._unknown(table, key, SETTINGS)

    def _setting(self, command: click.Command, table: str, key: str, value: Any) -> Iterator[tuple[str, Any]]:
        parameter = _parameter(command, key)
        if parameter is None or parameter.name is None:
            return
        problem = _problem(parameter, value)
        if problem:
            self._wrong(table, key, problem)
        else:
            yield parameter.name, value

    def _unknown(self, table: str, key: str, known: Any) -> None:
        near = nearest(key, sorted(known), 1)
        named = [f"did you mean `{near[0]}`?"] if near else []
        self.sink.report(
            "POT0012",
            self._place(table, key),
            key=key,
            helps=(*named, f"settings are {', '.join(sorted(known))}"),
        )

    def _wrong(self, table: str, key: str, problem: str) -> None:
        self.sink.report("POT0013", self._place(table, key), key=key, problem=problem)

    def _place(self, table: str, key: str) -> Place:
        """The place of a key; that of its table where it is written in a way of its own."""
        text = self.document.text or ""
        start = 0
        for part in ".".join(filter(None, (self.table, table))).split("."):
            found = (
                re.compile(rf"(?m)^\s*\[[^\]\n]*\b{re.escape(part)}\b").search(text, start) if part else None
            )
            start = start if found is None else found.start()
        word = re.compile(rf"(?m)^[ \t\"']*({re.escape(key)})[ \t\"']*[=.\]]").search(text, start)
        word = word or re.compile(rf"\b({re.escape(key)})\b").search(text, start)
        return Place("", (start, start) if word is None else word.span(1))


def _parameter(command: click.Command, key: str) -> click.Option | None:
    """The option of a command that a setting names."""
    for each in command.params:
        if isinstance(each, click.Option) and f"--{key}" in each.opts:
            return each
    return None


def _problem(option: click.Option, value: Any) -> str:
    """The reason why an option cannot have a value; empty if it can."""
    if option.is_flag:
        return "" if isinstance(value, bool) else "it is to be true or false"
    if option.multiple:
        fits = isinstance(value, list) and all(isinstance(each, str) for each in value)
        return "" if fits else "it is to be a list of strings"
    is_number = isinstance(option.type, click.types.IntParamType | click.types.FloatParamType)
    if is_number and (isinstance(value, bool) or not isinstance(value, int | float)):
        return "it is to be a number"
    if isinstance(option.type, click.types.IntParamType) and not isinstance(value, int):
        return "it is to be a whole number"
    if not is_number and not isinstance(value, str):
        return "it is to be a string"
    try:
        option.type.convert(value, option, None)
    except click.UsageError as error:
        return error.message.rstrip(".")
    return ""


def _error_place(document: Document, message: str) -> Place:
    """The place that a message of `tomllib` names; the beginning if it names none."""
    found = _AT.search(message)
    if found is None:
        return Place("", (0, 0))
    starts = [0, *(each.end() for each in re.finditer("\n", document.text or ""))]
    at = starts[min(int(found[1]), len(starts)) - 1] + int(found[2]) - 1
    return Place("", (at, at + 1))

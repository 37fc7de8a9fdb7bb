"""Pipelines: a visible tuple of passes, checked when it is made, with a text form.

`simplify{rounds=3},nnf,prenex`: names from `PASSES`, options as `name=value` between braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from time import perf_counter
from types import MappingProxyType
from typing import Any, get_type_hints

from potlang.ir.module import Module
from potlang.passes.base import Keeps, Pass, Property, after

PASSES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "simplify": ("potlang.passes.simplify", "Simplify"),
        "nnf": ("potlang.passes.nnf", "Nnf"),
        "prenex": ("potlang.passes.prenex", "Prenex"),
        "skolem": ("potlang.passes.skolem", "Skolem"),
        "clauses": ("potlang.passes.clauses", "ClauseForm"),
        "slice": ("potlang.passes.slice", "Slice"),
    }
)
"""Every pass by name, with the module and class it is in; a module is imported when asked for."""

Callback = Callable[[Pass, Module, float], None]
"""Called behind each pass with its output and its seconds."""


class PipelineError(ValueError):
    """The text names no pipeline, or a pass is not given what it requires.

    `position` is the offset in the text, or None for a pipeline made from passes.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Passes in the order they run. Raises `PipelineError` if one lacks what it requires."""

    passes: tuple[Pass, ...]

    def __post_init__(self) -> None:
        held: frozenset[Property] = frozenset()
        for step in self.passes:
            missing = sorted(step.requires - held)
            if missing:
                raise PipelineError(f"{step.name} requires {', '.join(missing)}; {_hint(missing[0], step)}")
            held = after(step, held)

    def run(self, module: Module, callback: Callback | None = None) -> Module:
        """`module` through all passes; `callback(pass, output, seconds)` behind each."""
        for step in self.passes:
            start = perf_counter()
            module = step.run(module)
            if callback is not None:
                callback(step, module, perf_counter() - start)
        return module

    def divided(self) -> tuple[Pipeline, Pipeline]:
        """The passes for all engines, and the normal forms behind them, for solvers' text alone.

        The second begins with the first normal form, if all from there on keep each formula's value.
        """
        forms = {Property.NNF, Property.PRENEX}
        at = next((i for i, step in enumerate(self.passes) if step.establishes & forms), len(self.passes))
        if any(step.keeps is not Keeps.EQUIVALENT for step in self.passes[at:]):
            at = len(self.passes)
        return Pipeline(self.passes[:at]), Pipeline(self.passes[at:])

    def __str__(self) -> str:
        return ",".join(map(pass_text, self.passes))


def _hint(missing: Property, step: Pass) -> str:
    makers = [name for name in PASSES if missing in pass_class(name).establishes and name != step.name]
    return f"put {' or '.join(makers)} somewhere before it" if makers else "no pass establishes it"


def pass_class(name: str) -> type[Pass]:
    """The class of the pass called `name`. Raises `PipelineError` for an unknown name."""
    if name not in PASSES:
        from difflib import get_close_matches

        near = get_close_matches(name[:100], PASSES, 1)
        known = f"did you mean {near[0]}?" if near else f"there are {', '.join(PASSES)}"
        raise PipelineError(f"no pass is called {name!r}; {known}")
    module, attribute = PASSES[name]
    found: type[Pass] = getattr(import_module(module), attribute)
    return found


def pass_text(step: Pass) -> str:
    """The text form of one pass, with the options that differ from their defaults."""
    default: Any = None
    options = []
    for option in fields(step):  # type: ignore[arg-type]
        value, default = getattr(step, option.name), option.default
        if value != default:
            options.append(f"{option.name}={_value_text(value)}")
    return step.name + ("{" + ",".join(options) + "}" if options else "")


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value).lower() if isinstance(value, bool) else str(value)


_TOKEN = re.compile(
    r"""\s*(?: (?P<word>[A-Za-z_][A-Za-z0-9_-]*) | (?P<number>-?[0-9]{1,9}) | "(?P<text>(?:[^"\\]|\\.)*)"
      | (?P<mark>[{},=]) )""",
    re.VERBOSE | re.DOTALL,
)


class _PipelineReader:
    """Reads the text form token by token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.kind, self.token, self.start = "", "", 0
        self.advance()

    def advance(self) -> None:
        found = _TOKEN.match(self.text, self.position)
        if found:
            self.kind, self.start = str(found.lastgroup), found.start(str(found.lastgroup))
            self.token, self.position = found[self.kind], found.end()
            return
        rest = self.text[self.position :]
        self.start = self.position + len(rest) - len(rest.lstrip())
        if rest.strip():
            raise PipelineError(f"unexpected {rest.strip()[0]!r} at offset {self.start}", self.start)
        self.kind, self.token = "end", ""

    def take(self, kind: str, mark: str, wanted: str) -> str:
        if self.kind != kind or (mark and self.token != mark):
            raise self.error(f"expected {wanted}, found {self.token or 'the end'!r}")
        token = self.token
        self.advance()
        return token

    def at(self, mark: str) -> bool:
        return self.kind == "mark" and self.token == mark

    def error(self, message: str, start: int | None = None) -> PipelineError:
        position = self.start if start is None else start
        return PipelineError(f"{message} at offset {position}", position)


def read_pipeline(text: str) -> Pipeline:
    """The pipeline written in `text`; the empty text is the empty one. Raises `PipelineError`."""
    reader = _PipelineReader(text)
    if reader.kind == "end":
        return Pipeline(())
    passes = [_read_pass(reader)]
    while reader.kind != "end":
        reader.take("mark", ",", "','")
        passes.append(_read_pass(reader))
    return Pipeline(tuple(passes))


def _read_pass(reader: _PipelineReader) -> Pass:
    start = reader.start
    name = reader.take("word", "", "a pass's name")
    try:
        cls = pass_class(name)
    except PipelineError as error:
        raise reader.error(str(error), start) from None
    options: dict[str, object] = {}
    if reader.at("{"):
        reader.advance()
        while not reader.at("}"):
            _read_option(reader, cls, options)
            if not reader.at("}"):
                reader.take("mark", ",", "',' or '}'")
        reader.advance()
    required = [o.name for o in fields(cls) if o.name not in options and not _has_default(o)]  # type: ignore[arg-type]
    if required:
        raise reader.error(f"{name} wants the option {required[0]}", start)
    try:
        return cls(**options)
    except ValueError as error:
        raise reader.error(f"{name}: {error}", start) from None


def _has_default(option: Any) -> bool:
    return option.default is not MISSING or option.default_factory is not MISSING


def _read_option(reader: _PipelineReader, cls: type[Pass], options: dict[str, object]) -> None:
    known = get_type_hints(cls)
    names = [option.name for option in fields(cls)]  # type: ignore[arg-type]
    start = reader.start
    name = reader.take("word", "", "an option's name")
    if name not in names:
        listed = f"it has {', '.join(names)}" if names else "it has none"
        raise reader.error(f"{cls.name} has no option {name!r}; {listed}", start)
    if name in options:
        raise reader.error(f"the option {name} is given twice", start)
    reader.take("mark", "=", "'='")
    options[name] = _read_value(reader, name, known[name])


def _read_value(reader: _PipelineReader, name: str, kind: type) -> object:
    token, found = reader.token, reader.kind
    value: object = None
    if kind is bool and found == "word" and token in ("true", "false"):
        value = token == "true"
    elif kind is int and found == "number":
        value = int(token)
    elif kind is str and found in ("word", "text"):
        value = re.sub(r"\\(.)", r"\1", token, flags=re.DOTALL) if found == "text" else token
    else:
        raise reader.error(f"the option {name} wants {_WANTED[kind]}, found {token or 'the end'!r}")
    reader.advance()
    return value


_WANTED: Mapping[type, str] = MappingProxyType({bool: "true or false", int: "a whole number", str: "a text"})

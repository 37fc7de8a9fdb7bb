"""A rule of the linter, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from potlang.diag import Fix, Label, Place
from potlang.diag.register import CODES

if TYPE_CHECKING:
    from potlang.linter.linted import LintedProgram
    from potlang.linter.questions import Questions

_NO_FIELDS: Mapping[str, object] = MappingProxyType({})


class LintFinding(NamedTuple):
    """One report of a rule: the arguments of `Sink.report`, but for the code."""

    place: Place
    fields: Mapping[str, object] = _NO_FIELDS
    primary: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class LintRule:
    """A rule: its code, and what finds its cases in a program.

    One of `find` and `ask` is given: a rule with `ask` puts questions to a solver. `by_default`: it runs
    where nobody names it, which is for rules that are hardly ever wrong. `stands_for` is the code of a
    cheaper rule that is left out where this one runs.
    """

    code: str
    find: Callable[[LintedProgram], Iterator[LintFinding]] | None = None
    ask: Callable[[LintedProgram, Questions], Iterator[LintFinding]] | None = None
    by_default: bool = True
    stands_for: str = ""

    @property
    def name(self) -> str:
        """Its name for people: the slug of its code."""
        return CODES[self.code].slug

    @property
    def is_deep(self) -> bool:
        """Whether it needs a solver."""
        return self.ask is not None

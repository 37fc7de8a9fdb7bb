"""The program in a model's reply: the first that compiles, after safe fixes ([LOOP-REPLY], [LOOP-MEND])."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from potlang.diag import Severity
from potlang.diag.fixes import mend
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.program import Checked, Program
from potlang.models.programs.additions import with_additions, with_semantics
from potlang.models.replies.extract import Found, find_programs


class ReadProgram(NamedTuple):
    """A program as it was compiled: its text after `mended` safe fixes, and the reply `around` it.

    `problem`: why it is not accepted, empty if it is.
    """

    text: str
    checked: Checked
    mended: int
    around: str
    problem: str

    @property
    def errors(self) -> int:
        """How many errors are left."""
        return sum(each.severity is Severity.ERROR for each in self.checked.diagnostics)


def _anything(program: Program) -> str:
    return ""


def read_program(
    reply: str,
    *,
    problem_of: Callable[[Program], str] = _anything,
    semantics: Mapping[str, Any] | None = None,
    base: str = "",
    safe_fixes: bool = True,
) -> ReadProgram | None:
    """The first program in a reply that is accepted, else the last of those with the fewest errors.

    `problem_of` says why a program that compiles is not accepted; `semantics` take the place of the
    program's own; `base` is a program that the reply adds to. None where there is no JSON object.
    """
    best: ReadProgram | None = None
    for found in find_programs(reply, safe_fixes=safe_fixes):
        text = with_additions(base, found.text) if base else found.text
        read = _read(found, with_semantics(text, semantics), problem_of, safe_fixes=safe_fixes)
        if not read.problem:
            return read
        # Models write drafts first: of programs as bad as each other the last one counts.
        if best is None or read.errors <= best.errors:
            best = read
    return best


def program_in(attempt: str | dict[str, Any]) -> str | dict[str, Any]:
    """The program of an attempt as it was written: that in a reply, or all of it where there is none."""
    if isinstance(attempt, dict):
        return attempt
    found = read_program(attempt, safe_fixes=False)
    return attempt if found is None else found.text


def _read(found: Found, text: str, problem_of: Callable[[Program], str], *, safe_fixes: bool) -> ReadProgram:
    """The `text` of a program that was `found`, compiled and mended."""
    checked, mended = _check(text), found.mended
    if safe_fixes and checked.program is None:
        text, applied, checked = mend(text, checked, _check)
        mended += applied
    if checked.program is not None:
        return ReadProgram(text, checked, mended, found.around, problem_of(checked.program))
    read = ReadProgram(text, checked, mended, found.around, "")
    return read._replace(problem=f"the program has {read.errors} error{'' if read.errors == 1 else 's'}")


def _check(text: str) -> Checked:
    return check_program(text, name="program")

"""The program in a model's reply: the first that compiles, after safe fixes ([LOOP-REPLY], [LOOP-MEND])."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from potlang.diag import Severity
from potlang.diag.fixes import mend
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.program import Checked, Program
from potlang.models.replies import Found, find_programs


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
    safe_fixes: bool = True,
) -> ReadProgram | None:
    """The first program in a reply that is accepted, else the last of those with the fewest errors.

    `problem_of` says why a program that compiles is not accepted; `semantics` take the place of the
    program's own. None where there is no JSON object.
    """
    best: ReadProgram | None = None
    for found in find_programs(reply, safe_fixes=safe_fixes):
        read = _read(found, problem_of, semantics, safe_fixes=safe_fixes)
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


def _read(
    found: Found,
    problem_of: Callable[[Program], str],
    semantics: Mapping[str, Any] | None,
    *,
    safe_fixes: bool,
) -> ReadProgram:
    text = with_semantics(found.text, semantics)
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


def with_semantics(text: str, semantics: Mapping[str, Any] | None) -> str:
    """The program with these `semantics` instead of its own; as it is if it is not well-formed JSON."""
    if not semantics:
        return text
    try:
        value = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict):
        return text
    return json.dumps({**value, "semantics": dict(semantics)}, ensure_ascii=False)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found

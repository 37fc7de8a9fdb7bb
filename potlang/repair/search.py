"""Tries candidates: which of them leave fewer errors?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final, NamedTuple, Protocol

from potlang.diag import Applicability, Diagnostic, Fix
from potlang.diag.fixes import apply_fix, apply_fixes
from potlang.diag.model import Edit, Patch, Replace
from potlang.diag.near import same_but_for_form
from potlang.diag.patching import FixError
from potlang.repair.arity import arity_candidates
from potlang.repair.brackets import formula_candidates, json_candidates
from potlang.repair.declarations import declaration_candidates, name_candidates, sort_candidates
from potlang.repair.subject import Repair, Subject
from potlang.source import split_pointer
from potlang.utils.deadline import look


class CompileCheck(Protocol):
    """Compiles a text or a JSON value."""

    def __call__(self, changed: object, most: int | None = None) -> Sequence[Diagnostic] | None:
        """The diagnostics; None as soon as there are more than `most` errors."""


_MOST_CANDIDATES: Final = 2_000
_MOST_CHECKS: Final = 200
_MOST_CHARACTERS: Final = 400_000
"""Checked in all: for about a third of a second, and the same in every run."""
_EACH_ERROR: Final = 50
"""As many characters as a mistake costs the check: finding it and wording it."""
_FEWEST_CHECKS: Final = 8
"""Programs so large that there would be fewer are not searched."""
_STATEMENTS: Final = ("knowledge_base", "rules", "verifications")
_MOST_FIXES: Final = 3
_MOST_OTHERS: Final = 20
_SLACK: Final = 1
"""By so much a candidate may cost more than the best one and still be tried."""
_NEAR: Final = 2
"""Up to this cost a candidate is better than a fix that leaves no errors, such as a new declaration."""


class _Tried(NamedTuple):
    """The errors and warnings that a candidate leaves; the least is the best."""

    errors: int
    cost: int
    warnings: int
    common: int
    order: int


class Rejected(NamedTuple):
    """A program that was rejected, as text unless it was given as a value, and as a value if it is JSON."""

    text: str | None
    value: Any
    diagnostics: Sequence[Diagnostic]


def with_repairs(rejected: Rejected, check: CompileCheck) -> tuple[Diagnostic, ...]:
    """The diagnostics; where searching found repairs, the errors that they mend offer them first."""
    errors = [each for each in rejected.diagnostics if each.severity == "error"]
    found = _searched(rejected, errors, check) if errors else []
    if not found:
        return tuple(rejected.diagnostics)
    by_error: dict[int, list[Fix]] = {}
    for fix in found:
        by_error.setdefault(_mended(fix, errors), []).append(fix)
    better = {id(errors[at]): _first(fixes, errors[at]) for at, fixes in by_error.items()}
    return tuple(better.get(id(each), each) for each in rejected.diagnostics)


def _first(fixes: list[Fix], error: Diagnostic) -> Diagnostic:
    """The error with these fixes before its own others."""
    edits = [fix.edits for fix in fixes]
    return error._replace(fixes=(*fixes, *(fix for fix in error.fixes if fix.edits not in edits)))


def _mended(fix: Fix, errors: Sequence[Diagnostic]) -> int:
    """The error that a fix belongs to: one that offers it, or at whose place it changes something."""
    own = [at for at, error in enumerate(errors) if any(each.edits == fix.edits for each in error.fixes)]
    places = {edit.pointer if isinstance(edit, Replace) else edit.path for edit in fix.edits}
    near = [at for at, error in enumerate(errors) if error.place.pointer in places]
    return (own or near or [0])[0]


def _searched(rejected: Rejected, errors: Sequence[Diagnostic], check: CompileCheck) -> list[Fix]:
    subject = Subject(rejected.text or "", rejected.value, errors)
    size = len(subject.text) or sum(len(text) for _, text in islice(subject.strings(), _MOST_CHARACTERS))
    # By size, not by time: the same program gets the same repairs on every machine.
    checks = min(_MOST_CHECKS, _MOST_CHARACTERS // max(1, size + _EACH_ERROR * len(errors)))
    return _RepairSearch(subject, check, checks).fixes() if checks >= _FEWEST_CHECKS else []


class _RepairSearch:
    def __init__(self, subject: Subject, check: CompileCheck, checks: int) -> None:
        self._subject = subject
        self._check = check
        self._checks = checks

    def fixes(self) -> list[Fix]:
        """The best repairs; none if the errors' own fixes are as good."""
        fixes = ((error, fix) for error in self._subject.errors for fix in error.fixes)
        first = next((each for each in fixes if each[1].applicability is not Applicability.PLACEHOLDER), None)
        offered = None if first is None else self._tried(first[1].edits)
        mended = offered is not None and offered[0] == 0
        if mended and first is not None and not self._is_guess(*first):
            return []
        tried: list[tuple[_Tried, Repair]] = []
        best: _Tried | None = None
        # One that leaves more errors than these is not offered: it is no use to count them.
        most = len(self._subject.errors) - 1
        for order, candidate in enumerate(islice(self._candidates(), self._checks)):
            # What the errors offer mends the program already: only a nearer change may come before it.
            if mended and candidate.cost > _NEAR:
                break
            if best is not None and best.errors == 0 and candidate.cost > best.cost + _SLACK:
                break
            left = None if self._least_left(candidate.edits) > most else self._tried(candidate.edits, most)
            if left is not None:
                score = _Tried(left[0], candidate.cost, left[1], candidate.common, order)
                best = score if best is None else min(best, score)
                most = best.errors
                tried.append((score, candidate))
        return self._best(tried, len(self._subject.errors) if offered is None else offered[0])

    def _is_guess(self, error: Diagnostic, fix: Fix) -> bool:
        """True for what is declared or bound, or a name that is near: another name may be nearer."""
        if error.code != "POT2001" or error.place.span is None or len(fix.edits) != 1:
            return True if error.code == "POT2001" else _declares(fix)
        name, edit = self._subject.formula(error)[slice(*error.place.span)], fix.edits[0]
        return not (isinstance(edit, Replace) and same_but_for_form(name, edit.text))

    def _best(self, tried: list[tuple[_Tried, Repair]], offered: int) -> list[Fix]:
        if not tried:
            return []
        # By errors, cost, warnings, rarity, order of finding: the same in every run.
        tried.sort(key=lambda each: each[0])
        least = tried[0][0].errors
        if least >= len(self._subject.errors) or 0 < offered <= least:
            return []
        found: list[Fix] = []
        for score, each in tried:
            fix = Fix(each.title, Applicability.UNSAFE, each.edits)
            if score.errors == least and len(found) < _MOST_FIXES and fix not in found:
                found.append(fix)
        return found

    def _candidates(self) -> Iterator[Repair]:
        subject = self._subject
        # Another error's fix may be the one that mends them all.
        others = [error.fixes[0] for error in subject.errors[1:_MOST_OTHERS] if error.fixes]
        every = chain(
            (Repair(_SLACK, fix.title, fix.edits) for fix in others),
            json_candidates(subject) if subject.value is None else (),
            formula_candidates(subject),
            name_candidates(subject),
            declaration_candidates(subject),
            sort_candidates(subject),
            arity_candidates(subject),
        )
        yield from sorted(islice(every, _MOST_CANDIDATES), key=lambda candidate: candidate.cost)

    def _least_left(self, edits: Sequence[Edit]) -> int:
        """How many errors are left in any case: those of sorts in statements that are not changed."""
        changed = {_statement(each.pointer) if isinstance(each, Replace) else None for each in edits}
        if None in changed:
            return 0
        return sum(
            error.code.startswith("POT3") and _statement(error.place.pointer) not in changed
            for error in self._subject.errors
        )

    def _tried(self, edits: tuple[Any, ...], most: int | None = None) -> tuple[int, int] | None:
        """Errors and warnings left after the edits; None if these do not apply, or leave more errors."""
        look()
        fix = Fix("", Applicability.UNSAFE, edits)
        raw = any(isinstance(each, Replace) and not each.pointer for each in edits)
        if raw or self._subject.value is None:
            changed: object = apply_fixes(self._subject.text, [fix])
            if changed == self._subject.text:
                return None
        else:
            try:
                changed = apply_fix(self._subject.value, fix)
            except FixError:
                return None
        found = self._check(changed, most)
        if found is None:
            return None
        errors = sum(each.severity == "error" for each in found)
        return errors, len(found) - errors


def _statement(pointer: str) -> tuple[str, ...] | None:
    """The statement that a place is in; None for other places, on which those of statements may depend."""
    section, *rest = split_pointer(pointer) or [""]
    return (section, *rest[:1]) if section in _STATEMENTS and rest else None


def _declares(fix: Fix) -> bool:
    """True for a fix that adds a declaration: the undeclared name may be a misspelt declared one."""
    return any(isinstance(edit, Patch) and edit.op == "add" for edit in fix.edits)

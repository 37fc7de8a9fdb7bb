"""Safe fixes tried by compiling: one that mends nothing, or is one of several that do, is not safe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from potlang.diag import Applicability, Diagnostic, Fix, Sink
from potlang.diag.fixes import apply_fix, apply_fixes
from potlang.diag.model import Edit, Replace
from potlang.diag.patching import FixError
from potlang.expressions import surface as s
from potlang.expressions.expression import parse_expression
from potlang.repair.brackets import formula_candidates
from potlang.repair.search import CompileCheck
from potlang.repair.subject import Subject

_MOST_FIXES: Final = 12
_MOST_CHECKS: Final = 80
_OFTEN: Final = 3
_MOST_CHARACTERS: Final = 200_000
"""Compiled in all, so that a large program with many slips is not compiled for each of them."""
_Errors = Counter[tuple[str, str]]
"""Numbers of errors by code and pointer."""


def with_tried_fixes(
    diagnostics: Sequence[Diagnostic], text: str | None, value: object, check: CompileCheck
) -> tuple[Diagnostic, ...]:
    """The diagnostics; a safe fix of an error of which compiling tells no good is an unsafe one."""
    safe = [(each, fix) for each in diagnostics for fix in each.fixes if _is_tried(each, fix)][:_MOST_FIXES]
    if not safe:
        return tuple(diagnostics)
    trial = _FixTrial(diagnostics, text, value, check)
    doubtful = [(each, fix) for each, fix in safe if not trial.is_safe(each, fix)]
    changed = {id(each): each for each in diagnostics}
    for each, fix in doubtful:
        kept = changed[id(each)]
        demoted = fix._replace(applicability=Applicability.UNSAFE)
        changed[id(each)] = kept._replace(fixes=tuple(demoted if one is fix else one for one in kept.fixes))
    return tuple(changed[id(each)] for each in diagnostics)


def _is_tried(diagnostic: Diagnostic, fix: Fix) -> bool:
    return diagnostic.severity == "error" and fix.applicability is Applicability.SAFE


def _errors(diagnostics: Sequence[Diagnostic]) -> _Errors:
    return Counter((each.code, each.place.pointer) for each in diagnostics if each.severity == "error")


class _FixTrial:
    def __init__(
        self, diagnostics: Sequence[Diagnostic], text: str | None, value: object, check: CompileCheck
    ) -> None:
        self._text = text
        self._value = value
        self._check = check
        self._before = _errors(diagnostics)
        size = len(text) if text is not None else 1_000
        # By size, not by time: the same program gets the same fixes on every machine.
        self._left = min(_MOST_CHECKS, _MOST_CHARACTERS // max(1, size))

    def is_safe(self, diagnostic: Diagnostic, fix: Fix) -> bool:
        """Whether the fix mends the error as far as can be told, and no other bracket would."""
        if diagnostic.code == "POT1023" and self._is_lone_slip():
            return False
        if self._left <= 0:
            return not _is_bracket(fix)
        made = self._made(fix)
        if made is None:
            return False
        after = self._errors_of(made)
        key = diagnostic.code, diagnostic.place.pointer
        if after[key] >= self._before[key] and after.total() >= self._before.total():
            return False
        # Sorts are checked once the syntax is right: an error of sorts in the same place shows a wrong guess.
        if any(code.startswith("POT3") and pointer == key[1] for code, pointer in after - self._before):
            return False
        return not _is_bracket(fix) or not self._has_other_place(diagnostic, fix, after.total())

    def _is_lone_slip(self) -> bool:
        """Whether a program writes `==` but for one `=`, which may be what is left of `<=` or `!=`."""
        written = self._text if self._text is not None else repr(self._value)
        lone = sum(number for (code, _), number in self._before.items() if code == "POT1023") == 1
        return lone and written.count("==") >= _OFTEN

    def _errors_of(self, made: object) -> _Errors:
        self._left -= 1
        return _errors(self._check(made) or ())

    def _made(self, fix: Fix) -> object:
        try:
            return apply_fix(self._value, fix) if self._text is None else apply_fixes(self._text, [fix])
        except FixError:
            return None

    def _has_other_place(self, diagnostic: Diagnostic, fix: Fix, errors: int) -> bool:
        """Whether a bracket at another place gives another formula as good: then either is a guess."""
        subject = Subject(self._text or "", self._value, [diagnostic])
        text = subject.formula(diagnostic)
        seen = {_structure(_edited(text, fix.edits)), None}
        for candidate in formula_candidates(subject):
            structure = _structure(_edited(text, candidate.edits))
            other = (
                self._made(Fix("", Applicability.UNSAFE, candidate.edits)) if structure not in seen else None
            )
            if other is None:
                continue
            seen.add(structure)
            # What cannot be tried is not known to be safe.
            if self._left <= 0 or self._errors_of(other).total() <= errors:
                return True
        return False


def _is_bracket(fix: Fix) -> bool:
    return all(
        isinstance(edit, Replace) and edit.pointer and not edit.text.strip("()[]{}") for edit in fix.edits
    )


def _edited(text: str, edits: Sequence[Edit]) -> str:
    for edit in sorted((one for one in edits if isinstance(one, Replace)), key=lambda one: -one.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _structure(text: str) -> str | None:
    """A formula without places and groups: brackets around a whole make no difference. None if unread."""
    tree = parse_expression(text, "", Sink(counted=True))
    if tree is None:
        return None
    found: list[str] = []
    stack: list[s.Expr] = [tree]
    while stack:
        node = stack.pop()
        words, parts = _parts(node)
        found.append(f"{type(node).__name__.removeprefix('Flat')} {words} {len(parts)}")
        stack += parts
    return "\n".join(found)


def _parts(node: s.Expr) -> tuple[str, list[s.Expr]]:
    match node:
        case s.Call(head=head, args=args):
            return "", [head, *args]
        case s.Infix(op=op, args=args):
            return op, args
        case s.Prefix(op=op, arg=arg):
            return op, [arg]
        case s.Compare(ops=ops, operands=operands):
            return " ".join(ops), operands
        case s.ListOf(items=items):
            return "", items
        case s.Name(id=text) | s.StringLiteral(value=text) | s.Number(text=text) | s.BitVecLiteral(text=text):
            return text, []
        case s.Binding(name=name, sort=sort):
            return f"{name.id}: {sort.name} {len(sort.args)}", []
        case _:
            return "", []

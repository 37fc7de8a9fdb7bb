"""The solution in a model's reply, whole or its beginning ([LOOP-DAG-REPLY], [LOOP-DAG-PARTS])."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from potlang.diag import Diagnostic, Severity
from potlang.diag.fixes import mend
from potlang.languages.dagmath.check.form import CheckedSolution, check
from potlang.languages.dagmath.read.citations import citations
from potlang.languages.dagmath.read.records import Step
from potlang.languages.dagmath.read.text_form import is_text_form
from potlang.languages.kind import kind_of
from potlang.models.replies.extract import behind_thoughts, find_objects
from potlang.models.replies.lists import LIMITS, with_latex_escapes
from potlang.source.layout import container_end

_STEPS: Final = frozenset({"steps"})
_LIST: Final = re.compile(r"[\"'“”]steps[\"'“”]\s*+:\s*+\[|\A\s*+\[")
_NEXT: Final = re.compile(r"[\s,]*+\{")
_OF_THE_GRAPH: Final = frozenset({"POT7002", "POT7003", "POT7004", "POT7005"})
"""Mistakes that a part of a solution may have by itself: its parents may stand in another part."""


class ReadReply(NamedTuple):
    """A solution as it was checked: its text after `mended` safe fixes."""

    text: str
    checked: CheckedSolution
    mended: int

    @property
    def errors(self) -> int:
        """How many errors are left."""
        return len(_Examined(self.checked).diagnostics)

    @property
    def is_part(self) -> bool:
        """Whether nothing but references to steps that are not in it keeps it from being a solution."""
        wrong = {each.code for each in _Examined(self.checked).diagnostics}
        return bool(self.checked.read.steps) and wrong <= _OF_THE_GRAPH


def read_solution_reply(reply: str, *, safe_fixes: bool = True) -> ReadReply | None:
    """The first solution in a reply that is a graph of steps, else the last of those with fewest errors.

    None where there is nothing that may be meant as one; a solution in plain prose is none.
    """
    best: ReadReply | None = None
    for text, mended in _solutions(reply, safe_fixes):
        read = check_solution(text, safe_fixes=safe_fixes)
        read = read._replace(mended=read.mended + mended)
        if not read.errors:
            return read
        if best is None or read.errors <= best.errors:
            best = read
    return best


def check_solution(text: str, *, safe_fixes: bool = True) -> ReadReply:
    """The form of a solution, where it has errors after safe fixes of these; warnings leave it as it is."""
    examined = _examine(text)
    if not safe_fixes or examined.checked.ok:
        return ReadReply(text, examined.checked, 0)
    restored = with_latex_escapes(text) if text.lstrip().startswith(("{", "[")) else text
    mended = mend(restored, _examine(restored), _examine)
    return ReadReply(mended.text, mended.found.checked, mended.applied + (restored != text))


class _Examined(NamedTuple):
    """A solution and its errors: only these are mended, so that no words of a model's are changed."""

    checked: CheckedSolution

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return [each for each in self.checked.diagnostics if each.severity is Severity.ERROR]


def _examine(text: str) -> _Examined:
    return _Examined(check(text, name="solution", limits=LIMITS))


def beginning(text: str) -> str | None:
    """The steps of a solution's JSON that are whole, as such JSON, where it broke off; None without any."""
    found = _LIST.search(text)
    if found is None:
        return None
    end, at = None, found.end()
    while (opening := _NEXT.match(text, at)) is not None:
        closed = container_end(text, opening.end() - 1)
        if closed is None:
            break
        end = at = closed
    return None if end is None else f'{{"steps": [{text[found.end() : end]}]}}'


def joined_parts(first: Sequence[Step], more: Sequence[Step]) -> tuple[Step, ...]:
    """The steps of two parts, the second of which goes on from the first or from some step of it.

    Where the second counts from the first id again and is not the whole solution anew, its steps are
    numbered on, with the parents and the citations that are its own.
    """
    if not first or not more:
        return (*first, *more)
    last, begin = first[-1].id, more[0].id
    if begin > last:
        return (*first, *more)
    if begin != first[0].id:
        return (*(step for step in first if step.id < begin), *more)
    if _same(first[0].node, more[0].node):
        return tuple(more)
    own: set[int] = set()
    numbered = []
    for step in more:
        numbered.append(_numbered_on(step, own, last + 1 - begin))
        own.add(step.id)
    return (*first, *numbered)


def _numbered_on(step: Step, own: set[int], by: int) -> Step:
    """The step with an id that is higher; `own` are the ids of the same part before it."""

    def moved(id_: int) -> int:
        return id_ + by if id_ in own else id_

    parents = None if step.parents is None else tuple(map(moved, step.parents))
    edge = step.edge
    for start, end in sorted({span for each in citations(edge) for span in each.spans}, reverse=True):
        edge = edge[:start] + str(moved(int(edge[start:end]))) + edge[end:]
    return step._replace(id=step.id + by, parents=parents, edge=edge)


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _solutions(reply: str, safe_fixes: bool) -> Iterator[tuple[str, int]]:
    """The texts that may be meant as a solution, in order, and the fixes without which they are no JSON."""
    for text in dict.fromkeys([behind_thoughts(reply), reply]):
        found = find_objects(text, _STEPS, safe_fixes=safe_fixes)
        if any(_LIST.search(each.text) for each in found):
            yield from ((each.text, each.mended) for each in found)
            return
        # A bare list of steps, or the text form; messages of a chat, and prose, are no solutions here.
        is_meant = '"step_id"' in text or (not text.lstrip().startswith(("{", "[")) and is_text_form(text))
        if is_meant and kind_of(text.encode("utf-8", "surrogatepass")) == "dagmath":
            yield text, 0
            return

"""From a derivation to a solution: what an entailed claim follows from, as DAG-MATH steps ([DAG-FROM-1]).

Each step but the last says one formula, in words and as `formal`; it is closed by construction, since
only what the answer rests on is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from potlang.convert.deductions import Deduction, deduce
from potlang.ir.nodes import Node
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.read.citations import citations
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.pot.program import Program
from potlang.report.results import Limits
from potlang.sema.emit import Writer

if TYPE_CHECKING:
    from potlang.processes.pool import Workers

ANSWER = r"\text{entailed}"
"""The expected answer of each such solution."""
_LONGEST_NAME = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPES = {each: f"\\{each}" for each in "{}_$#%&"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def derivation_to_solution(
    program: Program,
    claim: str | None = None,
    *,
    limits: Limits = Limits(),
    workers: Workers | None = None,
) -> Solution:
    """The solution that derives a claim of a program, by default its first one ([DAG-FROM-1]).

    Raises LookupError if there is no such claim, `potlang.convert.deductions.NotEntailed`, and
    `potlang.sema.emit.ExpansionTooLarge` for formulas that are too large to be written.
    """
    found = deduce(program, claim, limits=limits, workers=workers)
    work = _SolutionWriter(found)
    work.steps()
    return work.solution()


class _StepDraft(NamedTuple):
    """A step to be: its formula's text, the drafts that it rests on by number, and the rule applied.

    `given` names the assumption that it is; None: it is derived.
    """

    text: str
    premises: tuple[int, ...]
    given: str | None = None
    rule: int | None = None


class _SolutionWriter:
    """Collects what is said, each text once, and writes what the claim rests on."""

    def __init__(self, deduction: Deduction) -> None:
        self._deduction = deduction
        self._texts = Writer(deduction.module)
        self._drafts: list[_StepDraft] = []
        self._numbers: dict[str, int] = {}
        """The draft that says something, by its text."""

    def steps(self) -> None:
        """The assumptions, the lemmas, and the claim, which may say what one of these says."""
        found = self._deduction
        givens = {each.key: self._say(each.formula, (), given=each.name) for each in found.module.assertions}
        last: Iterable[int] = givens.values()
        if found.lemmas is not None:
            numbers: list[int] = []
            for lemma in found.lemmas.found:
                premises = [numbers[each] for each in lemma.premises]
                premises += [givens[key] for key in lemma.assumptions if key in givens]
                rule = None if lemma.key is None else givens.get(lemma.key)
                numbers.append(self._say(lemma.formula, premises, rule=rule))
            last = [numbers[each] for each in found.lemmas.last]
            last += [givens[key] for key in found.lemmas.assumptions if key in givens]
        self._claim = self._say(found.goal, last)

    def _say(
        self, formula: Node, premises: Iterable[int], *, given: str | None = None, rule: int | None = None
    ) -> int:
        text = self._texts.term(formula)
        if text not in self._numbers:
            self._numbers[text] = len(self._drafts)
            self._drafts.append(_StepDraft(text, tuple(dict.fromkeys(premises)), given, rule))
        return self._numbers[text]

    def solution(self) -> Solution:
        """The steps that the answer rests on, numbered from 1 in order."""
        claim = self._claim
        needed = Graph(tuple(draft.premises for draft in self._drafts)).ancestors(claim) | {claim}
        ids = {draft: id_ for id_, draft in enumerate(sorted(needed), 1)}
        steps = [self._step(self._drafts[draft], ids[draft], ids) for draft in ids]
        last = len(steps) + 1
        edge = f"Step {ids[claim]} is what was asked, and it holds."
        steps.append(Step(last, edge, (ids[claim],), rf"The final answer is $\boxed{{{ANSWER}}}$."))
        asked = self._drafts[claim].text
        return Solution(
            tuple(steps),
            problem_id=self._deduction.claim.name,
            problem=f"Does it follow that {asked}?",
            model="potlang",
            answer=ANSWER,
        )

    def _step(self, draft: _StepDraft, id_: int, ids: dict[int, int]) -> Step:
        parents = tuple(sorted(ids[each] for each in draft.premises))
        says = rf"$\texttt{{{_latex(draft.text)}}}$"
        # A name may hold control characters, which readers of solutions take for broken LaTeX.
        formal = None if _CONTROL.search(draft.text) else draft.text
        if draft.given is not None:
            return Step(id_, _given_edge(draft.given), None, f"It is given that {says}.", formal)
        edge = _derived_edge(parents, None if draft.rule is None else ids[draft.rule])
        return Step(id_, edge, parents or None, f"It follows that {says}.", formal)


def _given_edge(name: str) -> str:
    """The edge of an assumption: its name, unless that would be read as a citation of a step."""
    shown = " ".join(name[: 2 * _LONGEST_NAME].split())
    if not shown or len(shown) > _LONGEST_NAME or _CONTROL.search(shown) or citations(shown):
        return "The program assumes this."
    return f"The program assumes this, by the name “{shown}”."


def _derived_edge(parents: Sequence[int], rule: int | None) -> str:
    """Cites every parent; `rule` is the one whose rule is applied to the others."""
    others = [f"Step {each}" for each in parents if each != rule]
    if rule is None:
        return f"This follows from {_listed(others)}." if others else "This holds whatever is assumed."
    if not others:
        return f"This is an instance of Step {rule}."
    return f"The rule of Step {rule}, applied to {_listed(others)}, gives this."


def _listed(names: Sequence[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _latex(text: str) -> str:
    plain = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    return "".join(_ESCAPES.get(char, char) for char in plain)

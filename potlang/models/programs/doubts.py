"""Doubts about a program that compiles, for which a model is asked to look at it again ([LOOP-SECOND])."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

from potlang.ir.module import AssertionKind
from potlang.ir.nodes import App
from potlang.ir.operators import NOT
from potlang.languages.pot.program import Checked, Program
from potlang.languages.pot.report import Report
from potlang.linter.choice import LintChoice
from potlang.linter.linter import lint
from potlang.models.prompts import fenced
from potlang.models.truncate import truncate_to_budget
from potlang.report.results import CoreItem, Result, Verdict
from potlang.sema.emit import Writer
from potlang.utils.deadline import OutOfFuel
from potlang.words.orders import OrderConflict, order_conflict

_VACUOUS: Final = LintChoice(only=("vacuous-claim", "rests-on-disagreement"))
_VACUOUS_CODES: Final = ("POT9031", "POT9034")
_LINT_MS: Final = 1_000
_WRITTEN: Final = (AssertionKind.FACT, AssertionKind.RULE)
_LEAVES_OPEN: Final = re.compile(
    r"\b(?:uncertain|unknown|undetermined|undecided|insufficient|not enough|cannot|can['’]?t|could not"
    r"|neither|determin\w+|possibl[ey]|maybe|perhaps|might)\b",
    re.IGNORECASE,
)


class DoubtKind(IntEnum):
    """The kinds of doubt, the gravest last."""

    UNDETERMINED = 1
    NO_OPTION = 2
    BEGGING = 3
    VACUOUS = 4
    ORDERS = 5
    INCONSISTENT = 6


class Doubt(NamedTuple):
    """A reason to look again: what the model is told, and the facts of it as JSON values."""

    kind: IntEnum
    said: str
    shown: Any = None


def asks_yes_or_no(question: str, options: Sequence[str]) -> bool:
    """Whether an answer between yes and no is not among those asked for, by the question's own words."""
    return not options and _LEAVES_OPEN.search(question) is None


def doubts_about(checked: Checked, report: Report, question: str, *, yes_or_no: bool) -> list[Doubt]:
    """The doubts about a program for a question and its verdicts, the gravest first.

    `yes_or_no`: a claim that is neither entailed nor refuted is no answer to the question.
    """
    program = checked.program
    assert program is not None
    orders = _orders(program, question)
    found = [*_inconsistent(report), *orders] or [
        *_vacuous(checked),
        *_begging(program, report),
        *_options(report),
        *(_undetermined(report) if yes_or_no else ()),
    ]
    return sorted(found, key=lambda each: -each.kind)


def conflict_with(question: str, program: Program) -> OrderConflict | None:
    """The words of a question that a program orders things against; None without any ([ORDER-CONFLICT])."""
    module = program.untabled
    stated = [each.formula for each in module.assertions if each.kind in _WRITTEN]
    return order_conflict(question, [*stated, *(each.formula for each in module.claims)])


def second_look_prompt(verdict: str, doubts: Sequence[Doubt]) -> str:
    """The message to a model on its program: the verdict, and each doubt with its facts."""
    opening = f"This program compiles. The solvers say: {verdict}. Look at it once more:"
    ending = (
        "If the question itself says so, or leaves it so, reply with the same program. Otherwise reply with "
        "the whole program, corrected, as one JSON object. Add nothing that the question does not say and "
        "that is not common knowledge."
    )
    return "\n\n".join([opening, *doubts_text(doubts), ending])


def doubts_text(doubts: Sequence[Doubt]) -> list[str]:
    """Each doubt with its facts, as a model is told of it."""
    return [
        each.said if each.shown is None else f"{each.said}\n\n{fenced(_json(each.shown), 'json')}"
        for each in doubts
    ]


def gravest(doubts: Sequence[Doubt]) -> int:
    """How grave the gravest doubt is; 0 without one."""
    return max((each.kind for each in doubts), default=0)


# --- kinds of doubt --------------------------------------------------------------------------------


def _inconsistent(report: Report) -> list[Doubt]:
    if report.verdict != Verdict.INCONSISTENT:
        return []
    cores = [each.evidence.core for each in report.results if each.verdict is Verdict.INCONSISTENT]
    core = next(filter(None, cores), report.evidence.core if report.evidence is not None else None)
    said = "The facts and rules contradict each other, so that nothing can be concluded from them."
    return [Doubt(DoubtKind.INCONSISTENT, said, None if core is None else {"conflict": _items(core)})]


def _orders(program: Program, question: str) -> list[Doubt]:
    conflict = conflict_with(question, program)
    if conflict is None:
        return []
    told = conflict.described(Writer(program.untabled).term)
    return [Doubt(DoubtKind.ORDERS, f"{told[:1].upper()}{told[1:]}.")]


def _vacuous(checked: Checked) -> list[Doubt]:
    try:
        found = lint(checked, _VACUOUS, budget_ms=_LINT_MS)
    except OutOfFuel:
        return []
    return [
        Doubt(DoubtKind.VACUOUS, f"{each.message[:1].upper()}{each.message[1:]}: {'; '.join(each.notes)}.")
        for each in found.diagnostics
        if each.code in _VACUOUS_CODES
    ]


def _begging(program: Program, report: Report) -> list[Doubt]:
    """Claims that an assumption states, or denies, word for word."""
    stated = {each.origin.pointer: each.formula for each in program.module.assertions}
    claims = {each.origin.pointer: each.formula for each in program.module.claims}
    found = []
    for result in report.results:
        core = result.evidence.core
        claim = claims.get(result.pointer)
        if core is None or len(core) != 1 or claim is None:
            continue
        assumed = stated.get(core[0].pointer)
        denied = [each.args[0] for each in (assumed, claim) if isinstance(each, App) and each.op is NOT]
        if assumed is claim or (denied and (assumed in denied or claim in denied)):
            said = (
                f"The claim {_json(result.name)} is itself an assumption, or denied by one: if that is what "
                "the question asks, its answer must follow from what else is stated."
            )
            found.append(Doubt(DoubtKind.BEGGING, said, {"assumption": _items(core)}))
    return found


def _options(report: Report) -> list[Doubt]:
    found = []
    for each in report.elections:
        if each.outcome == "none":
            said = f"None of the options of {_json(each.name)} is as asked."
        elif each.outcome == "several":
            said = f"Several options of {_json(each.name)} are as asked, and one alone can be chosen."
        else:
            continue
        verdicts = {
            result.name: str(result.verdict) for result in report.results if result.question is not None
        }
        found.append(Doubt(DoubtKind.NO_OPTION, said, {"verdicts": verdicts}))
    return found


def _undetermined(report: Report) -> list[Doubt]:
    return [
        Doubt(
            DoubtKind.UNDETERMINED,
            f"The claim {_json(each.name)} is undetermined: the assumptions fit a case in which it is true, "
            "and one in which it is false. If a fact or a rule that the question states is missing, or is "
            "written more weakly than it is meant, the answer is lost.",
            _two_models(each),
        )
        for each in report.results
        if each.verdict is Verdict.UNDETERMINED
        and each.ask == "must"
        and each.evidence.bindings is None
        # Violations of a norm that are merely possible are an answer.
        and each.kind == "verification"
    ]


def _two_models(result: Result) -> dict[str, Any] | None:
    true, false = result.evidence.could_be_true, result.evidence.could_be_false
    if not true or not false:
        return None
    differing = [each for each in true if true.get(each) != false.get(each)]
    shown = {
        "could_be_true": {each: true[each] for each in [*differing, *true]},
        "could_be_false": {each: false[each] for each in [*differing, *false] if each in false},
    }
    return truncate_to_budget(shown)


def _items(core: Sequence[CoreItem]) -> list[dict[str, Any]]:
    shown = [{"name": each.name, "text": each.text} for each in core]
    cut: list[dict[str, Any]] = truncate_to_budget({"core": shown})["core"]
    return cut


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

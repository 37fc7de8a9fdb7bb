"""Formulas on top of some assumptions that can each be made true or false: many small questions about them.

The formulas are in the base of the session, each with two switches; a question names switches alone. So
neither its size nor the time for writing it depends on the formulas, and many are sent at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple

from potlang.engines.encoding import Encoding
from potlang.engines.messages import Query
from potlang.engines.solver import Build
from potlang.ir.nodes import Node, Quant, reachable
from potlang.prove.verdicts import Verifier
from potlang.smt.names import formula_name, switch_name

_LARGEST_WATCHED = 200
_MOST_MS = 2_000


class SwitchQuestion(NamedTuple):
    """Whether there is a model in which some formulas are true and some are false, by their numbers.

    Of `either`, pairs of a formula that is to be true and one that is to be false, one at least has to be
    so, if there are any.
    """

    true: Sequence[int] = ()
    false: Sequence[int] = ()
    either: Sequence[tuple[int, int]] = ()


class SwitchAnswer(NamedTuple):
    """The status; of a model the formulas that are true in it and those that are false, as bit sets."""

    status: Literal["sat", "unsat", "unknown"]
    true: int = 0
    false: int = 0


class Switches:
    """The text of formulas with switches, for one verifier's assumptions."""

    def __init__(self, verifier: Verifier, formulas: Sequence[Node]) -> None:
        self._verifier = verifier
        self._formulas = formulas
        self._watched = [at for at, formula in enumerate(formulas) if is_watchable(formula)]
        self._names = tuple(map(formula_name, self._watched))
        self._bases: dict[Encoding, str] = {}

    def ask(
        self, questions: Sequence[SwitchQuestion], given: Sequence[int] = (), *, watching: bool = True
    ) -> list[SwitchAnswer]:
        """The first solver's answers, in order: unknown where it gives up, or is not alone.

        `given` are true in all of them. Without `watching` an answer tells of the formulas that its
        question names alone: values take longer than the check where formulas are many.
        """
        dispatcher = self._verifier.dispatcher
        if len(dispatcher.solvers) > 1 or dispatcher.disabled is not None:
            return [SwitchAnswer("unknown")] * len(questions)
        common = "".join([f"(assert {switch_name(at, True)})" for at in given])
        dispatcher.start(lambda encoding: self._base(encoding) + common)
        texts = [_text(question) for question in questions]
        values = self._names if watching else ()
        builds: list[Build] = [partial(_query, text, values) for text in texts]
        found = []
        for question, result in zip(
            questions, dispatcher.ask_ahead("claim", builds, most_ms=_MOST_MS), strict=True
        ):
            if result.status == "sat":
                found.append(self._model(question, given, result.values or ()))
            else:
                found.append(SwitchAnswer("unsat" if result.status == "unsat" else "unknown"))
        return found

    def _model(self, question: SwitchQuestion, given: Sequence[int], values: Sequence[str]) -> SwitchAnswer:
        true = false = 0
        if len(values) == len(self._watched):
            for at, value in zip(self._watched, values, strict=True):
                if value == "true":
                    true |= 1 << at
                elif value == "false":
                    false |= 1 << at
        made = [*question.either] if len(question.either) == 1 else []
        for at in (*given, *question.true, *(one for one, _ in made)):
            true |= 1 << at
        for at in (*question.false, *(other for _, other in made)):
            false |= 1 << at
        return SwitchAnswer("sat", true, false)

    def _base(self, encoding: Encoding) -> str:
        if encoding not in self._bases:
            parts = [encoding.base(named=False)]
            parts += [encoding.assertion(each) for each in self._verifier.extra]
            for at, formula in enumerate(self._formulas):
                name, yes, no = formula_name(at), switch_name(at, True), switch_name(at, False)
                parts.append(
                    f"(define-fun {name} () Bool {encoding.term(formula)})"
                    f"(declare-const {yes} Bool)(assert (=> {yes} {name}))"
                    f"(declare-const {no} Bool)(assert (=> {no} (not {name})))\n"
                )
            self._bases[encoding] = "".join(parts)
        return self._bases[encoding]


def _query(text: str, values: tuple[str, ...], _: Encoding) -> Query:
    return Query(text, values)


def _text(question: SwitchQuestion) -> str:
    parts = [f"(assert {switch_name(at, True)})" for at in question.true]
    parts += [f"(assert {switch_name(at, False)})" for at in question.false]
    pairs = [f"(and {switch_name(a, True)} {switch_name(b, False)})" for a, b in question.either]
    if pairs:
        parts.append(f"(assert (or {' '.join(pairs)}))" if len(pairs) > 1 else f"(assert {pairs[0]})")
    return "".join(parts)


def is_watchable(formula: Node) -> bool:
    """Whether a solver's model surely has a value for a formula, and soon."""
    nodes = reachable(formula)
    return len(nodes) <= _LARGEST_WATCHED and not any(isinstance(node, Quant) for node in nodes)

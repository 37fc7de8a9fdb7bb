"""The steps of a solution with their `formal` fields in the place of their prose ([STEP-FORMAL-USED])."""

from __future__ import annotations

from typing import Literal, NamedTuple

from potlang.languages.dagmath.lower.formal import Formal
from potlang.languages.dagmath.lower.readings import Reading
from potlang.languages.dagmath.lower.solutions import Read
from potlang.languages.dagmath.lower.syntax import free_names, is_statement
from potlang.languages.dagmath.relations.agreement import Around, agreement
from potlang.languages.dagmath.relations.standing import Standing

FormalUse = Literal["used", "disagrees", "unread"]
"""A `formal` field was read in the place of the prose, says something else, or was not read."""


class FormalReading(NamedTuple):
    """How the `formal` field of a step was taken, and why it was not used.

    `is_formed`: it is at least an expression of PoT.
    """

    use: FormalUse
    reason: str = ""
    is_formed: bool = True


def with_formals(read: Read) -> tuple[Read, tuple[FormalReading | None, ...]]:
    """The readings with those of `formal` fields that agree with the prose, and how each field was taken.

    A step whose field says something else than its prose is not read at all.
    """
    readings, raw = list(read.readings), list(read.raw)
    taken: list[FormalReading | None] = []
    for at, formal in enumerate(read.formals):
        found = None if formal is None else _taken(read, at, formal)
        taken.append(None if found is None else found[0])
        if found is not None and found[1] is not None:
            readings[at] = found[1]
            raw[at] = (*found[1].claims, *found[1].values)
    return read._replace(readings=tuple(readings), raw=tuple(raw)), tuple(taken)


def _taken(read: Read, at: int, formal: Formal) -> tuple[FormalReading, Reading | None]:
    """How a field was taken, and the reading that it gives; None where the prose counts."""
    if formal.term is None:
        return FormalReading("unread", formal.reason, formal.is_formed), None
    prose = read.readings[at]
    said = agreement(formal.term, read.steps[at].node, prose, _around(read, at), read.context)
    if said.reason:
        return FormalReading("disagrees", said.reason), Reading(
            reason=f"its `formal` says something else than it does: {said.reason}"
        )
    if said.standing is Standing.QUOTED:
        return FormalReading("used"), Reading(reason="it is a quotation")
    base = prose if prose.reason is None else Reading()
    supposes = base.supposes or said.standing is Standing.SUPPOSED
    said_terms = (formal.term,)
    return FormalReading("used"), Reading(
        claims=said_terms if is_statement(formal.term) else (),
        values=() if is_statement(formal.term) else said_terms,
        supposes=supposes,
        names=base.names | (free_names(formal.term) if supposes else frozenset()),
        integers=base.integers,
        rewrites=base.rewrites,
        is_goal=base.is_goal or said.standing is Standing.SOUGHT,
        is_introduction=base.is_introduction,
        is_answer=base.is_answer,
    )


def _around(read: Read, at: int) -> Around:
    """The texts that a step rests on, and all that stand before it."""
    nodes = [step.node for step in read.steps[:at]]
    fields = [step.formal for step in read.steps[:at] if step.formal is not None]
    premises = [read.steps[parent].node for parent in read.parents[at]]
    preceding = read.steps[at - 1].node if at - 1 in read.parents[at] else ""
    return Around((read.problem, *premises), (read.problem, *nodes, *fields), preceding)

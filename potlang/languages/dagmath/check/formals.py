"""Reports `formal` fields that are not read, or that say something else than their steps ([STEP-FORMAL])."""

from __future__ import annotations

from potlang.diag import Sink
from potlang.languages.dagmath.read.reader import ReadSolution

MOST_STEPS = 2_000
"""Steps of a solution up to which they are checked."""


def check_formals(read: ReadSolution, sink: Sink) -> None:
    """Reports what is wrong with the `formal` fields of a solution that could be read."""
    solution = read.solution
    if solution is None or len(solution.steps) > MOST_STEPS:
        return
    if all(step.formal is None for step in solution.steps):
        return
    # The reader of steps takes its time to import, and few solutions have such fields.
    from potlang.languages.dagmath.lower.solutions import read_solution_steps
    from potlang.languages.dagmath.relations.formals import with_formals

    _, taken = with_formals(read_solution_steps(solution))
    beyond = [at for at, found in enumerate(taken) if found and found.use == "unread" and found.is_formed]
    for at, found in enumerate(taken):
        if found is None or found.use == "used" or at in beyond[1:]:
            continue
        place, id_ = read.places.part(at, "formal"), solution.steps[at].id
        if found.use == "disagrees":
            helps = ("write what the step says: the same numbers, names and relations, and all of them",)
            sink.report("POT7033", place, helps=helps, id=id_, reason=found.reason)
        elif at in beyond:
            more = len(beyond) - 1
            notes = (f"so it is with {more:,} more step{'s' if more > 1 else ''}",) if more else ()
            helps = ("leave it out, or write a formula over numbers",)
            sink.report("POT7034", place, notes=notes, helps=helps, id=id_, reason=found.reason)
        else:
            helps = ("write an expression as in a PoT program, `x**2 == 4`, or in SymPy, `Eq(x**2, 4)`",)
            sink.report("POT7032", place, helps=helps, id=id_, reason=found.reason)

"""Whether two programs mean the same, asked of z3 itself about all their assumptions at once."""

from __future__ import annotations

import z3

import potlang

_MS = 5_000


def means_the_same(one: potlang.Program, other: potlang.Program) -> bool | None:
    """Whether the same interpretations are models of both; None if z3 does not know."""
    first, second = (_assumptions(each) for each in (one, other))
    answers = [_status(first, z3.Not(second)), _status(second, z3.Not(first))]
    if z3.sat in answers:
        return False
    return True if answers == [z3.unsat, z3.unsat] else None


def _assumptions(program: potlang.Program) -> z3.BoolRef:
    lines = program.emit("smt2").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("(check-sat"))
    return z3.And(list(z3.parse_smt2_string(text)))


def _status(*formulas: z3.BoolRef) -> z3.CheckSatResult:
    solver = z3.Solver()
    solver.set("timeout", _MS)
    solver.add(*formulas)
    return solver.check()

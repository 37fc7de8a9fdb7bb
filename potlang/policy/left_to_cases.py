"""Closed predicates of which only cases say where they are true ([POLICY-LEFT])."""

from __future__ import annotations

from collections.abc import Container
from copy import deepcopy
from typing import Any

from potlang.diag.patching import get
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.program import Program
from potlang.policy.cases import program_value
from potlang.sema.completion import without_rules


def left_to_cases(program: Program) -> tuple[str, ...]:
    """The closed predicates that no fact and no rule of a policy can make true."""
    closed = {each.name for each in program.tree.functions if each.closed}
    if not closed:
        return ()
    module = program.module
    predicates = {each: "" for each in module.symbols if each.name in closed}
    return tuple(each.name for each in without_rules(predicates, module.assertions))


def over_all_cases(program: Program, but: Container[str] = ()) -> Program:
    """The policy as cases may complete it: what is left to them is open.

    Predicates named in `but` stay closed. The places of all statements stay as they are.
    """
    names = {name for name in left_to_cases(program) if name not in but}
    if not names:
        return program
    value = deepcopy(program_value(program))
    for each in program.tree.functions:
        if each.name in names:
            declaration: Any = get(value, each.pointer)
            del declaration["closed"]
    return compile_program(value, name=program.document.name)


def versions_over_all_cases(old: Program, new: Program) -> tuple[Program, Program]:
    """Two versions of a policy, in which is open what each leaves to cases and the other does not decide.

    Of versions with large tables nothing is left to cases.
    """
    if old.tables is not None or new.tables is not None:
        return old, new
    left = {id(each): set(left_to_cases(each)) for each in (old, new)}
    decided = [{function.name for function in each.tree.functions} - left[id(each)] for each in (old, new)]
    return over_all_cases(old, decided[1]), over_all_cases(new, decided[0])

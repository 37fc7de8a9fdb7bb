"""The roles in a guard's policy: the sort of events, and the functions that a guard sets or asks for."""

from __future__ import annotations

from typing import NamedTuple

from potlang.ir.nodes import Symbol
from potlang.ir.sorts import Sort


class RoleSymbols(NamedTuple):
    """The sort of events, the event that is decided, and functions of a compiled policy."""

    sort: Sort
    event: Symbol
    tool: Symbol
    turn: Symbol
    allowed: Symbol

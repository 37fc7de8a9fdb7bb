"""The ways out by name, and the claims that each text is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from potlang.export import Way
from potlang.export.asp import asp_text
from potlang.export.lean import lean_text
from potlang.export.problem import ToolProblem, problem_of
from potlang.export.python import python_text
from potlang.export.tptp import tptp_text
from potlang.ir.module import Claim, Module

_WRITERS: Final[Mapping[Way, Callable[[ToolProblem], str]]] = MappingProxyType(
    {"tptp": tptp_text, "lean": lean_text, "python": python_text, "asp": asp_text}
)


def claims_of(module: Module, way: Way, name: str | None = None) -> tuple[Claim, ...]:
    """The claims of a text: the one of this name; without one all verifications and norms, in TPTP the first.

    Raises LookupError if there is none of this name.
    """
    claims = (*module.claims, *module.norms)
    if name is None:
        return claims[:1] if way == "tptp" else claims
    found = [each for each in claims if each.name == name]
    if not found:
        known = ", ".join(f"`{each.name}`" for each in claims[:10]) or "none"
        raise LookupError(f"the program has no claim `{name}`; its claims: {known}")
    return tuple(found[:1])


def written(module: Module, way: Way, claims: Sequence[Claim]) -> str:
    """The assumptions of a module and some of its claims as a text for another tool; TPTP takes one claim.

    Raises `NoCounterpart` for what the tool has no words for.
    """
    return _WRITERS[way](problem_of(module, claims))

"""The closure: least models of function-free Horn rules, and what they decide (`spec/55-closure.md`).

Most programs are no Horn rules: what follows their recognition is imported when it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from potlang.engines.horn.recognition import recognise, recognise_exact

if TYPE_CHECKING:
    from potlang.engines.horn.conclusions import Closed, Closure, Large, Side, SideName
    from potlang.engines.horn.derivation import Derivation, Proof, Step
    from potlang.engines.horn.engine import Bounds, Engine, Merging, OutOfTime, TooLarge
    from potlang.engines.horn.horn import Horn
    from potlang.engines.horn.least import Least
    from potlang.engines.horn.rules import EQUAL, FALSE, Atom, Program, Row, Rule
    from potlang.engines.horn.universe import Universe

__all__ = [
    "EQUAL", "FALSE", "Atom", "Bounds", "Closed", "Closure", "Derivation", "Engine", "Horn", "Large", "Least",
    "Merging", "OutOfTime", "Program", "Proof", "Row", "Rule", "Side", "SideName", "Step", "TooLarge",
    "Universe", "recognise", "recognise_exact",
]  # fmt: skip

_MODULES = {
    "conclusions": ("Closed", "Closure", "Large", "Side", "SideName"),
    "derivation": ("Derivation", "Proof", "Step"),
    "engine": ("Bounds", "Engine", "Merging", "OutOfTime", "TooLarge"),
    "horn": ("Horn",),
    "least": ("Least",),
    "rules": ("EQUAL", "FALSE", "Atom", "Program", "Row", "Rule"),
    "universe": ("Universe",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """What `__all__` names, imported when it is asked for. Raises AttributeError for anything else."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value

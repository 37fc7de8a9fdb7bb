"""The closure: least models of function-free Horn rules, and what they decide (`spec/55-closure.md`)."""

from .conclusions import Closed, Closure, Large, Side, SideName
from .derivation import Derivation, Proof, Step
from .engine import Bounds, Engine, Merging, OutOfTime, TooLarge
from .horn import Horn
from .least import Least
from .recognition import recognise, recognise_exact
from .rules import EQUAL, FALSE, Atom, Program, Row, Rule, components
from .tables import tables
from .universe import Universe

__all__ = [
    "EQUAL", "FALSE", "Atom", "Bounds", "Closed", "Closure", "Derivation", "Engine", "Horn", "Large", "Least",
    "Merging", "OutOfTime", "Program", "Proof", "Row", "Rule", "Side", "SideName", "Step", "TooLarge",
    "Universe", "components", "recognise", "recognise_exact", "tables",
]  # fmt: skip

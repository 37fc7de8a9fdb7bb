"""The checking kernel: certificates against the textual IR. It imports the standard library and itself alone.

`check` reads a certificate (`spec/80-certificates.md`) and a program's IR text, trusts neither, and says
VALID, VALID_WITH_HOLES or INVALID. `Refutation` is its own state while it reads a refutation.
"""

from .checker import Hole, Outcome, check
from .optimum import Optimum
from .refutation import Refutation
from .theory import Theory, read_theory
from .tokens import Invalid

__all__ = ["Hole", "Invalid", "Optimum", "Outcome", "Refutation", "Theory", "check", "read_theory"]

"""A second reader of the core of PoT, written from spec/10-pot, spec/40-sorts and schemas/pot-1.json alone.

It shares no code with the reader that programs are compiled with, so that a mistake in one of them shows
as a difference: translation validation (Pnueli, Siegel, Singerman, 1998) for `potc cert check`.
"""

from .compare import Confirmation, confirm
from .lexer import NotCovered
from .program import reread

__all__ = ["Confirmation", "NotCovered", "confirm", "reread"]

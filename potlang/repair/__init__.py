"""Repairs found by search: changes in one place, each compiled before it is offered.

A diagnostic knows the place where a mistake shows, which need not be the declaration or bracket to blame:
then changes of single places are tried, nearest first, and those are offered that leave fewer errors
(B. Lerner, M. Flower, D. Grossman, C. Chambers, "Searching for type-error messages", 2007).
"""

from potlang.repair.search import Rejected, with_repairs
from potlang.repair.trial import with_tried_fixes

__all__ = ["Rejected", "with_repairs", "with_tried_fixes"]

"""Repairs found by search: changes in one place, each compiled before it is offered.

A diagnostic knows what is wrong where it was found. Which declaration or bracket to blame is not always to
be seen from there: then changes of single places are tried, nearest first, and what is offered leaves fewer
errors than there were (B. Lerner, M. Flower, D. Grossman, C. Chambers, "Searching for type-error messages",
2007).
"""

from potlang.repair.search import Rejected, with_repairs

__all__ = ["Rejected", "with_repairs"]

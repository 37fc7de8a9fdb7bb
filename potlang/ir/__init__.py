"""The typed IR: sorts, operator rows, nodes from a pool, modules, textual form, evaluation.

Depends on the standard library alone.
"""

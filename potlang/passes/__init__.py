"""Passes: typed program in, typed program out, each with the property it keeps.

They know nothing of source text, and none imports another; order is a visible `Pipeline`. `conflicts`
rewrites nothing: it finds facts that contradict each other.
"""

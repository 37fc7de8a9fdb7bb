"""Solving a solution: whether its steps follow, and whether its answer is right."""

"""Texts under a policy: translated by a model, compared by solvers, and decided where translations agree."""

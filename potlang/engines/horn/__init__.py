"""Least models of function-free Horn rules, and what they decide (`spec/55-closure.md`)."""

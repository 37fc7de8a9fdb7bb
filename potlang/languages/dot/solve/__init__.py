"""Solving a trace: its propositions, arrows and summary against a theory."""

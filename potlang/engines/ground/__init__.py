"""Grounding: formulas as clauses over ground terms, instance by instance (`spec/56-grounding.md`)."""

"""Formulas, verdicts and their evidence in plain sentences, and sentences read as formulas."""

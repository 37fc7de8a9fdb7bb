"""Lowering a trace: its graph, index category and diagram; its propositions as typed formulas."""

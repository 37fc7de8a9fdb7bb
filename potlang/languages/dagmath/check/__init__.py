"""Checking the form of a solution: its graph, closeness, the rules of the format."""

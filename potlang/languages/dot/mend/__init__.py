"""Fixes of a trace that look at more than one record: its order, its ids, its indentation."""

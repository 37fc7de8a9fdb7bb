"""Helpers that know nothing of potlang: lazy names, optional libraries, shipped data."""

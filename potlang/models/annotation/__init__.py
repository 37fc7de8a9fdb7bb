"""Has models, or a script, say what the steps of a solution rest on, and what they say as formulas."""

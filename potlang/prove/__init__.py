"""Solving: text in, text out, in processes that can be killed; and the verdicts built on the answers."""

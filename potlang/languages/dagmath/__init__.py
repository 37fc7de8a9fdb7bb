"""DAG-MATH solutions: steps with their parents, read from every form that is written (`30-dagmath.md`)."""

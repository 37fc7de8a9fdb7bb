"""DAG-MATH: metrics of step graphs, and whether the steps hold (`30-dagmath.md`)."""

"""Whether the steps of a solution hold: formulas read from nodes, compared and put to the solvers."""

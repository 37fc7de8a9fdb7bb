"""Gold-standard solutions from problems with known solutions, and runs over data sets of them."""

"""A saturation prover for first-order problems: it is asked, and its proof is checked step by step."""

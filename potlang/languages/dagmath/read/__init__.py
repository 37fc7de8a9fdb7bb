"""Reading a solution: JSON or text in, steps and diagnostics out."""

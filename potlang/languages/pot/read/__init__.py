"""Reading a program: JSON in, the surface tree and diagnostics out."""

"""PoT programs: read, check, lower, solve, report, render; each stage is a module of that name."""

"""Has models write programs: prompts, strategies, repairs, a second look, and votes."""

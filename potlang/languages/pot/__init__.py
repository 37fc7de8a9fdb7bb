"""The PoT language: expressions, programs as JSON, and their readers."""

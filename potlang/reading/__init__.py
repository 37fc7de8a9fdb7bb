"""Reading documents: JSON with positions, and JSON inside other text."""

"""Programs while they are written: the names in them, and what is to be said of a place."""

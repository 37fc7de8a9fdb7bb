"""Writing traces."""

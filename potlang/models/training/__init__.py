"""Training of models: rewards, losses, and records of traces."""

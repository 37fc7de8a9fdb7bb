"""Shared parts of the loops around a model: attempts, stages, samples, journals, images, transcripts."""

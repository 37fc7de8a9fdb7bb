"""What the loops around a model share: attempts, stages, samples, journals, images, transcripts."""

"""Engines: a check goes in; a status with a model, or with assumptions used and a proof, comes out."""

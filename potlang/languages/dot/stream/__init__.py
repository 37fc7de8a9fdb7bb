"""Traces as they come: a machine over bytes with immutable states, and the validator that runs it."""

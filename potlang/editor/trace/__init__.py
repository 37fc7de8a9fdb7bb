"""Traces while they are written: records, the nodes they name, and the names in propositions."""

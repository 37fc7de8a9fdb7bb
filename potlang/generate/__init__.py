"""Seeded problems whose answers are known by construction."""

"""The languages that potlang reads; each ends in the surface tree of `surface`."""

"""DoT traces: reading, the extraction of their diagrams, and writing.

`read_trace` reads, `extract` finds the index category and the diagram, `canonical` and `digest` do not
depend on ids, order and free text, `emit` writes. ply is imported when a trace is read.
"""

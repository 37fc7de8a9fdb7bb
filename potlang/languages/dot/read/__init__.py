"""Reading a trace: bytes in, records and diagnostics out."""

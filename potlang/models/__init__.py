"""potlang for language models: the tool that they call, schemas for providers, loop and evaluation."""

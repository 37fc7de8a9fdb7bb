"""potlang for language models: the tool that they call, schemas that providers accept, loop and evaluation."""

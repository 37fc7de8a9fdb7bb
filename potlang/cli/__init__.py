"""The command line, `potc`: a thin layer over `potlang.api`, one file a command."""

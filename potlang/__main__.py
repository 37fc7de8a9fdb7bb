"""`python -m potlang` is `potc`."""

from potlang.cli.main import run

run()

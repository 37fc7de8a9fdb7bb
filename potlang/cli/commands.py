"""The commands of `potc`, each in a module of its own that is imported when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import click

COMMANDS = {
    "verify": ("verify:verify", "Verify programs, traces and solutions."),
    "batch": ("batch:batch", "Verify many, in shards; an interrupted run goes on."),
    "results": ("results:results", "Count the results of a batch."),
    "check": ("check:check", "List errors and warnings, without solving."),
    "lint": ("lint:lint", "Warn of what programs say and hardly can mean."),
    "fix": ("fix:fix", "Apply the fixes that diagnostics offer."),
    "fmt": ("fmt:fmt", "Lay out programs in the canonical way."),
    "view": ("view:view", "Make a page, or draw a trace or a solution."),
    "play": ("play:play", "Open the playground: a page with an editor."),
    "explain": ("explain:explain", "Explain a diagnostic code."),
    "doctor": ("doctor:doctor", "Examine the installation, and try it on ten programs."),
    "compile": ("compile:compile_", "Print a program as IR, SMT-LIB, PoT, or for another tool."),
    "cert": ("cert:cert", "Check certificates."),
    "cache": ("cache:cache", "Count, remove or verify again what is cached."),
    "std": ("std:std", "List, show and search the packs of the standard library."),
    "schema": ("schema:schema", "Print the JSON Schema of programs for a provider."),
    "grammar": ("grammar:grammar", "Print a grammar for decoders of models."),
    "glue": ("glue:glue", "Join two traces along shared nodes."),
    "score": ("score:score", "Score samples of DAG-MATH solutions."),
    "policy": ("policy:policy", "Keep programs in versions with tests, and ask about cases."),
    "mcp": ("mcp:mcp", "Serve the tool to models."),
    "lsp": ("lsp:lsp", "Serve an editor: diagnostics, hover, completion."),
    "serve": ("serve:serve", "Serve all over HTTP: the verbs, batches, MCP."),
    "reason": ("reason:reason", "Answer a question with programs that a model writes."),
    "eval": ("eval:eval_", "Evaluate programs on questions with known answers."),
    "build-gold": ("build_gold:build_gold", "Build DAG-MATH solutions with models."),
    "sample": ("sample:sample", "Sample DAG-MATH solutions of a data set, for score."),
    "annotate": ("annotate:annotate", "Have a model write the steps of solutions as formulas."),
    "generate": ("generate:generate", "Generate programs with known verdicts."),
    "help": ("help:help_", "Show the help of a command."),
    "completion": ("completion:completion", "Print a script that completes commands in a shell."),
    "synthesize": ("synthesize:synthesize", "Generate traces as training data."),
}
"""The module and the function of each command, and its line in `potc --help`."""
SECTIONS = {
    "Verify": ("verify", "check", "lint", "fix", "fmt"),
    "Look": ("view", "play", "explain", "std", "compile", "lsp", "doctor", "help", "completion"),
    "Keep": ("cert", "cache", "policy"),
    "Models": ("reason", "sample", "annotate", "build-gold", "schema", "grammar", "mcp", "serve"),
    "Data": ("batch", "results", "eval", "score", "glue", "generate", "synthesize"),
}
"""The commands by what they are for, in the order of `potc --help`."""
CONFIGURED = ("verify", "check", "lint", "fix", "fmt", "view")
"""The commands whose options a file may set."""
CONFIG = "--config"
"""Their option that names this file."""


class Start(NamedTuple):
    """The call of a command: all arguments, and the solver that is on its way for it."""

    args: list[str]
    solver: Any = None


class Served:
    """Stands for `Start` where a command is run for its work alone, which another process asks for."""


def command_of(name: str) -> click.Command:
    """The command of this name, whose module is imported."""
    module, function = COMMANDS[name][0].split(":")
    found: click.Command = getattr(import_module(f"potlang.cli.{module}"), function)
    return found

"""Makes `tables.json` from the lexical grammar in `lexer.py` and the phrase grammars in `grammar.py`.

Run `python -m potlang.languages.dot.read.build_tables` after a change of either. ply computes the
tables once, here; reading a trace then computes none. A test compares the file with the grammars.
"""

from __future__ import annotations

import json
import runpy
import tempfile
from pathlib import Path
from typing import Any

from potlang.languages.dot.read.grammar import GRAMMARS, build_parser
from potlang.languages.dot.read.lexer import build_lexer
from potlang.languages.dot.read.tables import FILE


def build() -> dict[str, dict[str, Any]]:
    """The variables of ply's own table modules: `lexer`, and one for the grammar of each profile."""
    with tempfile.TemporaryDirectory() as folder:
        build_lexer(None).writetab("lexer", folder)
        for profile in GRAMMARS:
            build_parser(profile, None, folder)
        names = ["lexer", *GRAMMARS]
        return {name: _variables(runpy.run_path(str(Path(folder, f"{name}.py")))) for name in names}


def _variables(module: dict[str, Any]) -> dict[str, Any]:
    wanted = ("_tabversion", "_lex", "_lr")
    found = {name: value for name, value in module.items() if name.startswith(wanted)}
    if "_lextokens" in found:
        found["_lextokens"] = sorted(found["_lextokens"])
    if "_lr_productions" in found:
        # Without the file and line of each action: they would change with every line above it.
        found["_lr_productions"] = [(*row[:4], None, None) for row in found["_lr_productions"]]
    return found


def render() -> str:
    """The tables as JSON, a variable on a line."""
    parts = []
    for name, variables in build().items():
        rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in variables.items())
        parts.append(f"{json.dumps(name)}: {{\n{rows}\n}}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(render(), encoding="utf-8")

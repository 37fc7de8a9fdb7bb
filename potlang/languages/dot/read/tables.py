"""The prepared tables of the trace reader, read once on first use.

`tables.json` holds what ply computes from the lexical and the two phrase grammars; see `build_tables`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).with_name("tables.json")


@cache
def prepared(name: str) -> ModuleType:
    """The tables called `name` (`lexer`, or a profile) as the module that ply reads tables from."""
    rows: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))[name]
    module = ModuleType(name)
    vars(module).update(rows)
    if name == "lexer":
        vars(module)["_lextokens"] = set(rows["_lextokens"])
    else:
        # JSON has text for keys; ply looks states up by number.
        for table in ("_lr_action", "_lr_goto"):
            vars(module)[table] = {int(state): row for state, row in rows[table].items()}
    return module

"""The phrase grammar of a trace (appendix B.1), for ply's LALR generator: the order of the records."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any

from potlang.languages.dot.read.lexer import TOKENS
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.read.tables import prepared

_COMMON = """
    trace   : blocks finish
    blocks  : block
            | blocks block
    finish  :
            | END blanks
    blanks  :
            | blanks BLANK
    edges   :
            | edges EDGE
    entails :
            | entails ENTAILS
    eqs     :
            | eqs equality
    prop    :
            | PROP
    frees   :
            | frees free
    free    : TEXT
            | FENCE
"""
_STRICT = """
    block   : NODE edges status entails eqs prop frees
    status  :
            | STATUS
    equality : EQ
"""
_PAPER = """
    block   : NODE edges STATUS entails eqs prop frees
            | NODE edges entails eqs prop frees
            | NODE edges entails eqs prop frees free STATUS frees
    equality : EQ
            | COEQ
"""
GRAMMARS: Mapping[Profile, str] = MappingProxyType({"strict": _COMMON + _STRICT, "paper": _COMMON + _PAPER})


def productions(grammar: str) -> list[tuple[str, str]]:
    """Each nonterminal with all its productions, in ply's notation."""
    rules = re.split(r"\n\s*(?=\w+\s*:)", grammar.strip())
    return [(rule.split(maxsplit=1)[0], rule) for rule in rules]


def _nothing(production: str) -> Callable[[Any], None]:
    def action(_: Any) -> None:
        """The side conditions are checked record by record, before the parser sees it."""

    action.__doc__ = production
    return action


def build_parser(profile: Profile, tables: ModuleType | None, folder: str = "") -> Any:
    """A ply parser of the profile's grammar, from tables that fit it or, without them, from the grammar.

    Where `folder` is given, computed tables are written there as a module called like the profile.
    """
    from ply import yacc

    rules = {f"p_{name}": _nothing(text) for name, text in productions(GRAMMARS[profile])}
    module = SimpleNamespace(
        tokens=[each for each in TOKENS if each != "COEQ" or profile == "paper"],
        start="trace",
        p_error=lambda _: None,
        __file__=__file__,
        __package__=__package__,
        **rules,
    )
    return yacc.yacc(
        module=module,
        tabmodule=tables or profile,
        outputdir=folder,
        write_tables=bool(folder),
        debug=False,
        check_recursion=True,
        errorlog=yacc.NullLogger(),
    )


@cache
def _prototype(profile: Profile) -> Any:
    return build_parser(profile, prepared(profile))


def new_parser(profile: Profile, on_error: Callable[[Any], Any]) -> Any:
    """A ply parser of the profile's grammar; `on_error` is what ply calls with a token out of place."""
    parser = copy.copy(_prototype(profile))
    parser.errorfunc = on_error
    return parser

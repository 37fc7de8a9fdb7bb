"""The prepared tables of the trace reader against those that ply computes from the grammars now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dot_support import ROOT
from ply import yacc

from potlang.languages.dot.read import grammar, lexer
from potlang.languages.dot.read.build_tables import render
from potlang.languages.dot.read.tables import FILE

EXAMPLE = ROOT / "examples" / "refinement.dot.txt"


def test_the_tables_are_those_of_the_grammars() -> None:
    assert FILE.read_text(encoding="utf-8") == render()


def test_no_table_is_computed_where_a_trace_is_read() -> None:
    program = f"""
from ply import lex, yacc
def refuse(*_, **__):
    raise AssertionError("a table is computed")
yacc.Grammar = lex._form_master_re = refuse
from pathlib import Path
import potlang.dot
assert potlang.dot.read(Path({str(EXAMPLE)!r}), profile="paper").nodes
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr


def test_tables_that_do_not_fit_the_grammar_are_not_used(tmp_path: Path) -> None:
    strict, paper = (grammar.prepared(profile) for profile in ("strict", "paper"))
    fitting = grammar.build_parser("strict", strict)
    computed = grammar.build_parser("strict", paper)
    assert isinstance(fitting.productions[1], yacc.MiniProduction)
    assert isinstance(computed.productions[1], yacc.Production)
    assert computed.action == fitting.action
    assert {state: row for state, row in computed.goto.items() if row} == fitting.goto


def test_the_lexer_of_the_tables_tries_the_same_patterns() -> None:
    prepared, computed = lexer.build_lexer(lexer.prepared("lexer")), lexer.build_lexer(None)
    for state, patterns in computed.lexstatere.items():
        expected = [(one.pattern, one.flags) for one, _ in patterns]
        assert [(one.pattern, one.flags) for one, _ in prepared.lexstatere[state]] == expected

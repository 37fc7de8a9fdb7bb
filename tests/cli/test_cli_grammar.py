"""`potc grammar`: the text of a grammar, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from potlang.cli.commands import command_of
from potlang.decoding import grammar

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command_of("grammar"), [str(each) for each in arguments])


def test_the_grammar_is_printed_or_written(tmp_path: Path) -> None:
    assert run("expression").output == grammar("expression")
    assert run("prop", "--to", "gbnf", "-o", tmp_path / "prop.gbnf").exit_code == 0
    assert (tmp_path / "prop.gbnf").read_text(encoding="utf-8") == grammar("prop", "gbnf")


def test_names_are_read_from_a_program(tmp_path: Path) -> None:
    """[GRAMMAR-NAMES]"""
    assert "javier_sotomayor" in run("prop", "--names", ROOT / "examples" / "giraffe.json").output
    broken = tmp_path / "broken.json"
    broken.write_text('{"constants": 3}', encoding="utf-8")
    assert run("prop", "--names", broken).exit_code == 2


def test_what_no_schema_holds_is_a_wrong_use() -> None:
    """[GRAMMAR-SCHEMA]"""
    found = run("expression", "--to", "json-schema")
    assert found.exit_code == 2
    assert "use `llguidance` or `gbnf`" in found.output

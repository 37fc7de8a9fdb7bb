"""`potc view --topos`: text, JSON, page and what ends with a diagnostic; the traces of the chapter."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

import potlang.dot
from potlang.cli.view import view
from potlang.languages.dot.diagram_text import diagram_lines, diagram_to_dict

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CHAPTER = (ROOT / "spec" / "25-topos.md").read_text(encoding="utf-8")
STAGES = {"arrived": [], "weighed": ["kilos"], "opened": ["kilos", "broken"]}
SCHEMA = Draft202012Validator(json.loads((ROOT / "schemas" / "dot-diagram-1.json").read_text("utf-8")))


def potc(*args: str | Path) -> Result:
    return CliRunner().invoke(view, [str(each) for each in args])


@pytest.mark.parametrize("name", ["appendix_a", "alarm", "parcel"])
def test_the_chapter_shows_what_is_printed(name: str) -> None:
    """[VIEW-TOPOS] [TOPOS-TRACE-STATEMENTS] All statements hold of these traces."""
    path = EXAMPLES / f"{name}.dot.txt"
    found = potlang.dot.diagram(path, stages=STAGES if name == "parcel" else None)
    report = potlang.dot.verify(path, trust="solver")
    lines = "\n".join(diagram_lines(found, report))
    [block] = re.findall(
        rf"```console\n\$ potc view examples/{name}.dot.txt [^\n]*\n(.*?)\n```", CHAPTER, re.S
    )
    assert lines == block
    assert [each["holds"] for each in diagram_to_dict(found, report)["statements"]].count(False) == 0


def test_the_diagram_on_the_command_line(tmp_path: Path) -> None:
    """[VIEW-TOPOS] Text, JSON and a page."""
    stages = tmp_path / "stages.json"
    stages.write_text(json.dumps(STAGES))
    shown = potc(EXAMPLES / "parcel.dot.txt", "--topos", "--stages", stages)
    assert shown.exit_code == 0 and "known at 3 stages: arrived, weighed, opened" in shown.stdout
    given = potc(EXAMPLES / "alarm.dot.txt", "--topos", "--json")
    value = json.loads(given.stdout)
    assert [each.message for each in SCHEMA.iter_errors(value)] == []
    assert value["symbolic"]["differences"] == [] and value["consistent"] is False
    page = tmp_path / "alarm.html"
    assert potc(EXAMPLES / "alarm.dot.txt", "--topos", "-o", page).exit_code == 0
    assert ">In the topos</h2>" in page.read_text(encoding="utf-8")


def test_what_has_no_diagram(tmp_path: Path) -> None:
    """[VIEW-TOPOS] [TOPOS-TRACE-BOUND] Exit code 2, with a diagnostic or a message."""
    infinite = potc(EXAMPLES / "refinement.dot.txt", "--topos")
    assert infinite.exit_code == 2 and "POT5080" in infinite.stderr and "age" in infinite.stderr
    program = potc(EXAMPLES / "giraffe.json", "--topos")
    assert program.exit_code == 2 and "only a trace" in program.stderr
    wrong = tmp_path / "stages.json"
    wrong.write_text('{"first": "p"}')
    for text in ('{"first": "p"}', "[" * 50_000, "{", "[]"):
        wrong.write_text(text)
        found = potc(EXAMPLES / "alarm.dot.txt", "--topos", "--stages", wrong)
        assert found.exit_code == 2 and isinstance(found.exception, SystemExit)
    assert potc(EXAMPLES / "alarm.dot.txt", "--json").exit_code == 2
    assert potc(EXAMPLES / "alarm.dot.txt", "--topos", "--to", "svg").exit_code == 2


def test_json_over_stages_has_the_form_of_its_schema() -> None:
    """[VIEW-TOPOS]"""
    found = potlang.dot.diagram(EXAMPLES / "parcel.dot.txt", stages=STAGES)
    value = diagram_to_dict(found, potlang.dot.verify(EXAMPLES / "parcel.dot.txt", trust="solver"))
    assert [each.message for each in SCHEMA.iter_errors(value)] == []
    assert value["symbolic"]["differences"] is None and len(value["points"]) == 10
    assert [each.message for each in SCHEMA.iter_errors(diagram_to_dict(found))] == []

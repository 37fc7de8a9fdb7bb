"""`potc check --schema`: programs against the JSON Schemas that providers accept. [FACE-SCHEMA]"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import potlang
from potlang.languages.pot.profiles import program_schema
from potlang.languages.pot.schema import check_schema

ROOT = Path(__file__).parents[2]
GIRAFFE: dict[str, Any] = json.loads((ROOT / "examples" / "giraffe.json").read_text(encoding="utf-8"))


def found(program: Any, schema: str = "pot") -> list[tuple[str, str]]:
    rules = program_schema("json" if schema == "pot" else schema)  # type: ignore[arg-type]
    checked = check_schema(program, rules, schema)
    return [(each.code, each.place.pointer) for each in checked.diagnostics]


def changed(**parts: Any) -> dict[str, Any]:
    return {**copy.deepcopy(GIRAFFE), **parts}


def test_programs_fit_the_schema_of_the_language() -> None:
    """[FACE-SCHEMA]"""
    for path in [*(ROOT / "examples").glob("*.json"), *(ROOT / "tests" / "seed").glob("[0-9]*.json")]:
        value = json.loads(path.read_text(encoding="utf-8"))
        if "sorts" in value and not {"POT1012", "POT1016"} & {
            each.code for each in potlang.check(value).diagnostics
        }:
            assert found(value) == [], path.name


@pytest.mark.parametrize("schema", ["pot", "openai", "anthropic", "gemini"])
def test_what_is_no_object_fits_no_schema(schema: str) -> None:
    assert found("[]", schema) == [("POT1010", "")]


def test_misfits_have_the_codes_of_the_reader() -> None:
    """[FACE-SCHEMA]"""
    assert found(changed(sorts="Entity")) == [("POT1010", "/sorts")]
    assert found(changed(knowlege_base=[])) == [("POT1012", "/knowlege_base")]
    assert found(changed(functions=[{"name": "f"}]))[0][0] == "POT1011"


def test_what_the_reader_has_no_code_for_names_the_schema() -> None:
    """[FACE-SCHEMA]"""
    rules = {"type": "object", "properties": {"sorts": {"type": "array", "maxItems": 0}}}
    (diagnostic,) = check_schema({"sorts": [1]}, rules, "mine").diagnostics
    assert (diagnostic.code, diagnostic.place.pointer) == ("POT1018", "/sorts")
    assert diagnostic.message == "the value does not fit `maxItems` of the schema `mine`"


def test_a_key_that_is_near_an_allowed_one_is_named() -> None:
    rules = program_schema()
    checked = check_schema(changed(optimisation={}), rules, "pot")
    (diagnostic,) = checked.diagnostics
    assert diagnostic.code == "POT1012"
    assert any("optimization" in each for each in diagnostic.helps)


def test_the_command_prints_and_ends_as_check_does(tmp_path: Path) -> None:
    """[FACE-SCHEMA]"""
    good, bad, trace = tmp_path / "good.json", tmp_path / "bad.json", ROOT / "examples" / "refinement.dot.txt"
    good.write_text(json.dumps(GIRAFFE), encoding="utf-8")
    bad.write_text(json.dumps(changed(sorts={})), encoding="utf-8")

    def run(schema: str, file: Path, *more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "potlang", "check", f"--schema={schema}", *more, str(file)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)

    assert run("pot", good).returncode == 0
    refused = run("pot", bad, "--format", "json")
    assert refused.returncode == 2
    (diagnostic,) = json.loads(refused.stdout)["diagnostics"]
    assert (diagnostic["code"], diagnostic["line"]) == ("POT1010", 1)
    assert run("openai", trace).returncode == 2
    assert run("other", good).returncode == 2


def test_the_library_is_imported_by_who_asks_for_a_schema_alone() -> None:
    program = """
import sys, json, potlang
potlang.check({"verifications": []})
potlang.verify({"sorts": [], "verifications": [{"name": "v", "constraint": "1 < 2"}]})
assert "jsonschema" not in sys.modules
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0

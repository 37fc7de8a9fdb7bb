"""The standard library: every pack is well formed and means what its cases say."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from pack_mutants import denied

import potlang
from potlang.api import check, verify
from potlang.diag import CODES, Severity, Sink
from potlang.languages.pot.program import Program
from potlang.languages.pot.read.packs import read_pack
from potlang.utils.resources import folder, pack_file, pack_names, schema_text

PACKS = pack_names()
CASES = [(pack, case) for pack in PACKS for case in json.loads(pack_file(pack, "cases.json") or "[]")]
SEEN: set[str] = set()
ACCEPTED = [
    # The first of each pack in the quick tier.
    pytest.param(
        case,
        id=f"{pack}: {case['name']}",
        marks=pytest.mark.slow if pack in SEEN or SEEN.add(pack) else (),  # type: ignore[func-returns-value]
    )
    for pack, case in CASES
    if "verdicts" in case["expect"]
]
REJECTED = [
    pytest.param(case, id=f"{pack}: {case['name']}") for pack, case in CASES if "rejected" in case["expect"]
]
WITH_CORE = [param for param in ACCEPTED if "core" in param.values[0]["expect"]]


def pack_value(pack: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(pack_file(pack, "pack.json") or "")
    return found


WITH_LAWS = [pack for pack in PACKS if pack_value(pack).get("laws")]


def validator(schema: str) -> jsonschema.Draft202012Validator:
    value = json.loads(schema_text(schema))
    jsonschema.Draft202012Validator.check_schema(value)
    return jsonschema.Draft202012Validator(value)


def test_there_are_packs() -> None:
    assert "std/order/partial_order" in PACKS
    assert len(PACKS) >= 44


def test_the_index_lists_the_packs() -> None:
    text = folder("stdlib").joinpath("README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \[(std/[a-z_/]+)\]\([a-z_/]+\) \| (.*) \|$", text, re.MULTILINE))
    assert rows == {pack: pack_value(pack)["description"] for pack in PACKS}


@pytest.mark.parametrize("pack", PACKS)
def test_files_fit_their_schemas(pack: str) -> None:
    value = pack_value(pack)
    validator("pack-1").validate(value)
    validator("pack-cases-1").validate(json.loads(pack_file(pack, "cases.json") or ""))
    assert value["pack"] == pack


@pytest.mark.parametrize("pack", PACKS)
def test_pack_compiles_over_its_own_names_or_says_which_sorts_have_to_be_listed(pack: str) -> None:
    codes = {diagnostic.code for diagnostic in check({"imports": [pack]}).diagnostics}
    assert codes <= {"POT1014", "POT3010", "POT4004", "POT4010", "POT4023"}


def test_variables_of_a_pack_are_bound_under_one_name_each() -> None:
    """A rule of a pack never leaves a name to chance: its binders have sorts."""
    for pack in PACKS:
        value = pack_value(pack)
        for rule in (*value["program"].get("rules", ()), *value.get("laws", ())):
            names = [each["name"] for each in rule.get("forall", ())]
            assert len(names) == len(set(names)), (pack, rule["name"])


def test_names_of_rules_and_laws_are_different() -> None:
    for pack in PACKS:
        value = pack_value(pack)
        names = [rule["name"] for rule in (*value["program"].get("rules", ()), *value.get("laws", ()))]
        assert len(names) == len(set(names)), pack


# --- README ---------------------------------------------------------------------------------------


def rows(pack: str) -> list[str]:
    return re.findall(r"^\| `?(.*?)`? \|", pack_file(pack, "README.md") or "", re.MULTILINE)


@pytest.mark.parametrize("pack", PACKS)
def test_readme_has_a_row_for_every_axiom_and_definition(pack: str) -> None:
    """[PACK-README]"""
    value = pack_value(pack)
    names = [
        {rule["name"], str(rule.get("constraint")).partition("(")[0]}
        for rule in value["program"].get("rules", ())
    ]
    names += [{symbol["name"]} for symbol in value["symbols"] if "body" in symbol]
    assert [sorted(either) for either in names if not either & set(rows(pack))] == []


@pytest.mark.parametrize("pack", PACKS)
def test_readme_has_an_example_with_its_verdicts(pack: str) -> None:
    """[PACK-README]"""
    text = pack_file(pack, "README.md") or ""
    example = re.search(r"^## Example\n.*?```json\n(.*?)```.*?```\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    assert example is not None
    report = verify(json.loads(example[1]), trust="solver")
    assert pack in json.dumps(json.loads(example[1])["imports"])
    assert [f"{result.name}: {result.verdict}" for result in report.results] == example[2].splitlines()
    assert "\n## What it does not say\n" in text


# --- cases and laws -------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", PACKS)
def test_pack_has_cases_of_both_kinds(pack: str) -> None:
    """[PACK-CASES]"""
    expected = [case["expect"] for name, case in CASES if name == pack]
    assert any("rejected" in each for each in expected)
    assert any("verdicts" in each and "inconsistent" not in each["verdicts"].values() for each in expected)


@pytest.mark.parametrize("case", ACCEPTED)
def test_verdicts_are_those_of_the_case(case: dict[str, Any]) -> None:
    """[PACK-CASES]"""
    report = verify(case["program"], trust="solver")
    assert {result.name: str(result.verdict) for result in report.results} == case["expect"]["verdicts"]


@pytest.mark.parametrize("case", WITH_CORE)
def test_inconsistent_case_has_the_core(case: dict[str, Any]) -> None:
    """[PACK-CASES]"""
    result = verify(case["program"]).to_dict()["results"][0]
    assert sorted(each["name"] for each in result["evidence"]["core"]) == sorted(case["expect"]["core"])


@pytest.mark.parametrize("case", REJECTED)
def test_rejected_case_has_exactly_its_errors(case: dict[str, Any]) -> None:
    """[PACK-CASES]"""
    diagnostics = check(case["program"]).diagnostics
    assert [d.code for d in diagnostics if d.severity is Severity.ERROR] == case["expect"]["rejected"]


@pytest.mark.parametrize("route", ["z3", pytest.param("cvc5", marks=pytest.mark.slow)])
@pytest.mark.parametrize("pack", WITH_LAWS)
def test_laws_follow_from_the_pack_alone(pack: str, route: Any) -> None:
    """[PACK-LAWS]: each law is proved by refuting its denial, for which no model has to be found."""
    left: list[str] = []
    for law in pack_value(pack)["laws"]:
        program = {"imports": [pack], "rules": [denied(law)], "verifications": [{"constraint": "True"}]}
        (result,) = verify(without_norms(program), route=route, trust="solver").results
        left += [] if str(result.verdict) == "inconsistent" else [law["name"]]
    assert left == []


def without_norms(program: dict[str, Any]) -> Program:
    compiled = potlang.compile(program, language="pot")
    assert isinstance(compiled, Program)
    return compiled.asking(compiled.module.claims)


# --- broken packs --------------------------------------------------------------------------------

GOOD: dict[str, Any] = {
    "pack": "std/test/test",
    "title": "Test",
    "description": "A test.",
    "sorts": ["T"],
    "symbols": [{"name": "p", "domain": ["T"], "range": "Bool"}],
    "program": {"knowledge_base": ["ForAll([x: T], p(x))"]},
}
BROKEN = {
    "a list": [],
    "no program": {key: value for key, value in GOOD.items() if key != "program"},
    "sorts no list": {**GOOD, "sorts": "T"},
    "enum without values": {**GOOD, "sorts": ["T", {"name": "D", "values": []}]},
    "sort without either": {**GOOD, "sorts": ["T", {"name": "D"}]},
    "default without order": {**GOOD, "sorts": ["T", {"name": "D", "default": "Bool"}]},
    "default rule": {**GOOD, "program": {"rules": [{"constraint": "True", "default": True}]}},
    "laws no list": {**GOOD, "laws": {}},
    "unknown key": {**GOOD, "constants": {}},
    "symbol without range": {**GOOD, "symbols": [{"name": "p", "domain": ["T"]}]},
    "symbol no object": {**GOOD, "symbols": ["p"]},
    "domain of numbers": {**GOOD, "symbols": [{"name": "p", "domain": [1], "range": "Bool"}]},
    "declares a function": {**GOOD, "program": {"functions": [{"name": "f", "domain": [], "range": "Bool"}]}},
    "verifies": {**GOOD, "program": {"verifications": [{"constraint": "True"}]}},
    "local variables": {**GOOD, "program": {"knowledge_base": [{"assertion": "p(x)", "variables": ["x"]}]}},
    "rule without a claim": {**GOOD, "program": {"rules": [{"name": "r"}]}},
}


def test_good_pack_reads() -> None:
    sink = Sink()
    assert read_pack("std/test/test", json.dumps(GOOD), sink) is not None
    assert len(sink) == 0
    assert validator("pack-1").is_valid(GOOD)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_pack_is_reported_and_breaks_the_schema(name: str) -> None:
    sink = Sink()
    assert read_pack("std/test/test", json.dumps(BROKEN[name]), sink) is None
    assert sink.has_errors
    assert not validator("pack-1").is_valid(BROKEN[name])


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000], ids=["empty", "cut off", "deep"])
def test_pack_that_is_no_json_is_reported(text: str) -> None:
    sink = Sink()
    assert read_pack("std/test/test", text, sink) is None
    assert [d.code for d in sink.diagnostics()] == ["POT1001"]


def import_of(text: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What checking a program gives that imports a pack with this text."""
    monkeypatch.setattr("potlang.utils.resources.pack_file", lambda name, file: text)
    return check({"imports": ["std/test/test"]})


def test_import_of_a_broken_pack_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {**GOOD, "program": {"knowledge_base": ["ForAll([x: T], q(x))"]}}
    for text in ("{", json.dumps(BROKEN["no program"]), json.dumps(wrong)):
        (diagnostic,) = import_of(text, monkeypatch).diagnostics
        assert diagnostic.code == "POT8005"
        assert diagnostic.notes
    assert CODES["POT8005"].severity is Severity.ERROR


def test_norms_of_a_pack_are_not_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = {"name": "all", "role": "norm", "forall": [{"name": "x", "sort": "T"}], "constraint": "p(x)"}
    checked = import_of(json.dumps({**GOOD, "program": {"rules": [rule]}}), monkeypatch)
    assert checked.program is not None
    assert [norm.name for norm in checked.program.module.norms] == ["std/test/test: all"]
    assert checked.program.module.assertions == ()

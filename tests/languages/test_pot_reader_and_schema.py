"""The reader and `schemas/pot-1.json` accept the same programs; what is well formed is read in any case."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from strategies.json_places import places
from surface_dump import dump

from potlang.diag.model import Diagnostic
from potlang.diag.sink import Sink
from potlang.expressions.surface import ParsedProgram
from potlang.languages.pot.read.reader import read_program

ROOT = Path(__file__).parents[2]
SEEDS = sorted(path for path in (ROOT / "tests/seed").glob("*.json") if path.name != "index.json")
STRUCTURAL = {"POT0007", "POT1010", "POT1011", "POT1012", "POT1013", "POT1014", "POT1015", "POT1027"}
QUICK = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def validator() -> Draft202012Validator:
    schema = json.loads((ROOT / "schemas/pot-1.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@cache
def seeds() -> list[Any]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in SEEDS]


def read(program: object) -> tuple[ParsedProgram | None, list[Diagnostic]]:
    sink = Sink(limit=10_000)
    return read_program(program, sink), sink.diagnostics()


def assert_agreement(program: object) -> None:
    """Misspelt sections are renamed first, as the reader's warnings say."""
    _, diagnostics = read(program)
    if isinstance(program, dict):
        renamed = dict(program)
        for found in diagnostics:
            if found.code == "POT1016":
                key = found.place.pointer[1:].replace("~1", "/").replace("~0", "~")
                renamed[found.message.rsplit("`", 2)[1]] = renamed.pop(key)
        program = renamed
    structural = [found for found in diagnostics if found.code in STRUCTURAL]
    errors = [f"{list(error.absolute_path)}: {error.message}" for error in validator().iter_errors(program)]
    assert bool(structural) == bool(errors), (program, structural, errors)


FULL = {
    "$schema": "pot-1",
    "description": "everything once",
    "sorts": [
        {"name": "Person", "type": "DeclareSort", "values": [], "fields": None},
        {"name": "Colour", "type": "enum", "values": ["red", "dark blue"]},
        {"name": "Pair", "type": "TupleSort", "fields": [{"name": "first", "sort": "Person"}]},
        {"name": "Byte", "type": "BitVecSort(8)"},
        {"name": "Cost", "type": "int"},
    ],
    "functions": [
        {"name": "p", "domain": ["Person"], "range": "Bool", "params": ["x"], "body": "x == x"},
        {"name": "c", "domain": [], "range": "ArraySort(Int, Bool)"},
    ],
    "constants": [{"name": "people", "sort": "Person", "members": ["bob", "hard hat"]}],
    "variables": [{"name": "x", "sort": "Person"}],
    "knowledge_base": [
        "p(bob)",
        True,
        1,
        {"assertion": "p(x)", "value": False, "variables": ["x"], "name": ""},
    ],
    "rules": [
        {
            "name": "n",
            "forall": [{"name": "x"}],
            "exists": [],
            "implies": {"antecedent": "p(x)", "consequent": "True"},
        },
        {"constraint": "p(bob)", "role": "norm", "implies": None},
    ],
    "verifications": [{"exists": ["x"], "constraint": "p(x)", "find": [{"name": "y", "sort": "Person"}]}],
    "optimization": {
        "variables": [{"name": "k", "sort": "Int"}],
        "constraints": ["k > 0"],
        "objectives": [{"type": "minimize", "expression": "k", "name": "least"}],
        "mode": "pareto",
    },
    "actions": ["verify", "optimize"],
    "imports": ["std/order/partial_order", {"pack": "std/x", "with": {"T": "Person"}}],
    "semantics": {"unique_names": True, "closed_domain": ["Person"]},
    "sources": [
        {
            "name": "",
            "file": "people.csv",
            "table": None,
            "format": "csv",
            "members": [{"sort": "Person", "column": "id"}],
            "functions": [{"name": "p", "arguments": ["id"], "value": "p"}],
        }
    ],
}
VALUES = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        7,
        1.0,
        1.5,
        "",
        "x",
        "norm",
        "EnumSort",
        "TupleSort",
        "minimize",
        "verify",
        [],
        ["x"],
        [1],
        {},
        {"name": "x"},
        [{"name": "x", "sort": "T"}],
        {"sort": "T", "members": ["a"]},
        "enum",
        "Enum (",
        [[]],
        "TUPLE",
    ]
)
KEYS = st.sampled_from(
    [
        "name",
        "sort",
        "type",
        "values",
        "fields",
        "constraint",
        "implies",
        "forall",
        "exists",
        "role",
        "find",
        "value",
        "mode",
        "with",
        "members",
        "Rules",
        "knowledgebase",
        "extra",
        "domain",
        "params",
        "body",
        "a/b~c",
        "description",
    ]
)


@st.composite
def mutated(draw: st.DrawFn) -> object:
    program = copy.deepcopy(draw(st.sampled_from([FULL, FULL, *seeds()])))
    for _ in range(draw(st.integers(1, 3))):
        spots = places(program)
        if not spots:
            break
        holder, key = draw(st.sampled_from(spots))
        match draw(st.integers(0, 3)):
            case 0:
                holder[key] = copy.deepcopy(draw(VALUES))
            case 1:
                del holder[key]
            case 2 if isinstance(holder, dict):
                holder[draw(KEYS)] = copy.deepcopy(draw(VALUES))
            case _ if isinstance(holder, dict):
                holder[draw(KEYS)] = holder.pop(key)
            case _:
                holder.append(copy.deepcopy(draw(VALUES)))
    return program


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-9, 9),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=4),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(KEYS, st.text(max_size=3)), inner)
    ),
    max_leaves=6,
)


@given(mutated())
@example({"rules": [{"constraint": None, "implies": None}]})
@example({"sorts": [{"name": "E", "type": "Enumſort"}]})
@QUICK
def test_reader_and_schema_agree_on_damaged_programs(program: object) -> None:
    assert_agreement(program)


@given(st.one_of(JSON, st.dictionaries(st.sampled_from(list(FULL)), JSON, max_size=4)))
@QUICK
def test_reader_and_schema_agree_on_any_json(program: object) -> None:
    assert_agreement(program)


@pytest.mark.parametrize(
    ("schema", "codes"),
    [
        ("urn:potlang:pot-1", set()),
        ("../schemas/pot-1.json", set()),
        ("https://json-schema.org/draft/2020-12/schema", set()),
        ("urn:potlang:pot-2", {"POT1019"}),
        ("https://example.org/pot-10.json", {"POT1019"}),
        ("spot-12345678901", set()),
    ],
)
def test_a_program_of_another_version_is_refused_by_name(schema: str, codes: set[str]) -> None:
    """[POT-PROG-3]"""
    _, diagnostics = read({"$schema": schema})
    assert {found.code for found in diagnostics} == codes


def test_a_program_that_uses_everything_is_read_completely() -> None:
    module, diagnostics = read(FULL)
    assert module is not None
    assert {found.code for found in diagnostics} == {"POT1017"}
    assert not list(validator().iter_errors(FULL))
    assert [sort.kind for sort in module.sorts] == [
        "DeclareSort",
        "EnumSort",
        "TupleSort",
        "BitVecSort",
        "IntSort",
    ]
    assert [dump(fact.formula.root) for fact in module.facts] == ["(p bob)", "True", "1", "(p x)"]
    assert module.facts[3].value is False
    assert [rule.quantifier for rule in module.rules] == ["forall", None]
    assert module.rules[1].role == "norm"
    assert [binder.name for binder in module.verifications[0].find] == ["y"]
    assert module.optimization is not None
    assert module.optimization.mode == "pareto"
    assert module.actions == ["verify_conditions", "optimize"]
    assert module.imports[1].substitution == {"T": ("Person", "/imports/1/with/T")}
    assert module.semantics.closed_domain == [("Person", "/semantics/closed_domain/0")]


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_the_seed_programs_read_without_errors(path: Path) -> None:
    program = json.loads(path.read_text(encoding="utf-8"))
    module, diagnostics = read(program)
    assert module is not None
    assert {found.code for found in diagnostics} <= {"POT1016"}
    assert ("knowledgebase" in program) == bool(diagnostics)
    assert_agreement(program)


@pytest.mark.parametrize(
    ("key", "section"),
    [
        ("KnowledgeBase", "knowledge_base"),
        ("knowledgebase", "knowledge_base"),
        ("verification", "verifications"),
        ("functions_", "functions"),
        ("Rule", "rules"),
        ("SORTS", "sorts"),
        ("knowledge-base", "knowledge_base"),
    ],
)
def test_a_misspelt_section_is_read_as_meant(key: str, section: str) -> None:
    module, (warning,) = read({key: []})
    assert module is not None
    assert (warning.code, warning.place.pointer, warning.place.on_key) == ("POT1016", f"/{key}", True)
    assert f"`{section}`" in warning.message


def test_a_misspelt_section_beside_the_right_one_is_an_error() -> None:
    _, (error,) = read({"rules": [], "Rules": []})
    assert (error.code, error.place.pointer) == ("POT1012", "/Rules")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ([], [("POT1010", "")]),
        ({"rules": {}}, [("POT1010", "/rules")]),
        ({"rules": ["p"]}, [("POT1010", "/rules/0")]),
        ({"rules": [{"name": "r"}]}, [("POT1011", "/rules/0")]),
        (
            {"rules": [{"constraint": "p", "implies": {"antecedent": "p", "consequent": "q"}}]},
            [("POT1015", "/rules/0")],
        ),
        ({"rules": [{"implies": {"antecedent": "p"}}]}, [("POT1011", "/rules/0/implies")]),
        ({"rules": [{"constrant": "p"}]}, [("POT1012", "/rules/0/constrant"), ("POT1011", "/rules/0")]),
        ({"rules": [{"constraint": "p", "role": "norn"}]}, [("POT1013", "/rules/0/role")]),
        ({"actions": ["prove"]}, [("POT1027", "/actions/0")]),
        ({"constants": {"g": ["a"]}}, [("POT1010", "/constants/g")]),
        ({"constants": {"a/b": {"sort": "T", "members": [1]}}}, [("POT1010", "/constants/a~1b/members/0")]),
        ({"sorts": [{"name": "E", "type": "EnumSort"}]}, [("POT1011", "/sorts/0")]),
        ({"sorts": [{"name": "E", "type": "EnumSort", "values": []}]}, [("POT1014", "/sorts/0/values")]),
        ({"sorts": [{"name": "", "type": "DeclareSort"}]}, [("POT1014", "/sorts/0/name")]),
        (
            {"optimization": {"objectives": [{"type": "minimise", "expression": "x"}]}},
            [("POT1013", "/optimization/objectives/0/type")],
        ),
        ({"knowledge_base": [[]]}, [("POT1010", "/knowledge_base/0")]),
        ({"frobnicate": 1}, [("POT1012", "/frobnicate")]),
    ],
)
def test_structural_errors(program: object, expected: list[tuple[str, str]]) -> None:
    _, diagnostics = read(program)
    assert [(found.code, found.place.pointer) for found in diagnostics] == expected
    assert_agreement(program)


def test_after_an_error_the_rest_is_read_and_all_errors_are_found() -> None:
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}, {"name": 3, "type": "DeclareSort"}],
        "knowledge_base": ["p(", "p(a)", [], "q = 1"],
        "rules": [{"constraint": "p(a)", "weight": 1}],
    }
    module, diagnostics = read(program)
    assert module is not None
    assert [found.code for found in diagnostics] == ["POT1010", "POT1021", "POT1010", "POT1023", "POT1012"]
    assert [sort.name for sort in module.sorts] == ["T"]
    assert [dump(fact.formula.root) for fact in module.facts] == ["None", "(p a)", "None"]
    assert len(module.rules) == 1


def test_numbers_and_truth_values_are_read_as_expressions_exactly() -> None:
    module, diagnostics = read(
        {"knowledge_base": [True, 3, -3, Decimal("0.10"), 0.1, Decimal("1E+3"), 10**5000]}
    )
    assert module is not None
    dumps = [dump(fact.formula.root) for fact in module.facts]
    assert dumps == ["True", "3", "(-1 3)", "0.10", "0.1", "1E+3", "1" + "0" * 5000]
    assert [found.code for found in diagnostics] == ["POT1017"] * 7
    _, diagnostics = read({"knowledge_base": [10**10_001]})
    assert [found.code for found in diagnostics] == ["POT0004"]

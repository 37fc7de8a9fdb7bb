"""Schemas for providers: within their published rules, and programs under them say the same."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import strategies as st
from provider_rules import RULES, Broken
from statements import Mutation, Property
from strategies import profile_forms
from strategies.profile_forms import to_profile

import potlang
from potlang import tool
from potlang.languages.pot.profiles import PROFILES, Profile, program_schema
from potlang.testing import finite_programs
from potlang.utils.resources import schema_text

ROOT = Path(__file__).parent.parent.parent
REDUCED = [profile for profile in PROFILES if profile != "json"]
SHAPES = {"POT1010", "POT1011", "POT1012", "POT1013"}
"""Codes that a value of a wrong shape gets: none may come of a value that fits a profile's schema."""
FILES = [
    *sorted((ROOT / "tests" / "seed").glob("[0-9]*.json")),
    *(path for path in sorted((ROOT / "examples").glob("*.json")) if ".dagmath." not in path.name),
]
SKIPPED = "the extra `providers` is not installed: it is heavy, and nothing but these tests needs it"


def _parameters(profile: str) -> dict[str, Any]:
    return tool.parameters(profile)  # type: ignore[arg-type]


SCHEMAS = [(profile, make) for profile in REDUCED for make in (program_schema, _parameters)]
schemas = pytest.mark.parametrize(
    ("profile", "make"), SCHEMAS, ids=lambda value: getattr(value, "__name__", value)
)


# --- the providers' rules ---------------------------------------------------------------------------


@schemas
def test_schemas_keep_to_the_published_rules(profile: str, make: Callable[[str], dict[str, Any]]) -> None:
    """[PROFILE-RULES]"""
    assert RULES[profile](make(profile)) == []
    jsonschema.Draft202012Validator.check_schema(make(profile))


def _at(schema: dict[str, Any], *path: str) -> dict[str, Any]:
    for each in path:
        schema = schema["properties"][each]
        while schema.get("type") == "array":
            schema = schema["items"]
    return schema


def _deepened(schema: dict[str, Any]) -> None:
    for _ in range(6):
        inner = {**schema}
        schema.clear()
        schema.update(
            {"type": "object", "properties": {"a": inner}, "required": ["a"], "additionalProperties": False}
        )


def _opened(schema: dict[str, Any], count: int) -> None:
    schema["properties"].update({f"optional{number}": {"type": "string"} for number in range(count)})


def _united(schema: dict[str, Any]) -> None:
    either = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    schema["properties"].update({f"either{number}": copy.deepcopy(either) for number in range(20)})
    schema["required"] = list(schema["properties"])


def _recursive(schema: dict[str, Any]) -> None:
    schema["$defs"]["sort"]["properties"]["again"] = {"$ref": "#/$defs/sort"}


BREAKS: list[tuple[str, str, Callable[[dict[str, Any]], Any]]] = [
    *[(p, "closed objects", lambda s: s.pop("additionalProperties")) for p in ("openai", "anthropic")],
    *[(p, "no free keys", lambda s: s.pop("properties")) for p in RULES],
    *[(p, "keyword oneOf", lambda s: s.update(oneOf=[{}])) for p in RULES],
    *[(p, "keyword minLength", lambda s: s["properties"]["sorts"].update(minLength=1)) for p in RULES],
    *[(p, "keyword $schema", lambda s: s.update({"$schema": "x"})) for p in RULES],
    *[(p, "root is an object", lambda s: s.update(anyOf=[{"type": "object"}])) for p in RULES],
    *[
        (p, "one known type", lambda s: s["properties"]["sorts"].update(type=["array", "null"]))
        for p in RULES
    ],
    *[(p, "type given", lambda s: s["properties"].update(any={})) for p in RULES],
    *[(p, "items given", lambda s: s["properties"]["sorts"].pop("items")) for p in RULES],
    *[(p, "required are properties", lambda s: s["required"].append("nothing")) for p in RULES],
    *[
        (p, "enum of strings", lambda s: s["properties"]["imports"]["items"].update(enum=[None]))
        for p in RULES
    ],
    *[(p, "no recursion", _recursive) for p in ("openai", "anthropic")],
    ("openai", "all required", lambda s: s["required"].pop()),
    ("openai", "nesting", _deepened),
    (
        "openai",
        "references without siblings",
        lambda s: s["properties"]["sorts"]["items"].update(description="x"),
    ),
    (
        "openai",
        "size",
        lambda s: s["properties"]["imports"]["items"].update(enum=[f"a{n}" for n in range(1_001)]),
    ),
    ("anthropic", "optional parameters", lambda s: _opened(s, 30)),
    ("anthropic", "unions", _united),
    ("gemini", "keyword additionalProperties", lambda s: s.update(additionalProperties=False)),
    ("gemini", "keyword $ref", lambda s: s["properties"].update(any={"$ref": "#/$defs/sort"})),
    ("gemini", "required not empty", lambda s: s.update(required=[])),
]


@pytest.mark.parametrize(("profile", "rule", "change"), BREAKS, ids=[f"{p}: {rule}" for p, rule, _ in BREAKS])
def test_the_checker_finds_each_broken_rule(
    profile: str, rule: str, change: Callable[[dict[str, Any]], Any]
) -> None:
    schema = copy.deepcopy(program_schema(profile))  # type: ignore[arg-type]
    change(schema)
    assert rule in {found.rule for found in RULES[profile](schema)}


def test_the_whole_language_keeps_to_no_providers_rules() -> None:
    """So the reductions are needed, and the checker sees it."""
    whole = json.loads(schema_text("pot-1"))
    for rules in RULES.values():
        assert {found.rule for found in rules(whole)} & {"keyword allOf", "keyword oneOf", "keyword not"}


@pytest.mark.parametrize("profile", REDUCED)
def test_every_part_of_the_language_is_in_a_profile_or_said_otherwise(profile: Profile) -> None:
    """[PROFILE-NAMES] [PROFILE-FORMS]"""
    whole = json.loads(schema_text("pot-1"))
    assert set(program_schema(profile)["properties"]) == set(whole["properties"]) - {
        "$schema",
        "description",
        "actions",
        "lint",
        "sources",
        "document",
    }


def test_an_unknown_profile_is_a_wrong_call() -> None:
    """[PROFILE-NAMES]"""
    for function in (program_schema, tool.definition, tool.parameters):
        with pytest.raises(ValueError, match="there are"):
            function("nobody")  # type: ignore[arg-type]


# --- the providers' own libraries -------------------------------------------------------------------


@pytest.mark.parametrize("make", [program_schema, _parameters])
def test_openais_library_has_nothing_to_change(make: Callable[[str], dict[str, Any]]) -> None:
    """[PROFILE-LIBRARIES]"""
    pydantic = pytest.importorskip("openai.lib._pydantic", reason=SKIPPED)
    schema = make("openai")
    strict = pydantic._ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=copy.deepcopy(schema))
    assert strict == schema


def test_openais_type_of_a_tool_accepts_the_definition() -> None:
    """[PROFILE-LIBRARIES]"""
    chat = pytest.importorskip("openai.types.chat", reason=SKIPPED)
    from pydantic import TypeAdapter

    read = TypeAdapter(chat.ChatCompletionFunctionToolParam).validate_python(tool.definition("openai"))
    assert read["function"]["strict"] is True


@pytest.mark.parametrize("make", [program_schema, _parameters])
def test_anthropics_transformer_has_nothing_to_change(make: Callable[[str], dict[str, Any]]) -> None:
    """[PROFILE-LIBRARIES]"""
    anthropic = pytest.importorskip("anthropic", reason=SKIPPED)
    schema = make("anthropic")
    assert _without_types_of_enums(anthropic.transform_schema(schema)) == _without_types_of_enums(schema)


def _without_types_of_enums(schema: Any) -> Any:
    """Anthropic's transformer drops the type beside an enum, which the enum implies."""
    if isinstance(schema, list):
        return [_without_types_of_enums(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = {"type"} if isinstance(schema.get("enum"), list) else set()
    return {key: _without_types_of_enums(value) for key, value in schema.items() if key not in dropped}


def test_anthropics_type_of_a_tool_accepts_the_definition() -> None:
    """[PROFILE-LIBRARIES]"""
    types = pytest.importorskip("anthropic.types", reason=SKIPPED)
    from pydantic import TypeAdapter

    read = TypeAdapter(types.ToolParam).validate_python(tool.definition("anthropic"))
    assert read["strict"] is True


@pytest.mark.parametrize("make", [program_schema, _parameters])
def test_geminis_types_read_the_whole_schema(make: Callable[[str], dict[str, Any]]) -> None:
    """[PROFILE-LIBRARIES]: its type forbids what it does not know, and gives back the same."""
    types = pytest.importorskip("google.genai.types", reason=SKIPPED)
    read = types.Schema.model_validate(make("gemini"))
    assert read.model_dump(mode="json", exclude_none=True, by_alias=True) == _with_loud_types(make("gemini"))


def _with_loud_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_loud_types(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.upper() if key == "type" and isinstance(value, str) else _with_loud_types(value)
        for key, value in schema.items()
    }


def test_geminis_type_of_a_function_accepts_the_definition() -> None:
    """[PROFILE-LIBRARIES]"""
    types = pytest.importorskip("google.genai.types", reason=SKIPPED)
    assert types.FunctionDeclaration.model_validate(tool.definition("gemini")).name == "potlang"


# --- programs under a profile -----------------------------------------------------------------------


@cache
def _verdicts_of(text: str) -> tuple[str, list[str]]:
    report = potlang.verify(text, trust="solver")
    found = [str(each.verdict) for each in report.results]
    return str(report.verdict), sorted(found)


def _verdicts(program: Any) -> tuple[str, list[str]]:
    # Several profiles leave a program as it is, or give it one form.
    return _verdicts_of(json.dumps(program, ensure_ascii=False))


def check_same(program: dict[str, Any], profile: Profile) -> None:
    """[PROFILE-SAME]: under a profile a program fits its schema, compiles and has the same verdicts."""
    made = to_profile(program, profile)
    if potlang.check(program).program is None:
        assert made is None
        return
    assert made is not None
    if profile != "json":
        jsonschema.validate(made, program_schema(profile))
        jsonschema.validate(made, json.loads(schema_text("pot-1")))
    assert _verdicts(made) == _verdicts(program)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_program_under_a_profile_has_the_same_verdict(path: Path) -> None:
    """[PROFILE-SAME]"""
    for profile in PROFILES:
        check_same(json.loads(path.read_text(encoding="utf-8")), profile)


GENERATED = Property(
    lambda given: check_same(*given), st.tuples(finite_programs(), st.sampled_from(REDUCED)), quick=12
)
test_generated_programs, test_generated_programs_deeply = GENERATED.tests()

AWKWARD: list[dict[str, Any]] = [
    {
        "functions": [{"name": "Implies", "domain": ["Bool", "Bool"], "range": "Bool"}],
        "rules": [{"implies": {"antecedent": "True", "consequent": "Implies(True, False)"}}],
        "verifications": [{"constraint": "Implies(True, False)"}, {"constraint": "Implies(False, False)"}],
    },
    {
        "functions": [
            {"name": "Not", "domain": ["Bool"], "range": "Bool"},
            {"name": "p", "domain": [], "range": "Bool"},
        ],
        "knowledge_base": [{"assertion": "p or p", "value": False}],
        "verifications": [{"constraint": "p"}, {"constraint": "Not(p)"}],
    },
    {
        "sorts": [{"name": "P", "type": "DeclareSort"}],
        "functions": [{"name": "p", "domain": ["P"], "range": "Bool"}],
        "constants": {"c": {"sort": "P", "members": ["ann", "bob"]}},
        "variables": [{"name": "x", "sort": "P"}],
        "knowledge_base": ["p(ann)", {"assertion": "p(bob)", "value": False, "name": "not bob"}],
        "semantics": {"unique_names": ["P"], "closed_domain": ["P"]},
        "verifications": [
            {"forall": ["x"], "constraint": "x == ann or x == bob"},
            {"exists": [{"name": "x"}], "constraint": "p(x)"},
            {"find": ["x"], "constraint": "x != ann"},
        ],
    },
    {
        "functions": [{"name": "p", "domain": ["Int"], "range": "Bool"}],
        "variables": [{"name": "x", "sort": "Int"}],
        "knowledge_base": [{"assertion": "p(x)", "value": False, "variables": ["x"], "name": "one of them"}],
        "semantics": {"unique_names": True},
        "verifications": [{"exists": ["x"], "constraint": "p(x)"}, {"forall": ["x"], "constraint": "p(x)"}],
    },
    {
        "imports": [{"pack": "std/order/partial_order", "with": {"T": "P", "le": "below"}}],
        "sorts": [{"name": "P", "type": "DeclareSort"}],
        "functions": [{"name": "below", "domain": ["P", "P"], "range": "Bool"}],
        "constants": [{"name": "c", "sort": "P", "members": ["ann"]}],
        "verifications": [{"constraint": "below(ann, ann)"}],
    },
    {"knowledge_base": [True, {"assertion": False, "value": False}], "verifications": [{"constraint": True}]},
    {
        "optimization": {
            "variables": [{"name": "n", "sort": "Int"}],
            "constraints": ["n <= 7"],
            "objectives": [{"type": "maximize", "expression": "n"}],
        }
    },
    {"knowledgebase": ["1 < 2 < 3"], "verifications": [{"constraint": "1 == 1"}, {"constraint": "2 > 3"}]},
    {
        "rules": [{"role": "norm", "constraint": "1 > 2"}],
        "verifications": [{"constraint": "1 > 2"}],
        "optimization": {"objectives": [{"type": "minimize", "expression": "3"}]},
        "actions": ["optimize"],
    },
    {
        "verifications": [{"constraint": "1 < 2"}],
        "optimization": {"objectives": [{"type": "minimize", "expression": "3"}]},
        "actions": ["verify"],
    },
]


@pytest.mark.parametrize("profile", REDUCED)
@pytest.mark.parametrize("number", range(len(AWKWARD)))
def test_awkward_programs_keep_their_meaning(number: int, profile: Profile) -> None:
    """[PROFILE-SAME]"""
    assert potlang.check(AWKWARD[number]).program is not None
    check_same(AWKWARD[number], profile)


def _check_awkward(given: tuple[int, Profile]) -> None:
    check_same(AWKWARD[given[0]], given[1])


AWKWARDLY = Property(_check_awkward, st.tuples(st.integers(0, len(AWKWARD) - 1), st.sampled_from(REDUCED)))
MUTATIONS = (
    Mutation("same", "negations are lost", (profile_forms,), "_formula", lambda fact: fact["assertion"]),
    Mutation(
        "same",
        "connectives by names that a program may declare",
        (profile_forms,),
        "_formula",
        lambda fact: f"Not({fact['assertion']})",
    ),
    Mutation(
        "same", "all sections are asked for", (profile_forms,), "_as_its_actions_say", lambda program: program
    ),
    Mutation(
        "same",
        "sorts of binders are lost",
        (profile_forms._ProfileWriter,),
        "_with_sort",
        lambda _, binder: binder,
    ),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_mutations_are_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.check_caught(AWKWARDLY, monkeypatch, TypeError, KeyError, AttributeError, profile_forms._NotSaid)


def instance(random: Random, schema: dict[str, Any], root: dict[str, Any], key: str = "") -> Any:
    """A value that a schema allows, as a decoder that knows the schema alone would write."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return instance(random, random.choice(schema["anyOf"]), root, key)
    if "enum" in schema:
        return random.choice(schema["enum"])
    match schema["type"]:
        case "object":
            required = schema.get("required", ())
            chosen = [each for each in schema["properties"] if each in required or random.random() < 0.5]
            return {each: instance(random, schema["properties"][each], root, each) for each in chosen}
        case "array":
            return [instance(random, schema["items"], root, key) for _ in range(random.choice((0, 1, 2)))]
        case "null":
            return None
        case "boolean":
            return random.random() < 0.5
        case "number":
            return random.choice((1, 2.5))
    return random.choice(("x", "P", "True", "x == x", "DeclareSort", "EnumSort", "Int", "p(x)"))


def check_accepted(given: tuple[int, Profile]) -> None:
    """[PROFILE-SHAPES]: whatever a profile's schema allows has the shape of a program."""
    seed, profile = given
    schema = program_schema(profile)
    value = instance(Random(seed), schema, schema)
    jsonschema.validate(value, schema)
    found = [each for each in potlang.check(value).diagnostics if each.code in SHAPES]
    assert not [each for each in found if not _is_about_content(each)], found


def _is_about_content(found: Any) -> bool:
    """Whether a shape was wanted because of what another string says: the kind of sort, above all."""
    return "/sorts/" in found.place.pointer or "/imports/" in found.place.pointer


ACCEPTED = Property(check_accepted, st.tuples(st.integers(0, 1 << 32), st.sampled_from(REDUCED)), quick=40)
test_instances_have_the_shape_of_programs, test_instances_deeply = ACCEPTED.tests()


# --- the command ------------------------------------------------------------------------------------


def _printed(*arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "potlang", "schema", *arguments], capture_output=True, timeout=60, check=True
    )
    return json.loads(done.stdout)


def test_potc_prints_schemas_and_definitions() -> None:
    """[PROFILE-COMMAND]"""
    assert _printed() == json.loads(schema_text("pot-1"))
    assert _printed("--profile", "gemini") == program_schema("gemini")
    assert _printed("--profile", "openai", "--tool") == tool.definition("openai")
    assert _printed("--tool") == tool.definition("mcp")


def test_broken_is_told_by_rule_and_place() -> None:
    assert RULES["openai"]({"type": "array", "items": {"type": "string"}}) == [
        Broken("root is an object", "")
    ]

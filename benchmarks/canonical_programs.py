"""The programs and solutions that exported grammars admit, by schemas and readers; and some of them.

Nothing here looks at a grammar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import jsonschema
from canonical import canonical_json, is_expression, is_sort, is_word

import potlang
from potlang.languages.pot.profiles import program_schema

_SCHEMA = program_schema("anthropic")
_CHECKER = jsonschema.Draft202012Validator(_SCHEMA)
_FORMULAS = {"constraint", "constraints", "body", "knowledge_base", "unless", "expression"}
_SORTS = {"sort", "domain", "range"}
_WORDS = {"values", "members", "unique_names", "closed_domain"}
_KINDS = ("DeclareSort", "EnumSort", "TupleSort")
_SHAPE = {"POT1012", "POT1013", "POT1014", "POT1015", "POT1028"}
"""Codes of the reader for the shape of a program."""
_LIMITED = r"[ -!#-\\[\]-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\U0010ffff]"
_TITLE = re.compile(rf"{_LIMITED}{{0,100}}")
_SENTENCE = re.compile(rf"(?! |\u00a0){_LIMITED}{{1,400}}")
_COST = re.compile(r"(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")


def is_program(text: str) -> bool:
    """Whether a text is a program of the providers' schema in the canonical layout."""
    found = canonical_json(text)
    if found is None or not _CHECKER.is_valid(found[0]) or found[0]["imports"]:
        return False
    costs = re.findall(r'"weight": ([^,}]+)', text)
    if not all(_COST.fullmatch(each) for each in costs) or not _in_order(found[0], _SCHEMA):
        return False
    return not _SHAPE & {each.code for each in potlang.check(text, language="pot").diagnostics}


def _in_order(value: Any, schema: Any, key: str = "", owner: str = "") -> bool:
    """Whether objects have their keys in order, and strings are of the kind that their key says."""
    if "$ref" in schema:
        owner = schema["$ref"].rpartition("/")[2]
        schema = _SCHEMA["$defs"][owner]
    if "anyOf" in schema:
        return any(
            jsonschema.Draft202012Validator({**each, "$defs": _SCHEMA["$defs"]}).is_valid(value)
            and _in_order(value, each, key)
            for each in schema["anyOf"]
        )
    if isinstance(value, dict):
        parts = schema["properties"]
        return (
            list(value) == [name for name in parts if name in value]
            and _is_definition(value, owner)
            and all(_in_order(part, parts[name], name, owner) for name, part in value.items())
        )
    if isinstance(value, list):
        return all(_in_order(each, schema["items"], key, owner) for each in value)
    return not isinstance(value, str) or "enum" in schema or _is_string(value, key, owner)


def _is_definition(value: dict[str, Any], owner: str) -> bool:
    if owner == "sort":
        filled = {"EnumSort": (True, False), "TupleSort": (False, True), "DeclareSort": (False, False)}
        return (bool(value["values"]), bool(value["fields"])) == filled.get(value["type"])
    return not (value.get("forall") and value.get("exists")) and [] not in (
        value.get("options"),
        value.get("objectives"),
    )


def _is_string(text: str, key: str, owner: str) -> bool:
    if key in _FORMULAS:
        return is_expression(text, in_json=True)
    if key in _SORTS:
        return is_sort(text)
    is_declared = owner in ("sort", "variable", "function", "binder", "namedConstantGroup")
    if key in _WORDS or (key == "name" and is_declared):
        return is_word(text)
    return text in _KINDS if key == "type" else _TITLE.fullmatch(text) is not None


def is_solution(text: str, steps: int) -> bool:
    """Whether a text is a solution in the canonical layout that the reader accepts."""
    found = canonical_json(text)
    value = found[0] if found else None
    if not isinstance(value, dict) or list(value) != ["steps"] or not isinstance(value["steps"], list):
        return False
    if not 1 <= len(value["steps"]) <= steps or not potlang.check(text, language="dagmath").ok:
        return False
    return all(_is_step(step, number) for number, step in enumerate(value["steps"], 1))


def _is_step(step: Any, number: int) -> bool:
    keys = ["step_id", "edge", "direct_dependent_steps", "node", "formal"]
    if list(step) not in (keys, keys[:-1]) or type(step["step_id"]) is not int or step["step_id"] != number:
        return False
    parents, edge = step["direct_dependent_steps"], step["edge"]
    is_given = parents is None and edge is None
    is_derived = (
        isinstance(parents, list)
        and 1 <= len(parents) <= 8
        and all(type(each) is int and 1 <= each < number for each in parents)
        and _is_sentence(edge)
    )
    said = "formal" not in step or (
        isinstance(step["formal"], str) and is_expression(step["formal"], in_json=True)
    )
    return (is_given or is_derived) and _is_sentence(step["node"]) and said


def _is_sentence(text: object) -> bool:
    return isinstance(text, str) and _SENTENCE.fullmatch(text) is not None


def a_program(random: Random, formulas: tuple[str, ...]) -> str:
    """A canonical program of formulas that were written for others."""
    some = [each for each in random.choices(formulas, k=6) if '"' not in each and "\\" not in each]
    names = random.sample(["a", "ball", "Cat", "d_1"], k=3)
    rules: list[dict[str, Any]] = [
        {"name": "", "forall": [], "exists": [], "constraint": each} for each in some
    ]
    more = {"role": random.choice(["axiom", "norm"]), "unless": some[:1], "overrides": []}
    binder = {"name": "x", "sort": random.choice(["Int", "Set(Int)", "S"])}
    for rule in rules:
        rule[random.choice(["forall", "exists"])] = [binder] * random.randint(0, 2)
    claim = {"find": [], "ask": random.choice(["must", "could"])}
    claims: list[Any] = [{**each, **claim} for each in rules[2:4]]
    question = {"name": "q", "ask": "could", "options": rules[:2]}
    program: dict[str, Any] = {
        "sorts": [
            {"name": "S", "type": "DeclareSort", "values": [], "fields": []},
            {"name": "E", "type": "EnumSort", "values": names, "fields": []},
            {"name": "T", "type": "TupleSort", "values": [], "fields": [binder]},
        ][: random.randint(0, 3)],
        "functions": [{"name": "f", "domain": ["Int"], "range": "Bool", "params": [], "closed": True}],
        "constants": [{"name": "c", "sort": "S", "members": names}],
        "variables": [binder],
        "knowledge_base": some[3:],
        "rules": [{**each, **more} for each in rules[:2]],
        "verifications": claims + ([question] if rules else []),
        "imports": [],
    }
    return json.dumps(program, ensure_ascii=False)


def a_solution(random: Random, formulas: tuple[str, ...], steps: int) -> str:
    """A canonical solution."""
    found = []
    for number in range(1, random.randint(1, steps) + 1):
        parents = random.sample(range(1, number), k=min(number - 1, random.choice([0, 1, 2, 3])))
        edge = "By " + ", ".join(f"Step {each}" for each in parents) if parents else None
        step: dict[str, Any] = {"step_id": number, "edge": edge, "direct_dependent_steps": parents or None}
        step["node"] = random.choice(["x = 3", "The final answer is 5.", "größer als 0 – ja"])
        if random.random() < 0.3:
            step["formal"] = random.choice(formulas).replace('"', "'").replace("\\", "")
        found.append(step)
    return json.dumps({"steps": found}, ensure_ascii=False)


def solutions_one_by_one(steps: int) -> Iterator[str]:
    """Ids and parents of each kind at each place, and too many steps."""
    for count in (1, 2, 3, steps - 1, steps, steps + 1):
        plain = [
            {"step_id": each, "edge": None, "direct_dependent_steps": None, "node": "x"}
            for each in range(1, count + 1)
        ]
        yield json.dumps({"steps": plain})
        for parent in (*range(count + 2), None, -1, 1.0, "1"):
            last = {**plain[-1], "edge": "So", "direct_dependent_steps": [parent]}
            yield json.dumps({"steps": [*plain[:-1], last]})
            yield json.dumps({"steps": [*plain[:-1], {**last, "step_id": parent}]})
            yield json.dumps({"steps": [*plain[:-1], {**last, "direct_dependent_steps": [1, parent]}]})
        for edge, parents in ((None, [1]), ("So", None), ("", [1]), ("So", []), ("So", [1] * 9)):
            last = {**plain[-1], "edge": edge, "direct_dependent_steps": parents}
            yield json.dumps({"steps": [*plain[:-1], last]})
    yield '{"steps": []}'

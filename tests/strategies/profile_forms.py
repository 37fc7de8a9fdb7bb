"""Programs in the forms of a provider's profile: what shows that a profile has room for all of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.profiles import Profile, Schema, program_schema


def to_profile(program: dict[str, Any], profile: Profile) -> dict[str, Any] | None:
    """The same program as a profile has it, in its own words where the profile has room for them.

    Where it has none (a binder without a sort, a pack with parameters) the typed program is written out
    in full. None for an invalid program. Raises ValueError for an unknown profile.
    """
    schema = program_schema(profile)
    checked = check_program(program)
    if profile == "json" or checked.program is None:
        return program if checked.program is not None else None
    try:
        return _ProfileWriter(schema).write(program)
    except _NotSaid:
        return _ProfileWriter(schema).write(json.loads(checked.program.emit("pot", passes="")))


class _NotSaid(Exception):
    """The profile has no form for a part."""


class _ProfileWriter:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._sorts: dict[str, Any] = {}

    def write(self, program: dict[str, Any]) -> dict[str, Any]:
        """A valid program in the schema's forms. Raises `_NotSaid`."""
        known = _as_its_actions_say(
            {key: value for key, value in program.items() if value is not None and key != "$schema"}
        )
        groups = known.get("constants")
        if isinstance(groups, dict):
            known["constants"] = [{**group, "name": name} for name, group in groups.items()]
        # A binder that is a name alone has the sort of the declared variable.
        self._sorts = {each["name"]: each["sort"] for each in known.get("variables", ())}
        facts = known.get("knowledge_base", ())
        known["knowledge_base"] = [_formula(each) for each in facts if not _has_name(each)]
        named = [_as_rule(each) for each in facts if _has_name(each)]
        known["rules"] = named + [_without_implies(each) for each in known.get("rules", ())]
        for rule in known["rules"]:
            if isinstance(rule.get("unless"), str):
                rule["unless"] = [rule["unless"]]
        known["verifications"] = [_without_implies(each) for each in known.get("verifications", ())]
        known["imports"] = [_pack(each) for each in known.get("imports", ())]
        found: dict[str, Any] = self._value(known, self._schema)
        return found

    def _value(self, value: Any, schema: Schema) -> Any:
        if "$ref" in schema:
            schema = self._schema["$defs"][schema["$ref"].rpartition("/")[2]]
        if "anyOf" in schema:
            # Of a claim and a question, the latter has `options`.
            asks = isinstance(value, dict) and value.get("options")
            return None if value is None else self._value(value, schema["anyOf"][-1 if asks else 0])
        return _BY_TYPE[schema["type"]](self, value, schema)

    def _object(self, value: Any, schema: Schema) -> dict[str, Any]:
        properties = schema["properties"]
        if set(properties) == {"name", "sort"}:
            value = self._with_sort(value)
        made = {}
        for key, each in properties.items():
            if value.get(key) is not None or key in schema["required"]:
                made[key] = self._value(value.get(key), each)
        if any(value[key] not in (None, [], "") for key in value.keys() - made.keys() - {"description"}):
            raise _NotSaid
        return made

    def _with_sort(self, binder: Any) -> dict[str, Any]:
        """A binder that is a declared variable's name, with that variable's sort."""
        named = {"name": binder} if isinstance(binder, str) else binder
        sort = named.get("sort") or self._sorts.get(named["name"])
        if sort is None:
            raise _NotSaid
        return {**named, "sort": sort}

    def _array(self, value: Any, schema: Schema) -> list[Any]:
        if not isinstance(value, list | None):
            if value is False:
                return []
            raise _NotSaid
        return [self._value(each, schema["items"]) for each in value or ()]

    def _boolean(self, value: Any, schema: Schema) -> bool:
        return bool(value)

    def _string(self, value: Any, schema: Schema) -> str:
        if value is None:
            return str(schema.get("enum", [""])[0])
        if not isinstance(value, str):
            raise _NotSaid
        return value


_BY_TYPE: Final[dict[str, Callable[[_ProfileWriter, Any, Schema], Any]]] = {
    "object": _ProfileWriter._object,
    "array": _ProfileWriter._array,
    "string": _ProfileWriter._string,
    "boolean": _ProfileWriter._boolean,
}


def _as_its_actions_say(program: dict[str, Any]) -> dict[str, Any]:
    """Without the sections that its actions do not ask for: under a profile all sections are meant."""
    actions = program.pop("actions", None)
    if actions is None:
        return program
    if not {"verify", "verify_conditions"} & set(actions):
        program["verifications"] = []
        program["rules"] = [each for each in program.get("rules", ()) if each.get("role") != "norm"]
    if "optimize" not in actions:
        program.pop("optimization", None)
    return program


def _has_name(fact: Any) -> bool:
    return isinstance(fact, dict) and bool(fact.get("name"))


def _formula(fact: Any) -> Any:
    """A fact as a formula alone. The words `not` and `->`, unlike `Not`, cannot be declared by a program."""
    if not isinstance(fact, dict):
        return fact
    if fact.get("variables"):
        raise _NotSaid
    return f"not ({_text(fact['assertion'])})" if fact.get("value") is False else fact["assertion"]


def _as_rule(fact: dict[str, Any]) -> dict[str, Any]:
    return {"name": fact["name"], "constraint": _formula(fact)}


def _without_implies(statement: dict[str, Any]) -> dict[str, Any]:
    if statement.get("options"):
        return {**statement, "options": [_without_implies(each) for each in statement["options"]]}
    implies = statement.get("implies")
    if implies is None:
        return dict(statement)
    formula = f"({_text(implies['antecedent'])}) -> ({_text(implies['consequent'])})"
    return {**{key: value for key, value in statement.items() if key != "implies"}, "constraint": formula}


def _pack(item: Any) -> Any:
    if isinstance(item, dict) and item.get("with"):
        raise _NotSaid
    return item["pack"] if isinstance(item, dict) else item


def _text(formula: Any) -> str:
    if not isinstance(formula, str):
        raise _NotSaid
    return formula

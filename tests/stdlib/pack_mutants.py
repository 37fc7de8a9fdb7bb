"""Packs with one thing taken away or turned round, and whether a law or a case tells them from the pack."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

import pytest

from potlang.api import check, verify
from potlang.diag import Severity
from potlang.languages.pot.program import CompileError
from potlang.report.results import Limits
from potlang.utils import resources

Json = dict[str, Any]
_LIMITS = Limits(check_ms=2_000, total_ms=6_000)


class PackMutant(NamedTuple):
    """What was changed, the pack whose file it is, and that file."""

    change: str
    pack: str
    value: Json


def mutants(value: Json) -> Iterator[PackMutant]:
    """Each rule, fact and definition dropped or denied; exceptions, `closed` and imports taken away."""
    name, program = value["pack"], value["program"]
    for section in ("rules", "knowledge_base"):
        for index, statement in enumerate(program.get(section, ())):
            label = statement["name"] if isinstance(statement, dict) else statement
            yield PackMutant(f"without {label}", name, _changed(value, section, index, None))
            yield PackMutant(f"not {label}", name, _changed(value, section, index, denied(statement)))
            for key in ("unless", "overrides"):
                if isinstance(statement, dict) and key in statement:
                    kept = {each: given for each, given in statement.items() if each != key}
                    yield PackMutant(f"{label} without {key}", name, _changed(value, section, index, kept))
    for index, symbol in enumerate(value["symbols"]):
        if "body" in symbol:
            yield PackMutant(
                f"{symbol['name']} undefined", name, _symbol(value, index, params=None, body=None)
            )
            if symbol["range"] in ("Bool", "Int", "Real"):
                other = "Not({})" if symbol["range"] == "Bool" else "({}) + 1"
                body = other.format(symbol["body"])
                yield PackMutant(f"{symbol['name']} otherwise", name, _symbol(value, index, body=body))
        if symbol.get("closed"):
            yield PackMutant(f"{symbol['name']} open", name, _symbol(value, index, closed=None))
    for item in program.get("imports", ()):
        imported = item if isinstance(item, str) else item["pack"]
        text = resources.pack_file(imported, "pack.json")
        assert text is not None
        yield PackMutant(f"nothing from {imported}", imported, _emptied(json.loads(text)))


def _changed(value: Json, section: str, index: int, statement: Any) -> Json:
    changed = deepcopy(value)
    changed["program"][section][index : index + 1] = [] if statement is None else [statement]
    return changed


def _symbol(value: Json, index: int, **fields: Any) -> Json:
    changed = deepcopy(value)
    symbol = changed["symbols"][index] | fields
    changed["symbols"][index] = {key: given for key, given in symbol.items() if given is not None}
    return changed


def _emptied(value: Json) -> Json:
    symbols = [
        {key: given for key, given in symbol.items() if key not in ("params", "body", "closed")}
        for symbol in value["symbols"]
    ]
    return value | {"symbols": symbols, "program": {}}


def denied(statement: Any) -> Any:
    if isinstance(statement, str):
        return f"Not({statement})"
    if "assertion" in statement:
        return statement | {"value": not statement.get("value", True)}
    if "implies" in statement:
        text = f"({statement['implies']['antecedent']}) -> ({statement['implies']['consequent']})"
    else:
        text = statement["constraint"]
    for quantifier, said in (("forall", "ForAll"), ("exists", "Exists")):
        if quantifier in statement:
            binders = ", ".join(f"{each['name']}: {each['sort']}" for each in statement[quantifier])
            text = f"{said}([{binders}], {text})"
    kept = {key: given for key, given in statement.items() if key in ("name", "role")}
    return kept | {"constraint": f"Not({text})"}


def survives(mutant: PackMutant, value: Json, cases: list[Json], patch: pytest.MonkeyPatch) -> bool:
    """Whether all laws and cases of the pack come out the same with the mutant in place."""
    original = resources.pack_file

    def with_mutant(name: str, file: str) -> str | None:
        return (
            json.dumps(mutant.value) if (name, file) == (mutant.pack, "pack.json") else original(name, file)
        )

    with patch.context() as context:
        context.setattr(resources, "pack_file", with_mutant)
        laws = {"imports": [value["pack"]], "verifications": value.get("laws", [])}
        expected = {law["name"]: "entailed" for law in laws["verifications"]}
        tried = [(laws, expected)] if expected else []
        tried += [(case["program"], case["expect"].get("verdicts")) for case in cases]
        return all(_same(program, verdicts, mutant) for program, verdicts in tried)


def _same(program: Json, verdicts: dict[str, str] | None, mutant: PackMutant) -> bool:
    if verdicts is None:
        return any(d.severity is Severity.ERROR for d in check(program).diagnostics)
    try:
        report = verify(program, trust="solver", limits=_LIMITS)
    except CompileError as error:
        codes = [d.code for d in error.diagnostics]
        raise AssertionError(f"{mutant.pack}, {mutant.change}: {codes}") from None
    found = {result.name: str(result.verdict) for result in report.results}
    # What a solver gives up on tells nothing apart; a norm that is gone does.
    return all(found.get(name) in (verdict, "unknown") for name, verdict in verdicts.items())

"""The case by which two versions differ, read from the verdict of one on a statement of the other."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple

from potlang.policy.cases import FACTS, SORT
from potlang.report.results import Model, Result, Scenario, ScenarioVariable, Verdict

_FIELD: Final = re.compile(r"(\w+)\((\w+)\)")
_PLAIN: Final = re.compile(r"-?\d+(?:[./]\d+)?(?: [\w/*^]+)?|\d{4}-\d\d-\d\d(?:T[\d:.]+)?|\w+")
"""Numbers, perhaps with a unit or a currency, dates and names: as cases and formulas write them."""
_INTEGER: Final = re.compile(r"-?\d{1,15}")


class DifferenceCase(NamedTuple):
    """A case that one version allows and the other does not.

    `witness` are the things that a quantified statement is violated by, `values` those of the terms that it
    speaks of, in the program's words. `case` is the same as `potlang.policy.Case` takes it, None where that
    has no words for it. `confirmed`: the evaluator found that the model which it is taken from satisfies all
    statements of the one version, and violates the statement of the other.
    """

    allowed_by: Literal["old", "new"]
    witness: tuple[ScenarioVariable, ...]
    values: Model
    case: dict[str, Any] | None
    confirmed: bool


def separating_case(result: Result, allowed_by: Literal["old", "new"]) -> DifferenceCase:
    """The case in the verdict of a version on a statement that does not follow from it."""
    rows = result.evidence.rows
    # Of large tables a row is known by which a statement fails.
    shown = rows.shown[0].binding if rows is not None and rows.shown else {}
    scenario = result.evidence.false_scenario or Scenario((), result.evidence.could_be_false or shown)
    asked = {"negation", "assumptions"} if result.verdict is Verdict.REFUTED else {"negation"}
    confirmed = any(
        each.query in asked and each.status == "sat" and each.tier == "checked" for each in result.assurances
    )
    return DifferenceCase(allowed_by, scenario.witness, scenario.values, _as_case(scenario), confirmed)


def _as_case(scenario: Scenario) -> dict[str, Any] | None:
    """The scenario as a case: its new things as individuals with their values, all else as formulas."""
    new: dict[str, dict[str, Any]] = {}
    for each in scenario.witness:
        if not each.named:
            if not each.sort.isidentifier() or each.value == each.name:
                return None
            new[each.name] = {SORT: each.sort}
    facts: list[str] = []
    for term, value in scenario.values.items():
        if not _PLAIN.fullmatch(value):
            return None
        field = _FIELD.fullmatch(term)
        if field is not None and field[2] in new:
            new[field[2]][field[1]] = _value(value)
        else:
            facts.append({"True": term, "False": f"not {term}"}.get(value, f"{term} == {value}"))
    return {**new, FACTS: facts} if facts else dict(new)


def _value(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    return int(text) if _INTEGER.fullmatch(text) else text

"""Items of cores placed where their facts stand: in a case, or in what a text takes as given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from potlang.languages.pot.report import Report
from potlang.policy.cases import CaseFact
from potlang.report.results import CoreItem, Result


class CorePlace(NamedTuple):
    """The place of a fact that is none of the policy's, and its kind; the `name`, if it has another one."""

    pointer: str
    kind: str
    name: str = ""


def case_places(facts: Mapping[str, CaseFact]) -> dict[str, CorePlace]:
    """The places of the facts of a case, by those in the program that has them."""
    return {place: CorePlace(fact.pointer, "case") for place, fact in facts.items()}


def report_with_places(report: Report, places: Mapping[str, CorePlace]) -> Report:
    """The report with each item of its cores where it stands."""
    return report._replace(results=tuple(_placed(each, places) for each in report.results))


def _placed(result: Result, places: Mapping[str, CorePlace]) -> Result:
    def placed(item: CoreItem) -> CoreItem:
        found = places.get(item.pointer)
        if found is None:
            return item
        return item._replace(pointer=found.pointer, kind=found.kind, name=found.name or item.name)

    core = result.evidence.core
    if core is None:
        return result
    return result._replace(evidence=result.evidence._replace(core=tuple(map(placed, core))))

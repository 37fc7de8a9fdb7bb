"""A trace with its report, and the same trace in the finite model: Sub(S), S the models of its theory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from strategies.reasoning import Reasoning, program
from structures import structures

import potlang.dot
from potlang.api import compile as compile_program
from potlang.ir.evaluator import evaluate
from potlang.languages.dot.read.records import Edge, Entails, Eq
from potlang.languages.dot.report import TraceReport
from potlang.report.results import Consistency
from potlang.topos import synthesis
from potlang.topos.nucleus import Nucleus, from_rules
from potlang.topos.presheaf import Presheaf
from potlang.topos.subobject import Subobject, meet

CONSISTENCY = {True: Consistency.CONSISTENT, False: Consistency.INCONSISTENT}


class Claimed(NamedTuple):
    """An inclusion that a trace claims."""

    lower: int
    upper: int
    schema: str
    rank: int


@dataclass(frozen=True)
class Meant:
    """A trace, its report, and its finite model."""

    case: Reasoning

    @cached_property
    def report(self) -> TraceReport:
        return verified(self.case)

    @cached_property
    def inclusions(self) -> list[Claimed]:
        """What validated critiques claim, in the order of the records ([DOT-EXTR-8])."""
        valid = set(self.validated)
        found: list[Claimed] = []
        for each in self.case.records:
            if isinstance(each, Entails) and each.src in valid:
                found.append(Claimed(each.src, each.dst, "LE", each.rank or 0))
            elif isinstance(each, Eq) and {each.src, each.dst} <= valid:
                pair = each.src, each.dst
                found += [Claimed(*pair, "EQ", 0), Claimed(*pair[::-1], "EQ", 0)]
            elif isinstance(each, Edge) and each.kind == "refine" and each.src in valid:
                found.append(Claimed(each.dst, each.src, "TR", 0))
        return found

    @cached_property
    def models(self) -> list[Any]:
        return self.case.models()

    @cached_property
    def whole(self) -> Presheaf:
        return synthesis.space(len(self.models))

    @cached_property
    def validated(self) -> list[int]:
        return self.case.marked("validated")

    @cached_property
    def family(self) -> list[Subobject]:
        return self.subs(self.validated)

    def sub(self, id_: int) -> Subobject:
        """What a node says, as a subobject of S."""
        rows = [self.case.is_true(id_, model) for model in self.models]
        return Subobject(self.whole, sum(1 << at for at, row in enumerate(rows) if row))

    def subs(self, ids: Iterable[int]) -> list[Subobject]:
        return [self.sub(id_) for id_ in ids]

    def state(self, lower: Subobject, upper: Subobject) -> str:
        """What S says of an inclusion."""
        if lower <= upper:
            return "proved"
        return "refuted" if lower == self.top and not upper.mask else "assumed"

    @property
    def top(self) -> Subobject:
        return meet(self.whole, [])

    def rules(self, rank: int | None = None) -> list[tuple[Subobject, Subobject]]:
        """The inclusions that are not refuted, up to a rank."""
        pairs = [
            (self.sub(each.lower), self.sub(each.upper))
            for each in self.inclusions
            if rank is None or each.rank <= rank
        ]
        return [pair for pair in pairs if self.state(*pair) != "refuted"]

    @cached_property
    def nucleus(self) -> Nucleus:
        return from_rules(self.whole, self.rules())

    def of_text(self, text: str) -> Subobject:
        """What a formula in the PoT language says, evaluated by the IR's evaluator."""
        atoms = [f"node {id_}" for id_ in self.case.ids("proposer") if self.case.proposition(id_) is None]
        source = program(self.case.theory or {"rules": []})
        if atoms:
            source["constants"]["atoms"] = {"sort": "Bool", "members": atoms}
        source["verifications"] = [{"constraint": text}]
        module = compile_program(source).module
        wanted = {self._row(model): 1 << at for at, model in enumerate(self.models)}
        mask = 0
        for structure in structures(module, {}):
            values = {str(symbol): value for symbol, value in structure.functions.items()}
            row = self._row({**values, **{f"#{name[5:]}": values[name] for name in atoms}})
            if evaluate(module.claims[0].formula, structure) is True:
                mask |= wanted.get(row, 0)
        return Subobject(self.whole, mask)

    def _row(self, values: Any) -> tuple[object, ...]:
        names = sorted(self.models[0]) if self.models else []
        return tuple(str(values[name]) for name in names)


def verified(case: Reasoning, **options: Any) -> TraceReport:
    """The report on a trace, on one solver's word."""
    theory = None if case.theory is None else program(case.theory)
    report = potlang.dot.verify(case.text, theory=theory, **{"trust": "solver", **options})
    assert not [each for each in report.diagnostics if each.severity == "error"], report.diagnostics
    return report


def left_when_needless_go(
    nucleus: Nucleus, used: Sequence[Subobject], more: dict[int, Subobject], claim: Subobject
) -> list[int]:
    """What a claim needs of `more`, later ones dropped first."""
    kept = dict(more)
    for id_ in reversed(list(more)):
        rest = [each for other, each in kept.items() if other != id_]
        if synthesis.faithful(nucleus, [*used, *rest], claim):
            del kept[id_]
    return list(kept)

"""POT9014: a claim speaks of a function that no fact and no rule mentions."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Label
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule

_DECLARED = (SymbolKind.FUNCTION, SymbolKind.CONSTANT)


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    # Without premises a claim is a theorem of logic, or a question about nothing but itself.
    if not program.premises:
        return
    known = program.assumed.symbols
    places = {each.name: each.pointer for each in program.tree.functions}
    reported: set[Symbol] = set()
    for claim in program.claims:
        for symbol in sorted(
            program.mentioned([claim.formula]).symbols - known - reported, key=lambda each: each.name
        ):
            # An individual that is nowhere else is like any other one.
            if symbol.kind in _DECLARED and symbol.domain and symbol.name in places:
                reported.add(symbol)
                yield LintFinding(
                    claim.place,
                    {"name": symbol.name},
                    labels=(Label(claim.place._replace(pointer=places[symbol.name]), "declared here"),),
                    helps=(f"add a fact or a rule about `{symbol.name}`, or write the name that was meant",),
                )


RULE = LintRule("POT9014", _find)

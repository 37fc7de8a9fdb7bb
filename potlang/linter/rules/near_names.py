"""POT9015: two declared names that differ by one letter more, in case, in underscores or in a plural."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Label, Place
from potlang.diag.near import numbered_alike
from potlang.ir.nodes import SymbolKind
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule

_SHORTEST, _LONGEST = 6, 60
"""Letters of names for which slips are looked for: shorter ones are other words, longer ones take long."""


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    places = {each.name: each.pointer for each in program.tree.functions}
    groups: dict[object, tuple[dict[str, str], dict[str, str]]] = {}
    for symbol in program.module.symbols:
        name = symbol.name
        if symbol.kind is not SymbolKind.FUNCTION or name not in places:
            continue
        whole = name.casefold().replace("_", "")
        names, cut = groups.setdefault((symbol.domain, symbol.range), ({}, {}))
        slips = _slips(whole)
        same = names.get(whole) or names.get(f"{whole}s") or names.get(whole.removesuffix("s"))
        other = same or cut.get(whole) or next((names[each] for each in slips if each in names), None)
        names.setdefault(whole, name)
        for each in slips:
            cut.setdefault(each, name)
        if other is not None and not numbered_alike(other, name):
            yield LintFinding(
                Place(f"{places[name]}/name"),
                {"name": name, "other": other},
                labels=(Label(Place(f"{places[other]}/name"), "the other name"),),
                helps=("if one thing is meant, use one name for it",),
            )


def _slips(name: str) -> list[str]:
    """A name without one of its letters, and with two neighbours exchanged."""
    # One letter in the place of another makes another word more often than a slip.
    if not _SHORTEST <= len(name) <= _LONGEST:
        return []
    shorter = [f"{name[:at]}{name[at + 1 :]}" for at in range(len(name))] if len(name) > _SHORTEST else []
    turned = [f"{name[:at]}{name[at + 1]}{name[at]}{name[at + 2 :]}" for at in range(len(name) - 1)]
    return shorter + [each for each in turned if each != name]


RULE = LintRule("POT9015", _find)

"""Which rules of the linter run: what a caller, a configuration and a program say ([LINT-CHOICE])."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from potlang.diag.near import nearest
from potlang.linter.rule import LintRule
from potlang.linter.rules import LINT_RULES

if TYPE_CHECKING:
    from potlang.expressions.surface import LintDecl

ALL = "all"
"""In the place of a rule's name: every rule."""


class UnknownRule(ValueError):
    """A name that is no rule's."""


@dataclass(frozen=True, slots=True)
class LintChoice:
    """Rules by name or code, or `all`.

    `only`: these and no others. `select`: these besides those that run by default. `ignore`: not these,
    whoever selects them. Raises `UnknownRule` for a name that is no rule's.
    """

    only: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.only, *self.select, *self.ignore):
            if not names_rules(name):
                near = nearest(name, [rule.name for rule in LINT_RULES], 1)
                hint = f"; did you mean `{near[0]}`?" if near else "; `potc lint --rules` shows all"
                raise UnknownRule(f"there is no lint `{name}`{hint}")


USUAL = LintChoice()
"""The rules that run by default."""


def names_rules(name: str) -> bool:
    """Whether there is a rule of that name or code."""
    return name == ALL or any(name in (rule.name, rule.code) for rule in LINT_RULES)


def chosen_rules(choice: LintChoice, own: LintDecl, *, deep: bool) -> list[LintRule]:
    """The rules to run, in their order; `own` is what the program says."""
    selected = (*choice.select, *(name for name, _ in own.select))
    ignored = (*choice.ignore, *(name for name, _ in own.ignore))
    return list(_chosen(choice.only, selected, ignored, deep))


@lru_cache(maxsize=64)
def _chosen(
    only: tuple[str, ...], selected: tuple[str, ...], ignored: tuple[str, ...], deep: bool
) -> tuple[LintRule, ...]:
    def runs(rule: LintRule) -> bool:
        if (rule.is_deep and not deep) or _names(ignored, rule):
            return False
        if only:
            return _names(only, rule)
        return rule.by_default or _names(selected, rule)

    found = [rule for rule in LINT_RULES if runs(rule)]
    replaced = {rule.stands_for for rule in found}
    return tuple(rule for rule in found if rule.code not in replaced)


def _names(names: Collection[str], rule: LintRule) -> bool:
    return any(name in (rule.name, rule.code, ALL) for name in names)

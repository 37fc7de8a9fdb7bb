"""Reads what a program wants done, and how: optimization, actions, imports, semantics and lints."""

from __future__ import annotations

from fractions import Fraction

from potlang.diag.model import Applicability, Fix, Patch
from potlang.diag.near import nearest
from potlang.diag.register import CODES
from potlang.expressions.shapes import Object
from potlang.expressions.surface import (
    ImportDecl,
    LintDecl,
    ObjectiveDecl,
    OptimizationDecl,
    SemanticsDecl,
    SoftDecl,
)
from potlang.languages.pot.read.items import ItemReader, is_filled
from potlang.source.pointer import join_pointer

_ACTIONS = ("verify_conditions", "verify", "optimize")


class SettingsReader(ItemReader):
    """Reads the sections that are no declarations and no statements."""

    def optimization(self, value: object, pointer: str) -> OptimizationDecl | None:
        """The section; None where there is none, and, with reports, if it is malformed."""
        if value is None:
            return None
        known = ("variables", "constraints", "objectives", "soft", "mode", "description")
        # Soft constraints are objectives enough.
        required = () if isinstance(value, dict) and is_filled(value.get("soft")) else ("objectives",)
        item = self._object(value, pointer, "an object with `objectives`", known, required)
        if item is None:
            return None
        variables = self._binders(item.get("variables"), f"{pointer}/variables")
        constraints = self._each(
            item.get("constraints"), f"{pointer}/constraints", "a list of expressions", self.shapes.formula
        )
        objectives = self._objectives(item, f"{pointer}/objectives", needed=bool(required))
        mode = self._given(item, "mode", pointer, self.shapes.one_of, ("lexicographic", "pareto", "box"))
        soft = self._each(item.get("soft"), f"{pointer}/soft", "a list of soft constraints", self._soft)
        return OptimizationDecl(variables, constraints, objectives, soft, mode or "lexicographic", pointer)

    def _soft(self, value: object, pointer: str) -> SoftDecl | None:
        what = "a soft constraint: an object with `constraint`"
        known = ("constraint", "weight", "group", "description")
        item = self._object(value, pointer, what, known, ("constraint",))
        if item is None:
            return None
        constraint = self._formula(item, "constraint", pointer)
        weight = self._given(item, "weight", pointer, self.shapes.positive) or Fraction(1)
        group = None if item.get("group") == "" else self._given(item, "group", pointer, self.shapes.name)
        return None if constraint is None else SoftDecl(constraint, weight, group, pointer)

    def _objectives(self, item: Object, pointer: str, *, needed: bool) -> list[ObjectiveDecl]:
        value = item.get("objectives")
        if needed and value == []:
            self.sink.report("POT1014", pointer, what="the list of objectives")
        if needed and "objectives" in item and value is None:
            self.shapes.wrong_type(None, pointer, "a list of objectives")
        return self._each(value, pointer, "a list of objectives", self._objective)

    def _objective(self, value: object, pointer: str) -> ObjectiveDecl | None:
        keys = ("type", "expression")
        what = "an objective: an object with `type` and `expression`"
        item = self._object(value, pointer, what, (*keys, "name", "description"), keys)
        if item is None:
            return None
        name = self._optional_name(item, pointer)
        direction = self._field(item, "type", pointer, self.shapes.one_of, ("minimize", "maximize"))
        expression = self._formula(item, "expression", pointer)
        if direction is None or expression is None:
            return None
        return ObjectiveDecl(name, direction, expression, pointer)

    def action(self, value: object, pointer: str) -> str | None:
        """The name of an action, as a module has it; None, with a report, if there is no such action."""
        text = self.shapes.string(value, pointer, "the name of an action")
        if text is not None and text not in _ACTIONS:
            self._unknown_action(text, pointer)
            return None
        return "verify_conditions" if text == "verify" else text

    def _unknown_action(self, text: str, pointer: str) -> None:
        near = nearest(text, _ACTIONS, 1)
        fixes = []
        if near:
            edit = Patch("replace", pointer, near[0])
            fixes = [Fix(f'write "{near[0]}"', Applicability.SAFE, (edit,))]
        helps = ['the actions are "verify_conditions" and "optimize"']
        self.sink.report("POT1027", pointer, action=text, helps=helps, fixes=fixes)

    def import_(self, value: object, pointer: str) -> ImportDecl | None:
        """The import of a pack, not loaded yet; None, with reports, if it is malformed."""
        if isinstance(value, str):
            pack = self.shapes.name(value, pointer)
            return ImportDecl(pack, {}, pointer) if pack is not None else None
        what = "the name of a pack, or an object with `pack` and `with`"
        item = self._object(value, pointer, what, ("pack", "with", "description"), ("pack",))
        if item is None:
            return None
        pack = self._field(item, "pack", pointer, self.shapes.name)
        substitution = self._substitution(item.get("with"), f"{pointer}/with")
        return ImportDecl(pack, substitution, pointer, is_object=True) if pack is not None else None

    def _substitution(self, value: object, pointer: str) -> dict[str, tuple[str, str]]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.shapes.wrong_type(value, pointer, "an object that gives each parameter a name")
            return {}
        substitution: dict[str, tuple[str, str]] = {}
        for parameter, name in value.items():
            place = join_pointer(pointer, str(parameter))
            given = self.shapes.name(name, place)
            if given is not None:
                substitution[str(parameter)] = (given, place)
        return substitution

    def semantics(self, value: object, pointer: str) -> SemanticsDecl:
        """The section, with nothing chosen where there is none or it is malformed."""
        if value is None:
            return SemanticsDecl()
        keys = ("unique_names", "closed_domain")
        item = self._object(value, pointer, "an object", (*keys, "description"))
        if item is None:
            return SemanticsDecl()
        return SemanticsDecl(*(self._choice(item.get(key), f"{pointer}/{key}") for key in keys))

    def _choice(self, value: object, pointer: str) -> bool | list[tuple[str, str]]:
        if value is None:
            return False
        if isinstance(value, bool):
            return value
        return self.shapes.names(value, pointer, "true, false or a list of sorts")

    def lint(self, value: object, pointer: str) -> LintDecl:
        """The section, with nothing chosen where there is none or it is malformed."""
        if value is None:
            return LintDecl()
        item = self._object(value, pointer, "an object", ("select", "ignore", "description"))
        if item is None:
            return LintDecl()
        return LintDecl(*(self._lints(item.get(key), f"{pointer}/{key}") for key in ("select", "ignore")))

    def _lints(self, value: object, pointer: str) -> list[tuple[str, str]]:
        """Names of rules of the linter. One that is unknown may be a later version's: a warning."""
        found = self.shapes.names(value, pointer, "a list of names of lints")
        known = {"all"}.union(*((row.slug, row.code) for row in CODES.values() if row.code >= "POT9"))
        for name, at in found:
            if name not in known:
                near = nearest(name, known, 1)
                fixes = (
                    [Fix(f'write "{near[0]}"', Applicability.UNSAFE, (Patch("replace", at, near[0]),))]
                    if near
                    else []
                )
                self.sink.report(
                    "POT9002", at, name=name, helps=["`potc lint --rules` lists them"], fixes=fixes
                )
        return found

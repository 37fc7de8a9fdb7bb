"""Reads a PoT program, a JSON value, into the surface tree.

What it accepts is exactly what `schemas/pot-1.json` accepts (a property of the tests). What is not
well formed is reported and left out, the rest is read, so that one run finds all errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from potlang.diag.model import Applicability, Fix, Patch, Place
from potlang.diag.near import nearest
from potlang.diag.register import CODES
from potlang.diag.sink import Sink
from potlang.expressions.other_keys import key_meant
from potlang.expressions.shapes import Object, Shapes
from potlang.expressions.surface import (
    BinderDecl,
    ConstantGroup,
    FactDecl,
    Formula,
    FunctionDecl,
    ImportDecl,
    LintDecl,
    ObjectiveDecl,
    OptimizationDecl,
    ParsedProgram,
    SemanticsDecl,
    SoftDecl,
    SortDecl,
    StatementDecl,
)
from potlang.ir.module import ASKS
from potlang.languages.pot.read.broken import broken_names
from potlang.languages.pot.read.sort_kinds import canonical_kind
from potlang.source.pointer import join_pointer
from potlang.utils.deadline import look

SECTIONS = (
    "sorts",
    "functions",
    "constants",
    "variables",
    "knowledge_base",
    "rules",
    "verifications",
    "optimization",
    "actions",
    "imports",
    "semantics",
    "lint",
)
_FREE = ("$schema", "description")
_CLAIM_KEYS = ("constraint", "implies", "forall", "exists", "find")
"""What a question leaves to its options."""
_ACTIONS = ("verify_conditions", "verify", "optimize")
_FORMAT = re.compile(r"\bpot-(\d{1,9})(?!\d)")
_SORTS_IN_A_ROW = re.compile(r"(?:,|×|\*|\bx\b)(?![^()]*\))")
_NOT_LETTERS = re.compile(r"[\W_]+")

Item = tuple[Any, str]
"""A JSON value, and its pointer."""
T = TypeVar("T")


def read_program(value: object, sink: Sink) -> ParsedProgram | None:
    """The surface tree of a program given as a JSON value; errors go to the sink.

    None only where `value` is no object at all. After errors the
    tree holds what was well formed: look at `sink.has_errors`.
    """
    if not isinstance(value, dict):
        Shapes(sink).wrong_type(value, "", "a program, which is an object")
        return None
    return _Reader(sink, value).module()


def read_verification(value: object, sink: Sink) -> StatementDecl | None:
    """One verification by itself, as an item of `verifications`; None, with reports, if it is malformed."""
    found = _Reader(sink, {})._verification(value, "")
    return None if sink.has_errors else found


class _Reader:
    def __init__(self, sink: Sink, program: Object) -> None:
        self.sink = sink
        self.shapes = Shapes(sink)
        self.program = program
        self.sections: dict[str, Item] = {}

    def module(self) -> ParsedProgram:
        self._find_sections()
        module = ParsedProgram(
            sorts=self._section("sorts", self._sort),
            functions=self._section("functions", self._function),
            constants=self._constants(),
            variables=self._section("variables", self._variable),
            facts=self._section("knowledge_base", self._fact),
            rules=self._section("rules", self._rule),
            verifications=self._section("verifications", self._verification),
            optimization=self._optimization(),
            actions=self._actions(),
            imports=self._section("imports", self._import),
        )
        module.semantics = self._semantics()
        module.lint = self._lint()
        if self.sink.has_errors:
            values = {section: value for section, (value, _) in self.sections.items()}
            module.broken = broken_names(values, module)
        return module

    # --- sections --------------------------------------------------------------------------------

    def _find_sections(self) -> None:
        """Assigns the keys of the program to sections, misspelt ones with a warning."""
        for key, value in self.program.items():
            if key in SECTIONS:
                self.sections[key] = value, f"/{key}"
        if len(self.sections) == len(self.program):
            return
        forms = {_form(section): section for section in SECTIONS}
        for key, value in self.program.items():
            if key in SECTIONS:
                continue
            if key in _FREE:
                if value is not None:
                    self.shapes.string(value, join_pointer("", key))
                if key == "$schema" and isinstance(value, str):
                    self._version(value)
                continue
            meant = forms.get(_form(key)) if isinstance(key, str) else None
            if meant is None or meant in self.sections:
                self.shapes.unknown_key(key, self.program, "", SECTIONS)
                continue
            place = Place(join_pointer("", key), on_key=True)
            move = Patch("move", f"/{meant}", source=place.pointer)
            fix = Fix(f"rename the key to `{meant}`", Applicability.SAFE, (move,))
            self.sink.report("POT1016", place, key=key, meant=meant, fixes=[fix])
            self.sections[meant] = value, place.pointer

    def _version(self, schema: str) -> None:
        """Reports a program that names another version of its format: it may mean what we do not read."""
        named = _FORMAT.search(schema)
        if named is not None and named[1] != "1":
            helps = [
                "convert it to version 1 (`urn:potlang:pot-1`), or use a potlang that reads this version"
            ]
            self.sink.report("POT1019", "/$schema", found=named[1], helps=helps)

    def _found(self, section: str) -> Item:
        """The value of a section, null where there is none, and its pointer."""
        return self.sections.get(section, (None, f"/{section}"))

    def _section(self, section: str, read: Callable[[Any, str], T | None]) -> list[T]:
        return self._each(*self._found(section), f"a list of {_plural(section)}", read)

    # --- declarations ----------------------------------------------------------------------------

    def _sort(self, value: object, pointer: str) -> SortDecl | None:
        known = ("name", "type", "values", "fields", "description")
        item = self._object(
            value, pointer, "a sort: an object with `name` and `type`", known, ("name", "type")
        )
        if item is None:
            return None
        name = self._name(item, pointer)
        written = self._field(item, "type", pointer, self.shapes.string)
        kind = canonical_kind(written) if written is not None else None
        if kind is not None and written is not None and kind.warn:
            self._read_as(written, kind.name, f"{pointer}/type")
        kind_name = kind.name if kind else None
        values = self.shapes.names(
            self._parts(item, "values", pointer, kind_name, "an EnumSort", "members"),
            f"{pointer}/values",
            "a list of names",
        )
        fields = self._each(
            self._parts(item, "fields", pointer, kind_name, "a TupleSort", "components"),
            f"{pointer}/fields",
            "a list of fields",
            self._variable,
        )
        if name is None or kind is None:
            return None
        declaration = SortDecl(name, pointer, kind.name, values=values, description=_template(item))
        declaration.fields = [(one.name, one.sort, one.pointer) for one in fields if one.sort is not None]
        if kind.name not in ("DeclareSort", "EnumSort", "TupleSort"):
            declaration.definition = self.shapes.sort(kind.text, f"{pointer}/type")
            return declaration if declaration.definition is not None else None
        return declaration

    def _parts(
        self, item: Object, key: str, pointer: str, kind: str | None, owner: str, parts: str
    ) -> object:
        """The list that sorts of one kind have under a key, and no others have."""
        place = f"{pointer}/{key}"
        value = item.get(key)
        wanted = owner.split()[1]
        if kind == wanted and value is None:
            self.shapes.missing(key, pointer, [f"{owner} lists its {parts} in `{key}`"])
        elif kind == wanted and value == []:
            self.sink.report("POT1014", place, what=f"the list of {owner}'s {key}")
        elif kind not in (wanted, None) and value:
            self._only_for(key, wanted, value, place)
            return None
        return value

    def _only_for(self, key: str, kind: str, value: object, place: str) -> None:
        if not isinstance(value, list):
            self.shapes.wrong_type(value, place, "a list")
            return
        fix = Fix(f"remove `{key}`", Applicability.UNSAFE, (Patch("remove", place),))
        helps = [f"`{key}` belongs to the type `{kind}`"]
        self.sink.report("POT1012", Place(place, on_key=True), key=key, helps=helps, fixes=[fix])

    def _function(self, value: object, pointer: str) -> FunctionDecl | None:
        known = ("name", "domain", "range", "params", "body", "closed", "description")
        what = "a function: an object with `name`, `domain` and `range`"
        item = self._object(value, pointer, what, known, ("name", "domain", "range"))
        if item is None:
            return None
        name = self._name(item, pointer)
        place = f"{pointer}/domain"
        if "domain" in item and item["domain"] is None:
            self.shapes.wrong_type(None, place, "a list of sorts")
        pairs = self._domain(item.get("domain"), place)
        domain = [self.shapes.sort(sort, at) for sort, at in pairs]
        result = self._field(item, "range", pointer, self.shapes.sort)
        params = self._binders(item.get("params"), f"{pointer}/params")
        body = self._given(item, "body", pointer, self.shapes.formula)
        closed = self._given(item, "closed", pointer, self.shapes.boolean)
        sorts = [sort for sort in domain if sort is not None]
        if name is None or result is None or len(sorts) != len(domain):
            return None
        return FunctionDecl(name, sorts, result, pointer, params or None, body, bool(closed), _template(item))

    def _domain(self, value: object, place: str) -> list[tuple[Any, str]]:
        """The sorts of a domain; a sort by itself is reported, and read as the list of it."""
        if not isinstance(value, str):
            return self.shapes.items(value, place, "a list of sorts")
        sorts = [part.strip() for part in _SORTS_IN_A_ROW.split(value) if part.strip()]
        listed = json.dumps(sorts, ensure_ascii=False)
        fix = Fix(f"write {listed}", Applicability.UNSAFE, (Patch("replace", place, sorts),))
        self.shapes.wrong_type(value, place, "a list of sorts", [f"write {listed}"], [fix])
        return [(sort, place) for sort in sorts]

    def _constants(self) -> list[ConstantGroup]:
        section, pointer = self._found("constants")
        if not isinstance(section, dict):
            return self._each(section, pointer, "an object of groups, or a list of groups", self._named_group)
        groups = (
            self._group(str(name), value, join_pointer(pointer, str(name))) for name, value in section.items()
        )
        return [group for group in groups if group is not None]

    def _named_group(self, value: object, pointer: str) -> ConstantGroup | None:
        item = self._group_object(value, pointer, "`name`, `sort` and `members`", ("name", "sort", "members"))
        return None if item is None else self._members(self._name(item, pointer) or "", item, pointer)

    def _group(self, group: str, value: object, pointer: str) -> ConstantGroup | None:
        if isinstance(value, str) and value:
            meant = {"sort": value, "members": [group]}
            shown = json.dumps(meant, ensure_ascii=False)
            fix = Fix(f"write {shown}", Applicability.UNSAFE, (Patch("replace", pointer, meant),))
            self.shapes.wrong_type(
                value, pointer, "an object with `sort` and `members`", [f"write {shown}"], [fix]
            )
            sort = self.shapes.sort(value, pointer)
            return None if sort is None else ConstantGroup(group, sort, [(group, pointer)], pointer)
        if isinstance(value, list):
            helps = [f'write {{"sort": …, "members": […]}}: the constants of `{group}` need a sort']
            self.shapes.wrong_type(value, pointer, "an object with `sort` and `members`", helps)
            return None
        item = self._group_object(value, pointer, "`sort` and `members`", ("sort", "members"))
        return None if item is None else self._members(group, item, pointer)

    def _group_object(self, value: object, pointer: str, words: str, keys: tuple[str, ...]) -> Object | None:
        return self._object(value, pointer, f"a group: an object with {words}", (*keys, "description"), keys)

    def _members(self, group: str, item: Object, pointer: str) -> ConstantGroup | None:
        sort = self._field(item, "sort", pointer, self.shapes.sort)
        place = f"{pointer}/members"
        if "members" in item and item["members"] is None:
            self.shapes.wrong_type(None, place, "a list of names")
        members = self.shapes.names(item.get("members"), place, "a list of names")
        return ConstantGroup(group, sort, members, pointer) if sort is not None else None

    def _variable(self, value: object, pointer: str) -> BinderDecl | None:
        keys = ("name", "sort")
        what = "an object with `name` and `sort`"
        item = self._object(value, pointer, what, (*keys, "description"), keys)
        if item is None:
            return None
        name = self._name(item, pointer)
        sort = self._field(item, "sort", pointer, self.shapes.sort)
        return BinderDecl(name, sort, pointer) if name is not None and sort is not None else None

    def _binders(self, value: object, pointer: str) -> list[BinderDecl]:
        """Binders: objects with `name` and perhaps `sort`, or names alone."""
        return self._each(value, pointer, "a list of variables", self._binder)

    def _binder(self, value: object, pointer: str) -> BinderDecl | None:
        if isinstance(value, str):
            alone = self.shapes.name(value, pointer)
            return BinderDecl(alone, None, pointer) if alone is not None else None
        what = "a variable: an object with `name` and `sort`"
        item = self._object(value, pointer, what, ("name", "sort", "description"), ("name",))
        if item is None:
            return None
        name = self._name(item, pointer)
        sort = self._given(item, "sort", pointer, self.shapes.sort)
        return BinderDecl(name, sort, pointer) if name is not None else None

    # --- assertions ------------------------------------------------------------------------------

    def _fact(self, value: object, pointer: str) -> FactDecl | None:
        if not isinstance(value, dict):
            formula = self.shapes.formula(value, pointer)
            return FactDecl(None, formula, True, (), pointer) if formula is not None else None
        known = ("assertion", "value", "variables", "name", "description")
        item = self._object(value, pointer, "a fact", known, ("assertion",))
        if item is None:
            return None
        name = self._optional_name(item, pointer)
        formula = self._formula(item, "assertion", pointer)
        truth = True if item.get("value") is None else self.shapes.boolean(item["value"], f"{pointer}/value")
        variables = self._binders(item.get("variables"), f"{pointer}/variables")
        if formula is None or truth is None:
            return None
        return FactDecl(name, formula, truth, variables, pointer)

    def _rule(self, value: object, pointer: str) -> StatementDecl | None:
        item = self._statement_object(value, pointer, "a rule", "role", "unless", "overrides", "default")
        if item is None:
            return None
        statement = self._statement(item, pointer)
        role = self._given(item, "role", pointer, self.shapes.one_of, ("axiom", "norm"))
        statement.role = role or "axiom"
        self._exceptions(item, pointer, statement)
        return statement if self._claim(item, pointer, statement) else None

    def _verification(self, value: object, pointer: str) -> StatementDecl | None:
        item = self._statement_object(value, pointer, "a verification", "find", "ask", "options")
        if item is None:
            return None
        statement = self._statement(item, pointer)
        statement.find = self._binders(item.get("find"), f"{pointer}/find")
        ask = self._given(item, "ask", pointer, self.shapes.one_of, ASKS)
        statement.ask = next((each for each in ASKS if each == ask), "must")
        claimed = item.get("constraint") is not None or item.get("implies") is not None
        # An empty list beside a claim says as little as an empty `forall`.
        if item.get("options") is None or (claimed and item["options"] == []):
            return statement if self._claim(item, pointer, statement) else None
        return statement if self._options(item, pointer, statement) else None

    def _options(self, item: Object, pointer: str, statement: StatementDecl) -> bool:
        """Reads the options of a question; whether each is well formed."""
        place = f"{pointer}/options"
        beside = [key for key in _CLAIM_KEYS if item.get(key) not in (None, [])]
        if beside:
            problem = f"`{beside[0]}` stands beside `options`"
            helps = [
                "the options are the claims; what the question supposes is a rule, or part of each option"
            ]
            self.sink.report(
                "POT1028", Place(f"{pointer}/{beside[0]}", on_key=True), problem=problem, helps=helps
            )
        if item["options"] == []:
            helps = ["list the claims to choose from in `options`, or write a `constraint`"]
            self.sink.report("POT1028", place, problem="the question has no options", helps=helps)
        what = "a list of options, each an object with `name` and `constraint`"
        statement.options = self._each(item["options"], place, what, self._option)
        wanted = len(item["options"]) if isinstance(item["options"], list) else 0
        return not beside and 0 < wanted == len(statement.options)

    def _option(self, value: object, pointer: str) -> StatementDecl | None:
        item = self._statement_object(value, pointer, "an option")
        if item is None:
            return None
        statement = self._statement(item, pointer)
        return statement if self._claim(item, pointer, statement) else None

    def _statement_object(self, value: object, pointer: str, what: str, *extra: str) -> Object | None:
        known = ("name", "forall", "exists", "constraint", "implies", *extra, "description")
        if isinstance(value, str):
            self._bare_formula(value, pointer, what)
            return None
        if isinstance(value, dict) and self._is_if_then(value, pointer, known):
            return None
        return self._object(value, pointer, f"{what}: an object with `constraint` or `implies`", known)

    def _statement(self, item: Object, pointer: str) -> StatementDecl:
        """A statement with its name and its binders, which claims nothing yet."""
        statement = StatementDecl(self._optional_name(item, pointer), pointer)
        self._quantifier(item, pointer, statement)
        return statement

    def _bare_formula(self, value: str, pointer: str, what: str) -> None:
        """Reports a formula where a statement is to stand."""
        meant = {"constraint": value}
        shown = json.dumps(meant, ensure_ascii=False)
        fix = Fix(f"write {shown[:200]}", Applicability.UNSAFE, (Patch("replace", pointer, meant),))
        expected = f"{what}: an object with `constraint` or `implies`"
        self.shapes.wrong_type(value, pointer, expected, [f"write {shown[:200]}"], [fix])

    def _is_if_then(self, value: Object, pointer: str, known: tuple[str, ...]) -> bool:
        """Whether an item has a premise and a conclusion of its own, which is reported."""
        names = [key for key in value if isinstance(key, str) and key not in known]
        pair = ("antecedent", "consequent")
        found = [
            next((key for key in names if key == one or key_meant(key, (one,), ()) == one), None)
            for one in pair
        ]
        first, second = found
        if first is None or second is None or {"implies", "constraint"} & value.keys():
            return False
        places = [join_pointer(pointer, key) for key in (first, second)]
        joined = [
            " and ".join(f"({each})" for each in part) if isinstance(part, list) else part
            for part in (value[first], value[second])
        ]
        implies = dict(zip(pair, joined, strict=True))
        edits = (
            Patch("remove", places[0]),
            Patch("remove", places[1]),
            Patch("add", f"{pointer}/implies", implies),
        )
        fix = Fix(
            f"write `implies` with `{first}` as `antecedent` and `{second}` as `consequent`",
            Applicability.UNSAFE,
            edits,
        )
        shown = json.dumps({"implies": implies}, ensure_ascii=False)
        place = Place(places[0], on_key=True)
        self.sink.report("POT1012", place, key=first, helps=[f"write {shown[:300]}"], fixes=[fix])
        return True

    def _exceptions(self, item: Object, pointer: str, statement: StatementDecl) -> None:
        unless = item.get("unless")
        if isinstance(unless, list):
            statement.unless = self._each(
                unless, f"{pointer}/unless", "a list of formulas", self.shapes.formula
            )
        elif unless is not None:
            found = self.shapes.formula(unless, f"{pointer}/unless")
            statement.unless = () if found is None else (found,)
        if item.get("overrides") is not None:
            place = f"{pointer}/overrides"
            statement.overrides = self.shapes.names(item["overrides"], place, "a list of names of rules")
        statement.default = bool(self._given(item, "default", pointer, self.shapes.boolean))

    def _quantifier(self, item: Object, pointer: str, statement: StatementDecl) -> None:
        universal, existential = item.get("forall"), item.get("exists")
        if _is_filled(universal) and _is_filled(existential):
            helps = ["write the inner quantifier in the constraint: `Exists([x: Sort], …)`"]
            self.sink.report("POT1015", pointer, keys="`forall` and `exists`", helps=helps)
        for quantifier, value in (("forall", universal), ("exists", existential)):
            if value is not None:
                binders = self._binders(value, f"{pointer}/{quantifier}")
                if binders:
                    statement.quantifier = quantifier
                    statement.binders += binders

    def _claim(self, item: Object, pointer: str, statement: StatementDecl) -> bool:
        """Reads `constraint` or `implies`; whether the statement says something well formed."""
        constraint, implies = item.get("constraint"), item.get("implies")
        if constraint is not None and implies is not None:
            helps = ["join them with And in one constraint, or write two statements"]
            self.sink.report("POT1015", pointer, keys="`constraint` and `implies`", helps=helps)
        if constraint is None and implies is None:
            self.shapes.missing("constraint", pointer, ["a statement has a `constraint` or `implies`"])
            return False
        if constraint is not None:
            statement.constraint = self.shapes.formula(constraint, f"{pointer}/constraint")
        if implies is None:
            return statement.constraint is not None
        place = f"{pointer}/implies"
        keys = ("antecedent", "consequent")
        pair = self._object(implies, place, "an object with `antecedent` and `consequent`", keys, keys)
        if pair is None:
            return False
        antecedent = self._formula(pair, "antecedent", place)
        consequent = self._formula(pair, "consequent", place)
        if constraint is not None:
            return statement.constraint is not None
        statement.antecedent, statement.consequent = antecedent, consequent
        return antecedent is not None and consequent is not None

    # --- the rest --------------------------------------------------------------------------------

    def _optimization(self) -> OptimizationDecl | None:
        value, pointer = self._found("optimization")
        if value is None:
            return None
        known = ("variables", "constraints", "objectives", "soft", "mode", "description")
        # Soft constraints are objectives enough.
        required = () if isinstance(value, dict) and _is_filled(value.get("soft")) else ("objectives",)
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

    def _actions(self) -> list[str] | None:
        if self._found("actions")[0] is None:
            return None
        return list(dict.fromkeys(self._section("actions", self._action)))

    def _action(self, value: object, pointer: str) -> str | None:
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

    def _import(self, value: object, pointer: str) -> ImportDecl | None:
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

    def _semantics(self) -> SemanticsDecl:
        value, pointer = self._found("semantics")
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

    def _lint(self) -> LintDecl:
        value, pointer = self._found("lint")
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

    # --- parts -----------------------------------------------------------------------------------

    def _object(
        self, value: object, pointer: str, what: str, known: tuple[str, ...], required: tuple[str, ...] = ()
    ) -> Object | None:
        item = self.shapes.object_of(value, pointer, what, known, required)
        if item is not None and "description" in known and item.get("description") is not None:
            self.shapes.string(item["description"], f"{pointer}/description")
        return item

    def _each(
        self, value: object, pointer: str, expected: str, read: Callable[[Any, str], T | None]
    ) -> list[T]:
        """The items of a list as `read` reads them, without those that it cannot read."""
        found: list[T] = []
        for item, at in self.shapes.items(value, pointer, expected):
            look()
            each = read(item, at)
            if each is not None:
                found.append(each)
        return found

    def _field(
        self, item: Object, key: str, pointer: str, read: Callable[..., T | None], *more: Any
    ) -> T | None:
        """The value under a key as `read` reads it; None where the key is missing."""
        return read(item[key], f"{pointer}/{key}", *more) if key in item else None

    def _given(
        self, item: Object, key: str, pointer: str, read: Callable[..., T | None], *more: Any
    ) -> T | None:
        """As `_field`, for a key that null leaves out."""
        return None if item.get(key) is None else self._field(item, key, pointer, read, *more)

    def _name(self, item: Object, pointer: str) -> str | None:
        return self._field(item, "name", pointer, self.shapes.name)

    def _optional_name(self, item: Object, pointer: str) -> str | None:
        return None if item.get("name") == "" else self._given(item, "name", pointer, self.shapes.name)

    def _formula(self, item: Object, key: str, pointer: str) -> Formula | None:
        return self._field(item, key, pointer, self.shapes.formula)

    def _read_as(self, written: str, meant: str, pointer: str) -> None:
        fix = Fix(f'write "{meant}"', Applicability.SAFE, (Patch("replace", pointer, meant),))
        self.sink.report("POT1017", pointer, found=f"`{written}`", meant=f"`{meant}`", fixes=[fix])


def _template(item: Object) -> str | None:
    """A description that may say how the item is said in words."""
    found = item.get("description")
    return found if isinstance(found, str) and "{" in found else None


def _is_filled(value: object) -> bool:
    return isinstance(value, list) and len(value) > 0


def _form(key: str) -> str:
    """A key without case, separators and a plural's `s`."""
    return _NOT_LETTERS.sub("", key.casefold()).rstrip("s")


def _plural(section: str) -> str:
    return {"knowledge_base": "facts"}.get(section, section)

"""Reads a PoT program, a JSON value, into the surface tree.

What it accepts is exactly what `schemas/pot-1.json` accepts (a property of the tests). What is not
well formed is reported and left out, the rest is read, so that one run finds all errors.
"""

from __future__ import annotations

import re
from typing import Any

from potlang.diag.model import Applicability, Fix, Patch, Place
from potlang.diag.near import nearest
from potlang.diag.sink import Sink
from potlang.expressions.expression import read_formula
from potlang.expressions.shapes import Object, Shapes
from potlang.expressions.surface import (
    BinderDecl,
    ConstantGroup,
    FactDecl,
    Formula,
    FunctionDecl,
    ImportDecl,
    ObjectiveDecl,
    OptimizationDecl,
    ParsedProgram,
    SemanticsDecl,
    SortDecl,
    StatementDecl,
)
from potlang.languages.pot.read.broken import broken_names
from potlang.languages.pot.read.sort_kinds import canonical_kind
from potlang.source.pointer import join_pointer

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
)
_FREE = ("$schema", "description")
_ACTIONS = ("verify_conditions", "verify", "optimize")
_FORMAT = re.compile(r"\bpot-(\d{1,9})(?!\d)")
_NOT_LETTERS = re.compile(r"[\W_]+")

Item = tuple[Any, str]


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
        self.pointers: dict[str, str] = {}
        self.sections: Object = {}

    def module(self) -> ParsedProgram:
        self._find_sections()
        module = ParsedProgram(
            sorts=self._section("sorts", self._sort),
            functions=self._section("functions", self._function),
            constants=self._constants(),
            variables=self._section("variables", self._variable),
            facts=self._facts(),
            rules=self._section("rules", self._rule),
            verifications=self._section("verifications", self._verification),
            optimization=self._optimization(),
            actions=self._actions(),
            imports=self._section("imports", self._import),
        )
        module.semantics = self._semantics()
        if self.sink.has_errors:
            module.broken = broken_names(self.sections, module)
        return module

    # --- sections --------------------------------------------------------------------------------

    def _find_sections(self) -> None:
        """Assigns the keys of the program to sections, misspelt ones with a warning."""
        for key, value in self.program.items():
            if key in SECTIONS:
                self._take(key, key, value)
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
            if meant is None or meant in self.pointers:
                self.shapes.unknown_key(key, self.program, "", SECTIONS)
                continue
            place = Place(join_pointer("", key), on_key=True)
            move = Patch("move", f"/{meant}", source=place.pointer)
            fix = Fix(f"rename the key to `{meant}`", Applicability.SAFE, (move,))
            self.sink.report("POT1016", place, key=key, meant=meant, fixes=[fix])
            self._take(meant, key, value)

    def _version(self, schema: str) -> None:
        """Reports a program that names another version of its format: it may mean what we do not read."""
        named = _FORMAT.search(schema)
        if named is not None and named[1] != "1":
            helps = [
                "convert it to version 1 (`urn:potlang:pot-1`), or use a potlang that reads this version"
            ]
            self.sink.report("POT1019", "/$schema", found=named[1], helps=helps)

    def _take(self, section: str, key: str, value: object) -> None:
        self.pointers[section] = join_pointer("", key)
        self.sections[section] = value

    def _items(self, section: str) -> list[Item]:
        pointer = self.pointers.get(section, f"/{section}")
        return self.shapes.items(self.sections.get(section), pointer, f"a list of {_plural(section)}")

    def _section(self, section: str, read: Any) -> list[Any]:
        found = [read(item, pointer) for item, pointer in self._items(section)]
        return [declaration for declaration in found if declaration is not None]

    # --- declarations ----------------------------------------------------------------------------

    def _sort(self, value: object, pointer: str) -> SortDecl | None:
        known = ("name", "type", "values", "fields", "description")
        item = self._object(
            value, pointer, "a sort: an object with `name` and `type`", known, ("name", "type")
        )
        if item is None:
            return None
        name = self._name(item, pointer)
        written = self.shapes.string(item["type"], f"{pointer}/type") if "type" in item else None
        kind = canonical_kind(written) if written is not None else None
        if kind is not None and written is not None and kind.warn:
            self._read_as(written, kind.name, f"{pointer}/type")
        values = self._enum_values(item, pointer, kind.name if kind else None)
        fields = self._fields(item, pointer, kind.name if kind else None)
        if name is None or kind is None:
            return None
        declaration = SortDecl(name, pointer, kind.name, values=values, fields=fields)
        if kind.name not in ("DeclareSort", "EnumSort", "TupleSort"):
            declaration.definition = self.shapes.sort(kind.text, f"{pointer}/type")
            return declaration if declaration.definition is not None else None
        return declaration

    def _enum_values(self, item: Object, pointer: str, kind: str | None) -> list[tuple[str, str]]:
        place = f"{pointer}/values"
        values = item.get("values")
        if kind == "EnumSort" and values is None:
            self.shapes.missing("values", pointer, ["an EnumSort lists its members in `values`"])
        elif kind == "EnumSort" and values == []:
            self.sink.report("POT1014", place, what="the list of an EnumSort's values")
        elif kind not in ("EnumSort", None) and values:
            self._only_for("values", "EnumSort", values, place)
            return []
        return self.shapes.names(values, place, "a list of names")

    def _fields(self, item: Object, pointer: str, kind: str | None) -> list[tuple[str, Any, str]]:
        place = f"{pointer}/fields"
        values = item.get("fields")
        if kind == "TupleSort" and values is None:
            self.shapes.missing("fields", pointer, ["a TupleSort lists its components in `fields`"])
        elif kind == "TupleSort" and values == []:
            self.sink.report("POT1014", place, what="the list of a TupleSort's fields")
        elif kind not in ("TupleSort", None) and values:
            self._only_for("fields", "TupleSort", values, place)
            return []
        fields = [self._variable(one, at) for one, at in self.shapes.items(values, place, "a list of fields")]
        return [(one.name, one.sort, one.pointer) for one in fields if one is not None]

    def _only_for(self, key: str, kind: str, value: object, place: str) -> None:
        if not isinstance(value, list):
            self.shapes.wrong_type(value, place, "a list")
            return
        fix = Fix(f"remove `{key}`", Applicability.UNSAFE, (Patch("remove", place),))
        helps = [f"`{key}` belongs to the type `{kind}`"]
        self.sink.report("POT1012", Place(place, on_key=True), key=key, helps=helps, fixes=[fix])

    def _function(self, value: object, pointer: str) -> FunctionDecl | None:
        known = ("name", "domain", "range", "params", "body", "description")
        what = "a function: an object with `name`, `domain` and `range`"
        item = self._object(value, pointer, what, known, ("name", "domain", "range"))
        if item is None:
            return None
        name = self._name(item, pointer)
        place = f"{pointer}/domain"
        if "domain" in item and item["domain"] is None:
            self.shapes.wrong_type(None, place, "a list of sorts")
        pairs = self.shapes.items(item.get("domain"), place, "a list of sorts")
        domain = [self.shapes.sort(sort, at) for sort, at in pairs]
        result = self.shapes.sort(item["range"], f"{pointer}/range") if "range" in item else None
        params = None
        if item.get("params") is not None:
            params = self._binders(item["params"], f"{pointer}/params")
        body = None
        if item.get("body") is not None:
            body = self.shapes.formula(item["body"], f"{pointer}/body")
        sorts = [sort for sort in domain if sort is not None]
        if name is None or result is None or len(sorts) != len(domain):
            return None
        return FunctionDecl(name, sorts, result, pointer, params or None, body)

    def _constants(self) -> list[ConstantGroup]:
        section = self.sections.get("constants")
        pointer = self.pointers.get("constants", "/constants")
        groups: list[ConstantGroup | None] = []
        if isinstance(section, dict):
            for group, value in section.items():
                groups.append(self._group(str(group), value, join_pointer(pointer, str(group))))
        else:
            expected = "an object of groups, or a list of groups"
            for value, place in self.shapes.items(section, pointer, expected):
                groups.append(self._named_group(value, place))
        return [group for group in groups if group is not None]

    def _named_group(self, value: object, pointer: str) -> ConstantGroup | None:
        keys = ("name", "sort", "members")
        what = "a group: an object with `name`, `sort` and `members`"
        item = self._object(value, pointer, what, (*keys, "description"), keys)
        if item is None:
            return None
        name = self._name(item, pointer)
        return self._members(name or "", item, pointer)

    def _group(self, group: str, value: object, pointer: str) -> ConstantGroup | None:
        if isinstance(value, list):
            helps = [f'write {{"sort": …, "members": […]}}: the constants of `{group}` need a sort']
            self.shapes.wrong_type(value, pointer, "an object with `sort` and `members`", helps)
            return None
        keys = ("sort", "members")
        what = "a group: an object with `sort` and `members`"
        item = self._object(value, pointer, what, (*keys, "description"), keys)
        return None if item is None else self._members(group, item, pointer)

    def _members(self, group: str, item: Object, pointer: str) -> ConstantGroup | None:
        sort = self.shapes.sort(item["sort"], f"{pointer}/sort") if "sort" in item else None
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
        sort = self.shapes.sort(item["sort"], f"{pointer}/sort") if "sort" in item else None
        return BinderDecl(name, sort, pointer) if name is not None and sort is not None else None

    def _binders(self, value: object, pointer: str) -> list[BinderDecl]:
        """Binders: objects with `name` and perhaps `sort`, or names alone."""
        found = [
            self._binder(item, at) for item, at in self.shapes.items(value, pointer, "a list of variables")
        ]
        return [binder for binder in found if binder is not None]

    def _binder(self, value: object, pointer: str) -> BinderDecl | None:
        if isinstance(value, str):
            alone = self.shapes.name(value, pointer)
            return BinderDecl(alone, None, pointer) if alone is not None else None
        what = "a variable: an object with `name` and `sort`"
        item = self._object(value, pointer, what, ("name", "sort", "description"), ("name",))
        if item is None:
            return None
        name = self._name(item, pointer)
        written = item.get("sort")
        sort = self.shapes.sort(written, f"{pointer}/sort") if written is not None else None
        return BinderDecl(name, sort, pointer) if name is not None else None

    # --- assertions ------------------------------------------------------------------------------

    def _facts(self) -> list[FactDecl]:
        sink = self.sink
        facts: list[FactDecl] = []
        for item, pointer in self._items("knowledge_base"):
            if isinstance(item, str):
                facts.append(FactDecl(None, read_formula(item, pointer, sink), True, (), pointer))
            else:
                fact = self._fact(item, pointer)
                if fact is not None:
                    facts.append(fact)
        return facts

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
        truth: bool | None = True
        if item.get("value") is not None:
            truth = self.shapes.boolean(item["value"], f"{pointer}/value")
        variables = self._binders(item.get("variables"), f"{pointer}/variables")
        if formula is None or truth is None:
            return None
        return FactDecl(name, formula, truth, variables, pointer)

    def _rule(self, value: object, pointer: str) -> StatementDecl | None:
        return self._statement(value, pointer, "a rule", "role")

    def _verification(self, value: object, pointer: str) -> StatementDecl | None:
        return self._statement(value, pointer, "a verification", "find")

    def _statement(self, value: object, pointer: str, what: str, extra: str) -> StatementDecl | None:
        known = ("name", "forall", "exists", "constraint", "implies", extra, "description")
        item = self._object(value, pointer, f"{what}: an object with `constraint` or `implies`", known)
        if item is None:
            return None
        statement = StatementDecl(self._optional_name(item, pointer), pointer)
        self._quantifier(item, pointer, statement)
        if extra == "role" and item.get("role") is not None:
            statement.role = self.shapes.one_of(item["role"], f"{pointer}/role", ("axiom", "norm")) or "axiom"
        if extra == "find":
            statement.find = self._binders(item.get("find"), f"{pointer}/find")
        return statement if self._claim(item, pointer, statement) else None

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
        value = self.sections.get("optimization")
        pointer = self.pointers.get("optimization", "/optimization")
        if value is None:
            return None
        known = ("variables", "constraints", "objectives", "mode", "description")
        item = self._object(value, pointer, "an object with `objectives`", known, ("objectives",))
        if item is None:
            return None
        variables = self._binders(item.get("variables"), f"{pointer}/variables")
        place = f"{pointer}/constraints"
        pairs = self.shapes.items(item.get("constraints"), place, "a list of expressions")
        constraints = [self.shapes.formula(one, at) for one, at in pairs]
        objectives = self._objectives(item, f"{pointer}/objectives")
        mode: str | None = "lexicographic"
        if item.get("mode") is not None:
            mode = self.shapes.one_of(item["mode"], f"{pointer}/mode", ("lexicographic", "pareto", "box"))
        good = [formula for formula in constraints if formula is not None]
        return OptimizationDecl(variables, good, objectives, mode or "lexicographic", pointer)

    def _objectives(self, item: Object, pointer: str) -> list[ObjectiveDecl]:
        value = item.get("objectives")
        if value == []:
            self.sink.report("POT1014", pointer, what="the list of objectives")
        if "objectives" in item and value is None:
            self.shapes.wrong_type(None, pointer, "a list of objectives")
        found = [
            self._objective(one, at) for one, at in self.shapes.items(value, pointer, "a list of objectives")
        ]
        return [objective for objective in found if objective is not None]

    def _objective(self, value: object, pointer: str) -> ObjectiveDecl | None:
        keys = ("type", "expression")
        what = "an objective: an object with `type` and `expression`"
        item = self._object(value, pointer, what, (*keys, "name", "description"), keys)
        if item is None:
            return None
        name = self._optional_name(item, pointer)
        direction = None
        if "type" in item:
            direction = self.shapes.one_of(item["type"], f"{pointer}/type", ("minimize", "maximize"))
        expression = self._formula(item, "expression", pointer)
        if direction is None or expression is None:
            return None
        return ObjectiveDecl(name, direction, expression, pointer)

    def _actions(self) -> list[str] | None:
        if self.sections.get("actions") is None:
            return None
        actions: list[str] = []
        for item, pointer in self._items("actions"):
            text = self.shapes.string(item, pointer, "the name of an action")
            if text is None:
                continue
            if text not in _ACTIONS:
                self._unknown_action(text, pointer)
                continue
            actions.append("verify_conditions" if text == "verify" else text)
        return list(dict.fromkeys(actions))

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
        pack = self.shapes.name(item["pack"], f"{pointer}/pack") if "pack" in item else None
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
        value = self.sections.get("semantics")
        pointer = self.pointers.get("semantics", "/semantics")
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

    # --- parts -----------------------------------------------------------------------------------

    def _object(
        self, value: object, pointer: str, what: str, known: tuple[str, ...], required: tuple[str, ...] = ()
    ) -> Object | None:
        item = self.shapes.object_of(value, pointer, what, known, required)
        if item is not None and "description" in known and item.get("description") is not None:
            self.shapes.string(item["description"], f"{pointer}/description")
        return item

    def _name(self, item: Object, pointer: str) -> str | None:
        return self.shapes.name(item["name"], f"{pointer}/name") if "name" in item else None

    def _optional_name(self, item: Object, pointer: str) -> str | None:
        name = item.get("name")
        return None if name in (None, "") else self.shapes.name(name, f"{pointer}/name")

    def _formula(self, item: Object, key: str, pointer: str) -> Formula | None:
        return self.shapes.formula(item[key], f"{pointer}/{key}") if key in item else None

    def _read_as(self, written: str, meant: str, pointer: str) -> None:
        fix = Fix(f'write "{meant}"', Applicability.SAFE, (Patch("replace", pointer, meant),))
        self.sink.report("POT1017", pointer, found=f"`{written}`", meant=f"`{meant}`", fixes=[fix])


def _is_filled(value: object) -> bool:
    return isinstance(value, list) and len(value) > 0


def _form(key: str) -> str:
    """A key without case, separators and a plural's `s`."""
    return _NOT_LETTERS.sub("", key.casefold()).rstrip("s")


def _plural(section: str) -> str:
    return {"knowledge_base": "facts"}.get(section, section)

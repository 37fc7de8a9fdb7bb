"""Programs of the core as text of the IR: declarations, facts, rules, claims: [POT-PROG-1] to [POT-SEM-2]."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .closing import Assumed, closed
from .exceptions import OverridableRule
from .formulas import NAMED, Binder, Function, KnownNames, RootReader
from .lexer import NotCovered
from .terms import Typed, sort_text

MOST_BYTES = 1 << 26
_SECTIONS = ("sorts", "functions", "constants", "variables", "knowledge_base", "rules", "verifications")
_MEANT = frozenset((*_SECTIONS, "optimization", "actions", "semantics"))
_ACTIONS = MappingProxyType({"verify_conditions": "verify", "verify": "verify", "optimize": "optimize"})
_TRUTH_VALUES = ("True", "true", "False", "false")


def reread(source: bytes) -> str:
    """The program as text of the IR. Raises `NotCovered` for what is beyond the core, or no program."""
    try:
        if len(source) > MOST_BYTES:
            raise NotCovered("a very large file")
        value = json.loads(source.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refused)
    except RecursionError:
        raise NotCovered("JSON that is nested very deeply") from None
    except ValueError:
        raise NotCovered("a text that is no JSON") from None
    return _Program(_checked(value, (*_MEANT, "imports", "$schema", "lint", "document"))).text()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotCovered("an object with one key twice")
    # null counts as absent, as the schema says.
    return {key: value for key, value in found.items() if value is not None}


def _refused(word: str) -> None:
    raise NotCovered(f"{word} in JSON")


def _checked(value: object, keys: Sequence[str], required: Sequence[str] = ()) -> dict[str, Any]:
    """An object with these keys."""
    if not isinstance(value, dict):
        raise NotCovered("something else where the schema has an object")
    # What an item cites changes no meaning ([CITE-ITEM]).
    unknown = value.keys() - {*keys, "description", "cites"}
    if unknown or not value.keys() >= set(required):
        names = ", ".join(map(ascii, sorted(unknown)))
        raise NotCovered(f"an object with other keys than the schema's: {names}")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise NotCovered("something else where the schema has a list")
    return value


def _name(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise NotCovered("a name that is no text")
    # Which spellings are one name the spec leaves open; white space at the ends likewise.
    if value in NAMED or value in _TRUTH_VALUES or value != value.strip():
        raise NotCovered(f"the name {value!r}")
    if not unicodedata.is_normalized("NFKC", value):
        raise NotCovered("a name with several spellings in Unicode")
    return value


class _Program:
    """The lines of one program: declarations first, then what is said with them."""

    def __init__(self, value: dict[str, Any]) -> None:
        self._value = value
        self._names = KnownNames()
        self._lines: list[str] = []
        self._constants: dict[str, list[str]] = {}
        self._declared: list[str] = []
        self._closed: dict[str, tuple[str, ...]] = {}
        self._assumed: list[Assumed] = []
        self._facts: list[tuple[str, list[str]]] = []
        self._distinct: dict[str, list[str]] = {}
        """The members of sorts that have no others, and of which no two may be the same."""
        self._open: list[str] = []
        """Declared sorts, which may have members without a name."""

    def text(self) -> str:
        """The whole. Raises `NotCovered`."""
        value = self._value
        if value.get("imports"):
            raise NotCovered("imports")
        if value.get("$schema", "urn:potlang:pot-1") != "urn:potlang:pot-1":
            raise NotCovered("another version of the format")
        self._sorts(_list(value.get("sorts", [])))
        self._functions(_list(value.get("functions", [])))
        self._groups(value.get("constants", {}))
        for item in _list(value.get("variables", [])):
            item = _checked(item, ("name", "sort"), ("name", "sort"))
            name = self._new(item["name"])
            self._names.variables[name] = self._names.sort(item["sort"])
        self._semantics(_checked(value.get("semantics", {}), ("unique_names", "closed_domain")))
        for number, item in enumerate(_list(value.get("knowledge_base", []))):
            self._fact(f"f{number}", item)
        self._rules(_list(value.get("rules", [])))
        if self._closed:
            declared, completions = closed(self._closed, self._assumed, self._distinct)
            self._declared += declared
            for key, root in completions:
                self._assert(key, root)
        for number, item in enumerate(_list(value.get("verifications", []))):
            self._verification(f"v{number}", _checked(item, (*_STATEMENT, "find", "ask", "options")))
        if "optimization" in value:
            self._optimization(value["optimization"])
        free = [
            f"(declare free {json.dumps(name)} () {sort_text(sort)})"
            for name, sort in self._names.free.items()
        ]
        actions = value.get("actions", ["verify", "optimize"])
        if not all(isinstance(action, str) and action in _ACTIONS for action in _list(actions)):
            raise NotCovered("an unknown action")
        words = " ".join(json.dumps(word) for word in dict.fromkeys(_ACTIONS[action] for action in actions))
        lines = [
            "(potlang-ir 1)",
            *self._declared,
            *free,
            *self._lines,
            f"(actions {words})".replace(" )", ")"),
        ]
        return "\n".join(lines) + "\n"

    # --- declarations ---

    def _new(self, value: object) -> str:
        """A name that nothing else has."""
        name = _name(value)
        if name in self._names.functions or name in self._names.variables:
            raise NotCovered(f"a second declaration of {name!r}")
        return name

    def _sorts(self, items: list[Any]) -> None:
        """[SORT-DECL-1] to [SORT-DECL-6], without constructed sorts"""
        aliases: dict[str, str] = {}
        for item in items:
            item = _checked(item, ("name", "type", "values", "fields"), ("name", "type"))
            name, kind = _name(item["name"]), item["type"]
            known = name in aliases or name in self._names.sorts
            if item.get("fields") or not isinstance(kind, str):
                raise NotCovered("a sort with fields")
            if kind in ("DeclareSort", "EnumSort"):
                if known or name != name.strip() or "(" in name:
                    raise NotCovered(f"a second sort {name!r}")
                self._names.sorts[name] = name
                self._members(kind, name, _list(item.get("values", [])))
            elif item.get("values") or (known and self._names.sorts.get(name) != self._names.sorts.get(kind)):
                raise NotCovered(f"the sort {name!r}")
            elif not known:
                aliases[name] = kind
        # One alias may name another that comes later; each round resolves one at least.
        while aliases:
            ready = [name for name, kind in aliases.items() if kind in self._names.sorts]
            if not ready:
                raise NotCovered(f"the type {next(iter(aliases.values()))!r}")
            for name in ready:
                self._names.sorts[name] = self._names.sorts[aliases.pop(name)]

    def _members(self, kind: str, name: str, values: list[Any]) -> None:
        if kind == "DeclareSort":
            if values:
                raise NotCovered("a declared sort with values")
            self._open.append(name)
            self._declared.append(f"(sort {json.dumps(name)})")
            return
        if not values:
            raise NotCovered("an enum without values")
        for value in values:
            text = json.dumps(self._new(value))
            word = f"(lit {json.dumps(name)} {text})"
            self._names.functions[value] = Function(word, (), name)
            self._distinct.setdefault(name, []).append(word)
            self._names.members.setdefault(name, []).append(Typed(word, name))
        self._names.listed.add(name)
        self._declared.append(f"(enum {' '.join(json.dumps(each) for each in (name, *values))})")

    def _functions(self, items: list[Any]) -> None:
        """[POT-DECL-2]"""
        for item in items:
            item = _checked(item, _FUNCTION, _FUNCTION[:3])
            if "body" in item or item.get("params"):
                raise NotCovered("a defined function")
            domain = tuple(self._names.sort(sort) for sort in _list(item["domain"]))
            self._declare(item["name"], domain, self._names.sort(item["range"]))
            if item.get("closed"):
                if self._names.sort(item["range"]) != "Bool":
                    raise NotCovered("a closed function that is no predicate")
                self._closed[item["name"]] = domain

    def _declare(self, value: object, domain: tuple[str, ...], range_: str) -> None:
        name = self._new(value)
        self._names.functions[name] = Function(json.dumps(name), domain, range_)
        if not domain:
            self._constants.setdefault(range_, []).append(name)
            if range_ in self._open:
                self._names.members.setdefault(range_, []).append(Typed(json.dumps(name), range_))
        kind = "function" if domain else "constant"
        sorts = " ".join(map(sort_text, domain))
        self._declared.append(f"(declare {kind} {json.dumps(name)} ({sorts}) {sort_text(range_)})")

    def _groups(self, groups: object) -> None:
        """[POT-DECL-4]"""
        if isinstance(groups, dict):
            items = [_checked(item, ("sort", "members"), ("sort", "members")) for item in groups.values()]
        else:
            items = [
                _checked(item, ("name", "sort", "members"), ("sort", "members")) for item in _list(groups)
            ]
        for item in items:
            sort = self._names.sort(item["sort"])
            for member in _list(item["members"]):
                self._declare(member, (), sort)

    def _semantics(self, value: Mapping[str, object]) -> None:
        """[POT-SEM-1], [POT-SEM-2]"""
        unique, closed = (self._chosen(value.get(key, False)) for key in ("unique_names", "closed_domain"))
        self._names.listed.update(sort for sort in unique if sort in closed)
        for sort in unique:
            members = [json.dumps(name) for name in self._constants.get(sort, [])]
            if len(members) > 1:
                self._assert(f"s:unique names of {sort}", f"(distinct {' '.join(members)})")
        for sort in closed:
            equal = [f"(= ?.0 {json.dumps(name)})" for name in self._constants.get(sort, [])]
            if not equal:
                raise NotCovered("a closed sort without constants")
            body = f"(or {' '.join(equal)})" if len(equal) > 1 else equal[0]
            root = f"(vars (?.0 {sort_text(sort)})) (forall (?.0) {body})"
            self._assert(f"s:closed domain of {sort}", root)
            if sort in unique:
                self._distinct[sort] = [json.dumps(name) for name in self._constants[sort]]

    def _chosen(self, choice: object) -> list[str]:
        """The sorts that a choice names; all declared ones for true."""
        if isinstance(choice, bool):
            return self._open if choice else []
        found = [self._names.sort(name) for name in _list(choice)]
        if len(set(found)) < len(found) or not set(found) <= set(self._open):
            raise NotCovered("a choice of sorts that are not declared ones")
        return found

    # --- statements ---

    def _assert(self, key: str, root: str) -> None:
        self._lines.append(f'(assert {json.dumps(key)} "" fact {root})')

    def _assume(self, key: str, reader: RootReader, formula: str) -> None:
        """A fact or an axiom, which may define a closed predicate."""
        self._assert(key, reader.root(formula))
        if self._closed:
            self._assumed.append(Assumed(formula, reader.sorts))

    def _fact(self, key: str, item: object) -> None:
        """[POT-KB-1] to [POT-KB-3]"""
        if not isinstance(item, dict):
            item = {"assertion": item}
        item = _checked(item, ("assertion", "value", "variables", "name"), ("assertion",))
        wanted = item.get("value", True)
        if not isinstance(wanted, bool):
            raise NotCovered("a value that is no truth value")
        reader = RootReader(self._names, self._local(item.get("variables", [])))
        found = reader.formula(item["assertion"])
        found = found if wanted else f"(not {found})"
        self._facts.append((found, reader.sorts))
        self._assume(key, reader, found)

    def _rules(self, items: Sequence[Any]) -> None:
        """[POT-RULE-1] to [POT-RULE-3], [EXC-OVERRIDES], [EXC-DEFAULT]"""
        checked = [_checked(item, (*_STATEMENT, "role", "unless", "overrides", "default")) for item in items]
        readers = [RootReader(self._names) for _ in items]
        rules = [self._excepted(*pair) for pair in zip(readers, checked, strict=True)]
        names = [item.get("name") or f"rule {number}" for number, item in enumerate(checked, 1)]
        for rule, item in zip(rules, checked, strict=True):
            for name in _list(item.get("overrides", [])):
                for other, known in zip(rules, names, strict=True):
                    if name == known:
                        other.overriding.append(rule)
        defaults = [rule for rule, item in zip(rules, checked, strict=True) if item.get("default")]
        if defaults and any(item.get("role") == "norm" for item in checked):
            raise NotCovered("a default beside norms")
        facts = [OverridableRule(formula, (), sorts) for formula, sorts in self._facts] if defaults else []
        for rule in defaults:
            rule.oppose([*rules, *facts])
        for number, (rule, reader, item) in enumerate(zip(rules, readers, checked, strict=True)):
            role = item.get("role", "axiom")
            if role == "axiom":
                self._assume(f"r{number}", reader, rule.formula())
            elif role == "norm":
                self._lines.append(f'(norm "n{number}" "" () {reader.root(rule.formula())})')
            else:
                raise NotCovered("an unknown role")

    def _excepted(self, reader: RootReader, item: Mapping[str, Any]) -> OverridableRule:
        """A rule with the exceptions of its own."""
        unless = item.get("unless", [])
        found, exceptions = self._statement(reader, item, unless if isinstance(unless, list) else [unless])
        if exceptions and item.get("exists"):
            raise NotCovered("`unless` of a rule with `exists`")
        return OverridableRule(found, exceptions, reader.sorts)

    def _verification(self, key: str, item: Mapping[str, Any]) -> None:
        """[POT-VER-ASK], [POT-VER-OPTIONS]: modes and questions change no claim"""
        if item.get("ask", "must") not in ("must", "could", "cannot", "need_not"):
            raise NotCovered("an unknown mode")
        options = _list(item.get("options", []))
        if not options:
            self._claim(key, item)
        elif any(item.get(each) for each in (*_STATEMENT[1:], "find")):
            raise NotCovered("a question with a claim of its own")
        for number, option in enumerate(options):
            self._claim(f"{key}.{number}", _checked(option, _STATEMENT))

    def _claim(self, key: str, item: Mapping[str, Any]) -> None:
        """[POT-VER-1], [POT-VER-2]"""
        reader = RootReader(self._names)
        with reader.bound(self._binders(reader, item.get("find", []))) as variables:
            found, _ = self._statement(reader, item)
        asked = " ".join(variables)
        self._lines.append(f'(claim {json.dumps(key)} "" ({asked}) {reader.root(found)})')

    def _optimization(self, item: object) -> None:
        """[POT-OPT-1], without names that mean nothing"""
        keys = ("variables", "constraints", "objectives", "mode")
        item = _checked(item, keys, ("objectives",))
        mode = item.get("mode", "lexicographic")
        if mode not in ("lexicographic", "pareto", "box") or not _list(item["objectives"]):
            raise NotCovered("an unknown mode, or no objective")
        self._lines.append(f"(optimize {json.dumps(mode)})")
        local = self._local(item.get("variables", []))
        for number, constraint in enumerate(_list(item.get("constraints", []))):
            reader = RootReader(self._names, local)
            root = reader.root(reader.formula(constraint))
            self._lines.append(f'(constraint "c{number}" "" constraint {root})')
        for goal in _list(item["objectives"]):
            goal = _checked(goal, ("name", "type", "expression"), ("type", "expression"))
            if goal["type"] not in ("minimize", "maximize"):
                raise NotCovered("an objective of another type")
            reader = RootReader(self._names, local)
            root = reader.root(reader.number(goal["expression"]))
            self._lines.append(f'(objective "" {json.dumps(goal["type"])} {root})')

    def _local(self, items: object) -> dict[str, str]:
        """Variables that are declared for one fact or section."""
        reader = RootReader(self._names)
        local: dict[str, str] = {}
        for each in self._binders(reader, items):
            if each.name in local or each.name in self._names.functions:
                raise NotCovered("a local variable that hides a name")
            local[each.name] = each.sort
        return local

    def _statement(
        self, reader: RootReader, item: Mapping[str, Any], unless: Sequence[object] = ()
    ) -> tuple[str, list[str]]:
        """The formula of a rule or claim under its binders, and its exceptions."""
        if ("implies" in item) == ("constraint" in item) or (item.get("forall") and item.get("exists")):
            raise NotCovered("a statement that is none or two of the schema's")
        word = "forall" if item.get("forall") else "exists"
        with reader.bound(self._binders(reader, item.get(word, []))) as variables:
            if "constraint" in item:
                found = reader.formula(item["constraint"])
            else:
                pair = _checked(item["implies"], _IMPLIES, _IMPLIES)
                found = f"(=> {' '.join(reader.formula(pair[part]) for part in _IMPLIES)})"
            exceptions = [reader.formula(each) for each in unless]
        return f"({word} ({' '.join(variables)}) {found})" if variables else found, exceptions

    def _binders(self, reader: RootReader, items: object) -> list[Binder]:
        found = []
        for item in _list(items):
            if isinstance(item, str):
                found.append(reader.binder(_name(item)))
            else:
                item = _checked(item, ("name", "sort"), ("name",))
                found.append(reader.binder(_name(item["name"]), item.get("sort")))
        return found


_FUNCTION = ("name", "domain", "range", "params", "body", "closed")
_STATEMENT = ("name", "forall", "exists", "constraint", "implies")
_IMPLIES = ("antecedent", "consequent")

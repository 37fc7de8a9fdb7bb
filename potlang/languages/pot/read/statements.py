"""Reads what a program says and asks: facts, rules and verifications."""

from __future__ import annotations

import json

from potlang.diag.model import Applicability, Fix, Patch, Place
from potlang.expressions.other_keys import key_meant
from potlang.expressions.shapes import Object
from potlang.expressions.surface import FactDecl, StatementDecl
from potlang.ir.module import ASKS
from potlang.languages.pot.read.items import ItemReader, is_filled
from potlang.source.pointer import join_pointer

_CLAIM_KEYS = ("constraint", "implies", "forall", "exists", "find")
"""The keys of a claim, which only the options of a question have."""


class StatementReader(ItemReader):
    """Reads the items of `knowledge_base`, `rules` and `verifications`."""

    def fact(self, value: object, pointer: str) -> FactDecl | None:
        """A formula by itself, or an object with `assertion`; None, with reports, if it is malformed."""
        if not isinstance(value, dict):
            formula = self.shapes.formula(value, pointer)
            return FactDecl(None, formula, True, (), pointer) if formula is not None else None
        known = ("assertion", "value", "variables", "name", "description", "cites")
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

    def rule(self, value: object, pointer: str) -> StatementDecl | None:
        """A statement with its role and its exceptions; None, with reports, if it is malformed."""
        item = self._statement_object(
            value, pointer, "a rule", "role", "unless", "overrides", "default", "cites"
        )
        if item is None:
            return None
        statement = self._statement(item, pointer)
        role = self._given(item, "role", pointer, self.shapes.one_of, ("axiom", "norm"))
        statement.role = role or "axiom"
        self._exceptions(item, pointer, statement)
        return statement if self._claim(item, pointer, statement) else None

    def verification(self, value: object, pointer: str) -> StatementDecl | None:
        """A claim, or a question with options; None, with reports, if it is malformed."""
        item = self._statement_object(value, pointer, "a verification", "find", "ask", "options", "cites")
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
        if is_filled(universal) and is_filled(existential):
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

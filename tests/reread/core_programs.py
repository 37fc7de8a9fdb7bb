"""Random programs of the core, as their authors might write them: many spellings, few parentheses."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

FUNCTIONS = {
    "p": (("P",), "Bool"),
    "r": (("P", "P"), "Bool"),
    "big": (("Int",), "Bool"),
    "f": (("P",), "P"),
    "n": (("P",), "Int"),
    "w": (("P", "Real"), "Real"),
    "hard hat": (("P", "Bool"), "Bool"),
    "paint": (("P",), "Colour"),
    "m": ((), "Int"),
    "on": ((), "Bool"),
}
CONSTANTS = {"a": "P", "b": "P", "x1": "Real", "k": "Int"}
COLOURS = ("red", "green", "hot pink")
VARIABLES = {"x": "P", "y": "P", "i": "Int", "z": "Real"}
SORTS = ("P", "Int", "Real", "Bool", "Colour")


class CoreProgram:
    """Makes one program from a seed."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.bound: list[tuple[str, str]] = []

    def program(self) -> dict[str, Any]:
        """The JSON value."""
        rng = self.rng
        value: dict[str, Any] = {
            "sorts": [
                {"name": "P", "type": "DeclareSort"},
                {"name": "Colour", "type": "EnumSort", "values": list(COLOURS)},
                {"name": "Amount", "type": rng.choice(["Int", "IntSort"])},
            ],
            "functions": [
                {"name": name, "domain": [self.sort(each) for each in domain], "range": self.sort(range_)}
                for name, (domain, range_) in FUNCTIONS.items()
            ],
            "constants": {
                f"group {name}": {"sort": self.sort(sort), "members": [name]}
                for name, sort in CONSTANTS.items()
            },
            "variables": [{"name": name, "sort": sort} for name, sort in VARIABLES.items()],
        }
        value["knowledge_base"] = [self.fact() for _ in range(rng.randint(1, 3))]
        value["rules"] = [self.statement("role") for _ in range(rng.randint(0, 2))]
        value["verifications"] = [self.verification() for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.3:
            value["semantics"] = rng.choice(
                [
                    {"unique_names": True},
                    {"closed_domain": ["P"]},
                    {"unique_names": ["P"], "closed_domain": True},
                ]
            )
        if rng.random() < 0.3:
            value["actions"] = rng.choice([["verify"], ["verify_conditions", "optimize"], []])
        return value

    def sort(self, name: str) -> str:
        """A spelling of a sort."""
        if name == "Int":
            return self.rng.choice(["Int", "IntSort", "Amount"])
        return self.rng.choice([name, f"{name}Sort"]) if name in ("Bool", "Real") else name

    def fact(self) -> Any:
        """A text, or an object with all that one may have."""
        rng = self.rng
        if rng.random() < 0.6:
            return self.formula(3)
        found: dict[str, Any] = {"assertion": self.formula(2), "value": rng.choice([True, False, None])}
        if rng.random() < 0.3:
            found["variables"] = [{"name": "loose", "sort": "Int"}]
            found["assertion"] = f"loose < {self.term('Int', 1)}"
        return found

    def verification(self) -> dict[str, Any]:
        """A claim or a question, in some mode."""
        rng = self.rng
        asked = {"ask": rng.choice(["must", "could", "cannot", "need_not", None])}
        if rng.random() < 0.2:
            options = [{**self.statement(""), "name": label} for label in "AB"]
            return {**asked, "options": options, "constraint": None}
        return self.statement("find") | (asked if rng.random() < 0.3 else {})

    def statement(self, extra: str) -> dict[str, Any]:
        """A rule, a claim or an option."""
        rng = self.rng
        found: dict[str, Any] = {}
        if extra == "role" and rng.random() < 0.5:
            found["role"] = rng.choice(["axiom", "norm", None])
        elif extra == "find" and rng.random() < 0.3:
            found["find"] = [self.binder("v")]
        if rng.random() < 0.7:
            names = rng.sample(list(VARIABLES), rng.randint(1, 2))
            found[rng.choice(["forall", "exists"])] = [self.binder(name) for name in names]
        if rng.random() < 0.5:
            found["implies"] = {"antecedent": self.formula(2), "consequent": self.formula(2)}
        else:
            found["constraint"] = self.formula(3)
        self.bound.clear()
        return found

    def binder(self, name: str) -> Any:
        """A binder of a statement, in scope from here on."""
        sort = VARIABLES.get(name) or self.rng.choice(SORTS)
        self.bound.append((name, sort))
        if name in VARIABLES and self.rng.random() < 0.5:
            return self.rng.choice([name, {"name": name}])
        return {"name": name, "sort": self.sort(sort)}

    # --- formulas ---

    def formula(self, depth: int) -> str:
        """A formula; what stands in it may bind otherwise than it was made."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.1:
            return self.atom(0)
        kind = rng.randrange(10)
        if kind < 3:
            sign = rng.choice([" and ", " or ", " -> ", " <-> ", " ∧ ", " ∨ ", " → ", " ↔ ", " == ", " != "])
            return sign.join(self.part(depth - 1) for _ in range(rng.randint(2, 3)))
        if kind == 3:
            return f"{rng.choice(['not ', '¬', 'not not '])}{self.part(depth - 1)}"
        if kind < 6:
            return self.counted(depth) if rng.random() < 0.3 else self.applied(depth)
        return self.quantified(depth) if kind == 6 else self.atom(depth - 1)

    def part(self, depth: int) -> str:
        """A formula, mostly without parentheses around."""
        found = self.formula(depth)
        return f"({found})" if self.rng.random() < 0.4 else found

    def applied(self, depth: int) -> str:
        """A connective as a function."""
        rng = self.rng
        name = rng.choice(["And", "Or", "Not", "Implies", "Iff", "Xor", "If", "And", "Or"])
        many = {"Not": 1, "Implies": 2, "Iff": 2, "Xor": 2, "If": 3}.get(name) or rng.randint(0, 3)
        args = ", ".join(self.formula(depth - 1) for _ in range(many))
        return f"{name}([{args}])" if name in ("And", "Or") and rng.random() < 0.3 else f"{name}({args})"

    def counted(self, depth: int) -> str:
        """A cardinality of formulas, or of members."""
        rng = self.rng
        if rng.random() < 0.2:
            return f"Between({', '.join(self.number(depth - 1) for _ in range(3))})"
        name = rng.choice(["AtMost", "AtLeast", "Exactly", "ExactlyOne", "AtMostOne", "AtLeastOne", "NoneOf"])
        over = rng.random() < 0.5
        bounds = ["0", "1", "2"] if over else ["0", "1", "2", "m", "n(a)"]
        bound = [rng.choice(bounds)] if name in ("AtMost", "AtLeast", "Exactly") else []
        if over:
            name = rng.choice([name, "ExistsUnique"])
            bound = [] if name == "ExistsUnique" else bound
            parts = [self.over_members(depth, lambda: self.formula(0))]
        else:
            parts = [self.formula(0) for _ in range(rng.randint(1, 3))]
            parts = [f"[{', '.join(parts)}]"] if rng.random() < 0.5 else parts
        parts = [*bound, *parts] if rng.random() < 0.7 else [*parts, *bound]
        return f"{name}({', '.join(parts)})"

    def over_members(self, depth: int, body: Callable[[], str]) -> str:
        """Binders in brackets, and what is said of their members."""
        binders = self.rng.sample([("u", "Colour"), ("v", "P"), ("w", "Bool")], self.rng.randint(1, 2))
        self.bound += binders
        found = f"[{', '.join(f'{name}: {sort}' for name, sort in binders)}], {body()}"
        del self.bound[len(self.bound) - len(binders) :]
        return found

    def quantified(self, depth: int) -> str:
        """A quantifier, in one of its forms."""
        rng = self.rng
        name = rng.choice([*VARIABLES, "v", "a"])
        sort = VARIABLES.get(name) or CONSTANTS.get(name) or rng.choice(SORTS)
        inline = name not in VARIABLES or rng.random() < 0.4
        binder = f"{name}: {self.sort(sort)}" if inline else name
        self.bound.append((name, sort))
        body = self.formula(depth - 1)
        self.bound.pop()
        form = rng.choice(["({}, {})", "([{}], {})", "([{},], {})"])
        return rng.choice(["ForAll", "Exists"]) + form.format(binder, body)

    def atom(self, depth: int) -> str:
        """An atom."""
        rng = self.rng
        kind = rng.randrange(8)
        if kind < 2:
            signs = [
                rng.choice(["<", "<=", ">", ">=", "==", "!=", "≤", "≥", "≠"])
                for _ in range(rng.randint(1, 2))
            ]
            parts = [self.number(depth) for _ in range(len(signs) + 1)]
            return parts[0] + "".join(f" {sign} {part}" for sign, part in zip(signs, parts[1:], strict=True))
        if kind == 2:
            sort = rng.choice(["P", "Colour", "Int"])
            items = ", ".join(self.term(sort, depth) for _ in range(rng.randint(2, 3)))
            listed = rng.choice(["[{}]", "{{{}}}", "({})"]).format(items)
            return f"{self.term(sort, depth)} {rng.choice(['in', 'not in'])} {listed}"
        if kind == 3:
            sort = rng.choice(["P", "Colour", "Int", "Real"])
            return f"Distinct({', '.join(self.term(sort, depth) for _ in range(rng.randint(2, 3)))})"
        if kind == 4:
            sort = rng.choice(["P", "Colour"])
            return f"{self.term(sort, depth)} {rng.choice(['==', '!='])} {self.term(sort, depth)}"
        return self.term("Bool", depth)

    def number(self, depth: int) -> str:
        """A term of either sort of numbers."""
        return self.term(self.rng.choice(["Int", "Int", "Real"]), depth)

    def term(self, sort: str, depth: int) -> str:
        """A term of that sort."""
        rng = self.rng
        named = [name for name, own in reversed(self.bound) if own == sort]
        named += [name for name, own in [*CONSTANTS.items(), *VARIABLES.items()] if own == sort]
        if depth > 0 and sort in ("Int", "Real") and rng.random() < 0.6:
            return self.arithmetic(sort, depth)
        made = [name for name, (_, range_) in FUNCTIONS.items() if range_ == sort]
        if depth > 0 and made and rng.random() < 0.6:
            name = rng.choice(made)
            args = ", ".join(self.term(each, depth - 1) for each in FUNCTIONS[name][0])
            called = f"`{name}`" if " " in name or rng.random() < 0.2 else name
            return f"{called}({args})" if args or rng.random() < 0.5 else called
        if sort == "Bool":
            return rng.choice(["True", "false", "on", f"p({self.term('P', 0)})"])
        if sort == "Colour":
            return rng.choice(["red", "green", "`hot pink`"])
        if sort == "Int" and rng.random() < 0.5:
            return rng.choice(["0", "7", "12"])
        if sort == "Real" and rng.random() < 0.5:
            return rng.choice(["0.5", ".25", "1e2", "2.50", "3"])
        return rng.choice(named)

    def arithmetic(self, sort: str, depth: int) -> str:
        """A sum, product and the like."""
        rng = self.rng

        def inner() -> str:
            found = self.term(sort, depth - 1)
            return f"({found})" if rng.random() < 0.3 else found

        signs = ["+", "-", "*", "+", "*"] + (["/"] if sort == "Real" else ["//", "%"])
        match rng.randrange(6):
            case 0 | 1 | 2:
                sign = rng.choice(signs)
                return f" {rng.choice([sign, sign, rng.choice(signs)])} ".join(
                    inner() for _ in range(rng.randint(2, 3))
                )
            case 3:
                return f"-{inner()}" if rng.random() < 0.6 else f"{inner()} ** {rng.randrange(4)}"
            case 4:
                name = rng.choice(["Sum", "Product", "Abs", "Min", "Max"])
                if name == "Abs":
                    return f"Abs({self.term(sort, depth - 1)})"
                if rng.random() < 0.3:
                    return f"{name}({self.over_members(depth, lambda: self.arithmetic_item(sort, 1))})"
                return f"{name}([{', '.join(self.arithmetic_item(sort, depth) for _ in range(2))}])"
            case _:
                if sort == "Int" and rng.random() < 0.3:
                    return f"Count([{self.formula(0)}, {self.formula(0)}])"
                then, other = (self.term(sort, depth - 1) for _ in range(2))
                return f"If({self.formula(0)}, {then}, {other})"

    def arithmetic_item(self, sort: str, depth: int) -> str:
        """An item of an aggregate's list; in parentheses, so that it is no binder."""
        return f"({self.term(sort, depth - 1)})"


def core_program(seed: int) -> dict[str, Any]:
    """A random program; it need not be well sorted."""
    return CoreProgram(random.Random(seed)).program()

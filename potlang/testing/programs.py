"""Random whole PoT programs, well typed, as JSON values: every section and every form of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from potlang.ir.module import ASKS
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.ir.structure import Structure, cardinality
from potlang.testing.expressions import ExpressionGenerator, FunctionRow, Vocabulary

JsonProgram = dict[str, Any]


def programs(most: int = 3, depth: int = 2) -> SearchStrategy[JsonProgram]:
    """Well-typed programs over all sorts; at most `most` facts, rules and verifications each.

    `potlang.compile` accepts them, with warnings at times. Formulas are at most `depth` operators deep.
    """
    return _programs(finite=False, most=most, depth=depth, structures=0)


def finite_programs(most: int = 3, depth: int = 2, structures: int = 1_000) -> SearchStrategy[JsonProgram]:
    """Well-typed programs with finite sorts alone: Bool, enums, bit vectors, closed sorts, tuples, sets.

    Their symbols have at most `structures` interpretations for each choice of sizes of the closed
    sorts, none of which has more members than constants.
    """
    return _programs(finite=True, most=most, depth=depth, structures=structures)


@st.composite
def _programs(draw: DrawFn, *, finite: bool, most: int, depth: int, structures: int) -> JsonProgram:
    draft = _ProgramDraft(draw, Vocabulary(finite=finite), depth, structures)
    draft.declare_sorts()
    draft.declare_symbols()
    draft.define_functions()
    draft.declare_variables()
    draft.state(most)
    return draft.program


@dataclass(slots=True)
class _ProgramDraft:
    """A program in the making. Names are `S0`, `v_red`, `k3`, `f2`, `x1`: none means two things."""

    draw: DrawFn
    words: Vocabulary
    depth: int
    budget: int
    program: JsonProgram = field(default_factory=dict)
    members: dict[Sort, int] = field(default_factory=dict)
    """Numbers of constants of declared sorts."""
    names: int = 0

    def _name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def _some(self, chance: int = 2) -> bool:
        """True once in `chance` times; False is what examples shrink to."""
        return self.draw(st.integers(0, chance - 1)) == chance - 1

    def _sort(self, sort: Sort) -> str:
        return self.words.sort_text(self.draw, sort)

    def _section(self, key: str, items: list[Any]) -> None:
        if items:
            self.program[key] = items

    def _speaker(self, bound: Sequence[tuple[str, Sort]] = ()) -> ExpressionGenerator:
        return ExpressionGenerator(self.draw, self.words, bound)

    # --- sorts -----------------------------------------------------------------------------------

    def declare_sorts(self) -> None:
        """Some sorts of each kind, in any order, with aliases."""
        items: list[dict[str, Any]] = []
        # One sort is always there: programs without any have little to say.
        person = DeclaredSort(self._name("S"))
        self._nominal(items, person, {"type": "DeclareSort"})
        if self._some():
            values = tuple(self._name("e") for _ in range(self.draw(st.integers(2, 3))))
            self._nominal(items, EnumSort(self._name("S"), values), {"type": "EnumSort", "values": [*values]})
        simple: list[Sort] = [*self.words.sorts]
        if not self.words.finite:
            infinite: list[Sort] = [INT, REAL, STRING]
            others = st.lists(st.sampled_from(infinite), unique=True, max_size=3)
            simple += self.draw(others)
            self.words.sorts += [sort for sort in simple if sort not in self.words.sorts]
        if self._some():
            self._usable(BitVecSort(self.draw(st.integers(1, 2))))
        if self._some(3):
            self._tuple(items, simple)
        if self._some(3):
            small = [sort for sort in simple if sort not in (REAL, STRING)]
            self._constructed(small)
        self._aliases(items)
        if items:
            self.program["sorts"] = self.draw(st.permutations(items))

    def _nominal(self, items: list[dict[str, Any]], sort: Sort, item: dict[str, Any]) -> None:
        items.append({"name": str(sort), **item})
        self._usable(sort)

    def _usable(self, sort: Sort) -> None:
        self.words.sorts.append(sort)
        self.words.spellings.setdefault(sort, [str(sort)])

    def _tuple(self, items: list[dict[str, Any]], simple: Sequence[Sort]) -> None:
        parts = self.draw(st.lists(st.sampled_from(list(simple)), min_size=1, max_size=2))
        fields = tuple((self._name("get"), part) for part in parts)
        texts = [{"name": name, "sort": self._sort(part)} for name, part in fields]
        self._nominal(items, TupleSort(self._name("S"), fields), {"type": "TupleSort", "fields": texts})

    def _constructed(self, simple: Sequence[Sort]) -> None:
        part = st.sampled_from(list(simple))
        a, b = self.draw(part), self.draw(part)
        made: list[Sort] = [SetSort(a), ArraySort(a, b), FunctionSort((a,), b)]
        chosen = self.draw(st.sampled_from(made[:1] if self.words.finite else made))
        self.words.sorts.append(chosen)
        self.words.spellings[chosen] = [str(chosen)]

    def _aliases(self, items: list[dict[str, Any]]) -> None:
        for sort in [s for s in self.words.sorts if not isinstance(s, DeclaredSort | EnumSort | TupleSort)]:
            if self._some(3):
                name = self._name("A")
                item = {"name": name, "type": _kind(sort)}
                items.append(item)
                self.words.spellings.setdefault(sort, [str(sort)]).append(name)

    # --- symbols ---------------------------------------------------------------------------------

    def declare_symbols(self) -> None:
        """Constants in either spelling, for each sort that has no literals; then functions."""
        groups: list[tuple[str, list[str]]] = []
        for sort in list(self.words.sorts):
            least = 1 if isinstance(sort, DeclaredSort | SetSort | ArraySort | FunctionSort) else 0
            most = 2 if isinstance(sort, DeclaredSort) or not self.words.finite else 1
            count = self.draw(st.integers(least, most))
            names = [self._name("k") for _ in range(count)]
            if isinstance(sort, DeclaredSort):
                self.members[sort] = count
            if names and (isinstance(sort, DeclaredSort) or self._affordable((), sort, count, least)):
                self.words.constants[sort] = [*names]
                groups.append((self._sort(sort), names))
        self._constants(groups)
        functions: list[dict[str, Any]] = []
        for _ in range(self.draw(st.integers(0, 3))):
            self._function(functions)
        self._section("functions", functions)

    def _affordable(self, domain: tuple[Sort, ...], range_: Sort, count: int = 1, forced: int = 0) -> bool:
        """True, and counted, if `count` such symbols keep the number of interpretations small."""
        if not self.words.finite:
            return True
        sizes = Structure({s: n for s, n in self.members.items() if isinstance(s, DeclaredSort)})
        arguments = prod(cardinality(sort, sizes) or 99 for sort in domain)
        new = (cardinality(range_, sizes) or 99) ** (arguments * count) if arguments < 12 else 1 << 30
        if new > self.budget and not forced:
            return False
        self.budget //= new
        return True

    def _constants(self, groups: list[tuple[str, list[str]]]) -> None:
        if not groups:
            return
        rows = {
            f"group {number}": {"sort": sort, "members": names} for number, (sort, names) in enumerate(groups)
        }
        as_list = [{"name": name, **row} for name, row in rows.items()]
        self.program["constants"] = as_list if self._some() else rows

    def _function(self, items: list[dict[str, Any]]) -> None:
        simple = [s for s in self.words.sorts if not isinstance(s, SetSort | ArraySort | FunctionSort)]
        domain = tuple(self.draw(st.lists(st.sampled_from(simple), min_size=0, max_size=2)))
        range_ = self.draw(st.sampled_from(simple))
        if not domain and isinstance(range_, DeclaredSort):
            domain = (BOOL,)
        if not self._affordable(domain, range_):
            return
        name = self._name("f")
        items.append({"name": name, "domain": [*map(self._sort, domain)], "range": self._sort(range_)})
        self._callable(name, domain, range_)

    def _callable(self, name: str, domain: tuple[Sort, ...], range_: Sort) -> None:
        if domain:
            self.words.functions.append(FunctionRow(name, domain, range_))
        else:
            self.words.constants.setdefault(range_, []).append(name)

    def define_functions(self) -> None:
        """Sometimes a defined function, over the names declared before it."""
        if not self._some(3):
            return
        simple = [s for s in self.words.sorts if not isinstance(s, ArraySort | FunctionSort)]
        domain = tuple(self.draw(st.lists(st.sampled_from(simple), min_size=0, max_size=2)))
        range_ = self.draw(st.sampled_from(simple))
        params = [(f"p{number}", sort) for number, sort in enumerate(domain)]
        written = [
            {"name": name, "sort": self._sort(sort)} if self._some() else name for name, sort in params
        ]
        name = self._name("d")
        item = {
            "name": name,
            "domain": [*map(self._sort, domain)],
            "range": self._sort(range_),
            "params": written,
            "body": self._speaker(params).term(range_, self.depth),
        }
        self.program.setdefault("functions", []).append(item)
        self._callable(name, domain, range_)

    def declare_variables(self) -> None:
        """Variables for quantifiers to bind by name; in some programs they occur free as well."""
        sorts = self.words.quantified()
        if not self._some() or not sorts:
            return
        for _ in range(self.draw(st.integers(1, 2))):
            sort = self.draw(st.sampled_from(sorts))
            self.words.variables.append((self._name("x"), sort))
        self.program["variables"] = [
            {"name": name, "sort": self._sort(sort)} for name, sort in self.words.variables
        ]
        sizes = [self._affordable((), sort) for _, sort in self.words.variables]
        self.words.free = all(sizes) and self._some(4)

    # --- statements ------------------------------------------------------------------------------

    def state(self, most: int) -> None:
        """Facts, rules, verifications, and now and then semantics, optimization and actions."""
        self._semantics()
        self._section("knowledge_base", [self._fact() for _ in range(self.draw(st.integers(0, most)))])
        rules = [self._rule(number) for number in range(self.draw(st.integers(0, most)))]
        self._section("rules", rules)
        claims = self.draw(st.integers(0 if rules else 1, most))
        self._section("verifications", [self._verification(number) for number in range(claims)])
        numeric = [INT] if self.words.finite else [s for s in (INT, REAL) if s in self.words.sorts]
        if numeric and self._some(4):
            self.program["optimization"] = self._optimization(numeric)
        if self._some(4):
            actions = ["verify_conditions"] if "optimization" not in self.program else ["verify", "optimize"]
            self.program["actions"] = actions

    def _semantics(self) -> None:
        declared = [str(s) for s in self.members]
        chosen: dict[str, Any] = {}
        if self._some(3):
            chosen["unique_names"] = True if self._some() else declared
        if self.words.finite or self._some(4):
            chosen["closed_domain"] = declared if self._some() else True
        if chosen:
            self.program["semantics"] = chosen

    def _fact(self) -> Any:
        variable = f"w{self.names}"
        sorts = self.words.quantified()
        item: dict[str, Any] = {}
        if sorts and self._some(4):
            sort = self.draw(st.sampled_from(sorts))
            item["variables"] = [{"name": variable, "sort": self._sort(sort)}]
            body = self._speaker([(variable, sort)]).formula(self.depth)
            text = f"{self.draw(st.sampled_from(['ForAll', 'Exists']))}([{variable}], {body})"
        else:
            text = self._speaker().formula(self.depth)
        if self._some():
            item["value"] = self.draw(st.booleans())
        if self._some(4):
            item["name"] = self._name("fact ")
        return {"assertion": text, **item} if item else text

    def _binders(self, sorts: Sequence[Sort], most: int = 2) -> tuple[list[Any], list[tuple[str, Sort]]]:
        """Binders as JSON, by name alone where the variable is declared, and their variables."""
        declared = [(name, sort) for name, sort in self.words.variables if sort in sorts]
        written: list[Any] = []
        bound: dict[str, Sort] = {}
        for number in range(self.draw(st.integers(1, most))):
            if declared and self._some(3):
                name, sort = self.draw(st.sampled_from(declared))
                if name in bound:
                    continue
                written.append(name)
            else:
                name, sort = f"b{number}", self.draw(st.sampled_from(list(sorts)))
                written.append({"name": name, "sort": self._sort(sort)})
            bound[name] = sort
        return written, list(bound.items())

    def _rule(self, number: int) -> dict[str, Any]:
        role = self.draw(st.sampled_from([None, None, "axiom", "norm"]))
        item = self._statement(["forall"] if role == "norm" else ["forall", "forall", "forall", "exists"])
        if role is not None:
            item["role"] = role
        return {"name": f"rule {number}", **item} if self._some() else item

    def _statement(self, quantifiers: Sequence[str]) -> dict[str, Any]:
        item: dict[str, Any] = {}
        bound: list[tuple[str, Sort]] = []
        sorts = self.words.quantified()
        if quantifiers and sorts and self._some():
            quantifier = self.draw(st.sampled_from(list(quantifiers)))
            item[quantifier], bound = self._binders(sorts)
        speaker = self._speaker(bound)
        if "exists" not in item and self._some():
            halves = (speaker.formula(self.depth - 1), speaker.formula(self.depth - 1))
            return {**item, "implies": dict(zip(("antecedent", "consequent"), halves, strict=True))}
        return {**item, "constraint": speaker.formula(self.depth)}

    def _verification(self, number: int) -> dict[str, Any]:
        name = {"name": f"claim {number}"} if self._some() else {}
        if self._some(5):
            find, bound = self._binders(self.words.ranged())
            return {**name, "find": find, "constraint": self._speaker(bound).formula(self.depth)}
        asked = {"ask": self.draw(st.sampled_from(ASKS))} if self._some(6) else {}
        return {**name, **asked, **self._statement(["exists", "forall"])}

    def _optimization(self, numeric: Sequence[Sort]) -> JsonProgram:
        section: JsonProgram = {}
        if self._some():
            section["constraints"] = [self._speaker().formula(self.depth)]
        section["objectives"] = [
            {
                "type": self.draw(st.sampled_from(["minimize", "maximize"])),
                "expression": self._speaker().term(self.draw(st.sampled_from(list(numeric))), self.depth),
            }
            for _ in range(self.draw(st.integers(1, 2)))
        ]
        if self._some(3):
            section["mode"] = self.draw(st.sampled_from(["lexicographic", "pareto", "box"]))
        return section


def _kind(sort: Sort) -> str:
    """The `type` of an alias: `IntSort`, `BitVecSort(2)`, `SetSort(S1)`."""
    text = str(sort)
    head, bracket, rest = text.partition("(")
    return f"{head}Sort{bracket}{rest}" if not head.endswith("Sort") else text

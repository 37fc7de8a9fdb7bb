"""Undeclared names: collected over the whole program, reported once per name with the best repair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from potlang.diag import Applicability, Fix, Label, NearNames, Patch, Place, Replace, Sink
from potlang.diag.near import is_of_family, nearest, numbered_alike
from potlang.expressions.names import written
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, FunctionSort, Sort, TupleSort
from potlang.sema.elsewhere import folded, other_constant
from potlang.sema.scope import Entry, FunctionEntry, Scope, TermEntry, VariableEntry
from potlang.source import join_pointer

BROKEN = "broken"
"""Among the sections: some declarations could not be read, so nothing is added to their sections."""

_LONGEST_VARIABLE = 2
_OWN = (DeclaredSort, EnumSort, TupleSort)


@dataclass(slots=True)
class Uses:
    """How an undeclared name is used."""

    places: list[Place] = field(default_factory=list)
    sort: Sort | None = None
    arity: int | None = None
    """Number of arguments where the name is called, None where it stands alone."""
    domain: tuple[Sort | None, ...] = ()
    binder: bool = False
    names: list[str] = field(default_factory=list)
    """Binders in force at the first use: candidates for what was meant."""
    meant: str = ""
    """The spelling here, where the name is an operator of other languages: then it is not to be declared."""
    whole: dict[str, int] = field(default_factory=dict)
    """The formulas that it stands in with their lengths, where a quantifier can be put around them."""
    declarable: bool = True
    """Whether a declaration by its arguments would be one of a function of the program."""


Advise = Callable[[str, Uses, frozenset[str]], tuple[str, list[Fix]]]
"""How to declare a name, as a help and fixes: the name, its uses, the sections that the program has."""


class Undeclared:
    """Remembers uses of undeclared names until `report`, which says with `advise` how to declare them."""

    def __init__(self, sink: Sink, advise: Advise | None = None) -> None:
        self._sink = sink
        self._advise = advise or _declaration
        self._uses: dict[str, Uses] = {}

    def term(
        self, name: str, place: Place, sort: Sort | None, bound: list[str], length: int | None = None
    ) -> None:
        """`name` was used as a term where `sort` was expected (None: anything).

        `length` is that of its formula, where that is a string of its own.
        """
        uses = self._note(name, place, bound)
        uses.meant = uses.meant or other_constant(name) or ""
        if length is not None:
            uses.whole[place.pointer] = length
        if uses.sort is None:
            uses.sort = sort

    def call(self, name: str, place: Place, domain: tuple[Sort | None, ...], sort: Sort | None) -> None:
        """`name` was called with arguments of these sorts (None: unknown)."""
        uses = self._note(name, place, [])
        if uses.arity is None:
            uses.arity, uses.domain, uses.sort = len(domain), domain, sort
            uses.declarable = _may_be_declared(name, domain)

    def operator(self, name: str, place: Place, meant: str) -> None:
        """`name` was called as an operator of other languages; `meant` is what to write."""
        uses = self._note(name, place, [])
        uses.arity, uses.meant = uses.arity or 0, meant

    def binder(self, name: str, place: Place, sort: Sort | None) -> None:
        """A quantifier binds `name`, which no variable declares."""
        uses = self._note(name, place, [])
        uses.binder = True
        uses.sort = uses.sort or sort

    def hint(self, name: str, sort: Sort | None) -> None:
        """`name`, bound by a quantifier without a sort, stands where `sort` is expected."""
        uses = self._uses.get(name)
        if uses is not None and uses.sort is None:
            uses.sort = sort

    def _note(self, name: str, place: Place, bound: list[str]) -> Uses:
        uses = self._uses.setdefault(name, Uses())
        if not uses.places:
            uses.names = bound
        uses.places.append(place)
        return uses

    def report(self, scope: Scope, sections: frozenset[str]) -> None:
        """Reports every name once; `sections` are the top-level keys that the program has."""
        if not self._uses:
            return
        index = _Index(scope)
        for name, uses in self._uses.items():
            self._report_one(name, uses, index, sections)

    def _report_one(self, name: str, uses: Uses, index: _Index, sections: frozenset[str]) -> None:
        near = [] if self._sink.is_full else index.nearest(name, uses)
        if uses.meant:
            near = [other for other in near if folded(other) == folded(name)]
        first, *rest = uses.places
        helps = [f"did you mean {' or '.join(f'`{other}`' for other in near)}?"] if near else []
        fixes = [_rename(name, near[0], uses.places)] if near else []
        if near and _counts_on(name, near[0]):
            # Beside `nodeA` a `nodeB` is no variable.
            uses.whole.clear()
        help_, declaration = (uses.meant, []) if uses.meant else self._advise(name, uses, sections)
        helps.append(help_)
        declaration = declaration if BROKEN not in sections and uses.declarable else []
        fixes = declaration + fixes if near and _is_meant(name, near, uses) else fixes + declaration
        notes = [f"it is used {len(uses.places)} times"] if rest else []
        if name in index.sorts and uses.arity is not None:
            notes.append(f"`{name}` is a sort; a predicate needs a declaration of its own")
        self._sink.report(
            "POT2001",
            first,
            name=name,
            primary="not declared",
            labels=[Label(place, "also used here") for place in rest[:3]],
            notes=notes,
            helps=helps,
            fixes=fixes,
        )


def _is_meant(name: str, near: list[str], uses: Uses) -> bool:
    """Whether a name is meant as it is, whatever it is near to: a slip of the pen happens once."""
    return (
        _counts_on(name, near[0])
        or is_of_family(name, near)
        or (len(uses.places) > 1 and folded(name) != folded(near[0]))
    )


def _counts_on(name: str, near: str) -> bool:
    """Whether names count things of one kind: `task2` beside `task1`; in `task11` a digit may stand twice."""
    return numbered_alike(name, near) and (len(name) == len(near) or name.endswith("0"))


class _Index:
    """Near names by kind, built once: functions for calls, terms of a fitting sort for the rest."""

    def __init__(self, scope: Scope) -> None:
        self._entries: dict[str, Entry] = {**scope.entries, **scope.local}
        self._by_kind: dict[str, NearNames] = {}
        self.sorts = scope.sorts

    def nearest(self, name: str, uses: Uses) -> list[str]:
        """Declared names that fit the use, the nearest first."""
        kind = "call" if uses.arity is not None else "binder" if uses.binder else "term"
        if kind not in self._by_kind:
            self._by_kind[kind] = NearNames(n for n, e in self._entries.items() if _is_kind(e, kind))
        found = self._by_kind[kind].nearest(name, 6)
        found += [near for near in NearNames(uses.names).nearest(name, 2) if near not in found]
        if kind == "term" and uses.sort is BOOL:
            found += nearest(name, ("True", "False"), 1)
        fitting = [near for near in found if self._fits(near, uses)]
        return (fitting or found)[:3]

    def _fits(self, near: str, uses: Uses) -> bool:
        entry = self._entries.get(near)
        match entry:
            case FunctionEntry(symbol=symbol) if symbol is not None and uses.arity is not None:
                return len(symbol.domain) == uses.arity
            case TermEntry(node=node) if node is not None and uses.sort is not None:
                return node.sort == uses.sort
            case VariableEntry(sort=sort) if sort is not None and uses.sort is not None:
                return sort == uses.sort
            case _:
                return True


def _is_kind(entry: Entry, kind: str) -> bool:
    match entry:
        case FunctionEntry():
            return kind == "call"
        case VariableEntry(sort=sort):
            return kind != "call" or isinstance(sort, FunctionSort)
        case TermEntry():
            return kind == "term"


def _rename(name: str, near: str, places: list[Place]) -> Fix:
    edits = tuple(
        Replace(place.pointer, place.span[0], place.span[1], written(near))
        for place in places
        if place.span is not None
    )
    how = f"`{near}`" if written(near) == near else f"{written(near)}, with the backquotes,"
    return Fix(f"write {how} for `{name}`", Applicability.UNSAFE, edits)


def _declaration(name: str, uses: Uses, sections: frozenset[str]) -> tuple[str, list[Fix]]:
    if uses.arity is not None:
        return _function_declaration(name, uses, sections)
    sort = str(uses.sort) if uses.sort is not None else None
    if uses.binder:
        return _variable_declaration(name, sort, uses, sections)
    shown = sort or "Sort"
    item = {"sort": shown, "members": [name]}
    help_ = f'declare it: add a group {{"sort": "{shown}", "members": ["{name}"]}} to `constants`'
    bound = _binding(name, sort, uses)
    if bound:
        help_ = f"bind it, if it is a variable: ForAll([{name}: {shown}], …); or {help_}"
    group = f"added_{name}"
    edit = Patch("add", join_pointer("/constants", group), item)
    if "constants" not in sections:
        edit = Patch("add", "/constants", {group: item})
    elif "constants[]" in sections:
        edit = Patch("add", "/constants/-", {"name": group, **item})
    applicability = Applicability.UNSAFE if sort else Applicability.PLACEHOLDER
    return help_, [*bound, Fix(f"declare `{name}` as a constant of {shown}", applicability, (edit,))]


def _binding(name: str, sort: str | None, uses: Uses) -> list[Fix]:
    """The quantifier around the one formula that uses the name, if it looks like a variable."""
    pointers = {place.pointer for place in uses.places}
    # Of a number or a text all values are seldom meant.
    if not isinstance(uses.sort, _OWN) or len(pointers) > 1 or not pointers <= uses.whole.keys():
        return []
    # A thing is spoken of in several formulas; in one alone, a name that occurs twice is more likely bound.
    if len(name) > _LONGEST_VARIABLE and len(uses.places) < 2:
        return []
    (pointer,) = pointers
    end = uses.whole[pointer]
    edits = (Replace(pointer, 0, 0, f"ForAll([{written(name)}: {sort}], "), Replace(pointer, end, end, ")"))
    return [Fix(f"bind `{name}`: write `ForAll([{name}: {sort}], …)` around it", Applicability.UNSAFE, edits)]


def _may_be_declared(name: str, domain: tuple[Sort | None, ...]) -> bool:
    """Whether a function of these sorts could be one of the program's own.

    A function of formulas is an operator that is missing, and so is one with a capital of numbers or texts.
    """
    if BOOL in domain:
        return False
    own = any(sort is None or isinstance(sort, _OWN) for sort in domain)
    return own or not domain or not name[:1].isupper()


def _variable_declaration(
    name: str, sort: str | None, uses: Uses, sections: frozenset[str]
) -> tuple[str, list[Fix]]:
    item = {"name": name, "sort": sort or "Sort"}
    shown = f'{{"name": "{name}", "sort": "{item["sort"]}"}}'
    help_ = f"give its sort in the binder, [{name}: {item['sort']}]; or add {shown} to `variables`"
    edit = Patch.append(item, "/variables", "variables" in sections)
    applicability = Applicability.UNSAFE if sort else Applicability.PLACEHOLDER
    fixes = [Fix(f"declare the variable `{name}`", applicability, (edit,))]
    place = uses.places[0]
    if sort and len(uses.places) == 1 and place.span is not None:
        binder = Replace(place.pointer, *place.span, f"{written(name)}: {sort}")
        fixes.insert(0, Fix(f"write `{name}: {sort}` in the binder", Applicability.UNSAFE, (binder,)))
    return help_, fixes


def _function_declaration(name: str, uses: Uses, sections: frozenset[str]) -> tuple[str, list[Fix]]:
    domain = [str(sort) if sort is not None else "Sort" for sort in uses.domain]
    range_ = str(uses.sort) if uses.sort is not None else "Bool"
    item = {"name": name, "domain": domain, "range": range_}
    quoted = [f'"{part}"' for part in domain]
    shown = f'{{"name": "{name}", "domain": [{", ".join(quoted)}], "range": "{range_}"}}'
    edit = Patch.append(item, "/functions", "functions" in sections)
    known = uses.sort is not None and None not in uses.domain
    applicability = Applicability.UNSAFE if known else Applicability.PLACEHOLDER
    if not uses.declarable:
        return f"there is no built-in function `{name}`: write what it says with those that there are", []
    return f"declare it: add {shown} to `functions`", [
        Fix(f"declare the function `{name}`", applicability, (edit,))
    ]

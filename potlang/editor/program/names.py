"""Names of a program: their declarations, and all places that name the same thing.

The rules are those of [POT-NAME-2] and [POT-NAME-3]: the innermost binder, else a variable of the item, else
the program's declaration, else the built-in function.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, NamedTuple

from potlang.editor.json_text import object_at
from potlang.editor.program.packs import pack_parameters
from potlang.editor.program.sites import DECLARING, Site, SiteRole, section_of, sites, sites_beside
from potlang.editor.program.uses import NameUse, formula_uses, sort_uses
from potlang.expressions.names import written
from potlang.sema.builtins import BUILTINS
from potlang.source import split_pointer
from potlang.words.templates import HOLE

TargetSpace = Literal["symbol", "sort", "rule", "item", "formula"]
"""Where a name has its meaning: in the program's symbols, its sorts, the names of its rules, one item of a
section, or under one binder of a formula."""
_MOST_ALIASES = 20


class NamedTarget(NamedTuple):
    """A thing that has a name; `scope` is the pointer of the item or of the binder that binds it."""

    space: TargetSpace
    name: str
    scope: str = ""


class Declaration(NamedTuple):
    """The declaration of a symbol or a sort: the place of the name, and the object around it."""

    role: SiteRole
    name: str
    pointer: str
    value: Any
    sort: str = ""
    """The sort of a constant, a value, a variable or a selector's result, as it is written."""


class Occurrence(NamedTuple):
    """A place where a target is named: the whole string at `pointer`, or `span` in it."""

    pointer: str
    span: tuple[int, int] | None
    role: SiteRole
    declares: bool


class NameAt(NamedTuple):
    """A name under the cursor, what it stands for (None: nothing declared), and how it is used there."""

    target: NamedTarget | None
    name: str
    pointer: str
    span: tuple[int, int] | None
    use: NameUse | None
    site: Site


class ProgramNames:
    """The names of one program, given as a JSON value."""

    def __init__(self, program: object) -> None:
        self.program = program

    # --- declarations ----------------------------------------------------------------------------

    @cached_property
    def declared(self) -> dict[TargetSpace, dict[str, list[Declaration]]]:
        """The declarations of sorts, symbols and names of rules, by name, in the order of the text."""
        found: dict[TargetSpace, dict[str, list[Declaration]]] = {"symbol": {}, "sort": {}, "rule": {}}
        program = self.program if isinstance(self.program, dict) else {}
        # Facts and claims declare nothing, and there may be very many of them.
        declaring = {
            key: value for key, value in program.items() if section_of(program, key) in _DECLARING_SECTIONS
        }
        for site in sites(declaring):
            space = _space_of(site.role)
            if space is not None:
                value = self.value_at(site.item.pointer)
                each = Declaration(site.role, site.text, site.pointer, value, self._sort_of_site(site, value))
                found[space].setdefault(site.text, []).append(each)
                if site.role == "sort name" and _kind(value) == "tuple":
                    found["symbol"].setdefault(site.text, []).append(each)
        return found

    def _sort_of_site(self, site: Site, value: Any) -> str:
        if site.role == "enum value":
            return str(value.get("name", ""))
        if site.role == "selector":
            inner = self.value_at(site.pointer.removesuffix("/name"))
            return str(inner.get("sort", "")) if isinstance(inner, dict) else ""
        if site.role in ("constant", "variable"):
            return str(value.get("sort", ""))
        return ""

    def symbol(self, name: str) -> Declaration | None:
        """The first declaration of a symbol of this name."""
        return next(iter(self.declared["symbol"].get(name, ())), None)

    def sort(self, name: str) -> Declaration | None:
        """The first declaration of a sort of this name."""
        return next(iter(self.declared["sort"].get(name, ())), None)

    @cached_property
    def bound_by_imports(self) -> dict[str, str]:
        """The names that packs bind or declare because the import does not say otherwise, with their pack."""
        found: dict[str, str] = {}
        imports = self.program.get("imports") if isinstance(self.program, dict) else None
        for each in imports if isinstance(imports, list) else ():
            pack = each.get("pack") if isinstance(each, dict) else each
            given = each.get("with") if isinstance(each, dict) else None
            if isinstance(pack, str):
                names = pack_parameters(pack).names
                taken = given if isinstance(given, dict) else {}
                found.update((name, pack) for name in names if name not in taken)
        return found

    def is_applicable(self, sort: str) -> bool:
        """Whether a term of a sort, as it is written, is applied like a function."""
        for _ in range(_MOST_ALIASES):
            if sort.strip().startswith("Function"):
                return True
            alias = self.sort(sort.strip())
            if alias is None or not isinstance(alias.value, dict):
                return False
            sort = str(alias.value.get("type", ""))
        return False

    # --- what a name means -----------------------------------------------------------------------

    def target(self, use: NameUse, site: Site) -> NamedTarget | None:
        """The meaning of a name in the formula or the sort of a site; None where nothing declares it."""
        name = use.name
        if use.kind == "sort":
            return NamedTarget("sort", name) if name in self.declared["sort"] else None
        if use.kind == "builtin":
            return None
        may_be_builtin = use.kind == "head" and name in BUILTINS
        if use.bound_at is not None:
            if may_be_builtin and not self.is_applicable(use.bound_sort):
                return None
            return NamedTarget("formula", name, f"{site.pointer}#{use.bound_at}")
        local = self._local(name, site)
        if local is not None:
            is_builtin = may_be_builtin and not self.is_applicable(self.local_sort(name, site) or "")
            return None if is_builtin else local
        declaration = self.symbol(name)
        if declaration is None:
            return None
        is_function = declaration.role in ("function", "selector", "sort name")
        if may_be_builtin and not is_function and not self.is_applicable(declaration.sort):
            return None
        return NamedTarget("symbol", name)

    def _local(self, name: str, site: Site) -> NamedTarget | None:
        """The variable of the item; a binder without a sort means the variable that the program declares."""
        for binder in site.item.binders:
            if binder.name == name and (binder.sort is not None or self.symbol(name) is None):
                return NamedTarget("item", name, site.item.pointer)
        return None

    def local_sort(self, name: str, site: Site) -> str | None:
        """The sort that the item of a site gives a variable."""
        return next((each.sort for each in site.item.binders if each.name == name and each.sort), None)

    def named(self, site: Site) -> NamedTarget | None:
        """The thing that the whole string of a site names; None for texts, and where nothing declares it."""
        match site.role:
            case "binder":
                local = self._local(site.text, site)
                is_symbol = self.symbol(site.text) is not None
                return local or (NamedTarget("symbol", site.text) if is_symbol else None)
            case "sort name" | "sort reference":
                return NamedTarget("sort", site.text) if site.text in self.declared["sort"] else None
            case "rule name" | "rule":
                return NamedTarget("rule", site.text) if site.text in self.declared["rule"] else None
            case "formula" | "sort" | "template" | "pack":
                return None
            case _:
                return NamedTarget("symbol", site.text) if self.symbol(site.text) is not None else None

    def at(self, pointer: str, index: int) -> NameAt | None:
        """The name at a character of the string at `pointer`; None where there is none."""
        for site in sites_beside(self.program, split_pointer(pointer)):
            if site.pointer != pointer:
                continue
            if site.role not in ("formula", "sort", "template"):
                return NameAt(self.named(site), site.text, pointer, None, None, site)
            for use in site_uses(site):
                if use.start <= index <= use.end:
                    target = self.target(use, site)
                    return NameAt(target, use.name, pointer, (use.start, use.end), use, site)
        return None

    # --- all places ------------------------------------------------------------------------------

    def occurrences(self, target: NamedTarget) -> Iterator[Occurrence]:
        """The places that name a target, in the order of the text within each section."""
        wanted = {target, *self._twin(target)}
        spelt = written(target.name)[1:-1] if written(target.name) != target.name else target.name
        for site in self._sites_of(target):
            if target.name not in site.text and spelt not in site.text:
                continue
            if site.role not in ("formula", "sort", "template"):
                if self.named(site) in wanted:
                    declares = site.role in DECLARING or site.role in ("binder", "rule name")
                    is_bare = site.role == "binder" and target.space == "symbol"
                    yield Occurrence(site.pointer, None, site.role, declares and not is_bare)
                continue
            for use in site_uses(site):
                if use.name == target.name and self.target(use, site) in wanted:
                    span = use.start, use.end
                    yield Occurrence(site.pointer, span, site.role, use.kind == "binder")

    def _sites_of(self, target: NamedTarget) -> Iterator[Site]:
        """The sites that may name a target: all, or those of the item that binds it."""
        if target.space in ("item", "formula"):
            return sites_beside(self.program, split_pointer(target.scope.split("#")[0]))
        return sites(self.program)

    def _twin(self, target: NamedTarget) -> set[NamedTarget]:
        """The constructor of a tuple sort is its sort's name."""
        declaration = self.sort(target.name)
        if declaration is None or _kind(declaration.value) != "tuple":
            return set()
        is_global = target.space in ("sort", "symbol")
        return {NamedTarget("sort", target.name), NamedTarget("symbol", target.name)} if is_global else set()

    def unread(self, name: str) -> Site | None:
        """A formula or a sort that may use a name and cannot be read; None if there is none."""
        spelt = written(name)
        for site in sites(self.program):
            if site.role not in ("formula", "sort") or (name not in site.text and spelt not in site.text):
                continue
            found = formula_uses(site.text) if site.role == "formula" else sort_uses(site.text)
            if not found.is_whole and any(use.name == name for use in found.uses):
                return site
        return None

    def speaks_of(self, name: str) -> bool:
        """Whether a name stands anywhere, whatever it means there."""
        for site in sites(self.program):
            if site.role == "template" or (name not in site.text and written(name) not in site.text):
                continue
            if site.role in ("formula", "sort"):
                if any(use.name == name for use in site_uses(site)):
                    return True
            elif site.text == name and site.role not in ("rule name", "rule", "pack"):
                return True
        return False

    def value_at(self, pointer: str) -> Any:
        """The JSON value at a pointer; None where there is none."""
        return object_at(self.program, pointer)


_DECLARING_SECTIONS = ("sorts", "functions", "constants", "variables", "rules")


def _space_of(role: SiteRole) -> TargetSpace | None:
    if role == "sort name":
        return "sort"
    if role == "rule name":
        return "rule"
    return "symbol" if role in DECLARING else None


def _kind(value: Any) -> str:
    """`enum`, `tuple`, or another word, for the declaration of a sort."""
    text = value.get("type") if isinstance(value, dict) else None
    return text.strip().casefold().removesuffix("sort") if isinstance(text, str) else ""


def site_uses(site: Site) -> tuple[NameUse, ...]:
    """The names in the text of a formula, a sort or a template."""
    if site.role == "formula":
        return formula_uses(site.text).uses
    if site.role == "sort":
        return sort_uses(site.text).uses
    holes = (NameUse(each[1], each.start(1), each.end(1), "name") for each in HOLE.finditer(site.text))
    return tuple(hole for hole in holes if any(hole.name == each.name for each in site.item.binders))

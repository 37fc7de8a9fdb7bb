"""The strings of a program that hold names: which they are, and what is bound around them.

Read from the JSON value and not from the compiler's tree, so that what is half written is found too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from potlang.editor.program.packs import pack_parameters
from potlang.languages.pot.read.reader import section_meant
from potlang.languages.pot.read.sort_kinds import canonical_kind
from potlang.source.pointer import join_pointer

SiteRole = Literal[
    "sort name",
    "function",
    "constant",
    "enum value",
    "selector",
    "variable",
    "binder",
    "sort",
    "formula",
    "template",
    "rule name",
    "rule",
    "pack",
    "sort reference",
    "symbol reference",
]
"""The role of a string. The roles up to `binder` declare the name that they are; `sort` and `formula` are
texts in which names stand, `template` is a description with parameters in braces, the others refer to one
name."""
DECLARING: tuple[SiteRole, ...] = (
    "sort name",
    "function",
    "constant",
    "enum value",
    "selector",
    "variable",
)
_STATEMENTS = ("rules", "verifications")
_OWN_KINDS = ("DeclareSort", "EnumSort", "TupleSort")


class SiteBinder(NamedTuple):
    """A variable that an item binds for its formulas; `sort` None where it is a name alone."""

    name: str
    sort: str | None
    pointer: str


class BoundItem(NamedTuple):
    """The item of which a string is a part, and the variables that it binds."""

    pointer: str
    binders: tuple[SiteBinder, ...] = ()


class Site(NamedTuple):
    """A string with a role, and the item around it."""

    role: SiteRole
    pointer: str
    text: str
    item: BoundItem


def sites(program: object) -> Iterator[Site]:
    """The strings of a whole program that have a role, section by section."""
    if isinstance(program, dict):
        for key in program:
            section = section_of(program, key)
            if section is not None:
                for pointer, value in _items(program, key, section):
                    yield from item_sites(section, pointer, value)


def section_of(program: Mapping[str, Any], key: str) -> str | None:
    """The section that stands under a key, as programs are read ([POT-PROG-2]); None for another key."""
    section = key if key in _SECTIONS else section_meant(key)
    is_it = section in _SECTIONS and (section == key or section not in program)
    return section if is_it else None


def sites_beside(program: object, tokens: list[str]) -> Iterator[Site]:
    """The strings of the one item of a section that a pointer leads into."""
    section = section_of(program, tokens[0]) if isinstance(program, dict) and tokens else None
    if section is None or not isinstance(program, dict):
        return
    value = program.get(tokens[0])
    if section in SINGLE:
        yield from item_sites(section, join_pointer("", tokens[0]), value)
        return
    if len(tokens) < 2:
        return
    pointer = join_pointer("", tokens[0], tokens[1])
    if isinstance(value, dict):
        yield from item_sites(section, pointer, value.get(tokens[1]))
    elif isinstance(value, list) and tokens[1].isdigit() and int(tokens[1]) < len(value):
        yield from item_sites(section, pointer, value[int(tokens[1])])


def item_sites(section: str, pointer: str, value: object) -> Iterator[Site]:
    """The strings of one item of a section."""
    plain = BoundItem(pointer)
    if section == "sorts":
        return _sort(pointer, value, plain)
    if section == "functions":
        return _function(pointer, value)
    if section == "constants":
        return _constants(pointer, value, plain)
    if section == "variables":
        return _declared(value, pointer, "variable", plain)
    if section == "knowledge_base":
        return _fact(pointer, value)
    if section in _STATEMENTS:
        return _statement(pointer, value, has_name=section == "rules")
    if section == "optimization":
        return _optimization(pointer, value)
    if section == "imports":
        return _import(pointer, value, plain)
    if section == "sources":
        return _source(pointer, value, plain)
    return _semantics(pointer, value, plain)


SINGLE = ("optimization", "semantics")
"""The sections that are no lists."""
_SECTIONS = (
    *("imports", "sorts", "functions", "constants", "variables", "sources", "knowledge_base", "rules"),
    *("verifications", "optimization", "semantics"),
)


def _items(program: Mapping[str, Any], key: str, section: str) -> Iterator[tuple[str, object]]:
    """The items of a section with their pointers; a section that is one thing is its only item."""
    value, base = program.get(key), join_pointer("", key)
    if section in SINGLE:
        yield base, value
    elif isinstance(value, dict):
        yield from ((join_pointer(base, key), item) for key, item in value.items())
    elif isinstance(value, list):
        yield from ((f"{base}/{number}", item) for number, item in enumerate(value))


# --- declarations --------------------------------------------------------------------------------


def _sort(pointer: str, value: object, item: BoundItem) -> Iterator[Site]:
    if not isinstance(value, dict):
        return
    yield from _strings(value, pointer, item, name="sort name")
    kind = value.get("type")
    if isinstance(kind, str) and canonical_kind(kind).name not in _OWN_KINDS:
        yield Site("sort", f"{pointer}/type", kind, item)
    yield from _each(value.get("values"), f"{pointer}/values", "enum value", item)
    for at, field in _list(value.get("fields"), f"{pointer}/fields"):
        yield from _declared(field, at, "selector", item)


def _function(pointer: str, value: object) -> Iterator[Site]:
    if not isinstance(value, dict):
        return
    item = BoundItem(pointer, _binders(value.get("params"), f"{pointer}/params"))
    yield from _strings(value, pointer, item, name="function", range="sort", description="template")
    domain = value.get("domain")
    yield from _each([domain] if isinstance(domain, str) else domain, f"{pointer}/domain", "sort", item)
    yield from _binder_sites(value.get("params"), f"{pointer}/params", item)
    yield from _strings(value, pointer, item, body="formula")


def _constants(pointer: str, value: object, item: BoundItem) -> Iterator[Site]:
    if isinstance(value, dict):
        yield from _strings(value, pointer, item, sort="sort")
        yield from _each(value.get("members"), f"{pointer}/members", "constant", item)


def _declared(value: object, pointer: str, role: SiteRole, item: BoundItem) -> Iterator[Site]:
    """`{name, sort}`, which declares the name."""
    if isinstance(value, dict):
        yield from _strings(value, pointer, item, name=role, sort="sort")


# --- statements ----------------------------------------------------------------------------------


def _fact(pointer: str, value: object) -> Iterator[Site]:
    if isinstance(value, str):
        yield Site("formula", pointer, value, BoundItem(pointer))
    elif isinstance(value, dict):
        variables = f"{pointer}/variables"
        item = BoundItem(pointer, _binders(value.get("variables"), variables))
        yield from _binder_sites(value.get("variables"), variables, item)
        yield from _strings(value, pointer, item, assertion="formula")


def _statement(
    pointer: str, value: object, *, has_name: bool = False, has_options: bool = True
) -> Iterator[Site]:
    if not isinstance(value, dict):
        return
    keys = ("forall", "exists", "find")
    binders = tuple(each for key in keys for each in _binders(value.get(key), f"{pointer}/{key}"))
    item = BoundItem(pointer, binders)
    if has_name:
        yield from _strings(value, pointer, item, name="rule name")
    for key in keys:
        yield from _binder_sites(value.get(key), f"{pointer}/{key}", item)
    yield from _strings(value, pointer, item, constraint="formula")
    implies = value.get("implies")
    if isinstance(implies, dict):
        yield from _strings(implies, f"{pointer}/implies", item, antecedent="formula", consequent="formula")
    unless = value.get("unless")
    if isinstance(unless, str):
        yield Site("formula", f"{pointer}/unless", unless, item)
    yield from _each(unless, f"{pointer}/unless", "formula", item)
    yield from _each(value.get("overrides"), f"{pointer}/overrides", "rule", item)
    if has_options:
        for at, option in _list(value.get("options"), f"{pointer}/options"):
            # Options have no options: nothing is gone into that could be nested without end.
            yield from _statement(at, option, has_options=False)


def _optimization(pointer: str, value: object) -> Iterator[Site]:
    if not isinstance(value, dict):
        return
    variables = f"{pointer}/variables"
    item = BoundItem(pointer, _binders(value.get("variables"), variables))
    yield from _binder_sites(value.get("variables"), variables, item)
    yield from _each(value.get("constraints"), f"{pointer}/constraints", "formula", item)
    for key, part in (("objectives", "expression"), ("soft", "constraint")):
        for at, each in _list(value.get(key), f"{pointer}/{key}"):
            if isinstance(each, dict) and isinstance(each.get(part), str):
                yield Site("formula", f"{at}/{part}", each[part], item)


# --- imports, tables, semantics ------------------------------------------------------------------


def _import(pointer: str, value: object, item: BoundItem) -> Iterator[Site]:
    if isinstance(value, str):
        yield Site("pack", pointer, value, item)
    elif isinstance(value, dict):
        yield from _strings(value, pointer, item, pack="pack")
        bound, pack = value.get("with"), value.get("pack")
        if isinstance(bound, dict) and isinstance(pack, str):
            known = pack_parameters(pack)
            for parameter, name in bound.items():
                if isinstance(name, str):
                    role: SiteRole = "sort reference" if parameter in known.sorts else "symbol reference"
                    yield Site(role, join_pointer(pointer, "with", parameter), name, item)


def _source(pointer: str, value: object, item: BoundItem) -> Iterator[Site]:
    if isinstance(value, dict):
        for at, column in _list(value.get("members"), f"{pointer}/members"):
            if isinstance(column, dict):
                yield from _strings(column, at, item, sort="sort reference")
        for at, column in _list(value.get("functions"), f"{pointer}/functions"):
            if isinstance(column, dict):
                yield from _strings(column, at, item, name="symbol reference")


def _semantics(pointer: str, value: object, item: BoundItem) -> Iterator[Site]:
    if isinstance(value, dict):
        for key in ("unique_names", "closed_domain"):
            yield from _each(value.get(key), f"{pointer}/{key}", "sort reference", item)


# --- parts ---------------------------------------------------------------------------------------


def _strings(value: Mapping[str, Any], pointer: str, item: BoundItem, **roles: SiteRole) -> Iterator[Site]:
    """The strings under some keys, each with its role."""
    for key, role in roles.items():
        text = value.get(key)
        if isinstance(text, str):
            yield Site(role, f"{pointer}/{key}", text, item)


def _list(value: object, pointer: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, list):
        yield from ((f"{pointer}/{number}", each) for number, each in enumerate(value))


def _each(value: object, pointer: str, role: SiteRole, item: BoundItem) -> Iterator[Site]:
    for at, each in _list(value, pointer):
        if isinstance(each, str):
            yield Site(role, at, each, item)


def _binders(value: object, pointer: str) -> tuple[SiteBinder, ...]:
    found: list[SiteBinder] = []
    for at, each in _list(value, pointer):
        if isinstance(each, str):
            found.append(SiteBinder(each, None, at))
        elif isinstance(each, dict) and isinstance(each.get("name"), str):
            sort = each.get("sort")
            found.append(SiteBinder(each["name"], sort if isinstance(sort, str) else None, f"{at}/name"))
    return tuple(found)


def _binder_sites(value: object, pointer: str, item: BoundItem) -> Iterator[Site]:
    for at, each in _list(value, pointer):
        if isinstance(each, str):
            yield Site("binder", at, each, item)
        elif isinstance(each, dict):
            yield from _strings(each, at, item, name="binder", sort="sort")

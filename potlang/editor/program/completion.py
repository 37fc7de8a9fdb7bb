"""Completions at the cursor in a program: names, operators, sorts, keys, words, packs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from potlang.diag.register import CODES
from potlang.editor.answers import Completions, ItemKind
from potlang.editor.json_completion import JsonSlot, Offer, chosen, key_items, slot_at, word_items
from potlang.editor.json_text import JsonText
from potlang.editor.operator_pages import builtin_page, usage
from potlang.editor.program.hover import signature
from potlang.editor.program.names import ProgramNames
from potlang.editor.program.packs import pack_parameters
from potlang.editor.program.sites import Site, SiteRole, sites_beside
from potlang.editor.program.uses import formula_uses
from potlang.expressions.names import written
from potlang.expressions.tables import Token, tokenize
from potlang.languages.pot.read.sort_kinds import canonical_kind
from potlang.sema.builtins import BUILTINS
from potlang.source import split_pointer
from potlang.utils import resources

SCHEMA = "pot-1"
_WORDS = ("and", "or", "not", "in", "True", "False")
_SORTS = ("Bool", "Int", "Real", "String", "Date", "DateTime", "Duration")
_MADE_SORTS = ("ArraySort(", "SetSort(", "BitVecSort(", "FunctionSort(", "Money(", "Quantity(")
_OWN_KINDS = ("DeclareSort", "EnumSort", "TupleSort")
_KINDS: dict[SiteRole, ItemKind] = {
    "function": "function",
    "constant": "constant",
    "enum value": "value",
    "selector": "method",
    "variable": "field",
    "sort name": "class",
}
_BEGUN = re.compile(r"`[^`]*\Z|[^\W\d]\w*\Z")


def completions(json: JsonText, names: ProgramNames, offset: int) -> Completions:
    """Completions at an offset."""
    slot = slot_at(json, offset)
    tokens = tuple(split_pointer(slot.pointer))
    if slot.on_key:
        if tokens[:1] == ("imports",) and tokens[2:] == ("with",):
            return chosen(_parameters(names, tokens), slot)
        return key_items(SCHEMA, json.value, slot)
    if slot.inside is not None:
        site = _site(names, slot.pointer)
        if site is not None and site.role in ("formula", "sort"):
            return _in_text(names, site, slot)
    offers = list(_values(names, tokens))
    if offers:
        return chosen(offers, slot)
    return word_items(SCHEMA, slot)


def _site(names: ProgramNames, pointer: str) -> Site | None:
    found = sites_beside(names.program, split_pointer(pointer))
    return next((site for site in found if site.pointer == pointer), None)


# --- strings that are one name -------------------------------------------------------------------


def _values(names: ProgramNames, tokens: tuple[str, ...]) -> Iterator[Offer]:
    """Completions of a whole string, by its place."""
    match tokens:
        case ("imports", _) | ("imports", _, "pack"):
            yield from (Offer(name, "module", _pack_line(name)) for name in resources.pack_names())
        case ("imports", number, "with", parameter):
            value = names.value_at(f"/imports/{number}")
            pack = value.get("pack") if isinstance(value, dict) else None
            known = pack_parameters(pack) if isinstance(pack, str) else None
            yield from _sorts(names) if known and parameter in known.sorts else _symbols(names)
        case ("sorts", _, "type"):
            yield from (Offer(kind, "keyword") for kind in _OWN_KINDS)
            yield from _sorts(names)
        case (*_, "sort") | (*_, "range") | ("functions", _, "domain", _) | ("semantics", _, _):
            yield from _sorts(names)
        case (*_, "forall" | "exists" | "find" | "variables", _) if len(tokens) > 2:
            yield from _of_role(names, "variable")
        case ("rules", _, "overrides", _):
            yield from (Offer(name, "value") for name in names.declared["rule"])
        case ("lint", "select" | "ignore", _):
            yield from _lints()
        case ("sources", _, "functions", _, "name"):
            yield from _of_role(names, "function")


def _pack_line(name: str) -> str:
    return ", ".join(pack_parameters(name).names)


def _parameters(names: ProgramNames, tokens: tuple[str, ...]) -> list[Offer]:
    value = names.value_at(f"/imports/{tokens[1]}")
    pack = value.get("pack") if isinstance(value, dict) else None
    known = pack_parameters(pack).names if isinstance(pack, str) else ()
    return [Offer(name, "property") for name in known]


def _lints() -> Iterator[Offer]:
    yield Offer("all", "keyword")
    for row in CODES.values():
        if row.code >= "POT9":
            yield Offer(row.slug, "value", row.code)


def _of_role(names: ProgramNames, *roles: SiteRole) -> Iterator[Offer]:
    for name, declarations in names.declared["symbol"].items():
        first = declarations[0]
        if first.role in roles:
            yield Offer(name, _KINDS.get(first.role, "value"), signature(first), _said(first.value))


def _symbols(names: ProgramNames) -> Iterator[Offer]:
    return _of_role(names, "function", "constant", "enum value", "selector", "sort name", "variable")


def _sorts(names: ProgramNames) -> Iterator[Offer]:
    for name, declarations in names.declared["sort"].items():
        value: Any = declarations[0].value
        yield Offer(
            name, "class", str(value.get("type", "")) if isinstance(value, dict) else "", _said(value)
        )
    yield from (Offer(name, "class", "built in") for name in _SORTS if name not in names.declared["sort"])


def _said(value: Any) -> str:
    said = value.get("description") if isinstance(value, dict) else None
    return said if isinstance(said, str) else ""


# --- formulas and sorts --------------------------------------------------------------------------


def _in_text(names: ProgramNames, site: Site, slot: JsonSlot) -> Completions:
    """Completions in a formula or a sort: the name that is begun is replaced."""
    index = slot.inside or 0
    before = site.text[:index]
    tokens = tokenize(before)[:-1]
    if _is_in_literal(tokens, before):
        return Completions()
    found = _BEGUN.search(before)
    begun = found[0] if found is not None else ""
    previous = _previous(tokens, len(before) - len(begun))
    is_sort = site.role == "sort" or (previous is not None and previous.kind == "COLON")
    offers = _sort_offers(names, site) if is_sort else _formula_offers(names, site, index)
    end = index + len(_rest_of_name(site.text[index:]))
    start = index - len(begun)
    items = [
        each._replace(name=written(each.name)) if each.kind not in ("keyword", "method") else each
        for each in offers
    ]
    return chosen(items, slot, (start, end), begun)


def _is_in_literal(tokens: list[Token], before: str) -> bool:
    """Whether the cursor is in a number, or in a string that is not closed."""
    last = tokens[-1] if tokens else None
    if last is None:
        return False
    if last.kind == "$UNKNOWN":
        return last.text in "\"'"
    return last.end == len(before) and last.kind in ("NUMBER", "STRING", "DATE", "AMOUNT", "BITS")


def _previous(tokens: list[Token], at: int) -> Token | None:
    return next((each for each in reversed(tokens) if each.end <= at), None)


def _rest_of_name(after: str) -> str:
    found = re.match(r"\w*`?", after)
    return "" if found is None else found[0].rstrip("`")


def _sort_offers(names: ProgramNames, site: Site) -> Iterable[Offer]:
    yield from _sorts(names)
    yield from (Offer(name.rstrip("("), "keyword", f"{name}…)") for name in _MADE_SORTS)
    if site.pointer.startswith("/sorts/") and canonical_kind(site.text).name == "Alias":
        yield from (Offer(kind, "keyword") for kind in _OWN_KINDS)


def _formula_offers(names: ProgramNames, site: Site, index: int) -> Iterator[Offer]:
    """The names that are bound here, the program's, and the language's."""
    seen: set[str] = set()
    for use in formula_uses(site.text).uses:
        if use.kind == "binder" and use.start < index and use.end != index and use.name not in seen:
            seen.add(use.name)
            yield Offer(use.name, "field", f"{use.name}: {use.bound_sort}")
    for binder in site.item.binders:
        if binder.name not in seen and (binder.sort is not None or names.symbol(binder.name) is None):
            seen.add(binder.name)
            yield Offer(binder.name, "field", f"{binder.name}: {binder.sort or '?'}")
    yield from (each for each in _symbols(names) if each.name not in seen)
    for name, pack in names.bound_by_imports.items():
        if names.symbol(name) is None and names.sort(name) is None:
            yield Offer(name, "function", f"declared by {pack}")
    for name in BUILTINS:
        if names.symbol(name) is None:
            page = builtin_page(name)
            yield Offer(name, "method", usage(name), "" if page is None else page[1])
    yield from (Offer(word, "keyword") for word in _WORDS)

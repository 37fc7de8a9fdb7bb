"""Shown beside a program's text in an editor: colours, sorts of variables, the outline."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.editor.answers import ItemKind, OutlineItem, SortHint, TextSpan, TextToken, TokenKind
from potlang.editor.json_text import JsonText, object_at
from potlang.editor.program.names import ProgramNames, site_uses
from potlang.editor.program.sites import SINGLE, Site, SiteRole, item_sites, section_of
from potlang.editor.program.uses import NameUse
from potlang.expressions.tables import Token, tokenize
from potlang.sema.builtins import BUILTINS
from potlang.source.layout import Extent
from potlang.source.pointer import join_pointer

MOST_TOKENS = 50_000
_MOST_CHILDREN = 1_000
_TOKENS: dict[str, TokenKind] = {
    **dict.fromkeys(("AND", "OR", "NOT", "IN"), "keyword"),
    **dict.fromkeys(("NUMBER", "DATE", "AMOUNT", "BITS"), "number"),
    **dict.fromkeys(
        ("IMPLIES", "IFF", "AND_SIGN", "OR_SIGN", "NOT_SIGN", "IMPLIES_SIGN", "IFF_SIGN", "COMPARE"),
        "operator",
    ),
    **dict.fromkeys(("PLUS", "MINUS", "STAR", "DIVIDE", "POWER"), "operator"),
    "STRING": "string",
}
_ROLES: dict[SiteRole, tuple[TokenKind, tuple[str, ...]]] = {
    "function": ("function", ()),
    "selector": ("function", ()),
    "sort name": ("function", ()),
    "constant": ("variable", ("readonly",)),
    "enum value": ("enumMember", ()),
    "variable": ("parameter", ()),
}
_DECLARED: dict[SiteRole, tuple[TokenKind, tuple[str, ...]]] = {
    **{role: (kind, ("declaration", *more)) for role, (kind, more) in _ROLES.items()},
    "sort name": ("type", ("declaration",)),
    "binder": ("parameter", ("declaration",)),
    "sort reference": ("type", ()),
    "symbol reference": ("function", ()),
}


# --- colours -------------------------------------------------------------------------------------


def tokens(json: JsonText, names: ProgramNames, start: int, end: int) -> list[TextToken]:
    """The coloured parts of the strings that stand within a part of the text."""
    found: list[TextToken] = []
    for site, base in _sites_within(json, start, end):
        found += _of_site(json, names, site, base)
        if len(found) >= MOST_TOKENS:
            break
    return sorted(found, key=lambda each: each.start)


def _sites_within(json: JsonText, start: int, end: int) -> Iterator[tuple[Site, TextSpan]]:
    """The sites of the items that a part of the text touches, and where their strings stand."""
    program = json.value
    if not isinstance(program, dict):
        return
    low, high = json.json.mended(start), json.json.mended(end)
    for section, pointer in _items_within(json, program, low, high):
        value = object_at(program, pointer)
        for site in item_sites(section, pointer, value):
            span = json.span(site.pointer)
            if span[0] <= end and span[1] >= start:
                yield site, span


def _items_within(
    json: JsonText, program: dict[str, object], low: int, high: int
) -> Iterator[tuple[str, str]]:
    """The sections and pointers of items that a part of the mended text touches."""
    layout = json.json.document.layout
    root = layout.children(layout.root().start)
    if not isinstance(root, dict):
        return
    for key, extent in root.items():
        section = section_of(program, key)
        if section is None or extent.end < low or extent.start > high:
            continue
        if section in SINGLE:
            yield section, join_pointer("", key)
            continue
        for token, inner in _pairs(layout.children(extent.start)):
            if inner.end >= low and inner.start <= high:
                yield section, join_pointer("", key, token)


def _pairs(children: dict[str, Extent] | list[Extent]) -> Iterator[tuple[str | int, Extent]]:
    return iter(children.items()) if isinstance(children, dict) else iter(enumerate(children))


def _of_site(json: JsonText, names: ProgramNames, site: Site, base: TextSpan) -> Iterator[TextToken]:
    if site.role not in ("formula", "sort"):
        if site.role in _DECLARED:
            kind, modifiers = _DECLARED[site.role]
            yield TextToken(*base, kind, modifiers)
        return
    uses = {use.start: use for use in site_uses(site)}
    for token in tokenize(site.text):
        found = _of_token(names, site, token, uses.get(token.start))
        if found is not None:
            yield TextToken(*_placed(json, site, base, (token.start, token.end)), *found)


def _placed(json: JsonText, site: Site, base: TextSpan, span: TextSpan) -> TextSpan:
    """Where a part of a string stands; a string without escapes has its characters in a row."""
    if base[1] - base[0] == len(site.text):
        return base[0] + span[0], base[0] + span[1]
    return json.span(site.pointer, span)


def _of_token(
    names: ProgramNames, site: Site, token: Token, use: NameUse | None
) -> tuple[TokenKind, tuple[str, ...]] | None:
    if token.kind in _TOKENS:
        return _TOKENS[token.kind], ()
    if token.kind not in ("NAME", "QUOTED") or use is None:
        return None
    if use.kind == "sort":
        return "type", () if names.sort(use.name) is not None else ("defaultLibrary",)
    if use.kind == "binder":
        return "parameter", ("declaration",)
    target = names.target(use, site)
    if target is None:
        is_builtin = use.kind == "builtin" or (use.kind == "head" and use.name in BUILTINS)
        return ("function", ("defaultLibrary",)) if is_builtin else None
    if target.space in ("item", "formula"):
        return "parameter", ()
    declaration = names.symbol(use.name)
    return None if declaration is None else _ROLES.get(declaration.role)


# --- sorts of variables --------------------------------------------------------------------------


def hints(json: JsonText, names: ProgramNames, start: int, end: int) -> list[SortHint]:
    """The sorts of the variables that are bound by their names alone ([EDIT-HINTS])."""
    found: list[SortHint] = []
    for site, base in _sites_within(json, start, end):
        if site.role == "binder":
            sort = _variable_sort(names, site.text)
            if sort is not None and names.local_sort(site.text, site) is None:
                found.append(SortHint(base[1], f": {sort}"))
        elif site.role == "formula":
            for use in _bare_binders(site):
                sort = _variable_sort(names, use.name)
                if sort is not None and use.bound_at is None and names.local_sort(use.name, site) is None:
                    found.append(SortHint(_placed(json, site, base, (use.start, use.end))[1], f": {sort}"))
    return [each for each in found if start <= each.offset <= end]


def _variable_sort(names: ProgramNames, name: str) -> str | None:
    """The sort that a declared variable has."""
    declaration = names.symbol(name)
    return declaration.sort if declaration is not None and declaration.role == "variable" else None


def _bare_binders(site: Site) -> Iterator[NameUse]:
    """The names that a quantifier binds without a sort: those in front of its formula."""
    uses = {use.start: use for use in site_uses(site)}
    found = tokenize(site.text)
    for at, token in enumerate(found):
        if token.kind != "NAME" or token.text not in _BINDING or found[at + 1].kind != "LPAR":
            continue
        position = at + 2
        if found[position].kind == "LSQB":
            position += 1
        while found[position].kind in ("NAME", "QUOTED") and found[position + 1].kind in ("COMMA", "RSQB"):
            use = uses.get(found[position].start)
            if use is not None:
                yield use
            if found[position + 1].kind == "RSQB":
                break
            position += 2


_BINDING = frozenset({"ForAll", "Forall", "Exists", "ExistsUnique", "Unique"})


# --- outline -------------------------------------------------------------------------------------


def outline(json: JsonText) -> list[OutlineItem]:
    """The sections of a program, and in each the items with their names."""
    program = json.value
    layout = json.json.document.layout
    root = layout.children(layout.root().start)
    if not isinstance(program, dict) or not isinstance(root, dict):
        return []
    found: list[OutlineItem] = []
    for section in root:
        pointer = join_pointer("", section)
        value = program.get(section)
        inner = _outline_items(json, section, pointer, value)
        span = json.whole(pointer)
        size = f"{len(value)}" if isinstance(value, list | dict) else ""
        name_span = json.span(pointer, on_key=True)
        found.append(OutlineItem(section, "module", span, name_span, size, tuple(inner)))
    return found


def _outline_items(json: JsonText, section: str, pointer: str, value: object) -> Iterator[OutlineItem]:
    if isinstance(value, dict) and section == "constants":
        items = [(join_pointer(pointer, key), key, each) for key, each in value.items()]
    elif isinstance(value, list):
        items = [(f"{pointer}/{number}", "", each) for number, each in enumerate(value)]
    else:
        return
    for at, key, each in items[:_MOST_CHILDREN]:
        name = key or _item_name(each)
        span = json.whole(at)
        named = isinstance(each, dict) and isinstance(each.get("name"), str) and not key
        name_span = json.span(f"{at}/name") if named else (span[0], span[1])
        yield OutlineItem(name, _OUTLINE_KINDS.get(section, "property"), span, name_span, _detail(each))


_OUTLINE_KINDS: dict[str, ItemKind] = {
    "sorts": "class",
    "functions": "function",
    "constants": "constant",
    "variables": "field",
    "imports": "module",
}


def _item_name(value: object) -> str:
    if isinstance(value, str):
        return _short(value)
    if not isinstance(value, dict):
        return "item"
    for key in ("name", "assertion", "constraint", "pack", "file"):
        if isinstance(value.get(key), str) and value[key].strip():
            return _short(value[key])
    implies = value.get("implies")
    if isinstance(implies, dict):
        return _short(f"{implies.get('antecedent', '…')} -> {implies.get('consequent', '…')}")
    return "item"


def _detail(value: object) -> str:
    if not isinstance(value, dict) or "name" not in value:
        return ""
    return _short(str(value.get("constraint") or value.get("type") or value.get("range") or ""))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"

"""The hover text of a place in a program."""

from __future__ import annotations

from typing import Any

from potlang.editor.answers import HoverText
from potlang.editor.json_text import JsonCursor, JsonText
from potlang.editor.markdown import code, plain
from potlang.editor.operator_pages import builtin_page, sign_page, usage
from potlang.editor.program.names import Declaration, NameAt, ProgramNames
from potlang.editor.program.packs import pack_parameters
from potlang.editor.program.sites import Site, section_of, sites_beside
from potlang.editor.program.words import sentence_of
from potlang.editor.schemas import description_at
from potlang.expressions.tables import Token, tokenize
from potlang.sema.sorts import BUILTIN, CONSTRUCTORS
from potlang.source import join_pointer, split_pointer

_KINDS = {
    "function": "function",
    "constant": "constant",
    "enum value": "value",
    "selector": "selector",
    "variable": "variable",
    "sort name": "constructor",
}


def hover(json: JsonText, names: ProgramNames, offset: int) -> HoverText | None:
    """The hover text at an offset: the name or the operator there, and the sentence of the statement."""
    cursor = json.cursor(offset)
    if cursor.between and not cursor.on_key:
        return None
    tokens = tuple(split_pointer(cursor.pointer))
    if cursor.on_key:
        return _said_of_key(json, cursor, tokens)
    if cursor.inside is None:
        return None
    found = names.at(cursor.pointer, cursor.inside)
    if found is not None:
        lines = _of_name(names, found)
        span = json.span(found.pointer, found.span)
    else:
        site = _site_at(names, cursor.pointer)
        token = _token_at(site.text, cursor.inside) if site is not None and site.role == "formula" else None
        page = None if token is None else sign_page(token.text)
        lines = [] if page is None or token is None else [f"`{token.text}`", *_page(page)]
        place = (token.start, token.end) if token is not None and page is not None else None
        span = json.span(cursor.pointer, place)
    sentence = _sentence(names, tokens)
    if sentence is not None:
        lines.append(f"*{plain(sentence)}*")
    if not lines:
        said = description_at("pot-1", tokens)
        return HoverText(span, said) if said else None
    return HoverText(span, "\n\n".join(lines))


def _said_of_key(json: JsonText, cursor: JsonCursor, tokens: tuple[str, ...]) -> HoverText | None:
    said = description_at("pot-1", tokens)
    return HoverText(json.span(cursor.pointer, on_key=True), said) if said else None


def _site_at(names: ProgramNames, pointer: str) -> Site | None:
    found = sites_beside(names.program, split_pointer(pointer))
    return next((site for site in found if site.pointer == pointer), None)


def _token_at(text: str, index: int) -> Token | None:
    return next((each for each in tokenize(text) if each.start <= index < each.end), None)


def _of_name(names: ProgramNames, at: NameAt) -> list[str]:
    """The lines on a name."""
    if at.site.role == "pack":
        return _of_pack(at.name)
    target = at.target
    if target is None:
        return _of_undeclared(names, at)
    if target.space == "formula" and at.use is not None:
        return [code(f"{at.name}: {at.use.bound_sort}"), "bound in this formula"]
    if target.space == "item":
        return [code(f"{at.name}: {names.local_sort(at.name, at.site) or '?'}"), "bound here"]
    if target.space == "sort":
        return _of_sort(names, at.name)
    if target.space == "rule":
        return [f"the rule {code(at.name)}"]
    declaration = names.symbol(at.name)
    return [] if declaration is None else _of_symbol(declaration)


def _of_symbol(declaration: Declaration) -> list[str]:
    lines = [code(signature(declaration)), _KINDS.get(declaration.role, "")]
    value = declaration.value
    if declaration.role == "function" and isinstance(value, dict):
        if isinstance(value.get("body"), str):
            lines.append(f"defined as {code(value['body'])}")
        if value.get("closed") is True:
            lines.append("closed: false wherever no fact and no rule makes it true")
    return [*lines, *_description(value)]


def signature(declaration: Declaration) -> str:
    """A declared symbol with its sorts: `likes(Person, Person) -> Bool`."""
    value: Any = declaration.value
    if declaration.role == "function":
        domain = value.get("domain") if isinstance(value, dict) else None
        parts = ", ".join(map(str, domain)) if isinstance(domain, list) else str(domain or "")
        head = f"{declaration.name}({parts})" if parts else declaration.name
        return f"{head} -> {value.get('range', '?')}"
    if declaration.role == "selector":
        return f"{declaration.name}({value.get('name', '?')}) -> {declaration.sort}"
    if declaration.role == "sort name":
        fields = value.get("fields") if isinstance(value, dict) else None
        sorts = [str(each.get("sort", "?")) for each in fields or () if isinstance(each, dict)]
        return f"{declaration.name}({', '.join(sorts)}) -> {declaration.name}"
    return f"{declaration.name}: {declaration.sort}"


def _of_sort(names: ProgramNames, name: str) -> list[str]:
    declaration = names.sort(name)
    if declaration is None or not isinstance(declaration.value, dict):
        return []
    kind = declaration.value.get("type", "")
    lines = [code(f"{name}: {kind}"), "sort"]
    values = declaration.value.get("values")
    if isinstance(values, list) and values:
        lines.append(plain("exactly " + ", ".join(map(str, values))))
    return [*lines, *_description(declaration.value)]


def _of_undeclared(names: ProgramNames, at: NameAt) -> list[str]:
    """The lines on a name that the program does not declare: the language's, or a pack's."""
    name = at.name
    if at.use is not None and at.use.kind == "sort":
        builtin = BUILTIN.get(name)
        meant = str(builtin) if builtin is not None else CONSTRUCTORS.get(name)
        return [] if meant is None else [code(name), f"the sort {meant}, built in"]
    page = builtin_page(name)
    if page is not None:
        return [code(usage(name)), "built in", *_page(page)]
    pack = names.bound_by_imports.get(name)
    return [] if pack is None else [code(name), f"a parameter of the pack `{pack}`, which declares it"]


def _of_pack(name: str) -> list[str]:
    pack = pack_parameters(name)
    if not pack.names:
        return []
    symbols = [f"{each.name}/{len(each.domain)}" for each in pack.symbols]
    return [code(name), "pack", f"its parameters are {', '.join([*pack.sorts, *symbols])}"]


def _sentence(names: ProgramNames, tokens: tuple[str, ...]) -> str | None:
    """The sentence of the statement that a pointer leads into."""
    program = names.program
    if not isinstance(program, dict) or len(tokens) < 2:
        return None
    section = section_of(program, tokens[0])
    value = names.value_at(join_pointer("", *tokens[:2]))
    return None if section is None else sentence_of(program, section, value)


def _description(value: Any) -> list[str]:
    said = value.get("description") if isinstance(value, dict) else None
    return [plain(said)] if isinstance(said, str) and said else []


def _page(page: tuple[str, str]) -> list[str]:
    return [page[1], f"[{page[0]}]"]

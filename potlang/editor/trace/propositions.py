"""The names in the JSON of a `@prop`: what declares them, what binds them, where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from potlang.editor.json_text import JsonText
from potlang.editor.program.uses import formula_uses
from potlang.expressions.names import written
from potlang.languages.dot.read.propositions import FORMULAS, TERMS
from potlang.source.pointer import join_pointer

_MOST = 20_000


class PropName(NamedTuple):
    """A name in a proposition: the string or the key at `pointer`, or the characters `span` of it.

    `scope` is the pointer of the quantifier that binds it; None for a name of the whole trace.
    """

    name: str
    pointer: str
    span: tuple[int, int] | None
    on_key: bool
    declares: bool
    scope: str | None
    detail: str = ""


class _PropPart(NamedTuple):
    """A part of a proposition that is to be looked at, and what is bound around it."""

    value: Any
    pointer: str
    bound: tuple[tuple[str, str], ...]


def prop_names(json: JsonText) -> list[PropName]:
    """The names in one `@prop`, of its declarations or of its proposition."""
    value: Any = json.value
    found: list[PropName] = []
    waiting: list[_PropPart] = []
    if isinstance(value, dict) and ("declare" in value or "assume" in value):
        found += _declared(value.get("declare"))
        assumed = value.get("assume")
        for number, each in enumerate(assumed if isinstance(assumed, list) else ()):
            waiting.append(_PropPart(each, f"/assume/{number}", ()))
    else:
        waiting.append(_PropPart(value, "", ()))
    while waiting and len(found) < _MOST:
        part = waiting.pop()
        found += _own(part)
        waiting += _inner(part)
    return found


def _declared(value: Any) -> Iterator[PropName]:
    if not isinstance(value, dict):
        return
    for name, sort in value.items():
        pointer = join_pointer("/declare", name)
        if isinstance(sort, dict):
            domain = sort.get("domain")
            parts = ", ".join(map(str, domain)) if isinstance(domain, list) else ""
            detail = f"{name}({parts}) -> {sort.get('range', '?')}"
        else:
            detail = f"{name}: {sort}"
        yield PropName(name, pointer, None, True, True, None, detail)


def _own(part: _PropPart) -> Iterator[PropName]:
    """The names that a part says itself."""
    value, pointer = part.value, part.pointer
    if isinstance(value, str):
        yield _named(value, pointer, None, part.bound)
    elif isinstance(value, list) and value and isinstance(value[0], str):
        yield _named(value[0], f"{pointer}/0", None, part.bound)
    elif isinstance(value, dict):
        if isinstance(value.get("pot"), str):
            yield from _in_formula(value["pot"], f"{pointer}/pot", part.bound)
        for key, binders in _quantified(value):
            for name, sort in binders.items():
                at = join_pointer(f"{pointer}/{key}/0", name)
                yield PropName(name, at, None, True, True, f"{pointer}/{key}", f"{name}: {sort}")


def _inner(part: _PropPart) -> Iterator[_PropPart]:
    """The parts of a part."""
    value, pointer, bound = part
    if isinstance(value, list):
        yield from (_PropPart(each, f"{pointer}/{n}", bound) for n, each in enumerate(value) if n)
        return
    if not isinstance(value, dict):
        return
    quantifiers = dict(_quantified(value))
    for key, operands in value.items():
        if key == "pot" or (key not in FORMULAS and key not in TERMS):
            continue
        at = f"{pointer}/{key}"
        if key in quantifiers:
            inner = (*bound, *((name, at) for name in quantifiers[key]))
            yield from (_PropPart(each, f"{at}/{n}", inner) for n, each in enumerate(operands) if n)
        elif isinstance(operands, list) and key not in ("not", "neg"):
            yield from (_PropPart(each, f"{at}/{n}", bound) for n, each in enumerate(operands))
        else:
            yield _PropPart(operands, at, bound)


def _quantified(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in ("forall", "exists"):
        operands = value.get(key)
        if isinstance(operands, list) and operands and isinstance(operands[0], dict):
            yield key, operands[0]


def _named(
    name: str, pointer: str, span: tuple[int, int] | None, bound: tuple[tuple[str, str], ...]
) -> PropName:
    scope = next((at for known, at in reversed(bound) if known == name), None)
    return PropName(name, pointer, span, False, False, scope)


def _in_formula(text: str, pointer: str, bound: tuple[tuple[str, str], ...]) -> Iterator[PropName]:
    for use in formula_uses(text).uses:
        if use.kind in ("sort", "builtin"):
            continue
        span = use.start, use.end
        if use.bound_at is not None:
            at = f"{pointer}#{use.bound_at}"
            detail = f"{use.name}: {use.bound_sort}"
            yield PropName(use.name, pointer, span, False, use.kind == "binder", at, detail)
        else:
            yield _named(use.name, pointer, span, bound)


def respelt(old: PropName, text: str, new: str) -> str | None:
    """The spelling of a name in a string of the JSON; None where it cannot be written there."""
    if old.span is None:
        return new if text == old.name else None
    start, end = old.span
    return written(new) if text[start:end] in (old.name, written(old.name), f"`{old.name}`") else None

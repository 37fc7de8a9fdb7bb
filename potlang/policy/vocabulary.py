"""The vocabularies of two versions: what both declare, what one declares alone, what may be renamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from potlang.ir.module import Module
from potlang.ir.nodes import Symbol
from potlang.ir.renaming import ModuleRenaming, renamed
from potlang.ir.sorts import EnumSort, Sort, TupleSort
from potlang.policy.renames import WordKind, renames_between, symbols_of
from potlang.sema.emit import sort_text


class Rename(NamedTuple):
    """A word of the old version that stands where another one stands in the new version."""

    kind: WordKind
    old: str
    new: str


class VocabularyChange(NamedTuple):
    """A word that the versions declare differently: each declaration in words, None where there is none."""

    kind: WordKind
    name: str
    old: str | None
    new: str | None


class Alignment(NamedTuple):
    """Two versions over one vocabulary: each name is of the same sorts in both, or in one of them alone.

    The old version has the new one's names. What the new version calls as the old one calls something else
    has another name here, which `apart` says. Values of an enum that one version has alone are values in
    both; `is_widened` says whether there are some.
    """

    old: Module
    new: Module
    renames: tuple[Rename, ...]
    changes: tuple[VocabularyChange, ...]
    apart: Mapping[str, str]
    is_widened: bool


def align(old: Module, new: Module) -> Alignment:
    """Two typed modules over one vocabulary. They stay as they are: what is aligned are copies."""
    found = tuple(Rename(*each) for each in renames_between(old, new))
    old = renamed(old, _renaming(found, old))
    apart = _clashing(old, new)
    changes = (*_changed_sorts(old, new), *_changed_symbols(old, new))
    said = tuple(
        each._replace(new=f"{each.new}, called `{apart[each.name]}` here")
        if each.new and each.name in apart
        else each
        for each in changes
    )
    new = renamed(
        new, ModuleRenaming(apart, apart, {key: apart[key[1]] for key in _values(new) if key[1] in apart})
    )
    more = _values_of_others(old, new), _values_of_others(new, old)
    widened = [
        renamed(each, ModuleRenaming(more=own)) if own else each
        for each, own in zip((old, new), more, strict=True)
    ]
    return Alignment(widened[0], widened[1], found, said, apart, any(more))


def _renaming(renames: tuple[Rename, ...], old: Module) -> ModuleRenaming:
    values = {each.old: each.new for each in renames if each.kind == "value"}
    return ModuleRenaming(
        {each.old: each.new for each in renames if each.kind == "sort"},
        {each.old: each.new for each in renames if each.kind not in ("sort", "value")},
        {
            (sort.name, value): values[value]
            for sort in old.sorts
            if isinstance(sort, EnumSort)
            for value in sort.values
            if value in values
        },
    )


def _values(module: Module) -> Iterator[tuple[str, str]]:
    """The values of all enum sorts, each behind the sort's name."""
    yield from (
        (sort.name, each) for sort in module.sorts if isinstance(sort, EnumSort) for each in sort.values
    )


def _values_of_others(module: Module, other: Module) -> dict[str, tuple[str, ...]]:
    """By enum sorts of both the values that the other has alone, but for what is something else here."""
    own, taken = set(_values(module)), set(_profiles(module))
    sorts = {name for name, _ in own}
    found: dict[str, tuple[str, ...]] = {}
    for name, value in _values(other):
        if name in sorts and (name, value) not in own and value not in taken:
            found[name] = (*found.get(name, ()), value)
    return found


def _clashing(old: Module, new: Module) -> dict[str, str]:
    """Other names for those of the new version that are something else in the old one."""
    taken = {**_profiles(old), **_profiles(new)}
    before, after = _profiles(old), _profiles(new)
    apart: dict[str, str] = {}
    for name, profile in after.items():
        if name in before and not _fits(before[name], profile):
            apart[name] = next(
                each for number in range(len(taken) + 1) if (each := f"{name}_new{number or ''}") not in taken
            )
    return apart


def _fits(old: str, new: str) -> bool:
    """Whether two declarations give a name the same sorts; members of a sort may be added to it."""
    kinds = ("declared", "enum")
    return old == new or (old.startswith(kinds) and new.startswith(kinds))


def _profiles(module: Module) -> dict[str, str]:
    found = {each.name: _profile(each) for each in symbols_of(module)}
    for sort in module.sorts:
        found[sort.name] = declaration(sort)
        if isinstance(sort, EnumSort):
            found |= dict.fromkeys(sort.values, sort_text(sort))
    return found


def _profile(symbol: Symbol) -> str:
    return " -> ".join(
        [*([", ".join(map(sort_text, symbol.domain))] if symbol.domain else []), sort_text(symbol.range)]
    )


def declaration(sort: Sort) -> str:
    """The declaration of a sort in a few words: `declared`, `enum of red, green`, `record of x: Int`."""
    match sort:
        case EnumSort(values=values):
            return f"enum of {', '.join(sorted(values))}"
        case TupleSort(fields=fields):
            return f"record of {', '.join(f'{name}: {sort_text(part)}' for name, part in fields)}"
        case _:
            return "declared"


def _changed_sorts(old: Module, new: Module) -> Iterator[VocabularyChange]:
    before, after = ({each.name: declaration(each) for each in module.sorts} for module in (old, new))
    yield from _changed("sort", before, after)


def _changed_symbols(old: Module, new: Module) -> Iterator[VocabularyChange]:
    before, after = ({each.name: each for each in symbols_of(module)} for module in (old, new))
    kinds: dict[str, WordKind] = {
        name: "function" if each.domain else "constant" for name, each in {**before, **after}.items()
    }
    profiles = [{name: _profile(each) for name, each in symbols.items()} for symbols in (before, after)]
    for each in _changed("function", *profiles):
        yield each._replace(kind=kinds[each.name])


def _changed(kind: WordKind, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[VocabularyChange]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield VocabularyChange(kind, name, old.get(name), new.get(name))

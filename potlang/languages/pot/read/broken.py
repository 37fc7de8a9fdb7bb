"""Names that a program means to declare in declarations too broken to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from potlang.expressions.surface import ParsedProgram


def broken_names(sections: Mapping[str, object], module: ParsedProgram) -> list[str]:
    """The names in the declaring sections for which `module` has no declaration, each once."""
    declared = {declaration.name for declaration in module.sorts}
    declared.update(declaration.name for declaration in module.functions)
    declared.update(declaration.name for declaration in module.variables)
    declared.update(name for group in module.constants for name, _ in group.members)
    names = (
        name for section in ("sorts", "functions", "variables") for name in _named(sections.get(section))
    )
    found = dict.fromkeys([*names, *_members(sections.get("constants"))])
    return [name for name in found if name not in declared]


def _named(section: object) -> Iterator[str]:
    for item in section if isinstance(section, list) else ():
        name = item.get("name") if isinstance(item, dict) else item
        if isinstance(name, str):
            yield name


def _members(section: object) -> Iterator[str]:
    groups = list(section.values()) if isinstance(section, dict) else section
    for group in groups if isinstance(groups, list) else ():
        members = group.get("members") if isinstance(group, dict) else group
        for member in members if isinstance(members, list) else ():
            if isinstance(member, str):
                yield member

"""Reads a PoT program, a JSON value, into the surface tree.

What it accepts is exactly what `schemas/pot-1.json` accepts (a property of the tests). What is not
well formed is reported and left out, the rest is read, so that one run finds all errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from potlang.diag.model import Applicability, Fix, Patch, Place
from potlang.diag.sink import Sink
from potlang.expressions.shapes import Object, Shapes
from potlang.expressions.surface import (
    BinderDecl,
    CitedDocument,
    ConstantGroup,
    FunctionDecl,
    ParsedProgram,
    SortDecl,
    StatementDecl,
)
from potlang.languages.pot.read.broken import broken_names
from potlang.languages.pot.read.items import ItemReader
from potlang.languages.pot.read.settings import SettingsReader
from potlang.languages.pot.read.sort_kinds import canonical_kind
from potlang.languages.pot.read.sources import SourceReader
from potlang.languages.pot.read.statements import StatementReader
from potlang.source.pointer import join_pointer

SECTIONS = (
    "sorts",
    "functions",
    "constants",
    "variables",
    "knowledge_base",
    "rules",
    "verifications",
    "optimization",
    "actions",
    "imports",
    "semantics",
    "sources",
    "lint",
    "document",
)
_FREE = ("$schema", "description")
_FORMAT = re.compile(r"\bpot-(\d{1,9})(?!\d)")
_SORTS_IN_A_ROW = re.compile(r"(?:,|×|\*|\bx\b)(?![^()]*\))")
_NOT_LETTERS = re.compile(r"[\W_]+")

Item = tuple[Any, str]
"""A JSON value, and its pointer."""
T = TypeVar("T")


def read_program(value: object, sink: Sink) -> ParsedProgram | None:
    """The surface tree of a program given as a JSON value; errors go to the sink.

    None only where `value` is no object at all. After errors the
    tree holds what was well formed: look at `sink.has_errors`.
    """
    if not isinstance(value, dict):
        Shapes(sink).wrong_type(value, "", "a program, which is an object")
        return None
    return _ProgramReader(sink, value).module()


def read_verification(value: object, sink: Sink) -> StatementDecl | None:
    """One verification by itself, as an item of `verifications`; None, with reports, if it is malformed."""
    found = StatementReader(sink).verification(value, "")
    return None if sink.has_errors else found


class _ProgramReader(ItemReader):
    def __init__(self, sink: Sink, program: Object) -> None:
        super().__init__(sink)
        self.program = program
        self.sections: dict[str, Item] = {}

    def module(self) -> ParsedProgram:
        self._find_sections()
        statements, settings = StatementReader(self.sink), SettingsReader(self.sink)
        module = ParsedProgram(
            sorts=self._section("sorts", self._sort),
            functions=self._section("functions", self._function),
            constants=self._constants(),
            variables=self._section("variables", self._variable),
            facts=self._section("knowledge_base", statements.fact),
            rules=self._section("rules", statements.rule),
            verifications=self._section("verifications", statements.verification),
            optimization=settings.optimization(*self._found("optimization")),
            actions=self._actions(settings),
            imports=self._section("imports", settings.import_),
        )
        module.semantics = settings.semantics(*self._found("semantics"))
        sources = SourceReader(self.sink)
        module.sources = self._section("sources", sources.source)
        module.lint = settings.lint(*self._found("lint"))
        module.document = self._document(*self._found("document"))
        module.cites = {**self.cites, **statements.cites}
        if self.sink.has_errors:
            values = {section: value for section, (value, _) in self.sections.items()}
            module.broken = broken_names(values, module)
        return module

    # --- sections --------------------------------------------------------------------------------

    def _find_sections(self) -> None:
        """Assigns the keys of the program to sections, misspelt ones with a warning."""
        for key, value in self.program.items():
            if key in SECTIONS:
                self.sections[key] = value, f"/{key}"
        if len(self.sections) == len(self.program):
            return
        for key, value in self.program.items():
            if key in SECTIONS:
                continue
            if key in _FREE:
                if value is not None:
                    self.shapes.string(value, join_pointer("", key))
                if key == "$schema" and isinstance(value, str):
                    self._version(value)
                continue
            meant = section_meant(key) if isinstance(key, str) else None
            if meant is None or meant in self.sections:
                self.shapes.unknown_key(key, self.program, "", SECTIONS)
                continue
            place = Place(join_pointer("", key), on_key=True)
            move = Patch("move", f"/{meant}", source=place.pointer)
            fix = Fix(f"rename the key to `{meant}`", Applicability.SAFE, (move,))
            self.sink.report("POT1016", place, key=key, meant=meant, fixes=[fix])
            self.sections[meant] = value, place.pointer

    def _version(self, schema: str) -> None:
        """Reports a program that names another version of its format: it may mean what we do not read."""
        named = _FORMAT.search(schema)
        if named is not None and named[1] != "1":
            helps = [
                "convert it to version 1 (`urn:potlang:pot-1`), or use a potlang that reads this version"
            ]
            self.sink.report("POT1019", "/$schema", found=named[1], helps=helps)

    def _found(self, section: str) -> Item:
        """The value of a section, null where there is none, and its pointer."""
        return self.sections.get(section, (None, f"/{section}"))

    def _section(self, section: str, read: Callable[[Any, str], T | None]) -> list[T]:
        return self._each(*self._found(section), f"a list of {_plural(section)}", read)

    def _actions(self, settings: SettingsReader) -> list[str] | None:
        if self._found("actions")[0] is None:
            return None
        return list(dict.fromkeys(self._section("actions", settings.action)))

    def _document(self, value: object, pointer: str) -> CitedDocument | None:
        """The sentences that items cite; None where there is no such section, or it is malformed."""
        if value is None:
            return None
        known = ("name", "sha256", "sentences", "description")
        item = self._object(value, pointer, "an object with `sentences`", known, ("sentences",))
        if item is None:
            return None
        place = f"{pointer}/sentences"
        if "sentences" in item and item["sentences"] is None:
            self.shapes.wrong_type(None, place, "a list of sentences")
        sentences = self._each(item.get("sentences"), place, "a list of sentences", self.shapes.string)
        name = self._given(item, "name", pointer, self.shapes.string)
        sha256 = self._given(item, "sha256", pointer, self.shapes.string)
        # Of a malformed list the numbers may mean other sentences.
        is_whole = isinstance(item.get("sentences"), list) and len(sentences) == len(item["sentences"])
        return CitedDocument(name, sha256, tuple(sentences)) if is_whole else None

    # --- declarations ----------------------------------------------------------------------------

    def _sort(self, value: object, pointer: str) -> SortDecl | None:
        known = ("name", "type", "values", "fields", "description", "cites")
        item = self._object(
            value, pointer, "a sort: an object with `name` and `type`", known, ("name", "type")
        )
        if item is None:
            return None
        name = self._name(item, pointer)
        written = self._field(item, "type", pointer, self.shapes.string)
        kind = canonical_kind(written) if written is not None else None
        if kind is not None and written is not None and kind.warn:
            self._read_as(written, kind.name, f"{pointer}/type")
        kind_name = kind.name if kind else None
        values = self.shapes.names(
            self._parts(item, "values", pointer, kind_name, "an EnumSort", "members"),
            f"{pointer}/values",
            "a list of names",
        )
        fields = self._each(
            self._parts(item, "fields", pointer, kind_name, "a TupleSort", "components"),
            f"{pointer}/fields",
            "a list of fields",
            self._variable,
        )
        if name is None or kind is None:
            return None
        declaration = SortDecl(name, pointer, kind.name, values=values, description=_template(item))
        declaration.fields = [(one.name, one.sort, one.pointer) for one in fields if one.sort is not None]
        if kind.name not in ("DeclareSort", "EnumSort", "TupleSort"):
            declaration.definition = self.shapes.sort(kind.text, f"{pointer}/type")
            return declaration if declaration.definition is not None else None
        return declaration

    def _parts(
        self, item: Object, key: str, pointer: str, kind: str | None, owner: str, parts: str
    ) -> object:
        """The list that sorts of one kind have under a key, and no others have."""
        place = f"{pointer}/{key}"
        value = item.get(key)
        wanted = owner.split()[1]
        if kind == wanted and value is None:
            self.shapes.missing(key, pointer, [f"{owner} lists its {parts} in `{key}`"])
        elif kind == wanted and value == []:
            self.sink.report("POT1014", place, what=f"the list of {owner}'s {key}")
        elif kind not in (wanted, None) and value:
            self._only_for(key, wanted, value, place)
            return None
        return value

    def _only_for(self, key: str, kind: str, value: object, place: str) -> None:
        if not isinstance(value, list):
            self.shapes.wrong_type(value, place, "a list")
            return
        fix = Fix(f"remove `{key}`", Applicability.UNSAFE, (Patch("remove", place),))
        helps = [f"`{key}` belongs to the type `{kind}`"]
        self.sink.report("POT1012", Place(place, on_key=True), key=key, helps=helps, fixes=[fix])

    def _function(self, value: object, pointer: str) -> FunctionDecl | None:
        known = ("name", "domain", "range", "params", "body", "closed", "description", "cites")
        what = "a function: an object with `name`, `domain` and `range`"
        item = self._object(value, pointer, what, known, ("name", "domain", "range"))
        if item is None:
            return None
        name = self._name(item, pointer)
        place = f"{pointer}/domain"
        if "domain" in item and item["domain"] is None:
            self.shapes.wrong_type(None, place, "a list of sorts")
        pairs = self._domain(item.get("domain"), place)
        domain = [self.shapes.sort(sort, at) for sort, at in pairs]
        result = self._field(item, "range", pointer, self.shapes.sort)
        params = self._binders(item.get("params"), f"{pointer}/params")
        body = self._given(item, "body", pointer, self.shapes.formula)
        closed = self._given(item, "closed", pointer, self.shapes.boolean)
        sorts = [sort for sort in domain if sort is not None]
        if name is None or result is None or len(sorts) != len(domain):
            return None
        return FunctionDecl(name, sorts, result, pointer, params or None, body, bool(closed), _template(item))

    def _domain(self, value: object, place: str) -> list[tuple[Any, str]]:
        """The sorts of a domain; a sort by itself is reported, and read as the list of it."""
        if not isinstance(value, str):
            return self.shapes.items(value, place, "a list of sorts")
        sorts = [part.strip() for part in _SORTS_IN_A_ROW.split(value) if part.strip()]
        listed = json.dumps(sorts, ensure_ascii=False)
        fix = Fix(f"write {listed}", Applicability.UNSAFE, (Patch("replace", place, sorts),))
        self.shapes.wrong_type(value, place, "a list of sorts", [f"write {listed}"], [fix])
        return [(sort, place) for sort in sorts]

    def _constants(self) -> list[ConstantGroup]:
        section, pointer = self._found("constants")
        if not isinstance(section, dict):
            return self._each(section, pointer, "an object of groups, or a list of groups", self._named_group)
        groups = (
            self._group(str(name), value, join_pointer(pointer, str(name))) for name, value in section.items()
        )
        return [group for group in groups if group is not None]

    def _named_group(self, value: object, pointer: str) -> ConstantGroup | None:
        item = self._group_object(value, pointer, "`name`, `sort` and `members`", ("name", "sort", "members"))
        return None if item is None else self._members(self._name(item, pointer) or "", item, pointer)

    def _group(self, group: str, value: object, pointer: str) -> ConstantGroup | None:
        if isinstance(value, str) and value:
            meant = {"sort": value, "members": [group]}
            shown = json.dumps(meant, ensure_ascii=False)
            fix = Fix(f"write {shown}", Applicability.UNSAFE, (Patch("replace", pointer, meant),))
            self.shapes.wrong_type(
                value, pointer, "an object with `sort` and `members`", [f"write {shown}"], [fix]
            )
            sort = self.shapes.sort(value, pointer)
            return None if sort is None else ConstantGroup(group, sort, [(group, pointer)], pointer)
        if isinstance(value, list):
            helps = [f'write {{"sort": …, "members": […]}}: the constants of `{group}` need a sort']
            self.shapes.wrong_type(value, pointer, "an object with `sort` and `members`", helps)
            return None
        item = self._group_object(value, pointer, "`sort` and `members`", ("sort", "members"))
        return None if item is None else self._members(group, item, pointer)

    def _group_object(self, value: object, pointer: str, words: str, keys: tuple[str, ...]) -> Object | None:
        known = (*keys, "description", "cites")
        return self._object(value, pointer, f"a group: an object with {words}", known, keys)

    def _members(self, group: str, item: Object, pointer: str) -> ConstantGroup | None:
        sort = self._field(item, "sort", pointer, self.shapes.sort)
        place = f"{pointer}/members"
        if "members" in item and item["members"] is None:
            self.shapes.wrong_type(None, place, "a list of names")
        members = self.shapes.names(item.get("members"), place, "a list of names")
        return ConstantGroup(group, sort, members, pointer) if sort is not None else None

    def _variable(self, value: object, pointer: str) -> BinderDecl | None:
        keys = ("name", "sort")
        what = "an object with `name` and `sort`"
        item = self._object(value, pointer, what, (*keys, "description"), keys)
        if item is None:
            return None
        name = self._name(item, pointer)
        sort = self._field(item, "sort", pointer, self.shapes.sort)
        return BinderDecl(name, sort, pointer) if name is not None and sort is not None else None


def _template(item: Object) -> str | None:
    """A description that may say how the item is said in words."""
    found = item.get("description")
    return found if isinstance(found, str) and "{" in found else None


def section_meant(key: str) -> str | None:
    """The section that a key means, however it is spelt; None for another key."""
    form = _form(key)
    return next((section for section in SECTIONS if _form(section) == form), None)


def _form(key: str) -> str:
    """A key without case, separators and a plural's `s`."""
    return _NOT_LETTERS.sub("", key.casefold()).rstrip("s")


def _plural(section: str) -> str:
    return {"knowledge_base": "facts"}.get(section, section)

"""Reads packs of the standard library: program fragments over parameters, which an import instantiates."""

from __future__ import annotations

import json

from potlang.diag import Applicability, Fix, Replace, Sink, nearest
from potlang.expressions.shapes import Object, Shapes
from potlang.expressions.surface import ImportDecl, Pack, PackSort, PackSymbol, ParsedProgram, SortExpr
from potlang.languages.pot.read.items import ItemReader
from potlang.languages.pot.read.reader import read_program
from potlang.sema.packs import notes_of
from potlang.source import join_pointer
from potlang.utils import resources

_REQUIRED = ("pack", "title", "description", "sorts", "symbols", "program")
_KEYS = ("$schema", *_REQUIRED, "keywords", "laws")
_ORDERED = ("Int", "Real", "Date", "DateTime")
"""Sorts that a parameter may be unless a program binds it to another one that has an order."""
_FRAGMENT = ("description", "imports", "variables", "knowledge_base", "rules")


def read_pack(name: str, text: str, sink: Sink) -> Pack | None:
    """Reads a pack file; None, with reports, where it breaks `schemas/pack-1.json`.

    The packs that it imports are not loaded, and its laws are not read: an import assumes none of them.
    """
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        sink.report("POT1001", "", problem=str(error))
        return None
    reader = _PackReader(sink)
    item = reader.shapes.object_of(value, "", "a pack: an object with `program`", _KEYS, _REQUIRED)
    if item is None:
        return None
    pack = reader.pack(name, item)
    return None if pack is None or sink.has_errors else pack


class _PackReader(ItemReader):
    def pack(self, name: str, item: Object) -> Pack | None:
        sorts = self._each(item.get("sorts"), "/sorts", "a list of sorts", self._sort)
        symbols = self._each(item.get("symbols"), "/symbols", "a list of symbols", self._symbol)
        self.shapes.items(item.get("laws"), "/laws", "a list of laws")
        self.shapes.names(item.get("keywords"), "/keywords", "a list of words")
        program = _read_fragment(item.get("program"), self.shapes)
        definitions = [symbol for symbol in symbols if symbol.defined]
        return None if program is None else Pack(name, sorts, symbols, definitions, program)

    def _sort(self, value: object, pointer: str) -> PackSort | None:
        if isinstance(value, str):
            name = self.shapes.name(value, pointer)
            return None if name is None else PackSort(name)
        what = "the name of a sort, or an object with `name` and `values` or `default`"
        item = self._object(value, pointer, what, ("name", "values", "default", "description"), ("name",))
        if item is None:
            return None
        name = self._name(item, pointer)
        values = self.shapes.names(item.get("values"), f"{pointer}/values", "a list of names")
        default = self._field(item, "default", pointer, self.shapes.name)
        if bool(values) is (default is not None) or default not in (None, *_ORDERED):
            what = f"an object with `values`, or with one of {', '.join(_ORDERED)} as `default`"
            self.shapes.wrong_type(value, pointer, what)
        return None if name is None else PackSort(name, tuple(each for each, _ in values), default)

    def _symbol(self, value: object, pointer: str) -> PackSymbol | None:
        keys = ("name", "domain", "range")
        what = "a symbol: an object with `name`, `domain` and `range`"
        known = (*keys, "params", "body", "closed", "description")
        item = self._object(value, pointer, what, known, keys)
        if item is None or any(key not in item for key in keys):
            return None
        name = self._name(item, pointer)
        pairs = self.shapes.items(item["domain"], f"{pointer}/domain", "a list of sorts")
        domain = [sort for one, at in pairs if (sort := self.shapes.sort(one, at))]
        range_ = self.shapes.sort(item["range"], f"{pointer}/range")
        params = self._binders(item.get("params"), f"{pointer}/params")
        body = self._given(item, "body", pointer, self.shapes.formula)
        closed = self._given(item, "closed", pointer, self.shapes.boolean)
        if name is None or range_ is None:
            return None
        description = item.get("description")
        words = description if isinstance(description, str) else None
        return PackSymbol(name, domain, range_, params, body, body is not None, bool(closed), words)


def _read_fragment(value: object, shapes: Shapes) -> ParsedProgram | None:
    """The program of a pack, which declares variables and asserts, and does nothing else."""
    item = shapes.object_of(value, "/program", "an object with `knowledge_base` or `rules`", _FRAGMENT)
    program = None if item is None else read_program(item, shapes.sink)
    for pointer in program.cites if program is not None else ():
        shapes.unknown_key("cites", {}, pointer, ())
    for fact in program.facts if program is not None else ():
        if fact.variables:
            shapes.unknown_key("variables", {}, fact.pointer, ("assertion", "value", "name"))
    for rule in program.rules if program is not None else ():
        # What a program says could override it, and is not known here.
        if rule.default:
            shapes.unknown_key("default", {}, rule.pointer, ("unless", "overrides"))
    return program


def load_packs(program: ParsedProgram, sink: Sink) -> None:
    """Loads the packs that a program imports; one that is not there, or is broken, is reported."""
    for each in program.imports:
        each.loaded = load_pack(each, sink)


def load_pack(item: ImportDecl, sink: Sink) -> Pack | None:
    """The pack of one import with all that it imports itself; None, with a report, where there is none."""
    text = resources.pack_file(item.pack, "pack.json")
    if text is None:
        names = resources.pack_names()
        last = item.pack.split("/")[-1]
        longer = [name for name in names if item.pack.count("/") == 2 and name.startswith(item.pack)]
        near = longer or nearest(item.pack, names) or [n for n in names if n.endswith("/" + last)]
        at = join_pointer(item.pointer, "pack") if item.is_object else item.pointer
        sink.report(
            "POT8001",
            at,
            name=item.pack,
            helps=[f"did you mean `{near[0]}`?" if near else _choice(item.pack, names)],
            fixes=[
                Fix(f"import `{other}`", Applicability.UNSAFE, (Replace(at, 0, len(item.pack), other),))
                for other in near[:1]
            ],
        )
        return None
    inner = Sink()
    pack = _whole(item.pack, text, inner, (item.pack,))
    if pack is None:
        sink.report("POT8005", item.pointer, name=item.pack, notes=notes_of(inner))
    return pack


def _choice(name: str, names: list[str]) -> str:
    """The packs in the folder that a name has, or the folders that there are."""
    here = [each for each in names if each.split("/")[1] == name.removeprefix("std/").split("/")[0]]
    if here:
        return f"the packs there are {', '.join(here)}"
    folders = dict.fromkeys(each.rpartition("/")[0] for each in names)
    return f"packs are in {', '.join(folders)}: `potc std list` has them all"


def _whole(name: str, text: str, sink: Sink, within: tuple[str, ...]) -> Pack | None:
    """A pack with the packs that it imports; `within` are the packs that are being loaded, this one last."""
    # Recursion is bounded: a pack is within itself once.
    pack = read_pack(name, text, sink)
    if pack is None:
        return None
    for each in pack.program.imports:
        part = resources.pack_file(each.pack, "pack.json")
        if each.pack in within or part is None:
            circle = " -> ".join((*within, each.pack))
            problem = "there is no such pack" if part is None else f"the imports go round: {circle}"
            sink.report("POT8005", each.pointer, name=each.pack, notes=[f"`{each.pack}`: {problem}"])
            return None
        each.loaded = _whole(each.pack, part, sink, (*within, each.pack))
        if each.loaded is None:
            return None
    return _with_inherited(pack)


def _with_inherited(pack: Pack) -> Pack:
    """The pack with the parameters of those that it imports: bound ones are its own, others become so."""
    sorts = {sort.name: sort for sort in pack.sorts}
    symbols = {symbol.name: symbol for symbol in pack.symbols}
    for item in pack.program.imports:
        assert item.loaded is not None
        names = {parameter: name for parameter, (name, _) in item.substitution.items()}
        for sort in item.loaded.sorts:
            name = names.get(sort.name, sort.name)
            if sort.name not in names or name in sorts:
                known = sorts.get(name, PackSort(name))
                sorts[name] = known._replace(
                    values=known.values or sort.values, default=known.default or sort.default
                )
        for symbol in item.loaded.symbols:
            name = names.get(symbol.name, symbol.name)
            if symbol.name not in names or name in symbols:
                domain = [_renamed(sort, names) for sort in symbol.domain]
                inherited = PackSymbol(name, domain, _renamed(symbol.range, names), symbol.params)
                known_symbol = symbols.get(name, inherited)
                symbols[name] = known_symbol._replace(
                    defined=known_symbol.defined or symbol.defined,
                    closed=known_symbol.closed or symbol.closed,
                    description=known_symbol.description or symbol.description,
                )
    return pack._replace(sorts=list(sorts.values()), symbols=list(symbols.values()))


def _renamed(sort: SortExpr, names: dict[str, str]) -> SortExpr:
    """A sort of an imported pack in the names of the pack that imports it."""
    # Recursion is bounded: sorts that are read nest no deeper than a limit.
    args = [arg if isinstance(arg, int) else _renamed(arg, names) for arg in sort.args]
    return SortExpr(names.get(sort.name, sort.name), args, sort.pointer, sort.start, sort.end)

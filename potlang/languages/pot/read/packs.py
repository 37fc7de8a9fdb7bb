"""Reads packs of the standard library: program fragments over parameters, which an import instantiates."""

from __future__ import annotations

import json

from potlang.diag import Applicability, Fix, Replace, Sink, nearest
from potlang.expressions.shapes import Shapes
from potlang.expressions.surface import ImportDecl, Pack, PackSymbol, ParsedProgram
from potlang.languages.pot.read.reader import read_program
from potlang.source import join_pointer
from potlang.utils import resources

_KEYS = ("pack", "title", "description", "sorts", "symbols", "program")
_FRAGMENT = ("description", "variables", "knowledge_base", "rules")


def read_pack(name: str, text: str, sink: Sink) -> Pack | None:
    """Reads a pack file; None, with reports, where it breaks `schemas/pack-1.json`."""
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        sink.report("POT1001", "", problem=str(error))
        return None
    shapes = Shapes(sink)
    what = "a pack: an object with `program`"
    item = shapes.object_of(value, "", what, ("$schema", *_KEYS), _KEYS)
    if item is None:
        return None
    sorts = [sort for sort, _ in shapes.names(item.get("sorts"), "/sorts", "a list of sorts")]
    pairs = shapes.items(item.get("symbols"), "/symbols", "a list of symbols")
    symbols = [symbol for one, at in pairs if (symbol := _read_symbol(one, at, shapes))]
    program = _read_fragment(item.get("program"), shapes)
    return None if program is None or sink.has_errors else Pack(name, sorts, symbols, program)


def _read_symbol(value: object, pointer: str, shapes: Shapes) -> PackSymbol | None:
    keys = ("name", "domain", "range")
    what = "a symbol: an object with `name`, `domain` and `range`"
    item = shapes.object_of(value, pointer, what, (*keys, "description"), keys)
    if item is None or any(key not in item for key in keys):
        return None
    name = shapes.name(item["name"], f"{pointer}/name")
    pairs = shapes.items(item["domain"], f"{pointer}/domain", "a list of sorts")
    domain = [sort for one, at in pairs if (sort := shapes.sort(one, at))]
    range_ = shapes.sort(item["range"], f"{pointer}/range")
    return PackSymbol(name, domain, range_) if name is not None and range_ is not None else None


def _read_fragment(value: object, shapes: Shapes) -> ParsedProgram | None:
    """The program of a pack, which declares variables and asserts, and does nothing else."""
    item = shapes.object_of(value, "/program", "an object with `knowledge_base` or `rules`", _FRAGMENT)
    program = None if item is None else read_program(item, shapes.sink)
    for fact in program.facts if program is not None else ():
        if fact.variables:
            shapes.unknown_key("variables", {}, fact.pointer, ("assertion", "value", "name"))
    return program


def load_packs(program: ParsedProgram, sink: Sink) -> None:
    """Loads the packs that a program imports; one that is not there, or is broken, is reported."""
    for each in program.imports:
        each.loaded = _load(each, sink)


def _load(item: ImportDecl, sink: Sink) -> Pack | None:
    text = resources.pack_file(item.pack, "pack.json")
    if text is None:
        names = resources.pack_names()
        near = nearest(item.pack, names) or [n for n in names if n.endswith("/" + item.pack.split("/")[-1])]
        at = join_pointer(item.pointer, "pack") if item.is_object else item.pointer
        sink.report(
            "POT8001",
            at,
            name=item.pack,
            helps=[f"did you mean `{near[0]}`?" if near else f"the packs are {', '.join(names)}"],
            fixes=[
                Fix(f"import `{other}`", Applicability.UNSAFE, (Replace(at, 0, len(item.pack), other),))
                for other in near[:1]
            ],
        )
        return None
    inner = Sink()
    pack = read_pack(item.pack, text, inner)
    if pack is None:
        sink.report(
            "POT8005", item.pointer, name=item.pack, notes=[d.message for d in inner.diagnostics()[:3]]
        )
    return pack

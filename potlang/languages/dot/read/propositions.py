"""The JSON of a `@prop`: read with its places in the trace, and checked for its shape.

What is accepted is exactly what `schemas/dot-prop-1.json` accepts (a property of the tests). The
value stays JSON here: names and sorts are resolved later.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from potlang.diag import Place, Sink, nearest
from potlang.languages.dot.read.multiline import joining_fix
from potlang.languages.dot.read.raw import Raw
from potlang.languages.dot.read.records import Prop, Role
from potlang.languages.dot.read.rules import Violations
from potlang.languages.dot.read.shapes import form
from potlang.reading.embedded import EmbeddedDocument
from potlang.reading.json_text import JsonReader
from potlang.source import Document, InputLimits, join_pointer

LONGEST_NAME = 10_000
DECLARING = ("declare", "assume")
_WRITE = f"write `{form('prop')}`"


class Operands(NamedTuple):
    """The operands of an operator: their kinds, where `more` repeats the last; None: a single one."""

    kinds: tuple[str, ...]
    more: bool = False
    bare: bool = False


_TWO_TERMS = Operands(("term", "term"))
_PROPOSITIONS = Operands(("proposition",), more=True)
_BOUND = Operands(("binders", "proposition"))
_QUOTED = Operands(("expression",), bare=True)
FORMULAS: Mapping[str, Operands] = MappingProxyType(
    {
        **dict.fromkeys(("gt", "ge", "lt", "le", "eq", "ne"), _TWO_TERMS),
        **dict.fromkeys(("and", "or"), _PROPOSITIONS),
        "not": Operands(("proposition",), bare=True),
        **dict.fromkeys(("implies", "iff"), Operands(("proposition", "proposition"))),
        **dict.fromkeys(("forall", "exists"), _BOUND),
        "pot": _QUOTED,
    }
)
"""The operators whose result is true or false, with the kinds of their operands."""
TERMS: Mapping[str, Operands] = MappingProxyType(
    {
        **dict.fromkeys(("add", "mul"), Operands(("term", "term"), more=True)),
        "sub": _TWO_TERMS,
        "neg": Operands(("term",), bare=True),
        "ite": Operands(("proposition", "term", "term")),
        "pot": _QUOTED,
    }
)
"""The operators whose result is a term."""
_SHOWN = MappingProxyType(
    {
        "proposition": "a proposition: an object with one operator, a name, or `[name, term, …]`",
        "term": "a term: a number, a name, `[name, term, …]`, or an object with one operator",
        "binders": 'variables with their sorts: `{"x": "Int"}`',
        "expression": "an expression of the PoT language, a string",
        "sort": "a sort, a string",
        "signature": 'a sort, or `{"domain": [sort, …], "range": sort}`',
        "assumptions": "a list of propositions",
        "declarations": "an object of names and sorts",
        "sorts": "a list of sorts",
    }
)

Item = tuple[object, str, str]


class PropositionReader:
    """Reads the JSON of one `@prop` after the other."""

    def __init__(self, violations: Violations, limits: InputLimits) -> None:
        self.violations = violations
        self._json = JsonReader(limits)
        self._sink = Sink(limit=1_000)

    def read(self, start: int, end: int, id_: int, json_start: int, role: Role | None) -> Prop | None:
        """The `@prop` at `[start, end)`; None, with reports, where its JSON is not of the right shape."""
        if not self.violations.check_utf8("the `@prop`", json_start, end):
            return None
        text = self.violations.raw.data[json_start:end].decode("utf-8")
        if not text.strip():
            self.violations.report(
                "POT5002",
                json_start,
                end,
                kind="prop",
                problem="the JSON is missing",
                helps=[_WRITE],
                fixes=[fix for fix in [joining_fix(self.violations, json_start)] if fix is not None],
            )
            return None
        sink = self._sink
        document = sink.document = Document("", text)
        value = self._json.read(document, sink)
        if not sink.has_errors:
            check_value(value, sink, role)
        if len(sink):
            self._adopt(sink, document, json_start)
            return None
        return Prop(id_, value, text, json_start, start, end)

    def _adopt(self, sink: Sink, document: Document, json_start: int) -> None:
        inner = embedded_text(self.violations.raw, document, json_start)
        joining = [joining_fix(self.violations, json_start)] if document.value is None else []
        for diagnostic in sink.diagnostics():
            if diagnostic.code != "POT0005":
                self.violations.adopt(diagnostic, inner, [fix for fix in joining if fix is not None])
                joining = []
        self._sink = Sink(limit=sink.limit)


def embedded_text(raw: Raw, document: Document, json_start: int) -> EmbeddedDocument:
    """The JSON text that begins at the byte `json_start`."""
    return EmbeddedDocument(document, raw.character(json_start))


def check_value(value: object, sink: Sink, role: Role | None = "problem") -> None:
    """Reports what keeps the JSON value of a `@prop` from being one (POT5041, POT5042).

    Without a role nothing is said of declarations that only the problem may make.
    """
    declaring = [key for key in DECLARING if isinstance(value, dict) and key in value]
    if not declaring:
        _Check(sink).run((value, "", "proposition"))
        return
    if role not in ("problem", None):
        place = Place(join_pointer("", declaring[0]), on_key=True)
        sink.report("POT5042", place, key=declaring[0], role=role)
    _Check(sink).declarations(value)


class _Check:
    """A walk over one value with a stack of (value, pointer, what it is to be)."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.stack: list[Item] = []

    def run(self, *items: Item) -> None:
        """Checks the items and whatever is inside them."""
        self.stack.extend(reversed(items))
        while self.stack:
            value, pointer, wanted = self.stack.pop()
            if wanted in ("proposition", "term"):
                self._expression(value, pointer, wanted)
            elif wanted in ("expression", "sort"):
                self._string(value, pointer, wanted)
            elif wanted == "signature" and isinstance(value, dict):
                self._function(value, pointer)
            elif wanted == "signature":
                self._string(value, pointer, wanted)
            elif wanted == "binders":
                self._names(value, pointer, "binders", "sort")
            elif wanted == "declarations":
                self._names(value, pointer, "declarations", "signature")
            else:
                self._list(value, pointer, wanted, "sort" if wanted == "sorts" else "proposition")

    def declarations(self, value: object) -> None:
        """Checks what a problem declares and assumes."""
        assert isinstance(value, dict)
        for key in value:
            if key not in DECLARING:
                self._unknown_key(key, "", DECLARING)
        items = (("declare", "declarations"), ("assume", "assumptions"))
        self.run(*((value[key], f"/{key}", wanted) for key, wanted in items if key in value))

    # --- parts -----------------------------------------------------------------------------------

    def _expression(self, value: object, pointer: str, wanted: str) -> None:
        if isinstance(value, str):
            self._string(value, pointer, wanted)
        elif isinstance(value, list):
            self._application(value, pointer, wanted)
        elif isinstance(value, dict):
            self._operation(value, pointer, wanted)
        elif (
            wanted == "proposition" or isinstance(value, bool) or not isinstance(value, int | Decimal | float)
        ):
            self._wrong(value, pointer, wanted)

    def _application(self, value: list[object], pointer: str, wanted: str) -> None:
        if len(value) < 2 or not isinstance(value[0], str):
            self._say(pointer, "an application is `[name, term, …]`, with at least one term")
            return
        self._string(value[0], f"{pointer}/0", wanted)
        self.stack.extend((value[i], f"{pointer}/{i}", "term") for i in range(len(value) - 1, 0, -1))

    def _operation(self, value: dict[str, object], pointer: str, wanted: str) -> None:
        known, other = (FORMULAS, TERMS) if wanted == "proposition" else (TERMS, FORMULAS)
        if len(value) != 1:
            keys = "none" if not value else ", ".join(f"`{key}`" for key in list(value)[:4])
            self._say(pointer, f"an object with one operator is expected, found {keys}")
            return
        [(name, below)] = value.items()
        if name in known:
            self._operands(name, known[name], below, join_pointer(pointer, name))
        elif name in other:
            found = "a term" if wanted == "proposition" else "a proposition"
            what = "a proposition" if wanted == "proposition" else "a term"
            self._say(pointer, f"expected {what}, found {found}: `{name}`")
        else:
            self._unknown_key(name, pointer, tuple(known))

    def _operands(self, name: str, operands: Operands, below: object, pointer: str) -> None:
        if operands.bare:
            self.stack.append((below, pointer, operands.kinds[0]))
            return
        count = len(operands.kinds)
        wanted = f"at least {count}" if operands.more else str(count)
        if not isinstance(below, list):
            self._say(pointer, f"`{name}` takes a list of {wanted}")
            return
        if len(below) < count or (len(below) > count and not operands.more):
            self._say(pointer, f"`{name}` takes {wanted}, found {len(below)}")
            return
        kinds = operands.kinds + operands.kinds[-1:] * (len(below) - count)
        self.stack.extend((below[i], f"{pointer}/{i}", kinds[i]) for i in range(len(below) - 1, -1, -1))

    def _names(self, value: object, pointer: str, wanted: str, below: str) -> None:
        if not isinstance(value, dict) or (wanted == "binders" and not value):
            self._wrong(value, pointer, wanted)
            return
        for name in value:
            self._length(name, Place(join_pointer(pointer, name), on_key=True), "a name")
        self.stack.extend(
            (item, join_pointer(pointer, name), below) for name, item in reversed(list(value.items()))
        )

    def _function(self, value: dict[str, object], pointer: str) -> None:
        keys = (("domain", "sorts"), ("range", "sort"))
        for key in value:
            if key not in ("domain", "range"):
                self._unknown_key(key, pointer, ("domain", "range"))
        for key, _ in keys:
            if key not in value:
                self._say(pointer, f"the key `{key}` is missing")
        self.stack.extend((value[key], f"{pointer}/{key}", wanted) for key, wanted in keys if key in value)

    def _list(self, value: object, pointer: str, wanted: str, below: str) -> None:
        if not isinstance(value, list):
            self._wrong(value, pointer, wanted)
            return
        self.stack.extend((value[i], f"{pointer}/{i}", below) for i in range(len(value) - 1, -1, -1))

    def _string(self, value: object, pointer: str, wanted: str) -> None:
        if not isinstance(value, str):
            self._wrong(value, pointer, wanted)
        elif wanted != "expression":
            self._length(value, Place(pointer), "a sort" if wanted in ("sort", "signature") else "a name")
        elif not value:
            self._say(pointer, "an expression must not be empty")

    def _length(self, text: str, place: Place, what: str) -> None:
        if not text:
            self._say(place, f"{what} must not be empty")
        elif len(text) > LONGEST_NAME:
            self.sink.report("POT0007", place, length=len(text), limit=LONGEST_NAME)

    # --- reports ---------------------------------------------------------------------------------

    def _say(self, place: Place | str, problem: str, helps: tuple[str, ...] = ()) -> None:
        self.sink.report("POT5041", place, problem=problem, helps=helps)

    def _wrong(self, value: object, pointer: str, wanted: str) -> None:
        helps = ('write `{"pot": "True"}`',) if value is True and wanted == "proposition" else ()
        self._say(pointer, f"expected {_SHOWN[wanted]}", helps)

    def _unknown_key(self, key: str, pointer: str, known: tuple[str, ...]) -> None:
        near = nearest(key, known, 1)
        helps = (f"did you mean `{near[0]}`?",) if near else (f"one of {', '.join(known)} stands here",)
        self._say(Place(join_pointer(pointer, key), on_key=True), f"unknown operator `{key}`", helps)

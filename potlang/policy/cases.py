"""A case: what is known of one matter that a policy is asked about ([POLICY-CASE]).

Case.of({"item": {"kind": "electronics", "days": 20}, "member": True}).applied(program)
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, NamedTuple

from potlang.diag import Diagnostic, Place, Severity, Sink
from potlang.diag.near import nearest
from potlang.diag.patching import get
from potlang.expressions.expression import parse_expression
from potlang.expressions.names import written
from potlang.expressions.shapes import Shapes
from potlang.expressions.surface import (
    Amount,
    BitVecLiteral,
    Call,
    DateLiteral,
    Expr,
    Infix,
    ListOf,
    Name,
    Number,
    Prefix,
    StringLiteral,
)
from potlang.ir.measures import DATE, DATETIME, SECONDS_OF_A_DAY, unit_of, value_text
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import (
    BOOL,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    IntSort,
    MeasureSort,
    RealSort,
    Sort,
    StringSort,
)
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.claims import NO_OTHER_WORDS, Claim
from potlang.languages.pot.program import CompileError, Program
from potlang.languages.pot.read.reader import section_meant
from potlang.reading.json_text import open_document, read_json
from potlang.sema.emit import string_text
from potlang.sema.scope import FunctionEntry, Scope, TermEntry
from potlang.source import Document
from potlang.source.pointer import join_pointer, split_pointer

FACTS: Final = "facts"
"""The key of a case under which formulas stand."""
SORT: Final = "sort"
"""The key of a new individual that names its sort."""
_ASKED: Final = ("verifications", "optimization", "actions")
"""The sections of a program that say what is asked."""
_LONGEST: Final = 1_000
_MOST_LISTED: Final = 12
"""Values of an enum that are listed for whoever gave another one."""
_VALUES: Final[dict[Sort, int]] = {DATE: 20_000, DATETIME: 20_000 * SECONDS_OF_A_DAY}
"""Values for examples: a day of 2024."""
_WRITTEN: Final[dict[type, str]] = {
    type(BOOL): "`true` or `false`",
    IntSort: "a whole number, such as `30`",
    RealSort: "a number, such as `2.5`",
    StringSort: "a text in quotes",
}
_LITERALS: Final = (Amount, BitVecLiteral, DateLiteral, Number, StringLiteral)
_MAKERS: Final = frozenset(("Date", "date", "DateTime", "Days", "Weeks", "Hours", "Minutes"))
"""Functions that make a literal of numbers."""
_WITH_UNIT: Final = frozenset(("Money", "Quantity"))
"""Functions that make a literal of a number and a unit."""
_IN_UNIT: Final = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?) ?(\S.*)")
_OTHER_UNITS: Final = ("POT3022", "POT3023")
_IN_UNITS: Final = "give it in the unit that the policy has for it"
_DECLARE: Final = "declare "
"""How helps begin that are none for who gives a case, and cannot declare anything."""


class CaseFact(NamedTuple):
    """A formula that a case assumes, its name for reports, and its place in the case.

    Of a value `term` is what has it and `value` is how an expression writes it; else both are empty.
    """

    name: str
    text: str
    pointer: str
    term: str = ""
    value: str = ""


class Individual(NamedTuple):
    """A thing that a case speaks of and the policy does not: a constant of a sort."""

    name: str
    sort: str
    pointer: str


class CaseContent(NamedTuple):
    """A case as a program has it: constants and facts."""

    individuals: tuple[Individual, ...]
    facts: tuple[CaseFact, ...]


class Case:
    """The known facts of one matter: a JSON object of names with their values, as in [POLICY-CASE].

    A name that the policy does not declare, with an object, is a new individual; its keys are functions of
    one argument, and `sort` names its sort where these do not tell. A declared constant may have an object
    too. Any other name has its value. `facts` is a list of formulas.
    """

    def __init__(self, value: dict[str, Any], document: Document | None = None) -> None:
        self.value = value
        # A value alone is placed as it is in what has it: a call of the tool, a test, a record.
        self._base = "/case" if document is None else ""
        self.document = document or Document.from_value({"case": value}, "<case>")

    @classmethod
    def of(cls, value: Any, document: Document | None = None) -> Case:
        """The case of a JSON value, which a document may be of; of a case itself.

        Raises CompileError if it is no object.
        """
        if isinstance(value, Case):
            return value
        if isinstance(value, dict):
            return cls(value, document)
        sink = Sink(document or Document.from_value({"case": value}, "<case>"))
        Shapes(sink).wrong_type(
            value, "/case" if document is None else "", "a case: an object of names with their values"
        )
        assert sink.document is not None
        raise CompileError(sink.diagnostics(), sink.document)

    @classmethod
    def read(cls, source: str | bytes | Path, name: str | None = None) -> Case:
        """The case in a JSON text, its bytes, or a file. Raises CompileError."""
        sink = Sink()
        document = open_document(source, sink, name=name)
        value = None if sink.has_errors else read_json(document, sink)
        if sink.has_errors:
            raise CompileError(sink.diagnostics(), document)
        return cls.of(value, document)

    def content(self, program: Program) -> CaseContent:
        """The constants and the facts that the case adds to a policy. Raises CompileError."""
        sink = Sink(self.document)
        found = _Reading(program, sink).content(self.value, self._base)
        if sink.has_errors:
            raise CompileError(sink.diagnostics(), self.document)
        return found

    def applied(self, program: Program) -> Program:
        """The policy with the case: its individuals are constants and its facts are facts of the program.

        Raises CompileError, with places in the case, for unknown names, values that are not of their sorts,
        and what is no formula.
        """
        return self.applied_with_places(program)[0]

    def applied_with_places(self, program: Program) -> tuple[Program, dict[str, CaseFact]]:
        """As `applied`, with the facts of the case by their places in the program that it gives."""
        content = self.content(program)
        value, places = _extended(program_value(program), content)
        facts = {each.pointer: each for each in content.facts}
        by_place = {place: facts[pointer] for place, pointer in places.items() if pointer in facts}
        return self._compiled(program, value, places), by_place

    def asking(self, program: Program, claims: Sequence[Claim]) -> Program:
        """The policy with the case, asked for these claims and nothing else; for its own without any.

        Raises CompileError as `applied`, and for what is no formula.
        """
        value, places = _extended(program_value(program), self.content(program))
        asked = [{"constraint": each} if isinstance(each, str) else each for each in claims]
        if asked:
            value = {**_unasked(value), "verifications": asked, "actions": ["verify_conditions"]}
        applied = self._compiled(program, value, places)
        return applied.asking(applied.untabled.claims)

    def seeking(self, program: Program, fact: CaseFact, wanted: str) -> Program:
        """The policy with the case but for one fact, which asks for the nearest value of this fact's term
        with which a formula holds.

        Raises CompileError where the sort has no distance.
        """
        content = self.content(program)
        rest = content._replace(facts=tuple(each for each in content.facts if each != fact))
        value, places = _extended(program_value(program), rest)
        distance = {"type": "minimize", "expression": f"Abs({fact.term} - {fact.value})"}
        asked = {"constraints": [wanted], "objectives": [distance]}
        return self._compiled(
            program, {**_unasked(value), "optimization": asked, "actions": ["optimize"]}, places
        )

    def _compiled(self, program: Program, value: dict[str, Any], places: dict[str, str]) -> Program:
        try:
            return compile_program(value, name=program.document.name)
        except CompileError as error:
            # What is only doubtful is so without the case, too.
            errors = [each for each in error.diagnostics if each.severity == Severity.ERROR]
            moved = tuple(_moved(each, places, self._base, program) for each in errors)
            raise CompileError(moved, self.document) from None

    def assuming(self, *formulas: str) -> Case:
        """The case with more formulas."""
        return Case({**self.value, FACTS: [*self.value.get(FACTS, ()), *formulas]})

    def value_at(self, fact: CaseFact) -> Any:
        """The JSON value of a fact of this case that gives a value."""
        return get(self.value, fact.pointer.removeprefix(self._base))

    def with_value(self, fact: CaseFact, value: Any) -> Case:
        """The case with another JSON value for a fact that gives one."""
        name, *key = split_pointer(fact.pointer.removeprefix(self._base))
        return Case({**self.value, name: {**self.value[name], key[0]: value} if key else value})


def declared_range(program: Program, name: str) -> Sort | None:
    """The sort of the values of a name that a program declares; None if it declares no such thing."""
    entry = program.extension.scope.lookup(name)
    if isinstance(entry, TermEntry):
        return None if entry.node is None else entry.node.sort
    symbol = entry.symbol if isinstance(entry, FunctionEntry) else None
    return None if symbol is None else symbol.range


class _Reading:
    """Reads a case over the declarations of a policy."""

    def __init__(self, program: Program, sink: Sink) -> None:
        self._program = program
        self._scope: Scope = program.extension.scope
        self._shapes = Shapes(sink)
        self._sink = sink
        self._new: set[str] = set()
        """The names of new individuals."""

    def content(self, case: dict[str, Any], base: str) -> CaseContent:
        individuals: list[Individual] = []
        facts: list[CaseFact] = []
        self._new = {name for name, value in case.items() if self._is_new(name, value)}
        for name, value in case.items():
            pointer = join_pointer(base, name)
            if name == FACTS and not isinstance(value, dict):
                facts += self._formulas(value, pointer)
            elif isinstance(value, dict):
                facts += self._fields(name, value, pointer, individuals)
            elif value is not None:
                facts += self._known(name, pointer, self._fact(name, None, value, pointer))
        return CaseContent(tuple(individuals), tuple(facts))

    def _formulas(self, value: Any, pointer: str) -> Iterator[CaseFact]:
        for formula, at in self._shapes.items(value, pointer, "a list of formulas"):
            text = self._shapes.string(formula, at)
            if text is not None:
                yield CaseFact("case", text, at)

    def _is_new(self, name: str, value: Any) -> bool:
        return isinstance(value, dict) and self._scope.lookup(name) is None

    def _fields(
        self, name: str, value: dict[str, Any], pointer: str, individuals: list[Individual]
    ) -> Iterator[CaseFact]:
        fields = {key: each for key, each in value.items() if each is not None}
        if name in self._new:
            sort = self._sort_of(fields, pointer)
            if sort is not None:
                individuals.append(Individual(name, sort, pointer))
            # Where a function has this name as well, `facts` can use it.
            fields.pop(SORT, None)
        elif self._is_another(name, fields, pointer):
            return
        for key, each in fields.items():
            at = join_pointer(pointer, key)
            yield from self._known(key, at, self._fact(key, name, each, at))

    def _known(self, name: str, pointer: str, facts: Iterator[CaseFact]) -> Iterator[CaseFact]:
        """The facts about a name; none, with a report, if the policy does not declare it."""
        if self._scope.lookup(name) is not None:
            yield from facts
        else:
            self._undeclared(name, Place(pointer, on_key=True))

    def _undeclared(self, name: str, place: Place, others: Sequence[str] = ()) -> None:
        near = nearest(name, self._scope.entries)
        helps = [f"did you mean {' or '.join(f'`{each}`' for each in near)}?"] if near else []
        self._sink.report("POT2001", place, name=name, helps=[*helps, *(others or [NO_OTHER_WORDS])])

    def _is_another(self, name: str, fields: dict[str, Any], pointer: str) -> bool:
        """Whether a declared name has fields of another sort alone: a new thing was meant, which is reported.

        So it is where a tent is called `tent`, and the policy has a kind of this name.
        """
        sort = declared_range(self._program, name)
        owners = {str(each) for each in self._owners(fields)}
        if sort is None or not owners or str(sort) in owners:
            return False
        expected = " or ".join(sorted(owners))
        primary = f"the policy has this name for a {sort}"
        helps = [f"another name, such as `{name}_1`, makes it a new {expected}"]
        place = Place(pointer, on_key=True)
        self._sink.report("POT3001", place, expected=expected, found=sort, primary=primary, helps=helps)
        return True

    def _owners(self, fields: Iterable[str]) -> set[Sort]:
        """The sorts to whose things these fields belong."""
        symbols = [self._symbol(key) for key in fields]
        return {each.domain[0] for each in symbols if each is not None and len(each.domain) == 1}

    def _sort_of(self, fields: dict[str, Any], pointer: str) -> str | None:
        """The sort of a new individual: the one that it names, or the one that its fields belong to."""
        if SORT in fields:
            return self._shapes.string(fields[SORT], f"{pointer}/{SORT}")
        sorts = self._owners(fields)
        if len(sorts) == 1:
            return str(sorts.pop())
        found = sorted(map(str, sorts))
        helps = [f'write "{SORT}": "…"' + (f", of {', '.join(found)}" if found else ", a sort of the policy")]
        self._shapes.missing(SORT, pointer, helps)
        return None

    def _symbol(self, name: str) -> Symbol | None:
        entry = self._scope.lookup(name)
        return entry.symbol if isinstance(entry, FunctionEntry) else None

    def _fact(self, name: str, argument: str | None, value: Any, pointer: str) -> Iterator[CaseFact]:
        """The fact that a declared name has a value, of an argument if there is one."""
        sort = declared_range(self._program, name)
        term = written(name) if argument is None else f"{written(name)}({written(argument)})"
        label = name if argument is None else f"{argument}.{name}"
        if sort == BOOL and isinstance(value, bool):
            yield CaseFact(label, term if value else f"not {term}", pointer, term, str(value))
            return
        text = self._value(value, sort, pointer)
        if text is not None:
            yield CaseFact(label, f"{term} == {text}", pointer, term, text)

    def _value(self, value: Any, sort: Sort | None, pointer: str) -> str | None:
        """A value as an expression writes it; None, with a report, if the sort has no such value."""
        match value, sort:
            case str(), StringSort():
                return string_text(value)
            case str(), DeclaredSort():
                return self._member(value, pointer)
            case str(), EnumSort(values=values) if value in values or self._scope.lookup(value) is None:
                return self._member(value, pointer, values)
            case str(), EnumSort():
                pass
            case str(), _:
                return self._literal(value, sort, pointer)
            case bool(), None:
                return str(value)
            case bool(), _:
                pass
            case ((int() | float() | Decimal()), _):
                # A float stands for its shortest numeral, as JSON has it.
                numeral = Decimal(str(value) if isinstance(value, float) else value)
                if numeral.is_finite() and _may_have(sort, numeral):
                    return f"{numeral:f}" if abs(numeral.adjusted()) < _LONGEST else str(numeral)
        self._shapes.wrong_type(value, pointer, f"a value of the sort {sort}", _example(sort))
        return None

    def _member(self, name: str, pointer: str, values: Sequence[str] = ()) -> str | None:
        if name in self._new or self._scope.lookup(name) is not None:
            return written(name)
        listed = ", ".join(f"`{each}`" for each in values[:_MOST_LISTED])
        more = ", …" if len(values) > _MOST_LISTED else ""
        self._undeclared(name, Place(pointer), [f"its values are {listed}{more}"] if values else [])
        return None

    def _literal(self, text: str, sort: Sort | None, pointer: str) -> str | None:
        """A text that is a literal, such as a date or an amount.

        Nothing else is one: what an event of a guard says of itself must not be computed by the policy.
        """
        in_unit = _in_unit(text, sort)
        if in_unit is not None:
            return in_unit
        sink = Sink(self._sink.document)
        root = parse_expression(text, pointer, sink)
        is_number = _is_other_number(text, sort)
        if is_number or (root is not None and not self._is_literal(root, sort)):
            # A guard keeps numbers that are not whole as texts.
            found = Decimal(text) if is_number else text
            self._shapes.wrong_type(found, pointer, f"a value of the sort {sort}", _example(sort))
            return None
        for each in sink.diagnostics():
            self._sink.add(each)
        return None if sink.has_errors else f"({text})"

    def _is_literal(self, root: Expr, sort: Sort | None) -> bool:
        """Whether an expression is written of literals and members alone; no whole number is a fraction."""
        has_fractions = not isinstance(sort, IntSort | BitVecSort)
        left = [root]
        while left:
            match left.pop():
                case Prefix(op="-", arg=arg):
                    left.append(arg)
                case Infix(op="/", args=[over, Number(text=under)]) if has_fractions and Decimal(under):
                    left.append(over)
                case ListOf(items=args):
                    left += args
                case Call(head=Name(id=name), args=[amount, Name()]) if self._is_builtin(name, _WITH_UNIT):
                    left.append(amount)
                case Call(head=Name(id=name), args=args) if self._is_maker(name):
                    left += args
                case Name(id=name) if self._is_value(name):
                    pass
                case each if not isinstance(each, _LITERALS):
                    return False
        return True

    def _is_builtin(self, name: str, among: Container[str]) -> bool:
        return name in among and self._scope.lookup(name) is None

    def _is_maker(self, name: str) -> bool:
        """Whether a function makes a literal of its arguments: a date of numbers, a record of its fields."""
        symbol = self._symbol(name)
        is_record = symbol is not None and symbol.kind is SymbolKind.CONSTRUCTOR
        return is_record or self._is_builtin(name, _MAKERS)

    def _is_value(self, name: str) -> bool:
        """Whether a name stands for a truth value, a member of an enum or a thing."""
        if name in ("True", "False", "true", "false"):
            return True
        entry = self._scope.lookup(name)
        sort = entry.node.sort if isinstance(entry, TermEntry) and entry.node is not None else None
        return isinstance(sort, DeclaredSort | EnumSort)


def _may_have(sort: Sort | None, number: Decimal) -> bool:
    """Whether a sort may have this number; that of an unknown sort the compiler reports."""
    if isinstance(sort, IntSort | BitVecSort):
        return number == number.to_integral_value()
    return isinstance(sort, RealSort | MeasureSort | None)


def _in_unit(text: str, sort: Sort | None) -> str | None:
    """A number with the unit of a sort of quantities, of which not all can be written behind a number."""
    unit = unit_of(sort) if isinstance(sort, MeasureSort) and sort.name.startswith("Quantity(") else None
    found = _IN_UNIT.fullmatch(text.strip())
    return f"Quantity({found[1]}, {written(unit)})" if unit and found and found[2] == unit else None


def _is_other_number(text: str, sort: Sort | None) -> bool:
    """Whether a text is a number that a sort does not have."""
    if not isinstance(sort, IntSort | BitVecSort | RealSort):
        return False
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    return not number.is_finite() or not _may_have(sort, number)


def _example(sort: Sort | None) -> list[str]:
    """The help that shows how values of a sort are written."""
    if isinstance(sort, MeasureSort):
        return [f"write it as in `{value_text(_VALUES.get(sort, 30), sort)}`"]
    return [f"write {_WRITTEN[type(sort)]}"] if type(sort) in _WRITTEN else []


def program_value(program: Program) -> dict[str, Any]:
    """The JSON value that a program was compiled from."""
    document = program.document
    value = document.value if document.text is None else read_json(document, Sink(document))
    assert isinstance(value, dict), "what compiled is an object"
    return value


def program_text(program: Program) -> str:
    """The JSON text of a program that compiled, written anew where it was given as a value."""
    text = program.document.text
    return json.dumps(program.document.value, ensure_ascii=False, default=str) if text is None else text


def in_order(value: Any) -> Any:
    """A JSON value with the keys of its objects in order, as records have it: facts come in this order, and
    what a record is about must be the same program whoever makes it anew.
    """
    if isinstance(value, Mapping):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(each) for each in value] if isinstance(value, list | tuple) else value


def _unasked(program: dict[str, Any]) -> dict[str, Any]:
    """The JSON value of a program without what it asks."""
    return {key: each for key, each in program.items() if section_meant(key) not in _ASKED}


def _extended(program: dict[str, Any], content: CaseContent) -> tuple[dict[str, Any], dict[str, str]]:
    """The program with the constants and facts of a case, and the places of these by those in the case."""
    keys = {section_meant(key): key for key in (*program, *_exact(program))}
    places: dict[str, str] = {}
    key = keys.get("knowledge_base", "knowledge_base")
    facts = list(program.get(key) or ())
    for fact in content.facts:
        places[f"/{key}/{len(facts)}"] = fact.pointer
        facts.append({"name": fact.name, "assertion": fact.text})
    found = {**program, key: facts}
    key = keys.get("constants", "constants")
    groups = program.get(key) or {}
    if isinstance(groups, list):
        groups = list(groups)
        for each in content.individuals:
            places[f"/{key}/{len(groups)}/sort"] = f"{each.pointer}/{SORT}"
            places[f"/{key}/{len(groups)}"] = each.pointer
            groups.append({"name": f"case {each.name}", "sort": each.sort, "members": [each.name]})
    else:
        groups = dict(groups)
        for each in content.individuals:
            group = _unused(f"case {each.name}", groups)
            places[join_pointer(f"/{key}", group, "sort")] = f"{each.pointer}/{SORT}"
            places[join_pointer(f"/{key}", group)] = each.pointer
            groups[group] = {"sort": each.sort, "members": [each.name]}
    return {**found, key: groups}, places


def _exact(program: dict[str, Any]) -> Sequence[str]:
    """The keys that are a section's own: they count where another is spelt like it."""
    return [key for key in program if section_meant(key) == key]


def _unused(name: str, taken: dict[str, Any]) -> str:
    while name in taken:
        name += "'"
    return name


def _moved(diagnostic: Diagnostic, places: dict[str, str], base: str, program: Program) -> Diagnostic:
    """A diagnostic of the extended program with its places in the case; fixes edit no case."""
    labels = tuple(
        each._replace(place=Place(_place(each.place.pointer, places, base))) for each in diagnostic.labels
    )
    helps = tuple(each for each in diagnostic.helps if not each.startswith(_DECLARE))
    if diagnostic.code in _OTHER_UNITS:
        helps = (_IN_UNITS,)
    elif len(helps) < len(diagnostic.helps) and diagnostic.code == "POT2005":
        names = ", ".join(f"`{each.name}`" for each in program.module.sorts if each.name)
        helps += (f"the policy's own sorts are {names}" if names else "the policy declares no sorts",)
    elif len(helps) < len(diagnostic.helps) and diagnostic.code == "POT3024":
        helps += ("give a plain number, as the policy has it",)
    return diagnostic._replace(labels=labels, helps=helps, fixes=())


def _place(pointer: str, places: dict[str, str], base: str) -> str:
    return next((place for start, place in places.items() if f"{pointer}/".startswith(f"{start}/")), base)

"""The semantic actions of the grammar: one small function each, called when a rule is reduced.

An action gets the reading in progress and the values, starts and ends of the rule's symbols; the
value of a token is its text. What is wrong inside a token is noted as a fault and parsing goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from potlang.diag.model import Applicability, Fix, Label, Place, Replace
from potlang.expressions.names import is_plain_sort, name_of
from potlang.expressions.surface import (
    Amount,
    Binding,
    BitVecLiteral,
    Call,
    Compare,
    DateLiteral,
    Expr,
    Infix,
    ListOf,
    Name,
    Number,
    Prefix,
    SortExpr,
    StringLiteral,
)
from potlang.expressions.tables import tokenize

if TYPE_CHECKING:
    from potlang.diag.sink import Sink


class Correction(NamedTuple):
    """A fix inside the expression: a title, how far to trust it, and (start, end, text) edits."""

    title: str
    applicability: Applicability
    edits: tuple[tuple[int, int, str], ...]


class Fault(NamedTuple):
    """Something wrong in an expression: a code, its place, and the headline's fields.

    `related` are (start, end, message) of other places.
    """

    code: str
    start: int
    end: int
    fields: Mapping[str, Any]
    primary: str = ""
    helps: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()
    related: tuple[tuple[int, int, str], ...] = ()

    def report(self, pointer: str, sink: Sink) -> None:
        """Hands the fault to the sink, its places and edits bound to `pointer`."""
        sink.report(
            self.code,
            Place(pointer, (self.start, self.end)),
            primary=self.primary,
            labels=[Label(Place(pointer, (start, end)), message) for start, end, message in self.related],
            helps=self.helps,
            fixes=[
                Fix(title, applicability, tuple(Replace(pointer, *edit) for edit in edits))
                for title, applicability, edits in self.corrections
            ],
            **self.fields,
        )


@dataclass(slots=True)
class StringReading:
    """One string being read: the pointer it came from and the faults so far."""

    pointer: str
    faults: list[Fault] = field(default_factory=list)


OPERATORS: Mapping[str, str] = MappingProxyType(
    {"∧": "and", "∨": "or", "¬": "not", "→": "->", "↔": "<->", "≤": "<=", "≥": ">=", "≠": "!="}
)
_ESCAPES = MappingProxyType({"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "/": "/"})
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")

Values = list[Any]
Places = list[int]
Action = Callable[[StringReading, Values, Places, Places], Any]


def _leaf(node: Callable[[Any, int, int], Expr]) -> Action:
    """The node of one token."""
    return lambda _, values, starts, ends: node(values[0], starts[0], ends[0])


def _part(index: int) -> Action:
    """One of the parts, as it is."""
    return lambda _, values, starts, ends: values[index]


def _quoted(_: StringReading, values: Values, starts: Places, ends: Places) -> Name:
    return Name(name_of(values[0]), starts[0], ends[0])


def _string(reading: StringReading, values: Values, starts: Places, ends: Places) -> StringLiteral:
    return StringLiteral(decoded(reading, values[0], starts[0]), starts[0], ends[0])


def decoded(reading: StringReading, token: str, start: int) -> str:
    """The value of a string token that begins at `start`; a wrong escape is noted as a fault."""
    body = token[1:-1]
    if "\\" not in body:
        return body

    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        if match[2] not in _ESCAPES:
            place = start + 1 + match.start()
            problem = f"`{match[0]}` is not an escape of strings"
            helps = ("write `\\\\` for a backslash",)
            reading.faults.append(Fault("POT1020", place, place + 2, {"problem": problem}, helps=helps))
        return _ESCAPES.get(match[2], match[2])

    text = _SURROGATES.sub(_joined, _ESCAPE.sub(character, body))
    if any("\ud800" <= char <= "\udfff" for char in text):
        problem = "the string contains half of a surrogate pair"
        reading.faults.append(Fault("POT1020", start, start + len(token), {"problem": problem}))
    return text


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _call(_: StringReading, values: Values, starts: Places, ends: Places) -> Call:
    return Call(values[0], values[2] if len(values) == 4 else [], starts[0], ends[-1])


def _infix(_: StringReading, values: Values, starts: Places, ends: Places) -> Infix:
    operator = OPERATORS.get(values[1], values[1])
    return Infix(operator, [values[0], values[2]], starts[0], ends[2])


def _not_in(_: StringReading, values: Values, starts: Places, ends: Places) -> Infix:
    return Infix("not-in", [values[0], values[3]], starts[0], ends[3])


def _run(_: StringReading, values: Values, starts: Places, ends: Places) -> Infix:
    """`a op b`, or one more operand of the run on the left, unless that stands in parentheses."""
    left = values[0]
    operator = OPERATORS.get(values[1], values[1])
    if isinstance(left, Infix) and left.op == operator and left.start == starts[0]:
        left.args.append(values[2])
        left.end = ends[2]
        return left
    return Infix(operator, [left, values[2]], starts[0], ends[2])


def _prefix(_: StringReading, values: Values, starts: Places, ends: Places) -> Prefix:
    return Prefix(OPERATORS.get(values[0], values[0]), values[1], starts[0], ends[1])


def _chain(_: StringReading, values: Values, starts: Places, ends: Places) -> Compare:
    operator = OPERATORS.get(values[1], values[1])
    return Compare([values[0], values[2]], [operator], starts[0], ends[2])


def _longer_chain(_: StringReading, values: Values, starts: Places, ends: Places) -> Compare:
    chain: Compare = values[0]
    chain.operands.append(values[2])
    chain.ops.append(OPERATORS.get(values[1], values[1]))
    chain.end = ends[2]
    return chain


def _first(_: StringReading, values: Values, starts: Places, ends: Places) -> Values:
    return [values[0]]


def _more(_: StringReading, values: Values, starts: Places, ends: Places) -> Values:
    items: Values = values[0]
    items.append(values[2])
    return items


def _list(_: StringReading, values: Values, starts: Places, ends: Places) -> ListOf:
    return ListOf(values[1] if len(values) == 3 else [], starts[0], ends[-1])


def _tuple(_: StringReading, values: Values, starts: Places, ends: Places) -> ListOf:
    """`(a,)`, `(a, b)`, `(x: A)`."""
    rest = values[3] if len(values) == 5 else []
    return ListOf([values[1], *rest], starts[0], ends[-1])


def _binding(_: StringReading, values: Values, starts: Places, ends: Places) -> Binding:
    return Binding(values[0], values[2], starts[0], ends[-1])


def _binding_object(reading: StringReading, values: Values, starts: Places, ends: Places) -> Binding:
    """`{'name': 'p', 'sort': 'Person'}`, the keys in either order."""
    texts = {at: decoded(reading, values[at], starts[at]) for at in (1, 3, 5, 7)}
    keys = {texts[1]: 3, texts[5]: 7}
    if sorted(keys) != ["name", "sort"]:
        fault = Fault("POT1020", starts[0], ends[-1], {"problem": "a binder has the keys `name` and `sort`"})
        reading.faults.append(fault)
        keys = {"name": 3, "sort": 7}
    at, of = keys["name"], keys["sort"]
    name = Name(texts[at], starts[at] + 1, ends[at] - 1)
    if not name.id:
        reading.faults.append(
            Fault("POT1020", starts[at], ends[at], {"problem": "the name of a binder must not be empty"})
        )
    sort = _sort_of(reading, texts[of], starts[of], ends[of])
    return Binding(name, sort, starts[0], ends[-1])


def _sort_of(reading: StringReading, text: str, start: int, end: int) -> SortExpr:
    """The sort that stands in a string token; places count in the expression around it."""
    from potlang.expressions.parser import parse_tokens

    if is_plain_sort(text):
        return SortExpr(text.strip(), [], reading.pointer, start + 1, end - 1)
    shift = start + 1 if end - start == len(text) + 2 else None
    sort = parse_tokens(tokenize(text), "sort", StringReading(reading.pointer)).value
    if not isinstance(sort, SortExpr):
        reading.faults.append(Fault("POT1025", start, end, {"problem": f"`{text}`"}))
        return SortExpr("", [], reading.pointer, start, end)
    parts: list[SortExpr | int] = [sort]
    for part in parts:
        if isinstance(part, SortExpr):
            parts.extend(part.args)
            escaped = shift is None
            part.start, part.end = (
                (start + 1, end - 1) if escaped else (part.start + start + 1, part.end + start + 1)
            )
    return sort


def _sort_name(reading: StringReading, values: Values, starts: Places, ends: Places) -> SortExpr:
    return SortExpr(values[0].id, [], reading.pointer, starts[0], ends[0])


def _sort_apply(reading: StringReading, values: Values, starts: Places, ends: Places) -> SortExpr:
    return SortExpr(values[0].id, values[2], reading.pointer, starts[0], ends[-1])


def _sort_number(reading: StringReading, values: Values, starts: Places, ends: Places) -> int:
    if values[0].isdigit() and len(values[0]) <= 9:
        return int(values[0])
    problem = f"`{values[0]}` is not a natural number below a billion"
    reading.faults.append(Fault("POT1025", starts[0], ends[0], {"problem": problem}))
    return 1


ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "name": _leaf(Name),
        "quoted": _quoted,
        "number": _leaf(Number),
        "bits": _leaf(BitVecLiteral),
        "date": _leaf(DateLiteral),
        "amount": _leaf(Amount),
        "string": _string,
        "group": _part(1),
        "call": _call,
        "call_empty": _call,
        "infix": _infix,
        "not_in": _not_in,
        "run": _run,
        "prefix": _prefix,
        "chain": _chain,
        "longer_chain": _longer_chain,
        "first": _first,
        "more": _more,
        "arguments": _part(0),
        "list": _list,
        "list_empty": _list,
        "tuple": _tuple,
        "singleton": _tuple,
        "binding": _binding,
        "binding_object": _binding_object,
        "sort_name": _sort_name,
        "sort_apply": _sort_apply,
        "sort_number": _sort_number,
    }
)

FLAT = frozenset(
    [
        *("name", "quoted", "number", "bits", "date", "amount", "string"),
        *("first", "more", "arguments", "sort_name"),
    ]
)
"""Actions that add no level of nesting."""

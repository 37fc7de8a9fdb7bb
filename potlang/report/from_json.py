"""Reports back from their JSON form: the inverse of `ProgramResult.to_dict`, by the types of `results`."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeGuard

from potlang.diag.model import Diagnostic
from potlang.report import results as report
from potlang.report.base import LEFT_OUT, to_plain
from potlang.report.results import ProgramResult

# `closed` nests; a file made by hand must not exhaust the stack.
_DEEPEST = 32


class ReportFormatError(ValueError):
    """The value is not a report's JSON form; the message names the part."""


def report_from_dict(value: object) -> ProgramResult:
    """The report that `value`, as of `to_dict`, stands for. Raises ReportFormatError.

    `report_from_dict(r.to_dict()).to_dict() == r.to_dict()` for every report r. Times are as exact as
    the JSON form, thousandths of a millisecond; diagnostics stay JSON objects, as `located`.
    """
    parts = dict(_object(value, "the report"))
    # Computed from the results, so that a changed value in the file cannot contradict them.
    parts.pop("paper_answer", None)
    computed = [parts.pop("outcome", None), parts.pop("elections", None)]
    results = [dict(_object(each, "results")) for each in _array(parts.get("results"), "results")]
    computed += [each.pop("outcome", None) for each in results]
    parts["results"] = results
    parts["version"] = parts.pop("potlang", None)
    parts["sentences"] = parts.pop("words", None)
    located = _array(parts.pop("diagnostics", None), "diagnostics")
    beside: dict[str, Any] = {"diagnostics": [], "located": located, "certificate": None}
    read: ProgramResult = _record(ProgramResult, {**parts, **beside}, "the report", 0)
    if computed != [
        str(read.outcome),
        to_plain(read.elections),
        *(str(each.outcome) for each in read.results),
    ]:
        raise ReportFormatError("outcome, elections: not those of the results")
    return read


@functools.cache
def _fields(record: type) -> dict[str, Any]:
    """The types of a record's fields, in order."""
    return typing.get_type_hints(record, localns={"Diagnostic": Diagnostic, **vars(report)})


def _record(record: type, value: object, where: str, depth: int) -> Any:
    fields = _fields(record)
    given = _object(value, where)
    lacking = fields.keys() - given.keys() - LEFT_OUT
    if wrong := sorted(lacking | (given.keys() - fields.keys())):
        raise ReportFormatError(f"{where}: missing or unknown: {', '.join(wrong)}")
    if depth > _DEEPEST:
        raise ReportFormatError(f"{where}: nested too deeply")
    read = {name: _read(kind, given[name], name, depth + 1) for name, kind in fields.items() if name in given}
    return record(**read)


def _read(kind: Any, value: object, where: str, depth: int) -> Any:
    """`value` as one of type `kind`."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _alternative(typing.get_args(kind), value, where, depth)
    if origin is tuple:
        return _tuple(typing.get_args(kind), _array(value, where), where, depth)
    if origin is dict:
        _, element = typing.get_args(kind)
        return {key: _read(element, each, where, depth) for key, each in _object(value, where).items()}
    if _is_record(kind):
        return _record(kind, value, where, depth)
    return _scalar(kind, value, where)


def _tuple(kinds: tuple[Any, ...], values: list[Any], where: str, depth: int) -> tuple[Any, ...]:
    if kinds[-1] is Ellipsis:
        return tuple(_read(kinds[0], each, where, depth) for each in values)
    if len(kinds) != len(values):
        raise ReportFormatError(f"{where}: {len(values)} elements instead of {len(kinds)}")
    return tuple(_read(kind, each, where, depth) for kind, each in zip(kinds, values, strict=True))


def _is_record(kind: Any) -> TypeGuard[type]:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def _scalar(kind: Any, value: object, where: str) -> Any:
    if kind is Any or (typing.get_origin(kind) is typing.Literal and value in typing.get_args(kind)):
        return value
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            raise ReportFormatError(f"{where}: {value!r} is no {kind.__name__}") from None
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise ReportFormatError(f"{where}: {type(value).__name__} instead of {kind}")


def _alternative(kinds: tuple[Any, ...], value: object, where: str, depth: int) -> Any:
    """The first type that `value` fits; where one fits alone, its error is raised."""
    if value is None and types.NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not types.NoneType]
    for kind in others[:-1]:
        try:
            return _read(kind, value, where, depth)
        except ReportFormatError:
            continue
    return _read(others[-1], value, where, depth)


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ReportFormatError(f"{where}: an object is needed")
    return value


def _array(value: object, where: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ReportFormatError(f"{where}: an array is needed")
    return list(value)

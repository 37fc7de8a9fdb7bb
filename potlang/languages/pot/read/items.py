"""Items of a program: objects with known keys, lists of them, their names, formulas and binders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from potlang.diag.model import Applicability, Fix, Patch
from potlang.diag.sink import Sink
from potlang.expressions.shapes import Object, Shapes
from potlang.expressions.surface import BinderDecl, Formula
from potlang.utils.deadline import look

T = TypeVar("T")


class ItemReader:
    """Reads the parts of items; the readers of sections extend it."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.shapes = Shapes(sink)
        self.cites: dict[str, tuple[int, ...]] = {}
        """The citations of the items that were read, by pointer ([CITE-ITEM])."""

    def _object(
        self, value: object, pointer: str, what: str, known: tuple[str, ...], required: tuple[str, ...] = ()
    ) -> Object | None:
        item = self.shapes.object_of(value, pointer, what, known, required)
        if item is not None and "description" in known and item.get("description") is not None:
            self.shapes.string(item["description"], f"{pointer}/description")
        if item is not None and item.get("cites") is not None and "cites" in known:
            place = f"{pointer}/cites"
            numbers = self._each(item["cites"], place, "a list of numbers of sentences", self.shapes.ordinal)
            self.cites[pointer] = tuple(numbers)
        return item

    def _each(
        self, value: object, pointer: str, expected: str, read: Callable[[Any, str], T | None]
    ) -> list[T]:
        """The items of a list as `read` reads them, without those that it cannot read."""
        found: list[T] = []
        for item, at in self.shapes.items(value, pointer, expected):
            look()
            each = read(item, at)
            if each is not None:
                found.append(each)
        return found

    def _field(
        self, item: Object, key: str, pointer: str, read: Callable[..., T | None], *more: Any
    ) -> T | None:
        """The value under a key as `read` reads it; None where the key is missing."""
        return read(item[key], f"{pointer}/{key}", *more) if key in item else None

    def _given(
        self, item: Object, key: str, pointer: str, read: Callable[..., T | None], *more: Any
    ) -> T | None:
        """As `_field`, for a key that null leaves out."""
        return None if item.get(key) is None else self._field(item, key, pointer, read, *more)

    def _name(self, item: Object, pointer: str) -> str | None:
        return self._field(item, "name", pointer, self.shapes.name)

    def _optional_name(self, item: Object, pointer: str) -> str | None:
        return None if item.get("name") == "" else self._given(item, "name", pointer, self.shapes.name)

    def _formula(self, item: Object, key: str, pointer: str) -> Formula | None:
        return self._field(item, key, pointer, self.shapes.formula)

    def _read_as(self, written: str, meant: str, pointer: str) -> None:
        fix = Fix(f'write "{meant}"', Applicability.SAFE, (Patch("replace", pointer, meant),))
        self.sink.report("POT1017", pointer, found=f"`{written}`", meant=f"`{meant}`", fixes=[fix])

    def _binders(self, value: object, pointer: str) -> list[BinderDecl]:
        """Binders: objects with `name` and perhaps `sort`, or names alone."""
        return self._each(value, pointer, "a list of variables", self._binder)

    def _binder(self, value: object, pointer: str) -> BinderDecl | None:
        if isinstance(value, str):
            alone = self.shapes.name(value, pointer)
            return BinderDecl(alone, None, pointer) if alone is not None else None
        what = "a variable: an object with `name` and `sort`"
        item = self._object(value, pointer, what, ("name", "sort", "description"), ("name",))
        if item is None:
            return None
        name = self._name(item, pointer)
        sort = self._given(item, "sort", pointer, self.shapes.sort)
        return BinderDecl(name, sort, pointer) if name is not None else None


def is_filled(value: object) -> bool:
    """Whether a value is a list with something in it."""
    return isinstance(value, list) and len(value) > 0

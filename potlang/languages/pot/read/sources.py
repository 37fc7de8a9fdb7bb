"""Reads the section `sources`: tables, and what their columns give ([SRC-ITEM])."""

from __future__ import annotations

from potlang.expressions.surface import FunctionColumns, MemberColumn, TableSource
from potlang.languages.pot.read.items import ItemReader

FORMATS = ("csv", "parquet", "json", "sqlite")


class SourceReader(ItemReader):
    """Reads items of `sources`."""

    def source(self, value: object, pointer: str) -> TableSource | None:
        """One table; None, with reports, if it is malformed."""
        known = ("name", "description", "file", "table", "format", "members", "functions")
        item = self._object(value, pointer, "a table: an object with `file`", known)
        if item is None:
            return None
        return TableSource(
            self._optional_name(item, pointer),
            self._given(item, "file", pointer, self.shapes.name),
            self._given(item, "table", pointer, self.shapes.name),
            self._given(item, "format", pointer, self.shapes.one_of, FORMATS),
            self._each(item.get("members"), f"{pointer}/members", "a list of columns", self._members),
            self._each(item.get("functions"), f"{pointer}/functions", "a list of columns", self._function),
            pointer,
        )

    def _members(self, value: object, pointer: str) -> MemberColumn | None:
        keys = ("sort", "column")
        what = "an object with `sort` and `column`"
        item = self._object(value, pointer, what, (*keys, "description"), keys)
        if item is None:
            return None
        sort = self._field(item, "sort", pointer, self.shapes.name)
        column = self._field(item, "column", pointer, self.shapes.name)
        return None if sort is None or column is None else MemberColumn(sort, column, pointer)

    def _function(self, value: object, pointer: str) -> FunctionColumns | None:
        what = "an object with `name` and `arguments`"
        item = self._object(value, pointer, what, ("name", "arguments", "value", "description"), ("name",))
        if item is None:
            return None
        name = self._name(item, pointer)
        place = f"{pointer}/arguments"
        arguments = tuple(
            column for column, _ in self.shapes.names(item.get("arguments"), place, "a list of columns")
        )
        value_column = self._given(item, "value", pointer, self.shapes.name)
        return None if name is None else FunctionColumns(name, arguments, value_column, pointer)

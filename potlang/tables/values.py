"""Values of columns as those of sorts: expressions of SQL, NULL for what is none ([SRC-VALUE])."""

from __future__ import annotations

from typing import Final

from potlang.ir.measures import DATE
from potlang.ir.sorts import BOOL, INT, REAL, STRING, DeclaredSort, EnumSort, Sort
from potlang.tables.reading import NUMBERS, Family, RawColumn

DECIMAL: Final = "DECIMAL(38, 12)"
_INTEGER: Final = r"[+-]?[0-9]+"
_DECIMAL: Final = r"[+-]?[0-9]{1,26}(\.[0-9]{0,12}0*)?"
_FLOAT: Final = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_DATE: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOST_WHOLE: Final = 2**53
_TYPES: Final = {INT: "BIGINT", REAL: DECIMAL, STRING: "VARCHAR", BOOL: "BOOLEAN", DATE: "DATE"}
_FITTING: Final[dict[Sort, tuple[Family, ...]]] = {
    INT: ("integer", "decimal", "float"),
    REAL: ("integer", "decimal", "float"),
    STRING: ("text",),
    BOOL: ("bool",),
    DATE: ("date",),
}
_OF_MEMBERS: Final = ("integer", "text")
_JSON_FAMILIES: Final[dict[Family, str]] = {
    "integer": "('BIGINT', 'UBIGINT', 'HUGEINT')",
    "float": "('DOUBLE')",
    "text": "('VARCHAR')",
    "bool": "('BOOLEAN')",
}


def has_values(sort: Sort) -> bool:
    """Whether a column may have values of a sort."""
    return sort in _TYPES or isinstance(sort, DeclaredSort | EnumSort)


def fits(sort: Sort, raw: RawColumn) -> bool:
    """Whether a column holds what may be values of a sort."""
    return raw.family in ("written", "json") or raw.family in _FITTING.get(sort, _OF_MEMBERS)


def given(raw: RawColumn) -> str:
    """The value of a column as text; NULL where there is none."""
    text = f"({raw.expression} ->> '$')" if raw.family == "json" else f"CAST({raw.expression} AS VARCHAR)"
    return raw.expression if raw.family in ("written", "text") else text


def may_be_wrong(sort: Sort, raw: RawColumn) -> bool:
    """Whether a column of this type may have a value that is none of the sort."""
    if sort in (INT, REAL):
        return raw.type not in NUMBERS
    if sort in (BOOL, DATE):
        return sort is DATE or raw.family != "bool"
    # Any text is a text, and any whole number names a member.
    return raw.family == "json"


def present(raw: RawColumn) -> str:
    """That a column says something."""
    return f"{given(raw) if raw.family == 'json' else raw.expression} IS NOT NULL"


def value(sort: Sort, raw: RawColumn, *, numbered: bool = False) -> str:
    """The value of a sort that a column gives: NULL where it gives none, or something else.

    Of sorts with members it is the member's text, or, if they are `numbered`, its number.
    """
    if numbered:
        return raw.expression if raw.type == "BIGINT" else f"CAST({raw.expression} AS BIGINT)"
    if raw.family == "written":
        return _read(sort, raw.expression)
    if raw.type == _TYPES.get(sort):
        return raw.expression
    if raw.family != "json":
        return _converted(sort, raw.expression, raw.family)
    text = given(raw)
    if sort is DATE:
        return f"CASE json_type({raw.expression}) WHEN 'VARCHAR' THEN {_read(DATE, text)} END"
    families = [each for each in _FITTING.get(sort, _OF_MEMBERS) if each in _JSON_FAMILIES]
    cases = " ".join(
        f"WHEN json_type({raw.expression}) IN {_JSON_FAMILIES[family]} THEN {_of_json(sort, family, text)}"
        for family in families
    )
    return f"CASE {cases} END"


def _of_json(sort: Sort, family: Family, text: str) -> str:
    if family == "float":
        return _converted(sort, f"TRY_CAST({text} AS DOUBLE)", "float")
    return _read(sort, text)


def _read(sort: Sort, text: str) -> str:
    """The value that a text says."""
    if sort is INT:
        number = f"TRY_CAST({text} AS BIGINT)"
        # Most are written as DuckDB writes them; it reads `1.5` and `1_0` as integers, too.
        return (
            f"CASE WHEN CAST({number} AS VARCHAR) = {text} THEN {number} "
            f"WHEN regexp_full_match({text}, '{_INTEGER}') THEN {number} END"
        )
    if sort is REAL:
        return (
            f"CASE WHEN regexp_full_match({text}, '{_DECIMAL}') THEN TRY_CAST({text} AS {DECIMAL}) "
            f"WHEN regexp_full_match({text}, '{_FLOAT}') THEN {_exact(f'TRY_CAST({text} AS DOUBLE)')} END"
        )
    if sort is BOOL:
        word = f"lower({text})"
        yes, no = (f"{word} IN ({each})" for each in ("'true', 't', '1'", "'false', 'f', '0'"))
        return f"CASE WHEN {yes} THEN true WHEN {no} THEN false END"
    if sort is DATE:
        return f"CASE WHEN regexp_full_match({text}, '{_DATE}') THEN TRY_CAST({text} AS DATE) END"
    return text


def _converted(sort: Sort, expression: str, family: Family) -> str:
    """The value of a sort that is another type's value, if they are equal."""
    if sort is INT and family == "float":
        whole = f"{expression} = floor({expression}) AND abs({expression}) <= {_MOST_WHOLE}"
        return f"CASE WHEN {whole} THEN TRY_CAST({expression} AS BIGINT) END"
    if sort is REAL and family == "float":
        return _exact(f"CAST({expression} AS DOUBLE)")
    type_ = _TYPES.get(sort, "VARCHAR")
    cast = f"TRY_CAST({expression} AS {type_})"
    if family == "decimal":
        return f"CASE WHEN {cast} = {expression} THEN {cast} END"
    return cast


def _exact(number: str) -> str:
    """The shortest decimal that is read as a double, if it has at most twelve places."""
    text = f"CAST({number} AS VARCHAR)"
    cast = f"TRY_CAST({text} AS {DECIMAL})"
    return f"CASE WHEN CAST({cast} AS DOUBLE) = {number} THEN {cast} END"

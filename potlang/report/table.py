"""Tables: as text for people, as CSV, as Markdown, as LaTeX, and as JSON values."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

from potlang.diag.snippet import columns
from potlang.diag.wording import visible
from potlang.utils.style import Style

CellStyle = Literal[
    "text",
    "count",
    "decimal",
    "fine",
    "percent",
    "fine percent",
    "points",
    "gap",
    "interval",
    "percents",
    "fine percents",
    "spread",
    "pvalue",
]
"""How a cell is shown: `fine` with two decimals and not one, `points` as per cents without the sign;
`gap`, `spread`, `interval` and its like are pairs."""
Cell = str | int | float | tuple[float, float | None] | None


class Column(NamedTuple):
    """A column; `over` is the heading that it shares with its neighbours."""

    title: str
    style: CellStyle = "text"
    over: str = ""


class Table(NamedTuple):
    """A table. `form` says of which of the paper's tables it has the form.

    A cell may have a style of its own, given in `styles` by row and column. `grouped`: people see the first
    cell of a row only where it differs from the one above.
    """

    name: str
    form: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    styles: tuple[tuple[CellStyle, ...], ...] | None = None
    grouped: bool = False

    def style(self, row: int, column: int) -> CellStyle:
        """How a cell is shown."""
        return self.columns[column].style if self.styles is None else self.styles[row][column]


# --- text ----------------------------------------------------------------------------------------


def aligned(rows: Sequence[Sequence[str]], right: Sequence[bool] = ()) -> Iterator[list[str]]:
    """The cells of each row filled up to their columns; the last one is not, unless it is on the right."""
    widths = [max(map(columns, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        yield [
            _filled(cell, width, at < len(right) and right[at], at == len(row) - 1)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]


def _filled(cell: str, width: int, to_the_right: bool, is_last: bool) -> str:
    space = " " * (width - columns(cell))
    return space + cell if to_the_right else cell if is_last else cell + space


_NUMBERS: dict[CellStyle, str] = {
    "percent": ".1%",
    "percents": ".1%",
    "fine percent": ".2%",
    "fine percents": ".2%",
    "fine": ".2f",
    "interval": ".2f",
    "decimal": ".1f",
    "spread": ".1f",
}


def shown_cell(cell: Cell, style: CellStyle) -> str:
    """A cell as people read it; nothing to show is a dash."""
    if cell is None:
        return "—"
    if isinstance(cell, tuple):
        return _pair(cell, style)
    if isinstance(cell, str):
        return cell
    if style in ("points", "gap"):
        return f"{100 * cell:.1f}"
    if style == "pvalue":
        return f"{cell:.2e}" if cell < 0.001 else f"{cell:.3f}"
    return format(cell, _NUMBERS.get(style, ""))


def _pair(cell: tuple[float, float | None], style: CellStyle) -> str:
    first, second = shown_cell(cell[0], style), None if cell[1] is None else shown_cell(cell[1], style)
    if second is None:
        return first
    if style == "gap":
        return f"{first} ({second}↓)"
    return f"{first} ± {second}" if style == "spread" else f"[{first}, {second}]"


def to_text(table: Table, color: bool = False) -> str:
    """A table for people, with its title; as wide as it must be."""
    heads = [[column.title for column in table.columns]]
    if any(column.over for column in table.columns):
        heads.insert(0, [column.over for column in table.columns])
    cells = [[visible(cell) for cell in row] for row in (*heads, *_shown_rows(table))]
    right = [not _is_text(table, at) for at in range(len(table.columns))]
    lines = ["   ".join(row) for row in aligned(cells, right)]
    # Of the whole lines: the last column is as wide as its longest cell, which only one line has.
    rule = "─" * max(map(columns, lines))
    bold = [Style(color)("bold", line) for line in lines[: len(heads)]]
    title = f"{table.title} ({table.form})" if table.form else table.title
    shown = (f" {line}".rstrip() for line in (*bold, rule, *lines[len(heads) :]))
    return "\n".join([visible(title), "", *shown, "", ""])


# --- for machines --------------------------------------------------------------------------------


_LATEX = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "—": "---",
    "±": r"$\pm$",
    "Δ": r"$\Delta$",
    "↓": r"$\downarrow$",
}
_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))
_WHOLE = {
    "d_in^max": r"$d_{\mathrm{in}}^{\max}$",
    "d_out^max": r"$d_{\mathrm{out}}^{\max}$",
    "p_left": r"$p_{\mathrm{left}}$",
    "p_right": r"$p_{\mathrm{right}}$",
    "R̂ (Δ↓)": r"$\widehat{\mathcal{R}}$ ($\Delta\downarrow$)",
}
_PAIRS: dict[CellStyle, tuple[str, str]] = {
    "gap": ("", " gap"),
    "spread": ("", " std"),
    "interval": (" low", " high"),
    "percents": (" low", " high"),
    "fine percents": (" low", " high"),
}


def tables_csv(tables: Iterable[Table]) -> str:
    """Tables as CSV, one below the other, each with a line of one cell for its title."""
    return "\n".join(f"{_csv([[f'# {visible(each.title)}']])}{to_csv(each)}" for each in tables)


def to_csv(table: Table) -> str:
    """A table as CSV: plain numbers, shares from 0 to 1, a column for each half of a pair.

    A text that a spreadsheet would take for a formula has an apostrophe before it ([DAG-CSV]).
    """
    pairs = [_pair_names(table, at) for at in range(len(table.columns))]
    names = [_plain_name(each) for each in table.columns]
    head = [name + part for name, parts in zip(names, pairs, strict=True) for part in parts or ("",)]
    rows = (
        [value for cell, parts in zip(row, pairs, strict=True) for value in _plain(cell, parts)]
        for row in table.rows
    )
    return _csv([head, *rows])


def _csv(rows: Iterable[Iterable[Any]]) -> str:
    return "".join(f"{_csv_line(row)}\n" for row in rows)


def _csv_line(row: Iterable[Any]) -> str:
    # Of line ends within cells csv quotes those alone that end its lines: with "\n", no "\r" would be quoted.
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(map(_inert, row))
    return out.getvalue().removesuffix("\r\n")


_FORMULA = re.compile("[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
"""Beginnings of a cell that spreadsheets evaluate, the wide signs of East Asian keyboards too, or skip
to what follows (OWASP, CSV Injection)."""
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def _inert(value: Any) -> Any:
    """A value that no spreadsheet runs; quotation marks alone would not keep it from that."""
    runs = isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if runs else value


_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>()#!|&~]")


def to_markdown(table: Table) -> str:
    """A table as Markdown, under its title; every sign of Markdown or HTML in a cell is a text there."""
    heads = [f"{column.over} {column.title}".strip() for column in table.columns]
    rules = ["---" if _is_text(table, at) else "---:" for at in range(len(table.columns))]
    rows = [heads, *_shown_rows(table)]
    lines = [_markdown_line([_MARKDOWN.sub(r"\\\g<0>", visible(cell)) for cell in row]) for row in rows]
    lines.insert(1, _markdown_line(rules))
    title = f"{table.title} ({table.form})" if table.form else table.title
    return "\n".join([f"## {visible(title)}", "", *lines, ""])


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def to_latex(table: Table) -> str:
    """A table as LaTeX, for the package `booktabs`."""
    columns = table.columns
    letters = "".join("l" if _is_text(table, at) else "r" for at in range(len(columns)))
    lines = [
        r"\begin{table}[ht]",
        r"\centering",
        rf"\caption{{{latex(table.title)}}}",
        rf"\begin{{tabular}}{{{letters}}}",
        r"\toprule",
        *_latex_over(columns),
        " & ".join(latex(column.title) for column in columns) + r" \\",
        r"\midrule",
    ]
    for row in _shown_rows(table):
        lines.append(" & ".join(map(latex, row)) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def latex(text: str) -> str:
    """A text as LaTeX shows it."""
    if text in _WHOLE:
        return _WHOLE[text]
    if power := re.fullmatch(r"(\d\.\d\d)e([+-]\d+)", text):
        return rf"${power[1]} \times 10^{{{int(power[2])}}}$"
    return _SPECIAL.sub(lambda found: _LATEX[found[0]], visible(text))


def to_json(table: Table) -> dict[str, Any]:
    """A table as a JSON value: plain numbers, shares from 0 to 1, pairs as lists."""
    return {
        "name": table.name,
        "form": table.form,
        "title": table.title,
        "columns": [_plain_name(each) for each in table.columns],
        "rows": [[list(cell) if isinstance(cell, tuple) else cell for cell in row] for row in table.rows],
    }


def _plain_name(column: Column) -> str:
    return f"{column.over} {column.title}".strip().removesuffix(" (Δ↓)")


def _shown_rows(table: Table) -> Iterator[list[str]]:
    above = None
    for at, row in enumerate(table.rows):
        cells = [shown_cell(cell, table.style(at, column)) for column, cell in enumerate(row)]
        yield ["", *cells[1:]] if table.grouped and row[0] == above else cells
        above = row[0]


def _is_text(table: Table, column: int) -> bool:
    return all(cell is None or isinstance(cell, str) for cell in (row[column] for row in table.rows))


def _pair_names(table: Table, column: int) -> tuple[str, str] | None:
    """The names of the halves of a column that has pairs, None of one that has none."""
    styles = {table.style(at, column) for at, row in enumerate(table.rows) if isinstance(row[column], tuple)}
    return _PAIRS[sorted(styles)[0]] if styles else None


def _plain(cell: Cell, parts: tuple[str, str] | None) -> Sequence[Any]:
    if isinstance(cell, tuple):
        return ["" if each is None else each for each in cell]
    first = "" if cell is None or (isinstance(cell, float) and math.isnan(cell)) else cell
    return [first] if parts is None else [first, ""]


def _latex_over(columns: Sequence[Column]) -> Iterator[str]:
    """The line of headings that columns share, and the rules below them."""
    if not any(column.over for column in columns):
        return
    cells, rules, at = [], [], 1
    for over, members in groupby(columns, key=lambda column: column.over):
        count = len(list(members))
        cells.append(rf"\multicolumn{{{count}}}{{c}}{{{latex(over)}}}" if over else " & ".join([""] * count))
        if over:
            rules.append(rf"\cmidrule(lr){{{at}-{at + count - 1}}}")
        at += count
    yield " & ".join(cells) + r" \\"
    yield " ".join(rules)

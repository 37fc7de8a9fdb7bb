"""Tables as text for people, as CSV, as LaTeX, and as JSON values."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from potlang.diag.wording import visible
from potlang.score.tables import Cell, Column, Style, Table

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
_PAIRS: dict[Style, tuple[str, str]] = {
    "gap": ("", " gap"),
    "spread": ("", " std"),
    "interval": (" low", " high"),
    "percents": (" low", " high"),
    "fine percents": (" low", " high"),
}


def shown(cell: Cell, style: Style) -> str:
    """A cell as people read it; nothing to show is a dash."""
    if cell is None:
        return "—"
    if isinstance(cell, tuple):
        return _pair(cell, style)
    if isinstance(cell, str):
        return cell
    match style:
        case "percent" | "percents":
            return f"{cell:.1%}"
        case "fine percent" | "fine percents":
            return f"{cell:.2%}"
        case "points" | "gap":
            return f"{100 * cell:.1f}"
        case "fine" | "interval":
            return f"{cell:.2f}"
        case "pvalue":
            return f"{cell:.2e}" if cell < 0.001 else f"{cell:.3f}"
        case "count" | "text":
            return str(cell)
        case "decimal" | "spread":
            return f"{cell:.1f}"


def _pair(cell: tuple[float, float | None], style: Style) -> str:
    first, second = shown(cell[0], style), None if cell[1] is None else shown(cell[1], style)
    if second is None:
        return first
    if style == "gap":
        return f"{first} ({second}↓)"
    return f"{first} ± {second}" if style == "spread" else f"[{first}, {second}]"


def to_text(table: Table, color: bool = False) -> str:
    """A table for people, with its title; as wide as it must be."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    has_over = any(column.over for column in table.columns)
    for at, column in enumerate(table.columns):
        parts = [column.over, column.title] if has_over else [column.title]
        drawn.add_column(
            Text("\n".join(map(visible, parts))),
            justify="left" if _is_text(table, at) else "right",
            no_wrap=True,
        )
    for row in _shown_rows(table):
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    out = io.StringIO()
    Console(file=out, width=10_000, force_terminal=color, color_system="standard" if color else None).print(
        drawn
    )
    lines = [line.rstrip() for line in out.getvalue().strip("\n").split("\n")]
    title = f"{table.title} ({table.form})" if table.form else table.title
    return "\n".join([visible(title), *lines]) + "\n"


def to_csv(table: Table) -> str:
    """A table as CSV: plain numbers, shares from 0 to 1, a column for each half of a pair."""
    pairs = [_pair_names(table, at) for at in range(len(table.columns))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [_plain_name(each) for each in table.columns]
    writer.writerow(
        [name + part for name, parts in zip(names, pairs, strict=True) for part in parts or ("",)]
    )
    for row in table.rows:
        writer.writerow(
            [value for cell, parts in zip(row, pairs, strict=True) for value in _plain(cell, parts)]
        )
    return out.getvalue()


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
        cells = [shown(cell, table.style(at, column)) for column, cell in enumerate(row)]
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

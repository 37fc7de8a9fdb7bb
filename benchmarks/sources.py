"""Norms and queries over tables of 10,000 to 10 million rows, beside DuckDB queries written by hand.

    python benchmarks/sources.py --rows 10000 --rows 10000000 --check

The tables are generated. Each program has one question, by a column, by a join of two tables, or with
`find`, and is verified in a process of its own, tables read from the beginning; so is the query by hand,
which asks the same of the files and lists the rows. Imports are done before. A second query by hand also
checks what potlang checks: that keys are there, are no other's, and are known to the other table. Times are
ratios of the same run.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE)]

from measure import median  # noqa: E402
from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

_PEOPLE: Final = (
    "SELECT range AS id, (range * 7919) % 1000 AS age, (range * 31) % {depts} AS dept, "
    "range % 3 = 0 AS senior, 'name ' || range AS name FROM range({rows})"
)
_DEPTS: Final = "SELECT range AS dept, 1 + range % 3 AS least FROM range({depts})"
QUESTIONS: Final = {
    "column": ("norm", "senior(x) -> age(x) >= 2"),
    "join": ("norm", "age(x) >= least(dept(x))"),
    "find": ("find", "age(x) == 999 and senior(x)"),
}
"""Each question about a person x: a norm, or a search."""
_BY_HAND: Final = {
    "column": "SELECT id FROM {people} WHERE senior AND NOT (age >= 2)",
    "join": "SELECT p.id FROM {people} p JOIN {depts} d ON p.dept = d.dept WHERE NOT (p.age >= d.least)",
    "find": "SELECT id FROM {people} WHERE age = 999 AND senior",
}
_CHECKS: Final = (
    "SELECT count(*) FROM {people} WHERE id IS NULL OR dept IS NULL",
    "SELECT count(*) FROM (SELECT id FROM {people} GROUP BY id HAVING count(*) > 1)",
    "SELECT count(*) FROM (SELECT dept FROM {depts} GROUP BY dept HAVING count(*) > 1)",
    "SELECT count(*) FROM {people} WHERE dept NOT IN (SELECT dept FROM {depts})",
)
_MOST_RATIO: Final = 3.0
"""Of the time to that of the query by hand: with its checks, and from ten million rows on without them."""
_MOST_MEGABYTES: Final = 3_000


def generate(directory: Path, rows: int, form: str) -> None:
    """Writes the two tables."""
    import duckdb

    depts = max(10, rows // 1_000)
    with duckdb.connect() as database:
        for name, query in (("people", _PEOPLE), ("depts", _DEPTS)):
            text = query.format(rows=rows, depts=depts)
            database.execute(f"COPY ({text}) TO '{directory}/{name}.{form}' (FORMAT {form})")


def program(question: str, form: str) -> dict[str, Any]:
    """The program with one question, and the columns that it needs."""
    kind, formula = QUESTIONS[question]
    needed = [name for name in ("age", "senior", "dept") if f"{name}(" in formula]
    ranges = {"age": "Int", "senior": "Bool", "dept": "Dept"}
    people = {
        "file": f"people.{form}",
        "members": [{"sort": "Person", "column": "id"}],
        "functions": [{"name": name, "arguments": ["id"], "value": name} for name in needed],
    }
    found: dict[str, Any] = {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["Person"], "range": ranges[name]} for name in needed],
        "sources": [people],
    }
    if "least(" in formula:
        found["sorts"].append({"name": "Dept", "type": "DeclareSort"})
        found["functions"].append({"name": "least", "domain": ["Dept"], "range": "Int"})
        least = {"name": "least", "arguments": ["dept"], "value": "least"}
        members = [{"sort": "Dept", "column": "dept"}]
        found["sources"].append({"file": f"depts.{form}", "members": members, "functions": [least]})
    variables = [{"name": "x", "sort": "Person"}]
    if kind == "norm":
        found["rules"] = [{"role": "norm", "forall": variables, "constraint": formula}]
    else:
        found["verifications"] = [{"find": variables, "constraint": formula}]
    return found


def by_hand(directory: Path, question: str, form: str, *, checked: bool) -> dict[str, Any]:
    """The query by hand: its rows, and the seconds that it took."""
    import duckdb

    names = {name: f"'{directory}/{name}.{form}'" for name in ("people", "depts")}
    began = time.perf_counter()
    with duckdb.connect(
        config={"memory_limit": "2GB", "temp_directory": str(directory / "spill")}
    ) as database:
        for check in _CHECKS if checked else ():
            if "depts" not in check or question == "join":
                ((wrong,),) = database.execute(check.format(**names)).fetchall()
                assert not wrong
        rows = database.execute(_BY_HAND[question].format(**names)).fetchall()
    return {"seconds": time.perf_counter() - began, "rows": sorted(row[0] for row in rows)}


def by_potlang(directory: Path, question: str, form: str, *, shown: int | None = None) -> dict[str, Any]:
    """The report's rows, and the seconds of `verify`; `shown` rows instead of the usual ones."""
    import potlang
    from potlang.prove import table_prover

    # Both ways have their imports behind them.
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder), 2_000, form)
        potlang.verify(program(question, form), language="pot", sources=folder)
    if shown is not None:
        table_prover.SHOWN = shown  # type: ignore[misc]
    began = time.perf_counter()
    limits = potlang.Limits(total_ms=600_000)
    report = potlang.verify(program(question, form), language="pot", sources=directory, limits=limits)
    seconds = time.perf_counter() - began
    (result,) = report.results
    rows = result.evidence.rows
    assert rows is not None, report.render()
    ids = [int(row.binding["x"].strip("`").removeprefix("Person:")) for row in rows.shown]
    places = [each.places[0] for each in rows.shown]
    return {"seconds": seconds, "rows": sorted(ids), "total": rows.total, "places": places}


def in_a_process(what: str, directory: Path, question: str, form: str) -> dict[str, Any]:
    """One measurement, with the peak of its memory."""
    command = [sys.executable, __file__, "--child", what, "--dir", str(directory), "--of", question, form]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def child(what: str, directory: Path, question: str, form: str) -> None:
    """Prints one measurement as JSON."""
    if what == "potlang":
        found = by_potlang(directory, question, form)
    elif what == "all rows":
        found = by_potlang(directory, question, form, shown=10_000_000)
    else:
        found = by_hand(directory, question, form, checked=what == "by hand, checked")
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(found))


def measured(directory: Path, rows: int, form: str, question: str, repeat: int) -> dict[str, Any]:
    """Medians of the three ways in turn, and whether they have the same rows."""
    generate(directory, rows, form)
    ways = ("by hand", "by hand, checked", "potlang")
    runs: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
    for _ in range(repeat):
        for way in ways:
            runs[way].append(in_a_process(way, directory, question, form))
    seconds = {way: median(run["seconds"] for run in runs[way]) or 0.0 for way in ways}
    whole = in_a_process("all rows", directory, question, form)
    hand = runs["by hand"][0]["rows"]
    numbers = [_row(place) for place in whole["places"]]
    same = whole["rows"] == hand and whole["total"] == len(hand) == runs["potlang"][0]["total"]
    return {
        "rows": rows,
        "form": form,
        "question": question,
        "found": len(hand),
        "same": same and sorted(numbers) == hand,
        "seconds": seconds,
        "ratio": seconds["potlang"] / seconds["by hand"],
        "checked": seconds["potlang"] / seconds["by hand, checked"],
        "megabytes": {way: max(run["megabytes"] for run in runs[way]) for way in ways},
    }


def _row(place: str) -> int:
    """The number of the row of `people.csv, row 1,234, column age`, from 0."""
    return int(place.split(", column")[0].partition(", row ")[2].replace(",", "")) - 1


@click.command()
@click.option("--rows", type=int, multiple=True, default=(10_000, 100_000, 1_000_000))
@click.option("--form", type=click.Choice(["csv", "parquet"]), multiple=True, default=("csv", "parquet"))
@click.option("--repeat", type=int, default=3, help="Runs of each way; the median counts.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Write all figures here.")
@click.option("--check", is_flag=True, help="Exit code 1 if rows differ, or a bound is broken.")
@click.option("--child", "what", hidden=True)
@click.option("--dir", "directory", type=click.Path(path_type=Path), hidden=True)
@click.option("--of", "of", nargs=2, hidden=True)
def main(
    rows: tuple[int, ...],
    form: tuple[str, ...],
    repeat: int,
    path: Path | None,
    check: bool,
    what: str | None,
    directory: Path | None,
    of: tuple[str, str] | None,
) -> None:
    """Measure questions over tables beside queries by hand."""
    if what is not None and directory is not None and of is not None:
        child(what, directory, *of)
        return
    found: list[dict[str, Any]] = []
    for count in rows:
        for kind in form:
            for question in QUESTIONS:
                with tempfile.TemporaryDirectory() as folder:
                    found.append(measured(Path(folder), count, kind, question, repeat))
                print(json.dumps(found[-1]), file=sys.stderr)
    header = ["rows", "form", "question", "found", "same", "by hand s", "potlang s"]
    header += ["ratio", "to checked", "MB by hand", "MB"]
    lines = [
        [
            f"{each['rows']:,}",
            each["form"],
            each["question"],
            f"{each['found']:,}",
            "yes" if each["same"] else "NO",
            f"{each['seconds']['by hand']:.2f}",
            f"{each['seconds']['potlang']:.2f}",
            f"{each['ratio']:.1f}",
            f"{each['checked']:.1f}",
            str(each["megabytes"]["by hand"]),
            str(each["megabytes"]["potlang"]),
        ]
        for each in found
    ]
    print(table(header, lines))
    problems = [
        f"{each['question']} over {each['rows']:,} rows of {each['form']}: other rows"
        for each in found
        if not each["same"]
    ]
    for each in found:
        if each["rows"] >= 1_000_000:
            named = f"{each['question']} over {each['rows']:,} rows of {each['form']}"
            ratio = each["ratio"] if each["rows"] >= 10_000_000 else each["checked"]
            if ratio > _MOST_RATIO:
                problems.append(f"{named}: {ratio:.1f} times the query by hand")
            if each["megabytes"]["potlang"] > _MOST_MEGABYTES:
                problems.append(f"{named}: {each['megabytes']['potlang']} MB")
    finish("sources", {"sources": found}, problems, path, check)


if __name__ == "__main__":
    main()

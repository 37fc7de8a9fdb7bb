"""The closure by itself: growth with what is derived, DuckDB against a query by hand, many claims."""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from measure import fitted_growth, median, ratio  # noqa: E402
from outcome import finish  # noqa: E402
from tables import cell, table  # noqa: E402

import potlang  # noqa: E402
from potlang.engines.horn import datalog  # noqa: E402
from potlang.engines.horn.engine import EvaluationLimits  # noqa: E402
from potlang.engines.horn.program import HornProgram  # noqa: E402
from potlang.engines.horn.recognition import recognise  # noqa: E402
from potlang.engines.horn.semi_naive import SemiNaive  # noqa: E402
from potlang.engines.horn.solver import HornSolver  # noqa: E402
from potlang.engines.horn.tables import tables  # noqa: E402
from potlang.ir.module import Module  # noqa: E402

TRANSITIVE = "ForAll([x: T, y: T, z: T], reach(x, y) and reach(y, z) -> reach(x, z))"
_MOST_ASKED_SECONDS = 1.0
_LARGEST_RATIO = 1.5
_LARGEST_GROWTH = 1.3
_LEAST_RATE = 100.0
_MOST_MEGABYTES = 50.0

Edges = Sequence[tuple[int, int]]


def graph_module(size: int, edges: Edges, claims: Sequence[str]) -> Module:
    """A transitive relation over constants c0, c1, …, and claims."""
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": "reach", "domain": ["T", "T"], "range": "Bool"}],
        "constants": {"all": {"sort": "T", "members": [f"c{n}" for n in range(size)]}},
        "knowledge_base": [*(f"reach(c{a}, c{b})" for a, b in edges), TRANSITIVE],
        "verifications": [{"constraint": claim} for claim in claims],
    }
    return potlang.compile(program).module


def path(size: int) -> Edges:
    """Constants in a row."""
    return [(n, n + 1) for n in range(size - 1)]


def random_edges(nodes: int, count: int) -> Edges:
    """A random graph, the same each time."""
    rng = random.Random(1)
    return [(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(count)]


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def megabytes() -> float:
    """The peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The closure route without the rest of potlang."""


def _options(command: Callable[..., None]) -> Callable[..., None]:
    command = click.option("--check", is_flag=True, help="Exit with 1 if a bound is not met.")(command)
    option = click.option(
        "--json", "json_path", type=click.Path(path_type=Path), help="Write the figures here."
    )
    return option(command)


@main.command()
@click.option("--sizes", default="250,500,1000,2000", show_default=True)
@click.option("--rounds", default=3, show_default=True)
@_options
def chain(sizes: str, rounds: int, json_path: Path | None, check: bool) -> None:
    """A transitive relation over a chain: asked for first and last, and evaluated as a whole."""
    points = [_chain(int(size), rounds) for size in sizes.split(",")]
    headings = ("constants", "atoms", "ask s", "derivation s", "memory s", "DuckDB s", "hand s")
    click.echo(table(headings, [[p[h] for h in headings] for p in points]))
    grown = fitted_growth([p["atoms"] for p in points], [p["memory s"] for p in points])
    click.echo(f"\ngrowth of the evaluation in memory per doubling of atoms: {cell(grown)}")
    failed = [
        f"{p['constants']} constants: asked in {cell(p['ask s'])} s"
        for p in points
        if p["constants"] <= 1_000 and p["ask s"] > _MOST_ASKED_SECONDS
    ]
    if grown is not None and grown > 2 * _LARGEST_GROWTH:
        failed.append(f"growth {cell(grown)} per doubling of atoms, at most {2 * _LARGEST_GROWTH}")
    finish("chain", {"points": points}, failed, json_path, check)


def _chain(size: int, rounds: int) -> dict[str, Any]:
    module = graph_module(size, path(size), [f"reach(c0, c{size - 1})"])
    formula = module.claims[0].formula
    times: dict[str, list[float]] = {
        name: [] for name in ("ask s", "derivation s", "memory s", "DuckDB s", "hand s")
    }
    for _ in range(rounds):
        closure = HornSolver(recognise(module))
        times["ask s"].append(seconds(lambda: _entailed(HornSolver(recognise(module)), formula)))
        times["derivation s"].append(seconds(lambda: closure.derivation(formula, "negation")))  # noqa: B023
        horn = closure.horn
        times["memory s"].append(seconds(lambda: _in_memory(horn)))  # noqa: B023
        times["DuckDB s"].append(seconds(lambda: _in_database(horn)))  # noqa: B023
        times["hand s"].append(seconds(lambda: _by_hand(path(size))))
    return {"constants": size, "atoms": size * (size - 1) // 2, **{n: median(v) for n, v in times.items()}}


def _entailed(closure: HornSolver, formula: Any) -> None:
    assert [side.status for side in closure.decide(formula)] == ["sat", "sat", "unsat"]


def _in_memory(horn: HornProgram) -> int:
    program = tables(horn).program
    least = SemiNaive(program, EvaluationLimits(10**9))
    least.ensure(range(len(program.arities)))
    return least.total


def _in_database(horn: HornProgram) -> int:
    """Load, evaluate and count."""
    program = tables(horn).program
    engine = datalog.DuckDB(program, horn.universe, EvaluationLimits(10**9))
    try:
        engine.ensure(range(len(program.arities)))
        return max(engine.count(relation) for relation in range(len(program.arities)))
    finally:
        engine.close()


_QUERY = """CREATE TABLE reach AS WITH RECURSIVE r(a, b) AS (
  SELECT a, b FROM edge UNION SELECT r.a, edge.b FROM r JOIN edge ON r.b = edge.a
) SELECT * FROM r"""


def _by_hand(edges: Edges) -> int:
    """What someone would write: load, query and count."""
    import duckdb

    connection = duckdb.connect(":memory:")
    connection.execute("CREATE TABLE edge (a INTEGER, b INTEGER)")
    columns = [[a for a, _ in edges], [b for _, b in edges]]
    connection.execute("INSERT INTO edge SELECT unnest($1), unnest($2)", columns)
    connection.execute(_QUERY)
    ((count,),) = connection.execute("SELECT count(*) FROM reach").fetchall()
    connection.close()
    return int(count)


@main.command()
@click.option("--nodes", default=3_000, show_default=True)
@click.option("--edges", "count", default=6_000, show_default=True)
@click.option("--rounds", default=5, show_default=True)
@_options
def graph(nodes: int, count: int, rounds: int, json_path: Path | None, check: bool) -> None:
    """A random graph with millions of pairs: the engine for large programs, a query by hand beside it.

    `whole` is a claim about all pairs from the typed program on: recognition, the attempt in memory, the
    engine, and the claim's own query.
    """
    edges = random_edges(nodes, count)
    module = graph_module(nodes, edges, ["Exists([x: T, y: T], reach(x, y) and reach(y, x))"])
    horn = recognise(module)
    pairs = 0
    contenders: dict[str, Callable[[], int]] = {
        "engine": lambda: _in_database(horn),
        "whole": lambda: _decided(module),
        "hand": lambda: _by_hand(edges),
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds):
        names = list(contenders)
        for name in names[turn % 3 :] + names[: turn % 3]:
            began = time.perf_counter()
            pairs = max(pairs, contenders[name]())
            times[name].append(time.perf_counter() - began)
    medians = {name: median(found) for name, found in times.items()}
    rows = [[name, medians[name], ratio(medians[name], medians["hand"])] for name in contenders]
    click.echo(f"{pairs} pairs\n\n" + table(("", "s", "x hand"), rows))
    failed = [
        f"{name}: {cell(value)} times the query by hand, at most {_LARGEST_RATIO}"
        for name, _, value in rows
        if name == "engine" and isinstance(value, float) and value > _LARGEST_RATIO
    ]
    finish("graph", {"pairs": pairs, "seconds": times}, failed, json_path, check)


def _decided(module: Module) -> int:
    """Recognition, the attempt in memory, DuckDB, and the claim."""
    closure = HornSolver(recognise(module), large=datalog.DuckDB)
    closed = closure.decide(module.claims[0].formula)
    assert closed.negation.status is not None, closed
    return 0


def policy(rules: int, claims: int) -> Module:
    """Rules in layers over some facts, denials, and claims about random atoms."""
    rng = random.Random(7)
    names = [f"P{n}" for n in range(rules // 2)]
    constants = [f"e{n}" for n in range(50)]
    forms = []
    for number in range(rules):
        one, other = (names[rng.randrange(max(1, number // 3))] for _ in range(2))
        forms.append(f"ForAll([x: T], {one}(x) and {other}(x) -> {names[number // 2]}(x))")
    forms += [
        f"ForAll([x: T], not ({names[-1 - n]}(x) and {names[n + 3]}(x) and blocked(x)))" for n in range(20)
    ]
    forms += [f"{names[n % 3]}({constant})" for n, constant in enumerate(constants)]
    asked = [f"{rng.choice(names)}({rng.choice(constants)})" for _ in range(claims)]
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["T"], "range": "Bool"} for name in (*names, "blocked")],
        "constants": {"all": {"sort": "T", "members": constants}},
        "knowledge_base": forms,
        "verifications": [{"constraint": each} for each in asked],
    }
    return potlang.compile(program).module


@main.command()
@click.option("--rules", default=1_000, show_default=True)
@click.option("--claims", "count", default=10_000, show_default=True)
@_options
def claims(rules: int, count: int, json_path: Path | None, check: bool) -> None:
    """Many claims about one policy: claims a second, and memory."""
    module = policy(rules, count)
    began = time.perf_counter()
    closure = HornSolver(recognise(module))
    closure.assumptions()
    first = time.perf_counter() - began
    for claim in module.claims[: count // 10]:
        closure.decide(claim.formula)
    before = megabytes()
    began = time.perf_counter()
    decided = [closure.decide(claim.formula) for claim in module.claims]
    spent = time.perf_counter() - began
    rate, grown = count / spent, megabytes() - before
    open_ = sum(None in [side.status for side in closed] for closed in decided)
    headings = ("rules", "claims", "base s", "claims/s", "not concluded", "MB grown")
    click.echo(table(headings, [[rules, count, first, rate, open_, grown]]))
    failed = [f"{open_} claims not concluded"] if open_ else []
    if rate < _LEAST_RATE:
        failed.append(f"{cell(rate)} claims a second, at least {_LEAST_RATE}")
    if grown > _MOST_MEGABYTES:
        failed.append(f"memory grew by {cell(grown)} MB, at most {_MOST_MEGABYTES}")
    finish("claims", {"seconds": spent, "base": first, "megabytes": grown}, failed, json_path, check)


if __name__ == "__main__":
    main()

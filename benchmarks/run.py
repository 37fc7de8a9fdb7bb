"""Benchmarks of potlang beside its peers: `python benchmarks/run.py --help`."""

from __future__ import annotations

import gc
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

import baseline  # noqa: E402
import summary  # noqa: E402
from cases import Outcome, Settings, read_cases, run_cases  # noqa: E402
from measure import machine, median  # noqa: E402
from outcome import collected, finish  # noqa: E402
from peers import find_public  # noqa: E402
from tables import cell, table  # noqa: E402

from potlang.api import RouteName, Trust  # noqa: E402

_MOST_FAULTS = 40
_LARGEST_RATIO = {"facts": 2.0}
_LARGEST_GROWTH = {"facts": 1.1}

Command = Callable[..., Any]
Options = Sequence[Callable[[Command], Command]]
Found = TypeVar("Found")

_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

_OUTPUT: Options = (
    click.option(
        "--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file."
    ),
    click.option("--check", is_flag=True, help="Exit with 1 if an answer or a bound is not what it must be."),
    click.option("--save-baseline", is_flag=True, help="Keep the ratios in baseline.json."),
    click.option("--compare-baseline", is_flag=True, help="Compare the ratios with those in baseline.json."),
)
_PEER: Options = (
    click.option("--peer/--no-peer", default=True, help="Run the public implementation too, if it is there."),
    click.option("--peer-path", type=_DIRECTORY, help="Where it is installed, if not in this environment."),
)
_CASES: Options = (
    click.option("--dir", "directory", type=_DIRECTORY, required=True, help="The directory of cases."),
    click.option("--route", type=click.Choice(get_args(RouteName)), default="auto", show_default=True),
    click.option("--timeout-ms", default=5_000, show_default=True, help="Wall-clock limit of one check."),
    click.option(
        "--rounds", default=3, show_default=True, help="Timed runs of each contender on each program."
    ),
    click.option("--no-times", is_flag=True, help="Answers alone: one run a program, no peer, no raw z3."),
    click.option("--peer-bare", is_flag=True, help="Time the peer without its models too."),
    click.option(
        "--max-peer-ratio", default=1.0, show_default=True, help="Bound on a family's median ratio."
    ),
)
_EVERY: Options = (
    click.option("--cases", type=_DIRECTORY, help="The directory of cases."),
    click.option("--family", "families", multiple=True, help="Only this family; may be repeated."),
    click.option(
        "--every", type=click.IntRange(1), default=1, show_default=True, help="Every so many of each file."
    ),
    click.option("--timeout-ms", default=5_000, show_default=True, help="Wall-clock limit of one check."),
)
_DAMAGED: Options = (
    click.option("--seed", "seeds", type=_DIRECTORY, help="The directory of the paper's programs."),
    click.option("--count", default=600, show_default=True, help="Damaged programs, all kinds equally."),
    click.option("--random-seed", default=1, show_default=True),
)


def _with(*groups: Options) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed([each for group in groups for each in group]):
            command = option(command)
        return command

    return decorate


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Workloads for potlang, its peers in the same run. Ratios matter, milliseconds are the machine's."""


def _finish(
    name: str,
    figures: dict[str, Any],
    ratios: dict[str, float],
    failed: list[str],
    *,
    json_path: Path | None,
    check: bool,
    save_baseline: bool,
    compare_baseline: bool,
) -> None:
    """Compare with the baseline or save it, as wanted, then as `outcome.finish`."""
    if compare_baseline:
        lines, worse = baseline.compare(HERE / "baseline.json", name, ratios)
        click.echo("\n".join(["", "against the baseline:", *lines]))
        failed = failed + worse
    if save_baseline:
        baseline.save(HERE / "baseline.json", name, ratios, machine())
    finish(name, {**figures, "ratios": ratios}, failed, json_path, check)


def _peer_there(wanted: bool, path: Path | None) -> bool:
    """Whether the public implementation can run; says so if it is wanted and cannot."""
    if not wanted:
        return False
    missing = find_public(path)
    if missing is not None:
        click.echo(f"without the public implementation: {missing} (see README.md, or use --peer-path)")
    return missing is None


def _header() -> None:
    about = machine()
    packages = ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    system = f"{about['system']}, {about['cores']} cores, load {about['load']}, Python {about['python']}"
    click.echo(f"{about['date']}: {system}, {packages}\n")


# --- cases and seed ---


def _settings(options: dict[str, Any]) -> Settings:
    timing = not options["no_times"]
    return Settings(
        route=options["route"],
        timeout_ms=options["timeout_ms"],
        rounds=options["rounds"] if timing else 0,
        peer=timing and _peer_there(options["peer"], options["peer_path"]),
        peer_path=options["peer_path"],
        peer_bare=options["peer_bare"],
        raw=timing,
    )


def _bounds(options: dict[str, Any]) -> summary.Bounds:
    """cvc5 alone must decide 95 % and has no bound on its time."""
    if options["route"] in ("auto", "z3"):
        return summary.Bounds(peer_ratio=options["max_peer_ratio"])
    return summary.Bounds(unknown=0.05 if options["route"] == "cvc5" else 0.005, peer_ratio=None)


def _report_outcomes(name: str, outcomes: list[Outcome], options: dict[str, Any]) -> None:
    families = summary.summarize(outcomes)
    for title, columns in (("defaults", summary.DEFAULT_COLUMNS), ('trust="solver"', summary.COLUMNS)):
        rows = summary.rows(families, columns)
        if any(value is not None for row in rows for value in row[1:]):
            click.echo(f"\n{title}:")
            click.echo(table([heading for heading, _ in columns], rows))
    _list_faults(outcomes)
    reasons = Counter(reason for each in outcomes for reason in each.unknown)
    if reasons:
        click.echo("\nunknown programs: " + ", ".join([each.id for each in outcomes if each.unknown][:20]))
        click.echo("unknown: " + ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())))
    if differing := families[-1].peer_differs:
        click.echo(f"the peer's answers differ from the recorded ones on {differing} programs")
    ratios = {
        f"{family.name} to {other}": value
        for family in families
        for other, value in (("raw", family.to_raw), ("peer", family.to_peer))
        if value is not None
    }
    _finish(
        name,
        {"families": [asdict(each) for each in families], "outcomes": [asdict(each) for each in outcomes]},
        ratios,
        summary.failures(families, _bounds(options)),
        **_output(options),
    )


def _list_faults(outcomes: Sequence[Outcome]) -> None:
    faulty = [each for each in outcomes if each.faults]
    if faulty:
        click.echo("\ndisagree:")
    for each in faulty[:_MOST_FAULTS]:
        click.echo(f"  {each.id}: {'; '.join(each.faults[:4])}")
    if len(faulty) > _MOST_FAULTS:
        click.echo(f"  and {len(faulty) - _MOST_FAULTS} more (all of them with --json)")


def _output(options: dict[str, Any]) -> dict[str, Any]:
    return {key: options[key] for key in ("json_path", "check", "save_baseline", "compare_baseline")}


@main.command()
@_with(_CASES, _PEER, _OUTPUT)
@click.option(
    "--family", "families", multiple=True, help="Only this family (a file's name); may be repeated."
)
@click.option("--limit", type=click.IntRange(1), help="At most so many programs of each family.")
@click.option("--jobs", default=1, show_default=True, help="Processes; more than one blurs the times.")
def cases(families: tuple[str, ...], limit: int | None, jobs: int, **options: Any) -> None:
    """A directory of cases: agreement by family, unknowns, times, ratios."""
    _header()
    settings = _settings(options)
    chosen = list(read_cases(options["directory"], families, limit))
    # The cases are no contender's: who makes objects is not to pay for looking through them for garbage.
    gc.collect()
    gc.freeze()
    outcomes = collected("cases", run_cases(chosen, settings, jobs), len(chosen))
    _report_outcomes(f"cases {settings.route}", outcomes, options)


@main.command()
@_with(_CASES, _PEER, _OUTPUT)
def seed(**options: Any) -> None:
    """The paper's programs: what `index.json` expects, times, ratios."""
    from seed import run_seed

    _header()
    settings = _settings(options)
    with tempfile.TemporaryDirectory() as scratch:
        outcomes = list(run_seed(options["directory"], Path(scratch), settings))
    headings = ("program", "ms", "raw", "peer", "x raw", "x peer", "peer's error")
    click.echo(table(headings, [_seed_row(each) for each in outcomes]) + "\n")
    _report_outcomes(f"seed {settings.route}", outcomes, options)


def _seed_row(outcome: Outcome) -> list[Any]:
    times = [outcome.times.get(name) for name in ("potlang", "raw", "peer")]
    ratios = [outcome.ratio("potlang", "raw"), outcome.ratio("potlang", "peer")]
    return [outcome.id, *times, *ratios, outcome.peer_error and outcome.peer_error.split(":")[0]]


# --- generated workloads ---


def _generated(name: str) -> Command:
    """The command for one generator."""
    from workloads import GENERATORS

    generator, usual = GENERATORS[name]
    shown = ",".join(map(str, usual))

    @_with(_PEER, _OUTPUT)
    @click.option("--sizes", default=shown, show_default=True, help="Sizes, separated by commas.")
    @click.option("--rounds", default=3, show_default=True, help="Processes of each contender at each size.")
    @click.option("--seconds", default=120.0, show_default=True, help="What one process may take.")
    @click.option("--route", type=click.Choice(get_args(RouteName)), default="auto", show_default=True)
    @click.option(
        "--peer-most", default=5_000, show_default=True, help="The largest size that the peer runs."
    )
    @click.option(
        "--defaults/--no-defaults",
        default=name in _LARGEST_RATIO,
        show_default=True,
        help="Time the defaults too, from JSON text to the report's JSON.",
    )
    def command(sizes: str, **options: Any) -> None:
        import scaling

        _header()
        plan = scaling.Plan(
            rounds=options["rounds"],
            seconds=options["seconds"],
            route=options["route"],
            defaults=options["defaults"],
            peer=_peer_there(options["peer"], options["peer_path"]),
            peer_path=options["peer_path"],
            peer_most=options["peer_most"],
        )
        wanted = [generator(int(size)) for size in sizes.split(",")]
        points = collected(name, scaling.measure_all(wanted, plan), len(wanted))
        _report_points(name, points, options)

    command.__doc__ = generator.__doc__
    return command


def _report_points(name: str, points: list[Any], options: dict[str, Any]) -> None:
    import scaling

    click.echo(table(scaling.HEADINGS, scaling.rows(points)))
    relative = scaling.relative_growth(points)
    factors = [cell(scaling.fitted(points, contender)) for contender in ("potlang", "raw")]
    click.echo(f"\ngrowth per doubling: {factors[0]}, raw z3 {factors[1]}, ratio {cell(relative)}")
    ratios = {f"{point.size} to raw": point.to_raw for point in points if point.to_raw is not None}
    if relative is not None:
        ratios["growth to raw"] = relative
    figures = {"points": [asdict(each) for each in points]}
    bounds = {"largest": _LARGEST_RATIO.get(name), "growing": _LARGEST_GROWTH.get(name)}
    _finish(name, figures, ratios, scaling.failures(points, **bounds), **_output(options))


def _add_generated() -> None:
    from workloads import GENERATORS

    for name in GENERATORS:
        main.command(name)(_generated(name))


# --- start-up ---


@main.command()
@_with(_OUTPUT)
@click.argument("programs", nargs=-1, type=_FILE)
@click.option("--rounds", default=15, show_default=True, help="Runs of each.")
@click.option("--max-ratio", default=2.0, show_default=True, help="Bound on each program's ratio.")
@click.option("--option", "extra", multiple=True, help="An option for potc, such as --trust=solver.")
def startup(
    programs: tuple[Path, ...], rounds: int, max_ratio: float, extra: tuple[str, ...], **options: Any
) -> None:
    """`potc PROGRAM` as a whole process against a bare script on the same SMT-LIB text.

    Without PROGRAMS: a generated one of twenty facts.
    """
    from startup import start_up
    from workloads import facts

    _header()
    with tempfile.TemporaryDirectory() as directory:
        generated = Path(directory) / "facts-20.json"
        generated.write_text(json.dumps(facts(20).program), encoding="utf-8")
        chosen = programs or (generated,)
        found = [start_up(each, Path(directory), rounds, list(extra)) for each in chosen]
    headings = ("program", "potc ms", "bare ms", "python ms", "x bare")
    click.echo(
        table(headings, [[each.program, each.potc, each.bare, each.python, each.ratio] for each in found])
    )
    failed = [f"{each.program}: {fault}" for each in found for fault in each.faults]
    failed += [
        f"{each.program}: {cell(each.ratio)} times the bare script, at most {max_ratio}"
        for each in found
        if each.ratio is None or each.ratio > max_ratio
    ]
    middle = median(each.ratio for each in found if each.ratio is not None)
    ratios = {} if middle is None else {"to bare": middle}
    _finish("startup", {"programs": [asdict(each) for each in found]}, ratios, failed, **options)


# --- cores ---


@main.command()
@_with(_OUTPUT)
@click.option("--rounds", default=5, show_default=True, help="Timed runs of each contender at each size.")
@click.option("--max-ratio", default=1.0, show_default=True, help="Bound on the ratio at the largest sizes.")
def cores(rounds: int, max_ratio: float, **options: Any) -> None:
    """Minimal cores and corrections by their number and size, against the textbook over raw z3."""
    import families

    _header()
    count = sum(map(len, families.SIZES.values()))
    points = collected("cores", families.measure(families.SIZES, rounds), count)
    click.echo(table(families.HEADINGS, families.rows(points)))
    relative = families.fitted(points)
    click.echo("\ngrowth to the textbook's: " + ", ".join(f"{k} {cell(v)}" for k, v in relative.items()))
    failed = [f"{each.name} {each.size}: {fault}" for each in points for fault in each.faults]
    largest = {each.name: each for each in points}
    failed += [
        f"{each.name} {each.size}: {cell(each.ratio)} times the textbook, at most {max_ratio}"
        for each in largest.values()
        if each.ratio is None or each.ratio > max_ratio
    ]
    ratios = {f"{each.name} {each.size}": each.ratio for each in points if each.ratio is not None}
    _finish("cores", {"points": [asdict(each) for each in points]}, ratios, failed, **options)


# --- evidence, routes, policies, the closure ---


@main.command()
@_with(_EVERY, _OUTPUT)
@click.option("--seed", "seeds", type=_DIRECTORY, help="The directory of the paper's programs.")
@click.option("--jobs", default=1, show_default=True, help="Processes; more than one blurs the times.")
def tiers(
    cases: Path | None,
    seeds: Path | None,
    families: tuple[str, ...],
    every: int,
    timeout_ms: int,
    jobs: int,
    **options: Any,
) -> None:
    """Who stands for each verdict, certificates put to the kernel, minimal cores, times."""
    import tiers as evidence

    _header()
    chosen = list(evidence.items(cases, seeds, families, every))
    found = collected("tiers", evidence.run_items(chosen, timeout_ms, jobs), len(chosen))
    summaries = evidence.summarize(found)
    click.echo(table(evidence.HEADINGS, evidence.rows(summaries)))
    click.echo("\n" + "\n".join(evidence.lines(found, _MOST_FAULTS)))
    figures = {"families": [asdict(each) for each in summaries], "programs": [asdict(each) for each in found]}
    _finish("tiers", figures, {}, evidence.failures(found, evidence.Bounds()), **options)


@main.command()
@_with(_EVERY, _OUTPUT)
@click.option("--generated/--no-generated", default=True, help="Run the generated families too.")
@click.option("--rounds", default=1, show_default=True, help="Timed runs of each route on each program.")
@click.option("--max-ratio", default=1.3, show_default=True, help="Bound on the router's median over cases.")
def routes(
    cases: Path | None,
    families: tuple[str, ...],
    every: int,
    timeout_ms: int,
    generated: bool,
    rounds: int,
    max_ratio: float,
    **options: Any,
) -> None:
    """What each route decides alone, and the router; on cases and on generated families."""
    import routes as routing

    _header()
    chosen = list(routing.items(cases, families, every, generated))
    points = collected("routes", routing.measure(chosen, timeout_ms, rounds), len(chosen))
    summaries = routing.summarize(points)
    click.echo(table(routing.headings(), routing.rows(summaries)))
    ratios = {f"{each.name} to quickest": each.to_best for each in summaries if each.to_best is not None}
    figures = {
        "families": [asdict(each) for each in summaries],
        "programs": [asdict(each) for each in points],
    }
    _finish("routes", figures, ratios, routing.failures(points, max_ratio), **options)


@main.command()
@_with(_EVERY, _DAMAGED, _OUTPUT)
@click.option("--least", default=85.0, show_default=True, help="Bound on the repaired share, in percent.")
@click.option("--least-of-kind", default=70.0, show_default=True, help="The same of each kind.")
def repair(least: float, least_of_kind: float, **options: Any) -> None:
    """Damaged programs: does the first fix that is offered give back the verdicts?"""
    import repair as repairing

    found = _damaged("repair", repairing.repairs, options)
    click.echo(table(repairing.HEADINGS, repairing.rows(found)))
    figures = {"programs": [asdict(each) for each in found]}
    _finish("repair", figures, {}, repairing.failures(found, least, least_of_kind), **_output(options))


@main.command()
@_with(_EVERY, _DAMAGED, _OUTPUT)
@click.option(
    "--most", default=1.0, show_default=True, help="Bound on unsafe fixes that mislead, in percent."
)
def damage(most: float, **options: Any) -> None:
    """Damaged programs: does a fix make one that compiles and says something else?"""
    import damage as damaging

    found = _damaged("damage", damaging.outcomes, options)
    click.echo(table(damaging.HEADINGS, damaging.rows(found)))
    for line in damaging.misled(found):
        click.echo(line)
    figures = {"programs": [asdict(each) for each in found]}
    _finish("damage", figures, {}, damaging.failures(found, most), **_output(options))


def _damaged(label: str, outcomes: Callable[..., list[Found]], options: dict[str, Any]) -> list[Found]:
    """The outcomes for programs that are damaged at random, as the options say."""
    from repair import sources

    _header()
    settings = (options[key] for key in ("seeds", "cases", "families", "every", "timeout_ms"))
    chosen = list(sources(*settings))
    count = options["count"]
    with click.progressbar(length=count, label=label, file=sys.stderr) as bar:
        step = partial(bar.update, 1)
        return outcomes(chosen, count, options["random_seed"], options["timeout_ms"], step)


@main.command()
@_with(_OUTPUT)
@click.option("--rules", default=1_000, show_default=True)
@click.option("--claims", default=10_000, show_default=True)
@click.option("--rounds", default=3, show_default=True, help="One-shot runs.")
@click.option("--trust", type=click.Choice(get_args(Trust)), default="best", show_default=True)
@click.option("--min-ratio", default=10.0, show_default=True, help="Bound on claims a second, x one-shot.")
@click.option("--max-growth", default=1.1, show_default=True, help="Bound on memory after the first tenth.")
def policy(
    rules: int, claims: int, rounds: int, trust: Any, min_ratio: float, max_growth: float, **options: Any
) -> None:
    """Many claims against one policy in a session, one-shot runs beside it; memory on the way."""
    import policy as policies

    _header()
    with click.progressbar(length=claims, label="policy", file=sys.stderr) as bar:
        figures = policies.measure(rules, claims, rounds, trust, lambda: bar.update(1))
    click.echo(table(policies.HEADINGS, [policies.row(figures)]) + "\n")
    rows = [[each.claims, each.parent, each.workers, each.total] for each in figures.memory]
    click.echo(table(("claims", "parent MB", "workers MB", "both"), rows))
    click.echo("\n" + ", ".join(f"{count} {tier}" for tier, count in sorted(figures.tiers.items())))
    ratios = {} if figures.speed_up is None else {"to one-shot": figures.speed_up}
    failed = policies.failures(figures, min_ratio, max_growth)
    _finish("policy", {"figures": asdict(figures)}, ratios, failed, **options)


@main.command()
@_with(_OUTPUT)
@click.option("--samples", default=10_000, show_default=True, help="Samples of the race with networkx.")
@click.option("--rounds", default=4, show_default=True, help="Rounds of the race.")
@click.option("--sizes", default="62500,250000,1000000", show_default=True, help="Samples of each pass.")
@click.option("--min-metrics", default=10.0, show_default=True, help="Bound on metrics, x networkx.")
@click.option("--min-whole", default=2.5, show_default=True, help="Bound from text to table, x networkx.")
@click.option("--max-growth", default=2.2, show_default=True, help="Bound on growth per doubling.")
@click.option("--max-memory", default=1.1, show_default=True, help="Bound on peak memory, x the size before.")
def scoring(
    samples: int,
    rounds: int,
    sizes: str,
    min_metrics: float,
    min_whole: float,
    max_growth: float,
    max_memory: float,
    **options: Any,
) -> None:
    """DAG-MATH samples: metrics beside networkx; one pass over many, time and memory."""
    import scoring as scores

    _header()
    found = scores.race(samples, rounds)
    click.echo(table(scores.RACE_HEADINGS, scores.race_rows(found)) + "\n")
    wanted = [int(size) for size in sizes.split(",") if size]
    points = collected("scoring", map(scores.pass_over, wanted), len(wanted))
    click.echo(table(scores.HEADINGS, scores.rows(points)))
    ratios = {"metrics to networkx": found.metrics_ratio, "whole to networkx": found.whole_ratio}
    failed = scores.failures(found, points, min_metrics, min_whole, max_growth, max_memory)
    figures = {"race": asdict(found), "passes": [asdict(each) for each in points]}
    _finish("scoring", figures, {key: 1 / value for key, value in ratios.items() if value}, failed, **options)


@main.command()
@_with(_OUTPUT)
@click.option(
    "--clients", default=4, show_default=True, help="Clients at once, each with one call at a time."
)
@click.option("--workers", default=2, show_default=True, help="Calls that the server works on at once.")
@click.option("--claims", default=2_000, show_default=True, help="Programs of one claim, all different.")
@click.option("--level", default=5, show_default=True, help="Difficulty of the generated programs.")
@click.option("--min-rate", default=1_000.0, show_default=True, help="Bound on claims a minute.")
def mcp(clients: int, workers: int, claims: int, level: int, min_rate: float, **options: Any) -> None:
    """The MCP server under load: claims a minute, p95, nothing lost; how soon a cancelled call is over."""
    import serving

    _header()
    with click.progressbar(length=claims, label="mcp", file=sys.stderr) as bar:
        found = serving.measure(clients, workers, claims, level, lambda: bar.update(1))
    click.echo(table(serving.HEADINGS, [serving.row(found)]))
    after = cell(1_000 * (median(found.next_s) or 0.0))
    click.echo(f"\nafter a cancellation the next answer of the only worker: {after} ms (median)")
    figures = {**asdict(found), "rate": found.rate, "p95_s": found.p95}
    _finish("mcp", figures, {}, serving.failures(found, min_rate), **options)


@main.command()
@_with(_EVERY, _OUTPUT)
@click.option("--rule", "rules", multiple=True, help="Only this rule of the linter; may be repeated.")
@click.option("--budget-ms", default=5_000, show_default=True, help="As of `potc lint`; 0 asks no solver.")
@click.option("--show", default=0, show_default=True, help="So many findings of each rule, to be looked at.")
def lints(rules: tuple[str, ...], budget_ms: int, show: int, **options: Any) -> None:
    """Findings of the linter on a directory of cases, by rule, and its time beside that of checking."""
    import lints as counts

    _header()
    if options["cases"] is None:
        raise click.UsageError("--cases is needed")
    chosen = list(read_cases(options["cases"], options["families"], every=options["every"]))
    with click.progressbar(chosen, label="lints", file=sys.stderr) as bar:
        found = counts.counted(bar, rules, budget_ms, show)
    click.echo(table(["rule", "default", "findings", "programs", "families"], counts.rows(found)))
    check_ms, lint_ms = (median(each) for each in (found.check_ms, found.lint_ms))
    click.echo(
        f"\n{found.programs} programs; median {cell(check_ms)} ms to check, {cell(lint_ms)} ms to lint"
    )
    for name, shown in found.examples.items():
        click.echo("\n".join(["", f"{name}:", *(f"  {each}" for each in shown)]))
    _finish("lints", asdict(found), {}, [], **_output(options))


def _add_others() -> None:
    import closure
    import propositions

    main.add_command(closure.main, "closure")
    main.add_command(propositions.main, "propositions")


_add_generated()
_add_others()

if __name__ == "__main__":
    main()

"""Options of several commands. Each group comes to a command as one parameter, a typed value."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

import click

from potlang import api, linter
from potlang.cli.commands import CONFIG, Served
from potlang.cli.common import Command, Input, note_unused, print_diagnostic
from potlang.report.results import Limits
from potlang.source import Document
from potlang.tables.access import allowed, allowing

if TYPE_CHECKING:
    from potlang.diag import Diagnostic
    from potlang.languages.dot.read.records import Profile
    from potlang.languages.dot.results import Requirement
    from potlang.linter.choice import LintChoice
    from potlang.prove.cache import Cache

SECONDS = click.FloatRange(min=0.001, max=1_000_000)


def grouped(
    name: str, kind: Callable[..., Any], section: str, *options: Callable[[Any], Any]
) -> Callable[[Command], Command]:
    """Adds options, which the command gets as its parameter `name`, a record of the class `kind`.

    `section` is the title above them in the help.
    """
    fields: tuple[str, ...] = getattr(kind, "_fields", ())

    def added(command: Command) -> Command:
        # `wraps` shares the list in which click keeps the options that were added so far.
        @wraps(command)
        def with_group(*arguments: Any, **given: Any) -> Any:
            group = kind(*(given.pop(field) for field in fields))
            return command(*arguments, **{name: group}, **given)

        found = cast(Command, with_group)
        for option in reversed(options):
            found = option(found)
            added_last: Any = found
            added_last.__click_params__[-1].section = section
        return found

    return added


# --- which inputs, and how the command goes through them ---------------------------------------------


class RunOptions(NamedTuple):
    """How a command goes through its inputs."""

    jobs: int
    quiet: bool
    strict: bool
    exclude: tuple[str, ...]
    watch: bool
    totals: bool


jobs_option = click.option(
    "--jobs", "-j", type=click.IntRange(1, 64), default=1, help="So many at a time, each in a process."
)
exclude_option = click.option(
    "--exclude",
    metavar="PATTERN",
    multiple=True,
    help="Leave out such files and folders of directories and patterns, as `drafts` or `*.old.json`. May be "
    "repeated.",
)
run_options = grouped(
    "running",
    RunOptions,
    "Inputs",
    jobs_option,
    click.option("--quiet", "-q", is_flag=True, help="Show nothing of inputs with exit code 0."),
    click.option("--strict", is_flag=True, help="Take warnings for errors."),
    exclude_option,
    click.option("--watch", is_flag=True, help="Go on, and do an input again when its file changes."),
    click.option("--totals", is_flag=True, help="With --format json: an object of all inputs and totals."),
)
config_option = click.option(
    CONFIG,
    type=click.Path(dir_okay=False),
    expose_value=False,
    help="Settings of this file. [default: the nearest `potlang.toml`, or `pyproject.toml` with a table]",
)
"""Read before the command is (`main`), since it gives the defaults of the others."""


def _allow_tables(context: click.Context, _: click.Parameter, directories: tuple[str, ...]) -> None:
    """Lets the programs of this command read the tables of these directories."""
    scope = allowing(directories)
    scope.__enter__()
    # The work that another process asks for outlives the command.
    if not isinstance(context.obj, Served):
        context.call_on_close(lambda: scope.__exit__(None, None, None))


sources_option = click.option(
    "--sources-dir",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIRECTORY",
    multiple=True,
    expose_value=False,
    callback=_allow_tables,
    help="Programs may read tables below this directory. May be repeated. [default: none]",
)
"""No setting of a file: who runs the command says it ([SRC-ALLOWED])."""


def allowed_directories() -> tuple[str, ...]:
    """The directories of `--sources-dir`, absolute: for processes that the command starts."""
    return tuple([str(each.resolve()) for each in allowed().directories])


class RuleOptions(NamedTuple):
    """The rules of the linter that run beside the usual ones, and those that do not."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]

    def choice(self, only: tuple[str, ...] = ()) -> LintChoice:
        """The choice of rules, of `only` those if there are any; a usage error for an unknown name."""
        try:
            return linter.LintChoice(only, self.select, self.ignore)
        except linter.UnknownRule as error:
            raise click.UsageError(str(error)) from error


rule_options = grouped(
    "rules",
    RuleOptions,
    "Rules",
    click.option(
        "--select", multiple=True, metavar="NAME", help="Run this rule of the linter too, or `all`."
    ),
    click.option("--ignore", multiple=True, metavar="NAME", help="Do not run this rule of the linter."),
)


# --- who decides, within which limits --------------------------------------------------------------


class SolvingOptions(NamedTuple):
    """The solvers that decide, and what they may use."""

    route: api.RouteName
    trust: api.Trust
    timeout: float
    total_timeout: float
    memory: int
    rlimit: int | None

    @property
    def limits(self) -> Limits:
        """The limits in the units of `Limits`."""
        return Limits(int(self.timeout * 1000), int(self.total_timeout * 1000), self.memory, self.rlimit)


solving_options = grouped(
    "solving",
    SolvingOptions,
    "Solving",
    click.option(
        "--route",
        type=click.Choice(get_args(api.RouteName)),
        default="auto",
        help="How checks are answered; `auto` chooses by the program, `both` compares two solvers.",
    ),
    click.option(
        "--trust",
        type=click.Choice(["best", "solver"]),
        default="best",
        help="`best` checks each answer independently, `solver` takes the solver's word.",
    ),
    click.option("--timeout", type=SECONDS, default=10.0, help="Seconds for one check."),
    click.option("--total-timeout", type=SECONDS, default=60.0, help="Seconds for one input."),
    click.option("--memory", type=click.IntRange(min=1), default=4096, help="Megabytes for the solver."),
    click.option(
        "--rlimit", type=click.IntRange(min=1), help="Steps for one check, as the solver itself counts them."
    ),
)


# --- which cache ([CACHE-CHOICE]) --------------------------------------------------------------------

_CACHE_VARIABLE = "POTLANG_CACHE"

cache_directory_option = click.option(
    "--cache-dir",
    metavar="PLACE",
    help="The directory of the cache, or the `postgresql://` URL of a database for many machines. "
    f"[default: {_CACHE_VARIABLE}, or the user's cache directory]",
)


class CacheOptions(NamedTuple):
    """Which cache is used."""

    use_cache: bool | None
    cache_dir: str | None
    cache_check: float

    def open(self) -> Cache | None:
        """The cache, if one is to be used; what is wrong with it is in its `problems`."""
        named = self.cache_dir or os.environ.get(_CACHE_VARIABLE)
        if self.use_cache is False or (self.use_cache is None and not named):
            return None
        return open_cache(self.cache_dir, self.cache_check)


cache_options = grouped(
    "cached",
    CacheOptions,
    "Cache",
    click.option(
        "--cache/--no-cache",
        "use_cache",
        default=None,
        help="Store settled verdicts and use them again. "
        f"[default: only with --cache-dir or {_CACHE_VARIABLE}]",
    ),
    cache_directory_option,
    click.option(
        "--cache-check",
        metavar="SHARE",
        type=click.FloatRange(0, 1),
        default=0.05,
        help="The share of cached verdicts whose certificates are checked at each use.",
    ),
)


def open_cache(cache_dir: str | None, checked: float = 0) -> Cache:
    """The cache at this place, or at the usual one."""
    from potlang.prove.cache import Cache

    return Cache(cache_dir or None, checked=checked)


_printed: list[Diagnostic] = []


def print_problems(cache: Cache | None, color: str = "auto") -> None:
    """Prints the problems of the cache on standard error, without those printed before."""
    problems = () if cache is None else tuple(each for each in cache.problems if each not in _printed)
    if cache is None or not problems:
        return
    _printed.extend(problems)

    document = Document.from_value(None, cache.place)
    for problem in problems:
        print_diagnostic(problem, document, color)


# --- options for one language ----------------------------------------------------------------------

_FOR_A_TRACE, _FOR_A_SOLUTION = "For traces:", "For solutions:"


class TraceOptions(NamedTuple):
    """How a trace is read."""

    profile: Profile
    theory: str | None
    budget: int | None
    require_end: bool

    def form(self, theory: api.Program | None) -> api.FormOptions:
        """The options of `api.check`."""
        return {
            "profile": self.profile,
            "theory": theory,
            "budget": self.budget,
            "require_end": self.require_end,
        }


class SolutionOptions(NamedTuple):
    """How a solution is verified."""

    answer: str | None
    no_steps: bool


class ProgramOptions(NamedTuple):
    """How a program is solved, and what is shown of it."""

    models: api.Models
    cores: api.Cores
    certificate: str | None
    proofs: str | None
    proof_format: api.ProofFormat
    proof_rules: tuple[str, ...]
    passes: str
    words: bool


class PageOptions(NamedTuple):
    """The options of a page on a program."""

    models: api.Models


profile_option = click.option(
    "--profile",
    type=click.Choice(["paper", "strict"]),
    default="paper",
    help=f"{_FOR_A_TRACE} `strict` is the paper's grammar to the letter, `paper` allows all that its example "
    "uses.",
)
theory_option = click.option(
    "--theory",
    metavar="FILE",
    help=f"{_FOR_A_TRACE} a PoT program, whose declarations and assumptions the trace uses.",
)
record_budget_option = click.option(
    "--record-budget",
    "budget",
    type=click.IntRange(min=1),
    help=f"{_FOR_A_TRACE} the most records that it may have, statuses and text not counted.",
)
trace_options = grouped(
    "trace",
    TraceOptions,
    "Traces",
    profile_option,
    theory_option,
    record_budget_option,
    click.option(
        "--require-end", is_flag=True, help=f"{_FOR_A_TRACE} it has to end with `<summarizer:end>`."
    ),
)
require_option = click.option(
    "--require",
    "required",
    type=click.Choice(["entailed", "criticized", "typed"]),
    multiple=True,
    help=f"{_FOR_A_TRACE} what it rests on has to be entailed by the theory, or validated by "
    "critics; or all of it to be typed.",
)
solution_options = grouped(
    "solution",
    SolutionOptions,
    "Solutions",
    click.option(
        "--answer",
        metavar="TEXT",
        help=f"{_FOR_A_SOLUTION} the expected answer in LaTeX, instead of the one in the input.",
    ),
    click.option(
        "--no-steps", is_flag=True, help=f"{_FOR_A_SOLUTION} do not check whether each step follows."
    ),
)


def models_option(default: api.Models) -> Callable[[Command], Command]:
    """Which models of an undetermined claim are shown."""
    return click.option(
        "--models",
        type=click.Choice(get_args(api.Models)),
        default=default,
        help="Two models of an undetermined claim, brought near to each other, with the symbols of the "
        "claim, or all symbols; or as they were found, which is the fastest.",
    )


page_options = grouped("page", PageOptions, "Programs", models_option("claim"))
program_options = grouped(
    "program",
    ProgramOptions,
    "Programs",
    models_option("claim"),
    click.option(
        "--cores",
        type=click.Choice(["one", "all"]),
        default="one",
        help="`all`: every minimal set of assumptions that a verdict follows from, and every minimal set "
        "whose removal ends a contradiction; at most 100 of each and 10 seconds a claim.",
    ),
    click.option(
        "--certificate",
        type=click.Path(),
        help="Write a certificate to this file, for `potc cert check`; for several programs, into this "
        "directory.",
    ),
    click.option(
        "--proofs",
        type=click.Path(file_okay=False),
        help="Write cvc5's proof of each unsatisfiable side, with its problem, into this directory; if "
        "`ethos` or, for Alethe, `carcara` is on PATH, run it on each.",
    ),
    click.option(
        "--proof-format",
        type=click.Choice(get_args(api.ProofFormat)),
        default="cpc",
        help="What cvc5 cannot put in Alethe, such as enums, is written as CPC.",
    ),
    click.option(
        "--proof-rules",
        type=click.Path(exists=True, dir_okay=False),
        multiple=True,
        help="The rules of CPC for `ethos`: `Cpc.eo` of cvc5's sources. May be repeated.",
    ),
    click.option("--passes", default=api.DEFAULT_PASSES, help="Passes to run before solving."),
    click.option("--words", is_flag=True, help="Say claims, verdicts and their evidence in plain sentences."),
)

NOUNS: dict[api.Kind, str] = {"pot": "a program", "dot": "a trace", "dagmath": "a solution"}
_FOR_PROGRAMS = (
    *(name for name in ProgramOptions._fields if name != "words"),
    *CacheOptions._fields,
)
_UNUSED: dict[api.Kind, tuple[str, ...]] = {
    "pot": (*TraceOptions._fields, *SolutionOptions._fields),
    "dot": (*_FOR_PROGRAMS, *SolutionOptions._fields),
    "dagmath": ("route", *_FOR_PROGRAMS, *TraceOptions._fields),
}
"""Options that mean nothing for an input in a language ([FACE-OPTIONS])."""


def note_options(given: Input) -> None:
    """Names the options of the running command that were given and mean nothing for this input."""
    note_unused(f"{given.name} is {NOUNS[given.kind]}", _UNUSED[given.kind])


def verify_options(
    kind: api.Kind,
    solving: SolvingOptions,
    trace: TraceOptions,
    solution: SolutionOptions,
    theory: api.Program | None,
    required: Sequence[Requirement] = (),
) -> api.VerifyOptions:
    """The options of `api.verify` for an input in a language."""
    common: api.VerifyOptions = {"trust": solving.trust, "limits": solving.limits}
    if kind == "dagmath":
        return {**common, "answer": solution.answer, "steps": not solution.no_steps}
    if kind == "dot":
        return {**common, **trace.form(theory), "route": solving.route, "require": required}
    return {**common, "route": solving.route}

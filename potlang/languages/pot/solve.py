"""Solving a program: the report on its claims, from a session or from the cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from potlang import diag
from potlang.languages.pot.check import Source, check
from potlang.languages.pot.lower import DEFAULT_PASSES, emit
from potlang.languages.pot.program import Checked, Program, reported
from potlang.languages.pot.report import Report
from potlang.processes.pool import Workers, default_workers
from potlang.prove.options import Cores, Models, RouteName, Trust
from potlang.report.results import Limits, ProgramResult, Verdict
from potlang.source import Document
from potlang.utils.deadline import Deadline, OutOfFuel, within
from potlang.utils.gc_pause import collector_calmed
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.prove.cache import Cache
    from potlang.prove.proofs import Archived

CacheChoice: TypeAlias = "Cache | str | os.PathLike[str] | bool | None"
"""A cache, its directory or `postgresql://` URL, True for the usual one, or none."""
ProofFormat = Literal["cpc", "alethe"]


def verify(
    source: Program | Source,
    *,
    name: str | None = None,
    route: RouteName = "auto",
    trust: Trust = "best",
    limits: Limits = Limits(),
    models: Models = "claim",
    cores: Cores = "one",
    passes: str = DEFAULT_PASSES,
    workers: Workers | None = None,
    certificate: bool = False,
    cache: CacheChoice = None,
    words: bool = False,
) -> Report:
    """The report on a program: a verdict for each verification, with its evidence.

    A source that does not compile gives a report with the verdict `rejected` and the diagnostics.
    `route` forces a way to answer (`both` asks two solvers and compares); `trust="solver"` skips what
    only strengthens the evidence; `models="full"` shows all symbols, `cores="all"` every
    minimal core within [LIMIT-CORES]; with `certificate` the report has
    the text of one. `cache` is one, its directory or URL, or True for the usual one ([CACHE-CHOICE]): then a
    settled report is kept, and given again for the same program and options. With `words` its results are
    said in sentences too. Raises ValueError for an
    unknown option or pipeline.
    """
    options: dict[str, Any] = {"route": route, "trust": trust, "models": models, "passes": passes}
    options["cores"] = cores
    began = Deadline(limits.total_ms)
    try:
        with within(limits.total_ms), collector_calmed():
            report, program = _verified(source, name, limits, workers, certificate, cache, options)
    except OutOfFuel:
        return unread(limits, began.spent_ms())
    return report if program is None or not words else program.worded(report)


def _verified(
    source: Program | Source,
    name: str | None,
    limits: Limits,
    workers: Workers | None,
    certificate: bool,
    cache: CacheChoice,
    options: dict[str, Any],
) -> tuple[Report, Program | None]:
    """The report, and the program if it compiles; raises OutOfFuel where the limits end before that."""
    if not isinstance(source, Program):
        checked = check(source, name=name)
        if checked.program is None:
            return rejected(checked, limits), None
        source = checked.program
    program = source

    def run(certificate: bool) -> Report:
        with program.session(**options, limits=limits, workers=workers) as session:
            return session.run(certificate=certificate)

    chosen = chosen_cache(cache)
    # A key for large tables would have to be made of all their rows ([SRC-CACHE]).
    if chosen is None or program.tables is not None:
        return run(certificate), program
    settings = {**options, "certificate": certificate, "limits": limits}
    return _remembered(chosen, program, settings, run), program


def chosen_cache(choice: CacheChoice) -> Cache | None:
    """The cache that an option means ([CACHE-CHOICE])."""
    if choice is None or choice is False:
        return None
    from potlang.prove.cache import Cache

    return choice if isinstance(choice, Cache) else Cache(None if choice is True else choice)


def rejected(checked: Checked, limits: Limits) -> Report:
    """The report on a source with errors."""
    return reported(ProgramResult(Verdict.REJECTED, limits=limits), checked)


def unread(limits: Limits, time_ms: float) -> Report:
    """The report where the limits ended before it was known what the program asks."""
    notes = ("the limits of the call were reached before the program was read and checked",)
    return Report(Verdict.UNKNOWN, notes=notes, limits=limits, time_ms=time_ms, version=__version__)


def archive_proofs(
    program: Program,
    report: Report,
    directory: Path,
    *,
    name: str = "program",
    form: ProofFormat = "cpc",
    rules: Sequence[Path] = (),
    limits: Limits = Limits(),
    workers: Workers | None = None,
) -> Iterator[Archived]:
    """Asks cvc5 for the proofs behind a report on `program`, and writes them ([CERT-ARCHIVE]).

    Yields the archived proof of each result with an unsatisfiable side, as it comes. The files are in
    `directory`, their names begin with `name`; `rules` are files with the rules of CPC, for a
    checker. Raises OSError if a file cannot be written.
    """
    from potlang.prove.proofs import archive_proofs as archive

    workers = workers or default_workers()
    return archive(
        program.module, report, directory, workers, name=name, form=form, rules=rules, limits=limits
    )


def _remembered(
    cache: Cache, program: Program, settings: dict[str, Any], run: Callable[[bool], Report]
) -> Report:
    """The report that the cache has for these settings, or that of a run; with the cache's own problems."""
    from potlang.prove.cache import make_key

    key = make_key(emit(program.module, "ir"), settings)
    found = cache.find(key)
    if found is None:
        report = run(settings["certificate"] or cache.checks(key))
        cache.keep(key, report)
    else:
        report = program.report(found)
    if not settings["certificate"]:
        report = report._replace(certificate=None)
    news = cache.take_problems()
    nowhere = Document.from_value(None, "<cache>")
    located = (*report.located, *(diag.diagnostic_to_json(each, nowhere) for each in news))
    return report._replace(diagnostics=(*report.diagnostics, *news), located=located)

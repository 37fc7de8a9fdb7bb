"""The programming interface: wires reading, checking, passes and solving; owns the options."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias, get_args

from potlang.diag import Diagnostic, Sink
from potlang.expressions import surface
from potlang.ir.module import Assertion, AssertionKind, Claim, Module, Origin
from potlang.ir.nodes import SymbolKind
from potlang.languages.pot.report import Report
from potlang.processes.pool import Workers, default_workers
from potlang.report.results import Limits, ProgramResult, Verdict
from potlang.source import Document
from potlang.utils.gc_pause import collector_paused
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.passes.base import Pass
    from potlang.passes.pipeline import Pipeline
    from potlang.prove.cache import Cache
    from potlang.prove.proofs import Archived
    from potlang.prove.session import Session as SolverSession
    from potlang.sema import Extension

Source = str | bytes | dict[str, Any] | Path
"""JSON text, its bytes, the JSON value, or a file's path."""

RouteName = Literal["auto", "closure", "ground", "search", "z3", "cvc5", "cvc5-fmf", "both"]
"""Who answers: `auto` is the router, the others force one way ([ROUTE-NAMES])."""
Trust = Literal["best", "solver"]
Models = Literal["claim", "full"]
Cores = Literal["one", "all"]
Target = Literal["ir", "smt2", "pot"]
ProofFormat = Literal["cpc", "alethe"]
CacheChoice: TypeAlias = "Cache | str | os.PathLike[str] | bool | None"
"""A cache, its directory, True for the usual one, or none."""
Callback = Callable[["Pass", Module, float], None]
"""Called after each pass with the pass, its result and the seconds it took."""

DEFAULT_PASSES = "simplify"
_LARGE_TEXT = 1_000_000
_RECYCLED = 1_000
"""Claims after which a session forgets what it made for them, so that its memory does not grow."""
_LARGE = 1_000
"""Items of a section from which on a program counts as large."""


class CompileError(ValueError):
    """The source is not a valid program. `diagnostics` says what, where, and what to do."""

    def __init__(self, diagnostics: Iterable[Diagnostic], document: Document) -> None:
        self.diagnostics = tuple(diagnostics)
        self.document = document
        super().__init__(self._text())

    def _text(self) -> str:
        from potlang.diag.render_text import render_text

        return render_text(self.diagnostics, self.document).rstrip()


class OptionError(ValueError):
    """An option has a value that means nothing: a wrong call, whatever the program."""


class Checked(NamedTuple):
    """What checking a source found; `program` is None if there are errors."""

    document: Document
    diagnostics: tuple[Diagnostic, ...]
    program: Program | None

    def located(self) -> tuple[dict[str, Any], ...]:
        """The diagnostics as JSON values with lines and columns, as `schemas/diagnostics-1.json` says."""
        if not self.diagnostics:
            return ()
        from potlang.diag.render_json import diagnostic_to_json

        return tuple(diagnostic_to_json(each, self.document) for each in self.diagnostics)


class Program:
    """A compiled program: made by `compile`, verified by `verify` or in a `session`."""

    def __init__(self, module: Module, extension: Extension, checked: Checked) -> None:
        self.module = module
        """The typed program."""
        self._extension = extension
        self._checked = checked

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes; a program with errors is not compiled."""
        return self._checked.diagnostics

    @property
    def document(self) -> Document:
        """What it was compiled from."""
        return self._checked.document

    def emit(self, target: Target, passes: str = DEFAULT_PASSES) -> str:
        """The program as text after `passes`: `ir`, `smt2` (what is solved) or `pot` (JSON)."""
        from potlang.passes.pipeline import read_pipeline

        return emit(read_pipeline(passes).run(self.module), target)

    def asking(self, claims: Sequence[Claim]) -> Program:
        """The same declarations and assumptions, asked for these claims and nothing else."""
        module = replace(self.module, claims=tuple(claims), norms=(), optimization=None, actions=("verify",))
        return Program(module, self._extension, self._checked)

    def session(
        self,
        *,
        route: RouteName = "auto",
        trust: Trust = "best",
        limits: Limits = Limits(),
        models: Models = "claim",
        cores: Cores = "one",
        passes: str = DEFAULT_PASSES,
        workers: Workers | None = None,
    ) -> Session:
        """Verifies many claims against this program, which is lowered once. Use it as a context manager."""
        options = _options(route, trust, models, cores)
        return Session(self, options, limits, passes, workers or default_workers())

    def report(self, found: ProgramResult) -> Report:
        """The report with what was found, this program's diagnostics and the version."""
        return _reported(found, self._checked)


class Session:
    """Many claims against one compiled program. Not for several threads at once."""

    def __init__(self, program: Program, options: Any, limits: Limits, passes: str, workers: Workers) -> None:
        from potlang.passes.pipeline import read_pipeline

        self.program = program
        self._pipeline = read_pipeline(passes)
        self._options = options
        self._limits = limits
        self._workers = workers
        self._large = len(program.module.assertions) > _LARGE
        with collector_paused(self._large):
            self._module = _lowered(program.module, self._pipeline)
        self._free = sum(symbol.kind is SymbolKind.FREE for symbol in self._module.symbols)
        self._assumed: list[list[Assertion]] = []
        self._claims = 0
        self._facts = 0
        self._mark = len(self._module.pool)
        self._solver = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the solver back."""
        self._solver.close()

    def run(self, *, certificate: bool = False) -> Report:
        """What the program's own actions ask for, with a certificate if it is wanted."""
        with collector_paused(self._large):
            report = self.program.report(self._solver.report())
            return report._replace(certificate=self._solver.certificate()) if certificate else report

    def verify(self, claim: str | dict[str, Any], name: str | None = None) -> Report:
        """The verdict on a claim: an expression, or a verification as the program would write it.

        Raises CompileError, with places in the claim, if it is not a formula over the program's
        declarations.
        """
        if self._claims and self._claims % _RECYCLED == 0:
            self._recycle()
        self._claims += 1
        statement, document, sink = self._read_claim(claim, name)
        found = None
        if statement is not None:
            found = self.program._extension.claim(self._claims - 1, statement, sink)
        diagnostics = sink.diagnostics()
        if found is None or sink.has_errors:
            raise CompileError(diagnostics, document)
        self._declare_free()
        results = self._solver.verify([found], [])
        one = ProgramResult(results[0].verdict, results, limits=self._limits, time_ms=results[0].time_ms)
        return _reported(one, Checked(document, tuple(diagnostics), None))

    def push(self, *facts: str) -> None:
        """Assumes `facts` until the matching `pop`. Raises CompileError if one is not a formula."""
        assumed = [self._fact(text) for text in facts]
        self._declare_free()
        self._assumed.append(assumed)
        self._solver.push(assumed)
        self._mark = len(self._module.pool)

    def pop(self) -> None:
        """Takes back the last `push`. Raises IndexError if there is none."""
        self._assumed.pop()
        self._solver.pop()

    def _recycle(self) -> None:
        """Begin again with the assumptions alone: formulas of claims answered are garbage by now."""
        self._solver.close()
        self._module.pool.release(self._mark)
        self._reopen()

    def _reopen(self) -> None:
        self._solver.close()
        self._solver = self._open()
        for assumed in self._assumed:
            self._solver.push(assumed)

    def _open(self) -> SolverSession:
        from potlang.prove.session import Session as SolverSession

        return SolverSession(self._module, self._workers, self._options, self._limits, self.program.module)

    def _declare_free(self) -> None:
        """A claim may use a declared variable free for the first time: then the base needs it too."""
        free = self.program._extension.free
        if len(free) == self._free:
            return
        self._module = replace(self._module, symbols=(*self._module.symbols, *free[self._free :]))
        self._free = len(free)
        self._reopen()

    def _read_claim(
        self, claim: str | dict[str, Any], name: str | None
    ) -> tuple[surface.StatementDecl | None, Document, Sink]:
        from potlang.languages.pot.read.reader import read_verification

        value = {"constraint": claim} if isinstance(claim, str) else claim
        if name is not None:
            value = {**value, "name": name}
        document = Document.from_value(value, "<claim>")
        sink = Sink(document)
        return read_verification(value, sink), document, sink

    def _fact(self, text: str) -> Assertion:
        from potlang.expressions.expression import parse_expression

        document = Document.from_str(text, "<fact>")
        sink = Sink(document)
        root = parse_expression(text, "", sink)
        node = self.program._extension.formula(surface.Formula("", text, root), sink)
        if node is None or sink.has_errors:
            raise CompileError(sink.diagnostics(), document)
        self._facts += 1
        name = f"assumption {self._facts}"
        return Assertion(f"a{self._facts}", name, AssertionKind.FACT, node, Origin("", text))


def check(source: Source, *, name: str | None = None) -> Checked:
    """Reads and checks a source. Never raises for what the source contains: see `diagnostics`.

    Raises TypeError for a source of another type.
    """
    found, value = _found(source, name)
    if found.program is not None or len(found.document.text or "") > _LARGE_TEXT:
        return found
    from potlang.repair import Rejected, with_repairs

    rejected = Rejected(found.document.text, value, found.diagnostics)
    return found._replace(
        diagnostics=with_repairs(rejected, lambda changed: _found(changed, None)[0].diagnostics)
    )


def _found(source: Any, name: str | None) -> tuple[Checked, object]:
    """What checking finds, and the JSON value; None if there is none."""
    document, value, sink = _read(source, name)
    if value is None and sink.has_errors:
        return Checked(document, tuple(sink.diagnostics(document)), None), None
    with collector_paused(_is_large(value)):
        return _checked(document, value, sink), value


def compile(source: Source, *, name: str | None = None) -> Program:
    """A typed program from PoT JSON. Raises CompileError, with all diagnostics, if it is not valid."""
    checked = check(source, name=name)
    if checked.program is None:
        raise CompileError(checked.diagnostics, checked.document)
    return checked.program


def verify(
    source: Program | Source,
    *,
    route: RouteName = "auto",
    trust: Trust = "best",
    limits: Limits = Limits(),
    models: Models = "claim",
    cores: Cores = "one",
    passes: str = DEFAULT_PASSES,
    workers: Workers | None = None,
    certificate: bool = False,
    cache: CacheChoice = None,
) -> Report:
    """The report on a program: a verdict for each verification, with its evidence.

    A source that does not compile gives a report with the verdict `rejected` and the diagnostics.
    `route` forces a way to answer (`both` asks two solvers and compares); `trust="solver"` skips what
    only strengthens the evidence; `models="full"` shows all symbols, `cores="all"` every
    minimal core within [LIMIT-CORES]; with `certificate` the report has
    the text of one. `cache` is one, its directory, or True for the usual one ([CACHE-CHOICE]): then a
    settled report is kept, and given again for the same program and options. Raises ValueError for an
    unknown option or pipeline.
    """
    if not isinstance(source, Program):
        checked = check(source)
        if checked.program is None:
            return rejected(checked, limits)
        source = checked.program
    program = source
    options: dict[str, Any] = {"route": route, "trust": trust, "models": models, "passes": passes}
    options["cores"] = cores

    def run() -> Report:
        with program.session(**options, limits=limits, workers=workers) as session:
            return session.run(certificate=certificate)

    if cache is None or cache is False:
        return run()
    from potlang.prove.cache import Cache

    chosen = cache if isinstance(cache, Cache) else Cache(None if cache is True else cache)
    return _remembered(chosen, program, {**options, "certificate": certificate, "limits": limits}, run)


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

    Yields what was written for each result with an unsatisfiable side, as it comes. The files are in
    `directory`, their names begin with `name`; `rules` are files with the rules of CPC, for a
    checker. Raises OSError if a file cannot be written.
    """
    from potlang.prove.proofs import archive_proofs as archive

    workers = workers or default_workers()
    return archive(
        program.module, report, directory, workers, name=name, form=form, rules=rules, limits=limits
    )


def explain(code: str) -> str | None:
    """The page of a diagnostic code in Markdown; None for an unknown code."""
    from potlang.diag.explain import page

    return page(code)


def _remembered(
    cache: Cache, program: Program, settings: dict[str, Any], run: Callable[[], Report]
) -> Report:
    """The report that the cache has for these settings, or that of a run; with the cache's own problems."""
    from potlang.diag.render_json import diagnostic_to_json
    from potlang.prove.cache import make_key

    key = make_key(emit(program.module, "ir"), settings)
    found = cache.find(key)
    report = run() if found is None else program.report(found)
    if found is None:
        cache.keep(key, report)
    news = cache.take_problems()
    nowhere = Document.from_value(None, "<cache>")
    located = (*report.located, *(diagnostic_to_json(each, nowhere) for each in news))
    return report._replace(diagnostics=(*report.diagnostics, *news), located=located)


def rejected(checked: Checked, limits: Limits) -> Report:
    """The report on a source with errors."""
    return _reported(ProgramResult(Verdict.REJECTED, limits=limits), checked)


def _reported(found: ProgramResult, checked: Checked) -> Report:
    """The report on what was checked."""
    return Report._make(found)._replace(
        diagnostics=checked.diagnostics, located=checked.located(), version=__version__
    )


def emit(module: Module, target: Target) -> str:
    """A module as text. Raises ValueError for an unknown target."""
    match target:
        case "ir":
            from potlang.ir.text import print_module

            return print_module(module)
        case "smt2":
            from potlang.smt.printer import script

            return script(module)
        case "pot":
            import json

            from potlang.sema.emit import module_to_pot

            return json.dumps(module_to_pot(module), indent=2, ensure_ascii=False) + "\n"
    raise ValueError(f"unknown target {target!r}: one of ir, smt2, pot")


def _options(route: RouteName, trust: Trust, models: Models, cores: Cores) -> Any:
    from potlang.prove.session import Options

    for value, allowed in (
        (route, get_args(RouteName)),
        (trust, ("best", "solver")),
        (models, ("claim", "full")),
        (cores, ("one", "all")),
    ):
        if value not in allowed:
            raise OptionError(f"{value!r} is not one of {', '.join(allowed)}")
    return Options(route=route, trust=trust, models=models, cores=cores)


def check_options(route: RouteName, trust: Trust) -> Any:
    """The options of a solver session. Raises `OptionError` for a value that means nothing."""
    return _options(route, trust, "claim", "one")


def _is_large(value: object) -> bool:
    return isinstance(value, dict) and any(
        isinstance(section, list) and len(section) > _LARGE for section in value.values()
    )


def _read(source: Source, name: str | None) -> tuple[Document, object | None, Sink]:
    from potlang.reading.json_text import open_document, read_json

    if not isinstance(source, str | bytes | dict | Path):
        raise TypeError(f"a program is str, bytes, dict or Path, not {type(source).__name__}")
    sink = Sink()
    document = open_document(source, sink, name=name)
    if sink.has_errors:
        return document, None, sink
    with collector_paused(len(document.text or "") > _LARGE_TEXT):
        return document, read_json(document, sink), sink


def _checked(document: Document, value: object, sink: Sink) -> Checked:
    from potlang.languages.pot.read.reader import read_program
    from potlang.sema import build_session

    tree = read_program(value, sink)
    built = None if tree is None else build_session(tree, sink)
    if built is None:
        return Checked(document, tuple(sink.diagnostics(document)), None)
    module, extension = built
    _report_contradictions(module, sink)
    found = Checked(document, tuple(sink.diagnostics(document)), None)
    program = Program(module, extension, found)
    return found._replace(program=program)


def _lowered(module: Module, pipeline: Pipeline) -> Module:
    """The module after the passes; where one would blow it up, as it was: all passes keep its meaning."""
    from potlang.passes.base import PassLimit

    try:
        return pipeline.run(module)
    except PassLimit:
        return module
    except KeyError as error:
        raise OptionError(f"a pass names a claim that is not there: {error}") from error


def _report_contradictions(module: Module, sink: Sink) -> None:
    from potlang.passes.conflicts import find_contradictions

    for facts in find_contradictions(module):
        report_contradiction(facts, sink)


def report_contradiction(facts: tuple[Assertion, ...], sink: Sink) -> None:
    """Warns of facts that cannot hold together, found before any solver runs."""
    from potlang.diag import Label, Place

    first, *rest = facts
    sink.report(
        "POT4003",
        first.origin.pointer,
        primary=f"`{first.origin.text}`" if rest else "this cannot hold",
        labels=[Label(Place(fact.origin.pointer), f"`{fact.origin.text}`") for fact in rest],
        helps=["remove or correct one of them: from a contradiction every claim follows"],
    )


__all__ = [
    "Checked",
    "CompileError",
    "Program",
    "Session",
    "archive_proofs",
    "check",
    "compile",
    "emit",
    "explain",
    "verify",
]

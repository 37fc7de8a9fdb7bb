"""A compiled program, and sessions in which many claims are put to it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from potlang import diag
from potlang.diag import Diagnostic, Sink
from potlang.diag.wording import visible
from potlang.export import Way
from potlang.expressions import surface
from potlang.ir.module import Assertion, AssertionKind, Claim, Module, Origin
from potlang.ir.nodes import SymbolKind
from potlang.languages.pot.citations import with_quotations
from potlang.languages.pot.lower import DEFAULT_PASSES, Target, divided, emit_after, lower, passes_for
from potlang.languages.pot.report import Report
from potlang.passes.pipeline import read_pipeline
from potlang.processes.pool import Workers, default_workers
from potlang.prove.options import Cores, Models, OptionError, ProverOptions, RouteName, Trust
from potlang.report.base import Row
from potlang.report.results import Interrupted, Limits, ProgramResult, Result, worst
from potlang.report.text import listed
from potlang.source import Document
from potlang.tables.access import allowed
from potlang.utils.closing import Closing
from potlang.utils.deadline import OutOfFuel, within
from potlang.utils.gc_pause import collector_paused
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.prove.prover import Prover
    from potlang.prove.table_prover import TableProver
    from potlang.sema import IncrementalElaborator
    from potlang.tables.bound import LoadedTables
    from potlang.words.speaker import Speaker

_RECYCLED = 1_000
"""Claims after which a session forgets what it made for them, so that its memory does not grow."""
_WORDS_MS = 3_000
"""Of the sentences on one report."""
_LARGE = 1_000
"""Assumptions from which on a program counts as large."""


class CompileError(ValueError):
    """The source is not a valid program. `diagnostics` says what, where, and what to do."""

    def __init__(self, diagnostics: Iterable[Diagnostic], document: Document) -> None:
        self.diagnostics = tuple(diagnostics)
        self.document = document
        super().__init__(self._text())

    def _text(self) -> str:
        return diag.render_all(self.diagnostics, self.document).rstrip()


class Checked(NamedTuple):
    """The result of checking a program; `program` is None if there are errors."""

    document: Document
    diagnostics: tuple[Diagnostic, ...]
    program: Program | None

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return self.program is not None

    def located(self) -> tuple[dict[str, Any], ...]:
        """The diagnostics as JSON values with lines and columns, as `schemas/diagnostics-1.json` says."""
        if not self.diagnostics:
            return ()
        return tuple(diag.diagnostic_to_json(each, self.document) for each in self.diagnostics)


def reported(found: ProgramResult, checked: Checked) -> Report:
    """The report with these results on what was checked."""
    return Report._make(found)._replace(
        diagnostics=checked.diagnostics, located=checked.located(), version=__version__
    )


def _rests_on_packs(found: ProgramResult) -> bool:
    """Whether a core has a rule of a pack: all cores of a result are of the same assumptions."""
    evidence = [each.evidence for each in found.results]
    every = [*evidence, *([] if found.evidence is None else [found.evidence])]
    cores = [core for each in every for core in (each.core, *(each.cores or ()))]
    if found.optimization is not None:
        cores.append(found.optimization.core)
    return any(item.kind == "pack" for core in cores for item in core or ())


class PoolUse:
    """Turns at one pool, which is not safe for several threads, and the number of open sessions over it."""

    def __init__(self) -> None:
        self.turn = threading.RLock()
        self.sessions = 0


class Program:
    """A compiled program: made by `compile`, verified by `verify` or in a `session`.

    It can be pickled: the copy is compiled again from the same document.
    """

    language = "pot"

    def __init__(
        self,
        module: Module,
        extension: IncrementalElaborator,
        tree: surface.ParsedProgram,
        checked: Checked,
        tables: LoadedTables | None = None,
    ) -> None:
        self.untabled = module
        """The typed program, without the facts of large tables."""
        self.extension = extension
        """Reads further claims and facts over the program's declarations."""
        self.tree = tree
        """The program as it was read."""
        self._checked = checked
        self._is_whole = True
        self.tables = tables
        """The large tables that have its facts; None where its formulas have them all."""
        self._access = allowed()
        self.use = PoolUse()
        """Who uses the program's pool; shared with the programs that `asking` makes."""

    @property
    def module(self) -> Module:
        """The typed program. Raises CompileError where its facts stay in large tables ([SRC-LARGE])."""
        if self.tables is not None:
            sink = Sink(self.document)
            sink.report("POT8017", "/sources", rows=f"{self.tables.rows:,}")
            raise CompileError(sink.diagnostics(), self.document)
        return self.untabled

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes; a program with errors is not compiled."""
        return self._checked.diagnostics

    @property
    def document(self) -> Document:
        """The document that the program was compiled from."""
        return self._checked.document

    def emit(self, target: Target | Way, passes: str | None = None, claim: str | None = None) -> str:
        """The program as text after `passes`: `ir`, `smt2` (as it is solved), `pot`, or for another tool.

        Without `passes` those of `verify`; for `ir` and `pot` without the normal forms for solvers, for
        another tool none. `claim` is the only one written for another tool; without it all are, in TPTP the
        first. Raises LookupError if there is none of this name, CompileError (POT4030) for what the tool has
        no words for ([WAY-NONE]), and OptionError for a claim with another target.

        >>> import potlang
        >>> program = potlang.compile({"verifications": [{"name": "c", "constraint": "1 + 1 == 2"}]})
        >>> print(program.emit("tptp").splitlines()[-1])
        tff('claim c', conjecture, ($sum(1, 1) = 2)).
        """
        pipeline = read_pipeline(passes_for(target) if passes is None else passes)
        if target == "tptp" or target == "lean" or target == "python" or target == "asp":
            return self.written_for(target, pipeline.run(self.module), claim)
        if claim is not None:
            raise OptionError(f"`claim` means nothing for {target}: all claims are written")
        return emit_after(pipeline, self.module, target, cited=self.tree)

    def written_for(self, way: Way, module: Module, claim: str | None = None) -> str:
        """The program's module after passes as a text for another tool. Raises as `emit` does."""
        from potlang.export.problem import NoCounterpart  # Most programs go to solvers.
        from potlang.export.ways import claims_of, written

        try:
            return written(module, way, claims_of(module, way, claim))
        except NoCounterpart as error:
            sink = Sink(self.document)
            helps = (error.help,) if error.help else ()
            sink.report("POT4030", error.origin.pointer, way=way, what=error.what, helps=helps)
            raise CompileError(sink.diagnostics(), self.document) from error

    def asking(self, claims: Sequence[Claim]) -> Program:
        """The same declarations and assumptions, asked for these claims and nothing else."""
        module = replace(
            self.untabled, claims=tuple(claims), norms=(), optimization=None, actions=("verify",)
        )
        program = Program(module, self.extension, self.tree, self._checked, self.tables)
        program._is_whole, program.use = False, self.use
        return program

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
        """A session for many claims against this program, which is lowered once; a context manager.

        The options are those of `potlang.verify`. Raises OptionError for one that means nothing.
        """
        options = ProverOptions(route, trust, models, cores)
        return Session(self, options, limits, passes, workers or default_workers())

    def report(self, found: ProgramResult) -> Report:
        """The report with these results, this program's diagnostics and the version."""
        return reported(self.told(found), self._checked)

    def told(self, found: ProgramResult) -> ProgramResult:
        """The results with the sentences that the program cites, and with the rules of packs as sentences."""
        return self._with_pack_rules_said(with_quotations(found, self.tree))

    def _with_pack_rules_said(self, found: ProgramResult) -> ProgramResult:
        """The results with sentences for the rules of packs that they rest on ([WORDS-PACK])."""
        if not self.tree.imports or not _rests_on_packs(found):
            return found
        from potlang.words.verdicts import with_pack_rules_said

        with self.use.turn, within(_WORDS_MS):
            return with_pack_rules_said(found, self.untabled, self._speaker, self.tree)

    def say(self, formula: str) -> str:
        """A formula over the program's symbols as a sentence ([WORDS-SAY]).

        Raises ValueError for a text that is no formula, and where there is no sentence for it.

        >>> import potlang
        >>> program = potlang.compile({"constants": {"n": {"sort": "Int", "members": ["age"]}}})
        >>> program.say("age >= 21")
        'age is at least 21.'
        """
        with self.use.turn:
            return self._speaker.say(formula)

    def read(self, sentence: str) -> str:
        """The formula that a sentence says over the program's symbols ([WORDS-READ]).

        Raises ValueError for a sentence that is not understood, or in more than one way.

        >>> import potlang
        >>> program = potlang.compile({"constants": {"n": {"sort": "Int", "members": ["age"]}}})
        >>> program.read("For every integer x, x is at most age.")
        'ForAll([x: Int], (x <= age))'
        """
        with self.use.turn:
            found = self._speaker.read(sentence)
        if found.expression is None:
            raise ValueError(f"{found.problem} (at {found.start})")
        return found.expression

    def worded(self, report: Report) -> Report:
        """A report on this program with sentences on its results ([WORDS-REPORT])."""
        from potlang.words.verdicts import report_words

        with self.use.turn, within(_WORDS_MS):
            return report._replace(sentences=report_words(report, self.untabled, self._speaker, self.tree))

    def _repr_html_(self) -> str:
        """A table for notebooks, as reports have it: what is declared, assumed and asked; all is escaped."""
        from potlang.report.html import fragment  # Notebooks alone need it.

        found = self._checked.located()
        return fragment(
            "potlang-program",
            "Program",
            ["valid"],
            [diag.render_located(each) for each in found],
            ("part", "how many", "names"),
            self._parts(),
            (),
        )

    def _parts(self) -> Iterator[Row]:
        """The parts that the program has, by their names."""
        tree, claims = self.tree, (*self.untabled.claims, *self.untabled.norms)
        parts = (
            ("sorts", [each.name for each in tree.sorts]),
            ("functions", [each.name for each in tree.functions]),
            ("constants", [each.name for each in self.untabled.symbols if each.kind is SymbolKind.CONSTANT]),
            ("assumptions", [each.name for each in self.untabled.assertions]),
            ("claims", [each.name for each in claims]),
        )
        for title, names in parts:
            if names:
                yield title, f"{len(names):,}", [listed(map(visible, names))]

    @cached_property
    def _speaker(self) -> Speaker:
        # Most callers want no words.
        from potlang.words.speaker import Speaker

        return Speaker(self.extension, self.tree)

    @contextmanager
    def borrowed(self) -> Iterator[None]:
        """The pool for the caller alone, which may make formulas in it; they are forgotten in the end."""
        with self.use.turn:
            mark = len(self.untabled.pool)
            try:
                yield
            finally:
                self.untabled.pool.release(mark)

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._is_whole:
            from pickle import PicklingError

            raise PicklingError("a program with other claims than its document's is not pickled")
        # Nodes are equal by identity within their pool, so a copy of them would be equal to nothing.
        from potlang.languages.pot.check import recompile

        document = self.document
        source = document.value if document.text is None else document.text
        return recompile, (source, document.name, self._access)


class Session(Closing):
    """Many claims against one compiled program.

    Threads that share a session, or the program, are served in turn: each call holds the program until it
    is answered. For answers side by side, compile the program once for each thread.
    """

    def __init__(
        self, program: Program, options: ProverOptions, limits: Limits, passes: str, workers: Workers
    ) -> None:
        plain, sent = divided(passes)
        self.program = program
        self._turn = program.use.turn
        self._options = replace(options, sent=sent)
        self._limits = limits
        self._workers = workers
        self._large = len(program.untabled.assertions) > _LARGE
        with collector_paused(self._large), within(limits.total_ms):
            self._module = lower(program.untabled, plain)
        self._free = sum(symbol.kind is SymbolKind.FREE for symbol in self._module.symbols)
        self._assumed: list[list[Assertion]] = []
        self._claims = 0
        self._facts = 0
        self._mark = len(self._module.pool)
        self._prover = self._open()
        self._is_half_done = False
        program.use.sessions += 1
        self._closed = False

    def close(self) -> None:
        """Gives the solver back."""
        with self._turn:
            self.program.use.sessions -= not self._closed
            self._closed = True
            self._prover.close()

    def run(self, *, certificate: bool = False) -> Report:
        """The answers to the program's own actions, with a certificate if it is wanted.

        Raises `Interrupted`, with a report without certificate, where it is interrupted.
        """
        with self._call(), collector_paused(self._large), within(self._limits.total_ms):
            try:
                report = self.program.report(self._prover.report())
            except Interrupted as error:
                raise Interrupted(self.program.report(error.known)) from error
            if certificate:
                with suppress(OutOfFuel):
                    report = report._replace(certificate=self._prover.certificate())
            return report

    def verify(self, claim: str | dict[str, Any], name: str | None = None) -> Report:
        """The verdict on a claim: an expression, or a verification as the program would write it.

        Of a verification with `options` there is a result for each. Raises CompileError, with places in
        the claim, if it is not a formula over the program's declarations.
        """
        with self._call():
            return self._verified(claim, name)

    def _verified(self, claim: str | dict[str, Any], name: str | None) -> Report:
        if self._claims and self._claims % _RECYCLED == 0 and self.program.use.sessions == 1:
            self._recycle()
        self._claims += 1
        statement, document, sink = self._read_claim(claim, name)
        found: list[Claim] = []
        if statement is not None:
            found = self.program.extension.claims(self._claims - 1, statement, sink)
        diagnostics = sink.diagnostics()
        if not found or sink.has_errors:
            raise CompileError(diagnostics, document)
        self._declare_free()
        checked = Checked(document, tuple(diagnostics), None)
        try:
            return self._reported(self._prover.verify(found, []), checked)
        except Interrupted as error:
            raise Interrupted(self._reported(error.known, checked)) from error

    def _reported(self, results: tuple[Result, ...], checked: Checked) -> Report:
        return reported(self.program.told(self._answer(results)), checked)

    def _answer(self, results: tuple[Result, ...]) -> ProgramResult:
        verdict = worst(each.verdict for each in results)
        time_ms = sum(each.time_ms for each in results)
        return ProgramResult(verdict, results, limits=self._limits, time_ms=time_ms)

    def push(self, *facts: str) -> None:
        """Assumes `facts` until the matching `pop`. Raises CompileError if one is not a formula."""
        with self._call():
            assumed = [self._fact(text) for text in facts]
            self._declare_free()
            self._assumed.append(assumed)
            self._prover.push(assumed)
            self._mark = len(self._module.pool)

    def pop(self) -> None:
        """Takes back the last `push`. Raises IndexError if there is none."""
        with self._call():
            self._assumed.pop()
            self._prover.pop()

    @contextmanager
    def _call(self) -> Iterator[None]:
        """The caller's turn. After one that was cut short the prover is made anew: it may be half done."""
        with self._turn:
            if self._is_half_done or self._prover.was_cut_short:
                self._reopen()
                self._is_half_done = False
            try:
                yield
            except KeyboardInterrupt:
                self._is_half_done = True
                raise

    def _recycle(self) -> None:
        """Begin again with the assumptions alone: formulas of claims answered are garbage by now."""
        self._prover.close()
        self._module.pool.release(self._mark)
        self._reopen()

    def _reopen(self) -> None:
        self._prover.close()
        self._prover = self._open()
        for assumed in self._assumed:
            self._prover.push(assumed)

    def _open(self) -> Prover | TableProver:
        tables = self.program.tables
        if tables is not None:
            from potlang.prove.table_prover import TableProver

            closed = frozenset(each.name for each in self.program.tree.functions if each.closed)
            return TableProver(self._module, tables, closed, self._limits)
        from potlang.prove.prover import Prover

        return Prover(self._module, self._options, self._limits, self._workers, self.program.module)

    def _declare_free(self) -> None:
        """A claim may use a declared variable free for the first time: then the base needs it too."""
        extension = self.program.extension
        free, definitions = extension.free, extension.definitions(self._module.definitions)
        if len(free) == self._free and len(definitions) == len(self._module.definitions):
            return
        # Together: between the two an interruption would have symbols declared twice, or never.
        self._module, self._free = (
            replace(
                self._module,
                symbols=(*self._module.symbols, *free[self._free :]),
                definitions=definitions,
                assertions=(*self._module.assertions, *extension.guards(free[self._free :])),
            ),
            len(free),
        )
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
        node = self.program.extension.formula(surface.Formula("", text, root), sink)
        if node is None or sink.has_errors:
            raise CompileError(sink.diagnostics(), document)
        self._facts += 1
        name = f"assumption {self._facts}"
        return Assertion(f"a{self._facts}", name, AssertionKind.FACT, node, Origin("", text))

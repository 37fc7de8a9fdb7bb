"""The five verbs over all three languages: `check`, `compile`, `verify`, `view`, `fix`.

Each takes a program, a trace or a solution; its content tells which it is ([KIND-CONTENT]), unless `language`
does. The work is done by `potlang.languages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar, overload

from potlang import linter
from potlang.diag import Diagnostic, Sink
from potlang.languages.kind import Kind, kind_of, kind_of_value
from potlang.languages.pot.check import Source as ProgramSource
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.lower import DEFAULT_PASSES, Target, emit
from potlang.languages.pot.program import Checked, CompileError, Program, Session
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import CacheChoice, ProofFormat, archive_proofs, rejected, unread
from potlang.languages.pot.solve import verify as verify_program
from potlang.prove.options import Cores, Models, OptionError, RouteName, Trust
from potlang.reading.json_text import path_bytes
from potlang.report.results import Limits
from potlang.source import DEFAULT_LIMITS, Document
from potlang.tables.access import TablesChoice, allowing
from potlang.utils.deadline import Deadline, OutOfFuel, within

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from potlang.drawing.draw import Form
    from potlang.languages.dagmath.check.form import CheckedSolution
    from potlang.languages.dagmath.read.records import Solution
    from potlang.languages.dagmath.report import SolutionReport
    from potlang.languages.dagmath.solve.answers import AnswerChecker
    from potlang.languages.dot.check import CheckedTrace
    from potlang.languages.dot.read.records import Profile
    from potlang.languages.dot.read.trace import Trace
    from potlang.languages.dot.report import TraceReport
    from potlang.languages.dot.results import Requirement
    from potlang.linter.choice import LintChoice
    from potlang.processes.pool import Workers

Source: TypeAlias = "ProgramSource | list[Any]"
"""Text, its bytes, a JSON value, or a file's path; a path is a `Path`, since any `str` is text."""
AnyChecked: TypeAlias = "Checked | CheckedTrace | CheckedSolution"
AnyReport: TypeAlias = "Report | TraceReport | SolutionReport"

_LINT_MS = 5_000
"""Of all rounds of fixes, for rules that ask a solver."""
_NOUNS: dict[Kind, str] = {"pot": "a program", "dot": "a trace", "dagmath": "a solution"}


class FormOptions(TypedDict, total=False):
    """The options of `check`.

    Of programs: `sources`, the directories whose tables they may read ([SRC-ALLOWED]). The others are of
    traces (see `potlang.dot.check`).
    """

    sources: TablesChoice
    profile: Profile
    theory: Program | ProgramSource | None
    budget: int | None
    require_end: bool


class VerifyOptions(FormOptions, total=False):
    """The options of `verify`.

    Of all languages: `trust`, `limits`, `workers`. Of programs and traces: `route`. Of programs: `models`,
    `cores`, `passes`, `certificate`, `cache`, `words`, `sources`. Of traces: `profile`, `theory`, `budget`,
    `require_end`, `require`. Of solutions: `answer`, `steps`, `judge`. See the three functions
    for what they mean.
    """

    trust: Trust
    limits: Limits
    workers: Workers | None
    route: RouteName
    models: Models
    cores: Cores
    passes: str
    certificate: bool
    cache: CacheChoice
    words: bool
    answer: str | None
    require: Iterable[Requirement]
    steps: bool
    judge: AnswerChecker | None


_COMMON = frozenset({"trust", "limits", "workers"})
_OF_PROGRAMS = frozenset({"sources"})
_OF_TRACES = frozenset(FormOptions.__optional_keys__) - _OF_PROGRAMS
_VERIFY: dict[Kind, frozenset[str]] = {
    "pot": _COMMON | _OF_PROGRAMS | {"route", "models", "cores", "passes", "certificate", "cache", "words"},
    "dot": _COMMON | _OF_TRACES | {"route", "require"},
    "dagmath": _COMMON | {"answer", "steps", "judge"},
}
_FORM: dict[Kind, frozenset[str]] = {
    "pot": _OF_PROGRAMS,
    "dot": _OF_TRACES,
    "dagmath": frozenset(),
}


@overload
def check(
    source: Source, *, language: Literal["pot"], name: str | None = None, **options: Unpack[FormOptions]
) -> Checked: ...
@overload
def check(
    source: Source,
    *,
    language: Kind | None = None,
    name: str | None = None,
    **options: Unpack[FormOptions],
) -> AnyChecked: ...
def check(
    source: Source, *, language: Kind | None = None, name: str | None = None, **options: Unpack[FormOptions]
) -> AnyChecked:
    """The diagnostics of a program, a trace or a solution, without solving; `ok` if there is no error.

    Never raises for what the source contains. Raises TypeError for a source of another type, and
    OptionError for an option that means nothing for its language.

    >>> import potlang
    >>> found = potlang.check({"verifications": [{"constraint": "rains"}]})
    >>> [each.code for each in found.diagnostics], found.ok
    (['POT2001'], False)
    """
    kind, opened, shown = _opened(source, language, name)
    _require(options, _FORM[kind], kind)
    given: Any = options
    if kind == "dot":
        from potlang.languages.dot.check import check as check_trace

        return check_trace(opened, name=shown, **given)
    if kind == "dagmath":
        from potlang.languages.dagmath.check.form import check as check_solution

        return check_solution(opened, name=shown)

    with _tables(options):
        return check_program(opened, name=shown)


def lint(
    source: Source,
    *,
    choice: LintChoice | None = None,
    budget_ms: int = 5_000,
    language: Kind | None = None,
    name: str | None = None,
    **options: Unpack[FormOptions],
) -> AnyChecked:
    """As `check`, with what the linter finds among the diagnostics of a program that has no errors.

    `choice` says which rules run; `budget_ms` is the time for those that ask a solver, 0 leaves them out.
    There are no rules for traces and solutions. Raises as `check` does.

    >>> import potlang
    >>> found = potlang.lint({"sorts": [{"name": "Item", "type": "DeclareSort"}]})
    >>> [each.message for each in found.diagnostics]
    ['the sort `Item` is never used']
    """
    kind, opened, shown = _opened(source, language, name)
    checked: Any = check(opened, language=kind, name=shown, **options)
    if kind != "pot":
        return checked  # type: ignore[no-any-return]
    return linter.lint(checked, choice or linter.USUAL, budget_ms=budget_ms)


def compile(
    source: Source, *, language: Kind | None = None, name: str | None = None, **options: Unpack[FormOptions]
) -> Program:
    """The typed program that a program or a trace amounts to; a trace's is its theory with what holds of it.

    Raises CompileError with all diagnostics for a source with errors, and OptionError for a solution, in
    which there is no program, and for an option that means nothing for its language.

    >>> import potlang
    >>> program = potlang.compile({"verifications": [{"name": "sum", "constraint": "1 + 1 == 2"}]})
    >>> program.emit("smt2").count("assert")
    2
    """
    kind, opened, shown = _opened(source, language, name)
    _require(options, _FORM[kind], kind)
    if kind == "dagmath":
        raise OptionError("there is no program in a solution: verify it, or compile a claim's derivation")

    if kind == "pot":
        with _tables(options):
            return compile_program(opened, name=shown)
    from potlang.convert.trace_to_program import trace_to_pot
    from potlang.languages.dot.check import check as check_trace

    given: Any = options
    checked = check_trace(opened, name=shown, **given)
    if not checked.ok:
        raise CompileError(checked.diagnostics, checked.trace.document)
    return compile_program(trace_to_pot(checked), name=shown)


@overload
def verify(
    source: Program | Source,
    *,
    language: Literal["pot"],
    name: str | None = None,
    **options: Unpack[VerifyOptions],
) -> Report: ...
@overload
def verify(
    source: Program, *, language: None = None, name: str | None = None, **options: Unpack[VerifyOptions]
) -> Report: ...
@overload
def verify(
    source: Trace, *, language: None = None, name: str | None = None, **options: Unpack[VerifyOptions]
) -> TraceReport: ...
@overload
def verify(
    source: Solution, *, language: None = None, name: str | None = None, **options: Unpack[VerifyOptions]
) -> SolutionReport: ...
@overload
def verify(
    source: Source,
    *,
    language: Kind | None = None,
    name: str | None = None,
    **options: Unpack[VerifyOptions],
) -> AnyReport: ...
def verify(
    source: Any, *, language: Kind | None = None, name: str | None = None, **options: Unpack[VerifyOptions]
) -> AnyReport:
    """The report on a program, a trace or a solution: verdicts with their evidence.

    `name` is shown in diagnostics. The options are `VerifyOptions`. Never raises for what the source
    contains: a source with errors has a report with the verdict `rejected`. Raises TypeError for a source
    of another type, and OptionError for an option that means nothing, in itself or for the language.

    >>> import potlang
    >>> potlang.verify({"verifications": [{"name": "sum", "constraint": "1/3 + 2/3 == 1"}]}).verdict
    <Verdict.ENTAILED: 'entailed'>
    """
    kind, opened, shown = _opened(source, language, name)
    _require(options, _VERIFY[kind], kind)
    given: Any = options
    if kind == "dot":
        from potlang.languages.dot.solve.verify import verify as verify_trace

        return verify_trace(opened, name=shown, **given)
    if kind == "dagmath":
        from potlang.languages.dagmath.solve.verify import verify as verify_solution

        return verify_solution(opened, name=shown, **given)

    with _tables(options):
        given = {each: value for each, value in options.items() if each != "sources"}
        return verify_program(opened, name=shown, **given)


def view(
    source: Any,
    *,
    to: Form = "html",
    language: Kind | None = None,
    name: str | None = None,
    **options: Unpack[VerifyOptions],
) -> str:
    """The page on a program, a trace, a solution or a report on one, or the drawing of a trace or a solution.

    A source is verified first, with these options; the page on a program has its sentences, its text and its
    derivations then. Raises ViewError where there is nothing to draw, and as `verify` does.

    >>> import potlang
    >>> potlang.view({"verifications": [{"constraint": "1 < 2"}]}).startswith("<!DOCTYPE html>")
    True
    """
    from potlang.drawing.draw import draw

    if hasattr(source, "verdict") and hasattr(source, "to_dict"):
        return draw(source, to, name)
    kind, opened, shown = _opened(source, language, name)
    if kind != "pot":
        return draw(verify(opened, language=kind, name=shown, **options), to, shown)
    program = opened if isinstance(opened, Program) else _compiled(opened, shown, options)
    options = {"words": True, **options}
    report = verify(opened if program is None else program, name=shown, **options)
    return draw(report, to, shown, program)


def _compiled(source: Any, name: str | None, options: VerifyOptions) -> Program | None:
    """A program within the limits of its verification; None where there is none, as `verify` will report."""
    limits = options.get("limits", Limits())
    try:
        with within(limits.total_ms), _tables(options):
            return check_program(source, name=name).program
    except OutOfFuel:
        return None


class Fixed(NamedTuple):
    """A text after its fixes, the number of these, and the diagnostics left, with their places in `after`."""

    text: str
    applied: int
    diagnostics: tuple[Diagnostic, ...]
    before: Document
    after: Document


def fix(
    source: str | bytes | Path,
    *,
    unsafe: bool = False,
    lint: bool = False,
    language: Kind | None = None,
    name: str | None = None,
) -> Fixed:
    """The text of a program, a trace or a solution after all safe fixes that its diagnostics offer.

    With `unsafe` those too that may change the meaning, one at a time; with `lint` the safe ones of what the
    linter finds, none of which does ([LINT-FIX]). Raises ValueError for bytes that are no text: writing them
    back would lose some.

    >>> import potlang
    >>> potlang.fix('{"verifications": [{"constraint": "1 < 2",}]}').text
    '{"verifications": [{"constraint": "1 < 2"}]}'
    """
    kind, opened, shown = _opened(source, language, name)
    checked = _checked(opened, kind, shown)
    before, text = checked.document, checked.document.text
    if text is None or (isinstance(opened, bytes) and kind == "dot" and not _is_utf8(opened)):
        raise ValueError(checked.diagnostics[0].message)
    from potlang.diag.fixes import mend

    mended = mend(text, checked, lambda changed: _checked(changed, kind, shown), unsafe=unsafe)
    applied = mended.applied
    if lint and kind == "pot":
        # What is broken is mended by then: of findings the safe fixes alone are left.
        deadline = Deadline(_LINT_MS)
        found = _linted(mended.text, shown, deadline)
        mended = mend(mended.text, found, lambda changed: _linted(changed, shown, deadline))
        applied += mended.applied
    left = mended.found
    return Fixed(mended.text, applied, left.diagnostics, before, left.document)


def explain(code: str) -> str | None:
    """The page of a diagnostic code in Markdown; None for an unknown code.

    >>> import potlang
    >>> potlang.explain("POT2001").splitlines()[0]
    '# POT2001: a name is not declared'
    """
    from potlang.diag.explain import page

    return page(code)


# --- the language of a source ----------------------------------------------------------------------


def _opened(source: Any, language: Kind | None, name: str | None) -> tuple[Kind, Any, str | None]:
    """The language of a source, the source with the bytes of a file in its place, and the name to show."""
    if isinstance(source, Path):
        source, name = _file(source, name)
    if language is not None:
        return language, source, name
    if isinstance(source, str):
        return kind_of(source.encode("utf-8", "surrogatepass")), source, name
    if isinstance(source, bytes):
        return kind_of(source), source, name
    return kind_of_value(source), source, name


def _file(path: Path, name: str | None) -> tuple[bytes | Path, str]:
    """The bytes of a file; the path itself if it cannot be read, which the reader then reports."""
    shown, data = path_bytes(path, Sink(), DEFAULT_LIMITS, name)
    return path if data is None else data, shown


Given = TypeVar("Given", FormOptions, VerifyOptions)


def _require(options: Given, allowed: frozenset[str], kind: Kind) -> None:
    extra = [each for each in options if each not in allowed]
    if extra:
        raise OptionError(f"`{extra[0]}` means nothing for {_NOUNS[kind]}")


def _tables(options: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Allows the tables of `sources`; without it what is allowed stays so."""
    return allowing(options["sources"]) if "sources" in options else nullcontext()


def _checked(source: Any, kind: Kind, name: str | None) -> AnyChecked:
    found: AnyChecked = check(source, language=kind, name=name)
    return found


def _linted(text: str, name: str | None, deadline: Deadline) -> AnyChecked:
    found: AnyChecked = lint(text, budget_ms=deadline.left_ms(), language="pot", name=name)
    return found


def _is_utf8(data: bytes) -> bool:
    return data.decode("utf-8", "ignore").encode("utf-8") == data


__all__ = [
    "DEFAULT_PASSES",
    "AnyChecked",
    "AnyReport",
    "CacheChoice",
    "Checked",
    "CompileError",
    "Cores",
    "Fixed",
    "FormOptions",
    "Kind",
    "Models",
    "OptionError",
    "Program",
    "ProofFormat",
    "RouteName",
    "Session",
    "Source",
    "Target",
    "Trust",
    "VerifyOptions",
    "archive_proofs",
    "check",
    "compile",
    "emit",
    "explain",
    "fix",
    "lint",
    "rejected",
    "unread",
    "verify",
    "view",
]

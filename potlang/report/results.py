"""Verdicts and their evidence: plain typed values, and their JSON form (`schemas/report-1.json`).

Terms and values are text in the program's own words; numbers are exact. Nothing here computes a
verdict: `potlang.prove` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from potlang.ir.module import Ask
from potlang.report.base import report_to_dict, to_plain

if TYPE_CHECKING:
    from potlang.diag.model import Diagnostic


class Verdict(StrEnum):
    """The answer to one claim, and the worst of them for a program ([VERDICT-OVERALL])."""

    ENTAILED = "entailed"
    REFUTED = "refuted"
    UNDETERMINED = "undetermined"
    INCONSISTENT = "inconsistent"
    UNKNOWN = "unknown"
    REJECTED = "rejected"
    """Of a whole program: it did not compile."""


class OptimizationStatus(StrEnum):
    """How an optimization ended ([VERDICT-OPTIMUM])."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    UNATTAINED = "unattained"
    UNDEFINED = "undefined"
    """Of one objective: what comes before it in lexicographic order has no optimum."""
    UNKNOWN = "unknown"


class Consistency(StrEnum):
    """The consistency of the assumptions taken together, as far as it is known."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    UNKNOWN = "unknown"


class AskOutcome(StrEnum):
    """The answer to what is asked about a claim: its verdict as its mode reads it ([ASK-TABLE])."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"


_HOLDING: Mapping[Ask, frozenset[Verdict]] = MappingProxyType(
    {
        "must": frozenset({Verdict.ENTAILED}),
        "could": frozenset({Verdict.ENTAILED, Verdict.UNDETERMINED}),
        "cannot": frozenset({Verdict.REFUTED}),
        "need_not": frozenset({Verdict.REFUTED, Verdict.UNDETERMINED}),
    }
)
_TELLING = (Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED)
"""From inconsistent assumptions everything follows and nothing, so that they answer no question."""


def outcome_of(ask: Ask, verdict: Verdict, possible: Iterable[Verdict] = ()) -> AskOutcome:
    """The outcome of a verdict; for `unknown` that of all verdicts still possible, if they have one."""
    left = set(possible) if verdict is Verdict.UNKNOWN else {verdict}
    if not left or not left.issubset(_TELLING):
        return AskOutcome.OPEN
    holding = left & _HOLDING[ask]
    return AskOutcome.HOLDS if holding == left else AskOutcome.OPEN if holding else AskOutcome.FAILS


WORST_FIRST: tuple[Verdict, ...] = (
    Verdict.REJECTED,
    Verdict.INCONSISTENT,
    Verdict.UNKNOWN,
    Verdict.REFUTED,
    Verdict.UNDETERMINED,
    Verdict.ENTAILED,
)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of the verdicts; `entailed` for none, as of a conjunction of nothing."""
    return min(verdicts, key=WORST_FIRST.index, default=Verdict.ENTAILED)


class Limits(NamedTuple):
    """The limits of a verification ([LIMIT-CHECK], [LIMIT-TOTAL], [LIMIT-MEMORY], [LIMIT-RESOURCE]).

    `check_ms` and `total_ms` are wall-clock milliseconds for one check and for the program,
    `memory_mb` the address space of the solving process (None: no limit), `rlimit` a solver's
    deterministic count of steps per check (None: no limit).
    """

    check_ms: int = 10_000
    total_ms: int = 60_000
    memory_mb: int | None = 4_096
    rlimit: int | None = None


class Quotation(NamedTuple):
    """A sentence of the document that a program was made from: its number, from 1 on, and its text."""

    number: int
    text: str


class CoreItem(NamedTuple):
    """An assumption that takes part in a conflict: its name, its place and its text.

    Of a pack's rule the text is a sentence, and `name` has the pack's name before a colon. `quotes` are the
    sentences that it cites.
    """

    name: str
    pointer: str
    text: str
    kind: str
    quotes: tuple[Quotation, ...] = ()

    @property
    def title(self) -> str:
        """The name for people: of a pack's rule with its pack."""
        pack, _, rule = self.name.partition(": ")
        return f"`{rule}` of the pack `{pack}`" if self.kind == "pack" and rule else self.name


Model = dict[str, str]
"""Values by term, both in the program's own words, in the program's order."""

Binding = dict[str, str]
"""Values by variable, in the binder's order."""


class Witness(NamedTuple):
    """Bindings of which at least one fits in every model: one binding is certain.

    For an entailed `exists` they make it true, for a refuted `forall` (and a norm) false. `minimal`:
    no binding can be left out.
    """

    bindings: tuple[Binding, ...]
    minimal: bool = True

    @property
    def certain(self) -> bool:
        """Whether a single binding is named."""
        return len(self.bindings) == 1


class Bindings(NamedTuple):
    """Bindings over named members, certain and possible apart ([VERDICT-FIND], [VERDICT-NORM]).

    `certain` hold in every model, `possible` in some model but not in every one. `undecided` could
    not be settled within the limits. `cut` counts candidates that were not looked at.
    """

    certain: tuple[Binding, ...] = ()
    possible: tuple[Binding, ...] = ()
    undecided: tuple[Binding, ...] = ()
    cut: int = 0


class TableRow(NamedTuple):
    """A binding, and where the rows stand by which it fits: file, row and column."""

    binding: Binding
    places: tuple[str, ...]


class TableRows(NamedTuple):
    """The bindings that queries over tables found to fit ([SRC-ROWS]): how many, and the first of them."""

    total: int
    shown: tuple[TableRow, ...] = ()


class ScenarioVariable(NamedTuple):
    """A quantified variable and its value; an element that is not `named` by a constant has a made name."""

    name: str
    sort: str
    value: str
    named: bool


class Scenario(NamedTuple):
    """A model by what matters in it ([VERDICT-SCENARIO]).

    `witness` are the variables of the claim by whose values it holds or fails there, `values` those of the
    terms that the claim and the rules involved have for them. `differs`: terms with another value in the
    scenario of the other side.
    """

    witness: tuple[ScenarioVariable, ...]
    values: Model
    differs: tuple[str, ...] = ()


class Evidence(NamedTuple):
    """The evidence of a verdict; parts that the verdict does not call for are None.

    `core`: assumptions that suffice, minimal if `core_minimal`. `cores`: every minimal core, if all were
    asked for; `corrections`: sets of which one, removed, leaves consistent assumptions, and no part of
    it does. Both smallest first; there may be others unless `cores_complete`, `corrections_complete`.
    `could_be_true` and `could_be_false`: two models of an undetermined claim. `witness`: see
    `Witness`. `violations`: of a norm. `bindings`: of a claim with `find`. `true_scenario` and
    `false_scenario`: of a quantified claim, see `Scenario`. `rows`: of a claim over large tables, bindings
    that make it true (or false, if it is for all), and where these stand. `to_ask`: terms whose values would
    help to decide an undetermined claim ([VERDICT-DIFFERENCE]); None where that was not looked for.
    """

    core: tuple[CoreItem, ...] | None = None
    core_minimal: bool = False
    cores: tuple[tuple[CoreItem, ...], ...] | None = None
    cores_complete: bool = False
    corrections: tuple[tuple[CoreItem, ...], ...] | None = None
    corrections_complete: bool = False
    could_be_true: Model | None = None
    could_be_false: Model | None = None
    witness: Witness | None = None
    violations: Bindings | None = None
    bindings: Bindings | None = None
    true_scenario: Scenario | None = None
    false_scenario: Scenario | None = None
    rows: TableRows | None = None
    to_ask: tuple[str, ...] | None = None


class CheckRecord(NamedTuple):
    """One answer of a solver or of a decision procedure, whose name is `solver` too.

    `query` is `assumptions`, `claim` or `negation` (with the assumptions).
    """

    query: str
    solver: str
    status: str
    reason: str | None = None
    detail: str = ""
    time_ms: float = 0.0


TrustLevel = Literal["checked", "cross-checked", "solver"]
"""Whose word it is ([TIER-NAMES]): a checker's, two solvers', one's."""


class IndependentCheck(NamedTuple):
    """One answer that a verdict rests on, and who stands for it.

    `query` and `status` are as in `Check`. `by` is what checked it (`evaluator`, `derivation`, `refutation`)
    or the solvers that agree. `note` says what kept it from a better tier.
    """

    query: str
    status: str
    tier: TrustLevel
    by: str
    note: str = ""


class AskedQuestion(NamedTuple):
    """The verification that a claim is an option of."""

    name: str
    pointer: str


class Result(NamedTuple):
    """The answer to one claim.

    `kind` is `verification` or `norm`. `paper_answer` is `SAT` or `UNSAT`, whether assumptions and
    claim are satisfiable together, or None if that is not known. An unknown verdict has a `reason`
    (`timeout`, `memory`, `incomplete`, `disagreement`, `unsupported`, `error`, `crash`, `interrupted`), the
    verdicts still `possible`, and the `checks` that say more. `route` names what answered. `trust` is the
    worst tier of the `assurances`, the answers that the verdict rests on. `reproducer` is, after a
    disagreement, the SMT-LIB text that solvers answered differently. `ask` is the mode of the claim;
    an option has its `question`. `quotes` are the sentences that the claim or norm cites.
    """

    name: str
    pointer: str
    verdict: Verdict
    paper_answer: str | None = None
    kind: str = "verification"
    reason: str | None = None
    possible: tuple[Verdict, ...] = ()
    route: str = ""
    trust: TrustLevel = "solver"
    evidence: Evidence = Evidence()
    checks: tuple[CheckRecord, ...] = ()
    assurances: tuple[IndependentCheck, ...] = ()
    reproducer: str | None = None
    time_ms: float = 0.0
    ask: Ask = "must"
    question: AskedQuestion | None = None
    quotes: tuple[Quotation, ...] = ()

    @property
    def computed(self) -> tuple[str, ...]:
        """Properties that are in JSON beside the fields."""
        return ("outcome",)

    @property
    def is_asked(self) -> bool:
        """Whether something else is asked than whether the claim must be true."""
        return self.ask != "must" or self.question is not None

    @property
    def outcome(self) -> AskOutcome:
        """Whether what is asked about the claim holds ([ASK-TABLE])."""
        return outcome_of(self.ask, self.verdict, self.possible)


class OptionElection(NamedTuple):
    """The answer to a question with options ([ASK-ELECT]): the options whose ask holds, and those still open.

    `outcome`: `elected` if one option holds and none is open, else `none`, `several`, or `open`.
    """

    name: str
    pointer: str
    ask: Ask
    outcome: Literal["elected", "none", "several", "open"]
    elected: str | None
    holding: tuple[str, ...]
    open: tuple[str, ...]


def elections(results: Iterable[Result]) -> tuple[OptionElection, ...]:
    """The answer to each question that the results are options of, in order."""
    options: dict[AskedQuestion, list[Result]] = {}
    for result in results:
        if result.question is not None:
            options.setdefault(result.question, []).append(result)
    return tuple(_elected(question, found) for question, found in options.items())


def _elected(question: AskedQuestion, options: list[Result]) -> OptionElection:
    holding = tuple(each.name for each in options if each.outcome is AskOutcome.HOLDS)
    undecided = tuple(each.name for each in options if each.outcome is AskOutcome.OPEN)
    outcome: Literal["elected", "none", "several", "open"] = "several"
    # Two that hold are several, however the others turn out.
    if len(holding) < 2:
        outcome = "open" if undecided else "elected" if holding else "none"
    elected = holding[0] if outcome == "elected" else None
    return OptionElection(*question, options[0].ask, outcome, elected, holding, undecided)


ExactValue = int | str
"""An integer, or text: an exact fraction (`5/2`), a decimal, `oo`, `-oo`."""


class ObjectiveResult(NamedTuple):
    """One objective. `value` is exact, None if not known; `status` its own.

    `lower` and `upper` are the known bounds of an objective whose optimum was not found, `reason` and
    `detail` say why. `model` has the value, or is the best one known. `trust` is the worst tier of the
    `assurances`, the answers that the status rests on ([TIER-OPTIMUM]).
    """

    name: str
    direction: str
    value: ExactValue | None = None
    status: OptimizationStatus = OptimizationStatus.OPTIMAL
    pointer: str = ""
    lower: ExactValue | None = None
    upper: ExactValue | None = None
    model: Model | None = None
    reason: str | None = None
    detail: str = ""
    trust: TrustLevel = "solver"
    assurances: tuple[IndependentCheck, ...] = ()
    written: str | None = None
    """The value as the program writes it, where that is more than the number: a date, an amount."""


class ParetoPoint(NamedTuple):
    """Values of the objectives, none of which can be better without another being worse, and a model.

    `written` has the values as the program writes them.
    """

    values: tuple[ExactValue | None, ...]
    model: Model | None = None
    trust: TrustLevel = "solver"
    assurances: tuple[IndependentCheck, ...] = ()
    written: tuple[str | None, ...] = ()


class OptimizationResult(NamedTuple):
    """The answer to an optimization.

    `value` is the first objective's, and `model` that of the last objective that has one; under `box` each
    has its own. `confirmed`: the status is shown by answers of its own (None: it is unknown; False: answers
    contradict). `points` are the Pareto points, all of them if `complete`, as `assurances` show. `closed` is
    the answer if the declared sorts had no members but the named ones, given when the optimum is
    unbounded and that makes a difference.
    """

    status: OptimizationStatus
    mode: str = "lexicographic"
    value: ExactValue | None = None
    objectives: tuple[ObjectiveResult, ...] = ()
    model: Model | None = None
    core: tuple[CoreItem, ...] | None = None
    points: tuple[ParetoPoint, ...] | None = None
    complete: bool = True
    confirmed: bool | None = None
    reason: str | None = None
    detail: str = ""
    closed: OptimizationResult | None = None
    notes: tuple[str, ...] = ()
    pointer: str = ""
    route: str = ""
    trust: TrustLevel = "solver"
    time_ms: float = 0.0
    assurances: tuple[IndependentCheck, ...] = ()


class Interrupted(KeyboardInterrupt):
    """Raised where a KeyboardInterrupt ends a call, with what was `known` by then ([STOP-LIBRARY]).

    For a verb that is its report, in which all the rest is unknown, reason `interrupted`.
    """

    def __init__(self, known: Any) -> None:
        super().__init__()
        self.known = known


class ResultWords(NamedTuple):
    """A result in plain words ([WORDS-REPORT]).

    `claim` is its sentence, None where there is none. `answer` are sentences, the first on the verdict, for
    which `because` lists the assumptions that it rests on.
    """

    name: str
    pointer: str
    claim: str | None
    answer: tuple[str, ...]
    because: tuple[str, ...] = ()


class ProgramResult(NamedTuple):
    """The answers to all that a program asks; `potlang.Report` is this with text and HTML.

    `verdict` is the worst of the results; of a program that only optimizes it is the optimization's
    status, of one that did not compile `rejected`. `consistency` is what was found about the
    assumptions (None: not asked), and `evidence` what comes with that in a program without results whose
    assumptions are inconsistent. `located` are the diagnostics as JSON objects with line and column,
    made by whoever knows the document. `certificate` is the text of one, where it was asked for; it has
    a file of its own and no place in the JSON form. `sentences` are there if words were asked for.
    """

    verdict: Verdict | OptimizationStatus
    results: tuple[Result, ...] = ()
    optimization: OptimizationResult | None = None
    consistency: Consistency | None = None
    evidence: Evidence | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    located: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    limits: Limits = Limits()
    time_ms: float = 0.0
    kind: str = "pot"
    version: str = ""
    certificate: str | None = None
    sentences: tuple[ResultWords, ...] | None = None

    def with_core_items(self, change: Callable[[CoreItem], CoreItem]) -> ProgramResult:
        """The results with each item of their cores changed."""

        def core(items: tuple[CoreItem, ...] | None) -> tuple[CoreItem, ...] | None:
            return items and tuple(map(change, items))

        def cores(every: tuple[tuple[CoreItem, ...], ...] | None) -> tuple[tuple[CoreItem, ...], ...] | None:
            return every and tuple(core(items) or () for items in every)

        def evidence(found: Evidence) -> Evidence:
            return found._replace(
                core=core(found.core), cores=cores(found.cores), corrections=cores(found.corrections)
            )

        optimum = self.optimization
        return self._replace(
            results=tuple(each._replace(evidence=evidence(each.evidence)) for each in self.results),
            evidence=self.evidence and evidence(self.evidence),
            optimization=optimum and optimum._replace(core=core(optimum.core)),
        )

    def without_quotes(self) -> ProgramResult:
        """The results without the sentences that they quote."""
        bare = self.with_core_items(lambda each: each._replace(quotes=()))
        return bare._replace(results=tuple(each._replace(quotes=()) for each in bare.results))

    @property
    def paper_answer(self) -> str | None:
        """The first verification's `SAT` or `UNSAT`, as the paper reads a program; None if not known."""
        return next((each.paper_answer for each in self.results if each.kind == "verification"), None)

    @property
    def elections(self) -> tuple[OptionElection, ...]:
        """The answers to questions with options, in order."""
        return elections(self.results)

    @property
    def has_asks(self) -> bool:
        """Whether something else is asked than whether claims must be true."""
        return any(each.is_asked for each in self.results)

    @property
    def outcome(self) -> AskOutcome:
        """Whether all that is asked holds ([ASK-ALL]); options count in their question alone."""
        outcomes = {each.outcome for each in self.results if each.question is None}
        outcomes |= {_OF_ELECTION[each.outcome] for each in self.elections}
        if not self.results and self.verdict not in (Verdict.ENTAILED, OptimizationStatus.OPTIMAL):
            outcomes.add(AskOutcome.OPEN)
        return next((each for each in _WORST_OUTCOME if each in outcomes), AskOutcome.HOLDS)

    @property
    def ok(self) -> bool:
        """Whether all that is asked of claims holds and the optimum, if one was asked for, was found."""
        optimized = self.optimization is None or self.optimization.status is OptimizationStatus.OPTIMAL
        return optimized and self.outcome is AskOutcome.HOLDS

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values, in the form of `schemas/report-1.json`."""
        head = {
            "verdict": str(self.verdict),
            "consistency": None if self.consistency is None else str(self.consistency),
            "paper_answer": self.paper_answer,
        }
        body = {
            "outcome": str(self.outcome),
            "results": to_plain(self.results),
            "elections": to_plain(self.elections),
            "evidence": to_plain(self.evidence),
            "optimization": to_plain(self.optimization),
        }
        if self.sentences is not None:
            body["words"] = to_plain(self.sentences)
        return report_to_dict(self, head, body)


_WORST_OUTCOME = (AskOutcome.FAILS, AskOutcome.OPEN)
_OF_ELECTION = {
    "elected": AskOutcome.HOLDS,
    "none": AskOutcome.FAILS,
    "several": AskOutcome.FAILS,
    "open": AskOutcome.OPEN,
}


def overall(
    results: Iterable[Result], optimization: OptimizationResult | None, consistency: Consistency | None
) -> Verdict | OptimizationStatus:
    """A report's verdict ([VERDICT-OVERALL]).

    Of a program without claims it is the optimization's status; without that, whether the assumptions
    are consistent.
    """
    verdicts = [each.verdict for each in results]
    if verdicts:
        return worst(verdicts)
    if optimization is not None:
        return optimization.status
    return {
        Consistency.INCONSISTENT: Verdict.INCONSISTENT,
        Consistency.UNKNOWN: Verdict.UNKNOWN,
    }.get(consistency or Consistency.CONSISTENT, Verdict.ENTAILED)

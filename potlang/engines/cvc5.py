"""cvc5 through its own reader of SMT-LIB text.

Runs in a worker. Each check is tried with the default options on a solver that keeps the base, and
if that settles nothing, on a fresh solver with finite model finding, in the time that is left.
"""

from __future__ import annotations

from typing import Any, Final

from potlang.engines.messages import (
    MOST_PROOF,
    ProofFormat,
    Query,
    Reason,
    SolverAnswer,
    affords_model,
    assumed_core,
    assumed_text,
)
from potlang.engines.repl import Repl, SolverFailure, TextEngine
from potlang.utils.deadline import Deadline

_FIRST_SHARE: Final = 0.4
_SHORTEST_SECOND_MS: Final = 20
# Without the second a constant array, which the empty set is, is refused.
_ALWAYS: Final = {"produce-models": "true", "arrays-exp": "true"}
# The second makes the first work for integers that the formula itself bounds.
FINITE_MODELS: Final = {"finite-model-find": "true", "fmf-bound": "true"}
# Without it real roots of polynomials are approached by rational numbers, for ever where they are none.
_REAL_ROOTS: Final = {"nl-cov": "true"}
# As the checkers of each format want it.
_PROOFS: Final[dict[ProofFormat, dict[str, str]]] = {
    "cpc": {"proof-format-mode": "cpc", "proof-granularity": "dsl-rewrite"},
    "alethe": {"proof-format-mode": "alethe", "proof-granularity": "theory-rewrite"},
}
REASONS: Final[dict[str, Reason]] = {
    "TIMEOUT": "timeout",
    "RESOURCEOUT": "timeout",
    "INTERRUPTED": "timeout",
    "MEMOUT": "memory",
    "UNSUPPORTED": "unsupported",
}


def failure_of(error: Exception) -> SolverFailure:
    """The failure that an exception of cvc5 amounts to."""
    detail = str(error).strip() or type(error).__name__
    return SolverFailure(_reason_of(error, detail), detail)


def _reason_of(error: Exception, detail: str) -> Reason:
    low = detail.lower()
    if isinstance(error, MemoryError) or "bad_alloc" in low or "out of memory" in low:
        return "memory"
    if "not supported" in low or "unsupported" in low or "logicexception" in low:
        return "unsupported"
    return "error"


class Solver(Repl):
    """One cvc5 solver."""

    name = "cvc5"

    def __init__(self, options: dict[str, str]) -> None:
        import cvc5

        manager = cvc5.TermManager()
        self.solver: Any = cvc5.Solver(manager)
        for name, value in options.items():
            self.solver.setOption(name, value)
        self.symbols: Any = cvc5.SymbolManager(manager)
        self._parser: Any = cvc5.InputParser(self.solver, self.symbols)
        self._language: Any = cvc5.InputLanguage.SMT_LIB_2_6

    def run(self, text: str) -> str:
        """The output of cvc5 for these commands. Raises `SolverFailure` for an error in any of them."""
        if "\0" in text:
            raise failure_of(ValueError("a NUL character in SMT-LIB text"))
        printed: list[str] = []
        try:
            self._parser.setStringInput(self._language, text, "text")
            while not (command := self._parser.nextCommand()).isNull():
                printed.append(command.invoke(self.solver, self.symbols))
        except (RuntimeError, MemoryError, UnicodeError) as error:
            raise failure_of(error) from error
        words = "".join(printed)
        if words.startswith("(error"):
            raise failure_of(RuntimeError(words.removeprefix("(error").strip(' \n")')))
        return words

    def check(self, timeout_ms: int) -> tuple[str, Reason | None, str]:
        """`check-sat`: "sat", "unsat" or "unknown", and why unknown."""
        # No limit is what 0 would mean.
        self.solver.setOption("tlimit-per", str(max(1, timeout_ms)))
        try:
            result = self.solver.checkSat()
        except (RuntimeError, MemoryError) as error:
            raise failure_of(error) from error
        if result.isSat():
            return "sat", None, ""
        if result.isUnsat():
            return "unsat", None, ""
        words = result.getUnknownExplanation().name
        return "unknown", REASONS.get(words, "incomplete"), words.lower()

    def proof(self) -> str:
        """The proof of the last unsat answer, as commands. Raises `SolverFailure` where it has none."""
        words = self.run("(get-proof)").strip().removeprefix("(").removesuffix(")").strip()
        if words.startswith("(error"):
            raise failure_of(RuntimeError(words.removeprefix("(error").strip(' \n")')))
        if len(words) > MOST_PROOF:
            raise failure_of(RuntimeError(f"the proof has more than {MOST_PROOF} characters"))
        return words + "\n"


class Cvc5Engine(TextEngine[Solver]):
    """cvc5 in this process."""

    name = "cvc5"

    def warm_up(self) -> None:
        """Solve something small once, so that cvc5's own start-up is behind it."""
        self.ask(
            Query("(declare-fun p (Int) Bool)(assert (forall ((x Int)) (p x)))(assert (not (p 1)))"), 1000
        )
        self.close()

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """Check one query with the default options, then with finite model finding."""
        deadline = Deadline(timeout_ms)
        if query.proof is not None:
            return self._proved(query, query.proof, deadline)
        first = self._first(query, deadline, int(timeout_ms * _FIRST_SHARE))
        if first.status != "unknown" or first.reason not in ("incomplete", "timeout"):
            return first
        if deadline.left_ms() < _SHORTEST_SECOND_MS:
            return first
        second = self._second(query, deadline)
        if second.status != "unknown" or second.reason == "memory":
            return second
        return first._replace(time_ms=deadline.spent_ms())

    def _first(self, query: Query, deadline: Deadline, share: int) -> SolverAnswer:
        def check(repl: Solver) -> SolverAnswer:
            repl.run("(push 1)" + assumed_text(query))
            answer = _check(repl, query, len(self._base), deadline, share)
            repl.run("(pop 1)")
            return answer

        return self._answered(query.core, deadline, check)

    def _second(self, query: Query, deadline: Deadline) -> SolverAnswer:
        try:
            repl = self._fresh(query.core, FINITE_MODELS)
            repl.run(assumed_text(query))
            return _check(repl, query, len(self._base), deadline, deadline.left_ms())
        except SolverFailure as failure:
            return failure.answer(deadline)

    def _proved(self, query: Query, form: ProofFormat, deadline: Deadline) -> SolverAnswer:
        try:
            repl = self._fresh(False, {"produce-proofs": "true", **_PROOFS[form]})
            repl.run(assumed_text(query))
            answer = _check(repl, query, len(self._base), deadline, deadline.left_ms())
            return _with_proof(repl, answer, deadline) if answer.status == "unsat" else answer
        except SolverFailure as failure:
            return failure.answer(deadline)

    def _make(self, core: bool) -> Solver:
        # An option for products of real unknowns; the others do not notice it.
        roots = _REAL_ROOTS if " Real" in self._base else {}
        return self._fresh(core, {"incremental": "true", **roots})

    def _fresh(self, core: bool, options: dict[str, str]) -> Solver:
        options = {**_ALWAYS, "produce-unsat-cores": "true" if core else "false", **options}
        if self.rlimit:
            options["rlimit-per"] = str(self.rlimit)
        repl = Solver(options)
        if "(set-logic" not in self._base:
            repl.run("(set-logic ALL)")
        repl.run(self._base)
        return repl


class FiniteModelEngine(Cvc5Engine):
    """cvc5 with finite model finding from the start, a fresh solver for each check."""

    name = "cvc5-fmf"

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """Check one query."""
        return self._second(query, Deadline(timeout_ms))

    def load(self, core: bool) -> SolverAnswer | None:
        """Nothing: every check reads the base anew."""
        return None


def _check(repl: Solver, query: Query, base: int, deadline: Deadline, timeout_ms: int) -> SolverAnswer:
    """`base` is the length of the base's text."""
    status, reason, detail = repl.check(timeout_ms)
    if status == "sat":
        values, detail = repl.values(query.values)
        wanted = query.model and affords_model(base + len(query.text), deadline.left_ms())
        model = repl.model() if wanted else None
        return SolverAnswer("sat", None, detail, values, time_ms=deadline.spent_ms(), model=model)
    if status == "unsat":
        core = assumed_core(query, repl.core()) if query.core else None
        return SolverAnswer("unsat", core=core, time_ms=deadline.spent_ms())
    return SolverAnswer("unknown", reason, detail, time_ms=deadline.spent_ms())


def _with_proof(repl: Solver, answer: SolverAnswer, deadline: Deadline) -> SolverAnswer:
    try:
        proof = repl.proof()
    except SolverFailure as failure:
        if failure.reason == "memory":
            raise
        return answer._replace(detail=failure.detail, time_ms=deadline.spent_ms())
    return answer._replace(proof=proof, time_ms=deadline.spent_ms())

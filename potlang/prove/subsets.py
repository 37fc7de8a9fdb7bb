"""The oracles of cores and corrections: subsets of a program's assumptions, put to the solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from potlang.engines.check import Check, CheckResult, DecisionProcedure
from potlang.engines.encoding import AssertionNames, Encoding
from potlang.engines.messages import Query
from potlang.engines.solver import Build
from potlang.prove.cores import MOST_MS, Core, Names, Oracle, Said, minimize
from potlang.prove.dispatcher import Dispatcher
from potlang.utils.deadline import Deadline

MOST_CHECK_MS = 1_000
"""The time of one check ([LIMIT-CORE])."""
_LEAST_MS = 50
_CHECK = "assumptions"
_FEW = 16
_ASSUMING = ("z3",)


class Subsets:
    """Says whether some assumptions, with what `check` adds to them, are unsatisfiable by themselves.

    The dispatcher's session must have been started with the declarations alone. No check takes longer than
    what `deadline` leaves.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        labels: AssertionNames,
        check: Check,
        deadline: Deadline | None = None,
    ) -> None:
        self._dispatcher = dispatcher
        self._labels = labels
        self._check = check
        self._deadline = deadline
        self._texts: dict[tuple[str, str | None], str] = {}

    def __call__(self, names: Names, /) -> Said:
        """The status of one subset, and its core."""
        (said,) = self.ahead([names])
        return said

    def ahead(self, subsets: Sequence[Names], /) -> list[Said]:
        """The same for several, sent at once."""
        most = min(MOST_CHECK_MS, self._left() / max(1, len(subsets)))
        builds = [partial(self._query, names) for names in subsets]
        results = self._dispatcher.ask_ahead(_CHECK, builds, most_ms=max(most, _LEAST_MS))
        return [self._settled(*pair) for pair in zip(builds, results, strict=True)]

    def _left(self) -> int:
        return MOST_CHECK_MS if self._deadline is None else self._deadline.left_ms()

    def _settled(self, build: Build, result: CheckResult) -> Said:
        """Status and core; while there is time, those of others where the first solver does not know."""
        left = min(MOST_CHECK_MS, self._left())
        if result.status == "unknown" and left > _LEAST_MS:
            result = self._dispatcher.settled(_CHECK, build, result, most_ms=left)
        return result.status, result.core

    def _query(self, names: Names, encoding: Encoding) -> Query:
        bare = encoding.bare()
        return Query("".join([self._text(bare, name) for name in (*names, None)]), core=True)

    def _text(self, bare: Encoding, name: str | None) -> str:
        """The command for an assumption, or for the claim; each is part of very many queries."""
        key = (bare.dialect, name)
        if key not in self._texts:
            self._texts[key] = self._print(bare, name)
        return self._texts[key]

    def _print(self, bare: Encoding, name: str | None) -> str:
        if name is None:
            return bare.goal(self._check.formula, negated=self._check.negated)
        found = self._labels.find(name)
        return "" if found is None else bare.assertion(found[1])


class Loaded(Subsets):
    """The same where the solver holds all of `every` at once, and assumes those that are asked about.

    Reading nothing anew makes a check several times as fast. It starts the dispatcher's session.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        labels: AssertionNames,
        every: Names,
        check: Check,
        deadline: Deadline | None = None,
    ) -> None:
        super().__init__(dispatcher, labels, check, deadline)
        dispatcher.start(partial(_switched, labels, every, check))

    def _query(self, names: Names, encoding: Encoding) -> Query:
        return Query("", core=True, assuming=names)


class Decided:
    """The same without a solver: the word of a decision procedure on a check under some assumptions.

    After `deadline` nothing is known.
    """

    def __init__(
        self, procedure: DecisionProcedure, labels: AssertionNames, check: Check, deadline: Deadline
    ) -> None:
        self._procedure = procedure
        self._deadline = deadline
        self._labels = labels
        self._check = check

    def __call__(self, names: Names, /) -> Said:
        """The status of one subset, and its core."""
        if self._deadline.passed():
            return "unknown", None
        found = [self._labels.find(name) for name in names]
        assumed = tuple(pair[1] for pair in found if pair is not None)
        result = self._procedure.decide(self._check._replace(assumptions=assumed, alone=True))
        return ("unknown", None) if result is None else (result.status, result.core)

    def ahead(self, subsets: Sequence[Names], /) -> list[Said]:
        """The same for several, in turn."""
        return [self(names) for names in subsets]


class Assisted:
    """The same, with a solver's word where the procedure has none; its oracle is opened when it is needed."""

    def __init__(self, decided: Decided, open_solver: Callable[[], Oracle]) -> None:
        self._decided = decided
        self._open = open_solver
        self._solver: Oracle | None = None

    def __call__(self, names: Names, /) -> Said:
        """The status of one subset, and its core."""
        (said,) = self.ahead([names])
        return said

    def ahead(self, subsets: Sequence[Names], /) -> list[Said]:
        """The same for several."""
        said = self._decided.ahead(subsets)
        left = [names for names, (status, _) in zip(subsets, said, strict=True) if status == "unknown"]
        if not left:
            return said
        if self._solver is None:
            self._solver = self._open()
        answers = iter(self._solver.ahead(left))
        return [next(answers) if each[0] == "unknown" else each for each in said]


def oracle(
    dispatcher: Dispatcher, labels: AssertionNames, every: Names, check: Check, deadline: Deadline
) -> Oracle:
    """The faster oracle over `every`. It starts the dispatcher's session."""
    if len(every) > _FEW and dispatcher.solvers[0].name in _ASSUMING:
        return Loaded(dispatcher, labels, every, check, deadline)
    dispatcher.start(declarations)
    return Subsets(dispatcher, labels, check, deadline)


def minimal_core(
    dispatcher: Dispatcher, labels: AssertionNames, names: Names, every: Names, check: Check
) -> Core:
    """`minimize` over the solver; however found, the core is at last asked about alone ([VERDICT-CORE])."""
    deadline = Deadline(MOST_MS)
    if len(names) > _FEW:
        found = minimize(names, names, oracle(dispatcher, labels, names, check, deadline), deadline)
        dispatcher.start(declarations)
        if found.verified and Subsets(dispatcher, labels, check)(found.names)[0] == "unsat":
            return found
        # What the loaded session called a core is none alone: begin again the slower, plainer way.
        deadline = Deadline(MOST_MS)
    dispatcher.start(declarations)
    return minimize(names, every, Subsets(dispatcher, labels, check, deadline), deadline)


def declarations(encoding: Encoding) -> str:
    """The base of a session of `Subsets`."""
    return encoding.bare().declarations()


def _switched(labels: AssertionNames, every: Names, check: Check, encoding: Encoding) -> str:
    """Declarations, each assumption under a constant of its name, and the side of the claim."""
    bare = encoding.bare()
    found = [(name, labels.find(name)) for name in every]
    lines = [
        f"(declare-const {name} Bool)(assert (=> {name} {bare.term(pair[1].formula)}))\n"
        for name, pair in found
        if pair is not None
    ]
    return bare.declarations() + "".join(lines) + bare.goal(check.formula, negated=check.negated)

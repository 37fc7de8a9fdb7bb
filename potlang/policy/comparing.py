"""The proved difference of two versions: each statement of one under all of the other ([POLICY-DIFF])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from potlang.expressions.names import with_names
from potlang.ir.module import Claim, Module
from potlang.ir.nodes import symbols_in
from potlang.languages.pot.citations import quotations
from potlang.languages.pot.program import Program
from potlang.policy.difference import VERSIONS, Difference, OpenStatement, Said, StatementChange, VersionName
from potlang.policy.directions import Direction, PolicyCertificate, certified, unknown
from potlang.policy.impact import (
    Asked,
    PolicyQuestion,
    TwoVersions,
    VerdictChange,
    own_questions,
    result_changes,
    tested,
)
from potlang.policy.left_to_cases import versions_over_all_cases
from potlang.policy.pairing import Pair, paired
from potlang.policy.sampling import sample_claims
from potlang.policy.scenes import DifferenceCase, separating_case
from potlang.policy.statements import CLOSED, PolicyStatement, signature, statements, without_rows
from potlang.policy.tabled import RowChange, asked_of_rows, only_in_one, row_changes
from potlang.policy.tests import PolicyTest
from potlang.policy.vocabulary import align
from potlang.policy.wording import change_words
from potlang.report.results import Limits, Result, Verdict

_CONTRADICTORY: Final = Verdict.INCONSISTENT
_NO_TABLE: Final = "the other version has no large table with them"
_FOLLOWS: Final = frozenset({Verdict.ENTAILED, _CONTRADICTORY})


def compare(
    old: Program,
    new: Program,
    tests: Sequence[PolicyTest] = (),
    *,
    log: Sequence[PolicyQuestion] = (),
    samples: int = 50,
    seed: int = 0,
    limits: Limits = Limits(),
    certificates: bool = False,
) -> Difference:
    """Each statement of a version is put to the other; where the versions differ, claims are put to both.

    These are the verifications and norms of both, `tests` and `log`. `samples` claims are drawn, with the
    seed, where it stays unknown whether a statement follows. The total limit holds for each version, and
    each of these steps. Rows of large tables are compared as they are; statements that follow only with them
    are asked of them, and then rest on the word of the database.
    """
    work = _Comparison(*versions_over_all_cases(old, new), limits)
    with work.direction("old") as under_old, work.direction("new") as under_new:
        found = work.statements({"old": under_old, "new": under_new})
        found = work.with_rows(found) if work.has_tables else found
        if _is_other(found) and not work.asks_apart:
            found = work.with_claims(found, under_old, under_new)
    if _is_other(found):
        questions = [*tested(tests), *log]
        if work.asks_apart:
            questions += own_questions(new, old)
        elif found.open:
            drawn = sample_claims(old.module, new.module, samples, seed)
            questions += [PolicyQuestion("sample", "", claim) for claim in drawn]
        names = {each.old: each.new for each in found.renames}
        found = _with_verdicts(found, questions, *TwoVersions(old, new, names).changes(questions, limits))
    elif certificates and found.is_proved and not work.has_tables:
        found = found._replace(certificates=tuple(work.certificates()))
    return found


def same_meaning(old: Program, new: Program, limits: Limits) -> bool:
    """Whether each statement of either program is known to follow from the other program.

    A solver's word is enough; the first statement of which it is not known ends it. It is not known of
    programs whose facts are in large tables.
    """
    work = _Comparison(*versions_over_all_cases(old, new), limits)
    if work.has_tables:
        return False
    return not work.alignment.changes and all(map(work.follows_from, VERSIONS))


class _Comparison:
    """Two versions over one vocabulary, and what one says that the other does not say so."""

    def __init__(self, old: Program, new: Program, limits: Limits) -> None:
        self.alignment = alignment = align(without_rows(old), without_rows(new))
        self.programs: Mapping[VersionName, Program] = {"old": old, "new": new}
        self.has_tables = old.tables is not None or new.tables is not None
        self.asks_apart = self.has_tables or alignment.is_widened
        """Whether claims have to be put to each version as it is."""
        self.limits = limits
        self._names = {each.old: each.new for each in alignment.renames}
        self.modules: Mapping[VersionName, Module] = {"old": alignment.old, "new": alignment.new}
        self.every = {side: statements(module) for side, module in self.modules.items()}
        keys = {side: {each.key for each in found} for side, found in self.every.items()}
        self.own = {
            side: [each for each in self.every[side] if each.key not in keys[_other(side)]]
            for side in VERSIONS
        }
        """The statements of a version that do not stand in the other."""
        self.claims = list(self._claims())

    def _claims(self) -> Iterator[tuple[Asked, Claim]]:
        """The verifications and norms of both, each once, those of the new version first."""
        seen: set[str] = set()
        for side in reversed(VERSIONS):
            module = self.modules[side]
            asked: list[tuple[Asked, Claim]] = [("verification", each) for each in module.claims]
            for origin, claim in [*asked, *(("norm", each) for each in module.norms)]:
                key = f"{signature(claim.formula)} {[str(each.sort) for each in claim.find]}"
                if key not in seen:
                    seen.add(key)
                    yield origin, claim

    def direction(self, base: VersionName) -> Direction:
        """The base, asked for what the other says and it does not."""
        other = _other(base)
        claims = [claim for _, claim in self.claims]
        return Direction(self.modules[base], self.modules[other], self.own[other], claims, self.limits)

    def follows_from(self, base: VersionName) -> bool:
        """Whether all that the other version says is known to follow from this one."""
        asked = self.own[_other(base)]
        if not asked:
            return True
        other = self.modules[_other(base)]
        with Direction(self.modules[base], other, asked, (), self.limits) as direction:
            return all(_judged(each) in ("follows", "unchecked") for each in direction.statements())

    def statements(self, directions: Mapping[VersionName, Direction]) -> Difference:
        """The difference in statements alone."""
        answered = [
            (side, statement, result, _judged(result))
            for side in VERSIONS
            for statement, result in zip(
                self.own[side], self._answers(_other(side), directions[_other(side)]), strict=True
            )
        ]
        failed = {
            id(statement): separating_case(result, _other(side))
            for side, statement, result, word in answered
            if word == "fails"
        }
        left = {
            wanted: tuple(
                _open(side, statement, result) for side, statement, result, word in answered if word == wanted
            )
            for wanted in ("open", "unchecked")
        }
        contradictory = [_other(side) for side, _, result, _ in answered if result.verdict is _CONTRADICTORY]
        return Difference(
            tuple(self._changes(failed)),
            self.alignment.renames,
            self.alignment.changes,
            open=left["open"],
            unchecked=left["unchecked"],
            contradictory=tuple(dict.fromkeys(contradictory)),
            optimization_differs=_optimization(self.modules["old"]) != _optimization(self.modules["new"]),
            same=len(self.every["new"]) - len(self.own["new"]),
            proved=sum(word == "follows" for *_, word in answered),
        )

    def _answers(self, base: VersionName, direction: Direction) -> Sequence[Result]:
        """The verdicts of a version on the other's statements, by its rows where these may matter."""
        results = list(direction.statements())
        program = self.programs[base]
        # What follows without the rows follows with them.
        left = [at for at, result in enumerate(results) if _judged(result) != "follows"]
        if program.tables is not None and left:
            asked = [direction.asked[at] for at in left]
            names = {new: old for old, new in self._names.items()} if base == "old" else {}
            modules = self.modules[base], self.modules[_other(base)]
            answers = asked_of_rows(program, *modules, asked, names, self.limits)
            for at, found in zip(left, answers, strict=True):
                results[at] = found or unknown(direction.asked[at], "the version has no words for it")
        return results

    def with_rows(self, found: Difference) -> Difference:
        """The same difference with the rows of large tables that one version has alone."""
        before, after = (self.programs[side].tables for side in VERSIONS)
        rows: tuple[RowChange, ...] = ()
        unknown: Mapping[str, str] = {}
        if before is not None and after is not None:
            rows, unknown = row_changes(before, after, self._names, self.limits)
        alone = only_in_one(before, after, self._names)
        left = [
            *(OpenStatement("new", "rows", name, "/sources", reason) for name, reason in unknown.items()),
            *(OpenStatement(side, "rows", name, "/sources", _NO_TABLE) for side, name in alone),
        ]
        return found._replace(rows=rows, open=(*found.open, *left))

    def _changes(self, failed: Mapping[int, DifferenceCase]) -> list[StatementChange]:
        found: list[tuple[Pair, StatementChange]] = []
        for old, new in paired(self.own["old"], self.own["new"]):
            cases = tuple(failed[id(each)] for each in (old, new) if each is not None and id(each) in failed)
            if cases:
                before = None if old is None else self._said("old", old)
                after = None if new is None else self._said("new", new)
                kind = old.kind if old is not None else new.kind if new is not None else ""
                found.append(((old, new), StatementChange(kind, before, after, _words(before, after), cases)))
        return [change for _, change in _without_consequences(found)]

    def _said(self, side: VersionName, statement: PolicyStatement) -> Said:
        text = with_names(statement.text, self._names if side == "old" else self.alignment.apart)
        # The rules of packs have places in their pack.
        quotes = () if statement.kind == "pack" else quotations(self.programs[side].tree, statement.pointer)
        return Said(statement.name, statement.pointer, text, quotes)

    def with_claims(self, found: Difference, under_old: Direction, under_new: Direction) -> Difference:
        """The same difference with the verifications and norms that are decided otherwise."""
        if under_old.problem or under_new.problem:
            return found
        asked = [(origin, claim.name, claim.origin.text) for origin, claim in self.claims]
        changes, undecided = result_changes(asked, under_old.claims(), under_new.claims())
        counts = [("claim", len(asked))] if asked else []
        contradictory = tuple(
            side
            for side, direction in zip(VERSIONS, (under_old, under_new), strict=True)
            if side in found.contradictory or direction.is_contradictory()
        )
        return found._replace(
            verdicts=tuple(changes),
            open_claims=tuple(undecided),
            asked=tuple(counts),
            contradictory=contradictory,
        )

    def certificates(self) -> Iterator[PolicyCertificate]:
        """Certificates for all statements of each version from the other, as far as there are any."""
        for base in VERSIONS:
            other = _other(base)
            found = certified(self.modules[base], self.modules[other], self.every[other], base, self.limits)
            if found is not None:
                yield found


def _without_consequences(
    changes: list[tuple[Pair, StatementChange]],
) -> list[tuple[Pair, StatementChange]]:
    """The changes without those of closed predicates that are what the change of one rule makes of them.

    The rule has their cases: what is closed says of a rule that nothing else gives its predicate.
    """
    found = list(changes)
    for pair, change in changes:
        if change.kind != CLOSED or change.old is None or change.new is None or change.words:
            continue
        givers = [
            at for at, (rule, other) in enumerate(found) if other.kind != CLOSED and _speaks(rule, pair)
        ]
        if len(givers) == 1:
            rule, other = found[givers[0]]
            found[givers[0]] = rule, other._replace(cases=(*other.cases, *change.cases))
            found.remove((pair, change))
    return found


def _speaks(rule: Pair, closed: Pair) -> bool:
    """Whether a rule has the predicate that is closed."""
    names = {each.name for each in closed if each is not None}
    symbols = (symbol for each in rule if each is not None for symbol in symbols_in(each.formula))
    return any(symbol.name in names for symbol in symbols)


def _is_other(found: Difference) -> bool:
    """Whether the versions say something else, or may."""
    return bool(found.changes or found.vocabulary or found.open or found.rows)


def _other(side: VersionName) -> VersionName:
    return "new" if side == "old" else "old"


def _judged(result: Result) -> str:
    """`follows`, `fails`, `unchecked` if it follows by a solver's word, else `open`."""
    if result.verdict in _FOLLOWS:
        # Whether the version has a model at all makes no difference to what follows from it.
        is_checked = any(each.status == "unsat" and each.tier == "checked" for each in result.assurances)
        return "follows" if is_checked else "unchecked"
    if result.verdict is not Verdict.UNKNOWN:
        return "fails"
    possible = _FOLLOWS.intersection(result.possible)
    return "open" if possible or not result.possible else "fails"


def _open(side: VersionName, statement: PolicyStatement, result: Result) -> OpenStatement:
    reason = result.reason or f"{result.trust}, not checked"
    return OpenStatement(side, statement.kind, statement.name, statement.pointer, reason)


def _words(old: Said | None, new: Said | None) -> str:
    """The change of a statement in a few words."""
    if old is None or new is None:
        return f"only in the {'new' if old is None else 'old'} version"
    return change_words(old.text, new.text) if old.text != new.text else ""


def _optimization(module: Module) -> object:
    section = module.optimization
    if section is None:
        return None
    return (
        section.mode,
        sorted(signature(each.formula) for each in section.constraints),
        [(each.direction, signature(each.term)) for each in section.objectives],
    )


def _with_verdicts(
    found: Difference,
    asked: Sequence[PolicyQuestion],
    changes: Sequence[VerdictChange],
    undecided: Sequence[str],
) -> Difference:
    counts = dict(found.asked)
    for each in asked:
        counts[each.origin] = counts.get(each.origin, 0) + 1
    return found._replace(
        verdicts=(*found.verdicts, *changes),
        open_claims=(*found.open_claims, *undecided),
        asked=tuple(counts.items()),
    )

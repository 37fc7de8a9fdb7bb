"""The verdict on each claim, with no more checks than it needs ([VERDICT-RULE], [VERDICT-REUSE]).

Claims share the assumptions: their status, once known, is not asked for again, and a model found
for one claim may decide a side of another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from potlang.engines.messages import Query
from potlang.ir.module import Assertion, Claim
from potlang.ir.nodes import Node, Quant, reachable
from potlang.ir.pool import Pool
from potlang.prove.asking import Asker, Build, Late, Reply
from potlang.prove.decision import (
    Decision,
    Known,
    decide,
    needs_negative,
    needs_positive,
    needs_theta,
    paper_answer,
)
from potlang.prove.encoding import Encoding, Unsupported
from potlang.prove.terms import Namer, Term
from potlang.report.results import Check, Consistency, Verdict

if TYPE_CHECKING:
    from potlang.prove.deciders import Decider

_MOST_TRACKED = 2_000
_MOST_VALUES = 256
_MOST_AHEAD = 32
_MOST_SNAPSHOTS = 16
_MOST_ROUNDS = 4
_LARGEST_REUSED = 200


class Ask(NamedTuple):
    """A check: its name in the report, the formula put to the assumptions (None: none), what to evaluate.

    `claim` is the claim whose side the formula is, if it is one.
    """

    name: str
    formula: Node | None = None
    negated: bool = False
    wanted: tuple[Node, ...] = ()
    claim: Claim | None = None

    def text(self, encoding: Encoding) -> str:
        """The command that asserts the formula."""
        if self.formula is None:
            return ""
        return encoding.negation(self.formula) if self.negated else encoding.claim(self.formula)

    def values(self, encoding: Encoding) -> tuple[str, ...]:
        """The terms to evaluate."""
        return tuple(encoding.term(node) for node in self.wanted)


FindCore = Callable[[Ask], "tuple[str, ...] | None"]
"""Looks for the core of an unsatisfiable check in a part of the assumptions; None if it is not there."""


class Snapshot(NamedTuple):
    """A model of the assumptions: values of some terms by node id; the whole of it may be in `reply`."""

    encoding: Encoding
    values: dict[int, str]
    reply: Reply

    def covers(self, terms: Iterable[Term]) -> bool:
        """Whether the model has a value for each of these."""
        return all(term.node.id in self.values for term in terms)


@dataclass(slots=True)
class Finding:
    """What is known of one claim so far; `formula` is closed."""

    claim: Claim
    kind: str
    formula: Node
    terms: list[Term]
    reusable: bool
    named: tuple[Term, ...] = ()
    positive: Known = None
    negative: Known = None
    true_model: Snapshot | None = None
    false_model: Snapshot | None = None
    core: tuple[str, ...] | None = None
    checks: list[Check] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    refutations: dict[str, Reply] = field(default_factory=dict)
    decision: Decision = field(default_factory=lambda: decide(None, None, None))
    time_ms: float = 0.0

    @property
    def disagreement(self) -> bool:
        """Whether two solvers, or the answers among each other, contradict."""
        return self.decision.contradictory or any(reply.disagreement for reply in self.replies)

    @property
    def verdict(self) -> Verdict:
        """The verdict so far."""
        return Verdict.UNKNOWN if self.disagreement else self.decision.verdict

    @property
    def reason(self) -> str | None:
        """Why the verdict is unknown; None if it is not."""
        if self.verdict is not Verdict.UNKNOWN:
            return None
        if self.disagreement:
            return "disagreement"
        return next((reply.reason for reply in self.replies if reply.reason is not None), "incomplete")

    @property
    def paper_answer(self) -> str | None:
        """`SAT`, `UNSAT` or None."""
        return None if self.disagreement else paper_answer(self.decision, self.positive)

    @property
    def cross_checked(self) -> bool:
        """Whether two solvers agreed on every answer that the verdict rests on."""
        used = [reply for reply in self.replies if reply.status != "unknown"]
        return bool(used) and self.verdict is not Verdict.UNKNOWN and all(reply.agreed for reply in used)


def closed_formula(claim: Claim, pool: Pool) -> Node:
    """The claim as one closed formula: with `find`, that some binding exists ([VERDICT-FIND])."""
    return pool.quant("exists", claim.find, claim.formula) if claim.find else claim.formula


def _names(replies: Iterable[Reply]) -> str:
    """Who gave these answers."""
    return "+".join(dict.fromkeys(reply.by for reply in replies if reply.by))


class Verifier:
    """Decides claims over one base. `extra` are assumptions on top of it, sent with each query."""

    def __init__(
        self,
        asker: Asker,
        namer: Namer,
        *,
        reuse: bool = True,
        full_models: bool = False,
        whole_models: bool = False,
        together: bool = False,
        deciders: Sequence[Decider] = (),
        late: Sequence[Decider] = (),
    ) -> None:
        self.asker = asker
        self.namer = namer
        self.deciders = tuple(deciders)
        self._late = tuple(late)
        self.theta_model: Snapshot | None = None
        self._whole = whole_models
        self.labels = asker.engines[0].encoding.labels
        self.extra: tuple[Assertion, ...] = ()
        self.theta: Reply | None = None
        self.snapshots: list[Snapshot] = []
        self._reuse = reuse and len(asker.engines) == 1
        self._together = together and self._reuse
        self._full = full_models
        self.find_core: FindCore | None = None
        self.tracked = len(namer.module.assertions) <= _MOST_TRACKED

    # --- what is known of the assumptions ---

    @property
    def theta_status(self) -> Known:
        """The assumptions' status; None if not known yet, "unknown" if it was asked for in vain."""
        return None if self.theta is None else self.theta.status

    @property
    def consistency(self) -> Consistency | None:
        """The same for the report."""
        words = {"sat": Consistency.CONSISTENT, "unsat": Consistency.INCONSISTENT}
        return None if self.theta_status is None else words.get(self.theta_status, Consistency.UNKNOWN)

    def forget(self) -> None:
        """The assumptions have changed."""
        self.theta = None
        self.theta_model = None
        self.snapshots = []

    def ask_theta(self) -> Reply:
        """Check the assumptions alone, unless that is known."""
        if self.theta is None or self.theta.status == "unknown":
            self.theta = self._asked(Ask("assumptions"))
            self.theta_model = self._snapshot(self.theta, [])
        return self.theta

    def ask(self, ask: Ask) -> Reply:
        """One check under the assumptions, with a core if it is unsat."""
        return self._asked(ask)

    def query(self, encoding: Encoding, text: str, values: tuple[str, ...] = ()) -> Query:
        """A query on top of the base and the extra assumptions."""
        return self._query(encoding, text, values, core=True)

    def _query(self, encoding: Encoding, text: str, values: tuple[str, ...], *, core: bool) -> Query:
        more = "".join(encoding.assertion(each) for each in self.extra)
        return Query(more + text, values, core)

    def _decided(self, deciders: Iterable[Decider], ask: Ask) -> Reply | None:
        """The answer of the first decider that has one."""
        for decider in deciders if self.asker.budget.left_ms() > 0 else ():
            reply = decider.ask(ask, self.extra)
            if reply is not None:
                return reply
        return None

    def _asked(self, ask: Ask) -> Reply:
        """One check, with a core if it is unsat."""
        reply = self._decided(self.deciders, ask)
        if reply is None:
            build = self._builder(ask, self.tracked)
            reply = self._with_core(ask, self.asker.ask(ask.name, build, late=self._lately(ask)))
        return reply

    def _lately(self, ask: Ask) -> Late:
        """What to try where the first solver has given up, before others join in."""
        return lambda: self._decided(self._late, ask)

    def _asked_both(self, asks: tuple[Ask, Ask]) -> list[Reply]:
        """Two checks that are both needed, each with a core if it is unsat."""
        foreseen = [self._decided(self.deciders, ask) for ask in asks] if self.deciders else [None, None]
        if foreseen != [None, None]:
            return [
                self._asked(ask) if known is None else known
                for ask, known in zip(asks, foreseen, strict=True)
            ]
        first, second = ((ask.name, self._builder(ask, self.tracked), self._lately(ask)) for ask in asks)
        replies = self.asker.ask_pair((first, second))
        return [self._with_core(ask, reply) for ask, reply in zip(asks, replies, strict=True)]

    def _builder(self, ask: Ask, core: bool) -> Build:
        def build(encoding: Encoding) -> Query:
            query = self._query(encoding, ask.text(encoding), ask.values(encoding), core=core)
            return query._replace(model=True) if self._whole else query

        return build

    def _with_core(self, ask: Ask, reply: Reply) -> Reply:
        """The reply with a core.

        Solvers take up to four times as long for a large base whose assumptions they track, so there
        the core is asked for apart, once it is known that there is one.
        """
        if reply.status != "unsat" or reply.core is not None or self.tracked:
            return reply
        core = None if self.find_core is None else self.find_core(ask)
        return reply._replace(core=core)

    # --- claims ---

    def verify(self, claims: Sequence[tuple[Claim, str]]) -> list[Finding]:
        """A finding for each claim and its kind, in order."""
        findings = [self._finding(claim, kind) for claim, kind in claims]
        for index, finding in enumerate(findings):
            began = time.perf_counter()
            self._decide(finding, findings[index + 1 : index + 1 + _MOST_AHEAD])
            if index == 0 and self._together:
                self._decide_together(findings[1 : 1 + _MOST_AHEAD])
            finding.time_ms = (time.perf_counter() - began) * 1000
        return findings

    def _decide_together(self, findings: Sequence[Finding]) -> None:
        """Put the open sides of many claims as one check: if none has a model, all are unsat.

        A model decides some of them and the rest is put again, as long as that pays ([VERDICT-TOGETHER]).
        """
        for _ in range(_MOST_ROUNDS):
            for finding in findings:
                self._recall(finding)
            open_sides = [(finding, side) for finding in findings if (side := self._open_side(finding))]
            if len(open_sides) < 2:
                return
            first, rest = open_sides[0][0], [finding for finding, _ in open_sides[1:]]
            wanted = self._wanted(first, rest)
            reply = self._asked(Ask("claim", self._any(open_sides), wanted=tuple(wanted)))
            if reply.status == "unsat":
                self._note_all(open_sides, reply)
            snapshot = self._snapshot(reply, wanted)
            if snapshot is None or not snapshot.values:
                return
            self.snapshots = [*self.snapshots[1 - _MOST_SNAPSHOTS :], snapshot]
            told = sum(finding.formula.id in snapshot.values for finding, _ in open_sides)
            if told < len(open_sides):
                return

    def _open_side(self, finding: Finding) -> str | None:
        """The one side of a plain claim that is not known while the other has a model."""
        if not finding.reusable or finding.decision.settled or not self._can_say(finding):
            return None
        sides = {("sat", None): "negation", (None, "sat"): "claim"}
        return sides.get((finding.positive, finding.negative))

    def _any(self, open_sides: Sequence[tuple[Finding, str]]) -> Node:
        pool = self.namer.module.pool
        return pool.disj(
            finding.formula if side == "claim" else pool.negate(finding.formula)
            for finding, side in open_sides
        )

    def _note_all(self, open_sides: Sequence[tuple[Finding, str]], reply: Reply) -> None:
        words = f"together with {len(open_sides) - 1} other claims"
        for finding, side in open_sides:
            checks = tuple(check._replace(query=side, detail=words) for check in reply.checks)
            self._note(finding, side, reply._replace(checks=checks), [])

    def _finding(self, claim: Claim, kind: str) -> Finding:
        formula = closed_formula(claim, self.namer.module.pool)
        terms = self.namer.everything() if self._full else self.namer.touched(formula)
        nodes = reachable(formula)
        reusable = len(nodes) <= _LARGEST_REUSED and not any(isinstance(node, Quant) for node in nodes)
        return Finding(claim, kind, formula, terms, reusable, self.namer.names_for(terms))

    def _decide(self, finding: Finding, later: Sequence[Finding]) -> None:
        if self.theta is not None and self.theta.status == "unsat":
            self._settle(finding)
            finding.replies.append(self.theta)
            return
        self._recall(finding)
        if finding.positive is None and finding.negative is None:
            self._ask_both(finding, later)
        if finding.positive is None and needs_positive(self._theta_sure, finding.negative):
            self._ask(finding, "claim", later)
        if finding.negative is None and needs_negative(self._theta_sure, finding.positive):
            self._ask(finding, "negation", later)
        if self.theta is None and needs_theta(finding.positive, finding.negative):
            finding.checks += self.ask_theta().checks
        self._settle(finding)
        if self.theta is not None and None in (finding.positive, finding.negative):
            finding.replies.append(self.theta)

    def _recall(self, finding: Finding) -> None:
        """What the models found so far say of a claim."""
        for snapshot in self.snapshots:
            self._read(finding, snapshot)
        self._settle(finding)

    @property
    def _theta_sure(self) -> Known:
        return self.theta_status if self.theta_status in ("sat", "unsat") else None

    def _settle(self, finding: Finding) -> None:
        """Apply the rule, and note what the claim's answers say about the assumptions."""
        sides = (finding.positive, finding.negative)
        finding.decision = decide(self._theta_sure, *sides)
        if self.theta_status in ("sat", "unsat") or finding.disagreement:
            if self.theta is not None and self.theta.status == "unsat":
                finding.core = self.theta.core
            return
        if "sat" in sides:
            self.theta_model = finding.true_model or finding.false_model
            used = [reply for reply in finding.replies if reply.status == "sat"]
            agreed = any(reply.agreed for reply in used)
            self.theta = Reply("sat", None, (), agreed=agreed, by=_names(used))
        elif sides == ("unsat", "unsat"):
            agreed = all(reply.agreed for reply in finding.replies)
            by = _names(finding.replies)
            self.theta = Reply("unsat", None, (), core=finding.core, agreed=agreed, by=by)

    def _ask_both(self, finding: Finding, later: Sequence[Finding]) -> None:
        """Both sides: whatever the first answer is, the second is needed."""
        wanted = self._wanted(finding, later)
        claim, negation = self._side(finding, "claim", wanted), self._side(finding, "negation", wanted)
        for ask, reply in zip((claim, negation), self._asked_both((claim, negation)), strict=True):
            self._note(finding, ask.name, reply, wanted)

    def _ask(self, finding: Finding, side: str, later: Sequence[Finding]) -> None:
        wanted = self._wanted(finding, later)
        self._note(finding, side, self._asked(self._side(finding, side, wanted)), wanted)

    def _side(self, finding: Finding, side: str, wanted: list[Node]) -> Ask:
        return Ask(side, finding.formula, side == "negation", tuple(wanted), finding.claim)

    def _note(self, finding: Finding, side: str, reply: Reply, wanted: list[Node]) -> None:
        finding.replies.append(reply)
        finding.checks += reply.checks
        snapshot = self._snapshot(reply, wanted)
        if side == "claim":
            finding.positive, finding.true_model = reply.status, snapshot
        else:
            finding.negative, finding.false_model = reply.status, snapshot
        if reply.status == "unsat":
            finding.refutations[side] = reply
        if reply.core is not None:
            finding.core = tuple(dict.fromkeys((*(finding.core or ()), *reply.core)))
        if snapshot is not None and snapshot.values and self._reuse:
            self.snapshots = [*self.snapshots[1 - _MOST_SNAPSHOTS :], snapshot]
        self._settle(finding)

    def _wanted(self, finding: Finding, later: Sequence[Finding]) -> list[Node]:
        """What to evaluate in a model: the claim's terms, and later claims as far as there is room."""
        wanted = {term.node.id: term.node for term in (*finding.terms, *finding.named)}
        if self._reuse:
            for other in later:
                if not other.reusable or not self._can_say(other):
                    continue
                more = {term.node.id: term.node for term in (*other.terms, *other.named)}
                more[other.formula.id] = other.formula
                if len(wanted | more) <= _MOST_VALUES:
                    wanted |= more
        return list(wanted.values())

    def _can_say(self, finding: Finding) -> bool:
        """Whether the engine has words for the claim; if not, it must not spoil another's query."""
        try:
            self.asker.engines[0].encoding.term(finding.formula)
        except Unsupported:
            return False
        return True

    def _snapshot(self, reply: Reply, wanted: list[Node]) -> Snapshot | None:
        if reply.status != "sat" or reply.encoding is None:
            return None
        ids = [node.id for node in wanted] if reply.values is not None else []
        return Snapshot(reply.encoding, dict(zip(ids, reply.values or (), strict=True)), reply)

    def _read(self, finding: Finding, snapshot: Snapshot) -> None:
        """Take a side of the claim from a model found earlier, if it says it in so many words."""
        truth = snapshot.values.get(finding.formula.id)
        if truth == "true" and finding.positive is None and snapshot.covers(finding.terms):
            finding.positive, finding.true_model = "sat", snapshot
        elif truth == "false" and finding.negative is None and snapshot.covers(finding.terms):
            finding.negative, finding.false_model = "sat", snapshot

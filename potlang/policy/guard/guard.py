"""A guard: whether an agent may call a tool now, by a policy and by what happened so far ([GUARD-CHECK]).

guard = Guard(Path("refunds.json"), {"outcome": ["succeeded"]})
decision = guard.check({"tool": "refund", "arguments": {"amount": 40}}, guard.begin())
decision.permission, decision.reason, decision.state
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from copy import copy
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from potlang.languages.pot.check import Source
from potlang.languages.pot.program import CompileError, Program
from potlang.languages.pot.report import Report
from potlang.policy.cases import Case, in_order
from potlang.policy.guard.compiled import CompiledPolicy
from potlang.policy.guard.completed import CLAIM, completed
from potlang.policy.guard.events import EventReader, RefusedEvent, plain
from potlang.policy.guard.ground import NotGround
from potlang.policy.guard.options import GuardOptions
from potlang.policy.guard.reasons import (
    Reasons,
    claim_of,
    reasons_of_follows,
    reasons_of_result,
    reasons_of_undecided,
    sentence,
)
from potlang.policy.guard.recorder import GuardRecorder
from potlang.policy.guard.session_facts import SessionFacts
from potlang.policy.guard.state import (
    MOST_EVENTS,
    GuardState,
    StateError,
    begun,
    canonical,
    followed,
    resumed,
)
from potlang.policy.records import Certificates, RecordError, Records
from potlang.policy.store import Store, open_store
from potlang.policy.tests import PolicyError
from potlang.processes.pool import Workers
from potlang.prove.options import RouteName
from potlang.report.base import to_plain
from potlang.report.results import CoreItem, Limits, Result, Verdict
from potlang.sema.kept_aggregates import WrittenOut
from potlang.source.pointer import split_pointer
from potlang.utils.deadline import OutOfFuel, within

ALL_RULES: Final = "(all)"
"""In the place of rules for which a solver is needed: it always is."""
_MOST_CASES: Final = 64
"""Cases of sessions for which the policy is kept compiled."""

_ROUTES: Final[tuple[RouteName, ...]] = ("cvc5", "auto")
"""In this order: cvc5 says at once of most sessions what it can say, others take longer where it cannot."""
_FAULTS: Final = ("crash", "memory")
"""Reasons of `unknown` that are faults, and no end of the time."""

Decider = Literal["facts", "solver", "guard"]


class Permission(StrEnum):
    """The fate of a call."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


class Decision(NamedTuple):
    """The decision on an event, its reason, and the state of the session after it.

    `by` says who decided: the facts of the session alone, a solver, or the guard, which refused the event or
    met with a fault: then there is no `verdict` on the claim that the event is allowed.
    """

    permission: Permission
    reason: str
    state: GuardState
    rules: tuple[CoreItem, ...] = ()
    verdict: Verdict | None = None
    by: Decider = "guard"
    fields: Mapping[str, Any] = {}
    before: GuardState | None = None
    """The state in which the event was decided."""

    @property
    def allowed(self) -> bool:
        """Whether the call may be made."""
        return self.permission is Permission.ALLOW

    def to_json(self) -> dict[str, Any]:
        """As a JSON value, without the state."""
        return {
            "permission": str(self.permission),
            "reason": self.reason,
            "rules": to_plain(self.rules),
            "verdict": None if self.verdict is None else str(self.verdict),
            "by": self.by,
        }


class Guard:
    """Decides the events of sessions by one policy; safe in threads, since states are values.

    `policy` is a program or its source, `options` say which of its functions have which part. With a `key`
    states are sealed so that who does not have it cannot make one. Raises CompileError for what is no
    program, PolicyError for a policy or options that a guard cannot work with.
    """

    def __init__(
        self,
        policy: Program | Source,
        options: GuardOptions | Mapping[str, Any] | Path | None = None,
        *,
        key: bytes = b"",
        workers: Workers | None = None,
    ) -> None:
        self.options = _options(options)
        self._key = key
        self._workers = workers
        self._policy = completed(policy, self.options)
        self._events = EventReader(self.options, self._policy.program.module)
        if self._events.unknown:
            raise PolicyError(
                f"the policy has no function of an event named {', '.join(self._events.unknown)}"
            )
        self._base = {key: plain_value(value) for key, value in self.options.case.items()}
        self.digest = hashlib.sha256(
            canonical([self._policy.text, self.options.to_dict()]).encode("ascii")
        ).hexdigest()
        """Of the policy and the options: states and records name it."""
        self._recorder: GuardRecorder | None = None
        self._turn = threading.Lock()
        self._compiled: dict[str, _CompiledCase] = {}
        self._of_case({})

    @classmethod
    def open(
        cls, path: Path, *, key: bytes = b"", store: Store | None = None, workers: Workers | None = None
    ) -> Guard:
        """The guard with the options in a file, whose `policy` is an id in the store or a file beside it.

        Raises CompileError and PolicyError.
        """
        options = GuardOptions.read(path)
        if not options.policy:
            raise PolicyError(f"{str(path)!r} has no `policy`: the id of one, or the path of its file")
        beside = path.parent / options.policy
        if beside.is_file():
            return cls(beside, options, key=key, workers=workers)
        text = (store or open_store()).version(options.policy).text
        return cls(text, options, key=key, workers=workers)

    @property
    def program(self) -> Program:
        """The policy with what the guard adds to it."""
        return self._policy.program

    @property
    def slow_rules(self) -> tuple[str, ...]:
        """The rules for which a solver may be asked; `ALL_RULES` where it always is."""
        fast = self._of_case({}).fast
        if fast is None:
            return (ALL_RULES,)
        return tuple(dict.fromkeys(each.assertion.name for each in fast.statements.slow))

    def recorded(self, records: Records, *, policy: str = "", certificates: Certificates = "none") -> Guard:
        """The same guard, each of whose sessions, decisions and outcomes is recorded in a chain.

        `policy` is a name for it there, `certificates` says what records have of those of verdicts. Raises
        RecordError for a chain that cannot be read.
        """
        found = copy(self)
        found._recorder = GuardRecorder(self, records, policy, certificates)
        return found

    # --- states ---

    def begin(self, case: Mapping[str, Any] | None = None) -> GuardState:
        """The state of a new session, of which the case is known. Raises CompileError, PolicyError.

        All that changes a state raises RecordError, a PolicyError, where a guard that records cannot.
        """
        own = {key: plain_value(value) for key, value in (case or {}).items()}
        state = begun(self.digest, own, self._key)
        self._of_case(own)
        if self._recorder is not None:
            self._recorder.began(state)
        return state

    def resume(self, value: Any) -> GuardState:
        """The state that was kept as JSON. Raises StateError for another guard's, or a changed one."""
        state = resumed(value, self.digest, self._key)
        self._facts(state)
        return state

    def outcome(
        self,
        state: GuardState,
        fields: Mapping[str, Any] | None = None,
        *,
        of: int | None = None,
        permission: Permission | None = None,
    ) -> GuardState:
        """The state after the outcome of an event, by default the last: values of functions for outcomes.

        `permission` is what people answered where they were asked. Raises PolicyError for what is no
        outcome, for values that are known already and where there is no such event, CompileError for values
        that are not of their sorts.
        """
        number = state.count if of is None else of
        event = _event_entry(state, number)
        try:
            given = self._events.outcome_fields(fields)
        except RefusedEvent as error:
            raise PolicyError(str(error)) from None
        for key in given:
            if any(key in entry["fields"] for entry in state.log if _number_of(entry, state, number)):
                raise PolicyError(f"{key} of event {number} is known already")
        entry: dict[str, Any] = {"of": number, "fields": given}
        if permission is not None:
            if event["decision"] != Permission.ASK:
                raise PolicyError(f"nobody was asked about event {number}")
            entry["decision"] = str(permission)
        fast = self._of_case(state.case).fast
        facts = None
        if fast is not None:
            facts = self._facts(state).copy(0)
            self._add_entry(fast, facts, entry, number - 1)
        after = followed(state, entry, self._key, facts)
        if self._recorder is not None:
            self._recorder.followed(state, after)
        return after

    # --- checks ---

    def check(
        self,
        event: Any,
        state: GuardState | Mapping[str, Any] | None = None,
        *,
        context: Mapping[str, Any] | None = None,
    ) -> Decision:
        """Whether an event is allowed in a state of its session, and the state after it.

        `event` has the `tool` and its `arguments`; `context` is what the caller knows of it. It does not
        raise: whatever goes wrong is denied or asked, with the reason. A decision that cannot be recorded is
        to deny, and the state stays as it was.
        """
        before = state if isinstance(state, GuardState) else GuardState(self.digest, {}, (), "")
        try:
            if state is None:
                before = self.begin()
            elif not isinstance(state, GuardState):
                before = self.resume(state)
            elif before.guard != self.digest:
                raise StateError("the state is one of another guard")
            decision = self._checked(event, before, context)
        except (RefusedEvent, PolicyError) as error:
            decision = _refused(str(error), before)
        except CompileError as error:
            decision = _refused(_first_line(error), before)
        except OutOfFuel:
            decision = _refused("whether this is allowed was not found out in time, so it is denied", before)
        except Exception as error:  # whatever it is, the call is not allowed by it
            decision = _refused(f"the guard failed ({type(error).__name__})", before)
        return self._kept(decision, before, event, context)

    def _kept(
        self, decision: Decision, before: GuardState, event: Any, context: Mapping[str, Any] | None
    ) -> Decision:
        """The decision, if it is recorded where that is wanted."""
        if self._recorder is None:
            return decision
        try:
            self._recorder.decided(decision, before, event, context)
        except RecordError as error:
            return _refused(str(error), before)
        except Exception as error:  # as above
            return _refused(f"no record was made ({type(error).__name__})", before)
        return decision

    def _checked(self, event: Any, state: GuardState, context: Mapping[str, Any] | None) -> Decision:
        fields = self._events.fields(event, context, known={**self._base, **state.case})
        if state.count >= MOST_EVENTS:
            raise RefusedEvent(f"a session has at most {MOST_EVENTS:,} events")
        compiled = self._of_case(state.case)
        facts = None
        if compiled.fast is not None:
            facts = self._facts(state).copy(0)
            self._add(compiled.fast, facts, fields, facts.count)
            follows = compiled.fast.decide(facts)
            if follows is not None:
                reasons = reasons_of_follows(compiled.fast, facts, follows)
                return self._decided(state, fields, follows.verdict, reasons, "facts", facts)
        result = self._by_solvers(state, fields)
        if result.reason in _FAULTS:
            why = next((each.detail for each in result.checks if each.detail), result.reason)
            return _refused(f"the solver failed: {why}", state)
        is_open = result.verdict in (Verdict.UNDETERMINED, Verdict.UNKNOWN)
        if is_open and compiled.fast is not None and facts is not None:
            reasons = reasons_of_undecided(compiled.fast, facts)
        else:
            reasons = reasons_of_result(self.program, self.options.allowed, result)
        return self._decided(state, fields, Verdict(result.verdict), reasons, "solver", facts)

    def _decided(
        self,
        state: GuardState,
        fields: Mapping[str, Any],
        verdict: Verdict,
        reasons: Reasons,
        by: Decider,
        facts: SessionFacts | None,
    ) -> Decision:
        permission = self._permission(verdict)
        after = state
        # With an event that contradicts the policy nothing could be decided any more.
        if verdict is not Verdict.INCONSISTENT:
            entry = {"fields": dict(fields), "decision": str(permission)}
            fast = self._of_case(state.case).fast
            if fast is not None and facts is not None:
                self._add_decision(fast, facts, permission, facts.count - 1)
            after = followed(state, entry, self._key, facts)
        reason = sentence(verdict, str(permission), reasons)
        return Decision(permission, reason, after, reasons.rules, verdict, by, fields, state)

    def _permission(self, verdict: Verdict) -> Permission:
        if verdict is Verdict.ENTAILED:
            return Permission.ALLOW
        if verdict in (Verdict.UNDETERMINED, Verdict.UNKNOWN):
            return Permission(self.options.otherwise)
        return Permission.DENY

    def ended(self, state: GuardState, *, of: int, succeeded: bool) -> GuardState:
        """The state after a call succeeded or failed, if the policy speaks of it. Raises as `outcome`."""
        if self.options.succeeded not in self._events.outcome:
            return state
        return self.outcome(state, {self.options.succeeded: succeeded}, of=of)

    def followed_as(self, state: GuardState, fields: Mapping[str, Any], permission: Permission) -> GuardState:
        """The state after an event that was decided so, whatever would be now. Raises CompileError."""
        fast = self._of_case(state.case).fast
        facts = None
        if fast is not None:
            facts = self._facts(state).copy(0)
            self._add(fast, facts, fields, facts.count)
            self._add_decision(fast, facts, permission, facts.count - 1)
        entry = {"fields": dict(fields), "decision": str(permission)}
        return followed(state, entry, self._key, facts)

    def to_json(self) -> dict[str, Any]:
        """The policy and the options as a JSON value, of which the same guard can be made."""
        return {"guard": self.digest, "program": self._policy.text, "options": self.options.to_dict()}

    # --- evidence ---

    def report(self, state: GuardState, fields: Mapping[str, Any], *, certificate: bool = False) -> Report:
        """The report on the claim that an event with these fields is allowed, by solvers.

        Raises CompileError where the fields do not fit the policy, OutOfFuel where the time is over before
        solvers are asked.
        """
        milliseconds = int(self.options.timeout * 1000)
        limits = Limits(milliseconds, milliseconds)
        with within(milliseconds):
            program = self.applied(state, fields)
            with program.session(limits=limits, workers=self._workers) as session:
                return session.run(certificate=certificate)

    def _by_solvers(self, state: GuardState, fields: Mapping[str, Any]) -> Result:
        """The answer to the claim. Raises CompileError where the fields do not fit the policy."""
        try:
            best = self.options.trust == "best"
            return claim_of(self.report(state, fields)) if best else self._by_one_solver(state, fields)
        except OutOfFuel:
            # The time was over before a solver was asked.
            return Result(CLAIM, "", Verdict.UNKNOWN, reason="timeout", possible=tuple(Verdict))

    def _by_one_solver(self, state: GuardState, fields: Mapping[str, Any]) -> Result:
        """The word of the first solver that has an answer. Raises as `report`."""
        milliseconds = int(self.options.timeout * 1000)
        each = max(1, milliseconds // len(_ROUTES))
        with within(milliseconds):
            program = self.applied(state, fields)
            for route in _ROUTES:
                limits = Limits(each, each)
                with program.session(
                    route=route, trust="solver", limits=limits, workers=self._workers
                ) as session:
                    found = claim_of(session.run())
                if found.verdict is not Verdict.UNKNOWN:
                    break
        return found

    def applied(self, state: GuardState, fields: Mapping[str, Any]) -> Program:
        """The policy with the events of a session, the last with these fields. Raises CompileError."""
        return Case(self.case(state, fields)).applied(self._policy.program)

    def case(self, state: GuardState, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The known facts of a session with one event more, as a case of the policy."""
        options = self.options
        found: dict[str, Any] = {**self._base, **in_order(state.case)}
        events: list[dict[str, Any]] = []
        for entry in state.log:
            if "of" in entry:
                event = events[entry["of"] - 1]
            else:
                event = {"sort": options.event}
                events.append(event)
                event[options.turn] = len(events)
            event.update(in_order(entry["fields"]))
            if self._has_decision and "decision" in entry:
                event[options.decision] = entry["decision"]
        for number, event in enumerate(events, 1):
            found[self.event_name(number)] = event
        found[self._policy.event] = {**in_order(fields), options.turn: len(events) + 1}
        return found

    def event_name(self, number: int) -> str:
        """The name of an event of a session, by its number from 1."""
        return f"{self._policy.event}_{number}"

    # --- parts ---

    @property
    def _has_decision(self) -> bool:
        return any(
            each.name == self.options.decision and each.domain for each in self._policy.program.module.symbols
        )

    def _of_case(self, case: Mapping[str, Any]) -> _CompiledCase:
        """The policy compiled for sessions of which the case is known."""
        text = canonical(dict(case))
        with self._turn:
            found = self._compiled.get(text)
            if found is None:
                if len(self._compiled) >= _MOST_CASES:
                    self._compiled.pop(next(iter(self._compiled)))
                found = self._compiled[text] = self._compile(case)
            return found

    def _compile(self, case: Mapping[str, Any]) -> _CompiledCase:
        known = {**self._base, **case}
        program = Case(known).applied(self._policy.program) if known else self._policy.program
        try:
            return _CompiledCase(CompiledPolicy(self._policy._replace(program=program), self.options))
        except WrittenOut:
            return _CompiledCase(None)

    def _facts(self, state: GuardState) -> SessionFacts:
        """The facts of a state: those that it has, or read again from what it says."""
        if state.facts is not None:
            return state.facts
        fast = self._of_case(state.case).fast
        if fast is None:
            return SessionFacts([])
        facts = fast.begun()
        for entry in state.log:
            number = entry.get("of", facts.count + 1)
            self._add_entry(fast, facts, entry, number - 1)
        return facts

    def _add_entry(
        self, fast: CompiledPolicy, facts: SessionFacts, entry: Mapping[str, Any], event: int
    ) -> None:
        self._add(fast, facts, entry["fields"], event)
        if "decision" in entry:
            self._add_decision(fast, facts, Permission(entry["decision"]), event)

    def _add(self, fast: CompiledPolicy, facts: SessionFacts, fields: Mapping[str, Any], event: int) -> None:
        earlier = {self.event_name(number): number - 1 for number in range(1, facts.count + 1)}
        try:
            fast.add(facts, event, fast.event_facts(fields, earlier))
        except NotGround:
            facts.is_plain = False

    def _add_decision(
        self, fast: CompiledPolicy, facts: SessionFacts, permission: Permission, event: int
    ) -> None:
        if self._has_decision:
            self._add(fast, facts, {self.options.decision: str(permission)}, event)


class _CompiledCase(NamedTuple):
    """The policy for sessions of one case; None where solvers are asked about each event."""

    fast: CompiledPolicy | None


def plain_value(value: Any) -> Any:
    """A value of a case as it is kept: numbers exact, objects and lists of such values."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    return value if value is None else plain(value)


def _options(value: GuardOptions | Mapping[str, Any] | Path | None) -> GuardOptions:
    if isinstance(value, GuardOptions):
        return value
    return GuardOptions.read(value) if isinstance(value, Path) else GuardOptions.of(dict(value or {}))


def _refused(reason: str, state: GuardState) -> Decision:
    return Decision(Permission.DENY, reason, state, before=state)


def _first_line(error: CompileError) -> str:
    """The mistake of an event, and which of its fields has it."""
    if not error.diagnostics:
        return "the event does not fit the policy"
    first = error.diagnostics[0]
    place = first.labels[0].place.pointer if first.labels else ""
    case, *path = split_pointer(place) if place else [""]
    if case != "case" or len(path) < 2:
        return first.message
    return f"{path[-1]}: {first.message}" + (f"; {first.helps[0]}" if first.helps else "")


def _event_entry(state: GuardState, number: int) -> Mapping[str, Any]:
    events = [entry for entry in state.log if "of" not in entry]
    if not 1 <= number <= len(events):
        raise PolicyError(f"the session has no event {number}")
    return events[number - 1]


def _number_of(entry: Mapping[str, Any], state: GuardState, number: int) -> bool:
    """Whether an entry is about the event of that number."""
    return entry.get("of") == number or entry is _event_entry(state, number)

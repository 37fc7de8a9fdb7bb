"""Records of what a guard decides, made before anybody acts by it ([RECORD-GUARD])."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from potlang.policy.guard.events import RefusedEvent, plain
from potlang.policy.guard.reasons import claim_of
from potlang.policy.guard.state import GuardState
from potlang.policy.records import Certificates, DecisionRecord, Records, certificate_content
from potlang.report.results import Verdict

if TYPE_CHECKING:
    from potlang.policy.guard.guard import Decision, Guard


class GuardRecorder:
    """Adds the sessions, decisions and outcomes of a guard to a chain, where its policy is once.

    With `certificates` each decision by the policy has the certificate of its verdict, for which solvers are
    asked, or its digest. All methods raise RecordError for a chain that cannot be written.
    """

    def __init__(self, guard: Guard, records: Records, policy: str, certificates: Certificates) -> None:
        self._guard = guard
        self._records = records
        self._certificates = certificates
        self._policy = policy
        self._turn = threading.Lock()
        self._is_told = any(
            isinstance(each, DecisionRecord)
            and each.kind == "policy"
            and each.content.get("guard") == guard.digest
            for each in records.read()
        )

    def began(self, state: GuardState) -> None:
        """Records the beginning of a session."""
        self._add("begin", state, {"case": dict(state.case)})

    def decided(
        self, decision: Decision, before: GuardState, event: Any, context: Mapping[str, Any] | None
    ) -> None:
        """Records a decision on an event. Raises what a solver raises that is asked for a certificate."""
        asked = {"event": _plain_event(event, context), "fields": dict(decision.fields)}
        content = {**decision.to_json(), **asked, "after": decision.state.seal}
        self._add("decision", before, {**content, **self._certificate(decision)})

    def followed(self, before: GuardState, after: GuardState) -> None:
        """Records the outcome that one state has and the one before has not."""
        self._add("outcome", before, {**after.log[-1], "after": after.seal})

    def _add(self, kind: str, state: GuardState, content: Mapping[str, Any]) -> None:
        with self._turn:
            if not self._is_told:
                self._records.add("policy", self._guard.to_json() | {"id": self._policy})
                self._is_told = True
        self._records.add(kind, {"guard": self._guard.digest, "state": state.seal, **content})

    def _certificate(self, decision: Decision) -> dict[str, str]:
        verdict, before = decision.verdict, decision.before
        if self._certificates == "none" or before is None or verdict is None or verdict is Verdict.UNKNOWN:
            return {}
        report = self._guard.report(before, decision.fields, certificate=True)
        found = [claim_of(report).verdict]
        return certificate_content([verdict], found, report.certificate, self._certificates)


def _plain_event(event: Any, context: Mapping[str, Any] | None) -> Any:
    """An event as JSON values, with its context in it; of what is no event, its text."""
    if not isinstance(event, Mapping):
        return str(event)[:1000]
    found = _jsonable(event)
    return {**found, "context": {**(found.get("context") or {}), **_jsonable(context)}} if context else found


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _jsonable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(each) for each in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    try:
        return plain(value)
    except RefusedEvent:
        return str(value)[:1000]

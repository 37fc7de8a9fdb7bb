"""A guard whose decisions are recorded before anybody acts by them ([RECORD-GUARD])."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from potlang.policy.guard.events import RefusedEvent, plain
from potlang.policy.guard.guard import Decision, Guard, Permission
from potlang.policy.guard.state import GuardState
from potlang.policy.records import DecisionRecord, RecordError, Records

Certificates = Literal["none", "digest", "text"]


class RecordedGuard:
    """A guard and a chain of records: each session, decision and outcome is one.

    What cannot be recorded is not allowed. With `certificates` each decision by the policy has the
    certificate of its verdict, for which solvers are asked, or its digest.
    """

    def __init__(
        self, guard: Guard, records: Records, *, policy: str = "", certificates: Certificates = "none"
    ) -> None:
        self.guard = guard
        self._records = records
        self._certificates = certificates
        self._policy = policy
        self._is_told = any(
            isinstance(each, DecisionRecord)
            and each.kind == "policy"
            and each.content.get("guard") == guard.digest
            for each in records.read()
        )

    def begin(self, case: Mapping[str, Any] | None = None) -> GuardState:
        """As `Guard.begin`. Raises RecordError too."""
        state = self.guard.begin(case)
        self._add("begin", state, {"case": dict(state.case)})
        return state

    def check(self, event: Any, state: GuardState, *, context: Mapping[str, Any] | None = None) -> Decision:
        """As `Guard.check`; a decision that cannot be recorded is to deny, and the state stays as it was."""
        decision = self.guard.check(event, state, context=context)
        try:
            asked = {"event": _plain_event(event, context), "fields": dict(decision.fields)}
            content = {**decision.to_json(), **asked, "after": decision.state.seal}
            self._add("decision", state, {**content, **self._certificate(decision)})
        except RecordError as error:
            return Decision(Permission.DENY, str(error), state, before=state)
        except Exception as error:  # as in `Guard.check`: the call is not allowed by it
            return Decision(
                Permission.DENY, f"no record was made ({type(error).__name__})", state, before=state
            )
        return decision

    def ended(self, state: GuardState, *, of: int, succeeded: bool) -> GuardState:
        """As `Guard.ended`. Raises RecordError too."""
        after = self.guard.ended(state, of=of, succeeded=succeeded)
        if after is not state:
            self._add("outcome", state, {**after.log[-1], "after": after.seal})
        return after

    def outcome(
        self,
        state: GuardState,
        fields: Mapping[str, Any] | None = None,
        *,
        of: int | None = None,
        permission: Permission | None = None,
    ) -> GuardState:
        """As `Guard.outcome`. Raises RecordError too."""
        after = self.guard.outcome(state, fields, of=of, permission=permission)
        self._add("outcome", state, {**after.log[-1], "after": after.seal})
        return after

    def _add(self, kind: str, state: GuardState, content: Mapping[str, Any]) -> None:
        if not self._is_told:
            self._records.add("policy", self.guard.to_json() | {"id": self._policy})
            self._is_told = True
        self._records.add(kind, {"guard": self.guard.digest, "state": state.seal, **content})

    def _certificate(self, decision: Decision) -> dict[str, str]:
        if self._certificates == "none" or decision.verdict is None or decision.before is None:
            return {}
        text = self.guard.report(decision.before, decision.fields, certificate=True).certificate
        if text is None:
            return {}
        digest = hashlib.sha256(text.encode()).hexdigest()
        found = {"certificate_sha256": digest}
        return {**found, "certificate": text} if self._certificates == "text" else found


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

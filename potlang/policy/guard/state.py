"""The state of a session: what happened so far, with a seal over it ([GUARD-STATE])."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from potlang.policy.guard.session_facts import SessionFacts
from potlang.policy.tests import PolicyError

_FORMAT: Final = 1
MOST_EVENTS: Final = 10_000


class StateError(PolicyError):
    """A state that is no state of this guard, or was changed."""


def canonical(value: Any) -> str:
    """A JSON value as one text: keys in order, exact numbers, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)


def seal(key: bytes, before: str, value: Any) -> str:
    """The seal of what follows another seal: an HMAC with a key, and a plain digest without one."""
    text = f"{before}\n{canonical(value)}".encode("ascii")
    return hmac.new(key, text, "sha256").hexdigest() if key else hashlib.sha256(text).hexdigest()


@dataclass(frozen=True, slots=True)
class GuardState:
    """A session so far: what is known of it, its events with what was decided, and their outcomes.

    A value: each decision and each outcome makes a new one. `log` has for each event an object with its
    `fields` and the `decision`, and for each outcome one with the number `of` the event.
    """

    guard: str
    """The digest of the guard."""
    case: Mapping[str, Any]
    log: tuple[Mapping[str, Any], ...]
    seal: str
    facts: SessionFacts | None = field(default=None, compare=False, repr=False)
    """The content of the log, as far as it was read; None of a state that was kept."""
    count: int = 0
    """The number of events."""

    def to_json(self) -> dict[str, Any]:
        """As a JSON value, to be kept."""
        return {
            "potlang_guard_state": _FORMAT,
            "guard": self.guard,
            "case": dict(self.case),
            "log": [dict(each) for each in self.log],
            "seal": self.seal,
        }


def begun(guard: str, case: Mapping[str, Any], key: bytes) -> GuardState:
    """The state of a session in which nothing has happened."""
    return GuardState(guard, case, (), seal(key, guard, case))


def followed(
    state: GuardState, entry: Mapping[str, Any], key: bytes, facts: SessionFacts | None
) -> GuardState:
    """The state after one more thing."""
    count = state.count + ("of" not in entry)
    return GuardState(
        state.guard, state.case, (*state.log, entry), seal(key, state.seal, entry), facts, count
    )


def resumed(value: Any, guard: str, key: bytes) -> GuardState:
    """The state that was kept as a JSON value. Raises StateError."""
    if not isinstance(value, dict) or value.get("potlang_guard_state") != _FORMAT:
        raise StateError("this is no state of a guard, or one of another version")
    if value.get("guard") != guard:
        raise StateError("the state is one of another guard: its policy or its options are others")
    case, log = value.get("case"), value.get("log")
    if not isinstance(case, dict) or not isinstance(log, list):
        raise StateError("the state has no `case` or no `log`")
    state = begun(guard, case, key)
    for entry in log:
        if not isinstance(entry, dict) or not isinstance(entry.get("fields"), dict):
            raise StateError("the state has an entry without `fields`")
        state = followed(state, entry, key, None)
    if not hmac.compare_digest(state.seal.encode(), str(value.get("seal")).encode()):
        raise StateError("the state was changed: its seal is not that of what it says")
    return state

"""A session of an agent: its state, for callers in any thread, and calls made only if they are allowed."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from potlang.policy.guard.guard import Decision, Guard, Permission
from potlang.policy.guard.state import GuardState

T = TypeVar("T")
_LOST = "what became of an earlier call could not be kept, so that nothing is allowed any more"


class DeniedCall(Exception):
    """A call that was not made; the text says why, and `decision` has it all."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(f"{decision.permission}: {decision.reason}")
        self.decision = decision


class GuardSession:
    """One session of an agent behind a guard, which may record.

    After an outcome that could not be kept nothing is allowed any more. Raises as `Guard.begin`.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        case: Mapping[str, Any] | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        self.state: GuardState = guard.begin(case)
        self._guard = guard
        self._context = context
        self._turn = threading.Lock()
        self._is_lost = False

    def check(self, tool: Any, arguments: Any) -> Decision:
        """Decides a call. The number of its event is the `count` of the decision's state."""
        with self._turn:
            if self._is_lost:
                return Decision(Permission.DENY, _LOST, self.state)
            event = {"tool": tool, "arguments": arguments}
            decision = self._guard.check(event, self.state, context=self._context)
            self.state = decision.state
            return decision

    def answered(self, number: int, permission: Permission) -> bool:
        """Takes what people answered who were asked about an event; whether it could be kept."""
        return self._keep(lambda state: self._guard.outcome(state, of=number, permission=permission))

    def ended(self, number: int, *, succeeded: bool) -> bool:
        """Takes how a call has ended; whether that could be kept."""
        return self._keep(lambda state: self._guard.ended(state, of=number, succeeded=succeeded))

    def _keep(self, after: Callable[[GuardState], GuardState]) -> bool:
        with self._turn:
            was_lost, self._is_lost = self._is_lost, True
            with suppress(Exception):
                self.state = after(self.state)
                self._is_lost = was_lost
            return not self._is_lost

    def run(self, tool: str, arguments: Mapping[str, Any], call: Callable[[], T]) -> T:
        """The result of a call, made only if it is allowed. Raises DeniedCall, and what the call raises."""
        number = self._allowed(tool, arguments)
        try:
            result = call()
        except BaseException:
            self.ended(number, succeeded=False)
            raise
        self.ended(number, succeeded=True)
        return result

    async def arun(self, tool: str, arguments: Mapping[str, Any], call: Callable[[], Awaitable[T]]) -> T:
        """As `run`, of a call that is awaited."""
        number = self._allowed(tool, arguments)
        try:
            result = await call()
        except BaseException:
            self.ended(number, succeeded=False)
            raise
        self.ended(number, succeeded=True)
        return result

    def _allowed(self, tool: str, arguments: Mapping[str, Any]) -> int:
        decision = self.check(tool, arguments)
        if not decision.allowed:
            raise DeniedCall(decision)
        return decision.state.count

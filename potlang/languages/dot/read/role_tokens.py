"""The form with role tokens: a line with the token of its role above each `@node`, and none elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

from potlang.languages.dot.read.records import ROLE_TOKENS, Role
from potlang.languages.dot.read.rules import Violations


class _Pending(NamedTuple):
    start: int
    end: int
    role: Role


class RoleTokens:
    """Takes the lines with role tokens out, and reports those without their node ([DOT-ROLE-1])."""

    def __init__(self, violations: Violations) -> None:
        self._violations = violations
        self._pending: _Pending | None = None

    def take(self, kind: str, fields: tuple[Any, ...]) -> bool:
        """Whether the next token of the lexer is such a line; its kind is empty at the end."""
        start, end = fields[:2]
        above, self._pending = self._pending, None
        if above is not None and (kind != "NODE" or fields[3] not in (above.role, None)):
            problem = f"below `<{above.role}>` stands no `@node` with its role"
            self._violations.report("POT5052", above.start, above.end, problem=problem)
        if kind == "NODE" and above is None:
            problem = "there is no role token above the `@node`"
            self._violations.report("POT5052", start, end, problem=problem)
        role = ROLE_TOKENS.get(self._violations.raw.data[start:end]) if kind == "TEXT" else None
        if role is not None:
            self._pending = _Pending(start, end, role)
        return role is not None

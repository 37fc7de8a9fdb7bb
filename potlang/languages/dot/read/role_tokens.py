"""The form with role tokens: a line with the token of its role above each `@node`, and none elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

from potlang.diag import Applicability, Fix
from potlang.languages.dot.read.records import ROLE_TOKENS, Role
from potlang.languages.dot.read.rules import Violations

_SAFE = Applicability.SAFE
"""Role tokens say nothing: a trace is the same with others, or none."""


class _PendingRole(NamedTuple):
    start: int
    end: int
    role: Role


class RoleTokens:
    """Takes the lines with role tokens out, and reports those without their node ([DOT-ROLE-1])."""

    def __init__(self, violations: Violations) -> None:
        self._violations = violations
        self._pending: _PendingRole | None = None

    def take(self, kind: str, fields: tuple[Any, ...]) -> bool:
        """Whether the next token of the lexer is such a line; its kind is empty at the end."""
        start, end = fields[:2]
        above, self._pending = self._pending, None
        role = fields[3] if kind == "NODE" else None
        if above is not None and (kind != "NODE" or role not in (above.role, None)):
            problem = f"below `<{above.role}>` stands no `@node` with its role"
            fixes = [self._respelling(above, role) if role else self._removal(above)]
            self._violations.report("POT5052", above.start, above.end, fixes=fixes, problem=problem)
        if kind == "NODE" and above is None:
            problem = "there is no role token above the `@node`"
            insertion = (start, start, f"<{role}>\n")
            fixes = [self._violations.fix(f"write `<{role}>` above it", _SAFE, insertion)] if role else []
            self._violations.report("POT5052", start, end, fixes=fixes, problem=problem)
        token = ROLE_TOKENS.get(self._violations.raw.data[start:end]) if kind == "TEXT" else None
        if token is not None:
            self._pending = _PendingRole(start, end, token)
        return token is not None

    def _respelling(self, token: _PendingRole, role: Role) -> Fix:
        return self._violations.fix(f"write `<{role}>`", _SAFE, (token.start, token.end, f"<{role}>"))

    def _removal(self, token: _PendingRole) -> Fix:
        """A fix that removes the line of a token; one below it may be that of the node."""
        line_end = self._violations.raw.data.find(b"\n", token.end)
        end = token.end if line_end < 0 else line_end + 1
        return self._violations.fix("remove it", _SAFE, (token.start, end, ""))

"""Guards: whether an agent may call a tool now, by a policy that may speak of what happened before."""

from potlang.policy.guard.guard import ALL_RULES, Decision, Guard, Permission
from potlang.policy.guard.options import GuardOptions
from potlang.policy.guard.session import DeniedCall, GuardSession
from potlang.policy.guard.state import GuardState, StateError

__all__ = [
    "ALL_RULES",
    "Decision",
    "DeniedCall",
    "Guard",
    "GuardOptions",
    "GuardSession",
    "GuardState",
    "Permission",
    "StateError",
]

"""Rules for a shop that forbid refunds by numbers that nothing lists, each with a plain reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from reference.guarded_sessions import Shop, policy

Json = dict[str, Any]


class UnlistedRule(NamedTuple):
    """A condition under which refunds are forbidden; `forbids` reads it for an amount."""

    condition: str
    forbids: Callable[[int], bool]
    numbers: tuple[str, ...] = ()
    """The sorts of its variables `k` and `m`."""
    functions: tuple[Json, ...] = ()
    facts: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()


def _function(name: str, domain: str, range_: str, *, closed: bool = False) -> Json:
    return {"name": name, "domain": [domain], "range": range_, "closed": closed}


def _is_large(amount: int) -> bool:
    return amount > 150


UNLISTED: Final = {
    "a number that is equal": UnlistedRule("amount(e) == k and k > 150", _is_large, ("Int",)),
    "a number between": UnlistedRule("amount(e) > k and k >= 150", _is_large, ("Int",)),
    "a multiple": UnlistedRule(
        "amount(e) == 3 * k + 1 and k > 49", lambda amount: amount > 150 and amount % 3 == 1, ("Int",)
    ),
    "a real number": UnlistedRule("amount(e) == 1.5 * k and k > 100", _is_large, ("Real",)),
    "two numbers": UnlistedRule("amount(e) == k and m == 150 and k > m", _is_large, ("Int", "Int")),
    "a limit of a closed predicate": UnlistedRule(
        "limit(k) and amount(e) > k",
        _is_large,
        ("Int",),
        (_function("limit", "Int", "Bool", closed=True),),
        ("limit(150)",),
    ),
    "a threshold within limits": UnlistedRule(
        "amount(e) > threshold",
        _is_large,
        facts=("threshold > 149", "threshold < 151"),
        constants=("threshold",),
    ),
    "a total": UnlistedRule(
        "total(e) > 160",
        _is_large,
        functions=(_function("total", "Event", "Int"),),
        facts=("ForAll([x: Event], tool(x) == refund -> total(x) == amount(x) + 10)",),
    ),
}


def policy_with(rule: UnlistedRule, closes: str = "forbidden(e)") -> Json:
    """The policy of the shop with one rule more, `the limit`."""
    program = policy()
    program["functions"] += rule.functions
    program["knowledge_base"] += rule.facts
    program["constants"]["numbers"] = {"sort": "Int", "members": list(rule.constants)}
    variables = [{"name": "e", "sort": "Event"}]
    variables += ({"name": name, "sort": sort} for name, sort in zip("km", rule.numbers, strict=False))
    constraint = f"tool(e) == refund and {rule.condition} -> {closes}"
    program["rules"].append({"name": "the limit", "forall": variables, "constraint": constraint})
    return program


class LimitedShop(Shop):
    """The plain reading of the rules, with one that forbids refunds."""

    def __init__(self, rule: UnlistedRule) -> None:
        super().__init__()
        self._rule = rule

    def _forbidden_refund(self, now: Json) -> bool:
        return self._rule.forbids(now["amount"]) or super()._forbidden_refund(now)

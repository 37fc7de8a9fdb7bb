"""A policy of fifty rules for the tools of a shop's agent, sessions of it, and a plain reading of its rules.

`Shop` reads the rules as a person does, event by event, with nothing of potlang in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

Json = dict[str, Any]

TOOLS: Final = (
    "lookup", "note", "verify", "escalate", "refund", "cancel", "address", "email", "voucher", "discount",
    "export", "delete",
)  # fmt: skip
CUSTOMERS: Final = ("ann", "ben", "cid", "dora")
BALANCES: Final = {"ann": 1200, "ben": 400, "cid": 900, "dora": 100}
OPTIONS: Final[Json] = {"outcome": ["succeeded"], "context": ["role", "hour"]}

_SAME: Final = "customer(x) == customer(e)"
_ALLOWED: Final = "decision(x) == allow"

_PERMITTED: Final = {
    "lookups": "tool(e) == lookup",
    "notes": "tool(e) == note",
    "verifying": "tool(e) == verify",
    "escalating": "tool(e) == escalate",
    "small refunds": "tool(e) == refund and amount(e) <= 200",
    "refunds by leads": "tool(e) == refund and amount(e) <= 1000 and role(e) == lead",
    "cancelling": "tool(e) == cancel",
    "addresses": "tool(e) == address and identified(e)",
    "mail": "tool(e) == email and channel(e) == mail",
    "chat": "tool(e) == email and channel(e) == chat and identified(e)",
    "small vouchers": "tool(e) == voucher and amount(e) <= 50",
    "vouchers for good customers": "tool(e) == voucher and amount(e) <= 200 and vip(customer(e))",
    "small discounts": "tool(e) == discount and percent(e) <= 10",
    "discounts by leads": "tool(e) == discount and percent(e) <= 30 and role(e) == lead",
    "exports": "tool(e) == export and role(e) == auditor",
    "deleting": "tool(e) == delete and role(e) == lead and identified(e)",
}
_IDENTIFIED: Final = {
    "verified before": f"Exists([x: Event], before(x, e) and tool(x) == verify and succeeded(x) and {_SAME})",
    "auditors export": "tool(e) == export and role(e) == auditor",
}
_SENSITIVE: Final = {
    "refunds are sensitive": "tool(e) == refund",
    "addresses are sensitive": "tool(e) == address",
    "deleting is sensitive": "tool(e) == delete",
}
_FORBIDDEN: Final = {
    "refunds to strangers": "tool(e) == refund and not identified(e)",
    "cancelling for strangers": "tool(e) == cancel and not identified(e)",
    "accounts of minors": "tool(e) == delete and minor(customer(e))",
    "three refunds": "tool(e) == refund and Count([x: Event], before(x, e) and tool(x) == refund and "
    f"{_ALLOWED}) >= 3",
    "two vouchers": "tool(e) == voucher and Count([x: Event], before(x, e) and tool(x) == voucher and "
    f"{_ALLOWED} and {_SAME}) >= 2",
    "balance": "tool(e) == refund and Sum([x: Event], If(before(x, e) and tool(x) == refund and "
    f"{_ALLOWED} and {_SAME}, amount(x), 0)) + amount(e) > balance(customer(e))",
    "refunds after a new address": "tool(e) == refund and Exists([x: Event], before(x, e) and "
    f"tool(x) == address and {_ALLOWED} and {_SAME})",
    "exports after deleting": "tool(e) == export and Exists([x: Event], before(x, e) and tool(x) == delete)",
    "late mail": "tool(e) == email and hour(e) >= 20",
    "nights": "hour(e) < 6 and tool(e) != lookup and tool(e) != note",
    "one discount": "tool(e) == discount and Exists([x: Event], before(x, e) and tool(x) == discount and "
    f"{_ALLOWED} and {_SAME})",
    "vouchers for minors": "tool(e) == voucher and minor(customer(e))",
    "orders refunded": "tool(e) == refund and Exists([x: Event], before(x, e) and tool(x) == refund and "
    f"{_ALLOWED} and order(x) == order(e))",
    "orders cancelled": "tool(e) == cancel and Exists([x: Event], before(x, e) and tool(x) == cancel and "
    f"{_ALLOWED} and order(x) == order(e))",
    "orders that were not cancelled": "tool(e) == refund and Exists([x: Event], before(x, e) and "
    "tool(x) == cancel and order(x) == order(e) and not succeeded(x))",
    "deleting at once": "tool(e) == delete and not Exists([x: Event], before(x, e) and tool(x) == escalate)",
    "exports without consent": "tool(e) == export and not consent(e)",
    "failed verifications": "sensitive(e) and Count([x: Event], before(x, e) and tool(x) == verify and "
    f"{_SAME} and not succeeded(x)) >= 3",
    "too many lookups": "tool(e) == lookup and Count([x: Event], before(x, e) and tool(x) == lookup) >= 20",
    "large discounts": "tool(e) == discount and percent(e) > 20 and not vip(customer(e))",
    "auditors only read": "role(e) == auditor and (sensitive(e) or tool(e) == cancel or "
    "tool(e) == voucher or tool(e) == discount)",
    "refunds after escalating": "tool(e) == refund and role(e) == agent and "
    "Exists([x: Event], before(x, e) and tool(x) == escalate)",
    "many denials": "sensitive(e) and role(e) == agent and "
    "Count([x: Event], before(x, e) and decision(x) == deny) >= 5",
}
_PERSON: Final = {
    "large refunds": "tool(e) == refund and amount(e) > 500 and identified(e)",
    "deleting is asked": "tool(e) == delete",
    "large vouchers": "tool(e) == voucher and amount(e) > 100 and vip(customer(e))",
    "vouchers of a session": "tool(e) == voucher and Sum([x: Event], If(before(x, e) and "
    f"tool(x) == voucher and {_ALLOWED}, amount(x), 0)) + amount(e) > 300",
}
_REST: Final = {
    "what is permitted": "permitted(e) and not forbidden(e) and not needs_person(e) -> allowed(e)",
    "what is forbidden": "forbidden(e) -> not allowed(e)",
    "what nobody permits": "not permitted(e) and not needs_person(e) -> not allowed(e)",
    "refunds are amounts": "tool(e) == refund -> amount(e) > 0",
}


def policy() -> Json:
    """The policy as a program."""
    rules: dict[str, str] = {}
    for head, ways in (
        ("permitted", _PERMITTED),
        ("identified", _IDENTIFIED),
        ("sensitive", _SENSITIVE),
        ("forbidden", _FORBIDDEN),
        ("needs_person", _PERSON),
    ):
        rules |= {name: f"{condition} -> {head}(e)" for name, condition in ways.items()}
    rules |= _REST
    event = [{"name": "e", "sort": "Event"}]

    def closed(name: str, domain: str = "Event") -> Json:
        return {"name": name, "domain": [domain], "range": "Bool", "closed": True}

    def field(name: str, range_: str, domain: str = "Event") -> Json:
        return {"name": name, "domain": [domain], "range": range_}

    return {
        "sorts": [
            {"name": "Event", "type": "DeclareSort"},
            {"name": "Customer", "type": "DeclareSort"},
            {"name": "Tool", "type": "EnumSort", "values": list(TOOLS)},
            {"name": "Answer", "type": "EnumSort", "values": ["allow", "deny", "ask"]},
            {"name": "Channel", "type": "EnumSort", "values": ["chat", "phone", "mail"]},
            {"name": "Role", "type": "EnumSort", "values": ["agent", "lead", "auditor"]},
        ],
        "functions": [
            field("tool", "Tool"),
            field("decision", "Answer"),
            {"name": "before", "domain": ["Event", "Event"], "range": "Bool"},
            field("customer", "Customer"),
            field("amount", "Int"),
            field("percent", "Int"),
            field("order", "Int"),
            field("channel", "Channel"),
            field("role", "Role"),
            field("hour", "Int"),
            *map(closed, ("consent", "succeeded", "permitted", "identified", "sensitive", "forbidden")),
            closed("needs_person"),
            field("allowed", "Bool"),
            closed("vip", "Customer"),
            closed("minor", "Customer"),
            field("balance", "Int", "Customer"),
        ],
        "constants": {"customers": {"sort": "Customer", "members": list(CUSTOMERS)}},
        "semantics": {"closed_domain": ["Customer"], "unique_names": ["Customer"]},
        "knowledge_base": [
            "vip(ann)",
            "minor(dora)",
            *(f"balance({name}) == {amount}" for name, amount in BALANCES.items()),
        ],
        "rules": [
            {"name": name, "forall": event, "constraint": constraint} for name, constraint in rules.items()
        ],
    }


def events(random: Random, count: int) -> Iterator[tuple[Json, bool | None]]:
    """So many events of one session, each with whether it succeeds, where that is said of its tool."""
    few = random.random() < 0.5
    for _ in range(count):
        tool = random.choice(TOOLS[4:] if few and random.random() < 0.7 else TOOLS)
        arguments: Json = {}
        if tool != "note":
            arguments["customer"] = random.choice(CUSTOMERS[:2] if few else CUSTOMERS)
        if tool in ("refund", "voucher"):
            arguments["amount"] = random.choice((10, 50, 51, 90, 100, 101, 200, 201, 300, 501, 1000, 1001))
            if random.random() < 0.01:
                arguments["amount"] = random.choice((0, -5))
        if tool == "discount":
            arguments["percent"] = random.choice((5, 10, 11, 20, 21, 30, 31))
        if tool in ("refund", "cancel"):
            arguments["order"] = random.randrange(8)
        if tool == "email":
            arguments["channel"] = random.choice(("chat", "phone", "mail"))
        if tool == "export" and random.random() < 0.5:
            arguments["consent"] = True
        hour = random.choice((3, 5, 6, 9, 12, 15, 19, 20)) if random.random() < 0.3 else 12
        role = random.choice(("agent", "agent", "lead", "auditor"))
        event = {"tool": tool, "arguments": arguments, "context": {"role": role, "hour": hour}}
        yield event, random.random() < 0.6 if tool in ("verify", "cancel") else None


class Shop:
    """The rules read event by event: `decide` says what becomes of one, `end` how it ended."""

    def __init__(self) -> None:
        self.past: list[Json] = []

    def decide(self, event: Json) -> str:
        """`allow`, `deny` or `ask`; the event is remembered, unless it contradicts the rules."""
        now = {"tool": event["tool"], "ok": False, **event["arguments"], **event["context"]}
        if now["tool"] == "refund" and now["amount"] <= 0:
            return "deny"
        forbidden, person, permitted = self._forbidden(now), self._person(now), self._permitted(now)
        if forbidden:
            answer = "deny"
        elif person:
            answer = "ask"
        else:
            answer = "allow" if permitted else "deny"
        self.past.append({**now, "answer": answer})
        return answer

    def end(self, succeeded: bool) -> None:
        """The last event succeeded, or did not."""
        self.past[-1]["ok"] = succeeded

    def _of(self, now: Json, tool: str) -> list[Json]:
        """Earlier events of a tool with the same customer."""
        return [each for each in self._all(tool) if each["customer"] == now.get("customer")]

    def _all(self, tool: str) -> list[Json]:
        return [each for each in self.past if each["tool"] == tool]

    def _known(self, now: Json) -> bool:
        if now["tool"] == "export" and now["role"] == "auditor":
            return True
        return any(each["ok"] for each in self._of(now, "verify"))

    def _permitted(self, now: Json) -> bool:
        tool, role, amount = now["tool"], now["role"], now.get("amount", 0)
        if tool in ("lookup", "note", "verify", "escalate", "cancel"):
            return True
        if tool == "refund":
            return bool(amount <= 200 or (role == "lead" and amount <= 1000))
        if tool == "address":
            return self._known(now)
        if tool == "email":
            return bool(now["channel"] == "mail" or (now["channel"] == "chat" and self._known(now)))
        if tool == "voucher":
            return bool(amount <= 50 or (amount <= 200 and now["customer"] == "ann"))
        if tool == "discount":
            return bool(now["percent"] <= (30 if role == "lead" else 10))
        if tool == "export":
            return bool(role == "auditor")
        return bool(role == "lead" and self._known(now))

    def _person(self, now: Json) -> bool:
        tool = now["tool"]
        if tool == "refund":
            return bool(now["amount"] > 500 and self._known(now))
        if tool == "voucher":
            given = sum(each["amount"] for each in self._all("voucher") if each["answer"] == "allow")
            return bool(given + now["amount"] > 300 or (now["amount"] > 100 and now["customer"] == "ann"))
        return bool(tool == "delete")

    def _forbidden(self, now: Json) -> bool:
        tool, role, hour = now["tool"], now["role"], now["hour"]
        if hour < 6 and tool not in ("lookup", "note"):
            return True
        if role == "auditor" and tool in ("refund", "address", "delete", "cancel", "voucher", "discount"):
            return True
        if tool in ("refund", "address", "delete") and self._is_tried(now):
            return True
        check = getattr(self, f"_forbidden_{tool}", None)
        return check is not None and bool(check(now))

    def _is_tried(self, now: Json) -> bool:
        """Whether the customer, or the agent, has failed too often."""
        if sum(not each["ok"] for each in self._of(now, "verify")) >= 3:
            return True
        return bool(now["role"] == "agent" and sum(each["answer"] == "deny" for each in self.past) >= 5)

    def _forbidden_refund(self, now: Json) -> bool:
        paid = [each for each in self._all("refund") if each["answer"] == "allow"]
        own = sum(each["amount"] for each in paid if each["customer"] == now["customer"])
        return (
            not self._known(now)
            or len(paid) >= 3
            or own + now["amount"] > BALANCES[now["customer"]]
            or any(each["answer"] == "allow" for each in self._of(now, "address"))
            or any(each["order"] == now["order"] for each in paid)
            or any(each["order"] == now["order"] and not each["ok"] for each in self._all("cancel"))
            or (now["role"] == "agent" and bool(self._all("escalate")))
        )

    def _forbidden_cancel(self, now: Json) -> bool:
        done = [each for each in self._all("cancel") if each["answer"] == "allow"]
        return not self._known(now) or any(each["order"] == now["order"] for each in done)

    def _forbidden_delete(self, now: Json) -> bool:
        return now["customer"] == "dora" or not self._all("escalate")

    def _forbidden_voucher(self, now: Json) -> bool:
        given = [each for each in self._of(now, "voucher") if each["answer"] == "allow"]
        return now["customer"] == "dora" or len(given) >= 2

    def _forbidden_discount(self, now: Json) -> bool:
        if now["percent"] > 20 and now["customer"] != "ann":
            return True
        return any(each["answer"] == "allow" for each in self._of(now, "discount"))

    def _forbidden_export(self, now: Json) -> bool:
        return not now.get("consent") or bool(self._all("delete"))

    def _forbidden_email(self, now: Json) -> bool:
        return bool(now["hour"] >= 20)

    def _forbidden_lookup(self, now: Json) -> bool:
        return len(self._all("lookup")) >= 20

"""Small policies for guards, and events for them, drawn with a seed: facts and solvers agree on these."""

from __future__ import annotations

from random import Random
from typing import Any

Json = dict[str, Any]

OPTIONS: Json = {"outcome": ["done"], "arguments": ["n", "flag", "mark", "who", "text"]}
_TOOLS = ("read", "pay", "drop")
_HEADS = ("allowed(e)", "not allowed(e)", "allowed(e)", "not allowed(e)", "q(e)", "not q(e)", "r(e)", "s(e)")


_UNLISTED = (
    "ForAll([e: Event, k: Int], tool(e) == pay and n(e) == 2 * k -> allowed(e))",
    "ForAll([e: Event, k: Int], k > 2 and flag(e) and n(e) == k -> not allowed(e))",
    "ForAll([e: Event, k: Int], k * k == n(e) and mark(e) -> q(e))",
    "ForAll([t: Thing], heavy(t) -> not light(t))",
    "ForAll([e: Event, t: Thing], tool(e) == drop and about(e) == t and heavy(t) -> not allowed(e))",
    "ForAll([e: Event, t: Thing], about(e) == t and light(t) -> allowed(e) or flag(e))",
    "ForAll([e: Event], tool(e) == read -> Exists([k: Int], 2 * k == n(e)) or q(e))",
    "ForAll([e: Event, k: Int], n(e) > k and cap(k) -> not allowed(e))",
    "ForAll([e: Event, k: Int], n(e) == k and k > 1 and flag(e) -> r(e))",
    "ForAll([e: Event, k: Int], 3 * k < n(e) and k > 0 and tool(e) != read -> r(e))",
    "ForAll([e: Event, k: Int], n(e) >= k and often(k) -> not allowed(e))",
    "ForAll([e: Event, k: Real], 2 * k == n(e) and k > 0.5 and k < 1.5 -> allowed(e))",
    "ForAll([e: Event], n(e) > threshold -> not allowed(e))",
    "ForAll([e: Event], n(e) > threshold and mark(e) -> r(e))",
    "threshold >= 1",
    "threshold <= 2",
    "threshold < 3",
    "ForAll([e: Event], flag(e) -> threshold > 1)",
    "ForAll([e: Event], mark(e) -> share(e) < 0.5 and share(e) >= 0)",
    "ForAll([e: Event], share(e) >= 0.5 -> not allowed(e))",
    "ForAll([e: Event], tool(e) == pay -> share(e) > 0)",
    "ForAll([e: Event], share(e) > 0 and n(e) > 0 -> allowed(e))",
    "ForAll([k: Int], fee(k) >= 0)",
    "ForAll([k: Int, m: Int], k < m -> fee(k) <= fee(m))",
    "ForAll([e: Event], fee(n(e)) > 1 and tool(e) == pay -> not allowed(e))",
    "ForAll([e: Event, k: Int], k > 1 and n(e) == k -> often(k))",
    "ForAll([e: Event], total(e) == n(e) + 1)",
    "ForAll([e: Event], total(e) == 1 - Count([x: Event], tool(x) == pay))",
    "ForAll([e: Event], q(e) -> total(e) >= 1)",
    "ForAll([e: Event], tool(e) == drop -> total(e) <= 1)",
    "ForAll([e: Event], flag(e) -> total(e) >= 2 and total(e) < 4)",
    "ForAll([e: Event], total(e) > 2 -> not allowed(e))",
    "ForAll([e: Event], tool(e) == pay and total(e) >= 2 -> r(e))",
)
"""Rules with variables that have no list of values, or about what no fact gives."""


def drawn_policy(random: Random, *, unlisted: bool = False) -> Json:
    """A policy with few rules, with open and closed predicates, which speaks of history in all ways.

    `unlisted`: some rules have variables without a list of values.
    """

    def closed(name: str) -> Json:
        return {"name": name, "domain": ["Event"], "range": "Bool", "closed": True}

    def field(name: str, range_: str) -> Json:
        return {"name": name, "domain": ["Event"], "range": range_}

    heads = [random.choice(_HEADS) for _ in range(random.randint(2, 6))]
    rules: list[Json] = []
    for number, head in enumerate(heads):
        parts = [_atom(random, "e", head) for _ in range(random.randint(1, 3))]
        joined = f" {random.choice(('and', 'and', 'or'))} ".join(parts)
        rule: Json = {
            "name": f"rule {number}",
            "forall": [{"name": "e", "sort": "Event"}],
            "constraint": f"{joined} -> {head}",
        }
        if random.random() < 0.3:
            rule["unless"] = [_atom(random, "e", head)]
        rules.append(rule)
    for extra in ("tool(e) == pay -> n(e) >= 0", "n(e) >= 0", "flag(e) -> q(e)", "q(e) or allowed(e)"):
        if random.random() < 0.15:
            constraint = f"ForAll([e: Event], {extra})"
            rules.append({"name": extra, "constraint": constraint})
    if random.random() < 0.15:
        both = f"before(x, e) and {_atom(random, 'x', '')} and {_atom(random, 'e', '')}"
        pairs = f"ForAll([e: Event, x: Event], {both} -> not allowed(e))"
        rules.append({"name": "pairs", "constraint": pairs})
    if unlisted:
        rules += ({"constraint": each} for each in random.sample(_UNLISTED, random.randint(1, 5)))
    return {
        "sorts": [
            {"name": "Event", "type": "DeclareSort"},
            {"name": "Thing", "type": "DeclareSort"},
            {"name": "Who", "type": "DeclareSort"},
            {"name": "Tool", "type": "EnumSort", "values": list(_TOOLS)},
            {"name": "Answer", "type": "EnumSort", "values": ["allow", "deny", "ask"]},
        ],
        "functions": [
            field("tool", "Tool"),
            field("decision", "Answer"),
            field("n", "Int"),
            field("total", "Int"),
            field("share", "Real"),
            field("text", "String"),
            field("who", "Who"),
            field("flag", "Bool"),
            {"name": "before", "domain": ["Event", "Event"], "range": "Bool"},
            *map(closed, ("mark", "done", "r", "s")),
            field("q", "Bool"),
            field("about", "Thing"),
            {"name": "heavy", "domain": ["Thing"], "range": "Bool"},
            {"name": "light", "domain": ["Thing"], "range": "Bool"},
            field("allowed", "Bool"),
            {"name": "limit", "domain": ["Who"], "range": "Int"},
            {"name": "cap", "domain": ["Int"], "range": "Bool", "closed": True},
            {"name": "often", "domain": ["Int"], "range": "Bool"},
            {"name": "fee", "domain": ["Int"], "range": "Int"},
            {"name": "good", "domain": ["Who"], "range": "Bool", "closed": random.random() < 0.5},
        ],
        "constants": {
            "people": {"sort": "Who", "members": ["ann", "ben"]},
            "numbers": {"sort": "Int", "members": ["threshold"]},
        },
        "semantics": {"closed_domain": ["Who"], "unique_names": random.choice((["Who"], ["Who"], []))},
        "knowledge_base": ["limit(ann) == 2", "limit(ben) == 1", "good(ann)", "cap(1)", "cap(2)", "often(2)"],
        "rules": rules,
    }


def _atom(random: Random, var: str, head: str) -> str:
    v, k, tool = var, random.randint(0, 3), random.choice(_TOOLS)
    # A closed predicate must not depend on its own denial.
    own = {"r(e)": (), "s(e)": (f"r({v})",)}.get(head, (f"r({v})", f"s({v})", f"q({v})"))
    found = [
        f"tool({v}) == {tool}",
        f"tool({v}) == {tool}",
        f"tool({v}) != {tool}",
        f"n({v}) <= {k}",
        f"n({v}) > limit(who({v}))",
        f"who({v}) == ann",
        f"flag({v})",
        f"mark({v})",
        f"good(who({v}))",
        f'text({v}) == "a"',
        *own,
    ]  # fmt: skip
    if var == "e":
        inner = _atom(random, "x", head)
        found += [
            f"Exists([x: Event], before(x, {v}) and {inner})",
            f"ForAll([x: Event], before(x, {v}) -> {inner})",
            f"Exists([x: Event], {inner})",
            f"Count([x: Event], before(x, {v}) and {inner}) >= {k}",
            f"Count([x: Event], {inner}) <= {k}",
            f"Sum([x: Event], If({inner}, 1, 0)) > {k}",
            f"AtMost({k}, [x: Event], {inner})",
            f"Exists([x: Event], turn(x) < turn({v}) and decision(x) == allow and tool(x) == {tool})",
            f"Exists([x: Event], before(x, {v}) and done(x) and who(x) == who({v}))",
        ]
    atom = random.choice(found)
    return f"not ({atom})" if random.random() < 0.25 else atom


def drawn_event(random: Random) -> Json:
    """An event; most of its arguments are given."""
    given = {
        "n": random.randint(-1, 3),
        "flag": random.random() < 0.5,
        "mark": random.random() < 0.5,
        "who": random.choice(("ann", "ben")),
        "text": random.choice(("a", "b")),
    }
    least = random.choice((0.4, 0.0))
    arguments = {key: value for key, value in given.items() if random.random() >= least}
    return {"tool": random.choice(_TOOLS), "arguments": arguments}

"""Random Horn programs, whose claims the closure derives or not."""

from __future__ import annotations

from random import Random
from typing import Any


def horn_program(random: Random) -> dict[str, Any]:
    """A Horn program over two sorts with claims of every kind, some of them entailed."""
    things = ["a", "b", "c"]
    atoms = ["P(x)", "Q(x)", "R(x, y)", "R(y, x)", "S(y)", "P(y)"]
    facts = [f"{random.choice('PQS')}({random.choice(things)})" for _ in range(random.randint(0, 4))]
    facts += [f"R({random.choice(things)}, {random.choice(things)})" for _ in range(random.randint(0, 2))]
    facts += random.sample(
        ["a == b", "Exists([x: T], Q(x))", "Not(b == c)", "P(a) or Q(a)"], random.randint(0, 2)
    )
    rules = [
        {
            "name": f"rule {i}",
            "forall": [{"name": "x", "sort": "T"}, {"name": "y", "sort": "T"}],
            "implies": {
                "antecedent": " and ".join(random.sample(atoms, random.randint(1, 2))),
                "consequent": random.choice(atoms),
            },
        }
        for i in range(random.randint(1, 4))
    ]
    claims = [
        "P(a)",
        "R(a, b) and S(b)",
        "Exists([x: T], P(x))",
        "ForAll([x: T], P(x) -> Q(x))",
        "ForAll([x: T, y: T], R(x, y) -> S(y))",
        "P(a) -> Exists([x: T], Q(x))",
        "Not(P(c)) or S(c)",
        "ForAll([x: T], x == a -> (P(x) or Q(x)))",
    ]
    domain = {name: ["T"] for name in "PQS"} | {"R": ["T", "T"]}
    return {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": sorts, "range": "Bool"} for name, sorts in domain.items()],
        "constants": {"things": {"sort": "T", "members": things}},
        "knowledge_base": facts,
        "rules": rules,
        "verifications": [
            {"name": f"claim {i}", "constraint": each} for i, each in enumerate(random.sample(claims, 2))
        ],
        "semantics": {"closed_domain": True} if random.random() < 0.4 else {},
    }

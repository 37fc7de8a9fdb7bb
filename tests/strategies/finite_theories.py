"""Traces over finite theories with an enum, a closed sort, functions of it and bounded integers."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from potlang.dot import TraceBuilder


class FiniteTrace(NamedTuple):
    """A trace, and the PoT program that it is read against."""

    text: bytes
    theory: dict[str, Any]


_ATOMS = (
    *("p", "c == red", "ann == bob", "likes(ann)", "likes(bob)", "likes(boss(ann))", "boss(bob) == ann"),
    *("n > 1", "n + age(ann) <= 2", "age(ann) == age(bob)", "age(boss(bob)) < n", "2 * n != age(bob) + 1"),
    *("Exists([x: Person], likes(x))", "ForAll([x: Person], age(x) < n)", "If(p, n, 3 - n) >= 2"),
)


def finite_trace(random: Random) -> FiniteTrace:
    """A random trace whose theory has at most 1,000 models."""
    unique = random.random() < 0.5
    bounded = "ForAll([x: Person], And(0 <= age(x), age(x) <= 1))"
    assumed = [_formula(random) for _ in range(random.choice([0, 1, 1, 2]))]
    theory: dict[str, Any] = {
        "sorts": [
            {"name": "Colour", "type": "EnumSort", "values": ["red", "green"]},
            {"name": "Person", "type": "DeclareSort"},
        ],
        "functions": [
            {"name": "likes", "domain": ["Person"], "range": "Bool"},
            {"name": "age", "domain": ["Person"], "range": "Int"},
            {"name": "boss", "domain": ["Person"], "range": "Person"},
        ],
        "constants": {
            "people": {"sort": "Person", "members": ["ann", "bob"]},
            "colours": {"sort": "Colour", "members": ["c"]},
            "truths": {"sort": "Bool", "members": ["p"]},
            "numbers": {"sort": "Int", "members": ["n"]},
        },
        "semantics": {"closed_domain": ["Person"], "unique_names": unique},
        "knowledge_base": [
            bounded,
            "0 <= n",
            "n <= 2",
            *assumed,
        ],
    }
    return FiniteTrace(_trace(random), theory)


def _formula(random: Random) -> str:
    one, two = random.choice(_ATOMS), random.choice(_ATOMS)
    return random.choice([one, one, f"not ({one})", f"Or({one}, {two})", f"Implies({one}, {two})"])


def _trace(random: Random) -> bytes:
    builder = TraceBuilder()
    builder.problem()
    said: list[int] = []
    valid: list[int] = []
    for _ in range(random.randint(1, 4)):
        refines = [random.choice(said)] if said and random.random() < 0.3 else []
        said.append(builder.proposer({"pot": _formula(random)}, refines=refines))
        critic = builder.critic(said[-1])
        if random.random() < 0.8:
            builder.validate(said[-1])
            valid.append(said[-1])
        else:
            builder.invalidate(said[-1])
        for _ in range(random.choice([0, 1, 1])):
            one, two = random.choice(said), random.choice(said)
            builder.entails(one, two, witness=critic, rank=random.choice([None, 1, 3]))
        if random.random() < 0.2:
            random.choice([builder.eq, builder.coeq])(random.choice(said), random.choice(said))
    builder.summarizer({"pot": _formula(random)}, uses=valid)
    return builder.text()

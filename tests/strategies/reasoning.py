"""Traces with a meaning: small reasoning about a few truth values and a colour, and its finite models.

`models` and `holds` decide everything by looking at all assignments, from the JSON of the records alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from potlang.languages.dot.read.records import Edge, Entails, Eq, Node, Prop, Record, Status
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import prop

Json = Any
Assignment = Mapping[str, object]
"""Values of the declared names, and of `#5` for the proposer 5 where that states nothing."""

_TRUTHS = ("p", "q", "r")
_COLOURS = ("red", "green", "blue")
_SORTS = [{"name": "Colour", "type": "EnumSort", "values": list(_COLOURS)}]


class Reasoning(NamedTuple):
    """The records of a trace, and the PoT program that it is read against, if any."""

    records: tuple[Record, ...]
    theory: dict[str, Any] | None

    @property
    def text(self) -> bytes:
        """The trace."""
        return emit(self.records)

    def proposition(self, id_: int) -> Json | None:
        """The JSON of what a node says; None where it states nothing."""
        found = (each.value for each in self.records if isinstance(each, Prop) and each.id == id_)
        value = next(found, None)
        return None if isinstance(value, dict) and ("declare" in value or "assume" in value) else value

    def ids(self, role: str) -> list[int]:
        """The nodes of a role in order."""
        return [each.id for each in self.records if isinstance(each, Node) and each.role == role]

    def marked(self, mark: str | None) -> list[int]:
        """The proposers with a mark in order; for None the active ones."""
        marks = {each.target: each.mark for each in self.records if isinstance(each, Status)}
        return [id_ for id_ in self.ids("proposer") if marks.get(id_) == mark]

    def models(self) -> list[Assignment]:
        """All assignments in which the theory holds: the semantic space S."""
        choices: dict[str, Sequence[object]] = dict.fromkeys(_TRUTHS, (False, True))
        assumed = []
        if self.theory is not None:
            choices["c"] = _COLOURS
            assumed += [each["constraint"] for each in self.theory["rules"]]
        for each in self.records:
            if isinstance(each, Prop) and isinstance(each.value, dict):
                assumed += each.value.get("assume", [])
        for id_ in self.ids("proposer"):
            if self.proposition(id_) is None:
                choices[f"#{id_}"] = (False, True)
        rows = itertools.product(*choices.values())
        every = [dict(zip(choices, row, strict=True)) for row in rows]
        return [one for one in every if all(holds(each, one) for each in assumed)]

    def is_true(self, id_: int, model: Assignment) -> bool:
        """Whether what a proposer stands for is true."""
        value = self.proposition(id_)
        return model[f"#{id_}"] is True if value is None else holds(value, model)


def holds(value: Json, model: Assignment) -> bool:
    """Whether a proposition is true in an assignment."""
    return _value(value, model) is True


def _value(value: Json, model: Assignment) -> object:
    if isinstance(value, str):
        return value if value in _COLOURS else model[value]
    [(name, below)] = value.items()
    if name in ("forall", "exists"):
        [variable] = below[0]
        tried = [holds(below[1], {**model, variable: truth}) for truth in (False, True)]
        return all(tried) if name == "forall" else any(tried)
    if name == "pot":
        return {"p or not p": True, "q and not q": False, "p != q": model["p"] != model["q"]}[below]
    if name == "not":
        return not holds(below, model)
    parts = [_value(each, model) for each in below]
    found: dict[str, object] = {
        "and": all(parts),
        "or": any(parts),
        "implies": not parts[0] or parts[-1] is True,
        "iff": parts[0] is parts[-1],
        "eq": parts[0] == parts[-1],
        "ne": parts[0] != parts[-1],
    }
    return found[name]


# --- making them ---------------------------------------------------------------------------------


def proposition(random: Random, coloured: bool, depth: int = 2) -> Json:
    """A random proposition over the declared names."""
    roll = random.random()
    if depth == 0 or roll < 0.4:
        if coloured and random.random() < 0.3:
            return {random.choice(["eq", "ne"]): ["c", random.choice(_COLOURS)]}
        return random.choice(_TRUTHS)
    if roll < 0.45:
        return {"pot": random.choice(["p or not p", "q and not q", "p != q"])}
    if roll < 0.5:
        return {
            random.choice(["forall", "exists"]): [{"p": "Bool"}, proposition(random, coloured, depth - 1)]
        }
    if roll < 0.62:
        return {"not": proposition(random, coloured, depth - 1)}
    kind = random.choice(["and", "or", "or", "implies", "implies", "iff"])
    count = random.randint(1, 3) if kind in ("and", "or") else 2
    return {kind: [proposition(random, coloured, depth - 1) for _ in range(count)]}


def reasoning(random: Random, most: int = 5) -> Reasoning:
    """A random trace of up to so many propositions, well formed under the profile `paper`."""
    coloured = random.random() < 0.4
    theory = None
    if coloured:
        rules = [{"constraint": each} for each in _assumed(random, coloured)]
        theory = {"rules": rules}
    return Reasoning(tuple(_Maker(random, coloured).make(random.randint(1, most))), theory)


def program(theory: Mapping[str, Any]) -> dict[str, Any]:
    """The PoT program of the theory of a `Reasoning`."""
    from potlang.diag import Sink
    from potlang.languages.dot.lower.expressions import read_expression

    rules = [
        {"constraint": read_expression(each["constraint"], "", Sink()).formula.text}
        for each in theory["rules"]
    ]
    return {
        "sorts": _SORTS,
        "constants": {
            "colours": {"sort": "Colour", "members": ["c"]},
            "truths": {"sort": "Bool", "members": list(_TRUTHS)},
        },
        "rules": rules,
        "verifications": [{"constraint": "c == red"}],
    }


def _assumed(random: Random, coloured: bool) -> list[Json]:
    return [proposition(random, coloured) for _ in range(random.choice([0, 0, 1, 1, 2]))]


class _Maker:
    def __init__(self, random: Random, coloured: bool) -> None:
        self.random = random
        self.coloured = coloured
        self.records: list[Record] = []
        self.last = 0
        self.proposers: list[int] = []
        self.marks: dict[int, str] = {}
        self.said: list[Json] = []

    def make(self, count: int) -> list[Record]:
        self._problem()
        for _ in range(count):
            self._proposer()
            if self.random.random() < 0.85:
                self._critic()
        self._critic()
        if self.random.random() < 0.8:
            self._summarizer()
        return self.records

    def _node(self, role: Any) -> int:
        self.last += self.random.choice([1, 1, 1, 3])
        self.records.append(Node(self.last, role))
        return self.last

    def _problem(self) -> None:
        id_ = self._node("problem")
        value: dict[str, Json] = {"assume": _assumed(self.random, self.coloured)}
        if not self.coloured:
            value["declare"] = dict.fromkeys(_TRUTHS, "Bool")
        self.records.append(prop(id_, value))

    def _says(self) -> Json:
        """A proposition; sometimes one that was said before."""
        if self.said and self.random.random() < 0.15:
            return self.random.choice(self.said)
        self.said.append(proposition(self.random, self.coloured))
        return self.said[-1]

    def _proposer(self) -> None:
        id_ = self._node("proposer")
        for source in self.proposers:
            if self.random.random() < 0.3:
                self.records.append(Edge(source, id_, self.random.choice(["use", "refine"])))
        self.proposers.append(id_)
        if self.random.random() < 0.85:
            self.records.append(prop(id_, self._says()))

    def _critic(self) -> None:
        random = self.random
        id_ = self._node("critic")
        active = [each for each in self.proposers if each not in self.marks]
        if active and random.random() < 0.9:
            target = random.choice(active)
            self.records.append(Edge(target, id_, "critique"))
            self.marks[target] = mark = random.choice(["validated", "validated", "invalidated"])
            self.records.append(Status(target, mark, None, id_))  # type: ignore[arg-type]
        for _ in range(random.choice([0, 0, 1, 2])):
            pair = random.choice(self.proposers), random.choice(self.proposers)
            rank = random.choice([None, None, 1, 2, 5])
            self.records.append(Entails(*pair, None, rank, id_))
        if random.random() < 0.15:
            self.records.append(Eq(random.choice(self.proposers), random.choice(self.proposers), id_))

    def _summarizer(self) -> None:
        id_ = self._node("summarizer")
        valid = [each for each, mark in self.marks.items() if mark == "validated"]
        self.records += [Edge(each, id_, "use") for each in valid if self.random.random() < 0.6]
        if self.random.random() < 0.8:
            self.records.append(prop(id_, self._says()))


def reasonings(most: int = 5) -> SearchStrategy[Reasoning]:
    """Random traces with a meaning; see `reasoning`."""
    return st.builds(lambda random: reasoning(random, most), st.randoms(use_true_random=False))

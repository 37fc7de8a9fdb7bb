"""What a trace means in a topos, found by brute force: from the JSON of its records alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from meaning_support import Meant
from strategies.reasoning import Assignment, holds

from potlang.languages.dot.diagram import TraceDiagram

Json = Any
State = tuple[str, frozenset[int]]
"""A stage, and the models that look alike there, by their places."""


def same_model(shown: Mapping[str, str], model: Assignment) -> bool:
    """Whether a model of a diagram is one of `Reasoning.models`, as far as it says something."""
    names = {f"node {key[1:]}" if key.startswith("#") else key: str(value) for key, value in model.items()}
    return all(names[name] == value for name, value in shown.items())


def places(meant: Meant, diagram: TraceDiagram) -> list[int]:
    """For each model of the brute force the model of the diagram that it is."""
    found = []
    for model in meant.models:
        [at] = [at for at, shown in enumerate(diagram.models) if same_model(shown, model)]
        found.append(at)
    return found


def components(nodes: Sequence[Any], pairs: Sequence[tuple[Any, Any]]) -> int:
    """How many connected components a graph has."""
    left, count = set(nodes), 0
    while left:
        count += 1
        waiting = [left.pop()]
        while waiting:
            here = waiting.pop()
            near = {b for a, b in pairs if a == here} | {a for a, b in pairs if b == here}
            waiting += near & left
            left -= near
    return count


_READ: dict[str, Json] = {
    "p or not p": {"or": ["p", {"not": "p"}]},
    "q and not q": {"and": ["q", {"not": "q"}]},
    "p != q": {"not": {"iff": ["p", "q"]}},
}


class Forcing:
    """Kripke's forcing over what may be known at stages, for the propositions of a `Reasoning`.

    A state is a stage and the set of models that look alike there; `known` has the names whose values
    have been found out at each stage.
    """

    def __init__(self, models: Sequence[Assignment], known: Mapping[str, Sequence[str]]) -> None:
        self.models = models
        looks = {stage: [tuple(m[name] for name in names) for m in models] for stage, names in known.items()}
        self.states: set[State] = {
            (stage, frozenset(b for b, other in enumerate(row) if other == look))
            for stage, row in looks.items()
            for look in row
        }
        every = range(len(models))
        self.finer = {
            (d, c)
            for d, one in looks.items()
            for c, two in looks.items()
            if all(two[a] == two[b] for a in every for b in every if one[a] == one[b])
        }

    def below(self, state: State) -> list[State]:
        """The states that may come when more is found out."""
        return [each for each in self.states if (each[0], state[0]) in self.finer and each[1] <= state[1]]

    def forces(self, state: State, value: Json) -> bool:
        """Whether a proposition is forced in a state."""
        if isinstance(value, dict):
            [(name, parts)] = value.items()
            if name == "pot":
                return self.forces(state, _READ[parts])
            if name == "ne":
                return self.forces(state, {"not": {"eq": parts}})
            if name == "not":
                return not any(self.forces(each, parts) for each in self.below(state))
            if name == "and":
                return all(self.forces(state, part) for part in parts)
            if name == "or":
                return any(self.forces(state, part) for part in parts)
            if name in ("implies", "iff"):
                turns = [parts, parts[::-1]] if name == "iff" else [parts]
                return all(
                    self.forces(each, two) or not self.forces(each, one)
                    for each in self.below(state)
                    for one, two in turns
                )
        return all(holds(value, self.models[at]) for at in state[1])

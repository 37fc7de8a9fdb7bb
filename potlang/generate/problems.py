"""Small random problems with their derivations, for synthetic traces.

Each problem decides by itself which literals it entails and refutes, without a solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Literal, NamedTuple, Protocol

from potlang.languages.dot.read.json_line import json_line
from potlang.report.results import Verdict

Json = Any
Kind = Literal["horn", "arithmetic"]

_STEMS = (
    *("alarm", "belt", "brake", "cable", "clamp", "cooler", "door", "drain", "fan", "filter", "fuse"),
    *("gate", "heater", "hoist", "lamp", "latch", "motor", "panel", "pump", "relay", "rotor", "sensor"),
    *("tank", "valve"),
)
_STATES = ("ready", "open", "warm", "sealed", "locked", "active", "clean", "loaded")
_QUANTITIES = (
    *("apples", "boxes", "cards", "coins", "crates", "days", "eggs", "fares", "guests", "hours", "jars"),
    *("keys", "lamps", "meters", "nails", "orders", "plates", "rooms", "seats", "tickets", "units"),
    *("votes", "watts"),
)


class SolvedStep(NamedTuple):
    """A correct step: its proposition, the numbers of its premises, the same in words, and the reason."""

    claim: Json
    premises: tuple[int, ...]
    words: str
    reason: str


class Wrong(NamedTuple):
    """A wrong proposal: its proposition, the same in words, and the critic's objection."""

    claim: Json
    words: str
    reason: str


class SolvedProblem(Protocol):
    """A problem with the steps that solve it, the last of which is the answer."""

    @property
    def question(self) -> str:
        """The problem in words."""

    @property
    def declare(self) -> Mapping[str, Json]:
        """The names with their sorts."""

    @property
    def assume(self) -> Sequence[Json]:
        """The assumptions."""

    @property
    def steps(self) -> Sequence[SolvedStep]:
        """The derivation; each step comes after those it rests on."""

    def wrong(self, step: SolvedStep, random: Random) -> Wrong:
        """A proposal in place of a step that the assumptions do not entail."""

    def verdict(self, literal: Json) -> Verdict:
        """The verdict on a literal over the problem's atoms."""

    def atoms(self, claims: Iterable[Json]) -> list[Json]:
        """The atoms whose truth a summary of these propositions is asked about."""


def make_problem(kind: Kind, depth: int, width: int, random: Random) -> SolvedProblem:
    """A problem whose derivation has `depth` layers of at most `width` steps."""
    return (_Horn if kind == "horn" else _Arithmetic)(depth, width, random)


def _opposite(verdict: Verdict) -> Verdict:
    swapped = {Verdict.ENTAILED: Verdict.REFUTED, Verdict.REFUTED: Verdict.ENTAILED}
    return swapped.get(verdict, verdict)


def _names(stems: Iterable[str], count: int, random: Random) -> list[str]:
    """Different names, numbered once the stems are used up."""
    known = list(stems)
    random.shuffle(known)
    return [
        known[i % len(known)] + (f"_{i // len(known) + 1}" if i >= len(known) else "") for i in range(count)
    ]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


class _Rule(NamedTuple):
    body: tuple[str, ...]
    head: str

    @property
    def words(self) -> str:
        return f"if {_listed(self.body)}, then {self.head}"


class _Horn:
    """Facts, rules and denials over truth values.

    Rules lead from layer to layer. Other atoms are heads of rules that never apply, and some of them
    are denied together with an atom that holds.
    """

    def __init__(self, depth: int, width: int, random: Random) -> None:
        stems = [f"{stem}_{state}" for stem in _STEMS for state in _STATES]
        names = _names(stems, (depth + 1) * width + width, random)
        self._layers = [names[i * width : (i + 1) * width] for i in range(depth + 1)]
        self._others = names[(depth + 1) * width :]
        self._rules = {
            name: self._rule(name, layer, random)
            for layer in range(1, depth + 1)
            for name in self._layers[layer]
        }
        self._open = self._open_rules(random)
        holding = [name for layer in self._layers for name in layer]
        self._denied = {name: random.choice(holding) for name in self._others[::2] if random.random() < 0.5}
        self._decided: dict[str, Verdict] = {}
        self.steps: Sequence[SolvedStep] = self._derivation(random)

    def _rule(self, head: str, layer: int, random: Random) -> _Rule:
        below = self._layers[layer - 1]
        body = random.sample(below, random.randint(1, min(3, len(below))))
        if layer > 1 and random.random() < 0.3:
            body.append(random.choice(self._layers[random.randrange(layer - 1)]))
        return _Rule(tuple(body), head)

    def _open_rules(self, random: Random) -> list[_Rule]:
        """Rules whose bodies have an atom that nothing gives."""
        holding = [name for layer in self._layers for name in layer]
        pairs = zip(self._others[::2], self._others[1::2], strict=False)
        return [_Rule((random.choice(holding), missing), head) for head, missing in pairs]

    # --- the problem -----------------------------------------------------------------------------

    @property
    def question(self) -> str:
        goal = _words(self.steps[-1].claim)
        rules = ". ".join(rule.words.capitalize() for rule in [*self._rules.values(), *self._open])
        denials = "".join(f" Never {b} and {a} together." for a, b in self._denied.items())
        return f"Given: {_listed(self._layers[0])}. {rules}.{denials} Is it so that {goal}?"

    @property
    def declare(self) -> Mapping[str, Json]:
        return {name: "Bool" for layer in [*self._layers, self._others] for name in layer}

    @property
    def assume(self) -> Sequence[Json]:
        rules = [*self._rules.values(), *self._open]
        return [
            *self._layers[0],
            *({"implies": [_joined(rule.body), rule.head]} for rule in rules),
            *({"not": {"and": [b, a]}} for a, b in self._denied.items()),
        ]

    # --- the derivation --------------------------------------------------------------------------

    def _derivation(self, random: Random) -> list[SolvedStep]:
        """The steps to the goal: an atom of the last layer, or the negation of one that is denied."""
        denied = random.choice([*self._denied]) if self._denied and random.random() < 0.3 else None
        goal = random.choice(self._layers[-1]) if denied is None else self._denied[denied]
        steps: list[SolvedStep] = []
        numbers: dict[str, int] = {}
        for name in self._needed(goal):
            numbers[name] = len(steps)
            steps.append(self._step(name, numbers))
        if denied is not None:
            words = f"Never {goal} and {denied} together, and {goal} holds: not {denied}."
            steps.append(SolvedStep({"not": denied}, (numbers[goal],), words, f"{goal} excludes {denied}."))
        return steps

    def _needed(self, goal: str) -> list[str]:
        needed, stack = {goal}, [goal]
        while stack:
            rule = self._rules.get(stack.pop())
            new = [name for name in (rule.body if rule else ()) if name not in needed]
            needed.update(new)
            stack += new
        return [name for layer in self._layers for name in layer if name in needed]

    def _step(self, name: str, numbers: Mapping[str, int]) -> SolvedStep:
        rule = self._rules.get(name)
        if rule is None:
            return SolvedStep(name, (), f"It is given that {name}.", "That is given.")
        premises = tuple(numbers[each] for each in rule.body)
        words = f"From {_listed(rule.body)} follows {name}."
        return SolvedStep(name, premises, words, f"The rule applies: {rule.words}.")

    # --- what is wrong, and what is true -----------------------------------------------------------

    def wrong(self, step: SolvedStep, random: Random) -> Wrong:
        if random.random() < 0.3:
            claim = step.claim["not"] if isinstance(step.claim, dict) else {"not": step.claim}
        else:
            claim = random.choice(self._others)
            if self.verdict(claim) is Verdict.ENTAILED:
                claim = {"not": claim}
        # A denied fact of the first layer is refuted whatever was drawn.
        if claim == step.claim or self.verdict(claim) is Verdict.ENTAILED:
            claim = {"not": self._layers[0][0]}
        reason = "what is given refutes it" if self.verdict(claim) is Verdict.REFUTED else "no rule gives it"
        return Wrong(
            claim, f"It seems that {_words(claim)}.", f"It does not follow that {_words(claim)}: {reason}."
        )

    def verdict(self, literal: Json) -> Verdict:
        if isinstance(literal, dict):
            return _opposite(self.verdict(literal["not"]))
        if literal not in self._decided:
            self._decided[literal] = self._decide(literal)
        return self._decided[literal]

    def _decide(self, atom: str) -> Verdict:
        """Entailed in the least model; refuted if it leads to what is denied; open otherwise."""
        if atom not in self._others:
            return Verdict.ENTAILED
        # What else would hold if the atom did: its open rule would apply.
        held = {atom, *(rule.head for rule in self._open if atom in rule.body)}
        return Verdict.UNDETERMINED if held.isdisjoint(self._denied) else Verdict.REFUTED

    def atoms(self, claims: Iterable[Json]) -> list[Json]:
        return list(self.declare)


def _words(literal: Json) -> str:
    return f"not {literal['not']}" if isinstance(literal, dict) else str(literal)


def _joined(body: Sequence[str]) -> Json:
    return body[0] if len(body) == 1 else {"and": list(body)}


class _Interval(NamedTuple):
    """The values that a quantity can have; None: no bound."""

    low: int
    high: int | None


_SIGNS = {"eq": "=", "ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


class _Arithmetic:
    """Quantities that are given, computed from others, or only bounded from below."""

    def __init__(self, depth: int, width: int, random: Random) -> None:
        names = _names(_QUANTITIES, (depth + 1) * width + width, random)
        self._layers = [names[i * width : (i + 1) * width] for i in range(depth + 1)]
        self._bounded = names[(depth + 1) * width :]
        self._values: dict[str, _Interval] = {}
        self._given: dict[str, tuple[Json, str, tuple[str, ...]]] = {}
        """Of each quantity what is given, in JSON and in words, and the quantities in it."""
        for number, layer in enumerate(self._layers):
            for name in layer:
                self._compute(name, number, random)
        for name in self._bounded:
            self._bound(name, random)
        self.steps: Sequence[SolvedStep] = self._derivation(random)

    def _compute(self, name: str, layer: int, random: Random) -> None:
        if layer == 0:
            value = random.randint(1, 20)
            self._set(name, value, {"eq": [name, value]}, f"{name} = {value}", ())
            return
        first = random.choice(self._layers[layer - 1])
        second = random.choice(self._layers[random.randrange(layer)])
        a, b, constant = self._values[first].low, self._values[second].low, random.randint(2, 9)
        choices: list[tuple[int, Json, str, tuple[str, ...]]] = [
            (a + constant, {"add": [first, constant]}, f"{first} + {constant}", (first,)),
            (a - constant, {"sub": [first, constant]}, f"{first} - {constant}", (first,)),
            (2 * a, {"mul": [2, first]}, f"2 * {first}", (first,)),
            (a + b, {"add": [first, second]}, f"{first} + {second}", (first, second)),
        ]
        value, term, words, names = random.choice(choices)
        self._set(name, value, {"eq": [name, term]}, f"{name} = {words}", tuple(dict.fromkeys(names)))

    def _set(self, name: str, value: int, given: Json, words: str, names: tuple[str, ...]) -> None:
        self._values[name] = _Interval(value, value)
        self._given[name] = given, words, names

    def _bound(self, name: str, random: Random) -> None:
        other = random.choice(self._layers[-1])
        self._values[name] = _Interval(self._values[other].low, None)
        self._given[name] = {"ge": [name, other]}, f"{name} ≥ {other}", (other,)

    # --- the problem -----------------------------------------------------------------------------

    @property
    def question(self) -> str:
        given = ". ".join(words for _, words, _ in self._given.values())
        return f"Given: {given}. Is it so that {_compared(self.steps[-1].claim)}?"

    @property
    def declare(self) -> Mapping[str, Json]:
        return dict.fromkeys(self._values, "Int")

    @property
    def assume(self) -> Sequence[Json]:
        return [given for given, _, _ in self._given.values()]

    # --- the derivation --------------------------------------------------------------------------

    def _derivation(self, random: Random) -> list[SolvedStep]:
        """The values that the goal needs, and the goal: a bound on a quantity."""
        goal = random.choice([*self._layers[-1], *self._bounded])
        needed, stack = {goal}, [goal]
        while stack:
            new = [name for name in self._given[stack.pop()][2] if name not in needed]
            needed.update(new)
            stack += new
        steps: list[SolvedStep] = []
        numbers: dict[str, int] = {}
        for name in [name for name in self._values if name in needed]:
            numbers[name] = len(steps)
            steps.append(self._step(name, numbers))
        bound = {"gt": [goal, self._values[goal].low - random.randint(1, 3)]}
        words = f"Then {_compared(bound)}."
        return [
            *steps,
            SolvedStep(bound, (numbers[goal],), words, f"{_compared(steps[-1].claim)} is more than enough."),
        ]

    def _step(self, name: str, numbers: Mapping[str, int]) -> SolvedStep:
        _, given, names = self._given[name]
        value = self._values[name]
        claim = {"eq" if value.high == value.low else "ge": [name, value.low]}
        premises = tuple(numbers[each] for each in names)
        if not names:
            return SolvedStep(claim, premises, f"It is given that {given}.", "That is given.")
        words = f"Since {given}, {_compared(claim)}."
        return SolvedStep(claim, premises, words, f"Computed again: {_compared(claim)}.")

    # --- what is wrong, and what is true -----------------------------------------------------------

    def wrong(self, step: SolvedStep, random: Random) -> Wrong:
        [(key, (name, value))] = step.claim.items()
        off = random.randint(1, 5)
        claim: Json = (
            {"eq": [name, value + random.choice([-off, off])]} if key == "eq" else {"ge": [name, value + 100]}
        )
        if self.verdict(claim) is Verdict.ENTAILED:
            claim = {"lt": [name, self._values[name].low]}
        reason = "that is not the value" if self.verdict(claim) is Verdict.REFUTED else "it may be less"
        return Wrong(
            claim, f"I think that {_compared(claim)}.", f"{_compared(claim)} does not follow: {reason}."
        )

    def verdict(self, literal: Json) -> Verdict:
        [(key, operands)] = literal.items()
        if key == "not":
            return _opposite(self.verdict(operands))
        name, number = operands
        if key in ("gt", "le"):
            number += 1
        if key in ("le", "lt"):
            return _opposite(self._at_least(name, number))
        if key in ("ge", "gt"):
            return self._at_least(name, number)
        return self._equal(name, number)

    def _at_least(self, name: str, number: int) -> Verdict:
        low, high = self._values[name]
        if low >= number:
            return Verdict.ENTAILED
        return Verdict.REFUTED if high is not None and high < number else Verdict.UNDETERMINED

    def _equal(self, name: str, number: int) -> Verdict:
        low, high = self._values[name]
        if low == high == number:
            return Verdict.ENTAILED
        outside = number < low or (high is not None and number > high)
        return Verdict.REFUTED if outside else Verdict.UNDETERMINED

    def atoms(self, claims: Iterable[Json]) -> list[Json]:
        return list({json_line(each, canonical=True): each for each in claims}.values())


def _compared(literal: Json) -> str:
    [(key, (name, number))] = literal.items()
    return f"{name} {_SIGNS[key]} {number}"

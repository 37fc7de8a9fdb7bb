"""Seeded programs whose verdicts are known by construction, for training and search (paper, section 5).

A program has a backbone: a chain of steps from a first fact to the goal, every part of which is needed.
Whole, it entails the goal, or refutes it; without one part, the goal is open; with a second fact against
the goal, there is a contradiction. All else is noise that can neither help nor harm ([GEN-VERDICT] has the
models that show it).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count as numbers
from random import Random
from typing import Any, Final, Literal, NamedTuple, get_args

from potlang.report.results import Verdict

Shape = Literal["implication", "conjunction", "relation", "cases", "arithmetic"]
"""A step P → Q: by a rule; with a second premise; to another entity by a relation; by cases; by a bound."""
Asked = Literal["atom", "negation", "exists", "never", "rule"]
"""The claim: the goal, its negation, that something or that nothing has it, that the start leads to it."""
SHAPES: Final[tuple[Shape, ...]] = get_args(Shape)
VERDICTS: Final = (Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED, Verdict.INCONSISTENT)

MOST: Final = 1_000
"""Of each number of a difficulty."""
_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"
_ENTITY: Final = "Thing"


class ProgramDifficulty(NamedTuple):
    """The size of a program: steps of the backbone, their possible shapes, rules and facts beside it.

    Noise that would be drawn twice is left out. `entities` are the constants at least; relations need more
    as they go on. Of `claims` those that can have the verdict are used, else an atom.
    """

    depth: int = 3
    shapes: tuple[Shape, ...] = SHAPES
    rules: int = 3
    facts: int = 5
    entities: int = 3
    claims: tuple[Asked, ...] = get_args(Asked)

    @classmethod
    def of_level(cls, level: int) -> ProgramDifficulty:
        """From 1, one implication without noise, to 10 and beyond: longer, more shapes, more noise.

        Raises ValueError below 1.
        """
        if level < 1:
            raise ValueError("levels begin at 1")
        shapes = SHAPES[: max(1, (level + 1) // 2)]
        claims: tuple[Asked, ...] = ("atom", "negation") if level < 3 else get_args(Asked)
        return cls(level, shapes, 2 * (level - 1), 3 * (level - 1), 1 + level // 2, claims)


USUAL: Final = ProgramDifficulty()


class Generated(NamedTuple):
    """A program with one verification, and its verdict.

    `support` are the names of the facts and rules that the verdict needs, every one of them; for
    `undetermined` there are none.
    """

    program: dict[str, Any]
    verdict: Verdict
    support: frozenset[str]
    difficulty: ProgramDifficulty
    seed: int


def generate(seed: int, difficulty: ProgramDifficulty = USUAL, verdict: Verdict | None = None) -> Generated:
    """A program, the same for the same arguments; the verdict is drawn where none is asked for.

    Raises ValueError for a difficulty with nothing to choose from or beyond `MOST`, and for a verdict that
    is not one of `VERDICTS`.
    """
    _checked(difficulty, verdict)
    # From text, so that the stream is the same on every platform and Python version; spelt out, so that it
    # does not depend on the name of a class.
    parts = ", ".join(f"{name}={value!r}" for name, value in difficulty._asdict().items())
    random = Random(f"{seed}/Difficulty({parts})/{verdict}")
    return _Generator(random, difficulty).finish(seed, verdict or random.choice(VERDICTS))


def generate_many(count: int, seed: int, difficulty: ProgramDifficulty = USUAL) -> Iterator[Generated]:
    """`count` programs with each verdict as often as any other; program n has the seed `seed + n`."""
    for at in range(count):
        yield generate(seed + at, difficulty, VERDICTS[at % len(VERDICTS)])


def _checked(difficulty: ProgramDifficulty, verdict: Verdict | None) -> None:
    if verdict is not None and verdict not in VERDICTS:
        raise ValueError(f"no program is generated for {verdict}")
    sizes = difficulty.depth, difficulty.rules, difficulty.facts, difficulty.entities
    if difficulty.depth < 1 or difficulty.entities < 1 or min(sizes) < 0 or max(sizes) > MOST:
        raise ValueError(f"depth and entities are 1 to {MOST}, rules and facts 0 to {MOST}")
    for chosen, allowed in ((difficulty.shapes, SHAPES), (difficulty.claims, get_args(Asked))):
        if not chosen or not set(chosen) <= set(allowed):
            raise ValueError(f"some of {', '.join(allowed)}, not {', '.join(chosen) or 'none'}")


class _Statement(NamedTuple):
    """A fact, or a rule with its antecedent; `variables` are those of the rule."""

    consequent: str
    antecedent: str = ""
    variables: tuple[str, ...] = ()

    @property
    def is_rule(self) -> bool:
        return bool(self.antecedent)


@dataclass
class _Generator:
    """A program in the making. `path` are the entities that the backbone leads over, in order."""

    random: Random
    difficulty: ProgramDifficulty
    functions: list[dict[str, Any]] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    backbone: list[_Statement] = field(default_factory=list)
    noise: list[_Statement] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    """The predicates of the backbone but the goal, in order."""
    taken: set[str] = field(default_factory=set)

    def finish(self, seed: int, verdict: Verdict) -> Generated:
        asked = self._asked(verdict)
        # The goal is refuted by a last rule that denies it, or entailed and asked for as its negation.
        denied = asked in ("atom", "rule") and verdict is Verdict.REFUTED
        if asked == "negation":
            denied = verdict is Verdict.ENTAILED
        if verdict in (Verdict.UNDETERMINED, Verdict.INCONSISTENT) and asked in ("atom", "negation", "rule"):
            denied = self.random.random() < 0.5
        goal = self._grow(asked, denied)
        # Every part of the backbone is needed, by construction: see [GEN-SUPPORT].
        needed = list(self.backbone)
        if asked == "rule" and verdict in (Verdict.ENTAILED, Verdict.UNDETERMINED):
            # What the claim assumes itself is not needed, and removing it would leave it as it is.
            needed.remove(self.backbone[0])
        if verdict is Verdict.UNDETERMINED:
            lost = self.random.choice(needed)
            self.backbone.remove(lost)
            needed = []
        elif verdict is Verdict.INCONSISTENT:
            needed = [*self.backbone, self._contradict(goal, denied)]
            self.backbone = list(needed)
        self._add_noise(apart=asked in ("exists", "never", "rule"))
        claim = self._claim(asked, goal)
        return self._written(seed, verdict, claim, needed)

    def _asked(self, verdict: Verdict) -> Asked:
        """A form of claim that can have this verdict."""
        never = {Verdict.ENTAILED: "never", Verdict.REFUTED: "exists"}.get(verdict)
        able = [each for each in self.difficulty.claims if each != never]
        return self.random.choice(able or ["atom"])

    # --- backbone ---------------------------------------------------------------------------------

    def _grow(self, asked: Asked, denied: bool) -> str:
        """The first fact and the steps; the goal's predicate."""
        shapes = self.difficulty.shapes
        if asked == "rule":
            # Its claim is about one entity, so that the steps must not need facts about others.
            shapes = tuple(each for each in shapes if each in ("implication", "cases", "arithmetic"))
            shapes = shapes or ("implication",)
        self.path.append(self._entity())
        self.steps.append(self._predicate())
        self.backbone.append(_Statement(f"{self.steps[0]}({self.path[0]})"))
        for at in range(self.difficulty.depth):
            last = at == self.difficulty.depth - 1
            target = self._predicate()
            self._step(self.random.choice(shapes), target, last and denied)
            if not last:
                self.steps.append(target)
        return target

    def _step(self, shape: Shape, target: str, denied: bool) -> None:
        source, entity = self.steps[-1], self.path[-1]

        def conclusion(variable: str) -> str:
            return f"Not({target}({variable}))" if denied else f"{target}({variable})"

        match shape:
            case "implication":
                self.backbone.append(_Statement(conclusion("x"), f"{source}(x)", ("x",)))
            case "conjunction":
                beside = self._predicate()
                both = [f"{source}(x)", f"{beside}(x)"]
                self.random.shuffle(both)
                self.backbone.append(_Statement(f"{beside}({entity})"))
                self.backbone.append(_Statement(conclusion("x"), f"And({', '.join(both)})", ("x",)))
            case "relation":
                relation = self._predicate(2)
                following = self._entity()
                self.path.append(following)
                self.backbone.append(_Statement(f"{relation}({entity}, {following})"))
                body = f"And({source}(x), {relation}(x, y))"
                self.backbone.append(_Statement(conclusion("y"), body, ("x", "y")))
            case "cases":
                first, second = self._predicate(), self._predicate()
                self.backbone.append(_Statement(f"Or({first}(x), {second}(x))", f"{source}(x)", ("x",)))
                self.backbone.append(_Statement(conclusion("x"), f"{first}(x)", ("x",)))
                self.backbone.append(_Statement(conclusion("x"), f"{second}(x)", ("x",)))
            case "arithmetic":
                measure = self._function()
                low = self.random.randint(2, 60)
                high = low + self.random.randint(0, 20)
                self.backbone.append(_Statement(f"{measure}(x) >= {high}", f"{source}(x)", ("x",)))
                self.backbone.append(_Statement(conclusion("x"), f"{measure}(x) >= {low}", ("x",)))

    def _contradict(self, goal: str, denied: bool) -> _Statement:
        """The fact that contradicts the whole backbone."""
        atom = f"{goal}({self.path[-1]})"
        return _Statement(atom if denied else f"Not({atom})")

    def _claim(self, asked: Asked, goal: str) -> dict[str, Any]:
        atom = f"{goal}({self.path[-1]})"
        binder = [{"name": "x", "sort": _ENTITY}]
        match asked:
            case "atom":
                return {"constraint": atom}
            case "negation":
                return {"constraint": f"Not({atom})"}
            case "exists":
                return {"exists": binder, "constraint": f"{goal}(x)"}
            case "never":
                return {"forall": binder, "constraint": f"Not({goal}(x))"}
            case "rule":
                rule = {"antecedent": f"{self.steps[0]}(x)", "consequent": f"{goal}(x)"}
                return {"forall": binder, "implies": rule}

    # --- noise ------------------------------------------------------------------------------------

    def _add_noise(self, apart: bool) -> None:
        """Noise: facts and rules whose heads are predicates of their own, which nothing else uses.

        Facts also put entities off the path on the backbone, unless it must be kept `apart`.
        """
        while len(self.entities) < self.difficulty.entities:
            self._entity()
        wanted = self.difficulty
        if not wanted.rules and not wanted.facts:
            return
        others = [self._predicate() for _ in range(1 + (wanted.rules + wanted.facts) // 4)]
        never = [self._predicate() for _ in range(1 + wanted.rules // 4)]
        off_path = [each for each in self.entities if each not in self.path]
        for _ in range(wanted.facts):
            kind = self.random.random()
            if kind < 0.35 and off_path and not apart:
                fact = f"{self.random.choice(self.steps)}({self.random.choice(off_path)})"
            elif kind < 0.5:
                fact = f"Not({self.random.choice(never)}({self.random.choice(self.entities)}))"
            else:
                fact = f"{self.random.choice(others)}({self.random.choice(self.entities)})"
            self._state(_Statement(fact))
        for _ in range(wanted.rules):
            body = f"{self.random.choice([*self.steps, *others])}(x)"
            if self.random.random() < 0.3:
                body = f"And({body}, {self.random.choice([*self.steps, *others])}(x))"
            if self.random.random() < 0.25:
                head = f"Not({self.random.choice(never)}(x))"
            else:
                head = f"{self.random.choice(others)}(x)"
            self._state(_Statement(head, body, ("x",)))

    def _state(self, part: _Statement) -> None:
        if part not in self.noise:
            self.noise.append(part)

    # --- names and writing ------------------------------------------------------------------------

    def _name(self) -> str:
        for length in numbers(2):
            for _ in range(20):
                parts = [self.random.choice(_CONSONANTS) + self.random.choice(_VOWELS) for _ in range(length)]
                name = "".join(parts) + self.random.choice(_CONSONANTS)
                if name not in self.taken:
                    self.taken.add(name)
                    return name
        raise AssertionError("names do not run out")

    def _predicate(self, arity: int = 1) -> str:
        return self._declared([_ENTITY] * arity, "Bool")

    def _function(self) -> str:
        return self._declared([_ENTITY], "Int")

    def _declared(self, domain: list[str], range_: str) -> str:
        name = self._name()
        self.functions.append({"name": name, "domain": domain, "range": range_})
        return name

    def _entity(self) -> str:
        name = self._name().capitalize()
        self.entities.append(name)
        return name

    def _written(
        self, seed: int, verdict: Verdict, claim: dict[str, Any], needed: list[_Statement]
    ) -> Generated:
        wanted = {id(part) for part in needed}
        facts: list[dict[str, Any]] = []
        rules: list[dict[str, Any]] = []
        support = set()
        parts = [*self.backbone, *self.noise]
        # Neither order nor names may give away what belongs to the backbone.
        self.random.shuffle(parts)
        self.random.shuffle(self.functions)
        self.random.shuffle(self.entities)
        for part in parts:
            if part.is_rule:
                name = f"rule {len(rules) + 1}"
                binders = [{"name": each, "sort": _ENTITY} for each in part.variables]
                implies = {"antecedent": part.antecedent, "consequent": part.consequent}
                rules.append({"name": name, "forall": binders, "implies": implies})
            else:
                name = f"fact {len(facts) + 1}"
                facts.append({"name": name, "assertion": part.consequent})
            if id(part) in wanted:
                support.add(name)
        program = {
            "sorts": [{"name": _ENTITY, "type": "DeclareSort"}],
            "functions": self.functions,
            "constants": {"things": {"sort": _ENTITY, "members": self.entities}},
            "knowledge_base": facts,
            "rules": rules,
            "verifications": [{"name": "question", **claim}],
            "actions": ["verify_conditions"],
        }
        return Generated(program, verdict, frozenset(support), self.difficulty, seed)

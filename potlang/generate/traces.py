"""Synthetic traces: training data in the sense of section 3.3 of the paper.

A correct derivation is told step by step; now and then a wrong proposal comes first, a critic
invalidates it, and the right one may refine that critique.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Literal, NamedTuple

from potlang.generate.problems import Json, Kind, SolvedProblem, SolvedStep, Wrong, make_problem
from potlang.languages.dot.lower.canonical import digest
from potlang.languages.dot.lower.extract import State, state
from potlang.languages.dot.read.records import PROFILES, Profile, Role
from potlang.languages.dot.write.builder import TraceBuilder
from potlang.report.results import Verdict

KINDS: tuple[Kind, ...] = ("horn", "arithmetic")
_MOST_LAYERS, _MOST_WIDE = 200, 50
_RIGHT = ("Correct.", "Right.", "I agree.", "This holds.")
_WRONG = ("No.", "Wrong.", "This is a mistake.", "I disagree.")


class Difficulty(NamedTuple):
    """The size of synthetic problems, and the share of mistakes in their traces.

    A derivation has `depth` layers of at most `width` steps each. `wrong` is the share of steps before which
    something wrong is proposed, and `refine` the share of these in which the step refines the critique.
    """

    depth: int = 3
    width: int = 3
    wrong: float = 0.3
    refine: float = 0.7


USUAL = Difficulty()


class NodeLabel(NamedTuple):
    """A node's role, its state, and the verdict on its proposition (None: it has none)."""

    role: Role
    state: State | None
    verdict: Verdict | None


class Sample(NamedTuple):
    """A synthetic trace with its labels.

    `entailed_literals` is the auxiliary target of appendix B.4: the literals over the problem's atoms that
    the meet of the validated propositions entails, as JSON of `@prop`.
    """

    trace: str
    hash: str
    problem: str
    labels: dict[int, NodeLabel]
    entailed_literals: tuple[Json, ...]

    def to_json(self) -> str:
        """The sample as one line of JSON."""
        labels = {str(id_): label._asdict() for id_, label in self.labels.items()}
        value: dict[str, Any] = {**self._asdict(), "labels": labels}
        return json.dumps(value, ensure_ascii=False)


def synthesize(
    count: int,
    seed: int = 0,
    *,
    kind: Kind | Literal["mixed"] = "mixed",
    difficulty: Difficulty = USUAL,
    profile: Profile = "paper",
) -> Iterator[Sample]:
    """So many samples; the same for the same arguments, and each independent of `count` ([DOT-SYNTH-1]).

    Raises `ValueError` for an option out of range.
    """
    _check(count, kind, difficulty, profile)
    # A stream of its own for each sample: more of them do not change the first ones.
    return (_sample(Random(f"{seed} {index}"), kind, difficulty, profile) for index in range(count))


def _check(count: int, kind: str, difficulty: Difficulty, profile: str) -> None:
    for name, value, low, high in (
        ("count", count, 0, float("inf")),
        ("depth", difficulty.depth, 1, _MOST_LAYERS),
        ("width", difficulty.width, 1, _MOST_WIDE),
        ("wrong", difficulty.wrong, 0, 1),
        ("refine", difficulty.refine, 0, 1),
    ):
        if not low <= value <= high:
            raise ValueError(f"{name} is from {low} to {high}, not {value}")
    if kind not in (*KINDS, "mixed"):
        raise ValueError(f"{kind!r} is not one of {', '.join(KINDS)}, mixed")
    if profile not in PROFILES:
        raise ValueError(f"{profile!r} is not one of {', '.join(PROFILES)}")


def _sample(random: Random, kind: str, difficulty: Difficulty, profile: Profile) -> Sample:
    wanted = [each for each in KINDS if kind in (each, "mixed")]
    problem = make_problem(random.choice(wanted), difficulty.depth, difficulty.width, random)
    return _TraceGenerator(problem, difficulty, profile, random).sample()


class _TraceGenerator:
    """Generates a trace from the derivation of one problem."""

    def __init__(
        self, problem: SolvedProblem, difficulty: Difficulty, profile: Profile, random: Random
    ) -> None:
        self._problem = problem
        self._difficulty = difficulty
        self._random = random
        self._builder = TraceBuilder(profile)
        self._claims: dict[int, Json] = {}
        self._nodes: list[int] = []
        """The node of each step told."""
        self._roots: list[int] = []

    def sample(self) -> Sample:
        problem, builder = self._problem, self._builder
        root = builder.problem(problem.question, declare=problem.declare, assume=problem.assume)
        self._roots = [root] if builder.profile == "paper" else []
        for step in problem.steps:
            wrong = self._random.random() < self._difficulty.wrong
            critic = self._mistake(step, problem.wrong(step, self._random)) if wrong else None
            self._tell(step, critic if self._random.random() < self._difficulty.refine else None)
        self._summarize(problem.steps[-1])
        return self._labelled()

    def _uses(self, step: SolvedStep) -> list[int]:
        return [self._nodes[each] for each in step.premises] or self._roots

    def _propose(self, claim: Json, text: str, uses: list[int], refines: list[int]) -> int:
        node = self._builder.proposer(claim, uses=uses, refines=refines, text=text)
        self._claims[node] = claim
        return node

    def _mistake(self, step: SolvedStep, wrong: Wrong) -> int:
        """A wrong proposal, and the critic who invalidates it."""
        node = self._propose(wrong.claim, wrong.words, self._uses(step), [])
        critic = self._builder.critic(node, text=f"{self._random.choice(_WRONG)} {wrong.reason}")
        self._builder.invalidate(node, just=critic)
        return critic

    def _tell(self, step: SolvedStep, critic: int | None) -> None:
        """A step, and the critic who validates it."""
        uses = self._uses(step)
        node = self._propose(step.claim, step.words, uses, [] if critic is None else [critic])
        self._nodes.append(node)
        examiner = self._builder.critic(node, text=f"{self._random.choice(_RIGHT)} {step.reason}")
        self._builder.validate(node, just=examiner)
        if len(step.premises) == 1:
            self._builder.entails(self._nodes[step.premises[0]], node, witness=examiner)

    def _summarize(self, last: SolvedStep) -> None:
        uses = [*(self._nodes[each] for each in last.premises), self._nodes[-1]]
        node = self._builder.summarizer(last.claim, uses=uses, text=f"Yes. {last.words}")
        self._claims[node] = last.claim
        self._builder.end()

    def _labelled(self) -> Sample:
        trace = self._builder.trace()
        verdicts = {id_: self._problem.verdict(claim) for id_, claim in self._claims.items()}
        labels = {
            id_: NodeLabel(node.role, state(trace, id_), verdicts.get(id_))
            for id_, node in trace.nodes.items()
        }
        return Sample(
            self._builder.text().decode(),
            digest(trace),
            self._problem.question,
            labels,
            tuple(self._entailed()),
        )

    def _entailed(self) -> Iterator[Json]:
        """The literals that the problem entails; so does the meet of the validated propositions."""
        for atom in self._problem.atoms(self._claims.values()):
            verdict = self._problem.verdict(atom)
            if verdict is Verdict.ENTAILED:
                yield atom
            elif verdict is Verdict.REFUTED:
                yield {"not": atom}

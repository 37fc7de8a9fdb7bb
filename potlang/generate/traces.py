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
    `equal` is the share of steps that are proposed once more by an equivalent proposition, as equal.
    """

    depth: int = 3
    width: int = 3
    wrong: float = 0.3
    refine: float = 0.7
    equal: float = 0.0


USUAL = Difficulty()


class NodeLabel(NamedTuple):
    """A node's role, its state, and the verdict on its proposition (None: it has none)."""

    role: Role
    state: State | None
    verdict: Verdict | None


class Sample(NamedTuple):
    """A synthetic trace with its labels.

    `entailed_literals` is the auxiliary target of appendix B.4: the literals over the problem's atoms that
    the meet of the validated propositions entails, as JSON of `@prop`. `theory` is the PoT program that the
    trace is read against, None for one that declares all that it needs.
    """

    trace: str
    hash: str
    problem: str
    labels: dict[int, NodeLabel]
    entailed_literals: tuple[Json, ...]
    theory: Json = None

    def to_dict(self) -> dict[str, Any]:
        """The sample as JSON values; without a theory there is no key for it."""
        labels = {str(id_): label._asdict() for id_, label in self.labels.items()}
        value: dict[str, Any] = {**self._asdict(), "labels": labels}
        if self.theory is None:
            del value["theory"]
        return value

    def to_json(self) -> str:
        """The sample as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)


def synthesize(
    count: int,
    seed: int = 0,
    *,
    kind: Kind | Literal["mixed"] = "mixed",
    difficulty: Difficulty = USUAL,
    profile: Profile = "paper",
    role_tokens: bool = False,
) -> Iterator[Sample]:
    """So many samples; the same for the same arguments, and each independent of `count` ([DOT-SYNTH-1]).

    `role_tokens`: the role of each node stands above it. Raises `ValueError` for an option out of range.
    """
    _check(count, kind, difficulty, profile)
    # A stream of its own for each sample: more of them do not change the first ones.
    return (
        _sample(Random(f"{seed} {index}"), kind, difficulty, profile, role_tokens) for index in range(count)
    )


def _check(count: int, kind: str, difficulty: Difficulty, profile: str) -> None:
    for name, value, low, high in (
        ("count", count, 0, float("inf")),
        ("depth", difficulty.depth, 1, _MOST_LAYERS),
        ("width", difficulty.width, 1, _MOST_WIDE),
        ("wrong", difficulty.wrong, 0, 1),
        ("refine", difficulty.refine, 0, 1),
        ("equal", difficulty.equal, 0, 1),
    ):
        if not low <= value <= high:
            raise ValueError(f"{name} is from {low} to {high}, not {value}")
    if kind not in (*KINDS, "mixed"):
        raise ValueError(f"{kind!r} is not one of {', '.join(KINDS)}, mixed")
    if profile not in PROFILES:
        raise ValueError(f"{profile!r} is not one of {', '.join(PROFILES)}")


def _sample(random: Random, kind: str, difficulty: Difficulty, profile: Profile, role_tokens: bool) -> Sample:
    wanted = [each for each in KINDS if kind in (each, "mixed")]
    problem = make_problem(random.choice(wanted), difficulty.depth, difficulty.width, random)
    return _TraceGenerator(problem, difficulty, profile, random).sample(role_tokens)


class _TraceGenerator:
    """Generates a trace from the derivation of one problem."""

    def __init__(
        self, problem: SolvedProblem, difficulty: Difficulty, profile: Profile, random: Random
    ) -> None:
        self._problem = problem
        self._difficulty = difficulty
        self._random = random
        self._builder = TraceBuilder(profile)
        self._verdicts: dict[int, Verdict] = {}
        self._atoms: list[Json] = []
        """The statements of nodes, as far as the problem may be asked about it."""
        self._nodes: list[int] = []
        """The node of each step told."""
        self._roots: list[int] = []

    def sample(self, role_tokens: bool) -> Sample:
        """The trace with its labels."""
        problem, builder = self._problem, self._builder
        root = builder.problem(problem.question, declare=problem.declare, assume=problem.assume)
        self._roots = [root] if builder.profile == "paper" else []
        for step in problem.steps:
            wrong = self._random.random() < self._difficulty.wrong
            critic = self._mistake(step, problem.wrong(step, self._random)) if wrong else None
            self._tell(step, critic if self._random.random() < self._difficulty.refine else None)
            # Nothing is drawn where there are no such steps: samples stay what they were.
            if self._difficulty.equal and self._random.random() < self._difficulty.equal:
                self._restate(step)
        self._summarize(problem.steps[-1])
        return self._labelled(role_tokens)

    def _uses(self, step: SolvedStep) -> list[int]:
        return [self._nodes[each] for each in step.premises] or self._roots

    def _propose(self, claim: Json, text: str, uses: list[int], refines: list[int]) -> int:
        node = self._builder.proposer(claim, uses=uses, refines=refines, text=text)
        self._note(node, self._problem.verdict(claim), claim)
        return node

    def _note(self, node: int, verdict: Verdict, *atoms: Json) -> None:
        self._verdicts[node] = verdict
        self._atoms += atoms

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

    def _restate(self, step: SolvedStep) -> None:
        """The last step once more, and the critic who finds the two equal."""
        first, again = self._nodes[-1], self._problem.restated(step)
        node = self._builder.proposer(again.claim, uses=[first], text=again.words)
        # It says what the step says, which the problem entails.
        self._note(node, Verdict.ENTAILED, *again.atoms)
        examiner = self._builder.critic(node, text=f"{self._random.choice(_RIGHT)} Both say the same.")
        self._builder.validate(node, just=examiner)
        self._builder.eq(first, node)

    def _summarize(self, last: SolvedStep) -> None:
        uses = [*(self._nodes[each] for each in last.premises), self._nodes[-1]]
        node = self._builder.summarizer(last.claim, uses=uses, text=f"Yes. {last.words}")
        self._note(node, self._problem.verdict(last.claim), last.claim)
        self._builder.end()

    def _labelled(self, role_tokens: bool) -> Sample:
        trace = self._builder.trace()
        labels = {
            id_: NodeLabel(node.role, state(trace, id_), self._verdicts.get(id_))
            for id_, node in trace.nodes.items()
        }
        return Sample(
            self._builder.text(role_tokens=role_tokens).decode(),
            digest(trace),
            self._problem.question,
            labels,
            tuple(self._entailed()),
        )

    def _entailed(self) -> Iterator[Json]:
        """The literals that the problem entails; so does the meet of the validated propositions."""
        for atom in self._problem.atoms(self._atoms):
            verdict = self._problem.verdict(atom)
            if verdict is Verdict.ENTAILED:
                yield atom
            elif verdict is Verdict.REFUTED:
                yield {"not": atom}

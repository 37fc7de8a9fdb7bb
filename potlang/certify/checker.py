"""Certificates: their statements, and whether the verdicts follow from what was checked: `[CERT-RULE]`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from . import operators
from .evaluate import ModelEvaluation
from .models import CertificateModel
from .optimum import Optimum
from .refutation import MOST_STEPS, Refutation
from .theory import Goal, read_theory
from .tokens import Invalid, QuotedText, StepBudget, Tree, shown, tree

_STATES: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "claim": {
            "entailed": {"assumptions": "sat", "claim": "sat", "negation": "unsat"},
            "refuted": {"assumptions": "sat", "claim": "unsat", "negation": "sat"},
            "undetermined": {"assumptions": "sat", "claim": "sat", "negation": "sat"},
            "inconsistent": {"assumptions": "unsat", "claim": "unsat", "negation": "unsat"},
        },
        "assumptions": {"consistent": {"assumptions": "sat"}, "inconsistent": {"assumptions": "unsat"}},
        "objective": {
            "optimal": {"reached": "sat", "better": "unsat"},
            "unattained": {"approached": "sat", "reached": "unsat"},
            "unbounded": {"beyond": "sat"},
            "infeasible": {"feasible": "unsat"},
            "undefined": {},
        },
        "point": {"optimal": {"reached": "sat", "better": "unsat"}},
        "front": {"complete": {"better": "unsat"}, "infeasible": {"feasible": "unsat"}},
    }
)
"""The true states, by kind of question and answer. A claim's: of the assumptions alone, with it, with its
negation, and there are no others. Other answers rest on all that is listed."""
_WITHOUT_OPTIMUM = ("unattained", "unbounded", "undefined")


class Hole(NamedTuple):
    """Something that a certificate rests on and that was not checked."""

    line: int
    text: str


class Outcome(NamedTuple):
    """The outcome of checking. INVALID has the first bad line (None: of the program) and the reason.

    `verdicts` are the answers, with the values of an optimum; `open` are the keys of those that are
    `unknown`, or not shown by what was checked.
    """

    status: Literal["VALID", "VALID_WITH_HOLES", "INVALID"]
    holes: tuple[Hole, ...] = ()
    line: int | None = None
    message: str = ""
    verdicts: Mapping[str, str] = MappingProxyType({})
    open: tuple[str, ...] = ()


def check(certificate: str, program: str, *, most_steps: int = MOST_STEPS) -> Outcome:
    """Checks any text as a certificate of the program whose IR text is `program`. Raises nothing.

    At most `most_steps` steps are taken in models, whose rest are holes, and in the refutations for each
    question.
    """
    work = None
    try:
        work = _Checker(program, most_steps)
        for line in certificate.rstrip("\n").split("\n"):
            work.number += 1
            work.read(tree(line))
        if not work.ended:
            raise Invalid("the certificate has no (end): it was cut off")
    except Exception as error:  # Whatever goes wrong, nothing was shown.
        message = str(error) if isinstance(error, Invalid) else f"cannot be checked: {type(error).__name__}"
        return Outcome("INVALID", (), work.number if work else None, message)
    status: Literal["VALID", "VALID_WITH_HOLES"] = "VALID_WITH_HOLES" if work.holes else "VALID"
    values = {key: work.theory.questions[key].values for key in work.verdicts}
    verdicts = {key: " ".join([verdict, *values[key]]) for key, verdict in work.verdicts.items()}
    return Outcome(status, tuple(work.holes), None, "", verdicts, tuple(work.open))


class _Checker:
    """`number` is the line being read."""

    def __init__(self, program: str, most_steps: int) -> None:
        self.theory = read_theory(program)
        self.number = 0
        self.ended = False
        self.holes: list[Hole] = []
        self.verdicts: dict[str, str] = {}
        self.open: list[str] = []
        self._optimum = Optimum(self.theory)
        self._evaluation_steps = StepBudget(most_steps)
        # As many as each question alone may take: what is accepted one by one is accepted together.
        self._refutation_steps = StepBudget(most_steps * len(self.theory.questions))
        self._models: dict[str, CertificateModel] = {}
        self._refutations: dict[str, Refutation] = {}
        self._current: CertificateModel | Refutation | None = None
        self._evaluations: dict[object, tuple[ModelEvaluation, list[str]]] = {}
        self._key: str | None = None
        self._question = self.theory.questions["assumptions"]
        self._line = 0
        self._known: dict[str, str] = {}
        self._checked: dict[str, str] = {}

    def read(self, parts: list[Tree]) -> None:
        """One line."""
        if self.number <= 2:
            # Loading it takes longer than checking most refutations, which need no head.
            from hashlib import sha256

            digest = sha256(self.theory.text.encode("utf-8", "surrogatepass")).hexdigest()
            if parts != (["potlang-certificate", "1"], ["program", QuotedText(digest)])[self.number - 1]:
                raise Invalid(_HEADS[self.number - 1])
            return
        if self.ended:
            raise Invalid("something follows (end)")
        match parts:
            case ["universe" | "constant" | "function", *_] if isinstance(self._current, CertificateModel):
                self._current.read(parts)
            case [str(word), *_] if isinstance(self._current, Refutation) and word not in _OUTER:
                self._current.statement(parts)
            case ["sat", str(side), str(called)]:
                self._sat(side, called)
            case ["unsat", str(side), str(called)]:
                self._unsat(side, called)
            case ["agreed", str(status), str(side), *rest]:
                self._agreed(status, side, rest)
            case ["sat" | "unsat" | "agreed", *_]:
                raise Invalid("malformed evidence")
            case _:
                self._outer(parts)

    def _outer(self, parts: list[Tree]) -> None:
        """A line that begins something, after what was before is complete."""
        self._leave()
        match parts:
            case ["model", str(name)] if name not in self._models:
                self._current = self._models[name] = CertificateModel(self.theory)
            case ["refutation", str(name), str(side), *rest]:
                key = rest[0].value if len(rest) == 1 and isinstance(rest[0], QuotedText) else None
                if name in self._refutations or len(rest) > 1 or (rest and key is None):
                    raise Invalid("a refutation has a new name, and of a claim a side and a key")
                self._current = Refutation(self.theory, side, key, self._refutation_steps)
                self._refutations[name] = self._current
            case ["objective" | "point" | "front", *_]:
                self._optimum.read(parts)
            case ["result", QuotedText(key), str(verdict)] if key in self.theory.questions:
                self._question = self.theory.questions[key]
                if key in self.verdicts or verdict not in (*_STATES[self._question.kind], "unknown"):
                    raise Invalid("a result that is repeated, or an unknown verdict")
                self._key, self._line, self._known, self._checked = key, self.number, {}, {}
                self.verdicts[key] = verdict
            case ["end"]:
                if missing := [key for key in self._asked() if key not in self.verdicts]:
                    raise Invalid(f"there is no result for {shown(missing[0])}")
                if set(self.verdicts.values()) == {"unknown"}:
                    self.holes.append(Hole(self.number, "nothing that the program asks is answered"))
                self.ended = True
            case _:
                raise Invalid(f"unknown, misplaced or repeated statement {shown(parts[0] if parts else '')}")

    def _asked(self) -> list[str]:
        """The questions that the program asks, without Pareto points; if none, the assumptions."""
        theory, actions = self.theory, self.theory.actions
        verifying, optimizing = (actions is None or action in actions for action in ("verify", "optimize"))
        asked = [key for key, each in theory.questions.items() if verifying and each.kind == "claim"]
        if optimizing and theory.mode == "pareto":
            asked.append("front")
        elif optimizing:
            asked += [f"objective {number}" for number in range(len(theory.objectives))]
        return asked or ["assumptions"]

    def _leave(self) -> None:
        """Refutations must be complete, and verdicts follow from what is known."""
        if isinstance(self._current, Refutation) and not self._current.refuted:
            raise Invalid("the refutation before this is not complete")
        if self._key is not None:
            verdict = self.verdicts[self._key]
            before = self._question.behind or ""
            # Behind what has no optimum there is no order: nothing else makes an objective undefined.
            fits = verdict != "undefined" or self.verdicts.get(before) in _WITHOUT_OPTIMUM
            if not fits or (verdict != "unknown" and self._answers(self._known) != {verdict}):
                self.number = self._line
                raise Invalid(f"the verdict on {shown(self._key)} does not follow from its evidence")
            # With contradictory assumptions every claim is entailed too: what was checked rules out the rest.
            follows = self._answers(self._checked) <= {verdict, "inconsistent"}
            if not follows or (verdict == "undefined" and before in self.open):
                self.open.append(self._key)
        self._current = self._key = None

    def _answers(self, known: Mapping[str, str]) -> set[str]:
        """The answers to the question that what is known leaves."""
        states = _STATES[self._question.kind]
        if self._question.kind == "claim":
            return {each for each, state in states.items() if known.items() <= state.items()}
        return {each for each, state in states.items() if known == state} or set(states) | {"unknown"}

    # --- evidence ---

    def _know(self, side: str, status: str) -> None:
        sides = set().union(*_STATES[self._question.kind].values())
        if self._key is None or side not in sides or side in self._known:
            raise Invalid("evidence stands after a result, once for each side")
        self._known[side] = status

    def _sat(self, side: str, name: str) -> None:
        self._know(side, "sat")
        if name not in self._models:
            raise Invalid(f"there is no model {shown(name)}")
        goal = self._goal(side)
        if (name, goal.constrained) not in self._evaluations:
            self._evaluations[name, goal.constrained] = self._evaluated(name, goal.constrained)
        evaluation, open_parts = self._evaluations[name, goal.constrained]
        parts = list(open_parts)
        if goal.root is not None:
            value = evaluation.truth(goal.root.formula)
            if value is (not goal.sign):
                raise Invalid(f"{shown(self._key)} is {str(value).lower()} in {name}")
            parts += [f"the claim ({value.reason})"] if isinstance(value, operators.NoValue) else []
        if parts:
            more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
            self._hole(f"not evaluated in {name}: {', '.join(parts[:3])}{more}")
        else:
            self._checked[side] = "sat"

    def _goal(self, side: str) -> Goal:
        question = self.theory.questions["assumptions"] if side == "assumptions" else self._question
        if side not in question.sides:
            raise Invalid(f"no model and no refutation shows {shown(side)}")
        return question.sides[side]

    def _evaluated(self, name: str, constrained: bool) -> tuple[ModelEvaluation, list[str]]:
        """A model in which no assertion is false, and the assertions that it has no value for."""
        evaluation = ModelEvaluation(self._models[name], self._evaluation_steps)
        for sort in self.theory.sorts.named.values():
            if sort.kind == "declared":
                self._models[name].members(sort)
        parts = []
        constraints = self.theory.constraints.values() if constrained else ()
        for root in (*self.theory.assertions.values(), *constraints):
            value = evaluation.truth(root.formula)
            if value is False:
                raise Invalid(f"{shown(root.key)} is false in {name}")
            if isinstance(value, operators.NoValue):
                parts.append(f"{shown(root.key)} ({value.reason})")
        return evaluation, parts

    def _unsat(self, side: str, name: str) -> None:
        self._know(side, "unsat")
        refutation = self._refutations.get(name)
        if refutation is None or refutation.goal != self._goal(side):
            raise Invalid(f"{shown(name)} does not refute that")
        self._checked[side] = "unsat"

    def _agreed(self, status: str, side: str, rest: list[Tree]) -> None:
        self._know(side, status)
        core: list[Tree] = []
        if status == "unsat" and rest and isinstance(rest[0], list):
            core, rest = rest[0], rest[1:]
        keys = [part.value for part in core if isinstance(part, QuotedText)]
        constraints = self.theory.constraints.keys() if "feasible" in self._question.sides else ()
        if len(set(keys)) < len(core) or not {*self.theory.assertions, *constraints}.issuperset(keys):
            raise Invalid("a core lists assertions, each once")
        solvers = [part.value for part in rest if isinstance(part, QuotedText)]
        if status not in ("sat", "unsat") or not 0 < len(rest) == len(set(solvers)) <= 2:
            raise Invalid("expected sat or unsat, and one solver or two")
        self._hole(f"{side} {status}: the word of {' and '.join(map(shown, solvers))}")

    def _hole(self, text: str) -> None:
        self.holes.append(Hole(self.number, f"{shown(self._key)}: {text}"))


_HEADS = ("expected (potlang-certificate 1)", "the certificate is of another program")
_ANSWERS = ("objective", "point", "front")
_OUTER = ("model", "refutation", "result", "sat", "unsat", "agreed", "end", *_ANSWERS)

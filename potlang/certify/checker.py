"""Certificates: their statements, and whether the verdicts follow from what was checked: `[CERT-RULE]`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from . import operators
from .evaluate import ModelEvaluation
from .models import CertificateModel
from .refutation import MOST_STEPS, Refutation
from .theory import read_theory
from .tokens import Invalid, QuotedText, StepBudget, Tree, shown, tree

_SIDES = ("assumptions", "claim", "negation")
_STATES = MappingProxyType(
    {
        verdict: dict(zip(_SIDES, answers.split(), strict=True))
        for verdict, answers in (
            ("entailed", "sat sat unsat"),
            ("refuted", "sat unsat sat"),
            ("undetermined", "sat sat sat"),
            ("inconsistent", "unsat unsat unsat"),
        )
    }
)
"""The true states, by verdict: of the assumptions alone, with the claim, with its negation."""


class Hole(NamedTuple):
    """Something that a certificate rests on and that was not checked."""

    line: int
    text: str


class Outcome(NamedTuple):
    """The outcome of checking. INVALID has the first bad line (None: of the program) and the reason."""

    status: Literal["VALID", "VALID_WITH_HOLES", "INVALID"]
    holes: tuple[Hole, ...] = ()
    line: int | None = None
    message: str = ""
    verdicts: Mapping[str, str] = MappingProxyType({})


def check(certificate: str, program: str, *, most_steps: int = MOST_STEPS) -> Outcome:
    """Checks any text as a certificate of the program whose IR text is `program`. Raises nothing.

    At most `most_steps` steps are taken in models, whose rest are holes, and as many in refutations.
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
    return Outcome("VALID_WITH_HOLES" if work.holes else "VALID", tuple(work.holes), None, "", work.verdicts)


class _Checker:
    """`number` is the line being read."""

    def __init__(self, program: str, most_steps: int) -> None:
        self.theory = read_theory(program)
        self.number = 0
        self.ended = False
        self.holes: list[Hole] = []
        self.verdicts: dict[str, str] = {}
        self._evaluation_steps, self._refutation_steps = StepBudget(most_steps), StepBudget(most_steps)
        self._models: dict[str, CertificateModel] = {}
        self._refutations: dict[str, Refutation] = {}
        self._current: CertificateModel | Refutation | None = None
        self._evaluations: dict[str, tuple[ModelEvaluation, list[str]]] = {}
        self._key: str | None = None
        self._line = 0
        self._known: dict[str, str] = {}

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
            case ["refutation", str(name), ("claim" | "negation" | "assumptions") as side, *rest]:
                key = rest[0].value if len(rest) == 1 and isinstance(rest[0], QuotedText) else None
                if name in self._refutations or len(rest) > 1 or (rest and key is None):
                    raise Invalid("a refutation has a new name, and of a claim a side and a key")
                self._current = Refutation(self.theory, side, key, self._refutation_steps)
                self._refutations[name] = self._current
            case ["result", QuotedText(key), str(verdict)] if key in self.theory.claims:
                if key in self.verdicts or (verdict not in _STATES and verdict != "unknown"):
                    raise Invalid("a result that is repeated, or an unknown verdict")
                self._key, self._line, self._known = key, self.number, {}
                self.verdicts[key] = verdict
            case ["end"]:
                if missing := [key for key in self.theory.claims if key not in self.verdicts]:
                    raise Invalid(f"there is no result for {shown(missing[0])}")
                self.ended = True
            case _:
                raise Invalid(f"unknown, misplaced or repeated statement {shown(parts[0] if parts else '')}")

    def _leave(self) -> None:
        """Refutations must be complete, and verdicts follow from what is known."""
        if isinstance(self._current, Refutation) and not self._current.refuted:
            raise Invalid("the refutation before this is not complete")
        if self._key is not None and self.verdicts[self._key] != "unknown":
            states = [verdict for verdict, state in _STATES.items() if self._known.items() <= state.items()]
            if states != [self.verdicts[self._key]]:
                self.number = self._line
                raise Invalid(f"the verdict on {shown(self._key)} does not follow from its evidence")
        self._current = self._key = None

    # --- evidence ---

    def _know(self, side: str, status: str) -> None:
        if self._key is None or side not in _SIDES or side in self._known:
            raise Invalid("evidence stands after a result, once for each side")
        self._known[side] = status

    def _sat(self, side: str, name: str) -> None:
        self._know(side, "sat")
        if name not in self._models:
            raise Invalid(f"there is no model {shown(name)}")
        if name not in self._evaluations:
            self._evaluations[name] = self._evaluated(name)
        evaluation, open_parts = self._evaluations[name]
        parts = list(open_parts)
        if side != "assumptions":
            value = evaluation.truth(self.theory.claims[str(self._key)].formula)
            if value is (side == "negation"):
                raise Invalid(f"{shown(self._key)} is {str(value).lower()} in {name}")
            parts += [f"the claim ({value.reason})"] if isinstance(value, operators.NoValue) else []
        if parts:
            more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
            self._hole(f"not evaluated in {name}: {', '.join(parts[:3])}{more}")

    def _evaluated(self, name: str) -> tuple[ModelEvaluation, list[str]]:
        """A model in which no assertion is false, and the assertions that it has no value for."""
        evaluation = ModelEvaluation(self._models[name], self._evaluation_steps)
        parts = []
        for root in self.theory.assertions.values():
            value = evaluation.truth(root.formula)
            if value is False:
                raise Invalid(f"{shown(root.key)} is false in {name}")
            if isinstance(value, operators.NoValue):
                parts.append(f"{shown(root.key)} ({value.reason})")
        return evaluation, parts

    def _unsat(self, side: str, name: str) -> None:
        self._know(side, "unsat")
        refutation = self._refutations.get(name)
        if refutation is None or refutation.side != side or refutation.key not in (None, self._key):
            raise Invalid(f"{shown(name)} does not refute that")

    def _agreed(self, status: str, side: str, rest: list[Tree]) -> None:
        self._know(side, status)
        core: list[Tree] = []
        if status == "unsat" and rest and isinstance(rest[0], list):
            core, rest = rest[0], rest[1:]
        keys = [part.value for part in core if isinstance(part, QuotedText)]
        if len(set(keys)) < len(core) or not all(key in self.theory.assertions for key in keys):
            raise Invalid("a core lists assertions, each once")
        solvers = [part.value for part in rest if isinstance(part, QuotedText)]
        if status not in ("sat", "unsat") or not 0 < len(rest) == len(set(solvers)) <= 2:
            raise Invalid("expected sat or unsat, and one solver or two")
        self._hole(f"{side} {status}: the word of {' and '.join(map(shown, solvers))}")

    def _hole(self, text: str) -> None:
        self.holes.append(Hole(self.number, f"{shown(self._key)}: {text}"))


_HEADS = ("expected (potlang-certificate 1)", "the certificate is of another program")
_OUTER = ("model", "refutation", "result", "sat", "unsat", "agreed", "end")

"""The outcome of a question: verdicts, votes, constructs and costs, as values of a results file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from potlang.models.evaluation.richness import Richness
from potlang.models.loop.asking import Attempt
from potlang.report.results import AskOutcome, Verdict

PAPER: Final = ("SAT", "UNSAT")


class ClaimOutcome(NamedTuple):
    """The verdict on a verification, and the paper's reading of it: `SAT`, `UNSAT`, or None.

    `outcome` is there where the program says in which mode the verification is asked about.
    """

    verdict: Verdict
    paper: str | None
    outcome: AskOutcome | None = None


class ReplyCost(NamedTuple):
    """The cost of replies. Tokens, and US dollars, are None where no reply has them."""

    calls: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    dollars: float | None = None

    @classmethod
    def of(cls, attempts: Sequence[Attempt]) -> ReplyCost:
        """The cost of some attempts."""
        return cls(
            len(attempts),
            _sum(each.prompt_tokens for each in attempts),
            _sum(each.completion_tokens for each in attempts),
            _sum(each.cached_tokens for each in attempts),
            _sum(each.reasoning_tokens for each in attempts),
            _sum(each.cost for each in attempts),
        )


def total_spent(spent: Iterable[ReplyCost]) -> ReplyCost:
    """The sum of some costs."""
    every = list(spent)
    columns = [_sum(column) for column in zip(*every, strict=True)] if every else [0]
    return ReplyCost(*columns)


def _sum(amounts: Iterable[Any]) -> Any:
    known = [each for each in amounts if each is not None]
    return sum(known) if known else None


class SampleOutcome(NamedTuple):
    """The outcome of one program of a question.

    `ballot` is its vote, `verdict` that of all its claims. `used` is the number of the attempt, from 1, that
    was accepted first, None if none was; `made` is how many there were up to it; `mended` counts safe fixes.
    `second_look` is empty where there was none, or says whether its program stands: `changed` or `kept`.
    """

    ballot: str
    verdict: str
    used: int | None
    made: int
    mended: int = 0
    second_look: str = ""
    richness: Richness | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        counts = None if self.richness is None else self.richness._asdict()
        return {**self._asdict(), "richness": counts}

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> SampleOutcome:
        """From JSON values. Raises ValueError, TypeError or KeyError for anything else."""
        counts = value["richness"]
        found = cls(
            str(value["ballot"]),
            str(value["verdict"]),
            value["used"],
            int(value["made"]),
            int(value["mended"]),
            str(value["second_look"]),
            None if counts is None else Richness(**{name: int(count) for name, count in counts.items()}),
        )
        if found.made < 0 or found.mended < 0 or not _is_attempt(found.used, found.made):
            raise ValueError("not an attempt that was made")
        return found


class QuestionOutcome(NamedTuple):
    """The outcome of a question, without its right answer. `key` is a digest of all that it depends on.

    `used` is the number, from 1, of the first attempt that was accepted, None if none was, and `made` how
    many there were up to it: of the sample whose program was chosen. `claims` are its verifications in
    order, by the paper's reading those of most samples. `errors` are the codes of the last attempt that does
    not compile. `votes` count the samples by their ballots; `chosen` is the number of the sample that was
    chosen, from 0. Times are in milliseconds.
    """

    id: str
    key: str
    made: int
    used: int | None
    claims: tuple[tuple[str, ClaimOutcome], ...]
    errors: tuple[str, ...] = ()
    reasoning_ms: float = 0.0
    verifying_ms: float = 0.0
    failure: str = ""
    votes: tuple[tuple[str, int], ...] = ()
    samples: tuple[SampleOutcome, ...] = ()
    spent: ReplyCost = ReplyCost()
    chosen: int | None = None

    @property
    def calls(self) -> int:
        """How often a model was called, or would have been for what is recorded."""
        return self.spent.calls

    def claim(self, name: str) -> ClaimOutcome | None:
        """The verification of this name, or the first one for ""; None if there is none."""
        if not name:
            return self.claims[0][1] if self.claims else None
        return next((found for other, found in self.claims if other == name), None)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        claims = [
            [name, *(None if part is None else str(part) for part in each)] for name, each in self.claims
        ]
        return {
            **self._asdict(),
            "claims": claims,
            "errors": list(self.errors),
            "votes": dict(self.votes),
            "samples": [each.to_dict() for each in self.samples],
            "spent": self.spent._asdict(),
        }

    @classmethod
    def from_dict(cls, value: Any) -> QuestionOutcome:
        """From JSON values. Raises ValueError, TypeError, KeyError or OverflowError for anything else."""
        found = cls(
            str(value["id"]),
            str(value["key"]),
            int(value["made"]),
            value["used"],
            tuple((name, _claim_outcome(*parts)) for name, *parts in value["claims"]),
            tuple(map(str, value["errors"])),
            float(value["reasoning_ms"]),
            float(value["verifying_ms"]),
            str(value["failure"]),
            # Files of the former form have no more.
            tuple((str(name), int(count)) for name, count in value.get("votes", {}).items()),
            tuple(map(SampleOutcome.from_dict, value.get("samples", []))),
            _spent(value["spent"] if "spent" in value else {"calls": value["calls"]}),
            value.get("chosen"),
        )
        if any(not isinstance(name, str) or each.paper not in (None, *PAPER) for name, each in found.claims):
            raise ValueError("not a claim")
        times = found.reasoning_ms, found.verifying_ms
        if found.made < 0 or not all(0 <= time_ < math.inf for time_ in times):
            raise ValueError("not a count or a time")
        if not _is_attempt(found.used, found.made):
            raise ValueError("not an attempt that was made")
        if found.chosen not in (None, *range(len(found.samples))):
            raise ValueError("not a sample")
        return found


def _is_attempt(used: Any, made: int) -> bool:
    return used is None or (isinstance(used, int) and 1 <= used <= made)


def _spent(value: dict[str, Any]) -> ReplyCost:
    found = ReplyCost(**value)
    amounts = [each for each in found if each is not None]
    if not all(isinstance(each, int | float) and 0 <= each < math.inf for each in amounts):
        raise ValueError("not an amount")
    return found


def _claim_outcome(verdict: str, paper: str | None, outcome: str | None = None) -> ClaimOutcome:
    return ClaimOutcome(Verdict(verdict), paper, None if outcome is None else AskOutcome(outcome))

"""Majority vote of several programs for one question, and the program that stands for it ([LOOP-VOTE])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from potlang.models.reasoned import Answer, ProgramSample, Vote
from potlang.report.results import Verdict

Item = TypeVar("Item", bound=Hashable)


class Election(NamedTuple):
    """The result of a vote; the parts are those of `Reasoned`."""

    verdict: Answer
    reason: str
    votes: dict[str, int]
    claims: dict[str, Vote]
    chosen: ProgramSample | None


def elect(samples: Sequence[ProgramSample]) -> Election:
    """The answer that most samples have; `unknown` where two have as many. There must be a sample."""
    votes = Counter(each.answer for each in samples)
    answer = _most(votes)
    if answer is None:
        counts = ", ".join(f"{count} {name}" for name, count in _plain(votes).items())
        return Election(Verdict.UNKNOWN, f"the programs do not agree: {counts}", _plain(votes), {}, None)
    chosen, claims = _chosen(answer, samples)
    reason = "" if answer != Verdict.UNKNOWN else _why_unknown(samples, chosen)
    return Election(answer, reason, _plain(votes), claims, chosen)


def _chosen(answer: Answer, samples: Sequence[ProgramSample]) -> tuple[ProgramSample | None, dict[str, Vote]]:
    """The sample with the verdict that agrees in most claims, and the votes on its claims."""
    best: tuple[int, ProgramSample | None, dict[str, Vote]] = (-1, None, {})
    for sample in samples:
        # An `unknown` without a report is a failure, not a program to be shown.
        if sample.answer != answer or sample.report is None:
            continue
        claims = {name: _vote(name, samples) for name in sample.claims}
        agreeing = sum(claims[name].answer is each for name, each in sample.claims.items())
        # The first of several that agree as much: the vote must not depend on anything else.
        if agreeing > best[0]:
            best = agreeing, sample, claims
    return best[1], best[2]


def _vote(name: str, samples: Sequence[ProgramSample]) -> Vote:
    votes = Counter[Answer](each.claims[name] for each in samples if name in each.claims)
    return Vote(_most(votes) or Verdict.UNKNOWN, _plain(votes))


def _most(votes: Counter[Item]) -> Item | None:
    """The item that occurs most often; None if two do."""
    best = votes.most_common(2)
    if not best or (len(best) == 2 and best[0][1] == best[1][1]):
        return None
    return best[0][0]


def _plain(votes: Mapping[Any, int]) -> dict[str, int]:
    return {str(name): count for name, count in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))}


def _why_unknown(samples: Sequence[ProgramSample], chosen: ProgramSample | None) -> str:
    if chosen is not None and chosen.report is not None:
        optimum = chosen.report.optimization
        found = [each.reason for each in chosen.report.results]
        found += [] if optimum is None else [optimum.reason]
        reasons = dict.fromkeys(filter(None, found))
        return f"the solvers came to no answer{': ' if reasons else ''}{', '.join(reasons)}"
    last = next(each for each in reversed(samples) if each.report is None)
    replies = sum(each.failure is None for each in last.attempts)
    return f"no program after {replies} {'reply' if replies == 1 else 'replies'}: {last.problem}"

"""The loop around a model: generate → compile → (diagnostics → repair)* → verify, and a vote ([LOOP-REASON]).

found = potlang.reason("Rex is an iguana. Is Rex a reptile?", attempts=3)
found.verdict, found.report, found.to_json()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeVar, get_args

from potlang.languages.pot.solve import verify as verify_program
from potlang.models.consistency import compare
from potlang.models.endpoint import Endpoint, Model, Sampling
from potlang.models.reasoned import Answer, ProgramSample, Reasoned, Vote, nothing_written
from potlang.models.replies import find_program
from potlang.models.writer import Asking, ProgramWriter, Progress, is_given_up
from potlang.prove.options import RouteName, Trust
from potlang.report.results import Limits, Verdict
from potlang.utils.resources import schema
from potlang.version import __version__

MOST: Final = 100
"""Of attempts, of samples and of options."""
LONGEST_QUESTION: Final = 200_000

Item = TypeVar("Item", bound=Hashable)


def reason(
    question: str,
    model: Model | str | None = None,
    *,
    attempts: int = 3,
    k: int = 1,
    semantics: Mapping[str, Any] | None = None,
    options: Sequence[str] = (),
    prose: str | None = None,
    limits: Limits = Limits(),
    route: RouteName = "auto",
    trust: Trust = "best",
    temperature: float | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Reasoned:
    """The verdict on a question, by programs that a model writes and repairs, and solvers decide.

    `model`: one, or the name of one at the endpoint of the environment ([ENDPOINT-ENV]). `attempts` bounds
    the replies for one program, `k` is how many programs vote. `semantics` is put in the place of the
    programs' own. `options` are labels of answers to choose from, each a verification of its own. `prose`
    is an answer to compare the verdict with; by default, the prose around the program in the reply. `limits`,
    `route` and `trust` are those of `verify`; `temperature`, `max_tokens` (of one reply), `timeout` (seconds
    for one reply) and `seed` (of the first request, each further one has the next) go to the model.

    What a model or its endpoint does raises nothing: the verdict is then `unknown`, with the reason and
    the attempts so far. Raises ValueError for a wrong call, MissingExtraError without the extra `models`.
    """
    asking = Asking(
        Sampling(attempts, temperature, max_tokens, timeout, seed), dict(semantics or {}), tuple(options)
    )
    check_question(question, attempts, k, route, trust)
    _check_asking(asking)
    samples: list[ProgramSample] = []
    with opened_model(model) as asked:
        writer = ProgramWriter(asked, asking, progress=progress)
        for _ in range(k):
            written, program = writer.write(question)
            report = None
            if program is not None:
                report = verify_program(program, limits=limits, route=route, trust=trust)
            samples.append(ProgramSample(written, report))
            # The samples so far still vote: they were paid for.
            if is_given_up(written):
                break
    return _summed(question, asked.name, writer, samples, prose)


@contextmanager
def opened_model(model: Model | str | None) -> Iterator[Model]:
    """A model that is handed in, which is the caller's to close, or one of the environment by its name."""
    if model is not None and not isinstance(model, str):
        yield model
        return
    endpoint = Endpoint.from_environment(model)
    try:
        yield endpoint
    finally:
        endpoint.close()


def check_question(question: str, attempts: int, k: int, route: str, trust: str) -> None:
    """Raises ValueError for a question that is not to be put, with these options of `reason`."""
    if not question.strip() or len(question) > LONGEST_QUESTION:
        raise ValueError(f"a question has 1 to {LONGEST_QUESTION:,} characters")
    for name, count in (("attempts", attempts), ("k", k)):
        if not 1 <= count <= MOST:
            raise ValueError(f"`{name}` is from 1 to {MOST}")
    if route not in get_args(RouteName) or trust not in get_args(Trust):
        raise ValueError(f"no route {route!r} or trust {trust!r}")


def _check_asking(asking: Asking) -> None:
    """Raises ValueError."""
    if len(asking.options) > MOST or len(set(asking.options)) < len(asking.options):
        raise ValueError(f"`options` are at most {MOST} different labels")
    known = schema("pot-1")["properties"]["semantics"]["properties"]
    for name in asking.semantics or ():
        if name not in known:
            raise ValueError(f"`semantics` has no {name!r}; there are {', '.join(known)}")


def _summed(
    question: str, model: str, writer: ProgramWriter, samples: list[ProgramSample], prose: str | None
) -> Reasoned:
    election = elect(samples)
    found = Reasoned(question, model, writer.system, *election, tuple(samples), version=__version__)
    stated = prose if prose is not None else _surrounding_prose(election.chosen)
    if not stated:
        return found
    claims = {name: _verdict(vote.answer) for name, vote in election.claims.items()}
    asks = {} if election.chosen is None else election.chosen.asks
    return found._replace(consistency=compare(stated, claims, writer.options, asks))


def _verdict(answer: Answer) -> Verdict:
    return answer if isinstance(answer, Verdict) else Verdict.UNKNOWN


def _surrounding_prose(chosen: ProgramSample | None) -> str:
    """The prose around the program of the accepted reply."""
    found = None if chosen is None else find_program(chosen.attempts[-1].reply)
    return "" if found is None else found.around.strip("`~ \n").removesuffix("json").strip("`~ \n")


# --- the vote of several programs ([LOOP-VOTE]) ------------------------------------------------------


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
    return nothing_written("program", last.attempts, last.problem)

"""The loop around a model: ask → read → mend → compile → repair* → verify → second look, and a vote.

found = potlang.reason("Rex is an iguana. Is Rex a reptile?", attempts=3)
found.answer, found.report, found.to_json()

The rules are [LOOP-REASON] and those that follow it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar, get_args

from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import verify as verify_program
from potlang.models.endpoint import Model, Sampling
from potlang.models.loop.asking import Attempt
from potlang.models.loop.images import ImageSource, read_images
from potlang.models.loop.results import nothing_written
from potlang.models.loop.sampler import MOST, check_question, opened_model, samples_of
from potlang.models.presets import STRATEGIES, StrategyName, preset
from potlang.models.programs.consistency import compare
from potlang.models.programs.doubts import (
    asks_yes_or_no,
    conflict_with,
    doubts_about,
    gravest,
    second_look_prompt,
)
from potlang.models.programs.prompting import PromptSize
from potlang.models.programs.reasoned import Answer, Ballot, Elected, ProgramSample, Reasoned, Vote
from potlang.models.programs.strategies import Verified, written_by
from potlang.models.programs.writer import Asking, ProgramConversation, ProgramWriter, Progress, Written
from potlang.prove.options import RouteName, Trust
from potlang.report.results import Limits, Verdict
from potlang.utils.resources import schema
from potlang.version import __version__

Item = TypeVar("Item", bound=Hashable)


def reason(
    question: str,
    model: Model | str | None = None,
    *,
    strategy: StrategyName = "plain",
    images: Sequence[ImageSource] = (),
    attempts: int = 3,
    k: int | None = None,
    parallel: int | None = None,
    semantics: Mapping[str, Any] | None = None,
    options: Sequence[str] = (),
    yes_or_no: bool | None = None,
    second_look: bool = True,
    safe_fixes: bool = True,
    prompt: PromptSize = "full",
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

    `model`: one, or the name of one at the endpoint of the environment ([ENDPOINT-ENV]). `strategy`: how a
    model comes to a program ([LOOP-STRATEGY]). `images` belong to the question: paths of files, bytes, or
    URLs from which the endpoint takes them. `attempts` bounds the replies for one program, and for each
    stage before it; `k` is how many programs vote, `parallel` how many are written at a time: one, or five
    by `self-consistency`, whose `temperature` is 0.7 where none is given. `semantics` is put in the place of
    the programs' own. `options` are labels of answers to choose from, each a verification of its own; the
    answer is then the label that most programs elect. With `second_look` a model is asked once more about a
    program that contradicts itself, begs the question, is about nothing, or leaves open what is asked with
    `yes_or_no` (None: as the question's words say). With `safe_fixes` what keeps its meaning is mended
    without a call. `prompt`: all of the language is shown, or `short` for a small model. `prose` is an
    answer to compare the verdict with; by default, the prose around the program in the reply. `limits`,
    `route` and `trust` are those of `verify`; `temperature`, `max_tokens` (of one reply), `timeout` (seconds
    for one reply) and `seed` (of the first request, each further one has the next) go to the model.

    What a model or its endpoint does raises nothing: the verdict is then `unknown`, with the reason and
    the attempts so far. Raises ValueError for a wrong call, MissingExtraError without the extra `models`.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
    usual = preset(strategy)
    k = usual.k if k is None else k
    parallel = usual.parallel if parallel is None else parallel
    temperature = usual.temperature if temperature is None else temperature
    sampling = Sampling(attempts, temperature, max_tokens, timeout, seed)
    asking = Asking(
        sampling,
        dict(semantics or {}),
        tuple(options),
        safe_fixes,
        prompt,
        strategy,
        read_images(images),
    )
    check_question(question, attempts, k, parallel=parallel, route=route, trust=trust)
    _check_asking(asking)
    if prompt not in get_args(PromptSize):
        raise ValueError(f"no prompt {prompt!r}; there are {', '.join(get_args(PromptSize))}")
    if yes_or_no is None:
        yes_or_no = asks_yes_or_no(question, options)

    def verified(written: Written) -> Report:
        return verify_program(written.program, limits=limits, route=route, trust=trust)

    with opened_model(model) as asked:
        writer = ProgramWriter(asked, asking, progress=progress)
        sampler = ProgramSampler(writer, question, verified, second_look, yes_or_no)
        samples = samples_of(sampler.sample, k, parallel=parallel)
    return _summed(question, asked.name, writer, samples, prose)._replace(strategy=strategy)


class ProgramSampler:
    """Writes programs for one question and verifies them; from several threads at once.

    `verified` gives the report on a program. With `second_look` a program about which there is a doubt is
    looked at once more; `yes_or_no` is part of what a doubt is ([LOOP-SECOND]).
    """

    def __init__(
        self,
        writer: ProgramWriter,
        question: str,
        verified: Verified,
        second_look: bool,
        yes_or_no: bool,
    ) -> None:
        self._writer = writer
        self._question = question
        self._verified = verified
        self._second_look = second_look
        self._yes_or_no = yes_or_no

    def sample(self, number: int, recorded: Sequence[Attempt] | None = None) -> ProgramSample:
        """The sample with this number, from 0.

        With `recorded` attempts these are read and verified anew, and no model is asked.
        """
        talk = self._writer.conversation(self._question, number, recorded)
        written = written_by(talk, self._verified)
        if written is None:
            return ProgramSample(talk.attempts)
        report = self._verified(written)
        if self._second_look and talk.left > 0:
            written, report = self._looked_at_again(talk, written, report)
        program = written.checked.program
        at_odds = program is not None and conflict_with(self._question, program) is not None
        return ProgramSample(talk.attempts, report, written.text, written.around, at_odds)

    def _looked_at_again(
        self, talk: ProgramConversation, written: Written, report: Report
    ) -> tuple[Written, Report]:
        """The program of a second look if there is one that leaves no graver doubt, else the first."""
        doubts = doubts_about(written.checked, report, self._question, yes_or_no=self._yes_or_no)
        if not doubts:
            return written, report
        second = talk.look_again(written, second_look_prompt(str(report.verdict), doubts))
        if second is None or second.text == written.text:
            return written, report
        found = self._verified(second)
        left = doubts_about(second.checked, found, self._question, yes_or_no=self._yes_or_no)
        is_worse = found.verdict == Verdict.UNKNOWN or gravest(left) > gravest(doubts)
        return (written, report) if is_worse else (second, found)


def check_options(options: Sequence[str]) -> None:
    """Raises ValueError for labels that are not to be chosen from."""
    if len(options) > MOST or len(set(options)) < len(options):
        raise ValueError(f"`options` are at most {MOST} different labels")


def _check_asking(asking: Asking) -> None:
    """Raises ValueError."""
    check_options(asking.options)
    known = schema("pot-1")["properties"]["semantics"]["properties"]
    for name in asking.semantics or ():
        if name not in known:
            raise ValueError(f"`semantics` has no {name!r}; there are {', '.join(known)}")


def _summed(
    question: str, model: str, writer: ProgramWriter, samples: list[ProgramSample], prose: str | None
) -> Reasoned:
    options = writer.asking.options
    election = elect(samples, options)
    found = Reasoned(question, model, writer.system, *election, tuple(samples), version=__version__)
    chosen = election.chosen
    stated = prose if prose is not None else _plain_prose(chosen)
    if not stated:
        return found
    claims = {name: _verdict(vote.answer) for name, vote in election.claims.items()}
    asks = {} if chosen is None else chosen.asks
    return found._replace(consistency=compare(stated, claims, options, asks))


def _verdict(answer: Answer) -> Verdict:
    return answer if isinstance(answer, Verdict) else Verdict.UNKNOWN


def _plain_prose(chosen: ProgramSample | None) -> str:
    """The prose around the program of the accepted reply, without what is left of a fence."""
    return "" if chosen is None else chosen.around.strip("`~ \n").removesuffix("json").strip("`~ \n")


# --- the vote of several programs ([LOOP-VOTE]) ------------------------------------------------------


class Election(NamedTuple):
    """The result of a vote; the parts are those of `Reasoned`."""

    verdict: Answer
    elected: str | None
    reason: str
    votes: dict[str, int]
    claims: dict[str, Vote]
    chosen: ProgramSample | None


def elect(
    samples: Sequence[ProgramSample], options: Sequence[str] = (), *, by_option: bool = True
) -> Election:
    """The answer that most samples have; `unknown` where two have as many. There must be a sample.

    With `options`, or where programs ask a question with options, samples vote for those that they elect, and
    one that elects none abstains; not so without `by_option`: then all vote by verdict. Those at odds with
    the question's words have a say only where no other has.
    """
    ballots: list[Ballot] = [each.ballot(options) if by_option else each.answer for each in samples]
    if any(_has_say(each, own) and not each.at_odds for each, own in zip(samples, ballots, strict=True)):
        ballots = [_AT_ODDS if each.at_odds else own for each, own in zip(samples, ballots, strict=True)]
    votes = Counter[Ballot](ballots)
    # A choice is asked for: where programs make one, those that make none have no say in it.
    elected = Counter[Ballot](
        {each: votes[each] for each in votes if isinstance(each, Elected) and each.label is not None}
    )
    ballot = most_frequent(elected or Counter({each: votes[each] for each in votes if each != _AT_ODDS}))
    counts = _plain(votes)
    if ballot is None:
        reason = (
            f"the programs do not agree: {', '.join(f'{count} {name}' for name, count in counts.items())}"
        )
        return Election(Verdict.UNKNOWN, None, reason, counts, {}, None)
    # An `unknown` without a report is a failure, not a program to be shown.
    voters = [
        each for each, own in zip(samples, ballots, strict=True) if own == ballot and each.report is not None
    ]
    chosen, claims = _chosen(voters, samples)
    verdict = Verdict.UNKNOWN if chosen is None else chosen.answer
    reason = "" if verdict != Verdict.UNKNOWN else _why_unknown(samples, chosen)
    label = ballot.label if isinstance(ballot, Elected) else None
    return Election(verdict, label, reason, counts, claims, chosen)


_AT_ODDS: Final = Elected(None, "(at odds)")


def _has_say(sample: ProgramSample, ballot: Ballot) -> bool:
    """Whether a sample is a program, and makes its choice where one is asked for."""
    return sample.report is not None and not (isinstance(ballot, Elected) and ballot.label is None)


def _chosen(
    voters: Sequence[ProgramSample], samples: Sequence[ProgramSample]
) -> tuple[ProgramSample | None, dict[str, Vote]]:
    """The voter that agrees in most claims, and the votes on its claims."""
    best: tuple[int, ProgramSample | None, dict[str, Vote]] = (-1, None, {})
    for sample in voters:
        claims = {name: _vote(name, samples) for name in sample.claims}
        agreeing = sum(claims[name].answer is each for name, each in sample.claims.items())
        # The first of several that agree as much: the vote must not depend on anything else.
        if agreeing > best[0]:
            best = agreeing, sample, claims
    return best[1], best[2]


def _vote(name: str, samples: Sequence[ProgramSample]) -> Vote:
    votes = Counter[Answer](each.claims[name] for each in samples if name in each.claims)
    return Vote(most_frequent(votes) or Verdict.UNKNOWN, _plain(votes))


def most_frequent(votes: Counter[Item]) -> Item | None:
    """The item that occurs most often; None if two do."""
    best = votes.most_common(2)
    if not best or (len(best) == 2 and best[0][1] == best[1][1]):
        return None
    return best[0][0]


def _plain(votes: Mapping[Any, int]) -> dict[str, int]:
    """The votes by name, most first. An option may be called as a verdict is: then they are one line."""
    found = Counter[str]()
    for ballot, count in votes.items():
        found[str(ballot)] += count
    return dict(sorted(found.items(), key=lambda vote: (-vote[1], vote[0])))


def _why_unknown(samples: Sequence[ProgramSample], chosen: ProgramSample | None) -> str:
    if chosen is not None and chosen.report is not None:
        optimum = chosen.report.optimization
        found = [each.reason for each in chosen.report.results]
        found += [] if optimum is None else [optimum.reason]
        reasons = dict.fromkeys(filter(None, found))
        return f"the solvers came to no answer{': ' if reasons else ''}{', '.join(reasons)}"
    last = next(each for each in reversed(samples) if each.report is None)
    return nothing_written("program", last.attempts, last.problem)

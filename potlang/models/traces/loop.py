"""The loop around a model that writes traces: generate → check → repair → verify → tell ([LOOP-DOT-REASON]).

found = potlang.dot.reason("x is more than 3. Is it more than 2?", attempts=4, verdicts="offered")
found.established, found.report, found.trace
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from potlang.languages.dot.check import Theory, compiled
from potlang.languages.dot.read.records import PROFILES, Profile
from potlang.languages.dot.results import TraceVerdict
from potlang.models.endpoint import Model, Sampling
from potlang.models.loop.sampler import check_question, opened_model, samples_of
from potlang.models.programs.writer import Progress
from potlang.models.traces.reasoned import ReasonedTrace, TraceAttempts
from potlang.models.traces.writer import RoundVerdicts, TraceAsking, TraceWriter
from potlang.prove.options import RouteName, Trust
from potlang.report.results import Limits
from potlang.version import __version__


def reason(
    question: str,
    model: Model | str | None = None,
    *,
    attempts: int = 3,
    k: int = 1,
    verdicts: RoundVerdicts = "offered",
    theory: Theory | None = None,
    profile: Profile = "paper",
    budget: int | None = None,
    limits: Limits = Limits(),
    route: RouteName = "auto",
    trust: Trust = "best",
    temperature: float | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> ReasonedTrace:
    """The answer to a question, by a trace that a model writes and repairs, and solvers judge.

    `model`: one, or the name of one at the endpoint of the environment ([ENDPOINT-ENV]). `attempts` bounds
    the replies for one trace; `k` is how many traces are written at most until one is established.
    `verdicts`: of a well-formed trace that is not established, the model is told what the solver says of each
    proposition (`offered`), goes on behind the first one that was judged wrongly, with the solver's critique
    (`placed`), or is told nothing (`none`). `theory` is a PoT program that traces are read against, and
    `budget` bounds their records, statuses not counted. `limits`, `route` and `trust` are those of `verify`;
    `temperature`, `max_tokens` (of one reply), `timeout` (seconds for one reply) and `seed` (of the first
    request, each further one has the next) go to the model.

    What a model or its endpoint does raises nothing: the verdict is then `unknown`, with the reason. Raises
    ValueError for a wrong call, `potlang.CompileError` for a theory with errors, MissingExtraError without
    the extra `models`.
    """
    check_question(question, attempts, k, route=route, trust=trust)
    _check_asking(verdicts, profile, budget)
    sampling = Sampling(attempts, temperature, max_tokens, timeout, seed)
    asking = TraceAsking(sampling, verdicts, profile, compiled(theory), budget, limits, route, trust)
    with opened_model(model) as asked:
        writer = TraceWriter(asked, asking, progress=progress)
        samples = samples_of(
            lambda number: TraceAttempts(*writer.write(question)), k, suffices=_is_established
        )
    return ReasonedTrace(question, asked.name, writer.system, _best(samples), tuple(samples), __version__)


def _check_asking(verdicts: str, profile: str, budget: int | None) -> None:
    """Raises ValueError."""
    if budget is not None and budget < 1:
        raise ValueError("`budget` is at least 1")
    if verdicts not in get_args(RoundVerdicts):
        raise ValueError(f"`verdicts` is one of {', '.join(get_args(RoundVerdicts))}, not {verdicts!r}")
    if profile not in PROFILES:
        raise ValueError(f"{profile!r} is not one of {', '.join(PROFILES)}")


def _is_established(sample: TraceAttempts) -> bool:
    return sample.report is not None and sample.report.ok


def _best(samples: Sequence[TraceAttempts]) -> TraceAttempts | None:
    """The first established one, else the first of the best verdict."""
    verified = [each for each in samples if each.report is not None]
    return min(verified, key=_place, default=None)


def _place(sample: TraceAttempts) -> tuple[bool, int]:
    assert sample.report is not None
    return not sample.report.ok, list(TraceVerdict).index(sample.report.verdict)

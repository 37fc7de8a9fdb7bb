"""`Reasoned` as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag.wording import visible
from potlang.models.reasoned import Reasoned


def render_reasoned(found: Reasoned, *, color: bool = False) -> str:
    """The report on the chosen program, the votes, the consistency and the cost."""
    lines = [] if found.report is None else [found.report.render(color=color), ""]
    return "\n".join([*lines, *_summary(found)]) + "\n"


def _summary(found: Reasoned) -> Iterator[str]:
    if found.report is None or len(found.samples) > 1:
        yield f"verdict: {found.verdict}{f' ({visible(found.reason)})' if found.reason else ''}"
    if len(found.samples) > 1:
        yield f"votes: {_counts(found.votes)}"
        for name, vote in found.claims.items():
            yield f"  {visible(name) or 'claim'}: {vote.answer} ({_counts(vote.counts)})"
    if found.consistency is not None:
        yield f"prose: {found.consistency.status}: {visible(found.consistency.why)}"
    calls, seconds, prompt, completion = found.totals
    tokens = "" if prompt is None and completion is None else f", {prompt or 0} + {completion or 0} tokens"
    yield f"{calls} call{'' if calls == 1 else 's'} of {visible(found.model)}, {seconds:.1f} s{tokens}"


def _counts(votes: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in votes.items())

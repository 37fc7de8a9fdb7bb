"""The verdicts on a trace in sentences ([WORDS-TRACE])."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag.wording import visible
from potlang.languages.dot.results import NodeResult, TraceResult, TraceVerdict
from potlang.words.table import filled, language


def trace_sentences(report: TraceResult) -> Iterator[str]:
    """The verdict, then what is said of each proposition, each inclusion and each summary."""
    words: dict[str, str] = language().table["trace"]
    if report.verdict is TraceVerdict.ACCEPTED and not report.ok:
        yield words["not established"]
        yield from (
            f"{visible(each.text[:1].upper() + each.text[1:])}." for each in report.established.reasons
        )
    else:
        yield words[str(report.verdict)]
    for node in report.nodes:
        if node.proposition is not None and node.verdict is not None:
            yield _node(node, words)
    for arrow in report.arrows:
        key = f"arrow {arrow.state}" if arrow.state in ("refuted", "unknown") else arrow.state
        yield filled(words[key], {"source": str(arrow.source), "target": str(arrow.target)})
    for each in report.summary.summarizers:
        key = {True: "faithful", False: "not faithful", None: "faithful unknown"}[each.faithful]
        yield filled(words[key], {"node": str(each.node)})


def _node(node: NodeResult, words: dict[str, str]) -> str:
    verdict = str(node.verdict)
    answer = words.get(f"node {verdict}") or words[verdict]
    claim = f"`{visible(node.proposition or '')}`"
    status = words[node.status or "initial"]
    return filled(words["says"], {"id": str(node.id), "claim": claim, "answer": answer, "status": status})

"""Reports made by hand: what a check of a trace could answer, with any text in it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import (
    ArrowResult,
    EdgeResult,
    NodeResult,
    NucleusResult,
    RankResult,
    SummarizerResult,
    SummaryResult,
    TraceVerdict,
)
from potlang.report.results import Consistency, CoreItem, Evidence, Result, Verdict

HOSTILE = (
    '"]; n1 --> n9; click n1 "javascript:alert(1)"',
    "</script></title></style></svg><script>alert(1)</script>",
    "<img src=x onerror=alert(1)> &lt;b&gt; &amp; &#60;",
    'back\\slash \\" \\N \\G \\n quoted"',
    "lines\nand\r\ntabs\tand \u2028 separators",
    "\u202eright to left\u202c \u200f\u2066",
    "\x00\x01\x1b[31m\x7f\ufffe\uffff\ud800",
    "`code` **bold** 1. list %% comment #quot; #35; subgraph end",
    "]]> <!-- --> <![CDATA[ <?php {{ }} ${x}",
    "日本語 🙂 é" * 20,
)
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=()), max_size=80))


def result(name: str, verdict: Verdict, text: str) -> Result:
    """A result with a core and two models in which the text occurs."""
    item = CoreItem(text, "", text, "fact")
    evidence = Evidence((item,), True, could_be_true={text: text}, could_be_false={text: "0"})
    return Result(name, "", verdict, evidence=evidence)


def full(text: str = "text") -> TraceReport:
    """A report in which every part is there, and the text wherever text is."""
    refuted, entailed = Verdict.REFUTED, Verdict.ENTAILED
    nodes = (
        NodeResult(1, "problem", "initial", text=text, line=1),
        NodeResult(2, "proposer", "validated", text, refuted, False, 3, text, 4, result("2", refuted, text)),
        NodeResult(3, "critic", None, text=text),
        NodeResult(4, "proposer", "invalidated", text, entailed, True, text=text),
        NodeResult(5, "proposer", "active", text, Verdict.UNDETERMINED, text=text),
        NodeResult(6, "proposer", "validated", text, Verdict.INCONSISTENT, text=text),
        NodeResult(7, "proposer", "active", text, Verdict.UNKNOWN, text=text),
        NodeResult(8, "summarizer", None, None, None, text=text),
    )
    edges = (
        EdgeResult(1, 2, "use"),
        EdgeResult(2, 3, "critique"),
        EdgeResult(3, 4, "refine"),
        EdgeResult(1, 5, "use"),
        EdgeResult(2, 8, "use"),
        EdgeResult(6, 8, "use"),
    )
    item = CoreItem(text, "", text, "node")
    arrows = (
        ArrowResult(2, 6, "LE", 0, 3, "proved", line=7),
        ArrowResult(6, 2, "EQ", 2, None, "refuted", result=result("6", refuted, text)),
        ArrowResult(5, 4, "TR", 0, None, "assumed", True, (item,)),
        ArrowResult(7, 7, "LE", 0, None, "unknown"),
    )
    summary = SummaryResult(
        nodes=(2, 6),
        formula=text,
        consistency=Consistency.INCONSISTENT,
        faithful=False,
        model={text: text},
        conflict=(item,),
        conflict_minimal=True,
        redundant=(6,),
        incomparable=((2, 6),),
        branches=((2,), (6,)),
        counterevidence=Consistency.CONSISTENT,
        ranks=(RankResult(0, Consistency.CONSISTENT), RankResult(2, Consistency.INCONSISTENT)),
        retraction=0,
        summarizers=(
            SummarizerResult(8, False, (2, 6), (4,), (4,), result("8", Verdict.UNDETERMINED, text)),
        ),
        notes=(text,),
        result=Result("summary", "", Verdict.INCONSISTENT, trust="checked", route="z3"),
    )
    located = (
        {
            "code": "POT5024",
            "rule": "edge-kind",
            "severity": "error",
            "message": text,
            "pointer": "",
            "span": [0, 3],
            "line": 4,
            "column": 1,
            "notes": [text],
            "helps": [text],
            "fixes": [],
        },
    )
    return TraceReport(
        TraceVerdict.REJECTED,
        nodes=nodes,
        edges=edges,
        arrows=arrows,
        nucleus=NucleusResult((text,), Consistency.CONSISTENT, False),
        summary=summary,
        consequences=(5,),
        hash="ab" * 32,
        located=located,
        notes=(text,),
        version="1",
    )


def with_texts(texts: Sequence[str]) -> TraceReport:
    """A chain of proposers with these propositions, each with an inclusion in the one before it."""
    nodes = tuple(NodeResult(i, "proposer", "active", text, text=text) for i, text in enumerate(texts))
    edges = tuple(EdgeResult(i, i + 1, "refine") for i in range(len(texts) - 1))
    arrows = tuple(ArrowResult(i + 1, i, "TR", 0, None, "assumed") for i in range(len(texts) - 1))
    return TraceReport(TraceVerdict.ACCEPTED, nodes=nodes, edges=edges, arrows=arrows)


def large(count: int) -> TraceReport:
    """A trace of so many nodes: a problem, proposers with critics, and one summarizer in the middle.

    Node 51 (of fewer the one in the middle) is validated although the theory refutes it.
    """
    nodes = [NodeResult(0, "problem", "initial")]
    edges = []
    for i in range(1, count):
        role = "summarizer" if i == count // 2 * 2 - 10 else "proposer" if i % 2 else "critic"
        status = "active" if role == "proposer" else None
        nodes.append(NodeResult(i, role, status, f"x > {i}" if status else None))  # type: ignore[arg-type]
        edges.append(EdgeResult(i - 1, i, "critique" if role == "critic" else "use"))
        edges.append(EdgeResult(i // 2, i, "use"))
    wrong = 51 if count > 51 else count // 2 | 1
    nodes[wrong] = NodeResult(wrong, "proposer", "validated", f"x > {wrong}", Verdict.REFUTED)
    return TraceReport(TraceVerdict.REFUTED, nodes=tuple(nodes), edges=tuple(edges))

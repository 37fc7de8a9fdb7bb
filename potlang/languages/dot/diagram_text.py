"""A trace in its topos as lines of text, and as JSON values (`schemas/dot-diagram-1.json`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from potlang.diag.wording import counted, shown, visible
from potlang.languages.dot.diagram import TraceDiagram
from potlang.languages.dot.diagram_statements import differences, statements
from potlang.languages.dot.results import TraceResult
from potlang.report.table import aligned
from potlang.report.text import listed
from potlang.topos.orders import bits
from potlang.topos.subobject import Subobject, meet
from potlang.utils.style import PLAIN, Style
from potlang.version import __version__

MOST_ROWS = 32
"""Points, objects and inclusions that have a line each."""
_SAYS = 48


def diagram_lines(
    diagram: TraceDiagram, report: TraceResult | None = None, style: Style = PLAIN
) -> Iterator[str]:
    """The diagram as lines of text: S, objects, inclusions, nucleus, colimit, summary, points, statements.

    With a report on the same trace, what it says of the summary stands beside, and whether both agree.
    """
    yield from _space(diagram)
    yield from _objects(diagram, report, style)
    for each in diagram.inclusions[:MOST_ROWS]:
        state = style.verdict(each.state)
        yield f"inclusion {each.lower} ≤ {each.upper} ({each.schema}, rank {each.rank})  {state}"
    yield from _cut(len(diagram.inclusions), "inclusions")
    yield ""
    yield from _results(diagram, style)
    if report is not None:
        yield from _beside(diagram, report, style)
    yield ""
    yield from _points(diagram, style)
    yield ""
    for statement in statements(diagram):
        mark = style.verdict("holds" if statement.holds else "fails")
        yield f"{mark}  {statement.number}: {statement.says}"
    yield style.dim(f"form {diagram.form[:16]}: traces of one form have isomorphic colimits (4.12)")


def _space(diagram: TraceDiagram) -> Iterator[str]:
    names = list(dict.fromkeys(name for model in diagram.models for name in model))
    over = f" over {visible(listed(names))}" if names else ""
    yield f"S: {counted(len(diagram.models), 'model')} of the theory{over}"
    if not diagram.is_classical:
        stages = list(dict.fromkeys(point.stage for point in diagram.points))
        yield f"known at {counted(len(stages), 'stage')}: {visible(listed(stages))}"
        yield f"so {counted(len(diagram.points), 'context')}, and S has one element over each"
    index, edges = diagram.index, len(diagram.shape.edges)
    words = [counted(len(index.objects), "object"), counted(edges, "generating arrow")]
    if index.relations:
        words.append(counted(len(index.relations), "relation"))
    found = diagram.index_category
    size = "too many arrows to list" if found is None else f"{len(found.category.source)} arrows in all"
    yield f"J: {', '.join(words)}; {size}"
    yield ""


def _objects(diagram: TraceDiagram, report: TraceResult | None, style: Style) -> Iterator[str]:
    said = {} if report is None else {node.id: node.proposition for node in report.nodes}
    rows = [("object", "|P|", "|c(P)|", "says")]
    objects = list(diagram.index.objects.values())
    for each in objects[:MOST_ROWS]:
        own = meet(diagram.space, [diagram.propositions[node] for node in each.members])
        closure = diagram.objects[each.id]
        words = shown(said.get(each.id) or "", _SAYS)
        name = " = ".join(map(str, each.members))
        rows.append((name, str(own.mask.bit_count()), str(closure.mask.bit_count()), words))
    head, *rest = aligned(rows, (False, True, True))
    yield style.dim("  ".join(head).rstrip())
    yield from ("  ".join(row).rstrip() for row in rest)
    yield from _cut(len(objects), "objects")


def _results(diagram: TraceDiagram, style: Style) -> Iterator[str]:
    total = len(diagram.space.points)
    points = diagram.nucleus.points.bit_count()
    identity = ", so c is the identity" if diagram.nucleus.is_trivial() else ""
    yield f"nucleus c: T has {points} of {counted(total, 'point')}{identity}"
    colimit, sheaf = diagram.colimit_fibres, diagram.sheaf_fibres
    yield f"colim D: {counted(sum(colimit), 'element')} over S, up to {max(colimit, default=0)} over a point"
    if sheaf is None:
        yield "a(colim D): too many elements to list"
    else:
        yield f"a(colim D): {counted(sum(sheaf), 'element')}, up to {max(sheaf, default=0)} over a point"
    word = style.verdict("consistent" if diagram.is_consistent else "inconsistent")
    yield f"summary c(⋀ P): {diagram.summary.mask.bit_count()} of {counted(total, 'point')}, {word}"
    for rank, (size, is_consistent) in ranked(diagram).items() if len(diagram.ranks) > 1 else ():
        state = style.verdict("consistent" if is_consistent else "inconsistent")
        yield f"  under c^≤{rank}: {counted(size, 'point')}, {state}"


def ranked(diagram: TraceDiagram) -> dict[int, tuple[int, bool]]:
    """For each rank ρ the size of the summary under c^≤ρ, and whether it is consistent (appendix C.3)."""
    whole = meet(diagram.space, diagram.family)
    found = {}
    for rank in diagram.ranks:
        nucleus = diagram.nucleus_up_to(rank)
        found[rank] = (nucleus.closure(whole).mask.bit_count(), nucleus.is_consistent(whole))
    return found


def _beside(diagram: TraceDiagram, report: TraceResult, style: Style) -> Iterator[str]:
    formula = report.summary.formula
    if formula is not None:
        yield f"  as a formula: {shown(formula, 200)}"
    if not diagram.is_classical:
        yield style.dim("  (the formula is classical: it is so where all is known)")
        return
    apart = differences(diagram, report)
    if apart:
        yield f"  {style.verdict('wrong')}: the solver says otherwise {listed(apart)}"
    else:
        yield f"  {style.verdict('right')}: the solver says the same of each node, inclusion and summary"


def _points(diagram: TraceDiagram, style: Style) -> Iterator[str]:
    """A row for each point of S: its model, where it is, and what lies over it."""
    staged, sheaf = not diagram.is_classical, diagram.sheaf_fibres
    ids = map(str, diagram.objects)
    head = (*(["stage"] if staged else []), "models", "T", *ids, "colim", "a", "c(⋀ P)")
    rows: list[tuple[str, ...]] = [head]
    for point, (stage, models) in enumerate(diagram.points[:MOST_ROWS]):
        # What all models that look alike have in common is what is known of them.
        common = set.intersection(*(set(diagram.models[at].items()) for at in bits(models)))
        words = ", ".join(f"{name}={value}" for name, value in sorted(common))
        count = models.bit_count()
        rows.append(
            (
                *([visible(stage)] if staged else []),
                shown(words, 2 * _SAYS) or ("the only one" if count == 1 else f"any of {count:,}"),
                "T" if diagram.nucleus.points >> point & 1 else "",
                *(_mark(each, point) for each in diagram.objects.values()),
                str(diagram.colimit_fibres[point]),
                "" if sheaf is None else str(sheaf[point]),
                _mark(diagram.summary, point),
            )
        )
    first, *rest = aligned(rows)
    yield style.dim("  ".join(first).rstrip())
    yield from ("  ".join(row).rstrip() for row in rest)
    yield from _cut(len(diagram.points), "points")


def _mark(sub: Subobject, point: int) -> str:
    return "x" if point in sub else "."


def _cut(count: int, noun: str) -> Iterable[str]:
    return [f"… {count - MOST_ROWS:,} more {noun}"] if count > MOST_ROWS else []


# --- JSON ----------------------------------------------------------------------------------------


def diagram_to_dict(diagram: TraceDiagram, report: TraceResult | None = None) -> dict[str, Any]:
    """The diagram as JSON values; a subobject is the list of its points."""
    category, objects = diagram.space.category, diagram.index.objects
    found = diagram.index_category
    return {
        "potlang": __version__,
        "kind": "dot-diagram",
        "points": [{"stage": stage, "models": list(bits(models))} for stage, models in diagram.points],
        "below": [[category.source[f], category.target[f]] for f in category.proper_arrows],
        "models": [dict(model) for model in diagram.models],
        "validated": list(diagram.validated),
        "propositions": {str(id_): _members(sub) for id_, sub in diagram.propositions.items()},
        "inclusions": [each._asdict() for each in diagram.inclusions],
        "index": {
            "objects": [{"id": id_, "members": list(each.members)} for id_, each in objects.items()],
            "arrows": _pairs(diagram.index.generators().values()),
            "relations": _pairs((each.source, each.target) for each in diagram.index.relations),
            "size": None if found is None else len(found.category.source),
        },
        "nucleus": list(bits(diagram.nucleus.points)),
        "objects": {str(id_): _members(sub) for id_, sub in diagram.objects.items()},
        "colimit": list(diagram.colimit_fibres),
        "sheaf": None if diagram.sheaf_fibres is None else list(diagram.sheaf_fibres),
        "summary": _members(diagram.summary),
        "consistent": diagram.is_consistent,
        "ranks": [
            {"rank": rank, "points": size, "consistent": is_consistent}
            for rank, (size, is_consistent) in ranked(diagram).items()
        ],
        "statements": [each._asdict() for each in statements(diagram)],
        "form": diagram.form,
        "symbolic": None if report is None else _symbolic(diagram, report),
    }


def _symbolic(diagram: TraceDiagram, report: TraceResult) -> dict[str, Any]:
    apart = differences(diagram, report) if diagram.is_classical else None
    return {"formula": report.summary.formula, "verdict": str(report.verdict), "differences": apart}


def _members(sub: Subobject) -> list[int]:
    return list(bits(sub.mask))


def _pairs(ends: Iterable[Sequence[int]]) -> list[list[int]]:
    return [list(each) for each in ends]

"""The rules of the format that a graph does not need (paper, appendix F): each violation is a warning."""

from __future__ import annotations

from collections.abc import Sequence

from potlang.diag import Applicability, Edit, Fix, Label
from potlang.diag.sink import Sink
from potlang.languages.dagmath.read.boxed import is_final_answer, last_box
from potlang.languages.dagmath.read.citations import Citation, citations
from potlang.languages.dagmath.read.reader import ReadSolution
from potlang.languages.dagmath.read.records import Step
from potlang.languages.dagmath.read.sentences import count_sentences
from potlang.languages.dagmath.read.source_map import SourceMap

_SAFE, _UNSAFE = Applicability.SAFE, Applicability.UNSAFE


def check_format(read: ReadSolution, sink: Sink) -> None:
    """Reports what in the steps is not as the format has it; closure is a matter of the graph."""
    _Checks(read.steps, read.places, sink).run()


class _Checks:
    def __init__(self, steps: Sequence[Step], places: SourceMap, sink: Sink) -> None:
        self.steps = steps
        self.places = places
        self.sink = sink
        self.ids = {step.id for step in steps}

    def run(self) -> None:
        without_edge = [at for at, step in enumerate(self.steps) if not step.edge.strip()]
        if without_edge and len(without_edge) == len(self.steps):
            self.sink.report("POT7027", self.places.step(0), which="none of the steps")
        previous = -1
        for at, step in enumerate(self.steps):
            if step.id < previous:
                self.sink.report("POT7021", self.places.part(at, "id"), id=step.id, last=previous)
            previous = max(previous, step.id)
            self._parents(at, step)
            if step.edge.strip():
                self._edge(at, step)
            elif len(without_edge) < len(self.steps):
                self.sink.report("POT7027", self.places.step(at), which=f"step {step.id}")
            if (count := count_sentences(step.node)) > 1:
                help_ = "let each step say one thing, and split this one"
                node = self.places.part(at, "node")
                self.sink.report("POT7028", node, helps=(help_,), id=step.id, count=count)
        if self.steps:
            self._final(len(self.steps) - 1)

    # --- parents ---------------------------------------------------------------------------------

    def _parents(self, at: int, step: Step) -> None:
        parents = step.parents or ()
        wanted = sorted(set(parents))
        if list(parents) == wanted:
            return
        edits = self.places.set_parents(at, wanted)
        seen: dict[int, int] = {}
        for index, parent in enumerate(parents):
            if parent in seen:
                first = Label(self.places.parent(at, seen[parent]), "first here")
                fixes = self._fix("name it once", _SAFE, edits)
                place = self.places.parent(at, index)
                self.sink.report("POT7023", place, labels=[first], fixes=fixes, id=step.id, parent=parent)
            seen.setdefault(parent, index)
        if list(seen) != wanted:
            fixes = self._fix("sort the parents", _SAFE, edits)
            self.sink.report("POT7022", self.places.part(at, "parents"), fixes=fixes, id=step.id)

    # --- edges -----------------------------------------------------------------------------------

    def _edge(self, at: int, step: Step) -> None:
        found = citations(step.edge)
        cited = {each for citation in found for each in citation.ids}
        for citation in found:
            if citation.singular is not None:
                span = citation.start, citation.end
                edits = self.places.rewrite(at, "edge", span, citation.singular)
                fixes = self._fix(f"write `{citation.singular}`", _SAFE, edits)
                place = self.places.part(at, "edge", span)
                self.sink.report("POT7026", place, fixes=fixes, text=step.edge[slice(*span)])
        self._uncited(at, step, [each for each in dict.fromkeys(step.parents or ()) if each not in cited])
        self._strangers(at, step, found)

    def _uncited(self, at: int, step: Step, missing: Sequence[int]) -> None:
        """One report, and one fix, for all parents that an edge leaves out."""
        if not missing:
            return
        end = len(step.edge.rstrip())
        names = ", ".join(f"Step {each}" for each in missing)
        edits = self.places.rewrite(at, "edge", (end, end), f" ({names})")
        fixes = self._fix(f"add `({names})` at its end", _SAFE, edits)
        parents = ", ".join(f"step {each}" for each in missing)
        self.sink.report("POT7024", self.places.part(at, "edge"), fixes=fixes, id=step.id, parents=parents)

    def _strangers(self, at: int, step: Step, found: Sequence[Citation]) -> None:
        known = {step.id, *(step.parents or ())}
        for citation in found:
            for cited, span in zip(citation.ids, citation.spans, strict=True):
                if cited in known:
                    continue
                known.add(cited)  # It is reported once, however often it is cited.
                edits: tuple[Edit, ...] = ()
                if cited in self.ids and cited < step.id:
                    edits = self.places.set_parents(at, sorted({*(step.parents or ()), cited}))
                fixes = self._fix(f"let step {cited} be a parent", _UNSAFE, edits)
                place = self.places.part(at, "edge", span)
                self.sink.report("POT7025", place, fixes=fixes, id=step.id, cited=cited)

    # --- the answer ------------------------------------------------------------------------------

    def _final(self, last: int) -> None:
        node = self.steps[last].node
        if is_final_answer(node):
            return
        box = last_box(node)
        if box is not None and box.content is None:
            return  # That the box never ends was reported in reading.
        fixes: list[Fix] = []
        if box is not None:
            text = f"The final answer is ${node[box.start : box.end]}$."
            edits = self.places.rewrite(last, "node", (0, len(node)), text)
            fixes = self._fix("let it say nothing but the answer", _UNSAFE, edits)
        help_ = r"end with a step whose node is `The final answer is $\boxed{…}$.`"
        self.sink.report("POT7029", self.places.part(last, "node"), helps=(help_,), fixes=fixes)

    @staticmethod
    def _fix(title: str, how: Applicability, edits: tuple[Edit, ...]) -> list[Fix]:
        return [Fix(title, how, edits)] if edits else []

"""A solution in steps as an editor asks about it, in JSON or in the text form."""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

from potlang.diag import Place, Sink
from potlang.diag.wording import visible
from potlang.editor.answers import (
    Completions,
    HoverText,
    LanguageText,
    NotDone,
    OutlineItem,
    TextChange,
    TextSpan,
)
from potlang.editor.json_completion import Offer, chosen, key_items, slot_at, word_items
from potlang.editor.json_text import JsonText
from potlang.editor.markdown import plain
from potlang.languages.dagmath.read.citations import citations
from potlang.languages.dagmath.read.json_form import LARGEST_ID
from potlang.languages.dagmath.read.reader import ReadSolution, read_solution
from potlang.languages.dagmath.read.records import Step
from potlang.source import split_pointer

SCHEMA: Final = "dagmath-1"
_MOST_FOLDS: Final = 5_000


class StepMention(NamedTuple):
    """A place that names a step by its id. `in_range`: the id is one of a range whose ends stand there."""

    id: int
    span: TextSpan
    declares: bool
    in_range: bool = False


class SolutionText(LanguageText):
    """The text of a solution, finished or not."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_json = text.lstrip()[:1] in ("{", "[")
        self.json = JsonText(text) if self.is_json else None

    # --- the steps -------------------------------------------------------------------------------

    @cached_property
    def _read(self) -> ReadSolution:
        text = self.text if self.json is None else self.json.json.text
        return read_solution(text, Sink(), prose=False)

    def _span(self, place: Place) -> TextSpan:
        start, end = self._read.document.raw_span(place) or (0, 0)
        start, end = start + self._shift, end + self._shift
        return (start, end) if self.json is None else self.json.json.original_span((start, end))

    @property
    def _shift(self) -> int:
        return len(self.text) - len(self._read.document.text or "") if self.json is None else 0

    @cached_property
    def _mentions(self) -> list[StepMention]:
        """All places that name steps, in the order of the text."""
        read = self._read
        found: list[StepMention] = []
        for at, step in enumerate(read.steps):
            if "id" not in read.places.rows[at].repaired:
                found.append(StepMention(step.id, self._span(read.places.part(at, "id")), True))
            if "parents" not in read.places.rows[at].repaired:
                for index, parent in enumerate(step.parents or ()):
                    found.append(StepMention(parent, self._span(read.places.parent(at, index)), False))
            found += self._cited(at, step)
        return sorted(found, key=lambda each: each.span)

    def _cited(self, at: int, step: Step) -> list[StepMention]:
        found: list[StepMention] = []
        for citation in citations(step.edge):
            in_range = len(set(citation.spans)) < len(citation.ids)
            for id_, span in zip(citation.ids, citation.spans, strict=True):
                place = self._read.places.part(at, "edge", span)
                found.append(StepMention(id_, self._span(place), False, in_range))
        return found

    def _mention(self, offset: int) -> StepMention | None:
        return next((each for each in self._mentions if each.span[0] <= offset <= each.span[1]), None)

    # --- answers ---------------------------------------------------------------------------------

    def hover(self, offset: int) -> HoverText | None:
        mention = self._mention(offset)
        if mention is None:
            return None
        step = next((each for each in self._read.steps if each.id == mention.id), None)
        if step is None:
            return HoverText(mention.span, f"there is no step {mention.id}")
        parents = "given" if step.parents is None else "from " + ", ".join(map(str, step.parents))
        lines = [f"**step {step.id}** ({parents})", plain(step.node)]
        if step.edge:
            lines.append(f"*{plain(step.edge)}*")
        return HoverText(mention.span, "\n\n".join(lines))

    def completions(self, offset: int) -> Completions:
        if self.json is None:
            return Completions()
        slot = slot_at(self.json, offset)
        if slot.on_key:
            return key_items(SCHEMA, self.json.value, slot)
        tokens = split_pointer(slot.pointer)
        if "direct_dependent_steps" in tokens[-2:]:
            begun = self._number_before(offset)
            earlier = [each for each in self._read.steps if self._is_before(each, offset)]
            offers = [Offer(str(each.id), "value", _short(each.node)) for each in earlier]
            found = chosen(offers, slot._replace(begun=begun))
            start, end = offset - len(begun), offset
            items = tuple(each._replace(insert=each.label, span=(start, end)) for each in found.items)
            return Completions(items, found.is_cut)
        return word_items(SCHEMA, slot)

    def _number_before(self, offset: int) -> str:
        start = offset
        while start and self.text[start - 1].isdigit():
            start -= 1
        return self.text[start:offset]

    def _is_before(self, step: Step, offset: int) -> bool:
        """Whether a step stands before the one that an offset is in."""
        own = [each for each in self._mentions if each.declares and each.span[1] <= offset]
        inside = self._step_around(offset)
        return any(each.id == step.id for each in own) and step.id != inside

    def _step_around(self, offset: int) -> int | None:
        """The id of the step that an offset is in."""
        for at, step in enumerate(self._read.steps):
            start, end = self._span(self._read.places.step(at))
            if start <= offset <= end:
                return step.id
        return None

    def definition(self, offset: int) -> list[TextSpan]:
        mention = self._mention(offset)
        found = self._mentions if mention is not None else []
        return [each.span for each in found if each.declares and mention and each.id == mention.id]

    def references(self, offset: int, *, with_declarations: bool) -> list[TextSpan]:
        mention = self._mention(offset)
        if mention is None:
            return []
        found = (each for each in self._mentions if each.id == mention.id)
        return list(dict.fromkeys(each.span for each in found if with_declarations or not each.declares))

    def name_at(self, offset: int) -> tuple[TextSpan, str] | NotDone:
        mention = self._mention(offset)
        return super().name_at(offset) if mention is None else (mention.span, str(mention.id))

    def rename(self, offset: int, new: str) -> list[TextChange] | NotDone:
        mention = self._mention(offset)
        if mention is None:
            return super().rename(offset, new)
        if not (new.isascii() and new.isdigit() and str(int(new)) == new and int(new) <= LARGEST_ID):
            return NotDone(f"the id of a step is a number from 0 to {LARGEST_ID}")
        if any(each.id == int(new) for each in self._mentions) and int(new) != mention.id:
            return NotDone(f"the text speaks of a step {new} already")
        if any(each.in_range and each.id == mention.id for each in self._mentions):
            return NotDone("a range of steps is cited in which this one is; write out the range first")
        spans = self.references(offset, with_declarations=True)
        if any(self.text[start:end] != str(mention.id) for start, end in spans):
            return NotDone("the id is written otherwise somewhere; apply the fixes first")
        return [TextChange(start, end, new) for start, end in spans] if int(new) != mention.id else []

    def outline(self) -> list[OutlineItem]:
        read = self._read
        found: list[OutlineItem] = []
        for at, step in enumerate(read.steps):
            whole, name = self._span(read.places.step(at)), self._span(read.places.part(at, "id"))
            found.append(
                OutlineItem(f"step {step.id}", "value", _around(whole, name), name, _short(step.node))
            )
        return found

    def folds(self) -> list[TextSpan]:
        if self.json is not None:
            return self.json.brackets(_MOST_FOLDS)
        return [each.span for each in self.outline()]


def _around(whole: TextSpan, name: TextSpan) -> TextSpan:
    return min(whole[0], name[0]), max(whole[1], name[1])


def _short(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= 80 else f"{line[:79]}…"

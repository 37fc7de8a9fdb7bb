"""A program as an editor asks about it."""

from __future__ import annotations

from potlang.editor.answers import (
    Completions,
    HoverText,
    LanguageText,
    NotDone,
    OutlineItem,
    SortHint,
    TextChange,
    TextSpan,
    TextToken,
)
from potlang.editor.json_text import JsonText
from potlang.editor.program.completion import completions
from potlang.editor.program.display import hints, outline, tokens
from potlang.editor.program.hover import hover
from potlang.editor.program.names import NameAt, ProgramNames
from potlang.editor.program.renaming import renamed

_MOST_FOLDS = 5_000


class ProgramText(LanguageText):
    """The text of a program, finished or not."""

    def __init__(self, text: str) -> None:
        self.json = JsonText(text)
        self.names = ProgramNames(self.json.value)

    def hover(self, offset: int) -> HoverText | None:
        return hover(self.json, self.names, offset)

    def completions(self, offset: int) -> Completions:
        return completions(self.json, self.names, offset)

    def definition(self, offset: int) -> list[TextSpan]:
        found = self._name_at(offset)
        if found is None or found.target is None:
            return []
        declarations = self.names.declared.get(found.target.space)
        if declarations is not None:
            return [self.json.span(each.pointer) for each in declarations.get(found.target.name, ())]
        occurrences = self.names.occurrences(found.target)
        return [self.json.span(each.pointer, each.span) for each in occurrences if each.declares]

    def references(self, offset: int, *, with_declarations: bool) -> list[TextSpan]:
        found = self._name_at(offset)
        if found is None or found.target is None:
            return []
        occurrences = self.names.occurrences(found.target)
        spans = [
            self.json.span(each.pointer, each.span)
            for each in occurrences
            if with_declarations or not each.declares
        ]
        return sorted(spans)

    def name_at(self, offset: int) -> tuple[TextSpan, str] | NotDone:
        found = self._name_at(offset)
        if found is None:
            return super().name_at(offset)
        if found.target is None:
            return NotDone(f"`{found.name}` is not declared in this program")
        return self.json.span(found.pointer, found.span), found.name

    def rename(self, offset: int, new: str) -> list[TextChange] | NotDone:
        found = self._name_at(offset)
        return super().rename(offset, new) if found is None else renamed(self.json, self.names, found, new)

    def hints(self, start: int, end: int) -> list[SortHint]:
        return hints(self.json, self.names, start, end)

    def tokens(self, start: int, end: int) -> list[TextToken]:
        return tokens(self.json, self.names, start, end)

    def outline(self) -> list[OutlineItem]:
        return outline(self.json)

    def folds(self) -> list[TextSpan]:
        return self.json.brackets(_MOST_FOLDS)

    def _name_at(self, offset: int) -> NameAt | None:
        cursor = self.json.cursor(offset)
        if cursor.on_key or cursor.inside is None:
            return None
        return self.names.at(cursor.pointer, cursor.inside)

"""A trace as an editor asks about it."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any, Final, NamedTuple

from potlang.diag import Sink
from potlang.diag.wording import visible
from potlang.editor.answers import (
    Completions,
    HoverText,
    ItemKind,
    LanguageText,
    NotDone,
    OutlineItem,
    TextChange,
    TextSpan,
    TextToken,
    TokenKind,
)
from potlang.editor.json_text import JsonText, object_at
from potlang.editor.markdown import code, plain
from potlang.editor.program.words import sentence_of
from potlang.editor.trace.completion import completions, json_completions
from potlang.editor.trace.lines import RecordLine, free_text, record_lines
from potlang.editor.trace.propositions import PropName, prop_names, respelt
from potlang.expressions.tables import tokens as token_tables
from potlang.languages.dot.lower.expressions import read_expression
from potlang.languages.dot.read.propositions import check_value
from potlang.languages.dot.read.shapes import SHAPES, form
from potlang.sema.builtins import BUILTINS

_MEANINGS: Final = {
    "node": "A node of the diagram, which opens a block.",
    "edge": "The node of the block, `dst`, depends on `src`.",
    "status": "The one judgement about the proposer `target`; `just` names the critic who says why.",
    "entails": "What the proposer `src` says implies what `dst` says.",
    "eq": "Two proposers say the same.",
    "coeq": "The parallel arrows from one proposer to another are one.",
    "prop": "What the node says, as JSON: a proposition; in a problem what is declared and assumed.",
}
_IDS: Final = frozenset({"id", "src", "dst", "target", "just", "witness"})
_LARGEST_ID: Final = 10**9


class PlacedName(NamedTuple):
    """A name in a proposition, and where it stands in the trace."""

    name: PropName
    record: int
    span: TextSpan


class TraceText(LanguageText):
    """The text of a trace, finished or not."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.records = record_lines(text)

    # --- what is in it ---------------------------------------------------------------------------

    @cached_property
    def _props(self) -> dict[int, JsonText]:
        """The JSON of each `@prop`, by the number of its record."""
        return {
            number: JsonText(self.text[record.json[0] : record.json[1]])
            for number, record in enumerate(self.records)
            if record.json is not None
        }

    @cached_property
    def names(self) -> list[PlacedName]:
        """The names in all propositions."""
        found: list[PlacedName] = []
        for number, prop in self._props.items():
            start = (self.records[number].json or (0, 0))[0]
            for name in prop_names(prop):
                low, high = prop.span(name.pointer, name.span, on_key=name.on_key)
                found.append(PlacedName(name, number, (start + low, start + high)))
        return found

    def _record_at(self, offset: int) -> int | None:
        found = (n for n, each in enumerate(self.records) if each.span[0] <= offset <= each.span[1])
        return next(found, None)

    def _id_at(self, offset: int) -> tuple[TextSpan, str] | None:
        """The id under the cursor, and its place."""
        number = self._record_at(offset)
        for each in self.records[number].fields if number is not None else ():
            if each.name in _IDS and each.span[0] <= offset <= each.span[1]:
                return each.span, each.value
        return None

    def _name_at(self, offset: int) -> PlacedName | None:
        return next((each for each in self.names if each.span[0] <= offset <= each.span[1]), None)

    def _same(self, one: PlacedName) -> list[PlacedName]:
        """All places that name the same: in the trace, or under the same binder."""
        scope = one.name.scope
        return [
            each
            for each in self.names
            if each.name.name == one.name.name
            and each.name.scope == scope
            and (scope is None or each.record == one.record)
        ]

    def _declaration(self, name: PlacedName) -> PlacedName | None:
        return next((each for each in self._same(name) if each.name.declares), None)

    # --- answers ---------------------------------------------------------------------------------

    def hover(self, offset: int) -> HoverText | None:
        id_ = self._id_at(offset)
        if id_ is not None:
            return HoverText(id_[0], self._said_of_node(id_[1]))
        number = self._record_at(offset)
        if number is None:
            return None
        record = self.records[number]
        word = record.span[0], record.span[0] + len(record.kind) + 1
        if offset <= word[1]:
            return HoverText(word, f"{code(form(record.kind))}\n\n{_MEANINGS[record.kind]}")
        name = self._name_at(offset)
        lines = [] if name is None else self._said_of_name(name)
        says = self._says(number)
        if says:
            lines.append(code(says))
            sentence = sentence_of(self._declarations, "knowledge_base", says)
            lines += [f"*{plain(sentence)}*"] if sentence else []
        span = record.json or record.span
        return HoverText(name.span if name is not None else span, "\n\n".join(lines)) if lines else None

    def _said_of_node(self, id_: str) -> str:
        lines: list[str] = []
        for number, record in enumerate(self.records):
            if record.kind == "node" and record.value("id") == id_:
                lines.append(f"**node {plain(id_)}**: {plain(record.value('role') or '?')}")
                line = free_text(self.text, record.span[1], self._end_of_block(number))
                lines += [code(line)] if line else []
            elif record.kind == "status" and record.value("target") == id_:
                lines.append(
                    plain(f"{record.value('mark') or '?'}, as {record.value('just') or 'its critic'} says")
                )
            elif record.kind == "prop" and record.value("id") == id_:
                says = self._says(number)
                lines += [code(says)] if says else []
        return "\n\n".join(lines) or f"there is no node {plain(id_)}"

    def _end_of_block(self, number: int) -> int:
        later = (each.span[0] for each in self.records[number + 1 :] if each.kind == "node")
        return next(later, len(self.text))

    def _says(self, number: int) -> str:
        """The proposition of a `@prop` as an expression; empty where there is none."""
        prop = self._props.get(number)
        value: Any = None if prop is None else prop.value
        if value is None or (isinstance(value, dict) and ("declare" in value or "assume" in value)):
            return ""
        sink = Sink()
        check_value(value, sink)
        return "" if sink.has_errors else read_expression(value, "", sink).formula.text

    @cached_property
    def _declarations(self) -> dict[str, Any]:
        """The declarations of the trace, in the form of a program's."""
        functions: list[dict[str, Any]] = []
        constants: dict[str, Any] = {}
        for prop in self._props.values():
            value: Any = prop.value
            declared = value.get("declare") if isinstance(value, dict) else None
            for name, sort in declared.items() if isinstance(declared, dict) else ():
                if isinstance(sort, dict):
                    functions.append({"name": name, **sort})
                else:
                    constants[name] = {"sort": sort, "members": [name]}
        return {"functions": functions, "constants": constants}

    def _said_of_name(self, name: PlacedName) -> list[str]:
        declaration = self._declaration(name)
        if declaration is not None:
            return [code(declaration.name.detail)]
        return [code(name.name.name), "not declared in this trace"]

    def completions(self, offset: int) -> Completions:
        number = self._record_at(offset)
        record = None if number is None else self.records[number]
        if record is not None and record.json is not None and offset >= record.json[0]:
            return self._in_json(record, offset)
        return completions(self.text, self.records, offset)

    def _in_json(self, record: RecordLine, offset: int) -> Completions:
        names: dict[str, tuple[ItemKind, str]] = {}
        for each in self.names:
            if each.name.declares and (each.name.scope is None or self.records[each.record] == record):
                kind: ItemKind = "function" if "->" in each.name.detail else "constant"
                names.setdefault(each.name.name, (kind, each.name.detail))
        return json_completions(self.text, record, names, offset)

    def definition(self, offset: int) -> list[TextSpan]:
        id_ = self._id_at(offset)
        if id_ is not None:
            nodes = (each for each in self.records if each.kind == "node" and each.value("id") == id_[1])
            return [node.fields[0].span for node in nodes]
        name = self._name_at(offset)
        found = None if name is None else self._declaration(name)
        return [] if found is None else [found.span]

    def references(self, offset: int, *, with_declarations: bool) -> list[TextSpan]:
        id_ = self._id_at(offset)
        if id_ is not None:
            return [
                each.span
                for record in self.records
                for each in record.fields
                if each.name in _IDS and each.value == id_[1] and (with_declarations or record.kind != "node")
            ]
        name = self._name_at(offset)
        same = [] if name is None else self._same(name)
        return [each.span for each in same if with_declarations or not each.name.declares]

    def name_at(self, offset: int) -> tuple[TextSpan, str] | NotDone:
        id_ = self._id_at(offset)
        if id_ is not None:
            return id_
        name = self._name_at(offset)
        if name is None:
            return super().name_at(offset)
        if self._declaration(name) is None:
            return NotDone(f"`{name.name.name}` is not declared in this trace")
        return name.span, name.name.name

    def rename(self, offset: int, new: str) -> list[TextChange] | NotDone:
        id_ = self._id_at(offset)
        if id_ is not None:
            return self._renumbered(offset, id_[1], new)
        name = self._name_at(offset)
        if name is None or self._declaration(name) is None:
            found = self.name_at(offset)
            return found if isinstance(found, NotDone) else super().rename(offset, new)
        return self._renamed(name, new)

    def _renumbered(self, offset: int, old: str, new: str) -> list[TextChange] | NotDone:
        if not (new.isascii() and new.isdigit() and str(int(new[:20])) == new and int(new) < _LARGEST_ID):
            return NotDone("the id of a node is a natural number")
        if new == old:
            return []
        if any(each.name in _IDS and each.value == new for record in self.records for each in record.fields):
            return NotDone(f"there is a node {new} already")
        return [TextChange(*span, new) for span in self.references(offset, with_declarations=True)]

    def _renamed(self, name: PlacedName, new: str) -> list[TextChange] | NotDone:
        old = name.name.name
        if not new.strip() or new != new.strip() or not new.isprintable():
            return NotDone("a name has printable characters, and does not begin or end with a blank")
        if new == old:
            return []
        if new in token_tables().keywords or new in BUILTINS or new.casefold() in ("true", "false"):
            return NotDone(f"`{new}` is a word of the language")
        if any(each.name.name == new for each in self.names):
            return NotDone(f"`{new}` is a name of this trace already")
        changes: list[TextChange] = []
        for each in self._same(name):
            text = respelt(each.name, self._string_of(each), new)
            if text is None:
                return NotDone("the name cannot be changed in all places")
            changes.append(TextChange(*each.span, json.dumps(text, ensure_ascii=False)[1:-1]))
        return changes

    def _string_of(self, name: PlacedName) -> str:
        """The string or the key that a name is or is in."""
        if name.name.on_key:
            return name.name.name
        return str(object_at(self._props[name.record].value, name.name.pointer))

    def tokens(self, start: int, end: int) -> list[TextToken]:
        found: list[TextToken] = []
        for record in self.records:
            if record.span[1] < start or record.span[0] > end:
                continue
            found.append(TextToken(record.span[0], record.span[0] + len(record.kind) + 1, "keyword"))
            known = {field.name: field for field in SHAPES[record.kind]}
            for each in record.fields:
                if each.name in known and each.value:
                    is_word = bool(known[each.name].words)
                    found.append(TextToken(*each.span, "enumMember" if is_word else "number"))
        low = {
            number
            for number, each in enumerate(self.records)
            if each.span[1] >= start and each.span[0] <= end
        }
        for name in self.names:
            if name.record in low and name.span[0] < name.span[1]:
                kind: TokenKind = "parameter" if name.name.scope is not None else "variable"
                modifiers = ("declaration",) if name.name.declares else ()
                found.append(TextToken(*name.span, kind, modifiers))
        return sorted(found, key=lambda each: each.start)

    def outline(self) -> list[OutlineItem]:
        found: list[OutlineItem] = []
        for number, record in enumerate(self.records):
            if record.kind == "node":
                end = len(self.text[: self._end_of_block(number)].rstrip())
                line = free_text(self.text, record.span[1], end)
                name = f"{record.value('id') or '?'} {record.value('role') or ''}".strip()
                found.append(
                    OutlineItem(name, "class", (record.span[0], end), record.span, visible(line[:80]))
                )
        return found

    def folds(self) -> list[TextSpan]:
        return [each.span for each in self.outline()]

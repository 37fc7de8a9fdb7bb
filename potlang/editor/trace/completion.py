"""Completions at the cursor in a trace: the validator of the stream is asked of each candidate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from potlang.editor.answers import CompletionItem, Completions, ItemKind
from potlang.editor.json_completion import MOST_ITEMS, Offer, chosen, key_items, slot_at
from potlang.editor.json_text import JsonText
from potlang.editor.trace.lines import RecordLine, line_at
from potlang.languages.dot.read.propositions import FORMULAS, TERMS
from potlang.languages.dot.read.records import END_MARK
from potlang.languages.dot.read.shapes import SHAPES, Field, form
from potlang.languages.dot.stream.validator import Validator
from potlang.source import split_pointer

SCHEMA: Final = "dot-prop-1"
_SORTS: Final = ("Bool", "Int", "Real", "String", "Date")
_BEGUN = re.compile(r"[^\s=]*\Z")
_MOST_IDS: Final = 1_000


class _TypedLine:
    """The line up to the cursor, and the state of the validator at its beginning."""

    def __init__(self, text: str, offset: int) -> None:
        start, _ = line_at(text, offset)
        self.before = text[start:offset]
        found = _BEGUN.search(self.before)
        self.begun = "" if found is None else found[0]
        self.offset = offset
        self._validator: Validator | None = Validator()
        self._validator.push(text[:start])
        if self._validator.status == "invalid":
            # Above is something else to correct first: nothing is ruled out for that.
            self._validator = None

    def may_be(self, text: str) -> bool:
        """Whether a well-formed trace may go on with this text in this line."""
        if self._validator is None:
            return True
        return self._validator.fork().push(text) != "invalid"

    def item(self, label: str, kind: ItemKind, insert: str, detail: str = "") -> CompletionItem:
        """An item in the place of the word that is begun."""
        return CompletionItem(label, kind, insert, (self.offset - len(self.begun), self.offset), detail)


def completions(text: str, records: list[RecordLine], offset: int) -> Completions:
    """The records, the fields, the ids and the words that may come next."""
    line = _TypedLine(text, offset)
    if not line.before.startswith("@") and line.before.strip():
        return Completions()
    words = line.before.split(" ")
    if len(words) == 1:
        items = list(_records(line))
    else:
        items = list(_fields(line, words, records))
    return Completions(tuple(items[:MOST_ITEMS]), len(items) > MOST_ITEMS)


def _records(line: _TypedLine) -> Iterator[CompletionItem]:
    for kind, fields in SHAPES.items():
        word = f"@{kind}"
        if word.startswith(line.before) and line.may_be(f"{word} {fields[0].name}="):
            yield line.item(word, "keyword", f"{word} {fields[0].name}=", form(kind))
    end = END_MARK.decode()
    if end.startswith(line.before) and line.may_be(f"{end}\n"):
        yield line.item(end, "keyword", end, "the end of the trace")


def _fields(line: _TypedLine, words: list[str], records: list[RecordLine]) -> Iterator[CompletionItem]:
    fields = SHAPES.get(words[0][1:], ())
    name, has_value, _ = words[-1].partition("=")
    written = {word.partition("=")[0] for word in words[1:-1]}
    if not has_value:
        for field in fields:
            is_begun = field.name not in written and field.name.startswith(name)
            if is_begun and line.may_be(f"{line.before[: len(line.before) - len(name)]}{field.name}="):
                yield line.item(f"{field.name}=", "field", f"{field.name}=", field.shown)
        return
    for field in fields:
        if field.name == name:
            yield from _values(line, field, records)


def _values(line: _TypedLine, field: Field, records: list[RecordLine]) -> Iterator[CompletionItem]:
    stem = line.before[: len(line.before) - len(line.begun)]
    # Behind the value comes a blank or the end of the line, by which alone a number is complete.
    for word in field.words:
        if word.startswith(line.begun) and _fits(line, f"{stem}{word}"):
            yield line.item(word, "value", word)
    if field.words:
        return
    for id_, role in _ids(records, is_new=field.name == "id" and stem.startswith("@node")):
        if id_.startswith(line.begun) and _fits(line, f"{stem}{id_}"):
            yield line.item(id_, "value", id_, role)


def _fits(line: _TypedLine, text: str) -> bool:
    return line.may_be(f"{text}\n") or line.may_be(f"{text} ")


def _ids(records: list[RecordLine], *, is_new: bool) -> Iterator[tuple[str, str]]:
    """The ids of the nodes with their roles, the last first; for a new node the next number."""
    nodes = [each for each in records if each.kind == "node"]
    ids = [each.value("id") or "" for each in nodes]
    numbers = [int(each) for each in ids if each.isdigit() and len(each) < 10]
    if is_new:
        yield str(max(numbers, default=0) + 1), "the next node"
        return
    for node in reversed(nodes[-_MOST_IDS:]):
        yield node.value("id") or "", node.value("role") or ""


def json_completions(
    text: str, record: RecordLine, names: Mapping[str, tuple[ItemKind, str]], offset: int
) -> Completions:
    """Completions in the JSON of a `@prop`: operators as keys, names and sorts as strings."""
    start, end = record.json or (offset, offset)
    json = JsonText(text[start:end])
    slot = slot_at(json, offset - start)
    tokens = split_pointer(slot.pointer)
    if slot.on_key:
        found = key_items(SCHEMA, json.value, slot)
        if not found.items:
            operators = [Offer(key, "keyword") for key in dict.fromkeys((*FORMULAS, *TERMS))]
            found = chosen(operators, slot)
    elif tokens[:1] == ["declare"] or tokens[-2:-1] == ["0"]:
        found = chosen([Offer(sort, "class") for sort in _SORTS], slot)
    else:
        found = chosen([Offer(name, kind, detail) for name, (kind, detail) in names.items()], slot)
    items = tuple(each._replace(span=(each.span[0] + start, each.span[1] + start)) for each in found.items)
    return found._replace(items=items)

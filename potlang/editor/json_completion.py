"""Completion in JSON, whatever it says: the slot at the cursor, keys by a schema, strings in quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

from potlang.editor.answers import CompletionItem, Completions, ItemKind, TextSpan
from potlang.editor.json_text import JsonText, object_at
from potlang.editor.schemas import keys_at, words_at
from potlang.source.layout import decode_string
from potlang.source.pointer import join_pointer, split_pointer

MOST_ITEMS = 200
_KEY_BEFORE = re.compile(r'"((?:[^"\\]|\\.)*+)"[ \t\n\r]*+:[ \t\n\r]*+\Z')
_NEAR = 2_000
"""Characters before the cursor that are looked at for the key that it stands behind."""


class Offer(NamedTuple):
    """Something that may be written, before it is known how: quotes and escapes come later."""

    name: str
    kind: ItemKind
    detail: str = ""
    documentation: str = ""


class JsonSlot(NamedTuple):
    """Where something is to be written.

    `pointer` is the member or item that it becomes, of a key the object around it. `inside` counts characters
    of the decoded string that the cursor is in, None where there are no quotes yet. `span` is what is there
    in the original text: the content of a string, or nothing. `begun` is what stands before the cursor.
    """

    json: JsonText
    pointer: str
    on_key: bool
    inside: int | None
    span: TextSpan
    begun: str
    needs_colon: bool = False
    whole: str = ""
    """The string that the cursor is in."""


def slot_at(text: JsonText, offset: int) -> JsonSlot:
    """The slot at an offset of the original text."""
    cursor = text.cursor(offset)
    if cursor.inside is not None:
        # Not the mended string's end: a string that is not closed has been given one.
        span = text.json.original_span((cursor.span[0] + 1, max(cursor.span[0] + 1, cursor.span[1] - 1)))
        begun = cursor.text[: cursor.inside]
        pointer = "/".join(cursor.pointer.split("/")[:-1]) if cursor.on_key else cursor.pointer
        is_key = cursor.on_key and not text.is_before_colon(_behind_quote(text.json.source, span[1]))
        return JsonSlot(text, pointer, cursor.on_key, cursor.inside, span, begun, is_key, cursor.text)
    empty = offset, offset
    before = text.json.source[max(0, offset - _NEAR) : offset]
    parent = cursor.pointer
    value = object_at(text.value, parent)
    key = _KEY_BEFORE.search(before)
    if key is not None:
        parent = parent if isinstance(value, dict) else "/".join(parent.split("/")[:-1])
        name = decode_string(f'"{key[1]}"')
        return JsonSlot(text, join_pointer(parent, name), False, None, empty, "")
    if isinstance(value, list):
        return JsonSlot(text, f"{parent}/{text.item_before(parent, offset)}", False, None, empty, "")
    return JsonSlot(text, parent, isinstance(value, dict), None, empty, "", True)


def _behind_quote(source: str, end: int) -> int:
    return end + 1 if source[end : end + 1] == '"' else end


def key_items(schema: str, value: object, slot: JsonSlot) -> Completions:
    """The keys that the object of a slot may have and does not yet."""
    tokens = tuple(split_pointer(slot.pointer))
    here = object_at(value, slot.pointer)
    present = set(here) - {slot.whole} if isinstance(here, dict) else set()
    offers = [
        Offer(key, "property", "", said)
        for key, said in keys_at(schema, tokens).items()
        if key not in present
    ]
    return chosen(offers, slot)


def word_items(schema: str, slot: JsonSlot) -> Completions:
    """The words that a string may be."""
    words = words_at(schema, tuple(split_pointer(slot.pointer)))
    return chosen([Offer(word, "keyword", "", said) for word, said in words.items()], slot)


def chosen(
    offers: Iterable[Offer], slot: JsonSlot, part: TextSpan | None = None, begun: str | None = None
) -> Completions:
    """The offers that go on with what is begun, as items.

    They take the place of the whole string, or of the `part` of it, counted in decoded characters.
    """
    prefix = (slot.begun if begun is None else begun).strip("`").casefold()
    fitting = [each for each in offers if prefix in each.name.casefold()]
    fitting.sort(key=lambda each: not each.name.casefold().strip("`").startswith(prefix))
    span = slot.span if part is None else slot.json.span(slot.pointer, part)
    items = tuple(
        CompletionItem(each.name, each.kind, _written(each.name, slot), span, each.detail, each.documentation)
        for each in fitting[:MOST_ITEMS]
    )
    return Completions(items, len(fitting) > MOST_ITEMS)


def _written(name: str, slot: JsonSlot) -> str:
    text = json.dumps(name, ensure_ascii=False)
    if slot.inside is not None:
        return text[1:-1]
    return f"{text}: " if slot.on_key and slot.needs_colon else text

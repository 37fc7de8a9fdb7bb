"""The work of `fast` with the standard library alone: slower, and the same answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from potlang.languages.dagmath.read.json_form import LARGEST_ID
from potlang.languages.dagmath.read.records import Step

_FORMS = (("node", ("edge", "formal", "prop")), ("text", ("thinking", "reason", "formal", "prop")))
"""As the two classes of `fast`: the key of what a step says, and the other texts."""


def members(line: bytes) -> Mapping[str, Any] | None:
    """The members of the object on a line; None if it is no object ([DAG-FAST])."""
    if b"\\ud" in line or b"\\uD" in line:  # Halves of characters, which this module's reader lets pass.
        return None
    try:
        # As a text: bytes may have halves of characters, or another encoding, to this module's reader.
        found = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def steps(found: Any) -> list[Step] | None:
    """The steps in a value; None if they are not in one of the two usual forms.

    None also if one says nothing, or names a parent twice.
    """
    if not isinstance(found, list):
        return None
    for said, texts in _FORMS:
        read = [_step(each, said, texts) for each in found]
        kept = [each for each in read if each is not None]
        if len(kept) == len(read):
            return kept
    return None


def value(found: Any) -> Any:
    """The value of a member: itself."""
    return found


def _step(found: Any, said: str, texts: tuple[str, ...]) -> Step | None:
    if not isinstance(found, dict) or (said != "node" and "node" in found):
        return None
    number, parents, node = found.get("step_id"), found.get("direct_dependent_steps", ()), found.get(said)
    if (
        type(number) is int
        and 0 <= number <= LARGEST_ID
        and isinstance(node, str)
        and node.strip()
        and (parents is None or _are_ids(parents))
        and all(isinstance(found.get(text, ""), str | None) for text in texts)
    ):
        formal = found.get("formal", found.get("prop"))
        return Step(number, "", None if parents is None else tuple(parents), node, formal)
    return None


def _are_ids(parents: Any) -> bool:
    return (
        type(parents) is list
        and all(type(each) is int for each in parents)
        and len(set(parents)) == len(parents)
    )


def _refuse(constant: str) -> None:
    raise ValueError(constant)

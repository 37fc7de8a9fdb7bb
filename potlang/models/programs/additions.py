"""Semantics, and a program that is added to, put into the program of a reply before it is compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

_REPLACED: Final = ("verifications", "optimization", "actions")
"""The sections that ask: an addition asks something else."""
_MEMBERS: Final = "members"


def with_semantics(text: str, semantics: Mapping[str, Any] | None) -> str:
    """The program with these `semantics` instead of its own; as it is if it is not well-formed JSON."""
    value = _value(text) if semantics else None
    return text if value is None else _text({**value, "semantics": dict(semantics or {})})


def with_additions(base: str, addition: str) -> str:
    """The program `base` with the sections of `addition`, as JSON text. The addition says what is asked.

    What has the name of something in a section takes its place, and what is there word for word is not
    added: an addition may repeat the program. The members of constants are those of both. An addition that
    is no well-formed object is the result ([LOOP-STRATEGY-LEAST]).
    """
    before, more = _value(base), _value(addition)
    if before is None or more is None:
        return addition
    kept = {key: value for key, value in before.items() if key not in _REPLACED}
    joined = {key: _joined(kept[key], value) if key in kept else value for key, value in more.items()}
    return _text({**kept, **joined})


def _joined(before: Any, more: Any) -> Any:
    """A section of both. Where the two have different forms the later one counts."""
    if before is None or more is None:
        return before if more is None else more
    if isinstance(before, dict) and isinstance(more, dict):
        both = {key: _one(before[key], value) for key, value in more.items() if key in before}
        return {**before, **more, **both}
    before, more = _listed(before), _listed(more)
    if not isinstance(before, list) or not isinstance(more, list):
        return more
    found = list(before)
    places = {_name(each): at for at, each in enumerate(found) if _name(each) is not None}
    for each in more:
        at = places.get(_name(each))
        if at is not None:
            found[at] = _one(found[at], each)
        elif each not in found:
            found.append(each)
    return found


def _listed(section: Any) -> Any:
    """A section of constants by name as the list that it may be as well."""
    if isinstance(section, dict) and all(isinstance(each, dict) for each in section.values()):
        return [{"name": name, **each} for name, each in section.items()]
    return section


def _one(before: Any, more: Any) -> Any:
    """The later of two items of one name; groups of constants of one sort are joined."""
    if not isinstance(before, dict) or not isinstance(more, dict) or before.get("sort") != more.get("sort"):
        return more
    first, second = before.get(_MEMBERS), more.get(_MEMBERS)
    if not isinstance(first, list) or not isinstance(second, list):
        return more
    return {**more, _MEMBERS: [*first, *(each for each in second if each not in first)]}


def _name(item: Any) -> str | None:
    found = item.get("name") if isinstance(item, dict) else None
    return found if isinstance(found, str) else None


# --- JSON ------------------------------------------------------------------------------------------


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value(text: str) -> dict[str, Any] | None:
    """The object; None where it is none, or has a key twice."""
    try:
        value = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found

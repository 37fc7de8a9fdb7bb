"""Replies in JSON: lists of nodes, dependencies, edges, objections and others ([DAG-REPLY])."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from potlang.diag import Sink
from potlang.languages.dagmath.read.latex_escapes import repaired
from potlang.models.replies.extract import BadReply, behind_thoughts, candidates
from potlang.reading.json_text import open_document, read_json
from potlang.source import InputLimits

LIMITS = InputLimits(bytes=4_000_000)
MOST_STEPS = 1_000
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')

Parents = tuple[int, ...] | None


class Dependency(NamedTuple):
    """The parents of a step, with the reason where reasons were asked for."""

    parents: Parents
    reason: str = ""


def read_nodes(text: str) -> tuple[str, ...]:
    """The statements of stage 1; also from objects that have them as `text` or `node`. Raises BadReply."""
    found = read_items(text, "steps")
    nodes = []
    for at, item in enumerate(found, 1):
        if isinstance(item, dict):
            item = item.get("text", item.get("node"))
        if not isinstance(item, str) or not item.strip():
            raise BadReply(f"step {at} says nothing")
        # One line each: a node is one sentence, and line breaks in it mean nothing.
        nodes.append(" ".join(_latex(item).split()))
    if not nodes:
        raise BadReply("there are no steps")
    return tuple(nodes)


def read_dependencies(text: str, ids: Sequence[int], *, reasons: bool = False) -> dict[int, Dependency]:
    """The parents of each of the steps `ids`, ascending, each an earlier step. Raises BadReply.

    `reasons`: each step must have one too.
    """
    found: dict[int, Dependency] = {}
    for id_, item in _by_id(read_items(text, "steps"), ids).items():
        if "direct_dependent_steps" not in item:
            raise BadReply(f"step {id_} has no `direct_dependent_steps`")
        parents = _parents(id_, item["direct_dependent_steps"], frozenset(ids))
        reason = item.get("reason")
        if reasons and not (isinstance(reason, str) and reason.strip()):
            raise BadReply(f"step {id_} has no `reason`")
        found[id_] = Dependency(parents, _latex(reason) if isinstance(reason, str) else "")
    return found


def read_edges(text: str, ids: Sequence[int]) -> dict[int, str]:
    """The edge of each of the steps `ids`. Raises BadReply."""
    found: dict[int, str] = {}
    for id_, item in _by_id(read_items(text, "edges"), ids).items():
        edge = item.get("edge")
        if not isinstance(edge, str) or not edge.strip():
            raise BadReply(f"step {id_} has no `edge`")
        found[id_] = _latex(edge).strip()
    return found


def read_formals(text: str, ids: Sequence[int]) -> dict[int, str | None]:
    """The formula of each of the steps `ids`, None where it is said to have none. Raises BadReply."""
    found: dict[int, str | None] = {}
    for id_, item in _by_id(read_items(text, "formals"), ids).items():
        formal = item.get("formal")
        if formal is not None and not isinstance(formal, str):
            raise BadReply(f"the `formal` of step {id_} is no text")
        found[id_] = " ".join(formal.split()) if formal and formal.strip() else None
    return found


def read_wrong(text: str, ids: Sequence[int]) -> dict[int, str]:
    """The steps that a judge finds wrong, and why. Raises BadReply."""
    found: dict[int, str] = {}
    for item in read_items(text, "wrong"):
        id_ = item.get("step_id") if isinstance(item, dict) else item
        if type(id_) is not int or id_ not in ids:
            raise BadReply("the judge names a step that there is not")
        why = item.get("why") if isinstance(item, dict) else ""
        found[id_] = " ".join(str(why or "").split())[:500]
    return found


# --- JSON ------------------------------------------------------------------------------------------


def read_items(text: str, key: str) -> list[Any]:
    """The list of this key in the first JSON object that has it, behind the thoughts. Raises BadReply."""
    if len(text) > LIMITS.bytes:
        raise BadReply(f"the reply has more than {LIMITS.bytes} characters")
    rest = behind_thoughts(text)
    reason = "there is no JSON in the reply"
    for each in candidates(rest):
        # As it stands first: single backslashes of LaTeX are this reader's own matter.
        value = _json(rest[each.start : each.end])
        value = _json(each.text) if value is None and each.mended else value
        if isinstance(value, dict) and key in value:
            return _bounded(value[key], key)
        if isinstance(value, dict) and isinstance(value.get("error"), str):
            raise BadReply(f"the model says: {value['error'][:200]}")
        reason = "the JSON of the reply is not well formed" if value is None else f"there is no `{key}` in it"
    raise BadReply(reason)


def _json(text: str) -> object | None:
    """A JSON value; single backslashes of LaTeX are taken for double ones where JSON has no such escape."""
    # As it is first: a reply with correct escapes must not be changed.
    for attempt in (text, with_latex_escapes(text)):
        sink = Sink()
        value = read_json(open_document(attempt, sink, LIMITS), sink, LIMITS)
        if not sink.has_errors:
            return value
    return None


def with_latex_escapes(text: str) -> str:
    """JSON text in which single backslashes that begin no escape of JSON are doubled."""
    return _ESCAPE.sub(lambda found: found[0] if found[1] else r"\\", text)


def _bounded(found: Any, key: str) -> list[Any]:
    if not isinstance(found, list):
        raise BadReply(f"`{key}` is no list")
    if len(found) > MOST_STEPS:
        raise BadReply(f"`{key}` has more than {MOST_STEPS} entries")
    return found


def _by_id(items: list[Any], ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The entry of each step, in the order of `ids`. Raises BadReply unless there is one for each."""
    found: dict[int, dict[str, Any]] = {}
    for item in items:
        id_ = item.get("step_id") if isinstance(item, dict) else None
        if type(id_) is not int or id_ not in ids:
            raise BadReply("an entry is for no step that there is")
        if id_ in found:
            raise BadReply(f"there are two entries for step {id_}")
        found[id_] = item
    missing = [id_ for id_ in ids if id_ not in found]
    if missing:
        raise BadReply(f"there is no entry for step {missing[0]}")
    return {id_: found[id_] for id_ in ids}


def _parents(id_: int, value: object, ids: frozenset[int]) -> Parents:
    if value is None or value == []:
        return None
    if not isinstance(value, list):
        raise BadReply(f"the dependencies of step {id_} are no list")
    for parent in value:
        if type(parent) is not int or parent not in ids:
            raise BadReply(f"step {id_} depends on a step that there is not")
        if parent >= id_:
            raise BadReply(f"step {id_} depends on step {parent}, which is not earlier")
    return tuple(sorted(set(value)))


def _latex(text: str) -> str:
    return repaired(text)

"""What is read of the replies of models, whatever they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st
from statements import Property

from potlang.models.replies.extract import BadReply
from potlang.models.replies.lists import Dependency, read_dependencies, read_edges, read_nodes, read_wrong


def test_nodes_as_texts_and_as_objects() -> None:
    """[DAG-REPLY]."""
    assert read_nodes('{"steps": ["a  b", {"text": "c"}, {"node": "d\\n e", "step_id": 7}]}') == (
        "a b",
        "c",
        "d e",
    )


def test_escapes_of_latex() -> None:
    """[DAG-REPLY]: what JSON reads as a control character, and what it does not read at all."""
    text = r'{"steps": ["$\\frac{1}{2}$", "$\frac{1}{2}$", "$\sqrt{2}$", "$2 \times 3$", "\u00e9 \"q\""]}'
    expected = (r"$\frac{1}{2}$", r"$\frac{1}{2}$", r"$\sqrt{2}$", r"$2 \times 3$", 'é "q"')
    assert read_nodes(text) == expected


def test_dependencies_are_sorted_and_an_empty_list_is_null() -> None:
    """[DAG-REPLY]."""
    steps: list[dict[str, Any]] = [
        {"step_id": 3, "direct_dependent_steps": [2, 1, 2]},
        {"step_id": 1, "direct_dependent_steps": None},
        {"step_id": 2, "direct_dependent_steps": []},
    ]
    found = read_dependencies(json.dumps({"steps": steps}), [1, 2, 3])
    assert found == {1: Dependency(None), 2: Dependency(None), 3: Dependency((1, 2))}
    with pytest.raises(BadReply, match="step 1 has no `reason`"):
        read_dependencies(json.dumps({"steps": steps}), [1, 2, 3], reasons=True)


def test_a_judge_names_steps() -> None:
    """[DAG-REPLY]."""
    assert read_wrong('{"wrong": [2, {"step_id": 1, "why": "no\\nway"}]}', [1, 2]) == {2: "", 1: "no way"}
    with pytest.raises(BadReply):
        read_wrong('{"wrong": [3]}', [1, 2])


HOSTILE = {
    "deep": '{"steps": ' + "[" * 200_000,
    "wide": '{"steps": [' + "1," * 300_000 + "1]}",
    "many objects": '{"a": 1}\n' * 50_000,
    "many thoughts": "</think>" * 100_000,
    "open thoughts": "<think>" * 100_000,
    "backslashes": '{"steps": ["' + "\\" * 200_001 + '"]}',
    "quotes": '{"steps": ["' + '"' * 200_000,
    "numbers": '{"steps": [{"step_id": ' + "9" * 100_000 + "}]}",
    "surrogates": '{"steps": ["\\ud800"]}',
    "long": "x" * 5_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_replies_are_refused_soon(name: str) -> None:
    """[DAG-REPLY]."""
    for read in (read_nodes, lambda text: read_dependencies(text, [1]), lambda text: read_edges(text, [1])):
        with pytest.raises(BadReply) as raised:
            read(HOSTILE[name])
        assert len(str(raised.value)) < 300


_JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 5), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ["steps", "edges", "wrong", "step_id", "text", "edge", "why", "direct_dependent_steps"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=20,
)


def _check_any(value: Any) -> None:
    """[DAG-REPLY]: any value is read as what was asked for, or refused."""
    text = json.dumps(value)
    ids = [1, 2, 3]
    for read in (read_nodes, lambda text: read_edges(text, ids), lambda text: read_wrong(text, ids)):
        try:
            read(text)
        except BadReply:
            continue
    try:
        found = read_dependencies(text, ids)
    except BadReply:
        return
    assert list(found) == ids
    for id_, each in found.items():
        assert each.parents is None or all(parent < id_ for parent in each.parents)


ANY = Property(_check_any, _JSON, quick=200)
test_any_json, test_any_json_deeply = ANY.tests()

"""Whatever an import binds to whatever, there is a program or an error that is the program's own."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from potlang.api import check
from potlang.diag import Severity
from potlang.languages.pot import library
from potlang.utils.resources import pack_names

SORTS = ["Int", "Real", "Bool", "String", "Date", "Person", "Color", "Weekday", "Nowhere", "SetSort(Int)", ""]
DECLARED: dict[str, Any] = {
    "sorts": [
        {"name": "Person", "type": "DeclareSort"},
        {"name": "Color", "type": "EnumSort", "values": ["red", "green"]},
    ],
    "functions": [
        {"name": "knows", "domain": ["Person", "Person"], "range": "Bool"},
        {"name": "age", "domain": ["Person"], "range": "Int"},
        {"name": "twice", "domain": ["Int"], "range": "Int", "params": ["n"], "body": "2 * n"},
        {"name": "limit", "domain": [], "range": "Int"},
        {"name": "member", "domain": ["Int"], "range": "Int"},
    ],
    "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
}
SYMBOLS = ["knows", "age", "twice", "limit", "ann", "red", "member", "nothing", "Person", "le; drop", "x y"]


@cache
def parameters_of(pack: str) -> list[str]:
    """Read where they are needed: reading all packs takes seconds."""
    return [each.name for each in library.pack(pack).parameters]


@st.composite
def imports(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(st.sampled_from(pack_names()))
    parameters = st.sampled_from([*parameters_of(name), "other"])
    bound = draw(st.dictionaries(parameters, st.sampled_from([*SORTS, *SYMBOLS]), max_size=4))
    return {"pack": name, "with": bound}


@given(
    st.lists(imports(), min_size=1, max_size=3),
    st.sampled_from([{}, {"closed_domain": ["Person"], "unique_names": True}]),
)
def test_any_binding_gives_a_program_or_errors(
    chosen: list[dict[str, Any]], semantics: dict[str, Any]
) -> None:
    """[POT-IMP-2] [PACK-BROKEN]"""
    found = check({**DECLARED, "imports": chosen, "semantics": semantics})
    errors = {each.code for each in found.diagnostics if each.severity is Severity.ERROR}
    assert (found.program is None) == bool(errors)
    # A pack that is not broken is not called so, whatever it is bound to.
    assert not errors & {"POT0001", "POT8001", "POT8005"}, found.diagnostics

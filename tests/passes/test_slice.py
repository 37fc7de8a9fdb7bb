"""Slices: what stays, what goes, and that less is assumed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from strategies.formulas import modules

from potlang.ir.module import Module
from potlang.ir.text import read_module
from potlang.passes.base import Keeps
from potlang.passes.slice import Slice, slice_for

TEXT = """(potlang-ir 1)
(sort S)
(declare constant "a" () S) (declare constant "b" () S)
(declare function "P" (S) Bool) (declare function "Q" (S) Bool) (declare function "R" (S) Bool)
(declare defined "D" (S) Bool)
(define D (?x.0) (vars (?x.0 S)) (R ?x.0))
(assert "direct" "" fact (P a))
(assert "through P" "" rule (vars (?x.0 S)) (forall (?x.0) (=> (D ?x.0) (P ?x.0))))
(assert "through the definition" "" rule (vars (?x.0 S)) (exists (?x.0) (R ?x.0)))
(assert "apart" "" fact (Q b))
(assert "of the sort alone" "" fact (vars (?x.0 S) (?y.1 S)) (forall (?x.0 ?y.1) (= ?x.0 ?y.1)))
(assert "false" "" fact false)
(claim "one" "" () (P a))
(norm "other" "" () (Q b))
"""


def kept(key: str) -> list[str]:
    return [assertion.key for assertion in Slice(key).run(read_module(TEXT)).assertions]


def test_what_is_connected_stays() -> None:
    """[PASS-SLICE-1] [PASS-SLICE-2]"""
    assert kept("one") == ["direct", "through P", "through the definition", "of the sort alone", "false"]
    assert kept("other") == ["apart", "of the sort alone", "false"]


def test_the_claim_alone_is_asked() -> None:
    """[PASS-SLICE-3]"""
    module = read_module(TEXT)
    sliced = slice_for(module, module.norms[0])
    assert (sliced.claims, sliced.norms) == ((), module.norms)


def test_an_unknown_claim_is_an_error() -> None:
    with pytest.raises(KeyError):
        kept("none")


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(modules(depth=2, most=4))
def test_a_slice_assumes_less(module: Module) -> None:
    """[PASS-SLICE-3] [PASS-KEEPS-3]"""
    assert Slice.keeps is Keeps.CONSERVATIVE
    for claim in module.claims:
        sliced = slice_for(module, claim)
        remaining = iter(module.assertions)
        assert all(assertion in remaining for assertion in sliced.assertions)
        assert slice_for(sliced, claim).assertions == sliced.assertions

"""Everything that a pack says is needed: without it, or with its denial, a law or a case tells."""

from __future__ import annotations

import json

import pytest
from pack_mutants import mutants, survives

from potlang.utils.resources import pack_file, pack_names

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("pack", pack_names())
def test_each_mutant_of_a_pack_is_told_from_it(pack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[PACK-NEEDED]"""
    value = json.loads(pack_file(pack, "pack.json") or "")
    cases = json.loads(pack_file(pack, "cases.json") or "[]")
    found = list(mutants(value))
    assert found
    assert [m.change for m in found if survives(m, value, cases, monkeypatch)] == []

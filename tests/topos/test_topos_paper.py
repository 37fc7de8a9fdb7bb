"""The numbered statements of the paper about finite presheaf toposes: a quick and a slow test of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from topos_properties import PROPERTIES
from topos_support import Property

from potlang.topos.errors import BoundExceeded

test_theorem_4_3, test_theorem_4_3_deep = PROPERTIES["theorem_4_3"].tests()
test_theorem_4_5, test_theorem_4_5_deep = PROPERTIES["theorem_4_5"].tests()
test_corollary_4_6, test_corollary_4_6_deep = PROPERTIES["corollary_4_6"].tests()
test_corollary_4_6_limits, test_corollary_4_6_limits_deep = PROPERTIES["corollary_4_6_limits"].tests()
test_corollary_4_6_posetal, test_corollary_4_6_posetal_deep = PROPERTIES["corollary_4_6_posetal"].tests()
test_theorem_4_8, test_theorem_4_8_deep = PROPERTIES["theorem_4_8"].tests()
test_corollary_4_10, test_corollary_4_10_deep = PROPERTIES["corollary_4_10"].tests()
test_proposition_4_12, test_proposition_4_12_deep = PROPERTIES["proposition_4_12"].tests()
test_proposition_4_14_1, test_proposition_4_14_1_deep = PROPERTIES["proposition_4_14_1"].tests()
test_proposition_4_14_2, test_proposition_4_14_2_deep = PROPERTIES["proposition_4_14_2"].tests()
test_proposition_4_14_3, test_proposition_4_14_3_deep = PROPERTIES["proposition_4_14_3"].tests()
test_proposition_4_14_4, test_proposition_4_14_4_deep = PROPERTIES["proposition_4_14_4"].tests()
test_proposition_4_16, test_proposition_4_16_deep = PROPERTIES["proposition_4_16"].tests()
test_proposition_4_18, test_proposition_4_18_deep = PROPERTIES["proposition_4_18"].tests()
test_proposition_4_20, test_proposition_4_20_deep = PROPERTIES["proposition_4_20"].tests()
test_theorem_4_22, test_theorem_4_22_deep = PROPERTIES["theorem_4_22"].tests()
test_section_4_5, test_section_4_5_deep = PROPERTIES["section_4_5_counterevidence"].tests()
test_lemma_c_1, test_lemma_c_1_deep = PROPERTIES["lemma_c_1"].tests()
test_lemma_c_1_least, test_lemma_c_1_least_deep = PROPERTIES["lemma_c_1_least"].tests()
test_lemma_c_1_one_rule, test_lemma_c_1_one_rule_deep = PROPERTIES["lemma_c_1_one_rule"].tests()
test_lemma_c_1_monos, test_lemma_c_1_monos_deep = PROPERTIES["lemma_c_1_monos"].tests()
test_lemma_c_1_schemas, test_lemma_c_1_schemas_deep = PROPERTIES["lemma_c_1_schemas"].tests()
test_lemma_c_1_slice, test_lemma_c_1_slice_deep = PROPERTIES["lemma_c_1_slice"].tests()
test_lemma_c_1_topologies, test_lemma_c_1_topologies_deep = PROPERTIES["lemma_c_1_topologies"].tests()
test_lemma_c_2, test_lemma_c_2_deep = PROPERTIES["lemma_c_2"].tests()
test_lemma_c_2_exact, test_lemma_c_2_exact_deep = PROPERTIES["lemma_c_2_exact"].tests()
test_proposition_c_3, test_proposition_c_3_deep = PROPERTIES["proposition_c_3"].tests()
test_proposition_c_3_posetal, test_proposition_c_3_posetal_deep = PROPERTIES[
    "proposition_c_3_posetal"
].tests()
test_appendix_c_3_ranked, test_appendix_c_3_ranked_deep = PROPERTIES["appendix_c_3_ranked"].tests()


def examples(statement: Property, count: int) -> Iterator[Any]:
    """What the statement is tried on."""
    seen: list[Any] = []

    @settings(max_examples=count, phases=[Phase.generate])
    @given(statement.inputs)
    def collect(value: Any) -> None:
        seen.append(value)

    collect()
    yield from seen


@pytest.mark.parametrize("name", PROPERTIES)
def test_at_least_half_of_the_examples_are_proper(name: str) -> None:
    """An arrow of the contexts is no identity, and the topology is neither the identity nor constant."""
    found = [value.is_proper for value in examples(PROPERTIES[name], 60)]
    assert len(found) >= 60
    assert sum(found) * 2 >= len(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROPERTIES)
def test_hardly_any_example_is_too_large(name: str) -> None:
    """What the statements pass over is less than a tenth, and half of the examples are proper still."""
    large, found = 0, list(examples(PROPERTIES[name], 500))
    for value in found:
        try:
            PROPERTIES[name].check(value)
        except BoundExceeded:
            large += 1
    assert large * 10 < len(found)
    assert sum(value.is_proper for value in found) * 2 >= len(found)


def test_each_statement_is_a_test_here() -> None:
    tested = {getattr(test, "__doc__", None) for name, test in globals().items() if name.endswith("_deep")}
    assert tested == {statement.check.__doc__ for statement in PROPERTIES.values()}

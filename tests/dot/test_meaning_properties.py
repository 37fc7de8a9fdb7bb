"""The numbered statements about the meaning of traces: a quick and a slow test of each."""

from __future__ import annotations

from meaning_properties import PROPERTIES

test_node_verdicts, test_node_verdicts_deep = PROPERTIES["node_verdicts"].tests()
test_lemma_c_1, test_lemma_c_1_deep = PROPERTIES["lemma_c_1"].tests()
test_theorem_4_5, test_theorem_4_5_deep = PROPERTIES["theorem_4_5"].tests()
test_theorem_4_8, test_theorem_4_8_deep = PROPERTIES["theorem_4_8"].tests()
test_proposition_4_14_2, test_proposition_4_14_2_deep = PROPERTIES["proposition_4_14_2"].tests()
test_proposition_4_14_4, test_proposition_4_14_4_deep = PROPERTIES["proposition_4_14_4"].tests()
test_proposition_4_16, test_proposition_4_16_deep = PROPERTIES["proposition_4_16"].tests()
test_proposition_4_18, test_proposition_4_18_deep = PROPERTIES["proposition_4_18"].tests()
test_proposition_4_20, test_proposition_4_20_deep = PROPERTIES["proposition_4_20"].tests()
test_theorem_4_22, test_theorem_4_22_deep = PROPERTIES["theorem_4_22"].tests()
test_section_4_5, test_section_4_5_deep = PROPERTIES["section_4_5_counterevidence"].tests()
test_appendix_c_3_ranked, test_appendix_c_3_ranked_deep = PROPERTIES["appendix_c_3_ranked"].tests()
test_proposition_c_3, test_proposition_c_3_deep = PROPERTIES["proposition_c_3"].tests()
test_critic_checks, test_critic_checks_deep = PROPERTIES["critic_checks"].tests()

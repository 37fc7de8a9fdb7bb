"""The numbered statements of the paper about finite presheaf toposes, each with what it is tried on."""

from __future__ import annotations

import topos_diagrams as dia
import topos_lattice as lat
from strategies import presheaves as some
from topos_support import Property, validated

RULED = some.make_ruled
ON_A_SITE = some.make_topologized

PROPERTIES: dict[str, Property] = {
    "theorem_4_3": Property(dia.theorem_4_3, some.sliced(forward=True)),
    "theorem_4_5": Property(lat.theorem_4_5, validated()),
    "corollary_4_6": Property(dia.corollary_4_6, dia.probed(2, 3)),
    "corollary_4_6_limits": Property(dia.corollary_4_6_limits, dia.probed()),
    "corollary_4_6_posetal": Property(dia.corollary_4_6_posetal, validated(by=ON_A_SITE)),
    "theorem_4_8": Property(lat.theorem_4_8, validated()),
    "corollary_4_10": Property(lat.corollary_4_10, validated()),
    "proposition_4_12": Property(dia.proposition_4_12, dia.renamed()),
    "proposition_4_14_1": Property(lat.proposition_4_14_1, validated()),
    "proposition_4_14_2": Property(lat.proposition_4_14_2, validated(1)),
    "proposition_4_14_3": Property(lat.proposition_4_14_3, validated()),
    "proposition_4_14_4": Property(lat.proposition_4_14_4, validated()),
    "proposition_4_16": Property(lat.proposition_4_16, validated()),
    "proposition_4_18": Property(lat.proposition_4_18, validated(1)),
    "proposition_4_20": Property(lat.proposition_4_20, validated()),
    "theorem_4_22": Property(lat.theorem_4_22, validated()),
    "section_4_5_counterevidence": Property(lat.counterevidence_4_5, validated(2)),
    "lemma_c_1": Property(lat.lemma_c_1, validated(1, by=RULED)),
    "lemma_c_1_least": Property(lat.lemma_c_1_least, validated(1, by=RULED)),
    "lemma_c_1_one_rule": Property(lat.lemma_c_1_one_rule, validated(3, 5)),
    "lemma_c_1_monos": Property(lat.lemma_c_1_monos, validated(1, 3)),
    "lemma_c_1_schemas": Property(lat.lemma_c_1_schemas, validated(3, 4)),
    "lemma_c_1_slice": Property(lat.lemma_c_1_slice, validated(1, by=RULED)),
    "lemma_c_2": Property(dia.lemma_c_2, dia.probed(3, 0)),
    "lemma_c_2_exact": Property(dia.lemma_c_2_exact, dia.probed(1, 0, twice=False)),
    "proposition_c_3": Property(dia.proposition_c_3, dia.overlapping()),
    "proposition_c_3_posetal": Property(lat.proposition_c_3_posetal, lat.two_traces()),
    "appendix_c_3_ranked": Property(lat.ranked_nuclei, validated(1, by=RULED)),
    "lemma_c_1_topologies": Property(lat.topology_as_nucleus, lat.pulled()),
}
"""The statements by their numbers."""

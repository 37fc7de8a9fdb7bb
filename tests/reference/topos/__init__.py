"""Finite presheaf toposes: a library in its own right, and the reference model of the DoT semantics.

Each module is a chapter: `category`, `presentation`, `presheaf`, `transformation`, `subobject`,
`omega`, `topology`, `nucleus`, `sheaf`, `limit`, `colimit`, `slice`, `diagram`, `synthesis`.
README.md here shows them at work; spec/25-topos.md has the definitions. Standard library only.
"""

from __future__ import annotations

from reference.topos.category import Category
from reference.topos.colimit import Colimit
from reference.topos.diagram import Diagram
from reference.topos.errors import AxiomError, TooLarge
from reference.topos.limit import Limit
from reference.topos.nucleus import Nucleus, Rule
from reference.topos.omega import Omega, classifier
from reference.topos.presentation import Overlap, Presentation, Presented, presented
from reference.topos.presheaf import Elements, Presheaf
from reference.topos.sheaf import Completion, sheafify
from reference.topos.slice import Reflection, Reflector
from reference.topos.subobject import Subobject
from reference.topos.topology import Topology, topologies
from reference.topos.transformation import Map, maps

__all__ = [
    "AxiomError",
    "Category",
    "Colimit",
    "Completion",
    "Diagram",
    "Elements",
    "Limit",
    "Map",
    "Nucleus",
    "Omega",
    "Overlap",
    "Presentation",
    "Presented",
    "Presheaf",
    "Reflection",
    "Reflector",
    "Rule",
    "Subobject",
    "TooLarge",
    "Topology",
    "classifier",
    "maps",
    "presented",
    "sheafify",
    "topologies",
]

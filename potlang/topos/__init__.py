"""Finite presheaf toposes, in which the paper on the Diagram of Thought reads a trace.

Each module is a chapter: `category`, `presentation`, `presheaf`, `transformation`, `subobject`,
`omega`, `topology`, `nucleus`, `sheaf`, `limit`, `colimit`, `slice`, `diagram`, `synthesis`.
README.md here shows them at work; spec/25-topos.md has the definitions. Standard library only.
"""

from __future__ import annotations

from potlang.topos.category import Category
from potlang.topos.colimit import Colimit
from potlang.topos.diagram import Diagram
from potlang.topos.errors import AxiomError, BoundExceeded
from potlang.topos.limit import Limit
from potlang.topos.nucleus import Nucleus, Rule
from potlang.topos.omega import Omega, classifier
from potlang.topos.presentation import Overlap, Presentation, Presented, presented
from potlang.topos.presheaf import Elements, Presheaf
from potlang.topos.sheaf import Sheafification, sheafify
from potlang.topos.slice import Reflection, Reflector
from potlang.topos.subobject import Subobject
from potlang.topos.topology import Topology, topologies
from potlang.topos.transformation import Map, maps

__all__ = [
    "AxiomError",
    "BoundExceeded",
    "Category",
    "Colimit",
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
    "Sheafification",
    "Subobject",
    "Topology",
    "classifier",
    "maps",
    "presented",
    "sheafify",
    "topologies",
]

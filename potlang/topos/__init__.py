"""Finite presheaf toposes: a library in its own right, and the reference model of the DoT semantics.

Each module is a chapter: `category`, `presentation`, `presheaf`, `transformation`, `subobject`,
`omega`, `topology`, `nucleus`, `sheaf`, `limit`, `colimit`, `slice`, `diagram`, `synthesis`.
README.md here shows them at work; spec/25-topos.md has the definitions. Standard library only.
"""

from __future__ import annotations

from .category import Category
from .colimit import Colimit
from .diagram import Diagram
from .errors import AxiomError, TooLarge
from .limit import Limit
from .nucleus import Nucleus, Rule
from .omega import Omega, classifier
from .presentation import Overlap, Presentation, Presented, presented
from .presheaf import Elements, Presheaf
from .sheaf import Completion, sheafify
from .slice import Reflection, Reflector
from .subobject import Subobject
from .topology import Topology, topologies
from .transformation import Map, maps

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

"""Names, sorts and meaning: from the surface tree to a typed module."""

from potlang.sema.build import IncrementalElaborator, build_module, build_session

__all__ = ["IncrementalElaborator", "build_module", "build_session"]

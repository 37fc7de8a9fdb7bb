"""Names, sorts and meaning: from the surface tree to a typed module."""

from potlang.sema.build import Extension, build_module, build_session

__all__ = ["Extension", "build_module", "build_session"]

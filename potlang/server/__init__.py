"""Servers: the tool for models over the Model Context Protocol.

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.server import callers as callers
    from potlang.server import mcp as mcp
    from potlang.server import policy_proxy as policy_proxy
    from potlang.server import serving as serving
    from potlang.server import sessions as sessions
    from potlang.server import tokens as tokens

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {}, modules="callers mcp policy_proxy serving sessions tokens"
)

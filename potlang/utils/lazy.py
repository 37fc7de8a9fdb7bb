"""Public names that are imported on first use, since start-up time matters to a command-line tool."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], *, modules: str = "", moved: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of the module `package`.

    `homes` maps a module to the public names in it, separated by spaces; `modules` are submodules of
    `package`, or of folders in it (`folder.module`), that are public by their last name; `moved` are names
    that have a new place, which is warned of. A name is imported when it is first asked for, and kept. For
    type checkers the same names stand in the package's `if TYPE_CHECKING` block; a test holds the two
    together.
    """
    where = {name: home for home, names in homes.items() for name in names.split()}
    paths = {path.rpartition(".")[2]: path for path in modules.split()}
    public = sorted([*where, *paths])

    def get(name: str) -> Any:
        if name in where:
            value = getattr(import_module(where[name]), name)
        elif name in paths:
            value = import_module(f"{package}.{paths[name]}")
        elif moved is not None and name in moved:
            warnings.warn(f"{package}.{name} is now {moved[name]}", DeprecationWarning, stacklevel=2)
            home, _, moved_name = moved[name].rpartition(".")
            return getattr(import_module(home), moved_name)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: public, public

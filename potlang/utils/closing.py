"""Objects that hold something to be freed: closed by hand, or at the end of a `with` statement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """A context manager that is itself, and closes itself at the end; `close` may be called again."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Free what is held."""

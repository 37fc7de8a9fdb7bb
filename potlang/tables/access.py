"""The directories and the database whose tables programs may read ([SRC-ALLOWED])."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

POSTGRES_VARIABLE: Final = "POTLANG_POSTGRES"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


class TableProblem(Exception):
    """A table cannot be had: the code of its diagnostic, the fields of that code, and what helps."""

    def __init__(self, code: str, *, helps: Sequence[str] = (), **fields: Any) -> None:
        super().__init__(fields)
        self.code = code
        self.helps = tuple(helps)
        self.fields = fields


class FileState(NamedTuple):
    """A file that was read: its real path, its bytes, and when it was last changed."""

    path: Path
    size: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path) -> FileState:
        """The state of a file now. Raises OSError."""
        found = path.stat()
        return cls(path, found.st_size, found.st_mtime_ns)


class TableAccess(NamedTuple):
    """The tables that may be read: files below `directories`, and the database of a connection string."""

    directories: tuple[Path, ...] = ()
    postgres: str | None = None

    @classmethod
    def of(cls, choice: TablesChoice) -> TableAccess:
        """The access that an argument means; the connection is that of the environment."""
        if isinstance(choice, TableAccess):
            return choice
        if choice is None:
            return cls()
        if isinstance(choice, str | os.PathLike):
            choice = (choice,)
        return cls(tuple(map(Path, choice)), os.environ.get(POSTGRES_VARIABLE) or None)

    def file(self, name: str) -> Path:
        """The real path of a file that a program names. Raises TableProblem where it may not be read."""
        noted = _noted.get()
        if noted is not None:
            noted.setdefault(name, self.state(name))
        return self._found(name)

    def state(self, name: str) -> FileState | None:
        """The file that a program names, as it is now; None where it may not be read."""
        try:
            return FileState.of(self._found(name))
        except (TableProblem, OSError):
            return None

    def _found(self, name: str) -> Path:
        if not self.directories:
            helps = ["allow a directory: `--sources-dir DIRECTORY`, or `sources=` from Python"]
            raise _refused(name, "no directory is allowed", helps)
        if "\0" in name or _URL.match(name) or name.startswith("\\\\"):
            raise _refused(
                name, "that is no path of a file", ["save the table as a file below the directory"]
            )
        allowed = [directory.resolve() for directory in self.directories]
        # The first directory that has the file; what lies outside is not told apart from what is missing.
        for directory in allowed:
            found = _inside(directory, name)
            if found is not None:
                return found
        shown = ", ".join(str(directory) for directory in self.directories)
        raise _refused(name, "no such file lies in an allowed directory", [f"allowed: {shown}"])


TablesChoice: TypeAlias = "TableAccess | str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None"
"""An access, one or several directories, or none."""

_access: ContextVar[TableAccess | None] = ContextVar("tables", default=None)


@contextmanager
def allowing(choice: TablesChoice) -> Iterator[None]:
    """All programs that are read inside may read these tables, and no others."""
    token = _access.set(TableAccess.of(choice))
    try:
        yield
    finally:
        _access.reset(token)


NotedFiles: TypeAlias = "dict[str, FileState | None]"
"""The files that programs have named, as they were before they were read; None: it may not be read."""

_noted: ContextVar[NotedFiles | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[NotedFiles]:
    """The files that programs name inside."""
    found: NotedFiles = {}
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def note(files: NotedFiles) -> None:
    """Notes what was read before, by whoever has kept what was made of it."""
    noted = _noted.get()
    if noted is not None:
        noted.update({name: state for name, state in files.items() if name not in noted})


def allowed() -> TableAccess:
    """The access of a program that is read now."""
    return _access.get() or TableAccess()


def _inside(directory: Path, name: str) -> Path | None:
    """The file of that name below a directory, links followed; None where there is none, or it is outside."""
    try:
        found = (directory / name).resolve(strict=True)
        regular = stat.S_ISREG(found.stat().st_mode)
    except (OSError, RuntimeError, ValueError):
        return None
    return found if regular and found.is_relative_to(directory) else None


def _refused(name: str, problem: str, helps: Sequence[str]) -> TableProblem:
    return TableProblem("POT8010", table=name, problem=problem, helps=helps)

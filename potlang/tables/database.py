"""A DuckDB database that reads named files alone, and ends with the time of the call."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

from potlang.utils.closing import Closing
from potlang.utils.deadline import Deadline, OutOfTime, look
from potlang.utils.extra import needed
from potlang.utils.watched_queries import signals_passed_on, watched

MOST_MEGABYTES: Final = 2_048
MOST_SPILLED_MEGABYTES: Final = 20_480
_FOREVER_MS: Final = 1e12
_PARAMETER: Final = re.compile(r"\$([a-z]\w*)")


class TableDatabase(Closing):
    """An in-memory database, with a folder of its own for what does not fit.

    Queries end with the call (`look`), which raises OutOfTime. They are text of our own with parameters:
    whatever a program or a table says is a parameter, or `quoted`.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        """Raises MissingExtraError without DuckDB."""
        duckdb = needed("duckdb", "duckdb")
        self.folder, lock = _own_folder()
        self.error: type[Exception] = duckdb.Error
        """The exceptions of queries."""
        self.memory_error: type[Exception] = duckdb.OutOfMemoryException
        self._interrupted = duckdb.InterruptException
        self._numbers = count(1)
        self._connection = duckdb.connect(":memory:")
        # Programs with large tables are closed by nobody: the database goes with them.
        self._free = weakref.finalize(self, _free, self._connection, self.folder, lock)
        spill = self.folder / "spill"
        allowed = ", ".join(quoted(str(path)) for path in files)
        for setting in (
            f"memory_limit = '{MOST_MEGABYTES}MB'",
            f"temp_directory = {quoted(str(spill))}",
            f"max_temp_directory_size = '{MOST_SPILLED_MEGABYTES}MB'",
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            f"allowed_paths = [{allowed}]",
            f"allowed_directories = [{quoted(str(self.folder))}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._connection.execute(f"SET {setting}")

    def close(self) -> None:
        """Free the database and its folder."""
        self._free()

    def rows(self, query: str, parameters: dict[str, object] | None = None) -> list[tuple[Any, ...]]:
        """The answer to a query. Raises `error`, OutOfTime."""
        look()
        # DuckDB refuses parameters that a query has no place for.
        used = {name: (parameters or {})[name] for name in set(_PARAMETER.findall(query))}
        with watched(self._connection, Deadline(_FOREVER_MS).passed), signals_passed_on():
            try:
                found: list[tuple[Any, ...]] = self._connection.execute(query, used).fetchall()
            except self._interrupted:
                raise OutOfTime from None
            return found

    def number(self, query: str, parameters: dict[str, object] | None = None) -> int:
        """The one number that a query gives."""
        ((found,),) = self.rows(query, parameters)
        return int(found)

    def new_table(self, query: str) -> str:
        """The name of a new table with the rows of a query."""
        name = f"d{next(self._numbers)}"
        self.rows(f"CREATE TABLE {name} AS {query}")
        return name


def _free(connection: Any, folder: Path, lock: int | None) -> None:
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _own_folder() -> tuple[Path, int | None]:
    """A new folder, and the descriptor that locks it while this process lives.

    Folders that nobody locks are those of processes that were killed: they are removed.
    """
    made = Path(tempfile.mkdtemp(prefix="potlang-new-"))
    try:
        import fcntl
    except ImportError:
        return made, None

    def locked(folder: Path) -> int:
        found = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(found)
            raise
        return found

    try:
        lock = locked(made)
    except OSError:  # A file system without locks.
        return made, None
    # Under this name it is seen by others, who find it locked.
    folder = made.rename(made.with_name(made.name.replace("new", "tables")))
    for other in folder.parent.glob("potlang-tables-*"):
        # Those of other users cannot be opened.
        with suppress(OSError):
            left = locked(other)
            shutil.rmtree(other, ignore_errors=True)
            os.close(left)
    return folder, lock


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"

"""The inputs that a command's arguments name: files, the files of directories, patterns ([CLI-INPUTS])."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path, PurePath

from potlang.cli.common import tell
from potlang.diag import Sink
from potlang.diag.wording import counted
from potlang.languages.kind import is_foreign, kind_of
from potlang.reading.json_text import SUFFIXES, path_bytes
from potlang.source import DEFAULT_LIMITS, DecodeError, decode

_NAMED = 3
"""Files that are passed over and named; the rest is counted."""


def expanded(
    arguments: Iterable[str], exclude: Iterable[str] = (), suffixes: tuple[str, ...] = SUFFIXES
) -> list[str]:
    """The names of all inputs, in the order of the arguments, those of a directory sorted.

    An argument that stands for no file stays as it is: whoever reads it says what is wrong. A file that
    directories or patterns name again is one input. `exclude` are patterns of such files, or of parts of
    their paths; `suffixes` are those of the files of a directory. Standard error names the JSON of other
    formats that is passed over.
    """
    excluded = tuple(exclude)
    names: list[str] = []
    foreign: dict[str, None] = {}
    found: set[str] = set()
    for argument in arguments:
        files = _several(argument, suffixes)
        if files is None:
            if not found or _absolute(argument) not in found:
                names.append(argument)
            continue
        kept = {_absolute(each): each for each in files if not _is_excluded(each, excluded)}
        others = [path for path, name in kept.items() if path not in found and _is_of_others(name)]
        foreign |= {kept.pop(path): None for path in others}
        known = found.union(map(_absolute, names))
        names += [name for path, name in kept.items() if path not in known] if kept else [argument]
        found.update(kept)
    _tell_foreign(tuple(foreign))
    return names


@cache
def _tell_foreign(names: tuple[str, ...]) -> None:
    """Says once what is passed over: a command that watches lists its inputs again and again."""
    if not names:
        return
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    what = counted(len(names), "file of another format is", "files of other formats are")
    tell(f"note: {what} passed over: {', '.join(names[:_NAMED])}{more}")


def _is_of_others(name: str) -> bool:
    """Whether a file is JSON, and plainly no program, as settings of other tools are ([KIND-FOREIGN])."""
    if not name.endswith(".json"):
        return False
    try:
        state = os.stat(name)  # noqa: PTH116
    except OSError:
        return False
    return _is_of_others_in(name, state.st_mtime_ns, state.st_size)


@cache
def _is_of_others_in(name: str, mtime: int, size: int) -> bool:
    """The same of a file in one of its states: a command that watches asks again and again."""
    _, data = path_bytes(Path(name), Sink(), DEFAULT_LIMITS, None)
    if data is None or len(data) > DEFAULT_LIMITS.bytes or kind_of(data) != "pot":
        return False
    from potlang.editor.mending import value_meant

    try:
        value = value_meant(decode(data)[0])
    except DecodeError:
        return False
    # An empty file, or `{}`, may be a program of which nothing is left, and no other format.
    return value not in (None, {}, []) and is_foreign(value)


def _absolute(name: str) -> str:
    return os.path.abspath(name)  # noqa: PTH100 - pathlib has nothing that leaves links alone


def _several(argument: str, suffixes: tuple[str, ...]) -> list[str] | None:
    """The files that a directory or a pattern stands for; None for the name of a file, and `-`."""
    if argument == "-":
        return None
    if os.path.isdir(argument):  # noqa: PTH112
        return sorted(_files_below(argument, suffixes))
    if not set("*?[") & set(argument) or os.path.exists(argument):  # noqa: PTH110
        return None
    from glob import glob

    # A shell leaves a quoted pattern to us, and any pattern that is longer than its limit on arguments.
    matches = sorted(glob(argument, recursive=True))  # noqa: PTH207 - with the names as they were written
    files: list[str] = []
    for match in matches:
        if Path(match).is_file():
            files.append(match)
        else:
            files += sorted(_files_below(match, suffixes))
    # What ends in stars alone names no kind of file, as a directory does not.
    is_any = not argument.rpartition("/")[2].strip("*")
    return [each for each in dict.fromkeys(files) if not is_any or each.endswith(suffixes)]


def _files_below(directory: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """The files of a directory with a suffix of an input; a directory in it that cannot be read, itself."""
    unreadable: list[str] = []
    for folder, folders, files in os.walk(directory, onerror=lambda error: unreadable.append(error.filename)):
        folders[:] = [each for each in folders if not each.startswith(".")]
        for name in files:
            path = os.path.join(folder, name)  # noqa: PTH118
            # Not what is no file, such as a pipe, which would wait for a writer.
            if name.endswith(suffixes) and not name.startswith(".") and os.path.isfile(path):  # noqa: PTH113
                yield path
    yield from unreadable


def _is_excluded(name: str, patterns: tuple[str, ...]) -> bool:
    path = PurePath(name)
    return any(each.match(pattern) for pattern in patterns for each in (path, *path.parents))

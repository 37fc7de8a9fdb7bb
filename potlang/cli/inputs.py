"""The inputs that a command's arguments name: files, the files of directories, patterns ([CLI-INPUTS])."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from potlang.reading.json_text import SUFFIXES


def expanded(
    arguments: Iterable[str], exclude: Iterable[str] = (), suffixes: tuple[str, ...] = SUFFIXES
) -> list[str]:
    """The names of all inputs, in the order of the arguments, those of a directory sorted.

    An argument that stands for no file stays as it is: whoever reads it says what is wrong. A file that
    directories or patterns name again is one input. `exclude` are patterns of such files, or of parts of
    their paths; `suffixes` are those of the files of a directory.
    """
    excluded = tuple(exclude)
    names: list[str] = []
    found: set[str] = set()
    for argument in arguments:
        files = _several(argument, suffixes)
        if files is None:
            if not found or _absolute(argument) not in found:
                names.append(argument)
            continue
        kept = {_absolute(each): each for each in files if not _is_excluded(each, excluded)}
        known = found.union(map(_absolute, names))
        names += [name for path, name in kept.items() if path not in known] if kept else [argument]
        found.update(kept)
    return names


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

"""The changes of a command to a file, as `patch` and `git apply` read them."""

from __future__ import annotations

import difflib


def patch(before: str, after: str, name: str) -> str:
    """The difference of two texts of a file; a last line without a newline is marked as one."""
    # Not `splitlines`, which knows more ends of lines than `patch` does.
    old, new = ([line + "\n" for line in text.split("\n")] for text in (before, after))
    for lines in (old, new):
        lines[-1] = lines[-1][:-1]
    found = difflib.unified_diff([line for line in old if line], [line for line in new if line], name, name)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found
    )

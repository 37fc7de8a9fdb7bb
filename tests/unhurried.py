"""`potc` that has many times as long for all it does: what it finds is what it finds on an idle machine."""

from __future__ import annotations

import time

from potlang.cli import main, side_by_side
from potlang.cli.side_by_side import CommandService
from potlang.languages.dagmath.solve.budget import Stopwatch
from potlang.utils import deadline

setattr(deadline, "monotonic", lambda: time.monotonic() / 20)  # noqa: B010 - it is not exported
setattr(Stopwatch, "stretch", lambda _: 10.0)  # noqa: B010 - a method

if __name__ == "__main__":
    # Also in the processes of `--jobs`, which find this module beside the program that starts them.
    side_by_side._SERVICE = ("unhurried:CommandService",)  # type: ignore[misc]
    main.run()

__all__ = ["CommandService"]

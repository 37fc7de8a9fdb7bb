"""Inputs of one command in several processes, each of which runs the command for its work alone.

The command is called there with the same arguments, and stops where it has made its `Work` (`run.Taken`).
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final, NoReturn

import click

from potlang.cli.commands import Served, command_of
from potlang.cli.common import INVALID
from potlang.cli.run import Done, Item, Taken, Work
from potlang.diag.register import CODES
from potlang.diag.wording import visible
from potlang.processes.frames import Message
from potlang.processes.process import Died, Process
from potlang.processes.worker import Service
from potlang.utils.deadline import Deadline

_SERVICE: Final = ("potlang.cli.side_by_side:CommandService",)
_LONG_MS: Final = 1_500_000_000
"""More than all limits of a command taken together, and less than what the system can wait."""
_LAST_WORDS_S: Final = 0.07
"""For the partial answers of interrupted processes; the command itself has 0.12 s to end."""


class _CapturedOutput(io.StringIO):
    """The output of one input, of a process that knows whether its parent prints on a terminal."""

    encoding = "utf-8"

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


class CommandService(Service):
    """Does the work of a command, one input after the other. SIGTERM interrupts it as it does a command."""

    def __init__(self) -> None:
        self._taken: Taken | None = None
        self._terminals = (False, False)
        self._contexts = contextlib.ExitStack()
        signal.signal(signal.SIGTERM, _interrupt)

    def answer(self, request: Message) -> Message:
        """`Done` on an input, with what was printed; the first request has the command's arguments."""
        if self._taken is None:
            return self._begin(request)
        assert self._taken is not None
        out, err = (_CapturedOutput(each) for each in self._terminals)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                found = self._taken.work(tuple(request["item"]), True)
                done = Done.of(found, self._taken.style, True)
            except click.ClickException as error:
                error.show()
                done = Done(str(request["item"][0]), error.exit_code, True, {}, {})
        return {"done": [*done], "out": out.getvalue(), "err": err.getvalue()}

    def _begin(self, request: Message) -> Message:
        self._terminals = request["terminals"]
        name, *args = request["args"]
        context = command_of(name).make_context(
            f"potc {name}", args, obj=Served(), default_map=request["defaults"]
        )
        self._contexts.enter_context(context)
        try:
            context.command.invoke(context)
        except Taken as taken:
            self._taken = taken
        return {}


def _interrupt(number: int, _: Any) -> NoReturn:
    # Once: what is known is to be said in peace.
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


class _SideBySide:
    """The processes, each with a thread that hands it one input after the other."""

    def __init__(self, start: Message, items: Sequence[Item], jobs: int) -> None:
        self._start = start
        self._items = items
        self._numbers = iter(range(len(items)))
        self._lock = threading.Lock()
        self._answers: SimpleQueue[tuple[int, Message]] = SimpleQueue()
        self._is_over = False
        self.is_interrupted = False
        self._busy: set[Process] = set()
        for _ in range(jobs):
            threading.Thread(target=self._work, daemon=True).start()

    def in_order(self) -> Iterator[Message]:
        """The answers in the order of the items; after an interruption those that there still are."""
        waiting: dict[int, Message] = {}
        try:
            for number in range(len(self._items)):
                while number not in waiting:
                    done, answer = self._answers.get()
                    waiting[done] = answer
                yield waiting.pop(number)
        except KeyboardInterrupt:
            self.is_interrupted = True
            self._interrupt(waiting)
            yield from (waiting[number] for number in sorted(waiting))
            raise
        finally:
            self._end()

    def _work(self) -> None:
        process: Process | None = None
        while (number := self._next()) is not None:
            item = self._items[number]
            try:
                process = process or self._started()
                answer = self._ask(process, {"item": [*item]})
            except (Died, OSError) as error:
                answer, process = _lost(str(item[0]), error), None
            self._answers.put((number, answer))
        if process is not None:
            process.kill()

    def _next(self) -> int | None:
        with self._lock:
            return None if self._is_over else next(self._numbers, None)

    def _started(self) -> Process:
        process = Process(_SERVICE)
        process.handshake()
        self._ask(process, self._start)
        return process

    def _ask(self, process: Process, request: Message) -> Message:
        with self._lock:
            self._busy.add(process)
        try:
            process.send(request)
            return process.receive(Deadline(_LONG_MS))
        finally:
            with self._lock:
                self._busy.discard(process)

    def _interrupt(self, waiting: dict[int, Message]) -> None:
        """Ends all work, and gathers what is known of it."""
        until = monotonic() + _LAST_WORDS_S
        with self._lock:
            self._is_over = True
            busy = len(self._busy)
            for process in self._busy:
                with contextlib.suppress(OSError):
                    os.kill(process.pid, signal.SIGTERM)
        while busy or not self._answers.empty():
            try:
                number, answer = self._answers.get(timeout=max(0.001, until - monotonic()))
            except Empty:
                return
            busy -= 1
            if "lost" not in answer:
                waiting[number] = answer

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
            left = list(self._busy)
        for process in left:
            process.kill_from_outside()


def side_by_side(
    args: Sequence[str], items: Sequence[Item], work: Work, style: str, jobs: int
) -> Iterator[Done]:
    """The results of `work` on the items, in `jobs` processes; printed and given in the items' order."""
    context = click.get_current_context()
    start = {
        "args": list(args),
        "defaults": context.default_map,
        "terminals": [sys.stdout.isatty(), sys.stderr.isatty()],
    }
    # Standard input is this process's alone.
    apart = [item for item in items if item[0] != "-"]
    team = _SideBySide(start, apart, min(jobs, len(apart)))
    others = team.in_order()
    for item in items:
        if item[0] == "-":
            if team.is_interrupted:
                break
            yield Done.of(work(item, True), style, True)
            continue
        answer = next(others)
        click.echo(answer["err"], nl=False, err=True, color=True)
        click.echo(answer["out"], nl=False, color=True)
        yield Done(*answer["done"])
    # An interruption is raised behind the last answer that there is.
    next(others, None)


def _lost(name: str, error: Exception) -> Message:
    """The answer where a process has ended: the others are not harmed by it."""
    if isinstance(error, OSError):
        code, what = "POT0010", {"reason": error.strerror or str(error)}
    else:
        code, what = "POT0001", {"what": f"{name}: {error}"}
    said = f"error[{code}]: {visible(CODES[code].headline.format_map(what))}\n"
    return {"done": [*Done(name, INVALID, True, {}, {})], "out": "", "err": said, "lost": True}

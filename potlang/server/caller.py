"""The child that carries out calls, one at a time: it can be killed, whatever a call does."""

from __future__ import annotations

from potlang import tool
from potlang.engines.commands import solver_command
from potlang.languages.dagmath.solve.answers import AnswerChecker
from potlang.processes.frames import Message
from potlang.processes.pool import default_workers
from potlang.processes.worker import Service
from potlang.server.verbs import answered
from potlang.tables.access import allowing
from potlang.tool import operations


class CallerService(Service):
    """Calls the tool, or a verb on one input; programs may read the tables below the directories."""

    slack_mb = 256

    def __init__(self, *directories: str) -> None:
        self._judge = AnswerChecker()
        # Without a directory no call reads the database either: callers are not who runs the server.
        self._sources = directories or None

    def answer(self, request: Message) -> Message:
        """The answer to a call of the tool (`arguments`, `budget`) or of a verb (`verb`, `input`, …)."""
        if "verb" in request:
            with allowing(self._sources):
                return answered(request, self._judge)
        answer = tool.call(request["arguments"], budget=request["budget"], sources=self._sources)
        return {"answer": answer}

    def close(self) -> None:
        """End the solvers."""
        self._judge.close()
        default_workers().close()


def caller(*directories: str) -> CallerService:
    """The service, with a solver on its way; programs may read the tables below the directories."""
    default_workers().warm(solver_command("z3"))
    operations.prepare()
    return CallerService(*directories)

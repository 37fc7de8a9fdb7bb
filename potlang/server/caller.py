"""The child that carries out calls of the tool, one at a time: it can be killed, whatever a call does."""

from __future__ import annotations

from potlang import tool
from potlang.engines.commands import solver_command
from potlang.processes.frames import Message
from potlang.processes.pool import default_workers
from potlang.processes.worker import Service
from potlang.tool import operations


class CallerService(Service):
    """Calls the tool."""

    slack_mb = 256

    def answer(self, request: Message) -> Message:
        """The call's answer."""
        return {"answer": tool.call(request["arguments"], budget=request["budget"])}

    def close(self) -> None:
        """End the solvers."""
        default_workers().close()


def caller() -> CallerService:
    """The service, with a solver on its way."""
    default_workers().warm(solver_command("z3"))
    operations.prepare()
    return CallerService()

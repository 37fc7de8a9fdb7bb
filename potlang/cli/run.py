"""How a command goes through its inputs: one after the other or side by side, once or again and again."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from potlang import diag
from potlang.cli import stopping
from potlang.cli.answer import Answer, print_findings
from potlang.cli.commands import Served, Start
from potlang.cli.common import ALL_ENTAILED, INVALID, print_json, tell, with_progress, worst_exit
from potlang.cli.inputs import expanded
from potlang.cli.options import RunOptions
from potlang.diag.wording import counted
from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.cli.totals import Counts, InputTotals

Item = tuple[str | None, ...]
"""The name of an input, and what else its work is to know."""
Work = Callable[[Item, bool], Answer]
"""The work on one input, which prints its text; it is told whether there are several."""


class Taken(Exception):
    """Raised by `run` where the command is run for its work alone, which another process asks for."""

    def __init__(self, work: Work, style: str) -> None:
        super().__init__()
        self.work = work
        self.style = style


class Done(NamedTuple):
    """A printed answer, kept for totals and files: plain values, perhaps from another process."""

    name: str
    code: int
    is_whole: bool
    counts: Counts
    value: Any = None

    @classmethod
    def of(cls, answer: Answer, style: str, several: bool) -> Done:
        """`value` is what a form for machines has of it: a report as JSON values, or results of SARIF."""
        counts: Counts = {}
        if style == "json" or (several and style == "text"):
            from potlang.cli.totals import counts_of

            counts = counts_of(answer.found, answer.diagnostics)
        value: Any = None
        if style == "json":
            value = answer.to_dict()
        elif style == "sarif":
            from potlang.cli.findings import sarif_results

            value = sarif_results(answer)
        return cls(answer.name, answer.code, answer.is_whole, counts, value)


def run(
    listed: Callable[[], Sequence[Item]],
    work: Work,
    options: RunOptions,
    style: str,
    *,
    checking: bool = False,
) -> NoReturn:
    """Does the work on all inputs that are `listed`, prints what is left to print, and ends the command.

    `checking`: inputs are valid or not, and nothing is solved. The exit code is the worst.
    """
    context = click.get_current_context()
    if isinstance(context.obj, Served):
        raise Taken(work, style)
    this = _RunOverInputs(work, options, style, checking, context.params["files"], context.obj)
    if options.totals and style != "json":
        raise click.UsageError("--totals is for --format json: text has totals, and SARIF no place for them")
    items = listed()
    if options.watch:
        _watch(this, listed, items)
    sys.exit(worst_exit(this.once(items)))


def run_checks(
    files: Sequence[str], work: Callable[[str], Answer], options: RunOptions, style: str, color: str
) -> NoReturn:
    """As `run`, where the diagnostics of an input, which `work` gives for its name, are all of the answer."""

    def checked(item: Item, _: bool) -> Answer:
        found = strictly(work(str(item[0])), options.strict)
        if style == "text" and not (options.quiet and found.code == ALL_ENTAILED):
            print_findings(found, color)
        return found

    def listed() -> list[Item]:
        return [(name,) for name in expanded(files, options.exclude)]

    run(listed, checked, options, style, checking=True)


def _watch(this: _RunOverInputs, listed: Callable[[], Sequence[Item]], items: Sequence[Item]) -> NoReturn:
    """For ever: the signal that ends it ends the command."""
    from potlang.cli.watching import changed, states_of

    if this.style != "text":
        raise click.UsageError("--watch has text alone: one document of JSON or SARIF would have no end")
    if any(item[0] == "-" for item in items):
        raise click.UsageError("--watch is for files, and `-` is standard input")
    # What is written while the first run is at work is a change.
    states = states_of(items)
    this.once(items)
    for each in changed(listed, states):
        this.once(each)
    raise AssertionError


class _RunOverInputs(NamedTuple):
    work: Work
    options: RunOptions
    style: str
    checking: bool
    arguments: tuple[str, ...]
    start: Start

    def once(self, items: Sequence[Item]) -> list[int]:
        """Goes through the inputs, and gives their exit codes."""
        began = time.monotonic()
        several = len(items) > 1
        doing = "checking" if self.checking else "verifying"
        done: list[Done] = []
        with self._finished(done, items, began):
            for each in with_progress(self._each(items), doing, len(items), several=several):
                done.append(each)
        codes = [each.code for each in done]
        if several and self.style == "text":
            click.echo(self._totals(done, began).text())
        return codes

    def _totals(self, done: Sequence[Done], began: float) -> InputTotals:
        from potlang.cli.totals import ANSWERED, CHECKED, InputTotals

        words = CHECKED if self.checking else ANSWERED
        counts = [each.counts for each in done]
        return InputTotals.of([each.code for each in done], counts, words, time.monotonic() - began)

    def _each(self, items: Sequence[Item]) -> Iterator[Done]:
        several = len(items) > 1
        if several and self.options.jobs > 1:
            from potlang.cli.side_by_side import side_by_side

            yield from side_by_side(self.start.args, items, self.work, self.style, self.options.jobs)
            return
        for item in items:
            done = Done.of(self.work(item, several), self.style, several)
            yield done
            if not done.is_whole:
                raise KeyboardInterrupt

    @contextmanager
    def _finished(self, done: Sequence[Done], items: Sequence[Item], began: float) -> Iterator[None]:
        """Prints in a form for machines what is done inside; after a signal, what is done by then."""

        def print_known() -> None:
            self._print(tuple(done), items, began)

        try:
            with stopping.known(print_known):
                yield
        except KeyboardInterrupt:
            print_known()
            raise
        print_known()

    def _print(self, done: Sequence[Done], items: Sequence[Item], began: float) -> None:
        """All that is done in a form for machines; text is printed input by input."""
        if self.style == "sarif":
            print_json(diag.sarif_log([result for each in done for result in each.value], __version__))
        elif self.style == "json":
            # A directory of one file is a list of one: its form must not depend on what is in there.
            is_single = len(done) == 1 and [each[0] for each in items] == [*self.arguments]
            if self.options.totals:
                inputs = [{"file": each.name, **each.value} for each in done]
                print_json({"inputs": inputs, "totals": self._totals(done, began).to_dict()})
                return
            if is_single and not self.checking:
                print_json(done[0].value)
                return
            listed = [{"file": each.name, **each.value} for each in done]
            print_json(listed[0] if is_single else listed)


def strictly(answer: Answer, strict: bool) -> Answer:
    """The answer, with the exit code of an error if warnings are `strict` and it has one ([CLI-STRICT])."""
    if not strict or answer.code == INVALID:
        return answer
    count = sum(each.severity == "warning" for each in answer.diagnostics)
    if not count:
        return answer
    tell(f"{answer.name}: {counted(count, 'warning')}, which --strict takes for errors")
    return answer._replace(code=INVALID)

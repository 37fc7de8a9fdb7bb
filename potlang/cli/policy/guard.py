"""`potc policy guard`, `proxy` and `replay`: tool calls decided by a policy, and their records."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from potlang import policy, server
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    UNDECIDED,
    Command,
    fail,
    format_option,
    print_json,
    tell,
    waiting,
    worst_exit,
)
from potlang.cli.policy.common import Seconds, certificates_option, given_case, limited, stored
from potlang.diag.wording import counted, visible
from potlang.languages.pot.program import CompileError
from potlang.utils.gc_pause import collect_as_usual

if TYPE_CHECKING:
    from potlang.policy import Store
    from potlang.policy.guard import Guard, GuardState
    from potlang.policy.records import Certificates
    from potlang.policy.replay import Replay

_CODES = {"allow": ALL_ENTAILED, "deny": OTHER_ANSWER, "ask": UNDECIDED}
_MOST_FAULTS: Final = 10
"""Faults of a chain that are printed."""

_recorded: list[Callable[[Any], Any]] = [
    click.option(
        "--record", metavar="FILE", help="Add all decisions to a chain of records: JSON Lines, or .sqlite3."
    ),
    certificates_option,
    click.option(
        "--key-file", metavar="FILE", help="A file with a key, with which states and records are sealed."
    ),
    click.option("--case", metavar="FILE|JSON", help="What is known of the session: a case of the policy."),
    click.option("--context", metavar="JSON", help="What is known of each event: values of functions."),
]


def _recording(command: Command) -> Command:
    for option in reversed(_recorded):
        command = option(command)
    return command


@click.command()
@click.argument("options")
@click.argument("events", default="-")
@_recording
@format_option("text", "json")
@stored
def guard(
    options: str,
    events: str,
    record: str | None,
    certificates: Certificates,
    key_file: str | None,
    case: str | None,
    context: str | None,
    style: str,
    store: Store,
) -> None:
    """Decide the events of a session: may the agent call this tool now?

    OPTIONS is a guard's file, which names its policy, or the id of a policy or a program's file. EVENTS has
    a line of JSON for each event, in their order: `{"tool": "refund", "arguments": {"amount": 40}}`; an
    `outcome` in it is what came of the event.

    Exit code: 0 all events are allowed; 1 one is denied; 2 the guard cannot work; 3 people would be asked.
    If several apply, 3 comes before 1.
    """
    own = _opened(options, store, record, certificates, key_file)
    state = own.begin(_value(case))
    known = _object(context, "--context")
    codes = []
    for number, line in enumerate(_lines(events), 1):
        event = _event(line)
        outcome = event.pop("outcome", None) if isinstance(event, dict) else None
        decision = own.check(event, state, context=known)
        codes.append(_CODES[decision.permission])
        if style == "json":
            click.echo(json.dumps(decision.to_json(), ensure_ascii=False))
        else:
            click.echo(visible(f"{decision.permission}: {decision.reason}"))
        state = decision.state
        if outcome is not None and decision.verdict is not None:
            state = _with_outcome(own, state, outcome, number)
    sys.exit(worst_exit(codes))


def _with_outcome(own: Guard, state: GuardState, outcome: Any, number: int) -> GuardState:
    """The state after the outcome of an event; ends the command where it is none of that event."""
    try:
        return own.outcome(state, outcome)
    except (CompileError, policy.PolicyError) as error:
        found = error.diagnostics if isinstance(error, CompileError) else ()
        problem = "; ".join(dict.fromkeys(each.message for each in found)) or str(error)
        fail(f"error: the outcome of event {number}: {problem}; the events behind it are not decided")


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("options")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
@_recording
@stored
def proxy(
    options: str,
    command: tuple[str, ...],
    record: str | None,
    certificates: Certificates,
    key_file: str | None,
    case: str | None,
    context: str | None,
    store: Store,
) -> None:
    """Put a guard in front of an MCP server: each call of a tool is decided before the server sees it.

    OPTIONS is as for `potc policy guard`; COMMAND starts the server, over standard input and output. A denied
    call is answered with the reason. Where people are to be asked, the client asks them, if it can.

    Exit code: the server's; 2 the guard cannot work, or the server cannot be started.
    """
    own = _opened(options, store, record, certificates, key_file)
    session = policy.guard.GuardSession(own, case=_value(case), context=_object(context, "--context"))
    collect_as_usual()
    try:
        code = server.policy_proxy.serve_proxy(session, command)
    except OSError as error:
        fail(f"error: cannot start {command[0]!r}: {error.strerror or error}")
    sys.exit(code)


@click.command()
@click.argument("file")
@click.option("--policy", "options", metavar="OPTIONS", help="Decide by this guard, not by the recorded one.")
@click.option("--key-file", metavar="FILE", help="The key that the records were sealed with.")
@click.option("--head", metavar="DIGEST", help="The digest that the last record should have.")
@format_option("text", "json")
@limited
@stored
def replay(
    file: str,
    options: str | None,
    key_file: str | None,
    head: str | None,
    style: str,
    seconds: Seconds,
    store: Store,
) -> None:
    """Decide all recorded decisions again, and find what was changed in the records.

    Exit code: 0 nothing was changed, and all is decided as it was; 1 something is decided otherwise; 2 the
    records were changed, or cannot be read; 3 something is unknown now. If several apply, 2 comes before 3,
    and 3 before 1.
    """
    key = _key(key_file)
    other = None if options is None else _guard(options, store, key)
    with waiting("deciding the records again"):
        found = policy.replay.replay(Path(file), key=key, guard=other, head=head or "", limits=seconds.limits)
    if style == "json":
        print_json(found.to_dict())
    else:
        for line in _replay_lines(found):
            click.echo(visible(line))
    if found.faults and not found.records:
        own = "another one" if key else "one, which `--key-file` gives"
        tell(f"note: no record has the digest that it should: a chain that was sealed with a key needs {own}")
    codes = [INVALID] * bool(found.faults) + [OTHER_ANSWER] * bool(found.changed)
    sys.exit(worst_exit([ALL_ENTAILED, *codes, *([UNDECIDED] * bool(found.open))]))


def _replay_lines(found: Replay) -> Iterator[str]:
    for fault in found.faults[:_MOST_FAULTS]:
        yield f"record {fault.place}: {fault.problem}"
    if len(found.faults) > _MOST_FAULTS:
        yield f"and {len(found.faults) - _MOST_FAULTS} more (`--format json` has all)"
    for each in found.changed:
        yield f"record {each.place}: {each.now}, was {each.recorded}"
    for place in found.open:
        yield f"record {place}: unknown now"
    for place in found.cuts:
        yield f"record {place}: a record that was not finished stood here; nothing was decided by it"
    yield (
        f"{counted(found.records, 'record')}, {counted(found.decisions, 'decision')} decided again,"
        f" {len(found.changed)} otherwise, {counted(len(found.faults), 'fault')}; head {found.head}"
    )
    if found.certificates:
        yield f"{found.certified} of {counted(found.certificates, 'certificate')} show all that was decided"


# --- parts -----------------------------------------------------------------------------------------------


def _opened(
    options: str, store: Store, record: str | None, certificates: Certificates, key_file: str | None
) -> Guard:
    """The guard that a name stands for, with a chain if decisions are recorded."""
    key = _key(key_file)
    own = _guard(options, store, key)
    for rule in own.slow_rules:
        needs = "each event needs" if rule == policy.guard.ALL_RULES else f"{visible(rule)} may need"
        tell(f"note: {needs} a solver, which takes longer than facts alone")
    if record is None:
        return own
    return own.recorded(
        policy.records.Records(Path(record), key=key), policy=options, certificates=certificates
    )


def _guard(name: str, store: Store, key: bytes) -> Guard:
    path = Path(name)
    if not path.is_file():
        return policy.guard.Guard(store.version(name).text, key=key)
    if _is_options(path):
        return policy.guard.Guard.open(path, key=key, store=store)
    return policy.guard.Guard(path, policy.guard.GuardOptions(), key=key)


def _is_options(path: Path) -> bool:
    """Whether a file has a guard's options: a program has functions."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and isinstance(value.get("policy"), str)


def _key(path: str | None) -> bytes:
    if path is None:
        return b""
    try:
        found = Path(path).read_bytes().strip()
    except OSError as error:
        raise policy.PolicyError(f"cannot read {path!r}: {error.strerror or error}") from None
    if len(found) < 16:
        raise policy.PolicyError(f"the key in {path!r} has fewer than 16 bytes")
    return found


def _value(given: str | None) -> dict[str, Any] | None:
    case = given_case(given)
    return None if case is None else case.value


def _object(text: str | None, option: str) -> dict[str, Any] | None:
    if text is None:
        return None
    value = _event(text)
    if not isinstance(value, dict):
        raise policy.PolicyError(f"{option} is an object as JSON")
    return value


def _event(text: str) -> Any:
    """A line as JSON; what is none is an event that no guard allows."""
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return text


def _lines(name: str) -> Iterator[str]:
    try:
        text = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise policy.PolicyError(f"cannot read {name!r}: {error.strerror}") from None
    yield from (line for line in text.decode("utf-8", "replace").split("\n") if line.strip())

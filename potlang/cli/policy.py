"""`potc policy`: stored programs, in versions, with their regression tests."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from potlang.cli.answer import print_diagnostics
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    UNDECIDED,
    Command,
    color_option,
    fail,
    format_option,
    print_json,
    read_source,
    tell,
    worst_exit,
)
from potlang.cli.helping import CommandGroup
from potlang.cli.options import SECONDS, grouped
from potlang.diag.wording import counted, visible
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.program import CompileError, Program
from potlang.report.results import Limits, Verdict

if TYPE_CHECKING:
    from potlang.policy import Case, CaseResult, Difference, Store, Version


class _Seconds(NamedTuple):
    timeout: float
    total_timeout: float

    @property
    def limits(self) -> Limits:
        return Limits(int(self.timeout * 1000), int(self.total_timeout * 1000))


_limited = grouped(
    "seconds",
    _Seconds,
    "Solving",
    click.option("--timeout", type=SECONDS, default=10.0, help="Seconds for one check."),
    click.option(
        "--total-timeout", type=SECONDS, default=60.0, help="Seconds for all claims against one program."
    ),
)


def _stored(command: Command) -> Command:
    """Adds `--store`, which comes as an open store; a PolicyError ends the command with exit code 2."""

    @wraps(command)
    def guarded(*args: Any, **options: Any) -> Any:
        from potlang.policy import PolicyError, open_store

        try:
            return command(*args, store=open_store(options.pop("directory") or None), **options)
        except PolicyError as error:
            fail(f"error: {error}")
        except CompileError as error:
            print_diagnostics(error.document, error.diagnostics, "auto")
            sys.exit(INVALID)

    option: Callable[[Any], Any] = click.option(
        "--store",
        "directory",
        metavar="DIRECTORY",
        help="The directory of policies. [default: POTLANG_POLICIES, or the user's data directory]",
    )
    found: Command = option(guarded)
    return found


@click.group(cls=CommandGroup)
def policy() -> None:
    """Store programs in versions, with tests: claims and the verdicts that they must keep.

    An ID is a name, which means its latest version, `name@3`, or `name@` and digits of a digest.
    """


@policy.command()
@click.argument("file")
@click.option("--name", help="Name of the policy. [default: the file's name without its ending]")
@click.option(
    "--tests",
    metavar="FILE",
    help="JSON: a list of objects with `claim` and `expected`; else the program's verifications, with the "
    "verdicts that they have now.",
)
@click.option("--force", is_flag=True, help="Store it even if a test fails.")
@format_option("text", "json")
@color_option
@_limited
@_stored
def add(
    file: str,
    name: str | None,
    tests: str | None,
    force: bool,
    style: str,
    color: str,
    seconds: _Seconds,
    store: Store,
) -> None:
    """Store a program as the latest version of a policy.

    Exit code: 0 it is stored, or was already; 1 it fails a test; 2 it is not a valid program.
    """
    from potlang.policy.store import FailingTests

    source, shown = read_source(file)
    checked = check_program(source, name=shown)
    print_diagnostics(checked.document, checked.diagnostics, color)
    if checked.program is None:
        sys.exit(INVALID)
    if name is None:
        name = re.sub(r"[^a-z0-9._-]+", "-", Path(shown).stem.lower()).strip("-._")
    text = checked.document.text or ""
    try:
        added = store.add(name, text, _tests(tests), limits=seconds.limits, force=force)
    except FailingTests as error:
        if style == "json":
            print_json({"added": None, "failed": [_result_json(each) for each in error.failed]})
        else:
            click.echo("\n".join(_result_lines(error.failed)))
            tell(f"error: {error}; it is not stored")
        sys.exit(OTHER_ANSWER)
    for each in added.undecided:
        tell(f"warning: {each} is undecided, and makes no test")
    if style == "json":
        failed = [_result_json(each) for each in added.failed]
        print_json({"added": _version_json(added.version), "created": added.created, "failed": failed})
    else:
        known = "" if added.created else ", stored already"
        click.echo(f"{_head(added.version)}{known}")
    sys.exit(OTHER_ANSWER if added.failed else ALL_ENTAILED)


@policy.command("list")
@format_option("text", "json")
@_stored
def list_(style: str, store: Store) -> None:
    """List the policies with their latest versions."""
    entries = list(store.entries())
    if style == "json":
        print_json(
            [
                {
                    "name": each.name,
                    "versions": list(each.numbers),
                    "latest": None if each.latest is None else _version_json(each.latest),
                    "problem": each.problem or None,
                }
                for each in entries
            ]
        )
        return
    for each in entries:
        click.echo(f"{each.name}: {each.problem}" if each.latest is None else _head(each.latest))


@policy.command()
@click.argument("id")
@format_option("text", "json")
@_stored
def show(id: str, style: str, store: Store) -> None:
    """Show a version: its program and its tests."""
    version = store.version(id)
    if style == "json":
        tests = [each.to_dict() for each in version.cases]
        print_json({**_version_json(version), "program": version.text, "tests": tests})
        return
    click.echo(_head(version))
    for each in version.cases:
        click.echo(f"  {each.expected}: {_named(each)}")
    click.echo(version.text.rstrip("\n"))


@policy.command()
@click.argument("ids", nargs=-1, metavar="[ID]…")
@format_option("text", "json")
@_limited
@_stored
def test(ids: tuple[str, ...], style: str, seconds: _Seconds, store: Store) -> None:
    """Verify the tests of versions again.

    Without an ID those of all policies.

    Exit code: 0 all verdicts are as expected; 1 one is not; 2 there is no such policy, or it cannot be
    read; 3 one is unknown. If several apply, 2 comes before 3, and 3 before 1.
    """
    codes, found = [], []
    try:
        for id in ids or store.names():
            version = store.version(id)
            results = store.run_tests(version.id, limits=seconds.limits)
            codes += [_code(each) for each in results]
            found.append({**_version_json(version), "results": [_result_json(each) for each in results]})
            if style == "text":
                failed = [each for each in results if not each.passed]
                click.echo(f"{version.id}: {len(results) - len(failed)} of {len(results)} tests pass")
                for line in _result_lines(failed):
                    click.echo(f"  {line}")
    except KeyboardInterrupt:
        if style == "json" and found:
            print_json(found)
        raise
    if style == "json":
        print_json(found)
    sys.exit(worst_exit(codes))


def _code(result: CaseResult) -> int:
    if result.passed:
        return ALL_ENTAILED
    return UNDECIDED if result.verdict is Verdict.UNKNOWN else OTHER_ANSWER


@policy.command()
@click.argument("old")
@click.argument("new")
@click.option("--samples", type=click.IntRange(0, 10_000), default=50, help="Number of claims to draw.")
@click.option("--seed", default=0, help="Seed of the drawn claims.")
@format_option("text", "json")
@_limited
@_stored
def diff(
    old: str,
    new: str,
    samples: int,
    seed: int,
    style: str,
    seconds: _Seconds,
    store: Store,
) -> None:
    """Find claims that two versions decide differently.

    The claims are the tests of both, the rules that only one of them has, and claims drawn at random.

    OLD and NEW are ids, or files with programs. Exit code: 0 no verdict changes; 1 one does; 2 one of
    them is not a valid program; 3 none does, as far as they are known.
    """
    from potlang.policy import compare

    first, second = _side(store, old), _side(store, new)
    found = compare(
        first[0],
        second[0],
        (*first[1], *second[1]),
        samples=samples,
        seed=seed,
        limits=seconds.limits,
    )
    if style == "json":
        print_json(found.to_dict())
    else:
        click.echo("\n".join(_difference_lines(found)))
    sys.exit(OTHER_ANSWER if found.changes else UNDECIDED if found.open else ALL_ENTAILED)


@policy.command()
@click.argument("id")
@_stored
def remove(id: str, store: Store) -> None:
    """Remove a policy, or one version of it."""
    store.remove(id)


# --- parts -----------------------------------------------------------------------------------------


def _tests(name: str | None) -> tuple[Case, ...] | None:
    from potlang.policy import PolicyError, read_cases

    if name is None:
        return None
    try:
        text = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        value = json.loads(text)
    except OSError as error:
        raise PolicyError(f"cannot read {name!r}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"{name!r} is not JSON: {error}") from None
    return read_cases(value)


def _side(store: Store, name: str) -> tuple[Program, Sequence[Case]]:
    """The program that a name stands for, and its tests: a file's has none."""
    if Path(name).is_file():
        return compile_program(Path(name)), ()
    version = store.version(name)
    return version.compile(), version.cases


def _version_json(version: Version) -> dict[str, Any]:
    return {
        "id": version.id,
        "name": version.name,
        "version": version.number,
        "digest": version.digest,
        "added": version.added,
        "test_count": len(version.cases),
    }


def _head(version: Version) -> str:
    count = len(version.cases)
    return f"{version.id}  {version.digest[:12]}  {counted(count, 'test')}  {version.added}"


def _result_json(result: CaseResult) -> dict[str, Any]:
    from potlang.policy.comparing import evidence

    found = {**result.case.to_dict(), "verdict": str(result.verdict), "passed": result.passed}
    return found if result.passed else {**found, "evidence": evidence(result.report)}


def _result_lines(results: Iterable[CaseResult]) -> Iterator[str]:
    from potlang.policy.comparing import evidence

    for each in results:
        yield f"{_named(each.case)}: {each.verdict}, expected {each.case.expected}"
        yield from (f"  {line}" for line in evidence(each.report).splitlines())


def _named(case: Case) -> str:
    return _claim_text(case.key, case.name)


def _claim_text(claim: str, name: str) -> str:
    return visible(f"{name}: {claim}" if name else claim)


def _difference_lines(found: Difference) -> Iterator[str]:
    from potlang.policy import Case

    for each in found.changes:
        yield f"{each.origin} {_named(Case(each.claim, each.old, each.name))}"
        for side, verdict, evidence in (
            ("old", each.old, each.old_evidence),
            ("new", each.new, each.new_evidence),
        ):
            yield f"  {side}: {verdict}"
            yield from (f"    {line}" for line in evidence.splitlines())
    for claim in found.open:
        yield f"unknown: {_named(Case(claim, Verdict.UNKNOWN))}"
    changes = counted(len(found.changes), "changes its verdict", "change their verdicts")
    tests, drawn = counted(found.tests, "test"), counted(found.samples, "drawn claim")
    yield f"{changes}, of {tests}, {counted(found.rules, 'rule')} of one version and {drawn}"

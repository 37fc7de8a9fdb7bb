"""`potc policy add`, `list`, `show`, `test` and `remove`: versions in a store."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from potlang import policy
from potlang.cli.answer import print_diagnostics
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    UNDECIDED,
    color_option,
    format_option,
    print_json,
    read_source,
    tell,
    waiting,
    worst_exit,
)
from potlang.cli.policy.common import Seconds, limited, named, stored
from potlang.diag.wording import counted
from potlang.languages.pot.check import check as check_program
from potlang.report.results import Verdict

if TYPE_CHECKING:
    from potlang.policy import PolicyTest, PolicyTestResult, Store, Version


@click.command()
@click.argument("file")
@click.option("--name", help="Name of the policy. [default: the file's name without its ending]")
@click.option(
    "--tests",
    metavar="FILE",
    help="JSON: a list of objects with `claim` and `expected`. [default: the tests of the latest version, "
    "and the program's verifications with the verdicts that they have now]",
)
@click.option("--force", is_flag=True, help="Store it even if a test fails.")
@format_option("text", "json")
@color_option
@limited
@stored
def add(
    file: str,
    name: str | None,
    tests: str | None,
    force: bool,
    style: str,
    color: str,
    seconds: Seconds,
    store: Store,
) -> None:
    """Store a program as the latest version of a policy.

    Exit code: 0 it is stored, or was already; 1 it fails a test; 2 it is not a valid program.
    """
    source, shown = read_source(file)
    checked = check_program(source, name=shown)
    print_diagnostics(checked.document, checked.diagnostics, color)
    if checked.program is None:
        sys.exit(INVALID)
    if name is None:
        name = re.sub(r"[^a-z0-9._-]+", "-", Path(shown).stem.lower()).strip("-._")
    text = checked.document.text or ""
    try:
        given = _tests(tests)
        with waiting("verifying the tests"):
            added = store.add(name, text, given, limits=seconds.limits, force=force)
    except policy.FailingTests as error:
        if style == "json":
            print_json({"added": None, "failed": [_result_json(each) for each in error.failed]})
        else:
            click.echo("\n".join(_result_lines(error.failed)))
            tell(f"error: {error}; it is not stored")
            if any(each.verdict == "unknown" for each in error.failed):
                tell("help: give more time with `--total-timeout`")
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


@click.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]…")
@format_option("text", "json")
@stored
def list_(words: tuple[str, ...], style: str, store: Store) -> None:
    """List the policies with their latest versions; those with each WORD in their name or program."""
    entries = [each for each in store.entries() if each.mentions(words)]
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


@click.command()
@click.argument("id")
@format_option("text", "json")
@stored
def show(id: str, style: str, store: Store) -> None:
    """Show a version: its program and its tests."""
    version = store.version(id)
    if style == "json":
        tests = [each.to_dict() for each in version.tests]
        print_json({**_version_json(version), "program": version.text, "tests": tests})
        return
    click.echo(_head(version))
    for each in version.tests:
        click.echo(f"  {each.expected}: {named(each)}")
    click.echo(version.text.rstrip("\n"))


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]…")
@format_option("text", "json")
@limited
@stored
def test(ids: tuple[str, ...], style: str, seconds: Seconds, store: Store) -> None:
    """Verify the tests of versions again.

    Without an ID those of all policies.

    Exit code: 0 all verdicts are as expected; 1 one is not; 2 there is no such policy, or it cannot be
    read; 3 one is unknown. If several apply, 2 comes before 3, and 3 before 1.
    """
    codes, found = [], []
    try:
        for id in ids or store.names():
            version = store.version(id)
            with waiting(f"verifying the tests of {version.id}"):
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


def _code(result: PolicyTestResult) -> int:
    if result.passed:
        return ALL_ENTAILED
    return UNDECIDED if result.verdict is Verdict.UNKNOWN else OTHER_ANSWER


@click.command()
@click.argument("id")
@stored
def remove(id: str, store: Store) -> None:
    """Remove a policy, or one version of it."""
    store.remove(id)


# --- parts -----------------------------------------------------------------------------------------


def _tests(name: str | None) -> tuple[PolicyTest, ...] | None:
    if name is None:
        return None
    try:
        text = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        value = json.loads(text)
    except OSError as error:
        raise policy.PolicyError(f"cannot read {name!r}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise policy.PolicyError(f"{name!r} is not JSON: {error}") from None
    return policy.read_tests(value)


def _version_json(version: Version) -> dict[str, Any]:
    return {
        "id": version.id,
        "name": version.name,
        "version": version.number,
        "digest": version.digest,
        "added": version.added,
        "test_count": len(version.tests),
    }


def _head(version: Version) -> str:
    count = len(version.tests)
    return f"{version.id}  {version.digest[:12]}  {counted(count, 'test')}  {version.added}"


def _result_json(result: PolicyTestResult) -> dict[str, Any]:
    found = {**result.test.to_dict(), "verdict": str(result.verdict), "passed": result.passed}
    return found if result.passed else {**found, "evidence": policy.impact.evidence(result.report)}


def _result_lines(results: Iterable[PolicyTestResult]) -> Iterator[str]:
    for each in results:
        yield f"{named(each.test)}: {each.verdict}, expected {each.test.expected}"
        yield from (f"  {line}" for line in policy.impact.evidence(each.report).splitlines())

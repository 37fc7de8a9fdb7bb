"""The store of policies: a directory with a file for each version, which is written once and never changed.

`NAME/000003.json` is version 3. A file appears whole or not at all, and no two writers get one number
([POLICY-STORE]), so there is nothing to lock and nothing to repair.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from potlang.diag.near import nearest
from potlang.ir.digest import digest
from potlang.languages.pot.check import Source as ProgramSource
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.claims import Claim, verify_claims
from potlang.languages.pot.program import CompileError, Program, Session
from potlang.languages.pot.report import Report
from potlang.policy.answers import PolicyAnswer, ask
from potlang.policy.cases import Case, program_text
from potlang.policy.impact import renamed_test, renamed_words
from potlang.policy.tests import PolicyError, PolicyTest, PolicyTestResult, own_tests, read_tests, run_tests
from potlang.prove.options import Trust
from potlang.report.results import Limits, Verdict
from potlang.utils.directories import flush_folder, user_directory

VARIABLE: Final = "POTLANG_POLICIES"
_FORMAT: Final = 2
_FORMATS: Final = (1, 2)
"""Those that are read: tests of the first had no cases."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_ID: Final = re.compile(r"(?P<name>[^@]+)(?:@(?:(?P<number>[1-9][0-9]{0,5})|(?P<digest>[0-9a-f]{8,64})))?")
_FILE: Final = re.compile(r"([0-9]{6})\.(json|removed)")
_LARGEST: Final = 128 << 20
_OLD_SECONDS: Final = 86_400
_ATTEMPTS: Final = 100


class Version(NamedTuple):
    """One version of a policy: its program as it was given, the program's digest, and its tests."""

    name: str
    number: int
    digest: str
    added: str
    text: str
    tests: tuple[PolicyTest, ...]

    @property
    def id(self) -> str:
        """The id of this version: `leave@3`."""
        return f"{self.name}@{self.number}"

    def compile(self) -> Program:
        """The program. Raises CompileError if this potlang does not accept it any more."""
        return compile_program(self.text, name=self.id)


class Added(NamedTuple):
    """The result of adding. `created`: there is a new version; else this one was the latest already.

    `failed` are tests that fail; `undecided` names verifications that make no test.
    """

    version: Version
    created: bool
    failed: tuple[PolicyTestResult, ...] = ()
    undecided: tuple[str, ...] = ()


class FailingTests(PolicyError):
    """Tests that a program to be added does not pass."""

    def __init__(self, failed: Sequence[PolicyTestResult]) -> None:
        self.failed = tuple(failed)
        late = [each for each in failed if each.verdict is Verdict.UNKNOWN]
        wrong = len(failed) - len(late)
        said = [f"{wrong} of its tests fail{'s' if wrong == 1 else ''}"] if wrong else []
        if late:
            said.append(f"{len(late)} of its tests {'was' if len(late) == 1 else 'were'} not decided in time")
        super().__init__(", and ".join(said))


class PolicyEntry(NamedTuple):
    """A policy in a list: the numbers of its versions, the latest version, or why that cannot be read."""

    name: str
    numbers: tuple[int, ...]
    latest: Version | None
    problem: str = ""

    def mentions(self, words: Sequence[str]) -> bool:
        """Whether each of these words is in its name or its latest program, in any case."""
        text = self.name if self.latest is None else f"{self.name}\n{self.latest.text}"
        return all(word.casefold() in text.casefold() for word in words)


def default_directory() -> Path:
    """POTLANG_POLICIES, or the user's data directory on this system. Raises PolicyError without a home."""
    try:
        return user_directory(
            VARIABLE,
            windows="potlang/Policies",
            macos="Application Support/potlang/policies",
            xdg=("XDG_DATA_HOME", ".local/share"),
            other="potlang/policies",
        )
    except RuntimeError as error:
        raise PolicyError(f"no directory for policies: {str(error).lower()}") from None


def open_store(directory: str | os.PathLike[str] | None = None) -> Store:
    """The store in this directory, or in the usual one. It need not exist yet."""
    return Store(default_directory() if directory is None else Path(directory))


class Store:
    """The policies in a directory. Safe for threads, and for any number of processes.

    An id is a name, for the latest version, `name@3`, or `name@` and at least eight digits of a digest.
    What takes one raises PolicyError if there is no such version or its file cannot be read.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    # --- reading ---

    def names(self) -> list[str]:
        """The names of all policies that have a version, sorted."""
        try:
            found = sorted(each.name for each in self.directory.iterdir() if _NAME.fullmatch(each.name))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unusable(self.directory, error) from None
        return [name for name in found if self.numbers(name)]

    def _no_policy(self, name: str) -> PolicyError:
        near = nearest(name, self.names())
        meant = f": did you mean {' or '.join(map(repr, near))}?" if near else ""
        return PolicyError(f"there is no policy {name!r}{meant}")

    def numbers(self, name: str) -> tuple[int, ...]:
        """The numbers of a policy's versions, ascending; none if there is no such policy."""
        return tuple(sorted(number for number, kind in self._files(name) if kind == "json"))

    def entries(self) -> Iterator[PolicyEntry]:
        """All policies, damaged ones too."""
        for name in self.names():
            numbers = self.numbers(name)
            try:
                yield PolicyEntry(name, numbers, self.version(name))
            except PolicyError as error:
                yield PolicyEntry(name, numbers, None, str(error))

    def version(self, id: str) -> Version:
        """The version that an id names."""
        return self._read(*self._place(id))

    def _place(self, id: str) -> tuple[str, int]:
        """The name and the number of the version that an id names."""
        found = _ID.fullmatch(id)
        if found is None or not _NAME.fullmatch(found["name"]):
            raise PolicyError(
                f"{id!r:.100} is not the id of a policy, such as leave, leave@3, leave@1f2e3d4c"
            )
        name = found["name"]
        numbers = self.numbers(name)
        if not numbers:
            raise self._no_policy(name)
        if found["digest"]:
            return name, self._with_digest(name, found["digest"])
        wanted = int(found["number"] or numbers[-1])
        if wanted not in numbers:
            raise PolicyError(f"{name!r} has no version {wanted}")
        return name, wanted

    def _with_digest(self, name: str, digits: str) -> int:
        """The latest version whose digest begins so; if there is none, a damaged one is told of."""
        damaged = ""
        for number in reversed(self.numbers(name)):
            try:
                # Damaged versions are passed over: they must not hide a whole one.
                if self._read(name, number).digest.startswith(digits):
                    return number
            except PolicyError as error:
                damaged = damaged or f"; {error}"
        raise PolicyError(f"no version of {name!r} has the digest {digits}{damaged}")

    def session(self, id: str, *, limits: Limits = Limits(), trust: Trust = "best") -> Session:
        """A session against a stored program, to verify many claims. Raises CompileError too."""
        return self.version(id).compile().session(limits=limits, trust=trust)

    def verify_claims(
        self, id: str, claims: Sequence[Claim], *, limits: Limits = Limits(), trust: Trust = "best"
    ) -> Report:
        """One report on all claims. A claim that is no formula is left out of the results.

        The verdict is the worst of all, `rejected` if there is such a claim; the diagnostics are placed in
        `/claims/0` and so on. The total limit is that of all claims together.
        """
        return verify_claims(self.version(id).compile(), claims, limits, trust)

    def ask(
        self,
        id: str,
        claims: Sequence[Claim] = (),
        case: Case | dict[str, Any] | None = None,
        *,
        limits: Limits = Limits(),
        trust: Trust = "best",
        explain: bool = True,
    ) -> PolicyAnswer:
        """The answer of `potlang.policy.ask`. Raises CompileError too."""
        return ask(self.version(id).compile(), claims, case, limits=limits, trust=trust, explain=explain)

    def run_tests(self, id: str, *, limits: Limits = Limits()) -> tuple[PolicyTestResult, ...]:
        """Verifies the tests of a version anew. Raises CompileError too."""
        version = self.version(id)
        return tuple(run_tests(version.compile(), version.tests, limits))

    # --- writing ---

    def add(
        self,
        name: str,
        source: ProgramSource,
        tests: Sequence[PolicyTest] | None = None,
        *,
        limits: Limits = Limits(),
        force: bool = False,
    ) -> Added:
        """Stores a program as the latest version of a policy, with its tests.

        Without `tests` those of the latest version are kept, in the words of the new one where it has
        others, and verifications of the program that are not among them become tests with the verdicts that
        they have now. Raises CompileError if it is no program, FailingTests if a test that is given or kept
        fails and there is no `force`, and PolicyError. A program with the digest and the tests of the latest
        version is not stored again.
        """
        if not _NAME.fullmatch(name):
            raise PolicyError(
                f"{name!r:.100} is no name for a policy: small letters, digits and ._- , at most 64 of them"
            )
        program = compile_program(source)
        text = program_text(program)
        for _ in range(_ATTEMPTS):
            last = self._last_number(name)
            latest = self._latest(name)
            every, failed, undecided = _tests_to_add(latest, program, tests, limits)
            if failed and not force:
                raise FailingTests(failed)
            key = digest(program.module)
            # Only the latest: going back to an older program is a new version.
            if latest is not None and (latest.digest, latest.tests) == (key, every):
                return Added(latest, False, failed, undecided)
            added = datetime.now(UTC).isoformat(timespec="seconds")
            # Tests that another writer has added meanwhile are to be kept as well.
            behind = last if tests is None else None
            version = self._write(Version(name, 0, key, added, text, every), behind)
            if version is not None:
                return Added(version, True, failed, undecided)
        raise _busy(name)

    def remove(self, id: str) -> None:
        """Removes a policy, or one version of it; its number is not given again."""
        if "@" in id:
            # Also a damaged version has a number still, and can be removed by it.
            path = self._path(*self._place(id))
            try:
                path.with_suffix(".removed").touch()
                path.unlink(missing_ok=True)
            except OSError as error:
                raise _unusable(path, error) from None
            return
        if not self.numbers(self._checked(id)):
            raise self._no_policy(id)
        try:
            # Away at once under its name, whatever happens while its files are removed.
            with self._aside() as aside:
                (self.directory / id).rename(Path(aside) / id)
        except OSError as error:
            raise _unusable(self.directory / id, error) from None

    # --- files ---

    def _checked(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise PolicyError(f"{name!r:.100} is no name of a policy")
        return name

    def _path(self, name: str, number: int) -> Path:
        return self.directory / name / f"{number:06}.json"

    def _files(self, name: str) -> list[tuple[int, str]]:
        try:
            found = [_FILE.fullmatch(each.name) for each in (self.directory / self._checked(name)).iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _unusable(self.directory / name, error) from None
        return [(int(each[1]), each[2]) for each in found if each is not None]

    def _latest(self, name: str) -> Version | None:
        numbers = self.numbers(name)
        try:
            return self._read(name, numbers[-1]) if numbers else None
        except PolicyError:
            return None

    def _read(self, name: str, number: int) -> Version:
        path = self._path(name, number)
        try:
            with path.open("rb") as stream:
                data = stream.read(_LARGEST + 1)
        except FileNotFoundError:
            raise PolicyError(f"{name!r} has no version {number}") from None
        except OSError as error:
            raise _unusable(path, error) from None
        try:
            return _version(json.loads(data), name, number)
        except PolicyError:
            raise
        except (ValueError, TypeError, KeyError, RecursionError):
            raise PolicyError(f"{path} is damaged") from None

    def _last_number(self, name: str) -> int:
        """The highest number that a version of a policy has had; 0 if there was none."""
        return max((each for each, _ in self._files(name)), default=0)

    def _write(self, version: Version, behind: int | None) -> Version | None:
        """Gives the version a number and makes its file; None if it is not the next one after `behind`."""
        folder = self.directory / version.name
        try:
            for _ in range(_ATTEMPTS):
                if not _made(folder):
                    continue
                number = self._last_number(version.name) + 1
                if behind is not None and number != behind + 1:
                    return None
                numbered = version._replace(number=number)
                with self._aside() as aside:
                    draft = Path(aside) / "draft"
                    _flush(draft, json.dumps(_plain(numbered), indent=1).encode("ascii") + b"\n")
                    # A link, since renaming would replace a file that another process has put there;
                    # the folder may have been removed by another one in the meantime.
                    try:
                        os.link(draft, self._path(version.name, number))
                    except (FileExistsError, FileNotFoundError):
                        continue
                    flush_folder(folder)
                    return numbered
        except OSError as error:
            raise _unusable(self.directory, error) from None
        raise _busy(version.name)

    def _aside(self) -> TemporaryDirectory[str]:
        """A folder that no policy can be in; those that killed processes left a day ago are removed."""
        for path in self.directory.glob(".aside-*"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _OLD_SECONDS:
                    shutil.rmtree(path)
        return TemporaryDirectory(prefix=".aside-", dir=self.directory)


def _tests_to_add(
    latest: Version | None, program: Program, given: Sequence[PolicyTest] | None, limits: Limits
) -> tuple[tuple[PolicyTest, ...], tuple[PolicyTestResult, ...], tuple[str, ...]]:
    """The tests of a new version, those that fail, and the verifications that are undecided."""
    kept = tuple(_kept(latest, program) if given is None else given)
    failed = tuple(each for each in run_tests(program, kept, limits) if not each.passed)
    if given is not None:
        return kept, failed, ()
    own, undecided = own_tests(program, limits)
    keys = {each.key for each in kept}
    return (*kept, *(each for each in own if each.key not in keys)), failed, undecided


def _kept(latest: Version | None, program: Program) -> Sequence[PolicyTest]:
    """The tests of a version in the words of the next one, where these are other names for the same."""
    if latest is None:
        return ()
    try:
        names = renamed_words(latest.compile(), program)
    except CompileError:
        # It is no program for this potlang any more, or has its facts in large tables.
        return latest.tests
    return [renamed_test(each, names) for each in latest.tests]


def _made(folder: Path) -> bool:
    """Whether there is the folder now; not if another process has removed it while it was made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        # It was there, and is no folder or no more.
        if folder.exists() and not folder.is_dir():
            raise
        return False
    return True


def _busy(name: str) -> PolicyError:
    return PolicyError(f"{name!r} is changed by others all the time")


def _flush(path: Path, data: bytes) -> None:
    """Writes a new file, onto the disk."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0))
    try:
        while data:
            data = data[os.write(file, data) :]
        os.fsync(file)
    finally:
        os.close(file)


def _plain(version: Version) -> dict[str, Any]:
    tests = [each.to_dict() for each in version.tests]
    value = {
        "potlang_policy": _FORMAT,
        "name": version.name,
        "version": version.number,
        "digest": version.digest,
        "added": version.added,
        "tests": tests,
        "program": version.text,
    }
    return {**value, "sha256": _sum(value)}


def _version(value: Any, name: str, number: int) -> Version:
    """Raises ValueError, TypeError or KeyError for a value that `_plain` did not write for this place.

    And PolicyError for one that another version of potlang wrote.
    """
    if not isinstance(value, dict):
        raise TypeError("no object")
    content = {key: each for key, each in value.items() if key != "sha256"}
    if value["sha256"] != _sum(content) or (value["name"], value["version"]) != (name, number):
        raise ValueError("not what was written")
    if value["potlang_policy"] not in _FORMATS:
        found = value["potlang_policy"]
        raise PolicyError(
            f"{name}@{number} is in version {found!r:.20} of the store's format, not in {_FORMAT}"
        )
    tests = read_tests(value["tests"])
    return Version(name, number, value["digest"], value["added"], value["program"], tests)


def _sum(value: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()


def _unusable(path: Path, error: OSError) -> PolicyError:
    return PolicyError(f"{path} cannot be used: {error.strerror or error}")

"""The store of policies: ids, versions, tests, concurrent writers, damage, crashes."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import potlang
from potlang.policy import PolicyError, PolicyTest, Store, default_directory, open_store, read_tests
from potlang.policy import store as store_module
from potlang.policy.store import FailingTests
from potlang.policy.tests import PolicyTestResult
from potlang.report.results import Limits, Verdict

ROOT = Path(__file__).parents[2]


def program(*facts: str, claims: tuple[str, ...] = ("may(ann)",)) -> dict[str, Any]:
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [
            {"name": name, "domain": ["Person"], "range": "Bool"} for name in ("may", "staff", "guest")
        ],
        "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
        "knowledge_base": ["staff(ann)", *facts],
        "rules": [
            {
                "forall": [{"name": "x", "sort": "Person"}],
                "implies": {"antecedent": "staff(x)", "consequent": "may(x)"},
            }
        ],
        "verifications": [{"name": f"c{at}", "constraint": claim} for at, claim in enumerate(claims)],
    }


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "policies")


def test_an_empty_store(store: Store) -> None:
    """[POLICY-STORE]"""
    assert store.names() == []
    assert not store.directory.exists()
    with pytest.raises(PolicyError, match="no policy"):
        store.version("leave")


def test_versions_and_ids(store: Store) -> None:
    """[POLICY-ID]"""
    first = store.add("leave", program()).version
    second = store.add("leave", program("guest(bob)")).version
    assert (first.id, second.id) == ("leave@1", "leave@2")
    assert store.version("leave") == second
    assert store.version("leave@1") == first
    assert store.version(f"leave@{first.digest[:8]}") == first
    for id in (
        "leave@3",
        "leave@ffffffff",
        "leave@",
        "leave@1@2",
        "Leave",
        "../leave",
        "",
        "leave@1f",
        "a\x00",
    ):
        with pytest.raises(PolicyError):
            store.version(id)


def test_spelling_makes_no_version(store: Store) -> None:
    """[POLICY-ID]"""
    first = store.add("leave", program())
    other = program()
    other["rules"][0]["forall"][0]["name"] = "someone"
    other["rules"][0]["implies"] = {"antecedent": "staff(someone)", "consequent": "may( someone )"}
    again = store.add("leave", json.dumps(other, indent=3))
    assert (first.created, again.created) == (True, False)
    assert store.numbers("leave") == (1,)
    tests = [PolicyTest("may(bob)", Verdict.UNDETERMINED)]
    assert store.add("leave", program(), tests).version.id == "leave@2"


def test_own_verifications_become_tests(store: Store) -> None:
    """[POLICY-TESTS]"""
    added = store.add("leave", program(claims=("may(ann)", "may(bob)", "Not(staff(ann))")))
    assert [(each.name, each.expected) for each in added.version.tests] == [
        ("c0", Verdict.ENTAILED),
        ("c1", Verdict.UNDETERMINED),
        ("c2", Verdict.REFUTED),
    ]
    assert all(each.passed for each in store.run_tests("leave"))


def test_undecided_verifications_make_no_test(store: Store) -> None:
    """[POLICY-TESTS]"""
    hard = {
        "variables": [{"name": n, "sort": "Int"} for n in "xyz"],
        "knowledge_base": ["x ** 3 + y ** 3 + z ** 3 == 42"],
        "verifications": [{"name": "open", "constraint": "x + y + z == 7"}],
    }
    added = store.add("cubes", hard, limits=Limits(check_ms=300, total_ms=900))
    assert (added.version.tests, added.undecided) == ((), ("open",))


def test_failing_tests_keep_it_out(store: Store) -> None:
    """[POLICY-TESTS]"""
    tests = read_tests(
        [{"claim": "may(bob)", "expected": "entailed"}, {"claim": "fly(bob)", "expected": "rejected"}]
    )
    with pytest.raises(FailingTests) as failing:
        store.add("leave", program(), tests)
    assert [(each.test.key, each.verdict) for each in failing.value.failed] == [
        ("may(bob)", Verdict.UNDETERMINED)
    ]
    assert store.names() == []
    added = store.add("leave", program(), tests, force=True)
    assert [each.passed for each in store.run_tests(added.version.id)] == [False, True]


@pytest.mark.parametrize(
    "value",
    [
        3,
        {},
        [1],
        [{"claim": 1, "expected": "entailed"}],
        [{"claim": "x", "expected": "unknown"}],
        [{"claim": "x"}],
    ],
)
def test_tests_that_are_none(value: Any) -> None:
    """[POLICY-TESTS]"""
    with pytest.raises(PolicyError):
        read_tests(value)


def test_claims_against_a_policy(store: Store) -> None:
    """[POLICY-CLAIMS]"""
    store.add("leave", program())
    report = store.verify_claims(
        "leave", ["may(ann)", "may(bob)", {"name": "n", "constraint": "Not(staff(ann))"}]
    )
    assert [(each.name, each.pointer, each.verdict) for each in report.results] == [
        ("may(ann)", "/claims/0", Verdict.ENTAILED),
        ("may(bob)", "/claims/1", Verdict.UNDETERMINED),
        ("n", "/claims/2", Verdict.REFUTED),
    ]
    assert report.verdict is Verdict.REFUTED
    with store.session("leave") as session:
        assert session.verify("may(ann)").verdict is Verdict.ENTAILED


def test_claims_that_are_no_formulas(store: Store) -> None:
    """[POLICY-CLAIMS]: in their places, whatever they try."""
    store.add("leave", program())
    claims = ["may(ann)", "may(eve)", "And(may(ann)", {"constraint": "may(2)"}, 'True"], "rules": [', ""]
    report = store.verify_claims("leave", claims)
    assert report.verdict is Verdict.REJECTED
    assert [each.name for each in report.results] == ["may(ann)"]
    places = [each["pointer"] for each in report.located if each["severity"] == "error"]
    assert set(places) == {"/claims/1", "/claims/2", "/claims/3/constraint", "/claims/4", "/claims/5"}
    assert json.loads(report.to_json())["verdict"] == "rejected"


def test_claims_beyond_the_time(store: Store) -> None:
    """[POLICY-CLAIMS]"""
    store.add("leave", program())
    report = store.verify_claims("leave", ["may(ann)"] * 5_000, limits=Limits(100, 200))
    assert len(report.results) == 5_000
    assert report.verdict is Verdict.UNKNOWN
    assert (report.results[-1].reason, report.results[-1].pointer) == ("timeout", "/claims/4999")


def test_removing(store: Store) -> None:
    """[POLICY-STORE]: a number is not given again."""
    for fact in ("guest(ann)", "guest(bob)", "may(bob)"):
        store.add("leave", program(fact))
    store.remove("leave@3")
    assert store.numbers("leave") == (1, 2)
    assert store.add("leave", program("staff(bob)")).version.number == 4
    store.remove("leave")
    assert store.names() == []
    assert [each.name for each in store.directory.iterdir()] == []
    with pytest.raises(PolicyError, match="no policy"):
        store.remove("leave")


@pytest.mark.parametrize("name", ["", "A", "a/b", "..", ".a", "a" * 65, "é", "a@1", "a\n"])
def test_names_that_are_none(store: Store, name: str) -> None:
    """[POLICY-ID]"""
    with pytest.raises(PolicyError):
        store.add(name, program())
    with pytest.raises(PolicyError):
        store.remove(name)


def test_a_program_that_is_none(store: Store) -> None:
    with pytest.raises(potlang.CompileError):
        store.add("leave", program("nobody(ann)"))
    assert store.names() == []


# --- damage and crashes ------------------------------------------------------------------------------


def test_a_damaged_version_is_never_used(store: Store) -> None:
    """[POLICY-STORE]: whatever byte of it is another, and wherever it ends."""
    added = store.add("leave", program()).version
    path = store.directory / "leave" / "000001.json"
    data = path.read_bytes()
    changes = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(0, len(data) - 1, 11)]
    changes += [data[:at] for at in range(0, len(data) - 1, 17)]
    for changed in changes:
        path.write_bytes(changed)
        try:
            # A change of white space between values changes nothing.
            assert store.version("leave") == added
        except PolicyError as error:
            assert "damaged" in str(error)
    path.write_bytes(b"[" * 200_000)
    assert [each.latest for each in store.entries()] == [None]
    assert store.add("leave", program()).version.number == 2


@pytest.mark.parametrize("text", ["50", "true", "null", "[]", '"x"', "{}", "1e999", ""])
def test_a_version_that_is_no_object_is_damaged(store: Store, text: str) -> None:
    """[POLICY-STORE]"""
    store.add("leave", program())
    (store.directory / "leave" / "000001.json").write_text(text)
    with pytest.raises(PolicyError, match="damaged"):
        store.version("leave")
    assert [each.latest for each in store.entries()] == [None]


def test_a_version_in_another_format_is_refused_by_name(store: Store) -> None:
    """[POLICY-STORE]"""
    store.add("leave", program())
    path = store.directory / "leave" / "000001.json"
    value = {**json.loads(path.read_bytes()), "potlang_policy": 7}
    del value["sha256"]
    path.write_text(json.dumps({**value, "sha256": store_module._sum(value)}), encoding="utf-8")
    with pytest.raises(PolicyError, match="leave@1 is in version 7 of the store's format, not in 2"):
        store.version("leave")


def test_a_version_is_bound_to_its_place(store: Store) -> None:
    """[POLICY-STORE]"""
    store.add("leave", program())
    path = store.directory / "leave" / "000001.json"
    path.rename(path.with_name("000007.json"))
    with pytest.raises(PolicyError, match="damaged"):
        store.version("leave")


@pytest.mark.parametrize("call", ["fsync", "link", "write"])
def test_a_crash_leaves_no_version(store: Store, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """[POLICY-STORE]: wherever it happens, the store is as before."""
    first = store.add("leave", program()).version

    def crash(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, call, crash)
        with pytest.raises(KeyboardInterrupt):
            store.add("leave", program("guest(bob)"))
    assert store.numbers("leave") == (1,)
    assert store.version("leave") == first
    assert store.add("leave", program("guest(bob)")).version.number == 2


def test_a_directory_that_cannot_be_used(tmp_path: Path) -> None:
    """[POLICY-STORE]"""
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(PolicyError, match="cannot be used"):
        open_store(blocked).add("leave", program())
    with pytest.raises(PolicyError):
        open_store(blocked).names()


def test_threads_get_different_numbers(store: Store) -> None:
    """[POLICY-STORE]"""
    found: list[int] = []

    def add(at: int) -> None:
        tests = [PolicyTest(f"may(ann) == may(ann) and {at} == {at}", Verdict.ENTAILED)]
        found.append(store.add("leave", program(), tests).version.number)

    threads = [threading.Thread(target=add, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(1, 9)) == list(store.numbers("leave"))
    assert len({store.version(f"leave@{number}").tests for number in found}) == 8


WRITER = """
import json, sys
from potlang.policy import PolicyTest, open_store
from potlang.report.results import Verdict
program, me = json.loads(sys.argv[2]), int(sys.argv[3])
store = open_store(sys.argv[1])
for at in range(5):
    store.add("leave", program, [PolicyTest(f"{me} == {me} and {at} == {at}", Verdict.ENTAILED)])
    store.add("other", program, [PolicyTest(f"{me} == {me} and {at} == {at}", Verdict.ENTAILED)])
    if at == 2:
        try:
            store.remove("other")
        except Exception as error:
            assert type(error).__name__ == "PolicyError", error
"""


def test_processes_lose_nothing(store: Store) -> None:
    """[POLICY-STORE]: writers beside one another, and one that removes what others write."""
    arguments = [sys.executable, "-c", WRITER, str(store.directory), json.dumps(program())]
    writers = [subprocess.Popen([*arguments, str(at)], cwd=ROOT, stderr=subprocess.PIPE) for at in range(3)]
    for writer in writers:
        _, error = writer.communicate(timeout=120)
        assert writer.returncode == 0, error.decode()
    assert store.numbers("leave") == tuple(range(1, 16))
    assert len({store.version(f"leave@{at}").tests for at in range(1, 16)}) == 15
    assert not any(each.name.startswith(".") for each in store.directory.iterdir())


def test_a_folder_that_goes_while_it_is_made(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """[POLICY-STORE]: another process removes the last version between two looks of `mkdir`."""
    make = Path.mkdir
    gone = iter([True])

    def mkdir(path: Path, *args: Any, **settings: Any) -> None:
        if path.name == "leave" and next(gone, False):
            raise FileExistsError(errno.EEXIST, "File exists")
        make(path, *args, **settings)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    assert store.add("leave", program()).version.number == 1


def test_a_file_in_the_place_of_a_folder(store: Store) -> None:
    """[POLICY-STORE]"""
    store.directory.mkdir()
    (store.directory / "leave").write_text("")
    with pytest.raises(PolicyError, match="cannot be used: File exists"):
        store.add("leave", program())


def test_the_usual_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """[POLICY-STORE]"""
    monkeypatch.setenv("POTLANG_POLICIES", str(tmp_path / "here"))
    assert default_directory() == tmp_path / "here"
    monkeypatch.delenv("POTLANG_POLICIES")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_directory() == tmp_path / "potlang" / "policies"


def test_a_damaged_version_hides_no_other_and_can_be_removed(store: Store) -> None:
    """[POLICY-STORE], [POLICY-ID]: by number and by digest, whatever became of a later version."""
    first = store.add("leave", program()).version
    second = store.add("leave", program("guest(bob)")).version
    path = store.directory / "leave" / "000002.json"
    path.write_bytes(path.read_bytes().replace(b"guest", b"ghost"))
    assert store.version("leave@1") == first
    assert store.version(f"leave@{first.digest[:8]}") == first
    for id in ("leave", "leave@2", f"leave@{second.digest[:8]}"):
        with pytest.raises(PolicyError, match="damaged"):
            store.version(id)
    with pytest.raises(PolicyError, match="no version 3"):
        store.remove("leave@3")
    store.remove("leave@2")
    assert store.version("leave") == first
    assert store.add("leave", program("guest(bob)")).version.number == 3


# --- tests from version to version ---------------------------------------------------------------


def test_a_new_version_keeps_the_tests(store: Store) -> None:
    """[POLICY-TESTS]: and its own verifications become tests beside them."""
    given = [PolicyTest("staff(ann)", Verdict.ENTAILED, "kept", None, "as judged")]
    store.add("leave", program(), given)
    second = store.add("leave", program("guest(bob)", claims=("guest(bob)", "staff(ann)"))).version
    assert second.tests == (
        *given,
        PolicyTest({"name": "c0", "constraint": "guest(bob)"}, Verdict.ENTAILED, "c0"),
    )


def test_a_version_that_changes_what_is_tested_is_not_added(store: Store) -> None:
    """[POLICY-TESTS]: unless it is forced, or new tests replace them."""
    store.add("leave", program(claims=("may(bob)",)))
    changed = program("staff(bob)", claims=("may(bob)",))
    with pytest.raises(FailingTests) as caught:
        store.add("leave", changed)
    ((test, verdict),) = [(each.test, each.verdict) for each in caught.value.failed]
    assert (test.expected, verdict) == (Verdict.UNDETERMINED, Verdict.ENTAILED)
    assert store.numbers("leave") == (1,)
    forced = store.add("leave", changed, force=True)
    assert (len(forced.failed), forced.version.tests[0].expected) == (1, Verdict.UNDETERMINED)
    replaced = store.add("leave", changed, [PolicyTest("may(bob)", Verdict.ENTAILED)]).version
    assert (replaced.number, [each.expected for each in replaced.tests]) == (3, [Verdict.ENTAILED])


def test_tests_are_kept_in_the_words_of_the_new_version(store: Store) -> None:
    """[POLICY-TESTS] [POLICY-DIFF-RENAME]"""
    store.add("leave", program(), [PolicyTest("staff(ann) and may(ann)", Verdict.ENTAILED)])
    renamed = json.loads(json.dumps(program()).replace("staff", "employee"))
    second = store.add("leave", renamed).version
    assert second.tests[0] == PolicyTest("employee(ann) and may(ann)", Verdict.ENTAILED)


def test_tests_that_another_writer_adds_meanwhile_are_kept(store: Store, monkeypatch: Any) -> None:
    """[POLICY-TESTS] [POLICY-STORE]: who reads the latest version and is overtaken begins again."""
    store.add("leave", program(), [PolicyTest("staff(ann)", Verdict.ENTAILED)])
    more = [PolicyTest("staff(ann)", Verdict.ENTAILED), PolicyTest("may(ann)", Verdict.ENTAILED)]
    run = store_module.run_tests

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.setattr(store_module, "run_tests", run)
        store.add("leave", program("guest(ann)"), more)
        return run(*arguments)

    monkeypatch.setattr(store_module, "run_tests", overtaken)
    added = store.add("leave", program("guest(bob)", claims=())).version
    assert (added.number, added.tests) == (3, tuple(more))


def test_a_policy_that_there_is_not_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    """[POLICY-STORE]"""
    store = open_store(tmp_path)
    store.add("luggage", {"functions": [{"name": "p", "domain": [], "range": "Bool"}]})
    with pytest.raises(PolicyError, match="there is no policy 'lugage': did you mean 'luggage'"):
        store.version("lugage")
    with pytest.raises(PolicyError, match=r"there is no policy 'zebra'$"):
        store.version("zebra")


def test_tests_that_were_not_decided_in_time_are_told_as_such() -> None:
    """[POLICY-TESTS]: they do not fail."""
    report = potlang.verify({"verifications": [{"constraint": "1 < 2"}]})
    late, wrong = (
        PolicyTestResult(PolicyTest("p", Verdict.ENTAILED), verdict, report)
        for verdict in (Verdict.UNKNOWN, Verdict.REFUTED)
    )
    assert str(FailingTests([late])) == "1 of its tests was not decided in time"
    assert str(FailingTests([wrong])) == "1 of its tests fails"
    both = str(FailingTests([late, late, wrong]))
    assert both == "1 of its tests fails, and 2 of its tests were not decided in time"

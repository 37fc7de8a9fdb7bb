"""Archived proofs: what is written for which verdict, the count of steps, the hand-over to a checker."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from potlang import api
from potlang.engines.messages import Query
from potlang.engines.solver import SolverSession
from potlang.processes.pool import Workers
from potlang.prove.proof_checkers import check_proof
from potlang.prove.proofs import Archived, archive_proofs, count_steps, file_stem
from potlang.report.results import Limits, Verdict

PEOPLE: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [
        {"name": "tall", "domain": ["Person"], "range": "Bool"},
        {"name": "old", "domain": ["Person"], "range": "Bool"},
    ],
    "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
    "knowledge_base": ["tall(ann)", "Not(old(bob))", "old(ann)"],
    "verifications": [
        {"name": "entailed", "constraint": "tall(ann)"},
        {"name": "open", "constraint": "tall(bob)"},
        {"name": "refuted", "constraint": "old(bob)"},
    ],
    "actions": ["verify_conditions"],
}
COLOURS: dict[str, Any] = {
    "sorts": [{"name": "Colour", "type": "EnumSort", "values": ["red", "green"]}],
    "constants": {"things": {"sort": "Colour", "members": ["c"]}},
    "knowledge_base": ["c != red"],
    "verifications": [{"name": "green", "constraint": "c == green"}],
    "actions": ["verify_conditions"],
}
Installed = Callable[[str, str], None]


def archived(program: dict[str, Any], to: Path, workers: Workers, **options: Any) -> list[Archived]:
    compiled = api.compile(program)
    report = api.verify(compiled, workers=workers)
    return list(archive_proofs(compiled.module, report, to, workers, name="p", **options))


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Puts a checker, a Python script, on a PATH where there is no other."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", str(place))

    def write(name: str, script: str) -> None:
        path = place / name
        path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    return write


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A problem and a proof."""
    problem, proof = tmp_path / "p q.smt2", tmp_path / "-p;q.cpc"
    problem.write_text("(check-sat)\n")
    proof.write_text("(step @p1 false :rule trust)\n")
    return problem, proof


# --- what is archived ---


def test_each_unsatisfiable_side_has_a_proof_beside_its_problem(tmp_path: Path, shared: Workers) -> None:
    """[CERT-ARCHIVE] [CERT-ARCHIVE-FILES]"""
    found = archived(PEOPLE, tmp_path / "new", shared)
    assert [(each.number, each.name, each.side) for each in found] == [
        (1, "entailed", "negation"),
        (3, "refuted", "claim"),
    ]
    names = ["p-1.cpc", "p-1.smt2", "p-3.cpc", "p-3.smt2"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == names
    for each in found:
        assert each.proof is not None
        text = each.proof.read_text()
        assert text.startswith("(declare") and ":rule" in text
        assert (each.form, each.steps > 0, each.trusted, each.note) == ("cpc", True, 0, "")


def test_the_problem_is_the_core_with_the_side_and_unsatisfiable(tmp_path: Path, shared: Workers) -> None:
    (first, _) = archived(PEOPLE, tmp_path, shared)
    assert first.problem is not None
    text = first.problem.read_text()
    assert text.count("(assert") == 2
    assert "old" not in text
    with SolverSession(shared, "z3", text.replace("(check-sat)\n", "")) as session:
        assert session.ask(Query(""), 5000).status == "unsat"


def test_a_contradiction_is_proved_without_the_claims(tmp_path: Path, shared: Workers) -> None:
    program = {**PEOPLE, "knowledge_base": ["tall(ann)", "Not(tall(ann))", "old(ann)"]}
    found = archived(program, tmp_path, shared)
    assert {each.side for each in found} == {"assumptions"}
    assert [each.number for each in found] == [1, 2, 3]
    bare = archived({**program, "verifications": []}, tmp_path / "bare", shared)
    assert [(each.number, each.name, each.form) for each in bare] == [(1, "assumptions", "cpc")]


def test_what_cannot_be_said_in_alethe_is_said_in_cpc_with_a_note(tmp_path: Path, shared: Workers) -> None:
    """[CERT-ARCHIVE-FORMAT]"""
    (one,) = archived(COLOURS, tmp_path, shared, form="alethe")
    assert (one.form, one.proof) == ("cpc", tmp_path / "p-1.cpc")
    assert one.note.startswith("not as alethe: ")
    plain = archived(PEOPLE, tmp_path / "plain", shared, form="alethe")
    assert [(each.form, each.note) for each in plain] == [("alethe", "")] * 2


def test_a_verdict_without_core_is_proved_from_all_assumptions(tmp_path: Path, shared: Workers) -> None:
    program = api.compile(PEOPLE)
    report = api.verify(program, workers=shared)
    first = report.results[0]
    stripped = report._replace(
        results=(first._replace(evidence=first.evidence._replace(core=None)), *report.results[1:])
    )
    one = next(archive_proofs(program.module, stripped, tmp_path, shared))
    assert one.problem is not None
    assert one.problem.read_text().count("(assert") == 4


def test_a_wrong_verdict_gets_no_proof(tmp_path: Path, shared: Workers) -> None:
    program = api.compile(PEOPLE)
    report = api.verify(program, workers=shared)
    wrong = [result._replace(verdict=Verdict.ENTAILED) for result in report.results]
    _, undetermined, _ = archive_proofs(
        program.module, report._replace(results=tuple(wrong)), tmp_path, shared
    )
    assert (undetermined.proof, undetermined.problem is not None) == (None, True)
    assert str(undetermined) == "no proof: cvc5 answers sat: it says nothing more"


def test_a_proof_that_takes_too_long_is_a_note(tmp_path: Path, shared: Workers) -> None:
    """[CERT-ARCHIVE-FORMAT] Twelve birds in eleven holes: cvc5 does not refute that in the time it has
    here.
    """
    holes = range(11)
    program = {
        "functions": [{"name": "at", "domain": ["Int", "Int"], "range": "Bool"}],
        "knowledge_base": [
            *(f"Or({', '.join(f'at({bird}, {hole})' for hole in holes)})" for bird in range(12)),
            *(
                f"Not(And(at({one}, {hole}), at({two}, {hole})))"
                for hole in holes
                for two in range(12)
                for one in range(two)
            ),
        ],
        "verifications": [{"name": "fits", "constraint": "True"}],
        "actions": ["verify_conditions"],
    }
    compiled = api.compile(program)
    report = api.verify(compiled, limits=Limits(50, 50), workers=shared)
    claimed = report._replace(
        results=tuple(each._replace(verdict=Verdict.INCONSISTENT) for each in report.results)
    )
    began = time.monotonic()
    (one,) = archive_proofs(compiled.module, claimed, tmp_path, shared, limits=Limits(300, 300))
    assert time.monotonic() - began < 30
    assert one.proof is None
    assert one.note.startswith("cvc5 answers unknown")


# --- counting ---


def test_trusted_steps_are_counted_by_their_rules() -> None:
    """[CERT-ARCHIVE-TRUST]"""
    cpc = "(assume @p1 x)\n(step @p2 :rule trust :premises (@p1) :args (x))\n(step-pop @p3 :rule scope)"
    assert count_steps(cpc) == (2, 1)
    alethe = "(step t1 (cl a) :rule hole)\n(step t2 (cl) :rule resolution)\n(step t3 (cl) :rule lia_generic)"
    assert count_steps(alethe) == (3, 2)


def test_names_strings_and_comments_that_look_like_rules_are_not_counted() -> None:
    """[CERT-ARCHIVE-TRUST]"""
    text = '(step a (= |:rule trust| ":rule trust "" :rule hole") :rule refl) ; :rule trust\n'
    assert count_steps(text) == (1, 0)
    assert count_steps("(step a :rule trusty_name_of_a_rule)(step b :rule holes)") == (2, 1)


# --- a file's name ---


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a b/c", "a_b_c"), ("<stdin>", "stdin"), ("--x", "x"), ("..", "program"), ("é\udc80", "é")],
)
def test_files_are_called_by_harmless_names(name: str, stem: str) -> None:
    """[CERT-ARCHIVE-FILES]"""
    assert file_stem(name) == stem
    assert len(os.fsencode(file_stem("語" * 500))) < 200


# --- the hand-over to a checker ---


def test_without_a_checker_the_proof_is_kept_and_that_is_said(
    tmp_path: Path, shared: Workers, install: Installed
) -> None:
    """[CERT-ARCHIVE-CHECK]"""
    first, _ = archived(PEOPLE, tmp_path, shared)
    assert first.checking is not None
    assert first.checking.outcome == "not available"
    assert str(first).endswith("p-1.cpc; ethos: not available: not on PATH")


@pytest.mark.parametrize(
    ("script", "outcome", "words"),
    [
        ("print('correct')", "checked", ""),
        ("print('incomplete')", "incomplete", ""),
        ("print('correct'); sys.exit(1)", "rejected", "correct"),
        ("print('Error: x.cpc:1.4: no rule'); sys.exit(1)", "rejected", "Error: x.cpc:1.4: no rule"),
        ("print('incorrect')", "rejected", "incorrect"),
        ("", "rejected", "exit code 0"),
        ("os.kill(os.getpid(), 9)", "rejected", "exit code -9"),
    ],
)
def test_a_proof_is_accepted_only_if_the_checker_says_so(
    script: str, outcome: str, words: str, files: tuple[Path, Path], install: Installed
) -> None:
    """[CERT-ARCHIVE-CHECK]"""
    install("ethos", script)
    assert check_proof("cpc", *files, 20_000) == ("ethos", outcome, words)


def is_over(pid: int) -> bool:
    """Whether a process is gone, or a zombie until whoever adopted it asks."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] in "ZX"
    except OSError:
        return True


def test_a_checker_that_hangs_is_ended_with_its_children(
    files: tuple[Path, Path], install: Installed, tmp_path: Path
) -> None:
    """[CERT-ARCHIVE-CHECK]"""
    pid = tmp_path / "pid"
    install(
        "ethos",
        f"child = os.fork()\nif child: open({str(pid)!r}, 'w').write(str(child))\n"
        "print('correct', flush=True)\ntime.sleep(600)",
    )
    began = time.monotonic()
    assert check_proof("cpc", *files, 5_000).outcome == "timeout"
    assert time.monotonic() - began < 30
    while not is_over(int(pid.read_text())):
        assert time.monotonic() - began < 40
        time.sleep(0.01)


def test_a_checker_that_cannot_start_is_not_available(files: tuple[Path, Path], tmp_path: Path) -> None:
    broken = tmp_path / "ethos"
    broken.write_text("#!/nowhere/interpreter\n")
    broken.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        assert check_proof("cpc", *files, 5_000).outcome == "not available"


def test_the_files_are_arguments_and_never_options_or_shell_words(
    files: tuple[Path, Path], install: Installed, tmp_path: Path
) -> None:
    problem, proof = files
    show = f"open({str(tmp_path / 'seen')!r}, 'w').write('\\n'.join(sys.argv[1:]))\n"
    install("ethos", f"{show}print('correct')")
    install("carcara", f"{show}print('holey')")
    rules = tmp_path / "Cpc.eo"
    assert check_proof("cpc", problem, proof, 20_000, [rules]).outcome == "checked"
    assert (tmp_path / "seen").read_text().splitlines() == [f"--include={rules}", str(proof)]
    assert check_proof("alethe", problem, proof, 20_000).outcome == "incomplete"
    assert (tmp_path / "seen").read_text().splitlines() == ["check", str(proof), str(problem)]

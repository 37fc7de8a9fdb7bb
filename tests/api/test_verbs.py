"""The five verbs over three languages, from `potlang` and for asyncio; threads and pickles."""

from __future__ import annotations

import asyncio
import doctest
import pickle
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

import potlang
import potlang.api
from potlang.languages.pot.program import Program
from potlang.languages.pot.solve import verify as verify_program
from potlang.utils import lazy

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM, TRACE = EXAMPLES / "giraffe.json", EXAMPLES / "refinement.dot.txt"
SOLUTION = EXAMPLES / "natascha.dagmath.json"
RULES: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [{"name": "happy", "domain": ["Person"], "range": "Bool"}],
    "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
    "knowledge_base": ["happy(ann)"],
}


@pytest.mark.parametrize(
    ("path", "kind", "verdict"),
    [(PROGRAM, "pot", "refuted"), (TRACE, "dot", "accepted"), (SOLUTION, "dagmath", "accepted")],
)
def test_each_verb_takes_each_language(path: Path, kind: str, verdict: str) -> None:
    """[API-VERBS], [KIND-CONTENT] By its path, its text, its bytes."""
    for source in (path, path.read_text(encoding="utf-8"), path.read_bytes()):
        report = potlang.verify(source, trust="solver")
        assert (report.to_dict()["kind"], str(report.verdict)) == (kind, verdict)
        assert potlang.check(source).ok
        assert potlang.fix(source).applied == 0
    assert potlang.view(report, name="a <b>").startswith("<!DOCTYPE html>")
    assert "a &lt;b&gt;" in potlang.view(report, name="a <b>")


def test_a_trace_compiles_to_the_program_that_it_amounts_to() -> None:
    program = potlang.compile(TRACE)
    assert isinstance(program, Program) and "licensed" in program.emit("pot")
    with pytest.raises(potlang.api.OptionError, match="no program in a solution"):
        potlang.compile(SOLUTION)


def test_a_value_with_steps_is_a_solution() -> None:
    """[KIND-STEPS]"""
    value = {"steps": [{"step_id": 1, "edge": "", "direct_dependent_steps": None, "node": "$x = 1$."}]}
    assert potlang.check(value).ok and potlang.verify(value["steps"]).to_dict()["kind"] == "dagmath"


@pytest.mark.parametrize(
    ("path", "option", "noun"),
    [
        (PROGRAM, "profile", "a program"),
        (TRACE, "cores", "a trace"),
        (SOLUTION, "route", "a solution"),
    ],
)
def test_an_option_of_another_language_is_refused(path: Path, option: str, noun: str) -> None:
    """[API-VERBS]"""
    options: Any = {option: "auto"}
    with pytest.raises(potlang.api.OptionError, match=f"`{option}` means nothing for {noun}"):
        potlang.verify(path, **options)


def test_a_path_that_is_a_string_is_text_and_help_says_so() -> None:
    """[API-PATH]"""
    report = potlang.verify("examples/giraffe.json")
    assert str(report.verdict) == "rejected"
    assert "pathlib.Path('examples/giraffe.json')" in report.diagnostics[0].helps[-1]


def test_a_program_is_pickled_by_its_document() -> None:
    """[API-PICKLE]"""
    program = potlang.compile(PROGRAM)
    again = pickle.loads(pickle.dumps(program))
    assert potlang.verify(again).to_dict()["results"][0]["verdict"] == "refuted"
    assert again.document.name == program.document.name
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(program.asking([]))


def test_threads_that_share_a_session_are_served_in_turn() -> None:
    """[API-TURNS] As many answers as questions, each the right one, none waits for ever."""
    wanted = {
        "happy(ann)": "entailed",
        "not happy(ann)": "refuted",
        "happy(bob)": "undetermined",
        "ann == ann": "entailed",
    }
    found: list[tuple[str, str]] = []
    program = potlang.compile(RULES)

    def ask(session: potlang.Session) -> None:
        for claim in wanted:
            found.append((claim, str(session.verify(claim).verdict)))

    with program.session(trust="solver") as shared, program.session(trust="solver") as other:
        threads = [threading.Thread(target=ask, args=(each,)) for each in (shared, shared, shared, other)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(60)
            assert not each.is_alive()
    assert sorted(found) == sorted((claim, verdict) for claim, verdict in wanted.items() for _ in range(4))


def test_a_compiled_theory_is_used_as_it_is_and_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOT-THEORY-1] No JSON is read, nothing elaborated again, and the pool does not grow."""
    theory = potlang.compile(
        {**RULES, "rules": [{"forall": [{"name": "x", "sort": "Person"}], "constraint": "happy(x)"}]}
    )
    trace = (
        '@node id=1 role=problem\n@node id=2 role=proposer\n@prop id=2 {"expr": "happy(bob)"}\n'
        "@edge src=1 dst=2 kind=use\n@node id=3 role=critic\n@edge src=2 dst=3 kind=critique\n"
        "@status target=2 mark=validated\n"
    )
    first = potlang.dot.verify(trace, theory=theory)
    monkeypatch.setattr("potlang.languages.dot.lower.typing.build_session", None)
    size = sum(map(len, theory.module.pool._apps.values()))
    for _ in range(3):
        again = potlang.dot.verify(trace, theory=theory)
        assert [each.verdict for each in again.nodes] == [each.verdict for each in first.nodes]
        assert sum(map(len, theory.module.pool._apps.values())) == size


def test_the_twins_for_asyncio_do_not_block_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """[API-ASYNC] The verb can only end if the loop goes on while it runs."""
    gone_on = threading.Event()
    real = verify_program

    def verified(*args: Any, **options: Any) -> Any:
        assert gone_on.wait(60)
        return real(*args, **options)

    monkeypatch.setattr("potlang.languages.pot.solve.verify", verified)

    async def main() -> str:
        task = asyncio.ensure_future(potlang.aio.verify(PROGRAM))
        await asyncio.sleep(0)
        gone_on.set()
        return str((await task).verdict)

    assert asyncio.run(main()) == "refuted"


def test_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(potlang.api).failed == 0


@pytest.mark.parametrize(
    "name",
    [
        "potlang",
        "potlang.decoding",
        "potlang.diag",
        "potlang.dot",
        "potlang.dagmath",
        "potlang.generate",
        "potlang.languages.pot",
        "potlang.linter",
        "potlang.models",
        "potlang.models.annotation",
        "potlang.models.evaluation",
        "potlang.models.gold",
        "potlang.policy",
        "potlang.policy.building",
        "potlang.server",
    ],
)
def test_lazy_names_are_those_that_type_checkers_see(name: str) -> None:
    import ast
    import importlib

    module = importlib.import_module(name)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    [block] = [each for each in tree.body if isinstance(each, ast.If)]
    seen = {
        (alias.asname or alias.name)
        for each in block.body
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }
    assert seen | {"__version__"} == {*module.__all__, "__version__"}
    for each in block.body:
        assert isinstance(each, ast.ImportFrom)
        for alias in each.names:
            home = importlib.import_module(str(each.module))
            assert getattr(module, alias.name) is getattr(home, alias.name)


def test_a_name_that_has_moved_is_there_and_warns() -> None:
    """[API-MOVED]"""
    with pytest.warns(DeprecationWarning, match=r"potlang\.Checked is now potlang\.api\.Checked"):
        assert potlang.Checked is potlang.api.Checked  # type: ignore[attr-defined]
    with warnings.catch_warnings(), pytest.raises(AttributeError):
        warnings.simplefilter("error")
        _ = potlang.nothing  # type: ignore[attr-defined]
    assert lazy.lazy_names("sys", {"os": "sep"})[0]("sep") == sys.sep  # type: ignore[attr-defined]

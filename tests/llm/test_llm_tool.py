"""The tool that models call: what it answers, within which budget, and whatever it is sent."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, get_args

import jsonschema
import pytest
from hostile_calls import PROGRAM, hostile_call
from hypothesis import strategies as st
from seed_programs import EACH_KIND, verified
from statements import Mutation, Property

import potlang
import potlang.dagmath
import potlang.dot
from potlang import tool
from potlang.models import truncate
from potlang.policy import open_store
from potlang.tool import operations
from potlang.tool.arguments import Mistake
from potlang.utils.deadline import OutOfFuel

ROOT = Path(__file__).parent.parent.parent
ANSWER = jsonschema.Draft202012Validator(tool.answer_schema())
BUDGETS = (0, 250, 400, 1_500, 10_000)
SECONDS = 60.0
"""Far beyond what any call may take ([TOOL-TIME] says 12): a machine may be busy, a hang has no end."""


def checked(answer: dict[str, Any], budget: int = tool.DEFAULT_BUDGET) -> dict[str, Any]:
    """The answer, found to fit schema and budget."""
    ANSWER.validate(answer)
    text = json.dumps(answer, allow_nan=False)
    assert len(text) / 4 <= max(budget, tool.LEAST_BUDGET)
    json.dumps(answer, ensure_ascii=False).encode("utf-8")
    return answer


def called(arguments: Any, budget: int = tool.DEFAULT_BUDGET) -> dict[str, Any]:
    began = time.monotonic()
    answer = checked(tool.call(arguments, budget=budget), budget)
    assert answer.get("error") != "internal", answer
    assert time.monotonic() - began < SECONDS
    return answer


# --- operations -----------------------------------------------------------------------------------


def test_the_tool_is_an_attribute_of_the_package() -> None:
    """[TOOL-CALL]"""
    assert potlang.tool.call is tool.call
    assert potlang.tool.definition("openai")["function"]["name"] == "potlang"


@pytest.mark.parametrize("path", EACH_KIND)
def test_a_program_gets_the_verdict_that_verify_gives(path: Path) -> None:
    """[TOOL-VERIFY]"""
    program = json.loads(path.read_text(encoding="utf-8"))
    answer = called({"program": program})
    report = verified(path)
    assert answer["verdict"] == str(report.verdict)
    assert [each["verdict"] for each in answer.get("results", ())] == [str(r.verdict) for r in report.results]
    assert called({"program": json.dumps(program)})["verdict"] == answer["verdict"]
    assert called(json.dumps({"operation": "verify", "program": program}))["verdict"] == answer["verdict"]


def test_a_broken_program_gets_codes_fixes_and_places() -> None:
    """[TOOL-STATUS] [TOOL-ORDER]"""
    answer = called({"program": (ROOT / "examples" / "broken.json").read_text(encoding="utf-8")})
    assert answer["status"] == answer["verdict"] == "rejected"
    expected = potlang.check(ROOT / "examples" / "broken.json").diagnostics
    assert {each["code"] for each in answer["diagnostics"]} == {each.code for each in expected}
    assert all(each["pointer"] for each in answer["diagnostics"])


def test_applying_the_fix_of_an_answer_mends_the_program() -> None:
    program = {**PROGRAM, "verifications": [{"constraint": "jump_height(javier_sotomayr) > 1"}]}
    (found,) = called({"program": program})["diagnostics"]
    (edit,) = found["fix"]["edits"]
    text = program["verifications"][0]["constraint"]
    mended = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    program["verifications"] = [{"constraint": mended}]
    assert called({"program": program})["verdict"] == "entailed"


def test_check_asks_no_solver() -> None:
    answer = called({"operation": "check", "program": PROGRAM})
    assert (answer["status"], answer["verdict"]) == ("ok", "valid")
    assert "results" not in answer


def test_explain_gives_the_page() -> None:
    """[TOOL-EXPLAIN]"""
    assert "not declared" in called({"operation": "explain", "code": " pot2001 "})["text"]
    answer = called({"operation": "explain", "code": "POT2O01"})
    assert answer["error"] == "unknown_code"
    assert answer["help"].startswith("did you mean POT2")
    answer = called({"operation": "explain", "code": "undeclared name"})
    assert answer["help"] == "did you mean undeclared-name?"


def test_a_trace_is_read_against_a_theory() -> None:
    """[TOOL-TRACE]"""
    trace = (ROOT / "examples" / "refinement.dot.txt").read_text(encoding="utf-8")
    answer = called({"operation": "trace", "trace": trace})
    assert answer["verdict"] == str(potlang.dot.verify(trace).verdict)
    assert answer["report"]["nodes"]
    broken = called({"operation": "trace", "trace": trace, "program": {"rules": 3}})
    assert (broken["status"], broken["diagnostics"][0]["code"]) == ("rejected", "POT1010")


def test_claims_are_verified_against_a_stored_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[TOOL-CLAIMS]"""
    monkeypatch.setenv("POTLANG_POLICIES", str(tmp_path))
    open_store().add("jump", json.dumps(PROGRAM), [])
    over, wrong = "jump_height(javier_sotomayor) > 2", 'True"], "x": ["'
    answer = called({"operation": "claims", "policy": "jump", "claims": [over, "False"]})
    assert [each["verdict"] for each in answer["results"]] == ["entailed", "refuted"]
    answer = called({"operation": "claims", "policy": "jump@1", "claims": [over, wrong]})
    assert answer["status"] == answer["verdict"] == "rejected"
    assert [each["name"] for each in answer["results"]] == [over]
    assert {each["pointer"] for each in answer["diagnostics"]} == {"/claims/1"}
    assert "jump_height(" in answer["notes"][0] and "javier_sotomayor" in " ".join(answer["notes"][1:])
    answer = called({"operation": "claims", "policy": "jump", "claims": ["jump_heigth(x) > 2", "flies(y)"]})
    helps = [each["help"] for each in answer["diagnostics"]]
    assert "did you mean `jump_height`?" in helps[0] and not any("declare it" in each for each in helps)
    many = called({"operation": "claims", "policy": "jump", "claims": ["True"] * 130}, 100_000)
    assert (len(many["results"]), many["left_out"]) == (100, {"results": 30})
    assert called({"operation": "claims", "policy": "run", "claims": ["True"]})["error"] == "unknown_policy"


def test_words_of_a_policy_have_the_sorts_that_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[TOOL-CLAIMS]: whoever reads that a date is a number writes claims about numbers."""
    monkeypatch.setenv("POTLANG_POLICIES", str(tmp_path))
    policy = {
        "functions": [{"name": "due", "domain": ["Date"], "range": "Money(EUR)"}],
        "constants": {"days": {"sort": "Date", "members": ["start"]}},
    }
    open_store().add("fees", json.dumps(policy), [])
    answer = called({"operation": "claims", "policy": "fees", "claims": ["due(1) > 3"]})
    functions, members = answer["notes"]
    assert functions == "the policy's functions: due(Date): Money(EUR)"
    assert members == "of sort Date: start"


def test_claims_get_the_time_that_reading_the_policy_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[TOOL-TIME]"""
    from potlang.languages.pot import claims as cases
    from potlang.policy.store import Version

    monkeypatch.setenv("POTLANG_POLICIES", str(tmp_path))
    open_store().add("jump", json.dumps(PROGRAM), [])
    compiled, verified, clock, given = Version.compile, cases.verified, [time.monotonic()], []

    def slowly(version: Version) -> Any:
        clock[0] += 6.0
        return compiled(version)

    def within(session: Any, claims: Any, limits: Any) -> Any:
        given.append(limits.total_ms)
        return verified(session, claims, limits)

    monkeypatch.setattr(operations, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(Version, "compile", slowly)
    monkeypatch.setattr(cases, "verified", within)
    called({"operation": "claims", "policy": "jump", "claims": ["True"]})
    assert 1_000 <= given[0] <= 4_000


def test_a_solution_is_scored_as_verify_does() -> None:
    """[TOOL-SCORE]"""
    path = ROOT / "examples" / "natascha.dagmath.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    report = potlang.dagmath.verify(path).to_dict()
    for given in (value, json.dumps(value)):
        answer = called({"operation": "score", "solution": given}, 4_000)
        assert answer["verdict"] == report["verdict"]
        verdicts = [each["result"]["verdict"] for each in report["steps"]]
        assert [each["verdict"] for each in answer["report"]["steps"]] == verdicts
    assert called({"operation": "score", "solution": {"a": 1}})["diagnostics"][0]["code"] == "POT7001"


def test_the_mistakes_are_those_of_the_schema() -> None:
    """[TOOL-MISTAKE]"""
    assert set(tool.answer_schema()["properties"]["error"]["enum"]) == set(get_args(Mistake))


POINTS = {
    "variables": [{"name": "x", "sort": "Int"}, {"name": "y", "sort": "Int"}],
    "optimization": {
        "constraints": ["x + y <= 3", "x >= 0", "y >= 0"],
        "objectives": [
            {"name": "first", "type": "maximize", "expression": "x"},
            {"name": "second", "type": "maximize", "expression": "y"},
        ],
    },
}


def _optimized(mode: str) -> dict[str, Any]:
    return called({"program": {**POINTS, "optimization": {**POINTS["optimization"], "mode": mode}}})[
        "optimization"
    ]


def test_optimization_shows_its_values() -> None:
    """[TOOL-VERIFY]"""
    assert [each["value"] for each in _optimized("box")["objectives"]] == ["3", "3"]
    assert [each["value"] for each in _optimized("lexicographic")["objectives"]] == ["3", "0"]
    points = _optimized("pareto")["points"]
    assert sorted((each["values"]["first"], each["values"]["second"]) for each in points) == [
        *(("0", "3"), ("1", "2"), ("2", "1"), ("3", "0")),
    ]


# --- mistakes of the call itself --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "not_an_object"),
        (None, "not_an_object"),
        ("{", "not_json"),
        ("[" * 100_000, "not_json"),
        (b"\xff", "not_json"),
        ("1" * 5_000, "not_json"),
        ({"operation": "exec"}, "unknown_operation"),
        ({"operation": 3}, "unknown_operation"),
        ({"operation": "verify", "programme": {}}, "missing_argument"),
        ({"program": None}, "missing_argument"),
        ({"program": "x" * 1_000_001}, "too_large"),
        ({"program": {1, 2}}, "wrong_type"),
        ({"operation": "explain", "code": ["POT2001"]}, "wrong_type"),
        ({"operation": "explain", "code": "POT9999"}, "unknown_code"),
        ({"operation": "trace", "trace": {"a": 1}}, "wrong_type"),
        ({"operation": "trace", "trace": 1}, "wrong_type"),
        ({"operation": "trace", "trace": ["@node id=1 role=problem"]}, "wrong_type"),
        ({"operation": "score", "solution": 5}, "wrong_type"),
        ({"operation": "score", "solution": False}, "wrong_type"),
        ({"operation": "score", "solution": 0.5}, "wrong_type"),
        ({"operation": "score", "solution": [{1, 2}]}, "wrong_type"),
        ({"operation": "score", "solution": "x" * 1_000_001}, "too_large"),
        ({"operation": "claims", "policy": "p", "claims": ["True", 3]}, "wrong_type"),
        ({"operation": "claims", "policy": "p", "claims": "True"}, "wrong_type"),
        ({"operation": "claims", "policy": "p", "claims": []}, "wrong_type"),
        ({"operation": "claims", "policy": "p", "claims": ["x" * 1_000_001]}, "too_large"),
    ],
)
def test_a_call_that_cannot_be_carried_out_says_why(arguments: Any, error: str) -> None:
    """[TOOL-STATUS] [TOOL-MISTAKE]"""
    answer = called(arguments)
    assert answer["error"] == error
    assert answer["help"]


@pytest.mark.parametrize(
    ("arguments", "help_"),
    [
        ({"programm": {"sorts": []}}, "write `program` for `programm`"),
        ({"operation": "explain", "Code": "POT2001"}, "write `code` for `Code`"),
        ({"policy": "jump", "claims": ["True"]}, 'for claims against a policy send "operation": "claims"'),
        (PROGRAM, 'put the sections into one object: {"program": {…}}'),
        ({"operation": "claims", "policy": "jumps", "claims": ["True"]}, "did you mean jump?"),
        ({"operation": "claims", "policy": "swimming", "claims": ["True"]}, "stored are jump"),
        ({"operation": "claims", "policy": "jump@7", "claims": ["True"]}, "its versions are jump@1"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_the_help_is_what_to_send_instead(
    arguments: Any, help_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[TOOL-MISTAKE]"""
    monkeypatch.setenv("POTLANG_POLICIES", str(tmp_path))
    open_store().add("jump", json.dumps(PROGRAM), [])
    assert called(arguments)["help"] == help_


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ([], "POT1010"),
        (7, "POT1010"),
        ("", "POT1003"),
        ("{", "POT1001"),
        ({"knowledge_base": [float("nan")]}, "POT1006"),
        ({"knowledge_base": ["\ud800"]}, "POT1005"),
        ({"knowledge_base": [10**20_000]}, "POT0004"),
        ({"knowledge_base": [{1, 2}]}, "POT1010"),
        ({3: []}, "POT1010"),
        ('{"rules": [], "rules": []}', "POT1004"),
    ],
)
def test_a_value_that_is_no_program_gets_a_code(program: Any, code: str) -> None:
    """[TOOL-VALUES]"""
    if program == "":
        assert called({"program": program})["error"] == "missing_argument"
    else:
        assert called({"program": program})["diagnostics"][0]["code"] == code


def test_nesting_gets_its_code() -> None:
    """[TOOL-VALUES]"""
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert called({"program": deep})["diagnostics"][0]["code"] == "POT0003"
    own: dict[str, Any] = {}
    own["rules"] = own
    assert called({"program": own})["error"] == "too_large"


def test_where_json_ends_to_be_json_is_shown() -> None:
    """[TOOL-MISTAKE]: by what stands before it, since models count no characters."""
    answer = called('{"program": {"sorts": [{"name": "A"},]}}')
    assert answer["message"].endswith("""at character 37, behind 'am": {"sorts": [{"name": "A"},'""")
    assert len(called("[" + "\ud800é" * 400_000)["message"]) < 300


def test_no_place_for_policies_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """[TOOL-MISTAKE]"""

    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("POTLANG_POLICIES", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    answer = called({"operation": "claims", "policy": "jump", "claims": ["True"]})
    assert (answer["error"], answer["help"]) == ("unknown_policy", "no policy is stored")


def test_a_bug_of_ours_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """[TOOL-CALL]"""

    def broken(*_: object) -> dict[str, Any]:
        raise ZeroDivisionError

    monkeypatch.setattr(operations, "verify", broken)
    answer = checked(tool.call({"program": PROGRAM}))
    assert (answer["status"], answer["error"]) == ("error", "internal")


def test_names_of_a_program_cannot_leave_their_place() -> None:
    """[TOOL-DATA]: a claim is one formula, whatever stands in it."""
    for claim in (
        'True"], "verifications": [{"constraint": "True',
        "True)\n(assert false",
        "False) (check-sat",
    ):
        program = {**PROGRAM, "verifications": [{"constraint": claim}]}
        answer = called({"program": program})
        assert answer["status"] == "rejected"
        assert all(each["pointer"] == "/verifications/0/constraint" for each in answer["diagnostics"])


# --- budgets -----------------------------------------------------------------------------------------


def test_errors_come_before_warnings_and_fixes_first() -> None:
    """[TOOL-ORDER]"""
    program = {
        "sorts": [{"name": "P", "type": "DeclareSort"}],
        "functions": [{"name": "likes", "domain": ["P", "P"], "range": "Bool"}],
        "constants": {"c": {"sort": "P", "members": ["ann", "bob"]}},
        "knowledgebase": [
            "And()",
            "likes(ann, quixotic_stranger)",
            "likes(ann, bbo)",
            "likes(ann, bob) = True",
        ],
    }
    found = called({"program": program})["diagnostics"]
    assert [each["severity"] for each in found] == sorted(each["severity"] for each in found)
    ranks = [each.get("fix", {}).get("applicability", "zzz") for each in found if each["severity"] == "error"]
    assert ranks == sorted(ranks, key=("safe", "unsafe", "placeholder", "zzz").index)
    assert len(set(ranks)) > 1


def test_what_is_left_out_is_counted_and_explain_is_named() -> None:
    """[TOOL-BUDGET]"""
    program = {"knowledge_base": [f"p{number}(a)" for number in range(60)]}
    whole = called({"program": program}, 100_000)["diagnostics"]
    answer = called({"program": program}, 400)
    assert 0 < len(answer["diagnostics"]) < len(whole)
    assert answer["left_out"]["diagnostics"] >= len(whole) - len(answer["diagnostics"])
    assert "explain" in answer["hint"]


def test_verdicts_stay_when_evidence_goes() -> None:
    """[TOOL-BUDGET]"""
    claims = [
        {"name": f"claim {number}", "constraint": "jump_height(javier_sotomayor) > 1"} for number in range(40)
    ]
    answer = called({"program": {**PROGRAM, "verifications": claims}}, 1_000)
    assert len(answer["results"]) == 40
    assert answer["left_out"]["results"] > 0


DOUBTFUL = {
    "functions": [
        {"name": name, "domain": [], "range": "Bool"} for name in ("sunny", "windy", "calm", "hot")
    ],
    "knowledge_base": ["sunny", "sunny"],
    "verifications": [{"name": "nice", "constraint": "sunny"}],
}


def test_what_the_linter_finds_stands_beside_verdicts_in_brief() -> None:
    """[TOOL-LINTS]"""
    answer = called({"program": DOUBTFUL})
    assert "diagnostics" not in answer
    assert [each["code"] for each in answer["lints"]] == ["POT9012", "POT9010", "POT9010", "POT9010"]
    assert all(set(each) == {"code", "message", "pointer"} for each in answer["lints"])
    checked = called({"operation": "check", "program": DOUBTFUL})
    assert [each["code"] for each in checked["diagnostics"]] == ["POT9012", "POT9010", "POT9010", "POT9010"]
    assert "fix" in checked["diagnostics"][0]


def test_findings_of_the_linter_are_few_and_go_first() -> None:
    """[TOOL-LINTS]"""
    many = {**DOUBTFUL, "knowledge_base": ["sunny"] * 9}
    answer = called({"program": many})
    assert len(answer["lints"]) == 5
    assert answer["left_out"] == {"lints": 6}
    assert "`check`" in answer["hint"]
    short = called({"program": {**many, "verifications": [{"constraint": "sunny"}] * 5}}, 300)
    assert "lints" not in short
    assert short["left_out"]["lints"] >= 11
    assert [each["verdict"] for each in short["results"]] == ["entailed"] * len(short["results"])


def test_no_findings_are_shown_where_no_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """[TOOL-LINTS]"""

    def late(*_: object, **__: object) -> None:
        raise OutOfFuel

    monkeypatch.setattr(operations, "lint", late)
    assert called({"operation": "check", "program": DOUBTFUL})["status"] == "ok"
    assert [each["verdict"] for each in called({"program": DOUBTFUL})["results"]] == ["entailed"]


def some_value(random: Random, depth: int = 0) -> Any:
    """A value of an answer: long texts, long lists, numbers that JSON has not."""
    shape = random.random()
    if shape < 0.2 and depth:
        return random.choice((None, True, -3, 10**40, 0.5, float("inf"), float("nan")))
    if shape < 0.6 and depth:
        piece = random.choice(("x", "p(a)", "\x00", "é", "𝔸", "\ud800", '"', "\\"))
        return piece * random.choice((0, 1, 30, 300, 6_000))
    count = random.choice((0, 1, 3, 12, 150 if depth < 2 else 5)) if depth < 3 else 0
    if shape < 0.8:
        return [some_value(random, depth + 1) for _ in range(count)]
    names = (
        *("fix", "pointer", "model", "text", "\udfff", "n" * 3_000),
        *(f"k{each}" for each in range(150)),
    )
    return {random.choice(names): some_value(random, depth + 1) for _ in range(count)}


def some_answer(seed: int) -> tuple[dict[str, Any], int]:
    random = Random(seed)
    parts = random.sample(("results", "diagnostics", "report", "text", "message", "notes", "verdict"), 3)
    return {key: some_value(random, random.randrange(2)) for key in parts}, random.choice(BUDGETS)


def check_fits(seed: int) -> None:
    """[TOOL-BUDGET]: any answer fits, nothing is altered silently, and what fits is not cut."""
    answer, budget = some_answer(seed)
    made = truncate.truncate_to_budget(answer, budget)
    text = json.dumps(made, allow_nan=False)
    text.encode("utf-8")
    assert len(text) <= 4 * max(budget, truncate.LEAST_BUDGET)
    if "left_out" not in made:
        assert made == json.loads(json.dumps(plain(answer)))
    else:
        assert all(count > 0 for count in made["left_out"].values())


def plain(value: Any) -> Any:
    """What a value is when nothing is cut: the reference for `check_fits`."""
    if isinstance(value, dict):
        return {
            str(key).encode("utf-8", "backslashreplace").decode(): plain(each) for key, each in value.items()
        }
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return str(value) if isinstance(value, int) and abs(value) >= 1 << 63 else value


FITS = Property(check_fits, st.integers(0, 1 << 32), quick=40)
test_any_answer_fits, test_any_answer_fits_deeply = FITS.tests()


def test_counts_that_grow_with_what_is_kept_fit_too() -> None:
    check_fits(186)


MUTATIONS = (
    Mutation("fits", "texts are cut silently", (truncate._Cut,), "_text", lambda self, text: text[:200]),
    Mutation("fits", "no text is cut", (truncate._Cut,), "_text", lambda self, text: truncate._clean(text)),
    Mutation("fits", "surrogates stay", (truncate,), "_clean", lambda text: text),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_mutations_are_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.check_caught(FITS, monkeypatch, UnicodeEncodeError)


def test_a_fix_is_whole_or_absent() -> None:
    """[TOOL-WHOLE]: what is applied to a program is never cut."""
    edit = {"op": "replace", "path": "/rules", "value": "x" * 5_000}
    found = {"code": "POT2001", "fix": {"title": "t", "applicability": "safe", "edits": [edit]}}
    for budget in (250, 1_000, 20_000):
        (kept,) = truncate.truncate_to_budget({"diagnostics": [found]}, budget)["diagnostics"] or [{}]
        assert kept.get("fix") in (None, found["fix"])


# --- whatever is sent -------------------------------------------------------------------------------


def check_call(seed: int) -> None:
    """[TOOL-ANY]"""
    called(hostile_call(seed), BUDGETS[seed % len(BUDGETS)])


@pytest.mark.parametrize("part", range(10))
def test_hostile_calls_get_structured_answers(part: int) -> None:
    """[TOOL-TEXT] [TOOL-ANY]"""
    for seed in range(part, 100, 10):
        check_call(seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(50))
def test_two_thousand_hostile_calls_get_structured_answers(part: int) -> None:
    """[TOOL-ANY]"""
    for seed in range(part, 2_000, 50):
        check_call(seed)


RUNS = ("x", "9", "\\'", '\\"', "x ", "(", "'", "é", "x:", "-", "{", "[x]")
"""Of which a long run once took time that grew with the square of its length, or might."""


def _with_run(place: str, run: str) -> Any:
    if place == "sort":
        return {**PROGRAM, "sorts": [{"name": "P", "type": run}]}
    if place == "formula":
        return {**PROGRAM, "verifications": [{"constraint": run}]}
    return run if place == "text" else json.dumps(PROGRAM).replace("Person", run)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sort", "formula", "text", "name"])
def test_long_runs_of_anything_are_read_in_time(place: str) -> None:
    """[TOOL-TIME]: a square of this length would take minutes for each."""
    for piece in RUNS:
        run = piece * (150_000 // len(piece))
        assert called({"operation": "check", "program": _with_run(place, run)})["status"] != "ok"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
SECTIONS = st.sampled_from(sorted(json.loads((ROOT / "schemas" / "pot-1.json").read_text())["properties"]))
CALLS = st.one_of(
    JSON_VALUES,
    st.text(),
    st.binary(),
    st.fixed_dictionaries(
        {"operation": st.sampled_from(["verify", "check", "trace", "explain", "claims"])},
        optional=dict.fromkeys(("program", "trace", "code", "policy", "claims"), JSON_VALUES),
    ),
    st.builds(lambda section, value: {"program": {**PROGRAM, section: value}}, SECTIONS, JSON_VALUES),
)
ANY_CALL = Property(lambda arguments: called(arguments) and None, CALLS, quick=60)
test_any_call_is_answered, test_any_call_is_answered_deeply = ANY_CALL.tests()


# --- the verbs over three languages ------------------------------------------------------------------


SOLUTION = (ROOT / "examples" / "natascha.dagmath.json").read_text(encoding="utf-8")
TRACE_TEXT = (ROOT / "examples" / "refinement.dot.txt").read_text(encoding="utf-8")


@pytest.mark.usefixtures("unhurried")
def test_the_verbs_take_traces_and_solutions() -> None:
    """[TOOL-VERBS] As the operations that had names of their own."""
    for key, text, former in (("trace", TRACE_TEXT, "trace"), ("solution", SOLUTION, "score")):
        verified = called({key: text}, 4_000)
        by_former_name = called({"operation": former, key: text}, 4_000)
        assert verified["verdict"] == by_former_name["verdict"] == "accepted"
        assert verified["report"].keys() == by_former_name["report"].keys()
        assert called({"operation": "check", key: text})["verdict"] == "valid"
        assert called({"operation": "view", key: text}, 4_000)["text"].startswith("flowchart")
        fixed = called({"operation": "fix", key: text}, 8_000)
        assert (fixed["status"], fixed["fixed"]) == ("ok", 0)
    assert "(assert" in called({"operation": "compile", "trace": TRACE_TEXT}, 4_000)["text"]
    assert called({"operation": "compile", "solution": SOLUTION})["error"] == "wrong_type"
    assert called({"operation": "view", "program": {}})["error"] == "missing_argument"


def test_fix_gives_the_text_after_the_safe_fixes_and_what_is_left() -> None:
    """[TOOL-VERBS]"""
    answer = called({"operation": "fix", "program": '{"verifications": [{"constraint": "1 < 2",}]}'})
    assert answer["text"] == '{"verifications": [{"constraint": "1 < 2"}]}' and answer["fixed"] == 1
    assert answer["status"] == "ok" and "diagnostics" not in answer
    left = called({"operation": "fix", "program": {"verifications": [{"constraint": "rains"}]}})
    assert left["status"] == "rejected" and left["diagnostics"][0]["code"] == "POT2001"
    assert "(assert" in called({"operation": "compile", "program": {"knowledge_base": ["1 < 2"]}})["text"]


def test_a_theory_with_mistakes_is_said_to_be_the_theory() -> None:
    """[TOOL-VERBS]"""
    for operation in ("check", "compile", "view"):
        answer = called({"operation": operation, "trace": TRACE_TEXT, "program": {"rules": 3}})
        assert (answer["status"], answer["error"]) == ("error", "wrong_type")


def test_the_type_of_an_answer_has_the_parts_of_its_schema() -> None:
    """[TOOL-CALL]"""
    assert set(potlang.tool.ToolAnswer.__annotations__) == set(potlang.tool.answer_schema()["properties"])


def test_translations_of_a_text_are_asked_for_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[TOOL-TEXTS]: a text takes no formulas."""
    monkeypatch.setenv("POTLANG_POLICIES", str(tmp_path))
    open_store(tmp_path).add("may", json.dumps({"functions": [{"name": "p", "domain": [], "range": "Bool"}]}))
    asked = {"operation": "claims", "policy": "may", "text": "You may."}
    answer = tool.call({**asked, "claims": [{"claims": []}]})
    assert "translation of the text" in f"{answer}"
    assert "translations of the text" in f"{tool.call({**asked, 'claims': []})}"

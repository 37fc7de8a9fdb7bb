"""Traces on the command line, as real processes: kinds, profiles, exit codes, formats, drawings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
APPENDIX_A = EXAMPLES / "appendix_a.dot.txt"
REFINEMENT = EXAMPLES / "refinement.dot.txt"
GIRAFFE = EXAMPLES / "giraffe.json"
WRONG = APPENDIX_A.read_bytes().replace(b"[4, 2]", b"[1, 2]")
DECLARED = b"""@node id=1 role=problem
@node id=2 role=proposer
@edge src=1 dst=2 kind=use
@prop id=2 {"gt": [["height", "ann"], 170]}
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@status target=2 mark=validated
"""
THEORY = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [{"name": "height", "domain": ["Person"], "range": "Int"}],
    "constants": {"people": {"sort": "Person", "members": ["ann"]}},
    "knowledge_base": ["height(ann) == 180"],
}


def potc(*args: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs `potc` with these arguments."""
    command = [sys.executable, "-m", "potlang", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, cwd=ROOT, env=environment)


def schema(name: str) -> Draft202012Validator:
    text = (ROOT / "schemas" / name).read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


@pytest.fixture
def theory(tmp_path: Path) -> Path:
    path = tmp_path / "theory.json"
    path.write_text(json.dumps(THEORY))
    return path


# --- appendix A ----------------------------------------------------------------------------------


def test_appendix_a_is_accepted() -> None:
    """[DOT-PROF-1], [FACE-EXIT]"""
    done = potc(APPENDIX_A)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "2     proposer    validated    entailed" in text
    assert "6     proposer    invalidated  refuted" in text
    assert "summary of 2, 4, 8: consistent" in text
    assert "summarizer 10: faithful, uses 2, 4, 8" in text


def test_appendix_a_has_eight_diagnostics_of_two_rules_under_strict() -> None:
    """[DOT-PROF-2], [FACE-RULE]: everything else is verified all the same."""
    done = potc(APPENDIX_A, "--profile", "strict", "--format", "json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"], report["profile"]) == (2, "rejected", "strict")
    found = report["diagnostics"]
    assert len(found) == 8
    assert {each["rule"] for each in found} == {"misplaced-record", "edge-kind"}
    assert all(each["line"] and each["column"] and each["helps"] for each in found)
    verdicts = {node["id"]: node["verdict"] for node in report["nodes"] if node["verdict"]}
    assert verdicts == {2: "entailed", 4: "entailed", 6: "refuted", 8: "entailed"}


def test_a_critic_that_validates_a_refuted_proposition_is_caught() -> None:
    """[FACE-EXIT]"""
    done = potc("-", stdin=WRONG)
    assert done.returncode == 1
    assert "validated, but the theory refutes it" in done.stdout.decode()
    assert done.stdout.decode().splitlines()[-1].startswith("refuted")
    assert b"warning[POT5060]" in done.stderr


# --- formats -------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["paper", pytest.param("strict", marks=pytest.mark.slow)])
def test_json_reports_fit_the_schema(profile: str, tmp_path: Path) -> None:
    """[FACE-JSON]"""
    (tmp_path / "wrong.dot.txt").write_bytes(WRONG)
    (tmp_path / "bad.dot.txt").write_bytes(b"@node id=x\n")
    done = potc(APPENDIX_A, REFINEMENT, tmp_path, "--format", "json", "--profile", profile)
    reports = json.loads(done.stdout)
    assert [report["kind"] for report in reports] == ["dot"] * 4
    for report in reports:
        del report["file"]
        assert [each.message for each in schema("dot-report-1.json").iter_errors(report)] == []
    accepted = potc(APPENDIX_A, "--format", "json", "--profile", profile)
    assert (accepted.returncode == 0) == (json.loads(accepted.stdout)["verdict"] == "accepted")


def test_programs_and_traces_are_verified_together(tmp_path: Path) -> None:
    """[KIND-CONTENT], [FACE-JSON]: names say nothing, and the worst code wins."""
    trace, program = tmp_path / "trace.json", tmp_path / "program.dot.txt"
    trace.write_bytes(APPENDIX_A.read_bytes())
    program.write_bytes(GIRAFFE.read_bytes())
    done = potc(trace, program, "--format", "json")
    reports = json.loads(done.stdout)
    assert [(each["file"], each["kind"], each["verdict"]) for each in reports] == [
        (str(trace), "dot", "accepted"),
        (str(program), "pot", "refuted"),
    ]
    assert done.returncode == 1


def test_text_of_several_files_has_their_names() -> None:
    text = potc(APPENDIX_A, GIRAFFE).stdout.decode()
    assert [line for line in text.splitlines() if line.startswith(str(EXAMPLES))] == [
        f"{APPENDIX_A}:",
        f"{GIRAFFE}:",
    ]


def test_sarif_has_the_diagnostics_of_traces() -> None:
    done = potc(APPENDIX_A, "--profile", "strict", "--format", "sarif")
    run = json.loads(done.stdout)["runs"][0]
    assert {each["ruleId"] for each in run["results"]} == {"POT5008", "POT5024"}
    assert len(run["results"]) == 8
    lines = [each["locations"][0]["physicalLocation"]["region"]["startLine"] for each in run["results"]]
    assert lines == [4, 10, 12, 18, 20, 26, 28, 34]


def test_check_gives_diagnostics_alone() -> None:
    """[FACE-CHECK], [FACE-RULE]"""
    done = potc("check", APPENDIX_A, "--profile", "strict", "--format", "json")
    found = json.loads(done.stdout)["diagnostics"]
    assert (done.returncode, len(found), {each["rule"] for each in found}) == (
        2,
        8,
        {"misplaced-record", "edge-kind"},
    )
    validator = schema("diagnostics-1.json")
    whole = {"version": 1, "document": "x", "errors": 8, "warnings": 0, "diagnostics": found}
    assert [each.message for each in validator.iter_errors(whole)] == []
    fine = potc("check", APPENDIX_A)
    assert (fine.returncode, b"no errors" in fine.stdout) == (0, True)
    assert potc("check", APPENDIX_A, GIRAFFE, "--format", "sarif").returncode == 0


# --- theories and options ------------------------------------------------------------------------


def test_a_trace_is_read_against_a_theory(tmp_path: Path, theory: Path) -> None:
    """[FACE-THEORY]"""
    trace = tmp_path / "trace"
    trace.write_bytes(DECLARED)
    without = potc("check", trace)
    assert without.returncode == 2
    assert b"POT2001" in without.stdout
    assert potc("check", trace, "--theory", theory).returncode == 0
    report = json.loads(potc(trace, "--theory", theory, "--format", "json").stdout)
    assert [(node["id"], node["verdict"]) for node in report["nodes"] if node["verdict"]] == [(2, "entailed")]
    assert report["verdict"] == "accepted"


@pytest.mark.parametrize(
    "command", [[], *(pytest.param([each], marks=pytest.mark.slow) for each in ("check", "view"))]
)
def test_a_theory_that_does_not_compile_is_diagnosed(command: list[str], tmp_path: Path) -> None:
    """[FACE-THEORY]"""
    for theory in (EXAMPLES / "broken.json", tmp_path, tmp_path / "none"):
        done = potc(*command, APPENDIX_A, "--theory", theory)
        assert done.returncode == 2
        assert b"error[POT" in done.stderr
        assert b"POT0001" not in done.stderr


def test_a_theory_that_does_not_compile_gives_a_report_in_json() -> None:
    """[FACE-THEORY]"""
    done = potc(APPENDIX_A, "--theory", EXAMPLES / "broken.json", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (2, "rejected")


def test_options_without_a_meaning_for_the_kind_are_named(tmp_path: Path, theory: Path) -> None:
    """[FACE-OPTIONS]"""
    done = potc(APPENDIX_A, "--certificate", tmp_path / "cert", "--proofs", tmp_path)
    assert done.returncode == 0
    assert b"is a trace: --certificate, --proofs have no effect on it" in done.stderr
    assert not (tmp_path / "cert").exists()
    done = potc(GIRAFFE, "--theory", theory)
    assert b"is a program: --theory has no effect on it" in done.stderr
    assert b"note" not in potc(GIRAFFE).stderr


def test_routes_and_limits_reach_the_trace() -> None:
    done = potc(REFINEMENT, "--route", "z3", "--trust", "solver", "--timeout", "5", "--format", "json")
    report = json.loads(done.stdout)
    assert report["limits"]["check_ms"] == 5_000
    assert {node["result"]["route"] for node in report["nodes"] if node["result"]} == {"z3"}


# --- bad input -----------------------------------------------------------------------------------

BAD = {
    "no node": b"@edge src=1 dst=2 kind=use\n",
    "no record is right": b"@node\n@edge\n@@len=5@@",
    "not UTF-8": b"@node id=1 role=problem\n\xff\xfe\n",
    "another encoding": "@node id=1 role=problem\n".encode("utf-16"),
    "deep": b"@node id=1 role=proposer\n@prop id=1 " + b'{"not":' * 5_000 + b'"p"' + b"}" * 5_000,
    "a fence that is too long": b"@node id=1 role=problem\n@@len=99@@abc",
    "a long number": b"@node id=" + b"1" * 100_000 + b" role=problem\n",
    "indented": b"  @node id=1 role=problem\n",
}


def test_bad_traces_get_diagnostics(tmp_path: Path) -> None:
    """[FACE-EXIT], [FACE-RULE]"""
    for name, data in BAD.items():
        (tmp_path / f"{name}.dot.txt").write_bytes(data)
    done = potc(tmp_path, "--format", "json")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    reports = {Path(report.pop("file")).name.split(".")[0]: report for report in json.loads(done.stdout)}
    assert reports.keys() == BAD.keys()
    for name, report in reports.items():
        assert (report["kind"], report["verdict"]) == ("dot", "rejected"), name
        assert all(each["rule"] and each["code"].startswith("POT") for each in report["diagnostics"]), name
        assert report["diagnostics"], name
        assert [each.message for each in schema("dot-report-1.json").iter_errors(report)] == [], name


def test_the_tagged_form_is_a_trace() -> None:
    """[DOT-TAG-1], [FACE-EXIT]"""
    done = potc("-", "--format", "json", stdin=b"<problem>Is it?</problem>\n<proposer>Yes.</proposer>\n")
    report = json.loads(done.stdout)
    assert (done.returncode, report["typed"], len(report["nodes"])) == (1, False, 2)


# --- drawings ------------------------------------------------------------------------------------


def test_view_writes_by_the_ending(tmp_path: Path) -> None:
    """[VIEW-FORMS]"""
    beginnings = {"page.html": "<!DOCTYPE html>", "d.svg": "<svg", "d.mmd": "flowchart", "d.gv": "digraph"}
    for name, beginning in beginnings.items():
        done = potc("view", REFINEMENT, "-o", tmp_path / name)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(beginning)
    assert len(list(ElementTree.parse(tmp_path / "d.svg").iter())) > 50


@pytest.mark.parametrize(
    ("form", "beginning"),
    [("html", b"<!DOCTYPE"), ("svg", b"<svg"), ("mermaid", b"flowchart"), ("graphviz", b"digraph")],
)
def test_view_prints_each_form(form: str, beginning: bytes) -> None:
    """[VIEW-FORMS]: also of a trace that is rejected."""
    done = potc("view", "-", "--to", form, "--profile", "strict", stdin=WRONG)
    assert done.returncode == 0
    assert done.stdout.startswith(beginning)
    assert b"Traceback" not in done.stderr


def test_a_page_of_a_rejected_trace_has_its_diagnostics() -> None:
    """[VIEW-PAGE]"""
    page = potc("view", APPENDIX_A, "--profile", "strict").stdout.decode()
    assert page.count("error POT5008") + page.count("error POT5024") == 8


@pytest.mark.parametrize(
    ("data", "what"),
    [(b"", b"program"), (b"{1}", b"program"), (b"@node id=1", b"trace"), (b"\xff", b"program")],
)
def test_nothing_to_draw_is_said(data: bytes, what: bytes) -> None:
    """[VIEW-FORMS]"""
    done = potc("view", "-", stdin=data)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"there is no " + what + b" to " in done.stderr


def test_a_program_has_a_page_and_no_drawing() -> None:
    """[VIEW-FORMS]"""
    program = b'{"verifications": [{"name": "sum & more", "constraint": "1 < 2"}]}'
    done = potc("view", "-", stdin=program)
    assert done.returncode == 0 and b"sum &amp; more" in done.stdout
    done = potc("view", "-", "--to", "svg", stdin=program)
    assert (done.returncode, done.stdout) == (2, b"") and b"a page and no drawing" in done.stderr


def test_a_page_has_the_symbols_of_the_claim_or_all() -> None:
    """[VIEW-PROGRAM]: beside the claim's symbols those that its truth depends on, or all."""
    program = b"""{"constants": {"c": {"sort": "Bool", "members": ["asked", "cause", "other"]}},
        "knowledge_base": ["cause -> asked", "asked -> cause", "other or not other"],
        "verifications": [{"constraint": "asked"}]}"""
    cause, other = b"<code>cause</code>", b"<code>other</code>"
    usual = potc("view", "-", stdin=program).stdout
    assert cause in usual and other not in usual
    full = potc("view", "-", "--models", "full", stdin=program).stdout
    assert cause in full and other in full


def test_a_drawing_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    done = potc("view", APPENDIX_A, "-o", tmp_path / "none" / "page.html")
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr


# --- gluing --------------------------------------------------------------------------------------


def test_glue_gives_a_trace_that_can_be_verified(tmp_path: Path) -> None:
    """[FACE-GLUE]"""
    done = potc("glue", APPENDIX_A, REFINEMENT)
    assert done.returncode == 0
    assert b"note: shared nodes: none" in done.stderr
    report = json.loads(potc("-", "--format", "json", stdin=done.stdout).stdout)
    assert report["verdict"] == "accepted"
    assert len(report["summary"]["nodes"]) == 5
    assert len(report["nodes"]) == 18
    assert potc("glue", APPENDIX_A, REFINEMENT, "-o", tmp_path / "glued").stdout == b""
    assert (tmp_path / "glued").read_bytes() == done.stdout


def test_glue_shares_what_says_the_same_or_what_is_named() -> None:
    """[FACE-GLUE]"""
    assert b"note: shared nodes: 2=2, 4=4, 6=6, 8=8" in potc("glue", APPENDIX_A, APPENDIX_A).stderr
    done = potc("glue", APPENDIX_A, APPENDIX_A, "--share", "1=1", "--share", "2=2")
    assert b"note: shared nodes: 1=1, 2=2" in done.stderr


@pytest.mark.parametrize("share", ["2=3", "99=2", "2", "2=x", "٢=2"])
def test_what_cannot_be_shared_is_said(share: str) -> None:
    """[FACE-GLUE]"""
    done = potc("glue", APPENDIX_A, REFINEMENT, "--share", share)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr and b"Traceback" not in done.stderr and b"POT0001" not in done.stderr


def test_what_is_no_trace_is_not_glued(tmp_path: Path) -> None:
    """[FACE-GLUE]"""
    for other in (GIRAFFE, tmp_path / "none"):
        done = potc("glue", APPENDIX_A, other)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"error[POT" in done.stderr
        assert b"POT0001" not in done.stderr


# --- fixes ---------------------------------------------------------------------------------------


def test_fixes_of_a_trace_are_applied(tmp_path: Path) -> None:
    """[FACE-FIX]"""
    path = tmp_path / "trace"
    path.write_bytes(b"\n\n" + APPENDIX_A.read_bytes())
    assert b"POT5067" in potc("check", path).stdout
    done = potc("fix", path)
    assert (done.returncode, b"1 fix applied, no errors left" in done.stderr) == (0, True)
    assert path.read_bytes() == APPENDIX_A.read_bytes()


def test_a_trace_that_is_not_utf8_is_not_rewritten(tmp_path: Path) -> None:
    """[FACE-FIX]"""
    path = tmp_path / "trace"
    data = b"\n\n@node id=1 role=problem\n\xff\n"
    path.write_bytes(data)
    assert potc("fix", path).returncode == 2
    assert path.read_bytes() == data

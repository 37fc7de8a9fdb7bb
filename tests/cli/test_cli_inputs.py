"""Directories, patterns, several processes, totals, `--quiet`, `--strict`, `--watch`."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from potlang.cli.inputs import expanded
from potlang.reading.json_text import SUFFIXES

ROOT = Path(__file__).parents[2]
ENTAILED = {"verifications": [{"name": "easy", "constraint": "1 < 2"}]}
REFUTED = {"verifications": [{"constraint": "1 > 2"}]}
WARNING = {"rules": [{"name": "r", "constraint": "And()"}], **ENTAILED}
HARD = "Exists([x: Int, y: Int, z: Int], x**3 + y**3 + z**3 == 33 and x*y*z > 10**9)"


def potc(
    *args: str | Path, folder: Path | None = None, program: tuple[str | Path, ...] = ("-m", "potlang")
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, (*program, *args))]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=180, cwd=folder, env={**os.environ, "NO_COLOR": "1"}
    )


UNHURRIED = (ROOT / "tests" / "unhurried.py",)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    def write(name: str, program: object) -> None:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(json.dumps(program))

    write("b.json", REFUTED)
    write("a.json", ENTAILED)
    write("sub/c.json", ENTAILED)
    write("sub/c.yaml", ENTAILED)
    write(".hidden/d.json", REFUTED)
    write("sub/.e.json", REFUTED)
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "exclude", "found"),
    [
        (["."], [], ["./a.json", "./b.json", "./sub/c.json"]),
        (["b.json", "."], [], ["b.json", "./a.json", "./sub/c.json"]),
        ([".", "b.json"], [], ["./a.json", "./b.json", "./sub/c.json"]),
        (["b.json", "b.json"], [], ["b.json", "b.json"]),
        (["*.json"], [], ["a.json", "b.json"]),
        (["sub/c.*"], [], ["sub/c.json", "sub/c.yaml"]),
        (["sub*"], [], ["sub/c.json"]),
        (["sub/**"], [], ["sub/c.json"]),
        (["."], ["sub"], ["./a.json", "./b.json"]),
        (["."], ["[ab].json"], ["./sub/c.json"]),
        (["b.json"], ["b.json"], ["b.json"]),
        (["empty", "none.*", "-", "none.json"], [], ["empty", "none.*", "-", "none.json"]),
    ],
)
def test_arguments_stand_for_files(
    arguments: list[str], exclude: list[str], found: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[CLI-INPUTS]"""
    monkeypatch.chdir(folder)
    assert expanded(arguments, exclude) == found


def test_a_name_with_stars_that_exists_is_a_file(tmp_path: Path) -> None:
    """[CLI-INPUTS]"""
    (tmp_path / "[a].json").write_text("{}")
    (tmp_path / "a.json").write_text("{}")
    assert expanded([f"{tmp_path}/[a].json"]) == [f"{tmp_path}/[a].json"]


FOREIGN = {
    "package.json": '{"name": "x", "scripts": {"test": "run"}, "dependencies": {}}',
    "tsconfig.json": '{\n  // of the compiler\n  "compilerOptions": {"strict": true,},\n}',
    "rules.json": '{"rules": {"semi": "error"}}',
    "words.json": '["one", {"two": 2}]',
    "report.json": '{"name": "x", "rules": ',
}


@pytest.fixture
def mixed(folder: Path) -> Path:
    for name, text in FOREIGN.items():
        (folder / "sub" / name).write_text(text)
    return folder


@pytest.mark.parametrize("command", ["verify", "check", "lint", "fmt", "fix"])
@pytest.mark.parametrize("argument", ["sub", pytest.param("s*/*.json", marks=pytest.mark.slow)])
def test_json_of_others_is_passed_over(command: str, argument: str, mixed: Path) -> None:
    """[CLI-FOREIGN] [KIND-FOREIGN]"""
    done = potc(command, argument, folder=mixed)
    assert done.returncode == 0, done.stderr
    assert "note: 5 files of other formats are passed over: sub/package.json, sub/report.json" in done.stderr
    assert "and 2 more" in done.stderr
    alone = potc(command, "sub/package.json", folder=mixed)
    assert "POT1010" in alone.stdout + alone.stderr or alone.returncode == 2
    assert "passed over" not in alone.stderr


@pytest.mark.parametrize("style", ["json", "sarif"])
def test_forms_for_machines_have_nothing_of_what_is_passed_over(style: str, mixed: Path) -> None:
    """[CLI-FOREIGN]"""
    done = potc("check", ".", "--format", style, folder=mixed)
    found = json.loads(done.stdout)
    if style == "json":
        assert [each["file"] for each in found] == ["./a.json", "./b.json", "./sub/c.json"]
    else:
        assert found["runs"][0]["results"] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"sorts": [',
        '{"knowledge_base": 1}',
        '[{"verifications": []}]',
        '{"rules": [], "constants": {}}',
    ],
)
def test_what_may_be_a_program_is_read(text: str, tmp_path: Path) -> None:
    """[KIND-FOREIGN] Also where it is broken, empty, or one of several in a list."""
    (tmp_path / "it.json").write_text(text)
    assert expanded([str(tmp_path)]) == [f"{tmp_path}/it.json"]
    (tmp_path / "it.json").write_text('{"name": "x"}')
    assert expanded([str(tmp_path)]) == [str(tmp_path)]


def test_json_lines_are_told_their_command(tmp_path: Path) -> None:
    """[CLI-LINES] It is a command that runs, whatever is in the file's name."""
    lines = [json.dumps({"id": name, "program": ENTAILED}) for name in "ab"]
    (tmp_path / "it's $HOME.jsonl").write_text("\n".join(lines))
    done = potc("it's $HOME.jsonl", folder=tmp_path)
    assert done.returncode == 2
    command = done.stderr.split("`")[1]
    words = shlex.split(command)
    assert words == ["potc", "batch", "it's $HOME.jsonl", "--out", "it's $HOME-results"]
    answered = potc(*words[1:], "--workers", "1", folder=tmp_path)
    assert answered.stdout.startswith("2 of 2 jobs answered"), answered.stderr
    short = potc(*words[1:3], "-o", "it's $HOME-results", "--workers", "1", folder=tmp_path)
    assert "2 of them before" in short.stdout


@pytest.mark.parametrize("command", ["verify", "check"])
def test_what_has_no_files_is_an_error(command: str, folder: Path) -> None:
    """[CLI-INPUTS]"""
    done = potc(command, "empty", "*.yaml", "a.json", folder=folder)
    assert done.returncode == 2
    said = done.stdout + done.stderr
    assert said.count("error[POT0006]") == 2 and all(each in said for each in SUFFIXES)
    assert "fits the pattern" in said and "no file in it or below" in said
    left_out = potc(command, "sub", "--exclude", "*", folder=folder)
    assert left_out.returncode == 2 and "--exclude" in left_out.stdout + left_out.stderr


def test_a_directory_gives_a_list_however_many_files_it_has(folder: Path) -> None:
    """[CLI-INPUTS] [FACE-JSON]"""
    reports = json.loads(potc("sub", "--format", "json", folder=folder).stdout)
    assert [each["file"] for each in reports] == ["sub/c.json"]


@pytest.mark.parametrize(
    ("style", "inputs"),
    [
        ("text", ["examples", "--exclude", "natascha*", "--exclude", "*.dot.txt", "--exclude", "policies/*"]),
        ("json", ["examples/broken.json", "examples/giraffe.json", "examples/parcel.dot.txt"]),
        pytest.param(
            "sarif",
            ["examples/broken.json", "examples/giraffe.json", "examples/norms.json"],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_side_by_side_is_as_one_after_the_other(style: str, inputs: list[str]) -> None:
    """[CLI-JOBS]"""
    arguments = (*inputs, "--format", style, "--color", "always")

    def normal(text: str) -> list[str]:
        return [
            line
            for line in text.splitlines()
            if " ms)" not in line and "_ms" not in line and line[-2:] != " s"
        ]

    one, three = (potc(*arguments, *more, folder=ROOT, program=UNHURRIED) for more in ((), ("--jobs", "3")))
    assert one.returncode == three.returncode == 2
    assert normal(one.stdout) == normal(three.stdout) and one.stderr == three.stderr
    assert len(one.stdout) > 1_000


def test_certificates_and_notes_of_several_processes(folder: Path) -> None:
    """[CLI-JOBS]"""
    out = folder / "out"
    out.mkdir()
    done = potc("a.json", "sub/c.json", "-j2", "--certificate", out, "--no-steps", folder=folder)
    assert done.returncode == 0 and done.stderr.count("--no-steps has no effect") == 2
    assert sorted(each.name for each in out.iterdir()) == ["a.cert", "c.cert"]


def until_busy(parent: int, seconds: float = 1.5) -> None:
    """Waits until a process below `parent` has computed for so long: then it is at the hard claim."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        waiting = [parent]
        for pid in waiting:
            folder = Path(f"/proc/{pid}")
            try:
                fields = (folder / "stat").read_text().rsplit(") ", 1)[1].split()
                for task in (folder / "task").iterdir():
                    waiting += map(int, (task / "children").read_text().split())
            except OSError:
                continue
            if int(fields[11]) >= seconds * os.sysconf("SC_CLK_TCK"):
                return
        time.sleep(0.05)
    raise AssertionError("nothing is computed")


PATIENT = """
import sys
from pathlib import Path
from potlang.cli import main, side_by_side, stopping
mark = Path(sys.argv.pop(1))
stopping._PATIENCE_S = 4.0
side_by_side._LAST_WORDS_S = 3.0
following = side_by_side._SideBySide._next
def noted(self):
    number = following(self)
    if number is None:
        mark.touch()
    return number
side_by_side._SideBySide._next = noted
main.run()
"""
"""`potc` that has time to gather what is known, and marks when a process has nothing left to do."""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are those of Linux")
def test_a_signal_ends_all_processes_with_what_is_known(tmp_path: Path) -> None:
    """[CLI-JOBS] [STOP-KNOWN]"""
    hard = {"verifications": [{"name": "easy", "constraint": "1 < 2"}, {"name": "hard", "constraint": HARD}]}
    for number, program in enumerate([ENTAILED, hard, REFUTED]):
        path = tmp_path / "inputs" / f"{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(program))
    inputs, mark = tmp_path / "inputs", tmp_path / "mark"
    process = subprocess.Popen(
        [sys.executable, "-c", PATIENT, mark, inputs, "-j", "2", "--format", "json", "--timeout", "60"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not mark.exists():
        assert time.monotonic() < deadline, "the others are not answered"
        time.sleep(0.05)
    until_busy(process.pid)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "stopped by SIGINT\n")
    assert [each["verdict"] for each in json.loads(output)] == ["entailed", "unknown", "refuted"]
    assert json.loads(output)[1]["results"][0]["verdict"] == "entailed"


@pytest.mark.slow
def test_totals_are_in_json_where_they_are_asked_for(folder: Path) -> None:
    """[CLI-TOTALS] The counts that text has, also of one input and from several processes."""
    (folder / "bad.json").write_text("{")
    for more in ([], ["--jobs", "2"]):
        found = json.loads(potc(folder, "--format", "json", "--totals", *more).stdout)
        assert [each["file"] for each in found["inputs"]] == [
            each["file"] for each in json.loads(potc(folder, "--format", "json").stdout)
        ]
        totals = found["totals"]
        assert totals.pop("seconds") > 0
        text = potc(folder).stdout
        for kind, counts in totals.items():
            if kind not in ("inputs", "outcomes"):
                assert f"  {kind}: {', '.join(f'{word} {count}' for word, count in counts.items())}" in text
        assert totals["inputs"] == 4 and totals["outcomes"] == {
            "holds": 2,
            "fails": 1,
            "open": 0,
            "invalid": 1,
        }
    one = json.loads(potc("check", folder / "a.json", "--format", "json", "--totals").stdout)
    assert len(one["inputs"]) == 1 and one["totals"]["outcomes"] == {"valid": 1, "invalid": 0}
    assert potc("check", folder, "--totals").returncode == 2


def test_totals_count_answers(folder: Path) -> None:
    """[CLI-TOTALS] [CLI-QUIET]"""
    (folder / "bad.json").write_text("{")
    done = potc(folder)
    *_, head, claims, diagnostics = done.stdout.splitlines()
    assert head.startswith("totals: holds 2, fails 1, invalid 1; 4 inputs in ")
    assert (claims, diagnostics) == ("  claims: entailed 2, refuted 1", "  diagnostics: errors 1")
    quiet = potc(folder, "-q")
    assert quiet.returncode == done.returncode == 2
    assert "entailed  " not in quiet.stdout and "refuted" in quiet.stdout and "totals:" in quiet.stdout
    assert potc(folder / "a.json", "--quiet").stdout == ""
    assert "totals: valid 3, invalid 1; 4 inputs in " in potc("check", folder, "-q").stdout


@pytest.mark.parametrize("command", ["verify", "check"])
def test_warnings_may_be_errors(command: str, tmp_path: Path) -> None:
    """[CLI-STRICT]"""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(WARNING))
    assert potc(command, path).returncode == 0
    strict = potc(command, path, "--strict")
    assert strict.returncode == 2 and "1 warning, which --strict takes for errors" in strict.stderr
    assert potc(command, path, "--strict", "-q").returncode == 2


def test_a_change_is_seen(folder: Path) -> None:
    """[CLI-WATCH]"""
    process = subprocess.Popen(
        [sys.executable, "-m", "potlang", "check", "a.json", "sub", "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert process.stderr is not None and process.stdout is not None
    assert process.stderr.readline().startswith("waiting for a change in 2 files")
    (folder / "sub" / "new.json").write_text(json.dumps(REFUTED))
    assert process.stderr.readline().startswith("---")
    assert process.stderr.readline().startswith("waiting for a change in 3 files")
    (folder / "a.json").write_text("{")
    assert process.stderr.readline().startswith("---")
    assert process.stderr.readline().startswith("waiting")
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (143, "stopped by SIGTERM\n")
    assert "sub/new.json: no errors" in output and "a.json: 1 error" in output


@pytest.mark.parametrize("arguments", [["-"], ["a.json", "--format", "json"]])
def test_what_cannot_be_watched_is_a_usage_error(arguments: list[str], folder: Path) -> None:
    """[CLI-WATCH]"""
    done = potc(*arguments, "--watch", folder=folder)
    assert done.returncode == 2 and "--watch" in done.stderr

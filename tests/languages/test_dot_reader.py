"""Reading traces: the paper's example, each kind of bad input, positions, fences, profiles, limits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from dot_support import APPENDIX_A, HEAD, ROOT, codes, read, without_places

from potlang.diag import Diagnostic, Place, Sink
from potlang.languages.dot.read.grammar import GRAMMARS, productions
from potlang.languages.dot.read.reader import detect, read_trace
from potlang.languages.dot.read.records import Edge, End, Fence, FreeText, Profile, Status
from potlang.languages.dot.read.rules import RULES, rule_name, rule_of
from potlang.languages.dot.write.emit import emit
from potlang.source import InputLimits

PROPOSED = HEAD + b"@node id=2 role=proposer\n"
EXAMPLES = sorted((ROOT / "examples").glob("*.dot.txt"))


# --- appendix A ----------------------------------------------------------------------------------


def test_appendix_a_is_well_formed_in_the_profile_paper() -> None:
    trace, found = read(APPENDIX_A)
    assert found == []
    assert trace.is_well_formed and trace.is_typed
    assert {node.id: node.role for node in trace.nodes.values()} == {
        1: "problem",
        **dict.fromkeys((2, 4, 6, 8), "proposer"),
        **dict.fromkeys((3, 5, 7, 9), "critic"),
        10: "summarizer",
    }
    marks = {status.target: (status.mark, status.block) for status in trace.statuses.values()}
    assert marks == {2: ("validated", 3), 4: ("validated", 5), 6: ("invalidated", 7), 8: ("validated", 9)}
    assert {prop.id: prop.value for prop in trace.props.values()} == {
        2: {"gt": [4, 2]},
        4: {"gt": [6, 5]},
        6: {"lt": [6, 0]},
        8: {"lt": [4, 10]},
    }
    assert len(list(trace.of(Edge))) == 11
    assert trace.texts()[9] == b"This is correct. The final condition is met."


def test_appendix_a_breaks_two_rules_eight_times_in_the_profile_strict() -> None:
    trace, found = read(APPENDIX_A, "strict")
    assert sorted(each.code for each in found) == ["POT5008"] * 4 + ["POT5024"] * 4
    assert {rule_name(each.code) for each in found} == {"misplaced-record", "edge-kind"}
    lines = APPENDIX_A.decode().splitlines()
    reported = [lines[where.line - 1] for each in found if (where := trace.document.locate(each.place))]
    assert reported == [line for line in lines if line.startswith(("@status", "@edge src=1 "))]


def test_appendix_a_is_written_as_it_was_read() -> None:
    assert emit(read(APPENDIX_A)[0]) == APPENDIX_A


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_well_formed_and_written_as_they_were_read(path: Path) -> None:
    trace, found = read(path.read_bytes())
    assert found == []
    assert emit(trace) == path.read_bytes()


# --- bad input -----------------------------------------------------------------------------------

BAD: list[tuple[str, bytes, str, int, int]] = [
    (
        "forward reference",
        PROPOSED + b"@edge src=3 dst=2 kind=use\n@node id=3 role=proposer\n",
        "POT5021",
        4,
        11,
    ),
    ("reused id", PROPOSED + b"@node id=2 role=critic\n", "POT5020", 4, 10),
    (
        "second status",
        PROPOSED
        + b"@status target=2 mark=validated\n@node id=3 role=critic\n@status target=2 mark=validated\n",
        "POT5031",
        6,
        1,
    ),
    (
        "edge from a critic by use",
        PROPOSED + b"@node id=3 role=critic\n@node id=4 role=proposer\n@edge src=3 dst=4 kind=use\n",
        "POT5024",
        6,
        24,
    ),
    (
        "a summary of what is not validated",
        PROPOSED + b"@node id=3 role=summarizer\n@edge src=2 dst=3 kind=use\n",
        "POT5026",
        5,
        11,
    ),
    ("fence longer than the file", HEAD + b"@@len=999@@x\n@node id=2 role=proposer\n", "POT5003", 3, 1),
    ("invalid UTF-8 in a fence", HEAD + b"@@len=3@@a\xffb\n", "POT5005", 3, 11),
    ("a fence that ends inside a character", HEAD + "@@len=1@@é\n".encode(), "POT5005", 3, 10),
    ("prop that is not JSON", PROPOSED + b'@prop id=2 {"gt": [4, 2}\n', "POT1001", 4, 24),
    ("prop that is no proposition", PROPOSED + b'@prop id=2 {"and": [{"gt": [4]}]}\n', "POT5041", 4, 28),
    ("non-ASCII before the error", PROPOSED + '@prop id=2 {"eq": ["é", tru]}\n'.encode(), "POT1001", 4, 25),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[0])
@pytest.mark.parametrize("profile", ["paper", "strict"])
def test_bad_input_is_reported_where_it_is_with_its_rule_and_help(
    case: tuple[str, bytes, str, int, int], profile: Profile
) -> None:
    _, data, code, line, column = case
    trace, found = read(data, profile)
    chosen = [each for each in found if each.code == code]
    assert chosen
    where = trace.document.locate(chosen[0].place)
    assert where is not None
    assert (where.line, where.column) == (line, column)
    assert f"rule {rule_of(code).section}: " in "\n".join(chosen[0].notes)
    assert chosen[0].helps
    assert not trace.is_well_formed


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[0])
def test_everything_else_of_a_bad_trace_is_read(case: tuple[str, bytes, str, int, int]) -> None:
    after = b"@node id=9 role=proposer\n@node id=10 role=critic\n@edge src=9 dst=10 kind=critique\nFine.\n"
    trace, _ = read(case[1] + after)
    assert {1, 9, 10} <= set(trace.nodes)
    assert [(edge.src, edge.dst) for edge in trace.of(Edge)][-1] == (9, 10)
    assert trace.texts()[10] == b"Fine."


@pytest.mark.parametrize(
    ("line", "read_as"),
    [
        (b"@edge  src=1 dst=2 kind=use", b"@edge src=1 dst=2 kind=use"),
        (b"@edge src=1\tdst=2 kind=use ", b"@edge src=1 dst=2 kind=use"),
        (b'@edge kind="use" dst=2, src=01', b"@edge src=1 dst=2 kind=use"),
        (b"@EDGE src = 1 dst : 2 kind=Use", b"@edge src=1 dst=2 kind=use"),
        (b'@prop id = 2 {"gt": [1, 0]}', b'@prop id=2 {"gt": [1, 0]}'),
    ],
)
def test_a_malformed_record_with_one_meaning_is_read_as_that(line: bytes, read_as: bytes) -> None:
    """[DOT-BAD-2]"""
    trace, found = read(PROPOSED + line + b"\n")
    assert [each.code for each in found] == ["POT5002"]
    assert without_places(trace) == without_places(read(PROPOSED + read_as + b"\n")[0])


@pytest.mark.parametrize(
    "line",
    [
        b"@edge src=1 dst=2",
        b"@edge src=1 src=1 dst=2 kind=use",
        b"@edge src=-1 dst=2 kind=use",
        b"@edge",
        b"@prop id=2",
    ],
)
def test_a_malformed_record_without_one_meaning_is_left_out(line: bytes) -> None:
    """[DOT-BAD-2]"""
    trace, found = read(PROPOSED + line + b"\n")
    assert [each.code for each in found] == ["POT5002"]
    assert without_places(trace) == without_places(read(PROPOSED)[0])


def test_what_a_broken_record_would_have_set_causes_no_further_reports() -> None:
    """[DOT-BAD-2]"""
    data = HEAD + (
        b"@node id=2 role=thinker\n@edge src=1 dst=2 kind=use\n"
        b"@node id=3 role=proposer\n@edge src=2 dst=3 kind=use\n"
        b"@node id=4 role=critic\n@edge src=3 dst=4 kind=critique\n@status target=3 mark=fine\n"
        b"@node id=5 role=summarizer\n@edge src=3 dst=5 kind=use\n@entails src=2 dst=3 witness=2\n"
    )
    trace, found = read(data)
    assert [each.code for each in found] == ["POT5002", "POT5002"]
    assert list(trace.nodes) == [1, 3, 4, 5]


def test_a_rejected_status_does_not_count() -> None:
    data = PROPOSED + (
        b"@node id=3 role=critic\n@status target=2 mark=validated\n"
        b"@node id=4 role=critic\n@status target=2 mark=invalidated\n"
    )
    trace, _ = read(data)
    assert [(status.target, status.mark, status.block) for status in trace.of(Status)] == [
        (2, "validated", 3)
    ]


def test_a_record_out_of_place_counts() -> None:
    trace, found = read(
        PROPOSED + b"text\n@edge src=1 dst=2 kind=use\n@status target=2 mark=validated\nmore\n"
    )
    assert [each.code for each in found] == ["POT5008"]
    assert trace.statuses[2].mark == "validated"
    assert [(edge.src, edge.dst) for edge in trace.of(Edge)] == [(1, 2)]


# --- fences --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"@node id=1 role=critic\n", b"\n\n", b"@@len=3@@", b"a\r\nb", "é🙂".encode(), b"\0"],
)
def test_a_fence_takes_exactly_its_bytes(content: bytes) -> None:
    trace, found = read(HEAD + b"@@len=%d@@%b\nafter\n" % (len(content), content))
    assert found == []
    assert [record.content for record in trace.of(Fence)] == [content]
    assert [record.content for record in trace.of(FreeText)] == [b"What is true?", b"after"]


def test_a_fence_at_the_very_end_needs_no_line_end() -> None:
    assert codes(HEAD + b"@@len=2@@ab") == []
    assert codes(HEAD + b"@@len=2@@ab\r") == []
    assert codes(HEAD + b"@@len=3@@ab") == ["POT5003"]
    assert codes(HEAD + b"@@len=1@@ab") == ["POT5004"]


def test_line_ends_may_be_those_of_windows() -> None:
    """[DOT-LEX-2]"""
    data = APPENDIX_A.replace(b"\n", b"\r\n")
    trace, found = read(data)
    assert found == []
    assert without_places(trace) == without_places(read(APPENDIX_A)[0])
    assert emit(trace) == APPENDIX_A


@pytest.mark.parametrize("other", ["\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
def test_nothing_else_ends_a_line(other: str) -> None:
    """[DOT-LEX-2]"""
    trace, found = read(HEAD + f"text{other}@node id=2 role=critic\n".encode())
    assert [len(trace.nodes), found] == [1, []]


def test_records_have_exact_places_in_bytes() -> None:
    data = '@node id=1 role=problem\nÄpfel\n@node id=2 role=proposer\n@prop id=2 ["é", 1]\n'.encode()
    trace, found = read(data)
    assert found == []
    assert [data[record.start : record.end] for record in trace.records] == data.splitlines()
    prop = trace.props[2]
    assert data[prop.json_start :].startswith(b'["\xc3\xa9"')
    place = trace.json_of(prop).place(Place("/1"))
    where = trace.document.locate(place)
    assert where is not None and (where.line, where.column) == (4, 18)


# --- the order of records ------------------------------------------------------------------------

BLOCK = (
    *(b"@edge src=2 dst=4 kind=critique", b"@status target=2 mark=validated", b"@entails src=2 dst=3"),
    *(b"@eq src=2 dst=3", b'@prop id=4 "p"', b"text"),
)


@pytest.mark.parametrize("profile", ["strict", "paper"])
@pytest.mark.parametrize("first", range(len(BLOCK)))
@pytest.mark.parametrize("second", range(len(BLOCK)))
def test_the_order_of_each_pair_of_records(first: int, second: int, profile: Profile) -> None:
    start = b"@node id=2 role=proposer\n@node id=3 role=proposer\n@node id=4 role=critic\n"
    data = start + BLOCK[first] + b"\n" + BLOCK[second] + b"\n"
    again = first == second and first in (1, 4)
    late_status = profile == "paper" and (first, second) == (5, 1)
    expected = [] if (first <= second and not again) or late_status else ["POT5008"]
    if again:
        expected = ["POT5009", "POT5031"] if first == 1 else ["POT5009"]
    assert sorted(codes(data, profile)) == expected


def test_the_paper_admits_one_status_in_one_of_two_places() -> None:
    start = b"@node id=2 role=proposer\n@node id=3 role=proposer\n@node id=4 role=critic\n"
    status, other = b"@status target=2 mark=validated\n", b"@status target=3 mark=validated\n"
    prop = b'@prop id=4 "p"\n'
    assert codes(start + b"text\n" + status + b"more\n@@len=1@@x\n") == []
    assert codes(start + status + b"text\n" + other) == ["POT5009"]
    assert codes(start + prop + status) == ["POT5008"]
    assert codes(start + prop + b"text\n" + status) == []
    assert codes(start + b"text\n" + status + prop) == ["POT5008"]


@pytest.mark.parametrize("profile", ["strict", "paper"])
def test_the_grammar_is_lalr_without_conflicts(profile: Profile) -> None:
    from ply import yacc

    class Log(yacc.NullLogger):  # type: ignore[misc, name-defined]
        said: list[str] = []  # noqa: RUF012

        def warning(self, message: str, *arguments: object) -> None:
            self.said.append(message % arguments)

        error = warning

    grammar = yacc.Grammar(
        ["NODE", "EDGE", "STATUS", "ENTAILS", "EQ", "COEQ", "PROP", "TEXT", "FENCE", "END", "BLANK"]
    )
    for name, text in productions(GRAMMARS[profile]):
        for right in text.split(":", 1)[1].split("|"):
            grammar.add_production(name, right.split())
    grammar.set_start("trace")
    table = yacc.LRGeneratedTable(grammar, "LALR", Log())
    assert table.sr_conflicts == [] and table.rr_conflicts == []
    assert grammar.undefined_symbols() == [] and grammar.unused_rules() == []


def test_no_file_is_written_by_reading(tmp_path: Path) -> None:
    before = sorted(
        path for path in (ROOT / "potlang" / "languages" / "dot").rglob("*") if path.suffix != ".pyc"
    )
    script = (
        "import sys, potlang.languages.dot.read.reader as r, potlang.diag as d; r.read_trace(b'x', d.Sink())"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {script}"],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    after = sorted(
        path for path in (ROOT / "potlang" / "languages" / "dot").rglob("*") if path.suffix != ".pyc"
    )
    assert after == before
    assert list(tmp_path.iterdir()) == []


def test_a_module_of_the_name_of_plys_tables_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "parsetab.py").write_text("raise SystemExit(3)")
    (tmp_path / "no_tables.py").write_text("raise SystemExit(4)")
    script = (
        "import sys, potlang.languages.dot.read.reader as r, potlang.diag as d; r.read_trace(b'x', d.Sink())"
    )
    command = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; {script}"
    done = subprocess.run([sys.executable, "-c", command], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("flags", [[], ["-OO"]])
def test_ply_is_imported_only_where_a_trace_is_read(flags: list[str]) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import potlang; "
        "import potlang.languages.dot.read.reader as r; "
        "assert not any(name.split('.')[0] == 'ply' for name in sys.modules); "
        "from potlang.diag import Sink; s = Sink(); t = r.read_trace(b'@node id=1 role=problem\\nx', s); "
        "sys.exit(len(s) + (len(t.records) != 2))"
    )
    done = subprocess.run([sys.executable, *flags, "-c", script], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


# --- the end, the budget, limits -----------------------------------------------------------------

SUMMARY = (
    PROPOSED + b"@status target=2 mark=validated\n@node id=3 role=summarizer\n@edge src=2 dst=3 kind=use\n"
)


def test_the_end_ends_the_trace() -> None:
    trace, found = read(SUMMARY + b"So it is.\n<summarizer:end>\n\n \n")
    assert found == []
    assert isinstance(trace.records[-1], End)
    assert codes(SUMMARY + b"<summarizer:end>\nmore\nand more\n@node id=4 role=critic\n") == ["POT5010"]
    assert codes(SUMMARY + b"<summarizer:end>\n<summarizer:end>\n") == ["POT5010"]


def test_the_end_is_text_elsewhere() -> None:
    trace, found = read(
        HEAD + b"<summarizer:end>\nmore\n@node id=2 role=summarizer\n <summarizer:end>\nmore\n"
    )
    assert found == []
    assert len(list(trace.of(FreeText))) == 5


def test_the_budget_counts_all_records_but_statuses() -> None:
    data = SUMMARY + b"text\n@@len=1@@x\n"
    assert [codes(data, budget=budget) for budget in (5, 4, 3)] == [[], [], ["POT5011"]]


def test_limits() -> None:
    assert codes(HEAD, limits=InputLimits(bytes=5)) == ["POT0002"]
    assert codes(b"@node id=%b role=problem\n" % (b"9" * 600)) == []
    assert codes(b"@node id=%b role=problem\n" % (b"9" * 601)) == ["POT0004"]
    assert codes(HEAD + b"@@len=%b@@\n" % (b"9" * 601)) == ["POT0004"]
    deep = b"[" * 600 + b"]" * 600
    assert codes(b"@node id=1 role=problem\n@prop id=1 %b\n" % deep) == ["POT0003"]
    assert codes(b"@node id=1 role=problem\n@prop id=1 %b\n" % (b"[" * 100_000)) == ["POT0003"]
    long = b'@node id=1 role=problem\n@prop id=1 "%b"\n' % (b"x" * 10_001)
    assert codes(long) == ["POT0007"]


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    assert [d.code for d in _diagnostics(tmp_path / "none.dot.txt")] == ["POT0006"]
    (tmp_path / "utf16.dot.txt").write_bytes("@node id=1 role=problem\n".encode("utf-16"))
    assert [d.code for d in _diagnostics(tmp_path / "utf16.dot.txt")] == ["POT1002"]
    (tmp_path / "mark.dot.txt").write_bytes(b"\xef\xbb\xbf" + HEAD)
    assert _diagnostics(tmp_path / "mark.dot.txt") == []


def _diagnostics(path: Path) -> list[Diagnostic]:
    read_trace(path, sink := Sink())
    return sink.diagnostics()


def test_text_may_be_a_string_with_anything_in_it() -> None:
    assert codes("@node id=1 role=problem\nÄ\n") == []
    assert codes("@node id=1 role=problem\n\ud800\n") == ["POT5005"]


# --- the role-tagged form ------------------------------------------------------------------------

TAGGED = (
    b"<proposer>\nx > 2 holds.\n\n@home it does\n</proposer>\nnoise\n"
    b"<critic>Yes.</critic>\n<summarizer>\nSo.\n</summarizer>\n"
)


def test_the_role_tagged_form_is_an_untyped_trace() -> None:
    """[DOT-TAG-1] [DOT-TAG-2]"""
    trace, found = read(TAGGED)
    assert found == []
    assert detect(TAGGED) == "tagged"
    assert not trace.is_typed
    assert [(node.id, node.role) for node in trace.nodes.values()] == [
        (1, "proposer"),
        (2, "critic"),
        (3, "summarizer"),
    ]
    assert trace.texts() == {1: b"x > 2 holds.\n\n@home it does", 2: b"Yes.", 3: b"So."}
    assert not list(trace.of(Edge)) and not trace.statuses and not trace.props


def test_the_role_tagged_form_is_written_as_a_well_formed_trace() -> None:
    trace, _ = read(TAGGED)
    again, found = read(emit(trace))
    assert found == []
    assert again.texts() == trace.texts()


def test_tags_that_do_not_match_are_reported() -> None:
    assert codes(b"<proposer>a<critic>b</critic></proposer>") == ["POT5050", "POT5051"]
    trace, _ = read(b"<proposer>a<critic>b")
    assert trace.texts() == {1: b"a", 2: b"b"}
    assert codes(b"<proposer>caf\xe9</proposer>") == ["POT5005"]


def test_forms_are_told_apart_by_records() -> None:
    assert detect(b"text <proposer> more\n@node id=1 role=problem\n") == "records"
    assert detect(b"nothing of the kind") is None
    assert codes(HEAD + b"I write <proposer> here.\n") == []


# --- the rules -----------------------------------------------------------------------------------


def test_every_rule_has_its_paragraph_in_the_specification() -> None:
    chapters = ("20-dot.md", "21-stream.md")
    text = "".join((ROOT / "spec" / each).read_text(encoding="utf-8") for each in chapters)
    for code, rule in RULES.items():
        assert f"**[{rule.section}]**" in text, rule
        paragraph = text.split(f"**[{rule.section}]**")[1].split("\n\n**[")[0]
        assert code in paragraph, (code, rule.section)

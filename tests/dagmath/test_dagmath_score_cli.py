"""`potc score`, its tables in every form, and its figures."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from dagmath_support import solution_of
from jsonschema import Draft202012Validator

from potlang.cli.score import score as command
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.check.metrics import Shape
from potlang.languages.dagmath.write import solution_value
from potlang.report.table import Column, Table, latex, tables_csv, to_csv, to_json, to_latex, to_text
from potlang.score.plots import COLOURS, quantile
from potlang.score.scores import Scores
from potlang.score.tables import Comparison, tables_of
from potlang.score.tally import Tally
from potlang.testing.solutions import solution
from potlang.utils import extra
from potlang.utils.installation import install_command

ROOT = Path(__file__).parents[2]
SCHEMA = Draft202012Validator(json.loads((ROOT / "schemas" / "dagmath-score-1.json").read_text("utf-8")))


def sample(random: Random, **metadata: Any) -> str:
    found = solution(random, most=9, formatted=random.random() < 0.5)
    return json.dumps({**solution_value(found), "correct": random.random() < 0.6, **metadata})


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on two data sets under two prompts, four problems of five samples each."""
    random = Random(11)
    path = tmp_path_factory.mktemp("samples") / "samples.jsonl"
    lines = [
        sample(random, model=model, dataset=data, prompt=prompt, problem_id=f"p{p}", difficulty=p + 0.5)
        for model in ("alpha", "beta_2")
        for data in ("AIME", "HMMT")
        for prompt in ("original", "re-phrase")
        for p in range(4)
        for _ in range(5)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def potc(*arguments: object, given: str | bytes | None = None) -> Result:
    found = CliRunner().invoke(command, [str(each) for each in arguments], input=given)
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found


def test_scores_for_people(samples: Path) -> None:
    """[DAG-SCORE]: a row for each group, sorted."""
    found = potc(samples, "--by", "model,dataset", "--pass-k", "1,3")
    assert found.exit_code == 0
    assert all(name in found.stdout for name in ("PASS@1", "PASS@3", "PRR", "Δ", "CI(Δ)", "AUC"))
    rows = [line.split()[:2] for line in found.stdout.splitlines() if re.match(r" (alpha|beta)", line)]
    assert rows == [["alpha", "AIME"], ["alpha", "HMMT"], ["beta_2", "AIME"], ["beta_2", "HMMT"]]


def test_scores_as_json_are_as_the_schema_says(samples: Path) -> None:
    """[DAG-SCORE]"""
    found = potc(samples, "--by", "model", "--compare", "prompt", "--tables", "--gold", "--format", "json")
    value = json.loads(found.stdout)
    assert [each.message for each in SCHEMA.iter_errors(value)] == []
    assert [each["group"]["model"] for each in value["groups"]] == ["alpha", "alpha", "beta_2", "beta_2"]
    assert {each["name"] for each in value["tables"]} >= {"success", "accuracy", "gap", "equivalence"}
    assert value["gold"] <= sum(each["perfect"] for each in value["groups"])
    again = potc(samples, "--by", "model", "--compare", "prompt", "--tables", "--gold", "--format", "json")
    assert again.stdout == found.stdout


def test_scores_as_csv_are_the_same_numbers(samples: Path) -> None:
    """[DAG-SCORE]"""
    rows = list(csv.DictReader(io.StringIO(potc(samples, "--by", "model", "--format", "csv").stdout)))
    value = json.loads(potc(samples, "--by", "model", "--format", "json").stdout)
    for row, group in zip(rows, value["groups"], strict=True):
        assert row["model"] == group["group"]["model"]
        assert (float(row["PASS@1"]), float(row["PRR"])) == (group["pass_1"], group["prr"])
        assert [float(row["CI(Δ) low"]), float(row["CI(Δ) high"])] == group["gap_interval"]


def test_exit_codes_and_what_is_malformed(samples: Path, tmp_path: Path) -> None:
    """[DAG-SCORE-EXIT]"""
    assert potc(samples).exit_code == 0
    bad = tmp_path / "bad.jsonl"
    bad.write_text(samples.read_text() + '\n{"problem_id": "p1", "steps": [\n')
    found = potc(bad)
    assert found.exit_code == 1
    assert f"{bad}:161:" in found.stderr and "error[POT1001]" in found.stderr
    assert "1 of 161 samples are malformed: 1 POT1001" in found.stderr
    assert potc("-", given="nonsense\n").exit_code == 2
    assert potc("-", given="").exit_code == 2
    missing = potc(tmp_path / "missing.jsonl")
    assert (missing.exit_code, "POT0006" in missing.stderr) == (2, True)
    assert potc(samples, tmp_path / "missing.jsonl").exit_code == 2


def test_standard_input_and_several_files(samples: Path) -> None:
    """[DAG-SCORE]"""
    once = json.loads(potc(samples, "--format", "json").stdout)
    twice = json.loads(potc("-", samples, "--format", "json", given=samples.read_bytes()).stdout)
    assert twice["samples"] == 2 * once["samples"]
    assert twice["groups"][0]["pass_1"] == once["groups"][0]["pass_1"]


@pytest.mark.parametrize(
    "options",
    [
        ["--by", "model,model"],
        ["--pass-k", "0"],
        ["--pass-k", "x"],
        ["--compare", "a,b,c"],
        ["--by", "model", "--compare", "model"],
        ["--margin", "0"],
        ["--margin", "nan"],
        ["--compare", "prompt", "--baseline", "none", "--tables"],
        ["--baseline", "original"],
    ],
)
def test_options_without_sense_are_refused(options: list[str], samples: Path) -> None:
    found = potc(samples, *options)
    assert found.exit_code == 2
    assert "Error" in found.stderr


def test_a_missing_library_is_named(samples: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """[DAG-EXTRA]"""

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(extra, "import_module", missing)
    found = potc(samples, "--plots", tmp_path / "out")
    assert found.exit_code != 0
    assert f"is needed: {install_command('dagmath')}" in found.stderr


# --- tables ------------------------------------------------------------------------------------------


def scores_of(cells: dict[tuple[str, ...], tuple[int, int, int]], by: tuple[str, ...]) -> Scores:
    """Scores of groups with so many perfect, imperfect and wrong samples of one problem."""
    tally = Tally()
    for group, (perfect, imperfect, wrong) in cells.items():
        kinds = [(Shape(3, 2, 1, 1, 2), True)] * perfect + [(Shape(3, 1, 1, 1, 1), True)] * imperfect
        for shape, correct in kinds + [(Shape(5, 6, 2, 3, 4), False)] * wrong:
            tally.add(shape, correct, group=group, problem="p", difficulty=1.5)
    return Scores(by, tally)


def only(tables: list[Table], name: str) -> Table:
    (found,) = [each for each in tables if each.name == name]
    return found


def test_table_3_has_gaps_and_deviations() -> None:
    """[DAG-TABLES]: PASS@1, R̂ and gap; Std with ddof 1 below."""
    scores = scores_of({("a", "D"): (1, 1, 2), ("b", "D"): (2, 1, 1)}, ("model", "dataset"))
    found = only(tables_of(scores), "accuracy")
    assert found.rows[0][:3] == ("a", 0.5, (0.25, 0.25))
    assert found.rows[1][:3] == ("b", 0.75, (0.5, 0.25))
    assert found.rows[2][0] == "Std"
    assert math.isclose(found.rows[2][1], 0.25 / math.sqrt(2))  # type: ignore[arg-type]
    assert "25.0 (25.0↓)" in to_text(found)
    assert r"\multicolumn{3}{c}{D}" in to_latex(found)


def test_tables_4_to_6_have_a_row_for_each_class() -> None:
    """[DAG-TABLES]"""
    scores = scores_of({("a", "D"): (1, 1, 2), ("a", "E"): (0, 0, 1)}, ("model", "dataset"))
    one, other = [each for each in tables_of(scores) if each.name == "statistics"]
    assert [row[1:3] + row[-1:] for row in one.rows] == [
        ("All", 4.0, 4),
        ("Incorrect", 5.0, 2),
        ("Correct", 3.0, 2),
        ("Perfect", 3.0, 1),
    ]
    assert other.rows[3][1:] == ("Perfect", None, None, None, None, None, 0)
    assert to_text(one).count(" a ") == 1
    assert [row[0] for row in csv.reader(io.StringIO(to_csv(one)))][1:] == ["a"] * 4


@pytest.mark.parametrize(
    "text", ["=1+1", "+x|y", "-2+3", "@S(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "-", "-1x"]
)
def test_no_cell_is_run_by_a_spreadsheet(text: str) -> None:
    """[DAG-CSV]: in the head, in cells and in titles; what else stands there comes back as it is."""
    table = Table(
        "t", "", f"a,{text}", (Column(text), Column("b")), ((text, -0.5), ("-1.5e3", 7), ("a\r=", None))
    )
    title, head, *rows = csv.reader(io.StringIO(tables_csv([table]), newline=""))
    assert len(title) == 1
    assert head == [f"'{text.strip()}", "b"]
    assert rows == [[f"'{text}", "-0.5"], ["-1.5e3", "7"], ["a\r=", ""]]


def test_table_2_counts_successes_by_difficulty() -> None:
    """[DAG-TABLES]"""
    found = only(tables_of(scores_of({(): (3, 1, 4)}, ())), "success")
    assert found.rows == (("(1, 2]", 8, 3, 0.375),)


def test_comparisons_have_the_form_of_tables_1_and_8_to_12(samples: Path) -> None:
    """[DAG-TABLES]"""
    options = ["--by", "model,dataset", "--compare", "prompt", "--baseline", "re-phrase", "--tables"]
    value = json.loads(potc(samples, *options, "--format", "json").stdout)
    tables = {
        name: [each for each in value["tables"] if each["name"] == name] for name in ("rates", "equivalence")
    }
    (rates,) = tables["rates"]
    assert rates["columns"] == [
        "Model",
        "PASS@1 re-phrase",
        "PASS@1 original",
        "PRR re-phrase",
        "PRR original",
    ]
    assert len(rates["rows"]) == len(tables["equivalence"]) == 4
    assert tables["equivalence"][0]["title"].startswith("TOST of re-phrase and original over 4 problems")
    assert [row[0] for row in tables["equivalence"][0]["rows"]][:3] == ["#nodes", "#edges", "density"]


def test_two_fields_compared_make_table_11(samples: Path) -> None:
    """[DAG-TABLES]: the first field's values stand over the second's."""
    options = ["--by", "model", "--compare", "dataset,prompt", "--format", "latex"]
    text = potc(samples, *options).stdout
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") > 4
    assert r" & \multicolumn{2}{c}{AIME} & \multicolumn{2}{c}{HMMT} \\" in text
    assert "Metric & original & re-phrase & original & re-phrase" in text
    assert r"beta\_2" in text


def test_latex_escapes_whatever_a_name_has() -> None:
    """[DAG-TABLES]"""
    assert latex("a_b & 50% of {x} #1 $") == r"a\_b \& 50\% of \{x\} \#1 \$"
    assert latex("1.50e-07") == r"$1.50 \times 10^{-7}$"
    assert latex("d_in^max").startswith("$d_")
    assert latex("\\input{x}") == r"\textbackslash{}input\{x\}"


def test_every_table_has_every_form(samples: Path) -> None:
    """[DAG-TABLES]: as many columns in each row, in each form."""
    from potlang.score.scoring import score

    scores = score(samples, by=("model", "dataset", "prompt"))
    for each in tables_of(scores, Comparison(1)):
        assert {len(row) for row in each.rows} <= {len(each.columns)}
        assert len({len(row) for row in csv.reader(io.StringIO(to_csv(each)))}) == 1
        body = to_latex(each).partition("\\midrule")[2].partition(r"\bottomrule")[0].strip().splitlines()
        cells = [len(re.findall(r"(?<!\\)&", line)) for line in body]
        assert cells == [len(each.columns) - 1] * len(each.rows)
        assert json.loads(json.dumps(to_json(each)))["rows"]
        assert to_text(each).startswith(each.title)


# --- figures -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_figures_are_written_and_reproducible(samples: Path, tmp_path: Path) -> None:
    """[DAG-PLOTS]: figures 3, 4 and 6 as SVG and PNG; the same samples give the same bytes."""
    pytest.importorskip("matplotlib")
    for name in ("one", "two"):
        assert potc(samples, "--by", "model,dataset", "--plots", tmp_path / name).exit_code == 0
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    stems = ["figure-3-difficulty", "figure-4-closeness", "figure-6-unclosed"]
    assert names == [f"{stem}{suffix}" for stem in stems for suffix in (".png", ".svg")]
    for name in names:
        one, two = ((tmp_path / each / name).read_bytes() for each in ("one", "two"))
        assert one == two
        if name.endswith(".svg"):
            assert ET.fromstring(one).tag.endswith("svg")
        else:
            assert one.startswith(b"\x89PNG")


def test_the_unclosed_are_drawn_apart() -> None:
    """[DAG-PLOTS]: one circle a step, orange if no later step uses it."""
    pytest.importorskip("matplotlib")
    from matplotlib.colors import to_hex
    from matplotlib.patches import Circle

    from potlang.drawing.solution import solution_figure

    graph = Graph(((), (), (0,), (0, 2), (3,)))
    ids = [step.id for step in solution_of(graph).steps]
    figure = solution_figure(graph, ids)
    circles = [each for each in figure.axes[0].patches if isinstance(each, Circle)]
    orange = [at for at, each in enumerate(circles) if to_hex(each.get_facecolor()) == "#e69f00"]
    assert len(circles) == 5
    assert orange == graph.unclosed() == [1]
    texts = figure.axes[0].texts
    assert sorted(each.get_text() for each in texts if each.get_text()) == ["1", "2", "3", "4", "5"]


def test_nothing_is_cut_off(tmp_path: Path) -> None:
    """[DAG-PLOTS]: with many groups of long names, all text lies within the figure."""
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from potlang.score.plots import curves_figure, difficulty_figure

    names = [f"model-{at:02}-with-quite-a-long-name" for at in range(15)]
    cells = {(name, data): (1, 2, 3) for name in names for data in ("AIME 2025", "BRUMO 2025", "HMMT 2025")}
    scores = scores_of(cells, ("model", "dataset"))
    figures = [curves_figure(scores), difficulty_figure(scores.tally)]
    for figure in figures:
        assert figure is not None
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        box = figure.get_tightbbox(canvas.get_renderer())  # type: ignore[arg-type]
        width, height = figure.get_size_inches()
        assert box.x0 >= -0.01 and box.y0 >= -0.01 and box.x1 <= width + 0.01 and box.y1 <= height + 0.01


def test_colours_are_told_apart_without_red_and_green() -> None:
    """[DAG-PLOTS]: neighbours in the palette differ in lightness or in blueness, whatever the hue."""

    def seen(colour: str) -> tuple[float, float]:
        red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue, blue - (red + green) / 2

    for at, one in enumerate(COLOURS):
        for other in COLOURS[at + 1 :]:
            assert math.dist(seen(one), seen(other)) > 0.1, (one, other)


@pytest.mark.parametrize("seed", range(5))
def test_quantiles_are_those_of_the_values(seed: int) -> None:
    """[DAG-PLOTS]"""
    values = sorted(Random(seed).choices(range(20), k=37))
    counts = {each: values.count(each) for each in values}
    for share in (0.05, 0.25, 0.5, 0.75, 0.95, 1.0):
        assert quantile(counts, share) == values[math.ceil(share * len(values)) - 1]


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """[DAG-GROUP]: names are shown with escapes, and kept as they are for machines."""
    path = tmp_path / "samples.jsonl"
    path.write_text(sample(Random(1), model="\x1b[31mred\u202e", dataset="d", difficulty=1))
    for style in ("text", "latex"):
        found = potc(path, "--by", "model,dataset", "--tables", "--format", style)
        assert not re.search("[\x1b\u202e]", found.output)
        assert "red" in found.stdout
    value = json.loads(potc(path, "--by", "model", "--format", "json").stdout)
    assert value["groups"][0]["group"] == {"model": "\x1b[31mred\u202e"}

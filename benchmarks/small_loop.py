"""SmolLM2 in the loop, held by a grammar and by nothing: `python benchmarks/small_loop.py --help`.

The model has 135 million weights and is run by numpy on one thread. Each question is asked with the short
prompt, and repaired as `potlang.reason` does; transcripts are kept, so that a run can be stopped and gone on
with.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import json  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, Unpack  # noqa: E402

import click  # noqa: E402

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

from model_work import problems  # noqa: E402
from models import weights  # noqa: E402
from outcome import finish  # noqa: E402
from small_model import SmallModel  # noqa: E402
from tables import table  # noqa: E402
from ways import Free, Grammared, Task, Text, matcher_of, write  # noqa: E402

import potlang  # noqa: E402
from potlang.decoding import TokenVocabulary, grammar  # noqa: E402
from potlang.models.endpoint import Completion, EndpointError, Message, Settings, Usage  # noqa: E402
from potlang.models.endpoint.model import every_setting  # noqa: E402
from potlang.models.programs.reasoned import Reasoned  # noqa: E402
from potlang.report.results import Limits  # noqa: E402

LIMITS = Limits(check_ms=5_000, total_ms=20_000)
Entry = dict[str, Any]


class HeldModel:
    """The model as the loop asks it; `way` makes the text that a reply becomes."""

    name = "SmolLM2-135M-Instruct"

    def __init__(self, model: SmallModel, way: Callable[[Task], Text], most: int) -> None:
        self._model = model
        self._way = way
        self._most = most

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The next message. Raises EndpointError for a conversation that is too long."""
        prompt = self._model.prompt([each._asdict() for each in messages])
        if len(prompt) + self._most > self._model.context:
            raise EndpointError("rejected", f"{len(prompt)} tokens are too many")
        task = Task("reply", (), (), every_setting(settings)["seed"])
        [text] = write(self._model, prompt, [self._way(task)])
        said = text.data().decode(errors="replace")
        finish_reason = "length" if text.ended == "cut" else "stop"
        return Completion(said, Usage(len(prompt), len(text.written)), finish_reason=finish_reason)


def ways_of(vocabulary: TokenVocabulary, most: int, temperature: float) -> dict[str, Callable[[Task], Text]]:
    """Nothing, and the grammar of whole programs."""
    given: dict[str, Any] = {"vocabulary": vocabulary, "most": most, "temperature": temperature}
    matcher = matcher_of(vocabulary, grammar("pot", "llguidance"))
    return {"nothing": partial(Free, **given), "grammar": partial(Grammared, matcher=matcher, **given)}


def entry_of(way: str, number: int, found: Reasoned) -> Entry:
    """What the journal has of a question."""
    first = found.attempts[0]
    return {
        "way": way,
        "question": number,
        "parses": not any(each["code"][:4] in ("POT0", "POT1") for each in first.diagnostics)
        and first.program is not None,
        "compiles at once": not first.problem,
        "compiles": found.report is not None,
        "fixes": sum(each.mended for each in found.attempts),
        "calls": len(found.attempts),
        "tokens": sum(each.completion_tokens or 0 for each in found.attempts),
        "cut": sum(each.finish_reason == "length" for each in found.attempts),
        "verdict": str(found.verdict),
        "transcript": found.to_dict(),
    }


def rows(entries: Sequence[Entry]) -> list[list[Any]]:
    """For each way, how many questions, and the shares and means of what was found."""
    found = []
    for way in dict.fromkeys(each["way"] for each in entries):
        some = [each for each in entries if each["way"] == way]
        shares = [
            round(100 * sum(each[key] for each in some) / len(some))
            for key in ("parses", "compiles at once", "compiles")
        ]
        means = [sum(each[key] for each in some) / len(some) for key in ("calls", "fixes", "tokens", "cut")]
        found.append([way, len(some), *shares, *means])
    return found


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--questions", default=10, show_default=True, help="Questions.")
@click.option("--attempts", default=3, show_default=True, help="Replies for one program.")
@click.option("--max-tokens", default=220, show_default=True, help="Of a reply.")
@click.option("--temperature", default=0.5, show_default=True, help="Of the choice by chance.")
@click.option(
    "--journal",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("small_loop.jsonl"),
    show_default=True,
    help="What was asked so far; gone on with.",
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
def main(
    questions: int, attempts: int, max_tokens: int, temperature: float, journal: Path, json_path: Path | None
) -> None:
    """Shares of questions for which SmolLM2 writes a program that compiles, with and without a grammar."""
    from gguf import GGUFReader

    path = weights()
    small, vocabulary = SmallModel(path), TokenVocabulary.from_gguf(GGUFReader(path))
    lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
    entries: list[Entry] = [json.loads(line) for line in lines]
    known = {(each["way"], each["question"]) for each in entries}
    ways = ways_of(vocabulary, max_tokens, temperature)
    for number, (question, _, _) in enumerate(problems(questions)):
        for way, begin in ways.items():
            if (way, number) in known:
                continue
            model = HeldModel(small, begin, max_tokens)
            found = potlang.reason(
                question, model, prompt="short", attempts=attempts, seed=1_000 * number, limits=LIMITS
            )
            entries.append(entry_of(way, number, found))
            with journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entries[-1], ensure_ascii=False) + "\n")
            click.echo(f"{way}: question {number}: {found.verdict}, {len(found.attempts)} calls", err=True)
    headings = ["in the loop", "questions", "parses %", "compiles at once %", "compiles %"]
    click.echo(table([*headings, "calls", "fixes", "tokens", "cut"], rows(entries)))
    finish("small_loop", {"rows": rows(entries)}, [], json_path, False)


if __name__ == "__main__":
    main()

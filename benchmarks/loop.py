"""What the parts of the loop are worth: safe fixes first, the second look, votes by option.

    python benchmarks/loop.py CASES --count 30

CASES is a folder of families, JSON Lines with a program a line, a question, and its right answer. No model is
asked. First the recorded programs of several models are replies, one each: none of them has a second one.
Then a mocked writer plays the recorded programs with mistakes (`mistakes.py`) by a seed, and mends all that
it is told of: this shows what each part can mend at most, at rates that are set here and measured nowhere.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE)]

from mistakes import with_mistake, with_slip  # noqa: E402

from potlang.models.endpoint import Completion, Message, Sampling, Usage  # noqa: E402
from potlang.models.evaluation import (  # noqa: E402
    AnswerReading,
    Asks,
    LoopOptions,
    Question,
    QuestionOutcome,
    WritingModel,
    compare_runs,
    run,
    summarize,
)
from potlang.models.evaluation.questions import question_of  # noqa: E402
from potlang.report.table import Column, Table, to_text  # noqa: E402

FAMILIES = ("folio_llm", "proofwriter_llm", "prontoqa_llm", "logicaldeduction_llm", "arlsat_llm")
ILL_TYPED = "illtyped_llm"
TRIES = 3
K = 3
WITHOUT = {
    "all parts": LoopOptions(K),
    "without safe fixes": LoopOptions(K, safe_fixes=False),
    "without second look": LoopOptions(K, second_look=False),
    "without votes by option": LoopOptions(K, by_option=False),
    "without all three": LoopOptions(K, second_look=False, safe_fixes=False, by_option=False),
}


class Asked(NamedTuple):
    """A question, and the programs that models wrote for it, one each."""

    question: Question
    programs: tuple[dict[str, Any], ...]


def cases(folder: Path, family: str, count: int, seed: int) -> list[Asked]:
    """Questions of a family, drawn by the seed; programs of one question by different models are together."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (folder / f"{family}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        rows[row["id"].rpartition("/")[0]].append(row)
    chosen = sorted(rows)
    Random(f"{seed}/{family}").shuffle(chosen)
    return [_asked(key, rows[key], family) for key in sorted(chosen[:count])]


def _asked(key: str, rows: Sequence[dict[str, Any]], family: str) -> Asked:
    first = rows[0]
    # Programs that do not compile are recorded without the question's text, and count as rejected.
    text = first.get("text") or f"(the question {key})"
    answer = first["gold_raw"] if family == ILL_TYPED else first["gold"]
    question = question_of({**first, "id": key, "gold": answer, "text": text, "program": None})
    if not question.options:
        asks = Asks.YES_NO if family.startswith("prontoqa") else Asks.THREE
        question = question._replace(asks=asks)
    return Asked(question, tuple(each["program"] for each in rows))


class Writer:
    """A mocked model: it plays programs, the sample number i that of the model number i.

    `mistakes` is how often a first reply has a mistake of form, `slips` how often it means something else. It
    mends either when it is told of it: in a repair, in a second look.
    """

    name = "mocked writer"

    def __init__(self, asked: Sequence[Asked], mistakes: float, slips: float, seed: int) -> None:
        self._programs = {f"\n{each.question.text}\n": each for each in asked}
        self._mistakes = mistakes
        self._slips = slips
        self._seed = seed

    def complete(self, messages: Sequence[Message], **settings: Any) -> Completion:
        """The reply to a conversation: it depends on that, and on the number of the sample."""
        asked = next(each for text, each in self._programs.items() if text in messages[1].text)
        number = settings["seed"] // TRIES % len(asked.programs)
        random = Random(f"{self._seed}/{asked.question.id}/{settings['seed'] // TRIES}")
        program = asked.programs[number]
        has_mistake, has_slip = random.random() < self._mistakes, random.random() < self._slips
        written = with_slip(program, random) if has_slip else program
        said = messages[-1].text
        if len(messages) == 2:
            reply = with_mistake(written, random)[1] if has_mistake else _json(written)
        elif said.startswith("This program compiles"):
            reply = _json(program)
        else:
            reply = _json(written)
        prompt = sum(_pieces(each.text) for each in messages)
        return Completion(reply, Usage(prompt, _pieces(reply)), 0.0)


def _json(program: Mapping[str, Any]) -> str:
    return json.dumps(program, ensure_ascii=False, indent=1)


def _pieces(text: str) -> int:
    """Words and signs: no tokenizer's tokens, but as many in each run."""
    return len(re.findall(r"\w+|[^\w\s]", text))


class Measured(NamedTuple):
    """A run: what was asked, with which parts, and its outcomes."""

    replies: str
    parts: str
    questions: list[Question]
    outcomes: list[QuestionOutcome]


def measured(
    replies: str, asked: Sequence[Asked], writer: Writer, tries: int, options: Mapping[str, LoopOptions]
) -> Iterator[Measured]:
    """A run with each choice of parts."""
    questions = [each.question for each in asked]
    for parts, each in options.items():
        model = WritingModel(writer, Sampling(tries, seed=0), each)
        found = run(questions, model)
        yield Measured(replies, parts, questions, list(found.outcomes))


# --- tables ----------------------------------------------------------------------------------------


def table(runs: Sequence[Measured], seed: int) -> Table:
    """A row for each family and run; differences are those of questions answered right, to all parts."""
    columns = [Column("family"), Column("parts"), Column("questions", "count"), Column("compiled", "percent")]
    columns += [Column(str(each), "percent", "right by") for each in AnswerReading]
    columns += [Column("points", "points", "right by verdict less all parts"), Column("interval", "percents")]
    columns += [Column("calls", "fine", "a question"), Column("prompt", "decimal", "a question, pieces")]
    columns += [Column("completion", "decimal", "a question, pieces")]
    whole = runs[0]
    rows = []
    for each in runs:
        for family, summary in _families(each):
            found = summary.verdict.metrics["right"].value, summary.paper.metrics["right"].value
            difference, interval = _difference(whole, each, family, seed)
            count = max(summary.questions, 1)
            cost = summary.cost
            rows.append(
                (
                    family,
                    each.parts,
                    summary.questions,
                    summary.compiled / count,
                    found[1],
                    found[0],
                    difference,
                    interval,
                    cost.calls / count,
                    (cost.prompt_tokens or 0) / count,
                    (cost.completion_tokens or 0) / count,
                )
            )
    rows.sort(key=lambda row: str(row[0]))
    return Table("loop", "", runs[0].replies, tuple(columns), tuple(rows), grouped=True)


def _families(each: Measured) -> Iterator[tuple[str, Any]]:
    for summary in summarize(each.questions, each.outcomes, resamples=0):
        yield summary.family, summary


def _difference(whole: Measured, other: Measured, family: str, seed: int) -> tuple[Any, Any]:
    """The difference to all parts in questions that are right by verdict, with its interval."""
    if other is whole:
        return None, None
    questions = {each.id: each for each in whole.questions}
    sides = [{each.id: each for each in side.outcomes} for side in (whole, other)]
    for found in compare_runs(questions, *sides, seed=seed).families:
        if found.family == family:
            estimate = found.rates[AnswerReading.VERDICT]["right"].difference
            return estimate.value, estimate.interval and tuple(estimate.interval)
    return None, None


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--count", default=30, help="Questions of each family.")
@click.option("--seed", default=1)
@click.option("--mistakes", default=0.5, help="Share of first replies of the mocked writer with one of form.")
@click.option("--slips", default=0.3, help="Share of them that mean something else.")
def main(folder: Path, count: int, seed: int, mistakes: float, slips: float) -> None:
    """Evaluates the loop with and without its parts on questions with recorded programs."""
    asked = [each for family in FAMILIES for each in cases(folder, family, count, seed)]
    ill_typed = cases(folder, ILL_TYPED, count, seed)
    click.echo("No model is asked: replies are recorded, or mocked. Pieces are words and signs.\n")
    plain = Writer([*asked, *ill_typed], 0.0, 0.0, seed)
    recorded = {name: WITHOUT[name] for name in ("all parts", "without votes by option")}
    title = f"Recorded replies, one of each model, {K} vote; no second reply is recorded"
    click.echo(to_text(table([*measured(title, asked, plain, 1, recorded)], seed)))
    broken = {name: WITHOUT[name]._replace(k=1) for name in ("all parts", "without safe fixes")}
    title = "Recorded programs with errors of sort, of one model"
    click.echo(to_text(table([*measured(title, ill_typed, plain, 1, broken)], seed)))
    mocked = Writer(asked, mistakes, slips, seed)
    title = (
        f"Mocked writer: {mistakes:.0%} of first replies have a mistake of form, {slips:.0%} mean something "
        f"else; it mends all that it is told; up to {TRIES} replies, {K} programs vote"
    )
    click.echo(to_text(table([*measured(title, asked, mocked, TRIES, WITHOUT)], seed)))


if __name__ == "__main__":
    main()

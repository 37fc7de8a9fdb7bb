"""Solutions that people and models wrote, step by step: `python benchmarks/steps.py DIR --help`.

DIR has JSON Lines with `problem`, `steps` (paragraphs) and `label` (the first wrong paragraph, -1 if none).
Each sentence is a step that rests on all before it. Beside potlang stands what a few regular expressions
find, which evaluate each `calculation = number` in plain digits.
"""

from __future__ import annotations

import json
import math
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

from potlang import dagmath  # noqa: E402
from potlang.dagmath import Solution, Step, wilson  # noqa: E402

RIGHT = ("gsm8k_human", "math500_reference")
"""Sets whose solutions are right."""
CHECKED = ("proved", "refuted", "not entailed")
_RELATION = re.compile(r"[=<>]|\\le|\\ge")
_FORMULA = re.compile(r"\\\[.*?\\\]|\\\(.*?\\\)|\$\$.*?\$\$", re.DOTALL)
_SHORT_FORMULA = re.compile(r"(?<!\\)\$[^$\n]{1,300}?(?<!\\)\$")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\0])|\n+")


class Sentence(NamedTuple):
    """A sentence, and the paragraph that it stands in; -1 is the problem."""

    text: str
    paragraph: int


def sentences(text: str) -> list[str]:
    """The sentences of a text; formulas stay whole."""
    formulas: list[str] = []

    def kept(match: re.Match[str]) -> str:
        formulas.append(match[0])
        return f"\0{len(formulas) - 1}\0"

    text = _FORMULA.sub(kept, text.strip())
    if text.count("$") % 2 == 0 and not re.search(r"\$\d", text):
        text = _SHORT_FORMULA.sub(kept, text)
    found = (re.sub("\0(\\d+)\0", lambda mark: formulas[int(mark[1])], part) for part in _END.split(text))
    return [part.strip() for part in found if part.strip()]


def chain(row: dict[str, Any]) -> list[Sentence]:
    """The sentences of a problem and its solution."""
    found = [Sentence(text, -1) for text in sentences(row["problem"])]
    return found + [Sentence(text, at) for at, step in enumerate(row["steps"]) for text in sentences(step)]


def solution(said: list[Sentence]) -> Solution:
    """The sentences as steps, each of which rests on all before it."""
    return Solution(
        tuple(
            Step(at, "It follows.", tuple(range(1, at)) or None if each.paragraph >= 0 else None, each.text)
            for at, each in enumerate(said, start=1)
        )
    )


def verdicts(said: list[Sentence]) -> list[str]:
    """potlang's verdict on each sentence."""
    report = dagmath.verify(solution(said))
    return [str(step.result.verdict) if step.result else "" for step in report.steps]


_PLAIN = re.compile(
    r"(?<![\w.^}])(\(?-?[\d][\d\s.,$%()+*/x×÷-]*?)\s*=\s*\$?(-?[\d,]+(?:\.\d+)?)(?![\d\w^/%*+({])"
)
_CALCULATION = re.compile(r"[\d.+*/() -]+")


def plain(text: str) -> str:
    """`refuted` if a calculation in digits is wrong by more than rounding."""
    for left, right in _PLAIN.findall(text.replace("\\times", "*").replace("\\$", "")):
        made = (
            left.replace(",", "")
            .replace("$", "")
            .replace("x", "*")
            .replace("×", "*")
            .replace("÷", "/")
            .strip()
        )
        if not _CALCULATION.fullmatch(made) or not re.search(r"\d\s*[-+*/]\s*\(?\d", made):
            continue
        value = _value(made)
        if value is None:
            continue
        allowed = Fraction(1, 100) * max(Fraction(1), abs(value))
        if abs(value - Fraction(right.replace(",", ""))) > allowed:
            return "refuted"
    return ""


def _value(text: str) -> Fraction | None:
    """The value of sums of products and quotients without brackets; None of anything else."""
    total, sign = Fraction(0), 1
    try:
        for part in re.split(r"\s*([+-])\s*", text.strip()):
            if part in ("+", "-"):
                sign = 1 if part == "+" else -1
                continue
            first, *rest = re.split(r"\s*([*/])\s*", part)
            value = Fraction(first)
            for operator, factor in zip(rest[::2], rest[1::2], strict=True):
                value = value * Fraction(factor) if operator == "*" else value / Fraction(factor)
            total += sign * value
    except (ValueError, ZeroDivisionError):
        return None
    return total


class Found(NamedTuple):
    """What was found on a set: pairs of a count and of how many it is."""

    refuted: tuple[int, int]
    checked: tuple[int, int]
    wrong: tuple[int, int]
    clean: tuple[int, int]
    proved_wrong: tuple[int, int]
    proved_clean: tuple[int, int]
    plain_wrong: tuple[int, int]
    plain_clean: tuple[int, int]
    seconds: float
    slowest: float


def measured(rows: list[dict[str, Any]], show: int) -> Found:
    """The verdicts on all solutions of a set, beside the annotators' labels."""
    counts = dict.fromkeys(
        ("steps", "refuted", "relations", "checked", "wrong", "wrongs", "clean", "cleans"), 0
    )
    proved = dict.fromkeys(("wrong", "clean"), 0)
    plain_found = dict.fromkeys(("wrong", "clean"), 0)
    slowest, began = 0.0, time.perf_counter()
    for row in rows:
        said = chain(row)
        start = time.perf_counter()
        judged = verdicts(said)
        slowest = max(slowest, (time.perf_counter() - start) / max(1, len(said)))
        own = [(each, verdict) for each, verdict in zip(said, judged, strict=True) if each.paragraph >= 0]
        counts["steps"] += len(own)
        counts["refuted"] += sum(verdict == "refuted" for _, verdict in own)
        related = [verdict for each, verdict in own if _RELATION.search(each.text)]
        counts["relations"] += len(related)
        counts["checked"] += sum(verdict in CHECKED for verdict in related)
        first = next((each.paragraph for each, verdict in own if verdict == "refuted"), -1)
        simple = next((each.paragraph for each, _ in own if plain(each.text)), -1)
        kind = "clean" if row["label"] == -1 else "wrong"
        counts[f"{kind}s"] += 1
        counts[kind] += first == row["label"]
        # An error that annotators did not mark, and that the evaluator of the baseline finds false, too.
        texts = [each.text for each, verdict in own if each.paragraph == first and verdict == "refuted"]
        proved[kind] += first == row["label"] or any(map(plain, texts))
        plain_found[kind] += simple == row["label"]
        if show and first != -1 and first != row["label"]:
            text = next(each.text for each, verdict in own if verdict == "refuted")
            click.echo(f"  {row['id']}: paragraph {first}, label {row['label']}: {text[:200]!r}")
    return Found(
        (counts["refuted"], counts["steps"]), (counts["checked"], counts["relations"]),
        (counts["wrong"], counts["wrongs"]), (counts["clean"], counts["cleans"]),
        (proved["wrong"], counts["wrongs"]), (proved["clean"], counts["cleans"]),
        (plain_found["wrong"], counts["wrongs"]), (plain_found["clean"], counts["cleans"]),
        time.perf_counter() - began, slowest,
    )  # fmt: skip


def f1(wrong: tuple[int, int], clean: tuple[int, int]) -> float | None:
    """ProcessBench's F1 in per cent: of the shares of wrong ones found and clean ones kept."""
    if not (wrong[1] and clean[1]):
        return None
    one, other = wrong[0] / wrong[1], clean[0] / clean[1]
    return 200 * one * other / (one + other) if one + other else 0.0


def scored(wrong: tuple[int, int], clean: tuple[int, int]) -> str | None:
    """F1 with its 95 % interval: that of a function of two shares, by its derivatives."""
    score = f1(wrong, clean)
    if not score:
        return None if score is None else "0.0"
    one, other = wrong[0] / wrong[1], clean[0] / clean[1]
    slopes = (200 * (other / (one + other)) ** 2, 200 * (one / (one + other)) ** 2)
    variances = (one * (1 - one) / wrong[1], other * (1 - other) / clean[1])
    half = 1.96 * math.sqrt(sum(slope**2 * each for slope, each in zip(slopes, variances, strict=True)))
    return f"{score:.1f} ({max(0.0, score - half):.0f}-{min(100.0, score + half):.0f})"


def shared(pair: tuple[int, int]) -> str | None:
    """A share in per cent with its 95 % interval (Wilson)."""
    if not pair[1]:
        return None
    interval = wilson(pair[0] / pair[1], pair[1])
    return f"{100 * pair[0] / pair[1]:.1f} ({100 * interval.low:.0f}-{100 * interval.high:.0f})"


_NUMBER = re.compile(r"(?<![\d.,])\d+(?![\d,.]*\d)")
_COMMAND = re.compile(r"\\[A-Za-z]+|[$\\\[\](){}]")


def in_equations(line: str) -> list[re.Match[str]]:
    """The whole numbers of a line with an equation."""
    return list(_NUMBER.finditer(line)) if "=" in line else []


def in_numeric_equations(text: str) -> list[re.Match[str]]:
    """The whole numbers in the formulas of a text that are equations between numbers."""
    found = []
    for formula in (*_FORMULA.finditer(text), *_SHORT_FORMULA.finditer(text)):
        bare = _COMMAND.sub(" ", formula[0])
        if "=" in bare and not re.search("[A-Za-z]", bare):
            found += list(_NUMBER.finditer(text, formula.start(), formula.end()))
    return found


REPLACED = {"gsm8k_human": in_equations, "math500_reference": in_numeric_equations}
"""Sets in whose steps numbers are replaced, and those that are."""


def replaced(
    rows: list[dict[str, Any]], numbers_of: Callable[[str], list[re.Match[str]]], count: int, seed: int
) -> dict[str, tuple[int, int]]:
    """How often one number of an equation, changed, is found: each number equally likely."""
    chance = random.Random(seed)
    tried = found = simple = 0
    for row in chance.choices(rows, k=60 * count):
        if tried == count:
            break
        at = chance.randrange(len(row["steps"]))
        line = row["steps"][at]
        numbers = numbers_of(line)
        if not numbers:
            continue
        number = chance.choice(numbers)
        value = int(number[0])
        other = abs(value + chance.choice([1, -1, 10, -10, 3 * 10 ** chance.randrange(len(number[0]))]))
        if other == value:
            continue
        changed = f"{line[: number.start()]}{other}{line[number.end() :]}"
        said = chain({"problem": row["problem"], "steps": [*row["steps"][:at], changed]})
        judged = [verdict for each, verdict in zip(said, verdicts(said), strict=True) if each.paragraph == at]
        tried += 1
        found += "refuted" in judged
        simple += any(plain(text) for text in sentences(changed))
    return {"potlang": (found, tried), "regular expressions": (simple, tried)}


def rows_of(path: Path, most: int) -> list[dict[str, Any]]:
    """At most so many problems of a set, always the same ones."""
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    random.Random(path.stem).shuffle(rows)
    return rows[:most]


def paths_of(directory: Path, only: tuple[str, ...]) -> Iterator[Path]:
    """The files of the sets in a folder; of those in `only`, if any."""
    for path in sorted(directory.glob("*.jsonl")):
        if not only or path.stem in only:
            yield path


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--set", "only", multiple=True, help="Only this set; repeatable.")
@click.option("--problems", default=100_000, show_default=True, help="At most so many problems of each set.")
@click.option(
    "--replaced",
    "count",
    default=200,
    show_default=True,
    help="Numbers that are replaced, in each of two sets.",
)
@click.option("--seed", default=1, show_default=True, help="Which numbers are replaced.")
@click.option("--show", is_flag=True, help="Show refutations that annotators did not mark first.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit 1 if a right solution is refuted too often.")
def main(
    directory: Path, only: tuple[str, ...], problems: int, count: int, seed: int, show: bool,
    json_path: Path | None, check: bool,
) -> None:  # fmt: skip
    """Verdicts on the steps of real solutions, beside annotators' labels and regular expressions."""
    figures: dict[str, Any] = {}
    rows, failed = [], []
    for path in paths_of(directory, only):
        found = measured(rows_of(path, problems), show)
        figures[path.stem] = found._asdict()
        steps = found.refuted[1]
        rows.append(
            [
                path.stem, steps, found.refuted[0], shared(found.checked), shared(found.wrong),
                shared(found.clean),
                scored(found.wrong, found.clean), scored(found.proved_wrong, found.proved_clean),
                scored(found.plain_wrong, found.plain_clean), steps / found.seconds,
            ]
        )  # fmt: skip
        if found.clean[0] < 0.98 * found.clean[1]:
            failed.append(f"{path.stem}: fewer than 98 % of the clean solutions are kept")
    head = (
        "set",
        "steps",
        "refuted",
        "checked %",
        "wrong found %",
        "clean kept %",
        "F1",
        "F1 proved",
        "F1 plain",
        "steps/s",
    )
    click.echo(table(head, rows))
    for path in paths_of(directory, only):
        if count and path.stem in REPLACED:
            changed = replaced(rows_of(path, problems), REPLACED[path.stem], count, seed)
            figures[f"replaced {path.stem}"] = changed
            shares = ", ".join(f"{who} {shared(share)}" for who, share in changed.items())
            click.echo(f"numbers of {path.stem} replaced and found, %: {shares}")
    finish("steps", figures, failed, json_path, check)


if __name__ == "__main__":
    main()

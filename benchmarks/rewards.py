"""Rewards of many completions, some of them hostile, in each trainer's shape: none lost, none silently zero.

    python benchmarks/rewards.py --count 10000 --hostile 0.01 --check

Completions are generated, with answers known to be right or wrong. Hostile ones hang whoever compares
answers, fill memory, nest deeply or are broken; each shape gets others, so that nothing was seen before.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent)]

from potlang.score.trainers import Rewarder  # noqa: E402

_BATCH = 256


class Item(NamedTuple):
    """A completion, the expected answer, its kind, and the rewards that are no mistake."""

    text: str
    answer: str
    kind: str
    allowed: tuple[float | None, ...]


class Found(NamedTuple):
    """What a shape gave, and the seconds it took."""

    shape: str
    rewards: list[float | None]
    seconds: float


# --- completions -------------------------------------------------------------------------------------


def ordinary(random: Random) -> Item:
    """A solution of three steps, closed or not, right or wrong, whose answer text or the library compares."""
    over, under, right = random.randint(1, 999), random.randint(2, 99), random.random() < 0.5
    # The last two kinds are the library's.
    (kind,) = random.choices(range(4), (6, 2, 1, 1))
    written = over if right else over + 1
    boxed, answer = [
        (str(written), str(over)),
        (rf"\frac{{{written}}}{{{under}}}", f"{over}/{under}"),
        (f"{written / 4}", rf"\frac{{{over}}}{{4}}"),
        (f"x^2 + {written}x", f"{over}x + x^2"),
    ][kind]
    is_closed = random.random() < 0.7
    text = solution(boxed, is_closed)
    value = (1.0 if is_closed else 0.75) if right else (0.1 if is_closed else 0.05)
    return Item(text, answer, "ordinary", (value,))


def solution(boxed: str, is_closed: bool = True) -> str:
    """The JSON of a solution with this answer; it says of itself that it is right."""
    steps = [
        {"step_id": 1, "edge": "Given.", "direct_dependent_steps": None, "node": "$x = 1$."},
        {"step_id": 2, "edge": "By Step 1.", "direct_dependent_steps": [1], "node": "$x + 1 = 2$."},
        {
            "step_id": 3,
            "edge": "By Step 2." if is_closed else "By Step 1.",
            "direct_dependent_steps": [2] if is_closed else [1],
            "node": rf"The final answer is $\boxed{{{boxed}}}$.",
        },
    ]
    return json.dumps({"answer": boxed, "correct": True, "steps": steps})


def _nested(opening: str, inner: str, closing: str, times: int) -> str:
    return opening * times + inner + closing * times


HOSTILE: dict[str, Callable[[int], str]] = {
    "tower of powers": lambda n: f"9^{{9^{{9^{{9^{{{n}}}}}}}}}",
    "power of a tower": lambda n: f"({n}^{{99^{{99}}}})^{{99^{{99}}}}",
    "factorial": lambda n: f"({n}999999)!",
    "factorial of a factorial": lambda n: f"((({n})!)!)!",
    "binomial": lambda n: rf"\binom{{10^{{9}}+{n}}}{{5 \cdot 10^8}}",
    "nested roots": lambda n: _nested(r"\sqrt{", str(n), "}", 150),
    "nested fractions": lambda n: _nested(r"\frac{1}{", f"{n}+x", "}", 300),
    "braces": lambda n: _nested("{", str(n), "}", 4_000),
    "a million digits": lambda n: f"{n}" + "7" * 10**6,
    "nine thousand digits": lambda n: f"{n}" + "7" * 9_000,
    "expansion": lambda n: f"(a+b+c+d+{n})^{{60}}(a-b)^{{60}}",
    "integral": lambda n: rf"\int_0^{{{n}}} \sin(\cos(x^x))^x dx",
    "sum": lambda n: rf"\sum_{{k=1}}^{{10^{{9}}}} \frac{{1}}{{k^2+{n}}}",
    "product": lambda n: rf"\prod_{{k={n}}}^{{10^{{8}}}} k",
    "macro": lambda n: rf"\def\x{{\x\x}}\x{n}",
    "unknown macro": lambda n: rf"\qqq{n}",
    "brackets not closed": lambda n: r"\left(" * 300 + str(n),
    "a set": lambda n: r"\{" + ",".join(map(str, range(n, n + 1_500))) + r"\}",
    "no characters": lambda n: f"\x00\x01\x7f{n}",
}
"""Answers, by kind, with a number that makes them different. None is equal to 12."""

MALFORMED: dict[str, Callable[[int], str]] = {
    "box not closed": lambda n: solution(r"\frac{1}{" + str(n))[:-1] + "}",
    "JSON not closed": lambda n: solution(str(n))[:-3],
    "brackets": lambda n: "[" * (100_000 + n),
    "boxes": lambda n: "\\boxed{" * (50_000 + n),
    "half a character": lambda n: solution(f"\ud800{n}"),
    "no solution": lambda n: f"I will not. {n}",
}
"""Completions that are no solutions: their reward is 0, and says so."""


def hostile(random: Random) -> Item:
    """A completion that nobody should have to read, or an answer that nobody can compare."""
    number = random.randint(100, 999)
    kind = random.choice([*HOSTILE, *MALFORMED])
    if kind in MALFORMED:
        return Item(MALFORMED[kind](number), "12", kind, (0.0,))
    return Item(solution(HOSTILE[kind](number)), "12", kind, (None, 0.1))


def items(count: int, share: float, seed: str) -> list[Item]:
    """So many completions; exactly this share is hostile, at random places."""
    random = Random(seed)
    bad = set(random.sample(range(count), round(count * share)))
    return [hostile(random) if at in bad else ordinary(random) for at in range(count)]


# --- shapes ------------------------------------------------------------------------------------------


def _chat(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


def _batches(given: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (given[at : at + _BATCH] for at in range(0, len(given), _BATCH))


def _trl(rewarder: Rewarder, given: Sequence[Item]) -> Iterator[Any]:
    for batch in _batches(given):
        texts, prompts = [each.text for each in batch], ["p"] * len(batch)
        yield from rewarder.trl_reward(
            prompts=prompts, completions=texts, answer=[each.answer for each in batch]
        )


def _trl_chat(rewarder: Rewarder, given: Sequence[Item]) -> Iterator[Any]:
    for batch in _batches(given):
        chats, prompts = [_chat(each.text) for each in batch], ["p"] * len(batch)
        yield from rewarder.trl_reward(
            prompts=prompts, completions=chats, answer=[each.answer for each in batch]
        )


def _verl(rewarder: Rewarder, given: Sequence[Item]) -> Iterator[Any]:
    return (rewarder.compute_score("d", each.text, each.answer, {}) for each in given)


def _verl_batch(rewarder: Rewarder, given: Sequence[Item]) -> Iterator[Any]:
    for batch in _batches(given):
        sources, infos = ["d"] * len(batch), [dict[str, Any]() for _ in batch]
        texts, answers = [each.text for each in batch], [each.answer for each in batch]
        yield from rewarder.compute_scores(sources, texts, answers, infos)


def _verifiers(rewarder: Rewarder, given: Sequence[Item]) -> Iterator[Any]:
    return (rewarder.rubric_reward("p", _chat(each.text), each.answer, {}) for each in given)


SHAPES = {
    "trl": _trl,
    "trl-chat": _trl_chat,
    "verl": _verl,
    "verl-batch": _verl_batch,
    "verifiers": _verifiers,
}


# --- figures -----------------------------------------------------------------------------------------


def figures(given: Sequence[Item], found: Found) -> dict[str, Any]:
    """The counts of a run: lost, zeros of what is not malformed, other wrong ones, no verdicts."""
    pairs = list(zip(given, found.rewards, strict=False))
    silent = [each.kind for each, value in pairs if value == 0 and 0.0 not in each.allowed]
    wrong = [
        each.kind
        for each, value in pairs
        if value not in each.allowed and value != 0 and not (value is None and each.kind == "ordinary")
    ]
    return {
        "shape": found.shape,
        "rewards": len(found.rewards),
        "lost": len(given) - len(found.rewards),
        "silently zero": len(silent),
        "wrong": dict(Counter(wrong)),
        "hostile": sum(each.kind != "ordinary" for each in given),
        "no verdict, hostile": sum(value is None and each.kind != "ordinary" for each, value in pairs),
        "no verdict, ordinary": sum(value is None and each.kind == "ordinary" for each, value in pairs),
        "seconds": round(found.seconds, 1),
        "a second": round(len(found.rewards) / found.seconds, 1),
    }


@click.command()
@click.option("--count", default=10_000, show_default=True, help="Completions for each shape.")
@click.option("--hostile", "share", default=0.01, show_default=True, help="The share of hostile ones.")
@click.option("--seconds", default=1.0, show_default=True, help="The time for one answer.")
@click.option("--shape", "shapes", multiple=True, type=click.Choice([*SHAPES]), help="Only this one.")
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit with 1 if one is lost, silently zero or wrong.")
def main(
    count: int,
    share: float,
    seconds: float,
    shapes: Sequence[str],
    seed: int,
    json_path: Path | None,
    check: bool,
) -> None:
    """Rewards of generated completions in each shape, and what became of the hostile ones."""
    rows = []
    for shape in shapes or SHAPES:
        given = items(count, share, f"{seed} {shape}")
        begun = time.perf_counter()
        rewards = list(SHAPES[shape](Rewarder(seconds=seconds), given))
        rows.append(figures(given, Found(shape, rewards, time.perf_counter() - begun)))
        print(json.dumps(rows[-1]), flush=True)
    if json_path is not None:
        json_path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if check and any(each["lost"] or each["silently zero"] or each["wrong"] for each in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()

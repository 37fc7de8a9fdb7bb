"""Exported grammars against the readers: `python benchmarks/grammars.py --help`.

For each language: strings of ours go through llguidance, strings that llguidance admits (walks along its
masks) go through the readers, and strings that are damaged in a place or two get the same verdict of both.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

import click
import numpy as np
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

from canonical import is_expression, is_proposition  # noqa: E402
from canonical_programs import (  # noqa: E402
    a_program,
    a_solution,
    is_program,
    is_solution,
    solutions_one_by_one,
)
from canonical_traces import a_trace, is_trace, traces_one_by_one  # noqa: E402
from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

from potlang.decoding import grammar  # noqa: E402
from potlang.expressions.spacing import spaced  # noqa: E402
from potlang.languages.dot.read.records import Prop  # noqa: E402
from potlang.testing.traces import records  # noqa: E402

_END = 256
_LONG, _LONGEST = 120, 600
"""Bytes from which on a walk looks for its end, and behind which it is given up."""
_ENDING = b"\n\"'`)]}"


Steered: TypeAlias = Callable[[bytearray, list[int], Random, bool], list[int]]
"""Those of the allowed bytes that a walk is to take, by what it has and whether that is long."""


class _Bytes:
    """The vocabulary of single bytes."""

    def __init__(self) -> None:
        self.eos_token_id, self.bos_token_id = _END, None
        self.tokens = [*(bytes((byte,)) for byte in range(256)), b"<end>"]
        self.special_token_ids = [_END]

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text if isinstance(text, bytes) else text.encode())


class Export:
    """An exported grammar in llguidance."""

    def __init__(self, text: str) -> None:
        tokenizer = LLTokenizer(TokenizerWrapper(_Bytes()))
        self._matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(text))
        if self._matcher.is_error():
            raise ValueError(self._matcher.get_error())

    def admits(self, text: bytes) -> bool:
        """Whether it is a string of the grammar."""
        matcher = self._matcher.deep_copy()
        count = matcher.try_consume_tokens(list(text))
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return bool(count == len(text) and matcher.is_accepting())

    def walk(self, random: Random, steered: Steered, long: int = _LONG) -> bytes | None:
        """A string by a walk along the masks; None where it becomes too long. Raises at a dead end."""
        matcher, found = self._matcher.deep_copy(), bytearray()
        while len(found) < _LONGEST + 4 * long:
            allowed = _allowed(matcher)
            if matcher.is_accepting() and (not allowed or random.random() < 0.1 or len(found) >= long):
                return bytes(found)
            if not allowed:
                raise ValueError(f"nothing may follow {bytes(found)!r}")
            is_long = len(found) >= long
            byte = _chosen(steered(found, allowed, random, is_long), random, is_long=is_long)
            found.append(byte)
            if not matcher.consume_token(byte):
                raise ValueError(f"{matcher.get_error()} behind {bytes(found)!r}")
        return None


def _allowed(matcher: Any) -> list[int]:
    mask = np.frombuffer(matcher.compute_bitmask(), dtype=np.uint8)
    bits = np.unpackbits(mask, bitorder="little")[:_END]
    return [int(each) for each in np.flatnonzero(bits)]


def _chosen(allowed: list[int], random: Random, *, is_long: bool) -> int:
    """One of the bytes; of a long string one that ends something."""
    ending = [byte for byte in allowed if byte in _ENDING]
    if ending and (is_long or random.random() < 0.05):
        return random.choice(ending)
    # Classes of characters count alike: else most names, and no operators, would be written.
    groups: dict[int, list[int]] = {}
    for byte in allowed:
        kind = 0 if byte >= 0x80 else 1 if chr(byte).isalpha() else 2 if chr(byte).isdigit() else 3 + byte
        groups.setdefault(kind, []).append(byte)
    kinds = [kind for kind in groups if not (is_long and kind == 3 + ord(" "))] or list(groups)
    return random.choice(groups[random.choice(kinds)])


# --- languages -----------------------------------------------------------------------------------


class Case(NamedTuple):
    """A language: its grammar, what it is to admit, strings of ours, and pieces that damage puts in."""

    export: Callable[[], Export]
    admits: Callable[[str], bool]
    ours: Callable[[Random], str]
    pieces: tuple[str, ...]
    directed: Callable[[], Iterator[str]]
    steered: Steered = lambda _, allowed, *__: allowed
    long: int = _LONG


def _steered_trace(found: bytearray, allowed: list[int], random: Random, is_long: bool) -> list[int]:
    """Records rather than text; in the end those that lead to the summary."""
    line = bytes(found[found.rfind(b"\n") + 1 :])
    wanted = b""
    if not line:
        wanted = b"<" if is_long and ord("<") in allowed else b"@" if random.random() < 0.8 else b""
    elif is_long and line == b"@":
        wanted = b"nne"
    elif is_long and line.endswith(b"role="):
        wanted = b"s" if ord("s") in allowed else b"cp"
    elif line == b"@" and random.random() < 0.5:
        wanted = b"se"
    return [byte for byte in wanted if byte in allowed] or allowed


_SIGNS = (*"()[]{},:<>=!+-*/%~ ", "->", "<->", "==", " and ", " in ", " not in ", "not ", "5%", "$5", "1e3")
_WORDS = ("x", "of", "and", "not", "2025-01-20", "5 days", "#b1", "'a'", '"a"', "`a b`", "∧", "¬", ".5", "é")
_JSON = (*'{}[],:"\\ 019.-e', '"x"', '"and"', '"gt"', ", ", ": ", '{"not": ', "null", "true", "1e3")


def _an_expression(random: Random, formulas: tuple[str, ...]) -> str:
    return spaced(random.choice(formulas))


def _a_proposition(random: Random) -> str:
    """A proposition as traces of the tests have them."""
    while True:
        found = [each for each in records(random, blocks=4) if isinstance(each, Prop)]
        if found:
            return json.dumps(random.choice(found).value, ensure_ascii=False, default=str)


def formulas_of_programs(folder: Path) -> tuple[str, ...]:
    """All strings of the programs in a folder, in files of JSON and of JSON Lines, that are formulas."""
    found: dict[str, None] = {}
    for path in sorted((*folder.rglob("*.json"), *folder.rglob("*.jsonl"))):
        text = path.read_text(encoding="utf-8")
        waiting = [json.loads(each) for each in (text.splitlines() if path.suffix == ".jsonl" else [text])]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str) and is_expression(spaced(value)):
                found[value] = None
            elif isinstance(value, dict | list):
                waiting += value.values() if isinstance(value, dict) else value
    return tuple(found)


def _expressions_one_by_one() -> Iterator[str]:
    """Each operator between and in front of operands of each kind."""
    operands = (
        *(
            "x",
            "f(x)",
            "f()",
            "3",
            ".5",
            "1e-3",
            "#b01",
            "#xF",
            "2025-01-20",
            "2025-01-20T10:30",
            "$5",
            "5 days",
        ),
        *("5%", "'a'", '"b"', "`c d`", "(x)", "[x, 1]", "{x}", "(x, y)", "(x,)", "(x: Int)", "[]", "f(x)(y)"),
    )
    infix = (
        "and",
        "or",
        "->",
        "<->",
        "∧",
        "∨",
        "→",
        "↔",
        "==",
        "!=",
        "<",
        "≤",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
    )
    for operator in (*infix, "**", "in", "not in"):
        for left in operands:
            yield from (f"{left} {operator} {right}" for right in operands)
            yield f"{left}{operator}{left}"
    for operand in operands:
        yield from (operand, f"not {operand}", f"-{operand}", f"¬{operand}", f"--{operand}", f"f({operand})")
        yield from (
            f"f({operand},)",
            f"f({operand}, {operand})",
            f"[{operand}]",
            f"x == {operand} == y",
            f" {operand}",
        )
        yield from (
            f"f(x: {operand})",
            f"f(x: S({operand}))",
            f"({operand},)",
            f"- {operand}",
            f"{operand}(x)",
        )
    for word in (
        "and",
        "or",
        "not",
        "in",
        "of",
        "an",
        "android",
        "order",
        "nota",
        "inn",
        "off",
        "i",
        "n",
        "o",
        "no",
    ):
        yield from (word, f"{word}(x)", f"x == {word}", f"f({word}: Int)", f"not {word}", f"{word} in s")


def _propositions_one_by_one() -> Iterator[str]:
    operators = (
        "gt",
        "ge",
        "lt",
        "le",
        "eq",
        "ne",
        "and",
        "or",
        "not",
        "implies",
        "iff",
        "forall",
        "exists",
        "pot",
    )
    terms = ("add", "mul", "sub", "neg", "ite")
    values = (
        '"x"',
        "1",
        "-2.50",
        '["f", 1]',
        '{"gt": [1, "x"]}',
        '{"neg": 1}',
        '{"x": "Int"}',
        '{"pot": "x > 1"}',
    )
    for operator in (*operators, *terms, "declare", "assume", "nothing"):
        for value in values:
            plain = f'{{"{operator}": {value}}}'
            yield from (
                plain,
                f'{{"{operator}": [{value}]}}',
                f'{{"not": {plain}}}',
                f'{{"gt": [{plain}, 1]}}',
            )
            for other in values:
                yield f'{{"{operator}": [{value}, {other}]}}'
                yield f'{{"{operator}": [{value}, {other}, {other}]}}'
                yield f'{{"eq": [{{"{operator}": [{value}, {other}]}}, "x"]}}'
    for one in ("a", "b", "A", "and", "_", "é"):
        yield f'{{"declare": {{"{one}": "Int"}}}}'
        for two in ("a", "ab", "c"):
            function = '{"domain": [], "range": "Set(Int)"}'
            yield f'{{"declare": {{"{one}": "Int", "{two}": {function}}}, "assume": ["a"]}}'
            yield f'{{"declare": {{"{one}": "Int", "c": "Int", "{two}": "Int", "d": "Bool"}}}}'


_NODES, _FEW = 30, 9
_TRACE = (
    *("@node id=", "@edge src=", " dst=", " kind=", "use", "refine", "critique", "@status target=", " mark="),
    *(
        "validated",
        "invalidated",
        " just=",
        "@entails src=",
        " witness=",
        "@eq src=",
        "@prop id=",
        "\n",
        "text\n",
    ),
    *(
        "0123456789",
        "1",
        "2",
        "3",
        "0",
        "10",
        "proposer",
        "critic",
        "summarizer",
        "problem",
        "<summarizer:end>\n",
    ),
    *("@node id=3 role=critic\n", " ", "@", "@@len=1@@", "@status target=2 mark=validated\n"),
)


def cases(formulas: tuple[str, ...]) -> dict[str, Case]:
    """All languages; `formulas`: those of real programs."""
    return {
        "expression": Case(
            lambda: Export(grammar("expression")),
            is_expression,
            partial(_an_expression, formulas=formulas),
            (*_SIGNS, *_WORDS),
            _expressions_one_by_one,
        ),
        "prop": Case(
            lambda: Export(grammar("prop")), is_proposition, _a_proposition, _JSON, _propositions_one_by_one
        ),
        "pot": Case(
            lambda: Export(grammar("pot")),
            is_program,
            partial(a_program, formulas=formulas),
            _JSON,
            lambda: iter(()),
            long=600,
        ),
        "dagmath": Case(
            lambda: Export(grammar("dagmath", nodes=_FEW)),
            partial(is_solution, steps=_FEW),
            partial(a_solution, formulas=formulas, steps=_FEW),
            (*_JSON, "1", "2", '"edge": null', "null", "[1]"),
            partial(solutions_one_by_one, _FEW),
            long=600,
        ),
        "dot": Case(
            lambda: Export(grammar("dot", nodes=_NODES)),
            lambda text: is_trace(text.encode(), _NODES),
            partial(a_trace, nodes=_NODES),
            (*_TRACE, *_JSON),
            partial(traces_one_by_one, _NODES),
            _steered_trace,
            2_500,
        ),
        "dot-strict": Case(
            lambda: Export(grammar("dot", profile="strict", nodes=_FEW)),
            lambda text: is_trace(text.encode(), _FEW, "strict"),
            partial(a_trace, nodes=_FEW, profile="strict"),
            (*_TRACE, *_JSON),
            partial(traces_one_by_one, _FEW),
            _steered_trace,
            1_000,
        ),
    }


# --- comparison ----------------------------------------------------------------------------------


def damaged(text: str, pieces: tuple[str, ...], random: Random) -> str:
    """The text with a piece put in, left out, doubled or exchanged."""
    at = random.randint(0, len(text))
    to = min(len(text), at + random.choice([0, 1, 1, 2, 5]))
    match random.randrange(4):
        case 0:
            return text[:at] + random.choice(pieces) + text[at:]
        case 1:
            return text[:at] + text[to:]
        case 2:
            return text[:to] + text[at:]
    return text[:at] + random.choice(pieces) + text[to:]


def compare(case: Case, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many strings of each kind were compared, and those of which the verdicts differ."""
    random, export = Random(seed), case.export()
    found: Counter[str] = Counter()
    wrong: list[str] = []

    def compared(kind: str, text: str) -> None:
        ours, theirs = case.admits(text), export.admits(text.encode())
        found[f"{kind} {'in' if ours else 'out'}"] += 1
        if ours != theirs:
            wrong.append(f"{kind}: {'refused' if ours else 'admitted'} {text!r}")

    for text in case.directed():
        compared("directed", text)
    left = count - found.total()
    for number in range(max(left, 0)):
        if number % 3 == 0:
            walked = export.walk(random, case.steered, random.randint(case.long // 4, case.long))
            if walked is None:
                found["given up"] += 1
                continue
            text = walked.decode()
            if not case.admits(text):
                wrong.append(f"walk: admitted {text!r}")
            found["walk"] += 1
        elif number % 3 == 1:
            text = case.ours(random)
            compared("ours", text)
        else:
            for _ in range(random.choice([1, 1, 2])):
                text = damaged(text, case.pieces, random)
            compared("damaged", text)
    return found, wrong


@click.command()
@click.argument("languages", nargs=-1)
@click.option("--count", default=100_000, help="Strings for each language.")
@click.option("--seed", default=1)
@click.option(
    "--programs",
    type=click.Path(exists=True, path_type=Path),
    default=HERE.parent / "examples",
    help="A folder of programs, whose formulas are strings of ours.",
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="A file for the figures.")
@click.option("--check", is_flag=True, help="Exit code 1 if any verdict differs.")
def main(
    languages: tuple[str, ...], count: int, seed: int, programs: Path, json_path: Path | None, check: bool
) -> None:
    """Compare the exported grammars with the readers; LANGUAGES: all."""
    known = cases(formulas_of_programs(programs))
    rows, failed, figures = [], [], {}
    for language in languages or known:
        found, wrong = compare(known[language], count, seed)
        kinds = ", ".join(f"{kind} {number:,}" for kind, number in sorted(found.items()))
        rows.append([language, f"{found.total():,}", kinds, len(wrong)])
        for each in wrong[:20]:
            click.echo(f"{language}: {each}", err=True)
        figures[language] = {**found, "differences": len(wrong)}
        failed += [f"{language}: {len(wrong)} verdicts differ"] if wrong else []
    click.echo(table(["language", "strings", "kinds", "differences"], rows))
    finish("grammars", figures, failed, json_path, check)


if __name__ == "__main__":
    main()

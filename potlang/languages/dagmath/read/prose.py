"""A solution in prose as steps that rest on one another, by rule ([DAG-RULES]).

Sentences are the steps. On what a step rests is told from what it says: steps that it names, numbers and
names that earlier steps gave, and, where nothing else is known, the order. Each link says how sure that is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from potlang.languages.dagmath.read.boxed import last_box
from potlang.languages.dagmath.read.citations import ANNOTATION
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.read.sentences import formula_spans, sentence_spans

MOST_SENTENCES = 2_000
"""Sentences of a text that become steps."""
_THOUGHT = "</think>"
_HEADING = re.compile(
    r"[ \t]*+(?:#{1,6}[ \t]++(?P<title>[^\n]*+)|\*\*(?P<bold>[^*\n]{1,100}+)\*\*:?[ \t]*+)$"
)
_ITEM = re.compile(r"[ \t>]*+(?:[-*+•][ \t]++|\(?(?P<number>[0-9]{1,3}+)[.)][ \t]++(?=\S))")
_LABEL = re.compile(
    r"[*_ \t]*+Step[ \t]++(?P<number>[0-9]{1,3}+)[*_]*+[ \t]*+[.:)–—-]*+[*_]*+[ \t]*+", re.IGNORECASE
)
_GOES_ON = re.compile(r"[,;:=+*/&-]\s*$|\b(?:and|or|so|that|is|are|the|of|then|by|with)\s*$|\\\\\s*$")
_LOWER = re.compile(r"\s*(?:[a-z]{2}|a [a-z]|\\\[|\$\$|\\begin|=|&)")
_OPENED = re.compile(r"\$\$|\\\[|\\\]|\\begin\{|\\end\{")
_ANSWER_LINE = re.compile(r"\s*####\s*(?P<answer>\S[^\n]*+)")
_FIGURE = re.compile(r"[0-9]|\\[a-zA-Z]|\$|[=<>≤≥]")
_ANNOUNCES = re.compile(
    r"\W*(?:sure|okay|ok|let(?:['’]s| us| me)|here|now|first|next|finally|i |to "
    r"|we (?:need|want|will|can|are|have to)|in order|this (?:helps|problem)|please|great|good"
    r"|the (?:problem|question) )",
    re.IGNORECASE,
)
_TAG = re.compile(r"\\tag\*?\{\(?(?P<tag>[0-9A-Za-z*]{1,4})\)?\}|[ ~.,]\((?P<label>[0-9]{1,3})\)\s*\.?\s*$")
_STEP_NAMED = re.compile(
    r"\bsteps?[ ~]*+(?P<list>[0-9]{1,3}(?:\s*(?:,|and|&)\s*(?:and\s+)?[0-9]{1,3})*+)", re.IGNORECASE
)
_NUMBERS = r"\(?[0-9]{1,3}\)?(?:\s*(?:,|and|&)\s*(?:and\s+)?\(?[0-9]{1,3}\)?)*+"
_EQUATION_NAMED = re.compile(
    rf"\b(?:equations?|eqs?\.?|relations?|formulas?)[ ~]*+(?P<list>{_NUMBERS})"
    r"|\b(?:from|by|using|in|into|of|and|with)[ ~]+\((?P<bare>[0-9]{1,3})\)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:the (?:previous|preceding|last) (?:step|equation|result|line)|(?:the|from) above)\b", re.IGNORECASE
)
_CONCLUDES = re.compile(
    r"\W*(?:therefore|thus|hence|so|then|this|that|it follows|consequently|which|adding|substituting)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])(?:[0-9]{1,3}(?:,[0-9]{3})++|[0-9]++)(?:\.[0-9]++)?(?![\w.]*[0-9])")
_COMMAND = re.compile(r"\\(?:text|mathrm|operatorname|begin|end|tag\*?|label|mbox)\s*\{[^{}]*\}|\\[A-Za-z]+")
_NAME = re.compile(r"(?<![A-Za-z])([A-Za-z])(?![A-Za-z])")
_PLAIN_NAME = re.compile(
    r"(?<![A-Za-z'’])([B-Zb-z])(?=\s?[-+*/^=<>≤≥)])|(?<=[-+*/^=<>≤≥(0-9])\s?([B-Zb-z])(?![A-Za-z])"
)
_LET = re.compile(r"\W*(?:let|denote|call|define|set|suppose|assume)\b", re.IGNORECASE)
_NUMBER_IN = re.compile(r"[0-9]+")
_LAYOUT = re.compile(r"\\[,;:!]|\\(?:left|right)(?![a-zA-Z])|[\s$]")
_LONGEST_ANSWER = 200
_SMALL = ("0", "1", "2")


class Confidence(StrEnum):
    """How sure it is that a step rests on another."""

    HIGH = "high"
    """It names it, or uses a number that no other step gave, nor the problem."""
    MEDIUM = "medium"
    """It uses a number or a name that the other was the last to give, or begins with a word such as `so`."""
    LOW = "low"
    """It uses a number that the problem has too; or nothing else is known, and the other comes before it."""


_RANK = {Confidence.LOW: 0, Confidence.MEDIUM: 1, Confidence.HIGH: 2}


class ProseLink(NamedTuple):
    """The step with the id `step` rests on `parent`: how sure that is, and what tells."""

    step: int
    parent: int
    confidence: Confidence
    why: str


class Prose(NamedTuple):
    """A text as a solution: its steps with their parents, how sure these are, and what of it is no step."""

    solution: Solution | None
    links: tuple[ProseLink, ...]
    ignored: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many links there are of each confidence."""
        found = Counter(str(each.confidence) for each in self.links)
        return {str(each): found[each] for each in Confidence}


Text = str | Mapping[str, object] | Sequence[Mapping[str, object]]
"""A text, a message with its `content`, or the messages of a chat."""


def from_prose(text: Text, *, problem: str | None = None, answer: str | None = None) -> Prose:
    r"""The steps of a solution in plain text, in Markdown or in a chat, with the steps that they rest on.

    `problem` tells which numbers are given, `answer` is the expected one. `solution` is None for a text that
    says nothing of mathematics. Never raises for what the text contains.

    >>> found = from_prose("Let $x = 3$. Then $2x = 6$. So $2x + 1 = 7$, and the answer is $\\boxed{7}$.")
    >>> [step.parents for step in found.solution.steps]
    [None, (1,), (2,)]
    """
    said, ignored = _sentences(written(text).rpartition(_THOUGHT)[2])
    if not any(_FIGURE.search(each.text) for each in said):
        ignored = [*(each.text for each in said), *ignored]
        return Prose(None, (), tuple(ignored))
    linker = _Linker(problem or "")
    found = [linker.step(at, each) for at, each in enumerate(said, 1)]
    steps = tuple(
        Step(at, _edge(links), tuple(sorted(each.parent for each in links)) or None, sentence.text)
        for at, (sentence, links) in enumerate(zip(said, found, strict=True), 1)
    )
    links = tuple(each for of_step in found for each in of_step)
    return Prose(Solution(steps, problem=problem, answer=answer), links, tuple(ignored))


def written(text: Text) -> str:
    """A text itself, the text of a message, and of a chat that of its last message."""
    if isinstance(text, str):
        return text
    message = text if isinstance(text, Mapping) else next(iter(text[-1:]), {})
    content = message.get("content")
    if isinstance(content, list):
        parts = [each.get("text") for each in content if isinstance(each, Mapping)]
        content = "\n".join(each for each in parts if isinstance(each, str))
    return content if isinstance(content, str) else ""


def _edge(links: Sequence[ProseLink]) -> str:
    if not links:
        return "It is given."
    return " ".join(f"Step {each.parent} {each.why} ({each.confidence})." for each in links)


# --- sentences -----------------------------------------------------------------------------------


class _ProseSentence(NamedTuple):
    """A sentence, and the number of the step or item of the text that it is in, if that has one."""

    text: str
    label: int | None


def _sentences(text: str) -> tuple[list[_ProseSentence], list[str]]:
    """The sentences that say something of mathematics, up to the one with the answer; and the others."""
    said: list[_ProseSentence] = []
    ignored: list[str] = []
    for block, label in _blocks(text):
        for start, end in sentence_spans(block):
            sentence = " ".join(block[start:end].split())
            if _asserts(sentence) and len(said) < MOST_SENTENCES:
                said.append(_ProseSentence(sentence, label))
            elif sentence.strip("*_#- "):
                ignored.append(sentence)
    boxed = [at for at, each in enumerate(said) if last_box(each.text) is not None]
    if boxed:
        ignored += [each.text for each in said[boxed[-1] + 1 :]]
        del said[boxed[-1] + 1 :]
    return said, ignored


def _asserts(sentence: str) -> bool:
    """Whether a sentence says something of mathematics: it has a figure, or is no mere announcement."""
    if sentence.rstrip("*_ ").endswith("?"):
        return False
    if _FIGURE.search(sentence):
        return True
    return len(sentence.split()) > 3 and sentence.endswith(".") and _ANNOUNCES.match(sentence) is None


def _blocks(text: str) -> Iterator[tuple[str, int | None]]:
    """The paragraphs and the items of lists, without their marks; each with the number of its step."""
    lines: list[str] = []
    label: int | None = None
    depth = 0
    is_gap = False
    for line in text.replace("\r", "\n").split("\n"):
        if depth:
            lines.append(line)
            depth = _depth(depth, line)
            continue
        if not line.strip():
            is_gap = True
            continue
        heading, answer = _HEADING.match(line), _ANSWER_LINE.match(line)
        if lines and (heading or answer or not _continues(lines[-1], line, is_gap)):
            yield "\n".join(lines), label
            lines = []
        is_gap = False
        if answer:
            yield rf"The final answer is $\boxed{{{answer['answer'].rstrip()}}}$.", None
            continue
        if heading:
            title = heading["title"] or heading["bold"] or ""
            number = _LABEL.match(title)
            label = int(number["number"]) if number else label
            rest = title[number.end() :] if number else title
            lines = [rest] if _FIGURE.search(rest) else []
            continue
        if not lines:
            number = _LABEL.match(line)
            item = None if number else _ITEM.match(line)
            mark = number or item
            if mark is not None:
                label = int(mark["number"]) if mark["number"] else label
                line = line[mark.end() :]
        lines.append(line)
        depth = _depth(depth, line)
    yield "\n".join(lines), label


def _continues(above: str, line: str, is_gap: bool) -> bool:
    """Whether a line goes on with the sentence above it, displays among it; a gap is a blank line between."""
    if _ITEM.match(line) or _LABEL.match(line):
        return False
    if _GOES_ON.search(above):
        return True
    return _LOWER.match(line) is not None and not (is_gap and above.rstrip().endswith((".", "!", "?")))


def _depth(depth: int, line: str) -> int:
    """The displays that are open behind a line."""
    for found in _OPENED.finditer(line):
        if found[0] == "$$":
            depth = 0 if depth else 1
        else:
            depth = max(0, depth + (1 if found[0] in ("\\[", "\\begin{") else -1))
    return depth


# --- links ---------------------------------------------------------------------------------------


_Adds = Callable[[int, Confidence, str], None]


class _Linker:
    """Finds what each step rests on, from the steps before it."""

    def __init__(self, problem: str) -> None:
        self.given = set(_numbers(problem))
        self.labels: dict[int, int] = {}
        """The last step of each numbered part of the text."""
        self.equations: dict[str, int] = {}
        self.numbers: dict[str, list[int]] = {}
        """The steps that gave a number, in order."""
        self.names: dict[str, int] = {}
        self.texts: list[str] = []

    def step(self, at: int, sentence: _ProseSentence) -> tuple[ProseLink, ...]:
        """The links of one step; then it is known to the next."""
        found: dict[int, ProseLink] = {}

        def link(parent: int, confidence: Confidence, why: str) -> None:
            known = found.get(parent)
            if 0 < parent < at and (known is None or _RANK[confidence] > _RANK[known.confidence]):
                found[parent] = ProseLink(at, parent, confidence, why)

        text = ANNOTATION.sub("", sentence.text)
        if (source := self._source(text)) is not None:
            link(source, Confidence.HIGH, "says the same")
            return tuple(found.values())
        for parent in self._named(at, text):
            link(parent, Confidence.HIGH, "is named")
        used, results = _used_and_given(text)
        for number in used:
            if number not in _SMALL:
                self._by_number(number, link)
        names, lets = _names(text), _LET.match(text) is not None
        for name in () if lets else names:
            if name in self.names:
                link(self.names[name], Confidence.MEDIUM, f"says something of {name}")
        if _CONCLUDES.match(text):
            link(at - 1, Confidence.MEDIUM, "comes before, and this is concluded")
        for number in used if not found else ():
            self._by_number(number, link)
        restates = bool(used) and not results and self.given.issuperset(used)
        if not found and not restates and not lets:
            link(at - 1, Confidence.LOW, "comes before")
        self._learn(at, sentence, text, used, results)
        self.texts.append(" ".join(_bare(text).split()))
        for name in names:
            self.names[name] = at
        return tuple(found[each] for each in sorted(found))

    def _source(self, text: str) -> int | None:
        """The last step that says what the box of a sentence holds, where the sentence says nothing else."""
        box = last_box(text)
        if box is None or not box.content or "=" in text:
            return None
        answer = "".join(_bare(box.content).split())
        if not 0 < len(answer) < _LONGEST_ANSWER:
            return None
        return next((at for at in range(len(self.texts), 0, -1) if _says(self.texts[at - 1], answer)), None)

    def _named(self, at: int, text: str) -> Iterator[int]:
        for found in _STEP_NAMED.finditer(text):
            for number in _NUMBER_IN.findall(found["list"]):
                yield self.labels.get(int(number), 0)
        for found in _EQUATION_NAMED.finditer(text):
            for number in _NUMBER_IN.findall(found["list"] or found["bare"]):
                yield self.equations.get(number, 0)
        if _BEFORE.search(text):
            yield at - 1

    def _by_number(self, number: str, link: _Adds) -> None:
        givers = self.numbers.get(number, [])
        if not givers:
            return
        if number in self.given or number in _SMALL:
            link(givers[-1], Confidence.LOW, f"gives {number}, as other places may")
        else:
            sure = len(givers) == 1 and len(number) > 1
            link(givers[-1], Confidence.HIGH if sure else Confidence.MEDIUM, f"gives {number}")

    def _learn(
        self, at: int, sentence: _ProseSentence, text: str, used: Sequence[str], results: Sequence[str]
    ) -> None:
        if sentence.label is not None:
            self.labels[sentence.label] = at
        for tag in _TAG.finditer(text):
            self.equations[tag["tag"] or tag["label"]] = at
        for number in results:
            self.numbers.setdefault(number, []).append(at)
        for number in used:
            # One that is known came from elsewhere: only where it is new does this step give it.
            self.numbers.setdefault(number, [at])


def _bare(text: str) -> str:
    """A text with blanks for layout."""
    return _LAYOUT.sub(" ", text)


def _says(text: str, answer: str) -> bool:
    """Whether an answer stands in a text, as no part of a longer number or word."""
    signs = " ?".join(map(re.escape, answer))
    return re.search(rf"(?<![0-9A-Za-z.\\]){signs}(?![0-9A-Za-z]|\.[0-9])", text) is not None


def _used_and_given(text: str) -> tuple[list[str], list[str]]:
    """The numbers that a sentence begins from, and those that it comes to: behind the last equals sign."""
    formulas, words = _formulas(text)
    used = _numbers(words) if formulas else []
    results: list[str] = []
    for formula in formulas or [text]:
        *before, last = re.split(r"(?<![<>!≤≥])=", formula)
        behind = _numbers(last)
        used += [number for part in before for number in _numbers(part)]
        if before and len(behind) == 1:
            results += behind
        else:
            used += behind
    return list(dict.fromkeys(used)), results


def _formulas(text: str) -> tuple[list[str], str]:
    """The formulas of a sentence, and what else it says."""
    spans = formula_spans(text)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    words = " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return [text[start:end] for start, end in spans], words


def _numbers(text: str) -> list[str]:
    """The numbers in a text, without what separates thousands, in order."""
    bare = _COMMAND.sub(" ", text.replace("{,}", ",").replace("\\boxed", ""))
    return [found[0].replace(",", "") for found in _NUMBER.finditer(bare)]


def _names(text: str) -> list[str]:
    """The letters that formulas of a text have as names, each once."""
    formulas, _ = _formulas(text)
    if formulas:
        found = _NAME.findall(_COMMAND.sub(" ", " ".join(formulas)))
    else:
        found = [each[0] or each[1] for each in _PLAIN_NAME.findall(text)]
    return list(dict.fromkeys(found))

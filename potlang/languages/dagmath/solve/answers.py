r"""Whether an answer is the expected one: mathematically, or as text where that fails ([DAG-EQUAL]).

The library that reads LaTeX can hang and can take all memory, so it works in a child process, which is
kept warm and killed when it overruns. Most answers are decided before that: equal text, plain numbers.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from functools import lru_cache
from importlib.util import find_spec
from time import monotonic
from typing import Any, Final, Literal, NamedTuple, Protocol

from potlang.languages.dagmath.read.boxed import boxed_answer
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.solve.answer_forms import pieces_of
from potlang.processes.children import Children, NotStarted
from potlang.processes.process import Command, Death, Died
from potlang.utils.closing import Closing
from potlang.utils.extra import not_installed

SECONDS: Final = 5.0
"""The time of the library for one pair of answers."""
LONGEST_ANSWER: Final = 10_000
"""Characters of an answer up to which it is read as mathematics."""
_KEPT: Final = 65_536
_LONGEST_KEPT: Final = 1_000
_MOST_FAILED_STARTS: Final = 3
_WORKER: Final[Command] = ("potlang.languages.dagmath.solve.answer_worker:judge",)
_MISSING: Final = f"{not_installed('math-verify')}: compared as text"
_NO_BOX: Final = "there is no boxed answer"
_EMPTY: Final = "the answer is empty"
_WRONG: Final = (_NO_BOX, _EMPTY)
_UNREADABLE: Final = "no parser reads the answer:"
_LAYOUT = re.compile(r"\\[,;:!>]|\\(?:q?quad|left|right|displaystyle|textstyle)(?![a-zA-Z])|(?<!\\)\$")
_SPACE = re.compile(r"(?<=[A-Za-z0-9])(?:\s|~|\\ )++(?=[A-Za-z0-9])|((?:\s|~|\\ )++)")
_FRACTION = re.compile(r"\\[dt]frac(?![a-zA-Z])")
_BOX = re.compile(r"\\boxed\s*\{")
_INTEGER = r"0|[1-9][0-9]{0,14}"
_NUMBER = re.compile(
    rf"(?P<sign>-?)(?:(?P<whole>{_INTEGER})|(?P<over>{_INTEGER})/(?P<under>[1-9][0-9]{{0,14}})"
    rf"|\\frac\{{(?P<top>{_INTEGER})\}}\{{(?P<bottom>[1-9][0-9]{{0,14}})\}})"
)


class Judged(NamedTuple):
    """Whether an answer is right, who says so, and why it was not the library if it should have been.

    `by` is "text" where the answers are the same text, and where the library could not tell; `note` is
    empty but in that last case, and where there is no answer.
    """

    correct: bool
    by: Literal["math", "text"]
    note: str = ""

    @property
    def is_undecided(self) -> bool:
        """Whether nobody could tell: the library overran, died, failed, or did not read the expected one."""
        return bool(self.note) and not self.correct and not self.is_unreadable and self.note not in _WRONG

    @property
    def is_missing(self) -> bool:
        """Whether nobody could tell, since the library is not installed."""
        return self.note == _MISSING

    @property
    def is_unreadable(self) -> bool:
        """Whether no parser reads the answer, and it is not the same text as the expected one."""
        return self.note.startswith(_UNREADABLE)


class AnswerJudge(Protocol):
    """A judge of answers: `AnswerChecker`, or another in its place."""

    def judge(self, given: str | None, expected: str) -> Judged: ...


class AnswerChecker(Closing):
    """Compares answers; use it as a context manager, or `close` it. Safe for threads, and across forks.

    `seconds` and `megabytes` bound the library's work on one pair of answers. `children` do that work: its
    own, unless others are given.
    """

    def __init__(
        self, *, seconds: float = SECONDS, megabytes: int = 1024, children: Children | None = None
    ) -> None:
        self.seconds = seconds
        self.megabytes = megabytes
        self._children = Children(_WORKER) if children is None else children
        self._failed_starts = 0
        self._unusable = "" if _library_is_there() else _MISSING
        self._known = lru_cache(maxsize=_KEPT)(self._judge)

    def close(self) -> None:
        """End the child processes, if there are any; the judge can still be used."""
        self._children.close()

    def judge(self, given: str | None, expected: str) -> Judged:
        r"""Whether `given`, the content of a box, is `expected`, which may stand in a box.

        None is an answer that is not there, or never ends: it is wrong. What was found of the last 65,536
        pairs is kept, so that each of them is judged once, and one that takes too long costs its time once.
        """
        if given is None:
            return Judged(False, "text", _NO_BOX)
        is_kept = len(given) + len(expected) <= _LONGEST_KEPT
        return (self._known if is_kept else self._judge)(given, expected)

    def judge_solution(self, solution: Solution) -> Judged | None:
        """Whether the last step gives the expected answer; None where the input does not say what it is.

        What the input says of it by `correct` is not looked at.
        """
        if solution.answer is None:
            return None
        return self.judge(boxed_answer(solution.steps[-1].node), solution.answer)

    def _judge(self, given: str, expected: str) -> Judged:
        expected = unboxed(expected)
        quick = quick_judgement(normal_text(given), normal_text(expected))
        if quick is not None:
            return quick
        if max(len(given), len(expected)) > LONGEST_ANSWER:
            return Judged(False, "text", f"longer than {LONGEST_ANSWER} characters: compared as text")
        by_pieces = self._by_pieces(given, expected)
        if by_pieces is not None:
            return by_pieces
        if self._unusable:
            return Judged(False, "text", self._unusable)
        try:
            answer = self._ask(given, expected)
        except Died as died:
            return Judged(False, "text", f"{_WORDS.get(died.reason, died.detail)}: compared as text")
        if "equal" in answer:
            return Judged(bool(answer["equal"]), "math")
        return Judged(False, "text", f"{answer.get('failed', 'no answer')}: compared as text")

    def _by_pieces(self, given: str, expected: str) -> Judged | None:
        """The judgement of two answers in known forms; None where those do not tell ([DAG-FORMS])."""
        pieces = pieces_of(normal_text(given), normal_text(expected))
        if pieces is None:
            return Judged(False, "math")
        end = monotonic() + self.seconds
        for one, other in pieces.pairs:
            judged = self._judge(one, other)
            if not judged.correct:
                return Judged(False, "math") if pieces.only and not judged.note else None
            if monotonic() > end:
                return None
        return Judged(True, "math") if pieces.pairs else None

    def _ask(self, given: str, expected: str) -> dict[str, Any]:
        """A child's answer. Raises Died; after some starts in vain there is no other."""
        request = {"given": given, "expected": expected}
        try:
            return self._children.ask(request, seconds=self.seconds, megabytes=self.megabytes)
        except NotStarted as died:
            self._failed_starts += 1
            if self._failed_starts >= _MOST_FAILED_STARTS:
                self._unusable = f"the reader of answers does not start ({died.detail}): compared as text"
            raise


def given_judge(judge: AnswerJudge | None, seconds: float = SECONDS) -> AbstractContextManager[AnswerJudge]:
    """A judge for a `with` statement: the one that is given, or else one that this process shares."""
    return nullcontext(shared_checker(seconds) if judge is None else judge)


@lru_cache(maxsize=16)
def shared_checker(seconds: float = SECONDS) -> AnswerChecker:
    """The judge with this limit that this process shares; it is closed when the process ends."""
    return AnswerChecker(seconds=seconds, children=_shared_children())


@lru_cache(maxsize=1)
def _shared_children() -> Children:
    return Children(_WORKER)


_WORDS: Final[dict[Death, str]] = {
    "timeout": "the reader of answers took too long",
    "memory": "the reader of answers ran out of memory",
}


def quick_judgement(given: str, expected: str) -> Judged | None:
    """The judgement that needs no library: on equal texts, plain integers and fractions. Else None."""
    if given == expected:
        return Judged(True, "text") if given else Judged(False, "text", _EMPTY)
    one, other = plain_number(given), plain_number(expected)
    if one is None or other is None:
        return None
    return Judged(one == other, "math")


def plain_number(text: str) -> Fraction | None:
    """An integer or a fraction of integers of at most 15 digits, in a normal text; None for all else."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    above = found["whole"] or found["over"] or found["top"]
    value = Fraction(int(above), int(found["under"] or found["bottom"] or 1))
    return -value if found["sign"] else value


def normal_text(text: str) -> str:
    """An answer without layout, dollar signs and the full stop at its end, with one kind of fraction.

    Spaces stay, as one, between letters and digits.
    """
    plain = _FRACTION.sub(r"\\frac", _LAYOUT.sub("", text)).strip().rstrip(".")
    return _SPACE.sub(lambda found: "" if found[1] else " ", plain)


def unboxed(text: str) -> str:
    r"""The content of the last `\boxed{…}` of a text; the text itself where there is none."""
    if not _BOX.search(text):
        return text
    content = boxed_answer(text)
    return text if content is None else content


@lru_cache(maxsize=1)
def _library_is_there() -> bool:
    return find_spec("math_verify") is not None

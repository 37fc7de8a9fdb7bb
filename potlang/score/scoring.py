"""Scores samples from files, streams and values in one pass ([DAG-SCORE])."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from potlang.diag import Sink
from potlang.diag.register import CODES
from potlang.diag.wording import shown
from potlang.languages.dagmath.check.form import check, is_gold
from potlang.languages.dagmath.check.graph import BrokenGraphError
from potlang.languages.dagmath.check.metrics import Class, Shape, shape_of
from potlang.languages.dagmath.read.arrays import array_items, begins_array, is_whole_array
from potlang.languages.dagmath.read.reader import read_solution
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.read.samples import LONGEST_LINE, SampleProblem, read_lines
from potlang.languages.dagmath.solve.answers import AnswerJudge, given_judge
from potlang.languages.dagmath.write import solution_value
from potlang.languages.kind import is_prose
from potlang.score.references import References
from potlang.score.samples import Bad, CountedSample, Reader, answer_of
from potlang.score.scores import Malformed, Scores
from potlang.score.tally import bin_of

MOST_NAMED = 100
"""Malformed samples that are named; the rest are counted by their codes."""
FILE = "file"
"""The field that is the name of the file, for `by`."""
_OFTEN = _CHUNK = 1 << 20
_MOST_DRAWN = 150

Source = str | os.PathLike[str] | BinaryIO | Solution
_LINES = (".jsonl", ".ndjson")


def score(
    sources: Source | Iterable[Source],
    *,
    by: Sequence[str] = (),
    pass_k: Sequence[int] = (),
    gold: bool = False,
    judge: AnswerJudge | None = None,
    references: References | None = None,
    progress: Callable[[int], object] | None = None,
) -> Scores:
    """The scores of samples: files or streams of JSON Lines, and solutions, in any mixture.

    `by` names what samples are grouped by: `model`, `dataset`, `difficulty`, `file`, or any other member of
    a sample's object. `gold` looks for gold-standard samples, which takes longer. Without `judge` answers
    are compared by an `AnswerChecker` of its own. `references` are expected answers that count in the place
    of what samples say (`read_references`). `progress` is told of bytes read, now and then. Raises
    OSError for a file that cannot be read and ValueError for a k below 1.
    """
    if any(k < 1 for k in pass_k):
        raise ValueError("PASS@k needs a k of at least 1")
    with given_judge(judge) as comparing:
        scorer = Scorer(by, comparing, pass_k, gold, references)
        for source in _each(sources):
            if isinstance(source, Solution):
                scorer.add_solution(source)
            elif isinstance(source, str | os.PathLike):
                scorer.add_file(Path(source), progress)
            elif is_prose(_head(source)):
                scorer.add_whole(source.read(LONGEST_LINE + 1), getattr(source, "name", "<stream>"))
            else:
                scorer.add_stream(source, getattr(source, "name", "<stream>"), progress)
    return scorer.scores


def _each(sources: Source | Iterable[Source]) -> Iterable[Source]:
    if isinstance(sources, str | os.PathLike | Solution) or hasattr(sources, "readline"):
        return [cast(Source, sources)]
    return sources


def _chunks(stream: BinaryIO, progress: Callable[[int], object] | None = None) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        if progress is not None:
            progress(len(chunk))
        yield chunk


def _head(stream: BinaryIO) -> bytes:
    """The beginning of a stream, which still is to be read; nothing of one that cannot be looked into."""
    if isinstance(stream, BufferedReader):
        return stream.peek()
    if not isinstance(stream, BytesIO):
        return b""
    at = stream.tell()
    head = stream.read(_CHUNK)
    stream.seek(at)
    return head


def _as_json(solution: Solution) -> bytes:
    return json.dumps(solution_value(solution)).encode()


class Scorer:
    """Adds samples to the scores of a run. Not for two threads at once."""

    def __init__(
        self,
        by: Sequence[str],
        judge: AnswerJudge,
        pass_k: Sequence[int] = (),
        gold: bool = False,
        references: References | None = None,
    ) -> None:
        self._references = references
        self.scores = Scores(tuple(by), pass_k=tuple(pass_k), gold=Counter() if gold else None)
        self._file_at = by.index(FILE) if FILE in by else None
        self._reader = Reader([name for name in by if name != FILE])
        self._judge = judge
        self._solutions = 0

    def add_file(self, path: Path, progress: Callable[[int], object] | None = None) -> None:
        """Adds the samples of a file: JSON Lines, an array of samples, or one solution in any form.

        Raises OSError.
        """
        with path.open("rb") as stream:
            if path.suffix in _LINES:
                self.add_stream(stream, str(path), progress)
            elif self._is_array(stream):
                self._add_items(_chunks(stream, progress), str(path))
            elif self._is_one(stream, path.stat().st_size):
                self.add_whole(stream.read(), str(path))
            else:
                self.add_stream(stream, str(path), progress)

    def add_whole(self, text: bytes, name: str) -> None:
        """Adds the one solution that a text is, which may be prose ([DAG-PROSE-FILES])."""
        read = read_solution(text, Sink(), name=name) if is_prose(text) else None
        if read is not None and read.solution is not None:
            self.add_solution(read.solution, name)
        else:
            self._add_text(text, name, 1)

    def _is_array(self, stream: BinaryIO) -> bool:
        """Whether a file is an array of samples, by its first item; a list of steps is a solution."""
        is_array = begins_array(stream.read(_CHUNK))
        stream.seek(0)
        if is_array:
            first = next(array_items(_chunks(stream)), None)
            is_array = first is not None and self._reader.is_sample(first.text)
            stream.seek(0)
        return is_array

    def _add_items(self, chunks: Iterable[bytes], name: str, line: int = 1) -> None:
        """Adds the samples of an array, which begins on a line."""
        for item in array_items(chunks):
            self._add_text(item.text, name, line + item.line - 1, is_item=True)

    def _is_one(self, stream: BinaryIO, size: int) -> bool:
        """Whether a file is one solution: it is no longer than a line, and its first is no whole object."""
        if size > LONGEST_LINE:
            return False
        first = stream.readline()
        stream.seek(0)
        return self._reader.usual(first) is None and isinstance(self._reader.read(first, 1), Bad)

    def add_stream(
        self, stream: BinaryIO, name: str, progress: Callable[[int], object] | None = None
    ) -> None:
        """Adds all lines of a stream; what is wrong with one is noted, and the next is read."""
        passed = 0
        for number, line in read_lines(stream):
            if progress is not None:
                passed += len(line)
                if passed > _OFTEN:
                    progress(passed)
                    passed = 0
            if begins_array(line):
                if not is_whole_array(line):
                    # An array over several lines: what is read of it so far, and the rest of the stream.
                    self._add_items(chain((line, b"\n"), _chunks(stream, progress)), name, number)
                    break
                first = next(array_items((line,)), None)
                if first is not None and self._reader.is_sample(first.text):
                    self._add_items((line,), name, number)
                    continue
            self._add_text(line, name, number)
        if progress is not None:
            progress(passed)

    def add_solution(self, solution: Solution, name: str = "<sample>") -> None:
        """Adds one solution; it is malformed if its steps are not a graph."""
        self._solutions += 1
        row = self._reader.row(solution, {})
        try:
            shape = shape_of(row.steps)
        except BrokenGraphError:
            self._add_text(_as_json(solution), name, self._solutions)
        else:
            self._count(row, shape, name, self._solutions, lambda: _as_json(solution))

    def _add_text(self, text: bytes, name: str, number: int, is_item: bool = False) -> None:
        found = self._reader.read(text, number)
        if isinstance(found, Bad):
            if is_item:  # Its columns are not those of the file.
                found = found._replace(problems=tuple(each._replace(column=None) for each in found.problems))
            self._bad(found, name, number)
        else:
            self._count(*found, name, number, lambda: text)

    def _count(
        self, row: CountedSample, shape: Shape, name: str, number: int, source: Callable[[], bytes]
    ) -> None:
        expected = None if self._references is None else self._references.find(row.problem)
        if expected is not None:
            row = row._replace(answer=expected, correct=None, is_own=False)
        correct = row.correct
        if correct is None:
            judged = self._judged(row)
            if isinstance(judged, SampleProblem):
                self._bad(Bad((judged,), row.problem, row.difficulty, row.labels), name, number)
                return
            correct = judged
        scores, level = self.scores, row.difficulty
        group = self._group(row.labels, name)
        kind = scores.tally.add(
            shape, correct, group=group, problem=row.problem, difficulty=level, formal=row.formal
        )
        if kind is Class.IMPERFECT and scores.example is None and shape.nodes <= _MOST_DRAWN:
            scores.example = row
        if scores.gold is not None and kind is Class.PERFECT and is_gold(check(source()), correct):
            scores.gold[group, bin_of(level)] += 1

    def _judged(self, row: CountedSample) -> bool | SampleProblem:
        """Whether the answer of a sample is right, or why that cannot be said."""
        if row.answer is None:
            if row.is_own:
                self.scores.own_answers += 1
            else:
                self.scores.unjudged += 1
            return False
        given = answer_of(row)
        judged = self._judge.judge(given, row.answer)
        if given is not None and judged.note:
            if judged.is_unreadable:
                return SampleProblem("POT7011", CODES["POT7011"].headline.format(answer=shown(given)), None)
            self.scores.as_text += 1
        return judged.correct

    def _bad(self, found: Bad, name: str, number: int) -> None:
        scores = self.scores
        problem = found.problems[0]
        scores.codes[problem.code] += 1
        if len(scores.first) < MOST_NAMED:
            scores.first.append(Malformed(name, number, problem.column, problem.code, problem.message))
        if found.problem is None:
            scores.unplaced += 1
            return
        group = self._group(found.labels, name)
        scores.tally.add(None, False, group=group, problem=found.problem, difficulty=found.difficulty)

    def _group(self, labels: tuple[str, ...], name: str) -> tuple[str, ...]:
        at = self._file_at
        return labels if at is None else (*labels[:at], Path(name).stem, *labels[at:])

"""The report on a program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from potlang.languages.pot.render import lines_below, render_report, report_rows, verdict_words
from potlang.report.base import ReportBase, Row
from potlang.report.results import ProgramResult, ResultWords
from potlang.report.text import sentence_lines


class Report(ProgramResult, ReportBase):
    """The answer to a program: the values of `ProgramResult` with the faces of `ReportBase`."""

    __slots__ = ()

    _head = ("Program", "claim", "answer", "evidence")
    render = render_report
    _rows = report_rows
    _below = lines_below

    def words(self) -> str:
        """The results in plain sentences, if `verify` was asked for `words`; raises ValueError if not.

        >>> import potlang
        >>> print(potlang.verify({"verifications": [{"constraint": "1 < 2"}]}, words=True).words())
        1 is less than 2.
        This is so, whatever is assumed.
        """
        if self.sentences is None:
            raise ValueError("there are no sentences: ask for them, `potlang.verify(…, words=True)`")
        return "\n\n".join("\n".join(sentence_lines(each)) for each in self.sentences)

    def _words(self) -> Sequence[str]:
        return verdict_words(self)

    def _notebook_rows(self) -> Iterable[Row]:
        """The rows with the sentences on a result, if there are any, before its evidence."""
        said: dict[str, list[ResultWords]] = {}
        for each in self.sentences or ():
            said.setdefault(each.name, []).append(each)
        for number, (name, answer, evidence) in enumerate(report_rows(self)):
            lines = [evidence] if isinstance(evidence, str) else list(evidence)
            # Of those with one name the first row has the first; answers to questions have none.
            found = said.get(str(name)) if number >= len(self.elections) else None
            sentences = list(sentence_lines(found.pop(0))) if found else []
            yield name, answer, [*sentences, "", *lines] if sentences and lines else sentences or lines

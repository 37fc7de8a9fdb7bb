"""Has a model write the policy of a document, stage by stage, and checks every reply ([BUILD-STAGES])."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from potlang.diag import Diagnostic, Severity
from potlang.languages.pot.check import check
from potlang.languages.pot.program import Checked
from potlang.models.endpoint import Model, Sampling, assistant, user
from potlang.models.loop.asking import ASKED_AGAIN, FATAL, Attempt, Found, RetryLoop
from potlang.models.loop.stages import StageConversation, StageRequest
from potlang.models.programs.prompting import language_reference
from potlang.models.prompts import fill, template
from potlang.models.replies.extract import BadReply
from potlang.policy.building.batches import RULE_BATCH, WORD_BATCH, batches, shown
from potlang.policy.building.draft import STATING, Item, PolicyDraft, cited, names_in, title_of
from potlang.policy.building.examination import ExaminedPolicy, examined
from potlang.policy.building.flags import like_names
from potlang.policy.building.reading import SourceDocument, SourceSentence
from potlang.policy.building.replies import (
    JudgedSentence,
    PolicyReply,
    ReplyProblem,
    is_unchanged,
    problems_of_change,
    problems_of_rules,
    problems_of_words,
    read_rules,
    read_same,
    read_words,
)
from potlang.policy.building.schemas import SAME, rules_schema, words_schema
from potlang.report.results import Limits

ModelFor = Callable[[str, Sequence[int]], Model | None]
"""The model to ask, for a stage and the numbers of its sentences; None: the stage is left out.

Only `RESOLVING` can be.
"""
RESOLVING: Final = "conflicts"
BuildProgress = Callable[[str, Sequence[int], Attempt], object]
"""Called with a stage, the numbers of its sentences, and each attempt."""
Sections = Mapping[str, tuple[Item, ...]]
USUAL: Final = Sampling(tries=4)
_LONGEST_REPEATED: Final = 100_000
_MOST_PROBLEMS: Final = 20
_MOST_PAIRS: Final = 200
_AGAIN: Final = "Reply with the whole JSON object, corrected, and nothing else."


class ExtractedPolicy(NamedTuple):
    """The extract of a document: the draft, and what was said of each sentence.

    `problems` are those of replies that were given up, `failure` is that of the endpoint which ended it all.
    `examined` is what solvers find in the draft, where they were asked.
    """

    draft: PolicyDraft
    readings: Mapping[int, JudgedSentence]
    problems: tuple[str, ...]
    attempts: tuple[Attempt, ...]
    failure: str = ""
    examined: ExaminedPolicy | None = None


class PolicyBuilder:
    """Asks for the words of a document, then for the rules of some sentences at a time.

    `progress` is called with each attempt. `draft` and `readings` are what is known of the document before.
    """

    def __init__(
        self,
        source: SourceDocument,
        model_for: ModelFor,
        *,
        sampling: Sampling = USUAL,
        progress: BuildProgress | None = None,
        draft: PolicyDraft | None = None,
        readings: Mapping[int, JudgedSentence] | None = None,
    ) -> None:
        self.structured = True
        self._source = source
        self._model_for = model_for
        self._sampling = sampling
        self._progress = progress
        self._draft = draft or PolicyDraft()
        self._readings = dict(readings or {})
        self._problems: list[str] = []
        self._attempts: list[Attempt] = []
        self._failure = ""

    def build(self, limits: Limits | None = None) -> ExtractedPolicy:
        """Asks about all sentences of which nothing is known, until the endpoint fails for good.

        With `limits` solvers look at the whole, if anything was asked, and the model is asked about what they
        find.
        """
        asked = [each for each in self._source.sentences if each.number not in self._readings]
        for batch in batches(asked, WORD_BATCH):
            if not self._failure:
                self._add_words(batch)
        if asked and not self._failure:
            self._unify()
        for batch in batches(asked, RULE_BATCH):
            if not self._failure:
                self._add_rules(batch)
        self._draft = self._draft.without_orphans()
        whole = self._resolved(limits) if limits is not None and asked else None
        problems, attempts = tuple(self._problems), tuple(self._attempts)
        return ExtractedPolicy(self._draft, self._readings, problems, attempts, self._failure, whole)

    # --- the stages ------------------------------------------------------------------------------

    def _add_words(self, batch: Sequence[SourceSentence]) -> None:
        """Adds the declarations that these sentences need."""
        best = _Best()

        def read(text: str) -> PolicyReply:
            reply = read_words(text)
            return best.accepted(reply, [*problems_of_words(reply, batch), *self._compiled(reply.sections)])

        prompt = fill("policy_words", words=self._draft.words_text(), sentences=shown(batch))
        found = self._asked("words", batch, prompt, read, words_schema()) or self._salvaged(best)
        self._draft = self._draft.with_items(found.sections)

    def _unify(self) -> None:
        """Merges words that are second names of others; those that rules use already stay."""
        used = {name for _, _, item in self._draft.items(STATING) for name in names_in(item)}
        pairs = [pair for pair in like_names(self._draft) if not used.issuperset(pair)][:_MOST_PAIRS]
        if not pairs:
            return
        prompt = fill("policy_same", pairs=[list(each) for each in pairs], words=self._draft.words_text())
        before = copy.deepcopy(self._draft)
        for keep, drop in self._asked("same", (), prompt, lambda text: read_same(text, pairs), SAME) or ():
            self._draft.rename(*((keep, drop) if drop in used else (drop, keep)))
        if not any(self._compiled({})):
            return
        self._draft = before
        self._problems.append("same: without these words the others do not compile")

    def _add_rules(self, batch: Sequence[SourceSentence]) -> None:
        """Adds the rules of these sentences, and what is said of each."""
        best = _Best()

        def read(text: str) -> PolicyReply:
            reply = read_rules(text)
            problems = problems_of_rules(reply, batch, self._draft)
            return best.accepted(reply, [*problems, *self._compiled(reply.sections)])

        words, rules = self._draft.words_text(), self._draft.rules_text()
        prompt = fill("policy_rules", words=words, rules=rules, sentences=shown(batch))
        found = self._asked("rules", batch, prompt, read, rules_schema()) or self._salvaged(best)
        self._draft = self._draft.with_items(found.sections)
        asked = {each.number for each in batch}
        self._readings |= {each.number: each for each in found.readings if each.number in asked}

    def _resolved(self, limits: Limits) -> ExaminedPolicy:
        """Shows the model what solvers find in the whole, and takes those of its changes that leave less.

        It may write anew the rules of the sentences that this is about, and those that cite the same ones.
        """
        first = best = examined(self._draft, self._source, limits)
        numbers = self._draft.cited_together(first.sentences())
        batch = [each for each in self._source.sentences if each.number in numbers]
        if self._failure or not batch:
            return first
        whole, (rest, now) = self._draft, self._draft.parted(numbers)
        changed: tuple[PolicyDraft, PolicyReply] | None = None
        self._draft = rest

        def read(text: str) -> PolicyReply:
            nonlocal best, changed
            reply = read_rules(text)
            problems = [*problems_of_rules(reply, batch, rest), *self._compiled(reply.sections)]
            problems += problems_of_change(reply, self._readings)
            if problems:
                raise BadReply(_told(problems))
            draft = rest.with_items(reply.sections)
            found = examined(draft, self._source, limits)
            if found.weight < best.weight:
                best, changed = found, (draft, reply)
            faults = list(found.faults())
            if faults and not is_unchanged(reply, now):
                raise BadReply(f"solvers find in these rules: {_joined(faults)}")
            return reply

        rules = PolicyDraft(now).rules_text(sys.maxsize, with_cites=True)
        faults = list(first.faults())[:_MOST_PROBLEMS]
        prompt = fill(
            "policy_conflicts",
            words=rest.words_text(),
            others=rest.rules_text(),
            sentences=shown(batch),
            rules=rules,
            faults=faults,
        )
        self._asked(RESOLVING, batch, prompt, read, rules_schema())
        self._draft, reply = (whole, None) if changed is None else changed
        asked = () if reply is None else reply.readings
        self._readings |= {each.number: each for each in asked}
        return best

    # --- asking ----------------------------------------------------------------------------------

    def _asked(
        self,
        stage: str,
        batch: Sequence[SourceSentence],
        prompt: str,
        read: Callable[[str], Found],
        schema: Mapping[str, Any],
    ) -> Found | None:
        """The reading of the first reply that is accepted; None where none is, or the endpoint fails."""
        numbers = [each.number for each in batch]

        def told(attempt: Attempt) -> None:
            if self._progress is not None:
                self._progress(stage, numbers, attempt)

        asker = RetryLoop.numbered(self._sampling, len(self._attempts), told)
        request = StageRequest(user(prompt), read, _AGAIN, schema)
        talk = _Talk(_instructions(), request, self, asker)
        model = self._model_for(stage, numbers)
        if model is None:
            return None
        found = asker.converse(model, talk, stage=stage)
        self._attempts += asker.attempts
        last = asker.attempts[-1] if asker.attempts else None
        if last is not None and last.failure in FATAL:
            self._failure = last.problem
        # What remains of conflicts stands in the report by itself.
        if found is None and (stage != RESOLVING or last is None or last.failure is not None):
            where = f" of sentences {numbers[0]} to {numbers[-1]}" if numbers else ""
            self._problems.append(f"{stage}{where}: {'no reply' if last is None else last.problem}")
        return found

    def _compiled(self, sections: Sections) -> Iterator[ReplyProblem]:
        """The errors of the compiler in new items, and where they stand."""
        draft = self._draft.with_items(sections)
        for each in _errors(check(draft.program(self._source))):
            item = self._item_at(each.place.pointer)
            of = "" if item is None else f"{title_of(*item, sections[item[0]][item[1]])}: "
            said = [f"{of}{each.message} ({each.code})", *each.helps[:1]]
            yield ReplyProblem(", ".join(said), item)

    def _item_at(self, pointer: str) -> tuple[str, int] | None:
        """The section and the place in the reply of what stands at a pointer of the program."""
        parts = pointer.split("/")
        if len(parts) < 3 or parts[1] not in self._draft.sections or not parts[2].isdigit():
            return None
        place = int(parts[2]) - len(self._draft.sections[parts[1]])
        return (parts[1], place) if place >= 0 else None

    def _salvaged(self, best: _Best) -> PolicyReply:
        """Of the best reply that was refused, what nothing is wrong with.

        A sentence is not read if something is wrong with its entry, or with an item that cites it.
        """
        sections: Sections = best.reply.sections
        wrong = {each.item for each in best.problems if each.item is not None}
        lost = {each.sentence for each in best.problems}
        while wrong:
            left_out = [item for key, items in sections.items() for item in _at(key, items, wrong)]
            lost.update(number for item in left_out for number in cited(item))
            sections = {
                key: tuple(item for at, item in enumerate(items) if (key, at) not in wrong)
                for key, items in sections.items()
            }
            # Without an item others may mean nothing; each round leaves some out.
            found = list(self._compiled(sections))
            wrong = {each.item for each in found if each.item is not None}
            if found and not wrong:
                return PolicyReply((), {})
        readings = tuple(each for each in best.reply.readings if each.number not in lost)
        return PolicyReply(readings, sections)


def _at(section: str, items: Sequence[Item], places: Container[tuple[str, int]]) -> list[Item]:
    """The items of a section that stand at these places."""
    return [item for at, item in enumerate(items) if (section, at) in places]


class _Best:
    """The reply with the fewest problems so far, and these."""

    def __init__(self) -> None:
        self.reply = PolicyReply((), {})
        self.problems: list[ReplyProblem] = []
        self._is_empty = True

    def accepted(self, reply: PolicyReply, problems: list[ReplyProblem]) -> PolicyReply:
        """The reply if there is no problem. Raises BadReply with the problems."""
        if self._is_empty or len(problems) <= len(self.problems):
            self.reply, self.problems, self._is_empty = reply, problems, False
        if not problems:
            return reply
        raise BadReply(_told(problems))


def _told(problems: Iterable[ReplyProblem]) -> str:
    return _joined(list(dict.fromkeys(each.text for each in problems)))


def _joined(texts: Sequence[str]) -> str:
    more = [f"and {len(texts) - _MOST_PROBLEMS} more"] if len(texts) > _MOST_PROBLEMS else []
    return "; ".join([*texts[:_MOST_PROBLEMS], *more])


class _Talk(StageConversation[Found]):
    """A stage whose reply is shown to the model again as a whole: it has to mend single items of it."""

    def go_on(self) -> None:
        """Shows the model its last reply and all that is wrong with it."""
        last = self._asker.attempts[-1]
        if last.failure in ASKED_AGAIN:
            return
        reply = assistant(last.reply[-_LONGEST_REPEATED:] or "…")
        said = user(f"This is not accepted: {last.problem}. {_AGAIN}")
        self.messages = (self.messages[0], reply, said)


def _instructions() -> str:
    return "\n\n".join([template("policy_task"), language_reference()])


def _errors(checked: Checked) -> list[Diagnostic]:
    return [each for each in checked.diagnostics if each.severity is Severity.ERROR]

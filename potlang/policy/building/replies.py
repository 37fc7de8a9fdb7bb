"""The replies of a model that writes a policy: read, and held against what was asked ([BUILD-CHECK])."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from potlang.models.replies.extract import BadReply, candidates
from potlang.policy.building.draft import DECLARING, STATING, Item, PolicyDraft, cited, title_of
from potlang.policy.building.reading import SourceSentence

SentenceStatus = Literal["covered", "ignored", "ambiguous"]
STATUSES: Final[tuple[SentenceStatus, ...]] = get_args(SentenceStatus)
LONGEST_REPLY: Final = 4_000_000
_MOST_ITEMS: Final = 1_000
_FEWEST_WORDS: Final = 3
"""Words of its beginning by which a sentence is known, if it has so many."""
_WORD = re.compile(r"\w+")


class JudgedSentence(NamedTuple):
    """The word of a model on a sentence: `reason` of one that is ignored, `readings` of an ambiguous one."""

    number: int
    quote: str
    status: SentenceStatus
    reason: str = ""
    readings: tuple[str, ...] = ()


class PolicyReply(NamedTuple):
    """The statements of a reply on sentences, and the items of its sections."""

    readings: tuple[JudgedSentence, ...]
    sections: Mapping[str, tuple[Item, ...]]


class ReplyProblem(NamedTuple):
    """A fault of a reply: of an item (its section and place), a sentence, or all of it."""

    text: str
    item: tuple[str, int] | None = None
    sentence: int | None = None


def read_object(text: str, keys: Sequence[str]) -> dict[str, Any]:
    """The first JSON object of a reply that has one of the keys. Raises BadReply."""
    if len(text) > LONGEST_REPLY:
        raise BadReply(f"the reply has more than {LONGEST_REPLY:,} characters")
    reason = "there is no JSON object in the reply"
    for found in candidates(text):
        if not isinstance(found.value, dict):
            reason = "the JSON of the reply is not well formed"
        elif any(key in found.value for key in keys):
            return found.value
        else:
            reason = f"the JSON object has none of the keys {', '.join(keys)}"
    raise BadReply(reason)


def read_words(text: str) -> PolicyReply:
    """The declarations of a reply. Raises BadReply."""
    return PolicyReply((), _sections(read_object(text, DECLARING), DECLARING))


def read_same(text: str, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The words to keep and to drop, of these pairs. Raises BadReply."""
    found: list[tuple[str, str]] = []
    for item in _sections(read_object(text, ("same",)), ("same",))["same"]:
        pair = str(item.get("keep")), str(item.get("drop"))
        if pair not in pairs and pair[::-1] not in pairs:
            raise BadReply(f"`{pair[0]}` and `{pair[1]}` are none of the pairs")
        found.append(pair)
    return found


def read_rules(text: str) -> PolicyReply:
    """The statements of a reply on sentences, and its items, as they stand there. Raises BadReply."""
    value = read_object(text, ("sentences", *STATING))
    entries = _sections(value, ("sentences",))["sentences"]
    return PolicyReply(tuple(map(_reading, entries)), _sections(value, (*DECLARING, *STATING)))


def _sections(value: Mapping[str, Any], keys: Sequence[str]) -> dict[str, tuple[Item, ...]]:
    """The items under these keys, which are lists of objects. Raises BadReply."""
    found: dict[str, tuple[Item, ...]] = {}
    for key in keys:
        items = value.get(key) or []
        if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
            raise BadReply(f"`{key}` is no list of objects")
        if len(items) > _MOST_ITEMS:
            raise BadReply(f"`{key}` has more than {_MOST_ITEMS:,} items")
        # A key with null is as good as none: strict schemas have no other way to leave one out.
        found[key] = tuple({name: each for name, each in item.items() if each is not None} for item in items)
    return found


def _reading(entry: Item) -> JudgedSentence:
    number = entry.get("number")
    if type(number) is not int:
        raise BadReply("an entry of `sentences` has no `number`")
    status = next((each for each in STATUSES if each == entry.get("status")), None)
    if status is None:
        raise BadReply(f"the `status` of sentence {number} is none of {', '.join(STATUSES)}")
    readings = entry.get("readings") or []
    if not isinstance(readings, list):
        raise BadReply(f"the `readings` of sentence {number} are no list")
    texts = tuple(text for each in readings if (text := " ".join(str(each).split())))
    reason = " ".join(str(entry.get("reason") or "").split())
    return JudgedSentence(number, str(entry.get("quote") or ""), status, reason, texts)


# --- against what was asked --------------------------------------------------------------------------


def problems_of_rules(
    reply: PolicyReply, asked: Sequence[SourceSentence], before: PolicyDraft
) -> Iterator[ReplyProblem]:
    """The faults of a reply about these sentences, beside what a compiler finds ([BUILD-CHECK])."""
    numbers = [each.number for each in asked]
    yield from _of_citations(reply.sections, STATING, numbers)
    yield from _of_citations(reply.sections, DECLARING, numbers)
    yield from _of_readings(reply, asked)
    citing = before.with_items(reply.sections).citing()
    ruled = {number for key in STATING for item in reply.sections[key] for number in cited(item)}
    for each in reply.readings:
        if each.status == "covered" and each.number not in citing and each.number in numbers:
            text = f"sentence {each.number} is `covered`, and nothing cites it"
            yield ReplyProblem(text, sentence=each.number)
        if each.status == "ignored" and each.number in ruled:
            text = f"sentence {each.number} is `ignored`, and a rule cites it"
            yield ReplyProblem(text, sentence=each.number)


def problems_of_change(reply: PolicyReply, before: Mapping[int, JudgedSentence]) -> Iterator[ReplyProblem]:
    """Sentences that were covered, or ambiguous, and that a change would leave out."""
    for each in reply.readings:
        known = before.get(each.number)
        if each.status == "ignored" and known is not None and known.status != "ignored":
            text = f"sentence {each.number} was `{known.status}`, and is `ignored` now"
            yield ReplyProblem(text, sentence=each.number)


def is_unchanged(reply: PolicyReply, now: Mapping[str, Sequence[Item]]) -> bool:
    """Whether a reply has the facts and rules that there are, and no others."""
    return all(
        sorted(json.dumps(each, sort_keys=True) for each in reply.sections[key])
        == sorted(json.dumps(each, sort_keys=True) for each in now[key])
        for key in STATING
    )


def problems_of_words(reply: PolicyReply, asked: Sequence[SourceSentence]) -> Iterator[ReplyProblem]:
    """The faults of declarations for these sentences, beside what a compiler finds."""
    return _of_citations(reply.sections, DECLARING, [each.number for each in asked])


def _of_citations(
    sections: Mapping[str, tuple[Item, ...]], keys: Sequence[str], numbers: Sequence[int]
) -> Iterator[ReplyProblem]:
    """Items that cite nothing, or a sentence that was not asked about."""
    for key in keys:
        for at, item in enumerate(sections.get(key, ())):
            title = title_of(key, at, item)
            if not cited(item):
                yield ReplyProblem(f"{title} cites no sentence", (key, at))
            for number in cited(item):
                if number not in numbers:
                    text = f"{title} cites sentence {number}, which is none of those asked about"
                    yield ReplyProblem(text, (key, at))


def _of_readings(reply: PolicyReply, asked: Sequence[SourceSentence]) -> Iterator[ReplyProblem]:
    """Sentences that are missing, invented, given twice or quoted wrongly, and what is said of them."""
    by_number = {each.number: each for each in asked}
    seen: set[int] = set()
    for each in reply.readings:
        sentence = by_number.get(each.number)
        if sentence is None:
            yield ReplyProblem(f"there was no sentence {each.number} to read", sentence=each.number)
            continue
        if each.number in seen:
            yield ReplyProblem(f"there are two entries for sentence {each.number}", sentence=each.number)
        seen.add(each.number)
        if not is_quoted(each.quote, sentence.text):
            yield ReplyProblem(_quotation_problem(each, sentence.text), sentence=each.number)
        if each.status == "ignored" and not each.reason:
            yield ReplyProblem(f"sentence {each.number} is ignored without a `reason`", sentence=each.number)
        if each.status == "ambiguous" and len(each.readings) < 2:
            text = f"sentence {each.number} is `ambiguous` and has no two `readings`"
            yield ReplyProblem(text, sentence=each.number)
    for number in by_number.keys() - seen:
        yield ReplyProblem(f"there is no entry for sentence {number}", sentence=number)


def _quotation_problem(each: JudgedSentence, sentence: str) -> str:
    if _words(sentence)[: len(_words(each.quote))] == _words(each.quote):
        return f"the `quote` of sentence {each.number} is too short: it has the first {_FEWEST_WORDS} words"
    return f"sentence {each.number} does not begin with “{each.quote[:80]}”"


def is_quoted(quote: str, sentence: str) -> bool:
    """Whether a quotation has the first words of a sentence, however they are spaced and set."""
    words, said = _words(sentence), _words(quote)
    if not words:
        return True
    return len(said) >= min(_FEWEST_WORDS, len(words)) and words[: len(said)] == said


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())

"""Parts of an earlier build of a document on the sentences that did not change ([BUILD-CHANGED])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from potlang.policy.building.draft import DECLARING, STATING, Item, PolicyDraft, cited
from potlang.policy.building.reading import SourceDocument
from potlang.policy.building.replies import STATUSES, JudgedSentence


class EarlierBuild(NamedTuple):
    """The sentences of an earlier build, what was read in them, and its program."""

    sentences: tuple[str, ...]
    readings: Mapping[int, JudgedSentence]
    program: Mapping[str, Any]


def earlier_build(value: Any) -> EarlierBuild:
    """The build whose report in JSON this is. Raises ValueError for another value."""
    try:
        program = value["program"]
        sentences = tuple(str(each["text"]) for each in value["sentences"])
        readings = {
            each["number"]: JudgedSentence(
                each["number"], "", each["status"], each["reason"], tuple(map(str, each["readings"]))
            )
            for each in value["sentences"]
            if each["status"] in STATUSES
        }
        well_formed = all(isinstance(each, dict) for key in (*DECLARING, *STATING) for each in program[key])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("this is no report of `potc policy build` in JSON") from error
    if not well_formed:
        raise ValueError("the program of this report is not one that was built")
    return EarlierBuild(sentences, readings, program)


def carried_over(
    earlier: EarlierBuild, source: SourceDocument
) -> tuple[PolicyDraft, dict[int, JudgedSentence]]:
    """The items and readings that still hold of a document: those of sentences that it still has.

    A rule that also cites a sentence which is gone, or overrides a rule that is gone, is left out, and all
    sentences that it cites are read anew.
    """
    new = _new_numbers(earlier.sentences, [each.text for each in source.sentences])
    kept, lost = _rules_kept(earlier.program, new)
    sections: dict[str, Sequence[Item]] = {
        key: [_renumbered(item, new) for item in items] for key, items in kept.items()
    }
    # What a changed sentence says mostly needs the words that it needed before.
    words = {**_changed_numbers(earlier.sentences, [each.text for each in source.sentences]), **new}
    for key in DECLARING:
        sections[key] = [_renumbered(item, words) for item in earlier.program[key]]
    draft = PolicyDraft(sections)
    readings = {
        new[number]: each._replace(number=new[number])
        for number, each in earlier.readings.items()
        if number in new and number not in lost
    }
    return draft, readings


def _new_numbers(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The new number of each sentence whose text is still there; the same text twice goes by its order."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    found = {
        one + at + 1: other + at + 1
        for one, other, size in matcher.get_matching_blocks()
        for at in range(size)
    }
    # Sentences that only moved are the same, too.
    free: dict[str, list[int]] = {}
    taken = set(found.values())
    for number, text in enumerate(new, 1):
        if number not in taken:
            free.setdefault(text, []).append(number)
    for number, text in enumerate(old, 1):
        if number not in found and free.get(text):
            found[number] = free[text].pop(0)
    return found


def _changed_numbers(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The numbers of sentences that stand in the place of others, as many as these."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return {
        one + at + 1: other + at + 1
        for tag, one, one_end, other, other_end in matcher.get_opcodes()
        if tag == "replace" and one_end - one == other_end - other
        for at in range(one_end - one)
    }


def _rules_kept(program: Mapping[str, Any], new: Mapping[int, int]) -> tuple[dict[str, list[Item]], set[int]]:
    """The rules and facts that hold still, and the sentences of those that do not."""
    kept: dict[str, list[Item]] = {key: list(program[key]) for key in STATING}
    lost: set[int] = set()
    while True:
        names = {item.get("name") for item in kept["rules"]}
        gone = [
            item
            for items in kept.values()
            for item in items
            if not all(number in new for number in cited(item))
            or not names.issuperset(item.get("overrides") or ())
            or lost.intersection(cited(item))
        ]
        if not gone:
            return kept, lost
        lost |= {number for item in gone for number in cited(item)}
        kept = {key: [item for item in items if item not in gone] for key, items in kept.items()}


def _renumbered(item: Item, new: Mapping[int, int]) -> Item:
    return {**item, "cites": sorted({new[number] for number in cited(item) if number in new})}

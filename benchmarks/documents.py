"""Policies of documents from recorded replies: builds, cores that quote, damaged replies that are found.

For each example with `replies.jsonl`: the time of its build, the cores of its own rules, and replies that are
damaged by one seeded change each, which the checks of the builder have to refuse.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import potlang
from potlang.models.endpoint import Sampling
from potlang.models.endpoint.recorded import Recorded
from potlang.policy.building.builder import ExtractedPolicy, PolicyBuilder
from potlang.policy.building.draft import Item, PolicyDraft
from potlang.policy.building.fidelity import fidelity
from potlang.policy.building.journal import KeptReplies
from potlang.policy.building.reading import SourceDocument, read_document
from potlang.policy.building.replies import JudgedSentence

EXAMPLES: Final = Path(__file__).parents[1] / "examples" / "policies"
Reply = dict[str, Any]


# --- damage ----------------------------------------------------------------------------------------


def _entry(reply: Reply, draw: random.Random) -> Item:
    found: Item = draw.choice(reply["sentences"])
    return found


def _missing(reply: Reply, draw: random.Random) -> Reply:
    reply["sentences"].remove(_entry(reply, draw))
    return reply


def _invented(reply: Reply, draw: random.Random) -> Reply:
    number = max(each["number"] for each in reply["sentences"]) + draw.randint(1, 500)
    reply["sentences"].append({**_entry(reply, draw), "number": number})
    return reply


def _twice(reply: Reply, draw: random.Random) -> Reply:
    reply["sentences"].append(copy.deepcopy(_entry(reply, draw)))
    return reply


def _shifted(reply: Reply, draw: random.Random) -> Reply:
    """The quotations of two sentences are exchanged."""
    one = _entry(reply, draw)
    # Sentences that begin alike have the same one: exchanged, these would be no damage.
    other = draw.choice([each for each in reply["sentences"] if each["quote"] != one["quote"]])
    one["quote"], other["quote"] = other["quote"], one["quote"]
    return reply


def _wrong_citation(reply: Reply, draw: random.Random) -> Reply:
    number = max(each["number"] for each in reply["sentences"]) + draw.randint(1, 500)
    draw.choice(reply["rules"])["cites"].append(number)
    return reply


def _without_citation(reply: Reply, draw: random.Random) -> Reply:
    draw.choice(reply["rules"])["cites"] = []
    return reply


def _undeclared(reply: Reply, draw: random.Random) -> Reply:
    text = json.dumps(reply["rules"])
    rule = draw.choice(reply["rules"])
    rule["unless"] = f"never_declared_{len(text)}(x)"
    return reply


def _ignored_and_ruled(reply: Reply, draw: random.Random) -> Reply:
    ruled = {number for rule in reply["rules"] for number in rule["cites"]}
    entry = draw.choice([each for each in reply["sentences"] if each["number"] in ruled])
    entry.update(status="ignored", reason="it decides nothing")
    return reply


def _cut_off(reply: Reply, draw: random.Random) -> str:
    text = json.dumps(reply)
    return text[: draw.randint(1, len(text) - 2)]


def _prose(reply: Reply, draw: random.Random) -> str:
    return "The rules of these sentences are clear: " + " ".join(each["name"] for each in reply["rules"])


DAMAGES: Final[dict[str, Callable[[Reply, random.Random], Reply | str]]] = {
    "a sentence is missing": _missing,
    "a sentence is invented": _invented,
    "a sentence has two entries": _twice,
    "quotations are exchanged": _shifted,
    "a citation is of no sentence": _wrong_citation,
    "a rule cites nothing": _without_citation,
    "a name is not declared": _undeclared,
    "what is ignored has a rule": _ignored_and_ruled,
    "it is cut off": _cut_off,
    "it is prose": _prose,
}


# --- measuring -------------------------------------------------------------------------------------


@dataclass
class Figures:
    """Of one example: its build, the cores of its rules, and the damaged replies that were found."""

    name: str
    build_s: float = 0.0
    report_s: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    rules: int = 0
    flags: int = 0
    findings: int = 0
    cores: int = 0
    quoted: int = 0
    damaged: dict[str, list[int]] = field(default_factory=dict)

    @property
    def missed(self) -> int:
        """Damaged replies that were accepted."""
        return sum(total - found for found, total in self.damaged.values())


def example(name: str) -> tuple[SourceDocument, list[Any]]:
    """The document of an example, and its recorded replies."""
    folder = EXAMPLES / name
    lines = (folder / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    data = (folder / "document.md").read_bytes()
    return read_document(data, "document.md"), [json.loads(line) for line in lines]


def built(name: str, document: SourceDocument) -> ExtractedPolicy:
    """The policy of the recorded replies."""
    kept = KeptReplies()
    kept.add(EXAMPLES / name / "replies.jsonl")
    return PolicyBuilder(document, kept.model_for).build()


def measure(name: str, rounds: int, seed: int) -> Figures:
    """All figures of one example."""
    document, lines = example(name)
    figures = Figures(name)
    began = time.perf_counter()
    found = built(name, document)
    figures.build_s = time.perf_counter() - began
    began = time.perf_counter()
    report = fidelity(document, found)
    figures.report_s = time.perf_counter() - began
    figures.counts = report.counts()
    figures.flags, figures.findings = len(report.flags), len(report.findings)
    figures.rules = len(found.draft.sections["rules"])
    figures.cores, figures.quoted = cores(found, document)
    figures.damaged = damaged(document, found, lines, rounds, random.Random(f"{seed} {name}"))
    return figures


def cores(found: ExtractedPolicy, document: SourceDocument) -> tuple[int, int]:
    """How many of the policy's rules follow from a core with facts or rules, and how many cores quote all."""
    program = potlang.compile(found.draft.program(document))
    total = quoted = 0
    with program.session(trust="solver") as session:
        for rule in found.draft.sections["rules"]:
            keys = ("name", "forall", "constraint", "implies")
            (result,) = session.verify({key: rule[key] for key in keys if key in rule}).results
            stated = [each for each in result.evidence.core or () if each.kind in ("fact", "rule")]
            total += bool(stated)
            quoted += bool(stated) and all(each.quotes for each in stated)
    return total, quoted


def damaged(
    document: SourceDocument, found: ExtractedPolicy, lines: list[Any], rounds: int, draw: random.Random
) -> dict[str, list[int]]:
    """Replies with one change each, against the words of the whole policy: found ones and all, by damage."""
    words = PolicyDraft({key: found.draft.sections[key] for key in ("sorts", "functions", "constants")})
    replies = [each for each in lines if each["stage"] == "rules" and len(each["reply"].get("rules", ())) > 1]
    counts: dict[str, list[int]] = {}
    for kind, damage in DAMAGES.items():
        for _ in range(rounds):
            line = draw.choice(replies)
            reply = _standing_alone(copy.deepcopy(line["reply"]))
            bad = damage(reply, draw)
            text = bad if isinstance(bad, str) else json.dumps(bad)
            row = counts.setdefault(kind, [0, 0])
            row[0] += not accepted(document, words, line["sentences"], text)
            row[1] += 1
    return counts


def _standing_alone(reply: Reply) -> Reply:
    """A reply whose rules override none of other replies."""
    names = {each["name"] for each in reply["rules"]}
    for each in reply["rules"]:
        each["overrides"] = [name for name in each.get("overrides", ()) if name in names]
    return reply


def accepted(document: SourceDocument, words: PolicyDraft, numbers: list[int], reply: str) -> bool:
    """Whether the builder accepts a reply about these sentences."""
    known = {each.number: each for each in _nothing_asked(document, numbers)}

    def model_for(stage: str, asked: object) -> Recorded:
        answers = {"words": '{"sorts": []}', "same": '{"same": []}'}
        return Recorded([answers[stage]]) if stage in answers else Recorded([reply])

    sampling = Sampling(tries=1)
    found = PolicyBuilder(document, model_for, sampling=sampling, draft=words, readings=known).build()
    return not found.problems


def _nothing_asked(document: SourceDocument, numbers: list[int]) -> Iterator[JudgedSentence]:
    for each in document.sentences:
        if each.number not in numbers:
            yield JudgedSentence(each.number, "", "ignored", "not asked about")


def _lines(figures: Figures) -> Iterator[str]:
    statuses = ", ".join(f"{count} {status}" for status, count in figures.counts.items() if count)
    yield (
        f"{figures.name}: {statuses}; {figures.rules} rules, {figures.flags} flags, "
        f"{figures.findings} findings; built in {figures.build_s:.1f} s, reported in {figures.report_s:.1f} s"
    )
    yield f"  cores with facts or rules: {figures.cores}, of which {figures.quoted} quote a sentence for each"
    for kind, (found, total) in figures.damaged.items():
        yield f"  {kind}: {found} of {total} found"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=["refund", "leave", "luggage", "mortgage"])
    parser.add_argument("--rounds", type=int, default=10, help="damaged replies of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--check", action="store_true", help="fail where damage is missed or a core quotes nothing"
    )
    given = parser.parse_args()
    every = [measure(name, given.rounds, given.seed) for name in given.names]
    for figures in every:
        print("\n".join(_lines(figures)))
    damage = [row for figures in every for row in figures.damaged.values()]
    print(f"damaged replies found: {sum(one for one, _ in damage)} of {sum(total for _, total in damage)}")
    failed = any(each.missed or each.cores != each.quoted for each in every)
    sys.exit(1 if given.check and failed else 0)


if __name__ == "__main__":
    main()

"""The examples that ship with potlang, as the playground lists them."""

from __future__ import annotations

from typing import Final, NamedTuple

from potlang.utils.resources import folder

_TITLES: Final = {
    "giraffe.json": "A record and a giraffe: a claim that is refuted",
    "undetermined.json": "A claim that nothing decides",
    "ladder.json": "Rules and facts that contradict each other",
    "broken.json": "A program with mistakes, to be fixed",
    "norms.json": "A norm, and who violates it",
    "find.json": "All answers to a question",
    "seating.json": "Who sits where",
    "derivation.json": "A claim that follows in several steps",
    "pigeonhole.json": "Too many pigeons",
    "allocation.json": "The best plan: an optimum",
    "portfolio.json": "The best plan for several aims",
    "records.json": "Records",
    "registers.json": "Bits of a register",
    "pack.json": "A rule pack of the standard library",
    "refinement.dot.txt": "A trace: may somebody rent a car?",
    "parcel.dot.txt": "A trace about a parcel",
    "alarm.dot.txt": "A trace about an alarm",
    "derivation.dot.txt": "A derivation as a trace",
    "appendix_a.dot.txt": "The paper's own trace",
    "natascha.dagmath.json": "A solution in steps",
    "logarithms.dagmath.txt": "A solution in steps, as text",
}
"""The titles of the examples, in the order of the list; one without a title is listed by its name."""


class PlaygroundExample(NamedTuple):
    """An example: its file's name, a line about it, and its text."""

    name: str
    title: str
    text: str


def examples() -> list[PlaygroundExample]:
    """All examples."""
    files = {each.name: each for each in sorted(folder("examples").iterdir()) if each.is_file()}
    names = [*(name for name in _TITLES if name in files), *(name for name in files if name not in _TITLES)]
    return [
        PlaygroundExample(name, _TITLES.get(name, name), files[name].read_text(encoding="utf-8"))
        for name in names
    ]

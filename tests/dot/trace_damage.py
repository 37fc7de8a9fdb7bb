"""What models do to traces: each function damages the text of a well-formed one at random."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random

_FIELDS = r"\b(id|src|dst|target|just|witness)="


def blank_lines(text: str, random: Random) -> str:
    """Blank lines between the records of blocks."""

    def spaced(found: re.Match[str]) -> str:
        return found[0] + (random.choice(["\n", "\n\n", "  \n", "\t\n"]) if random.random() < 0.3 else "")

    return re.sub(r"(?m)^@(?!@).*\n(?=@(?!@|node))", spaced, text)


def wrong_kinds(text: str, random: Random) -> str:
    """Edges of a kind that their roles do not admit, as far as there is one."""
    roles = dict(re.findall(r"(?m)^@node id=(\d+) role=(\w+)", text))

    def respelt(found: re.Match[str]) -> str:
        if random.random() > 0.3:
            return found[0]
        both = roles[found[2]] == roles[found[3]] == "proposer"
        kind = "critique" if both else random.choice(["use", "refine", "critique"])
        return f"{found[1]}{kind}"

    return re.sub(r"(?m)^(@edge src=(\d+) dst=(\d+) kind=)\w+", respelt, text)


def second_status(text: str, random: Random) -> str:
    """A status once more, in its block or another one, with the same mark or not."""
    lines = text.split("\n")
    places = [index for index, line in enumerate(lines) if line.startswith("@status ")]
    if not places:
        return text
    at = random.choice(places)
    line = lines[at]
    if random.random() < 0.3:
        line = line.replace("=validated", "=invalidated") if "=validated" in line else f"{line} just=1"
    heads = [index + 1 for index, each in enumerate(lines) if each.startswith(("@node ", "@edge "))]
    lines.insert(at + 1 if random.random() < 0.6 else random.choice(heads), line)
    return "\n".join(lines)


def doubled_id(text: str, random: Random) -> str:
    """The id of another node: in the `@node` alone, in its block, or wherever the node is named."""
    ids = re.findall(r"(?m)^@node id=(\d+)", text)
    if len(ids) < 2:
        return text
    new, old = random.sample(ids, 2)

    def respelt(part: str) -> str:
        named = re.sub(rf"(?m)^@prop id={old} ", f"@prop id={new} ", part)
        records = r"(?m)^@(?:node|edge|status|entails|eq|coeq) .*$"
        return re.sub(records, lambda found: re.sub(rf"{_FIELDS}{old}\b", rf"\g<1>={new}", found[0]), named)

    how = random.choice(["node", "block", "all"])
    if how == "node":
        return re.sub(rf"(?m)^@node id={old}\b", f"@node id={new}", text)
    if how == "all":
        return respelt(text)
    parts = re.split(r"(?m)^(?=@node )", text)
    return "".join(respelt(part) if part.startswith(f"@node id={old} ") else part for part in parts)


def lines_of_json(text: str, random: Random) -> str:
    """JSON of propositions over several lines, in a fence now and then, or with a comma too many."""

    def spread(found: re.Match[str]) -> str:
        if random.random() < 0.4:
            return found[0]
        lines = json.dumps(json.loads(found[2]), indent=random.choice([1, 2, 4]), ensure_ascii=False)
        if random.random() < 0.2:
            lines = re.sub(r"(?<=[\w\"\]}])\n(?=\s*[\]}])", ",\n", lines)
        roll = random.random()
        fenced = f"{found[1].rstrip()}\n```json\n{lines}\n```"
        return fenced if roll < 0.1 else f"{found[1].rstrip()}\n{lines}" if roll < 0.2 else found[1] + lines

    return re.sub(r"(?m)^(@prop id=\d+ )([\[{].*)$", spread, text)


def nameless(text: str, random: Random) -> str:
    """Propositions that do not say whose they are."""
    return re.sub(r"(?m)^@prop id=\d+ ", lambda each: each[0] if random.random() < 0.3 else "@prop ", text)


def indented(text: str, random: Random) -> str:
    """Records that begin behind blanks: some of them, or all."""
    share = random.choice([0.1, 0.5, 1])

    def moved(_: re.Match[str]) -> str:
        return random.choice([" ", "  ", "\t", "    "]) if random.random() < share else ""

    return re.sub(r"(?m)^(?=@\w)", moved, text)


DAMAGES: tuple[Callable[[str, Random], str], ...] = (
    blank_lines,
    wrong_kinds,
    second_status,
    doubled_id,
    lines_of_json,
    nameless,
    indented,
)

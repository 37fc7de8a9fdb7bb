"""The language server's answers after an edit, in milliseconds: `python benchmarks/editor.py --help`.

A client over standard input and output changes one formula, waits for the diagnostics of the new version,
and asks each question, time and again. What is measured is what an editor waits for, pipes and the server's
own process included. Diagnostics count from the edit; a question counts from the question, and each is the
first after an edit, so that nothing that was worked out for an earlier version helps.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent), str(HERE.parent / "tests")]

from editor_client import EditorClient, editor, position_of  # noqa: E402
from tables import table  # noqa: E402

_URI: Final = "file:///program.json"
_PLACE: Final = '"constraint": "near('


class Size(NamedTuple):
    """A program: its name, its text, and the milliseconds that 95 of 100 answers may take."""

    name: str
    text: str
    most_ms: float


def sizes() -> list[Size]:
    """A program of 300 lines as people write them, and one of 10,000 facts."""
    return [
        Size("300 lines", _program(members=30, facts=60, rules=13), 50.0),
        Size("10,000 facts", _program(members=1_000, facts=10_000, rules=40), 300.0),
    ]


def _program(members: int, facts: int, rules: int) -> str:
    names = [f"place_{number}" for number in range(members)]
    value: dict[str, Any] = {
        "sorts": [{"name": "Place", "type": "DeclareSort"}],
        "functions": [
            {"name": "near", "domain": ["Place", "Place"], "range": "Bool"},
            {"name": "distance", "domain": ["Place", "Place"], "range": "Int"},
            {"name": "served", "domain": ["Place"], "range": "Bool"},
        ],
        "constants": {"places": {"sort": "Place", "members": names}},
        "variables": [{"name": "p", "sort": "Place"}, {"name": "q", "sort": "Place"}],
        "knowledge_base": [
            f"near({names[n % members]}, {names[(7 * n + n // members + 1) % members]})" for n in range(facts)
        ],
        "rules": [
            {
                "name": f"rule {n}",
                "forall": ["p", "q"],
                "implies": {
                    "antecedent": f"near(p, q) and distance(p, q) <= {n}",
                    "consequent": "served(p) -> served(q)",
                },
            }
            for n in range(rules)
        ],
        "verifications": [
            {"name": "claim", "constraint": f"near({names[0]}, {names[1]}) or served({names[2]})"}
        ],
    }
    return json.dumps(value, indent=1)


Ask = Callable[[EditorClient, str], Any]


def _at(method: str, part: str, inside: int, **more: Any) -> Ask:
    def ask(client: EditorClient, text: str) -> Any:
        place = client.at(_URI, *position_of(text, part, 0, inside))
        return client.ask(f"textDocument/{method}", {**place, **more})

    return ask


def _of_document(method: str, **more: Any) -> Ask:
    def ask(client: EditorClient, text: str) -> Any:
        return client.ask(f"textDocument/{method}", {"textDocument": {"uri": _URI}, **more})

    return ask


_RANGE: Final = {"start": {"line": 0, "character": 0}, "end": {"line": 60, "character": 0}}
_INSIDE: Final = len(_PLACE) - 3
QUESTIONS: Final[dict[str, Ask]] = {
    "hover": _at("hover", _PLACE, _INSIDE),
    "completion": _at("completion", _PLACE, _INSIDE),
    "definition": _at("definition", _PLACE, _INSIDE),
    "references": _at("references", '"served(p)', 3, context={"includeDeclaration": True}),
    "highlights": _at("documentHighlight", _PLACE, _INSIDE),
    "tokens": _of_document("semanticTokens/range", range=_RANGE),
    "hints": _of_document("inlayHint", range=_RANGE),
    "actions": _of_document("codeAction", range=_RANGE, context={"diagnostics": []}),
    "outline": _of_document("documentSymbol"),
}
BOUND: Final = ("diagnostics", "broken", "hover", "completion", "definition")
"""What must be within the bound; `broken`: the diagnostics of a text that is no JSON."""


def _edited(client: EditorClient, text: str, number: int) -> str:
    """The text with one character more or less in its last formula, as the server has it then."""
    line, column = position_of(text, _PLACE, 0, len(_PLACE))
    here = {"line": line, "character": column}
    grows = number % 2 == 0
    end = here if grows else {"line": line, "character": column + 1}
    client.change(_URI, {"range": {"start": here, "end": end}, "text": " " if grows else ""})
    at = text.index(_PLACE) + len(_PLACE)
    return f"{text[:at]} {text[at:]}" if grows else f"{text[:at]}{text[at + 1 :]}"


class Answered(NamedTuple):
    """The milliseconds of one answer, and those that the server and its children had a processor for it."""

    wall_ms: float
    cpu_ms: float


class _Clock:
    """Wall and processor time since it was made."""

    def __init__(self, client: EditorClient) -> None:
        self._pid = client.process.pid
        self._cpu = _cpu_ms(self._pid)
        self._began = perf_counter()

    def spent(self) -> Answered:
        wall = 1_000 * (perf_counter() - self._began)
        return Answered(wall, _cpu_ms(self._pid) - self._cpu)


def _cpu_ms(pid: int) -> float:
    """Processor time of a process and its children so far; 0 where the system does not tell (Linux does)."""
    tasks = Path(f"/proc/{pid}/task")
    if not tasks.is_dir():
        return 0.0
    children = tasks.joinpath(str(pid), "children").read_text(encoding="ascii").split()
    pids = [pid, *map(int, children)]
    found = (each for one in pids for each in Path(f"/proc/{one}/task").glob("*/schedstat"))
    return sum(int(each.read_text(encoding="ascii").split()[0]) for each in found) / 1e6


def measured(size: Size, rounds: int) -> dict[str, list[Answered]]:
    """What each answer took, by question."""
    found: dict[str, list[Answered]] = {name: [] for name in ("diagnostics", "broken", *QUESTIONS)}
    with editor() as client:
        client.open(_URI, size.text)
        text, edits = size.text, 0
        for _ in range(rounds):
            for name, ask in QUESTIONS.items():
                clock = _Clock(client)
                text = _edited(client, text, edits)
                edits += 1
                client.diagnostics(_URI)
                found["diagnostics"].append(clock.spent())
                clock = _Clock(client)
                ask(client, text)
                found[name].append(clock.spent())
            found["broken"].append(_broken(client, text))
    return found


def _broken(client: EditorClient, text: str) -> Answered:
    """The diagnostics of the text without the quote that begins its last formula."""
    line, column = position_of(text, _PLACE, 0, len(_PLACE) - 6)
    place = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 1}}
    clock = _Clock(client)
    client.change(_URI, {"range": place, "text": ""})
    client.diagnostics(_URI)
    spent = clock.spent()
    client.change(_URI, {"text": text})
    client.diagnostics(_URI)
    return spent


def p95(values: list[float]) -> float:
    """What 95 of 100 values are at most."""
    return sorted(values)[max(0, -(-len(values) * 95 // 100) - 1)]


@click.command()
@click.option("--rounds", default=20, show_default=True, help="Answers to each question.")
@click.option("--check", is_flag=True, help="Exit with 1 where 95 of 100 answers take too long.")
def main(rounds: int, check: bool) -> None:
    """Measure the language server on a program of 300 lines and on one of 10,000 facts."""
    slow: list[str] = []
    for size in sizes():
        rows = []
        for name, answers in measured(size, rounds).items():
            walls = [each.wall_ms for each in answers]
            middle, most = statistics.median(walls), p95(walls)
            cpu = statistics.median(each.cpu_ms for each in answers)
            rows.append([name, str(len(walls)), f"{middle:.1f}", f"{most:.1f}", f"{cpu:.1f}"])
            if name in BOUND and most > size.most_ms:
                slow.append(f"{name} on {size.name}: {most:.0f} ms, at most {size.most_ms:.0f}")
        lines = size.text.count("\n") + 1
        click.echo(
            f"{size.name} ({lines} lines, {len(size.text):,} characters), bound {size.most_ms:.0f} ms\n"
        )
        click.echo(table(["question", "answers", "p50 ms", "p95 ms", "CPU ms"], rows))
        click.echo()
    for each in slow:
        click.echo(f"too slow: {each}", err=True)
    sys.exit(1 if check and slow else 0)


if __name__ == "__main__":
    main()

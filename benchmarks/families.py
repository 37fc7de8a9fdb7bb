"""Growth of minimal cores and corrections: potlang beside the textbook's methods over raw z3."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from measure import fitted_growth, growth, interleaved, median, ratio

import potlang
from potlang.report.results import Evidence

Program = dict[str, Any]

SIZES: Final = {"core": (25, 50, 100, 200), "ways": (10, 20, 40, 80), "conflicts": (2, 4, 6)}


@dataclass(frozen=True, slots=True)
class Family:
    """A program, how many minimal cores and corrections it has, and how large its first core is."""

    name: str
    size: int
    program: Program
    cores: int
    corrections: int
    first: int
    entailed: bool = False


@dataclass
class Point:
    """Medians in milliseconds, potlang's time over the textbook's, and what was wrong."""

    name: str
    size: int
    cores: int
    corrections: int
    ms: float | None = None
    raw: float | None = None
    ratio: float | None = None
    faults: list[str] = field(default_factory=list)


# --- programs ---


def core(size: int) -> Family:
    """A claim that takes all of `size` assumptions: one core to be made minimal."""
    names = [f"p{n}" for n in range(size)]
    program = {
        "constants": {"flags": {"sort": "BoolSort", "members": names}},
        "knowledge_base": [names[0], *(f"Implies({a}, {b})" for a, b in itertools.pairwise(names))],
        "verifications": [{"name": "v", "constraint": names[-1]}],
    }
    return Family("core", size, program, 1, 0, size, entailed=True)


def ways(size: int) -> Family:
    """`size` people are mortal by one rule, and nobody is: as many cores, three corrections."""
    people = [f"e{n}" for n in range(size)]
    program = {
        "sorts": [{"name": "Entity", "type": "DeclareSort"}],
        "functions": [{"name": f, "domain": ["Entity"], "range": "BoolSort"} for f in ("human", "mortal")],
        "constants": {"people": {"sort": "Entity", "members": people}},
        "knowledge_base": [f"human({each})" for each in people],
        "rules": [
            {"forall": [{"name": "x", "sort": "Entity"}], "constraint": text}
            for text in ("Implies(human(x), mortal(x))", "Not(mortal(x))")
        ],
        "verifications": [],
    }
    return Family("ways", size, program, size, 3, 3)


def conflicts(size: int) -> Family:
    """`size` contradictions that share nothing: as many cores, two to that power corrections."""
    names = [f"p{n}" for n in range(size)]
    program = {
        "constants": {"flags": {"sort": "BoolSort", "members": names}},
        "knowledge_base": [text for each in names for text in (each, f"Not({each})")],
        "verifications": [],
    }
    return Family("conflicts", size, program, size, 1 << size, 2)


MAKERS: Final[dict[str, Callable[[int], Family]]] = {"core": core, "ways": ways, "conflicts": conflicts}


# --- contenders ---


class Potlang:
    """A session that verifies, with every core where there are several; workers warm."""

    def __init__(self, family: Family) -> None:
        self._program = potlang.compile({**family.program, "actions": ["verify_conditions"]})
        self._family = family
        self.evidence: Evidence | None = None

    def prepare(self) -> None:
        """Nothing."""

    def run(self) -> None:
        """Verify by z3 and keep the evidence; tiers are not part of this."""
        from potlang.processes.pool import default_workers
        from potlang.prove.options import Cores, ProverOptions
        from potlang.prove.prover import Prover

        every = self._family.cores > 1
        cores: Cores = "all" if every else "one"
        options = ProverOptions(route="z3", trust="solver", minimize_cores=True, cores=cores)
        with Prover(self._program.module, options, workers=default_workers()) as session:
            report = session.report()
        self.evidence = report.results[0].evidence if report.results else report.evidence


class Textbook:
    """z3's Python interface on the same text: deletion for one core, z3's own example of MARCO for all."""

    def __init__(self, family: Family) -> None:
        text = potlang.compile({**family.program, "actions": ["verify_conditions"]}).emit("smt2")
        self._text = "\n".join(line for line in text.splitlines() if "check-sat" not in line)
        self._family = family
        self.cores = 0
        self.corrections = 0

    def prepare(self) -> None:
        """Nothing."""

    def run(self) -> None:
        """Read the text, then shrink or enumerate."""
        import z3

        context = z3.Context()
        found = z3.parse_smt2_string(self._text, ctx=context)
        switches = [z3.Bool(f"switch{n}", context) for n in range(len(found))]
        solver = z3.Solver(ctx=context)
        count = len(found) - (1 if self._family.entailed else 0)
        for switch, formula in zip(switches[:count], found, strict=False):
            solver.add(z3.Implies(switch, formula))
        for formula in itertools.islice(found, count, None):
            solver.add(formula)
        every = list(range(count))
        if self._family.cores == 1:
            self.cores = int(len(self._shrink(solver, switches, every)) > 0)
        else:
            self._enumerate(context, solver, switches, every)

    def _unsatisfiable(self, solver: Any, switches: list[Any], subset: list[int]) -> bool:
        import z3

        return bool(solver.check([switches[n] for n in subset]) == z3.unsat)

    def _shrink(self, solver: Any, switches: list[Any], subset: list[int]) -> list[int]:
        kept = list(subset)
        for n in subset:
            rest = [each for each in kept if each != n]
            if self._unsatisfiable(solver, switches, rest):
                kept = rest
        return kept

    def _enumerate(self, context: Any, solver: Any, switches: list[Any], every: list[int]) -> None:
        import z3

        unexplored = z3.Solver(ctx=context)
        inside = [z3.Bool(f"in{n}", context) for n in every]
        self.cores = self.corrections = 0
        while unexplored.check() == z3.sat:
            model = unexplored.model()
            seed = [n for n in every if not z3.is_false(model[inside[n]])]
            if self._unsatisfiable(solver, switches, seed):
                kept = self._shrink(solver, switches, seed)
                self.cores += 1
                unexplored.add(z3.Or([z3.Not(inside[n]) for n in kept]))
                continue
            grown = list(seed)
            for n in every:
                if n not in grown and not self._unsatisfiable(solver, switches, [*grown, n]):
                    grown.append(n)
            self.corrections += 1
            unexplored.add(z3.Or([inside[n] for n in every if n not in grown]))


# --- figures ---


def measure(sizes: dict[str, tuple[int, ...]], rounds: int) -> Iterator[Point]:
    """A point for each family and size."""
    for name, wanted in sizes.items():
        for size in wanted:
            yield _point(MAKERS[name](size), rounds)


def _point(family: Family, rounds: int) -> Point:
    own, raw = Potlang(family), Textbook(family)
    interleaved({"own": own, "raw": raw}, 1)
    times = interleaved({"own": own, "raw": raw}, rounds)
    point = Point(family.name, family.size, family.cores, family.corrections)
    point.ms, point.raw = median(times["own"]), median(times["raw"])
    point.ratio = ratio(point.ms, point.raw)
    point.faults = list(_faults(family, own.evidence, raw))
    return point


def _faults(family: Family, evidence: Evidence | None, raw: Textbook) -> Iterator[str]:
    if evidence is None or not evidence.core_minimal or len(evidence.core or ()) != family.first:
        yield "the core is not the minimal one"
    elif family.cores > 1:
        found = len(evidence.cores or ()), len(evidence.corrections or ())
        if found != (family.cores, family.corrections) or not evidence.cores_complete:
            yield f"{found[0]} cores and {found[1]} corrections, complete: {evidence.cores_complete}"
        if (raw.cores, raw.corrections) != (family.cores, family.corrections):
            yield f"the textbook has {raw.cores} cores and {raw.corrections} corrections"


HEADINGS = ("family", "size", "cores", "corrections", "ms", "textbook", "x textbook", "growth", "its growth")


def rows(points: list[Point]) -> list[list[Any]]:
    """The points as rows of a table under `HEADINGS`; growth is per doubling of the size."""
    made = []
    before: Point | None = None
    for point in points:
        own = theirs = None
        if before is not None and before.name == point.name:
            sizes = before.size, point.size
            own, theirs = growth(sizes, (before.ms, point.ms)), growth(sizes, (before.raw, point.raw))
        made.append(
            [
                point.name,
                point.size,
                point.cores,
                point.corrections,
                point.ms,
                point.raw,
                point.ratio,
                own,
                theirs,
            ]
        )
        before = point
    return made


def fitted(points: list[Point]) -> dict[str, float]:
    """Growth per doubling of each family, over that of the textbook."""
    found = {}
    for name in dict.fromkeys(point.name for point in points):
        mine = [point for point in points if point.name == name]
        sizes = [point.size for point in mine]
        each = ratio(fitted_growth(sizes, [p.ms for p in mine]), fitted_growth(sizes, [p.raw for p in mine]))
        if each is not None:
            found[name] = each
    return found

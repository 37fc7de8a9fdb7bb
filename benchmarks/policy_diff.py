"""Mutants of policies, and whether their proved difference from the original is found.

    python benchmarks/policy_diff.py --count 1000 --seed 1 --output rows.jsonl examples/*.json DIR/*.jsonl

A file is a program, or has one a line (JSON Lines, alone or as `program`). Mutants are drawn by the seed,
alike from each file of many programs, and each folder of files of one, and of each kind
(`potlang.policy.mutations`). Each is compared with its original, and judged by a z3 that reads the SMT-LIB
texts of both by itself: is there a model of the statements of one and the denial of those of the
other? Rows that are in the output already are not made again.

`found`: a mutant that says something else has a case that the evaluator confirmed. `false`: a difference
is told of one that says the same. `certified`: told equal, with certificates that the kernel accepts.
`ratio`: seconds of the comparison over those of one verification for each statement and claim.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final, NamedTuple

import z3

import potlang
from potlang.certify import check
from potlang.policy import Difference, Mutant, compare, mutants
from potlang.policy.statements import statements, typed
from potlang.report.results import Limits

ROOT: Final = Path(__file__).parents[1]
_TRIES: Final = 50


class MutantRow(NamedTuple):
    """What became of one mutant; `judged` is `same`, `other` or `unknown`."""

    key: str
    kind: str
    change: str
    judged: str
    relation: str
    differs: bool
    confirmed: bool
    proved: bool
    certified: bool
    seconds: float
    ratio: float
    cases: list[str]


def programs_of(path: Path) -> list[dict[str, Any]]:
    """The programs in a file that compile."""
    texts = path.read_text("utf-8").splitlines() if path.suffix == ".jsonl" else [path.read_text("utf-8")]
    found = [value.get("program", value) for text in texts if text.strip() and (value := json.loads(text))]
    return [each for each in found if isinstance(each, dict)]


def drawn(paths: Sequence[Path], count: int, seed: int) -> Iterator[tuple[str, dict[str, Any], Mutant]]:
    """So many mutants with their originals: family, program, kind and place are drawn in turn."""
    random = Random(seed)
    families: dict[Path, list[tuple[str, dict[str, Any]]]] = {}
    for path in paths:
        family = families.setdefault(path.parent if path.suffix == ".json" else path, [])
        family += [(f"{path.name}#{at}", each) for at, each in enumerate(programs_of(path))]
    seen: set[str] = set()
    for _ in range(count):
        for _ in range(_TRIES):
            name, program = random.choice(random.choice(list(families.values())))
            every = list(mutants(program))
            if not every:
                continue
            kind = random.choice(sorted({each.kind for each in every}))
            mutant = random.choice([each for each in every if each.kind == kind])
            key = f"{name} {mutant.pointer} {mutant.edit}"
            if key not in seen and _compiles(program) and _compiles(mutant.applied(program)):
                seen.add(key)
                yield key, program, mutant
                break


def _compiles(program: dict[str, Any]) -> bool:
    try:
        return potlang.compile(program).module is not None
    except potlang.CompileError:
        return False


def judged(old: dict[str, Any], new: dict[str, Any], seconds: float) -> str:
    """`same`, `other` or `unknown`, by a solver that is asked directly."""
    parts = [_parts({**each, "verifications": [], "optimization": None}) for each in (old, new)]
    declared = list(dict.fromkeys([*parts[0][0], *parts[1][0]]))
    answers = set()
    for first, second in ((0, 1), (1, 0)):
        own, other = parts[first][1], parts[second][1]
        text = [
            *declared,
            *(f"(assert {each})" for each in own),
            f"(assert (not (and true {' '.join(other)})))",
        ]
        solver = z3.Solver()
        solver.set("timeout", int(seconds * 1000))
        solver.from_string("\n".join(text))
        answers.add(str(solver.check()))
    return "other" if "sat" in answers else "same" if answers == {"unsat"} else "unknown"


def _parts(program: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The declarations and the assertions of a program's SMT-LIB text, definitions as equations."""
    plain = {key: each for key, each in program.items() if each is not None}
    declared, asserted = [], []
    shared: dict[str, Form] = {}
    for form in _read(potlang.compile(plain).emit("smt2", passes="")):
        match form:
            case ["push", *_] | ["check-sat", *_]:
                # Behind it are norms, which are asked about.
                break
            # A part that occurs more than once has a name of the printer's.
            case ["declare-const", str(name), _] if name.startswith("%"):
                pass
            case ["assert", ["=", str(name), body]] if name.startswith("%"):
                shared[name] = _unshared(body, shared)
            case ["assert", ["!", body, *_]] | ["assert", body]:
                asserted.append(_text(_unshared(body, shared)))
            case ["define-fun", name, params, sort, body]:
                declared.append(_text(["declare-fun", name, [each[1] for each in params], sort]))
                call = [name, *(each[0] for each in params)] if params else name
                equation: Form = ["=", call, body]
                asserted.append(_text(["forall", params, equation] if params else equation))
            case [str(head), *_] if head.startswith(("declare", "define")):
                declared.append(_text(form))
    return declared, asserted


Form = str | list[Any]
_TOKEN: Final = re.compile(r'\(|\)|\|[^|]*\||"(?:[^"]|"")*"|;[^\n]*|[^\s()|";]+')


def _read(text: str) -> list[Form]:
    """The forms of an SMT-LIB text."""
    stack: list[list[Form]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif not token.startswith(";"):
            stack[-1].append(token)
    return stack[0]


def _unshared(form: Form, shared: dict[str, Form]) -> Form:
    if isinstance(form, str):
        return shared.get(form, form)
    return [_unshared(each, shared) for each in form]


def _text(form: Form) -> str:
    return form if isinstance(form, str) else f"({' '.join(map(_text, form))})"


def row(key: str, program: dict[str, Any], mutant: Mutant, seconds: float) -> MutantRow:
    """One mutant compared, judged and timed."""
    changed = mutant.applied(program)
    old, new = potlang.compile(program), potlang.compile(changed)
    limits = Limits(check_ms=int(seconds * 1000))
    once = _one_verification(old, limits)
    began = time.perf_counter()
    found = compare(old, new, limits=limits)
    spent = time.perf_counter() - began
    cases = [case for change in found.changes for case in change.cases]
    return MutantRow(
        key,
        mutant.kind,
        f"{mutant.before} -> {mutant.after}",
        judged(program, changed, seconds),
        found.relation,
        bool(found.changes),
        bool(cases) and all(case.confirmed for case in cases),
        found.is_proved,
        not found.differs and found.is_proved and _certified(old, new, limits),
        spent,
        spent / (once * max(1, len(statements(typed(old))) + len(old.module.claims))),
        [json.dumps(case.values, ensure_ascii=False) for case in cases],
    )


def _one_verification(program: potlang.Program, limits: Limits) -> float:
    """Seconds of one claim in a session of its own: the program's first, or else its first statement."""
    claims = (*program.module.claims, *(each.claim for each in statements(program.module)))[:1]
    began = time.perf_counter()
    with program.asking(claims).session(limits=limits) as session:
        session.run()
    return time.perf_counter() - began


def _certified(old: potlang.Program, new: potlang.Program, limits: Limits) -> bool:
    found: Difference = compare(old, new, limits=limits, certificates=True)
    for each in found.certificates:
        outcome = check(each.certificate, potlang.compile(each.program).emit("ir", passes=""))
        # That a version has a model need not be shown for what follows from it.
        holes = [hole for hole in outcome.holes if "unsat" in hole.text]
        if outcome.status == "INVALID" or holes or outcome.open or not _follows(outcome.verdicts):
            return False
    return len(found.certificates) == 2


def _follows(verdicts: Any) -> bool:
    return all(str(each) in ("entailed", "inconsistent") for each in dict(verdicts).values())


def summary(rows: Sequence[MutantRow]) -> list[str]:
    """The figures, a line each."""
    other = [each for each in rows if each.judged == "other"]
    same = [each for each in rows if each.judged == "same"]
    told = [each for each in rows if not each.differs]
    ratios = sorted(each.ratio for each in rows)
    lines = [
        f"{len(rows)} mutants: {dict(Counter(each.kind for each in rows))}",
        f"say something else: {len(other)}; found {sum(e.differs and e.confirmed for e in other)}, "
        f"without confirmation {sum(e.differs and not e.confirmed for e in other)}, "
        f"not found {sum(not e.differs for e in other)}",
        f"say the same: {len(same)}; false differences {sum(e.differs for e in same)}",
        f"not judged: {sum(e.judged == 'unknown' for e in rows)}",
        f"no difference told: {len(told)}; certified {sum(e.certified for e in told)}, "
        f"not proved {sum(not e.proved for e in told)}, "
        f"although judged otherwise {sum(e.judged == 'other' for e in told)}",
    ]
    if rows:
        seconds = [each.seconds for each in rows]
        lines += [
            f"seconds: median {median(seconds):.2f}, most {max(seconds):.2f}",
            f"ratio: median {median(ratios):.2f}, 90 % {ratios[int(0.9 * (len(ratios) - 1))]:.2f}",
        ]
    return lines


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="programs, or JSON Lines of programs")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0, help="for one check")
    parser.add_argument("--part", default="1/1", help="of several that run side by side: 1/2, 2/2")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    files = given.files or sorted((ROOT / "examples").glob("*.json"))
    rows = [] if given.output is None or not given.output.exists() else _known(given.output)
    known = {each.key for each in rows}
    part, parts = map(int, given.part.split("/"))
    for at, (key, program, mutant) in enumerate(drawn(files, given.count, given.seed)):
        if key in known or at % parts != part - 1:
            continue
        try:
            made = row(key, program, mutant, given.seconds)
        except Exception as error:
            # One that fails is told, and the rest still counts.
            print(f"{key}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        rows.append(made)
        if given.output is not None:
            with given.output.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(made._asdict(), ensure_ascii=False) + "\n")
    print("\n".join(summary(rows)))


def _known(path: Path) -> list[MutantRow]:
    return [MutantRow(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()

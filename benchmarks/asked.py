"""Exam questions as questions with `ask` and `options`: `python benchmarks/asked.py CASES.jsonl`.

Each program of the AR-LSAT cases is written again as one question. Each option's outcome, and the option
elected, must be what the case's own `z3_checks` give by arithmetic that shares nothing with potlang.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import potlang

_MODES = {
    ("entailed",): "must",
    ("entailed", "undetermined"): "could",
    ("refuted",): "cannot",
    ("refuted", "undetermined"): "need_not",
}
_MUST_EXCEPT = re.compile(r"\bmust\b.*\bEXCEPT\b", re.DOTALL)


def mode_of(case: dict[str, Any]) -> str:
    """The mode that the question asks in: by what its options accept, for one mode by its words."""
    accepted = {tuple(sorted(option["accept"])) for option in case["options"]}
    mode = _MODES[accepted.pop()]
    # Where the translation checks refutation, the question means that the claim does not follow.
    return "need_not" if mode == "cannot" and _MUST_EXCEPT.search(case["text"]["question"]) else mode


def recast(case: dict[str, Any], mode: str) -> dict[str, Any]:
    """The program with one question in place of its verifications."""
    named = {each["name"]: each for each in case["program"]["verifications"]}
    options = [{**named[each["verification"]], "name": each["label"]} for each in case["options"]]
    return {**case["program"], "verifications": [{"name": "question", "ask": mode, "options": options}]}


def expected(case: dict[str, Any], mode: str) -> tuple[dict[str, str], str]:
    """Each option's outcome by the answers to assumptions with it, and with its negation; the one elected."""
    checks = {each["name"]: (each["pos"], each["neg"]) for each in case["z3_checks"]}
    side, wanted = {
        "must": (1, "unsat"),
        "could": (0, "sat"),
        "cannot": (0, "unsat"),
        "need_not": (1, "sat"),
    }[mode]
    found: dict[str, str] = {}
    for option in case["options"]:
        answers = checks[option["verification"]]
        if "sat" not in answers or answers[side] == "unknown":
            found[option["label"]] = "open"
        else:
            found[option["label"]] = "holds" if answers[side] == wanted else "fails"
    holding = [label for label, outcome in found.items() if outcome == "holds"]
    if len(holding) > 1:
        return found, "several"
    if "open" in found.values():
        return found, "open"
    return found, holding[0] if holding else "none"


def differences(case: dict[str, Any], mode: str) -> Iterator[str]:
    """The places where potlang's answer to the recast case is not the expected one."""
    report = potlang.verify(recast(case, mode), language="pot", trust="solver")
    if report.verdict == "rejected":
        yield f"{case['id']}: {report.diagnostics[0].message}"
        return
    outcomes, elected = expected(case, mode)
    given = {each.name: str(each.outcome) for each in report.results}
    if given != outcomes:
        yield f"{case['id']} ({mode}): {given}, expected {outcomes}"
    (election,) = report.elections
    if (election.elected or election.outcome) != elected:
        yield f"{case['id']} ({mode}): elects {election.elected or election.outcome}, expected {elected}"
    if report.ok != (elected in outcomes):
        yield f"{case['id']} ({mode}): ok is {report.ok}"


def main() -> None:
    """Prints each difference and a summary; ends with 1 if there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, help="JSON lines with `options` and `z3_checks`")
    given = parser.parse_args()
    lines = given.cases.read_text(encoding="utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case.get("options") and case.get("z3_checks")]
    found: list[str] = []
    answers: Counter[str] = Counter()
    modes: Counter[str] = Counter()
    for case in cases:
        asked = mode_of(case)
        modes[asked] += 1
        elected = expected(case, asked)[1]
        is_label = elected in {option["label"] for option in case["options"]}
        answers["right" if elected == case["gold"] else "wrong" if is_label else elected] += 1
        # In the modes that the question does not ask in, too: those are answers as well.
        for mode in _MODES.values():
            found += differences(case, mode)
    for line in found:
        print(line)
    print(f"{len(cases)} questions in {len(_MODES)} modes each: {len(found)} differences")
    print("asked:", ", ".join(f"{mode} {count}" for mode, count in sorted(modes.items())))
    print("elected, beside the data set's label:", ", ".join(f"{k} {n}" for k, n in sorted(answers.items())))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

"""Texts under a policy: is what translations agree on right? `python benchmarks/translations.py --help`.

`families`: programs that several models wrote for one question are its translations, over the words that they
share; the finding is held against the data set's answer. Where the question has a program read from its text,
that one's rules are the policy, and facts and claims of the models' are what they translated; else, and with
`--whole`, they translated all of it, and the policy has words alone. `mutants`: each translation of a case is
written otherwise, and with some probability one token of it is changed; the finding is held against what the
case is by z3. What is decided must be right in 99 of 100; the rest is abstention, and stated.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import potlang
from potlang.ir.module import AssertionKind, Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import EnumSort
from potlang.policy import TextCheck, TextFinding, check_translations
from potlang.policy.texts.formulas import names_in, renamed
from potlang.report.results import Limits
from potlang.sema.emit import Writer, sort_text

TEXT: Final = "What the question says."
FAMILIES: Final = ("prontoqa_llm", "proofwriter_llm", "folio_llm", "logicaldeduction_llm", "arlsat_llm")
CASES: Final = ("prontoqa_text", "proofwriter_text", "folio_gold")
LEAST_RIGHT: Final = 0.99
_LIMITS: Final = Limits(check_ms=20_000, total_ms=60_000)
_MEANINGS: Final = {
    TextFinding.VALID: "entailed",
    TextFinding.INVALID: "refuted",
    TextFinding.SATISFIABLE: "undetermined",
    TextFinding.IMPOSSIBLE: "inconsistent",
}
_KINDS: Final = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE)


class Formulas(NamedTuple):
    """A program as a translation: its words, what it assumes, and its claims by name."""

    sorts: dict[str, list[str] | None]
    symbols: dict[str, tuple[tuple[str, ...], str]]
    premises: list[str]
    claims: dict[str, str]


class Unreadable(ValueError):
    """A program that is no translation here."""


def formulas_of(program: dict[str, Any]) -> Formulas:
    """The formulas of a program, fully typed, its names without regard to case. Raises Unreadable."""
    try:
        module = potlang.compile(program).module
        writer = Writer(module)
        premises = [writer.term(each.formula) for each in module.assertions if each.kind in _STATED]
        claims = {each.name: writer.term(each.formula) for each in module.claims}
    except ValueError as error:
        raise Unreadable(str(error).partition("\n")[0]) from None
    names = _folded(module)
    sorts = {
        names.get(each.name, each.name): [names[value] for value in each.values]
        if isinstance(each, EnumSort)
        else None
        for each in module.sorts
    }
    symbols = {names[each.name]: _profile(each, names) for each in module.symbols if each.kind in _KINDS}
    return Formulas(
        sorts,
        symbols,
        [renamed(each, _used(each, names)) for each in premises],
        {name: renamed(each, _used(each, names)) for name, each in claims.items()},
    )


_STATED: Final = (AssertionKind.FACT, AssertionKind.RULE)


def _used(text: str, names: Mapping[str, str]) -> dict[str, str]:
    return {name: names[name] for name in dict.fromkeys(names_in(text)) if name in names}


def _folded(module: Module) -> dict[str, str]:
    """Each declared name with the one that it shares with other spellings."""
    declared = [each.name for each in (*module.sorts, *module.symbols)]
    declared += [value for each in module.sorts if isinstance(each, EnumSort) for value in each.values]
    found = {name: _shared(_stem(name)) for name in declared}
    if len(set(found.values())) < len(found):
        raise Unreadable("two names are spelt alike")
    return found


def _stem(name: str) -> str:
    """A name without that in which models differ: `bald_eagle` and `BaldEagle`, `need` and `needs`."""
    return re.sub(r"[^a-z0-9]", "", name.casefold()).removesuffix("s")


def _shared(stem: str) -> str:
    """A name that is no word of the language, and has the letters by which a text says it."""
    return f"{stem}_" if stem[:1].isalpha() else f"w_{stem}"


def _profile(symbol: Symbol, names: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    texts = [sort_text(each) for each in (*symbol.domain, symbol.range)]
    *domain, range_ = [names.get(each, each) for each in texts]
    return tuple(domain), range_


def words_of(translations: Sequence[Formulas]) -> tuple[dict[str, Any], list[bool]]:
    """A policy of the words that translations have, without rules, and which of them agree on their sorts."""
    sorts: dict[str, list[str] | None] = {}
    symbols: dict[str, tuple[tuple[str, ...], str]] = {}
    fits = []
    for each in translations:
        same = all(sorts.get(name, values) == values for name, values in each.sorts.items())
        same = same and all(symbols.get(name, profile) == profile for name, profile in each.symbols.items())
        same = same and not (
            _constants(each.sorts) & symbols.keys() or each.symbols.keys() & _constants(sorts)
        )
        fits.append(same)
        if same:
            sorts.update(each.sorts)
            symbols.update(each.symbols)
    return _policy(sorts, symbols), fits


def _agree(known: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return all(known[name] == other[name] for name in known.keys() & other.keys())


def _constants(sorts: Mapping[str, list[str] | None]) -> set[str]:
    """Sorts, and the values of enum sorts: no other name may be one of theirs."""
    return {*sorts, *(value for values in sorts.values() for value in values or ())}


def _policy(
    sorts: Mapping[str, list[str] | None], symbols: Mapping[str, tuple[tuple[str, ...], str]]
) -> dict[str, Any]:
    return {
        "sorts": [
            {"name": name, "type": "DeclareSort"}
            if values is None
            else {"name": name, "type": "EnumSort", "values": values}
            for name, values in sorts.items()
        ],
        "functions": [
            {"name": name, "domain": list(domain), "range": range_}
            for name, (domain, range_) in symbols.items()
            if domain
        ],
        "constants": {
            f"group {name}": {"sort": range_, "members": [name]}
            for name, (domain, range_) in symbols.items()
            if not domain
        },
    }


def translated(
    premises: Iterable[str], claims: Iterable[str], individuals: Mapping[str, str] = {}, text: str = TEXT
) -> dict[str, Any]:
    """A translation as a model writes it, of a text that each formula translates as a whole."""
    return {
        "individuals": [{"name": name, "sort": sort} for name, sort in individuals.items()],
        "premises": [{"formula": each, "words": [text]} for each in premises],
        "claims": [{"formula": each, "words": [text]} for each in claims],
    }


# --- families ----------------------------------------------------------------------------------------


class Question(NamedTuple):
    """A text with its translations, and the verdicts for which the finding is right."""

    name: str
    program: dict[str, Any]
    translations: list[dict[str, Any]]
    right: frozenset[str]
    text: str = TEXT


def family_questions(path: Path, *, whole: bool) -> Iterator[Question]:
    """The questions of a file with at least two programs each; of options each is one."""
    by_text: dict[str, list[dict[str, Any]]] = {}
    for case in _cases(path):
        by_text.setdefault(json.dumps(case["text"]), []).append(case)
    reference = path.with_name(path.name.replace("_llm", "_text"))
    policies = {}
    if not whole and reference.exists():
        policies = {_key(case): case["program"] for case in _cases(reference)}
    for cases in by_text.values():
        if len(cases) > 1:
            yield from _question(cases, policies.get(_key(cases[0])))


def _cases(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _key(case: dict[str, Any]) -> str:
    return str(case["id"]).split("/")[1]


def _question(cases: list[dict[str, Any]], policy: dict[str, Any] | None) -> Iterator[Question]:
    """The questions of cases about one text. Of a `policy` the rules count, and the models' facts alone."""
    first = cases[0]
    read = [_read(case["program"]) for case in cases]
    known = [] if policy is None else [formulas_of(policy)]
    words, fits = words_of([*known, *(each for each in read if each is not None)])
    if policy is not None:
        rules = formulas_of({**policy, "verifications": []}).premises
        words = {**words, "knowledge_base": [each for each in rules if not is_fact(each)]}
    fitting = iter(fits[len(known) :])
    usable = [each if each is not None and next(fitting) else None for each in read]
    for name, right in _answers(first):
        text = _text(first, name)
        translations: list[dict[str, Any]] = []
        for each in usable:
            if each is None or name not in each.claims:
                translations.append({})
                continue
            said = [text for text in each.premises if policy is None or is_fact(text)]
            translations.append(translated(said, [each.claims[name]], text=text))
        yield Question(f"{first['id']} {name}", words, translations, right, text)


def _text(case: dict[str, Any], name: str) -> str:
    """What a case says, and of options that one which a claim is about."""
    text = case["text"]
    if isinstance(text, str):
        return text
    labels = {option["verification"]: option["label"] for option in case["options"] or ()}
    label = labels.get(name)
    options = [each for each in text.get("options") or () if label is None or each.startswith(f"{label})")]
    return "\n".join([text.get("context") or "", text.get("question") or "", *options]).strip() or TEXT


def _read(program: dict[str, Any]) -> Formulas | None:
    try:
        return formulas_of(program)
    except Unreadable:
        return None


def is_fact(formula: str) -> bool:
    """Whether a formula is about named things alone, and conditional on nothing."""
    return "->" not in formula and not {"ForAll", "Exists", "Implies"} & {*names_in(formula)}


_ALL: Final = frozenset(_MEANINGS.values())


def _answers(case: dict[str, Any]) -> Iterator[tuple[str, frozenset[str]]]:
    """The claims of a case, and the verdicts that are right."""
    if not case["options"]:
        (claim,) = case["program"]["verifications"]
        yield claim["name"], frozenset({case["gold"]})
        return
    for option in case["options"]:
        chosen = frozenset(option["accept"])
        yield option["verification"], chosen if option["label"] == case["gold"] else _ALL - chosen


# --- mutants -----------------------------------------------------------------------------------------


def mutated_questions(path: Path, random: Random, k: int, share: float) -> Iterator[Question]:
    """The cases of a file, each with `k` translations, of which about `share` have a changed token."""
    for case in _cases(path):
        if isinstance(case["z3_verdict"], str) and case["z3_verdict"] in _ALL:
            try:
                yield _mutated(case, random, k, share)
            except Unreadable:
                continue


def _mutated(case: dict[str, Any], random: Random, k: int, share: float) -> Question:
    """The facts are the premises, the rules the policy; things that no rule names are individuals."""
    whole = formulas_of(case["program"])
    rules = [each for each in whole.premises if not is_fact(each)]
    facts = [each for each in whole.premises if is_fact(each)]
    ruled = {name for each in rules for name in names_in(each)}
    individuals = {
        name: range_
        for name, (domain, range_) in whole.symbols.items()
        if not domain and name not in ruled and range_ in whole.sorts
    }
    known = {name: profile for name, profile in whole.symbols.items() if name not in individuals}
    policy = {**_policy(whole.sorts, known), "knowledge_base": rules}
    (claim,) = whole.claims.values()
    words = _policy(whole.sorts, whole.symbols)
    translations = []
    for number in range(k):
        said = facts, claim
        if random.random() < share:
            said = changed(words, *said, random)
        translations.append(paraphrased(*said, individuals, random, number))
    return Question(case["id"], policy, translations, frozenset({case["z3_verdict"]}))


def changed(words: dict[str, Any], facts: list[str], claim: str, random: Random) -> tuple[list[str], str]:
    """Premises and a claim in which one token is another one."""
    from potlang.policy.mutations import mutants

    program = {**words, "knowledge_base": [*facts, claim]}
    found = list(mutants(program))
    if not found:
        return facts, claim
    *premises, asked = random.choice(found).applied(program)["knowledge_base"]
    return premises, asked


def paraphrased(
    facts: list[str], claim: str, individuals: Mapping[str, str], random: Random, number: int
) -> dict[str, Any]:
    """The same written otherwise: in another order, joined, turned round, under other names."""
    names = {name: f"{name}_{number}" for name in individuals}
    premises = [_otherwise(each, random) for each in facts]
    random.shuffle(premises)
    if len(premises) > 1 and random.random() < 0.5:
        premises[:2] = [f"({premises[0]}) and ({premises[1]})"]
    listed = list(individuals.items())
    random.shuffle(listed)
    return translated(
        [renamed(each, _used(each, names)) for each in premises],
        [renamed(each, _used(each, names)) for each in [_otherwise(claim, random)]],
        {names[name]: sort for name, sort in listed},
    )


_WAYS: Final = ("{}", "not not ({})", "True -> ({})", "({}) and True", "not (({}) -> False)")


def _otherwise(formula: str, random: Random) -> str:
    return random.choice(_WAYS).format(formula)


# --- figures -----------------------------------------------------------------------------------------


class Figures(NamedTuple):
    """Questions, and how they ended: by whether all translations agree, and with most."""

    name: str
    questions: int
    findings: Counter[str]
    right: dict[float, int]
    decided: dict[float, int]
    wrong: list[str]
    separated: Counter[str]
    seconds: float


def measure(name: str, questions: Iterable[Question], wanted: Sequence[float]) -> Figures:
    """Each question once: a finding for a share is one for all smaller shares too."""
    findings: Counter[str] = Counter()
    separated: Counter[str] = Counter()
    right, decided = dict.fromkeys(wanted, 0), dict.fromkeys(wanted, 0)
    wrong: list[str] = []
    count, began = 0, time.perf_counter()
    for question in questions:
        count += 1
        program = potlang.compile(question.program)
        found = check_translations(
            program, question.text, question.translations, threshold=min(wanted), limits=_LIMITS
        )
        findings[str(found.finding)] += 1
        if found.finding is TextFinding.AMBIGUOUS:
            separated[_separation(found)] += 1
        if not found.finding.is_decided:
            continue
        is_right = _MEANINGS[found.finding] in question.right
        for share in wanted:
            if found.share >= share - 1e-9:
                decided[share] += 1
                right[share] += is_right
        if not is_right:
            wrong.append(f"{question.name}: {found.finding}, {found.share:.2f}, not {min(question.right)}")
    return Figures(name, count, findings, right, decided, wrong, separated, time.perf_counter() - began)


def _separation(found: TextCheck) -> str:
    if found.separating is None:
        return "no case"
    return "confirmed" if found.separating.confirmed else "not confirmed"


def show(figures: Figures, most_wrong: int) -> None:
    """The figures as lines of text."""
    print(f"{figures.name}: {figures.questions} questions, {figures.seconds:.0f} s")
    print("  " + ", ".join(f"{count} {name}" for name, count in figures.findings.most_common()))
    for share, decided in figures.decided.items():
        rate = f"{100 * figures.right[share] / decided:.2f} %" if decided else "-"
        part = 100 * decided / max(1, figures.questions)
        print(f"  share {share:.2f}: {decided} decided ({part:.0f} %), of these right {rate}")
    if figures.separated:
        print("  ambiguous: " + ", ".join(f"{count} {name}" for name, count in figures.separated.items()))
    for line in figures.wrong[:most_wrong]:
        print(f"    wrong: {line}")


def _failed(figures: Figures, share: float) -> bool:
    return figures.right[share] < LEAST_RIGHT * figures.decided[share]


def main() -> int:
    """Measures what the arguments name; the exit code is 1 with `--check` if too much is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["families", "mutants"])
    parser.add_argument("dir", type=Path, help="the directory of the case files")
    parser.add_argument("--only", nargs="*", help="families of these names")
    parser.add_argument("--limit", type=int, default=10**9, help="questions of each family")
    parser.add_argument("--whole", action="store_true", help="all of a text was translated")
    parser.add_argument("--k", type=int, default=3, help="translations of a mutated case")
    parser.add_argument("--share", type=float, default=0.3, help="the share of translations with a mutant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shares", type=float, nargs="*", default=[0.6, 1.0], help="thresholds")
    parser.add_argument("--show", type=int, default=10, help="wrong findings to show")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    found = []
    for name in given.only or (FAMILIES if given.what == "families" else CASES):
        path = given.dir / f"{name}.jsonl"
        random = Random(f"{given.seed} {name}")
        questions = (
            family_questions(path, whole=given.whole)
            if given.what == "families"
            else mutated_questions(path, random, given.k, given.share)
        )
        limited = (each for each, _ in zip(questions, range(given.limit), strict=False))
        found.append(measure(name, limited, given.shares))
        show(found[-1], given.show)
    if given.json is not None:
        given.json.write_text(json.dumps([each._asdict() for each in found], indent=1), "utf-8")
    return int(given.check and any(_failed(each, max(given.shares)) for each in found))


if __name__ == "__main__":
    sys.exit(main())

"""The steps of a solution read together: what they share, and what each says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from potlang.languages.dagmath.lower import vocabulary
from potlang.languages.dagmath.lower.chunks import Template
from potlang.languages.dagmath.lower.formal import read_formal
from potlang.languages.dagmath.lower.marks import marked_formulas
from potlang.languages.dagmath.lower.phrases import stem
from potlang.languages.dagmath.lower.readings import Context, Reading
from potlang.languages.dagmath.lower.sentences import read_sentence
from potlang.languages.dagmath.lower.syntax import (
    Term,
    Unreadable,
    Variable,
    free_names,
    is_op,
    is_statement,
    parts,
    words,
)
from potlang.languages.dagmath.lower.unit_normalisation import without_units
from potlang.languages.dagmath.read.records import Solution, Step

if TYPE_CHECKING:
    from potlang.languages.dagmath.lower.formal import Formal

_DECLARED: Final = re.compile(r"(?<![A-Za-z\\])([A-Za-z])\(([a-z])\)\s*=")
_OWNER: Final = re.compile(r"\b([A-Z][a-z]+)['’]s\b")
_ACTOR: Final = re.compile(
    r"^([A-Z][a-z]+) (?:spends\b|\w+s (?:\$?[\d.]+\$? times|twice|half|three times) as\b)"
)
_CAPITAL: Final = re.compile(r"(?<![A-Za-z\\])([A-Z])(?![A-Za-z(])")
_PRONOUN: Final = re.compile(r"\b(he|his|she|her|they|their)\b", re.IGNORECASE)
_WHO: Final = {"he": "he", "his": "he", "she": "she", "her": "she", "they": "they", "their": "they"}
_NO_OWNERS: Final = words("It Let What That There Here Today Who Where")


class Read(NamedTuple):
    """Steps with their readings, by position. `raw` are claims and values with their units.

    `integers` are variables said to be whole anywhere; `constrained` those of which the problem says
    something by a formula, and `known` all variables that it mentions. `formals` are what the steps' `formal`
    fields say, which nothing else here has regard to.
    """

    steps: tuple[Step, ...]
    parents: tuple[tuple[int, ...], ...]
    readings: tuple[Reading, ...]
    raw: tuple[tuple[Term, ...], ...]
    context: Context
    integers: frozenset[str]
    constrained: frozenset[str]
    known: frozenset[str]
    problem: str
    formals: tuple[Formal | None, ...] = ()

    def is_read_before(self, at: int) -> bool:
        """Whether all steps before one were read, or only state goals."""
        return all(reading.reason is None or reading.is_goal for reading in self.readings[:at])

    def is_assumed(self, at: int) -> bool:
        """Whether a step is given, surely read, and no supposition that may be taken back."""
        reading = self.readings[at]
        return self.steps[at].parents is None and not reading.supposes and not reading.skipped

    def is_rewriting(self, at: int) -> bool:
        """Whether a step says that it only writes an expression in another way, and brings in nothing."""
        edge, reading = self.steps[at].edge.lower(), self.readings[at]
        if vocabulary.BRINGING_IN.search(edge):
            return False
        return reading.rewrites or not reading.claims or bool(vocabulary.CALCULATING.search(edge))

    def alters(self, at: int) -> bool:
        """Whether a step says that it makes something else of what its premises give."""
        return vocabulary.ALTERED.search(f"{self.steps[at].edge} {self.steps[at].node}".lower()) is not None

    def operates(self, at: int) -> bool:
        """Whether a step speaks of an operation, beyond that of working out an expression."""
        step, reading = self.steps[at], self.readings[at]
        if vocabulary.OPERATING.search(step.edge.lower()):
            return not reading.rewrites
        node = step.node.lower()
        return bool(vocabulary.OPERATING.search(node)) and not vocabulary.CALCULATING.search(node)


def read_solution_steps(solution: Solution) -> Read:
    """The readings of all steps. Never raises for what they contain."""
    steps = solution.steps
    context = _context(solution)
    found = [_without_units(read_sentence(step.node, context)) for step in steps]
    integers = frozenset[str]().union(*(reading.integers | _integral(raw) for reading, raw in found))
    positions = {step.id: at for at, step in enumerate(steps)}
    parents = tuple(tuple(dict.fromkeys(positions[each] for each in step.parents or ())) for step in steps)
    known, constrained = _of_problem(solution.problem or "", context)
    if any("i" in free_names(term) for _, raw in found for term in raw):
        context = context._replace(is_usual=False)  # It may be the imaginary unit.
    return Read(
        steps, parents, tuple(reading for reading, _ in found), tuple(raw for _, raw in found), context,
        integers, constrained, known, solution.problem or "",
        tuple(None if step.formal is None else read_formal(step.formal, integers) for step in steps),
    )  # fmt: skip


def _context(solution: Solution) -> Context:
    texts = [solution.problem or "", *(step.node for step in solution.steps)]
    functions = frozenset(name for each in texts for name, _ in _DECLARED.findall(each))
    formulas = [span.source for each in texts for span in marked_formulas(each)]
    variables = frozenset(name for each in formulas for name in _CAPITAL.findall(each)) - functions
    pronouns = frozenset(_WHO[word.lower()] for each in texts for word in _PRONOUN.findall(each))
    is_usual = not any(map(vocabulary.UNUSUAL.search, texts))
    shows = vocabulary.COMPLEX, vocabulary.IMAGINARY_UNIT
    is_complex = any(pattern.search(each) for pattern in shows for each in texts)
    is_complex &= not any(map(vocabulary.INDEX.search, texts))
    if is_complex:
        variables |= {"i"}
    is_real = not any(map(vocabulary.ROOTS.search, texts))
    is_decimal = not any(map(vocabulary.OTHER_ARITHMETIC.search, texts))
    owners = {name for each in texts for name in _OWNER.findall(each)}
    owners |= {match[1] for each in texts if (match := _ACTOR.match(each))}
    people = frozenset(stem(name.lower()) for name in owners - _NO_OWNERS)
    context = Context(
        functions, variables, people, pronouns, is_usual,
        is_field=not any(map(vocabulary.RINGS.search, texts)),
        is_commutative=not any(map(vocabulary.LINEAR.search, texts)),
        has_digits=any(map(vocabulary.DIGITS.search, texts)),
        is_real=is_real, is_decimal=is_decimal, is_complex=is_complex,
    )  # fmt: skip
    attributes: dict[str, str] = {}
    for step in solution.steps:
        if "formula for" in step.node.lower():
            schema = read_sentence(step.node, context).schema
            attributes.update(schema.letters if schema else ())
    return context._replace(attributes=tuple(sorted(attributes.items())))


def _without_units(reading: Reading) -> tuple[Reading, tuple[Term, ...]]:
    """A reading without units, and its formulas with them."""
    raw = (*reading.claims, *reading.values)
    try:
        claims = tuple(without_units(each) for each in reading.claims)
        values = tuple(without_units(each) for each in reading.values)
    except Unreadable as error:
        return Reading(reason=str(error)), ()
    return reading._replace(claims=claims, values=values), raw


def _integral(terms: tuple[Term, ...]) -> frozenset[str]:
    """Variables that are said to be members of the integers."""
    members = (part.args for term in terms for part in parts(term) if is_op(part, "in"))
    return frozenset(
        name.text
        for name, whole in members
        if isinstance(name, Variable) and is_op(whole, "where:Z", "where:N")
    )


def _of_problem(problem: str, context: Context) -> tuple[frozenset[str], frozenset[str]]:
    """The variables that the problem mentions, and those of which a formula in it says something."""
    try:
        chunks = Template(problem, context).chunks
    except Unreadable:
        return frozenset(), frozenset()
    terms = [chunk for chunk in chunks if not isinstance(chunk, Unreadable)]
    known = frozenset[str]().union(*map(free_names, terms))
    return known, frozenset[str]().union(*(free_names(term) for term in terms if is_statement(term)))

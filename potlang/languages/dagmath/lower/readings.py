"""Readings of sentences, and the context that the sentences of a solution share."""

from __future__ import annotations

from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.syntax import Term, shown


class Schema(NamedTuple):
    """A formula that holds of any object: `d = vt`, with what each letter stands for."""

    formula: Term
    letters: tuple[tuple[str, str], ...]
    """Letter and the stem of the attribute that it stands for."""


class Reading(NamedTuple):
    """The reading of a sentence.

    `claims` hold together. `values` are given of a subject that the sentence does not name: one is meant,
    or several alternatives. `supposes`: it is assumed, not concluded. `names` are variables that it
    introduces (`is_introduction`: and does nothing else), `integers` those said to be whole. `rewrites`:
    it says that it writes an expression in another way. `kinds`: the operations, one of which the value is
    said to be the value of. `solves`: its values are those of the unknown.
    `skipped` are words that were passed over. `shifts`: what it names may be something else than what
    an earlier step names so. `is_answer`: its value is called the answer. `reason` says why nothing was read.
    """

    claims: tuple[Term, ...] = ()
    values: tuple[Term, ...] = ()
    supposes: bool = False
    names: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    schema: Schema | None = None
    rewrites: bool = False
    solves: bool = False
    kinds: frozenset[str] = frozenset()
    is_goal: bool = False
    skipped: tuple[str, ...] = ()
    shifts: bool = False
    reason: str | None = None
    is_introduction: bool = False
    is_answer: bool = False

    def shown(self) -> str:
        """The formulas that were read, as text."""
        said = self.claims or self.values or ((self.schema.formula,) if self.schema else ())
        return "; ".join(map(shown, said))


class Context(NamedTuple):
    """The context of a solution's sentences: letters that are functions, people who are named."""

    functions: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    """Whom pronouns in it speak of, `he`, `she`, `they`: with several it is open whom one means."""
    is_usual: bool = True
    """False where some word suggests that variables are no real numbers."""
    is_field: bool = True
    """False where some word suggests that variables are no numbers of a field; they may still be complex."""
    is_commutative: bool = True
    """False where some word suggests that variables are vectors or matrices."""
    has_digits: bool = False
    """Whether letters side by side may be digits of one number."""
    is_real: bool = True
    """False where variables are roots of something: they are complex unless it is said otherwise."""
    is_decimal: bool = True
    """False where some word suggests that numbers are not written or added as usual."""
    is_complex: bool = False
    """Whether `i` is the imaginary unit: a word or formula says so, and none that it is an index."""
    attributes: tuple[tuple[str, str], ...] = ()
    """Letters of formulas that hold of any object, with the stems of what they stand for."""

    @property
    def letters(self) -> frozenset[str]:
        """The letters of formulas that hold of any object."""
        return frozenset(letter for letter, _ in self.attributes)


NO_CONTEXT: Final = Context()

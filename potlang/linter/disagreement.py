"""Rules that contradict each other in a case that the program allows, and what is said of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from potlang.diag import Applicability, Fix, Label, Patch
from potlang.expressions.surface import StatementDecl
from potlang.ir import operators as op
from potlang.ir.nodes import App, Node, Symbol, Var
from potlang.ir.pool import Pool
from potlang.linter.clashes import Clash, clashes, exclude_each_other
from potlang.linter.linted import Implication, LintedProgram, conjuncts, literal
from potlang.linter.rule import LintFinding

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NORM = re.compile(
    "may|might|must|can|cannot|shall|should|ought|allow(s|ed)|permit(s|ted)|grant(s|ed)|approv(es?|ed|al)"
    "|entitled|eligib(le|ility)|authori[sz]ed|qualif(y|ies|ied)|requir(es?|ed)|exempt(ed)?|liable|accept(s|ed)"
    "|den(y|ies|ied)|reject(s|ed)|forbidden|prohibited|due|owed|ok|okay|valid|covered|allowed"
    "|(admiss|avail|bill|cancell?|chang|charge|claim|deduct|exchange|insur|pay|permiss|redeem|refund|reimburs|renew"
    "|return|ship|tax|transfer)[ai]ble"
)
_GRANTED = re.compile(
    "(admitt|bill|cancell?|chang|charg|claim|deduct|exchang|insur|permitt|redeem|refund|reimburs|renew|return|shipp"
    "|tax|transferr)ed|paid"
)

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def is_decision(clash: Clash) -> bool:
    """Whether the pair decides something, rather than describing a taxonomy.

    "Managers are not remote" beside "whoever lunches at home is remote" has the form of a rule and its
    exception, and means that no manager lunches at home. A norm, a value, a condition on values and a
    rule that is a special case of the other one are no taxonomy.
    """
    atom, _ = literal(clash.conclusions[0])
    if not isinstance(atom, App) or not isinstance(atom.op, Symbol) or is_normative(atom.op.name):
        return True
    if clash.more_special is not None:
        return True
    parts = (literal(part)[0] for each in clash.antecedents for part in conjuncts(each))
    return any(isinstance(part, App) and part.op in (op.LT, op.LE, op.EQ) for part in parts)


def is_normative(name: str) -> bool:
    """Whether a predicate decides, by the words in its name: `may_leave`, `eligible`, `returnable`."""
    words = [word.lower() for word in _WORD.findall(name)]
    # `can be returned` is as `returnable`, and `can be treated` as `treatable`: an ability.
    for at, pair in enumerate(pairwise(words)):
        if pair in (("can", "be"), ("cannot", "be")) and not any(map(_GRANTED.fullmatch, words[at + 2 :])):
            del words[at]
            break
    return any(map(_NORM.fullmatch, words))


def disagreements(program: LintedProgram, questions: Questions) -> Iterator[Clash]:
    """Pairs of rules whose conditions may hold together without the two, and whose conclusions then cannot.

    Each pair of rules once. Raises OutOfBudget.
    """
    found: set[frozenset[object]] = set()
    for clash in clashes(program):
        if exclude_each_other(program, *clash.antecedents) or clash.pair in found:
            continue
        if _disagree(program, clash, questions):
            found.add(clash.pair)
            yield clash


def _disagree(program: LintedProgram, clash: Clash, questions: Questions) -> bool:
    pool = program.module.pool
    case = some(pool, clash.variables, [*clash.antecedents])
    if not clash.is_certain:
        # The conclusions alone, then with the conditions: what both rules say may be one thing.
        together = some(pool, clash.variables, [*clash.antecedents, *clash.conclusions])
        if not questions.possible(case) or not questions.impossible(together):
            return False
    rest = program.in_any_case([clash.one.statement, clash.other.statement])
    if questions.possible(case, *rest):
        return True
    # A program that is contradictory without the two allows nothing: then its facts say what there is.
    return questions.impossible(*rest) and questions.possible(case, *program.in_any_case(program.rules))


def some(pool: Pool, variables: tuple[Var, ...], parts: list[Node]) -> Node:
    """That something has all of these parts."""
    body = pool.conj(dict.fromkeys(part for each in parts for part in conjuncts(each)))
    return pool.quant("exists", variables, body) if variables else body


def case_text(program: LintedProgram, clash: Clash) -> str:
    """The case in the program's words: `an x with premium(x), defective(x)`."""
    parts = dict.fromkeys(part for each in clash.antecedents for part in conjuncts(each))
    listed = " and ".join(program.text(part, clash.variables) for part in parts)
    names = ", ".join(each.name for each in clash.variables)
    return f"{names} with {listed}" if names else listed


def clash_finding(program: LintedProgram, clash: Clash, note: str, **fields: str) -> LintFinding:
    """The finding on two rules, with their titles and the `fields` for its message."""
    one, other = clash.one.statement, clash.other.statement
    first, second = (program.text(each, clash.variables) for each in clash.conclusions)
    helps, fixes = _advice(program, clash)
    return LintFinding(
        other.place,
        {"one": one.title, "other": other.title, **fields},
        primary=f"`{second}`",
        labels=(Label(one.place, f"`{first}`"),),
        notes=(note,),
        helps=helps,
        fixes=fixes,
    )


def _advice(program: LintedProgram, clash: Clash) -> tuple[tuple[str, ...], tuple[Fix, ...]]:
    """How to say which of the two gives way: helps, and fixes where both are rules."""
    special = clash.more_special or clash.other
    rule = clash.one if special is clash.other else clash.other
    condition = program.text(clash.antecedents[1 if special is clash.other else 0], clash.variables)
    known = {each.pointer: each for each in program.tree.rules}
    weaker, stronger = known.get(rule.statement.pointer), known.get(special.statement.pointer)
    given = f'give {rule.statement.title} `"unless": "{condition}"`'
    fixes: list[Fix] = []
    if weaker is not None and _reads(weaker, clash, rule):
        edit = Patch("add", f"{weaker.pointer}/unless", condition)
        fixes = [Fix(given, Applicability.UNSAFE, (edit,))] if not weaker.unless else []
    elif weaker is not None and stronger is not None and weaker.name:
        given = f'give it `"overrides": ["{weaker.name}"]`'
        section = f"{stronger.pointer}/overrides"
        edit = Patch.append(weaker.name, section, bool(stronger.overrides))
        fixes = [Fix(f"let {special.statement.title} override the other one", Applicability.UNSAFE, (edit,))]
    return (
        f"if {special.statement.title} is an exception, {given}",
        "otherwise add to one of them the condition under which the other one applies",
    ), tuple(fixes)


def _reads(weaker: StatementDecl, clash: Clash, rule: Implication) -> bool:
    """Whether the rule's own binders are those of the case: `unless` stands under these alone."""
    bound = {each.name for each in weaker.binders}
    return rule is clash.one and bound.issuperset(each.name for each in clash.variables)

"""Mutants of a policy: the same program with one token of one formula changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from potlang.diag import Sink
from potlang.diag.model import Edit, Patch, Replace
from potlang.diag.patching import get, patch_value, replace_in_value
from potlang.expressions import surface as s
from potlang.expressions.names import name_of, written
from potlang.languages.pot.read.reader import read_program

MutantKind = Literal["threshold", "connective", "quantifier", "premise", "predicate"]
MUTANT_KINDS: Final[tuple[MutantKind, ...]] = get_args(MutantKind)

_STRICT: Final = MappingProxyType({">=": ">", ">": ">=", "<=": "<", "<": "<="})
_OPPOSITE: Final = MappingProxyType({"==": "!=", "!=": "=="})
_HEADS: Final = MappingProxyType({"And": "Or", "Or": "And", "Implies": "Iff", "Iff": "Implies"})
_SIGNS: Final = MappingProxyType({"and": "or", "or": "and", "->": "<->", "<->": "->"})
_QUANTIFIERS: Final = MappingProxyType({"ForAll": "Exists", "Exists": "ForAll"})
_NOT: Final = re.compile(r"not\b|¬")
_NUMERAL: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?(?![0-9.,_eE])")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Mutant(NamedTuple):
    """One change: `before` is the text that `edit` replaces at `pointer`, and `after` what it becomes."""

    kind: MutantKind
    pointer: str
    before: str
    after: str
    edit: Edit

    def applied(self, program: Mapping[str, Any]) -> dict[str, Any]:
        """The changed program; the given one, which is the one that it was made for, stays as it is."""
        edit = self.edit
        change = replace_in_value(program, edit) if isinstance(edit, Replace) else patch_value(program, edit)
        assert isinstance(change, dict)
        return change


class _Text(NamedTuple):
    """A string with formulas, and the pointer to it."""

    pointer: str
    text: str

    def mutant(self, kind: MutantKind, start: int, end: int, after: str) -> Mutant:
        return Mutant(
            kind, self.pointer, self.text[start:end], after, Replace(self.pointer, start, end, after)
        )


def mutants(program: Mapping[str, Any]) -> Iterator[Mutant]:
    """All mutants of the facts, rules and definitions of a program, in the order of its text.

    A threshold is moved by its last digit, or its comparison takes it in or leaves it out; a connective, an
    equality or a quantifier becomes its counterpart, and a negation is dropped; a premise of a rule becomes
    True, an exception False; a predicate or function is exchanged for each other one that takes and gives
    the same sorts. Not every mutant means something else, and not every one compiles: an exchanged name can
    break what the program requires of its names.
    """
    tree = read_program(dict(program), Sink())
    if tree is None:
        return
    yield from (each for each in _all(program, tree) if _fits(program, each))


def _all(program: Mapping[str, Any], tree: s.ParsedProgram) -> Iterator[Mutant]:
    others = _alike(tree)
    for function in tree.functions:
        if function.body is not None:
            yield from _in_formula(function.body, others)
    for fact in tree.facts:
        yield from _in_formula(fact.formula, others)
    for rule in tree.rules:
        yield from _in_rule(program, rule, others)


def _fits(program: Mapping[str, Any], mutant: Mutant) -> bool:
    """Whether the program has what is replaced: a reader that is generous may have read something else."""
    edit = mutant.edit
    if not isinstance(edit, Replace):
        return True
    text = get(program, edit.pointer)
    return isinstance(text, str) and text[edit.start : edit.end] == mutant.before


def _alike(tree: s.ParsedProgram) -> dict[str, list[str]]:
    """For each function the others of the same sorts."""
    profiles: dict[tuple[str, ...], list[str]] = {}
    for each in tree.functions:
        profile = tuple(_sort(sort) for sort in (*each.domain, each.range))
        profiles.setdefault(profile, []).append(each.name)
    return {name: [each for each in names if each != name] for names in profiles.values() for name in names}


def _sort(sort: s.SortExpr) -> str:
    name = sort.name.removesuffix("Sort") or sort.name
    arguments = ", ".join(str(each) if isinstance(each, int) else _sort(each) for each in sort.args)
    return f"{name}({arguments})"


def _in_rule(
    program: Mapping[str, Any], rule: s.StatementDecl, others: Mapping[str, list[str]]
) -> Iterator[Mutant]:
    if rule.antecedent is not None:
        yield from _premises(_Text(rule.antecedent.pointer, rule.antecedent.text), rule.antecedent.root)
    for formula in rule.unless:
        text = _Text(formula.pointer, formula.text)
        yield text.mutant("premise", 0, len(formula.text), "False")
    for part in (rule.antecedent, rule.consequent, rule.constraint, *rule.unless):
        if part is not None:
            yield from _in_formula(part, others)
    for_some = _for_some(rule)
    if for_some is not None:
        item = get(program, rule.pointer)
        assert isinstance(item, dict)
        kept = {key: each for key, each in item.items() if key not in ("forall", "implies")}
        edit = Patch("replace", rule.pointer, {**kept, "constraint": for_some})
        yield Mutant("quantifier", rule.pointer, "forall", "exists", edit)


def _for_some(rule: s.StatementDecl) -> str | None:
    """A rule for all as a formula for some; None for rules with exceptions and without binders."""
    if rule.quantifier != "forall" or rule.unless or rule.overrides or rule.default:
        return None
    if rule.antecedent is not None and rule.consequent is not None:
        body = f"({rule.antecedent.text}) -> ({rule.consequent.text})"
    elif rule.constraint is not None:
        body = rule.constraint.text
    else:
        return None
    if not rule.binders or any(each.sort is None or each.sort.args for each in rule.binders):
        return None
    bound = ", ".join(f"{written(each.name)}: {each.sort.name}" for each in rule.binders if each.sort)
    return f"Exists([{bound}], {body})"


def _in_formula(formula: s.Formula, others: Mapping[str, list[str]]) -> Iterator[Mutant]:
    """The mutants of one formula, in the order of its text."""
    if formula.root is None:
        return
    stack: list[tuple[_Text, s.Expr]] = [(_Text(formula.pointer, formula.text), formula.root)]
    while stack:
        text, node = stack.pop()
        if isinstance(node, s.Quoted):
            stack.append((_Text(node.pointer, node.text), node.root))
            continue
        yield from _at(text, node, others)
        stack += [(text, part) for part in reversed(_parts(node))]


def _parts(node: s.Expr) -> list[s.Expr]:
    match node:
        case s.Call(args=args) | s.Infix(args=args):
            return args
        case s.Prefix(arg=arg):
            return [arg]
        case s.Compare(operands=operands):
            return operands
        case s.ListOf(items=items):
            return items
        case _:
            return []


def _at(text: _Text, node: s.Expr, others: Mapping[str, list[str]]) -> Iterator[Mutant]:
    """The mutants of the token that a node has of its own."""
    match node:
        case s.Number() | s.Amount():
            yield from _numbers(text, node.start, node.end)
        case s.DateLiteral():
            yield from _dates(text, node)
        case s.Compare():
            yield from _comparisons(text, node)
        case s.Infix(op=sign, args=args):
            if sign == "->":
                yield from _premises(text, args[0])
            if sign in _SIGNS:
                for left, right in pairwise(args):
                    yield from _between(text, "connective", left, right, sign, _SIGNS[sign])
        case s.Prefix(op="not"):
            found = _NOT.match(text.text, node.start)
            if found is not None:
                yield text.mutant("connective", found.start(), found.end(), "")
        case s.Call(head=s.Name() as head):
            yield from _heads(text, node, head, others)


def _heads(text: _Text, call: s.Call, head: s.Name, others: Mapping[str, list[str]]) -> Iterator[Mutant]:
    name = name_of(head.id)
    if name in others:
        for other in others[name]:
            yield text.mutant("predicate", head.start, head.end, written(other))
        return
    if name == "Implies" and call.args:
        yield from _premises(text, call.args[0])
    if name in _HEADS:
        yield text.mutant("connective", head.start, head.end, _HEADS[name])
    elif name == "Not":
        yield text.mutant("connective", head.start, head.end, "")
    elif name in _QUANTIFIERS:
        yield text.mutant("quantifier", head.start, head.end, _QUANTIFIERS[name])


def _premises(text: _Text, antecedent: s.Expr | None) -> Iterator[Mutant]:
    """Each conjunct of an antecedent left out."""
    if isinstance(antecedent, s.Quoted):
        text, antecedent = _Text(antecedent.pointer, antecedent.text), antecedent.root
    match antecedent:
        case s.Infix(op="and", args=premises):
            pass
        case s.Call(head=s.Name(id="And"), args=[_, _, *_] as premises):
            pass
        case None:
            return
        case _:
            premises = [antecedent]
    for premise in premises:
        yield text.mutant("premise", premise.start, premise.end, "True")


def _comparisons(text: _Text, node: s.Compare) -> Iterator[Mutant]:
    for left, right, sign in zip(node.operands, node.operands[1:], node.ops, strict=False):
        if sign in _STRICT:
            yield from _between(text, "threshold", left, right, sign, _STRICT[sign])
        else:
            yield from _between(text, "connective", left, right, sign, _OPPOSITE[sign])


def _between(
    text: _Text, kind: MutantKind, left: s.Expr, right: s.Expr, sign: str, after: str
) -> Iterator[Mutant]:
    """The sign between two operands; none if it is written in another way."""
    at = text.text.find(sign, left.end, right.start)
    if at >= 0:
        yield text.mutant(kind, at, at + len(sign), after)


def _numbers(text: _Text, start: int, end: int) -> Iterator[Mutant]:
    """A numeral one more and one less in its last digit; none if it is written otherwise."""
    found = _NUMERAL.search(text.text, start, end)
    if found is None:
        return
    digits = len(found[0].partition(".")[2])
    for step in (1, -1):
        value = Fraction(found[0]) * 10**digits + step
        if value >= 0:
            whole = f"{int(value):0{digits + 1}}"
            after = f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
            yield text.mutant("threshold", found.start(), found.end(), after)


def _dates(text: _Text, node: s.DateLiteral) -> Iterator[Mutant]:
    """The day before and the day after."""
    found = _DATE.match(text.text, node.start, node.end)
    if found is None:
        return
    try:
        day = date.fromisoformat(found[0])
        days = [day + timedelta(step) for step in (1, -1)]
    except (ValueError, OverflowError):
        # No such day, or none beside it.
        return
    for each in days:
        yield text.mutant("threshold", found.start(), found.end(), each.isoformat())

"""Formulas said in words and read back: are they still the same?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import potlang
from potlang.diag import Sink
from potlang.expressions import surface as s
from potlang.expressions.expression import parse_expression
from potlang.ir.nodes import Node
from potlang.sema.emit import Writer
from potlang.sema.statements import fact_formula, statement_formula
from potlang.words.parts import Unsayable
from potlang.words.speaker import Speaker


class Spoken(NamedTuple):
    """A statement of a program: its sentence (None: not said), and what that was read as."""

    pointer: str
    sentence: str | None
    problem: str
    original: str
    """The typed formula, printed by another writer than that of the sentences."""
    read: str | None


def rental(*verifications: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A program about people who rent cars, with these verifications and other sections."""
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [
            {"name": "rents", "domain": ["Person"], "range": "Bool", "description": "{x} may rent a car"},
            {"name": "age", "domain": ["Person"], "range": "Int"},
        ],
        "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
        "rules": [
            {
                "name": "grown up",
                "forall": [{"name": "x", "sort": "Person"}],
                "implies": {"antecedent": "age(x) >= 21", "consequent": "rents(x)"},
            }
        ],
        "knowledge_base": ["age(ann) == 30"],
        "verifications": list(verifications),
    } | more


def speaker(program: potlang.Program, language: str = "en") -> Speaker:
    """What says the formulas of a program."""
    return Speaker(program.extension, program.tree, language)


def spoken(program: potlang.Program) -> Iterator[Spoken]:
    """All facts, rules and verifications of a program, said and read."""
    voice = speaker(program)
    writer = Writer(program.module)
    elaborator = program.extension._e
    tree = program.tree
    said: list[s.FactDecl | s.StatementDecl] = [*tree.facts, *tree.rules, *tree.verifications]
    for each in said:
        elaborator.begin(Sink())
        node: Node | None
        if isinstance(each, s.FactDecl):
            found = fact_formula(each, elaborator)
            node = None if found is None else found[0]
        elif each.find:
            continue
        else:
            node = statement_formula(each, elaborator)
        assert node is not None
        original = writer.term(node)
        try:
            sentence = voice.say_fact(each) if isinstance(each, s.FactDecl) else voice.say_statement(each)
        except Unsayable as error:
            yield Spoken(each.pointer, None, str(error), original, None)
            continue
        reading = voice.read(sentence)
        if reading.expression is None:
            # Said by the names of its symbols alone, which the usual words may not tell apart.
            reading = voice.read(sentence, plain=True)
        yield Spoken(each.pointer, sentence, reading.problem, original, reading.expression)


def differing(
    program: dict[str, Any], found: list[Spoken], check_ms: int = 5_000
) -> list[tuple[str, Spoken]]:
    """The statements of which a solver does not say that they are what was read, with its verdict.

    Asked over the declarations alone: no fact or rule helps two formulas to be equivalent.
    """
    asked = [each for each in found if each.read is not None]
    bare: dict[str, Any] = {
        key: program[key] for key in ("sorts", "functions", "constants", "imports") if key in program
    }
    local = [
        variable
        for fact in program.get("knowledge_base") or ()
        if isinstance(fact, dict)
        for variable in fact.get("variables") or ()
        if isinstance(variable, dict) and "sort" in variable
    ]
    variables: dict[str, Any] = {}
    for each in (*(program.get("variables") or ()), *local):
        variables.setdefault(each["name"], each)
    bare["variables"] = list(variables.values())
    bare["verifications"] = [
        {"name": str(index), "constraint": f"Iff({each.original}, {each.read})"}
        for index, each in enumerate(asked)
    ]
    limits = potlang.Limits(check_ms=check_ms, total_ms=1_000_000)
    report = potlang.verify(bare, language="pot", limits=limits, trust="solver")
    if report.verdict == "rejected":
        return [(f"rejected: {report}", asked[0])]
    pairs = zip(report.results, asked, strict=True)
    return [(str(result.verdict), each) for result, each in pairs if result.verdict != "entailed"]


def parsed(text: str) -> s.Expr:
    """The tree of an expression."""
    root = parse_expression(text, "", Sink())
    assert root is not None
    return root

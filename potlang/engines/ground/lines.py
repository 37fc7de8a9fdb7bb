"""The statements of a ground refutation as certificates write them, from the clauses that it uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from potlang.engines.ground.axioms import Axiom
from potlang.engines.ground.forms import ClausalForm, Grounding
from potlang.engines.ground.table import GroundRule, TermTable
from potlang.engines.term_text import TermText
from potlang.ir.nodes import Symbol, Var
from potlang.ir.operators import Operator


class Instance(NamedTuple):
    """A rule with terms for its variables."""

    rule: GroundRule
    binding: tuple[int, ...]


_LONGEST: Final = 60
"""Characters of a term that is written where it stands, and not under a label."""
Origin = Instance | Axiom
"""Where a ground clause comes from."""


def statements(grounding: Grounding, text: TermText, origins: Iterable[Origin]) -> list[str]:
    """The lines of shared terms, instances and axioms for the clauses that a refutation uses.

    Instances of one formula that do not contradict one another become one.
    """
    origins = list(dict.fromkeys(origins))
    writer = _StatementWriter(grounding.table, text)
    instances = _joined(grounding.forms, [each for each in origins if isinstance(each, Instance)])
    lines = [writer.instance(form, binding) for form, binding in instances]
    lines += [writer.axiom(each) for each in origins if isinstance(each, Axiom) and writer.can_say(each)]
    return [*writer.shared, *(f"({head} {number} {rest})" for number, (head, rest) in enumerate(lines, 1))]


def _joined(
    forms: Sequence[ClausalForm], instances: Sequence[Instance]
) -> list[tuple[ClausalForm, dict[Var, int]]]:
    found: dict[int, list[dict[Var, int]]] = {}
    for rule, binding in instances:
        if not rule.top:
            continue
        wanted = dict(zip(rule.variables, binding, strict=True))
        others = found.setdefault(rule.form, [])
        for other in others:
            if all(other.get(var, term) == term for var, term in wanted.items()):
                other.update(wanted)
                break
        else:
            others.append(wanted)
    return [(forms[number], binding) for number in sorted(found) for binding in found[number]]


class _StatementWriter:
    def __init__(self, table: TermTable, text: TermText) -> None:
        self.table = table
        self.text = text
        self.written: dict[int, str] = {}
        self.shared: list[str] = []
        """Definitions of long terms: terms are graphs, and written out they may be of any length."""

    def instance(self, form: ClausalForm, binding: dict[Var, int]) -> tuple[str, str]:
        parts = [self.text.root(form.root)]
        for var in form.skolem.universals:
            term = binding[var] if var in binding else self.table.universe(var.sort)[0]
            parts.append(f"({self.text.variable(form.root, var)} {self.term(term)})")
        return "instance", " ".join(parts)

    def can_say(self, axiom: Axiom) -> bool:
        """Whether the kernel knows what the axiom is about: names of parts are the grounder's own."""
        return not isinstance(axiom.head, Symbol) or self.text.knows(axiom.head)

    def axiom(self, axiom: Axiom) -> tuple[str, str]:
        if axiom.rule == "linear":
            compared = map(self._compared, axiom.left, axiom.right)
            return "axiom", f"linear {' '.join(compared)}"
        left = " ".join(map(self.term, axiom.left))
        if axiom.rule == "unfolded":
            return "axiom", f"unfolded ({axiom.head} {left})"
        if axiom.rule != "congruent":
            return "axiom", f"{axiom.rule} {left}"
        right = " ".join(map(self.term, axiom.right))
        head = axiom.head
        assert isinstance(head, Symbol | Operator)
        name = self.text.head(head) if isinstance(head, Symbol) else head.name
        return "axiom", f"congruent {name} ({left}) ({right})"

    def _compared(self, literal: int, factor: int) -> str:
        """A comparison with its factor; an equation that counts negatively is turned round."""
        head, args = self.table.atoms[abs(literal)]
        assert isinstance(head, Operator)
        sides = " ".join(map(self.term, args if factor > 0 else reversed(args)))
        atom = f"({head.name} {sides})"
        return f"({abs(factor)} {atom if literal > 0 else f'(not {atom})'})"

    def term(self, number: int) -> str:
        """A term by its number; each is written once."""
        stack = [number]
        while stack:
            top = stack[-1]
            missing = [arg for arg in self.table.args[top] if arg not in self.written]
            if missing and top not in self.written:
                stack.extend(missing)
                continue
            stack.pop()
            if top not in self.written:
                self.written[top] = self._labelled(self._written(top))
        return self.written[number]

    def _labelled(self, text: str) -> str:
        if len(text) <= _LONGEST:
            return text
        label = f"%{len(self.shared)}"
        self.shared.append(f"(def {label} {text})")
        return label

    def _written(self, number: int) -> str:
        literal = self.table.value(number)
        if literal is not None:
            return self.text.printer.literal(literal)
        head, args = self.table.heads[number], self.table.args[number]
        assert isinstance(head, Symbol | Operator)
        if isinstance(head, Symbol) and head in self.table.dummies():
            self.text.add_dummy(head)
        if isinstance(head, Symbol) and head in self.table.differing:
            self.text.add_differing(head, self.table.differing[head])
        if not args and isinstance(head, Symbol):
            return self.text.head(head)
        return f"({self.text.call(head)} {' '.join(self.written[arg] for arg in args)})"

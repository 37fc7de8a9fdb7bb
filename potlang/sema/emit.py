"""Typed modules back to PoT: a JSON value that reads as the same program.

Formulas are printed fully typed: binders carry their sorts, coercions are written out, aggregates
are expanded, imported packs are spelled out as rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from potlang.expressions.names import written
from potlang.expressions.surface import ParsedProgram
from potlang.ir import operators as op
from potlang.ir.module import (
    COMPLETION,
    Assertion,
    AssertionKind,
    Claim,
    Definition,
    Module,
    MultipleChoice,
    Optimization,
)
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var, children, reachable
from potlang.ir.operators import Operator
from potlang.ir.sorts import (
    BOOL,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    MeasureSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.sema.almanac import ADD_MONTHS_UP
from potlang.sema.builtins import BUILTINS
from potlang.sema.infix import ARITHMETIC, BITWISE, INTEGER, ORDERS
from potlang.sema.measure_text import ReadSort, literal_text, measure_text, number_text, read_as, real_text
from potlang.sema.measures import measure_of, number_under

_LARGEST = 2_000_000
_LONGEST_STEM = 1_000
"""Characters of a name that are kept where a number is added: it may be as long as names can be."""
# Where two names or signs mean one operator, the first of the table is written.
_INFIX: dict[Operator, str] = {op.EQ: "==", op.DIV: "/"} | {
    row: sign for table in (ORDERS, BITWISE, INTEGER, ARITHMETIC) for sign, row in reversed(table.items())
}
_CALLS: dict[Operator, tuple[str, ...]] = {
    row: tuple(name for name, builtin in BUILTINS.items() if builtin.row is row)
    for row in [builtin.row for builtin in BUILTINS.values()]
    if row is not None
} | {op.BV_CONCAT: ("Concat",), op.DISTINCT: ("Distinct", "AllDifferent"), op.TO_INT: ("ToInt", "Floor")}
_SIGNS: dict[Operator, str] = {
    op.AND: "and",
    op.OR: "or",
    op.IMPLIES: "->",
    op.IFF: "<->",
    op.XOR: "!=",
    op.MEMBER: "in",
}
"""Of operators with a name, the sign that says the same where a program has a function of that name."""


class Unwritable(ValueError):
    """The formula has no text in this program."""


class ExpansionTooLarge(Unwritable):
    """The formula, written as a tree without sharing, is beyond the limit."""


def sort_text(sort: Sort) -> str:
    """A sort as `domain`, `range` and binders write it."""
    # Recursion is bounded: sorts that are read nest no deeper than a limit.
    match sort:
        case DeclaredSort(name) | EnumSort(name) | TupleSort(name):
            return written(name)
        case ArraySort(index, element):
            return f"Array({sort_text(index)}, {sort_text(element)})"
        case SetSort(element):
            return f"Set({sort_text(element)})"
        case FunctionSort(domain, range_):
            return f"Function({', '.join(map(sort_text, (*domain, range_)))})"
        case _:
            return str(sort)


class Writer:
    """Writes the terms of one module; binders never repeat a name that is in use."""

    def __init__(self, module: Module) -> None:
        self._taken = {symbol.name for symbol in module.symbols}
        for sort in module.sorts:
            if isinstance(sort, EnumSort):
                self._taken.update(sort.values)
            elif isinstance(sort, TupleSort):
                self._taken.update((sort.name, *(name for name, _ in sort.fields)))

    def term(self, root: Node, free: Iterable[Var] = ()) -> str:
        """The expression. Variables in `free` keep their names."""
        nodes = reachable(root)
        if _tree_size(nodes) > _LARGEST:
            raise ExpansionTooLarge(f"more than {_LARGEST} nodes when written without sharing")
        names = self.names(nodes, free)
        texts: dict[int, str] = {}
        # Of numbers that stand for a measure, this is the sort that their texts are read with.
        read: dict[int, ReadSort] = {}
        for node in nodes:
            texts[node.id] = self._one(node, texts, names, read)
        return number_text(texts[root.id], read.get(root.id))

    def names(self, nodes: Iterable[Node], free: Iterable[Var] = ()) -> dict[int, str]:
        """A name for each variable, distinct among all and from every declared name."""
        names: dict[int, str] = {var.id: var.name for var in free}
        used = set(names.values())
        variables = [node for node in nodes if isinstance(node, Var)]
        for node in nodes:
            if isinstance(node, Quant):
                variables += node.binders
        for var in sorted(variables, key=lambda var: var.id):
            if var.id in names:
                continue
            name, number = var.name, 2
            while name in used or name in self._taken:
                name, number = f"{var.name[:_LONGEST_STEM]}_{number}", number + 1
            names[var.id] = name
            used.add(name)
        return names

    def _one(
        self, node: Node, texts: dict[int, str], names: dict[int, str], read: dict[int, ReadSort]
    ) -> str:
        match node:
            case Lit(sort=BitVecSort(width)) if "BitVecVal" in self._taken:
                return f"#b{node.value:0{width}b}"
            case Lit():
                return _literal(node)
            case Sym(symbol=symbol):
                return written(symbol.name)
            case Var():
                return written(names[node.id])
            case Quant(kind=kind, binders=binders, body=body):
                bound = ", ".join(f"{written(names[var.id])}: {sort_text(var.sort)}" for var in binders)
                return f"{'ForAll' if kind == 'forall' else 'Exists'}([{bound}], {texts[body.id]})"
            case App(op=head, args=args):
                if (conversion := _converted(node, texts, read)) is not None:
                    return conversion
                parts = _parts(node, texts, read)
                if head is op.ITE and isinstance(node.sort, SetSort):
                    # Nothing around a choice tells the sort of its branches.
                    parts = [*map(self._set, parts)]
                return self._named(head, parts) or _application(head, parts, args)

    def _named(self, head: Operator | Symbol, texts: list[str]) -> str | None:
        """An operator with a name; by another spelling where the program has a function of that name."""
        names = () if isinstance(head, Symbol) else _CALLS.get(head, ())
        if isinstance(head, Symbol) or not names:
            return None
        free = next((name for name in names if name not in self._taken), None)
        if free is not None:
            return f"{free}({', '.join(texts)})"
        if head is op.NOT:
            return f"(not {texts[0]})"
        if head not in _SIGNS:
            raise Unwritable(f"the program has a function `{names[0]}`, which is no operator there")
        return f"({f' {_SIGNS[head]} '.join(texts)})"

    def _set(self, text: str) -> str:
        """A set literal that tells its own sort, as far as it has members and the program no `Set`."""
        is_list = text.startswith("[") and text != "[]" and "Set" not in self._taken
        return f"Set({text[1:-1]})" if is_list else text


def _converted(node: App, texts: dict[int, str], read: dict[int, ReadSort]) -> str | None:
    """The text of a conversion between a measure and its number, which the source has no words for."""
    (arg, *others), head = node.args, node.op
    if others or not isinstance(head, Symbol) or head.kind is not SymbolKind.FRESH:
        return None
    if isinstance(arg.sort, MeasureSort) and head is number_under(arg.sort):
        read[node.id] = arg.sort
        return texts[arg.id]
    if isinstance(node.sort, MeasureSort) and head is measure_of(node.sort):
        shown = read.get(arg.id)
        text = texts[arg.id]
        return text if shown == node.sort else measure_text(number_text(text, shown), node.sort)
    return None


def _parts(node: App, texts: dict[int, str], read: dict[int, ReadSort]) -> list[str]:
    """The texts of the arguments; as plain numbers where the operator does not mean the same otherwise."""
    parts = [texts[arg.id] for arg in node.args]
    sorts = [read.get(arg.id) for arg in node.args]
    if not any(sorts):
        return parts
    if isinstance(node.op, Operator):
        fits, found = read_as(node.op, sorts)
        if fits:
            read[node.id] = found
            return parts
    return [number_text(text, sort) for text, sort in zip(parts, sorts, strict=True)]


def _literal(node: Lit) -> str:
    value, sort = node.value, node.sort
    if sort is BOOL:
        return "True" if value else "False"
    if sort is STRING:
        return string_text(str(value))
    if isinstance(sort, EnumSort):
        return written(str(value))
    if isinstance(sort, BitVecSort):
        return f"BitVecVal({value}, {sort.width})"
    if isinstance(sort, SetSort):
        return "[]"
    if isinstance(sort, MeasureSort):
        assert isinstance(value, int | Fraction)
        return literal_text(Fraction(value), sort)
    if sort is REAL:
        assert isinstance(value, int | Fraction)
        return real_text(Fraction(value))
    return str(value) if isinstance(value, int) and value >= 0 else f"({value})"


def string_text(value: str) -> str:
    """A string as an expression writes it."""
    out = []
    for char in value:
        if char in "\\'":
            out.append("\\" + char)
        elif char.isprintable():
            out.append(char)
        elif ord(char) < 0x10000:
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(char)
    return "'" + "".join(out) + "'"


def _application(head: Operator | Symbol, texts: list[str], args: tuple[Node, ...]) -> str:
    if isinstance(head, Symbol):
        if head is ADD_MONTHS_UP:
            return f"AddMonths({', '.join(texts)}, 'up')"
        return f"{written(head.name)}({', '.join(texts)})"
    if head is op.EQ and any(text.startswith("[") for text in texts):
        return _equal_to_list(*texts)
    infix = _INFIX.get(head)
    if infix is not None:
        return f"({f' {infix} '.join(texts)})"
    if head is op.APPLY:
        return f"{texts[0]}({', '.join(texts[1:])})"
    if head is op.INT_TO_BV:
        assert isinstance(args[1].sort, BitVecSort)
        return f"Int2BV({texts[0]}, {args[1].sort.width})"
    if head is op.INSERT:
        return _inserted(*texts)
    if head in (op.NEG, op.BV_NEG):
        return f"(-{texts[0]})"
    # Never a guess: an operator without words here would become another program.
    raise Unwritable(f"programs have no words for {head.name}")


def _equal_to_list(left: str, right: str) -> str:
    """An equality with a set literal, which is no operand of `==` but a member of a list after `in`."""
    return f"({left} in [{right}])" if right.startswith("[") else f"({right} in [{left}])"


def _inserted(element: str, whole: str) -> str:
    """A set literal with one member more, or a union with one. (Texts of no other terms begin with `[`.)"""
    if not whole.startswith("["):
        return f"Union({whole}, [{element}])"
    return f"[{element}]" if whole == "[]" else f"{whole[:-1]}, {element}]"


def _tree_size(nodes: list[Node]) -> int:
    sizes: dict[int, int] = {}
    for node in nodes:
        sizes[node.id] = min(_LARGEST + 1, 1 + sum(sizes[child.id] for child in children(node)))
    return sizes[nodes[-1].id] if nodes else 0


# --- sections ------------------------------------------------------------------------------------


class _Cited:
    """The citations of the items of a program, for the items of its module."""

    def __init__(self, tree: ParsedProgram) -> None:
        self._tree = tree
        self._places = {each.name: each.pointer for each in tree.sorts}
        self._places |= {each.name: each.pointer for each in tree.functions}
        self._groups = {name: each.pointer for each in tree.constants for name, _ in each.members}

    def item(self, item: dict[str, Any], pointer: str) -> dict[str, Any]:
        """The item with the citations of the one that it came from."""
        return _with_cites(item, self._tree.cited_at(pointer))

    def declaration(self, item: dict[str, Any]) -> dict[str, Any]:
        """The same for a sort or a function."""
        return self.item(item, self._places.get(item["name"], ""))

    def group(self, item: dict[str, Any]) -> dict[str, Any]:
        """The same for a group of constants, which may come from several."""
        places = {self._groups[name] for name in item["members"] if name in self._groups}
        return _with_cites(item, sorted({each for place in places for each in self._tree.cited_at(place)}))

    def section(self) -> dict[str, Any]:
        """The section `document`, if there is one."""
        document = self._tree.document
        if document is None:
            return {}
        given = {key: each for key, each in document._asdict().items() if each is not None}
        return {"document": given | {"sentences": list(document.sentences)}}


def _with_cites(item: dict[str, Any], numbers: Sequence[int]) -> dict[str, Any]:
    return item | {"cites": list(numbers)} if numbers else item


def module_to_pot(module: Module, cited: ParsedProgram | None = None) -> dict[str, Any]:
    """The module as a PoT program, over the sorts that it has, with the citations of the program it was.

    Raises `Unwritable`.
    """
    writer, citing = Writer(module), _Cited(cited or ParsedProgram())
    program: dict[str, Any] = {
        "sorts": [citing.declaration(_sort_item(sort)) for sort in module.sorts],
        "functions": [
            citing.declaration(_function_item(s))
            for s in module.symbols
            if s.domain and s.kind in (SymbolKind.FUNCTION, SymbolKind.FRESH)
        ],
        "constants": _constants(module, citing),
        "variables": [_variable(s.name, s.range) for s in module.symbols if s.kind == SymbolKind.FREE],
        "knowledge_base": [],
        "rules": [],
        "verifications": _verifications(module, writer, citing),
        "actions": [{"verify": "verify_conditions"}.get(action, action) for action in module.actions],
    }
    program["functions"] += [citing.declaration(_definition(each, writer)) for each in module.definitions]
    for assertion in module.assertions:
        if assertion.kind is AssertionKind.FACT:
            program["knowledge_base"].append(_fact(assertion, writer, citing))
        elif assertion.kind is not AssertionKind.SEMANTICS or assertion.key.startswith(COMPLETION):
            rule = _statement(assertion.name, assertion.formula, writer, "forall")
            program["rules"].append(citing.item(rule, assertion.origin.pointer))
    for norm in module.norms:
        rule = _statement(norm.name, norm.formula, writer, "forall") | {"role": "norm"}
        program["rules"].append(citing.item(rule, norm.origin.pointer))
    semantics = _semantics(module)
    if semantics:
        program["semantics"] = semantics
    if module.optimization is not None:
        program["optimization"] = _optimization(module.optimization, writer)
    return program | citing.section()


def _sort_item(sort: Sort) -> dict[str, Any]:
    match sort:
        case EnumSort(name, values):
            return {"name": name, "type": "EnumSort", "values": list(values)}
        case TupleSort(name, fields):
            parts = [{"name": part, "sort": sort_text(of)} for part, of in fields]
            return {"name": name, "type": "TupleSort", "fields": parts}
        case _:
            return {"name": str(sort), "type": "DeclareSort"}


def _function_item(symbol: Symbol) -> dict[str, Any]:
    domain = [sort_text(sort) for sort in symbol.domain]
    return {"name": symbol.name, "domain": domain, "range": sort_text(symbol.range)}


def _definition(definition: Definition, writer: Writer) -> dict[str, Any]:
    names = writer.names(definition.params)
    params = [_variable(names[param.id], param.sort) for param in definition.params]
    body = _with_names(writer, definition.body, definition.params, names)
    return _function_item(definition.symbol) | {"params": params, "body": body}


def _with_names(writer: Writer, body: Node, variables: Iterable[Var], names: dict[int, str]) -> str:
    renamed = [Var(var.id, var.sort, names[var.id]) for var in variables]
    return writer.term(body, renamed)


def _constants(module: Module, citing: _Cited) -> dict[str, Any]:
    groups: dict[str, list[str]] = {}
    for symbol in module.symbols:
        if symbol.kind == SymbolKind.CONSTANT or (symbol.kind == SymbolKind.FRESH and not symbol.domain):
            groups.setdefault(sort_text(symbol.range), []).append(symbol.name)
    return {sort: citing.group({"sort": sort, "members": members}) for sort, members in groups.items()}


def _variable(name: str, sort: Sort) -> dict[str, Any]:
    return {"name": name, "sort": sort_text(sort)}


def _fact(assertion: Assertion, writer: Writer, citing: _Cited) -> Any:
    text = writer.term(assertion.formula)
    name = {} if assertion.name.startswith("fact ") else {"name": assertion.name}
    item = citing.item(name | {"assertion": text}, assertion.origin.pointer)
    return item if len(item) > 1 else text


def _statement(name: str, formula: Node, writer: Writer, quantifier: str) -> dict[str, Any]:
    item: dict[str, Any] = {"name": name}
    if not (isinstance(formula, Quant) and formula.kind == quantifier):
        return item | {"constraint": writer.term(formula)}
    names = writer.names(reachable(formula))
    item[quantifier] = [_variable(names[var.id], var.sort) for var in formula.binders]
    body = formula.body
    if quantifier == "forall" and isinstance(body, App) and body.op is op.IMPLIES:
        antecedent, consequent = (_with_names(writer, a, formula.binders, names) for a in body.args)
        return item | {"implies": {"antecedent": antecedent, "consequent": consequent}}
    return item | {"constraint": _with_names(writer, body, formula.binders, names)}


def _verifications(module: Module, writer: Writer, citing: _Cited) -> list[dict[str, Any]]:
    """The claims; those that are options of one question under it, where its first one stands."""
    found: list[dict[str, Any]] = []
    questions: dict[MultipleChoice, dict[str, Any]] = {}
    for claim in module.claims:
        question = claim.question
        asked = {} if claim.ask == "must" else {"ask": claim.ask}
        if question is None:
            found.append(citing.item(_claim(claim, writer) | asked, claim.origin.pointer))
            continue
        if question not in questions:
            item = {"name": question.name, **asked, "options": []}
            questions[question] = citing.item(item, question.origin.pointer)
            found.append(questions[question])
        questions[question]["options"].append(_claim(claim, writer))
    return found


def _claim(claim: Claim, writer: Writer) -> dict[str, Any]:
    if claim.find:
        names = writer.names(reachable(claim.formula, *claim.find))
        find = [_variable(names[var.id], var.sort) for var in claim.find]
        constraint = _with_names(writer, claim.formula, claim.find, names)
        return {"name": claim.name, "find": find, "constraint": constraint}
    kind = claim.formula.kind if isinstance(claim.formula, Quant) else "forall"
    return _statement(claim.name, claim.formula, writer, kind)


def _semantics(module: Module) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, sorts in (("unique_names", module.unique), ("closed_domain", module.closed)):
        if sorts:
            found[key] = sorted(str(sort) for sort in sorts)
    return found


def _optimization(section: Optimization, writer: Writer) -> dict[str, Any]:
    objectives = [
        {"name": o.name, "type": o.direction, "expression": writer.term(o.term)} for o in section.objectives
    ]
    constraints = [writer.term(constraint.formula) for constraint in section.constraints]
    return {"mode": section.mode, "constraints": constraints, "objectives": objectives}

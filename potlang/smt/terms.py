"""Terms as text, without recursion: one stack of nodes, texts and steps."""

from __future__ import annotations

from typing import NamedTuple

from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var
from potlang.ir.operators import Operator
from potlang.smt import names
from potlang.smt.encodings import Membership, OperatorEncoder, Piece
from potlang.smt.sharing import Plan
from potlang.smt.symbols import Symbols

_DEPTH, _WIDTH = 4, 6


class _Name(NamedTuple):
    """From here on, node `id` is written `text`."""

    id: int
    text: str


class _Forget(NamedTuple):
    """The scope of a quantifier ends."""

    ids: tuple[int, ...]


_Item = Piece | _Name | _Forget


class TermWriter:
    """Writes terms of one module. `shared` names closed terms by node id and is the caller's to fill."""

    def __init__(self, symbols: Symbols, encoder: OperatorEncoder) -> None:
        self.symbols = symbols
        self.encoder = encoder
        self.shared: dict[int, str] = {}
        self._leaves: dict[int, str] = {}
        self._heads: dict[object, str | None] = {}

    def small(self, node: Node, depth: int = _DEPTH) -> str | None:
        """The text of a small tree, fast; None for anything else."""
        if type(node) is not App:
            return self._leaf(node) if isinstance(node, Sym | Lit) else None
        args = node.args
        text = self._heads.get(node.op) or self._head(node.op)
        if text is None or not depth or len(args) > _WIDTH:
            return None
        known = self._leaves
        for arg in args:
            part = known.get(arg.id) or self.small(arg, depth - 1)
            if part is None:
                return None
            text = f"{text} {part}"
        return text + ")"

    def _head(self, op: Operator | Symbol) -> str | None:
        """The opening of an application, or None where the operator is written in another way."""
        if op not in self._heads:
            if isinstance(op, Operator):
                self._heads[op] = None if self.encoder.is_special(op) else f"({op.smt}"
            else:
                self._heads[op] = f"({self.symbols.symbol(op)}"
        return self._heads[op]

    def _leaf(self, node: Sym | Lit) -> str:
        text = self._leaves.get(node.id)
        if text is None:
            if isinstance(node, Sym):
                text = self.symbols.symbol(node.symbol)
            else:
                text = self.symbols.literal(node)
            self._leaves[node.id] = text
        return text

    def write(self, root: Node, plan: Plan, scope: tuple[Var, ...] = ()) -> str:
        """The text of `root`, in which `scope` may be free, with `plan.closed` as lets unless `shared`."""
        return _Writing(self, plan).run(root, scope)

    def open(self, node: Node) -> list[Piece] | str:
        """A node one level down: its text, or the pieces that make it."""
        if isinstance(node, Sym | Lit):
            return self._leaf(node)
        assert isinstance(node, App)
        head = self._head(node.op)
        if head is None:
            return self.encoder.encode(node)
        pieces: list[Piece] = [head]
        for arg in node.args:
            pieces += (" ", arg)
        pieces.append(")")
        return pieces


class _Writing:
    """One term being written: the names in scope and the stack."""

    def __init__(self, terms: TermWriter, plan: Plan) -> None:
        self._terms = terms
        self._plan = plan
        self._local: dict[int, str] = {}
        self._binders = 0
        self._lets = 0

    def run(self, root: Node, scope: tuple[Var, ...]) -> str:
        for variable in scope:
            self._bind(variable)
        closed = [node for node in self._plan.closed if node.id not in self._terms.shared]
        out: list[str] = []
        stack = self._region(root, self._candidates(scope, closed))[::-1]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                out.append(item)
            elif isinstance(item, _Name):
                self._local[item.id] = item.text
            elif isinstance(item, _Forget):
                for key in item.ids:
                    self._local.pop(key, None)
            else:
                self._node(item, stack, out)
        return "".join(out)

    def _node(self, node: Node | Membership, stack: list[_Item], out: list[str]) -> None:
        if isinstance(node, Membership):
            stack.extend(reversed(self._terms.encoder.membership(node)))
            return
        text = self._local.get(node.id) or self._terms.shared.get(node.id)
        if text is not None:
            out.append(text)
        elif isinstance(node, Quant):
            stack.extend(reversed(self._quantifier(node)))
        else:
            pieces = self._terms.open(node)
            if isinstance(pieces, str):
                out.append(pieces)
            else:
                stack.extend(reversed(pieces))

    def _bind(self, variable: Var) -> str:
        text = self._local[variable.id] = names.binder_name(variable.name, self._binders)
        self._binders += 1
        return text

    def _quantifier(self, node: Quant) -> list[_Item]:
        sorts = self._terms.symbols
        binders = [f"({self._bind(v)} {sorts.sort(v.sort)})" for v in node.binders]
        candidates = self._candidates(node.binders, [])
        ids = (*(v.id for v in node.binders), *(n.id for n in candidates))
        return [
            f"({node.kind} ({' '.join(binders)}) ",
            *self._region(node.body, candidates),
            ")",
            _Forget(ids),
        ]

    def _candidates(self, variables: tuple[Var, ...], closed: list[Node]) -> list[Node]:
        """The terms to name at the top of the scope of `variables`, parts first."""
        found = {node.id: node for node in closed}
        for variable in variables:
            for node, free in self._plan.open.get(variable, ()):
                if all(each.id in self._local for each in free):
                    found[node.id] = node
        for key in found:
            self._local.pop(key, None)
        return [found[key] for key in sorted(found)]

    def _region(self, body: Node, candidates: list[Node]) -> list[_Item]:
        items: list[_Item] = []
        for node in candidates:
            text = names.local_name(self._lets)
            self._lets += 1
            items += [f"(let (({text} ", node, ")) ", _Name(node.id, text)]
        return [*items, body, ")" * len(candidates)]

"""The grammar of DoT traces: in llguidance's parametric rules with the side conditions, in GBNF without.

A rule has a value of 64 bits there. Two of them say of each node behind the first what it is, so that which
nodes a record may name is a condition on the value; one more says that something was criticized.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from potlang.decoding.grammars.names import AllowedNames
from potlang.decoding.grammars.notation import (
    ExportedGrammar,
    Guarded,
    Part,
    Reference,
    Repeated,
    RuleBook,
    any_character,
    either,
    in_order,
    optional,
)
from potlang.decoding.grammars.propositions import REPEATED, enter_propositions
from potlang.languages.dot.read.records import END_MARK, MARKS, Profile
from potlang.languages.dot.read.validator import ADMISSIBLE, PAPER_TRIPLES

FEWEST_NODES, MOST_NODES = 4, 31
"""A problem, a proposition, its critic and a summary; and two bits for each node but the first."""
MOST_EDGES, MOST_ARROWS, MOST_EQUALITIES, MOST_LINES, LONGEST_LINE = 6, 4, 2, 8, 200
_CRITICIZED = 2 * (MOST_NODES - 1)
_ACTIVE, _VALIDATED = 1, 3
"""The two bits of a proposition without a status, and of a validated one; 2: invalidated, 0: none at all."""
_BOUNDS = (
    f"A block has at most {MOST_EDGES} edges, {MOST_ARROWS} arrows, {MOST_EQUALITIES} equalities, "
    f"and {MOST_LINES} lines of {LONGEST_LINE} characters."
)


class _Triple(NamedTuple):
    """An edge that may be: its kind, and the roles of its ends."""

    kind: str
    source: str
    target: str


def trace_rules(
    names: AllowedNames | None = None,
    *,
    profile: Profile = "paper",
    nodes: int = MOST_NODES - 1,
    parametric: bool = True,
) -> ExportedGrammar:
    """The grammar of traces of at most so many nodes that criticize something and end in a summary.

    Without `parametric` rules it holds the order of the records alone. Raises ValueError for a number of
    nodes that is too small for the goal, or too great for the bits.
    """
    if not FEWEST_NODES <= nodes <= MOST_NODES:
        raise ValueError(f"a trace has {FEWEST_NODES} to {MOST_NODES} nodes here, not {nodes}")
    book = RuleBook()
    of_problem, of_others = enter_propositions(book, names, parametric=parametric)
    book.lexeme("TEXT", in_order(any_character("@<"), Repeated(any_character(), 0, LONGEST_LINE - 1)))
    book.rule("text_line", in_order(Reference("TEXT"), "\n"))
    rules = _Rules(book, profile, nodes, Reference(of_others))
    problem = in_order(
        "@node id=1 role=problem\n", optional(in_order("@prop id=1 ", Reference(of_problem), "\n"))
    )
    if parametric:
        rules.enter_parametric()
        book.rule("trace", in_order(problem, _lines(), Reference("next_2", "0")))
        return book.grammar("trace", _notes(nodes))
    rules.enter_plain()
    book.rule("trace", in_order(problem, _lines(), Reference("blocks")))
    return book.grammar("trace", (*_notes(nodes), *_NOT_IN_GBNF, *([REPEATED] if names is None else [])))


def _notes(nodes: int) -> tuple[str, ...]:
    return (
        f"A trace of at most {nodes} nodes with the ids 1, 2, …: a problem, a critique, a summary, its end.",
        _BOUNDS,
        "Not held, and checked behind: at most 1,000 levels of nesting in JSON, what names and sorts mean,",
        "and what the solver says.",
    )


_NOT_IN_GBNF = (
    "Neither are the ids and what they refer to: that they increase one by one, that edges, arrows,",
    "equalities and statuses name nodes that exist and have the right role, that a status is the first one,",
    "that a @prop and an edge name the node of their block, and how many nodes there are.",
)


def _lines() -> Part:
    return Repeated(Reference("text_line"), 0, MOST_LINES)


def _bits(node: int) -> int:
    """The lower of the two bits of a node."""
    return 2 * (node - 2)


def _field(node: int) -> str:
    return f"[{_bits(node)}:{_bits(node) + 2}]"


def _is(node: int, state: int) -> str:
    return f"eq({_field(node)}, {state})"


_NO_PROPOSITION: Final = f"is_zeros([0:{_CRITICIZED}])"
_SOME_PROPOSITION: Final = f"not({_NO_PROPOSITION})"
_DONE: Final = f"bit_set({_CRITICIZED})"


def _any_of(conditions: Iterable[str]) -> str:
    """One of some conditions, of which there is at least one."""
    *others, found = conditions
    for each in reversed(others):
        found = f"or({each}, {found})"
    return found


class _Rules:
    """The rules of blocks."""

    def __init__(self, book: RuleBook, profile: Profile, nodes: int, prop: Reference) -> None:
        self._book = book
        self._nodes = nodes
        self._prop = prop
        triples = {_Triple(kind, *pair) for kind, pairs in ADMISSIBLE.items() for pair in pairs}
        if profile == "paper":
            triples |= {_Triple(*each) for each in PAPER_TRIPLES}
        self._triples = sorted(triples)

    def _kinds(self, source: str, target: str) -> Part | None:
        kinds = [each.kind for each in self._triples if (each.source, each.target) == (source, target)]
        return either(*kinds) if kinds else None

    # --- with side conditions --------------------------------------------------------------------

    def enter_parametric(self) -> None:
        """Enters `next_2`, the blocks behind the problem's, and all that it needs."""
        every = range(2, self._nodes + 1)
        self._book.lexeme("ID_OF_PROBLEM", in_order("1"))
        self._enter("proposer_id", [Guarded(in_order(str(j)), f"ne({_field(j)}, 0)") for j in every])
        self._enter("validated_id", [Guarded(in_order(str(j)), _is(j, _VALIDATED)) for j in every])
        equality = in_order("@eq src=", _handed("proposer_id"), " dst=", _handed("proposer_id"), "\n")
        self._enter("equality", [Guarded(equality, _SOME_PROPOSITION)])
        for node in every:
            self._enter_node(node)

    def _enter(self, name: str, options: list[Part]) -> None:
        self._book.rule(name, either(*options))

    def _enter_node(self, node: int) -> None:
        """Enters the blocks that the node `node` may have."""
        below = range(2, node)
        # The node itself is no proposition before its edges, and may be one behind them.
        self._enter(f"critic_to_{node}", [Guarded(in_order(str(j)), _is(j, 0)) for j in range(2, node + 1)])
        self._enter_edges(node, "proposer", below)
        self._enter_edges(node, "critic", below)
        self._enter_edges(node, "summarizer", below)
        self._enter_arrows("then", node, range(2, node + 1))
        # The last block is no critic's, although the two bits of its node are those of one.
        self._enter_arrows("last", node, below)
        number = either(*map(str, range(1, node + 1)))
        self._book.lexeme(f"ID_TO_{node}", number)
        end = [END_MARK.decode() + "\n"]
        if node < self._nodes:
            self._enter_statuses(node, "then")
            self._enter_rest(node, "then", [_handed(f"next_{node + 1}")])
        self._enter_statuses(node, "last")
        self._enter_rest(node, "last", end)
        self._enter(f"next_{node}", self._blocks(node))

    def _blocks(self, node: int) -> list[Part]:
        """The beginnings of a block; each leaves as many nodes as the goal needs."""
        left = self._nodes - node
        found: list[Part] = []
        head = f"@node id={node} role="
        if left >= 1:
            block = in_order(
                f"{head}proposer\n",
                self._edges(node, "proposer"),
                Reference(f"status_then_{node}", f"set_bit({_bits(node)})"),
            )
            # A critic and a summary come behind it, where nothing was criticized.
            found.append(block if left >= 2 else Guarded(block, _DONE))
            if node > 2:
                critique = in_order(
                    f"{head}critic\n",
                    self._edges(node, "critic", 1),
                    Reference(f"status_then_{node}", f"set_bit({_CRITICIZED})"),
                )
                found.append(Guarded(critique, _SOME_PROPOSITION))
            idle = in_order(f"{head}critic\n", _handed(f"status_then_{node}"))
            condition = {1: _DONE, 2: f"or({_DONE}, {_SOME_PROPOSITION})"}.get(left)
            found.append(idle if condition is None else Guarded(idle, condition))
        summary = in_order(
            f"{head}summarizer\n", self._edges(node, "summarizer"), _handed(f"status_last_{node}")
        )
        found.append(Guarded(summary, _DONE))
        return found

    def _edges(self, node: int, role: str, least: int = 0) -> Part:
        name = f"edge_of_{role}_{node}"
        return Repeated(_handed(name), least, MOST_EDGES) if name in self._book.rules else in_order()

    def _enter_edges(self, node: int, role: str, below: range) -> None:
        options: list[Part] = []
        first = self._kinds("problem", role)
        if first is not None:
            # Apart from the text in front of it: llguidance's lexer takes `@edge src=1` for no beginning of
            # `@edge src=12` where one piece has the `1` in it.
            options.append(
                in_order("@edge src=", Reference("ID_OF_PROBLEM"), f" dst={node} kind=", first, "\n")
            )
        sources = {"proposer": ("proposer_id", _SOME_PROPOSITION)}
        if role == "summarizer":
            sources = {
                "proposer": ("validated_id", _any_of(_is(j, _VALIDATED) for j in below) if below else "")
            }
        if below:
            sources["critic"] = (f"critic_to_{node - 1}", _any_of(_is(j, 0) for j in below))
        for source, (rule, condition) in sources.items():
            kinds = self._kinds(source, role)
            if kinds is not None and below:
                edge = in_order("@edge src=", _handed(rule), f" dst={node} kind=", kinds, "\n")
                options.append(Guarded(edge, condition))
        if options:
            self._enter(f"edge_of_{role}_{node}", options)

    def _enter_arrows(self, way: str, node: int, witnesses: range) -> None:
        arrow = in_order("@entails src=", _handed("proposer_id"), " dst=", _handed("proposer_id"))
        options: list[Part] = [Guarded(in_order(arrow, "\n"), _SOME_PROPOSITION)]
        if witnesses:
            critics = _any_of(_is(j, 0) for j in witnesses)
            witnessed = in_order(arrow, " witness=", _handed(f"critic_to_{witnesses[-1]}"), "\n")
            options.append(Guarded(witnessed, f"and({_SOME_PROPOSITION}, {critics})"))
        self._enter(f"arrow_{way}_{node}", options)

    def _enter_statuses(self, node: int, way: str) -> None:
        """A status or none, and what follows: the next block, or the end."""
        rest = f"rest_{way}_{node}"
        reason = optional(in_order(" just=", Reference(f"ID_TO_{node}")))
        options: list[Part] = [_handed(rest)]
        changes = {"validated": "set_bit({high})", "invalidated": "incr({field})"}
        for target in range(2, node + 1):
            for mark in MARKS:
                change = changes[mark].format(high=_bits(target) + 1, field=_field(target))
                status = in_order(
                    f"@status target={target} mark={mark}", reason, "\n", Reference(rest, change)
                )
                options.append(Guarded(status, _is(target, _ACTIVE)))
        self._enter(f"status_{way}_{node}", options)

    def _enter_rest(self, node: int, way: str, end: Sequence[Part | str]) -> None:
        rest = in_order(
            Repeated(_handed(f"arrow_{way}_{node}"), 0, MOST_ARROWS),
            Repeated(_handed("equality"), 0, MOST_EQUALITIES),
            optional(in_order(f"@prop id={node} ", self._prop, "\n")),
            _lines(),
            *end,
        )
        self._enter(f"rest_{way}_{node}", [rest])

    # --- without ---------------------------------------------------------------------------------

    def enter_plain(self) -> None:
        """Enters `blocks`, in which any number that a node may have stands for any other."""
        number = self._book.lexeme("ID", either(*map(str, range(1, self._nodes + 1))))
        self._book.rule("end", in_order(END_MARK.decode(), "\n"))
        marks = either(*MARKS)
        status = in_order(
            "@status target=", number, " mark=", marks, optional(in_order(" just=", number)), "\n"
        )
        arrow = in_order(
            "@entails src=", number, " dst=", number, optional(in_order(" witness=", number)), "\n"
        )
        self._book.rule(
            "rest",
            in_order(
                optional(status),
                Repeated(arrow, 0, MOST_ARROWS),
                Repeated(in_order("@eq src=", number, " dst=", number, "\n"), 0, MOST_EQUALITIES),
                optional(in_order("@prop id=", number, " ", self._prop, "\n")),
                _lines(),
            ),
        )
        block = in_order("@node id=", number, " role=")
        edges = {role: self._plain_edge(number, role) for role in ("proposer", "critic", "summarizer")}
        rest = Reference("rest")
        proposition = in_order("proposer\n", Repeated(edges["proposer"], 0, MOST_EDGES), rest)
        summary = in_order(
            "summarizer\n", Repeated(edges["summarizer"], 0, MOST_EDGES), rest, Reference("end")
        )
        self._book.rule("proposition", proposition)
        self._book.rule("summary", summary)
        critique = Repeated(edges["critic"], 1, MOST_EDGES)
        idle = either(Reference("proposition"), in_order("critic\n", rest))
        done = either(
            Reference("proposition"), in_order("critic\n", Repeated(edges["critic"], 0, MOST_EDGES), rest)
        )
        # Up to the first critique, and behind it: no text has two ways through the rules.
        behind = either(in_order(done, Reference("further")), Reference("summary"))
        self._book.rule("further", in_order(block, behind))
        first = either(
            in_order(idle, Reference("blocks")), in_order("critic\n", critique, rest, Reference("further"))
        )
        self._book.rule("blocks", in_order(block, first))

    def _plain_edge(self, number: Reference, role: str) -> Part:
        kinds = sorted({each.kind for each in self._triples if each.target == role})
        return in_order("@edge src=", number, " dst=", number, " kind=", either(*kinds), "\n")


def _handed(rule: str) -> Reference:
    """A parametric rule with the value as it is."""
    return Reference(rule, "_")

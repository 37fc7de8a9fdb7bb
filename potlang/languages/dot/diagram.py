"""A trace in a presheaf topos: its diagram, nucleus, slice colimit and summary, computed on all models.

`potlang.dot.verify` asks a solver about formulas; here the theory is finite, S is the set of its models,
and everything of section 4 of the paper is computed as it stands there ([TOPOS-TRACE-SPACE] ff.).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

from potlang.diag import Diagnostic
from potlang.diag.near import nearest
from potlang.diag.render_text import render_all
from potlang.ir import operators as op
from potlang.ir.compile import NotFinite
from potlang.ir.nodes import App, Node, Sym, reachable
from potlang.languages.dot.check import MalformedTrace, Theory, TraceSource, compiled, opened
from potlang.languages.dot.lower.canon import canonical_order
from potlang.languages.dot.lower.extract import Extraction, Schema, extract
from potlang.languages.dot.lower.index import IndexCategory
from potlang.languages.dot.lower.labelled import Colouring, LabelledGraph
from potlang.languages.dot.lower.typing import TraceTheory, TypedPropositions, read_propositions
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.results import ArrowState
from potlang.languages.dot.solve.comparing import branches
from potlang.languages.dot.solve.space import ModelSpace, TooManyModels, model_space
from potlang.topos import diagram as slices
from potlang.topos import nucleus as nuclei
from potlang.topos.category import Category, discrete, preorder
from potlang.topos.diagram import Diagram
from potlang.topos.errors import BoundExceeded
from potlang.topos.nucleus import Nucleus
from potlang.topos.orders import bits
from potlang.topos.presentation import Presentation, Presented, presented
from potlang.topos.presheaf import Elements, Presheaf, constant, elements, terminal
from potlang.topos.slice import Reflection, Reflector, as_subobject, rule_covers
from potlang.topos.subobject import Subobject, join, meet, top

Stages = Mapping[str, Sequence[str | int]]
"""The findings of each stage: the values of these constants and functions, and for a number
whether what that node says holds."""

_FINITE = (
    "use truth values, enums, closed sorts, and integers that assumptions bound on both sides, as"
    ' {"ge": ["n", 0]} and {"le": ["n", 9]}'
)
_SMALLER = "assume more, or state less: only names that assumptions or nodes mention count"
_SYMBOLIC = "`potc verify` asks a solver instead, and needs no list of models"
_SHOWN = 8
MOST_VALIDATED = 200
"""Validated propositions: all pairs of them are compared."""
MOST_CLAIMS = 500
"""Inclusions, and relations among arrows."""
_CONNECTIVES = (op.NOT, op.AND, op.OR, op.IMPLIES, op.IFF, op.XOR)


class NoDiagram(ValueError):
    """A trace has no diagram in a finite topos. `diagnostics` says why, and what to do."""

    def __init__(self, diagnostics: Iterable[Diagnostic], trace: Any) -> None:
        self.diagnostics = tuple(diagnostics)
        self.trace = trace
        super().__init__(render_all(self.diagnostics, trace.document).rstrip())


class ClaimedInclusion(NamedTuple):
    """An inclusion P_lower ≤ P_upper that the trace claims, and what S says of it."""

    lower: int
    upper: int
    schema: Schema
    rank: int
    state: ArrowState


class InformationState(NamedTuple):
    """The knowledge of a stage: that one of these models is the case, a bit each."""

    stage: str
    models: int


@dataclass(frozen=True)
class TraceDiagram:
    """The diagram of a trace over the space S of the models of its theory.

    `space` is S. Without stages it has the models as its elements, over one context. With stages a context
    is what may be known at one of them, and S has one element over each. `points` says of each
    point of S at which stage it is, and which `models` look alike there. `propositions` has what the nodes
    say as subobjects of S, `index` the index category of the validated objects by generators and relations.
    """

    models: tuple[Mapping[str, str], ...]
    space: Presheaf
    points: tuple[InformationState, ...]
    propositions: Mapping[int, Subobject]
    validated: tuple[int, ...]
    branches: tuple[tuple[int, ...], ...]
    inclusions: tuple[ClaimedInclusion, ...]
    index: IndexCategory
    atoms: tuple[str, ...] = ()
    """The constants in models that stand for what opaque propositions say."""

    @property
    def is_classical(self) -> bool:
        """Whether each point is a model: then the logic of Sub(S) is that of reports."""
        return len(self.space.category.objects) == 1

    # --- the lattice Sub(S) ----------------------------------------------------------------------

    @property
    def family(self) -> list[Subobject]:
        """The validated propositions P_v."""
        return [self.propositions[id_] for id_ in self.validated]

    def rules(self, rank: int | None = None) -> list[nuclei.Rule]:
        """The claimed inclusions that S does not refute, of rank at most `rank`."""
        return [
            (self.propositions[each.lower], self.propositions[each.upper])
            for each in self.inclusions
            if each.state != "refuted" and (rank is None or each.rank <= rank)
        ]

    def nucleus_up_to(self, rank: int | None) -> Nucleus:
        """c^≤rank, the nucleus of the inclusions of rank at most `rank` (appendix C.3); c for None."""
        return nuclei.from_rules(self.space, self.rules(rank))

    @cached_property
    def nucleus(self) -> Nucleus:
        """c, the least nucleus in which the claimed inclusions hold (lemma C.1)."""
        return self.nucleus_up_to(None)

    @cached_property
    def summary(self) -> Subobject:
        """c(⋀ P_v), the summary of the validated propositions (theorem 4.5)."""
        return self.nucleus.closure(meet(self.space, self.family))

    @property
    def is_consistent(self) -> bool:
        """Whether c(⋀ P_v) ≠ c(⊥) (theorem 4.8 as it is true)."""
        return self.nucleus.is_consistent(meet(self.space, self.family))

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks of the claimed inclusions."""
        return tuple(sorted({each.rank for each in self.inclusions}))

    # --- the diagram in the slice ----------------------------------------------------------------

    @cached_property
    def shape(self) -> Presentation:
        """The index category by a graph and its relations, as far as paths are listed; nodes by position."""
        place = {id_: at for at, id_ in enumerate(self.index.objects)}
        generators = self.index.generators()
        edge = {name: at for at, name in enumerate(generators)}
        relations: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
        for each in self.index.relations:
            for found in self.index.hom(each.source, each.target, most=100).arrows:
                paths = [tuple(edge[name] for name in path) for path in found]
                relations.update(dict.fromkeys(pairwise(paths)))
        edges = tuple((place[a], place[b]) for a, b in generators.values())
        return Presentation(len(place), edges, tuple(relations))

    @cached_property
    def index_category(self) -> Presented | None:
        """The index category itself, its arrows listed; None if they are too many, or infinitely many."""
        try:
            return presented(self.shape, limit=200)
        except BoundExceeded:
            return None

    @cached_property
    def objects(self) -> dict[int, Subobject]:
        """c(P) for each object of the index category, P being what all of its members say."""
        return {
            id_: self.nucleus.closure(meet(self.space, [self.propositions[node] for node in each.members]))
            for id_, each in self.index.objects.items()
        }

    @cached_property
    def elements(self) -> Elements:
        """∫S, the category of elements of S: the slice over S is equivalent to the presheaves on it."""
        return elements(self.space)

    @cached_property
    def diagram(self) -> Diagram:
        """D: the index category → the slice over S, read in the presheaves on ∫S, where S is terminal.

        An object goes to c(P). A generating arrow goes to the inclusion, which S need not have between
        the P themselves; one that S refutes, and so has none, is left out ([TOPOS-TRACE-DIAGRAM]).
        """
        base = terminal(self.elements.category)
        family = [Subobject(base, each.mask) for each in self.objects.values()]
        edges = [edge for edge in self.shape.edges if family[edge[0]] <= family[edge[1]]]
        return slices.posetal(base, family, edges)

    @cached_property
    def reflector(self) -> Reflector:
        """Sheafification for the topology of the slice whose closure is c (lemma C.1, C.2)."""
        return Reflector(rule_covers(self.elements, self.rules()), self.diagram.base)

    @cached_property
    def sheaf(self) -> Reflection | None:
        """The reflection of the slice colimit: the summary of corollary 4.6; None if it is too large."""
        try:
            return slices.summary(self.reflector, self.diagram)
        except BoundExceeded:
            return None

    @property
    def colimit_fibres(self) -> tuple[int, ...]:
        """How many elements of the slice colimit lie over each point of S."""
        return self.diagram.colimit.over.source.sizes

    @property
    def sheaf_fibres(self) -> tuple[int, ...] | None:
        """How many elements of the reflected colimit lie over each point of S; None if it is too large."""
        return None if self.sheaf is None else self.sheaf.sheaf.source.sizes

    @cached_property
    def reflected_limit(self) -> Subobject:
        """The reflection of the slice limit, read over S: c(⋀ P_v) once more."""
        found = as_subobject(slices.meet_summary(self.reflector, self.diagram).at_base)
        return Subobject(self.space, found.mask)

    @cached_property
    def colimit_is_preserved(self) -> bool | None:
        """Corollary 4.6: a(colim D) is the colimit of a ∘ D among sheaves, by the canonical map.

        None if one of them is too large to be listed.
        """
        if self.sheaf is None:
            return None
        try:
            sheaves = slices.reflected(self.reflector, self.diagram)
            over, legs = slices.colimit_of_sheaves(self.reflector, sheaves.diagram)
        except BoundExceeded:
            return None
        units = [leg.after(node.completion.unit) for leg, node in zip(legs, sheaves.nodes, strict=True)]
        return self.sheaf.extension(self.diagram.colimit.colimit.factor(over.source, units), over).is_iso()

    def compute(self) -> None:
        """Computes what may be too large now, so that nothing raises `BoundExceeded` when it is asked for."""
        for _ in (self.elements, self.diagram.colimit, self.reflected_limit):
            continue

    # --- robustness ------------------------------------------------------------------------------

    @cached_property
    def form(self) -> str:
        """A hash of S, the nucleus and the diagram that does not depend on ids and order.

        Diagrams of one form are isomorphic, S along with them, so their colimits and summaries are (4.12).
        The other way round that holds but for what [DOT-CANON-4] says of regular graphs.
        """
        graph, labels = self._graph()
        colouring = Colouring(LabelledGraph.of_edges(len(labels), graph, 4), labels)
        colouring.refine()
        found = canonical_order(colouring)
        number = {vertex: str(new) for new, vertex in enumerate(found.vertices)}
        for vertex in found.unordered:
            number[vertex] = f"~{colouring.colour[vertex]}"
        lines = sorted(f"{number[vertex]} {label}" for vertex, label in enumerate(labels))
        lines += sorted(f"{number[a]} {number[b]} {kind}" for a, b, kind in graph)
        return sha256("\n".join(lines).encode()).hexdigest()

    def _graph(self) -> tuple[list[tuple[int, int, int]], list[str]]:
        """The diagram as a graph: a vertex for T, each model, point, opaque atom and object.

        An atom is no more than the models in which it is true: its name has the id of a node in it.
        """
        atoms = set(self.atoms)
        labels = ["T"]
        for model in self.models:
            named = {name: value for name, value in model.items() if name not in atoms}
            labels.append(f"model {sorted(named.items())}")
        edges: list[tuple[int, int, int]] = []
        first = len(labels)
        for point, (stage, models) in enumerate(self.points, first):
            labels.append(f"point {stage!r}")
            edges += [(1 + at, point, 0) for at in bits(models)]
        for name in self.atoms:
            true = (at for at, model in enumerate(self.models, 1) if model.get(name) == "True")
            edges += [(at, len(labels), 0) for at in true]
            labels.append("atom")
        place = {id_: at for at, id_ in enumerate(self.objects, len(labels))}
        labels += ["object"] * len(place)
        subs = [(place[id_], each.mask) for id_, each in self.objects.items()]
        for vertex, mask in (*subs, (0, self.nucleus.points)):
            edges += [(first + point, vertex, 1) for point in bits(mask)]
        edges += [(place[a], place[b], 2) for a, b in self.index.generators().values()]
        edges += {(place[each.source], place[each.target], 3) for each in self.index.relations}
        return edges, labels


def diagram(
    source: TraceSource,
    *,
    profile: Profile = "paper",
    theory: Theory | None = None,
    stages: Stages | None = None,
    name: str | None = None,
) -> TraceDiagram:
    """The diagram of a trace in a topos of presheaves: over what may be known at `stages`, or sets without.

    The theory must have finitely many models, at most 1,024: Boolean constants, enums, closed sorts,
    integers with bounds, and functions of these. Raises `NoDiagram` where it has not, or a stage cannot be
    used; `MalformedTrace` for a trace with errors, `potlang.CompileError` for such a theory.
    """
    program = compiled(theory)
    trace, sink = opened(source, profile, None, name)
    with nullcontext() if program is None else program.borrowed():
        space = None if program is None else TraceTheory(program.tree, (program.module, program.extension))
        said = read_propositions(trace, sink, space)
        if sink.has_errors:
            raise MalformedTrace(sink.diagnostics(), trace)
        found = _Building(extract(trace), said)
        try:
            return found.diagram(stages)
        except _StageError as error:
            sink.report("POT5082", "", name=error.args[0], problem=error.args[1], helps=error.args[2])
        except (TooManyModels, BoundExceeded) as error:
            sink.report("POT5081", "", reason=str(error), helps=[_SMALLER, _SYMBOLIC])
        except NotFinite as error:
            sink.report("POT5080", "", reason=str(error), helps=[_FINITE, _SYMBOLIC])
        raise NoDiagram(sink.diagnostics(), trace)


class _StageError(Exception):
    """The name of a stage, what is wrong with it, and what may be meant."""


class _Building:
    """The diagram of one trace under construction."""

    def __init__(self, extraction: Extraction, said: TypedPropositions) -> None:
        self.extraction = extraction
        trace = extraction.trace
        claimed = {node for each in extraction.inclusions for node in (each.lower, each.upper)}
        validated = extraction.marked("validated")
        # What is opaque and takes part in nothing would only double the models.
        self.said: dict[int, Node] = {
            id_: formula
            for id_, node in trace.nodes.items()
            if node.role in ("proposer", "summarizer") and (formula := said.formula(id_)) is not None
            if id_ in said.stated or id_ in claimed or id_ in validated
        }
        self.module = said.module
        opaque = [said.atoms[id_] for id_ in self.said if id_ in said.atoms]
        self.atoms = [each.symbol.name for each in opaque if isinstance(each, Sym)]
        self.validated = validated

    def diagram(self, stages: Stages | None) -> TraceDiagram:
        index = self.extraction.index.validated()
        claims = len(self.extraction.inclusions) + len(index.relations)
        if len(self.validated) > MOST_VALIDATED:
            raise TooManyModels(f"it has more than {MOST_VALIDATED} validated propositions")
        if claims > MOST_CLAIMS:
            raise TooManyModels(f"it has more than {MOST_CLAIMS} inclusions and relations")
        parts = {node.id: node for node in _parts(self.said.values())}
        models = model_space(self.module, list(parts.values()))
        truths = dict(zip(parts, models.truths, strict=True))
        if stages is None:
            points = tuple(InformationState("", 1 << at) for at in range(len(models.models)))
            space = constant(discrete(1), len(points))
        else:
            cells = {name: self._cells(name, known, models, truths) for name, known in stages.items()}
            points = tuple(InformationState(name, cell) for name, row in cells.items() for cell in row)
            space = terminal(_below(cells, points))
        propositions = _interpreted(space, points, truths, self.said)
        found = TraceDiagram(
            models.models,
            space,
            points,
            propositions,
            self.validated,
            branches(self.extraction, self.validated),
            tuple(self._inclusions(space, propositions)),
            index,
            tuple(self.atoms),
        )
        found.compute()
        return found

    def _cells(
        self, name: str, known: Sequence[str | int], models: ModelSpace, truths: Mapping[int, int]
    ) -> list[int]:
        """The classes of models that what is known at a stage does not tell apart, as masks."""
        names = list(dict.fromkeys(key for model in models.models for key in model))
        of_function = {each.partition("(")[0] for each in names}
        declared = {symbol.name for symbol in self.module.symbols}
        for item in known:
            if isinstance(item, bool) or not isinstance(item, int | str):
                raise _StageError(name, "what is found out is a name or the id of a node", ())
            if isinstance(item, int) and item not in self.said:
                raise _StageError(name, f"the node {item} states nothing", ())
            if isinstance(item, str) and item not in of_function | declared | set(names):
                near = nearest(item, sorted(of_function)) or sorted(of_function)[:_SHOWN]
                helps = [f"known can be {', '.join(f'`{each}`' for each in near)}, and ids of nodes"]
                raise _StageError(name, f"nothing in it is called `{item}`", helps)
        shown = [each for each in names if each in known or each.partition("(")[0] in known]
        nodes = [truths[self.said[item].id] for item in known if isinstance(item, int)]
        classes: dict[tuple[object, ...], int] = {}
        for at, model in enumerate(models.models):
            key = (*(model.get(each) for each in shown), *(mask >> at & 1 for mask in nodes))
            classes[key] = classes.get(key, 0) | 1 << at
        return list(classes.values())

    def _inclusions(
        self, space: Presheaf, propositions: Mapping[int, Subobject]
    ) -> Iterable[ClaimedInclusion]:
        for each in self.extraction.inclusions:
            lower, upper = propositions[each.lower], propositions[each.upper]
            state: ArrowState = "proved" if lower <= upper else "assumed"
            if state == "assumed" and lower == top(space) and not upper.mask:
                state = "refuted"
            yield ClaimedInclusion(each.lower, each.upper, each.schema, each.rank, state)


def _parts(formulas: Iterable[Node]) -> list[Node]:
    """The formulas, and the parts that their connectives join; not what is below a quantifier."""
    found: dict[int, Node] = {}
    waiting = list(formulas)
    while waiting:
        node = waiting.pop()
        if node.id not in found:
            found[node.id] = node
            if isinstance(node, App) and node.op in _CONNECTIVES:
                waiting += node.args
    return list(found.values())


def _below(cells: Mapping[str, Sequence[int]], points: Sequence[InformationState]) -> Category:
    """The preorder of contexts: below one lie those where more is known, at stages that find out as much."""
    finer = {
        (d, c)
        for d, row in cells.items()
        for c, wider in cells.items()
        if all(any(not cell & ~other for other in wider) for cell in row)
    }
    pairs = [
        (at, above)
        for at, (d, inner) in enumerate(points)
        for above, (c, outer) in enumerate(points)
        if not inner & ~outer and (d, c) in finer
    ]
    return preorder(len(points), pairs)


def _interpreted(
    space: Presheaf,
    points: Sequence[InformationState],
    truths: Mapping[int, int],
    formulas: Mapping[int, Node],
) -> dict[int, Subobject]:
    """Formulas as subobjects of S: connectives as in the Heyting algebra, all else where it is known."""
    found: dict[int, Subobject] = {}
    for node in reachable(*formulas.values()):
        if node.id not in truths:
            continue
        if isinstance(node, App) and node.op in _CONNECTIVES:
            found[node.id] = _joined(space, node, [found[arg.id] for arg in node.args])
        else:
            # What holds in all models that may be the case is known.
            false = ~truths[node.id]
            mask = sum(1 << at for at, point in enumerate(points) if not point.models & false)
            found[node.id] = Subobject(space, mask)
    return {id_: found[formula.id] for id_, formula in formulas.items()}


def _joined(space: Presheaf, node: App, parts: Sequence[Subobject]) -> Subobject:
    match node.op:
        case op.NOT:
            return ~parts[0]
        case op.AND:
            return meet(space, parts)
        case op.OR:
            return join(space, parts)
        case op.IMPLIES:
            return parts[0] >> parts[1]
    same = (parts[0] >> parts[1]) & (parts[1] >> parts[0])
    return same if node.op is op.IFF else ~same

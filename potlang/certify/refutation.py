"""Refutations: instances of Skolem forms, axioms and hinted steps, or a finite problem; RUP lemmas."""

from __future__ import annotations

from collections.abc import Sequence

from .finite import FiniteEncoding
from .linear import ScaledComparison, contradict, operator_facts
from .models import TABLES
from .normal import Matrix, Part
from .propagation import Clause, ClauseDatabase
from .sorts import BOOL, INT
from .terms import Symbol, Term, outer_first
from .theory import Root, Theory
from .tokens import Invalid, QuotedText, StepBudget, Tree, integer, name, pair, shown, tree
from .unfolding import unfolded

MOST_STEPS = 50_000_000
MOST_MEMBERS = 1_000


class Refutation:
    """A refutation of a program's assertions with one side of a question, or without a key of them alone.

    Statements are checked as they come.

    `clauses` are those that instances, axioms, steps and lemmas have given, over the `atoms`, numbered
    from 1 in order of first occurrence; an `and` below an `or` is numbered as an atom, too. A finite problem
    is its `encoding`, whose variables are the numbers instead.
    """

    def __init__(self, theory: Theory, side: str, key: str | None, steps: StepBudget | None = None) -> None:
        question = theory.questions.get("assumptions" if key is None else key)
        if question is None or side not in question.sides:
            raise Invalid("there is no such claim")
        self.theory, self._terms = theory, theory.terms
        self.goal = question.sides[side]
        self.steps = steps or StepBudget(MOST_STEPS)
        self.atoms: list[Term] = []
        self.clauses: list[Clause] = []
        self.encoding: FiniteEncoding | None = None
        self.refuted = False
        self._lines: list[str | list[Tree]] = []
        self._numbers: dict[Term, int] = {}
        self._labels: dict[str, Term] = {}
        self._defined: dict[int, list[Clause]] = {}
        self._waiting: list[int] = []
        self._given: set[int] = set()
        self._database = ClauseDatabase(self.steps)
        self._statements: dict[int, list[Clause]] = {}

    # --- statements ---

    def statement(self, line: str | list[Tree]) -> None:
        """One line, or its tree: a def, instance, axiom, step, lemma, delete or empty. Raises `Invalid`."""
        # Reading takes time for each character, whatever it says.
        self.steps.spend(len(line) >> 2)
        parts = tree(line) if isinstance(line, str) else line
        if self.refuted:
            raise Invalid("the refutation is complete before this")
        self.theory.terms.steps = self.steps
        self.steps.spend(len(parts))
        self._lines.append(line)
        match parts:
            case ["def", str(label), written] if label.startswith("%") and label not in self._labels:
                self._labels[label] = self._ground(written)
            case [("instance" | "axiom" | "step") as kind, number, *rest]:
                self._numbered(str(kind), integer(number), rest)
            case ["finite", *roots] if not self._statements and self.encoding is None:
                self._finite(roots)
            case ["apart", *cells] if self.encoding is not None:
                self._apart(*self.encoding.apart(list(map(integer, cells))))
            case ["lemma", *literals]:
                self._lemma(self._clause(literals))
            case ["delete", *literals]:
                self._database.remove(self._clause(literals))
            case ["empty"] if self.propagate():
                self.refuted = True
            case ["empty"]:
                raise Invalid("the empty clause does not follow by unit propagation")
            case _:
                raise Invalid("unknown or malformed statement of a refutation")
        if self.refuted and all(isinstance(each, str) for each in self._lines):
            self.theory.refuted.add((self.goal, tuple(map(str, self._lines))))

    def propagate(self) -> bool:
        """Whether unit propagation over all clauses reaches the empty clause."""
        return self._database.propagate()

    def _numbered(self, kind: str, number: int, parts: list[Tree]) -> None:
        """Adds the clauses of an instance, axiom or step, and once the definitions that they mention."""
        if number <= next(reversed(self._statements), 0) or self.encoding is not None:
            raise Invalid("the numbers of statements must increase")
        match kind, parts:
            case "instance", [root, *bindings]:
                clauses = self._instance(root, bindings)
            case "axiom", _:
                clauses = self._clausified(self._terms.join("or", self._axiom(parts)))
            case "step", [root, list(bindings), list(hints), conclusion]:
                clauses = self._step(root, bindings, hints, conclusion)
            case _:
                raise Invalid("malformed statement")
        self._statements[number] = clauses
        # Each definition is added once: a literal that stands for an `and` is shared by all instances.
        new = [clause for clause in self._definitions(clauses) if -clause[0] not in self._given]
        self._given.update(-clause[0] for clause in new)
        self._take(clauses + new)

    def _take(self, clauses: list[Clause]) -> None:
        self.clauses += clauses
        for clause in clauses:
            self._database.add(clause)

    def _finite(self, roots: list[Tree]) -> None:
        """Adds the clauses of assertions and the goal as a finite problem."""
        parts = dict.fromkeys([self._root(each) for each in roots])
        self.encoding = encoded(self.theory, [(root.formula, sign) for root, sign in parts], self.steps)
        for clauses in (self.encoding.clauses, *self.encoding.asserted):
            self._take(clauses)

    def _apart(self, known: list[Clause], clauses: list[Clause]) -> None:
        """Adds that unknowns which all differ take all values, if there are no more values than unknowns."""
        if not all(map(self._database.implies, known)):
            raise Invalid("two of the cells may be equal")
        self._take(clauses)

    def _step(self, root: Tree, bindings: list[Tree], hints: list[Tree], conclusion: Tree) -> list[Clause]:
        """The conclusion, which must follow from an instance and earlier statements by unit resolution."""
        given = self._instance(root, bindings)
        for number in map(integer, hints):
            if number not in self._statements:
                raise Invalid(f"there is no statement {number}")
            given = given + self._statements[number]
        # A database of its own: a step may use the statements that it names and no others, so that the
        # certificate says what follows from what.
        local = ClauseDatabase(self.steps)
        for clause in given + self._definitions(given):
            local.add(clause)
        literal = self._literal(self._ground(conclusion))
        clause = () if literal is False else (literal,)
        # A conclusion that is true of itself is refused too: it would be a statement without content.
        if literal is True or not local.implies(clause):
            raise Invalid("the conclusion does not follow by unit resolution")
        self.refuted = literal is False
        return [clause]

    def _lemma(self, clause: Clause) -> None:
        if not self._database.implies(clause):
            raise Invalid("the lemma does not follow by unit propagation")
        self._take([clause])

    def _clause(self, literals: list[Tree]) -> Clause:
        clause = tuple(dict.fromkeys(map(integer, literals)))
        most = len(self.atoms) if self.encoding is None else self.encoding.variables
        if any(not 1 <= abs(literal) <= most for literal in clause):
            raise Invalid("there is no atom of that number")
        return clause

    # --- instances and axioms ---

    def _root(self, part: Tree) -> tuple[Root, bool]:
        """An assertion, by its key, or the goal, and the sign with which it is assumed."""
        match part:
            case QuotedText(key) if key in self.theory.assertions:
                return self.theory.assertions[key], True
            case QuotedText(key) if self.goal.constrained and key in self.theory.constraints:
                return self.theory.constraints[key], True
            case "goal" if self.goal.root is not None:
                return self.goal.root, self.goal.sign
        raise Invalid(f"there is no root {shown(part)}")

    def _matrix(self, part: Tree) -> Matrix:
        """The Skolem form of a root."""
        root, sign = self._root(part)
        known: dict[object, Matrix] = self.theory.matrices
        if (root, sign) not in known:
            known[root, sign] = Matrix(self.theory, root, sign)
        return known[root, sign]

    def _instance(self, root: Tree, bindings: list[Tree]) -> list[Clause]:
        matrix = self._matrix(root)
        images: dict[Term, Term] = {}
        for reference, written in map(pair, bindings):
            variable, value = matrix.universals.get(name(reference)), self._ground(written)
            if variable is None or variable in images or value.sort is not variable.sort:
                raise Invalid("a binding is of a universal variable, once, to a term of its sort")
            images[variable] = value
        # Variables that do not occur in the matrix need no value: their sort is not empty.
        if not matrix.formula.free <= images.keys():
            raise Invalid("a universal variable has no value")
        return self._clausified(self._terms.substitute(matrix.formula, images))

    def _axiom(self, parts: list[Tree]) -> list[Term]:
        """The disjuncts of an axiom."""
        terms = self._terms
        match parts:
            case ["transitive", *written] if len(written) == 3:
                a, b, c = map(self._ground, written)
                return [self._equal(a, b, False), self._equal(b, c, False), self._equal(a, c)]
            case ["congruent", head, list(first), list(second)] if len(first) == len(second):
                left, right = (tuple(map(self._ground, args)) for args in (first, second))
                f, g = self._apply(head, left), self._apply(head, right)
                same = [terms.negated(f), g] if f.sort is BOOL else [self._equal(f, g)]
                return [self._equal(a, b, False) for a, b in zip(left, right, strict=True)] + same
            case ["member", written]:
                term = self._ground(written)
                # Bounded, because an axiom is one clause of that many literals.
                small = term.sort.kind == "BitVec" and 1 << term.sort.width <= MOST_MEMBERS
                members = range(1 << term.sort.width) if small else term.sort.labels
                if term.sort.kind == "enum" or small:
                    return [self._equal(term, terms.literal(value, term.sort)) for value in members]
            case ["between", written, *bounds] if len(bounds) == 2:
                term, (low, high) = self._ground(written), map(integer, bounds)
                # `abs`: with low > high the clause says that t is below low or above high, which is true as
                # well.
                if term.sort is INT and abs(high - low) < MOST_MEMBERS:
                    ends = [terms.literal(low, INT), terms.literal(high, INT)]
                    outside = [terms.apply("<", (term, ends[0])), terms.apply("<", (ends[1], term))]
                    values = [terms.literal(value, INT) for value in range(low, high + 1)]
                    return outside + [self._equal(term, value) for value in values]
            case ["compare", *written] if len(written) == 2:
                a, b = map(self._ground, written)
                return [terms.apply("<", (a, b)), terms.apply("<", (b, a)), self._equal(a, b)]
            case ["arithmetic", written]:
                return [terms.make("and", tuple(operator_facts(terms, self._ground(written))), BOOL)]
            case ["linear", *written]:
                comparisons = [self._comparison(*pair(each)) for each in written]
                if contradict(comparisons, self.steps):
                    return [terms.negated(each.literal) for each in comparisons]
                raise Invalid("the sum of the comparisons is no contradiction")
            case ["unfolded", written]:
                formula = unfolded(self.theory, self._ground(written))
                return [Matrix(self.theory, Root("", formula, {}), True).formula]
            case ["then" | "else" as which, written]:
                term = self._ground(written)
                if term.op == "ite" and term.sort is not BOOL:
                    condition = Matrix(self.theory, Root("", term.args[0], {}), which == "else").formula
                    return [condition, self._equal(term, term.args[1 if which == "then" else 2])]
        raise Invalid("unknown or malformed axiom")

    def _comparison(self, factor: Tree, written: Tree) -> ScaledComparison:
        sides = written[1:] if isinstance(written, list) and written[:1] == ["="] else []
        return ScaledComparison(integer(factor), self._ground(written), tuple(map(self._ground, sides)))

    def _equal(self, a: Term, b: Term, sign: bool = True) -> Term:
        """That two terms are equal or, without `sign`, that they differ."""
        terms = self._terms
        # Equality of truth values is a formula, not an atom: as an atom it would be unrelated to a and b.
        if a.sort is BOOL and b.sort is BOOL and a is not b:
            with_a, without = (b, terms.negated(b)) if sign else (terms.negated(b), b)
            pairs = ((a, with_a), (terms.negated(a), without))
            return terms.make("or", tuple([terms.make("and", each, BOOL) for each in pairs]), BOOL)
        equal = terms.apply("=", (a, b))
        return equal if sign else terms.negated(equal)

    # --- ground terms ---

    def _ground(self, part: Tree) -> Term:
        # Made each time: kept, it would refer to its owner, and all that this holds wait for the collector.
        special = {"skolem": (4, self._skolem), "dummy": (2, self._dummy)}
        special |= {"differ": (2, self._part), "field": (2, self._part)}
        return self.theory.term(part, self._labels, special)

    def _apply(self, head: Tree, args: tuple[Term, ...]) -> Term:
        if isinstance(head, list):
            return (self._part if head[:1] in (["differ"], ["field"]) else self._skolem)(head, args)
        return self._terms.apply(self.theory.head(head), args)

    def _skolem(self, parts: list[Tree], args: tuple[Term, ...]) -> Term:
        """`(skolem ROOT VARIABLE POLARITY ARGS…)`."""
        match parts:
            case ["skolem", root, str(variable), str(polarity), *_]:
                symbol = self._matrix(root).skolems.get((variable, polarity))
                if symbol is not None:
                    return self._terms.apply(symbol, args)
        raise Invalid("there is no such Skolem term")

    def _part(self, parts: list[Tree], args: tuple[Term, ...]) -> Term:
        """`(differ N TABLE TABLE)`, in any order; `(field N RECORD)`."""
        match parts, args:
            case ["differ", number, *_], (one, two) if one.sort.kind in TABLES:
                every, args = self.theory.differing(one.sort), (one, two) if one.id < two.id else (two, one)
            case ["field", number, *_], (one,) if one.sort.kind == "tuple":
                every = self.theory.selectors(one.sort)
            case _:
                raise Invalid("there is no such index or field")
        if (found := dict(enumerate(every)).get(integer(number))) is not None:
            return self._terms.apply(found, args)
        raise Invalid("there is no index or field of this number")

    def _dummy(self, parts: list[Tree], args: tuple[Term, ...]) -> Term:
        """`(dummy SORT)`."""
        sort = self.theory.sorts.read(pair(parts)[1])
        return self._terms.apply(self.theory.dummies.setdefault(sort, Symbol("dummy", "", (), sort)), ())

    # --- clauses ---

    def _clausified(self, formula: Term) -> list[Clause]:
        """The clauses of a formula; an `and` inside one is a literal that implies what it joins."""
        clauses = self._conjunction(formula, ())
        while self._waiting:
            number = self._waiting.pop()
            self._defined[number] = self._conjunction(self.atoms[number - 1], (-number,))
        return clauses

    def _conjunction(self, formula: Term, condition: Clause) -> list[Clause]:
        found = [self._disjunction(part, condition) for part in self._flat("and", formula)]
        return [clause for clause in found if clause is not None]

    def _disjunction(self, formula: Term, condition: Clause) -> Clause | None:
        """The clause, or None if it is always true."""
        clause = dict.fromkeys(condition)
        for part in self._flat("or", formula):
            literal = self._literal(part)
            if literal is True or -literal in clause:
                return None
            if literal is not False:
                clause[literal] = None
        return tuple(clause)

    def _flat(self, op: str, formula: Term) -> list[Term]:
        """The operands of nested applications of `op`, each once, in order."""
        every = list(outer_first(formula, lambda term: term.args if term.op == op else ()))
        self.steps.spend(len(every))
        return [term for term in every if term.op != op]

    def _literal(self, term: Term) -> int | bool:
        """The number of an atom, negative for its negation; a truth value where it has one."""
        sign = True
        while term.op == "not":
            term, sign = term.args[0], not sign
        if term.op == "lit":
            return bool(term.value) is sign
        number = self._numbers.get(term)
        if number is None:
            self.atoms.append(term)
            number = self._numbers[term] = len(self.atoms)
            # Definitions are made later, from a list: a formula may be nested deeper than the host's stack.
            if term.op == "and":
                self._waiting.append(number)
        return number if sign else -number

    def _definitions(self, clauses: list[Clause]) -> list[Clause]:
        """The clauses that define the literals of `clauses`, and those of these."""
        if not self._defined:
            return []
        found: dict[int, list[Clause]] = {}
        stack = list(clauses)
        while stack:
            for literal in stack.pop():
                if literal in self._defined and literal not in found:
                    found[literal] = self._defined[literal]
                    stack.extend(found[literal])
                    self.steps.spend(len(found[literal]))
        return [clause for each in found.values() for clause in each]


def encoded(theory: Theory, parts: Sequence[Part], steps: StepBudget) -> FiniteEncoding:
    """The encoding of these formulas. Raises `Invalid` as `FiniteEncoding`."""
    # Who writes a refutation needs it, and then its reader. Kept on, it and the theory would hold each other.
    known, theory.encoded = theory.encoded, None
    if known is not None and known[0] == tuple(parts):
        found: FiniteEncoding = known[1]
        return found
    found = FiniteEncoding(theory, parts, steps)
    theory.encoded = tuple(parts), found
    return found

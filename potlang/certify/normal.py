"""The Skolem form of an assertion, of a claim or of its negation: [CERT-SKOLEM-1] to [CERT-SKOLEM-4]."""

from __future__ import annotations

import itertools

from .sorts import BOOL
from .terms import QUANTIFIERS, Symbol, Term, ordered
from .theory import Root, Theory
from .tokens import Invalid

Part = tuple[Term, bool]
"""A formula, or its negation."""
Shape = list[list[Part]]
"""A conjunction of disjunctions."""
Images = dict[Term, Term]


class Matrix:
    """`formula` is made from literals with `and` and `or`, its variables being universal.

    `skolems` are the Skolem symbols by variable and polarity, `universals` the variables by reference.
    """

    def __init__(self, theory: Theory, root: Root, positive: bool) -> None:
        self._terms = theory.terms
        self._owners: dict[Term, Term] = {}
        self._done: dict[object, Term] = {}
        self._references = {variable: reference for reference, variable in root.variables.items()}
        self.skolems: dict[tuple[str, str], Symbol] = {}
        self.universals: dict[str, Term] = {}
        self.formula = self._run(root.formula, positive)

    def _run(self, formula: Term, positive: bool) -> Term:
        """Parts are done before what they are parts of, each once for each sign and images."""
        stack: list[tuple[Part, Images]] = [((formula, positive), {})]
        while stack:
            part, images = stack[-1]
            # A part's form depends on its sign and on the images of its free variables, nothing else:
            # shared parts are done once, and the work is linear for formulas without nested equivalences.
            key = self._key(part, images)
            if key not in self._done:
                inner, shape = self._shape(part, images)
                parts = itertools.chain.from_iterable(shape) if isinstance(shape, list) else ()
                missing = [(each, inner) for each in parts if self._key(each, inner) not in self._done]
                self._terms.steps.spend(1 + len(missing))
                if missing:
                    stack.extend(missing)
                    continue
                self._done[key] = shape if isinstance(shape, Term) else self._joined(shape, inner)
            stack.pop()
        return self._done[formula, positive, ()]

    def _key(self, part: Part, images: Images) -> object:
        return (*part, tuple([images[variable] for variable in ordered(part[0])]))

    def _joined(self, shape: Shape, images: Images) -> Term:
        join = self._terms.join
        clauses = [join("or", [self._done[self._key(each, images)] for each in one]) for one in shape]
        return join("and", clauses)

    def _shape(self, part: Part, images: Images) -> tuple[Images, Term | Shape]:
        """The parts of a signed formula, with the images of their variables."""
        term, sign = part
        if term.op in QUANTIFIERS:
            return self._bound(part, images), [[(term.args[0], sign)]]
        if term.op == "distinct":
            equal = [self._terms.apply("=", pair) for pair in itertools.combinations(term.args, 2)]
            return images, [[(each, False)] for each in equal] if sign else [[(each, True) for each in equal]]
        if is_connective(term):
            return images, connective(term, sign)
        atom = self._terms.substitute(term, images)
        return images, atom if sign else self._terms.negated(atom)

    def _bound(self, part: Part, images: Images) -> Images:
        term, sign = part
        # `forall` under a negation is existential, `exists` under one universal.
        if (term.op == "forall") is sign:
            self.universals.update({self._reference(variable): variable for variable in term.binders})
            return {**images, **{variable: variable for variable in term.binders}}
        return {**images, **{variable: self._skolem(term, variable, images) for variable in term.binders}}

    def _reference(self, variable: Term) -> str:
        if variable not in self._references:
            raise Invalid("a defined function has a quantifier in its body")
        return self._references[variable]

    def _skolem(self, quantifier: Term, variable: Term, images: Images) -> Term:
        """The term for an existential variable: of the variables that its quantifier mentions."""
        # A Skolem symbol is named by its variable: two quantifiers with one variable would share a choice
        # that neither allows, which is unsound.
        if self._owners.setdefault(variable, quantifier) is not quantifier:
            raise Invalid(f"two quantifiers bind {self._reference(variable)}")
        # Of the free variables of the quantifier alone, not of all around it: fewer arguments, more
        # unification.
        free = ordered(quantifier)
        key = (self._reference(variable), "+" if quantifier.op == "exists" else "-")
        if key not in self.skolems:
            self.skolems[key] = Symbol("skolem", key[0], tuple(v.sort for v in free), variable.sort)
        return self._terms.apply(self.skolems[key], tuple([images[each] for each in free]))


def is_connective(term: Term) -> bool:
    """Whether a term is made of formulas alone by an operator that `connective` takes apart.

    A predicate of truth values is an atom: its arguments are terms.
    """
    op, args = term.op, term.args
    if not args or args[0].sort is not BOOL or not isinstance(op, str) or op in ("distinct", *QUANTIFIERS):
        return False
    return all(arg.sort is BOOL for arg in args)


def connective(term: Term, sign: bool) -> Shape:
    """An operator on truth values only, or its negation."""
    args = term.args
    match term.op:
        case "not":
            return [[(args[0], not sign)]]
        case "and" | "or" if (term.op == "and") is sign:
            return [[(arg, sign)] for arg in args]
        case "and" | "or":
            return [[(arg, sign) for arg in args]]
        case "=>":
            return [[(args[0], False), (args[1], True)]] if sign else [[(args[0], True)], [(args[1], False)]]
        case "iff" | "=" | "xor":
            same = sign is not (term.op == "xor")
            return [[(args[0], False), (args[1], same)], [(args[0], True), (args[1], not same)]]
        case _:
            condition, then, other = args
            return [[(condition, False), (then, sign)], [(condition, True), (other, sign)]]

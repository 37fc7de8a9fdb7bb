"""Random stratified programs with closed predicates, and what clingo says of them.

A program is made of formulas of its own kind (tuples), which are written twice: as PoT, and ground as an
answer set program, with rules for closed predicates, choices for open ones, and integrity constraints for all
that is assumed. Nothing of the compiler takes part in the second.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Form = tuple[Any, ...]
"""(atom, p, terms), (same, s, t), (not, f), (and, fs), (or, fs), (imp, f, g), (iff, f, g),
(forall, v, sort, f), (exists, v, sort, f)."""
Values = Mapping[str, str]

ENUM = ("red", "green")


@dataclass(slots=True)
class Stratified:
    """One program: PoT, the ground answer set program, and its claims with their literals there."""

    seed: int
    recursive: bool
    program: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)


def stratified(seed: int) -> Stratified:
    """The program of a seed; every third one is recursive."""
    return _Maker(seed).made()


def verdicts_of_clingo(made: Stratified) -> list[str]:
    """Entailed if true in all answer sets, refuted if in none, inconsistent if there is no answer set."""
    import clingo

    control = clingo.Control(["--warn=none"], message_limit=1)
    control.add("base", [], "\n".join(made.lines))
    control.ground([("base", [])])
    found = []
    for number in range(len(made.claims)):
        can = []
        for side in ("pos", "neg"):
            asked = clingo.Function("ask", [clingo.Number(number), clingo.Function(side)])
            control.assign_external(asked, True)
            can.append(bool(control.solve().satisfiable))
            control.assign_external(asked, False)
        found.append(
            {(True, True): "undetermined", (True, False): "entailed", (False, True): "refuted"}.get(
                (can[0], can[1]), "inconsistent"
            )
        )
    return found


class _Maker:
    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.result = Stratified(seed, recursive=seed % 3 == 0)
        self.sorts = {"N": tuple("abcd"[: rng.choice((2, 3, 3, 4))]), "E": ENUM}
        self.open = {f"q{at}": self._domain() for at in range(rng.randint(1, 3))}
        self.closed = {f"p{at}": self._domain() for at in range(rng.randint(1, 4))}
        # Several predicates may share a stratum: they may ask for one another, if not under a negation.
        self.level = {name: at // rng.choice((1, 2)) for at, name in enumerate(self.closed)}
        self.names = 0
        self.aux = 0
        self.rules: list[dict[str, Any]] = []
        self.facts: list[Any] = []
        self.lines: list[str] = []

    def _domain(self) -> tuple[str, ...]:
        return tuple(
            self.rng.choice(("N", "N", "N", "E")) for _ in range(self.rng.choice((0, 1, 1, 1, 2, 2)))
        )

    def made(self) -> Stratified:
        rng = self.rng
        for name, domain in self.closed.items():
            for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
                self._way(name, domain)
        if self.result.recursive:
            self._recursion()
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            self._constraint()
        if rng.random() < 0.4:
            self._overriding()
        claims = [self._closed_formula(rng.choice((1, 2))) for _ in range(3)]
        name, domain = rng.choice(list(self.closed.items()))
        claims.append(("atom", name, tuple(rng.choice(self.sorts[sort]) for sort in domain)))
        rng.shuffle(self.rules)
        self._write(claims)
        return self.result

    # --- formulas ---

    def _atom(self, scope: Values, level: int, *, positive: bool) -> Form:
        """An atom over variables in scope; of closed predicates those below `level`, or in it if positive."""
        rng = self.rng
        below = [p for p in self.closed if self.level[p] < level]
        if positive and self.result.recursive:
            below += [p for p in self.closed if self.level[p] == level]
        name = rng.choice([*self.open, *below])
        domain = self.open.get(name) or self.closed.get(name) or ()
        return "atom", name, tuple(self._term(sort, scope) for sort in domain)

    def _term(self, sort: str, scope: Values) -> str:
        variables = [name for name, of in scope.items() if of == sort]
        if variables and self.rng.random() < 0.8:
            return self.rng.choice(variables)
        return self.rng.choice(self.sorts[sort])

    def _formula(self, scope: Values, level: int, depth: int, positive: bool = True) -> Form:
        rng = self.rng
        choice = rng.random()
        if depth == 0 or choice < 0.3:
            if rng.random() < 0.12:
                return "same", self._term("N", scope), self._term("N", scope)
            if rng.random() < 0.35:
                return "not", self._atom(scope, level, positive=not positive)
            return self._atom(scope, level, positive=positive)
        if choice < 0.65:
            parts = tuple(
                self._formula(scope, level, depth - 1, positive) for _ in range(rng.choice((2, 2, 3)))
            )
            return rng.choice(("and", "and", "or")), parts
        if choice < 0.72:
            return "not", self._formula(scope, level, depth - 1, not positive)
        if choice < 0.78:
            return (
                "imp",
                self._formula(scope, level, depth - 1, not positive),
                self._formula(scope, level, depth - 1, positive),
            )
        if choice < 0.82:
            # Both signs: nothing of the stratum itself may occur.
            return "iff", *(self._formula(scope, level - 1, depth - 1) for _ in range(2))
        name = f"v{self.names}"
        self.names += 1
        sort = rng.choice(("N", "N", "E"))
        inner = {**scope, name: sort}
        return (
            rng.choice(("forall", "exists", "exists")),
            name,
            sort,
            self._formula(inner, level, depth - 1, positive),
        )

    def _closed_formula(self, depth: int) -> Form:
        # Claims ask for whatever there is: no stratum is above them.
        if self.rng.random() < 0.5:
            name = f"v{self.names}"
            self.names += 1
            body = self._formula({name: "N"}, 99, depth)
            return self.rng.choice(("forall", "exists")), name, "N", body
        return self._formula({}, 99, depth)

    # --- statements ---

    def _way(self, name: str, domain: Sequence[str]) -> None:
        """A rule or a fact for a closed predicate."""
        rng = self.rng
        if rng.random() < 0.3:
            fact: Form = ("atom", name, tuple(rng.choice(self.sorts[sort]) for sort in domain))
            self.facts.append(self._text(fact))
            self._assume((), [], [fact])
            self._derive({}, [], fact)
            return
        scope = self._scope(domain)
        level = self.level[name]
        heads = [self._head(name, domain, scope)]
        body = self._formula(scope, level, rng.choice((0, 1, 1, 2)))
        others = [p for p in self.closed if self.level[p] > level]
        if others and rng.random() < 0.15:
            other = rng.choice(others)
            heads.append(self._head(other, self.closed[other], scope))
        unless = [self._formula(scope, level - 1, 1) for _ in range(rng.choice((0, 0, 0, 1, 2)))]
        if not unless and rng.random() < 0.1:
            # An open predicate in the conclusion is a constraint.
            other = rng.choice(list(self.open))
            heads.append(self._head(other, self.open[other], scope))
        if rng.random() < 0.07 and not unless and len(heads) == 1:
            self._equivalence(scope, heads[0], level)
            return
        self._rule(scope, body, heads, unless)

    def _scope(self, domain: Sequence[str]) -> dict[str, str]:
        names = {}
        for sort in (*domain, *(["N"] if self.rng.random() < 0.4 else [])):
            if self.rng.random() < 0.85:
                names[f"x{self.names}"] = sort
                self.names += 1
        return names

    def _head(self, name: str, domain: Sequence[str], scope: Values) -> Form:
        return "atom", name, tuple(self._term(sort, scope) for sort in domain)

    def _recursion(self) -> None:
        """Steps along an open or lower relation: p(y) if p(x) and the relation holds of both."""
        rng = self.rng
        name = rng.choice(list(self.closed))
        domain = self.closed[name]
        level = self.level[name]
        peers = [p for p in self.closed if self.level[p] == level]
        other = rng.choice(peers)
        first = {f"x{self.names + at}": sort for at, sort in enumerate(domain)}
        second = {f"y{self.names + at}": sort for at, sort in enumerate(self.closed[other])}
        self.names += 3
        scope = {**first, **second}
        step = self._formula(scope, level - 1, 1)
        ask: Form = ("atom", other, tuple(second))
        self._rule(scope, ("and", (ask, step)), [("atom", name, tuple(first))], [])
        if other != name:
            back = self._formula(scope, level - 1, 0)
            asked: Form = ("atom", name, tuple(first))
            self._rule(scope, ("and", (asked, back)), [("atom", other, tuple(second))], [])

    def _equivalence(self, scope: Values, head: Form, level: int) -> None:
        body = self._formula(scope, level - 1, 1)
        if body[0] == "atom":
            # An equivalence of two closed predicates defines both: levels know nothing of that.
            body = ("and", (body, ("same", "a", "a")))
        formula = ("iff", head, body) if self.rng.random() < 0.5 else ("iff", body, head)
        self.rules.append({"forall": _binders(scope), "constraint": self._text(formula)})
        self._assume(tuple(scope.items()), [], [formula])
        self._derive(scope, [body], head)

    def _constraint(self) -> None:
        """What is assumed besides, in a form that defines nothing."""
        formula = self._closed_formula(1)
        if formula[0] == "forall" and formula[3][0] not in ("not", "exists", "or"):
            formula = ("not", ("not", formula))
        if formula[0] in ("atom", "and", "imp", "iff"):
            formula = ("not", ("not", formula))
        # Spelt so that nothing of it has the form of a rule.
        self.facts.append(self._text(("or", (formula, ("not", ("same", "a", "a"))))))
        self._assume((), [], [formula])

    def _rule(self, scope: Values, body: Form, heads: Sequence[Form], unless: Sequence[Form]) -> None:
        rng = self.rng
        rule: dict[str, Any] = {"name": f"rule {len(self.rules)} {rng.random():.6f}"}
        head = self._text(heads[0] if len(heads) == 1 else ("and", tuple(heads)))
        if rng.random() < 0.7:
            rule["forall"] = _binders(scope)
            rule["implies"] = {"antecedent": self._text(body), "consequent": head}
        elif unless or rng.random() < 0.5 or not scope:
            rule["forall"] = _binders(scope)
            rule["constraint"] = f"({self._text(body)}) -> ({head})"
        else:
            bound = ", ".join(f"{name}: {sort}" for name, sort in scope.items())
            rule["constraint"] = f"ForAll([{bound}], ({self._text(body)}) -> ({head}))"
        if unless:
            texts = [self._text(each) for each in unless]
            rule["unless"] = texts[0] if len(texts) == 1 else texts
        self.rules.append(rule)
        conditions = [body, *(("not", each) for each in unless)]
        self._assume(tuple(scope.items()), conditions, heads)
        for each in heads:
            if each[1] in self.closed:
                self._derive(scope, conditions, each)

    def _overriding(self) -> None:
        """A rule, and one with the opposite conclusion that comes before it."""
        rng = self.rng
        everything = {**self.open, **self.closed}
        name = rng.choice(list(everything))
        domain = everything[name]
        level = self.level.get(name, 99)
        usual, strong = self._scope(domain), self._scope(domain)
        mine, theirs = self._head(name, domain, usual), self._head(name, domain, strong)
        if any(s != t and {s, t} <= set(ENUM) for s, t in zip(mine[2], theirs[2], strict=True)):
            # Different literals are never the same thing, which is an error.
            return
        when, but = self._formula(usual, level - 1, 1), self._formula(strong, level - 1, 1)
        first: dict[str, Any] = {
            "name": "usual",
            "forall": _binders(usual),
            "implies": {"antecedent": self._text(when), "consequent": self._text(mine)},
        }
        second: dict[str, Any] = {
            "name": "strong",
            "forall": _binders(strong),
            "implies": {"antecedent": self._text(but), "consequent": f"not ({self._text(theirs)})"},
        }
        same: Form = ("and", (but, *(("same", s, t) for s, t in zip(mine[2], theirs[2], strict=True))))
        for variable, sort in strong.items():
            same = ("exists", variable, sort, same)
        second["overrides"] = ["usual"]
        # Other rules conclude the opposite too, if only by a literal: a default would give way to them.
        self.rules += [first, second]
        self._assume(tuple(usual.items()), [when, ("not", same)], [mine])
        self._assume(tuple(strong.items()), [but], [("not", theirs)])
        if name in self.closed:
            self._derive(usual, [when, ("not", same)], mine)

    # --- the answer set program ---

    def _assume(
        self, scope: Sequence[tuple[str, str]], conditions: Sequence[Form], heads: Sequence[Form]
    ) -> None:
        for values in self._instances(dict(scope)):
            whole: Form = ("or", (*(("not", each) for each in conditions), ("and", tuple(heads))))
            self.lines.append(f":- not {self._literal(whole, values, True, always=True)}.")

    def _derive(self, scope: Values, conditions: Sequence[Form], head: Form) -> None:
        for values in self._instances(scope):
            body = ", ".join(self._literal(each, values, True) for each in conditions)
            self.lines.append(f"{_ground(head, values)} :- {body}." if body else f"{_ground(head, values)}.")

    def _instances(self, scope: Values) -> Iterator[dict[str, str]]:
        for values in product(*(self.sorts[sort] for sort in scope.values())):
            yield dict(zip(scope, values, strict=True))

    def _literal(self, form: Form, values: Values, sign: bool, always: bool = False) -> str:
        """A literal that is true where the formula is (or, without `sign`, is not); `always` an atom."""
        kind = form[0]
        if kind == "not":
            return self._literal(form[1], values, not sign, always)
        if kind == "atom" and not always:
            return ("" if sign else "not ") + _ground(form, values)
        self.aux += 1
        name = f"aux{self.aux}"
        for body in self._bodies(form, values, sign):
            self.lines.append(f"{name} :- {', '.join(body)}." if body else f"{name}.")
        return name

    def _bodies(self, form: Form, values: Values, sign: bool) -> list[list[str]]:
        """The formula, or its denial, as a disjunction of conjunctions of literals."""
        kind = form[0]
        if kind == "atom":
            return [[self._literal(form, values, sign)]]
        if kind == "same":
            first, second = (values.get(term, term) for term in form[1:])
            return [[]] if (first == second) is sign else []
        if kind == "imp":
            return self._bodies(("or", (("not", form[1]), form[2])), values, sign)
        if kind == "iff":
            one, two = form[1:]
            both = [[self._literal(one, values, True), self._literal(two, values, sign)]]
            return [*both, [self._literal(one, values, False), self._literal(two, values, not sign)]]
        if kind in ("and", "or"):
            parts = [self._literal(each, values, sign) for each in form[1]]
        else:
            inner = [{**values, form[1]: value} for value in self.sorts[form[2]]]
            parts = [self._literal(form[3], each, sign) for each in inner]
        together = (kind in ("and", "forall")) is sign
        return [parts] if together else [[each] for each in parts]

    # --- writing ---

    def _text(self, form: Form) -> str:
        kind = form[0]
        if kind == "atom":
            return f"{form[1]}({', '.join(form[2])})" if form[2] else str(form[1])
        if kind == "same":
            return f"{form[1]} == {form[2]}"
        if kind == "not":
            return f"not ({self._text(form[1])})"
        if kind in ("and", "or"):
            return f" {kind} ".join(f"({self._text(each)})" for each in form[1])
        if kind in ("imp", "iff"):
            return f"({self._text(form[1])}) {'->' if kind == 'imp' else '<->'} ({self._text(form[2])})"
        return f"{'ForAll' if kind == 'forall' else 'Exists'}([{form[1]}: {form[2]}], {self._text(form[3])})"

    def _write(self, claims: Sequence[Form]) -> None:
        result = self.result
        for number, claim in enumerate(claims):
            for side, sign in (("pos", True), ("neg", False)):
                self.lines.append(f"#external ask({number},{side}).")
                self.lines.append(
                    f":- ask({number},{side}), not {self._literal(claim, {}, sign, always=True)}."
                )
        for name, domain in self.open.items():
            for values in product(*(self.sorts[sort] for sort in domain)):
                self.lines.append(f"{{{_ground(('atom', name, values), {})}}}.")
        result.lines = self.lines
        result.claims = [self._text(claim) for claim in claims]
        result.program = {
            "sorts": [
                {"name": "N", "type": "DeclareSort"},
                {"name": "E", "type": "EnumSort", "values": list(ENUM)},
            ],
            "functions": [
                *(
                    {"name": name, "domain": list(domain), "range": "Bool"}
                    for name, domain in self.open.items()
                ),
                *(
                    {"name": name, "domain": list(domain), "range": "Bool", "closed": True}
                    for name, domain in self.closed.items()
                ),
            ],
            "constants": {"things": {"sort": "N", "members": list(self.sorts["N"])}},
            "knowledge_base": self.facts,
            "rules": self.rules,
            "verifications": [
                {"name": f"claim {at}", "constraint": claim} for at, claim in enumerate(result.claims)
            ],
            "semantics": {"unique_names": True, "closed_domain": True},
        }


def _ground(form: Form, values: Values) -> str:
    args = [values.get(term, term) for term in form[2]]
    return f"{form[1]}({','.join(args)})" if args else str(form[1])


def _binders(scope: Values) -> list[dict[str, str]]:
    return [{"name": name, "sort": sort} for name, sort in scope.items()]

"""The options of a proof search: who answers, how far an answer is checked, what is shown of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from potlang.engines.commands import ENGINES
from potlang.passes.sent import SENT_PASSES

RouteName = Literal["auto", "closure", "ground", "search", "eprover", "z3", "cvc5", "cvc5-fmf", "both"]
"""Who answers: `auto` is the router, the others force one way ([ROUTE-NAMES])."""
Trust = Literal["best", "solver"]
"""`best`: each answer is checked by other means than found it; `solver`: none is ([TIER-NAMES])."""
Models = Literal["claim", "full", "found"]
"""Two models of an undetermined claim, brought near to each other, by the symbols of the claim or by all; or
as they were found, which is the fastest ([VERDICT-DIFFERENCE])."""
Cores = Literal["one", "all"]
"""One minimal core, or every one ([VERDICT-CORES])."""
_ALLOWED = {"route": RouteName, "trust": Trust, "models": Models, "cores": Cores}


class OptionError(ValueError):
    """An option has a value that means nothing: a wrong call, whatever the program."""


@dataclass(frozen=True, slots=True)
class ProverOptions:
    """Who is to answer, and what is to come with it. Raises `OptionError` for a value that means nothing.

    `minimize_cores` None: as `trust` says. `what_if`: an unbounded optimum is looked at with closed sorts
    too. `examples`: a settled claim comes with a model of its satisfiable side too. `sent`: the
    normal forms in which formulas are sent to solvers, as a pipeline's text.
    """

    route: RouteName = "auto"
    trust: Trust = "best"
    models: Models = "claim"
    cores: Cores = "one"
    minimize_cores: bool | None = None
    what_if: bool = True
    examples: bool = False
    sent: str = SENT_PASSES

    def __post_init__(self) -> None:
        for name, type_ in _ALLOWED.items():
            value, allowed = getattr(self, name), get_args(type_)
            if value not in allowed:
                raise OptionError(f"{value!r} is not one of {', '.join(allowed)}")

    @property
    def minimizing(self) -> bool:
        """Whether cores are made minimal."""
        if self.minimize_cores is not None:
            return self.minimize_cores
        return self.trust != "solver" or self.cores == "all"

    @property
    def cross_checking(self) -> bool:
        """Whether answers are checked by others than who gave them."""
        return self.trust != "solver"

    @property
    def engines(self) -> tuple[str, ...]:
        """The solvers that are asked first, by name; where none is, z3 holds the program."""
        return solvers_of(self.route) or ("z3",)


def solvers_of(route: RouteName) -> tuple[str, ...]:
    """The solvers that a route asks at once, by name; none where a decision procedure alone may answer."""
    if route in ENGINES:
        return (route,)
    return {"auto": ("z3",), "both": ("z3", "cvc5")}.get(route, ())

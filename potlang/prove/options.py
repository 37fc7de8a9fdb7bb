"""The options of a proof search: who answers, how far an answer is checked, what is shown of it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from potlang.engines.commands import ENGINES

RouteName = Literal["auto", "closure", "ground", "search", "z3", "cvc5", "cvc5-fmf", "both"]
"""Who answers: `auto` is the router, the others force one way ([ROUTE-NAMES])."""
Trust = Literal["best", "solver"]
"""`best`: each answer is checked by other means than found it; `solver`: none is ([TIER-NAMES])."""
Models = Literal["claim", "full"]
"""What a model shows: the symbols of the claim, or all."""
Cores = Literal["one", "all"]
"""One minimal core, or every one ([VERDICT-CORES])."""


class OptionError(ValueError):
    """An option has a value that means nothing: a wrong call, whatever the program."""


class Options(NamedTuple):
    """What to solve with and what to answer; `checked` refuses values that mean nothing.

    `minimize_cores` None: as `trust` says. `what_if`: an unbounded optimum is looked at with closed sorts
    too. `examples`: a settled claim comes with a model of its satisfiable side too.
    """

    route: RouteName = "auto"
    trust: Trust = "best"
    models: Models = "claim"
    cores: Cores = "one"
    minimize_cores: bool | None = None
    what_if: bool = True
    examples: bool = False

    @property
    def minimizing(self) -> bool:
        """Whether cores are made minimal."""
        if self.minimize_cores is not None:
            return self.minimize_cores
        return self.trust != "solver" or self.cores == "all"

    @property
    def assuring(self) -> bool:
        """Whether answers are checked by others than who gave them."""
        return self.trust != "solver"

    @property
    def engines(self) -> tuple[str, ...]:
        """The solvers that are asked first, by name."""
        if self.route == "both":
            return ("z3", "cvc5")
        return (self.route,) if self.route in ENGINES else ("z3",)

    def checked(self) -> Options:
        """These options. Raises OptionError for one whose value means nothing."""
        allowed: tuple[tuple[str, Any], ...] = (
            (self.route, RouteName),
            (self.trust, Trust),
            (self.models, Models),
            (self.cores, Cores),
        )
        for value, type_ in allowed:
            if value not in get_args(type_):
                raise OptionError(f"{value!r} is not one of {', '.join(get_args(type_))}")
        return self

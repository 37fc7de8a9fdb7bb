"""The events of a session as fields: which arguments of a tool count, and as what ([GUARD-EVENT])."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from potlang.diag.near import nearest
from potlang.ir.module import AssertionKind, Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import DeclaredSort, EnumSort
from potlang.policy.guard.options import Arguments, GuardOptions
from potlang.policy.rule_parts import conclusions

_KEYS: Final = ("tool", "arguments", "context")
_LARGEST: Final = 100_000
"""Characters of one value."""


class RefusedEvent(ValueError):
    """An event that is not one that the policy can decide; the text says why."""


class EventReader:
    """Reads events with the options of a guard, for a policy with the functions of a module."""

    def __init__(self, options: GuardOptions, module: Module) -> None:
        self._options = options
        roles = {options.tool, options.turn, options.before, options.decision, options.allowed}
        given = [each.name for each in module.symbols if _is_field(each, options.event)]
        given = [name for name in given if name not in roles]
        assumed = {*AssertionKind} - {AssertionKind.SEMANTICS}
        said = [each.formula for each in module.assertions if each.kind in assumed]
        concluded = {symbol.name for symbol in conclusions(said)}
        # That a call has succeeded is an outcome, wherever the policy speaks of it.
        own_outcome = [name for name in given if name == options.succeeded]
        self.outcome = tuple(dict.fromkeys((*options.outcome, *own_outcome)))
        """The functions of which outcomes give values."""
        elsewhere = {*self.outcome, *options.context}
        self.unknown = sorted((elsewhere | set(options.defaults)) - set(given))
        """Functions that the options name and the policy does not have."""
        own = [name for name in given if name not in concluded and name not in elsewhere]
        chosen = options.arguments
        self.arguments: Arguments = {name: name for name in own} if chosen is None else chosen
        """By the arguments of all tools the functions that they give."""
        wrong = [name for name in self.arguments.values() if name is not None and name not in given]
        self.unknown += sorted(wrong)
        self._protected = elsewhere | roles
        self._tools = _tools(options.tool, module)

    def fields(
        self, event: Any, context: Mapping[str, Any] | None = None, *, known: Container[str] = ()
    ) -> dict[str, Any]:
        """The values of functions at an event: its tool, its arguments, and what the caller knows of it.

        `known` are further names of tools, which a case may have. Raises RefusedEvent.
        """
        if not isinstance(event, Mapping):
            raise RefusedEvent("an event is an object with `tool` and `arguments`")
        for key in event:
            if key not in _KEYS:
                raise RefusedEvent(f"an event has {', '.join(_KEYS)}, and no {str(key)[:100]!r}")
        name = event.get("tool")
        if not isinstance(name, str):
            raise RefusedEvent("an event has a `tool`, the name of one")
        found = {self._options.tool: self._tool(name, known)}
        found.update(self._given(name, _mapping(event.get("arguments"), "arguments")))
        told = {**_mapping(event.get("context"), "context"), **(context or {})}
        found.update(self.allowed_fields(told, self._options.context, "the context"))
        for key, value in self._options.defaults.items():
            found.setdefault(key, plain(value))
        return found

    def outcome_fields(self, values: Any) -> dict[str, Any]:
        """The values of functions that an outcome gives. Raises RefusedEvent."""
        if values is not None and not isinstance(values, Mapping):
            raise RefusedEvent('an outcome is an object, such as {"succeeded": true}')
        return self.allowed_fields(values or {}, self.outcome, "the outcome")

    def allowed_fields(self, values: Mapping[str, Any], allowed: Iterable[str], where: str) -> dict[str, Any]:
        """Values of functions, if these are among those allowed. Raises RefusedEvent."""
        listed = list(allowed)
        for key in values:
            if key not in listed:
                raise RefusedEvent(
                    f"{where} gives {str(key)[:100]!r}, which is none of {', '.join(listed) or 'nothing'}"
                )
        return {key: plain(value) for key, value in values.items() if value is not None}

    def _tool(self, name: str, known: Container[str]) -> str:
        """The name that the policy has for a tool. Raises RefusedEvent where it has none."""
        own = self._options.tools.get(name)
        meant = name if own is None or own.name is None else own.name
        if self._tools is None or meant in self._tools or meant in known:
            return meant
        near = nearest(name, [*self._tools, *self._options.tools])
        help = f": did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else ""
        raise RefusedEvent(f"the policy does not know the tool `{name[:100]}`{help}")

    def _given(self, tool: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        own = self._options.tools.get(tool)
        meant = {**self.arguments, **({} if own is None else own.arguments)}
        seen: set[str] = set()
        for key, value in arguments.items():
            if key not in meant:
                raise RefusedEvent(
                    f"the policy does not know the argument {str(key)[:100]!r} of {tool[:100]}: the options"
                    " of the guard may give it a function, or null to pass it over"
                )
            field = meant[key]
            if field is None or value is None:
                continue
            if field in self._protected or field in seen:
                raise RefusedEvent(f"the argument {str(key)[:100]!r} may not say {field}")
            seen.add(field)
            yield field, plain(value)


def plain(value: Any) -> Any:
    """A value of an event as it is kept: a truth value, a whole number, or a text (of other numbers exactly).

    Raises RefusedEvent.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and len(value) <= _LARGEST:
        return value
    if isinstance(value, int) and value.bit_length() <= _LARGEST:
        return value
    if isinstance(value, float | Decimal):
        # A float stands for its shortest numeral, as JSON has it.
        number = Decimal(str(value)) if isinstance(value, float) else value
        if number.is_finite() and abs(number.adjusted()) < 1_000:
            return int(number) if number == number.to_integral_value() else f"{number:f}"
    raise RefusedEvent(f"{str(value)[:100]!r} is no value that a policy speaks of")


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise RefusedEvent(f"`{key}` of an event is an object")
    return value


def _tools(function: str, module: Module) -> tuple[str, ...] | None:
    """The tools that the policy names: the values of the function that says the tool; None for any text."""
    sort = next((each.range for each in module.symbols if each.name == function), None)
    if isinstance(sort, EnumSort):
        return sort.values
    if isinstance(sort, DeclaredSort):
        return tuple(each.name for each in module.symbols if each.range == sort and not each.domain)
    return None


def _is_field(symbol: Symbol, sort: str) -> bool:
    is_own = symbol.kind is SymbolKind.FUNCTION and len(symbol.domain) == 1
    return is_own and str(symbol.domain[0]) == sort

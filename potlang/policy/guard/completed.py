"""A policy completed for a guard: its events closed and different, one of them the event that is decided."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple, cast

from potlang.diag import Sink
from potlang.expressions.names import written
from potlang.languages.pot.check import Source, compile, read_value
from potlang.languages.pot.program import CompileError, Program
from potlang.languages.pot.read.reader import section_meant
from potlang.policy.guard.options import GuardOptions
from potlang.policy.tests import PolicyError

CLAIM: Final = "the event is allowed"
_EVENT: Final = "event"


class CompletedPolicy(NamedTuple):
    """The program, the name of the event that is decided, and the text that has both."""

    program: Program
    event: str
    text: str


def completed(source: Program | Source, options: GuardOptions) -> CompletedPolicy:
    """The policy with what a guard adds ([GUARD-POLICY]).

    Raises CompileError if it is no program, PolicyError where its functions are not as a guard needs them.
    """
    document, value = _value(source)
    if not isinstance(value, dict):
        return CompletedPolicy(compile(document.text or "", name=document.name), "", "")
    _check(value, options)
    event = _event_of(value, options)
    changed = _asked(_with_functions(_with_event(value, options, event), options), options, event)
    text = json.dumps(changed, ensure_ascii=False, default=str)
    program = compile(text, name=document.name)
    if program.tables is not None:
        raise PolicyError("the facts of a guard's policy do not stand in large tables")
    return CompletedPolicy(program, event, text)


def _value(source: Program | Source) -> tuple[Any, Any]:
    if isinstance(source, Program):
        given = source.document
        source = given.text if given.text is not None else cast("dict[str, Any]", given.value)
    sink = Sink()
    document, value = read_value(source, None, sink)
    if sink.has_errors:
        raise CompileError(sink.diagnostics(document), document)
    return document, value


def _key(program: dict[str, Any], section: str) -> str:
    """The key of a section as the program writes it."""
    if section in program:
        return section
    return next((key for key in program if section_meant(key) == section), section)


def _groups(value: Any) -> list[dict[str, Any]]:
    listed = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [each for each in listed if isinstance(each, dict)]


def _event_of(program: dict[str, Any], options: GuardOptions) -> str:
    """The name of the event that is decided: the only constant of the sort, or a new one."""
    groups = _groups(program.get(_key(program, "constants")))
    listed = [group.get("members") for group in groups if group.get("sort") == options.event]
    names = [name for members in listed if isinstance(members, list) for name in members]
    if len(names) > 1:
        raise PolicyError(
            f"a guard's policy has at most one constant of the sort {options.event}, the event that is"
            f" decided; this one has {len(names)}"
        )
    return str(names[0]) if names else _EVENT


def _with_event(program: dict[str, Any], options: GuardOptions, event: str) -> dict[str, Any]:
    key = _key(program, "constants")
    groups = program.get(key)
    if not any(group.get("sort") == options.event for group in _groups(groups)):
        own = {"sort": options.event, "members": [event]}
        if isinstance(groups, list):
            program = {**program, key: [*groups, {"name": "the guard's event", **own}]}
        elif groups is None or isinstance(groups, dict):
            program = {**program, key: {**(groups or {}), "the guard's event": own}}
    key = _key(program, "semantics")
    semantics = program.get(key) or {}
    if isinstance(semantics, dict):
        for switch in ("closed_domain", "unique_names"):
            chosen = semantics.get(switch)
            if chosen is None or chosen is False:
                semantics = {**semantics, switch: [options.event]}
            elif isinstance(chosen, list) and options.event not in chosen:
                semantics = {**semantics, switch: [*chosen, options.event]}
        program = {**program, key: semantics}
    return program


def _with_functions(program: dict[str, Any], options: GuardOptions) -> dict[str, Any]:
    """The program with the function of the order, and `before` defined by it."""
    key = _key(program, "functions")
    functions = program.get(key) or []
    if not isinstance(functions, list):
        return program
    found = []
    for each in functions:
        is_order = isinstance(each, dict) and each.get("name") == options.before and each.get("body") is None
        if is_order and each.get("domain") == [options.event] * 2:
            body = {"params": ["a", "b"], "body": f"{written(options.turn)}(a) < {written(options.turn)}(b)"}
            found.append({key: value for key, value in each.items() if key != "closed"} | body)
        else:
            found.append(each)
    if not any(isinstance(each, dict) and each.get("name") == options.turn for each in functions):
        found.append({"name": options.turn, "domain": [options.event], "range": "Int"})
    return {**program, key: found}


def _asked(program: dict[str, Any], options: GuardOptions, event: str) -> dict[str, Any]:
    """The program with the guard's claim alone."""
    asked = [_key(program, each) for each in ("verifications", "optimization", "actions")]
    found = {key: value for key, value in program.items() if key not in asked}
    claim = f"{written(options.allowed)}({written(event)})"
    return {**found, "verifications": [{"name": CLAIM, "constraint": claim}]}


def _check(program: dict[str, Any], options: GuardOptions) -> None:
    """Raises PolicyError where the sort or a function that a guard needs is missing, or another one."""
    sorts, functions = (program.get(_key(program, each)) for each in ("sorts", "functions"))
    if not isinstance(sorts, list) or not isinstance(functions, list):
        raise PolicyError("a guard's policy declares sorts and functions")
    if options.event not in [each.get("name") for each in sorts if isinstance(each, dict)]:
        raise PolicyError(
            f"a guard's policy has a sort of events; this one has no sort {options.event}"
            " (the options of the guard may say which it is)"
        )
    declared = {each.get("name"): each for each in functions if isinstance(each, dict)}
    for name in (options.tool, options.allowed):
        if name not in declared:
            raise PolicyError(f"a guard's policy has a function {name}({options.event}); this one has none")
    wanted = {options.tool: None, options.decision: None, options.turn: "Int", options.allowed: "Bool"}
    for name, range_ in wanted.items():
        function = declared.get(name)
        if function is None:
            continue
        if function.get("domain") != [options.event]:
            raise PolicyError(f"{name} is a function of one {options.event} in a guard's policy")
        if range_ is not None and function.get("range") != range_:
            raise PolicyError(f"{name}({options.event}) has the range {range_} in a guard's policy")

"""Dependencies between steps from a script that computes them, read and never run (paper, appendix E).

A variable `step_k` is the result of step k. The step depends on step j if the code that makes it reads
`step_j`, directly or through other variables, functions and conditions ([DAG-SCRIPT-1] to [DAG-SCRIPT-4]).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, TypeVar

from potlang.languages.dagmath.read.records import Solution

LONGEST_SCRIPT = 100_000
_MOST_WORK = 1_000_000
"""Nodes that are followed, each as often as the loops around it are gone through, and what is copied."""
_STEP = re.compile(r"step_([0-9]{1,9})", re.ASCII)
_NOTHING: frozenset[int] = frozenset()

Entry = TypeVar("Entry")
Rests = frozenset[int]
Scope = dict[str, Rests]


class ScriptError(ValueError):
    """The text is no script that can be read."""


class ScriptDifference(NamedTuple):
    """A step whose dependencies differ, with those that only the script or only the solution has."""

    step: int
    only_script: tuple[int, ...]
    only_solution: tuple[int, ...]


def script_dependencies(script: str) -> dict[int, list[int]]:
    """For each step that a script assigns, in order of ids, the steps that it depends on, ascending.

    Raises ScriptError for a text that is no Python, or too long, too deep or too tangled to be read.

    >>> import potlang
    >>> potlang.dagmath.script_dependencies("step_1 = 2; half = step_1 / 2; step_2 = half + 1")
    {1: [], 2: [1]}
    """
    if len(script) > LONGEST_SCRIPT:
        raise ScriptError(f"the script has more than {LONGEST_SCRIPT} characters")
    reader = _ScriptReader()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(script)
        reader.block(tree.body)
    except SyntaxError as error:
        raise ScriptError(f"line {error.lineno}: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise ScriptError("the script is nested too deeply") from None
    except UnicodeError:
        raise ScriptError("the script holds half of a surrogate pair") from None
    except ValueError as error:
        raise ScriptError(str(error)) from None
    return {step: sorted(reader.steps[step] - {step}) for step in sorted(reader.steps)}


def script_differences(script: Mapping[int, Iterable[int]], solution: Solution) -> list[ScriptDifference]:
    """The steps whose dependencies differ from a solution's; steps without code are passed over.

    >>> from potlang.dagmath import Solution, Step, script_differences
    >>> script_differences({1: [], 2: [1]}, Solution((Step(1, "", None, "a"), Step(2, "", None, "b"))))
    [ScriptDifference(step=2, only_script=(1,), only_solution=())]
    """
    found = []
    for step in solution.steps:
        if step.id in script:
            mine, theirs = set(script[step.id]), set(step.parents or ())
            if mine != theirs:
                only = tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine))
                found.append(ScriptDifference(step.id, *only))
    return found


class _ScriptReader:
    """Dataflow through the statements in order: the steps each variable rests on; `steps` has those of steps.

    Both ways of a branch are taken, and loops gone through until nothing is added.
    """

    def __init__(self) -> None:
        self.steps: dict[int, set[int]] = {}
        self._scopes: list[Scope] = [{}]
        self._conditions: list[Rests] = []
        self._read: set[int] = set()
        """The steps read since the innermost function began."""
        self._comprehensions = 0
        """The number of innermost scopes that are comprehensions: `:=` assigns outside of them."""
        self._work = 0

    # --- statements ------------------------------------------------------------------------------

    def block(self, statements: Iterable[ast.stmt]) -> None:
        """Follows statements in order."""
        for statement in statements:
            self._spend(1)
            self._statement(statement)

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > _MOST_WORK:
            raise ScriptError("the script is too tangled to be followed")

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets, value):
                self._assign(targets, value)
            case ast.AnnAssign(target, _, value):
                if value is not None:
                    self._assign([target], value)
            case ast.AugAssign(target, _, value):
                self._bind(target, self._of(value), adds=True)
            case ast.FunctionDef(name, args, body) | ast.AsyncFunctionDef(name, args, body):
                outside = self._parts((*node.decorator_list, *_defaults(args)))
                self._define(name, outside | self._body(body, _parameters(args)))
            case ast.ClassDef(name, bases, _, body):
                self._define(name, self._parts(bases) | self._body(body, ()))
            case ast.If(test, body, orelse):
                with _pushed(self._conditions, self._of(test)):
                    self._branches(lambda: self.block(body), lambda: self.block(orelse))
            case ast.While(test, body, orelse):
                self._loop(None, test, body)
                self.block(orelse)
            case ast.For(target, over, body, orelse) | ast.AsyncFor(target, over, body, orelse):
                self._loop(target, over, body)
                self.block(orelse)
            case ast.With(items, body) | ast.AsyncWith(items, body):
                for item in items:
                    rests = self._of(item.context_expr)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, rests)
                self.block(body)
            case ast.Try(body, handlers, orelse, last) | ast.TryStar(body, handlers, orelse, last):
                self.block(body)
                for handler in handlers:
                    self._branches(partial(self.block, handler.body))
                self.block([*orelse, *last])
            case ast.Match(subject, cases):
                with _pushed(self._conditions, self._of(subject)):
                    self._branches(*(partial(self._case, each) for each in cases))
            case ast.Expr(ast.Call(ast.Attribute() as method) as call):
                # What a method is given may be kept by its object.
                # `list.append` and the like: no assignment, but the object depends on it from now on.
                self._bind(method, self._of(call), adds=True)
            case _:
                self._of(node)

    def _assign(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        """Part by part where a tuple is assigned to one of the same length."""
        for target in targets:
            ours, theirs = _parts_of(target), _parts_of(value)
            if ours and len(ours) == len(theirs):
                found = [self._of(each) for each in theirs]
                for each, rests in zip(ours, found, strict=True):
                    self._bind(each, rests)
            else:
                self._bind(target, self._of(value))

    def _loop(self, target: ast.expr | None, over: ast.expr, body: list[ast.stmt]) -> None:
        """A loop: the body until a fixpoint, starting from the case that it is not run at all."""

        def once() -> None:
            rests = self._of(over)
            # Whatever is assigned meanwhile rests on the condition too.
            with _pushed(self._conditions, rests):
                if target is not None:
                    self._bind(target, rests)
                self.block(body)

        while True:
            # Comparing the states before and after costs as much as they are large.
            self._spend(2 * len(self.steps))
            before = dict(self._scopes[-1]), {step: len(rests) for step, rests in self.steps.items()}
            self._branches(once)
            after = self._scopes[-1], {step: len(rests) for step, rests in self.steps.items()}
            if before == after:
                return

    def _case(self, case: ast.match_case) -> None:
        for node in ast.walk(case.pattern):
            for name in (getattr(node, "name", None), getattr(node, "rest", None)):
                if isinstance(name, str):
                    self._define(name, _NOTHING)
        if case.guard is not None:
            self._of(case.guard)
        self.block(case.body)

    def _branches(self, *ways: Callable[[], None]) -> None:
        """The join of several branches and of the state before."""
        before = self._scopes[-1]
        joined = dict(before)
        for way in ways:
            self._spend(2 * len(before))
            self._scopes[-1] = dict(before)
            way()
            for name, rests in self._scopes[-1].items():
                joined[name] = joined.get(name, _NOTHING) | rests
        self._scopes[-1] = joined

    def _body(self, body: list[ast.stmt], own: Iterable[str]) -> Rests:
        """The steps that a function's body reads from outside."""
        made, self.steps = self.steps, {}
        read, self._read = self._read, set()
        conditions, self._conditions = self._conditions, []
        with _pushed(self._scopes, dict.fromkeys(own, _NOTHING)):
            self.block(body)
        # A step that the body makes itself is no dependency on the outside.
        found = frozenset(self._read - set(self.steps))
        for step, rests in self.steps.items():
            made.setdefault(step, set()).update(rests)
        self.steps, self._read, self._conditions = made, read | found, conditions
        return found

    # --- names -----------------------------------------------------------------------------------

    def _bind(self, target: ast.expr, rests: Rests, *, adds: bool = False) -> None:
        """A target gets a value; `adds`: its variable keeps its dependencies, as where a part is assigned."""
        match target:
            case ast.Name(name):
                self._define(name, rests, adds=adds)
            case ast.Tuple(parts) | ast.List(parts):
                for part in parts:
                    self._bind(part, rests, adds=adds)
            case ast.Starred(value):
                self._bind(value, rests, adds=adds)
            case ast.Subscript(value, index):
                self._bind(value, rests | self._of(index), adds=True)
            case ast.Attribute(value):
                self._bind(value, rests, adds=True)

    def _define(self, name: str, rests: Rests, *, adds: bool = False) -> None:
        rests = rests.union(*self._conditions)
        step = _STEP.fullmatch(name)
        if step is not None:
            self.steps.setdefault(int(step[1]), set()).update(rests)
            self._scopes[-1].pop(name, None)
        else:
            self._scopes[-1][name] = rests | self._look_up(name) if adds else rests

    def _look_up(self, name: str) -> Rests:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        step = _STEP.fullmatch(name)
        return _NOTHING if step is None else frozenset({int(step[1])})

    # --- expressions -----------------------------------------------------------------------------

    def _of(self, node: ast.AST) -> Rests:
        """The steps that an expression rests on."""
        match node:
            case ast.Name(name):
                found = self._look_up(name)
                self._read |= found
                return found
            case ast.Lambda(args, body):
                around, self._comprehensions = self._comprehensions, 0
                with _pushed(self._scopes, dict.fromkeys(_parameters(args), _NOTHING)):
                    found = self._of(body)
                self._comprehensions = around
                return found | self._parts(_defaults(args))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._comprehension((node.elt,), node.generators)
            case ast.DictComp(key, value, clauses):
                return self._comprehension((key, value), clauses)
            case ast.NamedExpr(target, value):
                found = self._of(value)
                # Python binds `:=` in the scope around all comprehensions.
                hidden = [self._scopes.pop() for _ in range(self._comprehensions)]
                self._bind(target, found)
                self._scopes += reversed(hidden)
                return found
        return self._parts(ast.iter_child_nodes(node))

    def _parts(self, nodes: Iterable[ast.AST]) -> Rests:
        found = _NOTHING.union(*[self._of(node) for node in nodes])
        self._spend(1 + len(found))
        return found

    def _comprehension(self, results: tuple[ast.expr, ...], clauses: list[ast.comprehension]) -> Rests:
        """A comprehension: its variables are its own, and rest on the iterables."""
        found = _NOTHING
        self._comprehensions += 1
        with _pushed(self._scopes, {}):
            for clause in clauses:
                over = self._of(clause.iter)
                names = [node.id for node in ast.walk(clause.target) if isinstance(node, ast.Name)]
                self._scopes[-1].update(dict.fromkeys(names, over))
                found = found | over | self._parts(clause.ifs)
            found |= self._parts(results)
        self._comprehensions -= 1
        return found


@contextmanager
def _pushed(stack: list[Entry], entry: Entry) -> Iterator[None]:
    stack.append(entry)
    yield
    stack.pop()


def _parts_of(node: ast.expr) -> list[ast.expr]:
    """The parts of a tuple or a list in which none is starred; else none."""
    if not isinstance(node, ast.Tuple | ast.List) or any(isinstance(each, ast.Starred) for each in node.elts):
        return []
    return node.elts


def _parameters(args: ast.arguments) -> list[str]:
    found = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return [each.arg for each in found if each is not None]


def _defaults(args: ast.arguments) -> list[ast.expr]:
    return [each for each in (*args.defaults, *args.kw_defaults) if each is not None]

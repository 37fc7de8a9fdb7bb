"""Damaged and hostile inputs for all entry points: does any raise what it does not say, or take too long?

    python benchmarks/fuzz.py --seed 1 --count 100000 --jobs 2 --output fuzz.jsonl --check

An input is a sound one of its kind (a program, a trace, a solution, a certificate, a call of the tool, a
request of the protocol, a line of a table, a model's reply) that was changed in a few places: bytes, words,
brackets, JSON values, deep nesting, huge numbers, odd characters, other encodings. Each entry point has a
share of them. Found is an exception that the entry point does not document, an internal error, more time than
it may have (twice), more memory. Inputs go in batches, each in a process of its own with a cap of memory; the
output has a line for each batch, and one for each finding with its input. What is there is not run again.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

from tables import table  # noqa: E402

_BATCH: Final = 1_000
_CAP_MEGABYTES: Final = 3_000
_MEGABYTES: Final = 300
"""That one input may add to the process's memory."""
_SHOWN: Final = 20_000
"""Bytes of an input in the output."""


class Found(Exception):
    """Something that no entry point may do, though it raised nothing."""


class Target(NamedTuple):
    """An entry point: how often it is tried, the kind of its inputs, and what it may raise and take."""

    name: str
    weight: int
    kind: str
    call: Callable[[bytes], object]
    raises: tuple[type[BaseException], ...] = ()
    seconds: float = 2.0


# --- sound inputs -----------------------------------------------------------------------------------------

ROOT = HERE.parent
_CORPORA: dict[str, list[bytes]] = {}


def corpus(kind: str) -> list[bytes]:
    """Sound inputs of a kind; always the same."""
    if kind not in _CORPORA:
        _CORPORA[kind] = list(_SOUND[kind]())
    return _CORPORA[kind]


def _programs() -> Iterator[bytes]:
    from plain_programs import draw

    for path in sorted((ROOT / "examples").glob("*.json")):
        if "dagmath" not in path.name:
            yield path.read_bytes()
    for path in sorted((ROOT / "tests" / "seed").glob("[0-9]*.json")):
        yield path.read_bytes()
    for seed in range(40):
        yield json.dumps(draw(random.Random(seed)).program, ensure_ascii=seed % 2 == 0).encode()


def _traces() -> Iterator[bytes]:
    from potlang.languages.dot.write.emit import emit
    from potlang.testing.traces import records

    for path in sorted((ROOT / "examples").glob("*.dot.txt")):
        yield path.read_bytes()
    for seed in range(20):
        for profile in ("paper", "strict"):
            make: Any = records
            yield emit(make(random.Random(seed), profile=profile))


def _solutions() -> Iterator[bytes]:
    from potlang.dagmath import write_json, write_text
    from potlang.testing.solutions import solution

    for path in sorted((ROOT / "examples").glob("*dagmath*")):
        yield path.read_bytes()
    for seed in range(20):
        made = solution(random.Random(seed))
        yield write_json(made).encode()
        with contextlib.suppress(ValueError):
            yield write_text(made).encode()


def _certificates() -> Iterator[bytes]:
    """A certificate, a line that no certificate has, and the program's IR."""
    import potlang

    for source in corpus("program")[:12] + corpus("program")[46:58]:
        report: Any = potlang.verify(source, language="pot", certificate=True)
        if report.certificate is not None:
            compiled: Any = potlang.compile(source, language="pot")
            yield report.certificate.encode() + b"\n=====\n" + compiled.emit("ir", passes="").encode()


def _modules() -> Iterator[bytes]:
    import potlang

    for source in corpus("program"):
        checked: Any = potlang.check(source, language="pot")
        if checked.program is not None:
            yield checked.program.emit("ir", passes="").encode()


def _scripts() -> Iterator[bytes]:
    yield b"step_1 = 2\nhalf = step_1 / 2\nstep_2 = half + 1\n"
    yield b"for i in range(3):\n    step_3 = i\nwhile step_3 < 5:\n    step_3 += 1\n"
    yield b"def f(a, b=1, *c, **d):\n    return a + b\nstep_4 = f(step_3)\nif step_4:\n    step_5, s = 1, 2\n"
    yield b"step_7 = [x * step_1 for x in range(step_2) if x]\nstep_8 = {**{}, 'a': lambda y: y}\n"


def _expressions() -> Iterator[bytes]:
    for source in corpus("program"):
        stack = [json.loads(source)] if source.strip().startswith(b"{") else []
        while stack:
            value = stack.pop()
            if isinstance(value, str) and any(each in value for each in "(=<>+"):
                yield value.encode()
            elif isinstance(value, dict | list):
                stack += value.values() if isinstance(value, dict) else value


def _sorts() -> Iterator[bytes]:
    yield from (
        b"Bool",
        b"BitVecSort(8)",
        b"ArraySort(Int, SetSort(Bool))",
        b"FunctionSort(A, `hard hat`, Bool)",
    )


def _replies() -> Iterator[bytes]:
    program = corpus("program")[0].decode()
    yield f"Let me think.\n```json\n{program}\n```\nThat is it.".encode()
    yield f"<think>{program}</think>\nFirst {{draft}}, then {program}".encode()
    yield b'{"steps": ["one", {"text": "two \\\\frac{1}{2}"}]}'
    yield b'{"steps": [{"step_id": 1, "direct_dependent_steps": null, "reason": "given"}]}'
    yield b'{"edges": [{"step_id": 1, "edge": "by $\\\\alpha$"}], "wrong": [{"step_id": 1, "why": "no"}, 2]}'


def _calls() -> Iterator[bytes]:
    programs = [json.loads(each) for each in corpus("program")[:10] if each.strip().startswith(b"{")]
    for value in programs:
        for operation in ("verify", "check", "fix", "compile", "view"):
            yield json.dumps({"operation": operation, "program": value}).encode()
    for trace in corpus("trace")[:4]:
        yield json.dumps({"operation": "check", "trace": trace.decode("utf-8", "replace")}).encode()
    for solution in corpus("solution")[:4]:
        yield json.dumps({"operation": "check", "solution": solution.decode("utf-8", "replace")}).encode()
    yield b'{"operation": "explain", "code": "POT2001"}'
    yield b'{"operation": "claims", "policy": "sha256:00", "claims": ["p(a)", "1 < 2"]}'


def _requests() -> Iterator[bytes]:
    yield _rpc(
        "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x", "version": "1"}
    )
    yield _rpc("tools/list")
    yield _rpc("resources/list")
    yield _rpc("resources/templates/list")
    yield _rpc("resources/read", uri="potlang://diagnostics/POT2001")
    yield _rpc("prompts/get", name="write_program", arguments={"question": "Is it so?"})
    yield _rpc("tools/call", name="potlang", arguments={"operation": "explain", "code": "POT2001"})


def _rpc(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def _tables() -> Iterator[bytes]:
    lines = [json.loads(each) for each in corpus("solution") if each.startswith(b"{")]
    for at, value in enumerate(lines):
        yield json.dumps({**value, "model": "m", "difficulty": at % 4, "correct": bool(at % 2)}).encode()
    yield b"\n".join(json.dumps({**each, "problem_id": 7, "answer": "1/2"}).encode() for each in lines[:5])


def _questions() -> Iterator[bytes]:
    yield b'{"id": "q1", "question": "Is it?", "answer": "true", "program": {"rules": []}}'
    yield b'{"id": 2, "text": "Which?", "options": {"A": "x", "B": "y"}, "expected": {"p": "entailed"}}'
    yield b'{"id": "3", "attempts": ["{}", {"sorts": []}], "label": "uncertain"}'


def _problems() -> Iterator[bytes]:
    yield b'{"problem_id": 1, "problem": "What is 1+1?", "solution": "2", "answer": "2", "difficulty": 1.5}'
    yield b'{"question": "x", "rationale": "y", "final_answer": "z", "dataset": "d"}\n{"problem": "p"}'


def _outcomes() -> Iterator[bytes]:
    yield json.dumps(
        {
            "id": "q",
            "key": "k",
            "made": 2,
            "used": 1,
            "claims": [["c", "entailed", "SAT"], ["d", "unknown", None]],
        }
        | {"errors": ["POT2001"], "calls": 3, "reasoning_ms": 1.5, "verifying_ms": 2, "failure": ""}
    ).encode()


def _streams() -> Iterator[bytes]:
    yield b'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: [DONE]\n\n'
    yield b'{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}], "usage": {"a": 1}}'


def _cases() -> Iterator[bytes]:
    yield b'{"tests": [{"claim": "p(a)", "expected": "entailed", "name": "x"}]}'
    yield b'[{"claim": {"constraint": "1 < 2"}, "expected": "refuted"}]'


def _reports() -> Iterator[bytes]:
    import potlang

    for source in corpus("program")[:8]:
        yield potlang.verify(source, language="pot").to_json().encode()


def _answers() -> Iterator[bytes]:
    yield b"\\frac{1}{2}\n0.5"
    yield b"$x^2 + 1$\n\\boxed{1 + x^{2}}"
    yield b"[1, 2)\n(1, 2]"


_MODULES: Final[list[tuple[Any, Any]]] = []
"""The modules, with the dialect, of the models in the corpus; a model's text begins with its number here."""


def _models() -> Iterator[bytes]:
    """What solvers print of models, as it is read."""
    import potlang

    scenarios: Any = import_module("potlang.prove.scenarios")
    real, seen = scenarios.read_structure, []

    def read(text: str, module: Any, dialect: Any) -> Any:
        _MODULES.append((module, dialect))
        seen.append(f"{len(_MODULES) - 1}\n{text}".encode())
        return real(text, module, dialect)

    scenarios.read_structure = read
    try:
        for source in corpus("program")[:80:4]:
            for route in ("z3", "cvc5"):
                verify: Any = potlang.verify
                verify(source, language="pot", route=route)
    finally:
        scenarios.read_structure = real
    yield from seen


def _caches() -> Iterator[bytes]:
    import potlang

    with tempfile.TemporaryDirectory() as folder:
        potlang.verify(corpus("program")[0], language="pot", cache=folder)
        yield next(Path(folder).glob("verdicts-*.sqlite3")).read_bytes()


def _versions() -> Iterator[bytes]:
    from potlang.policy import open_store

    with tempfile.TemporaryDirectory() as folder:
        open_store(folder).add("p", corpus("program")[0].decode())
        yield (Path(folder) / "p" / "000001.json").read_bytes()


def _files() -> Iterator[bytes]:
    yield from corpus("program")[:20] + corpus("trace")[:8] + corpus("solution")[:8]


_SOUND: Final[dict[str, Callable[[], Iterator[bytes]]]] = {
    "program": _programs,
    "trace": _traces,
    "solution": _solutions,
    "certificate": _certificates,
    "module": _modules,
    "script": _scripts,
    "expression": _expressions,
    "sort": _sorts,
    "reply": _replies,
    "call": _calls,
    "request": _requests,
    "table": _tables,
    "question": _questions,
    "problem": _problems,
    "outcome": _outcomes,
    "stream": _streams,
    "cases": _cases,
    "report": _reports,
    "answer": _answers,
    "model": _models,
    "cache": _caches,
    "version": _versions,
    "file": _files,
}

# --- changes ----------------------------------------------------------------------------------------------

_PIECES: Final = [
    *"(){}[],:;\"'`\\ =<>+-*/%&|!~^#@$?._\n\t\r\0",
    *(
        "==",
        "->",
        "<->",
        "//",
        "**",
        "and",
        "or",
        "not",
        "in",
        "ForAll(",
        "Exists([x: Bool], ",
        "If(",
        "And(",
        "Sum(",
    ),
    *("true", "null", "NaN", "-Infinity", "1e999999999", "-0", "0x10", "1_000", "00", "1.", ".5", "1e-400"),
    *("∧", "¬", "∀x.", "ß", "ﬁ", "𝔸", "\u202e", "\u200b", "\u2028", "\ufeff", "\ud800", "İ", "٣", "²", "½"),
    *(
        "BitVec(99999999)",
        "#b",
        "#xZZ",
        "\\u0000",
        "\\ud800",
        "\\frac",
        "\\boxed{",
        "$$",
        "```",
        "<think>",
        "</think>",
    ),
    *(
        "@node ",
        "@edge ",
        "@status ",
        "@prop ",
        "=====",
        "(refute",
        "(step",
        "=cmd|' /C calc'!A0",
        "%s",
        "{0}",
        "../../x",
    ),
]
_VALUES: Final[list[Any]] = [
    *(None, True, False, 0, -1, 1.5, 10**30, -(10**400), 1e308, "", "x", " ", "\0", "\ud800", "Bool", "true"),
    *(
        [],
        {},
        [[]],
        [None],
        {"": ""},
        {"name": "x"},
        ["x", "x"],
        "(" * 2_000,
        "f(" * 1_500,
        "not " * 3_000,
        "9" * 12_000,
    ),
    *(
        "x" * 11_000,
        "1 + " * 5_000 + "1",
        "a\nb",
        "`",
        "x" + "[0]" * 999,
        "-" * 3_000 + "1",
        "2 ** 64 ** 64",
        "1" + "/3" * 900,
    ),
]


def changed(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """An input with one to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        change: Change = rng.choice(_CHANGES)
        data = change(data, rng, others)
    return data


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randint(0, len(data))


Change = Callable[[bytes, random.Random, Sequence[bytes]], bytes]


def _byte(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    at = _place(data, rng)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + rng.randint(0, 1) :]


def _piece(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    at = _place(data, rng)
    piece: str = rng.choice(_PIECES)
    return data[:at] + piece.encode("utf-8", "surrogatepass") + data[at + rng.choice((0, 0, 1, 3)) :]


def _cut(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    at = _place(data, rng)
    return data[:at] if rng.random() < 0.3 else data[:at] + data[at + rng.choice((1, 2, 8, 60)) :]


def _twice(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    at = _place(data, rng)
    part = data[at : at + rng.choice((1, 5, 30, 300))]
    return data[:at] + part * rng.choice((2, 2, 3, 200)) + data[at + len(part) :]


def _spliced(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others)
    at, of = _place(data, rng), _place(other, rng)
    return data[:at] + other[of : of + rng.choice((5, 40, 400, 10**6))] + data[_place(data, rng) :]


def _swapped(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    a, b, c = sorted(_place(data, rng) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _nested(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    at = _place(data, rng)
    opening = rng.choice((b"(", b"[", b"{", b'{"a":', b"Not(", b"-", b"not ", b"f(", b"[[", b"If(True, "))
    closing = rng.choice((b"", b")", b"]", b"}"))
    count = rng.choice((10, 300, 600, 1_001, 5_000, 60_000))
    return data[:at] + opening * count + data[at : at + 5] + closing * count + data[at:]


def _encoded(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(("utf-16", "utf-8-sig", "latin-1", "utf-32", "utf-16-le")), "replace")


def _json(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """One value of a JSON text replaced, left out, doubled or renamed."""
    try:
        root = json.loads(data)
    except (ValueError, RecursionError):
        return _piece(data, rng, _)
    places: list[tuple[Any, Any]] = []
    stack = [root]
    while stack:
        owner = stack.pop()
        if isinstance(owner, dict | list):
            keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
            places += [(owner, key) for key in keys]
            stack += [owner[key] for key in keys]
    if not places:
        return json.dumps(rng.choice(_VALUES)).encode()
    owner, key = rng.choice(places)
    way = rng.randrange(5)
    if way == 0:
        del owner[key]
    elif way == 1:
        other, of = rng.choice(places)
        with contextlib.suppress(KeyError, IndexError):
            owner[key] = json.loads(json.dumps(other[of]))
    elif way == 2 and isinstance(owner, dict):
        owner[rng.choice((key + "s", key.upper(), "", "name", "sort", "description", "\u202e"))] = owner.pop(
            key
        )
    elif way == 3 and isinstance(owner[key], str) and owner[key]:
        text = owner[key].encode("utf-8", "surrogatepass")
        owner[key] = _piece(text, rng, ()).decode("utf-8", "surrogateescape")
    else:
        owner[key] = rng.choice(_VALUES)
    return json.dumps(root, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


_PARTS: Final = re.compile(r"\w+(?:\([^()]*\))?|\([^()]*\)|[<>=+*/-]+")


def _words(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """A word, an application or an operator of a text put in the place of another one."""
    text = data.decode("utf-8", "replace")
    source = text if rng.random() < 0.8 else rng.choice(others).decode("utf-8", "replace")
    places = list(_PARTS.finditer(text))
    parts: list[str] = _PARTS.findall(source)
    if not places or not parts:
        return data
    place = rng.choice(places)
    return (text[: place.start()] + rng.choice(parts) + text[place.end() :]).encode()


def _noise(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 3, 40, 2_000)))


_CHANGES: Final[list[Change]] = [
    *(_byte, _byte, _piece, _piece, _piece, _cut, _cut, _twice, _spliced, _spliced, _swapped),
    *(_nested, _encoded, _json, _json, _json, _json, _json, _words, _words, _words, _words, _words, _noise),
]

# --- entry points -----------------------------------------------------------------------------------------


def _text(data: bytes) -> str:
    """Any text, lone surrogates among them."""
    return (
        data.decode("utf-8", "surrogatepass" if b"\xed" in data else "replace")
        if _fits(data)
        else data.decode("latin-1")
    )


def _fits(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return b"\xed" not in data
    return True


def _no_internal(diagnostics: Any) -> None:
    if any(each.code == "POT0001" for each in diagnostics):
        raise Found("POT0001")


def _shown(report: Any) -> None:
    json.loads(report.to_json())
    str(report)
    _no_internal(report.diagnostics)


def _targets() -> list[Target]:
    import potlang
    from potlang import dagmath, dot, tool
    from potlang.certify import check as kernel
    from potlang.certify.tokens import Invalid
    from potlang.convert import derivation_to_solution, derivation_to_trace, trace_to_program
    from potlang.convert.deductions import NotEntailed
    from potlang.diag import Sink
    from potlang.diag.render_sarif import diagnostics_to_sarif
    from potlang.diag.render_text import render_all
    from potlang.drawing.draw import ViewError
    from potlang.expressions.expression import parse_expression, parse_sort
    from potlang.ir.reader import TextError, read_module
    from potlang.ir.text import print_module
    from potlang.languages.dagmath.solve.answers import AnswerChecker
    from potlang.languages.dot.write.builder import BuildError
    from potlang.models.annotation.dependencies import split_steps
    from potlang.models.endpoint.anthropic import MESSAGES
    from potlang.models.endpoint.chat import CHAT
    from potlang.models.endpoint.model import EndpointError
    from potlang.models.endpoint.stream import PartialAnswer, read_answer
    from potlang.models.evaluation import OtherColumns, QuestionOutcome, read_questions, read_recorded
    from potlang.models.loop.journal import Journal
    from potlang.models.programs import replies
    from potlang.models.replies import lists
    from potlang.models.replies.extract import BadReply
    from potlang.models.solutions.problems import read_problems
    from potlang.models.training.rewards import assess
    from potlang.policy import PolicyError, open_store
    from potlang.policy.tests import read_tests
    from potlang.prove.modelcheck import check_model
    from potlang.report.from_json import ReportFormatError, report_from_dict
    from potlang.reread import confirm
    from potlang.sema.emit import ExpansionTooLarge
    from potlang.smt.model_text import structure_text
    from potlang.smt.models import UnreadableModel, read_structure
    from potlang.smt.sexpr import SExprError, read_all, write

    limits = potlang.Limits(check_ms=200, total_ms=600)
    judge = AnswerChecker(seconds=1.0)

    def check(data: bytes, language: Any = None) -> None:
        checked: Any = potlang.check(data, language=language)
        json.dumps(diagnostics_to_sarif([(checked.document, checked.diagnostics)], "0"))
        render_all(checked.diagnostics, checked.document)
        checked.located()
        _no_internal(checked.diagnostics)

    def check_text(data: bytes) -> None:
        _no_internal(potlang.check(_text(data)).diagnostics)

    def check_value(data: bytes) -> None:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict | list):
            _no_internal(potlang.check(value).diagnostics)

    def verify(data: bytes) -> None:
        _shown(potlang.verify(data, limits=limits, trust="solver"))

    def verify_best(data: bytes) -> None:
        report: Any = potlang.verify(data, limits=limits)
        _shown(report)
        report._repr_html_()

    def fix(data: bytes) -> None:
        _no_internal(potlang.fix(data, unsafe=len(data) % 2 == 0).diagnostics)

    def compile_(data: bytes) -> None:
        try:
            program: Any = potlang.compile(data, language="pot")
        except potlang.CompileError as error:
            _no_internal(error.diagnostics)
            return
        for target in ("ir", "smt2", "pot"):
            with contextlib.suppress(ExpansionTooLarge):
                program.emit(target)

    def view(data: bytes) -> None:
        potlang.view(
            data, to=("html", "mermaid", "graphviz", "svg")[len(data) % 4], limits=limits, trust="solver"
        )

    def explain(data: bytes) -> None:
        potlang.explain(_text(data[:50]))

    def trace(data: bytes) -> None:
        report: Any = dot.verify(data, profile=("paper", "strict")[len(data) % 2], limits=limits)
        _shown(report)

    def glue(data: bytes) -> None:
        dot.glue(dot.read(data), dot.read(corpus("trace")[0]))

    def to_program(data: bytes) -> None:
        trace_to_program.trace_to_pot(data, limits=limits)

    def from_program(data: bytes) -> None:
        program: Any = potlang.compile(data, language="pot")
        derivation_to_trace.derivation_to_trace(program, limits=limits)
        derivation_to_solution.derivation_to_solution(program, limits=limits)

    def solution(data: bytes) -> None:
        _shown(dagmath.verify(data, limits=limits, judge=judge))

    def rewarded(data: bytes) -> None:
        found = dagmath.read(data)
        dagmath.reward(found)
        dagmath.prune_hint(found)
        dagmath.write_json(found)
        for each in found.steps:
            dagmath.canonical(each.node)

    def scored(data: bytes) -> None:
        scores = dagmath.score(
            io.BytesIO(data), by=["model", "difficulty"], pass_k=[1, 2], gold=True, judge=judge
        )
        for each in dagmath.tables_of(scores):
            str(each)

    def certified(data: bytes) -> None:
        certificate, _, module = _text(data).partition("\n=====\n")
        outcome = kernel(certificate, module, most_steps=200_000)
        if outcome.message.startswith("cannot be checked") and "RecursionError" not in outcome.message:
            raise Found(outcome.message)

    def forged(data: bytes) -> None:
        """The certificate alone is changed: the program is a sound one's."""
        certificate = _text(data).partition("\n=====\n")[0]
        module = random.Random(len(data)).choice(corpus("certificate")).decode().partition("\n=====\n")[2]
        outcome = kernel(certificate, module, most_steps=200_000)
        if outcome.message.startswith("cannot be checked") and "RecursionError" not in outcome.message:
            raise Found(outcome.message)

    def reread(data: bytes) -> None:
        checked: Any = potlang.check(data, language="pot")
        if checked.program is None:
            confirm(data, corpus("module")[0].decode())
        else:
            found = confirm(data, checked.program.emit("ir", passes=""))
            if found.status == "differs":
                raise Found(f"the second reader: {found.detail}")

    def module(data: bytes) -> None:
        text = print_module(read_module(_text(data)))
        if print_module(read_module(text)) != text:
            raise Found("printed text is printed otherwise")

    def expression(data: bytes) -> None:
        parse_expression(_text(data), "", Sink())

    def in_program(data: bytes) -> None:
        check_value(json.dumps({"verifications": [{"constraint": _text(data)}]}).encode())

    def sort(data: bytes) -> None:
        parse_sort(_text(data), "", Sink())

    def call(data: bytes) -> None:
        answer: Any = tool.call(data)
        json.dumps(answer).encode()
        if answer.get("error") == "internal":
            raise Found(str(answer.get("message")))

    def call_value(data: bytes) -> None:
        with contextlib.suppress(ValueError, RecursionError):
            answer: Any = tool.call(json.loads(data), budget=250 + len(data) % 2_000)
            if answer.get("error") == "internal":
                raise AssertionError(str(answer.get("message")))

    def reply(data: bytes) -> None:
        text = _text(data)
        replies.read_program(text)
        split_steps(text)
        for read in (
            lists.read_nodes,
            lambda t: lists.read_dependencies(t, [1, 2], reasons=len(t) % 2 == 0),
            lambda t: lists.read_edges(t, [1, 2]),
            lambda t: lists.read_wrong(t, [1, 2]),
        ):
            with contextlib.suppress(BadReply):
                read(text)

    def loop_reward(data: bytes) -> None:
        assess(_text(data), "entailed", limits=limits)

    def script(data: bytes) -> None:
        dagmath.script_dependencies(_text(data))

    def questions(data: bytes) -> None:
        with contextlib.suppress(OtherColumns):
            read_questions([("f", io.BytesIO(data))])
        read_recorded([("f", io.BytesIO(data))])

    def read_outcome(value: Any) -> tuple[str, QuestionOutcome]:
        found = QuestionOutcome.from_dict(value)
        return found.key, found

    def problems(data: bytes) -> None:
        list(read_problems(io.BytesIO(data)))

    def outcomes(data: bytes) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            with contextlib.closing(Journal(Path(file.name), read_outcome)) as journal:
                for each in journal.entries.values():
                    json.dumps(each.to_dict())

    def stream(data: bytes) -> None:
        kind = ("text/event-stream", "application/json")[len(data) % 2]
        chunks = [data[: len(data) // 2], data[len(data) // 2 :]]
        dialect = (CHAT, MESSAGES)[sum(data) % 2]
        read_answer(PartialAnswer(), chunks, kind, dialect, 100_000, lambda: None)

    def cases(data: bytes) -> None:
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(data)
            try:
                read_tests(value)
            except PolicyError:
                return

    def report(data: bytes) -> None:
        with contextlib.suppress(ReportFormatError):
            try:
                value = json.loads(data)
            except (ValueError, RecursionError):
                return
            report_from_dict(value).to_dict()

    def answer(data: bytes) -> None:
        given, _, expected = _text(data).partition("\n")
        judge.judge(given, expected)

    def model(data: bytes) -> None:
        number, _, text = _text(data).partition("\n")
        module, dialect = _MODULES[int(number) % len(_MODULES) if number[:4].isdecimal() else 0]
        found = read_structure(text, module, dialect)
        check_model(module, module.assertions, None, found)
        structure_text(module, found)

    def cache(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / cache_name).write_bytes(data)
            _shown(potlang.verify(corpus("program")[0], language="pot", cache=folder))

    def version(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "p").mkdir()
            (Path(folder) / "p" / "000001.json").write_bytes(data)
            store = open_store(folder)
            list(store.entries())
            store.version("p").compile()

    def sexpr(data: bytes) -> None:
        for each in read_all(_text(data)):
            write(each)

    with tempfile.TemporaryDirectory() as folder:
        potlang.verify(corpus("program")[0], language="pot", cache=folder)
        cache_name = next(Path(folder).glob("verdicts-*.sqlite3")).name
    compiled = (potlang.CompileError,)
    return [
        Target("check bytes", 14, "program", lambda d: check(d, "pot")),
        Target("check any", 8, "file", check),
        Target("check text", 4, "file", check_text),
        Target("check value", 8, "program", check_value),
        Target("verify", 4, "program", verify),
        Target("verify, with evidence", 3, "program", verify_best),
        Target("verify any", 2, "file", verify, seconds=6.0),
        Target("fix", 4, "file", fix, (ValueError,), seconds=4.0),
        Target("compile", 4, "program", compile_),
        Target("view", 1, "file", view, (ViewError,), seconds=6.0),
        Target("explain", 1, "expression", explain),
        Target("dot.verify", 2, "trace", trace, seconds=4.0),
        Target("dot.glue", 2, "trace", glue, (dot.MalformedTrace, dot.GlueError)),
        Target(
            "trace_to_pot", 1, "trace", to_program, (dot.MalformedTrace, ExpansionTooLarge, *compiled), 4.0
        ),
        Target(
            "derivations",
            2,
            "program",
            from_program,
            (LookupError, NotEntailed, BuildError, ExpansionTooLarge, *compiled),
            4.0,
        ),
        Target("dagmath.verify", 2, "solution", solution, seconds=6.0),
        Target("dagmath.read, reward", 4, "solution", rewarded, (dagmath.MalformedSolution,)),
        Target("dagmath.score", 5, "table", scored, seconds=8.0),
        Target("certificate and program", 6, "certificate", certified, seconds=4.0),
        Target("certificate", 5, "certificate", forged, seconds=4.0),
        Target("second reader", 5, "program", reread, (Invalid,)),
        Target("IR text", 5, "module", module, (TextError,)),
        Target("expression", 20, "expression", expression),
        Target("claim", 8, "expression", in_program, seconds=4.0),
        Target("sort", 3, "sort", sort),
        Target("tool.call", 3, "call", call, seconds=14.0),
        Target("tool.call, value", 3, "call", call_value, seconds=14.0),
        Target("replies", 6, "reply", reply),
        Target("reward of a reply", 2, "reply", loop_reward),
        Target("script", 3, "script", script, (dagmath.ScriptError,)),
        Target("questions", 4, "question", questions),
        Target("problems", 2, "problem", problems),
        Target("outcomes", 2, "outcome", outcomes),
        Target("completion", 3, "stream", stream, (EndpointError,)),
        Target("policy tests", 3, "cases", cases),
        Target("report", 3, "report", report),
        Target("answers", 1, "answer", answer, seconds=4.0),
        Target("s-expressions", 3, "module", sexpr, (SExprError,)),
        Target("model text", 5, "model", model, (UnreadableModel,)),
        Target("cache", 1, "cache", cache),
        Target("policy store", 2, "version", version, (PolicyError, *compiled)),
        Target("potc", 2, "file", _command, seconds=8.0),
        Target("protocol", 2, "request", _protocol, seconds=4.0),
    ]


_COMMANDS: Final = (
    ["check"],
    ["check", "--format", "json"],
    ["verify", "--timeout-ms", "300"],
    ["fix", "--diff"],
    ["compile", "--to", "ir"],
    ["view", "--to", "mermaid"],
    ["score"],
    ["cert", "check"],
)


def _command(data: bytes) -> None:
    """A command over a file, in this process."""
    from potlang.cli import main

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(data)
        file.flush()
        options = list(_COMMANDS[len(data) % len(_COMMANDS)])
        files = [file.name] * (2 if options[0] == "cert" else 1)
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main._main([*options, *files], None)
            except SystemExit as ended:
                if ended.code not in (0, 1, 2, None):
                    raise Found(f"exit code {ended.code}") from None
        err.flush()
        if b"POT0001" in err.buffer.getvalue():
            raise Found("POT0001")


class _InProcess:
    """Callers that answer in this process."""

    count = 1

    async def call(self, arguments: Any, caller: object = None) -> Any:
        from potlang import tool

        return tool.call(arguments)


def _protocol(data: bytes) -> None:
    """A request over HTTP, to the server's application in this process."""
    import anyio

    from potlang.server.mcp import PATH
    from potlang.server.metrics import Metrics
    from potlang.server.serving import Serving, application
    from potlang.server.sessions import SessionLimits

    headers = {"host": "127.0.0.1:80", "content-type": "application/json", "content-length": str(len(data))}
    headers["accept"] = "application/json, text/event-stream"
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": PATH,
        "raw_path": PATH.encode(),
        "query_string": b"",
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
        "headers": [(key.encode(), each.encode()) for key, each in headers.items()],
    }
    statuses: list[int] = []

    async def sent() -> None:
        callers: Any = _InProcess()
        gate = application(callers, Metrics(), "127.0.0.1", Serving(SessionLimits(10, 10, 10.0)))
        router: Any = gate.app
        done = anyio.Event()
        pieces = iter([{"type": "http.request", "body": data, "more_body": False}])

        async def receive() -> dict[str, Any]:
            piece = next(pieces, None)
            if piece is None:
                await done.wait()
            return piece or {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            statuses.append(message.get("status", 0))
            if message["type"] == "http.response.body" and not message.get("more_body"):
                done.set()

        async with router.lifespan_context(router):
            with anyio.move_on_after(3.0):
                await gate(scope, receive, send)

    anyio.run(sent)
    if not statuses or 500 in statuses:
        raise Found(f"statuses {statuses}")


# --- a batch ----------------------------------------------------------------------------------------------


def inputs(targets: Sequence[Target], seed: int, batch: int, count: int) -> Iterator[tuple[Target, bytes]]:
    """The inputs of a batch, the same for the same arguments."""
    rng = random.Random(f"{seed}/{batch}")
    for target in rng.choices(targets, [each.weight for each in targets], k=count):
        sound = corpus(target.kind)
        yield target, changed(rng.choice(sound), rng, sound)


def tried(target: Target, data: bytes) -> str | None:
    """What is wrong with an entry point's handling of an input; None if nothing is."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # The machine may be busy with other work: processor time counts.
    began = time.process_time()
    try:
        target.call(data)
    except target.raises:
        pass
    except Found as found:
        return f"{found}"
    except Exception:
        return traceback.format_exc(limit=-6)
    seconds = time.process_time() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if grown > _MEGABYTES:
        return f"memory: {grown:.0f} MB more"
    return f"slow: {seconds:.1f} s" if seconds > target.seconds else None


def run(seed: int, batch: int, count: int, only: str = "") -> Iterator[dict[str, Any]]:
    """A line for each finding of a batch, and one with the counts of its inputs."""
    targets = [each for each in _targets() if only in each.name]
    # What is loaded first would count as the first input's.
    for each in targets:
        corpus(each.kind)
        tried(each, corpus(each.kind)[0])
    counts: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    for target, data in inputs(targets, seed, batch, count):
        began = time.perf_counter()
        wrong = tried(target, data)
        if wrong is not None and wrong.startswith("slow"):
            # What is loaded late, or collected, is not the input's.
            wrong = tried(target, data)
        counts[target.name] += 1
        spent[target.name] += round((time.perf_counter() - began) * 1e6)
        if wrong is not None:
            shown = base64.b64encode(data[:_SHOWN]).decode()
            yield {"target": target.name, "wrong": wrong, "input": shown, "bytes": len(data), "batch": batch}
    yield {"batch": batch, "counts": dict(counts), "microseconds": dict(spent)}


def _child(request: dict[str, Any]) -> None:
    import logging

    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (_CAP_MEGABYTES << 20, resource.getrlimit(resource.RLIMIT_AS)[1]))
    # Nothing that an entry point prints gets among the lines.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in run(**request):
        print(json.dumps(line), file=out, flush=True)


def run_batch(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of a batch, run in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child"]
    done = subprocess.run(command, input=json.dumps(request).encode(), capture_output=True, check=False)
    lines: list[dict[str, Any]] = [json.loads(each) for each in done.stdout.splitlines()]
    if done.returncode:
        words = done.stderr.decode(errors="replace")[-3_000:]
        lines.append(
            {
                "target": "the process",
                "wrong": f"ended with {done.returncode}: {words}",
                "batch": request["batch"],
            }
        )
    return lines


def shown(lines: Sequence[dict[str, Any]]) -> str:
    """Inputs and findings by entry point."""
    counts: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    for each in lines:
        counts.update(each.get("counts", {}))
        spent.update(each.get("microseconds", {}))
    found = Counter(each["target"] for each in lines if "wrong" in each)
    rows = [[name, counts[name], spent[name] / counts[name] / 1000, found[name]] for name in sorted(counts)]
    rows += [[name, None, None, found[name]] for name in sorted(found.keys() - counts.keys())]
    rows.append(["all", counts.total(), spent.total() / max(1, counts.total()) / 1000, found.total()])
    return table(["entry point", "inputs", "ms an input", "found"], rows)


@click.command(help=__doc__)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--count", type=click.IntRange(1), default=100_000, show_default=True, help="Inputs in all.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True)
@click.option("--only", default="", help="Only entry points whose names contain this.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="A line of JSON for each batch and finding; is gone on with.",
)
@click.option("--check", is_flag=True, help="Exit with 1 if anything was found.")
@click.option("--child", is_flag=True, hidden=True)
def main(seed: int, count: int, jobs: int, only: str, output: Path | None, check: bool, child: bool) -> None:
    """Run what is missing, and print the table."""
    if child:
        _child(json.loads(sys.stdin.readline()))
        return
    lines: list[dict[str, Any]] = []
    if output is not None and output.exists():
        lines = [json.loads(each) for each in output.read_text(encoding="utf-8").splitlines()]
    done = {each["batch"] for each in lines if "counts" in each}
    requests = [
        {"seed": seed, "batch": batch, "count": min(_BATCH, count - batch * _BATCH), "only": only}
        for batch in range(-(-count // _BATCH))
        if batch not in done
    ]
    lock = threading.Lock()
    with ThreadPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(run_batch, each) for each in requests]):
            new = future.result()
            with lock:
                lines += new
                if output is not None:
                    with output.open("a", encoding="utf-8") as file:
                        file.writelines(json.dumps(each) + "\n" for each in new)
            for each in new:
                if "wrong" in each:
                    click.echo(f"{each['target']} (batch {each['batch']}): {each['wrong']}", err=True)
    click.echo(shown(lines))
    if check and any("wrong" in each for each in lines):
        sys.exit(1)


if __name__ == "__main__":
    main()

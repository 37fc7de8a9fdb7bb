"""What a small model is asked to write, and what is found of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

from small_model import SmallModel  # noqa: E402
from ways import Exact, Free, Grammared, Task, Text, matcher_of  # noqa: E402

import potlang  # noqa: E402
from potlang.decoding import TokenMasker, TokenVocabulary, TraceGoal, grammar  # noqa: E402
from potlang.diag import Severity  # noqa: E402
from potlang.dot import Validator, verify  # noqa: E402
from potlang.generate.problems import Kind  # noqa: E402
from potlang.generate.traces import Difficulty, synthesize  # noqa: E402
from potlang.languages.dot.stream.validator import StreamStatus  # noqa: E402
from potlang.models.programs.prompting import examples, question_prompt  # noqa: E402
from potlang.models.programs.replies import program_in  # noqa: E402
from potlang.models.traces.prompting import trace_system_prompt  # noqa: E402
from potlang.report.results import Limits, Verdict  # noqa: E402

GOAL = TraceGoal(end=True, critique=True)
LIMITS = Limits(check_ms=5_000, total_ms=20_000)
_EASY = Difficulty(depth=1, width=2, wrong=0.0, refine=0.0)

Judgement = dict[str, bool]


Way = Callable[[Task], Text]


class Work(NamedTuple):
    """The prompt of all texts, the texts, the ways to hold the model, and what is asked of a text."""

    prompt: Sequence[int]
    tasks: Sequence[Task]
    ways: Mapping[str, Way]
    judge: Callable[[bytes], Judgement]


class Options(NamedTuple):
    """How many problems, texts about each, tokens of a text; and the temperature of choice."""

    problems: int
    seeds: int
    most: int
    temperature: float


def problems(count: int) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """Questions of two kinds in words, the block that states each in a trace, and what it declares."""
    for index in range(count):
        kind: Kind = "horn" if index % 2 else "arithmetic"
        [sample] = synthesize(1, 1_000 + index, kind=kind, difficulty=_EASY)
        block, mark, _ = sample.trace.partition("@node id=2 ")
        assert mark
        stated = next(line for line in block.splitlines() if line.startswith("@prop"))
        declared = json.loads(stated.partition("{")[1] + stated.partition("{")[2])["declare"]
        yield sample.problem, block.encode(), declared


def _tasks(options: Options, texts: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[Task]:
    return [
        Task(f"{index}.{seed}", tuple(before), tuple(begun), 100 * index + seed)
        for seed in range(options.seeds)
        for index, (before, begun) in enumerate(texts)
    ]


def traces(model: SmallModel, vocabulary: TokenVocabulary, options: Options) -> Work:
    """Traces about problems with declared theories."""
    encode = model.tokenizer.encode
    texts = [((), encode(block.decode())) for _, block, _ in problems(options.problems)]
    prompt = model.prompt([{"role": "user", "content": trace_system_prompt(go_on=True)}])
    given: dict[str, Any] = {
        "vocabulary": vocabulary,
        "most": options.most,
        "temperature": options.temperature,
    }

    def grammared(to: str, task: Task) -> Text:
        return Grammared(task, matcher=_matcher(vocabulary, "dot", to), **given)

    ways: dict[str, Way] = {
        "exact mask": partial(Exact, start=_exact(vocabulary, options.most), **given),
        "nothing": partial(Free, **given),
        "llguidance grammar": partial(grammared, "llguidance"),
        "plain grammar": partial(grammared, "gbnf"),
    }
    return Work(prompt, _tasks(options, texts), ways, judge_trace)


@cache
def _exact(vocabulary: TokenVocabulary, most: int) -> TokenMasker:
    return TokenMasker(vocabulary, goal=GOAL, max_tokens=most)


@cache
def _matcher(vocabulary: TokenVocabulary, language: Any, to: Any, program: str = "") -> Any:
    names = potlang.compile(program) if program else None
    return matcher_of(vocabulary, grammar(language, to, program=names))


def programs(model: SmallModel, vocabulary: TokenVocabulary, options: Options) -> Work:
    """Programs that state the same problems; their declarations are given."""
    encode = model.tokenizer.encode
    # The whole prompt of the loop is longer than such a model can make use of: its examples stand alone.
    shown = [
        {"role": role, "content": content}
        for each in examples()
        for role, content in (
            ("user", question_prompt(each.question)),
            ("assistant", json.dumps(each.program, ensure_ascii=False)),
        )
    ]
    texts, frames, prompts = [], [], []
    for question, _, declared in problems(options.problems):
        sort = next(iter(declared.values()))
        members = {"given": {"sort": sort, "members": list(declared)}}
        begun = f'{{"constants": {json.dumps(members)}, "knowledge_base": ['
        frames.append(begun)
        prompts.append(model.prompt([*shown, {"role": "user", "content": question_prompt(question)}]))
        texts.append(encode(begun))
    common = _common(prompts)
    behind = [prompt[len(common) :] for prompt in prompts]
    tasks = _tasks(options, list(zip(behind, texts, strict=True)))
    given: dict[str, Any] = {
        "vocabulary": vocabulary,
        "most": options.most,
        "temperature": options.temperature,
    }

    def held(named: bool, task: Task) -> Text:
        index = int(task.key.partition(".")[0])
        return Grammared(task, matcher=_framed(vocabulary, frames[index], named), **given)

    ways: dict[str, Way] = {
        "nothing": partial(Free, **given),
        "grammar, declared names": partial(held, True),
        "grammar": partial(held, False),
    }
    return Work(common, tasks, ways, judge_program)


@cache
def _framed(vocabulary: TokenVocabulary, begun: str, named: bool) -> Any:
    """Expressions in the places of a program: up to 12 in its knowledge base, and one that is asked."""
    program = potlang.compile(begun + "]}") if named else None
    rules = grammar("expression", "llguidance", program=program)
    for was, becomes in (
        ("\nstart: expression\n", "\n"),
        ("\n    | STRING\n", "\n"),  # Its quotation marks would end the string of JSON that it stands in.
    ):
        assert was in rules
        rules = rules.replace(was, becomes)
    asked = json.dumps('], "verifications": [{"name": "answer", "constraint": ')
    frame = f'start: {json.dumps(begun)} stated (", " stated){{0,11}} {asked} stated "}}]}}"'
    return matcher_of(vocabulary, rules + frame + '\nstated: "\\"" expression "\\""\n')


def _common(texts: Sequence[Sequence[int]]) -> Sequence[int]:
    """What all begin with."""
    columns = enumerate(zip(*texts, strict=False))
    return texts[0][: next(at for at, column in columns if len(set(column)) > 1)]


def judge_program(data: bytes) -> Judgement:
    """Whether the program in a reply parses, type-checks, and all that it asks is decided."""
    reply = data.decode(errors="replace")
    text = str(program_in(reply))
    checked = potlang.check(text, language="pot")
    wrong = {each.code[:4] for each in checked.diagnostics if each.severity is Severity.ERROR}
    verdicts: list[Verdict] = []
    if checked.ok:
        report = potlang.verify(text, language="pot", trust="solver", limits=LIMITS)
        verdicts = [each.verdict for each in report.results]
    return {
        "parses": not wrong & {"POT0", "POT1"},
        "type-checks": checked.ok,
        "decided": bool(verdicts) and Verdict.UNKNOWN not in verdicts,
    }


def judge_trace(data: bytes) -> Judgement:
    """Whether nothing is wrong up to its end; whether it is whole, has reached the goal, is established."""
    plain, goal = (_status(data, each) for each in (TraceGoal(), GOAL))
    report = verify(data, trust="solver", limits=LIMITS)
    return {
        "unbroken": plain != "invalid",
        "well formed": plain == "complete",
        "complete": goal == "complete",
        "established": goal == "complete" and report.ok,
    }


def _status(data: bytes, goal: TraceGoal) -> StreamStatus:
    return Validator(goal=goal).push(data)

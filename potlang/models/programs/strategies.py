"""The ways to come to a program for a question, each in stages of one conversation ([LOOP-STRATEGY])."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from potlang.languages.pot.report import Report
from potlang.models.loop.stages import StageRequest
from potlang.models.presets import MOST_QUESTIONS, MOST_REFINEMENTS
from potlang.models.programs.prompting import options_asked_for, question_prompt
from potlang.models.programs.reference import sections
from potlang.models.programs.writer import ProgramConversation, Written
from potlang.models.prompts import demonstration, fill
from potlang.models.replies.extract import BadReply
from potlang.models.replies.lists import read_items
from potlang.models.replies.schemas import FINDINGS, QUESTIONS, outline_schema
from potlang.models.truncate import truncate_to_budget

OUTLINED: Final = ("sorts", "functions", "constants", "knowledge_base", "rules", "verifications")
"""The sections that are outlined in sentences; what else a program has is none of the question's."""
_LONGEST_OUTLINE: Final = 20_000
_LONGEST_QUESTION: Final = 1_000
_AGAIN: Final = "Reply with the one JSON object that was asked for, and nothing else."

Verified = Callable[[Written], Report]
"""The report on a program that was accepted."""


def written_by(talk: ProgramConversation, verified: Verified) -> Written | None:
    """The program that a model comes to by the strategy, if one is accepted. Does not raise EndpointError."""
    if talk.asking.strategy == "self-refine":
        return _self_refined(talk)
    if talk.asking.strategy == "decomposed":
        return _decomposed(talk)
    if talk.asking.strategy == "least-to-most":
        return _bit_by_bit(talk, verified)
    # Self-consistency is plain writing several times over.
    return talk.write()


# --- self-refine -------------------------------------------------------------------------------------


def _self_refined(talk: ProgramConversation) -> Written | None:
    """The program, criticised and rewritten until it stands ([LOOP-STRATEGY-REFINE])."""
    written = talk.write()
    for number in range(1, MOST_REFINEMENTS + 1):
        if written is None:
            break
        prompt = fill("critique", question=talk.question, program=written.text)
        request = StageRequest(talk.message(prompt), _findings, _AGAIN, FINDINGS)
        findings = talk.ask(request, stage=f"critique {number}")
        if not findings:
            break
        shown = truncate_to_budget({"findings": findings})["findings"]
        said, tries = fill("rewrite", findings=shown), talk.asking.sampling.tries
        rewritten = talk.look_again(written, said, stage=f"rewrite {number}", tries=tries)
        if rewritten is None or _is_same(rewritten, written):
            break
        written = rewritten
    return written


def _findings(text: str) -> list[str]:
    """The mistakes that a critic names. Prose is one: whether it is any is seen by the rewriting."""
    try:
        return [_sentence(each) for each in read_items(text, "findings")]
    except BadReply:
        if "{" in text:
            raise
        return [text.strip()]


def _is_same(one: Written, other: Written) -> bool:
    """Whether two programs, which are well formed, differ in spaces and the order of sections at most."""
    return one.text == other.text or bool(json.loads(one.text) == json.loads(other.text))


# --- decomposed --------------------------------------------------------------------------------------


def _decomposed(talk: ProgramConversation) -> Written | None:
    """The program of an outline in sentences; without an outline that of the question alone."""
    prompt = fill(
        "outline",
        question=talk.question,
        sections=outlined_sections(),
        example=demonstration("outline")["outline"],
    )
    request = StageRequest(talk.message(prompt), read_outline, _AGAIN, outline_schema(OUTLINED))
    outline = talk.ask(request, stage="outline")
    if outline is None:
        return None if talk.is_given_up else talk.write()
    return talk.write(
        f"{question_prompt(talk.question, talk.asking.options)}\n\n{fill('from_outline', outline=outline)}"
    )


def outlined_sections() -> dict[str, str]:
    """Each section that is outlined, and what it is for: the first sentence that the schema says of it."""
    purposes = {name: purpose for name, _, purpose in sections()}
    return {name: f"{purposes[name].split('. ')[0].rstrip('.')}." for name in OUTLINED}


def read_outline(text: str) -> dict[str, list[str]]:
    """The sentences below each section. Raises BadReply without any about what is asked, or for too many."""
    found = {"verifications": read_items(text, "verifications")}
    for name in OUTLINED:
        with suppress(BadReply):
            found[name] = read_items(text, name)
    outline = {name: [*map(_sentence, found[name])] for name in OUTLINED if found.get(name)}
    if "verifications" not in outline:
        raise BadReply("`verifications` is empty: say what is asked")
    if sum(map(len, (each for sentences in outline.values() for each in sentences))) > _LONGEST_OUTLINE:
        raise BadReply(f"the sentences have more than {_LONGEST_OUTLINE:,} characters")
    return outline


# --- least to most -----------------------------------------------------------------------------------


def _bit_by_bit(talk: ProgramConversation, verified: Verified) -> Written | None:
    """The program that grows by what each of some smaller questions needs ([LOOP-STRATEGY-LEAST])."""
    example = demonstration("bit_by_bit")
    prompt = fill("sub_questions", question=talk.question, example={"questions": example["questions"]})
    request = StageRequest(talk.message(prompt), _questions, _AGAIN, QUESTIONS)
    questions = talk.ask(request, stage="sub-questions")
    program, answered = "", list[dict[str, Any]]()
    for number, question in enumerate(questions or (), 1):
        if talk.is_given_up:
            break
        bit = talk.write(
            _addition_prompt(talk.question, question, program, answered),
            stage=f"sub-question {number}",
            base=program,
            must_ask=False,
        )
        if bit is not None:
            program = bit.text
            results = verified(bit).results
            answered.append(
                {"question": question, "verdicts": {each.name: str(each.verdict) for each in results}}
            )
    if talk.is_given_up:
        return None
    if not program:
        return talk.write()
    last = _addition_prompt(talk.question, talk.question, program, answered)
    return talk.write(f"{last}\n{options_asked_for(talk.asking.options)}".rstrip(), base=program)


def _questions(text: str) -> list[str]:
    """The smaller questions before the question itself, which is the last. Raises BadReply."""
    found = dict.fromkeys(_sentence(each)[:_LONGEST_QUESTION] for each in read_items(text, "questions"))
    if not found:
        raise BadReply("there are no questions")
    return [*found][:-1][: MOST_QUESTIONS - 1]


def _addition_prompt(question: str, asked: str, program: str, answered: list[dict[str, Any]]) -> str:
    example = demonstration("bit_by_bit")
    return fill(
        "addition",
        question=question,
        program=program or "{}",
        # As much of the verdicts as has room: the program itself is there.
        answered=truncate_to_budget({"answered": answered})["answered"],
        asked=asked,
        example={name: example[name] for name in ("program", "added")},
    )


def _sentence(item: Any) -> str:
    """An item of a list of sentences as one; a program's item that is there instead as its JSON."""
    found = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, default=str)
    return " ".join(found.split())

"""Questions with their right answers, and records of potlang's own form ([EVAL-DATASET])."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from potlang.report.results import Verdict

RecordedProgram = str | dict[str, Any]
"""A program as JSON text, as a value, or inside a model's reply."""

MOST_ATTEMPTS: Final = 100
MOST_OPTIONS: Final = 100
LONGEST_NAME: Final = 500
"""Of an id, a family, the label of an option."""
_LONE: Final = re.compile("[\ud800-\udfff]")


class Truth(StrEnum):
    """A right answer, or one that is given."""

    TRUE = "true"
    FALSE = "false"
    UNCERTAIN = "uncertain"


class Asks(StrEnum):
    """The answers among which a question asks for one."""

    YES_NO = "yes or no"
    THREE = "true, false or uncertain"
    OPTIONS = "options"


class Option(NamedTuple):
    """An answer to choose: its label, and the verdicts of its verification with which it counts as chosen."""

    label: str
    verification: str
    accept: frozenset[Verdict]


class Question(NamedTuple):
    """A question. `answer` is None for a program that must be rejected; of options it is the right label.

    Questions of one `group` are not independent. `expected` are verdicts of verifications by name, or of
    the first one under "". `recorded` are attempts that the data set has itself. `asks` is None where the
    question's own words say what it asks; it is then judged by three answers.
    """

    id: str
    text: str
    answer: Truth | str | None
    family: str
    group: str
    options: tuple[Option, ...] = ()
    expected: tuple[tuple[str, Verdict], ...] = ()
    recorded: tuple[RecordedProgram, ...] = ()
    asks: Asks | None = None

    def claims(self) -> list[tuple[Truth, str]]:
        """The right answer to each claim, with the name of its verification; each option is a claim."""
        if not self.options:
            return [(Truth(self.answer or ""), "")]
        return [
            (Truth.TRUE if each.label == self.answer else Truth.FALSE, each.verification)
            for each in self.options
        ]


class BadLine(ValueError):
    """A line of a data set with a mistake, which the message names."""


_TRUTHS: Final = {
    **dict.fromkeys(("true", "yes", "entailed"), Truth.TRUE),
    **dict.fromkeys(("false", "no", "refuted"), Truth.FALSE),
    **dict.fromkeys(("uncertain", "unknown", "undetermined"), Truth.UNCERTAIN),
}
_CHOSEN: Final = frozenset({Verdict.ENTAILED})


def id_of(value: Mapping[str, Any]) -> str:
    """The id of a record. Raises BadLine."""
    found = value.get("id")
    if isinstance(found, int) and not isinstance(found, bool):
        found = str(found)
    if not isinstance(found, str) or not found:
        raise BadLine(f"`id` is no whole number and no string of 1 to {LONGEST_NAME} characters")
    return name_of("`id`", found)


def name_of(what: str, given: Any) -> str:
    """A short text that can be printed: an id, a family, a label. Raises BadLine."""
    if not isinstance(given, str) or len(given) > LONGEST_NAME:
        raise BadLine(f"{what} is no string of at most {LONGEST_NAME} characters")
    if _LONE.search(given):
        raise BadLine(f"{what} has half of a surrogate pair")
    return given


def question_of(value: Mapping[str, Any]) -> Question:
    """The question of a record of potlang's own form. Raises BadLine."""
    key = id_of(value)
    options = tuple(_options(value))
    family = name_of("`family`", value.get("family", ""))
    if "answer" not in value and "gold" not in value:
        raise BadLine("there is no `answer`")
    given = value["answer"] if "answer" in value else value["gold"]
    # The program itself must not compile: there is nothing to answer.
    if given == "rejected":
        answer = None
    elif options:
        answer = _label(given, options)
    else:
        answer = truth_of(given)
    group = value.get("group")
    return Question(
        key,
        _text(value),
        answer,
        family,
        group if isinstance(group, str) else key,
        options,
        tuple(_expected(value)),
        attempts_of(value),
        _asks(value, options),
    )


def _asks(value: Mapping[str, Any], options: tuple[Option, ...]) -> Asks | None:
    if options:
        return Asks.OPTIONS
    given = value.get("asks")
    if given is None:
        return None
    if given not in (Asks.YES_NO, Asks.THREE):
        raise BadLine(f"`asks` is neither {str(Asks.YES_NO)!r} nor {str(Asks.THREE)!r}")
    return Asks(given)


def _label(given: Any, options: tuple[Option, ...]) -> str:
    if not any(each.label == given for each in options):
        raise BadLine(f"the answer {given!r:.100} is none of the options")
    return str(given)


def truth_of(given: Any) -> Truth:
    """A right answer as data sets write it. Raises BadLine."""
    if isinstance(given, bool):
        return Truth.TRUE if given else Truth.FALSE
    found = _TRUTHS.get(given.strip().lower()) if isinstance(given, str) else None
    if found is None:
        raise BadLine(f"the answer {given!r:.100} is not true, false or uncertain, and there are no options")
    return found


def _options(value: Mapping[str, Any]) -> Iterator[Option]:
    """From `options`, objects, or from `choices`, labels that are also names of verifications."""
    given = value.get("options") or value.get("choices")
    if not given:
        return
    if not isinstance(given, list) or len(given) > MOST_OPTIONS:
        raise BadLine(f"the options are not a list of at most {MOST_OPTIONS}")
    labels = set()
    for each in given:
        item = {"label": each} if isinstance(each, str) else each
        if not isinstance(item, dict) or not isinstance(item.get("label"), str):
            raise BadLine("an option has no `label`")
        label = name_of("an option's label", item["label"])
        name = item.get("verification", label)
        if label in labels or not isinstance(name, str):
            raise BadLine(f"the option {label!r:.100} occurs twice, or its verification has no name")
        labels.add(label)
        accept = item.get("accept")
        yield Option(label, name, _CHOSEN if accept is None else _verdicts(accept))


def _verdicts(given: Any) -> frozenset[Verdict]:
    if not isinstance(given, list):
        raise BadLine("`accept` is not a list of verdicts")
    return frozenset(map(_verdict, given))


def _verdict(given: Any) -> Verdict:
    try:
        return Verdict(given)
    except ValueError:
        raise BadLine(f"{given!r:.100} is not a verdict") from None


def _expected(value: Mapping[str, Any]) -> Iterator[tuple[str, Verdict]]:
    given = value["verdict"] if "verdict" in value else value.get("z3_verdict")
    if given is None:
        return
    # A bare verdict is that of the first verification, whatever its name.
    for name, verdict in given.items() if isinstance(given, dict) else [("", given)]:
        yield name, _verdict(verdict)


def attempts_of(value: Mapping[str, Any]) -> tuple[RecordedProgram, ...]:
    """The recorded attempts of a record. Raises BadLine."""
    given = value.get("attempts")
    if given is None:
        given = [value["program"]] if value.get("program") is not None else []
    if not isinstance(given, list) or len(given) > MOST_ATTEMPTS:
        raise BadLine(f"`attempts` is not a list of at most {MOST_ATTEMPTS}")
    if not all(isinstance(each, str | dict) for each in given):
        raise BadLine("an attempt is neither a program nor a text")
    return tuple(given)


def _text(value: Mapping[str, Any]) -> str:
    """The text for a model: `question`, or the parts of `text`, with the options."""
    given = value.get("question", value.get("text"))
    if isinstance(given, str):
        return given
    if not isinstance(given, dict):
        return ""
    return "\n\n".join(_lines(part) for part in given.values())


def _lines(part: Any) -> str:
    if isinstance(part, list):
        return "\n".join(map(str, part))
    return str(part)

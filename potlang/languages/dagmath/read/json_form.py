"""A solution in JSON: an object with `steps`, its variants, or the list of steps by itself ([DAG-JSON])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from potlang.diag.model import Applicability, Fix, Patch, Place, Replace
from potlang.diag.near import nearest
from potlang.diag.sink import Sink
from potlang.languages.dagmath.read.latex_escapes import misread_escapes, repaired
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.read.source_map import Part, SourceMap, StepPlaces
from potlang.source.pointer import join_pointer

Object = dict[str, Any]
Said = Mapping[Part, Any]

LARGEST_ID = 1_000_000_000
LARGEST_DIFFICULTY = 1_000_000
_LARGEST = 10**15
STEP_KEYS: Mapping[Part, tuple[str, ...]] = {
    "id": ("step_id",),
    "edge": ("edge", "thinking", "reason"),
    "parents": ("direct_dependent_steps",),
    "node": ("node", "text"),
    "formal": ("formal", "prop"),
}
"""The keys of each part of a step, the first that occurs counts (paper, appendices D, F, G and H)."""
METADATA: Mapping[str, tuple[str, ...]] = {
    "problem_id": ("problem_id",),
    "problem": ("problem", "problem_text"),
    "model": ("model",),
    "dataset": ("dataset",),
    "sample": ("sample", "sample_id"),
    "difficulty": ("difficulty",),
    "answer": ("answer", "final_answer"),
    "correct": ("correct",),
}
NESTED = "metadata"
"""The member in which the authors' runs name the model."""
OWN = "final_answer"
_STEP_NAMES = tuple(key for keys in STEP_KEYS.values() for key in keys)
_NAMES = tuple(key for keys in METADATA.values() for key in keys)
_REQUIRED: tuple[Part, ...] = ("id", "parents", "node")
_NO_STEPS = "a solution is an object with `steps`"


class Draft(NamedTuple):
    """A solution as far as it could be read: its steps, and the rest.

    `complete` says whether each step in the input is among them.
    """

    solution: Solution
    complete: bool


def read_json_form(value: object, sink: Sink, places: SourceMap) -> Draft | None:
    """The solution that a JSON value is; what does not fit is reported. None where there are no steps."""
    return _JsonSolutionReader(sink, places).read(value)


class _JsonSolutionReader:
    def __init__(self, sink: Sink, places: SourceMap) -> None:
        self.sink = sink
        self.places = places
        self.root = ""
        """Where the solution's object stands."""

    def read(self, value: object) -> Draft | None:
        if isinstance(value, list):
            if sum(is_sample(each) for each in value) > 1:
                self._report("POT7009", "/1", helps=("score samples with `potc score`",))
                return None
            if len(value) == 1 and is_sample(value[0]):
                self.root, value = "/0", value[0]
        if isinstance(value, list):
            if value:
                self._report("POT1017", "", found="a list", meant="the steps of a solution")
            return self._draft({}, value, "")
        if not isinstance(value, dict):
            self._wrong(value, "", "a solution, which is an object with `steps`")
            return None
        value = self._renamed(value, self.root, ("steps",), (*_NAMES, "steps"))
        if "steps" not in value:
            self._no_steps(value)
            return None
        steps = value["steps"]
        pointer = join_pointer(self.root, "steps")
        if not isinstance(steps, list):
            self._wrong(steps, pointer, "a list of steps")
            return None
        return self._draft(value, steps, pointer)

    def _draft(self, value: Object, steps: list[Any], pointer: str) -> Draft | None:
        if not steps:
            self._report("POT7001", pointer, helps=("write each step as an object with a `step_id`",))
            return None
        found = [self._step(step, f"{pointer}/{at}") for at, step in enumerate(steps)]
        kept = tuple(step for step in found if step is not None)
        metadata = self._metadata(value)
        if kept and says_its_own(value, kept[-1].node):
            metadata["answer"] = None
            self._report("POT7031", join_pointer(self.root, OWN))
        return Draft(Solution(kept, **metadata), len(kept) == len(steps))

    def _no_steps(self, value: Object) -> None:
        notes, helps = [], [_NO_STEPS]
        if isinstance(value.get("error"), str):
            notes = [f"the input says: {value['error'][:200]}"]
        elif "edges" in value:
            helps = ["these are edges alone: write each into its step"]
        self._report("POT7001", "", notes=notes, helps=helps)

    # --- steps -----------------------------------------------------------------------------------

    def _step(self, value: object, pointer: str) -> Step | None:
        if not isinstance(value, dict):
            self._wrong(value, pointer, "a step, which is an object")
            return None
        keys = _keys_of(value)
        missing = [part for part in (*_REQUIRED, "edge") if part not in keys]
        if missing:
            keys = self._misspelt(value, pointer, missing)
        said = {part: value[key] for part, key in keys.items()}
        places = {part: (join_pointer(pointer, key), None) for part, key in keys.items()}
        row = StepPlaces((pointer, None), places, set(), [])
        number = self._id(said, row)
        for part in _REQUIRED:
            if part not in said:
                which = f"step {number}" if number is not None else "a step"
                self._report("POT7007", pointer, which=which, part=f"`{STEP_KEYS[part][0]}`")
        parents = self._parents(said, row)
        edge = self._text(said, row, "edge") or ""
        node = self._text(said, row, "node")
        formal = self._text(said, row, "formal")
        if number is None or node is None or "parents" not in said:
            return None
        self.places.rows.append(row)
        return Step(number, edge, parents, node, formal)

    def _misspelt(self, value: Object, pointer: str, missing: Sequence[Part]) -> dict[Part, str]:
        """The keys of a step as they are written, misspelt ones under the parts that are meant."""
        wanted = [key for part in missing for key in STEP_KEYS[part]]
        renamed = self._renamed(value, pointer, wanted, _STEP_NAMES)
        written = dict(zip(renamed, value, strict=True)) if len(renamed) == len(value) else {}
        return {part: written.get(key, key) for part, key in _keys_of(renamed).items()}

    def _id(self, said: Said, row: StepPlaces) -> int | None:
        if "id" not in said:
            return None
        return self._number(said["id"], row.parts["id"][0], "a step id", row.repaired)

    def _number(self, value: object, pointer: str, what: str, misread: set[Part]) -> int | None:
        """A step's id; digits in a string are read as a number, with a warning."""
        if type(value) is int and 0 <= value <= LARGEST_ID:
            return value
        number = _integer(value)
        if number is None and isinstance(value, str) and len(value) < 30:
            text = value.strip().lower().removeprefix("step").strip()
            number = int(text) if text.isascii() and text.isdigit() else None
            if number is not None and number <= LARGEST_ID:
                misread.add("id")
                fix = self._patch(f"write {number}", pointer, number)
                self._report("POT1017", pointer, fixes=[fix], found=f'"{value}"', meant=str(number))
        if number is None or not 0 <= number <= LARGEST_ID:
            self._wrong(value, pointer, f"{what}, a number from 0 to {LARGEST_ID}")
            return None
        return number

    def _parents(self, said: Said, row: StepPlaces) -> tuple[int, ...] | None:
        found = said.get("parents")
        if found is None:
            return None
        where, _ = row.parts["parents"]
        if type(found) is list:
            if found == [None]:
                self._as_null(found, where, row)
                return None
            ids = []
            for at, item in enumerate(found):
                number = self._number(item, f"{where}/{at}", "the id of a step", set())
                if number is not None:
                    ids.append(number)
                    row.parents.append((f"{where}/{at}", None))
            return tuple(ids)
        if isinstance(found, str) and found.strip().lower() in ("", "null", "none", "[]"):
            self._as_null(found, where, row)
            return None
        if _integer(found) is not None and not isinstance(found, bool):
            row.repaired.add("parents")
            fix = self._patch(f"write [{found}]", where, [found])
            self._report("POT1017", where, fixes=[fix], found="a number", meant="a list of one step")
            number = self._number(found, where, "the id of a step", set())
            return None if number is None else (number,)
        self._wrong(found, where, "a list of step ids, or null")
        return None

    def _as_null(self, found: object, pointer: str, row: StepPlaces) -> None:
        row.repaired.add("parents")
        word = f'"{found}"' if isinstance(found, str) else "[null]"
        fix = self._patch("write null", pointer, None)
        self._report("POT1017", pointer, fixes=[fix], found=word, meant="null")

    def _text(self, said: Said, row: StepPlaces, part: Part) -> str | None:
        """A string of a step, the backslashes of LaTeX restored; a node must say something."""
        if part not in said:
            return None
        text = said[part]
        where, _ = row.parts[part]
        if not isinstance(text, str):
            if text is not None or part == "node":
                self._wrong(text, where, "a string")
            return None
        if part == "node" and not text.strip():
            self._report("POT1014", where, what="a node")
            return None
        found = misread_escapes(text)
        if not found:
            return text
        row.repaired.add(part)
        edits = [Replace(where, each.at, each.at + 1, f"\\{each.letter}") for each in found]
        fix = Fix("double the backslashes", Applicability.SAFE, self.places.edits(*edits))
        span = found[0].at, found[0].at + 1
        meant = f"the beginning of a LaTeX command, `\\{found[0].letter}`"
        self._report("POT1017", where, span=span, fixes=[fix], found="a control character", meant=meant)
        return repaired(text)

    # --- the rest of the solution ----------------------------------------------------------------

    def _metadata(self, value: Object) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, keys in METADATA.items():
            for key in keys:
                given = value.get(key)
                if given is not None and name not in found:
                    read = getattr(self, f"_{name}", self._string)
                    found[name] = read(given, join_pointer(self.root, key))
        if "model" not in found and (model := model_of(value.get(NESTED))) is not None:
            found["model"] = model
        return found

    def _string(self, value: object, pointer: str) -> str | None:
        if isinstance(value, str):
            return value
        self._wrong(value, pointer, "a string")
        return None

    def _problem_id(self, value: object, pointer: str) -> str | None:
        """A string, or a number that is read as one."""
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return str(value)
        return self._string(value, pointer)

    _answer = _problem_id

    def _sample(self, value: object, pointer: str) -> int | str | None:
        number = _integer(value)
        return number if number is not None else self._string(value, pointer)

    def _difficulty(self, value: object, pointer: str) -> float | None:
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            if -LARGEST_DIFFICULTY <= value <= LARGEST_DIFFICULTY:
                return float(value)
            self._wrong(value, pointer, f"a number of at most {LARGEST_DIFFICULTY}")
        else:
            self._wrong(value, pointer, "a number")
        return None

    def _correct(self, value: object, pointer: str) -> bool | None:
        if isinstance(value, bool):
            return value
        self._wrong(value, pointer, "true or false")
        return None

    # --- keys and reports ------------------------------------------------------------------------

    def _renamed(self, value: Object, pointer: str, wanted: Sequence[str], known: Sequence[str]) -> Object:
        """The object with misspelt keys renamed, each with a warning; `wanted` are the likely ones.

        A key that is needed is found by its spelling, any other if only case and signs differ:
        samples carry much that is no business of potlang's.
        """
        if all(key in known for key in value):
            return value

        free = [key for key in wanted if key not in value]
        found: Object = {}
        for key, item in value.items():
            meant = None
            if key not in known and isinstance(key, str):
                meant = next(iter(nearest(key, free, 1)), None) or _same_form(key, known)
                if meant in value or meant in found:
                    meant = None
            if meant is not None:
                self._report_misspelt(key, meant, pointer)
            found[meant or key] = item
        return found

    def _report_misspelt(self, key: str, meant: str, pointer: str) -> None:
        move = Patch("move", join_pointer(pointer, meant), source=join_pointer(pointer, key))
        fix = Fix(f"rename the key to `{meant}`", Applicability.SAFE, self.places.edits(move))
        place = self.places.place(Place(join_pointer(pointer, key), on_key=True))
        self.sink.report("POT1016", place, key=key, meant=meant, fixes=[fix])

    def _patch(self, title: str, pointer: str, value: object) -> Fix:
        return Fix(title, Applicability.SAFE, self.places.edits(Patch("replace", pointer, value)))

    def _wrong(self, value: object, pointer: str, expected: str) -> None:
        from potlang.expressions.shapes import found_words

        self._report("POT1010", pointer, expected=expected, found=found_words(value))

    def _report(self, code: str, pointer: str, span: tuple[int, int] | None = None, **fields: Any) -> None:
        self.sink.report(code, self.places.place(Place(pointer, span)), **fields)


def is_sample(value: object) -> bool:
    """Whether a value is an object with `steps`, as the items of the authors' files are."""
    return isinstance(value, dict) and "steps" in value


def model_of(metadata: object) -> str | None:
    """The model that a sample's `metadata` names, as the authors' runs have it."""
    model = metadata.get("model") if isinstance(metadata, dict) else None
    return model if isinstance(model, str) else None


def says_its_own(members: Mapping[str, object], conclusion: str) -> bool:
    """Whether the expected answer of a sample would be its `final_answer`, and that is its last step's node.

    The authors' runs write it so ([DAG-OWN-ANSWER]).
    """
    given = members.get(OWN)
    if not isinstance(given, str) or members.get("answer") is not None:
        return False
    return repaired(given).split() == repaired(conclusion).split()


def _keys_of(value: Object) -> dict[Part, str]:
    """The key of each part of a step that has one."""
    return {part: key for part, keys in STEP_KEYS.items() for key in reversed(keys) if key in value}


def _integer(value: object) -> int | None:
    """An integer, however JSON writes it; None for any other value."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float | Decimal) and -_LARGEST <= value <= _LARGEST and value == int(value):
        return int(value)
    return None


def _same_form(key: str, known: Sequence[str]) -> str | None:
    form = key.casefold().replace("-", "").replace("_", "").replace(" ", "")
    return next((name for name in known if name.replace("_", "") == form), None)

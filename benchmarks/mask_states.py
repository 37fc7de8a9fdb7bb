"""Masks beside brute force, and walks along them: `python benchmarks/mask_states.py --help`.

Brute force goes through the whole vocabulary byte by byte, all tokens at once, with no rule of traces but the
machine's step; nothing of it is kept from one state to the next.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import click
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from masks import vocabularies, with_end  # noqa: E402
from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

from potlang.decoding import Budgets, TokenMasker, TokenVocabulary, TraceGoal  # noqa: E402
from potlang.dot import check as check_trace  # noqa: E402
from potlang.languages.dot.read.records import PROFILES, Edge, End, references, renumbered  # noqa: E402
from potlang.languages.dot.stream.closing import closing  # noqa: E402
from potlang.languages.dot.stream.machine import Proposition, TraceMachine, TraceState  # noqa: E402
from potlang.languages.dot.stream.validator import Validator  # noqa: E402
from potlang.languages.dot.write.emit import emit  # noqa: E402
from potlang.testing.traces import damaged, records  # noqa: E402

_FEW_STATES = 6
_BY_VALIDATOR, _BY_CLOSING = 200, 12
_TOLD = 250
_CONFIGURATIONS = 10
_NAMES = ("x", "y", "z", "age", "ünïcode", "a b", "p", "f")
_STRUCTURE = b'@\n"[]{},:0123456789 '


class ByteTree:
    """A vocabulary as the levels of its tree of bytes: of each node the one above and its byte."""

    def __init__(self, vocabulary: TokenVocabulary) -> None:
        self.size = len(vocabulary)
        self.levels: list[tuple[Any, Any, Any, Any]] = []
        words = sorted((word, id_) for id_, word in enumerate(vocabulary.tokens) if word is not None)
        above = [0] * len(words)
        depth = 0
        while words:
            numbers: dict[tuple[int, int], int] = {}
            here = [
                numbers.setdefault((node, word[depth]), len(numbers))
                for node, (word, _) in zip(above, words, strict=True)
            ]
            whole = [
                (node, id_) for node, (word, id_) in zip(here, words, strict=True) if len(word) == depth + 1
            ]
            self.levels.append(
                (
                    np.array([node for node, _ in numbers], dtype=np.int32),
                    np.array([byte for _, byte in numbers], dtype=np.int32),
                    np.array([node for node, _ in whole], dtype=np.int32),
                    np.array([id_ for _, id_ in whole], dtype=np.int32),
                )
            )
            rest = [(node, each) for node, each in zip(here, words, strict=True) if len(each[0]) > depth + 1]
            above, words = [node for node, _ in rest], [each for _, each in rest]
            depth += 1

    def allowed(self, machine: TraceMachine, state: TraceState) -> Any:
        """A flag for each token behind whose bytes the machine goes on."""
        found = np.zeros(self.size, dtype=np.bool_)
        states, of_node = [state], np.zeros(1, dtype=np.int32)
        for above, bytes_, whole, ids in self.levels:
            before = of_node[above]
            key = before * 256 + bytes_
            used = np.zeros(len(states) * 256, dtype=np.bool_)
            used[key[before >= 0]] = True
            numbers: dict[Any, int] = {}
            following: list[TraceState] = []
            behind = np.full(len(states) * 256, -1, dtype=np.int32)
            for each in np.flatnonzero(used).tolist():
                new = machine.step(states[each >> 8], each & 255)
                if new is None:
                    continue
                number = numbers.setdefault(_key(new), len(following))
                if number == len(following):
                    following.append(new)
                behind[each] = number
            of_node = np.where(before >= 0, behind[key], -1).astype(np.int32)
            found[ids[of_node[whole] >= 0]] = True
            if not following:
                break
            states = following
        return found


def _key(state: TraceState) -> Any:
    """A key that states have in common only if they are the same."""
    place: Any = state.place
    if isinstance(place, Proposition):
        return id(state.registers), place.fresh, place.json.at, id(place.json.stack)
    return id(state.registers), place


def adversarial(random: Random, size: int = 1_500) -> TokenVocabulary:
    """Pieces of traces over several records, all beginnings of some of them, and bytes that are no UTF-8."""
    tokens = {bytes((byte,)) for byte in range(256)}
    while len(tokens) < size:
        data = emit(records(random, blocks=5), role_tokens=random.random() < 0.5)
        start = random.randrange(len(data))
        tokens.add(data[start : start + random.choice((20, 60, 150))])
        for _ in range(20):
            at, length = random.randrange(len(data)), random.choice((2, 2, 2, 3, 3, 4, 5))
            piece = data[at : at + length]
            tokens.add(piece)
            if random.random() < 0.1:
                tokens.update(piece[:end] for end in range(1, len(piece)))
            if random.random() < 0.2:
                cut = random.randrange(len(piece) + 1)
                tokens.add(piece[:cut] + random.randbytes(random.randint(1, 3)) + piece[cut:])
    shuffled = sorted(tokens)
    random.shuffle(shuffled)
    return TokenVocabulary([*shuffled, None], end=len(shuffled))


def configured(vocabulary: TokenVocabulary, random: Random) -> TokenMasker:
    """A masker of any form, budgets and goal."""
    while True:
        some = ([9, 30, 90], [60, 400, 2_000], [30, 900, 10**9])
        budgets = Budgets(*(random.choice([None, None, *each]) for each in some))
        goal = TraceGoal(random.random() < 0.6, random.random() < 0.5)
        profile, tokens = random.choice(PROFILES), random.choice([False, False, True, None])
        names = random.choice((None, None, _NAMES))
        try:
            return TokenMasker(
                vocabulary, profile=profile, budgets=budgets, goal=goal, tokens=tokens, names=names
            )
        except ValueError:
            continue


def a_trace(random: Random, profile: Any, role_tokens: bool) -> bytes:
    """A trace, now and then with late ids, or damaged."""
    found = records(random, blocks=random.choice((2, 6, 12, 40)), profile=profile)
    if random.random() < 0.4:
        ids = sorted({id_ for each in found for _, id_ in references(each)})
        at, numbers = random.choice((0, 7, 90, 990, 10**6, 10**17)), {}
        for id_ in ids:
            at += random.choice((1, 1, 2, 9, 100))
            numbers[id_] = at
        found = [renumbered(each, numbers) for each in found]
    data = emit(found, role_tokens=role_tokens)
    return damaged(data, random) if random.random() < 0.3 else data


def stratum(state: TraceState, is_invalidated: bool) -> tuple[Any, ...]:
    """The place of a state, its role, whether ids are late, and whether something was invalidated."""
    registers = state.registers
    place: Any = state.place
    inner: Any = None
    if hasattr(place, "json"):
        inner = (
            type(place.json.at).__name__,
            min(0 if place.json.stack is None else place.json.stack.depth, 3),
        )
    elif hasattr(place, "kind"):
        inner = place.kind, len(place.values)
    elif hasattr(place, "special"):
        inner = place.special is None, len(place.rest)
    late = min(len(str(registers.last)), 4)
    return type(place).__name__, inner, registers.role, late, is_invalidated


def drawn(machine: TraceMachine, random: Random, seen: Counter[Any]) -> Iterator[TraceState]:
    """Some states on the way through a trace, those of strata first that were seen least."""
    tokens = machine.rules.tokens
    data = a_trace(random, machine.rules.profile, random.random() < 0.5 if tokens is None else tokens)
    state, found, invalidated, line = machine.start(), [], False, b""
    for byte in data:
        found.append((seen[key := stratum(state, invalidated)], random.random(), key, state))
        line = b"" if byte == 10 else line + bytes((byte,))
        invalidated = invalidated or line.endswith(b" mark=invalidated")
        following = machine.step(state, byte)
        if following is None:
            break
        state = following
    new: set[Any] = set()
    for _, _, key, state in sorted(found, key=lambda each: each[:2]):
        if key not in new:
            new.add(key)
            seen[key] += 1
            yield state
        if len(new) == _FEW_STATES:
            return


def differences(
    masker: TokenMasker, tree: ByteTree, validator: Validator, state: TraceState, random: Random
) -> list[str]:
    """How the mask of a state differs from brute force, from the validator, and near the end of a budget."""
    vocabulary, machine, found = masker.vocabulary, masker.machine, []
    mask = masker.mask_tables.mask(state)
    flags = np.unpackbits(mask.view(np.uint8), bitorder="little", count=len(vocabulary)).view(np.bool_)
    wanted = tree.allowed(machine, state)
    if not np.array_equal(flags, wanted):
        wrong = [vocabulary.tokens[each] for each in np.flatnonzero(flags != wanted)[:9].tolist()]
        found.append(f"mask: {wrong} at {state.place}")
    allowed = np.flatnonzero(wanted).tolist()
    some = random.choices(range(len(vocabulary)), k=_BY_VALIDATOR // 2)
    for id_ in [*some, *random.choices(allowed, k=_BY_VALIDATOR // 2)] if allowed else some:
        token = vocabulary.tokens[id_]
        # As `push`, but for the diagnostic.
        if token is not None and (validator._run(state, token)[1] == len(token)) != bool(flags[id_]):
            found.append(f"validator: {token!r} at {state.place}")
    left = len(closing(machine, state)) + random.choice((-1, 0, 1, 2, 5, 12, 30, 80))
    if allowed:
        near = masker.reserve.affordable(state, mask, left)
        for id_ in random.choices(allowed, k=_BY_CLOSING):
            behind = state
            for byte in vocabulary.tokens[id_] or b"":
                following = machine.step(behind, byte)
                assert following is not None
                behind = following
            is_kept = bool(near[id_ >> 5] >> (id_ & 31) & 1)
            if is_kept != (len(closing(machine, behind)) <= left):
                found.append(f"closing: {vocabulary.tokens[id_]!r} with {left} at {state.place}")
    return found


def named_vocabularies(random: Random, only: str | None) -> dict[str, TokenVocabulary]:
    """The vocabularies of installed packages, and the adversarial one."""
    found = {name: make() for name, make in vocabularies().items() if only in (None, name)}
    return found | ({"adversarial": adversarial(random)} if only in (None, "adversarial") else {})


def walk(masker: TokenMasker, structure: Any, random: Random) -> bytes:
    """What tokens at random make, up to the end; those of records are taken as often as others."""
    data, tokens = b"", masker.vocabulary.tokens
    while not masker.is_stopped():
        mask = masker.mask().view(np.uint32)
        some = mask
        if random.random() < 0.6:
            # Numbers end now and then, too.
            some = mask & (structure if random.random() < 0.5 else ~masker.mask_tables.tables.digit_bits)
        flags = np.unpackbits((some if some.any() else mask).view(np.uint8), bitorder="little")
        allowed = np.flatnonzero(flags)
        token = int(allowed[random.randrange(len(allowed))])
        if not masker.consume_token(token):
            raise AssertionError(f"the mask allows {tokens[token]!r}, the masker does not: {masker.state}")
        data += tokens[token] or b""
    return data


def wrong_with(data: bytes, masker: TokenMasker, goal: TraceGoal, profile: Any) -> str | None:
    """The reason why a walk's trace is not what it must be."""
    checked = check_trace(data, profile=profile)
    if not checked.trace.is_well_formed:
        return "not well formed"
    if goal.end and not any(checked.trace.of(End)):
        return "no end"
    if goal.critique and not any(each.kind == "critique" for each in checked.trace.of(Edge)):
        return "no critique"
    return None if masker.is_accepting() else "not complete"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Masks beside brute force, and walks along masks, over the vocabularies of installed packages."""


_ONLY = click.option("--only", help="The vocabulary of this name alone.")
_SEED = click.option("--seed", default=1, show_default=True, help="Of all that is random.")
_CHECK = click.option("--check", is_flag=True, help="Exit with 1 if anything differs.")


@main.command()
@click.option("--count", default=50_000, show_default=True, help="States in all.")
@_ONLY
@_SEED
@_CHECK
def exact(count: int, only: str | None, seed: int, check: bool) -> None:
    """Compare masks with brute force, bit for bit, in states drawn by strata."""
    random, rows, failed = Random(seed), [], []
    found = named_vocabularies(random, only)
    for name, vocabulary in found.items():
        tree, begin = ByteTree(vocabulary), time.perf_counter()
        pool: list[tuple[TokenMasker, Validator]] = []
        for _ in range(_CONFIGURATIONS):
            masker = configured(vocabulary, random)
            rules = masker.machine.rules
            validator = Validator(
                profile=rules.profile,
                budgets=rules.budgets,
                goal=rules.goal,
                tokens=rules.tokens,
                names=masker.machine.json.names,
            )
            pool.append((masker, validator))
        seen: Counter[Any] = Counter()
        wrong = 0
        while seen.total() < count // len(found):
            masker, validator = random.choice(pool)
            for state in drawn(masker.machine, random, seen):
                differs = differences(masker, tree, validator, state, random)
                wrong += bool(differs)
                for each in differs:
                    failed.append(f"{name}: {masker.machine.rules.budgets}: {each}: {state.registers}")
                    click.echo(failed[-1], err=True)
                if seen.total() % _TOLD == 0:
                    spent = time.perf_counter() - begin
                    click.echo(f"{name}: {seen.total()} states, {wrong} differ, {spent:.0f} s", err=True)
        rows.append([name, len(vocabulary), seen.total(), len(seen), wrong, time.perf_counter() - begin])
        click.echo(f"{name}: {rows[-1]}", err=True)
    headings = ("vocabulary", "tokens", "states", "strata", "differ", "seconds")
    click.echo(table(headings, rows))
    finish("mask states", {"rows": rows}, failed[:40], None, check)


@main.command()
@click.option("--count", default=10_000, show_default=True, help="Walks in all.")
@_ONLY
@_SEED
@_CHECK
def walks(count: int, only: str | None, seed: int, check: bool) -> None:
    """Walk at random along masks; each trace has to be well formed and to reach its goal."""
    random, rows, failed = Random(seed), [], []
    found = named_vocabularies(random, only)
    for name, vocabulary in found.items():
        begin, wrong, written_tokens, done = time.perf_counter(), 0, 0, 0
        vocabulary = with_end(vocabulary)
        structure = None
        while done < count // len(found):
            goal = TraceGoal(random.random() < 0.8, random.random() < 0.8)
            profile, tokens = random.choice(PROFILES), random.choice((False, True))
            least = len(Validator(profile=profile, goal=goal, tokens=tokens).closing()) + 1
            most = least + random.choice((0, 1, 5, 20, 60, 200, 600))
            masker = TokenMasker(vocabulary, profile=profile, goal=goal, tokens=tokens, max_tokens=most)
            tables = masker.mask_tables.tables
            if structure is None:
                ids = (id_ for word, id_ in vocabulary.ids.items() if word[0] in _STRUCTURE)
                structure = tables.bits([*ids, vocabulary.end or 0])
            data = walk(masker, structure, random)
            reason = wrong_with(data, masker, goal, profile)
            if reason is not None:
                failed.append(f"{name}: {reason}: {data[-200:]!r}")
                wrong += 1
            written_tokens += masker._count
            done += 1
            if done % _TOLD == 0:
                spent = time.perf_counter() - begin
                click.echo(f"{name}: {done} walks, {wrong} wrong, {spent:.0f} s", err=True)
        rows.append([name, len(vocabulary), done, written_tokens, wrong, time.perf_counter() - begin])
        click.echo(f"{name}: {rows[-1]}", err=True)
    headings = ("vocabulary", "tokens", "walks", "steps", "wrong", "seconds")
    click.echo(table(headings, rows))
    finish("mask walks", {"rows": rows}, failed[:40], None, check)


if __name__ == "__main__":
    main()

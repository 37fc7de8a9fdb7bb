"""A batch of many jobs made of cases: jobs a second, and whether runs that are killed answer each job once.

    python benchmarks/batch.py CASES --count 2000 --kills 10 --check

Jobs are cases in equal shares of each family. Their names are others in each copy, so that nothing which
was kept of one helps with another. The batch is run once without interruption, then in another directory,
where it is killed at random moments and gone on with. Beside it: a loop over `potlang.verify` in one process,
and a plain pool of processes that have the public implementation (`peers.py`) interpret the same programs.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from multiprocessing import Pool
from pathlib import Path
from typing import Any, Final

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE)]

from cases import Case, read_cases  # noqa: E402
from peers import Public, find_public  # noqa: E402

import potlang  # noqa: E402

_LOOPED: Final = 200
_DECLARING: Final = ("sorts", "functions", "constants", "variables")


def jobs(cases: Path, count: int) -> Iterator[dict[str, Any]]:
    """So many jobs, families taking turns, with names of their own."""
    families: dict[str, list[Case]] = {}
    for case in read_cases(cases):
        families.setdefault(case["family"], []).append(case)
    turns = zip(*(cycle(each) for each in families.values()), strict=False)
    for number, case in enumerate(islice((case for turn in turns for case in turn), count)):
        yield {"id": number, "family": case["family"], "program": renamed(case["program"], number)}


def renamed(program: Any, number: int) -> Any:
    """A program whose declared symbols have other names."""
    names = sorted(
        {name for key in _DECLARING for name in _declared(program.get(key))}, key=len, reverse=True
    )
    if not names:
        return program
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?![\w.])")

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(lambda found: f"{found[0]}_{number}", value)
        if isinstance(value, list):
            return [changed(each) for each in value]
        if isinstance(value, dict):
            return {changed(key) if key in names else key: changed(each) for key, each in value.items()}
        return value

    return {key: changed(value) for key, value in program.items()}


def _declared(section: Any) -> Iterator[str]:
    if isinstance(section, dict):
        for key, value in section.items():
            yield key
            members = value.get("members", ()) if isinstance(value, dict) else ()
            yield from (each for each in members if isinstance(each, str))
    for each in section if isinstance(section, list) else ():
        if isinstance(each, dict) and str(each.get("name", "")).isidentifier():
            yield each["name"]


def _interpret(program: str) -> bool:
    """Whether the public implementation interprets a program; it reads files alone."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(program)
        file.flush()
        public = Public(Path(file.name), 10_000)
        public.prepare()
        public.run()
    return public.counts.error is None


def pooled(programs: list[Any], workers: int, peer: Path | None) -> tuple[float, int] | None:
    """Programs a second of the public implementation, and how many it gave up; None without it."""
    if find_public(peer) is not None:
        return None
    with Pool(workers, find_public, (peer,)) as pool:
        texts = [json.dumps(each) for each in programs]
        pool.map(_interpret, texts[: 2 * workers])  # So that each process has what it imports.
        began = time.monotonic()
        done = list(pool.imap_unordered(_interpret, texts, chunksize=10))
        return len(texts) / (time.monotonic() - began), done.count(False)


def run(path: Path, out: Path, trust: str, workers: int) -> subprocess.Popen[str]:
    """A batch under way, in a group of its own."""
    command = (sys.executable, "-m", "potlang", "batch", str(path), "--out", str(out), "--trust", trust)
    return subprocess.Popen(
        (*command, "-j", str(workers), "--format", "json"),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
    )


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a batch says at its end."""
    said, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"the batch has ended with {process.returncode}")
    return dict(json.loads(said))


def killed(path: Path, out: Path, trust: str, workers: int, kills: int, seconds: float, seed: int) -> int:
    """A batch that is killed so often while it is under way, and then ends; how often it was."""
    chance, done = random.Random(seed), 0
    for _ in range(kills):
        process = run(path, out, trust, workers)
        time.sleep(chance.uniform(0.3, max(0.6, 1.7 * seconds / (kills + 1))))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            done += 1
        process.communicate()
    ended(run(path, out, trust, workers))
    return done


def rows(out: Path) -> bytes:
    """All rows of a batch, in order."""
    return b"".join(path.read_bytes() for path in sorted((out / "rows").glob("*.jsonl")))


@click.command()
@click.argument("cases", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--count", default=2_000, help="Jobs.")
@click.option("--kills", default=10, help="How often the second run is killed.")
@click.option("--trust", type=click.Choice(["best", "solver"]), default="best")
@click.option("--workers", default=2)
@click.option("--seed", default=1)
@click.option(
    "--peer-path", type=click.Path(path_type=Path), help="Where the public implementation is installed."
)
@click.option(
    "--json", "target", type=click.Path(dir_okay=False, path_type=Path), help="A file for the figures."
)
@click.option("--check", is_flag=True, help="Exit with 1 if a job is lost, doubled, or answered otherwise.")
def main(
    cases: Path, count: int, kills: int, trust: str, workers: int, seed: int, peer_path: Path | None,
    target: Path | None, check: bool,
) -> None:  # fmt: skip
    """Time a batch, kill it, and compare its rows with those of an uninterrupted run."""
    folder = Path(tempfile.mkdtemp(prefix="batch-"))
    try:
        path = folder / "jobs.jsonl"
        path.write_text("".join(json.dumps(job) + "\n" for job in jobs(cases, count)), encoding="utf-8")
        looped = [json.loads(line)["program"] for line in islice(path.open(encoding="utf-8"), _LOOPED)]
        began = time.monotonic()
        options: Any = {"trust": trust, "models": "found"}
        alone = [str(potlang.verify(each, **options).verdict) for each in looped]
        loop = len(looped) / (time.monotonic() - began)
        public = pooled(looped, workers, peer_path)
        began = time.monotonic()
        said = ended(run(path, folder / "whole", trust, workers))
        seconds = time.monotonic() - began
        times = killed(path, folder / "killed", trust, workers, kills, seconds, seed)
        whole, again = (rows(folder / name).splitlines() for name in ("whole", "killed"))
        parsed, others = ([json.loads(line) for line in each] for each in (whole, again))
        figures = {
            "jobs": count,
            "trust": trust,
            "workers": workers,
            "jobs a second": round(count / seconds, 1),
            "loop in one process, jobs a second": round(loop, 1),
            "pool of the public implementation, jobs a second": None
            if public is None
            else round(public[0], 1),
            "programs that it gives up": public and f"{public[1]} of {len(looped)}",
            "verdicts": said["verdicts"],
            "lost": said["lost"],
            "answered once": [row["id"] for row in parsed] == list(range(count)),
            "as the loop": [row["verdict"] for row in parsed[:_LOOPED]] == alone,
            "killed": times,
            # What a search for more evidence finds in its time may differ, and no verdict.
            "rows that differ then": sum(one != other for one, other in zip(whole, again, strict=True)),
            "verdicts that differ": [row["verdict"] for row in parsed] != [row["verdict"] for row in others],
        }
        for name, figure in figures.items():
            print(f"{name}: {figure}")
        if target is not None:
            target.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
        right = figures["answered once"] and figures["as the loop"] and not figures["verdicts that differ"]
        sys.exit(1 if check and (said["lost"] or not right) else 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

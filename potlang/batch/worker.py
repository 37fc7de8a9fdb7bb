"""The process that answers jobs of a batch, one shard after the other, a piece of it for each request."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from potlang import api
from potlang.batch.jobs import Job, job_of_file, language_of
from potlang.batch.manifest import Shard
from potlang.batch.rows import ShardFiles, Told, lost_row, row_of
from potlang.batch.tables import TableDigests
from potlang.batch.theories import Theories
from potlang.diag import Diagnostic, Sink
from potlang.languages.dagmath.solve.answers import AnswerChecker
from potlang.languages.kind import DEFAULT
from potlang.languages.pot.program import Checked
from potlang.processes.frames import Message
from potlang.processes.worker import Service
from potlang.prove.cache import Cache
from potlang.report.results import Limits
from potlang.source import Document
from potlang.tables.access import allowing, noting


class JobService(Service):
    """Answers one input with its report."""

    kind_of_cache: type[Cache] = Cache

    def __init__(self) -> None:
        self._judge = AnswerChecker()
        self._theories = Theories()
        self._cached_by: Message | None = None
        self._cache: Cache | None = None

    def answer(self, request: Message) -> Message:
        """As `Service.answer`: `source`, `options`."""
        options = request["options"]
        match request["source"]:
            case {"bytes": encoded}:
                source: Any = b64decode(encoded)
            case {"path": name}:
                job = job_of_file(name)
                return {"report": self._report(job, options)}
            case {"unread": reason, "name": name}:
                return {"report": self._report(Job(name, None, None, "", DEFAULT, unread=reason), options)}
            case {"value": source}:
                pass
        job = Job("<value>", None, None, source, language_of(source))
        return {"report": self._report(job.readable(), options)}

    def _report(self, job: Job, options: Message) -> dict[str, Any]:
        given: dict[str, Any] = {"trust": options["trust"], "limits": Limits(*options["limits"])}
        if job.unread:
            sink = Sink()
            sink.report("POT0006", "", name=job.name, reason=job.unread)
            checked = Checked(Document(job.name, None), tuple(sink.diagnostics()), None)
            return api.rejected(checked, given["limits"]).to_dict()
        if job.language == "dagmath":
            given |= {"answer": job.answer, "steps": options["steps"], "judge": self._judge}
        else:
            given["route"] = options["route"]
        if job.language == "pot" and job.theory is None:
            given |= {"cache": self._cache_of(options["cache"]), "models": options["models"]}
        with allowing(options["sources"]):
            if job.theory is not None:
                found = self._theories.report(
                    job, given["route"], given["trust"], given["limits"], options["models"]
                )
                return found.to_dict()
            return api.verify(job.source, language=job.language, name=job.name, **given).to_dict()

    def _cache_of(self, settings: Message | None) -> Cache | None:
        """The cache of these settings, the same for all jobs that have them."""
        if settings != self._cached_by:
            self._cached_by = settings
            self._cache = None if settings is None else self.kind_of_cache(**settings)
        return self._cache

    def close(self) -> None:
        """As `Service.close`."""
        self._judge.close()


class _ShardCache(Cache):
    """Its problems go to the run: rows are the same whatever becomes of a cache."""

    def take_problems(self) -> tuple[Diagnostic, ...]:
        """None, for the report at hand."""
        return ()


class ShardService(JobService):
    """Goes on with a shard for some time, writes a row for each job, and says how far it is."""

    kind_of_cache = _ShardCache

    def __init__(self) -> None:
        super().__init__()
        self._shard: Shard | None = None
        self._files: ShardFiles | None = None
        self._left: Iterator[Job] = iter(())
        self._digests = TableDigests()

    def answer(self, request: Message) -> Message:
        """As `Service.answer`. With `fault` the next job is not tried: it is lost."""
        try:
            return self._went_on(request)
        except OSError as error:
            # A disk that is full is nobody's job.
            self._close_files()
            return {"failed": f"{error.strerror or error}: {error.filename or request['directory']}"}

    def _went_on(self, request: Message) -> Message:
        shard = Shard(**{**request["shard"], "files": tuple(request["shard"]["files"])})
        files = self._begun(shard, Path(request["directory"]))
        counts: dict[str, int] = {}
        until = monotonic() + request["seconds"]
        fault = request.get("fault")
        for job in self._left:
            told = self._answered(job, files, request["options"], fault)
            counts[told.verdict] = counts.get(told.verdict, 0) + 1
            # Of a lost job the parent is told by itself, lest the next one's death be taken for its own.
            if fault is not None or monotonic() >= until:
                break
        is_whole = files.done >= shard.jobs
        if is_whole:
            options = request["options"]
            files.finish(options["carry"] if options["out_format"] == "parquet" else None)
            self._close_files()
        return {"done": files.done, "whole": is_whole, "counts": counts, "problems": self._problems()}

    def _problems(self) -> list[str]:
        """The warnings of its cache so far."""
        found = () if self._cache is None else self._cache.problems
        return [f"{each.severity}[{each.code}]: {each.message}" for each in found]

    def _begun(self, shard: Shard, directory: Path) -> ShardFiles:
        """The files of a shard, behind the rows that there are."""
        if self._files is None or self._shard != shard:
            self._close_files()
            self._shard, self._files = shard, ShardFiles(directory, shard)
            self._left = shard.read()
            for _ in range(self._files.done):
                next(self._left, None)
        return self._files

    def _answered(self, job: Job, files: ShardFiles, options: Message, fault: str | None) -> Told:
        if fault is not None:
            told = Told("unknown", 0.0, fault)
            files.add(lost_row(job, fault, options["carry"]), told)
            return told
        began = monotonic()
        with noting() as noted:
            report = self._report(job, options)
        ms = round((monotonic() - began) * 1000, 3)
        told = Told(str(report["verdict"]), ms, tables=self._digests.tables(noted))
        files.add(row_of(job, report, options["carry"]), told)
        return told

    def _close_files(self) -> None:
        if self._files is not None:
            self._files.close()
        self._shard = self._files = None

    def close(self) -> None:
        """As `Service.close`."""
        self._close_files()
        super().close()

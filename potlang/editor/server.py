"""The language server: documents as editors change them, and questions about them for the children."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from functools import cache
from time import monotonic
from typing import Any, Final

from cattrs import Converter
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from potlang.editor.answers import TOKEN_KINDS, TOKEN_MODIFIERS
from potlang.editor.lanes import AskedText, ChildLost, Lane, Outdated, Refused
from potlang.editor.positions import EditorChange, Encoding, Position, changed
from potlang.version import __version__

CHECK_SECONDS: Final = 6.0
ANSWER_SECONDS: Final = 5.0
"""After which a child that checks, or one that answers, is ended ([EDIT-LIMITS])."""
_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0
"""Seconds between two checks of a text that goes on changing: as long as the last one took, within these."""
_LARGE: Final = 100_000
"""Characters of a text of which mistakes are told at once, and the linter's findings when it rests."""
_REST: Final = 0.5
"""Seconds without a change after which a text rests."""
_CONTENT_MODIFIED, _REQUEST_FAILED = -32801, -32803
_TRIGGERS: Final = ('"', "(", "[", ",", ":", "@", "=", "`")


class OpenDocument:
    """A document that an editor has open. `serial` counts its versions, `checked` is the last one checked."""

    def __init__(self, uri: str, text: str, language: str, version: int | None) -> None:
        self.uri = uri
        self.text = _sound(text)
        self.language = language
        self.version = version
        self.serial = 0
        self.checked = -1
        self.is_open = True
        self.task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    def change(self, changes: list[EditorChange], version: int | None, encoding: Encoding) -> None:
        """Takes over what the editor has changed."""
        self.text = _sound(changed(self.text, changes, encoding))
        self.version = version
        self.serial += 1
        self._changed.set()

    async def rests(self, seconds: float) -> bool:
        """Whether nothing changes for so long; it is known at once if something does."""
        self._changed.clear()
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return True
        return False

    def subject(self, encoding: Encoding) -> AskedText:
        """The document as it is now, to ask about."""
        serial = self.serial

        def is_current() -> bool:
            return self.is_open and self.serial == serial

        # The identity of the object tells two documents apart that had one name one after the other.
        key = (id(self) << 32) + serial
        return AskedText(self.uri, key, self.text, self.language, encoding, is_current)


def _sound(text: str) -> str:
    """The text without half a surrogate pair, which no encoding can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class EditorProtocol(LanguageServerProtocol):
    """The protocol with documents of our own: lines end where the protocol says, and nowhere else."""

    _server: EditorServer

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is open from now on."""
        self._server.opened(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Parts of a document have changed."""
        self._server.changed(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is closed."""
        self._server.closed(params.text_document.uri)


class EditorServer(LanguageServer):
    """Serves one editor. `directories` are those whose tables programs may read."""

    def __init__(self, directories: tuple[str, ...] = ()) -> None:
        super().__init__(
            "potlang",
            __version__,
            protocol_cls=EditorProtocol,
            converter_factory=get_converter,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        )
        self.documents: dict[str, OpenDocument] = {}
        self.shows_hints = True
        self._checks = Lane(CHECK_SECONDS, directories)
        self._answers = Lane(ANSWER_SECONDS, directories)

    def close(self) -> None:
        """Ends the children."""
        self._checks.close()
        self._answers.close()

    @property
    def encoding(self) -> Encoding:
        """The units in which the editor counts columns."""
        agreed = str(self.server_capabilities.position_encoding or "utf-16")
        return "utf-8" if agreed.endswith("8") else "utf-32" if agreed.endswith("32") else "utf-16"

    # --- documents -------------------------------------------------------------------------------

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is open from now on; it is checked."""
        given = params.text_document
        self.closed(given.uri, is_reopened=True)
        document = OpenDocument(given.uri, given.text, given.language_id, given.version)
        self.documents[given.uri] = document
        self._check(document)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """Parts of a document have changed; it is checked again."""
        document = self.documents.get(params.text_document.uri)
        if document is None:
            return
        changes = [_change(each) for each in params.content_changes]
        document.change(changes, params.text_document.version, self.encoding)
        self._check(document)

    def closed(self, uri: str, *, is_reopened: bool = False) -> None:
        """A document is closed: nothing more is said of it."""
        document = self.documents.pop(uri, None)
        if document is None:
            return
        document.is_open = False
        if document.task is not None:
            document.task.cancel()
        if not is_reopened:
            self._publish(uri, [], None)

    def _check(self, document: OpenDocument) -> None:
        if document.task is None or document.task.done():
            document.task = asyncio.ensure_future(self._keep_checked(document))

    async def _keep_checked(self, document: OpenDocument) -> None:
        """Checks a document until its newest version is: at once, and then with pauses."""
        while document.is_open and document.checked != document.serial:
            serial, began = document.serial, monotonic()
            is_large = len(document.text) > _LARGE
            await self._tell(document, "mistakes" if is_large else "diagnostics")
            document.checked = serial
            if document.serial != serial:
                await asyncio.sleep(min(max(_PAUSE, monotonic() - began), _LONGEST_PAUSE))
            elif is_large and await document.rests(_REST):
                await self._tell(document, "diagnostics")

    async def _tell(self, document: OpenDocument, ask: str) -> None:
        """Publishes what is found in the document as it is now, unless it has changed by then."""
        serial = document.serial
        found = await self._diagnostics(document, ask)
        if found is not None and document.is_open and document.serial == serial:
            self._publish(document.uri, found, document.version)

    async def _diagnostics(self, document: OpenDocument, ask: str) -> list[Any] | None:
        try:
            found: list[Any] = await self._checks.ask(document.subject(self.encoding), {"ask": ask})
        except (Outdated, Refused):
            return None
        except ChildLost as lost:
            start = {"line": 0, "character": 0}
            message = f"this text could not be checked: {lost}"
            return [
                {
                    "range": {"start": start, "end": start},
                    "severity": 2,
                    "source": "potlang",
                    "message": message,
                }
            ]
        return found

    def _publish(self, uri: str, diagnostics: list[Any], version: int | None) -> None:
        params: dict[str, Any] = {"uri": uri, "diagnostics": diagnostics}
        if version is not None:
            params["version"] = version
        self.text_document_publish_diagnostics(_converter().structure(params, types.PublishDiagnosticsParams))

    # --- questions -------------------------------------------------------------------------------

    async def ask(self, uri: str, question: dict[str, Any], *, checks: bool = False) -> Any:
        """The answer to a question about a document; None where it is not open, and after a child's death.

        Raises JsonRpcException for what is refused, and for a document that has changed in the meantime.
        """
        document = self.documents.get(uri)
        if document is None:
            return None
        lane = self._checks if checks else self._answers
        try:
            return await lane.ask(document.subject(self.encoding), question)
        except Outdated:
            raise JsonRpcException("the document has changed", _CONTENT_MODIFIED) from None
        except Refused as refused:
            raise JsonRpcException(str(refused), _REQUEST_FAILED) from None
        except ChildLost as lost:
            message = types.LogMessageParams(types.MessageType.Warning, f"{question['ask']}: {lost}")
            self.window_log_message(message)
            return None


@cache
def _converter() -> Converter:
    return get_converter()


def _change(given: types.TextDocumentContentChangeEvent) -> EditorChange:
    if isinstance(given, types.TextDocumentContentChangePartial):
        return EditorChange(given.text, _position(given.range.start), _position(given.range.end))
    return EditorChange(given.text)


def _position(given: types.Position) -> Position:
    return Position(given.line, given.character)


def _place(params: Any) -> dict[str, Any]:
    return {"position": _position(params.position)._asdict()}


def _range(given: types.Range) -> dict[str, Any]:
    return {"range": {"start": _position(given.start)._asdict(), "end": _position(given.end)._asdict()}}


def make_server(directories: tuple[str, ...] = ()) -> EditorServer:
    """The server with all that it offers; `start_io` serves it on standard input and output."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = EditorServer(directories)
    _register_settings(server)
    _register_places(server)
    _register_parts(server)
    return server


def _register_settings(server: EditorServer) -> None:
    def initialize(params: types.InitializeParams) -> None:
        _take_settings(server, params.initialization_options)

    def configured(params: types.DidChangeConfigurationParams) -> None:
        _take_settings(server, params.settings)

    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(configured)


def _take_settings(server: EditorServer, given: Any) -> None:
    """Takes over settings, as they are or below the name `potlang`; what is no setting is left alone."""
    settings = _members(given)
    shown = _members(settings.get("potlang", settings)).get("inlayHints")
    if isinstance(shown, bool):
        server.shows_hints = shown


def _members(given: Any) -> dict[str, Any]:
    """The members of a JSON object, which the library may have made a tuple with names of."""
    if isinstance(given, dict):
        return given
    return given._asdict() if hasattr(given, "_asdict") else {}


def _register_places(server: EditorServer) -> None:
    """Register the questions about a place."""

    def about(
        method: str,
        ask: str,
        options: Any = None,
        more: Callable[[Any], dict[str, Any]] | None = None,
        *,
        checks: bool = False,
    ) -> None:
        async def answer(params: Any) -> Any:
            question = {"ask": ask, **_place(params), **(more(params) if more is not None else {})}
            return await server.ask(params.text_document.uri, question, checks=checks)

        server.feature(method, options)(answer)

    about(types.TEXT_DOCUMENT_HOVER, "hover")
    completion = types.CompletionOptions(trigger_characters=list(_TRIGGERS))
    about(types.TEXT_DOCUMENT_COMPLETION, "completions", completion)
    about(types.TEXT_DOCUMENT_DEFINITION, "definition")
    about(
        types.TEXT_DOCUMENT_REFERENCES,
        "references",
        more=lambda params: {"declarations": params.context.include_declaration},
    )
    about(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, "highlights")
    about(types.TEXT_DOCUMENT_PREPARE_RENAME, "name")
    about(
        types.TEXT_DOCUMENT_RENAME,
        "rename",
        types.RenameOptions(prepare_provider=True),
        lambda params: {"name": params.new_name},
        checks=True,
    )


def _register_parts(server: EditorServer) -> None:
    """Register the questions about a part of a document, or about the whole of it."""

    def whole(method: str, ask: str, *, checks: bool = False) -> None:
        async def answer(params: Any) -> Any:
            return await server.ask(params.text_document.uri, {"ask": ask}, checks=checks)

        server.feature(method)(answer)

    async def actions(params: types.CodeActionParams) -> Any:
        only = None if params.context.only is None else [str(each) for each in _values(params.context.only)]
        question = {"ask": "actions", "only": only, **_range(params.range)}
        return await server.ask(params.text_document.uri, question, checks=True)

    async def hints(params: types.InlayHintParams) -> Any:
        if not server.shows_hints:
            return []
        return await server.ask(params.text_document.uri, {"ask": "hints", **_range(params.range)})

    async def all_tokens(params: types.SemanticTokensParams) -> Any:
        return await server.ask(params.text_document.uri, {"ask": "tokens", "range": None})

    async def some_tokens(params: types.SemanticTokensRangeParams) -> Any:
        return await server.ask(params.text_document.uri, {"ask": "tokens", **_range(params.range)})

    whole(types.TEXT_DOCUMENT_FORMATTING, "format", checks=True)
    whole(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "outline")
    whole(types.TEXT_DOCUMENT_FOLDING_RANGE, "folds")
    kinds: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, "source.fixAll.potlang"]
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))(actions)
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(hints)
    legend = types.SemanticTokensLegend(list(TOKEN_KINDS), list(TOKEN_MODIFIERS))
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)(all_tokens)
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, legend)(some_tokens)


def _values(kinds: Any) -> list[Any]:
    return [getattr(each, "value", each) for each in kinds]


def serve(directories: tuple[str, ...] = ()) -> None:
    """Serves an editor on standard input and output until it says that it is done."""
    # The protocol has the output for itself: whatever else is printed goes where errors go.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    server = make_server(directories)
    try:
        server.start_io(stdout=output)
    finally:
        server.close()

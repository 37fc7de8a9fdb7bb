"""The pages of the playground and what they load, each with its own security policy ([PLAY-POLICY])."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from potlang import api
from potlang.diag import CODES
from potlang.server.playground.examples import examples
from potlang.server.refusals import Refusal
from potlang.server.service import MethodApp
from potlang.server.tokens import BearerToken, CallerLimits
from potlang.version import __version__

ROOT: Final = "/play/"
"""Below it is all that the page loads."""
_CHECK_SECONDS: Final = 5.0
"""For a check while somebody types, most of which take a hundredth of it."""
_ASSETS: Final = Path(__file__).parent / "assets"
_INDEX: Final = "index.html"
_FRAME: Final = "frame.html"
_NONCE: Final = "{{nonce}}"
_JSON: Final = "application/json"
_TYPES: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".md": "text/markdown",
    ".json": _JSON,
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NOTHING: Final = "default-src 'none'; base-uri 'none'; form-action 'none'"
_INDEX_POLICY: Final = (
    f"{_NOTHING}; script-src 'self'; style-src 'self' 'nonce-{_NONCE}'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; frame-ancestors 'none'"
)
_FRAME_POLICY: Final = (
    f"{_NOTHING}; sandbox allow-scripts; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; frame-ancestors 'self'"
)
"""Of a page on a report, which is no more trusted than the program: an origin of its own, and no network."""


class Playground:
    """The playground of one run: its pages, and the two callers that the page is.

    What is checked while somebody types and what is verified are two callers, so that they share the places
    fairly ([SERVE-QUEUE]): a verification that takes long does not keep the editor waiting.
    """

    def __init__(self, limits: CallerLimits, at_once: int) -> None:
        """`limits` are of a verification, `at_once` is how many may be open."""
        editing = limits._replace(seconds=min(limits.seconds, _CHECK_SECONDS))
        verifying = limits._replace(in_flight=at_once)
        self.tokens = [
            BearerToken(secrets.token_urlsafe(32), name, each)
            for name, each in (("editing", editing), ("verifying", verifying))
        ]
        session = {
            "version": __version__,
            "tokens": {each.name: each.text for each in self.tokens},
            "limits": {"seconds": limits.seconds, "megabytes": limits.megabytes, "bytes": limits.bytes},
        }
        listed = [each._asdict() for each in examples()]
        self._made = {"session.json": json.dumps(session), "examples.json": json.dumps(listed)}

    def routes(self) -> list[BaseRoute]:
        """The page, what it loads, and explanations of codes."""
        return [
            Route("/", MethodApp("GET", self._index)),
            Route(f"{ROOT}explain/{{code}}", MethodApp("GET", self._explanation)),
            *(
                Route(f"{ROOT}{name}", MethodApp("GET", _Sent(text, _JSON)))
                for name, text in self._made.items()
            ),
            *(
                Route(f"{ROOT}{path.name}", MethodApp("GET", _file(path)))
                for path in sorted(_ASSETS.iterdir())
            ),
        ]

    async def _index(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Each answer has a nonce of its own, by which the editor's library may add its styles.
        nonce = secrets.token_urlsafe(16)
        text = _text(_ASSETS / _INDEX).replace(_NONCE, nonce)
        policy = {"Content-Security-Policy": _INDEX_POLICY.replace(_NONCE, nonce)}
        await _Sent(text, "text/html", policy)(scope, receive, send)

    async def _explanation(self, scope: Scope, receive: Receive, send: Send) -> None:
        code = scope["path_params"]["code"]
        found = api.explain(code) if code in CODES else None
        if found is None:
            raise Refusal(404, "not_found", "there is no such code", "name one that a diagnostic has")
        await _Sent(found, "text/markdown")(scope, receive, send)


def is_page(path: str) -> bool:
    """Whether an address is of the playground: it is read without a token."""
    return path == "/" or path.startswith(ROOT)


class _Sent:
    """A text that is sent as it is."""

    def __init__(self, text: str, type_: str, more: Mapping[str, str] | None = None) -> None:
        self._text = text
        self._type = type_
        self._headers = {"Content-Security-Policy": _NOTHING, **_HEADERS, **(more or {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = Response(self._text, headers=self._headers, media_type=self._type)
        await response(scope, receive, send)


def _file(path: Path) -> _Sent:
    policy = {"Content-Security-Policy": _FRAME_POLICY} if path.name == _FRAME else None
    return _Sent(_text(path), _TYPES[path.suffix], policy)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")

"""The playground as a process, and a browser on it, for tests."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from free_ports import free_port

ROOT = Path(__file__).parents[1]
_BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
BROWSER = next((each for each in _BROWSERS if Path(each).exists()), None)
_FLAGS = ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-background-networking"]
_START_SECONDS = 60.0


class Playing:
    """A playground that runs, at its port."""

    def __init__(self, port: int, process: subprocess.Popen[str]) -> None:
        self.port = port
        self.process = process
        self.url = f"http://127.0.0.1:{port}/"

    def ask(
        self, method: str, path: str, body: bytes = b"", seconds: float = 120.0, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """The status, the headers and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request(method, path, body, {key.replace("_", "-"): v for key, v in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def session(self) -> dict[str, Any]:
        """What the page reads first."""
        found: dict[str, Any] = json.loads(self.ask("GET", "/play/session.json")[2])
        return found

    def bearer(self, caller: str) -> str:
        """The value of `Authorization` for one of the page's two callers."""
        return f"Bearer {self.session()['tokens'][caller]}"


@contextmanager
def playing(*arguments: str, port: int | None = None, **given: Any) -> Iterator[Playing]:
    """A playground that answers, with these options."""
    port = free_port() if port is None else port
    command = [sys.executable, "-m", "potlang", "play", "--port", str(port), "--no-browser", *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=ROOT, **given
    )
    found = Playing(port, process)
    try:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if found.ask("GET", "/health/ready")[0] == 200:
                    break
            except OSError:
                time.sleep(0.05)
        yield found
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


class Watched:
    """A page of the browser, what it asked for, and what it complained of."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda each: self.requests.append(each.url))
        page.on("pageerror", lambda each: self.complaints.append(str(each)))
        page.on("console", self._said)

    def _said(self, message: Any) -> None:
        # That an answer was 413 or 422 is no complaint of the page's.
        if message.type == "error" and not message.text.startswith("Failed to load resource: the server"):
            self.complaints.append(message.text)

    def open(self, url: str) -> None:
        """Go there, and wait until the text was checked."""
        self.page.goto(url)
        self.page.wait_for_selector("#language:not(:empty)")

    def write(self, text: str) -> None:
        """Have this text in the editor, typed at once, and wait until it was checked."""
        self.page.click(".cm-content")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text)
        self.checked()

    def checked(self) -> None:
        """Wait until what stands there was checked."""
        self.page.wait_for_timeout(350)
        self.page.wait_for_selector("#state:not(:text('checking…'))")

    def text(self) -> str:
        """The text in the editor."""
        lines = self.page.eval_on_selector_all(".cm-line", "lines => lines.map((each) => each.textContent)")
        return "\n".join(lines)

    def verify(self) -> str:
        """Click on Verify; the verdict."""
        self.page.click("#tab-result")
        self.page.click("#verify")
        self.page.wait_for_selector("#cancel", state="hidden", timeout=60_000)
        found: str = self.page.locator("#panel .verdict .chip").first.inner_text()
        return found.split()[-1]

    def example(self, name: str) -> None:
        """Load an example."""
        self.page.select_option("#examples", name)
        self.checked()


@contextmanager
def browsing(**context: Any) -> Iterator[Watched]:
    """A page of a browser that keeps nothing."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as library:
        browser = library.chromium.launch(executable_path=BROWSER, args=_FLAGS)
        try:
            yield Watched(browser.new_context(**context).new_page())
        finally:
            browser.close()

"""The HTTP server of steward and exporter: some pages on one port.

It only reads: GET and HEAD. Slow and many clients cost it a bounded number of threads, and other
loops nothing.
"""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from equilag.domain.errors import InputError, describe_error
from equilag.live.status.status import log_event


def is_own_name(host: str, allowed: Collection[str]) -> bool:
    """Return True for a Host header that no other site can have: an address, a name without a dot,
    the name of this machine, or an allowed name. HTTP/1.0 may have none."""
    name = _without_port(host).casefold().rstrip(".")
    if not name or "." not in name or name.endswith(".localhost"):
        return True
    own = {socket.gethostname(), *allowed}
    return _is_address(name) or name in {one.casefold() for one in own}


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


PAGE_POLICY: Final = "frame-ancestors 'none'"
"""What a page cannot say of itself in its head; the rest of its policy is there."""


MAX_CONNECTIONS: Final = 16
"""Connections that are answered at once: some browsers and scrapers. More get 503."""
REQUEST_S: Final = 30.0
"""Seconds after which a connection is closed, however little it has sent or read."""
IDLE_S: Final = 10.0
"""Seconds that a client may take between two pieces."""
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": PAGE_POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Of every answer: no other site may show or read it."""
TEXT: Final = "text/plain; charset=utf-8"
HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"


_FULL: Final = b"HTTP/1.0 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
"""It is short enough for the buffer of a new connection, so that nobody waits."""


class Answer(NamedTuple):
    code: int
    kind: str
    body: bytes
    headers: Mapping[str, str] = {}


class PageServer(ThreadingHTTPServer):
    """Answers each connection on a thread of its own, of which there are few."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 32

    def __init__(self, address: tuple[str, int], answer: Callable[[str, str, str], Answer]) -> None:
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        self.answer = answer
        """Gets path and the headers Host and Accept."""
        self._open: dict[Any, float] = {}
        """Connection -> when it began, in monotonic seconds."""
        self._lock = threading.Lock()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            is_full = len(self._open) >= MAX_CONNECTIONS
            if not is_full:
                self._open[request] = time.monotonic()
        if is_full:
            with suppress(OSError):
                request.sendall(_FULL)
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End connections that last too long: their threads fail with their next read or write."""
        now = time.monotonic()
        with self._lock:
            late = [one for one, began in self._open.items() if now - began > REQUEST_S]
        for one in late:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client went away."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    timeout = IDLE_S
    server_version = "equilag"
    sys_version = ""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        host, accept = (self.headers.get(name, "") for name in ("Host", "Accept"))
        self._write(self.server.answer(path, host, accept))

    def do_HEAD(self) -> None:
        self.do_GET()

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Every other method of HTTP; the base class asks for ``do_`` and its name."""
        if not name.startswith("do_"):
            raise AttributeError(name)
        return self._refuse

    def _refuse(self) -> None:
        text = b"this server only reads: GET and HEAD\n"
        self._write(Answer(405, TEXT, text, {"Allow": "GET, HEAD"}))

    def _write(self, answer: Answer) -> None:
        self.send_response(answer.code)
        for name, value in {**HEADERS, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, *_: Any) -> None:
        """Log nothing: every scrape would be a line."""


class PageRequest(NamedTuple):
    """What a page gets of a request."""

    name: str = ""
    """What follows the path of a page that ends with a slash."""
    accept: str = ""
    """The header Accept."""


Pages = Mapping[str, Callable[[PageRequest], Answer]]
"""Path -> what answers it; one that ends with a slash is for all paths below it, too."""


def serve(pages: Pages, host: str, port: int, allowed_hosts: Collection[str] = ()) -> PageServer:
    """Start a server on its own thread; `allowed_hosts` are names that it may be called by.

    Raises InputError if the port is not available.
    """

    def answer(path: str, called: str, accept: str) -> Answer:
        if not is_own_name(called, {host, *allowed_hosts}):
            text = f"this server is not called {called!r}: see --allow-host\n"
            return Answer(421, TEXT, text.encode("utf-8", "backslashreplace"))
        folder, _, name = path[1:].partition("/")
        make, name = (pages.get(path), "") if path in pages else (pages.get(f"/{folder}/"), name)
        if make is None or not path.startswith("/"):
            known = ", ".join(sorted(pages))
            return Answer(404, TEXT, f"not found: try {known}\n".encode())
        try:
            return make(PageRequest(unquote(name), accept))
        except Exception as error:  # noqa: BLE001  what a page raises must not end the program
            log_event(logging.ERROR, "page-failed", problem=f"{path}: {describe_error(error)}")
            return Answer(500, TEXT, b"this page failed; the log says why\n")

    try:
        server = PageServer((host, port), answer)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        problem = f"cannot listen on port {port} of {host}: {reason}; choose another HOST:PORT"
        raise InputError(problem, "--listen") from error
    serve = partial(server.serve_forever, poll_interval=0.1)  # how soon it sees that it is to end
    threading.Thread(target=serve, name="http", daemon=True).start()
    return server


def as_json(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, indent=1, allow_nan=False).encode() + b"\n"

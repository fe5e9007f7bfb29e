"""Access control of the page: Host, Origin and a random token are checked before anything else.

The server only listens on this computer, but any website in a browser can send requests to it, and a host name can be
made to point to it (DNS rebinding). Therefore the Host must be ours, an Origin must be ours if there is one, and the
request must carry the token, which only the printed address contains; the browser stores it in a cookie that other
sites cannot use.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode

__all__ = ["Guard"]

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_HEADERS = {
    # Vue compiles its templates in the browser; nothing comes from other hosts, and no page may frame this one
    "content-security-policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'none'; "
    "form-action 'self'; base-uri 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_REFUSAL = """<!doctype html><meta charset="utf-8"><title>robosym</title>
<body style="font:15px/24px system-ui;margin:15vh auto;max-width:32em;color:#465063">
<h1 style="font-size:20px;color:#161B25">This page needs its own address</h1>
<p>{}</p></body>"""


class Guard:
    """Middleware that rejects requests that do not come from the page itself."""

    def __init__(self, application: Application, token: str, port: int) -> None:
        self.application = application
        self.token = token
        self.cookie = f"robosym-{port}"
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.application(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        wrong = self._wrong(headers)
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if wrong is None and scope["type"] == "http" and scope["method"] == "GET" and "token" in query:
            if self._is_token(query["token"][0]):
                del query["token"]
                await self._enter(scope["path"], urlencode(query, doseq=True), send)
                return
            wrong = "The token in the address is not that of the program that runs now."
        if wrong is None and not self._is_token(self._kept(headers.get("cookie", ""))):
            wrong = "Open the address that <code>robosym app</code> has printed: its token is missing here."
        if wrong is not None:
            await _reject(scope, send, wrong)
            return
        await self.application(scope, receive, _with_headers(send) if scope["type"] == "http" else send)

    def _wrong(self, headers: dict[str, str]) -> str | None:
        if headers.get("host", "") not in self.hosts:
            return "The request was meant for another host."
        if "origin" in headers and headers["origin"] not in self.origins:
            return "The request came from another page."
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "The request came from another page."
        return None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _kept(self, text: str) -> str:
        try:
            morsel = SimpleCookie(text).get(self.cookie)
        except CookieError:
            return ""
        return morsel.value if morsel else ""

    async def _enter(self, path: str, query: str, send: Send) -> None:
        """Store the token in a cookie and redirect to the address without it, where it could be seen."""
        target = "/" + path.lstrip("/") + (f"?{query}" if query else "")  # "//host" would lead elsewhere
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        headers = [(b"location", target.encode()), (b"set-cookie", cookie.encode()), *_lines()]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _lines() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in _HEADERS.items()]


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_lines()]
        await send(message)

    return sending


async def _reject(scope: Scope, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"text/html; charset=utf-8"), *_lines()]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": _REFUSAL.format(why).encode()})

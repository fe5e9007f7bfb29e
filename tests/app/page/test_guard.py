"""Only the user's own browser is answered."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from robosym.app.page.guard import Guard

OURS = {"host": "127.0.0.1:8319", "cookie": "robosym-8319=secret"}


def ask(headers: dict[str, str], kind: str = "http", path: str = "/", query: str = "", method: str = "GET") -> Any:
    """Return the response to a request with these headers, and whether it reached the application."""
    sent: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": kind, "path": path, "query_string": query.encode(), "method": method,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    asyncio.run(Guard(application, "secret", 8319)(scope, None, send))  # type: ignore[arg-type]
    return sent[0]


def test_answers_its_own_page() -> None:
    answer = ask(OURS)
    assert answer["status"] == 200
    assert any(
        name == b"content-security-policy" and b"frame-ancestors 'none'" in value for name, value in answer["headers"]
    )
    assert ask({**OURS, "origin": "http://127.0.0.1:8319"}, method="POST")["status"] == 200
    assert ask({**OURS, "host": "localhost:8319"})["status"] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "127.0.0.1:8319"},  # no token
        {"host": "127.0.0.1:8319", "cookie": "robosym-8319=guess"},
        {"host": "127.0.0.1:8319", "cookie": 'broken="'},
        {**OURS, "host": "evil.example:8319"},  # a name that points here
        {**OURS, "host": "127.0.0.1"},
        {**OURS, "origin": "http://evil.example"},
        {**OURS, "origin": "null"},
        {**OURS, "origin": "http://127.0.0.1:8000"},  # another program on this computer
        {**OURS, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {},
    ],
)
def test_rejects_other_origins_and_hosts(headers: dict[str, str]) -> None:
    assert ask(headers, method="POST")["status"] == 403
    assert ask(headers, "websocket")["type"] == "websocket.close"


def test_token_is_removed_from_the_address() -> None:
    answer = ask({"host": "127.0.0.1:8319"}, path="//evil.example/a", query="token=secret&view=model")
    headers = dict(answer["headers"])
    assert answer["status"] == 303 and headers[b"location"] == b"/evil.example/a?view=model"
    assert b"HttpOnly; SameSite=Strict" in headers[b"set-cookie"]
    assert ask({"host": "127.0.0.1:8319"}, query="token=guess")["status"] == 403

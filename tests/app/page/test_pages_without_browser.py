"""Pages that are loaded and never come to life, by a script or a preview of the address, do not fill the memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Client

from robosym.app.page import application as app


def test_old_disconnected_pages_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    clients: dict[str, Any] = {}

    def add(name: str, created: float, connected: bool) -> None:
        clients[name] = SimpleNamespace(
            created=created, has_socket_connection=connected, delete=lambda: clients.pop(name)
        )

    for k in range(100):
        add(f"idle {k}", -k, False)
    add("shown", -1000, True)
    monkeypatch.setattr(Client, "instances", clients)
    app._prune()
    assert "shown" in clients and len(clients) == 17
    assert {f"idle {k}" for k in range(16)} <= {*clients}

"""A program that serves the page, and a Chromium that looks at it; every test asserts that nothing else was asked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from conftest_of_page import Served, serve

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_OURS = r'File ".*/robosym/(page|session)/(?!guard)'  # of a traceback; not of a request that the browser broke off
_PATIENCE = 25_000  # ms: a loaded machine is slow, not wrong


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One program for all tests that do not start their own."""
    running = serve(tmp_path_factory.mktemp("state"), "--port", "0")
    yield running
    running.end()
    assert not re.search(_OURS, running.complaints), running.complaints


@pytest.fixture
def started() -> Iterator[Callable[..., Served]]:
    """`started(folder, words)` starts a program of its own, which ends with the test."""
    running: list[Served] = []

    def start(folder: Path, *words: str) -> Served:
        running.append(serve(folder, *words))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.end()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here: tests of the page in a browser are skipped")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--enable-unsafe-swiftshader"]  # 3D by software, the page itself without
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


Opener = Callable[..., Any]


@pytest.fixture
def window(served: Served, chromium: Any) -> Iterator[Opener]:
    """`window()` opens a page of its own; at the end nothing may have been asked of another host, nor failed."""
    contexts: list[Any] = []
    asked: list[str] = []
    failed: list[str] = []

    def opened(path: str = "/", of: Served = served, **options: Any) -> Any:
        context = chromium.new_context(viewport={"width": 1440, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(_PATIENCE)
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        token = of.address.partition("?")[2]
        page.goto(f"http://{of.host}{path}{'&' if '?' in path else '?'}{token}")
        page.wait_for_selector(".app .nav a")
        return page

    yield opened
    for context in contexts:
        context.close()
    foreign = [url for url in asked if urlsplit(url).hostname not in ("127.0.0.1", None)]
    assert not foreign, f"requests to other hosts: {foreign[:3]}"
    assert not failed, f"errors in the browser: {failed[:3]}"

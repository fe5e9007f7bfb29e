"""A program that serves the page, for tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

__all__ = ["Served", "serve", "until"]

_ERRORS = "standard_error.txt"


@dataclass
class Served:
    """A running program: its address with the token, its process, and the folder in which it keeps things."""

    address: str
    process: subprocess.Popen[str]
    folder: Path

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    @property
    def path(self) -> str:
        return urlsplit(self.address).path

    def end(self, sign: int = signal.SIGTERM) -> None:
        self.process.send_signal(sign)
        self.process.wait(30)
        if self.process.stdout is not None:
            self.process.stdout.close()

    @property
    def complaints(self) -> str:
        """Return the standard error of the program, which explains why a page stays blank."""
        return (self.folder / _ERRORS).read_text(encoding="utf-8")


def serve(folder: Path, *words: str) -> Served:
    """Start `robosym app` and wait for its address."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    line = [sys.executable, "-m", "robosym", "app", *words, "--no-browser"]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _ERRORS).open("a", encoding="utf-8") as errors:
        state = {"ROBOSYM_STATE": str(folder)}
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, text=True, env={**environment, **state})
    assert process.stdout is not None
    for printed in process.stdout:
        found = re.search(r"http://\S+", printed)
        if found:
            return Served(found[0], process, folder)
    raise AssertionError(f"{' '.join(line)} printed no address")


def until(holds: Callable[[], bool], seconds: float = 25) -> None:
    """Wait for something that the program does by itself."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)

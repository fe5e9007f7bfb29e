"""Install into the environment whose Python runs this, as `pip install` with the same words would.

uv does it in a third of the time, with the indexes that pip is told of; where it cannot be had, or fails, pip does it.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
PINNED = ["--quiet", "--constraint", str(ROOT / "constraints.txt")]
#: where pip's configuration says an option: of all its commands, of `install`, of the environment; the last counts
PLACES = ("global", "install", ":env:")
#: what uv calls an option of pip
OF_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "timeout": "UV_HTTP_TIMEOUT",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
SEPARATED = {"UV_FIND_LINKS": ","}  # other lists have spaces


def settings(listed: str) -> dict[str, str]:
    """The environment of uv that says what `pip config list` printed."""
    options: dict[tuple[str, str], str] = {}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        place, _, option = key.rpartition(".")
        options[place, option] = str(ast.literal_eval(value))
    found: dict[str, str] = {}
    for place in PLACES:
        for option, name in OF_UV.items():
            if (place, option) in options:
                found[name] = SEPARATED.get(name, " ").join(options[place, option].split())
    return found


def by_uv(words: list[str]) -> bool:
    if subprocess.run([*PIP, "install", *PINNED, "uv"], check=False).returncode:
        return False
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=True).stdout
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--python", sys.executable]
    strategy = ["--index-strategy", "unsafe-best-match"]  # of all indexes, as pip; not of the first that has any
    told = {**settings(listed), **os.environ}
    return not subprocess.run([*uv, *strategy, *PINNED, *words], env=told, check=False).returncode


def main(words: list[str]) -> int:
    if by_uv(words):
        return 0
    print("uv could not install it: pip does")
    return subprocess.run([*PIP, "install", "--no-compile", *PINNED, *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

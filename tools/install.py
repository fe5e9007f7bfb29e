"""Install packages into the environment of this Python, with the arguments of `pip install`.

uv takes a third of the time of pip and uses the package indexes of pip's configuration. If uv is not available or
fails, pip installs the packages.
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
#: sections of pip's configuration, lowest priority first: all commands, `install`, environment variables
PLACES = ("global", "install", ":env:")
#: options of pip, and the environment variables of uv with the same meaning
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
SEPARATED = {"UV_FIND_LINKS": ","}  # other lists are separated by spaces


def settings(listed: str) -> dict[str, str]:
    """Return the environment variables of uv that correspond to the output of `pip config list`."""
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


def indexes() -> dict[str, str]:
    """Return the environment variables that give uv the package indexes of pip, all of equal rank."""
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=True).stdout
    return {**settings(listed), "UV_INDEX_STRATEGY": "unsafe-best-match"}


def by_uv(words: list[str]) -> bool:
    if subprocess.run([*PIP, "install", *PINNED, "uv"], check=False).returncode:
        return False
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--python", sys.executable]
    environment = indexes() | os.environ
    return not subprocess.run([*uv, *PINNED, *words], env=environment, check=False).returncode


def main(words: list[str]) -> int:
    if by_uv(words):
        return 0
    print("uv could not install the packages; trying pip")
    return subprocess.run([*PIP, "install", "--no-compile", *PINNED, *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

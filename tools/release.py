"""Prepare a release: `python tools/release.py 1.0.0` sets the version in every file and dates the changelog.

The version is written in `pyproject.toml`, `src/robosym/__init__.py`, `CITATION.cff` and `recipe/recipe.yaml`; a test
checks that they agree. `--constraints` only writes the first line of constraints.txt, after `make constraints`.
"""

from __future__ import annotations

import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: files that hold the version, and the pattern around it
PLACES = {
    "pyproject.toml": r'(?m)^(version = ")([^"]+)(")',
    "src/robosym/__init__.py": r'(?m)^(__version__ = ")([^"]+)(")',
    "CITATION.cff": r'(?m)^(version: ")([^"]+)(")',
    "recipe/recipe.yaml": r'(?m)^(  version: ")([^"]+)(")',
}
HEAD = "# Versions that `make` installs, for all supported Pythons; written by `make constraints`.\n"


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version in each file."""
    found = {}
    for name, pattern in PLACES.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"))
        if match is None:
            raise SystemExit(f"{name}: expected a version")
        found[name] = match[2]
    return found


def release(version: str, date: str, root: Path = ROOT) -> None:
    """Set the version in every file and turn the section Unreleased of the changelog into that of the version."""
    if not re.fullmatch(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?", version):
        raise SystemExit(f"expected a version such as 1.0.0 or 1.0.0rc1, found {version!r}")
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8")
    if "## Unreleased\n" not in text or f"## {version} " in text:
        raise SystemExit(f"CHANGELOG.md: expected a section 'Unreleased' and none of {version}")
    versions(root)
    _write(changelog, text.replace("## Unreleased\n", f"## {version} - {date}\n", 1))
    for name, pattern in PLACES.items():
        path = root / name
        _write(path, re.sub(pattern, rf"\g<1>{version}\g<3>", path.read_text(encoding="utf-8"), count=1))
    citation = root / "CITATION.cff"
    dated = re.sub(r'(?m)^date-released: "[^"]*"\n', "", citation.read_text(encoding="utf-8"))
    _write(citation, dated.replace(f'version: "{version}"\n', f'version: "{version}"\ndate-released: "{date}"\n', 1))


def head_constraints(root: Path = ROOT) -> None:
    path = root / "constraints.txt"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines(True) if not line.startswith("#")]
    _write(path, "".join([HEAD, *lines]))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def main(words: list[str]) -> None:
    if words == ["--constraints"]:
        head_constraints()
    elif len(words) == 1:
        release(words[0], datetime.datetime.now(datetime.timezone.utc).date().isoformat())
    else:
        raise SystemExit("usage: release.py VERSION | --constraints")


if __name__ == "__main__":
    main(sys.argv[1:])

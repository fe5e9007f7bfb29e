"""Prepare a release: `python tools/release.py 1.0.0` sets the version in every file and dates the changelog.

The version is written in `pyproject.toml`, `src/robosym/__init__.py`, `CITATION.cff` and `recipe/recipe.yaml`; a test
checks that they agree. A second argument, the address of the public repository, adds it to the metadata of the package
and of the citation. `--constraints` only writes the first line of constraints.txt, after `make constraints`.
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
#: addresses below that of the repository, by their names in `[project.urls]`
LINKS = {"Source": "", "Issues": "/issues", "Changelog": "/blob/main/CHANGELOG.md"}
#: heading of the changes since the last release, with or without the version that they will have
UNRELEASED = r"(?mi)^## (?:\d[\w.]* - )?unreleased\n"
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
    """Set the version in every file, and version and date in the heading of the unreleased changes."""
    if not re.fullmatch(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?", version):
        raise SystemExit(f"expected a version such as 1.0.0 or 1.0.0rc1, found {version!r}")
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8")
    dated, count = re.subn(UNRELEASED, f"## {version} - {date}\n", text, count=1)
    if not count or f"## {version} - 2" in text:
        raise SystemExit(f"CHANGELOG.md: expected a section '## {version} - unreleased' and none that is dated")
    versions(root)
    _write(changelog, dated)
    for name, pattern in PLACES.items():
        path = root / name
        _write(path, re.sub(pattern, rf"\g<1>{version}\g<3>", path.read_text(encoding="utf-8"), count=1))
    citation = root / "CITATION.cff"
    dated = re.sub(r'(?m)^date-released: "[^"]*"\n', "", citation.read_text(encoding="utf-8"))
    _write(citation, dated.replace(f'version: "{version}"\n', f'version: "{version}"\ndate-released: "{date}"\n', 1))


def link(repository: str, root: Path = ROOT) -> None:
    """Write the address of the public repository in the metadata of the package and of the citation."""
    if not re.fullmatch(r"https://[\w.-]+(?:/[\w.-]+)+", repository):
        raise SystemExit(f"expected an address such as https://github.com/owner/robosym, found {repository!r}")
    project = root / "pyproject.toml"
    lines = project.read_text(encoding="utf-8").splitlines(True)
    at = lines.index("[project.urls]\n") + 1
    added = [f'{name} = "{repository}{path}"\n' for name, path in LINKS.items()]
    rest = [line for line in lines[at:] if not line.startswith(tuple(f"{name} = " for name in LINKS))]
    _write(project, "".join([*lines[:at], *added, *rest]))
    citation = root / "CITATION.cff"
    text = re.sub(r"(?m)^repository-code: .*\n", "", citation.read_text(encoding="utf-8"))
    _write(citation, text.replace("\nversion: ", f'\nrepository-code: "{repository}"\nversion: ', 1))


def head_constraints(root: Path = ROOT) -> None:
    path = root / "constraints.txt"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines(True) if not line.startswith("#")]
    _write(path, "".join([HEAD, *lines]))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def main(words: list[str]) -> None:
    if words == ["--constraints"]:
        head_constraints()
    elif len(words) in (1, 2):
        release(words[0], datetime.datetime.now(datetime.timezone.utc).date().isoformat())
        for repository in words[1:]:
            link(repository)
    else:
        raise SystemExit("usage: release.py VERSION [REPOSITORY] | --constraints")


if __name__ == "__main__":
    main(sys.argv[1:])

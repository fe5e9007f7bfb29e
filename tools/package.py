"""Build the wheel and the sdist twice, in two places, and fail if they are not identical.

`--check` runs twine, check-wheel-contents and pyroma on the result. `--bill` writes the bill of materials (SBOM,
CycloneDX JSON) of an environment that contains only the wheel and its dependencies.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: modification time of the files in the packages, in seconds since 1970
DATED = "1577836800"
BIN = Path(sys.executable).parent
#: minimum rating by pyroma, of 10: the only remark is that there is no e-mail address of the authors
RATING = "8"


def run(*command: str | Path, **options: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **options)  # type: ignore[call-overload]


def built(folder: Path, source: Path = ROOT, kinds: tuple[str, ...] = ("wheel", "sdist")) -> list[Path]:
    """Build the packages of a source tree with hatchling of this environment."""
    dated = {"SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", DATED)}
    targets = [word for kind in kinds for word in ("-t", kind)]
    command = [sys.executable, "-m", "hatchling", "build", *targets, "-d", folder]
    run(*command, cwd=source, env=os.environ | dated, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sorted(folder.iterdir())


def copied(folder: Path) -> Path:
    """Copy the files of the project to `folder`, with new modification times."""
    names = subprocess.run(
        ["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    for name in names.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
            (folder / name).chmod((ROOT / name).stat().st_mode)
    return folder


def twice(target: Path) -> list[Path]:
    """Build into `target`; raise SystemExit if a second build from a copy of the source differs."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        source, out = Path(first), Path(second)
        again = built(out, copied(source))
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        made = built(target)
        for one, other in zip(made, again, strict=True):
            if one.name != other.name or one.read_bytes() != other.read_bytes():
                raise SystemExit(f"{one.name}: a second build gave different bytes")
    return made


def bill(wheel: Path, target: Path) -> Path:
    """Write the bill of materials of the wheel and its dependencies."""
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / "venv"
        run(BIN / "uv", "venv", "--quiet", "--python", sys.executable, venv)
        pinned = ["--constraint", ROOT / "constraints.txt"]
        run(BIN / "uv", "pip", "install", "--quiet", "--python", venv, *pinned, wheel)
        command = [BIN / "cyclonedx-py", "environment", "--output-reproducible", "--pyproject", ROOT / "pyproject.toml"]
        run(*command, "--mc-type", "library", "--short-PURLs", "--of", "JSON", "-o", target, python_of(venv))
    return target


def python_of(environment: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def check(made: list[Path]) -> None:
    """Raise CalledProcessError if the metadata, the contents of the wheel or the rating are not in order."""
    wheel, sdist = (next(path for path in made if path.suffix == suffix) for suffix in (".whl", ".gz"))
    run(BIN / "twine", "check", "--strict", wheel, sdist)
    run(BIN / "check-wheel-contents", wheel)
    run(BIN / "pyroma", "--min", RATING, sdist)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bill", action="store_true", help="also write the bill of materials")
    parser.add_argument("--check", action="store_true", help="also check the packages with twine and others")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    made = twice(given.folder)
    if given.check:
        check(made)
    if given.bill:
        wheel = next(path for path in made if path.suffix == ".whl")
        made.append(bill(wheel, given.folder / f"{wheel.name.split('-py3')[0]}.cdx.json"))
    for path in made:
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
